/* SPDX-License-Identifier: MIT */
/*
 * recover_test.c — many signers at once equal the signers one by one: every signature is also given to the library.
 * Each test runs with the lanes, where the processor has them, and without. RECOVER_ROUNDS=n makes the random one n
 * times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <secp256k1.h>

#include "base/hex.h"
#include "crypto/recover.h"

#define CASES 40000

static secp256k1_context *library;

/* The inputs, and those already used. */
static struct hash256   digests[CASES];
static struct signature signatures[CASES];
static uint32_t         count;

static int set_up(void **state)
{
    (void)state;
    library = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    return library != NULL && crypto_init() ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    secp256k1_context_destroy(library);
    return 0;
}

static int with_lanes(void **state)
{
    (void)state;
    count = 0;
    recover_use_lanes(true);
    assert_int_equal(recover_uses_lanes(), lanes_here()); /* where they can be used they are found good */
    if (!recover_uses_lanes()) printf("SKIP the lanes: this processor has no AVX-512 IFMA\n");
    return 0;
}

static int without_lanes(void **state)
{
    (void)state;
    count = 0;
    recover_use_lanes(false);
    assert_false(recover_uses_lanes());
    return 0;
}

static struct hash256 hash_of(const char *what, uint32_t number)
{
    char text[64];
    int  len = snprintf(text, sizeof(text), "%s %u", what, number);
    return keccak256(text, (size_t)len);
}

static void put(const struct hash256 *digest, const struct signature *signature)
{
    assert_true(count < CASES);
    digests[count] = *digest;
    signatures[count++] = *signature;
}

static void put_good(uint32_t number)
{
    struct hash256   secret = hash_of("secret", number % 1000), digest = hash_of("digest", number);
    struct signature signature;

    assert_true(sign_digest(&digest, secret.bytes, 1, &signature));
    put(&digest, &signature);
}

/* Everything that was put, in pieces of many sizes; how many have a signer. */
static uint32_t check_all(void)
{
    static struct address signers[CASES];
    static bool           recovered[CASES];
    uint32_t              found = 0;

    for (uint32_t first = 0, part = 1; first < count; first += part, part = part % 67 + 1) {
        part = min_u32(part, count - first);
        recover_signers(part, digests + first, signatures + first, signers + first, recovered + first);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct address signer;
        bool           wanted = recover_signer(&digests[i], &signatures[i], &signer);

        if (recovered[i] != wanted)
            fail_msg("number %u of %u: %d, but the library says %d", i, count, recovered[i], wanted);
        if (wanted) assert_memory_equal(&signers[i], &signer, sizeof(signer));
        found += wanted;
    }
    return found;
}

/* ---- signatures of wallets, and damaged ones ---- */

static void signatures_of_many_keys_have_their_signers(void **state)
{
    const char *text = getenv("RECOVER_ROUNDS");
    uint32_t    rounds = text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 1;

    (void)state;
    for (uint32_t round = 0; round < rounds; round++) {
        count = 0;
        for (uint32_t i = 0; i < 4000; i++) put_good(4000 * round + i);
        assert_int_equal(check_all(), count);
    }
}

/* One byte of one of the four parts is another: another signer, or none. */
static void damaged_signatures_among_good_ones_change_nothing_but_their_own_answer(void **state)
{
    uint32_t found;

    (void)state;
    for (uint32_t i = 0; i < 4000; i++) {
        struct hash256 random_state = hash_of("dice", i);
        uint8_t        place = random_state.bytes[1] % 32, flip = (uint8_t)(1 + random_state.bytes[2] % 255);

        put_good(i);
        switch (random_state.bytes[0] % 8) {
        case 0: signatures[i].r[place] ^= flip; break;
        case 1: signatures[i].s[place] ^= flip; break;
        case 2: digests[i].bytes[place] ^= flip; break;
        case 3: signatures[i].v ^= random_state.bytes[3] % 4 == 0 ? flip : 1; break;
        default: break;
        }
    }
    found = check_all();
    assert_in_range(found, 3300, 3900);
}

