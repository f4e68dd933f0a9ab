/* SPDX-License-Identifier: MIT */
/*
 * store.h — the rows on disk, in LMDB. Private to this room.
 *
 * A rank orders a list, newest first: of orders (time of the end, order id), of fills (trade id, order
 * id), of positions (time of the end, position id), of fundings (time, position id); trade ids rise with
 * time (ruling 38). Which tables a list has is a row of store_lists. Keys are big endian, `~` is the complement, so
 * that a cursor that walks forward meets the newest row first.
 *
 * A row of a list's tables is a chunk: entries of one list, newest first, as many as fit on a page of LMDB
 * (store_chunks.c). Its key has the complements (`~`) of the last one, and chunks with the same beginning of the key
 * do not overlap: an entry is in the first chunk whose key is not before the entry's own.
 *
 *     table          key                                                 entries of a chunk
 *     orders         account market ~time ~order                         struct order_changed
 *     orders_symbol  account market symbol ~time ~order                  struct store_pointer
 *     order_end      account market ~order                               struct store_pointer, the highest id first
 *     fills          account market ~trade ~order                        struct filled
 *     fills_symbol   account market symbol ~trade ~order                 struct store_pointer
 *     fills_order    account market ~order ~trade ~order                 struct store_other
 *     perps_orders   account market ~time ~order                         struct perps_order_changed, indexed like
 *                                                                        orders
 *     positions      account market ~time ~position                      struct position_changed
 *     positions_symbol, position_end                                     as for orders
 *     fundings       account market ~time ~position                      struct funded
 *     fundings_symbol, fundings_position                                 as for fills
 *     receipts       account market ~receipt ~receipt                    struct history_receipt; account 0: all of
 *                                                                        them
 *     receipts_symbol, receipts_liquidation                              as for fills
 *
 *     table          key                                                 value
 *     receipt_pieces receipt number                                      row of struct receipt_piece
 *     places         seq                                                 row of struct tx_location
 *     blocks         number                                              row of struct history_block
 *     tx_hashes      seq / 2^14, first 8 bytes of the hash, seq % 2^14   row of the seq
 *     block_hashes   the same with the number of the block               row of the number
 *     effects        seq number-in-command                               row of struct store_effect: which fill or
 *                                                                        transfer
 *     transfers      seq number-in-command                               row of struct transferred
 *     bars           market symbol interval start                        row of struct bar; the start's sign bit is
 *                                                                        flipped
 *     meta           "seq"                                               row of the last seq whose rows are all here
 *
 *     row:  0  2  version (STORE_VERSION) | 2  2  bytes of the struct | 4  4  check | 8  the struct
 *
 * The check is the low half of XXH3-64 over table, key and struct. Every read looks at it, so bytes that
 * changed on the disk are an error (-EUCLEAN) and never a row.
 */
#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include "history/bars.h"
#include "history/pending.h"
#include "history/undo.h"

#include <lmdb.h>

#define STORE_VERSION 8

/* Hashes of as many transactions or blocks stand together, so that those of one time are near each other. */
#define HASH_GROUP_BITS 14

#define STORE_ROWS 80000u /* of one transaction, which copies each page that it touches: the more rows the fewer */

enum store_table {
    ORDERS = 0,
    ORDERS_SYMBOL,
    ORDER_END,
    FILLS,
    FILLS_SYMBOL,
    FILLS_ORDER,
    PLACES,
    META,
    BARS,
    BLOCKS,
    TX_HASHES,
    BLOCK_HASHES,
    EFFECTS,
    TRANSFERS,
    PERPS_ORDERS,
    POSITIONS,
    POSITIONS_SYMBOL,
    POSITION_END,
    FUNDINGS,
    FUNDINGS_SYMBOL,
    FUNDINGS_POSITION,
    RECEIPTS,
    RECEIPTS_SYMBOL,
    RECEIPTS_LIQUIDATION,
    RECEIPT_PIECES,
    STORE_TABLES
};
#define NO_TABLE STORE_TABLES

/*
 * A list of an account: the kind of its rows in memory, their tables, and where in a row stands what they are found,
 * sorted and filtered by. Every row begins with its event's head; all of these are 64 bits but the symbol.
 */
