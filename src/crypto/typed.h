/* SPDX-License-Identifier: MIT */
/*
 * typed.h — digests of the wallet-level actions: typed data of its own instead of an ExchangeAction,
 * signed in the domain `universal` with type byte 02 (wire 3.5). `separator` is that domain's.
 */
#ifndef CRYPTO_TYPED_H
#define CRYPTO_TYPED_H

#include "base/out.h"
#include "crypto/crypto.h"
#include "model/shape.h"

/* A grant of the main wallet to a key. The members from `permissions` on count only where the function says so. */
struct key_grant {
    uint64_t       chain_id; /* the message's own `chainID`: the exchange's, independent of the domain's */
    uint64_t       nonce;    /* X-API-Nonce */
    uint64_t       account_id;
    struct slice   name;
    uint8_t        key_type; /* 1 = EVM address */
    struct address public_key;
    uint64_t       expires_at; /* milliseconds; 0 = never */
    uint64_t       permissions;
    uint64_t       builder_id, max_fee_rate;
    bool           permissions_given, builder_given; /* not signed: which spellings fit */
};

/* The grant in a request; `chain_id` is left 0. The name points into the request. */
struct key_grant key_grant_of(const struct add_key_request *request, uint64_t nonce);

/* AddAPIKey: account, name, type, key, expiry, nonce; no chain id in the message. */
struct hash256 add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* UserSignedAddAPIKeyAction: chain id, nonce, account, name, type, key, expiry. */
struct hash256 user_add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* UserSignedAddPermissionedAPIKeyAction: the same seven and `permissions`. */
struct hash256 user_add_permissioned_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* AddAPIKeyWithBuilder: the same seven, `builder_id` and `max_fee_rate`. */
struct hash256 add_api_key_with_builder_digest(const struct hash256 *separator, const struct key_grant *grant);

/*
 * OraclePrices: seq, timestamp and the prices, an OraclePrice each, integers in the symbols' price units (mechanics
 * 3.8). In the domain `oracle`, with type byte 01.
 */
struct hash256 oracle_prices_digest(const struct hash256 *separator, const struct oracle_post *post);

/*
 * OperatorCommand: the second signature under an operator command. `id` is the operator's id in it, `command` the
 * whole of it as in the log, {"type":…,"params":…} in canonical form, so that a wallet shows the signed text and not
 * its hash. In the domain `operator`, with type byte 01.
 */
#define OPERATOR_COMMAND_TYPE "OperatorCommand(string id,string command)"
struct hash256 operator_command_digest(const struct hash256 *separator, struct slice id, struct slice command);

/* chain_id is one of the exchange's own. */
static inline bool is_own_chain(const uint64_t *chain_ids, uint32_t chain_count, uint64_t chain_id)
{
    for (uint32_t i = 0; i < chain_count; i++)
        if (chain_ids[i] == chain_id) return true;
    return false;
}

/* ---- the spellings of a grant, by generation of clients (wire 7.1 row 25) ---- */

struct key_spelling {
    const char *primary_type;
    bool        names_chain; /* the message names its exchange */
    bool        has_permissions, has_builder;
    struct hash256 (*digest)(const struct hash256 *separator, const struct key_grant *grant);
};
#define KEY_SPELLINGS 4
extern const struct key_spelling key_spellings[KEY_SPELLINGS];

/*
 * Every digest that a signature over a grant may cover. `domain_chain` is the chain id of the domain where the request
 * names one (X-API-Chain, wire 3.5), else 0: then domain and message have the same of ours. A spelling fits when it
 * contains the whole grant, so that no unsigned right is granted. At most 2 spellings (3 with permissions of 0) for
 * each chain id.
 */
struct grant_walk {
    struct key_grant           grant; /* chain_id: the one of the current digest */
    uint64_t                   domain_chain;
    const uint64_t            *chain_ids; /* the exchange's own */
    uint32_t                   chain_count, next;
    bool                       bound;        /* leave out what no exchange is named in (ruling 8) */
    const struct key_spelling *spelling;     /* of the current digest */
    uint64_t                   signed_chain; /* chain id of its domain */
};
bool grant_walk_next(struct grant_walk *walk, struct hash256 *digest);

/* The spelling in which `signer` signed the grant, or NULL: for a reader of a registration's record. */
const struct key_spelling *key_grant_spelling(struct grant_walk walk, const struct signature *signature,
                                              const struct address *signer);

/* The message as `AddAPIKey{"accountID":…}`, to show what was hashed. */
void key_grant_write(struct out *out, const struct key_spelling *spelling, const struct key_grant *grant);

#endif
