/* SPDX-License-Identifier: MIT */
/*
 * The lists of the perps market compared with naive ones: orders with their perps part, closed positions, fundings,
 * and fills of all kinds.
 */
#include "history/history.h"
#include "rigs/random.h"
#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define ROWS_MAX  20000
#define ACCOUNTS  4
#define LIMIT_MAX 500

enum list { ORDERS, POSITIONS, FUNDINGS, FILLS, LISTS };

/* A row of the naive list: its keys, and the record. */
struct item {
    uint64_t account, id, major, other;
    int64_t  time;
    uint32_t symbol, bytes;
    union {
        struct perps_order_changed order;
        struct position_changed    position;
        struct funded              funding;
        struct filled              fill;
    } record;
};

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 7 } };
static struct item          items[LISTS][ROWS_MAX], wanted[ROWS_MAX];
static uint32_t             item_count[LISTS];
static uint64_t             next_seq, next_id, next_trade, random_state;
static int64_t              now_ms;
static uint8_t              event_bytes[1 << 14];
static struct events        events = { event_bytes, 0, sizeof(event_bytes) };

static uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

static void forget(void)
{
    memset(item_count, 0, sizeof(item_count));
    next_seq = next_id = next_trade = 1;
    now_ms = 1000000;
    random_state = 88172645463325252u;
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    forget();
    return history_open(path, &instance, SLICE("boot"), &history);
}

static int teardown(void **state)
{
    (void)state;
    history_close(history);
    return folder_remove(path);
}

/* ---- making history ---- */

static struct item *item_add(enum list list, uint64_t account, uint64_t id, uint32_t symbol, const void *record,
                             size_t bytes)
{
    struct item *item = &items[list][item_count[list]++];

    *item = (struct item){ .account = account,
                           .id = id,
                           .major = (uint64_t)now_ms,
                           .other = id,
                           .time = now_ms,
                           .symbol = symbol,
                           .bytes = (uint32_t)bytes };
    memcpy(&item->record, record, bytes);
    return item;
}

static void emit_order(uint8_t status)
{
    struct perps_order_changed *order = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    order->base.order_id = next_id++ ^ (random_below(2) << 40);
    order->base.account_id = 1 + random_below(ACCOUNTS);
    order->base.symbol_id = 1 + (uint32_t)random_below(3);
    order->base.status = status;
    order->base.updated_ms = now_ms;
    order->stop_price = (int64_t)random_below(1000);
    order->position_id = random_below(50);
    order->attached_order_ids[1] = random_below(50);
    order->reduce_only = (uint8_t)random_below(2);
    if (status_is_open(status)) return;
    (void)item_add(ORDERS, order->base.account_id, order->base.order_id, order->base.symbol_id, order, sizeof(*order));
}

static void emit_position(int64_t size)
{
    struct position_changed *position = EVENT_ADD(&events, POSITION, position_changed, MARKET_PERPS);

    position->account_id = 1 + random_below(ACCOUNTS);
    position->position_id = next_id++;
    position->symbol_id = 1 + (uint32_t)random_below(3);
    position->size = size;
    position->realized = (int64_t)random_below(1000) - 500;
    position->updated_ms = now_ms;
    if (size != 0) return;
    (void)item_add(POSITIONS, position->account_id, position->position_id, position->symbol_id, position,
                   sizeof(*position));
}

static void emit_funding(void)
{
    struct funded *funded = EVENT_ADD(&events, FUNDING, funded, MARKET_PERPS);

    funded->account_id = 1 + random_below(ACCOUNTS);
    funded->symbol_id = 1 + (uint32_t)random_below(3);
    funded->position_id = next_id++ % 2 == 0 ? next_id : next_id + (UINT64_C(1) << 40);
    funded->payment = (int64_t)random_below(1000) - 500;
    funded->time_ms = now_ms;
    (void)item_add(FUNDINGS, funded->account_id, funded->position_id, funded->symbol_id, funded, sizeof(*funded));
}

/* Every fourth is a take-over, which belongs to no order. */
static void emit_fill(void)
{
    struct filled *fill = EVENT_ADD(&events, FILL, filled, MARKET_PERPS);
    struct item   *item;

    fill->trade_id = next_trade++;
    fill->account_id = 1 + random_below(ACCOUNTS);
    fill->symbol_id = 1 + (uint32_t)random_below(3);
    if (fill->trade_id % 4 == 0) fill->reason = REASON_TAKEOVER;
    else fill->order_id = 1 + random_below(20);
    fill->price = (int64_t)random_below(1000);
    fill->time_ms = now_ms;
    item = item_add(FILLS, fill->account_id, fill->order_id, fill->symbol_id, fill, sizeof(*fill));
    item->major = fill->trade_id;
}

static void random_batch(void)
{
    uint64_t count = 1 + random_below(3);

    events.len = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
        began->seq = next_seq++;
        began->time_ms = now_ms;
        emit_order(random_below(3) == 0 ? STATUS_NEW : STATUS_CANCELED);
        if (random_below(2) == 0) emit_position(random_below(3) == 0 ? 5 : 0);
        if (random_below(2) == 0) emit_funding();
        if (random_below(2) == 0) emit_fill();
    }
    history_apply(history, &events);
    history_block(history, &(struct history_block){ .last_seq = next_seq - 1 }, NULL);
    now_ms += (int64_t)random_below(3);
}

static void write_all(void)
{
    uint32_t left = 1;
    while (left > 0) assert_true(history_write(history, &left) >= 0);
}

/* ---- the naive answer ---- */

static int newer(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->major != y->major) return x->major > y->major ? -1 : 1;
    return x->id > y->id ? -1 : 1;
}

