/* SPDX-License-Identifier: MIT */
/* Ruling 66: the insurance fund's maximum loss in a day, and the price at which it unwinds; both sides of each bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/liquidation/fund.h"
#include "core/liquidation/fund_day.h"
#include "rigs/core/perps_liquidating.h"

/* A long of 10 at 100000 with 40000 of money; the mark moves to 97000, the index to 94000: E 10000, E_t -20000 (E10c).
 */
static struct fixture *gap_start(const char *fund, int64_t of_symbol, int64_t of_all)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC(fund);
    f->genesis.rules.fund_loss_ratio = of_symbol;
    f->genesis.rules.fund_total_ratio = of_all;
    f->genesis.contracts[0].interest_rate = 0;
    fixture_start(f);
    join(f, A, "40000");
    join(f, B, "40000");
    join(f, M, "1000000");
    for (uint32_t who = A; who <= B; who += B - A)
        assert_int_equal(perps_leverage(f, who, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "10");
    perps_prices(f, BTC, 979797, 940000);
    perps_tick(f, 1000);
    assert_int_equal(engine_perps(f->engine)[0].mark, 970000);
    return f;
}

static const struct liquidated *receipt(const struct fixture *f, uint32_t n)
{
    return event_at(f, EVENT_LIQUIDATION, n);
}
static int64_t lost(const struct fixture *f) { return engine_perps(f->engine)[0].fund.loss; }

/* At the take-over's mark the unit has equity left; at the index it has a deficit. */
static void a_take_over_charges_what_the_unit_lacks_at_the_worse_price(void **state)
{
    struct fixture *f = gap_start("400000", RATE_ONE / 20, RATE_ONE);
    (void)state;

    assert_true(last_position(f, A, BTC)->taken_over);
    assert_int_equal(receipt(f, 0)->stage, STAGE_TAKEOVER);
    assert_int_equal(receipt(f, 0)->equity, USDC("10000"));
    assert_int_equal(receipt(f, 0)->equity_worse, -USDC("20000"));
    assert_int_equal(receipt(f, 0)->symbol_left, USDC("20000"));
    assert_int_equal(receipt(f, 0)->charge, USDC("20000"));
    assert_int_equal(receipt(f, 0)->fund_after - receipt(f, 0)->fund_before, USDC("10000"));
    assert_int_equal(lost(f), USDC("20000"));
    engine_verify(f->engine);
    fixture_free(f);
    f = gap_start("399999.99", RATE_ONE / 20, RATE_ONE); /* half a thousandth of a dollar less */
    assert_int_equal(receipt(f, 0)->stage, STAGE_ADL);
    assert_int_equal(receipt(f, 0)->refusal, FUND_NO_SYMBOL_BUDGET);
    assert_int_equal(receipt(f, 0)->charge, USDC("19999.9995"));
    assert_int_equal(lost(f), USDC("19999.9995"));
    engine_verify(f->engine);
    fixture_free(f);
}

