/* SPDX-License-Identifier: MIT */
/*
 * Ruling 71: two accounts of one user may trade with each other, and gain nothing by it that trades with others would
 * give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_fixture.h"

enum { OWNER = 1, OTHER }; /* accounts 1001 and 1002; the owner's second one is SUB */
#define SUB 1003

static void set_fees(struct fee_table *table, struct symbol *symbol)
{
    table->rebate_count = 3;
    table->rebate_rate[1] = -2000;
    table->rebate_rate[2] = -4000;
    symbol->maker_fee = 35000;
    symbol->taker_fee = 65000;
    symbol->max_quantity = symbol->max_notional = 0;
}

static void credit(struct fixture *f, uint32_t who, uint32_t account_id, uint32_t coin_id, int64_t amount,
                   uint8_t engine)
{
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){ .address = user(who),
                                        .coin_id = coin_id,
                                        .amount = amount,
                                        .engine = engine,
                                        .account_id = account_id,
                                        .id = operator_id(++f->deposit_id) };
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
}

static struct fixture *start(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    set_fees(&f->genesis.spot_fees, &f->genesis.spot[0]);
    set_fees(&f->genesis.perps_fees, &f->genesis.perps[0]);
    set_fees(&f->genesis.perps_fees, &f->genesis.perps[1]);
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    credit(f, OWNER, 0, VUSDC, INT64_C(100000000000000), MARKET_SPOT);
    credit(f, OTHER, 0, VUSDC, INT64_C(100000000000000), MARKET_SPOT);
    fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
    f->room.open_account = (struct open_account){ .owner = user(OWNER), .id = operator_id(++f->deposit_id) };
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->order_id, SUB);
    for (uint32_t account_id = 1001; account_id <= SUB; account_id++) {
        uint32_t who = account_id == 1002 ? OTHER : OWNER;

        credit(f, who, account_id, VUSDC, INT64_C(100000000000000), MARKET_SPOT);
        credit(f, who, account_id, VBTC, INT64_C(100000000000), MARKET_SPOT);
        credit(f, who, account_id, VUSDC, INT64_C(1000000000000), MARKET_PERPS);
    }
    perps_prices(f, BTC, 1000000, 1000000);
    return f;
}

static uint32_t owner_of(uint32_t account_id) { return account_id == 1002 ? OTHER : OWNER; }

static const struct result *spot_order(struct fixture *f, uint32_t account_id, uint8_t side, const char *price,
                                       const char *quantity)
{
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    fixture_sign(f, owner_of(account_id));
    f->room.place_orders.account_id = account_id;
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = order_of(side, TYPE_LIMIT, TIF_GTC, price, quantity, NULL, "c");
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
    return result_at(f, 0);
}

static const struct result *perps_one(struct fixture *f, uint32_t account_id, struct perps_order item)
{
    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1));
    perps_sign(f, owner_of(account_id));
    f->room.place_perps.account_id = account_id;
    f->room.place_perps.symbol_id = BTC;
    f->room.place_perps.count = 1;
    f->room.place_perps.items[0] = item;
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
    return result_at(f, 0);
}

static void spot_trade(struct fixture *f, uint32_t maker, uint32_t taker, const char *quantity)
{
    spot_order(f, maker, SIDE_SELL, "100000", quantity);
    spot_order(f, taker, SIDE_BUY, "100000", quantity);
    assert_int_equal(event_count(f, EVENT_TRADE), 1);
}

static void perps_trade_of(struct fixture *f, uint32_t maker, uint32_t taker, const char *price, const char *quantity)
{
    perps_one(f, maker, perps_item("m", SIDE_SELL, TYPE_LIMIT, TIF_GTC, price, quantity));
    perps_one(f, taker, perps_item("t", SIDE_BUY, TYPE_LIMIT, TIF_GTC, price, quantity));
    assert_int_equal(event_count(f, EVENT_TRADE), 1);
}

static void next_day(struct fixture *f)
{
    f->time_ms = (f->time_ms / DAY_MS + 1) * DAY_MS;
    perps_tick(f, 0);
}

/* Every account of a user has the same tiers, so a test that gives one gives it to all of them. */
static void give_rebate(struct fixture *f, uint32_t who, uint8_t rebate)
{
    uint32_t user_slot = account_at(f->engine, perps_slot(f, who))->user;

    for (uint32_t slot = SLOT_USERS; slot < f->engine->account_end; slot++) {
        if (account_at(f->engine, slot)->user != user_slot) continue;
        account_at(f->engine, slot)->tiers.rebate = rebate;
        engine_margins(f->engine)[slot].tiers.rebate = rebate;
    }
}

static const struct filled *fill_at(const struct fixture *f, uint32_t n) { return event_at(f, EVENT_FILL, n); }
static bool                 emitted_self(const struct fixture *f)
{
    const struct traded *trade = event_at(f, EVENT_TRADE, 0);

    assert_int_equal(fill_at(f, 0)->self, trade->self);
    assert_int_equal(fill_at(f, 1)->self, trade->self);
    return trade->self != 0;
}

/* The highest volume tier in the events of the last command. */
static uint8_t highest_tier(const struct fixture *f)
{
    const struct fee_tier *event;
    uint8_t                tier = 0;

    for (uint32_t n = 0; (event = event_at(f, EVENT_FEE_TIER, n)) != NULL; n++)
        if (event->tier > tier) tier = event->tier;
    return tier;
}

