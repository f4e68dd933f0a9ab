/* SPDX-License-Identifier: MIT */
/*
 * page.h — the levels of PAGE_PRICES prices in a row, in one cache line. Only book.c and ladder.c use it.
 *
 * A bit per price says whether there is a level, so the next one is found without looking at any. Up to PAGE_FEW levels
 * are in the page itself, in any order, each with the digit of its price in a byte of `digits`; all bytes are compared
 * at once. A page with more of them has an array by digit as well, until it has fewer than PAGE_WIDE_MIN again:
 * however an attacker places and cancels, there are never more such arrays than levels / PAGE_WIDE_MIN, and never more
 * pages than levels.
 */
#ifndef CORE_BOOK_PAGE_H
#define CORE_BOOK_PAGE_H

#include "core/state/state.h"

#define PAGE_FREE   UINT64_C(0xff) /* the byte of a place without a level */
#define PAGE_NO_ONE UINT64_C(0x80ffffffffffffff)
#define PAGE_BYTES  UINT64_C(0x0101010101010101)
static_assert(PAGE_FEW == 7 && PAGE_PRICES <= 0x80, "the eighth byte is no digit and not free");

/* A price is never below 0: a shift is enough. */
static inline int64_t  page_number(int64_t price) { return (int64_t)((uint64_t)price / PAGE_PRICES); }
static inline uint32_t page_digit(int64_t price) { return (uint32_t)price % PAGE_PRICES; }

/* What a page is found by. No page in use has key 0, because there is no market 0. */
static inline uint64_t page_key_of(uint8_t number, uint8_t side, int64_t price)
{
    return (uint64_t)page_number(price) << 16 | (uint64_t)number << 8 | side;
}
static inline uint64_t page_key(const struct market *market, uint8_t side, int64_t price)
{
    return page_key_of(market->number, side, price);
}
static inline int64_t page_number_of(const struct page *page) { return (int64_t)(page->key >> 16); }
static inline uint8_t page_side(const struct page *page) { return (uint8_t)page->key; }

/* The place of the first byte that is `digit`; there is one. */
static inline uint32_t page_place(const struct page *page, uint64_t digit)
{
    uint64_t bytes = page->digits ^ digit * PAGE_BYTES, zero = (bytes - PAGE_BYTES) & ~bytes & 0x80 * PAGE_BYTES;

    return (uint32_t)__builtin_ctzll(zero) / 8;
}

/* The level at a digit whose bit is set. */
static inline uint32_t page_there(const struct engine *e, const struct page *page, uint32_t digit)
{
    return page->wide != 0 ? engine_wide_pages(e)[page->wide].level[digit] : page->few[page_place(page, digit)];
}

/* The level at a digit, or 0. */
static inline uint32_t page_level(const struct engine *e, const struct page *page, uint32_t digit)
{
    return (page->set >> digit & 1) == 0 ? 0 : page_there(e, page, digit);
}

/* The lowest and the highest level of a page that is in use. */
static inline uint32_t page_lowest(const struct engine *e, const struct page *page)
{
    return page_there(e, page, (uint32_t)__builtin_ctz(page->set));
}
static inline uint32_t page_highest(const struct engine *e, const struct page *page)
{
    return page_there(e, page, 31 - (uint32_t)__builtin_clz(page->set));
}

/* The next level of the side below or above a digit of a page, or 0. */
static inline uint32_t page_below(const struct engine *e, const struct page *page, uint32_t digit)
{
    uint32_t below = page->set & ((UINT32_C(1) << digit) - 1);

    if (below != 0) return page_there(e, page, 31 - (uint32_t)__builtin_clz(below));
    return page->lower == 0 ? 0 : page_highest(e, page_at(e, page->lower));
}
static inline uint32_t page_above(const struct engine *e, const struct page *page, uint32_t digit)
{
    uint32_t above = page->set & ~((UINT32_C(2) << digit) - 1);

    if (above != 0) return page_there(e, page, (uint32_t)__builtin_ctz(above));
    return page->higher == 0 ? 0 : page_lowest(e, page_at(e, page->higher));
}

/* Takes a page without levels from the pool, and gives one back. */
uint32_t page_take(struct engine *e, uint64_t key);
void     page_give(struct engine *e, uint32_t page_ix);

/* Whether one more level fits; else its levels are to be moved into an array by digit. */
static inline bool page_has_room(const struct page *page) { return page->wide != 0 || page->count < PAGE_FEW; }
void               page_widen(struct engine *e, struct page *page);

/* Whether so few levels are left in an array by digit that they are to be moved back. */
static inline bool page_is_sparse(const struct page *page) { return page->wide != 0 && page->count < PAGE_WIDE_MIN; }
void               page_narrow(struct engine *e, struct page *page);

/*
 * Puts a level, whose price is set, into the page of its price, which has room; takes out the one at a digit, behind
 * which the page may be empty, or to be narrowed.
 */
void page_put(struct engine *e, uint32_t page_ix, uint32_t level_ix);
void page_drop(struct engine *e, struct page *page, uint32_t digit);

/* Asserts that the page has the levels of its prices and side and no other ones. */
void page_verify(const struct engine *e, uint32_t page_ix);

/* Asserts that each place of the two pools is one of `pages` and `wide` in use, or free. */
void page_verify_pools(const struct engine *e, uint32_t pages, uint32_t wide);

#endif
