/* SPDX-License-Identifier: MIT */
/*
 * bars_rig.h — shared by the tests of bars: a list of trades that is walked from its start for every question, and
 * given to a history while its writer may run at any moment. Its calendar is libc's. Header only.
 */
#ifndef RIGS_HISTORY_BARS_RIG_H
#define RIGS_HISTORY_BARS_RIG_H

#include "history/bars.h"
#include "rigs/random.h"
#include "rigs/test_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define TRADES_MAX 40000
#define MINUTE     INT64_C(60000)
#define DAY        INT64_C(86400000)

struct recorded {
    struct traded trade;
    uint64_t      seq;
};

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 4, 5, 6 } };
static struct recorded     *trades; /* all, in order of the log; shared with children */
static uint32_t             trade_count;
static uint64_t             next_seq;
static int64_t              now_ms;
static uint64_t             random_state;
static struct bar           got[HISTORY_BARS_MAX];

static inline uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

static void open_it(void) { assert_int_equal(history_open(path, &instance, SLICE("boot one"), &history), 0); }

static inline int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-bars-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    if (trades == NULL)
        trades = mmap(NULL, TRADES_MAX * sizeof(*trades), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    trade_count = 0;
    next_seq = 1;
    now_ms = INT64_C(1790000000000);
    random_state = 88172645463325252u;
    open_it();
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    if (history != NULL) history_close(history);
    history = NULL;
    return folder_remove(path);
}

/* ---- making trades ---- */

static uint8_t       event_bytes[1 << 16];
static struct events events = { event_bytes, 0, sizeof(event_bytes) };

static inline void emit(const struct recorded *recorded)
{
    struct filled *fill;

    *EVENT_ADD(&events, TRADE, traded, recorded->trade.head.market) = recorded->trade;
    for (int side = 0; side < 2; side++) {
        fill = EVENT_ADD(&events, FILL, filled, recorded->trade.head.market);
        fill->trade_id = recorded->trade.trade_id;
        fill->order_id = recorded->trade.trade_id * 2 + (uint64_t)side;
        fill->account_id = 1001;
        fill->symbol_id = recorded->trade.symbol_id;
        fill->time_ms = recorded->trade.time_ms;
    }
}

static inline void began(uint64_t seq)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    event->seq = seq;
}

/* One command with one trade, now. */
static inline void trade(uint8_t market, uint32_t symbol_id, int64_t price, int64_t quantity, int64_t value)
{
    struct recorded *recorded = &trades[trade_count];

    assert_true(trade_count < TRADES_MAX);
    *recorded = (struct recorded){ .seq = next_seq++ };
    recorded->trade =
        (struct traded){ .head = { .kind = EVENT_TRADE, .bytes = sizeof(struct traded), .market = market },
                         .trade_id = ++trade_count,
                         .symbol_id = symbol_id,
                         .price = price,
                         .quantity = quantity,
                         .value = value,
                         .time_ms = now_ms };
    began(recorded->seq);
    emit(recorded);
}

static uint64_t early_writes; /* not 0: once in so many batches the writer runs before a batch is complete */

static inline void apply(void)
{
    uint32_t left;

    history_apply(history, &events);
    if (early_writes != 0 && next_seq % early_writes == 0) assert_true(history_write(history, &left) >= 0);
    history_block(history, &(struct history_block){ 0 }, NULL);
    events.len = 0;
}

static inline void write_all(void)
{
    uint32_t left = 1;
    while (left != 0) assert_true(history_write(history, &left) >= 0);
}

static inline void trade_at(int64_t time_ms, int64_t price, int64_t quantity)
{
    now_ms = time_ms;
    if (history_is_full(history)) write_all();
    trade(MARKET_SPOT, 1, price, quantity, price * quantity);
    apply();
}

/* Does what a start does: replays the log from its first command; skips batches that the store has. */
static inline void replay(void)
{
    uint64_t have = history_seq(history);

    for (uint32_t i = 0; i < trade_count; i++) {
        began(trades[i].seq);
        emit(&trades[i]);
        if (trades[i].seq > have) history_apply(history, &events);
        if (trades[i].seq > have) history_block(history, &(struct history_block){ 0 }, NULL);
        events.len = 0;
        if (history_is_full(history)) write_all();
    }
}

/* ---- the model ---- */

static inline int64_t model_start(enum interval interval, int64_t time_ms)
{
    static const int64_t length[] = { 1, 5, 15, 30, 60, 240, 480, 720, 1440, 4320 };
    time_t               at = (time_t)(time_ms / 1000);
    struct tm            tm;

    gmtime_r(&at, &tm);
    if (interval <= INTERVAL_3D) return time_ms - time_ms % (length[interval] * MINUTE);
    if (interval == INTERVAL_1W) return time_ms - time_ms % DAY - (tm.tm_wday + 6) % 7 * DAY;
    tm.tm_mday = 1;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    return (int64_t)timegm(&tm) * 1000;
}

