/* SPDX-License-Identifier: MIT */
/* Examples E4, E5, E7, E11 to E15, E18, E20 and E22 of mechanics 9, with the numbers of mechanics_vectors.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/book/book.h"
#include "rigs/core/example.h"
#include "core/account/ledger.h"
#include "rigs/core/perps_fixture.h"

#define USDC(text)  units_of(text, 6)
#define PRICE(text) units_of(text, 1)
#define SIZE(text)  units_of(text, 5)

enum { A = 1, M, C };

/* No fees and no interest unless the example has them. */
static struct fixture *start(const char *taker_fee, int64_t interest)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.contracts[i].interest_rate = interest;
        f->genesis.perps[i].taker_fee = units_of(taker_fee, 8);
    }
    fixture_start(f);
    return f;
}

static void join(struct fixture *f, uint32_t who, const char *amount, uint32_t leverage)
{
    perps_deposit(f, who, units_of(amount, 6));
    assert_int_equal(perps_leverage(f, who, BTC, leverage, MARGIN_CROSS)->reject, REJECT_NONE);
    assert_int_equal(perps_leverage(f, who, ETH, leverage > 20 ? 20 : leverage, MARGIN_CROSS)->reject, REJECT_NONE);
}

static struct position *row(const struct fixture *f, uint32_t who)
{
    return position_find(f->engine, perps_slot(f, who), PERPS_FIRST);
}
static struct perps_market *btc(const struct fixture *f) { return engine_perps(f->engine); }

static void e4_averaging_partial_close_and_flip(void **state)
{
    struct fixture                *f = start("0", 0);
    const struct position_changed *closed, *opened;
    (void)state;

    join(f, A, given("E4", "deposit"), 10);
    join(f, M, given("E4", "deposit"), 10);
    perps_trade(f, A, M, BTC, given("E4", "fills/0/1"), given("E4", "fills/0/0"));
    perps_trade(f, A, M, BTC, given("E4", "fills/1/1"), given("E4", "fills/1/0"));
    assert_true(row(f, A)->exposure.cost == USDC(wanted("E4", "cost")));
    perps_trade(f, M, A, BTC, given("E4", "fills/2/1"), without_sign(given("E4", "fills/2/0")));
    assert_int_equal(row(f, A)->realized, USDC(wanted("E4", "realized1")));
    assert_true(row(f, A)->exposure.cost == USDC(wanted("E4", "costAfter1")));
    perps_trade(f, M, A, BTC, given("E4", "fills/3/1"), without_sign(given("E4", "fills/3/0")));
    closed = event_at(f, EVENT_POSITION, 0); /* the taker's: closed … */
    opened = event_at(f, EVENT_POSITION, 1); /* … and opened by the same fill */
    assert_int_equal(closed->size, 0);
    assert_int_equal(closed->reason, REASON_FLIP);
    assert_int_equal(closed->closed_size, 100000);
    assert_int_equal(closed->realized, USDC(wanted("E4", "realized1")) + USDC(wanted("E4", "flip/realized2")));
    assert_int_equal(opened->size, SIZE(wanted("E4", "flip/newSize")));
    assert_int_equal(opened->cost_low, USDC(wanted("E4", "flip/newCost")));
    assert_true(opened->position_id > closed->position_id);
    assert_int_equal(perps_wallet(f, A), USDC(wanted("E4", "walletA")));
    assert_true(perps_wallet(f, A) + perps_wallet(f, M) - row(f, A)->exposure.cost - row(f, M)->exposure.cost
                == USDC(wanted("E4", "invariant")));
    engine_verify(f->engine);
    fixture_free(f);
}

/* The last POSITION of an account that is closed, or open, in the last command. */
static const struct position_changed *emitted_position(const struct fixture *f, uint64_t account_id, bool closed)
{
    const struct position_changed *event, *found = NULL;

    for (uint32_t n = 0; (event = event_at(f, EVENT_POSITION, n)) != NULL; n++)
        if (event->account_id == account_id && (event->size == 0) == closed) found = event;
    return found;
}

/*
 * Mechanics 3.1: floor(fee * Nc / N) goes with the record that closes, the rest with the new one, for fees of both
 * signs.
 */
