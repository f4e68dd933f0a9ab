/* SPDX-License-Identifier: MIT */
#include "crypto/typed.h"

#include "crypto/words.h"

/* The members that four of the five types have in common, in the order of their type strings. */
#define KEY_MEMBERS "uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt"

static void words_begin(struct words *words, struct slice type)
{
    struct hash256 hash = text_hash(type);
    words_init(words, &hash);
}

static void add_key_members(struct words *words, const struct key_grant *grant)
{
    words_add_u64(words, grant->account_id);
    words_add_text(words, grant->name);
    words_add_u64(words, grant->key_type);
    words_add_text(words, slice_make(grant->public_key.bytes, sizeof(grant->public_key.bytes)));
    words_add_u64(words, grant->expires_at);
}

/* The seven members with which the newer types begin. */
static void begin_with_seven(struct words *words, struct slice type, const struct key_grant *grant)
{
    words_begin(words, type);
    words_add_u64(words, grant->chain_id);
    words_add_u64(words, grant->nonce);
    add_key_members(words, grant);
}

static struct hash256 digest_of(const struct hash256 *separator, struct words *words)
{
    struct hash256 message = words_end(words);
    return typed_digest(separator, &message);
}

struct hash256 add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant)
{
    struct words words;

    words_begin(&words, SLICE("AddAPIKey(" KEY_MEMBERS ",uint64 nonce)"));
    add_key_members(&words, grant);
    words_add_u64(&words, grant->nonce);
    return digest_of(separator, &words);
}

struct hash256 user_add_api_key_digest(const struct hash256 *separator, const struct key_grant *grant)
{
    struct words words;

    begin_with_seven(&words, SLICE("UserSignedAddAPIKeyAction(uint64 chainID,uint64 nonce," KEY_MEMBERS ")"), grant);
    return digest_of(separator, &words);
}

struct hash256 user_add_permissioned_api_key_digest(const struct hash256 *separator, const struct key_grant *grant)
{
    struct words words;

    begin_with_seven(
        &words,
        SLICE("UserSignedAddPermissionedAPIKeyAction(uint64 chainID,uint64 nonce," KEY_MEMBERS ",uint64 permissions)"),
        grant);
    words_add_u64(&words, grant->permissions);
    return digest_of(separator, &words);
}

struct hash256 add_api_key_with_builder_digest(const struct hash256 *separator, const struct key_grant *grant)
{
    struct words words;

    begin_with_seven(
        &words,
        SLICE("AddAPIKeyWithBuilder(uint64 chainID,uint64 nonce," KEY_MEMBERS ",uint64 builderID,uint64 maxFeeRate)"),
        grant);
    words_add_u64(&words, grant->builder_id);
    words_add_u64(&words, grant->max_fee_rate);
    return digest_of(separator, &words);
}

/* An array stands in the struct as the hash of its members' hashes. */
static struct hash256 prices_hash(const struct oracle_post *post, struct hash256 item_type)
{
    struct keccak all;

    keccak_init(&all);
    for (uint32_t i = 0; i < post->count; i++) {
        struct words   words;
        struct hash256 item;

        words_init(&words, &item_type);
        words_add_u64(&words, post->items[i].symbol_id);
        words_add_u64(&words, (uint64_t)post->items[i].price);
        words_add_u64(&words, (uint64_t)post->items[i].perp_mid);
        item = words_end(&words);
        keccak_add(&all, item.bytes, sizeof(item.bytes));
    }
    return keccak_end(&all);
}

#define ORACLE_PRICE "OraclePrice(uint32 symbolID,uint64 price,uint64 perpMid)"

struct hash256 oracle_prices_digest(const struct hash256 *separator, const struct oracle_post *post)
{
    struct hash256 prices = prices_hash(post, text_hash(SLICE(ORACLE_PRICE)));
    struct words   words;

    words_begin(&words, SLICE("OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices)" ORACLE_PRICE));
    words_add_u64(&words, post->seq);
    words_add_u64(&words, (uint64_t)post->timestamp_ms);
    words_add_hash(&words, &prices);
    return digest_of(separator, &words);
}

struct hash256 operator_command_digest(const struct hash256 *separator, struct slice id, struct slice command)
{
    struct words words;

    words_begin(&words, SLICE(OPERATOR_COMMAND_TYPE));
    words_add_text(&words, id);
    words_add_text(&words, command);
    return digest_of(separator, &words);
}

/* ---- spellings ---- */