/* ---- numbers at the edges ---- */

/* In hex: nothing, one, and the neighbours of n, of half of n and of p. */
/* clang-format off */
static const char *const edges[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000001",
    "0000000000000000000000000000000000000000000000000000000000000002",
        "0000000000000000000000000000000000000000000000000000000000000003",
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd036413f",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140",
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142",
    "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
        "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc30",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    "5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72",
        "000000000000000000000000000000014551231950b75fc4402da1722fc9baee",
    "0000000000000000000000000000000100000000000000000000000000000000",
        "8000000000000000000000000000000000000000000000000000000000000000",
};
/* clang-format on */

static void numbers_at_the_edges_of_their_ranges_are_judged_as_the_library_does(void **state)
{
    static const uint8_t vs[] = { 0, 1, 2, 3, 27, 255 };
    uint8_t              number[ARRAY_COUNT(edges)][32];
    struct hash256       digest;
    struct signature     signature = { .type = 1 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(edges); i++) assert_true(hex_read(slice_of(edges[i]), number[i], 32));
    for (size_t r = 0; r < ARRAY_COUNT(edges); r++)
        for (size_t s = 0; s < ARRAY_COUNT(edges); s++)
            for (size_t z = 0; z < ARRAY_COUNT(edges); z++) {
                memcpy(signature.r, number[r], 32);
                memcpy(signature.s, number[s], 32);
                memcpy(digest.bytes, number[z], 32);
                signature.v =
                    (r * 7 + s * 3 + z) % 11 == 0 ? vs[(r + s + z) % ARRAY_COUNT(vs)] : (uint8_t)((r + s + z) % 2);
                put(&digest, &signature);
            }
    assert_in_range(check_all(), 1000, count - 1000);
}

/* ---- sums that the short formulas cannot do ---- */

static void write_number(uint8_t bytes[32], int64_t number)
{
    memset(bytes, 0, 32);
    for (int i = 0; i < 8; i++) bytes[31 - i] = (uint8_t)((uint64_t)llabs(number) >> 8 * i);
    if (number < 0) assert_int_equal(secp256k1_ec_seckey_negate(library, bytes), 1);
}

/* r and v of R = k G. */
static void point_of(int64_t k, struct signature *signature)
{
    uint8_t          secret[32], point[65];
    size_t           len = sizeof(point);
    secp256k1_pubkey key;

    write_number(secret, k);
    assert_int_equal(secp256k1_ec_pubkey_create(library, &key, secret), 1);
    secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
    memcpy(signature->r, point + 1, 32);
    signature->v = point[64] & 1;
}

/* z = times s k: then u G = -times w R. With times = 1 the key is
   infinity, with -1 it is the sum of two equal points. */
static void put_crafted(int64_t k, const uint8_t s[32], int64_t times)
{
    struct signature signature = { .type = 1 };
    struct hash256   digest;
    uint8_t          factor[32];

    point_of(k, &signature);
    memcpy(signature.s, s, 32);
    memcpy(digest.bytes, s, 32);
    write_number(factor, k);
    assert_int_equal(secp256k1_ec_seckey_tweak_mul(library, digest.bytes, factor), 1);
    write_number(factor, times);
    assert_int_equal(secp256k1_ec_seckey_tweak_mul(library, digest.bytes, factor), 1);
    put(&digest, &signature);
}

static void sums_of_equal_and_opposite_points_are_judged_by_the_library(void **state)
{
    uint32_t infinite = 0;

    (void)state;
    for (int64_t k = -40; k <= 40; k++) {
        for (uint32_t i = 0; i < 12; i++) {
            struct hash256 random = hash_of("s", i);
            uint8_t        s[32];

            if (k == 0) continue;
            write_number(s, i < 6 ? (int64_t)i + 1 : -(int64_t)i);
            for (int64_t times = -4; times <= 4; times++) {
                if (times == 0) continue;
                put_crafted(k, i < 8 ? s : random.bytes, times);
                infinite += times == 1;
            }
        }
    }
    assert_int_equal(count - check_all(), infinite);
}

