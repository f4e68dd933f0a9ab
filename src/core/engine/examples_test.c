/* SPDX-License-Identifier: MIT */
/* Examples E1, E2, E3, E16, E18, E19, E23 and E24 of mechanics 9, with the numbers of mechanics_vectors.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/example.h"
#include "core/account/fees.h"
#include "core/account/ledger.h"
#include "rules/fee.h"

#define USDC(text)  units_of(text, 6)
#define BTC(text)   units_of(text, 8)
#define PRICE(text) units_of(text, 1)
#define SIZE(text)  units_of(text, 5)

static struct fixture *start(const char *maker_fee, const char *taker_fee)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.spot[0].maker_fee = units_of(maker_fee, 8);
    f->genesis.spot[0].taker_fee = units_of(taker_fee, 8);
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    return f;
}

static int64_t available(const struct fixture *f, uint32_t who, uint32_t coin)
{
    return ledger_bucket(f->engine, SLOT_USERS + who - 1, coin)->available;
}
static int64_t held(const struct fixture *f, uint32_t who, uint32_t coin)
{
    return ledger_bucket(f->engine, SLOT_USERS + who - 1, coin)->held;
}
static int64_t vault(const struct fixture *f, uint32_t coin)
{
    return ledger_bucket(f->engine, SLOT_FEES, coin)->available;
}

static const struct order_changed *last_order(const struct fixture *f)
{
    return event_at(f, EVENT_ORDER, event_count(f, EVENT_ORDER) - 1);
}

static void e1_price_improvement_and_fee_in_the_received_coin(void **state)
{
    struct fixture *f = start("0", given("E1", "takerFeeRate"));
    (void)state;

    deposit(f, 1, VUSDC, USDC(wanted("E1", "initialHold")));
    deposit(f, 2, VBTC, BTC("1"));
    limit(f, 2, SIDE_SELL, given("E1", "fills/0/0"), given("E1", "fills/0/1"), "m1");
    limit(f, 2, SIDE_SELL, given("E1", "fills/1/0"), given("E1", "fills/1/1"), "m2");
    limit(f, 1, SIDE_BUY, given("E1", "price"), given("E1", "quantity"), "t");
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 1))->fee, BTC(wanted("E1", "fills/0/feeBase")));
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 3))->fee, BTC(wanted("E1", "fills/1/feeBase")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value,
                     USDC(wanted("E1", "fills/0/quotePaid")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->value,
                     USDC(wanted("E1", "fills/1/quotePaid")));
    assert_int_equal(held(f, 1, VUSDC), USDC(wanted("E1", "lockedAfter")));
    assert_int_equal(USDC(wanted("E1", "initialHold")) - available(f, 1, VUSDC) - held(f, 1, VUSDC),
                     USDC(wanted("E1", "quoteSpent")));
    assert_int_equal(available(f, 1, VBTC), BTC(wanted("E1", "baseReceivedNet")));
    assert_int_equal(available(f, 1, VUSDC),
                     USDC(wanted("E1", "fills/0/refund")) + USDC(wanted("E1", "fills/1/refund")));
    fixture_free(f);
}

static void e2_market_buy_by_funds_stops_at_the_bound(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    deposit(f, 1, VUSDC, USDC(given("E2", "funds")));
    deposit(f, 2, VBTC, BTC("10"));
    limit(f, 2, SIDE_SELL, given("E2", "asks/0/0"), given("E2", "asks/0/1"), "a1");
    limit(f, 2, SIDE_SELL, given("E2", "asks/1/0"), given("E2", "asks/1/1"), "a2");
    limit(f, 2, SIDE_SELL, given("E2", "asks/2/0"), given("E2", "asks/2/1"), "a3");
    limit(f, 2, SIDE_SELL, given("E2", "asks/3/0"), given("E2", "asks/3/1"), "a4");
    place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL, given("E2", "funds"), "t"));
    assert_int_equal(event_count(f, EVENT_TRADE), 3);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC(wanted("E2", "fills/0/quote")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->value, USDC(wanted("E2", "fills/1/quote")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 2))->value, USDC(wanted("E2", "fills/2/quote")));
    assert_int_equal(last_order(f)->executed, SIZE(wanted("E2", "executedQty")));
    assert_int_equal(last_order(f)->executed_value, USDC(wanted("E2", "executedValue")));
    assert_int_equal(last_order(f)->funds, USDC(given("E2", "funds")));
    assert_int_equal(last_order(f)->status, STATUS_EXPIRED);
    assert_int_equal(last_order(f)->reason, REASON_PRICE_BOUND);
    assert_int_equal(available(f, 1, VUSDC), USDC(wanted("E2", "refund")));
    fixture_free(f);
}

static void e2_in_a_deep_book_the_dust_is_returned(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    deposit(f, 1, VUSDC, USDC(given("E2", "funds")));
    deposit(f, 2, VBTC, BTC("10"));
    limit(f, 2, SIDE_SELL, given("E2", "asks/0/0"), given("E2", "asks/0/1"), "a1");
    limit(f, 2, SIDE_SELL, given("E2", "deepAsks/1/0"), given("E2", "deepAsks/1/1"), "a2");
    place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL, given("E2", "funds"), "t"));
    assert_int_equal(last_order(f)->executed, SIZE(wanted("E2", "deepBook/executedQty")));
    assert_int_equal(last_order(f)->status, STATUS_FILLED);
    assert_int_equal(available(f, 1, VUSDC), USDC(wanted("E2", "deepBook/refund")));
    fixture_free(f);
}

static void e3_fees_round_up_and_go_to_the_vault(void **state)
{
    struct fixture *f = start(given("E3", "makerRate"), given("E3", "takerRate"));
    (void)state;

    deposit(f, 1, VUSDC, USDC("200"));
    deposit(f, 2, VBTC, BTC("1"));
    limit(f, 2, SIDE_SELL, given("E3", "price"), given("E3", "quantity"), "m");
    limit(f, 1, SIDE_BUY, given("E3", "price"), given("E3", "quantity"), "t");
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC(wanted("E3", "notional")));
    assert_int_equal(available(f, 1, VBTC), BTC(wanted("E3", "takerReceives")));
    assert_int_equal(available(f, 2, VUSDC), USDC(wanted("E3", "makerReceives")));
    assert_int_equal(vault(f, VBTC), BTC(wanted("E3", "vault/vBTC")));
    assert_int_equal(vault(f, VUSDC), USDC(wanted("E3", "vault/vUSDC")));
    fixture_free(f);
}

static void e3_a_rebate_is_paid_out_of_the_takers_fee(void **state)
{
    struct fixture      *f = start(given("E3", "rebateRate"), given("E3", "takerRate"));
    const struct filled *maker;
    (void)state;

    deposit(f, 1, VUSDC, USDC("200"));
    deposit(f, 2, VBTC, BTC(given("E3", "quantity")));
    limit(f, 2, SIDE_SELL, given("E3", "price"), given("E3", "quantity"), "m");
    limit(f, 1, SIDE_BUY, given("E3", "price"), given("E3", "quantity"), "t");
    maker = event_at(f, EVENT_FILL, 0);
    assert_int_equal(maker->fee, BTC(wanted("E3", "rebate/makerFee")));
    assert_int_equal(maker->fee_coin_id, VBTC);
    assert_int_equal(available(f, 2, VBTC), -BTC(wanted("E3", "rebate/makerFee")));
    assert_int_equal(available(f, 2, VUSDC), USDC(wanted("E3", "rebate/makerReceives")));
    assert_int_equal(vault(f, VBTC), BTC(wanted("E3", "rebate/vault_vBTC")));
    assert_int_equal(vault(f, VUSDC), 0);
    fixture_free(f);
}

static void e16_self_trade_expires_the_maker(void **state)
{
    struct fixture             *f = calloc(1, sizeof(*f));
    const struct order_changed *expired;
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.spot[0].reference_price = 1000;
    fixture_start(f);
    deposit(f, 1, VUSDC, USDC("1000"));
    deposit(f, 1, VBTC, BTC("5"));
    deposit(f, 2, VUSDC, USDC("1000"));
    deposit(f, 3, VUSDC, USDC("1000"));
    limit(f, 1, SIDE_BUY, given("E16", "bids/0/3"), given("E16", "bids/0/2"), "o1");
    limit(f, 2, SIDE_BUY, given("E16", "bids/1/3"), given("E16", "bids/1/2"), "o2");
    limit(f, 3, SIDE_BUY, given("E16", "bids/2/3"), given("E16", "bids/2/2"), "o3");
    limit(f, 1, SIDE_SELL, given("E16", "bids/2/3"), given("E16", "quantity"), "t");
    expired = event_at(f, EVENT_ORDER, 0);
    assert_int_equal(expired->order_id, whole_of(wanted("E16", "stp/0/order")));
    assert_int_equal(expired->status, STATUS_CANCELED);
    assert_int_equal(expired->reason, REASON_SELF_TRADE);
    assert_int_equal(event_count(f, EVENT_TRADE), 2);
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 0))->order_id,
                     whole_of(wanted("E16", "stp/1/order")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->price, PRICE(wanted("E16", "stp/1/price")));
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 2))->order_id,
                     whole_of(wanted("E16", "stp/2/order")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->price, PRICE(wanted("E16", "stp/2/price")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->quantity,
                     SIZE(wanted("E16", "stp/1/filled")));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->quantity,
                     SIZE(wanted("E16", "stp/2/filled")));
    assert_int_equal(last_order(f)->status, STATUS_FILLED);
    assert_int_equal(held(f, 1, VUSDC), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

static void e18_bands_are_exact(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    deposit(f, 1, VUSDC, USDC("1000"));
    assert_false(truth_of(wanted("E18", "spot/105000.1")));
    assert_int_equal(limit(f, 1, SIDE_BUY, given("E18", "spotPrices/1"), "0.001", "c")->reject, REJECT_BUY_PRICE_LIMIT);
    assert_true(truth_of(wanted("E18", "spot/105000")));
    assert_int_equal(limit(f, 1, SIDE_BUY, given("E18", "spotPrices/0"), "0.001", "c")->reject, REJECT_NONE);
    fixture_free(f);
}

static void e19_ten_scheduled_cancels_a_day(void **state)
{
    struct fixture *f = start("0", "0");
    int64_t         midnight = whole_of(wanted("E19", "nextReset"));
    (void)state;

    assert_int_equal(FIXTURE_TIME, whole_of(given("E19", "now")));
    assert_int_equal(FIXTURE_TIME / 86400000, whole_of(wanted("E19", "utcDay")));
    deposit(f, 1, VUSDC, 100);
    assert_int_equal(schedule(f, 1, (uint64_t)whole_of(wanted("E19", "rejected")))->reject, REJECT_SCHEDULE_TOO_SOON);
    assert_int_equal(schedule(f, 1, (uint64_t)whole_of(wanted("E19", "earliestAccepted")))->reject, REJECT_NONE);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(schedule(f, 1, (uint64_t)f->time_ms + 5000)->reject, REJECT_NONE);
        tick(f, f->time_ms + 5000);
        assert_int_equal(((const struct schedule *)event_at(f, EVENT_SCHEDULE, 0))->fired, 1);
    }
    assert_int_equal(schedule(f, 1, (uint64_t)midnight - 1)->reject, REJECT_SCHEDULE_LIMIT);
    assert_int_equal(schedule(f, 1, (uint64_t)midnight)->reject, REJECT_NONE);
    tick(f, midnight + 3600000); /* down at fire time: the first TICK fires, counted to its day */
    assert_int_equal(((const struct schedule *)event_at(f, EVENT_SCHEDULE, 0))->fired_today, 1);
    fixture_free(f);
}

