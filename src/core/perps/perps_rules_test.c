/* SPDX-License-Identifier: MIT */
/*
 * Rules of perps that need more than the words of a scenario: sources of prices, suspended symbols, the amount that a
 * unit can pay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account/ledger.h"
#include "rigs/core/perps_fixture.h"

#define VUSDC_UNITS(whole) ((int64_t)(whole)*1000000)

enum { A = 1, M, C };

/* A feeder's post; unlike a price by hand it grows old. */
static enum reject post(struct fixture *f, uint32_t who, uint64_t seq, int64_t price)
{
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.signer = user(who);
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.oracle_post.seq = seq;
    f->room.oracle_post.count = 1;
    f->room.oracle_post.timestamp_ms = f->time_ms;
    f->room.oracle_post.items[0] = (struct oracle_price){ .symbol_id = BTC, .price = price };
    fixture_apply(f);
    return verdict(f);
}
static void feed(struct fixture *f, int64_t price) { assert_int_equal(post(f, 70, f->seq + 1, price), REJECT_NONE); }

static void two_feeders(struct genesis *g)
{
    g->feeder_count = 2;
    g->feeders[0] = (struct feeder){ .address = user(70), .weight = 5 };
    g->feeders[1] = (struct feeder){ .address = user(71), .weight = 1 };
}

static struct fixture *start(int64_t fund)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = fund;
    f->genesis.contracts[0].interest_rate = f->genesis.contracts[1].interest_rate = 0;
    two_feeders(&f->genesis);
    fixture_start(f);
    return f;
}

static void join(struct fixture *f, uint32_t who, int64_t whole, uint8_t mode)
{
    perps_deposit(f, who, VUSDC_UNITS(whole));
    assert_int_equal(perps_leverage(f, who, BTC, 25, mode)->reject, REJECT_NONE);
}

static struct perps_market *btc(const struct fixture *f) { return engine_perps(f->engine); }

static const struct result *replaced(struct fixture *f, uint32_t who, const char *id, const char *price,
                                     const char *quantity)
{
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    perps_sign(f, who);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = (struct replace_order){
        .symbol_id = BTC, .orig_client_id = cid(id), .price = number(price), .quantity = number(quantity)
    };
    fixture_apply(f);
    return result_at(f, 0);
}

static const struct result *market_order(struct fixture *f, uint32_t who, const char *id, uint8_t side,
                                         const char *quantity)
{
    struct perps_order item = perps_item(id, side, TYPE_MARKET, TIF_IOC, NULL, quantity);
    return perps_send(f, who, BTC, &item, 1);
}

