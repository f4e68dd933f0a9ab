/* SPDX-License-Identifier: MIT */
/* statistics_model_test.c — tickers and klines: every response compared with a model that walks all trades for it and
 * prints by itself. */
#include "rigs/random.h"
#include "rigs/api/statistics_rig.h"
#include "rigs/slice.h"

#include <time.h>

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
    for (int round = 0; round < (is_whole() ? 100 : 30); round++) {
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
    for (int i = 0; i < (is_whole() ? 400 : 120); i++) {
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
        TEST(every_answer_is_the_models_over_random_trades_and_jumps),
        TEST(an_answer_that_is_kept_follows_every_trade),
        TEST(a_trade_of_a_minute_that_was_shown_as_over_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
