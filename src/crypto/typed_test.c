/* SPDX-License-Identifier: MIT */
/* typed_test.c — the digests of what is signed member by member: API keys, prices of feeders, operators' commands. */
#include "rigs/crypto/vectors.h"
#include "crypto/typed.h"
#include "crypto/words.h"

static struct key_grant grant_of(const json_t *message)
{
    return (struct key_grant){
        .chain_id = 286623,
        .nonce = number_at(message, "nonce"),
        .account_id = number_at(message, "accountID"),
        .name = slice_of(text_at(message, "name")),
        .key_type = (uint8_t)json_integer_value(json_object_get(message, "keyType")),
        .public_key = address_of_hex(text_at(message, "publicKey")),
        .expires_at = number_at(message, "expiresAt"),
        .permissions = json_object_get(message, "permissions") ? number_at(message, "permissions") : 0,
        .builder_id = json_object_get(message, "builderID") ? number_at(message, "builderID") : 0,
        .max_fee_rate = json_object_get(message, "maxFeeRate") ? number_at(message, "maxFeeRate") : 0,
    };
}

static const struct {
    const char *label;
    struct hash256 (*digest)(const struct hash256 *, const struct key_grant *);
} grants[] = {
    { "V13", add_api_key_digest },
    { "V14", user_add_api_key_digest },
    { "V15", user_add_permissioned_api_key_digest },
    { "V16", add_api_key_with_builder_digest },
};

/* An action that is not offered: chain id, nonce, account, builder, fee rate. */
static struct hash256 approve_builder_fee_digest(const struct hash256 *separator, const json_t *message)
{
    struct hash256 type = text_hash(SLICE("ApproveBuilderFeeAction(uint64 chainID,uint64 nonce,uint64 accountID,"
                                          "uint64 builderID,uint64 maxFeeRate)")),
                   end;
    struct words words;

    words_init(&words, &type);
    words_add_u64(&words, 286623);
    words_add_u64(&words, number_at(message, "nonce"));
    words_add_u64(&words, number_at(message, "accountID"));
    words_add_u64(&words, number_at(message, "builderID"));
    words_add_u64(&words, number_at(message, "maxFeeRate"));
    end = words_end(&words);
    return typed_digest(separator, &end);
}

static void every_wallet_level_vector_gives_its_digest_and_its_signer(void **state)
{
    struct hash256 separator = domain_separator(DOMAIN_UNIVERSAL, 286623), digest;
    const json_t  *row;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(grants); i++) {
        struct key_grant grant;
        row = vector_named(grants[i].label);
        grant = grant_of(json_object_get(row, "message"));
        digest = grants[i].digest(&separator, &grant);
        assert_hash(digest, text_at(row, "digest"));
        check_spellings(digest, text_at(row, "xApiSign"));
    }
    row = vector_named("V17");
    digest = approve_builder_fee_digest(&separator, json_object_get(row, "message"));
    assert_hash(digest, text_at(row, "digest"));
    check_spellings(digest, text_at(row, "xApiSign"));
}

static void any_member_of_a_grant_changes_its_digest(void **state)
{
    const struct key_grant plain = { .chain_id = 1,
                                     .nonce = 2,
                                     .account_id = 3,
                                     .name = SLICE("n"),
                                     .key_type = 1,
                                     .expires_at = 5,
                                     .permissions = 6,
                                     .builder_id = 7,
                                     .max_fee_rate = 8 };
    struct hash256         separator = domain_separator(DOMAIN_UNIVERSAL, 1), before, after;
    struct key_grant       other;

    (void)state;
    for (int member = 0; member < 5; member++) {
        other = plain;
        if (member == 0) other.nonce += 1;
        if (member == 1) other.account_id += 1;
        if (member == 2) other.name = SLICE("m");
        if (member == 3) other.public_key.bytes[19] ^= 1;
        if (member == 4) other.expires_at += 1;
        for (size_t i = 0; i < ARRAY_COUNT(grants); i++) {
            before = grants[i].digest(&separator, &plain);
            after = grants[i].digest(&separator, &other);
            assert_memory_not_equal(before.bytes, after.bytes, 32);
        }
    }
}

/* Each generation's spelling is found by its digest; a stranger's signature and another exchange's have none. */
static void the_spelling_of_a_grant_is_found(void **state)
{
    static const uint64_t chains[] = { 1, 2 };
    static const uint8_t  secret[32] = { [31] = 5 };
    struct address        signer, stranger = { { 9 } };

    (void)state;
    assert_true(address_of_secret(secret, &signer));
    for (size_t i = 0; i < KEY_SPELLINGS; i++) {
        const struct key_spelling *spelling = &key_spellings[i];
        struct key_grant           grant = { .nonce = 2,
                                             .account_id = 3,
                                             .name = SLICE("n"),
                                             .key_type = 1,
                                             .expires_at = 5,
                                             .permissions = spelling->has_permissions ? 6 : 0,
                                             .permissions_given = spelling->has_permissions,
                                             .builder_id = spelling->has_builder ? 7 : 0,
                                             .max_fee_rate = spelling->has_builder ? 8 : 0,
                                             .builder_given = spelling->has_builder };
        struct grant_walk          walk = { .grant = grant, .chain_ids = chains, .chain_count = 2 };
        struct hash256             separator = domain_separator(DOMAIN_UNIVERSAL, 2), digest;
        struct signature           signature;

        grant.chain_id = 2;
        digest = spelling->digest(&separator, &grant);
        assert_true(sign_digest(&digest, secret, 2, &signature));
        assert_ptr_equal(key_grant_spelling(walk, &signature, &signer), spelling);
        assert_null(key_grant_spelling(walk, &signature, &stranger));
        walk.chain_count = 1;
        assert_null(key_grant_spelling(walk, &signature, &signer));
        signature.v = 2;
        assert_null(key_grant_spelling(walk, &signature, &signer));
    }
}