static void without_feeders_nothing_opens_and_nothing_is_forced(void **state)
{
    struct fixture    *f = start(VUSDC_UNITS(1000000));
    struct perps_order stop = perps_item("s", SIDE_SELL, TYPE_MARKET, TIF_IOC, NULL, NULL);
    (void)state;

    join(f, A, 4000, MARGIN_ISOLATED);
    join(f, M, 1000000, MARGIN_CROSS);
    feed(f, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_limit(f, M, "b", SIDE_BUY, "99500", "2");
    stop.modifier = MODIFIER_STOP;
    stop.reduce_only = 1;
    stop.stop_type = STOP_LOSS;
    stop.trigger_type = TRIGGER_MARK_PRICE;
    stop.stop_price = number("98000");
    assert_int_equal(perps_send(f, A, BTC, &stop, 1)->reject, REJECT_NONE);
    perps_tick(f, 58999);
    assert_int_equal(btc(f)->state, ORACLE_LIVE); /* 59,999 ms old */
    perps_tick(f, 1);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(perps_limit(f, M, "c", SIDE_SELL, "101000", "0.1")->reject, REJECT_ORACLE_STALE);
    assert_int_equal(replaced(f, M, "b", "99400", NULL)->reject,
                     REJECT_ORACLE_STALE); /* half of it would open, at another price */
    btc(f)->mark = 970000;                 /* below the stop and the maintenance margin, well below */
    perps_tick(f, 0);
    btc(f)->mark = 970000;
    perps_tick(f, 0);
    assert_int_equal(event_count(f, EVENT_UNIT), 0);
    assert_int_equal(perps_size(f, A, BTC), 100000);
    assert_int_equal(market_order(f, A, "x", SIDE_SELL, "0.5")->status, STATUS_FILLED); /* closing is possible */
    assert_int_equal(perps_size(f, A, BTC), 50000);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_stale_symbol_stays_stale_until_a_jump_is_believed(void **state)
{
    struct fixture *f = start(0);
    (void)state;

    feed(f, 1000000);
    perps_tick(f, 1000);
    perps_tick(f, 60000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    feed(f, 1200000);
    for (int i = 0; i < 2; i++) {
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
        assert_int_equal(btc(f)->index, 1000000);
    }
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_LIVE);
    assert_int_equal(btc(f)->index, 1200000);
    fixture_free(f);
}

static void the_own_spot_book_stands_in_slowly_and_for_half_the_cap(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    perps_genesis(&f->genesis);
    f->genesis.contracts[0].spot_symbol_id = 1;
    f->genesis.contracts[0].spot_impact_notional = VUSDC_UNITS(1000);
    f->genesis.contracts[0].open_interest_cap = 200000;
    two_feeders(&f->genesis);
    fixture_start(f);
    join(f, A, 1000000, MARGIN_CROSS);
    deposit(f, C, VUSDC, VUSDC_UNITS(1000000));
    deposit(f, C, VBTC, 1000000000);
    limit(f, C, SIDE_BUY, "99900", "1", "b");
    limit(f, C, SIDE_SELL, "100100", "1", "s");
    feed(f, 950000);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 950000); /* the first word is believed */
    perps_tick(f, 60000);
    assert_int_equal(btc(f)->state, ORACLE_FALLBACK);
    assert_int_equal(btc(f)->index, 950083); /* a 600th of 50,000 is 83 … */
    assert_int_equal(perps_limit(f, A, "x", SIDE_BUY, "95000", "1.00001")->reject, REJECT_OPEN_INTEREST_CAP);
    assert_int_equal(perps_limit(f, A, "x", SIDE_BUY, "95000", "1")->reject, REJECT_NONE);
    cancel(f, C, 0, "s", "c1");
    limit(f, C, SIDE_SELL, "101900", "1", "s2"); /* 2.002 % apart: not narrow enough */
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->state, ORACLE_IS_STALE);
    assert_int_equal(btc(f)->index, 950083);
    fixture_free(f);
}

static void two_feeders_make_the_mean_and_a_post_is_used_once(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    perps_genesis(&f->genesis);
    two_feeders(&f->genesis);
    fixture_start(f);
    for (uint32_t who = 70; who <= 71; who++) {
        assert_int_equal(post(f, who, 3, 1), REJECT_NONE);
        assert_int_equal(post(f, who, 3, 2), REJECT_ORACLE_SEQ);
        assert_int_equal(post(f, who, 2, 2), REJECT_ORACLE_SEQ);
        assert_int_equal(post(f, who, 4, who == 70 ? 1000000 : 1000101), REJECT_NONE);
    }
    assert_int_equal(post(f, 72, 9, 1000000), REJECT_NOT_A_FEEDER);
    perps_tick(f, 1000);
    assert_int_equal(btc(f)->index, 1000050);
    fixture_free(f);
}

static void a_flip_that_the_wallet_cannot_pay_only_closes(void **state)
{
    struct fixture *f = start(0);
    (void)state;

    perps_deposit(f, A, VUSDC_UNITS(10000));
    assert_int_equal(perps_leverage(f, A, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
    join(f, M, 1000000, MARGIN_CROSS);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_prices(f, BTC, 950000, 950000);
    perps_limit(f, M, "b", SIDE_BUY, "95000", "2");
    assert_int_equal(market_order(f, A, "x", SIDE_SELL, "1.9")->status,
                     STATUS_EXPIRED); /* 5,000 left, 8,550 needed for 0.9 */
    assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.reason, REASON_MARGIN_INSUFFICIENT);
    assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.type, TYPE_MARKET);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_wallet(f, A), VUSDC_UNITS(5000));
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_market_buy_by_funds_is_told_with_them(void **state)
{
    struct fixture    *f = start(0);
    struct perps_order item = perps_item("x", SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL);
    (void)state;

    join(f, A, 10000, MARGIN_CROSS);
    join(f, M, 1000000, MARGIN_CROSS);
    perps_prices(f, BTC, 1000000, 1000000);
    perps_limit(f, M, "s", SIDE_SELL, "100000", "2");
    item.funds = number("5000.5");
    assert_int_equal(perps_send(f, A, BTC, &item, 1)->status, STATUS_FILLED);
    assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.funds, 5000500000);
    assert_int_equal(perps_emitted(f, result_at(f, 0)->order_id)->base.type, TYPE_MARKET);
    assert_int_equal(perps_size(f, A, BTC), 5000); /* the rest does not buy a step */
    fixture_free(f);
}