/* 5,000,000 vUSDC make tier 1 (fees_test.c); volume with oneself does not count towards it. */
static void spot_volume_comes_from_others_alone(void **state)
{
    struct fixture *f = start();
    (void)state;

    spot_trade(f, 1001, 1002, "49.9999");
    assert_false(emitted_self(f));
    spot_trade(f, 1001, SUB, "60");
    assert_true(emitted_self(f));
    spot_trade(f, SUB, 1001, "60");
    next_day(f);
    assert_int_equal(highest_tier(f), 0);
    spot_trade(f, SUB, 1002, "0.0001");
    assert_false(emitted_self(f));
    next_day(f);
    assert_int_equal(highest_tier(f), 1);
    engine_verify(f->engine);
    fixture_free(f);
}

static void perps_volume_comes_from_others_alone(void **state)
{
    struct fixture *f = start();
    (void)state;

    perps_trade_of(f, 1001, 1002, "100000", "9.9999");
    for (int i = 0; i < 4; i++) {
        perps_trade_of(f, 1001, SUB, "100000", "20");
        assert_true(emitted_self(f));
        assert_non_null(event_at(f, EVENT_PRICE, 0)); /* its open interest is emitted at once */
        assert_int_equal(((const struct price_changed *)event_at(f, EVENT_PRICE, 0))->open_interest,
                         engine_perps(f->engine)->open_interest);
        perps_trade_of(f, SUB, 1001, "100000", "20");
    }
    next_day(f);
    assert_int_equal(highest_tier(f), 0);
    assert_int_equal(f->engine->maker_total[MARKET_PERPS][(f->engine->fee_day - 1) % VOLUME_DAYS],
                     INT64_C(999990000000));
    fixture_free(f);
}

static void a_maker_is_paid_for_the_trades_of_others_alone(void **state)
{
    struct fixture *f = start();
    (void)state;

    give_rebate(f, OWNER, 2);
    spot_trade(f, 1001, 1002, "0.1");
    assert_int_equal(fill_at(f, 0)->fee, -400);
    assert_int_equal(fill_at(f, 0)->fee_coin_id, VBTC);
    spot_trade(f, 1001, SUB, "0.1");
    assert_int_equal(fill_at(f, 0)->fee, 0);
    assert_int_equal(fill_at(f, 0)->fee_coin_id, VUSDC);
    assert_int_equal(fill_at(f, 1)->fee, 6500);
    perps_trade_of(f, 1001, 1002, "100000", "0.1");
    assert_int_equal(fill_at(f, 0)->fee, -400000);
    perps_trade_of(f, 1001, SUB, "100000", "0.1");
    assert_int_equal(fill_at(f, 0)->fee, 0);
    assert_int_equal(fill_at(f, 1)->fee, 6500000);
    give_rebate(f, OWNER, 0);
    perps_trade_of(f, 1001, SUB, "100000", "0.1");
    assert_int_equal(fill_at(f, 0)->fee, 3500000); /* a maker without a rebate pays its rate */
    engine_verify(f->engine);
    fixture_free(f);
}

/* Mechanics 2.6: a rebate is paid in the coin that the taker receives, one that is rounded to nothing as well. */
static void a_rebate_of_nothing_is_in_the_takers_coin(void **state)
{
    struct fixture *f = start();
    (void)state;

    give_rebate(f, OWNER, 2);
    spot_trade(f, 1001, 1002, "0.00025"); /* 25,000 units * 0.00004 = 1 */
    assert_int_equal(fill_at(f, 0)->fee, -1);
    assert_int_equal(fill_at(f, 0)->fee_coin_id, VBTC);
    spot_trade(f, 1001, 1002, "0.00024");
    assert_int_equal(fill_at(f, 0)->fee, 0);
    assert_int_equal(fill_at(f, 0)->fee_coin_id, VBTC);
    fixture_free(f);
}

static struct perps_order stop_at_last(const char *id)
{
    struct perps_order item = perps_item(id, SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, "0.1");

    item.modifier = MODIFIER_STOP;
    item.stop_type = STOP_LOSS;
    item.trigger_type = TRIGGER_LAST_PRICE;
    item.stop_price = number("101000");
    return item;
}

static void nobody_fires_a_stop_or_moves_the_last_price_by_himself(void **state)
{
    struct fixture      *f = start();
    struct perps_market *perps = engine_perps(f->engine);
    uint64_t             stop;
    int64_t              before;
    (void)state;

    perps_trade_of(f, 1001, 1002, "100000", "0.1");
    before = perps->last_trade_ms;
    assert_int_equal(perps->last_between, 1000000);
    stop = perps_one(f, 1002, stop_at_last("s"))->order_id;
    f->time_ms += 10;
    perps_trade_of(f, SUB, 1001, "101000", "0.1");
    assert_null(perps_emitted(f, stop));
    assert_int_equal(perps->last_between, 1000000);
    assert_int_equal(perps->last_trade_ms, before);
    perps_tick(f, 1000);
    assert_null(perps_emitted(f, stop));
    perps_trade_of(f, SUB, 1002, "101000", "0.1"); /* of others: it fires at once */
    assert_non_null(perps_emitted(f, stop));
    assert_int_equal(perps->last_between, 1010000);
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spot_volume_comes_from_others_alone),
        cmocka_unit_test(perps_volume_comes_from_others_alone),
        cmocka_unit_test(a_maker_is_paid_for_the_trades_of_others_alone),
        cmocka_unit_test(a_rebate_of_nothing_is_in_the_takers_coin),
        cmocka_unit_test(nobody_fires_a_stop_or_moves_the_last_price_by_himself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
