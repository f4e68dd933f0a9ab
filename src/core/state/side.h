/* SPDX-License-Identifier: MIT */
/* side.h — the differences between a buy and a sell. */
#ifndef CORE_STATE_SIDE_H
#define CORE_STATE_SIDE_H

#include "model/enums.h"

static inline uint8_t side_other(uint8_t side) { return (uint8_t)(SIDE_BUY + SIDE_SELL - side); }

/*
 * 1 for a buy, -1 for a sell. A computation with it has no branch: a processor mispredicts every other time whether an
 * order buys or sells.
 */
static inline int64_t side_sign(uint8_t side) { return 3 - 2 * (int64_t)side; }
static_assert(SIDE_BUY == 1 && SIDE_SELL == 2, "3 - 2 * side");

/* The first for a buy, the second for a sell, without a branch. */
static inline int64_t side_if_buys(uint8_t side, int64_t buys, int64_t sells)
{
    return sells + ((buys - sells) & -(int64_t)(side & 1));
}

/* Exchanges the two when `side` sells, without a branch. */
static inline void side_exchange(uint8_t side, int64_t *a, int64_t *b)
{
    int64_t change = (*a ^ *b) & -(int64_t)(side >> 1);

    *a ^= change;
    *b ^= change;
}

/* The place of a side in an array of two. */
static inline unsigned side_index(uint8_t side) { return side - SIDE_BUY; }

/* Whether price a is in front of price b on its side of the book: bids from above, asks from below. */
static inline bool side_better(uint8_t side, int64_t a, int64_t b) { return side == SIDE_BUY ? a > b : a < b; }

/*
 * Prices xor this compare as they stand for a buy, and the other way round for a sell, without a branch and within 64
 * bits.
 */
static inline int64_t side_flip(uint8_t side) { return -(int64_t)(side >> 1); }

/* Whether an order of `side` with this limit trades at `price`. */
static inline bool side_reaches(uint8_t side, int64_t limit, int64_t price)
{
    return (limit ^ side_flip(side)) >= (price ^ side_flip(side));
}

#endif
