/* SPDX-License-Identifier: MIT */
/*
 * query_bars.c — bars for the reads: a copy of the newest ones out of memory, older ones from the disk, and before
 * them those of the backfill, if there is one.
 *
 * A bar leaves its ring only after it was written, so what memory no longer has is on disk. A read looks at
 * memory first and begins its transaction afterwards.
 */
#include "history/state.h"

static bool backfill_has(const struct history *history, uint8_t market, uint32_t symbol_id)
{
    const struct history_backfill *backfill = history->backfill;

    return backfill != NULL && backfill->has(backfill->self, market, symbol_id);
}

void history_set_backfill(struct history *history, const struct history_backfill *backfill)
{
    assert(backfill->first_ms >= 0 && backfill->first_ms < backfill->end_ms);
    assert(backfill->first_ms % MINUTE_MS == 0 && backfill->end_ms % MINUTE_MS == 0);
    history->backfill = backfill;
}

static void read_begin(const struct bars *bars) { pthread_rwlock_rdlock((pthread_rwlock_t *)&bars->lock); }
static void read_end(const struct bars *bars) { pthread_rwlock_unlock((pthread_rwlock_t *)&bars->lock); }

uint64_t history_bars_version(const struct history *history, uint8_t market, uint32_t symbol_id)
{
    return atomic_load_explicit(&history->bars.heads[bars_slot(market, symbol_id)].version, memory_order_acquire);
}

bool history_first_trade(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t *minute_ms)
{
    const struct bar_head *head = &history->bars.heads[bars_slot(market, symbol_id)];

    if (backfill_has(history, market, symbol_id)) {
        *minute_ms = history->backfill->first_ms;
        return true;
    }
    if (atomic_load_explicit(&head->version, memory_order_acquire) == 0) return false;
    *minute_ms = head->first_ms;
    return true;
}

/* ---- memory ---- */

/* The part of a read that memory answered. */
struct newest {
    uint32_t   count;
    struct bar before;
    bool       whole;   /* memory has all requested bars, and the bar before them */
    int64_t    from_ms; /* else: the disk has what begins before this */
};

/* The open minute belongs into the bar that contains it, which the ring may not have yet. */
static void copy_open(const struct bar *open, enum interval interval, int64_t first_ms, int64_t last_ms,
                      struct bar *bars, struct newest *newest)
{
    int64_t     start_ms = interval_start(interval, interval_index(interval, open->start_ms));
    struct bar *same = newest->count != 0 ? &bars[newest->count - 1] : &newest->before;

    if (start_ms > last_ms) return;
    if (same->trades != 0 && same->start_ms == start_ms) {
        bar_merge(same, open);
        return;
    }
    same = start_ms < first_ms ? &newest->before : &bars[newest->count++];
    *same = *open;
    same->start_ms = start_ms;
}

static void copy_newest(const struct bars *bars, const struct history_bars_query *query, struct bar *into,
                        struct newest *newest)
{
    uint32_t               slot = bars_slot(query->market, query->symbol_id);
    const struct bar_ring *ring = bars_ring(bars, slot, query->interval);
    int64_t                first_ms = interval_start(query->interval, query->first),
            last_ms = interval_start(query->interval, query->last);
    uint64_t oldest = ring_oldest(ring), from = ring_find(ring, first_ms);

    *newest = (struct newest){ .whole = from > oldest || (oldest == 0 && !ring->older) };
    if (from > oldest) newest->before = *ring_bar(ring, from - 1);
    if (!newest->whole) newest->from_ms = ring_bar(ring, oldest)->start_ms;
    for (uint64_t n = from; n < ring->count && ring_bar(ring, n)->start_ms <= last_ms; n++) {
        assert(newest->count < HISTORY_BARS_MAX);
        into[newest->count++] = *ring_bar(ring, n);
    }
    if (bars->heads[slot].open.trades != 0)
        copy_open(&bars->heads[slot].open, query->interval, first_ms, last_ms, into, newest);
}

/* ---- both ---- */

