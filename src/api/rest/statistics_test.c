/* SPDX-License-Identifier: MIT */
/*
 * statistics_test.c — tickers and klines through api_handle, over real views and a real history: figures computed by
 * hand, and every response compared with a model that walks all trades for it and prints by itself.
 */
#include "api/inside.h"
#include "rigs/random.h"
#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define MINUTE     INT64_C(60000)
#define DAY        INT64_C(86400000)
#define TRADES_MAX 20000

static struct genesis     genesis;
static struct api_shared  shared;
static struct api        *api;
static struct api_context context = { .ready = true };
static uint8_t            event_bytes[1 << 16];
static struct events      events;
static char               path[96];
static char               body[API_ANSWER_BYTES_MAX + 1];
static struct traded      trades[TRADES_MAX];
static uint32_t           trade_count;
static uint64_t           next_seq, update_id, random_state;
static int64_t            now_ms;

static struct symbol make_symbol(uint32_t id, const char *name, uint32_t base, uint32_t price_precision,
                                 uint32_t quantity_precision)
{
    return (struct symbol){ .name = name_make(slice_of(name)),
                            .display_name = name_make(slice_of(name)),
                            .id = id,
                            .base_coin_id = base,
                            .price_precision = price_precision,
                            .quantity_precision = quantity_precision,
                            .market = MARKET_SPOT,
                            .status = SYMBOL_TRADING,
                            .reference_price = 1000000 };
}

static void open_history(void)
{
    assert_int_equal(history_open(path, &(struct hash256){ { 1 } }, SLICE("boot"), &shared.history), 0);
}

static int begin(void **state)
{
    (void)state;
    assert_true(crypto_init());
    memset(&genesis, 0, sizeof(genesis));
    genesis.chain_ids[0] = 286623;
    genesis.coin_count = 3;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    genesis.spot_count = 2;
    genesis.spot[0] = make_symbol(1, "vBTC_vUSDC", 1, 1, 5);
    genesis.spot[1] = make_symbol(2, "vETH_vUSDC", 2, 2, 4);
    genesis.limits = (struct limits){ .accounts = 10, .orders = 10, .levels = 100 };
    snprintf(path, sizeof(path), "%s/dojima-statistics-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    shared = (struct api_shared){ .genesis = &genesis, .settings = { .development = true }, .version = SLICE("0.1.0") };
    open_history();
    shared.views = views_init(calloc(1, views_size(&genesis)), &genesis);
    api = api_init(calloc(1, api_size(&shared)), &shared);
    events = (struct events){ event_bytes, 0, sizeof(event_bytes) };
    trade_count = 0;
    next_seq = update_id = 1;
    random_state = 88172645463325252u;
    now_ms = INT64_C(1790000040000); /* a whole minute: 2026-09-21 13:34 UTC */
    return 0;
}

static int end(void **state)
{
    (void)state;
    history_close(shared.history);
    views_deinit(shared.views);
    free(shared.views);
    free(api);
    return folder_remove(path);
}

/* ---- what happens ---- */

static void apply(void)
{
    views_apply(shared.views, &events, NULL);
    history_apply(shared.history, &events);
    history_block(shared.history, &(struct history_block){ 0 }, NULL);
    events.len = 0;
}

static void began(void)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    event->seq = next_seq++;
    event->time_ms = now_ms;
}

/* A trade now; value as the engine computes it: price times quantity in units of the quote coin, floor. */
static void trade(uint32_t symbol_id, int64_t price, int64_t quantity)
{
    const struct symbol *symbol = &genesis.spot[symbol_id - 1];
    struct traded       *event;

    assert_true(trade_count < TRADES_MAX);
    began();
    event = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
    *event = (struct traded){ .head = event->head,
                              .trade_id = trade_count + 1,
                              .symbol_id = symbol_id,
                              .price = price,
                              .quantity = quantity,
                              .value = (int64_t)notional_floor(price, quantity,
                                                               symbol_notional_power(symbol, &genesis.coins[0])),
                              .time_ms = now_ms };
    trades[trade_count++] = *event;
    apply();
}