/* clang-format off */
const struct key_spelling key_spellings[KEY_SPELLINGS] = {
    { "AddAPIKey",                             false, false, false, add_api_key_digest },
    { "UserSignedAddAPIKeyAction",             true,  false, false, user_add_api_key_digest },
    { "UserSignedAddPermissionedAPIKeyAction", true,  true,  false, user_add_permissioned_api_key_digest },
    { "AddAPIKeyWithBuilder",                  true,  false, true,  add_api_key_with_builder_digest },
};
/* clang-format on */

struct key_grant key_grant_of(const struct add_key_request *request, uint64_t nonce)
{
    const struct add_key *key = &request->key;

    return (struct key_grant){
        .nonce = nonce,
        .account_id = key->account_id,
        .name = client_id_slice(&key->name),
        .key_type = key->key_type,
        .public_key = key->public_key,
        .expires_at = key->expires_ms,
        .permissions = key->permissions,
        .builder_id = request->builder.id,
        .max_fee_rate = request->builder.fee,
        .permissions_given = key->permissions_given != 0,
        .builder_given = request->builder.id != 0,
    };
}

/* A mask of 0 forbids nothing, as does none: it may be left unsaid. With a builder nothing is granted anyway. */
static bool spelling_fits(const struct key_spelling *spelling, const struct key_grant *grant)
{
    if (grant->builder_given || spelling->has_builder) return grant->builder_given && spelling->has_builder;
    return spelling->has_permissions ? grant->permissions_given : grant->permissions == 0;
}

/* A domain without a chain id takes the message's; a message without one is hashed once per domain. */
static bool pair_fits(const struct grant_walk *walk, const struct key_spelling *spelling, uint32_t chain)
{
    uint64_t domain = walk->domain_chain;

    if (domain == 0) return true;
    if (is_own_chain(walk->chain_ids, walk->chain_count, domain)) return walk->chain_ids[chain] == domain;
    return spelling->names_chain || (chain == 0 && !walk->bound);
}

bool grant_walk_next(struct grant_walk *walk, struct hash256 *digest)
{
    while (walk->next < KEY_SPELLINGS * walk->chain_count) {
        const struct key_spelling *spelling = &key_spellings[walk->next / walk->chain_count];
        uint32_t                   chain = walk->next++ % walk->chain_count;
        struct hash256             separator;

        if (!spelling_fits(spelling, &walk->grant) || !pair_fits(walk, spelling, chain)) continue;
        walk->spelling = spelling;
        walk->grant.chain_id = walk->chain_ids[chain];
        walk->signed_chain = walk->domain_chain != 0 ? walk->domain_chain : walk->chain_ids[chain];
        separator = domain_separator(DOMAIN_UNIVERSAL, walk->signed_chain);
        *digest = spelling->digest(&separator, &walk->grant);
        return true;
    }
    return false;
}

const struct key_spelling *key_grant_spelling(struct grant_walk walk, const struct signature *signature,
                                              const struct address *signer)
{
    struct hash256 digest;
    struct address recovered;

    while (grant_walk_next(&walk, &digest))
        if (recover_signer(&digest, signature, &recovered) && address_equal(&recovered, signer)) return walk.spelling;
    return NULL;
}

static void write_number(struct out *out, const char *key, uint64_t value)
{
    out_text(out, key);
    out_u64(out, value);
}

void key_grant_write(struct out *out, const struct key_spelling *spelling, const struct key_grant *grant)
{
    out_text(out, spelling->primary_type);
    out_char(out, '{');
    if (spelling->names_chain) {
        write_number(out, "\"chainID\":", grant->chain_id);
        write_number(out, ",\"nonce\":", grant->nonce);
        out_char(out, ',');
    }
    write_number(out, "\"accountID\":", grant->account_id);
    out_literal(out, ",\"name\":\"");
    out_slice_put(out, grant->name);
    write_number(out, "\",\"keyType\":", grant->key_type);
    out_literal(out, ",\"publicKey\":\"0x");
    out_hex(out, grant->public_key.bytes, sizeof(grant->public_key.bytes));
    write_number(out, "\",\"expiresAt\":", grant->expires_at);
    if (!spelling->names_chain) write_number(out, ",\"nonce\":", grant->nonce);
    if (spelling->has_permissions) write_number(out, ",\"permissions\":", grant->permissions);
    if (spelling->has_builder) {
        write_number(out, ",\"builderID\":", grant->builder_id);
        write_number(out, ",\"maxFeeRate\":", grant->max_fee_rate);
    }
    out_char(out, '}');
}