static void a_flip_shares_its_fee(void **state)
{
    /* The opening pays 3.3333. The flip is of 100003 at 0.01 %, 10.0003, and 0.33333 of it closes: 3.333399999. */
    static const struct {
        int64_t rate, first, closed, opened;
    } rows[] = { { 10000, 3333300, 3333399, 6666901 }, { -10000, -3333300, -3333400, -6666900 }, { 0, 0, 0, 0 } };
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = start("0.0005", 0);
        int64_t         before;

        for (uint32_t tier = 0; tier < FEE_TIERS_MAX; tier++)
            market_at(f->engine, PERPS_FIRST)->maker_rate[tier][0] = rows[i].rate;
        join(f, A, "100000", 10);
        join(f, M, "100000", 10);
        perps_trade(f, A, M, BTC, "100000", "0.33333");
        assert_int_equal(row(f, A)->fees, rows[i].first);
        before = perps_wallet(f, A);
        assert_int_equal(perps_limit(f, A, "flip", SIDE_SELL, "100003", "1")->reject, REJECT_NONE);
        assert_int_equal(perps_limit(f, M, "taker", SIDE_BUY, "100003", "1")->status, STATUS_FILLED);
        assert_int_equal(emitted_position(f, 1001, true)->fees, rows[i].first + rows[i].closed);
        assert_int_equal(emitted_position(f, 1001, false)->fees, rows[i].opened);
        assert_int_equal(emitted_position(f, 1001, false)->realized, -rows[i].opened);
        assert_int_equal(perps_wallet(f, A), before + 999990 - rows[i].closed - rows[i].opened); /* 3 * 0.33333 won */
        engine_verify(f->engine);
        fixture_free(f);
    }
}

static void e5_worst_case_of_open_orders(void **state)
{
    struct fixture *f = start(given("E5", "takerRate"), 0);
    (void)state;

    join(f, A, "200000", 10);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, given("E5", "mark"), given("E5", "position"));
    perps_limit(f, A, "b", SIDE_BUY, given("E5", "buys/0/0"), given("E5", "buys/0/1"));
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC(wanted("E5", "required")));
    perps_limit(f, A, "s1", SIDE_SELL, given("E5", "sells/0/0"), given("E5", "sells/0/1"));
    perps_limit(f, A, "s2", SIDE_SELL, given("E5", "sells/1/0"), given("E5", "sells/1/1"));
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC(wanted("E5", "required")));
    assert_int_equal(perps_drop(f, A, BTC, "b")->reject, REJECT_NONE);
    assert_true(position_required(f->engine, row(f, A), NULL)
                == USDC(wanted("E5", "flipSide"))); /* the flip side alone */
    fixture_free(f);
}

static void e5_open_loss_of_a_flat_account(void **state)
{
    struct fixture *f = start(given("E5", "takerRate"), 0);
    (void)state;

    join(f, A, wanted("E5", "flatAccountOpenLoss/required"), 10);
    perps_limit(f, A, "s", SIDE_SELL, given("E5", "flat/sells/0/0"), given("E5", "flat/sells/0/1"));
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC(wanted("E5", "flatAccountOpenLoss/sellSide")));
    assert_int_equal(perps_drop(f, A, BTC, "s")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "b2", SIDE_BUY, given("E5", "flat/buys/0/0"), "1.00001")->reject,
                     REJECT_ORDER_MARGIN);
    assert_int_equal(
        perps_limit(f, A, "b", SIDE_BUY, given("E5", "flat/buys/0/0"), given("E5", "flat/buys/0/1"))->reject,
        REJECT_NONE); /* all there is */
    assert_true(position_required(f->engine, row(f, A), NULL) == USDC(wanted("E5", "flatAccountOpenLoss/buySide")));
    fixture_free(f);
}

static void at_prices(struct fixture *f, const char *btc_path, const char *eth_path)
{
    int64_t btc_price = PRICE(given("E7", btc_path)), eth_price = units_of(given("E7", eth_path), 2);

    perps_prices(f, BTC, btc_price, btc_price);
    perps_prices(f, ETH, eth_price, eth_price);
}

