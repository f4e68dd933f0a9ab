/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/hex.h"
#include "base/out.h"
#include "rigs/test_files.h"
#include "crypto/crypto.h"
#include "crypto/typed.h"
#include "crypto/words.h"

/* The well-known key of wire 3.8 and its address. */
static const char secret_hex[] = "0123456789012345678901234567890123456789012345678901234567890123";
static const char owner_hex[] = "0x14791697260E4c9A71f18484C9f997B308e59325";

static const char v1_signature[] =
    "01c34fa7bf19083da6c477e3327da115814aa5973cbdd175f8917df22aa4cd08d6785c53b4fad878d9f0a1fea2a190e704252"
    "3c0f2f3a543cede9a45260936aefd00";
static const char v1_digest[] = "b416e31122b0ba50f8d4e31d98dd5ef9e32bef104f14808ad4c4b904372412cb";

static struct hash256 hash_of_hex(const char *hex)
{
    struct hash256 hash;
    assert_true(hex_read_0x(slice_of(hex), hash.bytes, 32));
    return hash;
}

static struct address address_of_hex(const char *hex)
{
    struct address address;
    assert_true(hex_read_0x(slice_of(hex), address.bytes, 20));
    return address;
}

static void assert_hash(struct hash256 hash, const char *hex)
{
    struct hash256 wanted = hash_of_hex(hex);
    assert_memory_equal(hash.bytes, wanted.bytes, 32);
}

static void assert_signer(struct hash256 digest, const struct signature *signature, const char *hex)
{
    struct address signer, wanted = address_of_hex(hex), signers[3];
    bool           recovered[3];

    assert_true(recover_signer(&digest, signature, &signer));
    assert_memory_equal(signer.bytes, wanted.bytes, 20);

    recover_signers(3, (struct hash256[]){ digest, digest, digest },
                    (struct signature[]){ *signature, { .type = 1 }, *signature }, signers, recovered);
    assert_true(recovered[0] && !recovered[1] && recovered[2]);
    assert_memory_equal(signers[0].bytes, wanted.bytes, 20);
    assert_memory_equal(signers[2].bytes, wanted.bytes, 20);
}

static int set_up(void **state)
{
    (void)state;
    return crypto_init() ? 0 : -1;
}

/* --- the vectors of wire 3.8 ---------------------------------------------------------------- */

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static uint64_t number_at(const json_t *object, const char *key) { return strtoull(text_at(object, key), NULL, 10); }

/* A data file of docs/spec, which the caller gives back. */
static json_t *load_json(const char *name)
{
    struct slice file = file_read(spec_path(name));
    json_t      *json;

    assert_non_null(file.at);
    json = json_loadb(file.at, file.len, JSON_REJECT_DUPLICATES, NULL);
    free((void *)file.at);
    assert_non_null(json);
    return json;
}

static const json_t *load_vectors(void)
{
    static json_t *vectors;

    if (vectors == NULL) vectors = load_json("wire_vectors.json");
    return vectors;
}

static const json_t *vector_named(const char *label)
{
    const json_t *vectors = load_vectors(), *row;
    size_t        index;

    json_array_foreach(vectors, index, row) {
        const char *name = text_at(row, "label");
        if (strncmp(name, label, strlen(label)) == 0 && name[strlen(label)] == ' ') return row;
    }
    fail_msg("no vector %s", label);
    return NULL;
}

static uint8_t domain_named(const char *name)
{
    if (strcmp(name, "spot") == 0) return DOMAIN_SPOT;
    if (strcmp(name, "futures") == 0) return DOMAIN_FUTURES;
    assert_string_equal(name, "universal");
    return DOMAIN_UNIVERSAL;
}

static uint64_t chain_of(const json_t *row) { return (uint64_t)json_integer_value(json_object_get(row, "chainId")); }

/* "batchNewOrder" out of {"type":"batchNewOrder","params":…}. */
static struct slice type_of(const char *payload)
{
    const char *start = payload + strlen("{\"type\":\"");
    return slice_make(start, (size_t)(strchr(start, '"') - start));
}

