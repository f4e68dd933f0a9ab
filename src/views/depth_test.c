/* SPDX-License-Identifier: MIT */
#include "views/depth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

#define PRICES 512

static struct depth_node nodes[PRICES + 1];

/* The judge: an array by price. */
static void check_against(const struct depth_pool *pool, uint32_t root, const int64_t quantity[PRICES], uint32_t limit)
{
    struct view_level levels[PRICES];
    uint32_t          count = depth_copy(pool, root, false, limit, levels), at = 0;

    for (int price = 0; price < PRICES && at < limit; price++) {
        if (quantity[price] == 0) continue;
        assert_true(at < count);
        assert_int_equal(levels[at].price, price);
        assert_int_equal(levels[at++].quantity, quantity[price]);
    }
    assert_int_equal(at, count);
    count = depth_copy(pool, root, true, limit, levels);
    at = 0;
    for (int price = PRICES - 1; price >= 0 && at < limit; price--)
        if (quantity[price] != 0) assert_int_equal(levels[at++].price, price);
    assert_int_equal(at, count);
}

static void a_side_agrees_with_an_array_after_every_change(void **state)
{
    struct depth_pool pool;
    int64_t           quantity[PRICES] = { 0 };
    uint32_t          root = 0, seed = 1;

    (void)state;
    depth_pool_init(&pool, nodes, ARRAY_COUNT(nodes), 42);
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        uint32_t price = (seed >> 8) % PRICES;
        quantity[price] = (seed >> 20) % 3 == 0 ? 0 : (int64_t)(seed >> 12);
        depth_set(&pool, &root, 1, price, quantity[price]);
        if (i % 50 == 0) check_against(&pool, root, quantity, i % 100 == 0 ? PRICES : 10);
    }
}

static void nodes_of_removed_prices_are_used_again(void **state)
{
    struct depth_pool pool;
    uint32_t          root = 0;
    struct view_level level;

    (void)state;
    depth_pool_init(&pool, nodes, 3, 7);
    for (int64_t i = 1; i < 1000; i++) {
        depth_set(&pool, &root, 1, i, i);
        depth_set(&pool, &root, 1, i + 1, i);
        depth_set(&pool, &root, 1, i, 0);
        depth_set(&pool, &root, 1, i + 1, 0);
    }
    assert_int_equal(root, 0);
    assert_int_equal(depth_copy(&pool, root, true, 1, &level), 0);
}

/* The same prices on both sides, in one pool: a price that was found lately is one of its side. */
static void two_sides_keep_their_own_prices(void **state)
{
    struct depth_pool pool;
    int64_t           quantity[2][PRICES] = { { 0 } };
    uint32_t          roots[2] = { 0 }, seed = 5;

    (void)state;
    depth_pool_init(&pool, nodes, ARRAY_COUNT(nodes), 42);
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        uint32_t price = (seed >> 8) % (PRICES / 2), side = seed >> 30 & 1;
        quantity[side][price] = (seed >> 20) % 3 == 0 ? 0 : (int64_t)(seed >> 12);
        depth_set(&pool, &roots[side], side + 1, price, quantity[side][price]);
        if (i % 50 == 0) check_against(&pool, roots[side], quantity[side], PRICES);
    }
}

static void ascending_prices_do_not_make_the_tree_deep(void **state)
{
    enum { COUNT = 100000 };
    struct depth_node *many = calloc(COUNT + 1, sizeof(*many));
    struct depth_pool  pool;
    uint32_t           root = 0, depth = 0;

    (void)state;
    depth_pool_init(&pool, many, COUNT + 1, 3);
    for (int64_t price = 1; price <= COUNT; price++) depth_set(&pool, &root, 1, price, 1);
    for (uint32_t ix = root; ix != 0; ix = many[ix].right) depth++;
    assert_true(depth < 64);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_agrees_with_an_array_after_every_change),
        cmocka_unit_test(two_sides_keep_their_own_prices),
        cmocka_unit_test(nodes_of_removed_prices_are_used_again),
        cmocka_unit_test(ascending_prices_do_not_make_the_tree_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
