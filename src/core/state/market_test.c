/* SPDX-License-Identifier: MIT */
/* Fast and exact paths give the same result: on both sides of every bound between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/book/filter.h"
#include "core/state/market.h"
#include "core/state/side.h"

static struct market market_of(int power, int64_t base_unit)
{
    struct market market = { .power = power, .value_unit = power >= 0 ? pow10_i64(power) : 0, .base_unit = base_unit };

    market.hold_unit[SIDE_BUY] = market.value_unit;
    market.hold_unit[SIDE_SELL] = base_unit;
    return market;
}

static void holds_are(const struct market *market, int64_t price, int64_t quantity)
{
    int128_t buy = notional_ceil(price, quantity, market->power), sell = (int128_t)quantity * market->base_unit, floor;
    int64_t  small;

    assert_true(market_hold(market, SIDE_BUY, price, quantity) == buy);
    assert_true(market_hold(market, SIDE_SELL, price, quantity) == sell);
    assert_true(market_value_ceil(market, price, quantity) == buy);
    floor = notional_floor(price, quantity, market->power);
    assert_true(market_value_floor(market, price, quantity) == floor);
    assert_int_equal(market_value_small(market, price, quantity, &small), market->power >= 0 && buy <= INT64_MAX);
    if (market->power >= 0 && buy <= INT64_MAX) assert_true(small == buy);
}

/* 3037000499 is the root of 2^63 rounded down; 9223372036854775807 = 7^2 * 73 * 127 * 337 * 92737 * 649657. */
static void a_product_is_the_same_below_and_above_64_bits(void **state)
{
    struct market one = market_of(0, 1), tens = market_of(3, 1000), shares = market_of(-3, 100);
    (void)state;

    for (int64_t off = -2; off <= 2; off++) {
        holds_are(&one, 3037000499 + off, 3037000499);
        holds_are(&one, 3037000500 + off, 3037000500);
        holds_are(&one, INT64_C(7) * 7 * 73 * 127 * 337 + off, INT64_C(92737) * 649657);
        holds_are(&tens, 3037000499 + off, 3037000); /* the unit takes it over the edge */
        holds_are(&tens, INT64_C(9223372036) + off, 1000000);
        holds_are(&tens, PRICE_MAX, QUANTITY_MAX + off - 2);
        holds_are(&shares, 3037000499 + off, 3037000499);
        holds_are(&shares, 1, 1000 + off);
        holds_are(&shares, PRICE_MAX, QUANTITY_MAX + off - 2);
    }
}

static void a_limit_reaches_its_own_price_and_all_better_ones(void **state)
{
    static const int64_t prices[] = { 1, 2, 50000, PRICE_MAX - 1, PRICE_MAX };
    (void)state;

    assert_int_equal(side_sign(SIDE_BUY), 1);
    assert_int_equal(side_sign(SIDE_SELL), -1);
    assert_int_equal(side_other(SIDE_BUY), SIDE_SELL);
    assert_int_equal(side_other(SIDE_SELL), SIDE_BUY);
    for (size_t i = 0; i < ARRAY_COUNT(prices); i++)
        for (size_t j = 0; j < ARRAY_COUNT(prices); j++) {
            assert_int_equal(side_reaches(SIDE_BUY, prices[i], prices[j]), prices[j] <= prices[i]);
            assert_int_equal(side_reaches(SIDE_SELL, prices[i], prices[j]), prices[j] >= prices[i]);
        }
}

static bool in_band(const struct market *market, uint8_t side, int64_t price, struct result *result)
{
    struct draft draft = { .market = market, .side = side, .type = TYPE_LIMIT, .price = price, .quantity = 1 };

    memset(result, 0, sizeof(*result));
    return filter_band(&draft, result);
}

