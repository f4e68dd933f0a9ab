/* SPDX-License-Identifier: MIT */
/*
 * book.h — two sides of levels per market; a level is the orders that rest at one price, oldest first.
 *
 *      head ──▶ oldest ──▶ … ──▶ newest ◀── tail
 *
 * A side is a radix tree by price (ladder.h) whose levels also link their neighbours, so the best price is one load
 * and the next one another. A hint table stores where a price was last found.
 *
 * Invariants (book_verify, I6): best bid < best ask; no empty level; level and side quantity are the sums of their
 * orders' open quantities; ladder, neighbours and best agree.
 */
#ifndef CORE_BOOK_BOOK_H
#define CORE_BOOK_BOOK_H

#include "core/state/state.h"

/* The level of a price, or 0. */
uint32_t book_find(struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* The level where a price was last found, which may be stale; for prefetching. 0 = none. */
uint32_t book_guess(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/*
 * Prefetches the path to a price for which the hint is wrong; returns the rung reached, where ladder_prefetch
 * continues, or 0.
 */
uint32_t book_prefetch_way(const struct engine *e, const struct market *market, uint8_t side, int64_t price,
                           uint32_t guess);

/* The same for the order's own price, where there are too many to be near. The order is in a slot that is in use. */
void book_prefetch_way_out(const struct engine *e, const struct order *order);

/* Prefetches the memory touched by removing an order that is the last one of its level. */
void book_prefetch_end(const struct engine *e, const struct order *order);

/* Asks early for the order that a new one at this price would stand behind, where the price was found lately. */
void book_prefetch(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* Whether an order at this price could rest: a level is there or the
   pool has one, and the side's sum stays within bounds. */
bool book_has_room(struct engine *e, const struct market *market, uint8_t side, int64_t price, int64_t quantity);

/* Puts an open order behind all others of its price, making the level when it is the first. */
void book_push(struct engine *e, struct market *market, uint32_t order_ix);

/* Takes an order off its level; a level that loses its last order goes too. Returns what still rests at the price. */
int64_t book_remove(struct engine *e, struct market *market, uint32_t order_ix);

/* The order's open quantity is about to shrink by `quantity` and stays above 0; its place is kept. */
void book_shrink(struct engine *e, struct market *market, const struct order *order, int64_t quantity);

/* The next level behind this one, away from the other side; 0 at the end. */
static inline uint32_t book_behind(const struct level *level)
{
    return level->side == SIDE_BUY ? level->lower : level->higher;
}

/* Quantity at a price, 0 when there is no level. */
int64_t book_quantity(struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* Appends a LEVEL event: the resting quantity at a price, given by `quantity`; or at the price of a resting order. */
void book_emit(struct apply_context *ctx, struct market *market, uint8_t side, int64_t price, int64_t quantity);
void book_emit_level(struct apply_context *ctx, struct market *market, const struct order *order);

void book_verify(const struct engine *e);

#endif