static void e7_a_cross_account_with_two_positions(void **state)
{
    struct fixture  *f = start("0", 0);
    struct available has;
    struct health    health;
    (void)state;

    join(f, A, given("E7", "deposit"), 20);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, given("E7", "btc/price"), given("E7", "btc/quantity"));
    perps_trade(f, M, A, ETH, given("E7", "eth/price"), given("E7", "eth/soldQuantity"));
    at_prices(f, "marks/btc", "marks/eth");
    health = risk_unit_health(f->engine, row(f, A));
    assert_int_equal(health.equity, USDC(wanted("E7", "equity")));
    assert_int_equal(health.maintenance, USDC(wanted("E7", "mm/BTC")) + USDC(wanted("E7", "mm/ETH")));
    has = risk_unit_available(f->engine, perps_slot(f, A));
    assert_int_equal(has.margin, USDC(wanted("E7", "availability/atMarks/am")));
    assert_int_equal(has.transferable, USDC(wanted("E7", "availability/atMarks/amw")));
    at_prices(f, "marksInProfit/btc", "marksInProfit/eth");
    has = risk_unit_available(f->engine, perps_slot(f, A));
    assert_int_equal(has.margin, USDC(wanted("E7", "availability/atProfit/am")));
    assert_int_equal(has.transferable, USDC(wanted("E7", "availability/atProfit/amw")));
    assert_int_equal(transfer(f, A, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, "3050.000001"), REJECT_INSUFFICIENT_MARGIN);
    assert_int_equal(transfer(f, A, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, wanted("E7", "availability/atProfit/amw")),
                     REJECT_NONE);
    fixture_free(f);
}

static void e11_premium_rate_and_payments(void **state)
{
    struct fixture *f = start("0", 10000);
    (void)state;

    for (uint32_t who = A; who <= C + 1; who++) join(f, who, "100000", 10);
    perps_prices(f, BTC, PRICE(given("E11", "index")), PRICE(given("E11", "index")));
    perps_limit(f, C + 1, "b1", SIDE_BUY, given("E11", "bids/0/0"), given("E11", "bids/0/1"));
    perps_limit(f, C + 1, "b2", SIDE_BUY, given("E11", "bids/1/0"), given("E11", "bids/1/1"));
    perps_limit(f, C + 1, "a1", SIDE_SELL, given("E11", "asks/0/0"), given("E11", "asks/0/1"));
    perps_limit(f, C + 1, "a2", SIDE_SELL, given("E11", "asks/1/0"), given("E11", "asks/1/1"));
    perps_tick(f, 5000);
    assert_int_equal(btc(f)->premium_count, 1);
    assert_true(btc(f)->premium_sum == units_of(wanted("E11", "premium"), 12));
    fixture_free(f);

    f = start("0", 10000);
    for (uint32_t who = A; who <= C; who++) join(f, who, "100000", 10);
    perps_prices(f, BTC, PRICE(given("E11", "payment/mark")), PRICE(given("E11", "payment/mark")));
    perps_trade(f, A, M, BTC, given("E11", "payment/mark"), without_sign(given("E11", "payment/sizes/B")));
    perps_trade(f, A, C, BTC, given("E11", "payment/mark"), without_sign(given("E11", "payment/sizes/C")));
    btc(f)->premium_count = 1; /* an hour of premium 0: 0.0000125 */
    perps_tick(f, FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS);
    assert_int_equal(event_count(f, EVENT_FUNDING), 3);
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 0))->rate,
                     units_of(given("E11", "payment/hourly"), 12));
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 0))->payment,
                     USDC(wanted("E11", "payments/A")));
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 1))->payment,
                     USDC(wanted("E11", "payments/B")));
    assert_int_equal(((const struct funded *)event_at(f, EVENT_FUNDING, 2))->payment,
                     USDC(wanted("E11", "payments/C")));
    assert_int_equal(perps_wallet(f, A), USDC("100000") - USDC(wanted("E11", "payments/A")));
    assert_int_equal(engine_margins(f->engine)[SLOT_FUND].wallet, USDC(wanted("E11", "dustToInsuranceFund")));
    assert_int_equal(row(f, A)->realized, -USDC(wanted("E11", "payments/A")));
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- E12 ---- */

enum { PARENT, TP, SL };
static uint64_t ids[3];

static struct fixture *e12_start(void)
{
    struct fixture    *f = start("0", 0);
    struct perps_order items[3] = { perps_item("p", SIDE_BUY, TYPE_LIMIT, TIF_GTC, given("E12", "price"),
                                               given("E12", "quantity")),
                                    perps_item("t", SIDE_SELL, TYPE_LIMIT, TIF_GTC, given("E12", "takeProfit"), NULL),
                                    perps_item("s", SIDE_SELL, TYPE_MARKET, TIF_IOC, NULL, NULL) };