/* Both spellings of v; upper-case digits; without 0x; and back to the text that was sent. */
static void check_spellings(struct hash256 digest, const char *sent)
{
    struct signature signature;
    char             text[SIGNATURE_TEXT + 1] = { 0 };

    assert_true(signature_read(slice_of(sent), &signature));
    assert_signer(digest, &signature, owner_hex);
    signature_write(&signature, text);
    assert_string_equal(text, sent);

    text[132] = '1';
    text[133] = signature.v == 0 ? 'b' : 'c'; /* 27, 28 */
    assert_true(signature_read(slice_of(text), &signature));
    assert_signer(digest, &signature, owner_hex);
    for (char *c = text + 2; *c != '\0'; c++)
        if (*c >= 'a') *c = (char)(*c - 32);
    assert_true(signature_read(slice_of(text), &signature));
    assert_signer(digest, &signature, owner_hex);
    assert_true(signature_read(slice_of(text + 2), &signature));
    assert_signer(digest, &signature, owner_hex);
}

static void every_action_vector_gives_its_hashes_and_its_signer(void **state)
{
    const json_t *vectors = load_vectors(), *row;
    size_t        index, checked = 0;

    (void)state;
    json_array_foreach(vectors, index, row) {
        struct hash256   separator, payload, digest;
        struct signature signature;

        if (json_object_get(row, "message") != NULL) continue;
        separator = domain_separator(domain_named(text_at(row, "domain")), chain_of(row));
        assert_hash(separator, text_at(row, "domainSeparator"));
        payload = payload_hash(type_of(text_at(row, "json")), slice_of(text_at(row, "body")));
        assert_hash(payload, text_at(row, "payloadHash"));
        assert_hash(keccak256(text_at(row, "json"), strlen(text_at(row, "json"))), text_at(row, "payloadHash"));
        assert_hash(action_struct_hash(&payload, number_at(row, "nonce")), text_at(row, "structHash"));
        digest = action_digest(&separator, &payload, number_at(row, "nonce"));
        assert_hash(digest, text_at(row, "digest"));
        assert_true(signature_read(slice_of(text_at(row, "xApiSign")), &signature));
        assert_int_equal(signature.type, strstr(text_at(row, "label"), "(0x02)") != NULL ? 2 : 1);
        check_spellings(digest, text_at(row, "xApiSign"));
        checked += 1;
    }
    assert_int_equal(checked, 23);
}

/* Of texts that end at all places of a block, in groups of all sizes: the same as one by one. */
static void many_actions_at_once_have_the_hashes_of_each(void **state)
{
    static char        bytes[ACTION_TEXTS * 23];
    struct hash256     separators[2] = { domain_separator(DOMAIN_SPOT, 77), domain_separator(DOMAIN_FUTURES, 5) };
    struct action_text texts[ACTION_TEXTS];
    struct hash256     payloads[ACTION_TEXTS], digests[ACTION_TEXTS];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7 + i / 256);
    for (uint32_t count = 0; count <= ACTION_TEXTS; count++) {
        for (uint32_t i = 0; i < count; i++)
            texts[i] = (struct action_text){ slice_make(bytes + i, (i * 23 + count) % (sizeof(bytes) - i)),
                                             &separators[i % 2], UINT64_MAX / (i + 1) };
        action_digests(count, texts, payloads, digests);
        for (uint32_t i = 0; i < count; i++) {
            struct hash256 payload = keccak256(texts[i].text.at, texts[i].text.len);
            struct hash256 digest = action_digest(texts[i].separator, &payload, texts[i].nonce);

            assert_memory_equal(&payloads[i], &payload, sizeof(payload));
            assert_memory_equal(&digests[i], &digest, sizeof(digest));
        }
    }
}

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

static void a_wrong_domain_or_a_normalised_body_recovers_a_stranger(void **state)
{
    const json_t    *v3 = vector_named("V3"), *v20 = vector_named("V20"), *v20n = vector_named("V20n");
    struct signature signature;
    struct hash256   futures = domain_separator(DOMAIN_FUTURES, 286623), payload, digest;

    (void)state;
    assert_true(signature_read(slice_of(text_at(v3, "xApiSign")), &signature));
    payload = hash_of_hex(text_at(v3, "payloadHash"));
    digest = action_digest(&futures, &payload, number_at(v3, "nonce"));
    assert_signer(digest, &signature, "0xeeBC37B439E473F934A57DBEaB005E0C16E242db");

    assert_true(signature_read(slice_of(text_at(v20, "xApiSign")), &signature));
    assert_signer(hash_of_hex(text_at(v20n, "digest")), &signature, "0x722c0c1fB3b4B3155D8E38B6796Dbe18316468a6");
    assert_signer(hash_of_hex(text_at(v20, "digest")), &signature, owner_hex);
}

