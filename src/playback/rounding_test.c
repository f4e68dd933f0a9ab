/* SPDX-License-Identifier: MIT */
/* Recorded prices and quantities in the units of the market, and books that are finer than its tick. */
#include "playback/rounding.h"
#include "rigs/playback/book_rig.h"

/* ---- scale ---- */

static struct decimal decimal(const char *text)
{
    struct decimal value;

    assert_int_equal(decimal_read(slice_of(text), &value), DECIMAL_OK);
    return value;
}

static char scale_why[PLAYBACK_WHY_BYTES];

static bool scale(uint8_t kind, uint8_t side, const char *price, const char *quantity, bool round, int64_t units[2])
{
    static struct playback_market coarse;
    struct playback_event         event = {
                .kind = kind, .side = side, .price = decimal(price), .quantity = decimal(quantity)
    };
    enum playback_part wrong;

    coarse = market;
    coarse.tick = 5, coarse.step = 100;
    coarse.min_price = 100, coarse.max_price = 20000;
    scale_why[0] = '\0';
    wrong = playback_scale(&coarse, &event, round, &units[0], &units[1], scale_why);
    assert_true((wrong == PLAYBACK_FITS) == (scale_why[0] == '\0'));
    return wrong == PLAYBACK_FITS;
}

/* Tick 0.5, step 0.001. */
static void test_scale(void **state)
{
    int64_t units[2];

    (void)state;
    assert_true(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.5", "0.003", false, units));
    assert_int_equal(units[0], 1005);
    assert_int_equal(units[1], 300);
    assert_false(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.6", "0.003", false, units));
    assert_false(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.55", "0.003", false, units));
    assert_false(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.5", "0.0035", false, units));
    assert_false(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.5", "999999999999999999", true, units));
    assert_true(scale(PLAYBACK_LEVEL, SIDE_BUY, "100.55", "0.0035", true, units));
    assert_int_equal(units[0], 1005);
    assert_int_equal(units[1], 300);
    assert_true(scale(PLAYBACK_LEVEL, SIDE_SELL, "100.51", "0.00099", true, units));
    assert_int_equal(units[0], 1010);
    assert_int_equal(units[1], 0);
    assert_true(scale(PLAYBACK_TRADE, SIDE_BUY, "100.6", "1", true, units));
    assert_int_equal(units[0], 1010);
    assert_true(scale(PLAYBACK_TRADE, SIDE_SELL, "100.6", "1", true, units));
    assert_int_equal(units[0], 1005);
}

/* What the symbol never takes, rounded or not: its prices are 10 to 2000, bids below one tick are left out. */
static void test_scale_bounds(void **state)
{
    int64_t units[2];

    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_true(scale(PLAYBACK_LEVEL, SIDE_BUY, "10", "1", round, units));
        assert_false(scale(PLAYBACK_LEVEL, SIDE_BUY, "9.5", "1", round, units));
        assert_string_equal(scale_why, "9.5 is below 10, the smallest price of BTC-USD");
        assert_true(scale(PLAYBACK_TRADE, SIDE_BUY, "2000", "1", round, units));
        assert_false(scale(PLAYBACK_TRADE, SIDE_BUY, "2000.5", "1", round, units));
        assert_string_equal(scale_why, "2000.5 is above 2000, the largest price of BTC-USD");
        assert_false(scale(PLAYBACK_LEVEL, SIDE_SELL, "999999999999999999", "1", round, units));
        assert_string_equal(scale_why, "999999999999999999 is above 2000, the largest price of BTC-USD");
        assert_true(scale(PLAYBACK_LEVEL, SIDE_SELL, "100", "9999999999.999", round, units));
        assert_false(scale(PLAYBACK_LEVEL, SIDE_SELL, "100", "10000000000", round, units));
        assert_string_equal(scale_why, "10000000000 is above 9999999999.99999, the largest quantity of BTC-USD");
    }
    assert_false(scale(PLAYBACK_LEVEL, SIDE_SELL, "2000.01", "1", true, units));
    assert_true(scale(PLAYBACK_LEVEL, SIDE_BUY, "0.3", "1", true, units));
    assert_int_equal(units[0], 0);
}

/* ---- rounding ---- */

static struct playback_rounding *rounding;

static void fine(uint8_t kind, uint8_t side, const char *price, const char *quantity)
{
    struct playback_event event = {
        .time_us = now_us, .kind = kind, .side = side, .price = decimal(price), .quantity = decimal(quantity)
    };

    assert_true(playback_rounding_play(rounding, book, &event));
}

/* Prices of 0.01 in a market of 0.1: bids that round to one price are one level. */
static void test_rounding(void **state)
{
    struct playback_event huge = { .time_us = 1,
                                   .kind = PLAYBACK_LEVEL,
                                   .side = SIDE_BUY,
                                   .price = decimal("300000000000000000"),
                                   .quantity = decimal("1") };

    (void)state;
    rounding = playback_rounding_open(&market);
    assert_non_null(rounding);
    start();
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.07", "0.0005");
    (void)one_op(PLAYBACK_PLACE, 1000, 50);
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.01", "0.0003009");
    (void)one_op(PLAYBACK_PLACE, 1000, 30);
    fine(PLAYBACK_LEVEL, SIDE_SELL, "100.11", "0.0004");
    (void)one_op(PLAYBACK_PLACE, 1002, 40);
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.07", "0.00035");
    (void)one_op(PLAYBACK_REDUCE, 1000, 15);
    now_us += PLAYBACK_LATE_US + 1;
    fine(PLAYBACK_TRADE, SIDE_SELL, "100.07", "0.0002");
    (void)one_op(PLAYBACK_TAKE, 1000, 20);
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.07", "0.00015");
    no_op();
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 45);
    fine(PLAYBACK_SNAPSHOT, 0, "0", "0");
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.01", "0.0003");
    fine(PLAYBACK_LEVEL, SIDE_BUY, "100.02", "0.0001");
    no_op(); /* at its end */
    fine(PLAYBACK_SETTLED, 0, "0", "0");
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 40);
    assert_int_equal(playback_book_recorded(book, SIDE_SELL, 1002), 0);
    assert_false(playback_rounding_play(rounding, book, &huge));
    playback_rounding_close(rounding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scale, open_book, close_book),
        cmocka_unit_test_setup_teardown(test_scale_bounds, open_book, close_book),
        cmocka_unit_test_setup_teardown(test_rounding, open_book, close_book),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
