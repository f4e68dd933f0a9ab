/* SPDX-License-Identifier: MIT */
/* History compared with a naive list: every query, wherever the rows are, while they move, and after restarts. */
#include "history/pending.h"
#include "history/history.h"

#include <dirent.h>
#include <pthread.h>
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

static uint64_t random_below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

static void open_it(const struct hash256 *of, const char *boot)
{
    assert_int_equal(history_open(path, of, slice_of(boot), &history), 0);
}

static void forget(void)
{
    order_count = fill_count = 0;
    next_seq = next_order_id = next_trade_id = 1;
    now_ms = 1000000;
    random_state = 88172645463325252u;
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    forget();
    open_it(&instance, "boot one");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (history != NULL) history_close(history);
    history = NULL;
    DIR *folder = opendir(path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    return rmdir(path);
}

/* ---- making history ---- */

static uint8_t       event_bytes[4096];
static struct events events = { event_bytes, 0, sizeof(event_bytes) };

static void begin_batch(void) { events.len = 0; }

static void command(void)
{
    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    began->seq = next_seq++;
    began->time_ms = now_ms;
}

/* The event, for a test that changes it before the batch ends. */
static struct order_changed *order_ends(uint64_t order_id, uint64_t account_id, uint32_t symbol_id, uint8_t market)
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

static void order_rests(uint64_t order_id, uint64_t account_id)
{
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);
    order->order_id = order_id;
    order->account_id = account_id;
    order->symbol_id = 1;
    order->status = STATUS_NEW;
    order->updated_ms = now_ms;
}

static void fill(uint64_t trade_id, uint64_t order_id, uint64_t account_id, uint32_t symbol_id)
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

static void end_batch(uint32_t tx_count, uint64_t first_seq)
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
static void random_batch(void)
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

static void replay_from_the_start(uint32_t batches)
{
    forget();
    for (uint32_t i = 0; i < batches; i++) random_batch();
}

static void write_all(void)
{
    uint32_t left = 1;
    while (left > 0) assert_true(history_write(history, &left) >= 0);
}

/* ---- the naive answer ---- */

static int newer_order(const void *a, const void *b)
{
    const struct order_changed *x = a, *y = b;
    if (x->updated_ms != y->updated_ms) return x->updated_ms > y->updated_ms ? -1 : 1;
    return x->order_id > y->order_id ? -1 : 1;
}

static int newer_fill(const void *a, const void *b)
{
    const struct filled *x = a, *y = b;
    if (x->trade_id != y->trade_id) return x->trade_id > y->trade_id ? -1 : 1;
    return x->order_id > y->order_id ? -1 : 1;
}

static struct order_changed want_orders[ROWS_MAX], got_orders[LIMIT_MAX];
static struct filled        want_fills[ROWS_MAX], got_fills[LIMIT_MAX];

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

static int64_t time_of_order(uint32_t i) { return want_orders[i].updated_ms; }
static int64_t time_of_fill(uint32_t i) { return want_fills[i].time_ms; }

static uint32_t naive_orders(const struct history_query *query)
{
    uint32_t count = 0, kept = 0;
    bool     in_list = false, below = false;

    for (uint32_t i = 0; i < order_count; i++)
        if (orders[i].account_id == query->account_id && orders[i].head.market == query->market)
            want_orders[count++] = orders[i];
    qsort(want_orders, count, sizeof(want_orders[0]), newer_order);
    for (uint32_t i = 0; i < count; i++) in_list = in_list || want_orders[i].order_id == query->from_id;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_changed order = want_orders[i];
        bool                       was_below = below;
        below = below || order.order_id == query->from_id;
        if (query->from_id != 0 && in_list && !was_below) continue;
        if (query->from_id != 0 && !in_list && order.order_id >= query->from_id) continue;
        if (query->symbol_id != 0 && order.symbol_id != query->symbol_id) continue;
        if (order.updated_ms < query->start_ms || order.updated_ms > query->end_ms) continue;
        want_orders[kept++] = order;
    }
    return page_length(query, kept, time_of_order);
}