    join(f, A, "1000000", 10);
    join(f, M, "1000000", 10);
    perps_prices(f, BTC, PRICE(given("E12", "price")), PRICE(given("E12", "price")));
    items[PARENT].modifier = MODIFIER_BRACKET;
    for (uint32_t i = TP; i <= SL; i++) {
        items[i].modifier = MODIFIER_ATTACHED_STOP;
        items[i].reduce_only = 1;
        items[i].trigger_type = TRIGGER_MARK_PRICE;
        items[i].stop_type = i == TP ? STOP_TAKE_PROFIT : STOP_LOSS;
        items[i].stop_price = number(given("E12", i == TP ? "takeProfit" : "stopLoss"));
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
    struct perps_order item = perps_item("m", SIDE_SELL, TYPE_LIMIT, TIF_IOC, given("E12", "price"), quantity);
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->status, STATUS_FILLED);
}

static int64_t e12_size(const char *path) { return SIZE(wanted("E12", path)); }

static void e12_first_part(struct fixture *f)
{
    sell_to_parent(f, given("E12", "firstFill"));
    check(f, PARENT, STATUS_PARTIALLY_FILLED,
          SIZE(given("E12", "quantity")) - e12_size("partialThenCancel/1/position"));
    check(f, TP, STATUS_NEW, e12_size("partialThenCancel/1/tpQty"));
    check(f, SL, STATUS_NEW, e12_size("partialThenCancel/1/slQty"));
    assert_int_equal(perps_size(f, A, BTC), e12_size("partialThenCancel/1/position"));
}

static void e12_a_partly_filled_parent_keeps_its_protection(void **state)
{
    struct fixture *f = e12_start();
    (void)state;

    e12_first_part(f);
    assert_int_equal(perps_drop(f, A, BTC, "p")->reject, REJECT_NONE);
    assert_int_equal(perps_emitted(f, ids[PARENT])->base.status, STATUS_CANCELED);
    check(f, TP, STATUS_NEW, e12_size("partialThenCancel/2/tpQty"));
    check(f, SL, STATUS_NEW, e12_size("partialThenCancel/2/slQty"));
    engine_verify(f->engine);
    fixture_free(f);
}

static void e12_the_stop_loss_overrides_a_resting_take_profit(void **state)
{
    struct fixture    *f = e12_start();
    struct perps_order item;
    (void)state;

    e12_first_part(f);
    sell_to_parent(f, "1.2"); /* the rest */
    check(f, TP, STATUS_NEW, e12_size("fullFillPath/0/tpQty"));
    check(f, SL, STATUS_NEW, e12_size("fullFillPath/0/slQty"));
    perps_prices(f, BTC, PRICE(given("E12", "takeProfit")), PRICE(given("E12", "takeProfit")));
    perps_tick(f, 1000);
    check(f, TP, STATUS_NEW, e12_size("fullFillPath/1/tpQty"));
    assert_int_not_equal(order_at(f->engine, order_find_id(f->engine, perps_slot(f, A), ids[TP]))->level,
                         0); /* it rests */
    check(f, SL, STATUS_NEW, e12_size("fullFillPath/1/slQty"));
    item = perps_item("buy", SIDE_BUY, TYPE_LIMIT, TIF_IOC, given("E12", "takeProfit"), given("E12", "takeProfitFill"));
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->status, STATUS_FILLED);
    check(f, TP, STATUS_PARTIALLY_FILLED, e12_size("fullFillPath/2/tpQty"));
    check(f, SL, STATUS_NEW, e12_size("fullFillPath/2/slQty"));
    item = perps_item("bid", SIDE_BUY, TYPE_LIMIT, TIF_GTC, given("E12", "stopFilledAt"), "2");
    assert_int_equal(perps_send(f, M, BTC, &item, 1)->reject, REJECT_NONE);
    perps_prices(f, BTC, 979000, 979000); /* the resting orders hold the mark up a little */
    perps_tick(f, 1000);
    assert_int_equal(perps_emitted(f, ids[TP])->base.status, STATUS_CANCELED);
    assert_int_equal(perps_emitted(f, ids[TP])->base.reason, REASON_OCO_SIBLING);
    assert_int_equal(perps_emitted(f, ids[SL])->base.status, STATUS_FILLED);
    assert_int_equal(perps_emitted(f, ids[SL])->base.executed, e12_size("fullFillPath/2/position"));
    assert_int_equal(perps_size(f, A, BTC), e12_size("fullFillPath/3/position"));
    assert_int_equal(perps_wallet(f, A) - USDC("1000000"), USDC(wanted("E12", "realizedPnL")));
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- E13 ---- */

