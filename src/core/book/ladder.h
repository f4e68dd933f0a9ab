/* SPDX-License-Identifier: MIT */
/*
 * ladder.h — the levels of one side of a book: found by price, and in the order of prices. Only book.c and prefetch.c
 * use it.
 *
 * Levels are in pages of PAGE_PRICES prices (page.h). A table of hints says where a page was last found, and a radix
 * tree over the pages' numbers, four bits a step, where it really is: a rung has 16 children, one per next digit; a
 * child is a rung with smaller digits or a page. A rung with one child is left out, so there are never more rungs than
 * pages nor more pages than levels, prices may be anywhere, and a path is at most twelve rungs. The tree is walked
 * where the hint is wrong, and changed with the first and the last level of a page only.
 *
 * Pages also link their neighbours, so the best price is one load and the next one a bit of a page or another load.
 */
#ifndef CORE_BOOK_LADDER_H
#define CORE_BOOK_LADDER_H

#include "core/book/page.h"

/* The page of this price, or 0. */
uint32_t ladder_page(struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* The level with this price, or 0. */
static inline uint32_t ladder_find(struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    return page_level(e, page_at(e, ladder_page(e, market, side, price)), page_digit(price));
}

/* Where a page was last found that has the hint of this price's one: it may be another one. For prefetching. */
static inline uint32_t *ladder_hint_of(const struct engine *e, uint8_t number, uint8_t side, int64_t price)
{
    uint64_t place = (uint64_t)page_number(price) + number * UINT64_C(977);

    return (uint32_t *)(uintptr_t)&e->page_hint[side_index(side)][place % PAGE_HINTS];
}
static inline uint32_t *ladder_hint(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    return ladder_hint_of(e, market->number, side, price);
}

/* The page for one more level at a price, `page` being ladder_page of it: made where there is none, widened when full.
 */
uint32_t ladder_make_room(struct engine *e, struct market *market, uint8_t side, int64_t price, uint32_t page);

/* Links a level whose price is set and not linked yet, into the page that has room. Updates `best` of the side. */
void ladder_insert(struct engine *e, struct market *market, uint8_t side, uint32_t page, uint32_t ix);

/* Unlinks a level by its page and price; its record is not read. */
void ladder_remove(struct engine *e, struct market *market, uint8_t side, uint32_t ix, uint32_t page, int64_t price);

/* What of the pools a side uses. */
struct ladder_use {
    uint32_t rungs, pages, wide;
};

/* Asserts shape, prices, pages and neighbours; adds to `use`. */
void ladder_verify(const struct engine *e, const struct market *market, uint8_t side, struct ladder_use *use);

#endif
