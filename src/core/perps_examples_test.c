/* SPDX-License-Identifier: MIT */
/* The worked examples E4, E5, E7, E11, E12, E13, E14, E15, E18, E20 and E22 of mechanics 9 through the engine, with exactly their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/book.h"
#include "core/ledger.h"
#include "core/perps_fixture.h"

#define USDC(text) in_units(text, 6)

static int64_t in_units(const char *text, int precision)
{
    int64_t units;
    assert_true(decimal_to_units(number(text), precision, INT64_MAX, &units));
    return units;
}

enum { A = 1, M, C };

/* No fees and no interest unless the example has them. */
static struct fixture *start(const char *taker_fee, int64_t interest)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.contracts[i].interest_rate = interest;
        f->genesis.perps[i].taker_fee = in_units(taker_fee, 8);
    }
    fixture_start(f);
    return f;
}

static void join(struct fixture *f, uint32_t who, const char *amount, uint32_t leverage)
{
    perps_deposit(f, who, in_units(amount, 6));
    assert_int_equal(perps_leverage(f, who, BTC, leverage, MARGIN_CROSS)->reject, REJECT_NONE);
    assert_int_equal(perps_leverage(f, who, ETH, leverage > 20 ? 20 : leverage, MARGIN_CROSS)->reject, REJECT_NONE);
}

static struct position    *row(const struct fixture *f, uint32_t who) { return position_find(f->engine, perps_slot(f, who), PERPS_FIRST); }
static struct perps_market *btc(const struct fixture *f)              { return engine_perps(f->engine); }

static void e4_averaging_partial_close_and_flip(void **state)
{
    struct fixture                *f = start("0", 0);
    const struct position_changed *closed, *opened;
    (void)state;

    join(f, A, "100000", 10);
    join(f, M, "100000", 10);
    perps_trade(f, A, M, BTC, "100000", "0.3");
    perps_trade(f, A, M, BTC, "101000.7", "0.7");
    assert_true(row(f, A)->stake.cost == USDC("100700.49"));
    perps_trade(f, M, A, BTC, "102000", "0.33333");
    assert_int_equal(row(f, A)->realized, USDC("433.165669"));
    assert_true(row(f, A)->stake.cost == USDC("67133.995669"));
    perps_trade(f, M, A, BTC, "99000", "1");
    closed = event_at(f, EVENT_POSITION, 0);                        /* the taker's: closed … */
    opened = event_at(f, EVENT_POSITION, 1);                        /* … and opened by the same fill */
    assert_int_equal(closed->size, 0);
    assert_int_equal(closed->reason, REASON_FLIP);
    assert_int_equal(closed->closed_size, 100000);
    assert_int_equal(closed->realized, USDC("433.165669") - USDC("1133.665669"));
    assert_int_equal(opened->size, -33333);
    assert_int_equal(opened->cost_low, -USDC("32999.67"));
    assert_true(opened->position_id > closed->position_id);
    assert_int_equal(perps_wallet(f, A), USDC("99299.5"));
    assert_true(perps_wallet(f, A) + perps_wallet(f, M) - row(f, A)->stake.cost - row(f, M)->stake.cost == USDC("200000"));
    engine_verify(f->engine);
    fixture_free(f);
}

/* The last POSITION of an account that is closed, or open, in the last command. */
static const struct position_changed *told_position(const struct fixture *f, uint64_t account_id, bool closed)
{
    const struct position_changed *event, *found = NULL;

    for (uint32_t n = 0; (event = event_at(f, EVENT_POSITION, n)) != NULL; n++)
        if (event->account_id == account_id && (event->size == 0) == closed) found = event;
    return found;
}