static struct fixture *e13_start(void)
{
    struct fixture          *f = start("0", 0);
    static const char *const paths[3][3] = { { "orders/0/0", "orders/0/1", "orders/0/2" },
                                             { "orders/1/0", "orders/1/1", "orders/1/2" },
                                             { "orders/2/0", "orders/2/1", "orders/2/2" } };

    join(f, A, "1000000", 10);
    join(f, M, "1000000", 10);
    perps_trade(f, A, M, BTC, "100000", given("E13", "position"));
    for (uint32_t i = 0; i < 3; i++) {
        struct perps_order item = perps_item(given("E13", paths[i][0]), SIDE_SELL, TYPE_LIMIT, TIF_GTC,
                                             given("E13", paths[i][2]), given("E13", paths[i][1]));
        item.reduce_only = 1;
        assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, REJECT_NONE);
        ids[i] = result_at(f, 0)->order_id;
    }
    return f;
}

static int64_t e13_size(const char *path) { return SIZE(wanted("E13", path)); }

static void e13_the_one_that_does_not_fit_is_cut(void **state)
{
    struct fixture *f = e13_start();
    (void)state;

    check(f, 0, STATUS_NEW, e13_size("atPlacement/0/after"));
    check(f, 1, STATUS_NEW, e13_size("atPlacement/1/after"));
    check(f, 2, STATUS_NEW, e13_size("atPlacement/2/after"));
    assert_int_equal(perps_emitted(f, ids[2])->base.exec_type, EXEC_REPLACED);
    fixture_free(f);
}

static void e13_a_smaller_position_trims_the_worst(void **state)
{
    struct fixture *f = e13_start();
    (void)state;

    perps_trade(f, M, A, BTC, "100000", "0.4"); /* to 0.6 */
    assert_int_equal(perps_size(f, A, BTC), SIZE(given("E13", "smallerPosition")));
    check(f, 0, STATUS_NEW, e13_size("afterPositionDrops/0/after"));
    check(f, 1, STATUS_NEW, e13_size("afterPositionDrops/1/after"));
    assert_int_equal(perps_emitted(f, ids[1])->base.exec_type, EXEC_REPLACED);
    assert_int_equal(perps_emitted(f, ids[2])->base.status, STATUS_CANCELED);
    assert_int_equal(perps_emitted(f, ids[2])->base.reason, REASON_REDUCE_ONLY_TRIM);
    fixture_free(f);
}

static void e13_a_better_price_evicts(void **state)
{
    struct fixture    *f = e13_start();
    struct perps_order item = perps_item("o4", SIDE_SELL, TYPE_LIMIT, TIF_GTC, given("E13", "betterOrder/2"),
                                         given("E13", "betterOrder/1")),
                       late = perps_item("o5", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "101000", "0.1");
    (void)state;

    item.reduce_only = late.reduce_only = 1;
    assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, REJECT_NONE);
    check(f, 0, STATUS_NEW, e13_size("afterBetterOrder/1/after"));
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(perps_emitted(f, ids[i])->base.status, STATUS_CANCELED);
        assert_int_equal(perps_emitted(f, ids[i])->base.reason, REASON_REDUCE_ONLY_TRIM);
    }
    assert_int_equal(perps_send(f, A, BTC, &late, 1)->reject, REJECT_REDUCE_ONLY_FULL);
    engine_verify(f->engine);
    fixture_free(f);
}

/* ---- prices ---- */

static int64_t e14_mark(const char *list, uint32_t t, const char *member)
{
    char path[48];

    (void)snprintf(path, sizeof(path), "%s/%u%s", list, t, member);
    return PRICE(wanted("E14", path));
}

