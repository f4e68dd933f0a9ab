/* SPDX-License-Identifier: MIT */
/* The worked examples E1, E2, E3, E16, E18, E19, E23 and E24 of mechanics 9, with exactly their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/fees.h"
#include "core/fixture.h"
#include "core/ledger.h"

#define USDC(text) in_units(text, 6)
#define BTC(text)  in_units(text, 8)

static int64_t in_units(const char *text, int precision)
{
    int64_t units;
    assert_true(decimal_to_units(number(text), precision, INT64_MAX, &units));
    return units;
}

static struct fixture *start(const char *maker_fee, const char *taker_fee)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.spot[0].maker_fee = in_units(maker_fee, 8);
    f->genesis.spot[0].taker_fee = in_units(taker_fee, 8);
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    return f;
}

static int64_t available(const struct fixture *f, uint32_t who, uint32_t coin) { return ledger_bucket(f->engine, SLOT_USERS + who - 1, coin)->available; }
static int64_t held(const struct fixture *f, uint32_t who, uint32_t coin)      { return ledger_bucket(f->engine, SLOT_USERS + who - 1, coin)->held; }
static int64_t vault(const struct fixture *f, uint32_t coin)                   { return ledger_bucket(f->engine, SLOT_FEES, coin)->available; }

static const struct order_changed *last_order(const struct fixture *f) { return event_at(f, EVENT_ORDER, event_count(f, EVENT_ORDER) - 1); }

static void e1_price_improvement_and_fee_in_the_received_coin(void **state)
{
    struct fixture *f = start("0", "0.0004");
    (void)state;

    deposit(f, 1, VUSDC, USDC("50000"));
    deposit(f, 2, VBTC, BTC("1"));
    limit(f, 2, SIDE_SELL, "99900.1", "0.2", "m1");
    limit(f, 2, SIDE_SELL, "99950", "0.1", "m2");
    limit(f, 1, SIDE_BUY, "100000", "0.5", "t");
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 1))->fee, BTC("0.00008"));
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 3))->fee, BTC("0.00004"));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC("19980.02"));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->value, USDC("9995"));
    assert_int_equal(held(f, 1, VUSDC), USDC("20000"));
    assert_int_equal(USDC("50000") - available(f, 1, VUSDC) - held(f, 1, VUSDC), USDC("29975.02"));
    assert_int_equal(available(f, 1, VBTC), BTC("0.29988"));
    assert_int_equal(available(f, 1, VUSDC), USDC("24.98"));            /* 19.98 and 5 refunded */
    fixture_free(f);
}

static void e2_market_buy_by_funds_stops_at_the_bound(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    deposit(f, 1, VUSDC, USDC("50000"));
    deposit(f, 2, VBTC, BTC("10"));
    limit(f, 2, SIDE_SELL, "100010", "0.15", "a1");
    limit(f, 2, SIDE_SELL, "100800", "0.2", "a2");
    limit(f, 2, SIDE_SELL, "101000", "0.05", "a3");
    limit(f, 2, SIDE_SELL, "101000.1", "5", "a4");
    place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL, "50000", "t"));
    assert_int_equal(event_count(f, EVENT_TRADE), 3);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC("15001.5"));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->value, USDC("20160"));
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 2))->value, USDC("5050"));
    assert_int_equal(last_order(f)->executed, 40000);
    assert_int_equal(last_order(f)->executed_value, USDC("40211.5"));
    assert_int_equal(last_order(f)->funds, USDC("50000"));
    assert_int_equal(last_order(f)->status, STATUS_EXPIRED);
    assert_int_equal(last_order(f)->reason, REASON_PRICE_BOUND);
    assert_int_equal(available(f, 1, VUSDC), USDC("9788.5"));
    fixture_free(f);
}

static void e2_in_a_deep_book_the_dust_is_returned(void **state)
{
    struct fixture *f = start("0", "0");
    (void)state;

    deposit(f, 1, VUSDC, USDC("50000"));
    deposit(f, 2, VBTC, BTC("10"));
    limit(f, 2, SIDE_SELL, "100010", "0.15", "a1");
    limit(f, 2, SIDE_SELL, "100800", "5", "a2");
    place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL, "50000", "t"));
    assert_int_equal(last_order(f)->executed, 49720);
    assert_int_equal(last_order(f)->status, STATUS_FILLED);
    assert_int_equal(available(f, 1, VUSDC), USDC("0.74"));
    fixture_free(f);
}

static void e3_fees_round_up_and_go_to_the_vault(void **state)
{
    struct fixture *f = start("0.00015", "0.00035");
    (void)state;

    deposit(f, 1, VUSDC, USDC("200"));
    deposit(f, 2, VBTC, BTC("1"));
    limit(f, 2, SIDE_SELL, "100000.3", "0.00123", "m");
    limit(f, 1, SIDE_BUY, "100000.3", "0.00123", "t");
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC("123.000369"));
    assert_int_equal(available(f, 1, VBTC), BTC("0.00122956"));
    assert_int_equal(available(f, 2, VUSDC), USDC("122.981918"));
    assert_int_equal(vault(f, VBTC), BTC("0.00000044"));
    assert_int_equal(vault(f, VUSDC), USDC("0.018451"));
    fixture_free(f);
}

