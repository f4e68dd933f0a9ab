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

    begin_with_seven(&words, SLICE("UserSignedAddPermissionedAPIKeyAction(uint64 chainID,uint64 nonce,"
                                   KEY_MEMBERS ",uint64 permissions)"), grant);
    words_add_u64(&words, grant->permissions);
    return digest_of(separator, &words);
}

struct hash256 add_api_key_with_builder_digest(const struct hash256 *separator, const struct key_grant *grant)
{
    struct words words;

    begin_with_seven(&words, SLICE("AddAPIKeyWithBuilder(uint64 chainID,uint64 nonce,"
                                   KEY_MEMBERS ",uint64 builderID,uint64 maxFeeRate)"), grant);
    words_add_u64(&words, grant->builder_id);
    words_add_u64(&words, grant->max_fee_rate);
    return digest_of(separator, &words);
}

struct hash256 approve_builder_fee_digest(const struct hash256 *separator, const struct builder_approval *approval)
{
    struct words words;

    words_begin(&words, SLICE("ApproveBuilderFeeAction(uint64 chainID,uint64 nonce,uint64 accountID,"
                              "uint64 builderID,uint64 maxFeeRate)"));
    words_add_u64(&words, approval->chain_id);
    words_add_u64(&words, approval->nonce);
    words_add_u64(&words, approval->account_id);
    words_add_u64(&words, approval->builder_id);
    words_add_u64(&words, approval->max_fee_rate);
    return digest_of(separator, &words);
}