/*
 * Ruling 67: the quotes and trades of E14 were 0.01 BTC, which is below the impact notional of 5000 and no longer
 * counts; with 0.1 BTC each, for whole seconds, the numbers of E14 are the same as before. The trade at 100045 and the
 * one at 130050 have one size, so `last` is 115047.5 from t = 3 on (it was 130050); the median with bid and ask is
 * above the clamp either way.
 */
static void e14_a_spoofed_book_barely_moves_the_mark(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    perps_genesis(&f->genesis);
    f->genesis.perps[0].buy_limit_up_ratio = f->genesis.perps[0].sell_limit_down_ratio = 99000000;
    f->genesis.contracts[0].interest_rate = 10000;
    f->genesis.rules.premium_sample_ms = FUNDING_HOUR_MS; /* the example's rate is given */
    fixture_start(f);
    join(f, M, "1000000", 10);
    join(f, C, "1000000", 10);
    f->time_ms += FUNDING_HOUR_MS - f->time_ms % FUNDING_HOUR_MS + FUNDING_HOUR_MS / 2 - 10000;
    perps_tick(f, 1000); /* the hour begins */
    perps_trade(f, M, C, BTC, given("E14", "calm/3"), "0.1");
    perps_limit(f, M, "b", SIDE_BUY, given("E14", "calm/1"), "0.1");
    perps_limit(f, M, "a", SIDE_SELL, given("E14", "calm/2"), "0.1");
    perps_prices(f, BTC, PRICE(given("E14", "markBefore")), PRICE(given("E14", "index")));
    btc(f)->basis = 0;
    btc(f)->premium_sum = 0;
    btc(f)->premium_count = 1;
    btc(f)->funding_rate = units_of(given("E14", "fundingRate"), 12);
    f->time_ms += 8000;
    for (uint32_t t = 0; t < 8; t++) {
        if (t == whole_of(given("E14", "calmSeconds"))) {
            perps_limit(f, M, "a2", SIDE_SELL, given("E14", "spoofed/2"), "0.1");
            assert_int_equal(perps_drop(f, M, BTC, "a")->reject, REJECT_NONE);
            perps_trade(f, M, C, BTC, given("E14", "spoofed/3"), "0.1");
            assert_int_equal(perps_drop(f, M, BTC, "b")->reject, REJECT_NONE);
            perps_limit(f, M, "b2", SIDE_BUY, given("E14", "spoofed/1"), "0.1");
        }
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, e14_mark("series", t, "/mark"));
    }
    fixture_free(f);
}

static void e14_a_gap_of_the_index_is_followed_by_steps(void **state)
{
    struct fixture *f = start("0", 0);
    (void)state;

    perps_prices(f, BTC, PRICE(given("E14", "gap/from")), PRICE(given("E14", "gap/from")));
    perps_index(f, BTC, PRICE(given("E14", "gap/to")));
    for (uint32_t t = 0; t < whole_of(given("E14", "gap/seconds")); t++) {
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, e14_mark("indexGap/markPerSecond", t, ""));
    }
    fixture_free(f);
}

/* As an amount that leaves: below zero. */
static const char *minus(char *into, size_t size, int64_t units)
{
    (void)snprintf(into, size, "-%" PRId64 ".%06" PRId64, units / 1000000, units % 1000000);
    return into;
}

static void e15_margin_that_may_be_removed(void **state)
{
    static const char *const marks[] = { "marks/0", "marks/1", "marks/2", "marks/3" };
    static const char *const most[] = { "rows/0/removable", "rows/1/removable", "rows/2/removable",
                                        "rows/3/removable" };
    char                     text[32];
    (void)state;

    for (uint32_t i = 0; i < ARRAY_COUNT(marks); i++) {
        struct fixture *f = start("0", 0);
        int64_t         mark = PRICE(given("E15", marks[i])), removable = USDC(wanted("E15", most[i]));

        join(f, A, "100000", 10);
        join(f, M, "1000000", 10);
        assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
        perps_trade(f, A, M, BTC, given("E15", "price"), given("E15", "quantity"));
        assert_int_equal(perps_margin(f, A, BTC, "5000")->reject, REJECT_NONE);
        assert_int_equal(row(f, A)->exposure.bucket, USDC(given("E15", "bucket")));
        perps_prices(f, BTC, mark, mark);
        assert_int_equal(perps_margin(f, A, BTC, minus(text, sizeof(text), removable + 1))->reject, REJECT_MARGIN_ROOM);
        if (removable != 0)
            assert_int_equal(perps_margin(f, A, BTC, minus(text, sizeof(text), removable))->reject, REJECT_NONE);
        engine_verify(f->engine);
        fixture_free(f);
    }
}