/* --- the published constants of wire 3.1, and the goldens of another implementation --------- */

static void separators_are_the_published_ones(void **state)
{
    (void)state;
    assert_hash(domain_separator(DOMAIN_SPOT, 286623),
                "0x7f4b08bc6b5452f0df86b3a598318de19ca8de243d51b12d09eec6d8086ec7cf");
    assert_hash(domain_separator(DOMAIN_FUTURES, 286623),
                "0x75e8c1550edccc0e19a57a67db1a3ed3fd35f9e6943cc6f2fbe03fdaf42bfd5a");
    assert_hash(domain_separator(DOMAIN_UNIVERSAL, 286623),
                "0x543540db884635dcc8bfe9b610891746fa1b3fd8daa203e6421de3cf264d91cf");
    assert_hash(domain_separator(DOMAIN_SPOT, 138565),
                "0x46e5cb94aed2e3d92346e976fb03a3391c1dd9228c1bb22069c60e40f35e1411");
}

/* Four signatures that the tests of another implementation publish (wire 3.8). */
static void signing_reproduces_the_published_signatures(void **state)
{
    json_t *goldens = load_json("wire_golden.json"), *row;
    uint8_t secret[32];
    size_t  index;

    (void)state;
    assert_true(hex_read(slice_of(secret_hex), secret, 32));
    assert_int_equal(json_array_size(goldens), 4);
    json_array_foreach(goldens, index, row) {
        struct hash256   separator = domain_separator(domain_named(text_at(row, "domain")), chain_of(row));
        struct hash256   payload = payload_hash(type_of(text_at(row, "json")), slice_of(text_at(row, "body")));
        struct hash256   digest = action_digest(&separator, &payload, number_at(row, "nonce"));
        struct signature signature;
        char             text[SIGNATURE_TEXT + 1] = { 0 };

        assert_hash(digest, text_at(row, "digest"));
        assert_true(sign_digest(&digest, secret, 1, &signature));
        signature_write(&signature, text);
        assert_string_equal(text, text_at(row, "xApiSign"));
    }
    json_decref(goldens);
}

static void what_is_signed_here_is_recovered_here(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        struct hash256   secret = keccak256(&round, sizeof(round)), digest = keccak256(secret.bytes, 32);
        struct address   owner, signer;
        struct signature signature, again;
        char             text[SIGNATURE_TEXT];

        assert_true(address_of_secret(secret.bytes, &owner));
        assert_true(sign_digest(&digest, secret.bytes, (uint8_t)(1 + round % 2), &signature));
        signature_write(&signature, text);
        assert_true(signature_read(slice_make(text, sizeof(text)), &again));
        assert_memory_equal(&signature, &again, sizeof(signature));
        assert_true(recover_signer(&digest, &again, &signer));
        assert_memory_equal(signer.bytes, owner.bytes, 20);
        digest.bytes[round % 32] ^= 1;
        if (recover_signer(&digest, &again, &signer)) assert_memory_not_equal(signer.bytes, owner.bytes, 20);
    }
}

static void a_secret_outside_the_order_signs_nothing(void **state)
{
    uint8_t          zero[32] = { 0 }, order[32];
    struct address   address;
    struct signature signature;
    struct hash256   digest = { 0 };

    (void)state;
    assert_true(hex_read(SLICE("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"), order, 32));
    assert_false(address_of_secret(zero, &address));
    assert_false(address_of_secret(order, &address));
    assert_false(sign_digest(&digest, zero, 1, &signature));
    assert_false(sign_digest(&digest, order, 1, &signature));
    order[31] -= 1;
    assert_true(address_of_secret(order, &address));
}

