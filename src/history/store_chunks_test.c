/* SPDX-License-Identifier: MIT */
/*
 * Chunks of entries in the store: whatever order rows come in, each is found, and chunks neither overlap nor get too
 * long; a damaged one stays damaged; and what was written again is undone.
 */
#include "rigs/history/naive_rig.h"
#include "history/state.h"

#include <errno.h>

#define ORDERS_IN_ALL 3000
#define AT_ONCE       60 /* at most, in a transaction */

static struct history_query all_of(uint64_t account_id)
{
    return (struct history_query){
        .account_id = account_id, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = LIMIT_MAX
    };
}

/* The next read meets no row in memory. */
static void write_and_forget(void)
{
    write_all();
    pending_remove_stored(&history->pending, UINT32_MAX);
}

/* ---- what lies in a table ---- */

struct previous {
    MDB_val            key;
    struct entry_place last;
};

/* Entries fall from the first of a chunk to its last, whose place is in the key; none is above what is before. */
static void look_at_chunk(const struct list_row *list, enum store_table table, const MDB_val *key, const MDB_val *value,
                          struct previous *previous)
{
    size_t             bytes = entry_bytes(list, table), place = 8 * (size_t)place_words(list, table);
    size_t             begin = key->mv_size - place;
    const uint8_t     *entry = (const uint8_t *)value->mv_data + STORE_HEAD;
    bool               same = previous->key.mv_data != NULL && memcmp(previous->key.mv_data, key->mv_data, begin) == 0;
    struct key         last = { 0 };
    struct entry_place at;

    assert_true(store_chunk_is_good(table, key, value));
    for (const uint8_t *end = (const uint8_t *)value->mv_data + value->mv_size; entry < end; entry += bytes) {
        at = entry_place(list, table, entry);
        if (same) assert_true(place_below(&at, &previous->last));
        previous->last = at;
        same = true;
    }
    key_put_place(&last, &at, place_words(list, table));
    assert_memory_equal(last.at, (const uint8_t *)key->mv_data + begin, place);
    previous->key = *key;
}

/* How many chunks there are. */
static size_t look_at_table(const struct list_row *list, enum store_table table)
{
    struct previous     previous = { 0 };
    struct store_reader reader;
    MDB_cursor         *cursor;
    MDB_val             key, value;
    size_t              chunks = 0;

    assert_int_equal(store_begin(&history->store, &reader), 0);
    assert_int_equal(mdb_cursor_open(reader.txn, history->store.tables[table], &cursor), 0);
    for (; mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0; chunks++)
        look_at_chunk(list, table, &key, &value, &previous);
    mdb_cursor_close(cursor);
    store_end(&reader);
    return chunks;
}

static void look_at_orders_and_fills(void)
{
    for (uint32_t list = LIST_ORDERS; list <= LIST_FILLS; list++) {
        const struct list_row *row = &store_lists[list];
        const uint8_t          tables[] = { row->rows, row->by_symbol, row->by_other, row->ends };

        for (size_t i = 0; i < ARRAY_COUNT(tables); i++)
            if (tables[i] != NO_TABLE) assert_true(look_at_table(row, (enum store_table)tables[i]) > 0);
    }
}

/* ---- in any order ---- */

static void end_some(const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        begin_batch();
        command();
        order_ends(ids[i], 1 + ids[i] % 2, 1 + (uint32_t)(ids[i] % 3), MARKET_SPOT);
        fill(next_trade_id++, 1 + random_below(45), 1 + ids[i] % 2, 1 + (uint32_t)(ids[i] % 3));
        end_batch(1, next_seq - 1);
        now_ms += (int64_t)random_below(2);
    }
}

static void ask_for_ids(void)
{
    for (uint32_t i = 0; i < 40; i++) {
        struct history_query query = all_of(1 + random_below(2));

        query.from_id = 1 + random_below(ORDERS_IN_ALL + 1);
        query.limit = 1 + (uint32_t)random_below(50);
        query.symbol_id = (uint32_t)random_below(4);
        if (random_below(2) == 0) query.other_id = 1 + random_below(45);
        ask(&query);
    }
}

static void end_in_order(const uint64_t *ids, uint64_t most)
{
    for (uint32_t at = 0; at < ORDERS_IN_ALL;) {
        uint32_t count = min_u32(ORDERS_IN_ALL - at, 1 + (uint32_t)random_below(most));

        end_some(ids + at, count);
        write_and_forget();
        at += count;
        if (random_below(ORDERS_IN_ALL) < 10 * count) ask_for_ids();
    }
    look_at_orders_and_fills();
    ask_for_ids();
    ask_at_random(300);
}

static uint64_t ids[ORDERS_IN_ALL];

static void number_them(bool falling)
{
    for (uint32_t i = 0; i < ORDERS_IN_ALL; i++) ids[i] = falling ? ORDERS_IN_ALL - i : i + 1;
}

static void orders_end_in_the_order_of_their_ids(void **state)
{
    (void)state;
    number_them(false);
    end_in_order(ids, AT_ONCE);
}

