/* SPDX-License-Identifier: MIT */
#include "core/book/page.h"

uint32_t page_take(struct engine *e, uint64_t key)
{
    uint32_t ix = e->page_free;

    if (ix != 0) e->page_free = page_at(e, ix)->lower;
    else ix = e->page_end++;
    assert(ix <= e->limits.levels); /* each has a level at least */
    *page_at(e, ix) = (struct page){ .key = key, .digits = PAGE_NO_ONE };
    return ix;
}

void page_give(struct engine *e, uint32_t page_ix)
{
    assert(page_at(e, page_ix)->set == 0 && page_at(e, page_ix)->wide == 0);
    *page_at(e, page_ix) = (struct page){ .lower = e->page_free };
    e->page_free = page_ix;
}

static void few_put(struct page *page, uint32_t digit, uint32_t level_ix)
{
    uint32_t at = page_place(page, PAGE_FREE);

    page->few[at] = level_ix;
    page->digits ^= (PAGE_FREE ^ digit) << (at * 8);
}

static void few_drop(struct page *page, uint32_t digit)
{
    uint32_t at = page_place(page, digit);

    page->few[at] = 0;
    page->digits |= PAGE_FREE << (at * 8);
}

NOINLINE void page_widen(struct engine *e, struct page *page)
{
    uint32_t          ix = e->wide_free;
    struct wide_page *wide;

    if (ix != 0) e->wide_free = engine_wide_pages(e)[ix].level[0];
    else ix = e->wide_end++;
    assert(ix <= e->limits.levels / PAGE_WIDE_MIN); /* each has that many levels at least */
    wide = engine_wide_pages(e) + ix;
    *wide = (struct wide_page){ 0 };
    for (uint32_t at = 0; at < PAGE_FEW; at++) {
        wide->level[page->digits >> (at * 8) & 0xff] = page->few[at];
        page->few[at] = 0;
    }
    page->digits = PAGE_NO_ONE;
    page->wide = ix;
}

NOINLINE void page_narrow(struct engine *e, struct page *page)
{
    struct wide_page *wide = engine_wide_pages(e) + page->wide;

    for (uint32_t left = page->set; left != 0; left &= left - 1) {
        uint32_t digit = (uint32_t)__builtin_ctz(left);
        few_put(page, digit, wide->level[digit]);
    }
    *wide = (struct wide_page){ .level = { e->wide_free } };
    e->wide_free = page->wide;
    page->wide = 0;
}

void page_put(struct engine *e, uint32_t page_ix, uint32_t level_ix)
{
    struct level *level = level_at(e, level_ix);
    struct page  *page = page_at(e, page_ix);
    uint32_t      digit = page_digit(level->price);

    assert(page_number_of(page) == page_number(level->price) && (page->set >> digit & 1) == 0);
    assert(page_has_room(page));
    if (page->wide == 0) few_put(page, digit, level_ix);
    else engine_wide_pages(e)[page->wide].level[digit] = level_ix;
    page->set |= UINT32_C(1) << digit;
    page->count += 1;
    level->page = page_ix;
}

void page_drop(struct engine *e, struct page *page, uint32_t digit)
{
    assert((page->set >> digit & 1) != 0);
    page->set &= ~(UINT32_C(1) << digit);
    page->count -= 1;
    if (page->wide == 0) few_drop(page, digit);
    else engine_wide_pages(e)[page->wide].level[digit] = 0;
}

/* The levels by digit, read without `set`; those of the page itself have a digit of their own each. */
static void page_read(const struct engine *e, const struct page *page, uint32_t levels[PAGE_PRICES])
{
    for (uint32_t digit = 0; digit < PAGE_PRICES; digit++)
        levels[digit] = page->wide == 0 ? 0 : engine_wide_pages(e)[page->wide].level[digit];
    for (uint32_t at = 0; at < PAGE_FEW; at++) {
        uint64_t digit = page->digits >> (at * 8) & 0xff;

        assert((page->few[at] == 0) == (digit == PAGE_FREE));
        if (digit == PAGE_FREE) continue;
        assert(page->wide == 0 && digit < PAGE_PRICES && levels[digit] == 0);
        levels[digit] = page->few[at];
    }
    assert(page->digits >> 56 == PAGE_NO_ONE >> 56);
}

void page_verify(const struct engine *e, uint32_t page_ix)
{
    const struct page *page = page_at(e, page_ix);
    uint32_t           levels[PAGE_PRICES], count = 0;

    page_read(e, page, levels);
    for (uint32_t digit = 0; digit < PAGE_PRICES; digit++) {
        const struct level *level = level_at(e, levels[digit]);

        assert((levels[digit] != 0) == (page->set >> digit & 1));
        if (levels[digit] == 0) continue;
        assert(level->page == page_ix && level->price == page_number_of(page) * PAGE_PRICES + digit);
        count += 1;
    }
    assert(count > 0 && page->count == count && (page->wide == 0 || count >= PAGE_WIDE_MIN));
}

void page_verify_pools(const struct engine *e, uint32_t pages, uint32_t wide)
{
    for (uint32_t ix = e->page_free; ix != 0; ix = page_at(e, ix)->lower) pages += 1;
    for (uint32_t ix = e->wide_free; ix != 0; ix = engine_wide_pages(e)[ix].level[0]) wide += 1;
    assert(pages == e->page_end - 1 && wide == e->wide_end - 1); /* I15 */
}