static uint32_t naive_fills(const struct history_query *query)
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

static void ask(const struct history_query *query)
{
    uint32_t want = naive_orders(query);
    assert_int_equal(history_orders(history, query, got_orders), want);
    assert_memory_equal(got_orders, want_orders, want * sizeof(got_orders[0]));
    want = naive_fills(query);
    assert_int_equal(history_fills(history, query, got_fills), want);
    assert_memory_equal(got_fills, want_fills, want * sizeof(got_fills[0]));
}

static struct history_query random_query(void)
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

static void ask_at_random(uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        struct history_query query = random_query();
        ask(&query);
    }
}

/* ---- tests ---- */

/* Batches without rows, as an idle exchange makes them each second. */
static void commands_of_which_nothing_came_are_reached_all_the_same(void **state)
{
    (void)state;
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 0);
    for (int i = 0; i < 3; i++) {
        begin_batch();
        command();
        history_apply(history, &events);
        if (i < 2) history_block(history, &(struct history_block){ 0 }, NULL);
    }
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 2); /* further rows of the last batch are possible */
    history_block(history, &(struct history_block){ 0 }, NULL);
    write_all();
    assert_int_equal(history_seq(history), 2);
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 3);

    begin_batch();
    command();
    order_ends(7, 1, 1, MARKET_SPOT);
    history_apply(history, &events);
    history_block(history, &(struct history_block){ 0 }, NULL);
    assert_int_equal(history_reach(history), 0);
    assert_int_equal(history_seq(history), 3); /* a row waits: history_write returns its progress */
    write_all();
    assert_int_equal(history_seq(history), 4);
    history_close(history);
    open_it(&instance, "boot one");
    assert_int_equal(history_seq(history), 4);
}

static void an_empty_history_answers_empty_lists(void **state)
{
    (void)state;
    struct tx_location   place;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
    assert_false(history_transaction(history, 1, &place));
    assert_int_equal(history_seq(history), 0);
    assert_false(history_is_full(history));
}

static void open_orders_are_not_history(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    begin_batch();
    command();
    order_rests(5, 1);
    end_batch(1, 1);
    assert_int_equal(history_orders(history, &query, got_orders), 0);
    write_all();
    assert_int_equal(history_orders(history, &query, got_orders), 0);
}

/* They are sorted before they are written (decision 142), and those of one account stay as they came. */
static void of_two_rows_with_one_key_the_later_stays(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };

    for (int64_t quantity = 20; quantity < 23; quantity++) {
        begin_batch();
        command();
        order_ends(9, 1, 1, MARKET_SPOT)->quantity = quantity;
        order_ends(9, 2, 1, MARKET_SPOT);
        end_batch(1, next_seq - 1);
    }
    write_all();
    history_close(history); /* those in memory are all there */
    open_it(&instance, "boot one");
    assert_int_equal(history_orders(history, &query, got_orders), 1);
    assert_int_equal(got_orders[0].quantity, 22);
}

static void a_row_is_there_as_soon_as_it_was_applied(void **state)
{
    (void)state;
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    struct tx_location   place;
    begin_batch();
    command();
    order_ends(9, 1, 1, MARKET_SPOT);
    fill(1, 9, 1, 1);
    end_batch(1, 1);
    ask(&query);
    assert_int_equal(history_orders(history, &query, got_orders), 1);
    assert_true(history_transaction(history, 1, &place));
    assert_int_equal(place.block, 1);
    assert_int_equal(place.index, 0);
    assert_true(hash256_equal(&place.hash, &txs[0].hash));
    write_all();
    ask(&query);
    memset(&place, 0, sizeof(place));
    assert_true(history_transaction(history, 1, &place));
    assert_true(hash256_equal(&place.hash, &txs[0].hash));
    assert_false(history_transaction(history, 2, &place));
    assert_int_equal(history_seq(history), 1);
}

