/* SPDX-License-Identifier: MIT */
/* random.h — random numbers of tests that are the same in every run. Their state is the caller's. Tests only. */
#ifndef RIGS_RANDOM_H
#define RIGS_RANDOM_H

#include <stdint.h>

/* 64 bits, never 0: a shift register (xorshift64). The state is not 0. */
static inline uint64_t random_xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 64 bits, the lower ones less random: a linear congruence (that of Knuth's MMIX). Any state will do. */
static inline uint64_t random_congruent(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state;
}

#endif
