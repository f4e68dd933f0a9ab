/* SPDX-License-Identifier: MIT */
/* crypto_test.c — the hashes of signed actions, signing and recovery: the vectors of wire 3.8; what is no signature. */
#include "base/out.h"
#include "rigs/crypto/vectors.h"

/* The well-known key of wire 3.8. */
static const char secret_hex[] = "0123456789012345678901234567890123456789012345678901234567890123";

static const char v1_signature[] =
    "01c34fa7bf19083da6c477e3327da115814aa5973cbdd175f8917df22aa4cd08d6785c53b4fad878d9f0a1fea2a190e704252"
    "3c0f2f3a543cede9a45260936aefd00";
static const char v1_digest[] = "b416e31122b0ba50f8d4e31d98dd5ef9e32bef104f14808ad4c4b904372412cb";

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

static void it_may_be_initialised_again(void **state)
{
    (void)state;
    assert_true(crypto_init());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_vector_gives_its_hashes_and_its_signer),
        cmocka_unit_test(many_actions_at_once_have_the_hashes_of_each),
        cmocka_unit_test(a_wrong_domain_or_a_normalised_body_recovers_a_stranger),
        cmocka_unit_test(separators_are_the_published_ones),
        cmocka_unit_test(signing_reproduces_the_published_signatures),
        cmocka_unit_test(what_is_signed_here_is_recovered_here),
        cmocka_unit_test(many_signers_are_told_apart),
        cmocka_unit_test(a_secret_outside_the_order_signs_nothing),
        cmocka_unit_test(only_the_documented_form_is_read),
        cmocka_unit_test(the_high_twin_of_a_good_signature_is_refused),
        cmocka_unit_test(a_flipped_bit_anywhere_is_another_signer_or_none),
        cmocka_unit_test(what_is_no_signature_recovers_nobody),
        cmocka_unit_test(it_may_be_initialised_again),
    };
    return cmocka_run_group_tests_name("crypto", tests, set_up, NULL);
}