static void level(uint32_t symbol_id, uint8_t side, int64_t price, int64_t quantity)
{
    struct level_changed *event;

    began();
    event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);
    event->symbol_id = symbol_id;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id++;
    apply();
}

static const char *get(const char *target)
{
    char                full[256];
    const char         *mark = strchr(target, '?');
    struct http_request request = {
        .method = HTTP_GET, .minor_version = 1, .keep_alive = true, .method_text = SLICE("GET")
    };
    struct out              out = out_make(body, sizeof(body) - 1);
    static struct api_write write;
    struct http_answer      answer;

    snprintf(full, sizeof(full), "/api/v1/spot/markets/%.*s", mark != NULL ? (int)(mark - target) : (int)strlen(target),
             target);
    request.path = slice_of(full);
    request.query = mark != NULL ? slice_of(mark + 1) : (struct slice){ NULL, 0 };
    context.now_ms = now_ms;
    assert_int_equal(api_handle(api, &context, &request, &write, &answer, &out), API_ANSWER);
    assert_false(out.overflow);
    if (answer.kept.at != NULL) {
        assert_int_equal(out.len, 0);
        out_slice_put(&out, answer.kept);
    }
    assert_true(json_is_valid(out_slice(&out)));
    assert_int_equal(answer.status, 200);
    body[out.len] = '\0';
    return body;
}

/* The whole response to a request, with `data` as given. */
static void expect(const char *target, const char *data)
{
    static char text[sizeof(body)];

    snprintf(text, sizeof(text), "{\"code\":0,\"timestamp\":%lld,\"data\":%s}", (long long)now_ms, data);
    get(target);
    if (strcmp(body, text) != 0)
        fail_msg("%s at %lld\ngot  %.3000s\nwant %.3000s", target, (long long)now_ms, body, text);
}

static void expect_error(const char *target, int code, const char *error, const char *part)
{
    char text[160];

    get(target);
    snprintf(text, sizeof(text), "{\"code\":%d,\"timestamp\":%lld,\"error\":\"%s", code, (long long)now_ms, error);
    if (strncmp(body, text, strlen(text)) != 0 || strstr(body, part) == NULL) fail_msg("%s: %s", target, body);
}

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

/* ---- everything against the model ---- */

static uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

/* clang-format off */
static const struct { const char *name; int64_t minutes; } spans[] = {
    { "1m", 1 }, { "5m", 5 }, { "15m", 15 }, { "30m", 30 }, { "1h", 60 }, { "4h", 240 }, { "8h", 480 }, { "12h", 720 },
    { "1D", 1440 }, { "3D", 4320 }, { "1W", -1 }, { "1M", -2 }, { "1d", 1440 }, { "3d", 4320 }, { "1w", -1 },
};
/* clang-format on */