enum list_kind {
    LIST_ORDERS = 0,
    LIST_FILLS,
    LIST_PERPS_ORDERS,
    LIST_POSITIONS,
    LIST_FUNDINGS,
    LIST_RECEIPTS,
    LIST_KINDS
};
struct list_row {
    uint8_t  kind;                            /* enum row_kind */
    uint8_t  rows, by_symbol, by_other, ends; /* enum store_table; by_other, ends: or NO_TABLE */
    uint16_t bytes, account, symbol, time;
    uint16_t major, minor; /* of the rank; a major that is the time is written by time_rank */
    uint16_t other;        /* fills: the order, fundings: the position */
};
extern const struct list_row store_lists[LIST_KINDS];

static inline uint64_t record_u64(const void *record, uint16_t offset)
{
    uint64_t value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}
static inline uint32_t record_u32(const void *record, uint16_t offset)
{
    uint32_t value;
    memcpy(&value, (const uint8_t *)record + offset, sizeof(value));
    return value;
}

/* What was written and the disk has not taken: since when at most (clock_mono_ns; 0 = nothing), and bytes of rows. */
struct unkept {
    int64_t  since_ns;
    uint64_t bytes;
};

/* Goes through the file again and again, as long as there is something to be written back (store_back.c). */
struct sweep {
    uint64_t      at, due; /* the next byte; bytes that are due by now */
    uint64_t      left;    /* until everything that was written has been passed; 0 = it has */
    uint64_t      bytes;   /* of the file */
    uint64_t      round;   /* until all of the file has been passed since `passing` was written */
    struct unkept passing; /* written before the round began; atomic, as the next one */
    struct unkept coming;  /* written since */
    bool          refused; /* the disk refused a part */
};

/* Rows behind one another that go to one place, which is in the order of their tables' keys. */
struct store_run {
    uint64_t account;
    uint32_t list, count; /* enum list_kind */
    uint32_t number;      /* of the first one among the rows that are written together */
    uint8_t  market, reserved[3];
};

struct rank {
    uint64_t major, minor;
};

/* An entry of an index: where the row is in the list itself. And one of an index by order, position or liquidation. */
struct store_pointer {
    struct rank rank;
    int64_t     time_ms;
};
struct store_other {
    struct store_pointer is;
    uint64_t             other;
};

/* A row on its way to the tables of its list: what keys and indexes are made of. */
struct store_item {
    struct store_other is; /* other: 0 where the list has no table for it */
    uint32_t           symbol_id, slot;
};

/* What is sorted by a key, or by one part of it after the other: a run, an item, or the slot of a transaction. */
struct store_place {
    uint64_t key;
    uint32_t item, reserved;
};

struct store {
    MDB_env         *env;
    MDB_dbi          tables[STORE_TABLES];
    pthread_rwlock_t map_lock; /* readers: a transaction is open; writer: the map may move */
    size_t           map_bytes;
    uint64_t         seq;   /* that is written in it */
    struct undo      undo;  /* of the thread that writes */
    struct sweep     sweep; /* likewise */
    struct pin      *pin;   /* likewise: the reader of the moment that is kept; NULL = none (keep.c) */

    uint32_t           *slots; /* likewise: where the rows are that are written, in the order in which they came */
    struct store_run   *runs;  /* likewise, of those rows */
    struct store_run   *runs_spare;
    struct store_item  *items; /* likewise */
    struct store_item  *items_spare;
    struct store_place *places; /* likewise, and each of the seven has room for STORE_ROWS */
    struct store_place *places_spare;
    const void        **entries;      /* likewise, what is put into one table, behind room for CHUNK_ENTRIES more */
    uint8_t            *chunk;        /* likewise, CHUNK_BYTES: one that is written, */
    uint8_t            *chunk_before; /* and the one that it takes the place of */
};

static inline bool rank_below(struct rank a, struct rank b)
{
    return a.major < b.major || (a.major == b.major && a.minor < b.minor);
}
static inline bool rank_equal(struct rank a, struct rank b) { return a.major == b.major && a.minor == b.minor; }