/* Mechanics 3.1: floor(fee * Nc / N) goes with the record that closes, the rest with the new one, for fees of both signs. */
static void e4_a_flip_shares_its_fee(void **state)
{
    /* The opening pays 3.3333. The flip is of 100003 at 0.01 %, 10.0003, and 0.33333 of it closes: 3.333399999. */
    static const struct { int64_t rate, first, closed, opened; } rows[] = {
        { 10000, 3333300, 3333399, 6666901 }, { -10000, -3333300, -3333400, -6666900 }, { 0, 0, 0, 0 } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = start("0.0005", 0);
        int64_t         before;

        for (uint32_t tier = 0; tier < FEE_TIERS_MAX; tier++) market_at(f->engine, PERPS_FIRST)->maker_rate[tier][0] = rows[i].rate;
        join(f, A, "100000", 10);
        join(f, M, "100000", 10);
        perps_trade(f, A, M, BTC, "100000", "0.33333");
        assert_int_equal(row(f, A)->fees, rows[i].first);
        before = perps_wallet(f, A);
        assert_int_equal(perps_limit(f, A, "flip", SIDE_SELL, "100003", "1")->reject, REJECT_NONE);
        assert_int_equal(perps_limit(f, M, "taker", SIDE_BUY, "100003", "1")->status, STATUS_FILLED);
        assert_int_equal(told_position(f, 1001, true)->fees, rows[i].first + rows[i].closed);
        assert_int_equal(told_position(f, 1001, false)->fees, rows[i].opened);
        assert_int_equal(told_position(f, 1001, false)->realized, -rows[i].opened);
        assert_int_equal(perps_wallet(f, A), before + 999990 - rows[i].closed - rows[i].opened);     /* 3 * 0.33333 won */
        engine_verify(f->engine);
        fixture_free(f);
    }
}

static void e5_worst_case_of_open_orders(void **state)
{
    struct fixture *f = start("0.0004", 0);
    (void)state;

    join(f, A, "200000", 10);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, "100000", "2");
    perps_limit(f, A, "b", SIDE_BUY, "99000", "1");
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC("29939.6"));
    perps_limit(f, A, "s1", SIDE_SELL, "101000", "3");
    perps_limit(f, A, "s2", SIDE_SELL, "102000", "1");
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC("29939.6"));
    assert_int_equal(perps_drop(f, A, BTC, "b")->reject, REJECT_NONE);
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC("20381.2"));     /* the flip side alone */
    fixture_free(f);
}

static void e5_open_loss_of_a_flat_account(void **state)
{
    struct fixture *f = start("0.0004", 0);
    (void)state;

    join(f, A, "10260.08", 10);
    perps_limit(f, A, "s", SIDE_SELL, "99900", "1");
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC("10140"));
    assert_int_equal(perps_drop(f, A, BTC, "s")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "b2", SIDE_BUY, "100200", "1.00001")->reject, REJECT_ORDER_MARGIN);
    assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "100200", "1")->reject, REJECT_NONE);       /* all there is */
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC("10260.08"));
    fixture_free(f);
}

static void e7_a_cross_account_with_two_positions(void **state)
{
    struct fixture  *f = start("0", 0);
    struct available has;
    struct health    health;
    (void)state;

    join(f, A, "12000", 20);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_trade(f, M, A, ETH, "4000", "20");
    perps_prices(f, BTC, 985000, 985000);
    perps_prices(f, ETH, 395000, 395000);
    health = unit_health(f->engine, row(f, A));
    assert_int_equal(health.equity, USDC("11500"));
    assert_int_equal(health.maintenance, USDC("1970") + USDC("1975"));
    has = unit_available(f->engine, perps_slot(f, A));
    assert_int_equal(has.margin, USDC("2625"));
    assert_int_equal(has.transferable, USDC("2625"));
    perps_prices(f, BTC, 1010000, 1010000);
    perps_prices(f, ETH, 390000, 390000);
    has = unit_available(f->engine, perps_slot(f, A));
    assert_int_equal(has.margin, USDC("6050"));
    assert_int_equal(has.transferable, USDC("3050"));
    assert_int_equal(transfer(f, A, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, "3050.000001"), REJECT_INSUFFICIENT_MARGIN);
    assert_int_equal(transfer(f, A, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, "3050"), REJECT_NONE);
    fixture_free(f);
}