/* --- the form of a signature (ruling 6, goal 21) --------------------------------------- */

#define ZERO  "0000000000000000000000000000000000000000000000000000000000000000"
#define ONE   "0000000000000000000000000000000000000000000000000000000000000001"
#define N_1   "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140"
#define N     "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
#define N1    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142"
#define ALL   "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define HALF  "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
#define HALF1 "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1"

/* clang-format off */
static const struct { const char *why, *text; bool fine; } forms[] = {
    { "smallest r and s",               "0x01" ONE ONE "00", true },
    { "largest r and s",                "0x01" N_1 HALF "01", true },
    { "without 0x",                     "01" ONE ONE "00", true },
    { "wallet-level type byte",         "0x02" ONE ONE "00", true },
    { "v 27",                           "0x01" ONE ONE "1b", true },
    { "v 28, upper case",               "0x01" ONE ONE "1C", true },
    { "type byte 00",                   "0x00" ONE ONE "00", false },
    { "type byte 03",                   "0x03" ONE ONE "00", false },
    { "r is zero",                      "0x01" ZERO ONE "00", false },
    { "r is n",                         "0x01" N ONE "00", false },
    { "r is n+1",                       "0x01" N1 ONE "00", false },
    { "r is 2^256-1",                   "0x01" ALL ONE "00", false },
    { "s is zero",                      "0x01" ONE ZERO "00", false },
    { "s is just above n/2",            "0x01" ONE HALF1 "00", false },
    { "s is n-1",                       "0x01" ONE N_1 "00", false },
    { "s is n",                         "0x01" ONE N "00", false },
    { "s is 2^256-1",                   "0x01" ONE ALL "00", false },
    { "v 2",                            "0x01" ONE ONE "02", false },
    { "v 3",                            "0x01" ONE ONE "03", false },
    { "v 26",                           "0x01" ONE ONE "1a", false },
    { "v 29",                           "0x01" ONE ONE "1d", false },
    { "v 35",                           "0x01" ONE ONE "23", false },
    { "v 255",                          "0x01" ONE ONE "ff", false },
    { "65 bytes, no type byte",         "0x" ONE ONE "00", false },
    { "64 bytes, compact",              "0x" ONE ONE, false },
    { "67 bytes",                       "0x01" ONE ONE "0000", false },
    { "odd number of digits",           "0x01" ONE ONE "0", false },
    { "0X",                             "0X01" ONE ONE "00", false },
    { "no hex",                         "0x01" ONE ONE "0g", false },
    { "blank in front",                 " 0x01" ONE ONE "00", false },
    { "blank behind",                   "0x01" ONE ONE "00 ", false },
    { "nothing",                        "", false },
    { "0x alone",                       "0x", false },
};
/* clang-format on */

static void only_the_documented_form_is_read(void **state)
{
    struct signature signature;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++)
        if (signature_read(slice_of(forms[i].text), &signature) != forms[i].fine) fail_msg("%s", forms[i].why);
}

/* More keys than the cache has rows, in turns: a row that is reused is not taken for its previous key. */
static void many_signers_are_told_apart(void **state)
{
    enum { KEYS = 1500 };
    static struct signature signatures[KEYS];
    static struct address   owners[KEYS];
    struct hash256          digest = keccak256("the same for all", 16);

    (void)state;
    for (uint32_t i = 0; i < KEYS; i++) {
        struct hash256 secret = keccak256(&i, sizeof(i));
        assert_true(sign_digest(&digest, secret.bytes, 1, &signatures[i]));
        assert_true(address_of_secret(secret.bytes, &owners[i]));
    }
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < KEYS; i++) {
            struct address signer;
            assert_true(recover_signer(&digest, &signatures[i], &signer));
            assert_true(address_equal(&signer, &owners[i]));
            if (i % 2 == 0) continue; /* and at once again, when it is remembered */
            assert_true(recover_signer(&digest, &signatures[i], &signer));
            assert_true(address_equal(&signer, &owners[i]));
        }
    }
}

/* n - s, the twin that the library's recovery would accept. */
static void negate(uint8_t s[32])
{
    uint8_t order[32];
    int     borrow = 0;

    assert_true(hex_read(SLICE(N), order, 32));
    for (int i = 31; i >= 0; i--) {
        int digit = order[i] - s[i] - borrow;
        borrow = digit < 0;
        s[i] = (uint8_t)(digit + 256 * borrow);
    }
}