static void a_bucket_below_zero_takes_nothing_from_the_wallet(void **state)
{
    struct fixture *f = start(0);
    int64_t         free_before;
    (void)state;

    join(f, A, 20000, MARGIN_ISOLATED);
    join(f, M, 1000000, MARGIN_CROSS);
    perps_trade(f, A, M, BTC, "100000", "1");
    free_before = (int64_t)risk_unit_available(f->engine, perps_slot(f, A)).transferable;
    position_find(f->engine, perps_slot(f, A), PERPS_FIRST)->exposure.bucket -= VUSDC_UNITS(5000); /* as funding does */
    position_find(f->engine, perps_slot(f, M), PERPS_FIRST)->exposure.cost -= VUSDC_UNITS(5000);
    assert_int_equal(risk_unit_available(f->engine, perps_slot(f, A)).transferable, free_before);
    perps_prices(f, BTC, 1100000, 1100000);
    perps_tick(f, 1000); /* the profit carries it */
    assert_int_equal(perps_size(f, A, BTC), 100000);
    fixture_free(f);
}

static void what_nobody_can_bear_makes_the_fund_insolvent(void **state)
{
    struct fixture *f = start(0);
    (void)state;

    join(f, A, 4000, MARGIN_ISOLATED);
    join(f, M, 100000, MARGIN_CROSS);
    join(f, C, 3700, MARGIN_CROSS);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_prices(f, BTC, 900000, 900000);
    perps_trade(f, M, C, BTC, "90000", "1"); /* C is short without profit, and has 3,700 */
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(perps_wallet(f, A), 0);
    assert_true(perps_wallet(f, C) >= 0 && perps_wallet(f, C) < VUSDC_UNITS(1)); /* it paid its whole wallet */
    assert_true(f->engine->insolvent);
    assert_int_equal(((const struct venue_changed *)event_at(f, EVENT_VENUE, 0))->insolvent, 1);
    assert_int_equal(transfer(f, M, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, "1"), REJECT_WITHDRAWALS_SUSPENDED);
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit)); /* an operator tops the fund up */
    f->room.deposit = (struct deposit){ .address = user(60),
                                        .account_id = ACCOUNT_FUND,
                                        .coin_id = VUSDC,
                                        .amount = VUSDC_UNITS(10000),
                                        .engine = MARKET_PERPS,
                                        .id = operator_id(777) };
    assert_int_equal(apply_operator(f), REJECT_NONE);
    perps_tick(f, 1000);
    assert_false(f->engine->insolvent);
    assert_int_equal(transfer(f, M, 1, TRANSFER_SPOT_WITHDRAW, VUSDC, "1"), REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_second_position_is_sold_when_the_first_finds_nobody(void **state)
{
    struct fixture    *f = start(VUSDC_UNITS(1000000));
    struct perps_order bid = perps_item("b", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "3950", "100");
    (void)state;

    join(f, A, 5500, MARGIN_CROSS);
    assert_int_equal(perps_leverage(f, A, ETH, 20, MARGIN_CROSS)->reject, REJECT_NONE);
    join(f, M, 1000000, MARGIN_CROSS);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_trade(f, A, M, ETH, "4000", "5");
    assert_int_equal(perps_send(f, M, ETH, &bid, 1)->reject, REJECT_NONE);
    perps_prices(f, BTC, 970000, 970000);
    perps_prices(f, ETH, 395000, 395000); /* E = 2250, MM = 1940 + 493.75; no bid for BTC */
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, A, BTC), 100000);
    assert_true(perps_size(f, A, ETH) < 50000);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * Service: clOrdID of a result is copied from the request's item, also where it is an alias; an item by number gets
 * the order's own.
 */
