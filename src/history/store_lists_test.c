/* SPDX-License-Identifier: MIT */
/* How rows of one account that are written together lie in the store: pages that are nearly full, one row to a key. */
#include "rigs/history/naive_rig.h"
#include "history/state.h"

#define ROWS     4000 /* of each account in a transaction */
#define TRADERS  3
#define WRITTEN  4     /* transactions */
#define FULL     0.75  /* at least, of leaves; halves of pages would be 0.5 */
#define AT_ONCE  300   /* closed positions, more than a page of any table takes */
#define A_FEW    20    /* fewer than that */
#define ONE_MORE 10007 /* beyond every number of a position */

static uint8_t       many[(2 * ROWS + 1) * 256];
static struct events large = { many, 0, sizeof(many) };

static void write_large(void)
{
    uint32_t left;

    history_apply(history, &large);
    while (history_waiting(history) != 0) assert_true(history_write(history, &left) >= 0);
}

static void begin_large(void)
{
    large.len = 0;
    EVENT_ADD(&large, COMMAND_BEGAN, command_began, 0)->seq = next_seq++;
}

/* An account's orders, and fills of others. */
static void add_rows(uint64_t account_id)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        struct order_changed *order = EVENT_ADD(&large, ORDER, order_changed, MARKET_SPOT);
        struct filled        *fill = EVENT_ADD(&large, FILL, filled, MARKET_SPOT);

        order->order_id = next_order_id++;
        order->account_id = fill->account_id = account_id;
        order->symbol_id = fill->symbol_id = 1 + i / (ROWS / 2);
        order->status = STATUS_CANCELED;
        order->updated_ms = fill->time_ms = now_ms;
        fill->trade_id = next_trade_id++;
        fill->order_id = next_order_id++;
        if (i % 100 == 0) now_ms++;
    }
}

static double fullness_of(enum store_table table)
{
    struct store_reader reader;
    MDB_cursor         *cursor;
    MDB_val             key, value;
    MDB_stat            stat;
    uint64_t            bytes = 0;

    assert_int_equal(store_begin(&history->store, &reader), 0);
    assert_int_equal(mdb_stat(reader.txn, history->store.tables[table], &stat), 0);
    assert_int_equal(mdb_cursor_open(reader.txn, history->store.tables[table], &cursor), 0);
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) bytes += 10 + key.mv_size + value.mv_size;
    mdb_cursor_close(cursor);
    store_end(&reader);
    return (double)bytes / (double)(stat.ms_leaf_pages * stat.ms_psize);
}

static void many_rows_of_an_account_leave_pages_nearly_full(void **state)
{
    static const enum store_table tables[] = { ORDERS, ORDERS_SYMBOL, ORDER_END, FILLS, FILLS_SYMBOL, FILLS_ORDER };

    (void)state;
    for (uint32_t i = 0; i < WRITTEN; i++) {
        for (uint64_t account_id = 1; account_id <= TRADERS; account_id++) {
            begin_large();
            add_rows(account_id);
            history_apply(history, &large);
        }
        begin_large();
        write_large();
    }
    for (size_t i = 0; i < ARRAY_COUNT(tables); i++) {
        double fullness = fullness_of(tables[i]);
        if (fullness < FULL) fail_msg("%s: %.2f", store_table_name(tables[i]), fullness);
    }
}

static struct position_changed *position_closes(uint64_t position_id)
{
    struct position_changed *position = EVENT_ADD(&large, POSITION, position_changed, MARKET_PERPS);

    position->position_id = position_id;
    position->account_id = 1;
    position->symbol_id = 1;
    position->updated_ms = now_ms;
    position->realized = (int64_t)position_id;
    return position;
}

/* Positions `first` and on close in one millisecond twice: the list has each once, as it was at last. */
static void close_twice(uint64_t first, uint64_t count)
{
    static struct position_changed got[AT_ONCE];
    struct history_query query = { .account_id = 1, .market = MARKET_PERPS, .end_ms = INT64_MAX, .limit = AT_ONCE };
    const uint64_t       last = first + count - 1;

    begin_large();
    for (uint64_t id = first; id <= last; id++) {
        position_closes(id);
        position_closes(id)->realized = (int64_t)id + ONE_MORE;
    }
    write_large();
    begin_large();
    position_closes(last)->realized = 3; /* of another transaction */
    write_large();
    pending_remove_stored(&history->pending, UINT32_MAX);
    query.limit = (uint32_t)count;
    assert_int_equal(history_positions(history, &query, got), count);
    assert_int_equal(got[0].realized, 3);
    for (uint64_t i = 1; i < count; i++) {
        assert_int_equal(got[i].position_id, last - i);
        assert_int_equal(got[i].realized, last - i + ONE_MORE);
    }
}

/* As many as are sorted by digits, and as few as are moved one by one. */
static void of_rows_with_one_key_the_last_one_stays(void **state)
{
    (void)state;
    close_twice(1, AT_ONCE);
    close_twice(AT_ONCE + 1, A_FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(many_rows_of_an_account_leave_pages_nearly_full),
        T(of_rows_with_one_key_the_last_one_stays),
    };
    return cmocka_run_group_tests_name("history/store_lists", tests, NULL, NULL);
}
