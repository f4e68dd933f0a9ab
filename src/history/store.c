/* SPDX-License-Identifier: MIT */
#include "history/store.h"

#include "io/files.h"
#include "io/process.h"

#define XXH_INLINE_ALL /* half of a check of short bytes is the call */

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#define MAP_FIRST   ((size_t)64 << 30) /* address space, not memory */
#define MAP_LEAST   ((size_t)1 << 30)
#define READERS_MAX 256

/* clang-format off */
static const char *const table_names[STORE_TABLES] = {
    "orders", "orders_symbol", "order_end", "fills", "fills_symbol", "fills_order", "places", "meta", "bars",
    "blocks", "tx_hashes", "block_hashes", "effects", "transfers",
    "perps_orders", "positions", "positions_symbol", "position_end", "fundings", "fundings_symbol", "fundings_position",
    "receipts", "receipts_symbol", "receipts_liquidation", "receipt_pieces",
};
/* clang-format on */

#define POINTER sizeof(struct store_pointer)
#define OTHER   sizeof(struct store_other)
/* clang-format off */
/* Of a row, or of each entry of one. */
static const uint16_t table_bytes[STORE_TABLES] = {
    sizeof(struct order_changed), POINTER, POINTER, sizeof(struct filled), POINTER, OTHER,
    sizeof(struct tx_location), sizeof(uint64_t), sizeof(struct bar),
    sizeof(struct history_block), sizeof(uint64_t), sizeof(uint64_t), sizeof(struct store_effect),
        sizeof(struct transferred),
    sizeof(struct perps_order_changed), sizeof(struct position_changed), POINTER, POINTER,
    sizeof(struct funded), POINTER, OTHER,
    sizeof(struct history_receipt), POINTER, OTHER, sizeof(struct receipt_piece),
};
/* clang-format on */

#define AT(T, member) offsetof(struct T, member)
#define LIST(KIND, ROWS, BY_SYMBOL, BY_OTHER, ENDS, T, base, TIME, MAJOR, MINOR, OTHER)                                \
    {                                                                                                                  \
        KIND, ROWS, BY_SYMBOL, BY_OTHER, ENDS, sizeof(struct T), AT(T, base account_id), AT(T, base symbol_id),        \
            AT(T, base TIME), AT(T, base MAJOR), AT(T, base MINOR), AT(T, base OTHER)                                  \
    }
/* clang-format off */
const struct list_row store_lists[LIST_KINDS] = {
    [LIST_ORDERS] = LIST(ROW_ORDER, ORDERS, ORDERS_SYMBOL, NO_TABLE, ORDER_END, order_changed, , updated_ms, updated_ms,
        order_id, order_id),
    [LIST_FILLS] = LIST(ROW_FILL, FILLS, FILLS_SYMBOL, FILLS_ORDER, NO_TABLE, filled, , time_ms, trade_id, order_id,
        order_id),
    [LIST_PERPS_ORDERS] = LIST(ROW_PERPS_ORDER, PERPS_ORDERS, ORDERS_SYMBOL, NO_TABLE, ORDER_END, perps_order_changed,
        base., updated_ms, updated_ms, order_id, order_id),
    [LIST_POSITIONS] = LIST(ROW_POSITION, POSITIONS, POSITIONS_SYMBOL, NO_TABLE, POSITION_END, position_changed, ,
        updated_ms, updated_ms, position_id, position_id),
    [LIST_FUNDINGS] = LIST(ROW_FUNDING, FUNDINGS, FUNDINGS_SYMBOL, FUNDINGS_POSITION, NO_TABLE, funded, , time_ms,
        time_ms, position_id, position_id),
    [LIST_RECEIPTS] = { ROW_RECEIPT, RECEIPTS, RECEIPTS_SYMBOL, RECEIPTS_LIQUIDATION, NO_TABLE,
        sizeof(struct history_receipt), AT(history_receipt, owner),
                            AT(history_receipt, is.symbol_id), AT(history_receipt, is.time_ms),
                                AT(history_receipt, is.receipt_id), AT(history_receipt, is.receipt_id),
                            AT(history_receipt, is.liquidation_id) },
};
/* clang-format on */