/* Small nonces and keys: the numbers in the tables. */
static void small_keys_and_nonces_have_their_signers(void **state)
{
    (void)state;
    for (int64_t nonce = -16; nonce <= 16; nonce++) {
        for (int64_t z = -40; z <= 40; z++) {
            struct signature signature = { .type = 1 };
            struct hash256   digest;

            if (nonce == 0) continue;
            point_of(nonce, &signature);
            memcpy(signature.s, signature.r, 32); /* w = 1 */
            if (z % 3 == 0) write_number(signature.s, nonce);
            write_number(digest.bytes, z != 0 ? z : 1);
            if (z == 0) memset(digest.bytes, 0, 32);
            if (z % 2 == 0 && z != 0)
                assert_int_equal(secp256k1_ec_seckey_tweak_mul(library, digest.bytes, signature.r), 1); /* u = -z */
            put(&digest, &signature);
        }
    }
    (void)check_all();
}

/* ---- lanes or library ---- */

static void all_lanes_may_ask_the_same_and_none_may_be_good(void **state)
{
    (void)state;
    put_good(1);
    for (int i = 0; i < 100; i++) put(&digests[0], &signatures[0]);
    assert_int_equal(check_all(), 101);
    count = 0;
    for (uint32_t i = 0; i < 100; i++) {
        put_good(i);
        if (i % 3 == 0) memset(signatures[i].r, 0, 32);
        if (i % 3 == 1) memset(signatures[i].s, 0xff, 32);
        if (i % 3 == 2) signatures[i].v = 2;
    }
    assert_int_equal(check_all(), 0);
    recover_signers(0, digests, signatures, NULL, NULL);
}

/* A table with one wrong point gives wrong results, which the eight known ones show; then the library is used alone. */
static void lanes_that_give_wrong_answers_are_not_used(void **state)
{
    static const uint8_t one[32] = { [31] = 1 }, two[32] = { [31] = 2 };
    struct lanes_key     bases[BASE_DIGITS];

    (void)state;
    for (int wrong = 0; wrong < BASE_DIGITS; wrong += 5) {
        for (int i = 0; i < BASE_DIGITS; i++) {
            secp256k1_pubkey key;
            uint8_t          secret[32], point[65];
            size_t           len = sizeof(point);

            memset(secret, 0, 32);
            secret[31 - i] = 1;
            if (i == wrong) assert_int_equal(secp256k1_ec_seckey_tweak_add(library, secret, i == 0 ? two : one), 1);
            assert_int_equal(secp256k1_ec_pubkey_create(library, &key, secret), 1);
            secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
            memcpy(bases[i].bytes, point + 1, 64);
        }
        recover_begin(bases);
        assert_false(recover_uses_lanes());
        recover_use_lanes(true);
        assert_false(recover_uses_lanes());
    }
    for (uint32_t i = 0; i < 20; i++) put_good(i);
    assert_int_equal(check_all(), count);
    assert_true(crypto_init());
    assert_int_equal(recover_uses_lanes(), lanes_here());
}

#define BOTH(test)                                                                                                     \
    { #test " with lanes", test, with_lanes, NULL, NULL }, { #test " one by one", test, without_lanes, NULL, NULL }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(signatures_of_many_keys_have_their_signers, with_lanes),
        cmocka_unit_test_setup(damaged_signatures_among_good_ones_change_nothing_but_their_own_answer, with_lanes),
        cmocka_unit_test_setup(numbers_at_the_edges_of_their_ranges_are_judged_as_the_library_does, with_lanes),
        BOTH(sums_of_equal_and_opposite_points_are_judged_by_the_library),
        BOTH(small_keys_and_nonces_have_their_signers),
        BOTH(all_lanes_may_ask_the_same_and_none_may_be_good),
        cmocka_unit_test_setup(lanes_that_give_wrong_answers_are_not_used, with_lanes),
    };
    return cmocka_run_group_tests_name("recover", tests, set_up, tear_down);
}