static bool passes(enum list list, const struct history_query *query, const struct item *item)
{
    if (query->symbol_id != 0 && item->symbol != query->symbol_id) return false;
    if ((list == FUNDINGS || list == FILLS) && query->other_id != 0 && item->other != query->other_id) return false;
    return item->time >= query->start_ms && item->time <= query->end_ms;
}

/* How many of `count` rows a page has (history_query.most), by the times of the rows. */
static uint32_t page_length(const struct history_query *query, uint32_t count, int64_t (*time_at)(uint32_t))
{
    uint32_t length = min_u32(count, query->limit), most = max_u32(query->most, query->limit);

    if (query->most == 0 || query->from_id != 0) return length;
    while (length > 0 && length < count && time_at(length) == time_at(length - 1)) length++;
    if (length <= most) return length;
    for (length = most; length > 0 && time_at(length - 1) == time_at(most);) length--;
    return length != 0 ? length : most;
}

static int64_t time_of(uint32_t i) { return wanted[i].time; }

static uint32_t naive(enum list list, const struct history_query *query)
{
    uint32_t count = 0, kept = 0, at = 0;

    for (uint32_t i = 0; i < item_count[list]; i++)
        if (items[list][i].account == query->account_id) wanted[count++] = items[list][i];
    qsort(wanted, count, sizeof(wanted[0]), newer);
    if (query->from_id != 0 && (list == ORDERS || list == POSITIONS)) {
        uint64_t begins = 0; /* from_id, or the next lower one that there is */
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i].id <= query->from_id && wanted[i].id > begins) begins = wanted[i].id;
        while (at < count && wanted[at].id != begins) at++;
        if (at < count && begins == query->from_id) at++;
    }
    for (uint32_t i = at; i < count; i++) {
        if (query->from_id != 0 && list == FILLS && wanted[i].major >= query->from_id) continue;
        if (passes(list, query, &wanted[i])) wanted[kept++] = wanted[i];
    }
    return page_length(query, kept, time_of);
}

static void ask(enum list list, const struct history_query *query)
{
    static union {
        struct perps_order_changed orders[LIMIT_MAX];
        struct position_changed    positions[LIMIT_MAX];
        struct funded              fundings[LIMIT_MAX];
        struct filled              fills[LIMIT_MAX];
    } got;
    static const size_t bytes[LISTS] = { sizeof(got.orders[0]), sizeof(got.positions[0]), sizeof(got.fundings[0]),
                                         sizeof(got.fills[0]) };
    uint32_t            want = naive(list, query);
    int                 count = list == ORDERS    ? history_perps_orders(history, query, got.orders)
                              : list == POSITIONS ? history_positions(history, query, got.positions)
                              : list == FUNDINGS  ? history_fundings(history, query, got.fundings)
                                                  : history_fills(history, query, got.fills);

    assert_int_equal(count, want);
    for (uint32_t i = 0; i < want; i++)
        assert_memory_equal((const uint8_t *)&got + i * bytes[list], &wanted[i].record, bytes[list]);
}

static void ask_at_random(uint32_t times)
{
    while (times-- > 0) {
        enum list            list = (enum list)random_below(LISTS);
        const struct item   *some = item_count[list] == 0 ? NULL : &items[list][random_below(item_count[list])];
        struct history_query query = { .account_id = 1 + random_below(ACCOUNTS + 1),
                                       .market = MARKET_PERPS,
                                       .end_ms = INT64_MAX };
        query.limit = 1 + (uint32_t)random_below(random_below(4) == 0 ? LIMIT_MAX : 20);
        if (some != NULL && random_below(2) == 0) query.account_id = some->account;
        if (random_below(2) == 0) query.most = (uint32_t)random_below(random_below(4) == 0 ? LIMIT_MAX : 20);
        if (random_below(2) == 0) query.symbol_id = 1 + (uint32_t)random_below(4);
        if (random_below(3) == 0) query.other_id = some != NULL ? some->other : 1 + random_below(45);
        if (random_below(3) == 0) query.start_ms = 1000000 + (int64_t)random_below((uint64_t)(now_ms - 999990));
        if (random_below(3) == 0) query.end_ms = 1000000 - 2 + (int64_t)random_below((uint64_t)(now_ms - 999990));
        if (random_below(3) == 0)
            query.from_id = some != NULL && random_below(2) == 0 ? some->id : 1 + random_below(next_id + 3);
        ask(list, &query);
    }
}

/* ---- tests ---- */

static void every_query_is_right_wherever_the_rows_are(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 40; i++) random_batch();
        ask_at_random(60);
        if (random_below(3) == 0) write_all();
        ask_at_random(60);
    }
    for (int list = 0; list < LISTS; list++) assert_true(item_count[list] > 500);
}

static void the_other_market_has_none_of_it(void **state)
{
    static struct order_changed orders[10];
    static struct filled        fills[10];
    struct history_query        query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };

    (void)state;
    for (int i = 0; i < 50; i++) random_batch();
    write_all();
    assert_int_equal(history_orders(history, &query, orders), 0);
    assert_int_equal(history_fills(history, &query, fills), 0);
}

static void a_restart_brings_every_list_back(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) random_batch();
    history_close(history);
    assert_int_equal(history_open(path, &instance, SLICE("boot"), &history), 0);
    assert_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), next_seq - 1);
    ask_at_random(300);
    forget(); /* the replay brings the same commands again, and none is counted twice */
    for (int i = 0; i < 250; i++) random_batch();
    ask_at_random(300);
    write_all();
    ask_at_random(300);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_query_is_right_wherever_the_rows_are),
        TEST(the_other_market_has_none_of_it),
        TEST(a_restart_brings_every_list_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