static void start_and_end_are_inclusive(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++, now_ms += 10) {
        begin_batch();
        command();
        order_ends(10 + (uint64_t)i, 1, 1, MARKET_SPOT);
        fill(1 + (uint64_t)i, 4, 1, 1);
        end_batch(1, next_seq - 1);
        if (i == 1) write_all();
    }
    /* clang-format off */
    static const struct { int64_t start, end; int rows; } rows[] = {
        { 1000010, 1000010, 1 }, { 1000011, 1000019, 0 }, { 1000009, 1000011, 1 }, { 1000000, 1000020, 3 },
          { 1000001, 1000020, 2 },
        { 1000000, 1000019, 2 }, { 1000021, INT64_MAX, 0 }, { 0, 999999, 0 }, { 1000020, 1000010, 0 },
          { INT64_MIN, -1, 0 },
    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct history_query query = {
            .account_id = 1, .market = MARKET_SPOT, .start_ms = rows[i].start, .end_ms = rows[i].end, .limit = 9
        };
        assert_int_equal(history_orders(history, &query, got_orders), rows[i].rows);
        assert_int_equal(history_fills(history, &query, got_fills), rows[i].rows);
    }
}

static void every_query_is_right_wherever_the_rows_are(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 40; i++) random_batch();
        ask_at_random(60);
        if (random_below(3) == 0) write_all();
        ask_at_random(60);
    }
}

static void pages_join_without_gap_or_double(void **state)
{
    (void)state;
    for (int i = 0; i < 800; i++) {
        random_batch();
        if (i == 500) write_all();
    }
    for (uint32_t limit = 1; limit < 40; limit += 6) {
        struct history_query query = { .account_id = 2, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = ROWS_MAX };
        uint32_t             want = naive_orders(&query), seen = 0;
        query.limit = limit;
        for (int got; (got = history_orders(history, &query, got_orders)) > 0; seen += (uint32_t)got) {
            assert_memory_equal(got_orders, want_orders + seen, (size_t)got * sizeof(got_orders[0]));
            query.from_id = got_orders[got - 1].order_id;
        }
        assert_int_equal(seen, want);
    }
}

/* `rows` orders and fills of account 1 that end in this millisecond. */
static void rows_of_one_millisecond(uint32_t rows)
{
    begin_batch();
    for (uint32_t i = 0; i < rows; i++) {
        command();
        order_ends(next_order_id++, 1, 1, MARKET_SPOT);
        fill(next_trade_id++, 4, 1, 1);
    }
    end_batch(1, next_seq - 1);
    now_ms += 1;
}

/* A reader that continues with the last row's time less 1, without fromID, gets every row once. */
static uint32_t read_by_time(uint32_t limit, uint32_t most)
{
    struct history_query query = {
        .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = limit, .most = most
    };
    uint32_t seen = 0;

    for (int got; (got = history_orders(history, &query, got_orders)) > 0; seen += (uint32_t)got) {
        assert_int_equal(history_fills(history, &query, got_fills), got);
        assert_true((uint32_t)got <= max_u32(limit, most));
        assert_memory_equal(got_orders, want_orders + seen, (size_t)got * sizeof(got_orders[0]));
        query.end_ms = got_orders[got - 1].updated_ms - 1;
    }
    return seen;
}

static void a_page_ends_with_a_whole_millisecond(void **state)
{
    static const uint32_t rows[] = { 3, 1, 7, 1, 1, 2, 7, 5 };
    struct history_query  all = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = ROWS_MAX };
    uint32_t              count;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) rows_of_one_millisecond(rows[i]);
    count = naive_orders(&all);
    assert_int_equal(count, 27);
    for (int where = 0; where < 4; where++) { /* in memory, on disk, and half of each */
        for (uint32_t limit = 1; limit <= 7; limit++)
            for (uint32_t most = 7; most <= 12; most++) assert_int_equal(read_by_time(limit, most), count);
        if (where == 0) write_all();
        if (where == 1) {
            rows_of_one_millisecond(7);
            rows_of_one_millisecond(2);
            count = naive_orders(&all);
        }
        if (where == 2) write_all();
    }
}

