/* SPDX-License-Identifier: MIT */
/* backfill_test.c — bars of the time before the first command: every read shows them like trades that came before the
   others, wherever those are. */
#include "rigs/history/bars_rig.h"

#define MINUTES 2000 /* more than a day */

/* One trade in each minute of one symbol, known to the model of the rig and not to the history. */
static int64_t begin_ms;

static void remember_minutes(void)
{
    for (uint32_t i = 0; i < MINUTES; i++) {
        struct recorded *recorded = &trades[trade_count];

        int64_t price = 1000 + (int64_t)random_below(100);
        int64_t value = 1 + (int64_t)random_below(1000);

        now_ms = begin_ms + (int64_t)i * MINUTE;
        *recorded = (struct recorded){ .seq = 0 };
        recorded->trade =
            (struct traded){ .head = { .kind = EVENT_TRADE, .bytes = sizeof(struct traded), .market = MARKET_SPOT },
                             .trade_id = ++trade_count,
                             .symbol_id = 1,
                             .price = price,
                             .value = value,
                             .time_ms = now_ms };
    }
    now_ms += MINUTE;
}

static bool has(const void *self, uint8_t market, uint32_t symbol_id)
{
    (void)self;
    return market == MARKET_SPOT && symbol_id == 1;
}

static void copy(const void *self, const struct history_bars_query *query, struct bar *bars)
{
    (void)self;
    assert_true(has(self, query->market, query->symbol_id));
    for (int64_t n = query->first; n <= query->last; n++) {
        struct bar bar = { .start_ms = interval_start(query->interval, n) };

        for (uint32_t i = 0; i < MINUTES; i++)
            if (model_start(query->interval, trades[i].trade.time_ms) == bar.start_ms) model_add(&bar, &trades[i]);
        assert_int_not_equal(bar.trades, 0);
        bars[n - query->first] = bar;
    }
}

static struct history_backfill backfill;

static void begin(void)
{
    begin_ms = INT64_C(1790000040000); /* in the middle of an hour, and so is the end: bars are made of both */
    remember_minutes();
    backfill = (struct history_backfill){ NULL, begin_ms, begin_ms + MINUTES * MINUTE, has, copy };
    history_set_backfill(history, &backfill);
}

static void they_are_there_before_any_trade(void **state)
{
    int64_t first_ms;

    (void)state;
    begin();
    expect_all(3);
    assert_true(history_first_trade(history, MARKET_SPOT, 1, &first_ms));
    assert_int_equal(first_ms, begin_ms);
    assert_false(history_first_trade(history, MARKET_SPOT, 2, &first_ms));
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), 0);
    now_ms += 2 * DAY; /* the window has left them */
    expect_all(3);
}

static void trades_follow_them(void **state)
{
    (void)state;
    begin();
    trade(MARKET_SPOT, 1, 900, 3, 2700); /* in the first minute behind them */
    trade(MARKET_SPOT, 2, 7, 1, 7);
    apply();
    expect_all(3);
    for (int i = 0; i < 200; i++) {
        now_ms += (int64_t)random_below(20) * MINUTE / 2;
        int64_t price = 900 + (int64_t)random_below(300);
        trade(MARKET_SPOT, 1 + (uint32_t)random_below(2), price, 5, 1 + i);
        apply();
        if (i % 50 == 7) write_all();
        if (i % 40 == 0) expect_all(2);
    }
    write_all();
    expect_all(3);
}

/* More minutes than memory keeps: those of the disk lie between the backfill and the newest. */
static void older_bars_are_on_disk(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < BARS_KEPT + 300; i++) {
        trade_at(now_ms + MINUTE, 950 + (int64_t)random_below(30), 2);
        if (i % 200 == 0) write_all();
    }
    write_all();
    expect_bars(MARKET_SPOT, 1, INTERVAL_1M, interval_index(INTERVAL_1M, backfill.end_ms) - 700,
                interval_index(INTERVAL_1M, backfill.end_ms) + 799);
    expect_bars(MARKET_SPOT, 1, INTERVAL_1M, interval_index(INTERVAL_1M, backfill.end_ms),
                interval_index(INTERVAL_1M, backfill.end_ms) + 1499);
    expect_all(0);
    history_close(history);
    open_it();
    history_set_backfill(history, &backfill);
    expect_all(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(they_are_there_before_any_trade),
        TEST(trades_follow_them),
        TEST(older_bars_are_on_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