struct row_head {
    uint16_t version, bytes;
    uint32_t check;
};
static_assert(sizeof(struct row_head) == STORE_HEAD, "reaches disk");

const char *store_table_name(enum store_table table) { return table_names[table]; }

int store_error(int code)
{
    if (code == 0) return 0;
    if (code > 0) return -code;
    if (code == MDB_PANIC) return -EIO; /* the disk refused the pages that say where all others are */
    return code == MDB_MAP_FULL ? -ENOSPC : -EUCLEAN;
}

/* ---- keys ---- */

uint64_t key_get(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    if (bytes == sizeof(value)) {
        memcpy(&value, at, sizeof(value));
        return __builtin_bswap64(value);
    }
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

struct key key_owner(uint64_t account_id, uint8_t market)
{
    struct key key = { 0 };
    key_put(&key, account_id, 8);
    key_put(&key, market, 1);
    return key;
}

MDB_val store_value_of(const void *at, size_t len)
{
    union {
        const void *from;
        void       *to;
    } cast = { .from = at }; /* LMDB's values have no const; puts do not write */
    return (MDB_val){ len, cast.to };
}

/* ---- rows ---- */

static uint32_t row_check(enum store_table table, const MDB_val *key, const void *row, size_t len)
{
    return (uint32_t)XXH3_64bits_withSeed(row, len, XXH3_64bits_withSeed(key->mv_data, key->mv_size, table + 1));
}

bool store_row_is_good(enum store_table table, const MDB_val *key, const MDB_val *value, size_t len)
{
    struct row_head head;

    if (value->mv_size != sizeof(head) + len) return false;
    memcpy(&head, value->mv_data, sizeof(head));
    return head.version == STORE_VERSION && head.bytes == len
        && head.check == row_check(table, key, (const uint8_t *)value->mv_data + sizeof(head), len);
}

/* Whether it is a table of a list. */
static bool has_chunks(enum store_table table)
{
    bool is = false;

    for (uint32_t i = 0; i < LIST_KINDS && !is; i++) {
        const struct list_row *list = &store_lists[i];
        is = table == list->rows || table == list->by_symbol || table == list->by_other || table == list->ends;
    }
    return is;
}

bool store_chunk_is_good(enum store_table table, const MDB_val *key, const MDB_val *value)
{
    size_t len = value->mv_size - STORE_HEAD;

    if (value->mv_size <= STORE_HEAD || len > CHUNK_BYTES || len % table_bytes[table] != 0) return false;
    return store_row_is_good(table, key, value, len);
}

bool store_value_is_good(enum store_table table, const MDB_val *key, const MDB_val *value)
{
    return has_chunks(table) ? store_chunk_is_good(table, key, value)
                             : store_row_is_good(table, key, value, table_bytes[table]);
}

int store_read_row(enum store_table table, const MDB_val *key, const MDB_val *value, void *row, size_t len)
{
    if (!store_row_is_good(table, key, value, len)) return -EUCLEAN;
    memcpy(row, (const uint8_t *)value->mv_data + sizeof(struct row_head), len);
    return 0;
}

/* ---- the environment ---- */

static int open_tables(struct store *store, bool read_only, uint64_t *seq)
{
    MDB_txn *txn;
    MDB_val  key = store_value_of("seq", 3), value;
    int      code = mdb_txn_begin(store->env, NULL, read_only ? MDB_RDONLY : 0, &txn);

    if (code != 0) return code;
    for (int i = 0; i < STORE_TABLES && code == 0; i++)
        code = mdb_dbi_open(txn, table_names[i], read_only ? 0 : MDB_CREATE, &store->tables[i]);
    *seq = 0;
    if (code == 0) {
        code = mdb_get(txn, store->tables[META], &key, &value);
        if (code == 0 && store_read_row(META, &key, &value, seq, sizeof(*seq)) != 0) code = MDB_CORRUPTED;
        if (code == MDB_NOTFOUND) code = 0;
    }
    store->seq = *seq;
    if (code == 0) return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return code;
}

/* LMDB opens its file without O_CLOEXEC; a program that is started must not have it. */
static int keep_from_children(MDB_env *env)
{
    mdb_filehandle_t fd;
    int              code = mdb_env_get_fd(env, &fd);

    if (code != 0) return code;
    return files_keep_from_children(fd);
}

/* At most a quarter of a bounded address space: the pools need theirs. */
static size_t first_map(void)
{
    uint64_t space = process_space_max();
    size_t   bytes = MAP_FIRST;

    while (bytes > MAP_LEAST && bytes > space / 4) bytes /= 2;
    return bytes;
}

/* The map is as large as the machine lets us reserve (valgrind: EINVAL); it grows when it is full. */
int store_open_env(struct store *store, const char *folder, unsigned flags)
{
    int code = ENOMEM;

    for (store->map_bytes = first_map(); store->map_bytes >= MAP_LEAST && (code == ENOMEM || code == EINVAL);) {
        code = mdb_env_create(&store->env);
        if (code != 0) return code;
        code = mdb_env_set_maxdbs(store->env, STORE_TABLES);
        if (code == 0) code = mdb_env_set_maxreaders(store->env, READERS_MAX);
        if (code == 0) code = mdb_env_set_mapsize(store->env, store->map_bytes);
        if (code == 0) code = mdb_env_open(store->env, folder, flags, 0600);
        if (code == 0) code = keep_from_children(store->env);
        if (code == 0) return 0;
        mdb_env_close(store->env);
        if (code == ENOMEM || code == EINVAL) store->map_bytes /= 2;
    }
    return code;
}

static bool take_rooms(struct store *store)
{
    store->slots = calloc(STORE_ROWS, sizeof(*store->slots));
    store->runs = calloc(STORE_ROWS, sizeof(*store->runs));
    store->runs_spare = calloc(STORE_ROWS, sizeof(*store->runs));
    store->items = calloc(STORE_ROWS, sizeof(*store->items));
    store->items_spare = calloc(STORE_ROWS, sizeof(*store->items));
    store->places = calloc(STORE_ROWS, sizeof(*store->places));
    store->places_spare = calloc(STORE_ROWS, sizeof(*store->places));
    store->entries = calloc(STORE_ROWS + CHUNK_ENTRIES, sizeof(*store->entries));
    store->chunk = calloc(CHUNK_BYTES, 1);
    store->chunk_before = calloc(CHUNK_BYTES, 1);
    return store->slots != NULL && store->runs != NULL && store->runs_spare != NULL && store->items != NULL
        && store->items_spare != NULL && store->places != NULL && store->places_spare != NULL && store->entries != NULL
        && store->chunk != NULL && store->chunk_before != NULL;
}

static void give_rooms(struct store *store)
{
    free(store->slots);
    free(store->runs);
    free(store->runs_spare);
    free(store->items);
    free(store->items_spare);
    free(store->places);
    free(store->places_spare);
    free(store->entries);
    free(store->chunk);
    free(store->chunk_before);
}

int store_open(struct store *store, const char *folder, uint64_t *seq)
{
    int dead = 0, code = store_open_env(store, folder, MDB_NOSYNC | MDB_NOMEMINIT);

    if (code != 0) return -store_error(code);
    mdb_reader_check(store->env, &dead);
    code = take_rooms(store) ? open_tables(store, false, seq) : ENOMEM;
    if (code != 0) {
        mdb_env_close(store->env);
        give_rooms(store);
        return -store_error(code);
    }
    pthread_rwlock_init(&store->map_lock, NULL);
    return 0;
}

int store_open_read(struct store *store, const char *folder, uint64_t *seq)
{
    int code = store_open_env(store, folder, MDB_RDONLY | MDB_NOLOCK);

    if (code != 0) return -store_error(code);
    code = open_tables(store, true, seq);
    if (code != 0) mdb_env_close(store->env);
    else pthread_rwlock_init(&store->map_lock, NULL);
    return -store_error(code);
}

void store_close(struct store *store)
{
    assert(store->pin == NULL);
    undo_free(&store->undo);
    give_rooms(store);
    mdb_env_close(store->env);
    pthread_rwlock_destroy(&store->map_lock);
}

/* ---- writing ---- */

int store_writer_begin(struct store *store, struct store_writer *writer)
{
    *writer = (struct store_writer){ .store = store };
    return mdb_txn_begin(store->env, NULL, 0, &writer->txn);
}

/* LMDB closes the cursors. */
int store_writer_end(struct store_writer *writer, int code)
{
    if (code == 0) return mdb_txn_commit(writer->txn);
    mdb_txn_abort(writer->txn);
    return code;
}

/* A put that notes what it replaces. */
static int put_noted(struct store_writer *writer, enum store_table table, MDB_val *name, MDB_val *data, unsigned flags)
{
    struct store *store = writer->store;
    MDB_cursor   *cursor = writer->cursors[table];
    MDB_val       old = *data;
    int           code = mdb_cursor_put(cursor, name, &old, MDB_RESERVE | MDB_NOOVERWRITE | flags);

    if (code == 0) {
        undo_note(&store->undo, (uint8_t)table, name->mv_data, name->mv_size, NULL, 0);
        *data = old;
        return 0;
    }
    if (code != MDB_KEYEXIST || flags != 0) return code;
    undo_note(&store->undo, (uint8_t)table, name->mv_data, name->mv_size, old.mv_data, old.mv_size);
    return mdb_cursor_put(cursor, name, data, MDB_RESERVE);
}

int store_cursor(struct store_writer *writer, enum store_table table, MDB_cursor **cursor)
{
    MDB_cursor **own = &writer->cursors[table];
    int          code = *own != NULL ? 0 : mdb_cursor_open(writer->txn, writer->store->tables[table], own);

    *cursor = *own;
    return code;
}

int store_put_row(struct store_writer *writer, enum store_table table, const struct key *key, const void *row,
                  size_t len, unsigned flags)
{
    struct store   *store = writer->store;
    MDB_cursor     *cursor;
    MDB_val         name = store_value_of(key->at, key->len), data = { sizeof(struct row_head) + len, NULL };
    struct row_head head = { STORE_VERSION, (uint16_t)len, row_check(table, &name, row, len) };
    int             code = store_cursor(writer, table, &cursor);

    if (code == 0)
        code = store->undo.on ? put_noted(writer, table, &name, &data, flags)
                              : mdb_cursor_put(cursor, &name, &data, MDB_RESERVE | flags);
    if (code != 0) return code;
    memcpy(data.mv_data, &head, sizeof(head));
    memcpy((uint8_t *)data.mv_data + sizeof(head), row, len);
    writer->bytes += name.mv_size + sizeof(head) + len;
    return 0;
}

int store_append_row(struct store_writer *writer, enum store_table table, const struct key *key, const void *row,
                     size_t len)
{
    int code = store_put_row(writer, table, key, row, len, MDB_APPEND);
    return code == MDB_KEYEXIST ? store_put_row(writer, table, key, row, len, 0) : code;
}

/* ---- reading ---- */

int store_begin(struct store *store, struct store_reader *reader)
{
    reader->store = store;
    pthread_rwlock_rdlock(&store->map_lock);
    int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &reader->txn);
    if (code != 0) pthread_rwlock_unlock(&store->map_lock);
    return store_error(code);
}

