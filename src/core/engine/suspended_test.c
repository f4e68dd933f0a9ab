/* SPDX-License-Identifier: MIT */
/*
 * Mechanics 3.11: a cross unit with a suspended part is liquidated in its live symbols; the suspended rows keep their
 * part of the equity.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/liquidation/fund_day.h"
#include "rigs/core/perps_liquidating.h"

static void set_status(struct fixture *f, uint32_t symbol_id, uint8_t status)
{
    market_at(f->engine, (uint8_t)(PERPS_FIRST + symbol_id - 1))->symbol.status = status;
}
static int64_t wallet_of(const struct fixture *f, uint32_t who) { return ledger_wallet(f->engine, perps_slot(f, who)); }
static uint8_t stage_of(const struct fixture *f, uint32_t who)
{
    return engine_margins(f->engine)[perps_slot(f, who)].stage;
}
static const struct liquidated *receipt(const struct fixture *f, uint32_t n)
{
    return event_at(f, EVENT_LIQUIDATION, n);
}

/* A is long 1 BTC at 100000 and 5 ETH at 4000. Then BTC is at 95000, with a
   maintenance margin of 1900, and ETH, with one of 500, halted at `eth`. */
static struct fixture *halted(const char *fund, const char *wallet, int64_t btc_index, int64_t eth)
{
    struct fixture *f = start(fund, "0");

    join(f, A, "7000");
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_trade(f, A, M, ETH, "4000", "5");
    engine_margins(f->engine)[perps_slot(f, A)].wallet -= USDC("7000") - USDC(wallet); /* the loss in other symbols */
    engine_margins(f->engine)[perps_slot(f, M)].wallet += USDC("7000") - USDC(wallet);
    perps_prices(f, BTC, 950000, btc_index);
    perps_prices(f, ETH, eth, eth);
    engine_perps(f->engine)[0].contract.mark_step_cap = 1;
    set_status(f, ETH, SYMBOL_HALT);
    return f;
}

/* E 500 of a maintenance margin of 2400: the BTC takes 500 * 1900 / 2400 with it. */
static void the_live_row_goes_with_its_part_of_the_equity(void **state)
{
    struct fixture *f = halted("1000000", "5500", 950000, 400000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_size(f, A, ETH), 50000);
    assert_true(last_position(f, A, BTC)->taken_over);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size, 100000);
    assert_int_equal(receipt(f, 0)->stage, STAGE_TAKEOVER);
    assert_int_equal(receipt(f, 0)->equity, USDC("395.833333"));
    assert_int_equal(receipt(f, 0)->maintenance, USDC("1900"));
    assert_int_equal(receipt(f, 0)->share, USDC("395.833333"));
    assert_int_equal(fund_cash(f), USDC("1000395.833333"));
    assert_int_equal(wallet_of(f, A), USDC("104.166667"));
    assert_int_equal(stage_of(f, A), STAGE_BOOK);
    assert_int_equal(perps_limit(f, A, "more", SIDE_BUY, "90000", "0.001")->reject, REJECT_IN_LIQUIDATION);
    engine_verify(f->engine);
    for (uint32_t i = 0; i < 3; i++) { /* nothing happens until it trades again */
        liquidation_tick(f);
        assert_int_equal(event_count(f, EVENT_LIQUIDATION) + event_count(f, EVENT_UNIT), 0);
    }
    set_status(f, ETH, SYMBOL_TRADING);
    liquidation_tick(f);
    assert_int_equal(perps_size(f, A, ETH), 0);
    assert_int_equal(receipt(f, 0)->share, USDC("104.166667"));
    assert_int_equal(wallet_of(f, A), 0);
    assert_int_equal(stage_of(f, A), 0);
    assert_int_equal(fund_cash(f), USDC("1000500"));
    engine_verify(f->engine);
    fixture_free(f);
}

