/* SPDX-License-Identifier: MIT */
/*
 * book.h — two sides of levels per market; a level is the orders that rest at one price, oldest first.
 *
 *      head ──▶ oldest ──▶ … ──▶ newest ◀── tail
 *
 * Levels are found by price in pages of neighbouring prices (ladder.h), whose bits say where the next one is.
 *
 * Invariants (book_verify, I6): best bid < best ask; no empty level; level and side quantity are the sums of their
 * orders' open quantities; ladder, pages and best agree.
 */
#ifndef CORE_BOOK_BOOK_H
#define CORE_BOOK_BOOK_H

#include "core/book/page.h"

/* The level of a price, or 0. */
uint32_t book_find(struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* Prefetches the page of a price in the market of a number: where it was found last, which it returns. */
uint32_t book_prefetch_page(const struct engine *e, uint8_t number, uint8_t side, int64_t price);

/* The level of a price, if its page is the one that book_prefetch_page found; else 0. The page is looked at. */
uint32_t book_guess(const struct engine *e, uint32_t page_ix, uint8_t number, uint8_t side, int64_t price);

/* Prefetches the page touched by removing an order that is the last one of its level. */
void book_prefetch_end(const struct engine *e, const struct order *order);

/* Asks early for the order that a new one at this price would stand behind, where the price was found lately. */
void book_prefetch(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* Whether an order at this price could rest: a level is there or the
   pool has one, and the side's sum stays within bounds. */
bool book_has_room(struct engine *e, const struct market *market, uint8_t side, int64_t price, int64_t quantity);

/*
 * Puts an open order behind all others of its price, making the level when it is the first. `order`: its record;
 * `guess`: what was that level lately, any number; it is proved.
 */
void book_push(struct engine *e, struct market *market, uint32_t order_ix);
void book_push_guess(struct engine *e, struct market *market, struct order *order, uint32_t order_ix, uint32_t guess);

/* Takes an order off its level; a level that loses its last order goes too. Returns what still rests at the price. */
int64_t book_remove(struct engine *e, struct market *market, uint32_t order_ix);

/* The same of an order whose record is known. */
int64_t book_remove_row(struct engine *e, struct market *market, struct order *order);

/* The same for the order at the head of its level. */
void book_pop(struct engine *e, struct market *market, struct order *order);

/* The order's open quantity is about to shrink by `quantity` and stays above 0; its place is kept. */
void book_shrink(struct engine *e, struct market *market, const struct order *order, int64_t quantity);

/* The next level behind this one, away from the other side; 0 at the end. */
static inline uint32_t book_behind(const struct engine *e, const struct level *level)
{
    const struct page *page = page_at(e, level->page);
    uint32_t           digit = page_digit(level->price);

    return page_side(page) == SIDE_BUY ? page_below(e, page, digit) : page_above(e, page, digit);
}

/* For tests and benchmarks: quantity at a price, 0 when there is no level. */
int64_t book_quantity(struct engine *e, const struct market *market, uint8_t side, int64_t price);

/*
 * Appends a LEVEL event, or writes it whole into room that was taken: the resting quantity at a price, given by
 * `quantity`; or at the price of a resting order.
 */
void book_write(struct level_changed *event, struct market *market, uint8_t side, int64_t price, int64_t quantity);
void book_emit(struct apply_context *ctx, struct market *market, uint8_t side, int64_t price, int64_t quantity);
void book_emit_level(struct apply_context *ctx, struct market *market, const struct order *order);

void book_verify(const struct engine *e);

#endif