static void e11_premium_rate_and_payments(void **state)
{
    struct fixture *f = start("0", 10000);
    (void)state;

    for (uint32_t who = A; who <= C + 1; who++) join(f, who, "100000", 10);
    perps_prices(f, BTC, 1000000, 1000000);
    perps_limit(f, C + 1, "b1", SIDE_BUY, "100150", "0.02");
    perps_limit(f, C + 1, "b2", SIDE_BUY, "100140", "0.05");
    perps_limit(f, C + 1, "a1", SIDE_SELL, "100160", "0.01");
    perps_limit(f, C + 1, "a2", SIDE_SELL, "100180", "1");
    perps_tick(f, 5000);
    assert_int_equal(btc(f)->premium_count, 1);
    assert_true(btc(f)->premium_sum == INT64_C(1440000000));        /* 0.00144 */
    fixture_free(f);

    f = start("0", 10000);
    for (uint32_t who = A; who <= C; who++) join(f, who, "100000", 10);
    perps_prices(f, BTC, 1001234, 1001234);
    perps_trade(f, A, M, BTC, "100123.4", "0.07777");
    perps_trade(f, A, C, BTC, "100123.4", "0.04568");
    btc(f)->premium_count = 1;                                      /* an hour of premium 0: 0.0000125 */
    perps_tick(f, FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS);
    assert_int_equal(event_count(f, EVENT_FUNDING), 3);
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 0))->rate, 12500000);
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 0))->payment, USDC("0.154503"));
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 1))->payment, -USDC("0.097332"));
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 2))->payment, -USDC("0.05717"));
    assert_int_equal(perps_wallet(f, A), USDC("99999.845497"));
    assert_int_equal(engine_margins(f->engine)[SLOT_FUND].wallet, 1);
    assert_int_equal(row(f, A)->realized, -USDC("0.154503"));
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- E12 ---- */

enum { PARENT, TP, SL };
static uint64_t ids[3];

static struct fixture *e12_start(void)
{
    struct fixture    *f = start("0", 0);
    struct perps_order items[3] = { perps_item("p", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "2"), perps_item("t", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "104000", NULL),
                                    perps_item("s", SIDE_SELL, TYPE_MARKET, TIF_IOC, NULL, NULL) };

    join(f, A, "1000000", 10);
    join(f, M, "1000000", 10);
    perps_prices(f, BTC, 1000000, 1000000);
    items[PARENT].modifier = MODIFIER_BRACKET;
    for (uint32_t i = TP; i <= SL; i++) {
        items[i].modifier = MODIFIER_ATTACHED_STOP;
        items[i].reduce_only = 1;
        items[i].trigger_type = TRIGGER_MARK_PRICE;
        items[i].stop_type = i == TP ? STOP_TAKE_PROFIT : STOP_LOSS;
        items[i].stop_price = number(i == TP ? "104000" : "98000");
    }
    perps_send(f, A, BTC, items, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(result_at(f, i)->reject, REJECT_NONE);
        assert_int_equal(result_at(f, i)->status, i == PARENT ? STATUS_NEW : STATUS_PENDING_NEW);
        ids[i] = result_at(f, i)->order_id;
    }
    return f;
}

static void check(const struct fixture *f, uint32_t which, uint8_t status, int64_t open)
{
    uint32_t ix = order_find_id(f->engine, perps_slot(f, A), ids[which]);

    assert_int_not_equal(ix, 0);
    assert_int_equal(order_at(f->engine, ix)->status, status);
    assert_int_equal(order_open(order_at(f->engine, ix)), open);
}

static void sell_to_parent(struct fixture *f, const char *quantity)
{
    struct perps_order item = perps_item("m", SIDE_SELL, TYPE_LIMIT, TIF_IOC, "100000", quantity);
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->status, STATUS_FILLED);
}

static void e12_first_part(struct fixture *f)
{
    sell_to_parent(f, "0.8");
    check(f, PARENT, STATUS_PARTIALLY_FILLED, 120000);
    check(f, TP, STATUS_NEW, 80000);
    check(f, SL, STATUS_NEW, 80000);
    assert_int_equal(perps_size(f, A, BTC), 80000);
}

static void e12_a_partly_filled_parent_keeps_its_protection(void **state)
{
    struct fixture *f = e12_start();
    (void)state;

    e12_first_part(f);
    assert_int_equal(perps_drop(f, A, BTC, "p")->reject, REJECT_NONE);
    assert_int_equal(perps_told(f, ids[PARENT])->base.status, STATUS_CANCELED);
    check(f, TP, STATUS_NEW, 80000);
    check(f, SL, STATUS_NEW, 80000);
    engine_verify(f->engine);
    fixture_free(f);
}