static void a_cancel_says_the_id_it_was_named_by(void **state)
{
    struct fixture *f = perps_make();
    (void)state;

    perps_deposit(f, A, VUSDC_UNITS(1000));
    assert_int_equal(perps_limit(f, A, "own", SIDE_BUY, "99000", "0.01")->reject, REJECT_NONE);
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    perps_sign(f, A);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = (struct replace_order){
        .symbol_id = BTC, .client_id = cid("alias"), .orig_client_id = cid("own"), .price = number("98000")
    };
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
    assert_string_equal(perps_drop(f, A, BTC, "alias")->client_id.at, "alias");

    assert_int_equal(perps_limit(f, A, "own", SIDE_BUY, "99000", "0.01")->reject, REJECT_NONE);
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    perps_sign(f, A);
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = BTC, .order_id = 2 };
    fixture_apply(f);
    assert_string_equal(result_at(f, 0)->client_id.at, "own");
    fixture_free(f);
}

/*
 * A bench setting (ruling 54): the own bid opens again the quantity that the own sell closes, so it may only happen
 * once.
 */
static void without_self_trade_prevention_nobody_closes_against_himself_for_ever(void **state)
{
    struct fixture    *f = start(VUSDC_UNITS(1000000));
    struct perps_order bid = perps_item("bid", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "2");
    struct perps_order close = perps_item("close", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "100000", "1");
    (void)state;

    join(f, A, 1000000, MARGIN_CROSS);
    join(f, M, 1000000, MARGIN_CROSS);
    perps_trade(f, A, M, BTC, "100000", "0.0001");
    f->engine->rules.stp_scope = STP_NONE;
    close.reduce_only = 1;
    assert_int_equal(perps_send(f, A, BTC, &bid, 1)->reject, REJECT_NONE);
    assert_int_equal(perps_send(f, A, BTC, &close, 1)->reject, REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_TRADE), 1);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->quantity, 10);
    assert_int_equal(perps_size(f, A, BTC), 10);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * The same with a bracket whose stop-loss meets its own parent: the child has to close the quantity that the parent
 * fills, and so on.
 */
static void without_self_trade_prevention_a_child_meets_its_parent_once(void **state)
{
    struct fixture    *f = start(VUSDC_UNITS(1000000));
    struct perps_order bracket[3] = { perps_item("parent", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "100000", "2"),
                                      perps_item("profit", SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL),
                                      perps_item("stop", SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL) };
    (void)state;

    join(f, A, 1000000, MARGIN_CROSS);
    join(f, M, 1000000, MARGIN_CROSS);
    f->engine->rules.stp_scope = STP_NONE;
    bracket[0].modifier = MODIFIER_BRACKET;
    for (int i = 1; i < 3; i++) {
        bracket[i].modifier = MODIFIER_ATTACHED_STOP;
        bracket[i].reduce_only = 1;
        bracket[i].stop_type = i == 1 ? STOP_TAKE_PROFIT : STOP_LOSS;
        bracket[i].trigger_type = TRIGGER_MARK_PRICE;
        bracket[i].stop_price = number(i == 1 ? "90000" : "100100");
    }
    assert_int_equal(perps_send(f, A, BTC, bracket, 3)->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, M, "bid", SIDE_BUY, "100000", "0.0001")->status, STATUS_FILLED);
    perps_prices(f, BTC, 1002000, 1002000);
    perps_tick(f, 1000);
    assert_int_equal(event_count(f, EVENT_TRADE), 1); /* not one for each 0.0001 of the parent */
    assert_int_equal(perps_size(f, A, BTC), -10);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Ruling 71, of a user who holds nothing: the trade is marked, and no input of the mark. */