/* Bars of the disk come before those of memory. */
static int read_older(struct history *history, const struct history_bars_query *query, struct bar *bars,
                      struct newest *newest)
{
    int64_t first_ms = interval_start(query->interval, query->first),
            last_ms = interval_start(query->interval, query->last);
    uint32_t            count = newest->count, older = 0, at = HISTORY_BARS_MAX - count;
    struct store_reader reader;
    struct bar          before;
    int                 error = store_begin(&history->store, &reader);

    if (error != 0) return error;
    memmove(bars + at, bars, count * sizeof(*bars));
    error = store_read_bars(&reader, query, first_ms, min_i64(newest->from_ms, last_ms + 1), bars, at, &older, &before);
    store_end(&reader);
    memmove(bars + older, bars + at, count * sizeof(*bars));
    newest->count = count + older;
    newest->before = before;
    return error;
}

static int traded_bars(struct history *history, const struct history_bars_query *query,
                       struct bar bars[HISTORY_BARS_MAX], struct bar *before)
{
    struct newest newest;

    assert(query->first <= query->last && query->last - query->first < HISTORY_BARS_MAX);
    read_begin(&history->bars);
    copy_newest(&history->bars, query, bars, &newest);
    read_end(&history->bars);
    if (!newest.whole) {
        int error = read_older(history, query, bars, &newest);
        if (error != 0) return history_note(history, error);
    }
    *before = newest.before;
    return (int)newest.count;
}

/* ---- and those of the backfill ---- */

/* Puts bars of the backfill before `count` bars of trades. The last one may have trades too. */
static uint32_t put_before(const struct history *history, const struct history_bars_query *filled, struct bar *bars,
                           uint32_t count)
{
    uint32_t   more = (uint32_t)(filled->last - filled->first + 1);
    bool       seam = count != 0 && interval_index(filled->interval, bars[0].start_ms) == filled->last;
    struct bar traded = bars[0];

    memmove(bars + more, bars + seam, (count - seam) * sizeof(*bars));
    history->backfill->copy(history->backfill->self, filled, bars);
    if (seam) bar_merge(&bars[more - 1], &traded);
    return more + count - seam;
}

/* The bar before those of a query, when it is bar `number` or an older one: one of `all`, or *before as it is. */
static void find_before(const struct history *history, const struct history_bars_query *all, int64_t number,
                        struct bar *before)
{
    struct history_bars_query one = *all;
    struct bar                traded = *before;

    if (traded.trades != 0 && interval_index(all->interval, traded.start_ms) > all->last) return;
    *before = (struct bar){ 0 };
    if (number < all->first) return;
    one.first = one.last = min_i64(number, all->last);
    history->backfill->copy(history->backfill->self, &one, before);
    if (traded.trades != 0) bar_merge(before, &traded);
}

int history_bars(struct history *history, const struct history_bars_query *query, struct bar bars[HISTORY_BARS_MAX],
                 struct bar *before)
{
    const struct history_backfill *backfill = history->backfill;
    struct history_bars_query      traded = *query, filled = *query, all = *query;
    int                            count = 0;

    if (!backfill_has(history, query->market, query->symbol_id)) return traded_bars(history, query, bars, before);
    all.first = interval_index(query->interval, backfill->first_ms);
    all.last = interval_index(query->interval, backfill->end_ms - 1);
    filled.first = max_i64(query->first, all.first);
    filled.last = min_i64(query->last, all.last);
    traded.first = max_i64(query->first, all.last);
    *before = (struct bar){ 0 };
    if (traded.first <= query->last) count = traded_bars(history, &traded, bars, before);
    if (count < 0) return count;
    if (traded.first > query->first) *before = (struct bar){ 0 };
    find_before(history, &all, query->first - 1, before);
    if (filled.first > filled.last) return count;
    return (int)put_before(history, &filled, bars, (uint32_t)count);
}

/* ---- the window of 24 hours ---- */

#define WINDOW_MINUTES 1440
#define WINDOW_BARS    64 /* at most 60 minutes, or 25 hours */

/* Adds later bars. The first one also gives the opening price of the window. */
static void window_add(struct bar *window, const struct bar *bar)
{
    if (window->trades == 0) {
        int64_t start_ms = window->start_ms;
        *window = *bar;
        window->start_ms = start_ms;
        return;
    }
    bar_merge(window, bar);
}

