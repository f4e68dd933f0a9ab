/* SPDX-License-Identifier: MIT */
#include "core/book/ladder.h"

/* A child of a rung: 0 = none, a rung, or a page. */
#define IS_RUNG (UINT32_C(1) << 31)
static bool         is_rung(uint32_t ref) { return (ref & IS_RUNG) != 0; }
static struct rung *rung_at(const struct engine *e, uint32_t ref) { return engine_rungs(e) + (ref & ~IS_RUNG); }

static uint32_t digit(int64_t number, uint32_t shift) { return (uint32_t)(number >> shift) & 15; }

/* Whether a page's number belongs below a rung. */
static bool covers(const struct rung *rung, int64_t number) { return (number ^ rung->number) >> rung->shift >> 4 == 0; }

static uint32_t rung_take(struct engine *e, int64_t number, uint32_t shift)
{
    uint32_t     ix = e->rung_free;
    struct rung *rung;

    if (ix != 0) e->rung_free = engine_rungs(e)[ix].child[0];
    else ix = e->rung_end++;
    assert(ix <= e->limits.levels); /* each has two children at least */
    rung = engine_rungs(e) + ix;
    *rung = (struct rung){ .number = number, .shift = (uint8_t)shift };
    return ix | IS_RUNG;
}

static void rung_give(struct engine *e, uint32_t ref)
{
    assert(is_rung(ref) && (ref & ~IS_RUNG) < e->rung_end);
    *rung_at(e, ref) = (struct rung){ .child = { e->rung_free } };
    e->rung_free = ref & ~IS_RUNG;
}

static void rung_set(struct rung *rung, uint32_t at, uint32_t ref)
{
    rung->child[at] = ref;
    rung->set |= (uint16_t)(1u << at);
}

static uint32_t lowest_child(const struct rung *rung) { return rung->child[__builtin_ctz(rung->set)]; }
static uint32_t highest_child(const struct rung *rung) { return rung->child[31 - __builtin_clz(rung->set)]; }

static uint32_t lowest_of(const struct engine *e, uint32_t ref)
{
    while (is_rung(ref)) ref = lowest_child(rung_at(e, ref));
    return ref;
}

static uint32_t highest_of(const struct engine *e, uint32_t ref)
{
    while (is_rung(ref)) ref = highest_child(rung_at(e, ref));
    return ref;
}

/* The page with this number, or 0. */
static NOINLINE uint32_t walk(const struct engine *e, const struct book_side *side, int64_t number)
{
    uint32_t ref = side->root;

    while (is_rung(ref)) {
        const struct rung *rung = rung_at(e, ref);
        if (!covers(rung, number)) return 0;
        ref = rung->child[digit(number, rung->shift)];
    }
    return ref != 0 && page_number_of(page_at(e, ref)) == number ? ref : 0;
}

/* By the hint, which is corrected when it is wrong. */
uint32_t ladder_page(struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    uint32_t *hint = ladder_hint(e, market, side, price), ix = *hint;

    if (page_at(e, ix)->key == page_key(market, side, price)) return ix;
    ix = walk(e, &market->sides[side], page_number(price));
    if (ix != 0) *hint = ix;
    return ix;
}

static void link_neighbours(struct engine *e, uint32_t ix, uint32_t lower, uint32_t higher)
{
    struct page *page = page_at(e, ix);

    page->lower = lower;
    page->higher = higher;
    if (lower != 0) page_at(e, lower)->higher = ix;
    if (higher != 0) page_at(e, higher)->lower = ix;
}

/* A page under the same rung has a neighbour link to the other one. */
static void link_into(struct engine *e, uint32_t ix, const struct rung *rung)
{
    uint32_t at = digit(page_number_of(page_at(e, ix)), rung->shift), below = rung->set & ((1u << at) - 1),
             above = rung->set & ~((2u << at) - 1);
    uint32_t lower, higher;

    assert((below | above) != 0); /* a rung has two children at least */
    if (below != 0) {
        lower = highest_of(e, rung->child[31 - __builtin_clz(below)]);
        higher = page_at(e, lower)->higher;
    } else {
        higher = lowest_of(e, rung->child[__builtin_ctz(above)]);
        lower = page_at(e, higher)->lower;
    }
    link_neighbours(e, ix, lower, higher);
}

/*
 * A rung for two numbers that differ first at this digit: the previous child at `place`, below which `other` is a
 * number, and the new page.
 */
static void part_ways(struct engine *e, uint32_t *place, int64_t other, uint32_t ix)
{
    int64_t  number = page_number_of(page_at(e, ix));
    uint32_t shift = (uint32_t)(63 - __builtin_clzll((uint64_t)(number ^ other))) / 4 * 4,
             ref = rung_take(e, number, shift);
    struct rung *rung = rung_at(e, ref);

    assert(digit(other, shift) != digit(number, shift));
    rung_set(rung, digit(other, shift), *place);
    rung_set(rung, digit(number, shift), ix);
    *place = ref;
    link_into(e, ix, rung);
}

static void insert_page(struct engine *e, struct book_side *side, uint32_t ix)
{
    int64_t   number = page_number_of(page_at(e, ix));
    uint32_t *place = &side->root;

    while (is_rung(*place)) {
        struct rung *rung = rung_at(e, *place);
        uint32_t     at = digit(number, rung->shift);

        if (!covers(rung, number)) {
            part_ways(e, place, rung->number, ix);
            return;
        }
        if (rung->child[at] == 0) {
            rung_set(rung, at, ix);
            link_into(e, ix, rung);
            return;
        }
        place = &rung->child[at];
    }
    if (*place != 0) {
        assert(page_number_of(page_at(e, *place)) != number);
        part_ways(e, place, page_number_of(page_at(e, *place)), ix);
        return;
    }
    *place = ix; /* the first page of the side */
    link_neighbours(e, ix, 0, 0);
}