static int64_t model_start(int64_t minutes, int64_t time_ms)
{
    time_t    at = (time_t)(time_ms / 1000);
    struct tm tm;

    if (minutes > 0) return time_ms - time_ms % (minutes * MINUTE);
    gmtime_r(&at, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_mday = minutes == -2 ? 1 : tm.tm_mday - (tm.tm_wday + 6) % 7;
    return (int64_t)timegm(&tm) * 1000;
}

static int64_t model_next(int64_t minutes, int64_t start_ms)
{
    if (minutes > 0) return start_ms + minutes * MINUTE;
    return model_start(minutes, start_ms + (minutes == -2 ? 32 : 7) * DAY);
}

/* A decimal by long hand: every digit, then zeros cut off. */
static void print(struct out *out, int64_t value, uint32_t scale)
{
    char text[64];
    int  len = snprintf(text, sizeof(text), "%s%lld", value < 0 ? "-" : "",
                        (long long)(value < 0 ? -value : value) / (long long)pow10_i64((int)scale));

    if (scale != 0)
        len += snprintf(text + len, sizeof(text) - (size_t)len, ".%0*lld", (int)scale,
                        (long long)(value < 0 ? -value : value) % (long long)pow10_i64((int)scale));
    while (scale != 0 && text[len - 1] == '0') len--;
    if (text[len - 1] == '.') len--;
    out_bytes(out, text, (size_t)len);
}

struct sums {
    int64_t   open, high, low, close, quantity, volume, value;
    long long trades;
};

static void sum(struct sums *sums, const struct traded *trade)
{
    if (sums->trades++ == 0) sums->open = sums->high = sums->low = trade->price;
    if (trade->price > sums->high) sums->high = trade->price;
    if (trade->price < sums->low) sums->low = trade->price;
    sums->close = trade->price;
    sums->volume += trade->quantity;
    sums->value += trade->value;
}

static void print_key(struct out *out, const char *key, int64_t value, uint32_t scale)
{
    out_text(out, key);
    print(out, value, scale);
}

/* All bars from the first trade to now, one after the other; the caller's window is cut out of them. */
static uint32_t model_klines(uint32_t symbol_id, int64_t minutes, int64_t from_ms, int64_t to_ms, uint32_t limit,
                             bool last, char *text, size_t cap)
{
    const struct symbol *symbol = &genesis.spot[symbol_id - 1];
    static uint32_t      ends[400000];
    struct out           out = out_make(text, cap);
    uint32_t             at = 0, rows = 0;
    int64_t              close = 0, start = 0;

    while (at < trade_count && trades[at].symbol_id != symbol_id) at++;
    if (at < trade_count) start = model_start(minutes, trades[at].time_ms);
    for (; at < trade_count || (close != 0 && start <= now_ms); start = model_next(minutes, start)) {
        struct sums sums = { 0 };
        int64_t     next = model_next(minutes, start);
        for (; at < trade_count && trades[at].time_ms < next; at++)
            if (trades[at].symbol_id == symbol_id) sum(&sums, &trades[at]);
        if (sums.trades == 0) sums.open = sums.high = sums.low = sums.close = close;
        close = sums.close;
        if (start > now_ms || start > to_ms || next <= from_ms) continue;
        if (rows == limit && !last) continue;
        out_text(&out, "{\"t\":");
        out_i64(&out, start);
        print_key(&out, ",\"o\":\"", sums.open, symbol->price_precision);
        print_key(&out, "\",\"h\":\"", sums.high, symbol->price_precision);
        print_key(&out, "\",\"l\":\"", sums.low, symbol->price_precision);
        print_key(&out, "\",\"c\":\"", sums.close, symbol->price_precision);
        print_key(&out, "\",\"v\":\"", sums.volume, symbol->quantity_precision);
        print_key(&out, "\",\"q\":\"", sums.value, 6);
        out_text(&out, "\",\"n\":");
        out_i64(&out, sums.trades);
        out_text(&out, "}");
        assert_true(rows < ARRAY_COUNT(ends) && !out.overflow);
        ends[rows++] = (uint32_t)out.len;
        if (last && rows >= 2 * limit) { /* only the last `limit` are wanted: forget the others now and then */
            uint32_t cut = ends[rows - limit - 1];
            memmove(text, text + cut, out.len - cut);
            for (uint32_t i = 0; i < limit; i++) ends[i] = ends[rows - limit + i] - cut;
            out.len -= cut;
            rows = limit;
        }
    }
    if (last && rows > limit) {
        uint32_t cut = ends[rows - limit - 1];
        memmove(text, text + cut, out.len - cut);
        out.len -= cut;
        rows = limit;
    }
    text[out.len] = '\0';
    return rows;
}

static void expect_klines(uint32_t symbol_id, size_t span, const char *from, const char *to, uint32_t limit)
{
    static char rows[4 << 20], data[6 << 20];
    char        target[200];
    size_t      len = 0;

    model_klines(symbol_id, spans[span].minutes, from != NULL ? atoll(from) : 0, to != NULL ? atoll(to) : INT64_MAX,
                 limit, from == NULL, rows, sizeof(rows) - 1);
    data[len++] = '[';
    for (const char *at = rows; *at != '\0'; at++) { /* commas between rows */
        data[len++] = *at;
        if (*at == '}' && at[1] != '\0') data[len++] = ',';
    }
    data[len++] = ']';
    data[len] = '\0';
    snprintf(target, sizeof(target), "%s/klines?interval=%s&limit=%u%s%s%s%s",
             symbol_id == 1 ? "vBTC_vUSDC" : "vETH_vUSDC", spans[span].name, limit, from != NULL ? "&startTime=" : "",
             from != NULL ? from : "", to != NULL ? "&endTime=" : "", to != NULL ? to : "");
    expect(target, data);
}

static void expect_tickers(void)
{
    static char text[4096];
    struct out  out = out_make(text, sizeof(text) - 1);
    int64_t     from_ms = now_ms - now_ms % MINUTE - DAY;

    out_char(&out, '[');
    for (uint32_t id = 1; id <= 2; id++) {
        const struct symbol *symbol = &genesis.spot[id - 1];
        uint32_t             p = symbol->price_precision, q = symbol->quantity_precision;
        struct sums          sums = { 0 };
        for (uint32_t i = 0; i < trade_count; i++) {
            if (trades[i].symbol_id != id) continue;
            if (trades[i].time_ms >= from_ms) sum(&sums, &trades[i]);
            else sums.close = trades[i].price;
            sums.quantity = trades[i].quantity;
        }
        if (sums.trades == 0) sums.open = sums.high = sums.low = sums.close;
        int64_t change = sums.close - sums.open, pct = 0, vwap = 0;
        if (sums.open != 0)
            pct = (int64_t)(((int128_t)llabs(change) * 2000000 + sums.open) / (2 * (int128_t)sums.open));
        if (sums.volume != 0)
            vwap =
                (int64_t)(((int128_t)sums.value * pow10_i64((int)q) * 2 + sums.volume) / (2 * (int128_t)sums.volume));
        if (id == 2) out_char(&out, ',');
        out_text(&out, "{\"symbol\":\"");
        out_slice_put(&out, name_slice(&symbol->name));
        print_key(&out, "\",\"lastPx\":\"", sums.close != 0 ? sums.close : 1000000,
                  p); /* before the first trade: the reference */
        print_key(&out, "\",\"lastSz\":\"", sums.quantity, q);
        if (sums.volume != 0) print_key(&out, "\",\"vwap\":\"", vwap, 6);
        else print_key(&out, "\",\"vwap\":\"", sums.close, p);
        print_key(&out, "\",\"openPx\":\"", sums.open, p);
        print_key(&out, "\",\"highPx\":\"", sums.high, p);
        print_key(&out, "\",\"lowPx\":\"", sums.low, p);
        print_key(&out, "\",\"change\":\"", change, p);
        print_key(&out, "\",\"changePct\":", change < 0 ? -pct : pct, 4);
        print_key(&out, ",\"volume\":\"", sums.volume, q);
        print_key(&out, "\",\"quoteVolume\":\"", sums.value, 6);
        out_text(&out, "\",\"bidPx\":\"0\",\"bidSz\":\"0\",\"askPx\":\"0\",\"askSz\":\"0\",\"openTime\":");
        out_i64(&out, from_ms);
        print_key(&out, ",\"closeTime\":", now_ms, 0);
        out_char(&out, '}');
    }
    out_char(&out, ']');
    text[out.len] = '\0';
    expect("tickers", text);
}

static void write_history(void)
{
    uint32_t left = 1;
    while (left != 0) assert_true(history_write(shared.history, &left) >= 0);
}

static int64_t some_jump(void)
{
    switch (random_below(30)) {
    case 0: return (int64_t)random_below(50 * (uint64_t)DAY);
    case 1: return (int64_t)random_below(2 * (uint64_t)DAY);
    case 2: return MINUTE - now_ms % MINUTE - 1;
    case 3: return DAY - now_ms % DAY;
    case 4: return 0;
    default: return (int64_t)random_below(3 * (uint64_t)MINUTE);
    }
}

static void every_answer_is_the_models_over_random_trades_and_jumps(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        for (uint64_t n = random_below(20); n > 0; n--) {
            now_ms += some_jump();
            int64_t quantity = 1 + (int64_t)random_below(random_below(2) == 0 ? 50 : 10000000),
                    price = 500000 + (int64_t)random_below(1000000);
            trade(random_below(4) == 0 ? 2 : 1, price, quantity);
            if (history_is_full(shared.history)) write_history();
        }
        if (random_below(5) == 0) write_history();
        if (random_below(20) == 0) {
            history_close(shared.history);
            open_history();
            api_init(api, &shared);
        }
        now_ms += random_below(2) == 0 ? some_jump() : 0;
        expect_tickers();
        for (int question = 0; question < 6; question++) {
            size_t   span = random_below(ARRAY_COUNT(spans));
            uint32_t symbol = 1 + (uint32_t)random_below(2),
                     limit = random_below(3) == 0 ? 1500 : 1 + (uint32_t)random_below(40);
            char from[24], to[24];
            if (spans[span].minutes > 0 && spans[span].minutes < 15 && trade_count != 0
                && now_ms - trades[0].time_ms > 20 * DAY)
                span = 4;
            snprintf(from, sizeof(from), "%lld",
                     (long long)(now_ms + DAY - (int64_t)random_below(100 * (uint64_t)DAY)));
            snprintf(to, sizeof(to), "%lld", (long long)(atoll(from) + (int64_t)random_below(50 * (uint64_t)DAY)));
            expect_klines(symbol, span, NULL, NULL, limit);
            expect_klines(symbol, span, from, NULL, limit);
            expect_klines(symbol, span, NULL, to, limit);
            expect_klines(symbol, span, from, to, limit);
        }
    }
}

