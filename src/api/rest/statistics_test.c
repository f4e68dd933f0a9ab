/* SPDX-License-Identifier: MIT */
/* statistics_test.c — tickers and klines: figures that are computed by hand. */
#include "rigs/api/statistics_rig.h"

/* ---- tickers by hand ---- */

static void before_the_first_trade_the_last_price_is_the_reference(void **state)
{
    (void)state;
    expect("tickers?symbol=vBTC_vUSDC",
           "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000\",\"lastSz\":\"0\",\"vwap\":\"0\",\"openPx\":\"0\","
           "\"highPx\":\"0\",\"lowPx\":\"0\",\"change\":\"0\",\"changePct\":0,\"volume\":\"0\",\"quoteVolume\":\"0\","
           "\"bidPx\":\"0\",\"bidSz\":\"0\","
           "\"askPx\":\"0\",\"askSz\":\"0\",\"openTime\":1789913640000,\"closeTime\":1790000040000}]");
    expect("miniTickers?symbol=vETH_vUSDC",
           "[{\"symbol\":\"vETH_vUSDC\",\"lastPx\":\"10000\",\"openPx\":\"0\",\"highPx\":\"0\",\"lowPx\":\"0\","
           "\"volume\":\"0\",\"quoteVolume\":\"0\",\"openTime\":1789913640000,\"closeTime\":1790000040000}]");
    expect("bookTickers",
           "[{\"symbol\":\"vBTC_vUSDC\",\"bidPx\":\"0\",\"bidSz\":\"0\",\"askPx\":\"0\",\"askSz\":\"0\"},"
           "{\"symbol\":\"vETH_vUSDC\",\"bidPx\":\"0\",\"bidSz\":\"0\",\"askPx\":\"0\",\"askSz\":\"0\"}]");
    expect("vBTC_vUSDC/klines?interval=1m", "[]");
}

/*
 * 0.3 at 90000 and 0.1 at 100000.5: quoteVolume 27000 + 10000.05 = 37000.05, vwap 37000.05 / 0.4 = 92500.125.
 * Change 10000.5 of 90000: 11.11166…%, four decimals: 11.1117.
 */
static void a_ticker_is_what_the_arithmetic_says(void **state)
{
    (void)state;
    trade(1, 900000, 30000);
    now_ms += 90 * MINUTE;
    trade(1, 1000005, 10000);
    level(1, SIDE_BUY, 999990, 120000);
    level(1, SIDE_SELL, 1000010, 1);
    level(1, SIDE_SELL, 1000020, 500);
    now_ms += 12345;
    expect(
        "tickers?symbol=vBTC_vUSDC",
        "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000.5\",\"lastSz\":\"0.1\",\"vwap\":\"92500.125\","
        "\"openPx\":\"90000\",\"highPx\":\"100000.5\",\"lowPx\":\"90000\",\"change\":\"10000.5\",\"changePct\":11.1117,"
        "\"volume\":\"0.4\","
        "\"quoteVolume\":\"37000.05\",\"bidPx\":\"99999\",\"bidSz\":\"1.2\",\"askPx\":\"100001\",\"askSz\":\"0.00001\","
        "\"openTime\":1789919040000,\"closeTime\":1790005452345}]");
    expect("miniTickers?symbol=vBTC_vUSDC",
           "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000.5\",\"openPx\":\"90000\",\"highPx\":\"100000.5\","
           "\"lowPx\":\"90000\",\"volume\":\"0.4\",\"quoteVolume\":\"37000.05\",\"openTime\":1789919040000,"
           "\"closeTime\":1790005452345}]");
    expect("bookTickers?symbol=vBTC_vUSDC", "[{\"symbol\":\"vBTC_vUSDC\",\"bidPx\":\"99999\",\"bidSz\":\"1.2\","
                                            "\"askPx\":\"100001\",\"askSz\":\"0.00001\"}]");
    level(1, SIDE_SELL, 1000010, 0);
    expect(
        "bookTickers?symbol=vBTC_vUSDC",
        "[{\"symbol\":\"vBTC_vUSDC\",\"bidPx\":\"99999\",\"bidSz\":\"1.2\",\"askPx\":\"100002\",\"askSz\":\"0.005\"}]");
    get("tickers");
    assert_non_null(strstr(body, "\"askPx\":\"100002\""));
    assert_non_null(strstr(body, "{\"symbol\":\"vETH_vUSDC\",\"lastPx\":\"10000\""));
}

static void expect_pct(int64_t open, int64_t close, const char *text)
{
    char part[64];

    now_ms += 3 * DAY;
    trade(1, open, 1);
    trade(1, close, 1);
    snprintf(part, sizeof(part), "\"changePct\":%s,", text);
    get("tickers?symbol=vBTC_vUSDC");
    if (strstr(body, part) == NULL) fail_msg("%lld -> %lld: %s in %s", (long long)open, (long long)close, part, body);
}

