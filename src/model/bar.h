/* SPDX-License-Identifier: MIT */
/* bar.h — the trades of one interval (interval.h), or of another span of time, as one row: a candle. */
#ifndef MODEL_BAR_H
#define MODEL_BAR_H

#include "base/base.h"

/*
 * Prices and quantities in units of the symbol, value in units of its quote coin; sums are exact. A bar without trades
 * is none: gaps are the reader's to fill.
 */
struct bar {
    int64_t   start_ms;
    int64_t   open, high, low, close;
    int64_t   last_quantity; /* of its last trade */
    uint128_t volume, value;
    uint64_t  trades;
    uint64_t  seq; /* the last command that is in it */
};
static_assert(sizeof(struct bar) == 96, "reaches disk");

/* Adds `more`, whose trades are later, to a bar. */
static inline void bar_merge(struct bar *into, const struct bar *more)
{
    assert(into->trades != 0 && more->trades != 0 && into->seq <= more->seq);
    into->high = max_i64(into->high, more->high);
    into->low = min_i64(into->low, more->low);
    into->close = more->close;
    into->last_quantity = more->last_quantity;
    into->volume += more->volume;
    into->value += more->value;
    into->trades += more->trades;
    into->seq = more->seq;
}

#endif