static void e23_effective_rates(void **state)
{
    int64_t tenth = units_of(given("E23", "stakingDiscount"), 8),
            fifth = units_of(given("E23", "symbolFeeDiscount"), 8);
    (void)state;

    assert_int_equal(fee_effective(units_of(given("E23", "takerTier"), 8), tenth, fifth),
                     units_of(wanted("E23", "taker"), 8));
    assert_int_equal(fee_effective(units_of(given("E23", "makerTier"), 8), tenth, fifth),
                     units_of(wanted("E23", "maker"), 8));
    assert_int_equal(fee_effective(units_of(given("E23", "takerTier"), 8), tenth, 0),
                     units_of(wanted("E23", "withoutSymbol/taker"), 8));
    assert_int_equal(fee_effective(units_of(given("E23", "makerTier"), 8), tenth, 0),
                     units_of(wanted("E23", "withoutSymbol/maker"), 8));
    assert_int_equal(rate_ceil(USDC(given("E23", "notional")), units_of(wanted("E23", "taker"), 8)),
                     USDC(wanted("E23", "fee")));
    assert_int_equal(fee_effective(1, tenth, fifth), 1);         /* up */
    assert_int_equal(fee_effective(-2000, tenth, fifth), -2000); /* rebates take no discount */
}

static void e24_hold_is_the_ceil_and_trades_are_the_floor(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.spot[0].price_precision = 2;
    f->genesis.spot[0].reference_price = 10000;
    f->genesis.spot[0].min_notional = 0;
    fixture_start(f);
    deposit(f, 1, VUSDC, USDC("40"));
    deposit(f, 2, VBTC, BTC("1"));
    limit(f, 1, SIDE_BUY, given("E24", "price"), given("E24", "quantity"), "t");
    assert_int_equal(held(f, 1, VUSDC), USDC(wanted("E24", "hold_ceil")));
    for (int i = 0; i < 3; i++) {
        char id[16];
        snprintf(id, sizeof(id), "s%d", i);
        limit(f, 2, SIDE_SELL, given("E24", "price"), given("E24", "fills/0"), id);
        assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC(wanted("E24", "fills/0")));
        engine_verify(f->engine);
    }
    assert_int_equal(available(f, 2, VUSDC), USDC(wanted("E24", "sum")));
    assert_int_equal(held(f, 1, VUSDC), 0);
    assert_int_equal(available(f, 1, VUSDC), USDC("40") - USDC(wanted("E24", "sum")));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e1_price_improvement_and_fee_in_the_received_coin),
        cmocka_unit_test(e2_market_buy_by_funds_stops_at_the_bound),
        cmocka_unit_test(e2_in_a_deep_book_the_dust_is_returned),
        cmocka_unit_test(e3_fees_round_up_and_go_to_the_vault),
        cmocka_unit_test(e3_a_rebate_is_paid_out_of_the_takers_fee),
        cmocka_unit_test(e16_self_trade_expires_the_maker),
        cmocka_unit_test(e18_bands_are_exact),
        cmocka_unit_test(e19_ten_scheduled_cancels_a_day),
        cmocka_unit_test(e23_effective_rates),
        cmocka_unit_test(e24_hold_is_the_ceil_and_trades_are_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