static void percent_is_a_number_half_away_from_zero(void **state)
{
    (void)state;
    expect_pct(100, 100, "0");
    expect_pct(200, 199, "-0.5");
    expect_pct(2000000, 2000001, "0.0001"); /* 0.00005 % */
    expect_pct(2000000, 1999999, "-0.0001");
    expect_pct(2000001, 2000002, "0"); /* 0.000049999975 % */
    expect_pct(2000001, 2000000, "0"); /* and not -0 */
    expect_pct(30000, 20000, "-33.3333");
    expect_pct(30000, 50000, "66.6667");
    expect_pct(1, PRICE_MAX, "99999999999999900");
    expect_pct(100, 225, "125");
}

static void the_average_is_rounded_half_up_in_the_quote_coins_decimals(void **state)
{
    (void)state;
    trade(2, 400000, 1);              /* 0.0001 at 4000: 0.4 */
    trade(2, 400001, 2);              /* 0.0002 at 4000.01: 0.800002 */
    get("tickers?symbol=vETH_vUSDC"); /* 1.200002 / 0.0003 = 4000.00666… */
    assert_non_null(strstr(body, "\"vwap\":\"4000.006667\""));
    assert_non_null(strstr(body, "\"quoteVolume\":\"1.200002\""));
    now_ms += 2 * DAY;
    trade(2, 400001, 1);
    trade(2, 400000, 31); /* 12.800001 / 0.0032 = 4000.0003125 */
    get("tickers?symbol=vETH_vUSDC");
    assert_non_null(strstr(body, "\"vwap\":\"4000.000313\""));
}

/* 24 hours and a millisecond later the first minute is gone, and there were no trades meanwhile. */
static void the_window_moves_with_time_alone(void **state)
{
    int64_t first = now_ms;

    (void)state;
    trade(1, 900000, 30000);
    now_ms = first + MINUTE;
    trade(1, 1000000, 10000);
    now_ms = first + DAY + 59999;
    expect("miniTickers?symbol=vBTC_vUSDC",
           "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000\",\"openPx\":\"90000\",\"highPx\":\"100000\","
           "\"lowPx\":\"90000\",\"volume\":\"0.4\",\"quoteVolume\":\"37000\",\"openTime\":1790000040000,\"closeTime\":"
           "1790086499999}]");
    now_ms += 1;
    expect("miniTickers?symbol=vBTC_vUSDC",
           "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000\",\"openPx\":\"100000\",\"highPx\":\"100000\","
           "\"lowPx\":\"100000\",\"volume\":\"0.1\",\"quoteVolume\":\"10000\",\"openTime\":1790000100000,\"closeTime\":"
           "1790086500000}]");
    now_ms += MINUTE;
    expect("tickers?symbol=vBTC_vUSDC",
           "[{\"symbol\":\"vBTC_vUSDC\",\"lastPx\":\"100000\",\"lastSz\":\"0.1\",\"vwap\":\"100000\",\"openPx\":"
           "\"100000\","
           "\"highPx\":\"100000\",\"lowPx\":\"100000\",\"change\":\"0\",\"changePct\":0,\"volume\":\"0\","
           "\"quoteVolume\":\"0\",\"bidPx\":\"0\",\"bidSz\":\"0\","
           "\"askPx\":\"0\",\"askSz\":\"0\",\"openTime\":1790000160000,\"closeTime\":1790086560000}]");
}

static void an_unknown_symbol_is_an_error(void **state)
{
    static const char *const targets[] = { "tickers?symbol=nope", "miniTickers?symbol=vbtc_vusdc",
                                           "bookTickers?symbol=BTC-USD", "nope/klines?interval=1m" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(targets); i++)
        expect_error(targets[i], 40401, "symbol not found", "\"field\":\"symbol\"");
}

/* ---- klines by hand ---- */