static void e12_the_stop_loss_overrides_a_resting_take_profit(void **state)
{
    struct fixture    *f = e12_start();
    struct perps_order item;
    (void)state;

    e12_first_part(f);
    sell_to_parent(f, "1.2");
    check(f, TP, STATUS_NEW, 200000);
    check(f, SL, STATUS_NEW, 200000);
    perps_prices(f, BTC, 1040000, 1040000);
    perps_tick(f, 1000);
    check(f, TP, STATUS_NEW, 200000);
    assert_int_not_equal(order_at(f->engine, order_find_id(f->engine, perps_slot(f, A), ids[TP]))->level, 0);      /* it rests */
    check(f, SL, STATUS_NEW, 200000);
    item = perps_item("buy", SIDE_BUY, TYPE_LIMIT, TIF_IOC, "104000", "0.5");
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->status, STATUS_FILLED);
    check(f, TP, STATUS_PARTIALLY_FILLED, 150000);
    check(f, SL, STATUS_NEW, 150000);
    item = perps_item("bid", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "97990", "2");
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->reject, REJECT_NONE);
    perps_prices(f, BTC, 979000, 979000);                           /* the resting orders hold the mark up a little */
    perps_tick(f, 1000);
    assert_int_equal(perps_told(f, ids[TP])->base.status, STATUS_CANCELED);
    assert_int_equal(perps_told(f, ids[TP])->base.reason, REASON_OCO_SIBLING);
    assert_int_equal(perps_told(f, ids[SL])->base.status, STATUS_FILLED);
    assert_int_equal(perps_told(f, ids[SL])->base.executed, 150000);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_wallet(f, A) - USDC("1000000"), -USDC("1015"));
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- E13 ---- */

static struct fixture *e13_start(void)
{
    struct fixture *f = start("0", 0);
    static const char *const price[] = { "101000", "102000", "103000" }, *const quantity[] = { "0.5", "0.4", "0.3" }, *const id[] = { "o1", "o2", "o3" };

    join(f, A, "1000000", 10);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, "100000", "1");
    for (uint32_t i = 0; i < 3; i++) {
        struct perps_order item = perps_item(id[i], SIDE_SELL, TYPE_LIMIT, TIF_GTC, price[i], quantity[i]);
        item.reduce_only = 1;
        assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, REJECT_NONE);
        ids[i] = result_at(f, 0)->order_id;
    }
    return f;
}

static void e13_the_one_that_does_not_fit_is_cut(void **state)
{
    struct fixture *f = e13_start();
    (void)state;

    check(f, 0, STATUS_NEW, 50000);
    check(f, 1, STATUS_NEW, 40000);
    check(f, 2, STATUS_NEW, 10000);
    assert_int_equal(perps_told(f, ids[2])->base.exec_type, EXEC_REPLACED);
    fixture_free(f);
}

static void e13_a_smaller_position_trims_the_worst(void **state)
{
    struct fixture *f = e13_start();
    (void)state;

    perps_trade(f, M, A, BTC, "100000", "0.4");
    check(f, 0, STATUS_NEW, 50000);
    check(f, 1, STATUS_NEW, 10000);
    assert_int_equal(perps_told(f, ids[1])->base.exec_type, EXEC_REPLACED);
    assert_int_equal(perps_told(f, ids[2])->base.status, STATUS_CANCELED);
    assert_int_equal(perps_told(f, ids[2])->base.reason, REASON_REDUCE_ONLY_TRIM);
    fixture_free(f);
}

static void e13_a_better_price_evicts(void **state)
{
    struct fixture    *f = e13_start();
    struct perps_order item = perps_item("o4", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "100500", "0.7"), late = perps_item("o5", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "101000", "0.1");
    (void)state;

    item.reduce_only = late.reduce_only = 1;
    assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, REJECT_NONE);
    check(f, 0, STATUS_NEW, 30000);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(perps_told(f, ids[i])->base.status, STATUS_CANCELED);
        assert_int_equal(perps_told(f, ids[i])->base.reason, REASON_REDUCE_ONLY_TRIM);
    }
    assert_int_equal(perps_send(f, A, BTC, &late, 1)->reject, REJECT_REDUCE_ONLY_FULL);
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- prices ---- */

