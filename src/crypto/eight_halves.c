/* SPDX-License-Identifier: MIT */
/*
 * eight_halves.c — eight states as two times four, for processors whose registers have four lanes (AVX2). A state of
 * four lanes is 25 registers of the 16 there are; one of eight, which the compiler would make of pairs, is 50.
 */
#include "crypto/eight_halves.h"

#if defined(__x86_64__)
typedef uint64_t four __attribute__((vector_size(32)));
#define LANE four
#include "base/keccak_rounds.h"

#define HALF (HALVES_LANES / 2)

static uint64_t word_at(const uint8_t *block, uint32_t word)
{
    uint64_t value;

    memcpy(&value, block + (size_t)8 * word, 8);
    return value;
}

__attribute__((target("avx2"))) static void
absorb_half(uint64_t words[25][HALVES_LANES], const uint8_t *const blocks[HALVES_LANES], uint8_t fresh, uint32_t first)
{
    const uint8_t *const *block = blocks + first;
    four                  state[25], kept;

    for (uint32_t lane = 0; lane < HALF; lane++) kept[lane] = (uint64_t)(fresh >> (first + lane) & 1) - 1;
    for (uint32_t word = 0; word < 25; word++) {
        memcpy(&state[word], &words[word][first], sizeof(four));
        state[word] &= kept;
    }
    for (uint32_t word = 0; word < HALVES_WORDS; word++)
        state[word] ^= (four){ word_at(block[0], word), word_at(block[1], word), word_at(block[2], word),
                               word_at(block[3], word) };
    all_rounds(state);
    for (uint32_t word = 0; word < 25; word++) memcpy(&words[word][first], &state[word], sizeof(four));
}

bool eight_has_halves(void) { return __builtin_cpu_supports("avx2"); }

void eight_absorb_halves(uint64_t words[25][HALVES_LANES], const uint8_t *const blocks[HALVES_LANES], uint8_t fresh)
{
    absorb_half(words, blocks, fresh, 0);
    absorb_half(words, blocks, fresh, HALF);
}
#else
bool eight_has_halves(void) { return false; }

void eight_absorb_halves(uint64_t words[25][HALVES_LANES], const uint8_t *const blocks[HALVES_LANES], uint8_t fresh)
{
    (void)words, (void)blocks, (void)fresh;
    assert(false);
}
#endif