static void one_limit_holds_for_all_symbols_together(void **state)
{
    struct fixture *f = gap_start("400000", RATE_ONE, RATE_ONE / 20);
    (void)state;

    assert_int_equal(receipt(f, 0)->stage, STAGE_TAKEOVER);
    assert_int_equal(f->engine->fund_day.loss, USDC("20000"));
    assert_int_equal(fund_total_left(f->engine), 0);
    engine_verify(f->engine);
    fixture_free(f);
    f = gap_start("399999.99", RATE_ONE, RATE_ONE / 20);
    assert_int_equal(receipt(f, 0)->stage, STAGE_ADL);
    assert_int_equal(receipt(f, 0)->refusal, FUND_NO_TOTAL_BUDGET);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * The limits are shares of the fund's balance at the first TICK of the day: neither later income nor later losses
 * change them.
 */
static void a_day_has_its_limits_from_its_first_tick(void **state)
{
    struct fixture *f = gap_start("400000", RATE_ONE, RATE_ONE / 20);
    (void)state;

    assert_int_equal(fund_cash(f), USDC("410000"));
    assert_int_equal(fund_total_limit(f->engine), USDC("20000"));
    perps_tick(f, DAY_MS - f->time_ms % DAY_MS - 1);
    assert_int_equal(fund_total_left(f->engine), 0);
    perps_tick(f, 1);
    assert_int_equal(fund_total_limit(f->engine), f->engine->fund_day.wallet / 20);
    assert_int_equal(f->engine->fund_day.loss, 0);
    assert_int_equal(lost(f), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * The fund holds a long of 2, with mark and index at 100000, all of its take-over's money as cushion, and the given
 * bids.
 */
static struct fixture *inventory_start(const char *bid, const char *cushion)
{
    struct fixture *f = start("50000", "0.0004");

    join(f, A, "11000");
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "2");
    perps_prices(f, BTC, 945000, 945000);
    perps_tick(f, 1000);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size, 200000);
    perps_prices(f, BTC, 945000, 945000);
    assert_int_equal(perps_limit(f, M, "bid", SIDE_BUY, bid, "2")->reject, REJECT_NONE);
    engine_perps(f->engine)[0].fund.cushion = USDC(cushion);
    return f;
}

static bool sells(struct fixture *f)
{
    uint32_t trades;

    perps_tick(f, 1000);
    trades = event_count(f, EVENT_TRADE);
    engine_verify(f->engine);
    fixture_free(f);
    return trades != 0;
}

/* 94500 less half a per cent is 94027.5. */
static void unwinding_goes_half_a_per_cent_from_the_better_price(void **state)
{
    struct fixture *f = inventory_start("94027.5", "2000");
    (void)state;

    assert_true(sells(f));
    assert_false(sells(inventory_start("94027.4", "2000")));
    f = inventory_start("94027.5", "2000");
    perps_prices(f, BTC, 945000, 945100); /* the index is better: 94037.5 */
    engine_perps(f->engine)[0].contract.mark_step_cap = 1;
    assert_false(sells(f));
}

/* Without a cushion from the position, its price and its fee must be recovered: 94500 / (1 - 0.0004) is 94537.82. */
static void unwinding_costs_no_more_than_the_position_brought_along(void **state)
{
    struct fixture *f = inventory_start("94537.9", "0");
    (void)state;

    assert_true(sells(f));
    assert_false(sells(inventory_start("94537.8", "0")));
    f = inventory_start("94100", "0"); /* a position taken over at a loss may use the day's budget */
    engine_perps(f->engine)[0].fund.gapped = 1;
    assert_true(sells(f));
}

/* 0.2 at 94100, the fee 7.528: 80 + 7.528 less than at t; charged, and spent of the cushion. */
static void what_unwinding_brings_less_is_charged(void **state)
{
    struct fixture *f = inventory_start("94100", "2000");
    (void)state;

    perps_tick(f, 1000);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->quantity, 20000);
    assert_int_equal(lost(f), USDC("87.528"));
    assert_int_equal(engine_perps(f->engine)[0].fund.cushion, USDC("2000") - USDC("87.528"));
    engine_verify(f->engine);
    fixture_free(f);
}

static void the_fund_unwinds_only_while_the_index_is_live(void **state)
{
    struct fixture      *f = inventory_start("94500", "2000");
    struct apply_context ctx = { .engine = f->engine, .events = &f->events, .command = &f->room.head };
    (void)state;

    f->events.len = 0;
    engine_perps(f->engine)[0].state = ORACLE_FALLBACK;
    (void)fund_keep(&ctx);
    assert_int_equal(event_count(f, EVENT_TRADE), 0);
    engine_perps(f->engine)[0].state = ORACLE_LIVE;
    (void)fund_keep(&ctx);
    assert_int_equal(event_count(f, EVENT_TRADE), 1);
    fixture_free(f);
}

/* The day's budget is used up: nothing is sold below t, whatever the cushion. */
static void unwinding_stays_within_the_day(void **state)
{
    struct fixture *f = inventory_start("94500", "2000");
    (void)state;

    fund_lost(f->engine, PERPS_FIRST, fund_symbol_left(f->engine, PERPS_FIRST));
    assert_false(sells(f));
    f = inventory_start("94537.9", "2000");
    fund_lost(f->engine, PERPS_FIRST, fund_symbol_left(f->engine, PERPS_FIRST));
    assert_true(sells(f));
}

