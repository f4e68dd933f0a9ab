/* SPDX-License-Identifier: MIT */
/*
 * typed.h — digests of the wallet-level actions: typed data of its own instead of an ExchangeAction,
 * signed in the domain `universal` with type byte 02 (wire 3.5). `separator` is that domain's.
 */
#ifndef CRYPTO_TYPED_H
#define CRYPTO_TYPED_H

#include "crypto/crypto.h"

/* What the main wallet grants to a key. The last three members count only where the function says so. */
struct key_grant {
    uint64_t       chain_id;        /* the message's own `chainID`: the exchange's, whatever the domain's is */
    uint64_t       nonce;           /* X-API-Nonce                                                           */
    uint64_t       account_id;
    struct slice   name;
    uint8_t        key_type;        /* 1 = EVM address                                                       */
    struct address public_key;
    uint64_t       expires_at;      /* milliseconds; 0 = never                                               */
    uint64_t       permissions;
    uint64_t       builder_id, max_fee_rate;
};

/* AddAPIKey: account, name, type, key, expiry, nonce; no chain id in the message. */
struct hash256 add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* UserSignedAddAPIKeyAction: chain id, nonce, account, name, type, key, expiry. */
struct hash256 user_add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* UserSignedAddPermissionedAPIKeyAction: the same seven and `permissions`. */
struct hash256 user_add_permissioned_api_key_digest(const struct hash256 *separator, const struct key_grant *grant);

/* AddAPIKeyWithBuilder: the same seven, `builder_id` and `max_fee_rate`. */
struct hash256 add_api_key_with_builder_digest(const struct hash256 *separator, const struct key_grant *grant);

/* ApproveBuilderFeeAction: chain id, nonce, account, builder, fee rate. */
struct builder_approval { uint64_t chain_id, nonce, account_id, builder_id, max_fee_rate; };
struct hash256 approve_builder_fee_digest(const struct hash256 *separator, const struct builder_approval *approval);

#endif
