/* SPDX-License-Identifier: MIT */
/*
 * ladder.h — the levels of one side of a book in the order of their prices. Only book.c and prefetch.c use it.
 *
 * A radix tree over the price, four bits a step: a rung has 16 children, one per next digit; a child is a rung with
 * smaller digits or a level. A rung with one child is left out, so there are never more rungs than levels, prices may
 * be anywhere, and the shape follows from the set of prices alone. A book of a thousand dense prices is three rungs
 * deep, one of forty thousand over a million ticks four to five.
 *
 * Levels also link their neighbours, so the best price is one load and the next one another.
 */
#ifndef CORE_BOOK_LADDER_H
#define CORE_BOOK_LADDER_H

#include "core/state/state.h"

/* The level with this price, or 0. */
uint32_t ladder_find(const struct engine *e, const struct book_side *side, int64_t price);

/* Walks at most `steps` rungs from `ref` towards a price, prefetches the next one and returns it. */
uint32_t ladder_prefetch(const struct engine *e, uint32_t ref, int64_t price, uint32_t steps);

/* Links a level whose price is set and not linked yet. Updates `best` of the side. */
void ladder_insert(struct engine *e, struct book_side *side, uint32_t ix);

/* Unlinks a level. */
void ladder_remove(struct engine *e, struct book_side *side, uint32_t ix);

/* Asserts shape, prices and neighbours; returns how many rungs there are. */
uint32_t ladder_verify(const struct engine *e, const struct book_side *side, uint8_t side_of);

#endif