/* The TICK's trades of the fund with 97 bids, of which 95 are of two steps at 86250.1, and so much left of the day. */
static uint32_t small_fills(int64_t left)
{
    struct fixture *f = inventory_start("80000", "2000");
    int64_t         before;
    uint32_t        trades;

    perps_prices(f, BTC, 862156, 862156);
    for (uint32_t i = 0; i < 95; i++) {
        char id[16];

        (void)snprintf(id, sizeof(id), "s%u", i);
        assert_int_equal(perps_limit(f, M, id, SIDE_BUY, "86250.1", "0.00002")->reject, REJECT_NONE);
    }
    assert_int_equal(perps_limit(f, M, "last", SIDE_BUY, "86250.1", "0.0171")->reject, REJECT_NONE);
    fund_lost(f->engine, PERPS_FIRST, fund_symbol_left(f->engine, PERPS_FIRST) - left);
    before = lost(f);
    perps_tick(f, 1000);
    trades = event_count(f, EVENT_TRADE);
    assert_true(lost(f) - before <= left);
    engine_verify(f->engine);
    fixture_free(f);
    return trades;
}

/*
 * Each fill of 0.00002 at 86250.1 brings 1.724311, its fee of 0.000691 paid, where t is worth 1.724312: 95 of them lose
 * 95 units, though the price recovers for all of them together what t is worth less 90. Two units for each order that
 * may fill are kept.
 */
static void many_small_fills_stay_within_the_day(void **state)
{
    (void)state;
    assert_int_equal(small_fills(90), 0);
    assert_int_equal(small_fills(2 * 97 + 90), 95);
}

/*
 * The fund is unhealthy at a mark of 69690, a TICK above the 69000 that an empty book's quotes might have made; the
 * index is 80000. It gives up its position to the other side at the index; where the mark is higher, at the mark.
 */
static void an_unhealthy_fund_gives_up_its_position_at_the_better_price(void **state)
{
    const struct {
        int64_t index, mark, price;
    } rows[] = { { 800000, 690000, 800000 }, { 690000, 700000, 693000 } };
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        struct fixture *f = inventory_start("60000", "2000");

        perps_prices(f, BTC, rows[i].index, rows[i].index);
        engine_perps(f->engine)[0].index = rows[i].index; /* the last steps of a long fall */
        engine_perps(f->engine)[0].mark = rows[i].mark;
        perps_tick(f, 1000);
        assert_int_equal(receipt(f, 0)->stage, STAGE_ADL);
        assert_int_equal(receipt(f, 0)->account_id, 1);
        assert_int_equal(receipt(f, 0)->price, rows[i].price);
        assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST) == NULL
                             ? 0
                             : position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size,
                         0);
        engine_verify(f->engine);
        fixture_free(f);
    }
}

/* An hour with that much premium ends. */
static void end_hour(struct fixture *f, int64_t premium)
{
    struct perps_market *btc = &engine_perps(f->engine)[0];

    btc->premium_sum = premium;
    btc->premium_count = 1;
    perps_prices(f, BTC, btc->index, btc->index);
    perps_tick(f, FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS);
}

static int64_t paid_by(const struct fixture *f, uint64_t account_id)
{
    const struct funded *event;
    int64_t              sum = 0;

    for (uint32_t i = 0; (event = event_at(f, EVENT_FUNDING, i)) != NULL; i++)
        if (event->account_id == account_id) sum += event->payment;
    return sum;
}

/*
 * The fund is long 2, M short 2: M receives nothing. With B long 1 and M short 3, M receives the amount that B paid
 * and no more.
 */
static void the_fund_pays_no_funding(void **state)
{
    struct fixture *f = inventory_start("60000", "2000");
    int64_t         before = fund_cash(f), paid;
    (void)state;

    end_hour(f, FUNDING_ONE / 50);
    assert_int_equal(event_count(f, EVENT_FUNDING), 1);
    assert_int_equal(paid_by(f, account_of(f, M)), 0);
    assert_int_equal(fund_cash(f), before);
    engine_verify(f->engine);
    join(f, B, "100000");
    perps_trade(f, B, M, BTC, "94500", "1");
    before = fund_cash(f);
    end_hour(f, FUNDING_ONE / 50);
    paid = paid_by(f, account_of(f, B));
    assert_int_equal(event_count(f, EVENT_FUNDING), 2);
    assert_true(paid > 0);
    assert_in_range(paid + paid_by(f, account_of(f, M)), 0, 1); /* a fraction is the fund's */
    assert_int_equal(fund_cash(f), before + paid + paid_by(f, account_of(f, M)));
    engine_verify(f->engine);
    fixture_free(f);
}