/* The same read again and again while trades arrive: the cached response is never wrong. */
static void an_answer_that_is_kept_follows_every_trade(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        now_ms += (int64_t)random_below(20000);
        if (random_below(3) != 0) {
            int64_t quantity = 1 + (int64_t)random_below(100);
            trade(1, 900000 + (int64_t)random_below(1000), quantity);
        }
        if (history_is_full(shared.history)) write_history();
        expect_klines(1, 0, NULL, NULL, 50);
        expect_klines(1, 1, "1790000000000", NULL, 1500);
        expect_klines(1, 11, NULL, NULL, 10);
        expect_tickers();
    }
}

/*
 * The clock may be a minute ahead of an outstanding command: its trade then belongs into a bar that was shown as
 * closed.
 */
static void a_trade_of_a_minute_that_was_shown_as_over_is_counted(void **state)
{
    int64_t late;

    (void)state;
    trade(1, 900000, 1);
    for (int i = 0; i < 5; i++) {
        late = now_ms;
        now_ms += 2 * MINUTE; /* a read */
        expect_klines(1, 0, NULL, NULL, 500);
        now_ms = late + 30000; /* the command was timed before that */
        trade(1, 910000 + i, 2);
        now_ms = late + 2 * MINUTE;
        expect_klines(1, 0, NULL, NULL, 500);
    }
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
        TEST(every_answer_is_the_models_over_random_trades_and_jumps),
        TEST(an_answer_that_is_kept_follows_every_trade),
        TEST(a_trade_of_a_minute_that_was_shown_as_over_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