/* Two thirds of 2400 is 1600: of the whole unit, whichever part of it can be closed. */
static void two_thirds_are_those_of_the_whole_unit(void **state)
{
    struct fixture *f = halted("1000000", "6600", 950000, 400000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(perps_size(f, A, BTC), 100000);
    fixture_free(f);
    f = halted("1000000", "6599.999999", 950000, 400000);
    liquidation_tick(f);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(receipt(f, 0)->equity, USDC("1266.666665"));
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * ETH at 5000, its maintenance margin 625: the whole equity of the unit is profit there. The fund gets its part in
 * money, and the profit carries the wallet below zero.
 */
static void profit_of_a_suspended_row_carries_the_wallet(void **state)
{
    struct fixture *f = halted("1000000", "500", 950000, 500000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->share, USDC("376.237623"));
    assert_int_equal(wallet_of(f, A), -USDC("4876.237623"));
    assert_int_equal(perps_size(f, A, ETH), 50000);
    engine_verify(f->engine);
    set_status(f, ETH, SYMBOL_TRADING);
    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->share, USDC("123.762377"));
    assert_int_equal(wallet_of(f, A), 0);
    assert_int_equal(fund_cash(f), USDC("1000500"));
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * The index is 1000 below the mark, all of it of the BTC: its part of 395.833333 lacks 604.166667, whatever the equity
 * of the halted row.
 */
static void the_day_is_charged_what_the_live_rows_lack(void **state)
{
    struct fixture *f = halted("1000000", "5500", 940000, 400000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->stage, STAGE_TAKEOVER);
    assert_int_equal(receipt(f, 0)->equity_worse, -USDC("604.166667"));
    assert_int_equal(receipt(f, 0)->charge, USDC("604.166667"));
    assert_int_equal(engine_perps(f->engine)[0].fund.loss, USDC("604.166667"));
    assert_int_equal(engine_perps(f->engine)[1].fund.loss, 0);
    engine_verify(f->engine);
    fixture_free(f);
}

/* A fund that cannot bear 95000: the other side is closed at t, and the halted row keeps its equity. */
static void the_other_side_is_deleveraged_in_the_live_symbol_alone(void **state)
{
    struct fixture *f = halted("0", "5500", 950000, 400000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->stage, STAGE_ADL);
    assert_int_equal(receipt(f, 0)->refusal, FUND_NO_CARRY);
    assert_int_equal(receipt(f, 0)->price, 950000);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_size(f, M, BTC), 0);
    assert_int_equal(perps_size(f, A, ETH), 50000);
    assert_int_equal(perps_size(f, M, ETH), -50000);
    assert_int_equal(wallet_of(f, A), USDC("104.166667"));
    assert_int_equal(fund_cash(f), USDC("395.833333"));
    engine_verify(f->engine);
    fixture_free(f);
}

/* E -500: the BTC's part is rounded down to -395.833334, which the fund pays, as
   far as it has money; the rest lacks its own part until it can go. */
static void a_deficit_is_shared_like_equity(void **state)
{
    struct fixture *f = halted("1000000", "4500", 950000, 400000);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->charge, USDC("395.833334"));
    assert_int_equal(fund_cash(f), USDC("999604.166666"));
    assert_int_equal(wallet_of(f, A), -USDC("104.166666"));
    engine_verify(f->engine);
    fixture_free(f);
    f = halted("0", "4500", 950000,
               400000); /* without money: the other side closes at the bankruptcy price of the part */
    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->stage, STAGE_ADL);
    assert_int_equal(receipt(f, 0)->value, USDC("95395.833334"));
    assert_int_equal(wallet_of(f, A), -USDC("104.166666"));
    assert_int_equal(fund_cash(f), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

/* The fund's check counts its own halted row, but not the unit's. */
static void the_fund_is_asked_for_the_live_rows_alone(void **state)
{
    struct fixture *f = halted("1000000", "5500", 950000, 400000);
    (void)state;

    set_status(f, ETH, SYMBOL_TRADING);
    join(f, B, "1000");
    perps_trade(f, B, M, ETH, "4000", "4");
    perps_prices(f, BTC, 1000000, 1000000); /* A is healthy, B has 200 of 380 */
    perps_prices(f, ETH, 380000, 380000);
    liquidation_tick(f);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST + 1)->exposure.size, 40000);
    assert_int_equal(perps_size(f, A, BTC), 100000);
    set_status(f, ETH, SYMBOL_HALT);
    perps_prices(f, BTC, 950000, 950000);
    liquidation_tick(f);
    assert_int_equal(receipt(f, 0)->stage, STAGE_TAKEOVER);
    assert_int_equal(receipt(f, 0)->inventory, USDC("95000"));
    assert_int_equal(receipt(f, 0)->fund_carries, USDC("110200"));
    assert_int_equal(receipt(f, 0)->fund_equity, USDC("1000200") + receipt(f, 0)->equity);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST + 1)->exposure.size, 40000);
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_live_row_goes_with_its_part_of_the_equity),
        cmocka_unit_test(two_thirds_are_those_of_the_whole_unit),
        cmocka_unit_test(profit_of_a_suspended_row_carries_the_wallet),
        cmocka_unit_test(the_day_is_charged_what_the_live_rows_lack),
        cmocka_unit_test(the_other_side_is_deleveraged_in_the_live_symbol_alone),
        cmocka_unit_test(a_deficit_is_shared_like_equity),
        cmocka_unit_test(the_fund_is_asked_for_the_live_rows_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