static void e18_the_band_around_the_mark_is_exact(void **state)
{
    struct fixture *f = start("0", 0);
    (void)state;

    join(f, A, "1000000", 10);
    perps_prices(f, BTC, PRICE(given("E18", "perpsMark")), 1000000);
    assert_false(truth_of(wanted("E18", "perps/104999.9")));
    assert_int_equal(perps_limit(f, A, "b1", SIDE_BUY, given("E18", "perpsPrices/1"), "0.1")->reject,
                     REJECT_PERPS_BUY_LIMIT);
    assert_true(truth_of(wanted("E18", "perps/104999.8")));
    assert_int_equal(perps_limit(f, A, "b2", SIDE_BUY, given("E18", "perpsPrices/0"), "0.1")->reject, REJECT_NONE);
    fixture_free(f);
}

static void e20_transfers_by_id_arrive_on_perps(void **state)
{
    struct fixture *f = start("0", 0);
    (void)state;

    deposit(f, A, VUSDC, USDC(given("E20", "spot")));
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, given("E20", "calls/0/1")), REJECT_NONE);
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, given("E20", "calls/0/1")), REJECT_NONE);
    assert_int_equal(transfer(f, A, 7, TRANSFER_PERPS_WITHDRAW, VUSDC, given("E20", "calls/2/1")),
                     REJECT_TRANSFER_CONFLICT);
    assert_int_equal(transfer(f, A, 8, TRANSFER_PERPS_WITHDRAW, VUSDC, given("E20", "calls/3/1")),
                     REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(transfer(f, A, 8, TRANSFER_PERPS_WITHDRAW, VUSDC, given("E20", "calls/4/1")), REJECT_NONE);
    assert_int_equal(ledger_bucket(f->engine, perps_slot(f, A), VUSDC)->available, USDC(wanted("E20", "spot")));
    assert_int_equal(perps_wallet(f, A), USDC(wanted("E20", "perps")));
    fixture_free(f);
}

/* The examples' prices are 99, 100 and 101; here they are a thousand times that. */
static bool e22_fires(uint32_t row, uint32_t at)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "rows/%u/fires/%u", row, 99 + at);
    return truth_of(wanted("E22", path));
}

/* A stop whose condition holds is refused, so the refusals show the table; then the reference reaches the rest. */
static void e22_trigger_truth_table(void **state)
{
    /* clang-format off */
    static const struct { uint8_t side, kind; } rows[] = {
        { SIDE_SELL, STOP_TAKE_PROFIT }, { SIDE_SELL, STOP_LOSS }, { SIDE_BUY, STOP_TAKE_PROFIT },
          { SIDE_BUY, STOP_LOSS } };
    struct fixture *f = start("0", 0);
    (void)state;

    join(f, A, "1000000", 10);
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
        for (uint8_t trigger = TRIGGER_LAST_PRICE; trigger <= TRIGGER_INDEX_PRICE; trigger++)
            for (uint32_t at = 0; at < 3; at++) {
                struct perps_order item = perps_item("s", rows[i].side, TYPE_MARKET, TIF_IOC, NULL, "0.1");
                int64_t            reference = 990000 + 10000 * (int64_t)at;
                bool               fires = e22_fires(i, at);

                item.modifier = MODIFIER_STOP;
                item.stop_type = rows[i].kind;
                item.trigger_type = trigger;
                item.stop_price = number("100000");
                perps_prices(f, BTC, trigger == TRIGGER_MARK_PRICE ? reference : 1200000,
                    trigger == TRIGGER_INDEX_PRICE ? reference : 800000);
                engine_perps(f->engine)->last_between = trigger == TRIGGER_LAST_PRICE ? reference : 500000;
                assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, fires ? REJECT_WOULD_TRIGGER : REJECT_NONE);
                if (!fires) assert_int_equal(perps_drop(f, A, BTC, "s")->reject, REJECT_NONE);
            }
    fixture_free(f);
}
/* clang-format on */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(e4_averaging_partial_close_and_flip),
        cmocka_unit_test(a_flip_shares_its_fee),
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
