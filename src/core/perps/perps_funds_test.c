/* SPDX-License-Identifier: MIT */
/* Purchases by funds: what closes needs no margin (mechanics 3.4), and their tier (mechanics 3.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_liquidating.h"

static const struct result *buy_for(struct fixture *f, uint32_t who, const char *funds)
{
    struct perps_order item = perps_item("funds", SIDE_BUY, TYPE_MARKET, TIF_IOC, "0", "0");

    item.price = item.quantity = (struct decimal){ 0 };
    item.funds = number(funds);
    return perps_send(f, who, BTC, &item, 1);
}

static const struct result *buy_quantity(struct fixture *f, uint32_t who, const char *quantity)
{
    struct perps_order item = perps_item("quantity", SIDE_BUY, TYPE_MARKET, TIF_IOC, "0", quantity);

    item.price = (struct decimal){ 0 };
    return perps_send(f, who, BTC, &item, 1);
}

/*
 * A has a cross short of 1 BTC at 100000, leverage ten, and has lost all but 3000: E is below the position's margin of
 * 10000, and above its maintenance of 2000. M offers 1 at `first` and enough at 100000.
 */
static struct fixture *under_margined(const char *first)
{
    struct fixture *f = start("0", "0");

    perps_deposit(f, A, USDC("14000"));
    join(f, M, "10000000");
    perps_trade(f, M, A, BTC, "100000", "1");
    perps_trade(f, A, M, ETH, "4000", "10");
    perps_prices(f, ETH, 290000, 290000);
    perps_trade(f, M, A, ETH, "2900", "10");
    assert_int_equal(perps_wallet(f, A), USDC("3000"));
    assert_int_equal(perps_size(f, A, BTC), -100000);
    assert_int_equal(perps_limit(f, M, "first", SIDE_SELL, first, "1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, M, "more", SIDE_SELL, "100000", "9")->reject, REJECT_NONE);
    return f;
}

static void leave(struct fixture *f)
{
    engine_verify(f->engine);
    fixture_free(f);
}

static void an_under_margined_account_closes_by_funds_as_by_quantity(void **state)
{
    struct fixture *f = under_margined("100000");
    (void)state;

    assert_int_equal(buy_quantity(f, A, "1")->status, STATUS_FILLED);
    leave(f);
    f = under_margined("100000");
    assert_int_equal(buy_for(f, A, "100000")->reject, REJECT_NONE);
    assert_int_equal(result_at(f, 0)->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_wallet(f, A), USDC("3000"));
    leave(f);
}

/* What is left of the funds opens at most what needs the margin of before: 10000 for 90990.99099 at the bound. */
static void what_does_not_close_needs_margin(void **state)
{
    struct fixture *f = under_margined("100000");
    (void)state;

    assert_int_equal(buy_for(f, A, "190990.990991")->reject, REJECT_ORDER_MARGIN);
    assert_int_equal(buy_for(f, A, "190990.99099")->reject, REJECT_NONE);
    assert_int_equal(result_at(f, 0)->status, STATUS_EXPIRED); /* the equity does not carry what opens (ruling 65) */
    assert_int_equal(perps_size(f, A, BTC), 0);
    leave(f);
}

/* 99000 close the position, so that 91990.99099 are left of the same funds: more than the margin of before carries. */
static void what_closes_costs_the_best_price_at_least(void **state)
{
    struct fixture *f = under_margined("99000");
    (void)state;

    assert_int_equal(buy_for(f, A, "189990.990991")->reject, REJECT_ORDER_MARGIN);
    assert_int_equal(buy_for(f, A, "189990.99099")->reject, REJECT_NONE);
    leave(f);
    f = under_margined("99000");
    assert_int_equal(buy_for(f, A, "100000")->status, STATUS_FILLED); /* 1000 are left, and 4000 of equity */
    assert_int_equal(perps_size(f, A, BTC), 1000);
    leave(f);
}

/* An order behind has less left to close: of 2.5 bought in all, 1.5 open and need more than the position. */
static void funds_close_before_orders_at_lower_prices(void **state)
{
    struct fixture *f = under_margined("100000");
    (void)state;

    assert_int_equal(perps_limit(f, A, "rests", SIDE_BUY, "99000", "2")->reject, REJECT_NONE);
    assert_int_equal(buy_for(f, A, "50000")->reject, REJECT_ORDER_MARGIN);
    assert_int_equal(perps_drop(f, A, BTC, "rests")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "rests", SIDE_BUY, "99000", "1.5")->reject, REJECT_NONE);
    assert_int_equal(buy_for(f, A, "50000")->status, STATUS_FILLED); /* 9900 for one of 1.5 + 0.5 */
    leave(f);
}

/* An isolated row closes by funds in the same way, whatever is left beside its bucket. */
static void an_isolated_short_closes_by_funds(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    perps_deposit(f, A, USDC("10000"));
    join(f, M, "10000000");
    assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, M, A, BTC, "100000", "1");
    assert_int_equal(perps_wallet(f, A), 0);
    assert_int_equal(perps_limit(f, M, "ask", SIDE_SELL, "100000", "2")->reject, REJECT_NONE);
    assert_int_equal(buy_for(f, A, "190990.990991")->reject, REJECT_ORDER_MARGIN);
    assert_int_equal(buy_for(f, A, "100000")->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, BTC), 0);
    leave(f);
}

/* M rests 50 BTC at 95000, where 4040000 buy 42.52631 of them: 4252631 at the mark, a tier of 20 times. */
static void funds_count_with_the_most_that_they_buy_for_the_tier(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    join(f, A, "1000000");
    join(f, M, "10000000");
    assert_int_equal(perps_leverage(f, M, BTC, 20, MARGIN_CROSS)->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, M, "ask", SIDE_SELL, "95000", "50")->reject, REJECT_NONE);
    assert_int_equal(buy_for(f, A, "4040000")->reject, REJECT_LEVERAGE_TIER);
    assert_int_equal(result_at(f, 0)->got.digits, INT64_C(4252631));
    assert_int_equal(buy_for(f, A, "3800000.95")->reject, REJECT_LEVERAGE_TIER);
    assert_int_equal(buy_for(f, A, "3800000")->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, BTC), 4000000);
    leave(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_under_margined_account_closes_by_funds_as_by_quantity),
        cmocka_unit_test(what_does_not_close_needs_margin),
        cmocka_unit_test(what_closes_costs_the_best_price_at_least),
        cmocka_unit_test(funds_close_before_orders_at_lower_prices),
        cmocka_unit_test(an_isolated_short_closes_by_funds),
        cmocka_unit_test(funds_count_with_the_most_that_they_buy_for_the_tier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