/* Then its rows beyond the maximum are for fromID alone. */
static void a_millisecond_of_more_rows_than_a_page_may_have_is_cut(void **state)
{
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 2, .most = 6 };

    (void)state;
    rows_of_one_millisecond(1);
    rows_of_one_millisecond(7);
    for (int where = 0; where < 2; where++) {
        query.from_id = 0;
        assert_int_equal(history_orders(history, &query, got_orders), 6);
        assert_int_equal(history_fills(history, &query, got_fills), 6);
        query.from_id = got_orders[5].order_id;
        assert_int_equal(history_orders(history, &query, got_orders), 2);
        query.from_id = got_fills[5].trade_id;
        assert_int_equal(history_fills(history, &query, got_fills), 2);
        if (where == 0) write_all();
    }
    rows_of_one_millisecond(1);
    query.from_id = 0;
    assert_int_equal(history_orders(history, &query, got_orders), 1); /* the whole millisecond is for the next page */
}

static void a_restart_skips_what_is_on_disk_and_takes_the_rest_again(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    uint64_t reached = history_seq(history);
    assert_true(reached > 0 && reached < next_seq);
    for (int i = 0; i < 200; i++) random_batch();
    history_close(history); /* writes everything that is pending */
    open_it(&instance, "boot one");
    assert_int_equal(history_seq(history), next_seq - 1);
    replay_from_the_start(520);
    ask_at_random(200);
    write_all();
    ask_at_random(200);
}

/* A copy of the folder as a killed process leaves it: the state file says open. */
static void copy_file(const char *from, const char *name)
{
    char line[256];
    snprintf(line, sizeof(line), "cp %s/%s %s/%s", from, name, path, name);
    assert_int_equal(system(line), 0);
}

static void kill_and_open(const struct hash256 *of, const char *boot)
{
    char old[96];
    snprintf(old, sizeof(old), "%s", path);
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(path));
    copy_file(old, "data.mdb");
    copy_file(old, "state");
    char killed[96];
    snprintf(killed, sizeof(killed), "%s", path);
    snprintf(path, sizeof(path), "%s", old);
    assert_int_equal(teardown(NULL), 0);
    snprintf(path, sizeof(path), "%s", killed);
    open_it(of, boot);
}

static void after_a_kill_in_the_same_life_of_the_machine_the_store_is_good(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    uint64_t reached = history_seq(history);
    for (int i = 0; i < 100; i++) random_batch();
    kill_and_open(&instance, "boot one");
    assert_int_equal(history_seq(history), reached);
    replay_from_the_start(400);
    ask_at_random(300);
}

/* The writer runs between the rows of a batch and its block: the store must not claim the batch. */
static void a_batch_is_reached_only_with_its_block(void **state)
{
    (void)state;
    uint32_t           left;
    struct tx_location place;

    for (int round = 0; round < 2; round++) {
        begin_batch();
        command();
        order_ends(5, 1, 1, MARKET_SPOT);
        if (round == 0) {
            history_apply(history, &events);
            assert_int_equal(history_write(history, &left), 1);
            assert_int_equal(history_seq(history), 0);
            kill_and_open(&instance, "boot one");
            forget();
        } else {
            end_batch(1, 1);
        }
    }
    assert_true(history_transaction(history, 1, &place));
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
    write_all();
    ask(&query);
    assert_true(history_transaction(history, 1, &place));
    assert_int_equal(history_seq(history), 1);
}

static void a_replay_of_what_is_on_disk_remembers_nothing(void **state)
{
    (void)state;
    uint32_t left = 1;
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&instance, "boot one");
    replay_from_the_start(100);
    assert_int_equal(history_write(history, &left), 0);
    assert_int_equal(left, 0);
    random_batch();
    random_batch();
    random_batch();
    assert_true(history_write(history, &left) > 0);
    ask_at_random(50);
}