/*
 * Ruling 67: the quotes and trades of E14 were 0.01 BTC, which is below the impact notional of 5000 and counts for nothing now;
 * with 0.1 BTC each, for whole seconds, the numbers of E14 are the same as before. The trade at 100045 and the one at 130050
 * have one size, so `last` is 115047.5 from t = 3 on (it was 130050); the median with bid and ask is above the clamp either way.
 */
static void e14_a_spoofed_book_barely_moves_the_mark(void **state)
{
    static const int64_t marks[8] = { 1000006, 1000006, 1000009, 1000076, 1000142, 1000208, 1000273, 1000338 };
    struct fixture      *f = calloc(1, sizeof(*f));
    (void)state;

    perps_genesis(&f->genesis);
    f->genesis.perps[0].buy_limit_up_ratio = f->genesis.perps[0].sell_limit_down_ratio = 99000000;
    f->genesis.contracts[0].interest_rate = 10000;
    f->genesis.rules.premium_sample_ms = FUNDING_HOUR_MS;           /* the example's rate is given */
    fixture_start(f);
    join(f, M, "1000000", 10);
    join(f, C, "1000000", 10);
    f->time_ms += FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS + FUNDING_HOUR_MS / 2 - 10000;
    perps_tick(f, 1000);                                            /* the hour begins */
    perps_trade(f, M, C, BTC, "100045", "0.1");
    perps_limit(f, M, "b", SIDE_BUY, "100040", "0.1");
    perps_limit(f, M, "a", SIDE_SELL, "100060", "0.1");
    perps_prices(f, BTC, 1000200, 1000000);
    btc(f)->basis = 0;
    btc(f)->premium_sum = 0;
    btc(f)->premium_count = 1;
    btc(f)->funding_rate = 12500000;
    f->time_ms += 8000;
    for (uint32_t t = 0; t < 8; t++) {
        if (t == 3) {
            perps_limit(f, M, "a2", SIDE_SELL, "130100", "0.1");
            assert_int_equal(perps_drop(f, M, BTC, "a")->reject, REJECT_NONE);
            perps_trade(f, M, C, BTC, "130050", "0.1");
            assert_int_equal(perps_drop(f, M, BTC, "b")->reject, REJECT_NONE);
            perps_limit(f, M, "b2", SIDE_BUY, "129900", "0.1");
        }
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, marks[t]);
    }
    fixture_free(f);
}

static void e14_a_gap_of_the_index_is_followed_by_steps(void **state)
{
    static const int64_t marks[8] = { 990000, 980100, 970299, 960597, 950992, 941483, 940000, 940000 };
    struct fixture      *f = start("0", 0);
    (void)state;

    perps_prices(f, BTC, 1000000, 1000000);
    perps_index(f, BTC, 940000);
    for (uint32_t t = 0; t < 8; t++) {
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, marks[t]);
    }
    fixture_free(f);
}

static void e15_margin_that_may_be_removed(void **state)
{
    static const struct { int64_t mark; const char *most, *more; } rows[] = {
        { 1000000, "-5000", "-5000.000001" }, { 1030000, "-4700", "-4700.000001" }, { 960000, "-1000", "-1000.000001" }, { 945000, NULL, "-0.000001" } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = start("0", 0);

        join(f, A, "100000", 10);
        join(f, M, "1000000", 10);
        assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
        perps_trade(f, A, M, BTC, "100000", "1");
        assert_int_equal(perps_margin(f, A, BTC, "5000")->reject, REJECT_NONE);
        assert_int_equal(row(f, A)->stake.bucket, USDC("15000"));
        perps_prices(f, BTC, rows[i].mark, rows[i].mark);
        assert_int_equal(perps_margin(f, A, BTC, rows[i].more)->reject, REJECT_MARGIN_ROOM);
        if (rows[i].most != NULL) assert_int_equal(perps_margin(f, A, BTC, rows[i].most)->reject, REJECT_NONE);
        engine_verify(f->engine);
        fixture_free(f);
    }
}

