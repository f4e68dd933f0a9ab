/* SPDX-License-Identifier: MIT */
/* Which prices a symbol comes to, step by step, and which it cannot. */
#include "playback/approach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Prices with one decimal and tick 0.1, bands of 5 %, orders of 5 to 10,000,000 and 0.00001 to 1000. */
static struct playback_market market_of(uint8_t kind)
{
    return (struct playback_market){ .market = kind,
                                     .price_precision = 1,
                                     .quantity_precision = 5,
                                     .tick = 1,
                                     .step = 1,
                                     .max_price = INT64_C(1000000000000000),
                                     .min_quantity = 1,
                                     .max_quantity = 100000000,
                                     .min_notional = 5000000,
                                     .max_notional = INT64_C(10000000000000),
                                     .reach_up = kind == MARKET_SPOT ? 5000000 : 1000000,
                                     .reach_down = kind == MARKET_SPOT ? 5000000 : 1000000 };
}

/* Bands are inclusive on both sides, in whole ticks. */
static void test_steps_of_trades(void **state)
{
    struct playback_market market = market_of(MARKET_SPOT);

    (void)state;
    assert_int_equal(playback_next_step(&market, 1000000, 2000000), 1050000);
    assert_int_equal(playback_next_step(&market, 1000000, 1050000), 1050000);
    assert_int_equal(playback_next_step(&market, 1000000, 1049999), 1049999);
    assert_int_equal(playback_next_step(&market, 1000000, 500000), 950000);
    assert_int_equal(playback_next_step(&market, 1000000, 950001), 950001);
    assert_int_equal(playback_next_step(&market, 1000019, 2000000), 1050019);
    assert_int_equal(playback_next_step(&market, 1000019, 500000), 950019);
    market.tick = 10;
    assert_int_equal(playback_next_step(&market, 1000019, 2000000), 1050010);
    assert_int_equal(playback_next_step(&market, 1000019, 500000), 950020);
    assert_int_equal(playback_next_step(&market, 0, 2000000), 2000000);
    market.reach_down = 100000000;
    assert_int_equal(playback_next_step(&market, 1000000, 500), 500);
}

/* 5 % of 19 ticks is less than one. */
static void test_prices_of_few_ticks(void **state)
{
    struct playback_market market = market_of(MARKET_SPOT);

    (void)state;
    assert_int_equal(playback_next_step(&market, 20, 21), 21);
    assert_int_equal(playback_next_step(&market, 19, 21), 19);
    assert_int_equal(playback_next_step(&market, 20, 1), 19);
    assert_int_equal(playback_next_step(&market, 19, 1), 19);
    market.min_notional = 0;
    assert_true(playback_comes_to(&market, 1000000, 19));
    assert_false(playback_comes_to(&market, 1000000, 18));
}

static void test_steps_of_the_mark(void **state)
{
    struct playback_market market = market_of(MARKET_PERPS);

    (void)state;
    assert_int_equal(playback_next_step(&market, 1000050, 2000000), 1010050);
    assert_int_equal(playback_next_step(&market, 1000050, 500000), 990050);
    assert_int_equal(playback_next_step(&market, 1000000, 1010000), 1010000);
    assert_int_equal(playback_next_step(&market, 99, 1), 99);
    assert_int_equal(playback_next_step(&market, 0, 2000000), 2000000);
    assert_true(playback_comes_to(&market, 1000000, 100));
    assert_false(playback_comes_to(&market, 1000000, 90));
    assert_true(playback_comes_to(&market, 1000000, INT64_C(10000000000000)));
}

/* 0.5 % of it, in whole units. */
static void test_near(void **state)
{
    (void)state;
    assert_true(playback_is_near(1005, 1000));
    assert_false(playback_is_near(1006, 1000));
    assert_true(playback_is_near(995, 1000));
    assert_false(playback_is_near(994, 1000));
    assert_true(playback_is_near(201, 200));
    assert_false(playback_is_near(200, 199));
}

/* Where the least value asks for more than the largest quantity, and the smallest quantity is above the most value. */
static void test_orders_that_are_possible(void **state)
{
    struct playback_market market = market_of(MARKET_SPOT);

    (void)state;
    assert_false(playback_can_order(&market, 0));
    market.max_quantity = 250000;
    assert_int_equal(playback_order_least(&market, 20), 250000);
    assert_true(playback_can_order(&market, 20));
    assert_false(playback_can_order(&market, 19));
    assert_false(playback_comes_to(&market, 1000000, 19));
    market.min_quantity = 10;
    assert_true(playback_can_order(&market, INT64_C(1000000000000)));
    assert_false(playback_can_order(&market, INT64_C(1000000000001)));
    market.min_price = 30, market.max_price = 40;
    assert_false(playback_can_order(&market, 29));
    assert_true(playback_can_order(&market, 30));
    assert_true(playback_can_order(&market, 40));
    assert_false(playback_can_order(&market, 41));
    market.max_quantity = market.max_notional = 0;
    assert_int_equal(playback_order_most(&market, 40), 999999999999999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_trades),          cmocka_unit_test(test_prices_of_few_ticks),
        cmocka_unit_test(test_steps_of_the_mark),        cmocka_unit_test(test_near),
        cmocka_unit_test(test_orders_that_are_possible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