/* Last price 1001, ratios of 5 % and 100 %: edges 1051.05, 950.95 and 0; and the largest price there is. */
static void the_band_ends_between_two_prices_on_either_side(void **state)
{
    struct market market = { .last_price = 1001 };
    struct result result;
    (void)state;

    market.band_edge[SIDE_BUY] = RATE_ONE + 5000000;
    market.band_edge[SIDE_SELL] = RATE_ONE - 5000000;
    assert_true(in_band(&market, SIDE_BUY, 1051, &result));
    assert_false(in_band(&market, SIDE_BUY, 1052, &result));
    assert_int_equal(result.reject, REJECT_BUY_PRICE_LIMIT);
    assert_int_equal(result.need.digits, 1051);
    assert_true(in_band(&market, SIDE_SELL, 951, &result));
    assert_false(in_band(&market, SIDE_SELL, 950, &result));
    assert_int_equal(result.reject, REJECT_SELL_PRICE_LIMIT);
    assert_int_equal(result.need.digits, 951);
    market.last_price = 1000; /* edges on a price: it is within */
    assert_true(in_band(&market, SIDE_BUY, 1050, &result));
    assert_false(in_band(&market, SIDE_BUY, 1051, &result));
    assert_true(in_band(&market, SIDE_SELL, 950, &result));
    assert_false(in_band(&market, SIDE_SELL, 949, &result));
    market.band_edge[SIDE_SELL] = 0;
    assert_true(in_band(&market, SIDE_SELL, 1, &result));
    market.last_price = PRICE_MAX;
    market.band_edge[SIDE_BUY] = RATE_ONE;
    market.band_edge[SIDE_SELL] = RATE_ONE;
    assert_true(in_band(&market, SIDE_BUY, PRICE_MAX, &result));
    assert_true(in_band(&market, SIDE_SELL, PRICE_MAX, &result));
    assert_false(in_band(&market, SIDE_SELL, PRICE_MAX - 1, &result));
}

static uint16_t value_reject(const struct market *market, int64_t price, int64_t quantity)
{
    static struct engine engine; /* its coins have precision 0 */
    struct draft         draft = {
                .market = market, .side = SIDE_SELL, .type = TYPE_LIMIT, .price = price, .quantity = quantity
    };
    struct result result = { 0 };
    bool          passed = filter_value(&engine, &draft, &result);

    assert_int_equal(passed, result.reject == REJECT_NONE);
    return result.reject;
}

/* Bounds of 2000 and 5000; with remainders (10^-3) the value itself is compared, not the rounded one. */
static void the_value_is_judged_alike_on_the_short_and_the_long_way(void **state)
{
    struct market one = market_of(0, 1), tens = market_of(3, 1), shares = market_of(-3, 1), wide = market_of(0, 1);
    (void)state;

    one.symbol.min_notional = tens.symbol.min_notional = shares.symbol.min_notional = 2000;
    one.symbol.max_notional = tens.symbol.max_notional = shares.symbol.max_notional = 5000;
    assert_int_equal(value_reject(&one, 1, 1999), REJECT_NOTIONAL_MIN);
    assert_int_equal(value_reject(&one, 1, 2000), REJECT_NONE);
    assert_int_equal(value_reject(&one, 5, 1000), REJECT_NONE);
    assert_int_equal(value_reject(&one, 1, 5001), REJECT_NOTIONAL_MAX);
    assert_int_equal(value_reject(&tens, 1, 1), REJECT_NOTIONAL_MIN);
    assert_int_equal(value_reject(&tens, 1, 2), REJECT_NONE);
    assert_int_equal(value_reject(&tens, 5, 1), REJECT_NONE);
    assert_int_equal(value_reject(&tens, 2, 3), REJECT_NOTIONAL_MAX);
    assert_int_equal(value_reject(&shares, 1, 1999999), REJECT_NOTIONAL_MIN);
    assert_int_equal(value_reject(&shares, 2, 1000000), REJECT_NONE);
    assert_int_equal(value_reject(&shares, 1, 5000000), REJECT_NONE);
    assert_int_equal(value_reject(&shares, 1, 5000001), REJECT_NOTIONAL_MAX);
    assert_int_equal(value_reject(&wide, INT64_C(1) << 31, INT64_C(1) << 31), REJECT_NONE); /* 2^62 */
    assert_int_equal(value_reject(&wide, (INT64_C(1) << 31) + 1, INT64_C(1) << 31), REJECT_NOTIONAL_OVERFLOW);
    assert_int_equal(value_reject(&wide, PRICE_MAX, QUANTITY_MAX), REJECT_NOTIONAL_OVERFLOW); /* beyond 64 bits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_the_same_below_and_above_64_bits),
        cmocka_unit_test(a_limit_reaches_its_own_price_and_all_better_ones),
        cmocka_unit_test(the_value_is_judged_alike_on_the_short_and_the_long_way),
        cmocka_unit_test(the_band_ends_between_two_prices_on_either_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