static void the_high_twin_of_a_good_signature_is_refused(void **state)
{
    struct signature signature;
    char             text[SIGNATURE_TEXT];

    (void)state;
    assert_true(signature_read(slice_of(v1_signature), &signature));
    assert_signer(hash_of_hex(v1_digest), &signature, owner_hex);
    negate(signature.s);
    signature.v ^= 1;
    assert_signer(hash_of_hex(v1_digest), &signature, owner_hex); /* why it must be refused earlier */
    signature_write(&signature, text);
    assert_false(signature_read(slice_make(text, sizeof(text)), &signature));
}

static void a_flipped_bit_anywhere_is_another_signer_or_none(void **state)
{
    struct address owner = address_of_hex(owner_hex), signer;
    struct hash256 digest = hash_of_hex(v1_digest);
    uint8_t        bytes[SIGNATURE_BYTES];

    (void)state;
    assert_true(hex_read(slice_of(v1_signature), bytes, sizeof(bytes)));
    for (size_t bit = 8; bit < 8 * sizeof(bytes); bit++) {
        struct signature signature;
        char             text[2 * SIGNATURE_BYTES];
        struct out       out = out_make(text, sizeof(text));

        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        out_hex(&out, bytes, sizeof(bytes));
        if (signature_read(out_slice(&out), &signature) && recover_signer(&digest, &signature, &signer))
            assert_memory_not_equal(signer.bytes, owner.bytes, 20);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* Inputs that signature_read refuses, passed by a caller that does not use it. */
static void what_is_no_signature_recovers_nobody(void **state)
{
    const struct hash256 digest = keccak256("x", 1);
    /* clang-format off */
    const struct signature none[] = {
        { .type = 1, .v = 2, .r = { [31] = 1 }, .s = { [31] = 1 } },
        { .type = 1, .v = 0, .r = { [31] = 0 }, .s = { [31] = 1 } },
        { .type = 1, .v = 0, .r = { [31] = 1 }, .s = { [31] = 0 } },
        { .type = 1, .v = 1, .r = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
          255 }, .s = { [31] = 1 } },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(none); i++) {
        struct address signer = { { 7 } };

        assert_false(recover_signer(&digest, &none[i], &signer));
        assert_int_equal(signer.bytes[0], 7);
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

static void it_may_be_initialised_again(void **state)
{
    (void)state;
    assert_true(crypto_init());
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
static void a_command_of_the_house_is_signed_as_others_sign_it(void **state)
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
        cmocka_unit_test(every_action_vector_gives_its_hashes_and_its_signer),
        cmocka_unit_test(many_actions_at_once_have_the_hashes_of_each),
        cmocka_unit_test(every_wallet_level_vector_gives_its_digest_and_its_signer),
        cmocka_unit_test(any_member_of_a_grant_changes_its_digest),
        cmocka_unit_test(a_wrong_domain_or_a_normalised_body_recovers_a_stranger),
        cmocka_unit_test(separators_are_the_published_ones),
        cmocka_unit_test(signing_reproduces_the_published_signatures),
        cmocka_unit_test(what_is_signed_here_is_recovered_here),
        cmocka_unit_test(many_signers_are_told_apart),
        cmocka_unit_test(a_secret_outside_the_order_signs_nothing),
        cmocka_unit_test(only_the_documented_form_is_read),
        cmocka_unit_test(the_high_twin_of_a_good_signature_is_refused),
        cmocka_unit_test(a_flipped_bit_anywhere_is_another_signer_or_none),
        cmocka_unit_test(prices_of_feeders_are_signed_as_others_sign_them),
        cmocka_unit_test(a_command_of_the_house_is_signed_as_others_sign_it),
        cmocka_unit_test(what_is_no_signature_recovers_nobody),
        cmocka_unit_test(the_spelling_of_a_grant_is_found),
        cmocka_unit_test(it_may_be_initialised_again),
    };
    return cmocka_run_group_tests_name("crypto", tests, set_up, NULL);
}
