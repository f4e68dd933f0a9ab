/* SPDX-License-Identifier: MIT */
/*
 * keccak_rounds.h — the 24 rounds of the permutation, over lanes of type LANE: 64 bits, or a vector of them, when many
 * states are permuted at once. Included once by each file that makes a permutation of it.
 */
#ifndef BASE_KECCAK_ROUNDS_H
#define BASE_KECCAK_ROUNDS_H

static const uint64_t round_constant[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

#define ROTATE(x, n) ((x) << (n) | (x) >> (-(n)&63))

/* rho's rotation of lane x + 5y. */
static const int turn[25] = {
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
};

/*
 * One round of FIPS 202 from `a` into `b`, row by row of the result, so that few lanes are in registers at a time: pi
 * brings lane (x + 3y, x) of theta's result to (x, y). `column` holds the column parities of `a` on entry and those of
 * `b` on return, where the next round starts.
 */
static inline __attribute__((always_inline)) void keccak_round(const LANE a[25], LANE b[25], LANE column[5],
                                                               uint64_t constant)
{
    LANE theta[5], next[5] = { 0 };

#pragma GCC unroll 5
    for (int x = 0; x < 5; x++) theta[x] = column[(x + 4) % 5] ^ ROTATE(column[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (int y = 0; y < 5; y++) {
        LANE row[5];
#pragma GCC unroll 5
        for (int x = 0; x < 5; x++) {
            int from = (x + 3 * y) % 5 + 5 * x;
            row[x] = ROTATE(a[from] ^ theta[from % 5], turn[from]);
        }
#pragma GCC unroll 5
        for (int x = 0; x < 5; x++) {
            LANE lane = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
            if (x == 0 && y == 0) lane ^= constant;
            b[x + 5 * y] = lane;
            next[x] ^= lane;
        }
    }
#pragma GCC unroll 5
    for (int x = 0; x < 5; x++) column[x] = next[x];
}

static inline __attribute__((always_inline)) void all_rounds(LANE lane[25])
{
    LANE other[25], column[5];

    for (int x = 0; x < 5; x++) column[x] = lane[x] ^ lane[x + 5] ^ lane[x + 10] ^ lane[x + 15] ^ lane[x + 20];
    for (int round = 0; round < 24; round += 2) {
        keccak_round(lane, other, column, round_constant[round]);
        keccak_round(other, lane, column, round_constant[round + 1]);
    }
}

#endif
