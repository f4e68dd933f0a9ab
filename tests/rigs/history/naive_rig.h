/* SPDX-License-Identifier: MIT */
/*
 * naive_rig.h — a history in a folder of its own, batches at random, and a plain list of the same rows that every query
 * is compared with. For one file of a test program. Header only.
 */
#ifndef RIGS_HISTORY_NAIVE_RIG_H
#define RIGS_HISTORY_NAIVE_RIG_H

#include "history/history.h"
#include "rigs/random.h"
#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define ROWS_MAX  40000
#define ACCOUNTS  5
#define LIMIT_MAX 1000

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 1, 2, 3 } };
static struct order_changed orders[ROWS_MAX]; /* all that ended, in order of the log */
static struct filled        fills[ROWS_MAX];
static uint32_t             order_count, fill_count;
static uint64_t             next_seq, next_order_id, next_trade_id;
static int64_t              now_ms;
static uint64_t             random_state;

static inline uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

static inline void open_it(const struct hash256 *of, const char *boot)
{
    assert_int_equal(history_open(path, of, slice_of(boot), &history), 0);
}

static inline void forget(void)
{
    order_count = fill_count = 0;
    next_seq = next_order_id = next_trade_id = 1;
    now_ms = 1000000;
    random_state = 88172645463325252u;
}

static inline int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    forget();
    open_it(&instance, "boot one");
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    if (history != NULL) history_close(history);
    history = NULL;
    return folder_remove(path);
}

/* ---- making history ---- */

static uint8_t       event_bytes[4096];
static struct events events = { event_bytes, 0, sizeof(event_bytes) };

static inline void begin_batch(void) { events.len = 0; }

static inline void command(void)
{
    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    began->seq = next_seq++;
    began->time_ms = now_ms;
}

/* The event, for a test that changes it before the batch ends. */
static inline struct order_changed *order_ends(uint64_t order_id, uint64_t account_id, uint32_t symbol_id,
                                               uint8_t market)
{
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, market);
    order->order_id = order_id;
    order->account_id = account_id;
    order->symbol_id = symbol_id;
    order->status = STATUS_CANCELED;
    order->quantity = (int64_t)order_id * 7;
    order->updated_ms = now_ms;
    orders[order_count++] = *order;
    return order;
}

static inline void order_rests(uint64_t order_id, uint64_t account_id)
{
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);
    order->order_id = order_id;
    order->account_id = account_id;
    order->symbol_id = 1;
    order->status = STATUS_NEW;
    order->updated_ms = now_ms;
}

static inline void fill(uint64_t trade_id, uint64_t order_id, uint64_t account_id, uint32_t symbol_id)
{
    struct filled *filled = EVENT_ADD(&events, FILL, filled, MARKET_SPOT);
    filled->trade_id = trade_id;
    filled->order_id = order_id;
    filled->account_id = account_id;
    filled->symbol_id = symbol_id;
    filled->price = (int64_t)trade_id * 3;
    filled->time_ms = now_ms;
    fills[fill_count++] = *filled;
}

static struct history_tx txs[16];

static inline void end_batch(uint32_t tx_count, uint64_t first_seq)
{
    history_apply(history, &events);
    for (uint32_t i = 0; i < tx_count; i++) {
        txs[i].seq = first_seq + i;
        txs[i].hash = keccak256(&txs[i].seq, 8);
    }
    if (tx_count == 0) return;
    struct history_block block = { .hash = keccak256("block", 5),
                                   .number = first_seq,
                                   .time_ms = now_ms,
                                   .first_seq = first_seq,
                                   .last_seq = first_seq + tx_count - 1,
                                   .count = tx_count };
    history_block(history, &block, txs);
}

/* One batch of a few commands: orders end out of the order of their ids, several in one millisecond. */
static inline void random_batch(void)
{
    uint64_t first = next_seq, commands = 1 + random_below(3);

    begin_batch();
    for (uint64_t i = 0; i < commands; i++) {
        command();
        uint64_t id = next_order_id++ ^ (random_below(2) << 40);
        if (random_below(4) == 0) order_rests(id, 1 + random_below(ACCOUNTS));
        if (random_below(3) != 0) {
            uint8_t  market = random_below(5) == 0 ? MARKET_PERPS : MARKET_SPOT;
            uint32_t symbol = 1 + (uint32_t)random_below(3);
            order_ends(id, 1 + random_below(ACCOUNTS), symbol, market);
        }
        if (random_below(2) != 0) {
            uint64_t trade = next_trade_id++, account = 1 + random_below(ACCOUNTS);
            fill(trade, 1 + random_below(20), account, 1 + (uint32_t)(trade % 3));
            account = random_below(8) == 0 ? account : 1 + random_below(ACCOUNTS);
            fill(trade, 21 + random_below(20), account, 1 + (uint32_t)(trade % 3));
        }
    }
    end_batch(random_below(6) == 0 ? 0 : (uint32_t)commands, first);
    now_ms += (int64_t)random_below(3);
}

static inline void replay_from_the_start(uint32_t batches)
{
    forget();
    for (uint32_t i = 0; i < batches; i++) random_batch();
}