static void after_the_machine_went_down_the_store_is_made_again(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    kill_and_open(&instance, "boot two");
    assert_int_equal(history_seq(history), 0);
    replay_from_the_start(300);
    ask_at_random(100);
    write_all();
    ask_at_random(100);
}

static void a_store_that_was_closed_survives_the_machine(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&instance, "boot two");
    assert_int_equal(history_seq(history), next_seq - 1);
    ask_at_random(100);
}

static void the_store_of_another_log_is_emptied(void **state)
{
    (void)state;
    static const struct hash256 other = { { 9 } };
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&other, "boot one");
    assert_int_equal(history_seq(history), 0);
    forget();
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
}

static void memory_that_is_full_says_so_until_rows_are_written(void **state)
{
    (void)state;
    static uint8_t many[2000 * sizeof(struct filled) + 64];
    struct events  large = { many, 0, sizeof(many) };
    uint32_t       left, rows = 0;

    while (!history_is_full(history)) {
        large.len = 0;
        struct command_began *began = EVENT_ADD(&large, COMMAND_BEGAN, command_began, 0);
        began->seq = next_seq++;
        for (int i = 0; i < 2000; i++, rows++) {
            struct filled *filled = EVENT_ADD(&large, FILL, filled, MARKET_SPOT);
            filled->trade_id = next_trade_id++;
            filled->account_id = 1;
            filled->order_id = 1;
        }
        history_apply(history, &large);
    }
    assert_int_equal(rows, 1000000);
    assert_true(history_write(history, &left) > 0);
    assert_false(history_is_full(history));
    assert_true(left < 1000000);
    struct history_query query = {
        .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 3, .from_id = 5
    };
    assert_int_equal(history_fills(history, &query, got_fills), 3);
    assert_int_equal(got_fills[0].trade_id, 4);
}

/* ---- while rows move ---- */

#define MOVING_ROWS 30000
static bool     stop;
static uint64_t applied; /* rows of account 1 so far */

static void *write_for_ever(void *unused)
{
    uint32_t left;
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) assert(history_write(history, &left) >= 0);
    return NULL;
}

/*
 * Rows of account 1 have the ids 1, 2, 3 …: an answer must be one unbroken run that begins no lower than the previous
 * one.
 */
static void *read_for_ever(void *seed)
{
    static __thread struct filled        page[64];
    static __thread struct order_changed list[64];
    uint64_t                             from = (uint64_t)(uintptr_t)seed;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        uint64_t             before = __atomic_load_n(&applied, __ATOMIC_ACQUIRE);
        struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 64 };
        if (from++ % 3 == 0) query.symbol_id = 1;
        if (from % 5 == 0 && before > 200) query.from_id = before - from % 150;
        int      got = history_fills(history, &query, page);
        uint64_t top = query.from_id != 0 ? query.from_id - 1 : before;
        assert(got == (int)min_u64(64, got == 0 ? top : page[0].trade_id));
        assert(got == 0 || (query.from_id != 0 ? page[0].trade_id == top : page[0].trade_id >= top));
        for (int i = 1; i < got; i++) assert(page[i].trade_id == page[i - 1].trade_id - 1);
        got = history_orders(history, &query, list);
        assert(got == (int)min_u64(64, got == 0 ? top : list[0].order_id));
        for (int i = 1; i < got; i++) assert(list[i].order_id == list[i - 1].order_id - 1);
        struct tx_location place;
        assert(before == 0 || history_transaction(history, 1 + from % before, &place));
    }
    return NULL;
}

