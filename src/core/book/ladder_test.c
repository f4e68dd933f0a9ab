/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "rigs/random.h"
#include "core/book/ladder.h"
#include "core/state/market.h"

#define LEVELS 1000u

/* A side with random levels by price: index i of `prices` is level i + 1; 0 = no level. */
struct side_rig {
    struct fixture   *f;
    struct market    *market;
    struct book_side *side;
    uint8_t           side_of;
    int64_t           prices[LEVELS];
    uint32_t          count;
};

/* Near the middle, where pages get wide, around a far anchor, at the ends, and anywhere. */
static int64_t draw_price(uint64_t *random_state)
{
    uint64_t kind = random_xorshift(random_state) % 8, far = random_xorshift(random_state);

    if (kind < 2) return 50000 + (int64_t)(far % 40);
    if (kind < 4) return 50000 + (int64_t)(far % 600);
    if (kind == 4) return 1 + (int64_t)(far % 20);
    if (kind == 5) return PRICE_MAX - (int64_t)(far % 20);
    if (kind == 6) return (INT64_C(1) << (far >> 32) % 49) + (int64_t)(far % 3);
    return 1 + (int64_t)(far % PRICE_MAX);
}

static uint32_t index_of(const struct side_rig *rig, int64_t price)
{
    for (uint32_t i = 0; i < LEVELS; i++)
        if (rig->prices[i] == price) return i + 1;
    return 0;
}

static uint32_t neighbour_of(const struct side_rig *rig, int64_t price, bool higher)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < LEVELS; i++) {
        int64_t other = rig->prices[i];
        if (other == 0 || (higher ? other <= price : other >= price)) continue;
        if (found == 0 || (higher ? other < rig->prices[found - 1] : other > rig->prices[found - 1])) found = i + 1;
    }
    return found;
}

static void insert(struct side_rig *rig, int64_t price)
{
    uint32_t      ix = index_of(rig, 0);
    struct level *level = level_at(rig->f->engine, ix);
    struct page  *page;

    *level = (struct level){ .price = price };
    rig->prices[ix - 1] = price;
    rig->count += 1;
    ladder_insert(rig->f->engine, rig->market, rig->side_of,
                  ladder_make_room(rig->f->engine, rig->market, rig->side_of, price,
                                   ladder_page(rig->f->engine, rig->market, rig->side_of, price)),
                  ix);
    page = page_at(rig->f->engine, level->page);
    assert_int_equal(page_below(rig->f->engine, page, page_digit(price)), neighbour_of(rig, price, false));
    assert_int_equal(page_above(rig->f->engine, page, page_digit(price)), neighbour_of(rig, price, true));
}

static void remove_level(struct side_rig *rig, uint32_t ix)
{
    const struct level *level = level_at(rig->f->engine, ix);

    ladder_remove(rig->f->engine, rig->market, rig->side_of, ix, level->page, level->price);
    rig->prices[ix - 1] = 0;
    rig->count -= 1;
}

static void step(struct side_rig *rig, uint64_t *random_state, uint32_t wanted)
{
    int64_t           price = draw_price(random_state);
    uint32_t          ix = index_of(rig, price);
    struct ladder_use use = { 0 };

    assert_int_equal(ladder_find(rig->f->engine, rig->market, rig->side_of, price), ix);
    if (ix != 0) remove_level(rig, ix);
    else if (rig->count < wanted) insert(rig, price);
    else {
        for (ix = 1 + (uint32_t)(random_xorshift(random_state) % LEVELS); rig->prices[ix - 1] == 0;
             ix = ix % LEVELS + 1)
            continue;
        remove_level(rig, ix);
    }
    ladder_verify(rig->f->engine, rig->market, rig->side_of, &use);
    page_verify_pools(rig->f->engine, use.pages, use.wide);
    assert_true(use.rungs < (use.pages > 1 ? use.pages : 1));
    assert_true(use.pages <= rig->count && use.wide <= rig->count / PAGE_WIDE_MIN);
    assert_int_equal(rig->side->best,
                     neighbour_of(rig, rig->side_of == SIDE_BUY ? INT64_MAX : 0, rig->side_of == SIDE_SELL));
}

static void open_rig(struct side_rig *rig, uint8_t side_of)
{
    memset(rig, 0, sizeof(*rig));
    rig->f = calloc(1, sizeof(*rig->f));
    fixture_genesis(&rig->f->genesis);
    rig->f->genesis.limits.levels = LEVELS;
    fixture_start(rig->f);
    rig->side_of = side_of;
    rig->market = market_find(rig->f->engine, 1);
    rig->side = &rig->market->sides[side_of];
}