/* A time as part of a rank: times before 1970 do not happen in the log, and are 0 in a query. */
static inline uint64_t time_rank(int64_t time_ms) { return time_ms < 0 ? 0 : (uint64_t)time_ms; }

static inline int64_t record_time(const struct list_row *list, const void *record)
{
    return (int64_t)record_u64(record, list->time);
}
static inline struct rank record_rank(const struct list_row *list, const void *record)
{
    uint64_t major = record_u64(record, list->major);
    return (struct rank){ list->major == list->time ? time_rank((int64_t)major) : major,
                          record_u64(record, list->minor) };
}

/* ---- keys ---- */
#define KEY_MAX    48
#define STORE_HEAD 8 /* bytes before the struct in each row */
struct key {
    size_t  len;
    uint8_t at[KEY_MAX];
};
/* Big endian. */
static inline void key_put(struct key *key, uint64_t value, size_t bytes)
{
    assert(key->len + bytes <= sizeof(key->at));
    value = __builtin_bswap64(value << (8 * (sizeof(value) - bytes)));
    memcpy(key->at + key->len, &value, bytes);
    key->len += bytes;
}
/* The key that all rows of an account begin with. */
struct key key_owner(uint64_t account_id, uint8_t market);

/* ---- chunks: entries of a table of a list, newest first ---- */

#define CHUNK_BYTES   4072u /* of entries: with STORE_HEAD and LMDB's head a page of 4 KiB */
#define CHUNK_ENTRIES (CHUNK_BYTES / sizeof(struct store_pointer)) /* at most: no entry is shorter */

/* What entries of a table are ordered by, the highest first: words of their keys behind what all begin with. */
#define PLACE_WORDS 3
struct entry_place {
    uint64_t words[PLACE_WORDS];
};

static inline uint32_t place_words(const struct list_row *list, enum store_table table)
{
    if (table == (enum store_table)list->by_other) return 3;
    return table == (enum store_table)list->ends ? 1 : 2;
}
static inline struct entry_place place_of(const struct list_row *list, enum store_table table, uint64_t other,
                                          struct rank rank)
{
    if (table == (enum store_table)list->by_other) return (struct entry_place){ { other, rank.major, rank.minor } };
    if (table == (enum store_table)list->ends) return (struct entry_place){ { rank.minor } };
    return (struct entry_place){ { rank.major, rank.minor } };
}
static inline bool place_below(const struct entry_place *a, const struct entry_place *b)
{
    if (a->words[0] != b->words[0]) return a->words[0] < b->words[0];
    if (a->words[1] != b->words[1]) return a->words[1] < b->words[1];
    return a->words[2] < b->words[2];
}
static inline void key_put_place(struct key *key, const struct entry_place *place, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) key_put(key, ~place->words[i], 8);
}

static inline size_t entry_bytes(const struct list_row *list, enum store_table table)
{
    if (table == (enum store_table)list->rows) return list->bytes;
    return table == (enum store_table)list->by_other ? sizeof(struct store_other) : sizeof(struct store_pointer);
}
static inline struct entry_place entry_place(const struct list_row *list, enum store_table table, const void *entry)
{
    struct store_other is = { .other = 0 };

    if (table == (enum store_table)list->rows) return place_of(list, table, 0, record_rank(list, entry));
    memcpy(&is, entry, entry_bytes(list, table));
    return place_of(list, table, is.other, is.is.rank);
}

/* 0 or a negative errno for LMDB's result: -EUCLEAN when the store contradicts itself, -EIO when LMDB does not go on.
 */
int store_error(int code);

/* The row of a value, `len` bytes of it. False when version, length or check do not fit: it is damaged. */
bool store_row_is_good(enum store_table table, const MDB_val *key, const MDB_val *value, size_t len) MUST_USE;
/* The same of a chunk, a whole number of entries. */
bool store_chunk_is_good(enum store_table table, const MDB_val *key, const MDB_val *value) MUST_USE;
/* The same, with the length that rows of the table have. */
bool store_value_is_good(enum store_table table, const MDB_val *key, const MDB_val *value) MUST_USE;

