/* SPDX-License-Identifier: MIT */
/* side.h — what differs between a buy and a sell, said once. */
#ifndef CORE_SIDE_H
#define CORE_SIDE_H

#include "model/enums.h"

static inline uint8_t side_other(uint8_t side) { return side == SIDE_BUY ? SIDE_SELL : SIDE_BUY; }

/* Whether price a is in front of price b on its side of the book: bids from above, asks from below. */
static inline bool side_better(uint8_t side, int64_t a, int64_t b) { return side == SIDE_BUY ? a > b : a < b; }

/* Whether an order of `side` with this limit trades at `price`. */
static inline bool side_reaches(uint8_t side, int64_t limit, int64_t price)
{
    return side == SIDE_BUY ? price <= limit : price >= limit;
}

#endif