static void a_ladder_is_a_sorted_list(void **state)
{
    static struct side_rig rig;
    uint64_t               random_state = 20261121;

    (void)state;
    for (uint8_t side_of = SIDE_BUY; side_of <= SIDE_SELL; side_of++) {
        open_rig(&rig, side_of);
        for (uint32_t i = 0; i < 6000; i++) step(&rig, &random_state, i < 2000 ? 8 : i < 4000 ? LEVELS : 2);
        while (rig.count != 0) step(&rig, &random_state, 0);
        assert_int_equal(rig.side->root, 0);
        assert_int_equal(rig.side->best, 0);
        fixture_free(rig.f);
    }
}

/* Rungs from the root to where a price is or would be. */
static uint32_t depth_of(const struct side_rig *rig, int64_t price)
{
    uint32_t ref = rig->side->root, depth = 0;

    for (; ref >> 31 != 0; depth++) {
        const struct rung *rung = engine_rungs(rig->f->engine) + (ref & ~(UINT32_C(1) << 31));
        ref = rung->child[page_number(price) >> rung->shift & 15];
    }
    return depth;
}

/* Attack: each level in a page of its own, as far apart as prices can be. The pools are those of the levels. */
static void prices_far_apart_stay_within_the_pools(void **state)
{
    static struct side_rig rig;
    struct ladder_use      use = { 0 };

    (void)state;
    open_rig(&rig, SIDE_SELL);
    for (uint32_t i = 0; i < 12; i++) insert(&rig, (int64_t)PAGE_PRICES << (4 * i)); /* a rung for each digit */
    insert(&rig, 1);
    for (uint32_t i = 0; i < 13; i++) assert_true(depth_of(&rig, (int64_t)PAGE_PRICES << (4 * i)) <= 12);
    assert_int_equal(depth_of(&rig, 1), 12);
    while (rig.count < LEVELS) insert(&rig, PRICE_MAX - (int64_t)rig.count * (PRICE_MAX / LEVELS / 2));
    ladder_verify(rig.f->engine, rig.market, SIDE_SELL, &use);
    assert_int_equal(use.pages, LEVELS);
    assert_true(use.rungs < LEVELS && rig.f->engine->rung_end <= LEVELS && rig.f->engine->page_end == LEVELS + 1);
    for (uint32_t ix = 1; ix <= LEVELS; ix++) assert_true(depth_of(&rig, rig.prices[ix - 1]) <= 12);
    for (uint32_t ix = 1; ix <= LEVELS; ix++) remove_level(&rig, ix);
    assert_int_equal(rig.side->root, 0);
    fixture_free(rig.f);
}

/* Attack: page after page gets many levels and keeps few of them. */
static void wide_pages_stay_within_the_pool(void **state)
{
    static struct side_rig rig;
    struct ladder_use      use = { 0 };

    (void)state;
    open_rig(&rig, SIDE_BUY);
    for (int64_t first = PAGE_PRICES; rig.count + PAGE_FEW + 1 <= LEVELS; first += PAGE_PRICES) {
        for (uint32_t i = 0; i <= PAGE_FEW; i++) insert(&rig, first + i);
        for (uint32_t i = 0; i <= PAGE_FEW - PAGE_WIDE_MIN; i++) remove_level(&rig, index_of(&rig, first + i));
    }
    ladder_verify(rig.f->engine, rig.market, SIDE_BUY, &use);
    assert_true(use.wide > LEVELS / PAGE_WIDE_MIN - 3);
    for (int64_t first = PAGE_PRICES; rig.count != 0; first += PAGE_PRICES) /* and all become narrow again */
        for (uint32_t i = PAGE_FEW - PAGE_WIDE_MIN + 1; i <= PAGE_FEW; i++)
            remove_level(&rig, index_of(&rig, first + i));
    page_verify_pools(rig.f->engine, 0, 0);
    fixture_free(rig.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ladder_is_a_sorted_list),
        cmocka_unit_test(prices_far_apart_stay_within_the_pools),
        cmocka_unit_test(wide_pages_stay_within_the_pool),
    };

    return cmocka_run_group_tests_name("core/book/ladder", tests, NULL, NULL);
}
