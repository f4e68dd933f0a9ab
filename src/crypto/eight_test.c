/* SPDX-License-Identifier: MIT */
#include "crypto/eight.h"
#include "crypto/eight_halves.h"
#include "rigs/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define JOBS   50
#define MOST   1500
#define ROUNDS 300

static uint64_t random_state = 20261121;

static uint64_t random_below(uint64_t sides) { return random_xorshift(&random_state) % sides; }

/* A text of `len` bytes, cut into parts at two places. */
static struct eight_job cut(const uint8_t *text, size_t len, size_t first, size_t second, struct hash256 *hash)
{
    return (struct eight_job){ { slice_make(text, first), slice_make(text + first, second - first),
                                 slice_make(text + second, len - second) },
                               hash };
}

static void check(const struct eight_job *jobs, const uint8_t *const texts[], const size_t lens[], uint32_t count)
{
    eight_hash_all(jobs, count);
    for (uint32_t i = 0; i < count; i++) {
        struct hash256 expected = keccak256(texts[i], lens[i]);
        assert_memory_equal(jobs[i].hash->bytes, expected.bytes, 32);
    }
}

static void every_length_alone_and_beside_others_has_its_digest(void **state)
{
    static uint8_t   text[MOST];
    struct hash256   hashes[2];
    struct eight_job jobs[2];

    (void)state;
    for (size_t i = 0; i < MOST; i++) text[i] = (uint8_t)random_below(256);
    for (size_t len = 0; len <= 3 * EIGHT_BLOCK_BYTES + 1; len++) {
        const uint8_t *texts[2] = { text, text };
        size_t         lens[2] = { len, MOST - len };

        jobs[0] = cut(text, len, len / 3, len / 2, &hashes[0]);
        jobs[1] = cut(text, MOST - len, 0, 0, &hashes[1]);
        check(jobs, texts, lens, 1);
        check(jobs, texts, lens, 2);
    }
}

static void a_cut_at_every_place_does_not_matter(void **state)
{
    static uint8_t text[2 * EIGHT_BLOCK_BYTES + 1];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) text[i] = (uint8_t)random_below(256);
    for (size_t len = EIGHT_BLOCK_BYTES - 1; len <= sizeof(text); len += EIGHT_BLOCK_BYTES / 2) {
        for (size_t first = 0; first <= len; first++) {
            struct hash256   hashes[3];
            struct eight_job jobs[3] = { cut(text, len, first, len, &hashes[0]),
                                         cut(text, len, first, first, &hashes[1]),
                                         cut(text, len, 0, first, &hashes[2]) };
            check(jobs, (const uint8_t *const[]){ text, text, text }, (const size_t[]){ len, len, len }, 3);
        }
    }
}

static void any_number_of_any_lengths_has_its_digests(void **state)
{
    static uint8_t   text[MOST + JOBS];
    struct eight_job jobs[JOBS];
    struct hash256   hashes[JOBS];
    const uint8_t   *texts[JOBS];
    size_t           lens[JOBS];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++) text[i] = (uint8_t)random_below(256);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t count = (uint32_t)random_below(JOBS + 1);

        for (uint32_t i = 0; i < count; i++) {
            size_t len = random_below(round % 2 == 0 ? MOST : 2 * EIGHT_BLOCK_BYTES), second = random_below(len + 1);
            texts[i] = text + i;
            lens[i] = len;
            jobs[i] = cut(texts[i], len, random_below(second + 1), second, &hashes[i]);
        }
        check(jobs, texts, lens, count);
    }
}

static void parts_that_are_nowhere_are_empty(void **state)
{
    struct hash256   hashes[3], expected = keccak256("", 0);
    struct eight_job jobs[3] = { { .hash = &hashes[0] },
                                 { .hash = &hashes[1] },
                                 { .parts = { SLICE("a"), { NULL, 0 }, SLICE("b") }, .hash = &hashes[2] } };

    (void)state;
    eight_hash_all(jobs, 3);
    assert_memory_equal(hashes[0].bytes, expected.bytes, 32);
    assert_memory_equal(hashes[1].bytes, expected.bytes, 32);
    expected = keccak256("ab", 2);
    assert_memory_equal(hashes[2].bytes, expected.bytes, 32);
}

/* Wider registers leave the halves unused; they are tested there too. */
static void halves_are_the_whole(void **state)
{
    struct eight   whole = { 0 }, halves = { 0 };
    const uint8_t *blocks[EIGHT];
    uint8_t        text[EIGHT][EIGHT_BLOCK_BYTES], fresh = UINT8_MAX;

    (void)state;
    if (!eight_has_halves()) skip();
    for (uint32_t round = 0; round < ROUNDS; round++, fresh = (uint8_t)random_below(256)) {
        for (uint32_t lane = 0; lane < EIGHT; lane++) {
            for (size_t i = 0; i < EIGHT_BLOCK_BYTES; i++) text[lane][i] = (uint8_t)random_below(256);
            text[lane][EIGHT_BLOCK_BYTES - 1] = 0x81; /* the padding of a block less one */
            blocks[(lane + round) % EIGHT] = text[lane];
        }
        eight_absorb(&whole, blocks, fresh);
        eight_absorb_halves(halves.word, blocks, fresh);
        assert_memory_equal(&halves, &whole, sizeof(whole));
        for (uint32_t lane = 0; lane < EIGHT; lane++) {
            struct hash256 expected = keccak256(blocks[lane], EIGHT_BLOCK_BYTES - 1), hash = eight_hash(&halves, lane);
            if ((fresh >> lane & 1) != 0) assert_memory_equal(hash.bytes, expected.bytes, 32);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_alone_and_beside_others_has_its_digest),
        cmocka_unit_test(a_cut_at_every_place_does_not_matter),
        cmocka_unit_test(any_number_of_any_lengths_has_its_digests),
        cmocka_unit_test(parts_that_are_nowhere_are_empty),
        cmocka_unit_test(halves_are_the_whole),
    };

    return cmocka_run_group_tests_name("crypto/eight", tests, NULL, NULL);
}
