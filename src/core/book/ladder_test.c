/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "core/book/ladder.h"

#define LEVELS 1000u

/* A side with random levels by price: index i of `prices` is level i + 1; 0 = no level. */
struct side_rig {
    struct fixture  *f;
    struct book_side side;
    uint8_t          side_of;
    int64_t          prices[LEVELS];
    uint32_t         count;
};

static uint64_t random_next(uint64_t *random_state)
{
    *random_state ^= *random_state << 13, *random_state ^= *random_state >> 7, *random_state ^= *random_state << 17;
    return *random_state;
}

/* Near the middle, around a far anchor, at the ends, and anywhere. */
static int64_t draw_price(uint64_t *random_state)
{
    uint64_t kind = random_next(random_state) % 8, far = random_next(random_state);

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

    *level = (struct level){ .price = price, .side = rig->side_of, .live = 1 };
    rig->prices[ix - 1] = price;
    rig->count += 1;
    ladder_insert(rig->f->engine, &rig->side, ix);
    assert_int_equal(level->lower, neighbour_of(rig, price, false));
    assert_int_equal(level->higher, neighbour_of(rig, price, true));
}

static void remove_level(struct side_rig *rig, uint32_t ix)
{
    ladder_remove(rig->f->engine, &rig->side, ix);
    rig->prices[ix - 1] = 0;
    rig->count -= 1;
    level_at(rig->f->engine, ix)->live = 0;
}

static void step(struct side_rig *rig, uint64_t *random_state, uint32_t wanted)
{
    int64_t  price = draw_price(random_state);
    uint32_t ix = index_of(rig, price);

    assert_int_equal(ladder_find(rig->f->engine, &rig->side, price), ix);
    if (ix != 0) remove_level(rig, ix);
    else if (rig->count < wanted) insert(rig, price);
    else {
        for (ix = 1 + (uint32_t)(random_next(random_state) % LEVELS); rig->prices[ix - 1] == 0; ix = ix % LEVELS + 1)
            continue;
        remove_level(rig, ix);
    }
    assert_true(ladder_verify(rig->f->engine, &rig->side, rig->side_of) < (rig->count > 1 ? rig->count : 1));
    assert_int_equal(rig->side.best,
                     neighbour_of(rig, rig->side_of == SIDE_BUY ? INT64_MAX : 0, rig->side_of == SIDE_SELL));
}

static void a_ladder_is_a_sorted_list(void **state)
{
    static struct side_rig rig;
    uint64_t               random_state = 20261121;

    (void)state;
    for (uint8_t side_of = SIDE_BUY; side_of <= SIDE_SELL; side_of++) {
        memset(&rig, 0, sizeof(rig));
        rig.f = calloc(1, sizeof(*rig.f));
        fixture_genesis(&rig.f->genesis);
        rig.f->genesis.limits.levels = LEVELS;
        fixture_start(rig.f);
        rig.side_of = side_of;
        for (uint32_t i = 0; i < 6000; i++) step(&rig, &random_state, i < 2000 ? 8 : i < 4000 ? LEVELS : 2);
        while (rig.count != 0) step(&rig, &random_state, 0);
        assert_int_equal(rig.side.root, 0);
        assert_int_equal(rig.side.best, 0);
        fixture_free(rig.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_ladder_is_a_sorted_list) };

    return cmocka_run_group_tests_name("core/book/ladder", tests, NULL, NULL);
}
