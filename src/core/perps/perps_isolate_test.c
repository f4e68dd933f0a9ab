/* SPDX-License-Identifier: MIT */
/*
 * Ruling 64, decision 154: while the price of a cross position is unknown nothing goes from the cross account into an
 * isolated bucket: no margin is added, no order opens in isolated mode, and no fill does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_liquidating.h"

static struct perps_market *btc(struct fixture *f) { return &engine_perps(f->engine)[BTC - 1]; }

/* A and M, at prices that are live. */
static struct fixture *two(void)
{
    struct fixture *f = start("1000000", "0");

    perps_prices(f, BTC, 1000000, 1000000);
    perps_prices(f, ETH, 400000, 400000);
    join(f, A, "100000");
    join(f, M, "1000000");
    return f;
}

/* A has a cross position in BTC against M, and in ETH one in isolated mode. */
static struct fixture *both(void)
{
    struct fixture *f = two();

    assert_int_equal(perps_leverage(f, A, ETH, 20, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_trade(f, A, M, ETH, "4000", "1");
    return f;
}

static NOINLINE const struct result *send_to(struct fixture *f, uint32_t symbol_id, uint32_t who,
                                             const struct perps_order *item)
{
    return perps_send(f, who, symbol_id, item, 1);
}

static const struct result *send(struct fixture *f, uint32_t who, const char *id, uint8_t side, uint8_t tif,
                                 const char *price, const char *quantity)
{
    struct perps_order item = perps_item(id, side, TYPE_LIMIT, tif, price, quantity);

    return send_to(f, ETH, who, &item);
}

static void is_refused(const struct result *result, const char *named)
{
    assert_int_equal(result->reject, REJECT_PRICES_NOT_LIVE);
    assert_int_equal(result->said, SAID_ID);
    assert_true(slice_is(client_id_slice(&result->orig_client_id), named));
}

static int64_t bucket(const struct fixture *f) { return perps_position(f, A, ETH)->exposure.bucket; }

/* Nothing of either kind, by the state that it is told. */
static void is_shut(struct fixture *f, const char *named)
{
    int64_t had = bucket(f), wallet = perps_wallet(f, A);

    is_refused(perps_margin(f, A, ETH, "0.000001"), named);
    assert_int_equal(bucket(f), had);
    assert_int_equal(perps_wallet(f, A), wallet);
    assert_int_equal(event_count(f, EVENT_POSITION), 0);
    if (f->engine->mode == VENUE_RUN) is_refused(send(f, A, "x", SIDE_BUY, TIF_GTC, "3900", "0.01"), named);
}

static void is_open(struct fixture *f)
{
    assert_int_equal(perps_margin(f, A, ETH, "0.000001")->reject, REJECT_NONE);
    assert_int_equal(send(f, A, "x", SIDE_BUY, TIF_GTC, "3900", "0.01")->reject, REJECT_NONE);
    assert_int_equal(perps_drop(f, A, ETH, "x")->reject, REJECT_NONE);
}

static void set_status(struct fixture *f, uint8_t status)
{
    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.set_market = (struct set_market){
        .symbol_id = BTC, .engine = MARKET_PERPS, .status = status, .id = operator_id(++f->deposit_id)
    };
    assert_int_equal(apply_operator(f), REJECT_NONE);
}

static void set_mode(struct fixture *f, uint8_t mode)
{
    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.set_mode = (struct set_mode){ .mode = mode, .id = operator_id(++f->deposit_id) };
    assert_int_equal(apply_operator(f), REJECT_NONE);
}

static void each_state_shuts_the_buckets(void **state)
{
    static const struct {
        uint8_t     oracle;
        const char *named;
    } rows[] = { { ORACLE_FALLBACK, "BTC-USD FALLBACK" },
                 { ORACLE_BOOTSTRAP, "BTC-USD BOOTSTRAP" },
                 { ORACLE_IS_STALE, "BTC-USD STALE" } };
    struct fixture *f = both();
    (void)state;

    is_open(f);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        btc(f)->state = rows[i].oracle;
        is_shut(f, rows[i].named);
        btc(f)->state = ORACLE_LIVE;
        is_open(f);
    }
    btc(f)->held_price = 890000;
    is_shut(f, "BTC-USD HELD_BACK");
    btc(f)->held_price = 0;
    is_open(f);
    set_status(f, SYMBOL_HALT);
    is_shut(f, "BTC-USD HALT");
    set_status(f, SYMBOL_REDUCE_ONLY);
    is_open(f);
    set_status(f, SYMBOL_TRADING);
    set_mode(f, VENUE_CANCEL_ONLY);
    is_shut(f, "BTC-USD CANCEL_ONLY");
    set_mode(f, VENUE_REDUCE_ONLY); /* prices and liquidations go on */
    assert_int_equal(perps_margin(f, A, ETH, "0.000001")->reject, REJECT_NONE);
    set_mode(f, VENUE_RUN);
    is_open(f);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Only a cross position counts: what an isolated one loses is in its bucket, and an order has lost nothing yet. */
static void only_a_cross_position_shuts_them(void **state)
{
    struct perps_order rests = perps_item("rests", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "99000", "0.01");
    struct fixture    *f = two();
    (void)state;

    assert_int_equal(perps_leverage(f, A, BTC, 20, MARGIN_ISOLATED)->reject, REJECT_NONE);
    assert_int_equal(perps_leverage(f, A, ETH, 20, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "0.01");
    perps_trade(f, A, M, ETH, "4000", "1");
    set_status(f, SYMBOL_HALT);
    is_open(f);
    assert_int_equal(perps_margin(f, A, BTC, "1")->reject, REJECT_NONE);
    set_status(f, SYMBOL_TRADING);
    perps_trade(f, M, A, BTC, "100000", "0.01");
    assert_int_equal(perps_leverage(f, A, BTC, 20, MARGIN_CROSS)->reject, REJECT_NONE);
    assert_int_equal(send_to(f, BTC, A, &rests)->reject, REJECT_NONE);
    set_status(f, SYMBOL_HALT);
    is_open(f);
    set_status(f, SYMBOL_TRADING);
    perps_trade(f, A, M, BTC, "100000", "0.00001"); /* the smallest there is */
    set_status(f, SYMBOL_HALT);
    is_shut(f, "BTC-USD HALT");
    fixture_free(f);
}

/* M trades ETH in cross mode, so its order leaves its money where it is. Every account may close. */
static void cross_orders_and_closings_go_on(void **state)
{
    struct fixture *f = both();
    (void)state;

    set_status(f, SYMBOL_HALT);
    assert_int_equal(send(f, M, "bid", SIDE_BUY, TIF_GTC, "3990", "1")->reject, REJECT_NONE);
    assert_int_equal(send(f, A, "half", SIDE_SELL, TIF_GTC, "3990", "0.5")->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, ETH), 5000);
    is_refused(send(f, A, "flip", SIDE_SELL, TIF_GTC, "3990", "0.5001"), "BTC-USD HALT");
    assert_int_equal(send(f, A, "rest", SIDE_SELL, TIF_GTC, "3990", "0.5")->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, ETH), 0);
    is_refused(send(f, A, "anew", SIDE_SELL, TIF_GTC, "4010", "0.01"), "BTC-USD HALT");
    engine_verify(f->engine);
    fixture_free(f);
}

static const struct result *change(struct fixture *f, const char *id, const char *price, const char *quantity)
{
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    perps_sign(f, A);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = (struct replace_order){
        .symbol_id = ETH, .orig_client_id = cid(id), .price = number(price), .quantity = number(quantity)
    };
    fixture_apply(f);
    return result_at(f, 0);
}

/* An order that rests since before: it can be changed to no other one, and its fill ends it. */
static void a_resting_order_is_not_filled(void **state)
{
    struct fixture *f = both();
    uint64_t        id;
    int64_t         had;
    (void)state;

    assert_int_equal(send(f, A, "bid", SIDE_BUY, TIF_GTC, "3990", "0.5")->reject, REJECT_NONE);
    assert_int_equal(send(f, A, "low", SIDE_BUY, TIF_GTC, "3980", "0.5")->reject, REJECT_NONE);
    id = result_at(f, 0)->order_id;
    had = bucket(f);
    set_status(f, SYMBOL_HALT);
    is_refused(change(f, "bid", "3991", "0.5"), "BTC-USD HALT");
    assert_int_equal(send(f, M, "s", SIDE_SELL, TIF_IOC, "3980", "0.2")->status, STATUS_EXPIRED);
    assert_int_equal(perps_emitted(f, id)->base.status, STATUS_CANCELED);
    assert_int_equal(perps_emitted(f, id)->base.reason, REASON_MARGIN_INSUFFICIENT);
    assert_int_equal(event_count(f, EVENT_FILL), 0);
    assert_int_equal(bucket(f), had);
    set_status(f, SYMBOL_TRADING);
    assert_int_equal(send(f, A, "bid", SIDE_BUY, TIF_GTC, "3990", "0.5")->reject, REJECT_NONE);
    assert_int_equal(send(f, M, "s", SIDE_SELL, TIF_IOC, "3980", "0.2")->status, STATUS_FILLED);
    assert_true(bucket(f) > had);
    engine_verify(f->engine);
    fixture_free(f);
}

/* By funds a taker may get more than its position closes: at the bound of 4040 they close it, at 4000 they flip it. */
static struct fixture *flip_by_funds(uint8_t status)
{
    struct fixture    *f = two();
    struct perps_order item = perps_item("funds", SIDE_BUY, TYPE_MARKET, TIF_IOC, "0", "0");