static void gaps_repeat_the_close_and_the_open_bar_is_there(void **state)
{
    (void)state;
    trade(1, 900000, 30000);
    trade(1, 890000, 10000);
    now_ms += 3 * MINUTE - 1;
    trade(1, 1000000, 20000); /* the last millisecond of the third minute */
    now_ms += MINUTE;
    expect("vBTC_vUSDC/klines?interval=1m", "[{\"t\":1790000040000,\"o\":\"90000\",\"h\":\"90000\",\"l\":\"89000\","
                                            "\"c\":\"89000\",\"v\":\"0.4\",\"q\":\"35900\",\"n\":2},"
                                            "{\"t\":1790000100000,\"o\":\"89000\",\"h\":\"89000\",\"l\":\"89000\","
                                            "\"c\":\"89000\",\"v\":\"0\",\"q\":\"0\",\"n\":0},"
                                            "{\"t\":1790000160000,\"o\":\"100000\",\"h\":\"100000\",\"l\":\"100000\","
                                            "\"c\":\"100000\",\"v\":\"0.2\",\"q\":\"20000\",\"n\":1},"
                                            "{\"t\":1790000220000,\"o\":\"100000\",\"h\":\"100000\",\"l\":\"100000\","
                                            "\"c\":\"100000\",\"v\":\"0\",\"q\":\"0\",\"n\":0}]");
    expect("vBTC_vUSDC/klines?interval=1m&limit=1", "[{\"t\":1790000220000,\"o\":\"100000\",\"h\":\"100000\",\"l\":"
                                                    "\"100000\",\"c\":\"100000\",\"v\":\"0\",\"q\":\"0\",\"n\":0}]");
    expect("vBTC_vUSDC/klines?interval=1m&limit=1&endTime=1790000159999",
           "[{\"t\":1790000100000,\"o\":\"89000\",\"h\":\"89000\",\"l\":\"89000\",\"c\":\"89000\",\"v\":\"0\",\"q\":"
           "\"0\",\"n\":0}]");
    expect("vBTC_vUSDC/klines?interval=1m&startTime=1790000160001&limit=1",
           "[{\"t\":1790000160000,\"o\":\"100000\",\"h\":\"100000\",\"l\":\"100000\",\"c\":\"100000\",\"v\":\"0.2\","
           "\"q\":\"20000\",\"n\":1}]");
    expect("vBTC_vUSDC/klines?interval=1D", "[{\"t\":1789948800000,\"o\":\"90000\",\"h\":\"100000\",\"l\":\"89000\","
                                            "\"c\":\"100000\",\"v\":\"0.6\",\"q\":\"55900\",\"n\":3}]");
    for (int i = 0; i < 2; i++) { /* the same bar in both spellings */
        expect(i == 0 ? "vBTC_vUSDC/klines?interval=1W" : "vBTC_vUSDC/klines?interval=1w",
               "[{\"t\":1789948800000,\"o\":\"90000\",\"h\":\"100000\",\"l\":\"89000\",\"c\":\"100000\",\"v\":\"0.6\","
               "\"q\":\"55900\",\"n\":3}]");
        expect(i == 0 ? "vBTC_vUSDC/klines?interval=3D" : "vBTC_vUSDC/klines?interval=3d",
               "[{\"t\":1789776000000,\"o\":\"90000\",\"h\":\"100000\",\"l\":\"89000\",\"c\":\"100000\",\"v\":\"0.6\","
               "\"q\":\"55900\",\"n\":3}]");
    }
    expect("vBTC_vUSDC/klines?interval=1M", "[{\"t\":1788220800000,\"o\":\"90000\",\"h\":\"100000\",\"l\":\"89000\","
                                            "\"c\":\"100000\",\"v\":\"0.6\",\"q\":\"55900\",\"n\":3}]");
}

static void bars_begin_with_the_first_trade_and_end_with_now(void **state)
{
    (void)state;
    trade(1, 900000, 30000);
    now_ms += MINUTE;
    const char *both = "[{\"t\":1790000040000,\"o\":\"90000\",\"h\":\"90000\",\"l\":\"90000\",\"c\":\"90000\",\"v\":"
                       "\"0.3\",\"q\":\"27000\",\"n\":1},"
                       "{\"t\":1790000100000,\"o\":\"90000\",\"h\":\"90000\",\"l\":\"90000\",\"c\":\"90000\",\"v\":"
                       "\"0\",\"q\":\"0\",\"n\":0}]";
    expect("vBTC_vUSDC/klines?interval=1m&startTime=0", both);
    expect("vBTC_vUSDC/klines?interval=1m&startTime=0&endTime=18446744073709551615", both);
    expect("vBTC_vUSDC/klines?interval=1m&startTime=1790000040000&endTime=1790000100000", both);
    expect("vBTC_vUSDC/klines?interval=1m&endTime=1790000039999", "[]");
    expect("vBTC_vUSDC/klines?interval=1m&endTime=0", "[]");
    expect("vBTC_vUSDC/klines?interval=1m&startTime=18446744073709551615", "[]");
    expect("vBTC_vUSDC/klines?interval=1m&startTime=1790000100000&endTime=1790000100000",
           "[{\"t\":1790000100000,\"o\":\"90000\",\"h\":\"90000\",\"l\":\"90000\",\"c\":\"90000\",\"v\":\"0\",\"q\":"
           "\"0\",\"n\":0}]");
}