/* Bars of an interval that begin within [from_ms, to_ms). */
static void window_add_ring(struct bar *window, const struct bar_ring *ring, int64_t from_ms, int64_t to_ms)
{
    for (uint64_t n = ring_find(ring, from_ms); n < ring->count && ring_bar(ring, n)->start_ms < to_ms; n++)
        window_add(window, ring_bar(ring, n));
}

/* The bars of the backfill that begin within [from_ms, to_ms). */
static void window_add_backfill(struct bar *window, const struct history *history, struct history_bars_query query,
                                int64_t from_ms, int64_t to_ms)
{
    const struct history_backfill *backfill = history->backfill;
    struct bar                     bars[WINDOW_BARS];

    if (!backfill_has(history, query.market, query.symbol_id)) return;
    from_ms = max_i64(from_ms, backfill->first_ms);
    to_ms = min_i64(to_ms, backfill->end_ms);
    if (from_ms >= to_ms) return;
    query.first = interval_index(query.interval, from_ms);
    query.last = interval_index(query.interval, to_ms - 1);
    assert(query.last - query.first < WINDOW_BARS);
    backfill->copy(backfill->self, &query, bars);
    for (int64_t n = 0; n <= query.last - query.first; n++) window_add(window, &bars[n]);
}

/* The last minute with trades, or that of the backfill when there is none; trades 0: neither. */
static struct bar last_minute(const struct history *history, uint8_t market, uint32_t symbol_id)
{
    uint32_t                  slot = bars_slot(market, symbol_id);
    const struct bar         *open = &history->bars.heads[slot].open;
    const struct bar_ring    *minutes = bars_ring(&history->bars, slot, INTERVAL_1M);
    struct history_bars_query query = { market, INTERVAL_1M, symbol_id, 0, 0 };
    struct bar                last = { 0 };

    if (open->trades != 0) return *open;
    if (minutes->count != 0) return *ring_bar(minutes, minutes->count - 1);
    if (!backfill_has(history, market, symbol_id)) return last;
    query.first = query.last = interval_index(INTERVAL_1M, history->backfill->end_ms - 1);
    history->backfill->copy(history->backfill->self, &query, &last);
    return last;
}

/* The first hour by its minutes, the others as a whole: a trade is never behind the current minute. */
bool history_window(const struct history *history, uint8_t market, uint32_t symbol_id, int64_t now_ms,
                    struct bar *window)
{
    const struct bars        *bars = &history->bars;
    uint32_t                  slot = bars_slot(market, symbol_id);
    const struct bar         *open = &bars->heads[slot].open;
    struct history_bars_query minutes = { .market = market, .interval = INTERVAL_1M, .symbol_id = symbol_id };
    struct history_bars_query hours = { .market = market, .interval = INTERVAL_1H, .symbol_id = symbol_id };
    int64_t from_ms = now_ms - now_ms % MINUTE_MS - WINDOW_MINUTES * MINUTE_MS, hour_ms = 60 * MINUTE_MS;
    int64_t hours_ms = from_ms <= 0 ? 0 : (from_ms + hour_ms - 1) / hour_ms * hour_ms;

    *window = (struct bar){ .start_ms = from_ms };
    window_add_backfill(window, history, minutes, from_ms, hours_ms);
    window_add_backfill(window, history, hours, hours_ms, INT64_MAX);
    read_begin(bars);
    struct bar last = last_minute(history, market, symbol_id);
    if (last.trades != 0) {
        window_add_ring(window, bars_ring(bars, slot, INTERVAL_1M), from_ms, hours_ms);
        window_add_ring(window, bars_ring(bars, slot, INTERVAL_1H), hours_ms, INT64_MAX);
        if (open->trades != 0 && open->start_ms >= from_ms) window_add(window, open);
        if (window->trades == 0) window->open = window->high = window->low = window->close = last.close;
        window->last_quantity = last.last_quantity;
    }
    read_end(bars);
    return last.trades != 0;
}