    item.funds = number("4020");
    assert_int_equal(perps_leverage(f, A, ETH, 20, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_trade(f, M, A, ETH, "4000", "1");
    assert_int_equal(send(f, M, "ask", SIDE_SELL, TIF_GTC, "4000", "2")->reject, REJECT_NONE);
    set_status(f, status);
    assert_int_equal(send_to(f, ETH, A, &item)->reject, REJECT_NONE);
    engine_verify(f->engine);
    return f;
}

static void a_taker_fills_what_closes(void **state)
{
    struct fixture *f = flip_by_funds(SYMBOL_TRADING);
    (void)state;

    assert_int_equal(result_at(f, 0)->status, STATUS_FILLED);
    assert_int_equal(perps_size(f, A, ETH), 50);
    fixture_free(f);
    f = flip_by_funds(SYMBOL_HALT);
    assert_int_equal(result_at(f, 0)->status, STATUS_EXPIRED);
    assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.reason, REASON_MARGIN_INSUFFICIENT);
    assert_int_equal(perps_size(f, A, ETH), 0);
    fixture_free(f);
}

/* A stop that opens is placed, and rejected when it fires meanwhile. */
static void a_stop_that_fires_is_rejected(void **state)
{
    struct fixture    *f = both();
    struct perps_order item = perps_item("stop", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "4100", "0.5");
    uint64_t           id;
    (void)state;

    item.modifier = MODIFIER_STOP;
    item.stop_price = number("4050");
    item.stop_type = STOP_LOSS;
    item.trigger_type = TRIGGER_MARK_PRICE;
    set_status(f, SYMBOL_HALT);
    assert_int_equal(send_to(f, ETH, A, &item)->reject, REJECT_NONE);
    id = result_at(f, 0)->order_id;
    perps_prices(f, ETH, 405000, 405000);
    perps_tick(f, 1000);
    assert_int_equal(perps_emitted(f, id)->base.status, STATUS_REJECTED);
    assert_int_equal(perps_emitted(f, id)->base.reason, REASON_INSUFFICIENT_MARGIN);
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_shuts_the_buckets),    cmocka_unit_test(only_a_cross_position_shuts_them),
        cmocka_unit_test(cross_orders_and_closings_go_on), cmocka_unit_test(a_resting_order_is_not_filled),
        cmocka_unit_test(a_taker_fills_what_closes),       cmocka_unit_test(a_stop_that_fires_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