void store_end(struct store_reader *reader)
{
    mdb_txn_abort(reader->txn);
    pthread_rwlock_unlock(&reader->store->map_lock);
}

int store_tx_location(struct store_reader *reader, uint64_t seq, bool *found, struct tx_location *place)
{
    struct key key = { 0 };
    MDB_val    name, value;

    key_put(&key, seq, 8);
    name = store_value_of(key.at, key.len);
    int code = mdb_get(reader->txn, reader->store->tables[PLACES], &name, &value);
    *found = code == 0;
    if (code == MDB_NOTFOUND) return 0;
    return code != 0 ? store_error(code) : store_read_row(PLACES, &name, &value, place, sizeof(*place));
}

int store_piece(struct store_reader *reader, uint64_t receipt_id, uint32_t number, bool *found,
                struct receipt_piece *piece)
{
    struct key key = { 0 };
    MDB_val    name, value;

    key_put(&key, receipt_id, 8);
    key_put(&key, number, 4);
    name = store_value_of(key.at, key.len);
    int code = mdb_get(reader->txn, reader->store->tables[RECEIPT_PIECES], &name, &value);
    *found = code == 0;
    if (code == MDB_NOTFOUND) return 0;
    return code != 0 ? store_error(code) : store_read_row(RECEIPT_PIECES, &name, &value, piece, sizeof(*piece));
}