static inline void write_all(void)
{
    uint32_t left = 1;
    while (left > 0) assert_true(history_write(history, &left) >= 0);
}

/* ---- the naive answer ---- */

static inline int newer_order(const void *a, const void *b)
{
    const struct order_changed *x = a, *y = b;
    if (x->updated_ms != y->updated_ms) return x->updated_ms > y->updated_ms ? -1 : 1;
    return x->order_id > y->order_id ? -1 : 1;
}

static inline int newer_fill(const void *a, const void *b)
{
    const struct filled *x = a, *y = b;
    if (x->trade_id != y->trade_id) return x->trade_id > y->trade_id ? -1 : 1;
    return x->order_id > y->order_id ? -1 : 1;
}

static struct order_changed want_orders[ROWS_MAX], got_orders[LIMIT_MAX];
static struct filled        want_fills[ROWS_MAX], got_fills[LIMIT_MAX];

/* How many of `count` rows a page has (history_query.most), by the times of the rows. */
static inline uint32_t page_length(const struct history_query *query, uint32_t count, int64_t (*time_at)(uint32_t))
{
    uint32_t length = min_u32(count, query->limit), most = max_u32(query->most, query->limit);

    if (query->most == 0 || query->from_id != 0) return length;
    while (length > 0 && length < count && time_at(length) == time_at(length - 1)) length++;
    if (length <= most) return length;
    for (length = most; length > 0 && time_at(length - 1) == time_at(most);) length--;
    return length != 0 ? length : most;
}

static inline int64_t time_of_order(uint32_t i) { return want_orders[i].updated_ms; }
static inline int64_t time_of_fill(uint32_t i) { return want_fills[i].time_ms; }

static inline uint32_t naive_orders(const struct history_query *query)
{
    uint32_t count = 0, kept = 0;
    uint64_t at = 0; /* the id at which the page begins: from_id, or the next lower one */
    bool     below = query->from_id == 0;

    for (uint32_t i = 0; i < order_count; i++)
        if (orders[i].account_id == query->account_id && orders[i].head.market == query->market)
            want_orders[count++] = orders[i];
    qsort(want_orders, count, sizeof(want_orders[0]), newer_order);
    for (uint32_t i = 0; i < count; i++)
        if (want_orders[i].order_id <= query->from_id && want_orders[i].order_id > at) at = want_orders[i].order_id;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_changed order = want_orders[i];
        below = below || order.order_id == at;
        if (!below || order.order_id == query->from_id) continue;
        if (query->symbol_id != 0 && order.symbol_id != query->symbol_id) continue;
        if (order.updated_ms < query->start_ms || order.updated_ms > query->end_ms) continue;
        want_orders[kept++] = order;
    }
    return page_length(query, kept, time_of_order);
}

static inline uint32_t naive_fills(const struct history_query *query)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < fill_count; i++) {
        const struct filled *row = &fills[i];
        if (row->account_id != query->account_id || row->head.market != query->market) continue;
        if (query->symbol_id != 0 && row->symbol_id != query->symbol_id) continue;
        if (query->other_id != 0 && row->order_id != query->other_id) continue;
        if (query->from_id != 0 && row->trade_id >= query->from_id) continue;
        if (row->time_ms < query->start_ms || row->time_ms > query->end_ms) continue;
        want_fills[count++] = *row;
    }
    qsort(want_fills, count, sizeof(want_fills[0]), newer_fill);
    return page_length(query, count, time_of_fill);
}

static inline void ask(const struct history_query *query)
{
    uint32_t want = naive_orders(query);
    assert_int_equal(history_orders(history, query, got_orders), want);
    assert_memory_equal(got_orders, want_orders, want * sizeof(got_orders[0]));
    want = naive_fills(query);
    assert_int_equal(history_fills(history, query, got_fills), want);
    assert_memory_equal(got_fills, want_fills, want * sizeof(got_fills[0]));
}

static inline struct history_query random_query(void)
{
    struct history_query query = { .account_id = 1 + random_below(ACCOUNTS + 1), .end_ms = INT64_MAX };

    query.market = random_below(4) == 0 ? MARKET_PERPS : MARKET_SPOT;
    query.limit = 1 + (uint32_t)random_below(random_below(4) == 0 ? LIMIT_MAX : 20);
    if (random_below(2) == 0) query.most = (uint32_t)random_below(random_below(4) == 0 ? LIMIT_MAX : 20);
    if (random_below(2) == 0) query.symbol_id = 1 + (uint32_t)random_below(4);
    if (random_below(3) == 0) query.other_id = 1 + random_below(45);
    if (random_below(3) == 0) query.start_ms = 1000000 + (int64_t)random_below((uint64_t)(now_ms - 999990));
    if (random_below(3) == 0) query.end_ms = 1000000 - 2 + (int64_t)random_below((uint64_t)(now_ms - 999990));
    if (random_below(3) == 0)
        query.from_id = order_count != 0 && random_below(2) == 0 ? orders[random_below(order_count)].order_id
                                                                 : 1 + random_below(next_trade_id + 3);
    return query;
}

static inline void ask_at_random(uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        struct history_query query = random_query();
        ask(&query);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