/* The environment alone, and the name of each table in it; for the check. 0 or what LMDB answered. */
int         store_open_env(struct store *store, const char *folder, unsigned flags) MUST_USE;
const char *store_table_name(enum store_table table);

/* Reads every page of the store in `folder`, which no process has open. False: it must not be opened (check.c). */
bool store_check(const char *folder) MUST_USE;

int store_open(struct store *store, const char *folder, uint64_t *seq) MUST_USE;
/* The same of a store that no process has open, to read from it: nothing in its folder changes. */
int  store_open_read(struct store *store, const char *folder, uint64_t *seq) MUST_USE;
void store_close(struct store *store);

/*
 * ---- to the disk (store_back.c): a sync, 0 or errno; what history_write_back does, 0 or a negative errno; a
 * transaction was committed; and what the disk has not taken, for any thread ----
 */
int           store_sync(struct store *store) MUST_USE;
int           store_write_back(struct store *store, int64_t elapsed_ns) MUST_USE;
void          store_wrote(struct store *store, uint64_t bytes);
struct unkept store_unkept(const struct store *store);

/* Writes the first `count` rows of store->slots, the bars that were
   taken, and the seq they reach, in one transaction. */
int store_write(struct store *store, const struct pending *pending, uint32_t count, const struct bars *bars,
                uint64_t seq) MUST_USE;

/* ---- writing: between store_writer_begin and store_writer_end ---- */

/*
 * One transaction. Each table that is written has a cursor, which stays where its last row went. LMDB needs not descend
 * from the root for a row that goes to the same page.
 */
struct store_writer {
    struct store *store;
    MDB_txn      *txn;
    MDB_cursor   *cursors[STORE_TABLES]; /* NULL: none yet */
    uint64_t      bytes;                 /* of rows that were put */
};
int store_writer_begin(struct store *store, struct store_writer *writer) MUST_USE;
/* Commits, or aborts what ended with a `code` that is not 0; 0 or what LMDB answered. */
int store_writer_end(struct store_writer *writer, int code) MUST_USE;

/* Sorts the first `count` of store->places; those with one key stay in their order (store_sort.c). */
void store_sort(struct store *store, uint32_t count);

/* Rows of one list, account and market, in the order in which they came (store_lists.c). */
int store_put_list(struct store_writer *writer, const struct pending *pending, const struct store_run *runs,
                   uint32_t run_count) MUST_USE;

/*
 * Entries whose keys begin alike go into chunks of a table (store_chunks.c): `count` of store->entries, from
 * CHUNK_ENTRIES on, newest first, each with a place of its own.
 */
struct store_chunks {
    struct store_writer   *writer;
    const struct list_row *list;
    enum store_table       table;
    struct key             prefix;
};
int store_put_entries(const struct store_chunks *chunks, uint32_t count) MUST_USE;

/* ---- reading: between store_begin and store_end ---- */
struct store_reader {
    struct store *store;
    MDB_txn      *txn;
};
int  store_begin(struct store *store, struct store_reader *reader) MUST_USE;
void store_end(struct store_reader *reader);

/* Stands at an entry of a table of a list, in the map. */
struct store_walk {
    const struct list_row *list;
    enum store_table       table;
    MDB_cursor            *cursor;
    struct key             prefix;    /* what all keys begin with */
    const uint8_t         *entries;   /* of the chunk, whose check was right */
    uint32_t               count, at; /* of it; count 0: there is none */
};

/* Walks one list of an account from the newest row whose rank is below `top` (store_walk.c). */
struct store_list {
    const struct list_row *kind;
    struct store_walk      walk;   /* through the rows, or an index */
    struct store_walk      rows;   /* an index: where the last row was */
    uint64_t               other;  /* by order, position or liquidation: which */
    bool                   at_row; /* the members below are good */
    struct rank            rank;
    int64_t                time_ms;
};
int  list_open(struct store_list *list, struct store_reader *reader, const struct list_row *kind,
               const struct history_query *query) MUST_USE;
void list_close(struct store_list *list);
int  list_seek(struct store_list *list, struct rank top) MUST_USE; /* first row below top */
int  list_next(struct store_list *list) MUST_USE;
/* Copies the row the list stands at, kind->bytes of it. */
int list_row(struct store_list *list, void *row) MUST_USE;

