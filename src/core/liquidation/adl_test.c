/* SPDX-License-Identifier: MIT */
/*
 * Deleveraging where the fund's own position is the first candidate (mechanics 3.12), and the rows that take-over and
 * deleveraging leave behind (ruling 50).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/liquidation/fund_day.h"
#include "rigs/core/perps_liquidating.h"

static int64_t fund_size(const struct fixture *f)
{
    const struct position *position = position_find(f->engine, SLOT_FUND, PERPS_FIRST);

    return position == NULL ? 0 : position->exposure.size;
}

/*
 * The fund has taken over A's long of 1 at 97000 and has 1000 more than it had, of which the day allows a fifth to be
 * lost. C has an isolated short of 1 at `price`, 25 times, against a long of D.
 */
static struct fixture *fund_long(const char *fund, const char *price, int64_t tenths)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC(fund);
    f->genesis.contracts[0].interest_rate = 0;
    f->genesis.contracts[0].init_leverage = 25;
    for (uint32_t i = 0; i < 2; i++) f->genesis.perps[i].taker_fee = f->genesis.perps[i].maker_fee = 0;
    fixture_start(f);
    join(f, A, "4000");
    join(f, M, "1000000");
    join(f, C, "10000");
    join(f, D, "100000");
    for (uint32_t who = A; who <= C; who += C - A)
        assert_int_equal(perps_leverage(f, who, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_prices(f, BTC, 970000, 970000);
    perps_tick(f, 1000);
    assert_true(last_position(f, A, BTC)->taken_over);
    assert_int_equal(fund_size(f), 100000);
    assert_int_equal(fund_cash(f), USDC(fund) + USDC("1000"));
    perps_prices(f, BTC, tenths, tenths);
    perps_trade(f, D, C, BTC, price, "1");
    return f;
}

/* The index is at 100000, the mark on its way: E_t -16800, of which the fund pays 5000, the day's limit. */
static void what_the_fund_bears_as_a_candidate_is_counted(void **state)
{
    struct fixture *f = fund_long("25000", "80000", 800000);
    (void)state;

    perps_prices(f, BTC, 816080, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(perps_fill(f, account_of(f, C), REASON_ADL, 0)->price, 882000);
    assert_int_equal(fund_size(f), 0);
    assert_int_equal(perps_size(f, D, BTC), 100000);
    assert_int_equal(fund_cash(f), USDC("26000") - USDC("5000") - USDC("8800"));
    assert_int_equal(engine_perps(f->engine)[0].fund.loss, USDC("5000"));
    assert_int_equal(engine_perps(f->engine)[0].fund.beyond, USDC("11800"));
    assert_int_equal(f->engine->fund_day.beyond, USDC("11800"));
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * C's short of 1 at 60000 with a bucket of 2400, mark and index at 80000: E_t -17600. The fund pays a fifth of what it
 * had and has 0.8 of it less 16000 left; its part costs it 17600 less that fifth. Both are 10880 at 33600, and a unit
 * for each candidate is kept for roundings.
 */
static struct fixture *poor_fund(const char *fund)
{
    struct fixture *f = fund_long(fund, "60000", 600000);

    perps_prices(f, BTC, 800000, 800000);
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, C, BTC), 0);
    assert_false(f->engine->insolvent);
    engine_verify(f->engine);
    return f;
}

static void the_fund_bears_as_much_as_it_has(void **state)
{
    struct fixture *f = poor_fund("33600.000002");
    (void)state;

    assert_int_equal(fund_size(f), 0);
    assert_int_equal(perps_size(f, D, BTC), 100000);
    assert_int_equal(f->engine->fund_day.beyond, USDC("10880"));
    fixture_free(f);
    f = poor_fund("33600.000001"); /* one step less, which the next candidate takes */
    assert_int_equal(perps_fill(f, account_of(f, D), REASON_ADL, 0)->quantity, 1);
    assert_int_equal(perps_size(f, D, BTC), 99999);
    assert_int_equal(fund_size(f), 1);
    fixture_free(f);
    f = poor_fund("25000"); /* E 4000 after 5000 were paid; all of it would cost 12600 */
    assert_int_equal(perps_fill(f, account_of(f, D), REASON_ADL, 0)->quantity, 100000 - 31746);
    assert_int_equal(fund_size(f), 0); /* then the mark closes the rest: 0.004 of E carry none of it (mechanics 3.13) */
    assert_int_equal(fund_cash(f), USDC("0.004"));
    fixture_free(f);
}

/* A's cross long of 1 with 4000 at the default leverage; the fund may hold `inventory`. */
static struct fixture *plain_rows(int64_t inventory, uint32_t *before)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC("50000");
    f->genesis.contracts[0].interest_rate = 0;
    f->genesis.contracts[0].init_leverage = 25;
    f->genesis.contracts[0].fund_max_inventory = inventory;
    for (uint32_t i = 0; i < 2; i++) f->genesis.perps[i].taker_fee = f->genesis.perps[i].maker_fee = 0;
    fixture_start(f);
    perps_deposit(f, A, USDC("4000"));
    perps_deposit(f, M, USDC("1000000"));
    *before = f->engine->position_count;
    perps_trade(f, A, M, BTC, "100000", "1");
    assert_int_equal(f->engine->position_count, *before + 2);
    perps_prices(f, BTC, 970000, 970000);
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, A, BTC), 0);
    return f;
}

