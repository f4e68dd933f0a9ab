/* SPDX-License-Identifier: MIT */
#include "core/book/ladder.h"

/* A child of a rung: 0 = none, a rung, or a level. */
#define IS_RUNG (UINT32_C(1) << 31)
static bool         is_rung(uint32_t ref) { return (ref & IS_RUNG) != 0; }
static struct rung *rung_at(const struct engine *e, uint32_t ref) { return engine_rungs(e) + (ref & ~IS_RUNG); }

static uint32_t digit(int64_t price, uint32_t shift) { return (uint32_t)(price >> shift) & 15; }

/* Whether a price belongs below a rung. */
static bool covers(const struct rung *rung, int64_t price) { return (price ^ rung->price) >> rung->shift >> 4 == 0; }

static uint32_t rung_take(struct engine *e, int64_t price, uint32_t shift)
{
    uint32_t     ix = e->rung_free;
    struct rung *rung;

    if (ix != 0) e->rung_free = engine_rungs(e)[ix].child[0];
    else ix = e->rung_end++;
    assert(ix <= e->limits.levels); /* each has two children at least */
    rung = engine_rungs(e) + ix;
    *rung = (struct rung){ .price = price, .shift = (uint8_t)shift };
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

uint32_t ladder_find(const struct engine *e, const struct book_side *side, int64_t price)
{
    uint32_t ref = side->root;

    while (is_rung(ref)) {
        const struct rung *rung = rung_at(e, ref);
        if (!covers(rung, price)) return 0;
        ref = rung->child[digit(price, rung->shift)];
    }
    return ref != 0 && level_at(e, ref)->price == price ? ref : 0;
}

uint32_t ladder_prefetch(const struct engine *e, uint32_t ref, int64_t price, uint32_t steps)
{
    for (; steps > 0 && is_rung(ref); steps--) ref = rung_at(e, ref)->child[digit(price, rung_at(e, ref)->shift & 63)];
    if (is_rung(ref)) {
        FETCH(rung_at(e, ref));
        FETCH(&rung_at(e, ref)->child[15]);
    } else FETCH(level_at(e, ref));
    return ref;
}

static void link_neighbours(struct engine *e, struct book_side *side, uint32_t ix, uint32_t lower, uint32_t higher)
{
    struct level *level = level_at(e, ix);

    level->lower = lower;
    level->higher = higher;
    if (lower != 0) level_at(e, lower)->higher = ix;
    if (higher != 0) level_at(e, higher)->lower = ix;
    if ((level->side == SIDE_BUY ? higher : lower) == 0) side->best = ix;
}

/* A level under the same rung has a neighbour link to the other one. */
static void link_into(struct engine *e, struct book_side *side, uint32_t ix, const struct rung *rung)
{
    uint32_t at = digit(level_at(e, ix)->price, rung->shift), below = rung->set & ((1u << at) - 1),
             above = rung->set & ~((2u << at) - 1);
    uint32_t lower, higher;

    assert((below | above) != 0); /* a rung has two children at least */
    if (below != 0) {
        lower = highest_of(e, rung->child[31 - __builtin_clz(below)]);
        higher = level_at(e, lower)->higher;
    } else {
        higher = lowest_of(e, rung->child[__builtin_ctz(above)]);
        lower = level_at(e, higher)->lower;
    }
    link_neighbours(e, side, ix, lower, higher);
}

/*
 * A rung for two prices that differ first at this digit: the previous child at `place`, below which `other` is a
 * price, and the new level.
 */
static void part_ways(struct engine *e, struct book_side *side, uint32_t *place, int64_t other, uint32_t ix)
{
    int64_t  price = level_at(e, ix)->price;
    uint32_t shift = (uint32_t)(63 - __builtin_clzll((uint64_t)(price ^ other))) / 4 * 4,
             ref = rung_take(e, price, shift);
    struct rung *rung = rung_at(e, ref);

    assert(digit(other, shift) != digit(price, shift));
    rung_set(rung, digit(other, shift), *place);
    rung_set(rung, digit(price, shift), ix);
    *place = ref;
    link_into(e, side, ix, rung);
}

void ladder_insert(struct engine *e, struct book_side *side, uint32_t ix)
{
    int64_t   price = level_at(e, ix)->price;
    uint32_t *place = &side->root;

    side->level_count += 1;
    while (is_rung(*place)) {
        struct rung *rung = rung_at(e, *place);
        uint32_t     at = digit(price, rung->shift);

        if (!covers(rung, price)) {
            part_ways(e, side, place, rung->price, ix);
            return;
        }
        if (rung->child[at] == 0) {
            rung_set(rung, at, ix);
            link_into(e, side, ix, rung);
            return;
        }
        place = &rung->child[at];
    }
    if (*place != 0) {
        assert(level_at(e, *place)->price != price);
        part_ways(e, side, place, level_at(e, *place)->price, ix);
        return;
    }
    *place = ix; /* the first level of the side */
    link_neighbours(e, side, ix, 0, 0);
}

void ladder_remove(struct engine *e, struct book_side *side, uint32_t ix)
{
    struct level *level = level_at(e, ix);
    uint32_t     *place = &side->root, *above = NULL;

    while (*place != ix) {
        assert(is_rung(*place));
        above = place;
        place = &rung_at(e, *place)->child[digit(level->price, rung_at(e, *place)->shift)];
    }
    *place = 0;
    if (above != NULL) {
        struct rung *rung = rung_at(e, *above);

        rung->set &= (uint16_t) ~(1u << digit(level->price, rung->shift));
        assert(rung->set != 0);
        if ((rung->set & (rung->set - 1)) == 0) { /* one is left, and takes its place */
            uint32_t left = lowest_child(rung), gone = *above;
            *above = left;
            rung_give(e, gone);
        }
    }
    if (side->best == ix) side->best = level->side == SIDE_BUY ? level->lower : level->higher;
    if (level->lower != 0) level_at(e, level->lower)->higher = level->higher;
    if (level->higher != 0) level_at(e, level->higher)->lower = level->lower;
    side->level_count -= 1;
}

/*
 * A subtree whose prices share the digits above `shift` with `price`: its rungs are counted, its levels must follow
 * `*last` one after the other.
 */
static uint32_t verify_subtree(const struct engine *e, uint32_t ref, int64_t price, uint32_t shift, uint32_t *last,
                               uint32_t *levels)
{
    uint32_t rungs = 1;

    if (!is_rung(ref)) {
        const struct level *level = level_at(e, ref);
        assert(ref != 0 && level->live && level->price > 0 && (shift > 60 || (level->price ^ price) >> shift == 0));
        assert(level->lower == *last
               && (*last == 0 || (level_at(e, *last)->higher == ref && level_at(e, *last)->price < level->price)));
        *last = ref;
        *levels += 1;
        return 0;
    }
    const struct rung *rung = rung_at(e, ref);
    assert((rung->set & (rung->set - 1)) != 0); /* at least two children */
    assert(rung->shift % 4 == 0 && rung->shift + 4u <= shift && (shift > 60 || (rung->price ^ price) >> shift == 0));
    for (uint32_t at = 0; at < 16; at++) {
        assert((rung->child[at] != 0) == (rung->set >> at & 1));
        if (rung->child[at] == 0) continue;
        rungs += verify_subtree(e, rung->child[at],
                                (int64_t)(((uint64_t)rung->price >> rung->shift >> 4 << 4 | at) << rung->shift),
                                rung->shift, last, levels);
    }
    return rungs;
}

uint32_t ladder_verify(const struct engine *e, const struct book_side *side, uint8_t side_of)
{
    uint32_t last = 0, levels = 0, rungs = side->root == 0 ? 0 : verify_subtree(e, side->root, 0, 64, &last, &levels);

    assert(levels == side->level_count && (last == 0 || level_at(e, last)->higher == 0));
    assert(side->best == (side->root == 0 ? 0 : side_of == SIDE_BUY ? last : lowest_of(e, side->root)));
    return rungs;
}
