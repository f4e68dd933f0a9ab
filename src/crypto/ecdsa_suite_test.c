/* SPDX-License-Identifier: MIT */
/*
 * The ECDSA edge cases of project Wycheproof through our interface: a DER signature is converted to the form of
 * X-API-Sign, and it counts as verified when one of the two recovery bits leads to the address of the public key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include "base/hex.h"
#include "rigs/test_files.h"
#include "crypto/crypto.h"

static int set_up(void **state)
{
    (void)state;
    return crypto_init() ? 0 : -1;
}

static json_t *load(const char *name)
{
    struct slice file = file_read(shared_path(name));
    json_t      *suite;

    if (file.at == NULL) {
        printf("SKIP the ECDSA suite: no %s in $DOJIMA_SHARED or ../shared\n", name);
        skip();
    }
    suite = json_loadb(file.at, file.len, 0, NULL);
    free((void *)file.at);
    assert_non_null(suite);
    return suite;
}

/* Bytes of a hex member into `bytes`; how many. */
static size_t bytes_at(const json_t *object, const char *key, uint8_t *bytes, size_t cap)
{
    const char *hex = json_string_value(json_object_get(object, key));
    size_t      len;

    assert_non_null(hex);
    len = strlen(hex) / 2;
    assert_true(len <= cap && hex_read(slice_of(hex), bytes, len));
    return len;
}

static struct address address_of_point(const uint8_t point[65])
{
    struct hash256 hash = keccak256(point + 1, 64);
    struct address address;

    memcpy(address.bytes, hash.bytes + 12, 20);
    return address;
}

struct verdict {
    bool der, form, signer;
};

/* Everything that was recovered one by one, for all of it together at the end. */
#define SEEN_MAX 2000
static struct {
    struct hash256   digests[SEEN_MAX];
    struct signature signatures[SEEN_MAX];
    struct address   signers[SEEN_MAX];
    bool             recovered[SEEN_MAX];
    uint32_t         count;
} seen;

static bool recover_and_remember(const struct hash256 *digest, const struct signature *signature,
                                 struct address *signer)
{
    uint32_t at = seen.count++;

    assert_true(at < SEEN_MAX);
    seen.digests[at] = *digest;
    seen.signatures[at] = *signature;
    seen.recovered[at] = recover_signer(digest, signature, signer);
    if (seen.recovered[at]) seen.signers[at] = *signer;
    return seen.recovered[at];
}

static void recover_all_again(void)
{
    static struct address signers[SEEN_MAX];
    static bool           recovered[SEEN_MAX];

    recover_signers(seen.count, seen.digests, seen.signatures, signers, recovered);
    for (uint32_t i = 0; i < seen.count; i++) {
        assert_int_equal(recovered[i], seen.recovered[i]);
        if (recovered[i]) assert_memory_equal(&signers[i], &seen.signers[i], sizeof(signers[i]));
    }
    assert_true(seen.count > 100);
    seen.count = 0;
}

/* Runs one signature over one digest through signature_read and recover_signer. */
static struct verdict judge(const secp256k1_context *context, const uint8_t *der, size_t der_len,
                            const struct hash256 *digest, const struct address *owner)
{
    struct verdict            verdict = { 0 };
    secp256k1_ecdsa_signature parsed;
    uint8_t                   compact[64];

    verdict.der = secp256k1_ecdsa_signature_parse_der(context, &parsed, der, der_len) == 1;
    if (!verdict.der) return verdict;
    secp256k1_ecdsa_signature_serialize_compact(context, compact, &parsed);
    for (uint8_t v = 0; v < 2; v++) {
        struct signature sent = { .type = 1, .v = v }, read;
        struct address   signer;
        char             text[SIGNATURE_TEXT];

        memcpy(sent.r, compact, 32);
        memcpy(sent.s, compact + 32, 32);
        signature_write(&sent, text);
        if (!signature_read(slice_make(text, sizeof(text)), &read)) continue;
        verdict.form = true;
        if (recover_and_remember(digest, &read, &signer) && address_equal(&signer, owner)) verdict.signer = true;
    }
    return verdict;
}

/* Whether s is above half of the order. Those are valid in plain ECDSA, and refused here. */
static bool is_high(const secp256k1_context *context, const uint8_t *der, size_t der_len)
{
    secp256k1_ecdsa_signature parsed;

    if (!secp256k1_ecdsa_signature_parse_der(context, &parsed, der, der_len)) return false;
    return secp256k1_ecdsa_signature_normalize(context, NULL, &parsed) == 1;
}

