/* SPDX-License-Identifier: MIT */
/*
 * lanes.h — u G + v R for eight points R at once, in the eight 64-bit lanes of AVX-512 (recover.h explains the use).
 * Only crypto/ includes it.
 */
#ifndef CRYPTO_LANES_H
#define CRYPTO_LANES_H

#include "base/slice.h"

#define LANES        8
#define LANES_GROUPS 4 /* questions that share their powers modulo p */
#define BASE_BITS    8 /* of a digit of u: 32 of them, each with its table of 128 points */
#define BASE_DIGITS  (256 / BASE_BITS)
#define HALF_BITS    4 /* of a digit of a half of v, see scalar_split */
#define HALF_DIGITS  (128 / HALF_BITS + 1)

/*
 * The input. Digits are between 1 - 2^(bits-1) and 2^(bits-1), least significant first: u = Σ digit 2^(8 i), and v in
 * two halves, v = Σ half[0][i] 2^(4 i) + λ Σ half[1][i] 2^(4 i). R is the point with this x and an odd or even y.
 */
struct lanes_question {
    _Alignas(64) uint64_t x[4][LANES]; /* least significant word first; below p */
    uint8_t odd;                       /* a bit per lane */
    int16_t base[BASE_DIGITS][LANES];
    int16_t half[2][HALF_DIGITS][LANES];
};

/* x and y of a point, 32 bytes each, big endian. */
struct lanes_key {
    uint8_t bytes[64];
};

/* Whether the processor has the instructions. */
bool lanes_here(void) MUST_USE;

/* Builds the table from the points 2^(8 i) G. False: the processor cannot run the lanes, and lanes_answers may not be
 * called. */
bool lanes_begin(const struct lanes_key bases[BASE_DIGITS]) MUST_USE;

/*
 * Of 1 to LANES_GROUPS questions the confirmed lanes, a bit each, and their points. Never confirmed, for any digits: an
 * x that no point has; a sum that added two equal or opposite points, or that has no nonzero digit on either side; a
 * point that is not on the curve.
 */
void lanes_answers(const struct lanes_question questions[], uint32_t count, struct lanes_key keys[][LANES],
                   uint8_t sure[]);

#endif