/* Both made by another program: eth-account's encode_typed_data and sign_message with the key 0x11…11. */
static void prices_of_feeders_are_signed_as_others_sign_them(void **state)
{
    /* clang-format off */
    static const struct { uint32_t count; const char *digest, *signature; } rows[] = {
        { 2, "2cfa8aaf81dfd8d2cb036cb596b80c0cc43697a9c9582ef0d0aaa15e4625608a",
          "0x014cb6ad33c510403cfe61042161da8bc64829e31e818d9a4f55f31d29c7139e9a4d2d99ae32821e516281a221c407ea3ce88a0b5"
              "afb7c16eaf95aa2945313b7191c" },
        { 0, "f6e2be364688aeb84af6449d53df5b9bce82670a36372bf4ac605ebc63695a39",
          "0x01e50171dd4a6d753388e37c561501edd1fe8796c0479af48f688d653964a4cec87466b4d6b586a49a6099564a083878e7c47d093"
              "45adc91d78ca9d1320c8816f71b" },
    };
    /* clang-format on */
    struct oracle_post post = { .seq = 1760000000123, .timestamp_ms = 1760000000456 };
    struct hash256     separator = domain_separator(DOMAIN_ORACLE, 77001);

    (void)state;
    post.items[0] = (struct oracle_price){ .symbol_id = 1, .price = 1000005 };
    post.items[1] = (struct oracle_price){ .symbol_id = 3, .price = 20025, .perp_mid = 20024 };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct signature signature;

        post.count = rows[i].count;
        assert_hash(oracle_prices_digest(&separator, &post), rows[i].digest);
        assert_true(signature_read(slice_of(rows[i].signature), &signature));
        assert_signer(oracle_prices_digest(&separator, &post), &signature,
                      "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A");
    }
    post.count = 1; /* every member is signed */
    assert_memory_not_equal(&(struct hash256[]){ oracle_prices_digest(&separator, &post) },
                            &(struct hash256[]){ hash_of_hex(rows[0].digest) }, 32);
}

/* Both made by another program (tests/e2e/harness.py: pycryptodome and python-ecdsa) with the key 0x11…11. */
static void an_operators_command_is_signed_as_others_sign_it(void **state)
{
    /* clang-format off */
    static const struct { uint64_t chain_id; const char *id, *command, *digest, *signature; } rows[] = {
        { 77001, "d-1",
          "{\"type\":\"deposit\",\"params\":{\"id\":\"d-1\","
              "\"address\":\"0x7777777777777777777777777777777777777777\",\"engine\":\"spot\",\"coin\":\"vUSDC\","
              "\"amount\":\"12.5\"}}",
          "d5dba40f673e54b021febc82bba9a9396ff1dae357034e30ed1080d70d92f104",
          "0x010d6bcf71c8fcd63dfc6bdd1456832e0628c7ecf027a0a65559c3e3a723684d50410e2ea04f26d4606c34057335b68387555e0ac"
              "9bc170e3966f248569c89586500" },
        { 1, "", "", "16dab3ca727efe84db69f4ceac8d6f245cde68976046eca1e79567fe1fd1efbf",
          "0x01eb3813edcaeb5f0420b9a2920196263b550e4e34c6f79a9f7c8f2d26b9148a605299122d49d3709709057a1091dc55ed52947a7"
              "ac2e5e18ad1b8b5527cf5df2400" },
    };
    /* clang-format on */
    struct hash256 first = domain_separator(DOMAIN_OPERATOR, 77001), other = domain_separator(DOMAIN_ORACLE, 77001);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct hash256   separator = domain_separator(DOMAIN_OPERATOR, rows[i].chain_id);
        struct signature signature;

        assert_hash(operator_command_digest(&separator, slice_of(rows[i].id), slice_of(rows[i].command)),
                    rows[i].digest);
        assert_true(signature_read(slice_of(rows[i].signature), &signature));
        assert_signer(operator_command_digest(&separator, slice_of(rows[i].id), slice_of(rows[i].command)), &signature,
                      "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A");
    }
    assert_memory_not_equal(&first, &other, sizeof(first));
    other = operator_command_digest(&first, SLICE("d-2"), slice_of(rows[0].command)); /* each member is signed */
    assert_memory_not_equal(&other, &(struct hash256[]){ hash_of_hex(rows[0].digest) }, 32);
    other = operator_command_digest(&first, SLICE("d-1"), SLICE("{}"));
    assert_memory_not_equal(&other, &(struct hash256[]){ hash_of_hex(rows[0].digest) }, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wallet_level_vector_gives_its_digest_and_its_signer),
        cmocka_unit_test(any_member_of_a_grant_changes_its_digest),
        cmocka_unit_test(prices_of_feeders_are_signed_as_others_sign_them),
        cmocka_unit_test(an_operators_command_is_signed_as_others_sign_it),
        cmocka_unit_test(the_spelling_of_a_grant_is_found),
    };
    return cmocka_run_group_tests_name("typed", tests, set_up, NULL);
}