static void e3_a_rebate_is_paid_out_of_the_takers_fee(void **state)
{
    struct fixture      *f = start("-0.00005", "0.00035");
    const struct filled *maker;
    (void)state;

    deposit(f, 1, VUSDC, USDC("200"));
    deposit(f, 2, VBTC, BTC("0.00123"));
    limit(f, 2, SIDE_SELL, "100000.3", "0.00123", "m");
    limit(f, 1, SIDE_BUY, "100000.3", "0.00123", "t");
    maker = event_at(f, EVENT_FILL, 0);
    assert_int_equal(maker->fee, -BTC("0.00000006"));
    assert_int_equal(maker->fee_coin_id, VBTC);
    assert_int_equal(available(f, 2, VBTC), BTC("0.00000006"));
    assert_int_equal(available(f, 2, VUSDC), USDC("123.000369"));
    assert_int_equal(vault(f, VBTC), BTC("0.00000038"));
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
    limit(f, 1, SIDE_BUY, "100", "2", "o1");
    limit(f, 2, SIDE_BUY, "100", "1", "o2");
    limit(f, 3, SIDE_BUY, "99", "4", "o3");
    limit(f, 1, SIDE_SELL, "99", "5", "t");
    expired = event_at(f, EVENT_ORDER, 0);
    assert_int_equal(expired->order_id, 1);
    assert_int_equal(expired->status, STATUS_CANCELED);
    assert_int_equal(expired->reason, REASON_SELF_TRADE);
    assert_int_equal(event_count(f, EVENT_TRADE), 2);
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 0))->order_id, 2);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->price, 1000);
    assert_int_equal(((const struct filled *)event_at(f, EVENT_FILL, 2))->order_id, 3);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->price, 990);
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
    assert_int_equal(limit(f, 1, SIDE_BUY, "105000.1", "0.001", "c")->reject, REJECT_BUY_PRICE_LIMIT);
    assert_int_equal(limit(f, 1, SIDE_BUY, "105000", "0.001", "c")->reject, REJECT_NONE);
    fixture_free(f);
}

static void e19_ten_scheduled_cancels_a_day(void **state)
{
    struct fixture *f = start("0", "0");
    int64_t         midnight = INT64_C(1776038400000);
    (void)state;

    assert_int_equal(FIXTURE_TIME / 86400000, 20555);
    deposit(f, 1, VUSDC, 100);
    assert_int_equal(schedule(f, 1, 1776000004999)->reject, REJECT_SCHEDULE_TOO_SOON);
    assert_int_equal(schedule(f, 1, 1776000005000)->reject, REJECT_NONE);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(schedule(f, 1, (uint64_t)f->time_ms + 5000)->reject, REJECT_NONE);
        tick(f, f->time_ms + 5000);
        assert_int_equal(((const struct schedule *)event_at(f, EVENT_SCHEDULE, 0))->fired, 1);
    }
    assert_int_equal(schedule(f, 1, (uint64_t)midnight - 1)->reject, REJECT_SCHEDULE_LIMIT);
    assert_int_equal(schedule(f, 1, (uint64_t)midnight)->reject, REJECT_NONE);
    tick(f, midnight + 3600000);                    /* down at fire time: the first TICK fires, counted to its day */
    assert_int_equal(((const struct schedule *)event_at(f, EVENT_SCHEDULE, 0))->fired_today, 1);
    fixture_free(f);
}

static void e23_effective_rates(void **state)
{
    int64_t tenth = in_units("0.1", 8), fifth = in_units("0.2", 8);
    (void)state;

    assert_int_equal(fees_effective(in_units("0.00045", 8), tenth, fifth), in_units("0.000324", 8));
    assert_int_equal(fees_effective(in_units("0.00015", 8), tenth, fifth), in_units("0.000108", 8));
    assert_int_equal(fees_effective(in_units("0.00045", 8), tenth, 0), in_units("0.000405", 8));
    assert_int_equal(fees_effective(in_units("0.00015", 8), tenth, 0), in_units("0.000135", 8));
    assert_int_equal(rate_ceil(USDC("1234.567891"), in_units("0.000324", 8)), USDC("0.4"));
    assert_int_equal(fees_effective(1, tenth, fifth), 1);                       /* up */
    assert_int_equal(fees_effective(-2000, tenth, fifth), -2000);               /* rebates take no discount */
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
    limit(f, 1, SIDE_BUY, "100.01", "0.33333", "t");
    assert_int_equal(held(f, 1, VUSDC), USDC("33.336334"));
    for (int i = 0; i < 3; i++) {
        char id[16];
        snprintf(id, sizeof(id), "s%d", i);
        limit(f, 2, SIDE_SELL, "100.01", "0.11111", id);
        assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->value, USDC("11.112111"));
        engine_verify(f->engine);
    }
    assert_int_equal(available(f, 2, VUSDC), USDC("33.336333"));
    assert_int_equal(held(f, 1, VUSDC), 0);
    assert_int_equal(available(f, 1, VUSDC), USDC("40") - USDC("33.336333"));   /* 0.000001 released */
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