struct ended {
    uint64_t id; /* of an order or a position; 0 = there is none */
    int64_t  time_ms;
};

/* A row of an account by its rank. */
int store_row_of(struct store_reader *reader, const struct list_row *kind, uint64_t account_id, uint8_t market,
                 struct rank rank, bool *found, void *row) MUST_USE;
/* The row of an account with this id, or the next lower one that there is, of a list that has `ends`. */
int store_end_of(struct store_reader *reader, const struct list_row *kind, uint64_t account_id, uint8_t market,
                 uint64_t id, struct ended *ended) MUST_USE;
int store_tx_location(struct store_reader *reader, uint64_t seq, bool *found, struct tx_location *place) MUST_USE;

/* A piece of a receipt. */
int store_piece(struct store_reader *reader, uint64_t receipt_id, uint32_t number, bool *found,
                struct receipt_piece *piece) MUST_USE;

/* ---- bars (store_bars.c) ---- */
int store_put_bar(struct store_writer *writer, const struct bar_row *row) MUST_USE;
/* Fills the rings and heads from the disk. */
int store_load_bars(struct store *store, struct bars *bars) MUST_USE;
/*
 * Bars with first_ms <= start < end_ms, ascending, at most `max` of them; *before: the last one that begins
 * earlier than first_ms, trades 0 when there is none.
 */
int store_read_bars(struct store_reader *reader, const struct history_bars_query *query, int64_t first_ms,
                    int64_t end_ms, struct bar *bars, uint32_t max, uint32_t *count, struct bar *before) MUST_USE;

/* ---- blocks and transactions (store_chain.c) ---- */

/* A fill is found again by its account, order and trade; a transfer stands in its own table. */
struct store_effect {
    uint64_t account_id, order_id, trade_id;
    uint16_t kind;
    uint8_t  market, reserved[5];
};

int store_put_block(struct store_writer *writer, const struct history_block *block) MUST_USE;
int store_put_hash(struct store_writer *writer, enum store_table table, const struct hash256 *hash,
                   uint64_t id) MUST_USE;
int store_put_fill_effect(struct store_writer *writer, const struct row *row) MUST_USE;
int store_put_transfer(struct store_writer *writer, const struct row *row) MUST_USE;

int store_block(struct store_reader *reader, uint64_t number, bool *found, struct history_block *block) MUST_USE;
int store_block_of(struct store_reader *reader, const struct hash256 *hash, bool *found,
                   struct history_block *block) MUST_USE;
int store_transaction_of(struct store_reader *reader, const struct hash256 *hash, bool *found,
                         struct history_transacted *tx) MUST_USE;
/* The first transaction from `seq` on, and the one behind it. */
int store_transaction_from(struct store_reader *reader, uint64_t seq, bool *found,
                           struct history_transacted *tx) MUST_USE;
/* Those of a block, each into its place; *count grows by those that were not given yet. */
int store_transactions(struct store_reader *reader, const struct history_block *block, struct history_transacted *txs,
                       uint32_t *count) MUST_USE;
/* Effects number 0 to end - 1 of a command (as many as there are up to `max`), *count = how many there are. */
int store_effects(struct store_reader *reader, uint64_t seq, uint32_t end, union history_effect *effects, uint32_t max,
                  uint32_t *count) MUST_USE;

/* ---- keys and rows, for the files that know a table ---- */
uint64_t key_get(const uint8_t *at, size_t bytes);
MDB_val  store_value_of(const void *at, size_t len);
/* The cursor of the table, 0 or what LMDB answered. */
int store_cursor(struct store_writer *writer, enum store_table table, MDB_cursor **cursor) MUST_USE;
int store_put_row(struct store_writer *writer, enum store_table table, const struct key *key, const void *row,
                  size_t len, unsigned flags) MUST_USE;
/* Rows with ascending keys; after a crash some arrive a second time. */
int store_append_row(struct store_writer *writer, enum store_table table, const struct key *key, const void *row,
                     size_t len) MUST_USE;
int store_read_row(enum store_table table, const MDB_val *key, const MDB_val *value, void *row, size_t len) MUST_USE;

#endif