static void the_newest_orders_end_first(void **state)
{
    (void)state;
    number_them(true);
    end_in_order(ids, AT_ONCE);
}

static void orders_end_in_any_order(void **state)
{
    (void)state;
    number_them(false);
    for (uint32_t i = ORDERS_IN_ALL - 1; i > 0; i--) {
        uint64_t at = random_below(i + 1), id = ids[i];

        ids[i] = ids[at];
        ids[at] = id;
    }
    end_in_order(ids, 3);
    assert_true(look_at_table(&store_lists[LIST_ORDERS], ORDER_END) <= 6 * ORDERS_IN_ALL / CHUNK_ENTRIES);
}

/* A long chunk is divided by entries that come between its own. */
static void orders_end_between_others(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ORDERS_IN_ALL; i++) ids[i] = i < ORDERS_IN_ALL / 2 ? 2 * i + 1 : 2 * (ORDERS_IN_ALL - i);
    end_some(ids, ORDERS_IN_ALL / 2);
    write_and_forget();
    end_some(ids + ORDERS_IN_ALL / 2, ORDERS_IN_ALL / 2);
    write_and_forget();
    look_at_orders_and_fills();
    ask_for_ids();
}

/* An account that trades now and then has no chunk for each of its rows. */
static void single_rows_share_chunks(void **state)
{
    const struct list_row *list = &store_lists[LIST_ORDERS];
    const size_t           count = 240;

    (void)state;
    number_them(false);
    for (size_t i = 0; i < count; i++) {
        end_some(ids + i, 1);
        write_and_forget();
    }
    assert_true(look_at_table(list, (enum store_table)list->rows) <= count / 3);
    assert_true(look_at_table(list, (enum store_table)list->by_symbol) <= count / 8);
    assert_true(look_at_table(list, (enum store_table)list->ends) <= count / 8);
    ask_for_ids();
}

/* ---- damage ---- */

/* Changes a byte of the newest entries of an account's orders, in a transaction as the writer makes it. */
static void damage_orders_of(uint64_t account_id)
{
    static uint8_t      changed[CHUNK_BYTES + STORE_HEAD];
    struct key          owner = key_owner(account_id, MARKET_SPOT);
    MDB_val             key = store_value_of(owner.at, owner.len), value;
    struct store_writer writer;
    MDB_cursor         *cursor;

    assert_int_equal(store_writer_begin(&history->store, &writer), 0);
    assert_int_equal(store_cursor(&writer, ORDERS, &cursor), 0);
    assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE), 0);
    memcpy(changed, value.mv_data, value.mv_size);
    changed[STORE_HEAD + offsetof(struct order_changed, quantity)] ^= 1;
    value.mv_data = changed;
    assert_int_equal(mdb_cursor_put(cursor, &key, &value, MDB_CURRENT), 0);
    assert_int_equal(store_writer_end(&writer, 0), 0);
}

static void end_one(uint64_t id)
{
    begin_batch();
    command();
    order_ends(id, 1, 1, MARKET_SPOT);
    end_batch(1, next_seq - 1);
}

/* Neither newer rows nor those that were there already make its check right again. */
static void a_damaged_chunk_stays_an_error(void **state)
{
    struct history_query query = all_of(1);

    (void)state;
    end_one(1);
    end_one(2);
    write_and_forget();
    damage_orders_of(1);
    end_one(1); /* the chunk's key: the time is the same */
    end_one(2);
    write_and_forget();
    now_ms++;
    end_one(3);
    end_one(4);
    write_and_forget();
    query.limit = 1;
    assert_int_equal(history_orders(history, &query, got_orders), 1);
    assert_int_equal(got_orders[0].order_id, 4);
    query.limit = 10;
    assert_int_equal(history_orders(history, &query, got_orders), -EUCLEAN);
    assert_int_equal(history_seq(history), next_seq - 1);
}

/* ---- going back ---- */

static void chunks_that_were_written_again_are_undone(void **state)
{
    struct log_position branch = { 0 };
    uint64_t            seq;
    uint32_t            order_was, fill_was;

    (void)state;
    number_them(false);
    history_note_undo(history);
    end_some(ids, 5);
    assert_int_equal(history_flush(history), 0);
    seq = history_seq(history);
    order_was = order_count;
    fill_was = fill_count;
    for (uint32_t i = 5; i < 50; i++) {
        end_some(ids + i, 1);
        write_and_forget();
    }
    assert_true(history_go_back(history, seq, &branch));
    order_count = order_was;
    fill_count = fill_was;
    look_at_orders_and_fills();
    ask_for_ids();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(orders_end_in_the_order_of_their_ids),
        T(the_newest_orders_end_first),
        T(orders_end_in_any_order),
        T(orders_end_between_others),
        T(single_rows_share_chunks),
        T(a_damaged_chunk_stays_an_error),
        T(chunks_that_were_written_again_are_undone),
    };
    return cmocka_run_group_tests_name("history/store_chunks", tests, NULL, NULL);
}