/* A long of 1 with 4000 behind it would pay 118.75 at a mark of 100000. At
   an index of 96000 it has nothing left: then it pays nothing. */
static void a_unit_pays_as_much_funding_as_it_has_at_the_worse_price(void **state)
{
    /* clang-format off */
    const struct { int64_t index; const char *pays; } rows[] = {
        { 1000000, "118.75" }, { 961188, "118.75" }, { 961187, "118.7" }, { 960001, "0.1" }, { 960000, "0" },
          { 959000, "0" } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture      *f = start("1000000", "0");
        struct perps_market *btc = &engine_perps(f->engine)[0];

        join(f, A, "10000");
        join(f, M, "100000");
        assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
        perps_trade(f, A, M, BTC, "100000", "1");
        btc->premium_sum = FUNDING_ONE / 50;
        btc->premium_count = 1;
        btc->contract.mark_step_cap = 1;
        perps_prices(f, BTC, 1000000, rows[i].index);
        perps_tick(f, FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS);
        assert_int_equal(btc->mark, 1000000);
        assert_int_equal(paid_by(f, account_of(f, A)), USDC(rows[i].pays));
        assert_int_equal(paid_by(f, account_of(f, M)), -USDC(rows[i].pays));
        engine_verify(f->engine);
        fixture_free(f);
    }
    /* clang-format on */
}

static void the_fund_receives_funding_like_everybody(void **state)
{
    struct fixture *f = inventory_start("60000", "2000");
    int64_t         before = fund_cash(f), paid;
    (void)state;

    end_hour(f, -FUNDING_ONE / 50);
    paid = paid_by(f, account_of(f, M));
    assert_true(paid > 0);
    assert_in_range(paid + paid_by(f, 1), 0, 1);
    assert_int_equal(fund_cash(f), before + paid);
    engine_verify(f->engine);
    fixture_free(f);
}

/* FUND emits the whole and the symbol: balance, inventory, the used part of the day's budget. */
static void the_fund_tells_its_state(void **state)
{
    struct fixture            *f = gap_start("400000", RATE_ONE / 20, RATE_ONE / 10);
    const struct fund_changed *symbol = event_at(f, EVENT_FUND, 0),
                              *whole = event_at(f, EVENT_FUND, event_count(f, EVENT_FUND) - 1);
    (void)state;

    assert_int_equal(symbol->symbol_id, BTC);
    assert_int_equal(symbol->size, 1000000);
    assert_int_equal(symbol->inventory, USDC("970000"));
    assert_int_equal(symbol->loss, USDC("20000"));
    assert_int_equal(symbol->loss_limit, USDC("20000"));
    assert_int_equal(whole->symbol_id, 0);
    assert_int_equal(whole->wallet, USDC("410000"));
    assert_int_equal(whole->loss, USDC("20000"));
    assert_int_equal(whole->loss_limit, USDC("40000"));
    assert_int_equal(whole->inventory_limit, USDC("2050000"));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_take_over_charges_what_the_unit_lacks_at_the_worse_price),
        cmocka_unit_test(one_limit_holds_for_all_symbols_together),
        cmocka_unit_test(a_day_has_its_limits_from_its_first_tick),
        cmocka_unit_test(unwinding_goes_half_a_per_cent_from_the_better_price),
        cmocka_unit_test(unwinding_costs_no_more_than_the_position_brought_along),
        cmocka_unit_test(what_unwinding_brings_less_is_charged),
        cmocka_unit_test(the_fund_unwinds_only_while_the_index_is_live),
        cmocka_unit_test(unwinding_stays_within_the_day),
        cmocka_unit_test(many_small_fills_stay_within_the_day),
        cmocka_unit_test(an_unhealthy_fund_gives_up_its_position_at_the_better_price),
        cmocka_unit_test(the_fund_pays_no_funding),
        cmocka_unit_test(a_unit_pays_as_much_funding_as_it_has_at_the_worse_price),
        cmocka_unit_test(the_fund_receives_funding_like_everybody),
        cmocka_unit_test(the_fund_tells_its_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