static inline void model_add(struct bar *bar, const struct recorded *recorded)
{
    const struct traded *t = &recorded->trade;

    if (bar->trades == 0) bar->open = bar->high = bar->low = t->price;
    if (t->price > bar->high) bar->high = t->price;
    if (t->price < bar->low) bar->low = t->price;
    bar->close = t->price;
    bar->last_quantity = t->quantity;
    bar->volume = bar->volume + (uint64_t)t->quantity;
    bar->value = bar->value + (uint64_t)t->value;
    bar->trades += 1;
    bar->seq = recorded->seq;
}

static inline bool is_of(const struct recorded *recorded, uint8_t market, uint32_t symbol_id)
{
    return recorded->trade.head.market == market && recorded->trade.symbol_id == symbol_id;
}

static inline void expect_bar(const struct bar *bar, const struct bar *model)
{
    assert_int_equal(bar->start_ms, model->start_ms);
    assert_int_equal(bar->trades, model->trades);
    assert_int_equal(bar->open, model->open);
    assert_int_equal(bar->high, model->high);
    assert_int_equal(bar->low, model->low);
    assert_int_equal(bar->close, model->close);
    assert_int_equal(bar->last_quantity, model->last_quantity);
    assert_true(bar->volume == model->volume);
    assert_true(bar->value == model->value);
    assert_int_equal(bar->seq, model->seq);
}

/* Asks for bars first … last and for the one before, and walks the trades for the same. */
static inline void expect_bars(uint8_t market, uint32_t symbol_id, enum interval interval, int64_t first, int64_t last)
{
    struct history_bars_query query = { market, interval, symbol_id, first, last };
    int64_t                   first_ms = interval_start(interval, first), last_ms = interval_start(interval, last);
    struct bar                before, model = { 0 }, model_before = { 0 };
    int                       count = history_bars(history, &query, got, &before), at = 0;

    assert_true(count >= 0);
    for (uint32_t i = 0; i <= trade_count; i++) {
        if (i < trade_count && !is_of(&trades[i], market, symbol_id)) continue;
        int64_t start = i < trade_count ? model_start(interval, trades[i].trade.time_ms) : INT64_MAX;
        if (model.trades != 0 && model.start_ms != start) {
            if (model.start_ms < first_ms) model_before = model;
            else if (model.start_ms <= last_ms) {
                assert_true(at < count);
                expect_bar(&got[at++], &model);
            }
            model.trades = 0;
        }
        if (i == trade_count) break;
        if (model.trades == 0) model = (struct bar){ .start_ms = start };
        model_add(&model, &trades[i]);
    }
    assert_int_equal(at, count);
    assert_int_equal(before.trades, model_before.trades);
    if (before.trades != 0) expect_bar(&before, &model_before);
}

static inline void expect_window(uint8_t market, uint32_t symbol_id, int64_t at_ms)
{
    struct bar window, model = { .start_ms = at_ms - at_ms % MINUTE - DAY };
    bool       known = history_window(history, market, symbol_id, at_ms, &window), traded = false;
    int64_t    last = 0;

    for (uint32_t i = 0; i < trade_count; i++) {
        if (!is_of(&trades[i], market, symbol_id)) continue;
        traded = true;
        last = trades[i].trade.price;
        model.last_quantity = trades[i].trade.quantity;
        if (trades[i].trade.time_ms >= model.start_ms) model_add(&model, &trades[i]);
    }
    assert_int_equal(known, traded);
    if (!traded) return;
    if (model.trades == 0) model.open = model.high = model.low = model.close = last;
    expect_bar(&window, &model);
}

static inline void expect_all(uint32_t questions)
{
    for (uint8_t market = 1; market <= 2; market++)
        for (uint32_t symbol = 1; symbol <= 3; symbol++) {
            int64_t first_ms;
            expect_window(market, symbol, now_ms);
            expect_window(market, symbol, now_ms + (int64_t)random_below(3 * (uint64_t)DAY));
            if (!history_first_trade(history, market, symbol, &first_ms)) continue;
            for (enum interval i = 0; i < INTERVALS; i++) {
                int64_t newest = interval_index(i, now_ms), oldest = interval_index(i, first_ms);
                expect_bars(market, symbol, i, newest - 1499, newest);
                expect_bars(market, symbol, i, oldest, oldest + 1499);
                for (uint32_t q = 0; q < questions; q++) {
                    int64_t first = oldest - 2 + (int64_t)random_below((uint64_t)(newest - oldest + 4));
                    expect_bars(market, symbol, i, first, first + (int64_t)random_below(1500));
                }
            }
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