static void e18_the_band_around_the_mark_is_exact(void **state)
{
    struct fixture *f = start("0", 0);
    (void)state;

    join(f, A, "1000000", 10);
    perps_prices(f, BTC, 999999, 1000000);
    assert_int_equal(perps_limit(f, A, "b1", SIDE_BUY, "104999.9", "0.1")->reject, REJECT_PERPS_BUY_LIMIT);
    assert_int_equal(perps_limit(f, A, "b2", SIDE_BUY, "104999.8", "0.1")->reject, REJECT_NONE);
    fixture_free(f);
}

static void e20_transfers_by_id_arrive_on_perps(void **state)
{
    struct fixture *f = start("0", 0);
    (void)state;

    deposit(f, A, VUSDC, USDC("1000"));
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, "250.5"), REJECT_NONE);
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, "250.5"), REJECT_NONE);
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, "1"), REJECT_TRANSFER_CONFLICT);
    assert_int_equal(transfer(f, A, 8, TRANSFER_PERPS_WITHDRAW, VUSDC, "900"), REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(transfer(f, A, 8, TRANSFER_PERPS_WITHDRAW, VUSDC, "9.5"), REJECT_NONE);
    assert_int_equal(ledger_bucket(f->engine, perps_slot(f, A), VUSDC)->available, USDC("740"));
    assert_int_equal(perps_wallet(f, A), USDC("260"));
    fixture_free(f);
}

/* A stop whose condition holds is refused, so that what is refused shows the table; then the reference comes to the rest. */
static void e22_trigger_truth_table(void **state)
{
    static const struct { uint8_t side, kind; bool fires[3]; } rows[] = {
        { SIDE_SELL, STOP_TAKE_PROFIT, { false, true, true } }, { SIDE_SELL, STOP_LOSS, { true, true, false } },
        { SIDE_BUY, STOP_TAKE_PROFIT, { true, true, false } },  { SIDE_BUY, STOP_LOSS, { false, true, true } } };
    struct fixture *f = start("0", 0);
    (void)state;

    join(f, A, "1000000", 10);
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
        for (uint8_t trigger = TRIGGER_LAST_PRICE; trigger <= TRIGGER_INDEX_PRICE; trigger++)
            for (uint32_t at = 0; at < 3; at++) {
                struct perps_order item = perps_item("s", rows[i].side, TYPE_MARKET, TIF_IOC, NULL, "0.1");
                int64_t            reference = 990000 + 10000 * (int64_t)at;

                item.modifier = MODIFIER_STOP;
                item.stop_type = rows[i].kind;
                item.trigger_type = trigger;
                item.stop_price = number("100000");
                perps_prices(f, BTC, trigger == TRIGGER_MARK_PRICE ? reference : 1200000, trigger == TRIGGER_INDEX_PRICE ? reference : 800000);
                engine_perps(f->engine)->last_between = trigger == TRIGGER_LAST_PRICE ? reference : 500000;
                assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, rows[i].fires[at] ? REJECT_WOULD_TRIGGER : REJECT_NONE);
                if (!rows[i].fires[at]) assert_int_equal(perps_drop(f, A, BTC, "s")->reject, REJECT_NONE);
            }
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(e4_averaging_partial_close_and_flip),
        cmocka_unit_test(e4_a_flip_shares_its_fee),
        cmocka_unit_test(e5_worst_case_of_open_orders),
        cmocka_unit_test(e5_open_loss_of_a_flat_account),
        cmocka_unit_test(e7_a_cross_account_with_two_positions),
        cmocka_unit_test(e11_premium_rate_and_payments),
        cmocka_unit_test(e12_a_partly_filled_parent_keeps_its_protection),
        cmocka_unit_test(e12_the_stop_loss_overrides_a_resting_take_profit),
        cmocka_unit_test(e13_the_one_that_does_not_fit_is_cut),
        cmocka_unit_test(e13_a_smaller_position_trims_the_worst),
        cmocka_unit_test(e13_a_better_price_evicts),
        cmocka_unit_test(e14_a_spoofed_book_barely_moves_the_mark),
        cmocka_unit_test(e14_a_gap_of_the_index_is_followed_by_steps),
        cmocka_unit_test(e15_margin_that_may_be_removed),
        cmocka_unit_test(e18_the_band_around_the_mark_is_exact),
        cmocka_unit_test(e20_transfers_by_id_arrive_on_perps),
        cmocka_unit_test(e22_trigger_truth_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