static void reads_see_every_row_once_while_it_moves_to_disk(void **state)
{
    (void)state;
    pthread_t writer, readers[3];

    stop = false;
    applied = 0;
    pthread_create(&writer, NULL, write_for_ever, NULL);
    for (uintptr_t i = 0; i < ARRAY_COUNT(readers); i++)
        pthread_create(&readers[i], NULL, read_for_ever, (void *)(i * 7));
    for (uint64_t id = 1; id <= MOVING_ROWS; id++) {
        order_count = fill_count = 0;
        begin_batch();
        command();
        order_ends(id, 1, 1, MARKET_SPOT);
        fill(id, id, 1, 1);
        if (id % 4 == 0) now_ms++;
        end_batch(1, id);
        __atomic_store_n(&applied, id, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(writer, NULL);
    for (size_t i = 0; i < ARRAY_COUNT(readers); i++) pthread_join(readers[i], NULL);
    write_all();
    assert_int_equal(history_seq(history), MOVING_ROWS);
    assert_int_equal(history_write_back(history, INT64_MAX), 0);
}

static void rows_that_are_stored_leave_as_others_come_but_for_the_last(void **state)
{
    struct pending     *pending = malloc(sizeof(*pending));
    struct pending_part part;

    (void)state;
    assert_non_null(pending);
    assert_int_equal(pending_init(pending), 0);
    assert_int_equal(pending_look(pending).count, 0);
    for (uint32_t i = 0; i < 10; i++) pending_add(pending, ROW_FILL);
    assert_int_equal(pending_look(pending).count, 0); /* not before they are shown */
    pending->batch_closed = false;
    pending->batch_last = 7;
    pending_show(pending);
    part = pending_look(pending);
    assert_int_equal(part.count, 10);
    assert_int_equal(part.closed, 0);
    assert_int_equal(part.head, pending->head);

    pending->batch_closed = true;
    pending_show(pending);
    assert_int_equal(pending_look(pending).closed, 7);
    for (uint32_t i = 1; i < 6; i++) part.head = pending->rows[part.head].links.next;
    pending_stored(pending, 6, part.head);
    assert_int_equal(pending_waiting(pending), 4);
    assert_int_equal(pending_look(pending).head, pending->rows[part.head].links.next);
    pending_add(pending, ROW_FILL);
    assert_int_equal(pending->removed, 2);
    pending_remove_stored(pending, UINT32_MAX);
    assert_int_equal(pending->removed, 5);
    assert_int_equal(pending->head, part.head);

    pending_show(pending);
    for (part = pending_look(pending); part.count > 1; part.count--) part.head = pending->rows[part.head].links.next;
    pending_stored(pending, 5, part.head);
    assert_int_equal(pending_look(pending).count, 0);
    pending_remove_stored(pending, UINT32_MAX);
    pending_add(pending, ROW_FILL); /* behind a row that is stored */
    pending_show(pending);
    part = pending_look(pending);
    assert_int_equal(part.count, 1);
    assert_int_equal(part.head, pending->tail);
    pending_deinit(pending);
    free(pending);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(commands_of_which_nothing_came_are_reached_all_the_same),
        T(an_empty_history_answers_empty_lists),
        T(open_orders_are_not_history),
        T(a_row_is_there_as_soon_as_it_was_applied),
        T(of_two_rows_with_one_key_the_later_stays),
        T(start_and_end_are_inclusive),
        T(every_query_is_right_wherever_the_rows_are),
        T(pages_join_without_gap_or_double),
        T(a_page_ends_with_a_whole_millisecond),
        T(a_millisecond_of_more_rows_than_a_page_may_have_is_cut),
        T(a_restart_skips_what_is_on_disk_and_takes_the_rest_again),
        T(after_a_kill_in_the_same_life_of_the_machine_the_store_is_good),
        T(a_batch_is_reached_only_with_its_block),
        T(a_replay_of_what_is_on_disk_remembers_nothing),
        T(after_the_machine_went_down_the_store_is_made_again),
        T(a_store_that_was_closed_survives_the_machine),
        T(the_store_of_another_log_is_emptied),
        T(memory_that_is_full_says_so_until_rows_are_written),
        T(reads_see_every_row_once_while_it_moves_to_disk),
        cmocka_unit_test(rows_that_are_stored_leave_as_others_come_but_for_the_last),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