/* Does only a recovery id of 2 or 3 lead to the owner: the x coordinate of the point is above the order? */
static bool is_beyond(const secp256k1_context *context, const uint8_t *der, size_t der_len,
                      const struct hash256 *digest, const uint8_t point[65])
{
    secp256k1_ecdsa_signature             parsed;
    secp256k1_ecdsa_recoverable_signature recoverable;
    secp256k1_pubkey                      key;
    uint8_t                               compact[64], found[65];
    size_t                                len = sizeof(found);

    assert_true(secp256k1_ecdsa_signature_parse_der(context, &parsed, der, der_len));
    secp256k1_ecdsa_signature_serialize_compact(context, compact, &parsed);
    for (int id = 2; id < 4; id++) {
        if (!secp256k1_ecdsa_recoverable_signature_parse_compact(context, &recoverable, compact, id)) continue;
        if (!secp256k1_ecdsa_recover(context, &key, &recoverable, digest->bytes)) continue;
        secp256k1_ec_pubkey_serialize(context, found, &len, &key, SECP256K1_EC_UNCOMPRESSED);
        if (memcmp(found, point, sizeof(found)) == 0) return true;
    }
    return false;
}

struct tally {
    size_t valid, invalid, high, beyond;
};

/*
 * `beyond`: valid signatures whose point has an x coordinate above the order. Their recovery id is 2 or 3, which a
 * wallet makes once in 2^127 signatures, and which the form of X-API-Sign cannot carry.
 */
static void judge_test(const secp256k1_context *context, const json_t *test, const uint8_t point[65],
                       struct tally *tally)
{
    struct address    owner = address_of_point(point);
    static uint8_t    der[1 << 17], message[4096];
    size_t            der_len = bytes_at(test, "sig", der, sizeof(der));
    size_t            message_len = bytes_at(test, "msg", message, sizeof(message));
    bool              valid = strcmp(json_string_value(json_object_get(test, "result")), "valid") == 0;
    struct sha256_ctx sha;
    struct hash256    digest;
    struct verdict    verdict;

    sha256_init(&sha);
    sha256_update(&sha, message_len, message);
    sha256_digest(&sha, 32, digest.bytes);
    verdict = judge(context, der, der_len, &digest, &owner);
    if (!valid) {
        tally->invalid += 1;
        if (verdict.signer) fail_msg("accepted: %s", json_string_value(json_object_get(test, "comment")));
    } else if (is_high(context, der, der_len)) {
        tally->high += 1;
        assert_false(verdict.form);
    } else if (!verdict.signer) {
        tally->beyond += 1;
        assert_true(is_beyond(context, der, der_len, &digest, point));
    } else {
        tally->valid += 1;
    }
}

static struct tally run_suite(const char *name)
{
    secp256k1_context *context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    json_t            *suite = load(name), *group, *test;
    struct tally       tally = { 0 };
    size_t             i, k;

    json_array_foreach(json_object_get(suite, "testGroups"), i, group) {
        uint8_t point[65];

        assert_int_equal(bytes_at(json_object_get(group, "publicKey"), "uncompressed", point, sizeof(point)), 65);
        json_array_foreach(json_object_get(group, "tests"), k, test) judge_test(context, test, point, &tally);
    }
    recover_all_again();
    json_decref(suite);
    secp256k1_context_destroy(context);
    return tally;
}

static void the_low_s_suite_is_judged_as_its_authors_do(void **state)
{
    struct tally tally = run_suite("suites/ecdsa/ecdsa_secp256k1_sha256_bitcoin_test.json");

    (void)state;
    printf("low-s suite: %zu valid accepted, %zu invalid refused, %zu beyond the form\n", tally.valid, tally.invalid,
           tally.beyond);
    assert_int_equal(tally.valid + tally.invalid + tally.high + tally.beyond, 463);
    assert_int_equal(tally.invalid, 301);
    assert_int_equal(tally.high, 0);
    assert_in_range(tally.beyond, 0, 3);
}

static void the_plain_suite_differs_only_by_high_s(void **state)
{
    struct tally tally = run_suite("suites/ecdsa/ecdsa_secp256k1_sha256_test.json");

    (void)state;
    printf("plain suite: %zu valid accepted, %zu with high s refused, %zu invalid refused, %zu beyond the form\n",
           tally.valid, tally.high, tally.invalid, tally.beyond);
    assert_int_equal(tally.valid + tally.invalid + tally.high + tally.beyond, 476);
    assert_int_equal(tally.invalid, 308);
    assert_in_range(tally.beyond, 0, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_low_s_suite_is_judged_as_its_authors_do),
        cmocka_unit_test(the_plain_suite_differs_only_by_high_s),
    };
    return cmocka_run_group_tests_name("ecdsa suite", tests, set_up, NULL);
}