static NOINLINE uint32_t make_page(struct engine *e, struct market *market, uint8_t side, int64_t price)
{
    uint32_t ix = page_take(e, page_key(market, side, price));

    assert(price > 0 && (side == SIDE_BUY || side == SIDE_SELL));
    insert_page(e, &market->sides[side], ix);
    *ladder_hint(e, market, side, price) = ix;
    return ix;
}

uint32_t ladder_make_room(struct engine *e, struct market *market, uint8_t side, int64_t price, uint32_t page)
{
    if (page == 0) return make_page(e, market, side, price);
    if (!page_has_room(page_at(e, page))) page_widen(e, page_at(e, page));
    return page;
}

void ladder_insert(struct engine *e, struct market *market, uint8_t side_of, uint32_t page_ix, uint32_t ix)
{
    struct book_side *side = &market->sides[side_of];
    int64_t           price = level_at(e, ix)->price;

    page_put(e, page_ix, ix);
    if (side->best == 0 || side_better(side_of, price, level_at(e, side->best)->price)) side->best = ix;
    side->level_count += 1;
}

static NOINLINE void remove_page(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct page *page = page_at(e, ix);
    uint32_t    *place = &side->root, *above = NULL;

    while (*place != ix) {
        assert(is_rung(*place));
        above = place;
        place = &rung_at(e, *place)->child[digit(page_number_of(page), rung_at(e, *place)->shift)];
    }
    *place = 0;
    if (above != NULL) {
        struct rung *rung = rung_at(e, *above);

        rung->set &= (uint16_t) ~(1u << digit(page_number_of(page), rung->shift));
        assert(rung->set != 0);
        if ((rung->set & (rung->set - 1)) == 0) { /* one is left, and takes its place */
            uint32_t left = lowest_child(rung), gone = *above;
            *above = left;
            rung_give(e, gone);
        }
    }
    if (page->lower != 0) page_at(e, page->lower)->higher = page->higher;
    if (page->higher != 0) page_at(e, page->higher)->lower = page->lower;
    page_give(e, ix);
}

/* What becomes of the page is last, because it is rare: then nothing has to be kept across a call. */
void ladder_remove(struct engine *e, struct market *market, uint8_t side_of, uint32_t ix, uint32_t page_ix,
                   int64_t price)
{
    struct book_side *side = &market->sides[side_of];
    struct page      *page = page_at(e, page_ix);
    uint32_t          digit = page_digit(price);

    if (side->best == ix) side->best = side_of == SIDE_BUY ? page_below(e, page, digit) : page_above(e, page, digit);
    side->level_count -= 1;
    page_drop(e, page, digit);
    if (page->set == 0) remove_page(e, side, page_ix);
    else if (page_is_sparse(page)) page_narrow(e, page);
}

/* A walk over the tree of a side, in the order of prices. */
struct tree_walk {
    const struct engine *e;
    struct ladder_use   *use;
    uint32_t             last, levels; /* the page before; levels so far */
    uint8_t              market, side;
};

/* A page whose number shares the digits above `shift` with `number`; it must follow the last one. */
static void verify_leaf(struct tree_walk *at, uint32_t ref, int64_t number, uint32_t shift)
{
    const struct page *page = page_at(at->e, ref), *last = page_at(at->e, at->last);

    assert(ref != 0 && (shift > 60 || (page_number_of(page) ^ number) >> shift == 0));
    assert((uint16_t)page->key == (uint16_t)(at->market << 8 | at->side) && page->lower == at->last);
    assert(at->last == 0 || (last->higher == ref && last->key < page->key));
    page_verify(at->e, ref);
    at->last = ref;
    at->levels += page->count;
    at->use->pages += 1;
    at->use->wide += page->wide != 0;
}

static void verify_subtree(struct tree_walk *at, uint32_t ref, int64_t number, uint32_t shift)
{
    const struct rung *rung = rung_at(at->e, ref);

    if (!is_rung(ref)) {
        verify_leaf(at, ref, number, shift);
        return;
    }
    at->use->rungs += 1;
    assert((rung->set & (rung->set - 1)) != 0); /* at least two children */
    assert(rung->shift % 4 == 0 && rung->shift + 4u <= shift && (shift > 60 || (rung->number ^ number) >> shift == 0));
    for (uint32_t i = 0; i < 16; i++) {
        assert((rung->child[i] != 0) == (rung->set >> i & 1));
        if (rung->child[i] == 0) continue;
        verify_subtree(at, rung->child[i],
                       (int64_t)(((uint64_t)rung->number >> rung->shift >> 4 << 4 | i) << rung->shift), rung->shift);
    }
}

void ladder_verify(const struct engine *e, const struct market *market, uint8_t side_of, struct ladder_use *use)
{
    const struct book_side *side = &market->sides[side_of];
    struct tree_walk        at = { .e = e, .use = use, .market = market->number, .side = side_of };

    if (side->root == 0) {
        assert(side->best == 0 && side->level_count == 0);
        return;
    }
    verify_subtree(&at, side->root, 0, 64);
    assert(at.levels == side->level_count && page_at(e, at.last)->higher == 0);
    assert(side->best
           == (side_of == SIDE_BUY ? page_highest(e, page_at(e, at.last))
                                   : page_lowest(e, page_at(e, lowest_of(e, side->root)))));
}