static void a_row_that_was_taken_over_or_deleveraged_is_free(void **state)
{
    uint32_t        before;
    struct fixture *f = plain_rows(0, &before);
    (void)state;

    assert_null(perps_position(f, A, BTC));
    assert_int_equal(f->engine->position_count, before + 2); /* of M and of the fund */
    engine_verify(f->engine);
    fixture_free(f);
    f = plain_rows(1, &before);
    assert_null(perps_position(f, A, BTC));
    assert_null(perps_position(f, M, BTC));
    assert_null(position_find(f->engine, SLOT_FUND, PERPS_FIRST));
    assert_int_equal(f->engine->position_count, before);
    engine_verify(f->engine);
    fixture_free(f);
}

/* One with a setting of the account's own, here its margin mode, stays. */
static void a_row_with_a_setting_stays(void **state)
{
    struct fixture *f = fund_long("25000", "80000", 800000);
    (void)state;

    assert_non_null(perps_position(f, A, BTC));
    assert_int_equal(perps_position(f, A, BTC)->mode, MARGIN_ISOLATED);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * A is long 1 BTC at 100000 and 25 ETH at 4000 with 9500, B has the other side of the BTC and `money`. Then BTC is at
 * 105000 and ETH at 3400: A's E is -500 and B's `money` less 5000. The fund may hold nothing and pays A's deficit, so
 * that B would close at the mark.
 */
static struct fixture *two_below_nothing(const char *money, uint8_t mode)
{
    struct fixture *f = calloc(1, sizeof(*f));
    char            more[32];

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC("50000");
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.perps[i].taker_fee = f->genesis.perps[i].maker_fee = 0;
        f->genesis.contracts[i].interest_rate = 0;
        f->genesis.contracts[i].fund_max_inventory = 1;
    }
    fixture_start(f);
    join(f, A, "9500");
    join(f, B, money);
    join(f, M, "1000000");
    assert_int_equal(perps_leverage(f, B, BTC, 25, mode)->reject, REJECT_NONE);
    perps_trade(f, A, B, BTC, "100000", "1");
    perps_trade(f, A, M, ETH, "4000", "25");
    if (mode == MARGIN_ISOLATED) {
        (void)snprintf(more, sizeof(more), "%.6f", (double)perps_wallet(f, B) / 1e6);
        assert_int_equal(perps_margin(f, B, BTC, more)->reject, REJECT_NONE);
        assert_int_equal(perps_wallet(f, B), 0);
    }
    perps_prices(f, BTC, 1050000, 1050000);
    perps_prices(f, ETH, 340000, 340000);
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).equity, -USDC("500"));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, B, BTC)).equity, USDC(money) - USDC("5000"));
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_size(f, B, BTC), 0);
    assert_int_equal(fund_size(f), 0);
    engine_verify(f->engine);
    return f;
}

/*
 * No cap may leave a unit below zero (mechanics 3.12, 4). One that is there already would leave its debt behind with
 * its position, at no unit's cost: it bears nothing, the fund holds the rest of A's, and ends B's in the same TICK.
 */
static void a_candidate_below_nothing_bears_nothing(void **state)
{
    (void)state;
    for (uint8_t mode = MARGIN_ISOLATED; mode <= MARGIN_CROSS; mode++) {
        struct fixture *f = two_below_nothing("4990", mode);

        assert_null(perps_fill(f, account_of(f, B), REASON_ADL, 0));
        assert_int_equal(perps_wallet(f, A), 0);
        assert_int_equal(perps_wallet(f, B), 0);
        assert_int_equal(fund_cash(f), USDC("50000") - USDC("500") - USDC("10"));
        fixture_free(f);
    }
}

/* At the mark B loses nothing, and the rounding of its part is a unit at most. */
static void a_candidate_with_a_unit_for_the_rounding_bears_all(void **state)
{
    (void)state;
    for (uint8_t mode = MARGIN_ISOLATED; mode <= MARGIN_CROSS; mode++) {
        struct fixture *f = two_below_nothing("5000.000001", mode);

        assert_int_equal(perps_fill(f, account_of(f, B), REASON_ADL, 0)->quantity, 100000);
        assert_int_equal(perps_wallet(f, B), 1);
        fixture_free(f);
        f = two_below_nothing("5000", mode);
        assert_null(perps_fill(f, account_of(f, B), REASON_ADL, 0));
        assert_int_equal(perps_wallet(f, B), 0);
        assert_int_equal(fund_cash(f), USDC("50000") - USDC("500"));
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_fund_bears_as_a_candidate_is_counted),
        cmocka_unit_test(the_fund_bears_as_much_as_it_has),
        cmocka_unit_test(a_row_that_was_taken_over_or_deleveraged_is_free),
        cmocka_unit_test(a_row_with_a_setting_stays),
        cmocka_unit_test(a_candidate_below_nothing_bears_nothing),
        cmocka_unit_test(a_candidate_with_a_unit_for_the_rounding_bears_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
