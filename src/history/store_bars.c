/* SPDX-License-Identifier: MIT */
/* store_bars.c — the table of bars. */
#include "history/store.h"

#include <errno.h>
#include <stdlib.h>

#define PREFIX_BYTES 6 /* market, symbol, interval */
#define BAR_KEY      14
#define ROOM         (HISTORY_BARS_MAX + 1u) /* bars that are loaded of a list */

static struct key key_of(uint8_t market, uint32_t symbol_id, enum interval interval, int64_t start_ms)
{
    struct key key = { 0 };

    key_put(&key, market, 1);
    key_put(&key, symbol_id, 4);
    key_put(&key, interval, 1);
    key_put(&key, (uint64_t)start_ms ^ (uint64_t)1 << 63, 8);
    return key;
}

int store_put_bar(struct store_writer *writer, const struct bar_row *row)
{
    struct key key = key_of(row->market, row->symbol_id, (enum interval)row->interval, row->bar.start_ms);
    return store_put_row(writer, BARS, &key, &row->bar, sizeof(row->bar), 0);
}

/* The bar a cursor stands at; *there false when that is no bar of the list `prefix`, or the end. */
static int take(int code, const struct key *prefix, const MDB_val *key, const MDB_val *value, bool *there,
                struct bar *bar)
{
    *there = false;
    if (code == MDB_NOTFOUND) return 0;
    if (code != 0) return store_error(code);
    if (key->mv_size != BAR_KEY) return -EUCLEAN;
    if (memcmp(key->mv_data, prefix->at, PREFIX_BYTES) != 0) return 0;
    int error = store_read_row(BARS, key, value, bar, sizeof(*bar));
    if (error == 0 && bar->trades == 0) error = -EUCLEAN;
    *there = error == 0;
    return error;
}

/* The first bar at or behind `at`, or the last one before it. */
static int seek(MDB_cursor *cursor, const struct key *at, bool *there, struct bar *bar)
{
    MDB_val key = store_value_of(at->at, at->len), value;
    int     code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    return take(code, at, &key, &value, there, bar);
}

static int seek_before(MDB_cursor *cursor, const struct key *at, bool *there, struct bar *bar)
{
    MDB_val key = store_value_of(at->at, at->len), value;
    int     code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);

    code = mdb_cursor_get(cursor, &key, &value, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
    return take(code, at, &key, &value, there, bar);
}

static int step(MDB_cursor *cursor, MDB_cursor_op way, const struct key *prefix, bool *there, struct bar *bar)
{
    MDB_val key, value;
    int     code = mdb_cursor_get(cursor, &key, &value, way);
    return take(code, prefix, &key, &value, there, bar);
}

/* ---- loading ---- */

/* The last `max` bars of a list, put in from the end of `bars`. */
static int read_newest(MDB_cursor *cursor, uint8_t market, uint32_t symbol_id, enum interval interval, struct bar *bars,
                       uint32_t max, uint32_t *count, bool *older)
{
    struct key end = key_of(market, symbol_id, interval, INT64_MAX);
    struct bar bar;
    bool       there;
    int        error = seek_before(cursor, &end, &there, &bar);

    *count = 0;
    while (error == 0 && there && *count < max) {
        bars[max - ++*count] = bar;
        error = step(cursor, MDB_PREV, &end, &there, &bar);
    }
    *older = there;
    return error;
}

/* The rows must be consistent with each other, or folding would continue from garbage. */
static bool rises(const struct bar *bars, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (bars[i - 1].start_ms >= bars[i].start_ms || bars[i - 1].seq > bars[i].seq) return false;
    return true;
}

static int load_symbol(MDB_cursor *cursor, struct bars *into, struct bar *room, uint8_t market, uint32_t symbol_id)
{
    struct key first = key_of(market, symbol_id, INTERVAL_1M, 0);
    struct bar bar;
    uint64_t   seq = 0;
    uint32_t   count;
    bool       there, older;
    int        error = seek(cursor, &first, &there, &bar);

    if (error != 0 || !there) return error;
    for (enum interval i = 0; i < INTERVALS && error == 0; i++) {
        error = read_newest(cursor, market, symbol_id, i, room, ROOM, &count, &older);
        if (error == 0 && (count == 0 || !rises(room + ROOM - count, count))) error = -EUCLEAN;
        if (error != 0) break;
        if (i == INTERVAL_1M) seq = room[ROOM - 1].seq;
        if (room[ROOM - 1].seq != seq) return -EUCLEAN; /* they were written together */
        bars_load(into, market, symbol_id, i, room + ROOM - count, count, older);
    }
    if (error == 0) bars_loaded(into, market, symbol_id, bar.start_ms);
    return error;
}

static int load_all(MDB_cursor *cursor, struct bars *into, struct bar *room)
{
    int error = 0;

    for (uint8_t market = 1; market <= 2 && error == 0; market++)
        for (uint32_t symbol_id = 1; symbol_id <= SYMBOLS_MAX && error == 0; symbol_id++)
            error = load_symbol(cursor, into, room, market, symbol_id);
    return error;
}

int store_load_bars(struct store *store, struct bars *bars)
{
    struct bar         *room = malloc(ROOM * sizeof(*room));
    struct store_reader reader;
    MDB_cursor         *cursor;
    int                 error = room == NULL ? -ENOMEM : store_begin(store, &reader);

    if (error == 0) {
        error = store_error(mdb_cursor_open(reader.txn, store->tables[BARS], &cursor));
        if (error == 0) {
            error = load_all(cursor, bars, room);
            mdb_cursor_close(cursor);
        }
        store_end(&reader);
    }
    free(room);
    return error;
}

/* ---- reading ---- */

static int read_range(MDB_cursor *cursor, const struct history_bars_query *query, int64_t first_ms, int64_t end_ms,
                      struct bar *bars, uint32_t max, uint32_t *count, struct bar *before)
{
    struct key first = key_of(query->market, query->symbol_id, query->interval, first_ms);
    struct bar bar;
    bool       there;
    int        error = seek_before(cursor, &first, &there, &bar);

    if (there) *before = bar;
    if (error == 0) error = seek(cursor, &first, &there, &bar);
    while (error == 0 && there && bar.start_ms < end_ms) {
        if (*count == max) return -EUCLEAN;
        bars[(*count)++] = bar;
        error = step(cursor, MDB_NEXT, &first, &there, &bar);
    }
    return error;
}

int store_read_bars(struct store_reader *reader, const struct history_bars_query *query, int64_t first_ms,
                    int64_t end_ms, struct bar *bars, uint32_t max, uint32_t *count, struct bar *before)
{
    MDB_cursor *cursor;
    int         error = store_error(mdb_cursor_open(reader->txn, reader->store->tables[BARS], &cursor));

    *count = 0;
    *before = (struct bar){ 0 };
    if (error != 0) return error;
    error = read_range(cursor, query, first_ms, end_ms, bars, max, count, before);
    mdb_cursor_close(cursor);
    return error;
}
