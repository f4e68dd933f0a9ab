/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <nettle/sha3.h>

#include "base/hex.h"
#include "base/keccak.c" /* both permutations, regardless of the one that this machine selects */
#include "rigs/random.h"

#define RATE 136

/* The judge: nettle's permutation with Keccak's own padding. */
static struct hash256 judged(const uint8_t *bytes, size_t len)
{
    struct sha3_state state;
    struct hash256    hash;
    uint8_t           block[RATE], lanes[200];

    memset(&state, 0, sizeof(state));
    for (;; bytes += RATE, len -= RATE) {
        size_t part = len < RATE ? len : RATE;

        memset(block, 0, sizeof(block));
        memcpy(block, bytes, part);
        if (part < RATE) {
            block[part] ^= 0x01;
            block[RATE - 1] ^= 0x80;
        }
        for (size_t i = 0; i < RATE / 8; i++) {
            uint64_t word;
            memcpy(&word, block + 8 * i, 8);
            state.a[i] ^= word;
        }
        sha3_permute(&state);
        if (part < RATE) break;
    }
    memcpy(lanes, state.a, sizeof(lanes));
    memcpy(hash.bytes, lanes, 32);
    return hash;
}

static void fill(uint8_t *bytes, size_t len)
{
    uint64_t seed = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < len; i++) { bytes[i] = (uint8_t)(random_congruent(&seed) >> 56); }
}

static void known_answers_hold(void **state)
{
    static const struct {
        const char *text, *hash;
    } rows[] = {
        { "", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470" },
        { "1", "c89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc6" },
        { "spot", "5250ce5a718563ee83941f200422eced57283b917c6e7f1fc6d38d713c36e1b2" },
        { "futures", "ceb01bf2b983b94189e72bc16e5f7fa5649eb817dc1d6f3dcdfe17e6864934fb" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct hash256 hash = keccak256(rows[i].text, strlen(rows[i].text)), wanted;
        assert_true(hex_read(slice_of(rows[i].hash), wanted.bytes, 32));
        assert_true(hash256_equal(&hash, &wanted));
    }
}

static void every_length_is_hashed_as_nettle_does(void **state)
{
    static uint8_t bytes[1001];

    (void)state;
    fill(bytes, sizeof(bytes));
    for (size_t len = 0; len < sizeof(bytes); len++) {
        struct hash256 hash = keccak256(bytes, len), wanted = judged(bytes, len);
        assert_memory_equal(hash.bytes, wanted.bytes, 32);
    }
}

static void it_does_not_matter_in_which_pieces_bytes_come(void **state)
{
    static const size_t lengths[] = { 0, 1, 135, 136, 137, 271, 272, 273, 408, 1000 };
    static uint8_t      bytes[1000];

    (void)state;
    fill(bytes, sizeof(bytes));
    for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
        struct hash256 wanted = keccak256(bytes, lengths[i]);

        for (size_t split = 0; split <= lengths[i]; split++) {
            struct keccak  keccak;
            struct hash256 hash;

            keccak_init(&keccak);
            keccak_add(&keccak, bytes, split);
            keccak_add(&keccak, bytes + split, lengths[i] - split);
            hash = keccak_end(&keccak);
            assert_memory_equal(hash.bytes, wanted.bytes, 32);
        }
    }
}

static void any_step_of_feeding_gives_the_same(void **state)
{
    static uint8_t bytes[1000];
    struct hash256 wanted;

    (void)state;
    fill(bytes, sizeof(bytes));
    wanted = keccak256(bytes, sizeof(bytes));
    for (size_t step = 1; step <= 300; step++) {
        struct keccak  keccak;
        struct hash256 hash;

        keccak_init(&keccak);
        for (size_t at = 0; at < sizeof(bytes); at += step)
            keccak_add(&keccak, bytes + at, min_size(step, sizeof(bytes) - at));
        hash = keccak_end(&keccak);
        assert_memory_equal(hash.bytes, wanted.bytes, 32);
    }
}

static void bytes_need_no_alignment(void **state)
{
    static uint8_t bytes[600], moved[608];

    (void)state;
    fill(bytes, sizeof(bytes));
    for (size_t shift = 0; shift < 8; shift++) {
        struct hash256 hash, wanted = keccak256(bytes, sizeof(bytes));
        memcpy(moved + shift, bytes, sizeof(bytes));
        hash = keccak256(moved + shift, sizeof(bytes));
        assert_memory_equal(hash.bytes, wanted.bytes, 32);
    }
}

static void a_hash_of_hashes_a_thousand_deep_agrees(void **state)
{
    struct hash256 ours = { 0 }, theirs = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++) {
        ours = keccak256(ours.bytes, 32);
        theirs = judged(theirs.bytes, 32);
    }
    assert_true(hash256_equal(&ours, &theirs));
}

static void both_permutations_are_nettles(void **state)
{
    struct sha3_state judge;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint64_t plain[25];

        fill((uint8_t *)plain, sizeof(plain));
        plain[0] ^= (uint64_t)round;
        memcpy(judge.a, plain, sizeof(plain));
        sha3_permute(&judge);
#if defined(__x86_64__)
        uint64_t bmi[25];
        memcpy(bmi, plain, sizeof(bmi));
        if (has_bmi()) {
            permute_bmi(bmi);
            assert_memory_equal(bmi, judge.a, sizeof(bmi));
        }
#endif
        permute_plain(plain);
        assert_memory_equal(plain, judge.a, sizeof(plain));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_hold),
        cmocka_unit_test(every_length_is_hashed_as_nettle_does),
        cmocka_unit_test(it_does_not_matter_in_which_pieces_bytes_come),
        cmocka_unit_test(any_step_of_feeding_gives_the_same),
        cmocka_unit_test(bytes_need_no_alignment),
        cmocka_unit_test(both_permutations_are_nettles),
        cmocka_unit_test(a_hash_of_hashes_a_thousand_deep_agrees),
    };
    return cmocka_run_group_tests_name("keccak", tests, NULL, NULL);
}