static void an_opening_trade_with_oneself_is_marked(void **state)
{
    struct fixture      *f = start(VUSDC_UNITS(1000000));
    struct perps_market *perps = &engine_perps(f->engine)[0];
    (void)state;

    join(f, A, 1000000, MARGIN_CROSS);
    f->engine->rules.stp_scope = STP_NONE;
    assert_int_equal(perps_limit(f, A, "bid", SIDE_BUY, "100000", "0.001")->status, STATUS_NEW);
    assert_int_equal(perps_limit(f, A, "ask", SIDE_SELL, "100000", "0.001")->status, STATUS_FILLED);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->self, 1);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, i))->self, 1);
    assert_int_equal(perps->last_between, 0);
    assert_int_equal(perps_size(f, A, BTC), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

static void rest(struct fixture *f, uint32_t who, const char *price, uint32_t count, bool reduces)
{
    for (uint32_t i = 0; i < count; i++) {
        char               id[16];
        struct perps_order item;

        (void)snprintf(id, sizeof(id), "%s-%u", reduces ? "r" : price, i);
        item = perps_item(id, SIDE_SELL, TYPE_LIMIT, TIF_GTC, price, "0.00001");
        item.reduce_only = reduces;
        assert_int_equal(perps_send(f, who, BTC, &item, 1)->reject, REJECT_NONE);
    }
}

/*
 * Each fill makes the position smaller, and each time the last of many reduce-only orders in a long queue is removed:
 * the engine must not search the queue for it.
 */
static void many_reduce_only_orders_in_a_long_queue_are_trimmed_one_by_one(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    uint64_t        first;
    (void)state;

    perps_genesis(&f->genesis);
    f->genesis.limits.orders = 20000;
    fixture_start(f);
    for (uint32_t who = A; who <= 20; who++) perps_deposit(f, who, VUSDC_UNITS(1000000));
    perps_trade(f, A, M, BTC, "100000", "0.005");
    first = f->engine->next_order_id;
    rest(f, A, "100100", 500, true);
    for (uint32_t who = C; who <= 20; who++) rest(f, who, "100100", 500, false);
    rest(f, A, "100050", 500, false);
    assert_int_equal(perps_limit(f, M, "take", SIDE_BUY, "100050", "0.003")->status, STATUS_FILLED);
    assert_int_equal(event_count(f, EVENT_TRADE), 300);
    assert_int_equal(perps_size(f, A, BTC), 200);
    assert_int_equal(perps_position(f, A, BTC)->reducing_count, 200);
    assert_null(perps_emitted(f, first + 199));
    assert_int_equal(perps_emitted(f, first + 200)->base.reason, REASON_REDUCE_ONLY_TRIM);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * The sum of all orders of a side stays within an amount, also where a replacement is alone on its level, and where a
 * child grows.
 */
static void the_sum_of_a_side_has_an_end(void **state)
{
    struct fixture    *f = start(0);
    struct book_side  *bids, *asks;
    struct perps_order bracket[2] = { perps_item("parent", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "2"),
                                      perps_item("profit", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "100100", NULL) };
    (void)state;

    join(f, A, 1000000, MARGIN_CROSS);
    join(f, M, 1000000, MARGIN_CROSS);
    bids = market_find_perps(f->engine, BTC)->sides + SIDE_BUY;
    asks = market_find_perps(f->engine, BTC)->sides + SIDE_SELL;
    assert_int_equal(perps_limit(f, A, "a", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
    bids->quantity += AMOUNT_MAX - 100000 - 3; /* as if others had all but three units */
    assert_int_equal(replaced(f, A, "a", NULL, "1.00004")->reject, REJECT_CAPACITY);
    assert_int_equal(replaced(f, A, "a", NULL, "1.00003")->reject, REJECT_NONE);
    assert_int_equal(bids->quantity, AMOUNT_MAX);
    assert_int_equal(replaced(f, A, "a", NULL, "1.00004")->reject, REJECT_CAPACITY);
    assert_int_equal(replaced(f, A, "a", NULL, "1")->reject, REJECT_NONE);
    bids->quantity -= AMOUNT_MAX - 100000 - 3;
    engine_verify(f->engine);

    bracket[0].modifier = MODIFIER_BRACKET;
    bracket[1].modifier = MODIFIER_ATTACHED_STOP;
    bracket[1].reduce_only = 1;
    bracket[1].stop_type = STOP_TAKE_PROFIT;
    bracket[1].trigger_type = TRIGGER_MARK_PRICE;
    bracket[1].stop_price = number("100100");
    assert_int_equal(perps_send(f, A, BTC, bracket, 2)->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, M, "first", SIDE_SELL, "100000", "0.5")->status, STATUS_FILLED);
    perps_prices(f, BTC, 1001000, 1001000);
    perps_tick(f, 1000); /* the child rests with the parent's filled quantity */
    assert_int_equal(asks->quantity, 50000);
    asks->quantity +=
        AMOUNT_MAX - QUANTITY_MAX - 50000 - 9999; /* as if others had left room for one order of the maximum size */
    assert_int_equal(perps_limit(f, M, "second", SIDE_SELL, "100000", "0.1")->status, STATUS_FILLED);
    assert_int_equal(asks->quantity, AMOUNT_MAX - QUANTITY_MAX - 9999);
    asks->quantity -= 20000 - 9999;
    assert_int_equal(perps_limit(f, M, "third", SIDE_SELL, "100000", "0.1")->status, STATUS_FILLED);
    assert_int_equal(asks->quantity, AMOUNT_MAX - QUANTITY_MAX); /* there is room for both tenths */
    asks->quantity -= AMOUNT_MAX - QUANTITY_MAX - 70000;
    engine_verify(f->engine);
    fixture_free(f);
}

/* Ruling 70: the change of the price is emitted before any other event of the order. */
static void a_limit_brought_into_the_band_is_told_as_replaced_first(void **state)
{
    static const uint8_t              told[] = { EXEC_REPLACED, EXEC_NEW, EXEC_NEW };
    struct fixture                   *f = start(0);
    struct perps_order                stop = perps_item("s", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "50000", "0.1");
    const struct perps_order_changed *order;
    (void)state;

    join(f, A, 100000, MARGIN_CROSS);
    perps_prices(f, BTC, 1000000, 1000000);
    stop.modifier = MODIFIER_STOP;
    stop.stop_type = STOP_LOSS;
    stop.trigger_type = TRIGGER_MARK_PRICE;
    stop.stop_price = number("99000");
    assert_int_equal(perps_send(f, A, BTC, &stop, 1)->reject, REJECT_NONE);
    perps_prices(f, BTC, 990000, 990000);
    perps_tick(f, 1000);
    for (uint32_t n = 0; n < ARRAY_COUNT(told); n++) {
        order = event_at(f, EVENT_PERPS_ORDER, n);
        assert_int_equal(order->base.exec_type, told[n]);
        assert_int_equal(order->base.status, n == 2 ? STATUS_NEW : STATUS_TRIGGERED);
        assert_int_equal(order->base.price, 940500);
    }
    assert_int_equal(event_count(f, EVENT_PERPS_ORDER), 3);
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_brought_into_the_band_is_told_as_replaced_first),
        cmocka_unit_test(a_cancel_says_the_id_it_was_named_by),
        cmocka_unit_test(without_feeders_nothing_opens_and_nothing_is_forced),
        cmocka_unit_test(a_stale_symbol_stays_stale_until_a_jump_is_believed),
        cmocka_unit_test(the_own_spot_book_stands_in_slowly_and_for_half_the_cap),
        cmocka_unit_test(two_feeders_make_the_mean_and_a_post_is_used_once),
        cmocka_unit_test(a_flip_that_the_wallet_cannot_pay_only_closes),
        cmocka_unit_test(a_market_buy_by_funds_is_told_with_them),
        cmocka_unit_test(a_bucket_below_zero_takes_nothing_from_the_wallet),
        cmocka_unit_test(what_nobody_can_bear_makes_the_fund_insolvent),
        cmocka_unit_test(a_second_position_is_sold_when_the_first_finds_nobody),
        cmocka_unit_test(without_self_trade_prevention_nobody_closes_against_himself_for_ever),
        cmocka_unit_test(without_self_trade_prevention_a_child_meets_its_parent_once),
        cmocka_unit_test(an_opening_trade_with_oneself_is_marked),
        cmocka_unit_test(many_reduce_only_orders_in_a_long_queue_are_trimmed_one_by_one),
        cmocka_unit_test(the_sum_of_a_side_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
