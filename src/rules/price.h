/* SPDX-License-Identifier: MIT */
/*
 * price.h — the two computed prices: the index from the feeders' posts, and the mark from index, book and premium
 * (mechanics 3.8, 3.9; E14). One step per TICK, integers in price units.
 */
#ifndef RULES_PRICE_H
#define RULES_PRICE_H

#include "base/fixed.h"
#include "model/contract.h"

#define BASIS_SCALE   1000000 /* the average of mid - index is kept in 1e-6 price units */
#define LAST_FRESH_MS 60000   /* a last trade counts for the mark that long */

/* Weighted median; with two prices of equal weight on both sides
   their mean (floor). `posts` is sorted by price here. */
struct weighted_price {
    int64_t  price;
    uint32_t weight, reserved;
};
int64_t price_weighted_median(struct weighted_price *posts, uint32_t count);

/* The inputs of the mark at one TICK. 0 = none. */
struct mark_inputs {
    int64_t  index;              /* > 0 */
    int64_t  best_bid, best_ask; /* impact prices, averaged over the second */
    int64_t  last;               /* of the trades of the last 60 s */
    int64_t  mid;                /* averaged; 0 = out of best_bid and best_ask */
    int64_t  perp_mid;           /* weighted median of the feeders' perpMid */
    int64_t  funding_rate;       /* the hour's prediction, 1e-12 */
    int64_t  to_funding_ms;
    uint32_t average_ticks, reserved; /* time constant of the average of mid - index, from 1 */
};

/* The pieces of one step, for the reader of E14. */
struct mark_step {
    int64_t p1, p2, p3, raw, mark;
};

/* Moves *basis and returns the next mark; `mark` is the one before, 0 = there was none (no step cap then). */
struct mark_step price_mark(const struct contract *contract, const struct mark_inputs *in, int128_t *basis,
                            int64_t mark);

/* a * (1 +- ratio) with ratio in 1e-8: the distance is rounded down, as in E14. */
static inline int64_t price_below(int64_t price, int64_t ratio)
{
    return price - (int64_t)((int128_t)price * ratio / RATE_ONE);
}
static inline int64_t price_above(int64_t price, int64_t ratio)
{
    return price + (int64_t)((int128_t)price * ratio / RATE_ONE);
}
static inline int64_t price_clamp(int64_t price, int64_t low, int64_t high)
{
    return price < low ? low : price > high ? high : price;
}

#endif