/* A startTime to come is in the open bar as long as that one lasts (ruling 47, decision 506). */
static void a_start_to_come_has_the_open_bar_that_contains_it(void **state)
{
    static const char *const in_it[] = { "1m&startTime=1790000040001", "1m&startTime=1790000099999",
                                         "1m&startTime=1790000040001&endTime=1790000050000",
                                         "1m&startTime=1790000040001&endTime=18446744073709551615" };
    static const char *const behind[] = {
        "1m&startTime=1790000100000",        "1m&startTime=1790000100000&endTime=1790000100000",
        "1W&startTime=1790553600000",        "1M&startTime=1790812800000",
        "1M&startTime=18446744073709551615", "3D&startTime=9223372036854775807"
    };
    char target[100];

    (void)state;
    now_ms = INT64_C(1790000040000);
    trade(1, 900000, 30000);
    for (size_t i = 0; i < ARRAY_COUNT(in_it); i++) {
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?interval=%s", in_it[i]);
        expect(target, "[{\"t\":1790000040000,\"o\":\"90000\",\"h\":\"90000\",\"l\":\"90000\",\"c\":\"90000\",\"v\":"
                       "\"0.3\",\"q\":\"27000\",\"n\":1}]");
    }
    for (size_t i = 0; i < ARRAY_COUNT(behind); i++) {
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?interval=%s", behind[i]);
        expect(target, "[]");
    }
    assert_non_null(strstr(get("vBTC_vUSDC/klines?interval=1W&startTime=1790553599999"), "{\"t\":1789948800000,"));
    assert_non_null(strstr(get("vBTC_vUSDC/klines?interval=1M&startTime=1790812799999"), "{\"t\":1788220800000,"));
}

static uint32_t rows_of(const char *target)
{
    uint32_t rows = 0;

    get(target);
    for (const char *at = strstr(body, "\"t\":"); at != NULL; at = strstr(at + 1, "\"t\":")) rows++;
    return rows;
}

static void the_limit_defaults_to_500_and_is_cut_to_1500(void **state)
{
    (void)state;
    trade(1, 900000, 1);
    now_ms += 2000 * MINUTE;
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=1m"), 500);
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=1m&limit=1500"), 1500);
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=1m&limit=1501"), 1500);
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=1m&limit=4294967295"), 1500);
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=1m&startTime=0&limit=1500"), 1500);
    assert_int_equal(rows_of("vBTC_vUSDC/klines?interval=5m&limit=1500"), 401); /* from the bar of 13:30 on */
}

static void bad_parameters_are_named(void **state)
{
    static const char *const limits[] = { "0", "-1", "x", "", "1.5", "4294967296" };
    static const char *const times[] = { "-1", "x", "", "1.5", "18446744073709551616", "1e3" };
    static const char *const intervals[] = { "interval=2m", "interval=1H", "interval=5M",
                                             "interval=", "interval=1month" };
    char                     target[128];

    (void)state;
    trade(1, 900000, 1);
    for (size_t i = 0; i < ARRAY_COUNT(intervals); i++) {
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?%s", intervals[i]);
        expect_error(target, 40006, "invalid interval, one of 1m, 5m, 15m, 30m, 1h, 4h, 8h, 12h, 1D, 3D, 1W, 1M\"",
                     "\"field\":\"interval\"");
    }
    expect_error("vBTC_vUSDC/klines?limit=5", 40001, "invalid parameter", "\"field\":\"interval\"");
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?interval=1m&limit=%s", limits[i]);
        expect_error(target, 40001, "invalid parameter", "\"field\":\"limit\"");
    }
    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?interval=1m&startTime=%s", times[i]);
        expect_error(target, 40001, "invalid parameter", "\"field\":\"startTime\"");
        snprintf(target, sizeof(target), "vBTC_vUSDC/klines?interval=1m&endTime=%s", times[i]);
        expect_error(target, 40001, "invalid parameter", "\"field\":\"endTime\"");
    }
    expect_error("vBTC_vUSDC/klines?interval=1m&startTime=2&endTime=1", 40007, "invalid time range",
                 "\"field\":\"startTime\",\"got\":\"2\"");
    expect_error("vBTC_vUSDC/klines?interval=1m&interval=1m", 40001, "invalid parameter", "interval");
    get("vBTC_vUSDC/klines?interval=1m&startTime=1&endTime=1");
    assert_non_null(strstr(body, "\"data\":[]"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(before_the_first_trade_the_last_price_is_the_reference),
        TEST(a_ticker_is_what_the_arithmetic_says),
        TEST(percent_is_a_number_half_away_from_zero),
        TEST(the_average_is_rounded_half_up_in_the_quote_coins_decimals),
        TEST(the_window_moves_with_time_alone),
        TEST(an_unknown_symbol_is_an_error),
        TEST(gaps_repeat_the_close_and_the_open_bar_is_there),
        TEST(bars_begin_with_the_first_trade_and_end_with_now),
        TEST(a_start_to_come_has_the_open_bar_that_contains_it),
        TEST(the_limit_defaults_to_500_and_is_cut_to_1500),
        TEST(bad_parameters_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
