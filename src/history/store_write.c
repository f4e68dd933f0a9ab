/* SPDX-License-Identifier: MIT */
/* store_write.c — rows and bars go to the disk, one transaction for each part. */
#include "history/store.h"

#include <stdlib.h>

#define ROWS_AHEAD    8 /* a row is prefetched while the eighth before it is written */
#define ROW_BEGINNING offsetof(struct row, perps_order) + 64

/* Doubles the map. No transaction may be open, so readers wait for this moment. */
static int grow(struct store *store)
{
    pthread_rwlock_wrlock(&store->map_lock);
    int code = mdb_env_set_mapsize(store->env, store->map_bytes * 2);
    if (code == 0) store->map_bytes *= 2;
    pthread_rwlock_unlock(&store->map_lock);
    return code;
}

static int write_location(struct store_writer *writer, const struct row_tx *tx)
{
    struct key key = { 0 };

    key_put(&key, tx->seq, 8);
    return store_append_row(writer, PLACES, &key, &tx->place, sizeof(tx->place));
}

static int write_piece(struct store_writer *writer, const struct receipt_piece *piece)
{
    struct key key = { 0 };

    key_put(&key, piece->receipt_id, 8);
    key_put(&key, piece->number, 4);
    return store_put_row(writer, RECEIPT_PIECES, &key, piece, sizeof(*piece), 0);
}

/* The list that rows of a kind are in; LIST_KINDS: none. */
static uint32_t list_of(uint32_t kind)
{
    uint32_t list = 0;

    while (list < LIST_KINDS && store_lists[list].kind != kind) list++;
    return list;
}

/* What of it goes to tables whose keys rise with every command. */
static int write_row(struct store_writer *writer, const struct row *row, uint32_t list)
{
    switch (row->kind) {
    case ROW_FILL: return store_put_fill_effect(writer, row);
    case ROW_RECEIPT_PIECE: return write_piece(writer, &row->piece);
    case ROW_BLOCK: return store_put_block(writer, &row->block);
    case ROW_TRANSFER: return store_put_transfer(writer, row);
    case ROW_TX: return write_location(writer, &row->tx);
    default: assert(list < LIST_KINDS); return 0;
    }
}

/* As the keys of their tables, and rows of one account in the order in which they came. */
static int compare_runs(const void *a, const void *b)
{
    const struct store_run *left = a, *right = b;

    if (left->list != right->list) return left->list < right->list ? -1 : 1;
    if (left->group != right->group) return left->group < right->group ? -1 : 1;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

static struct store_run run_of(const struct row *row, uint32_t list, uint32_t number)
{
    struct store_run run = { .count = 1, .number = number, .list = list };

    if (list < LIST_KINDS) {
        run.group = record_u64(&row->head, store_lists[list].account);
        run.key = row->head.market;
    } else {
        run.group = row->tx.seq >> HASH_GROUP_BITS;
        run.key = key_get(row->tx.place.hash.bytes, sizeof(run.key));
    }
    return run;
}

static bool continues(const struct store_run *run, const struct store_run *next)
{
    return run->list != LIST_KINDS && run->number + run->count == next->number && run->list == next->list
        && run->group == next->group && run->key == next->key;
}

/*
 * First, in the order in which they came, what goes to tables whose keys rise, and in *run_count runs of the others.
 */
static int write_rising(struct store_writer *writer, const struct pending *pending, uint32_t count, uint32_t *run_count)
{
    const struct store *store = writer->store;
    int                 code = 0;

    *run_count = 0;
    for (uint32_t i = 0; i < count && code == 0; i++) {
        const struct row *row = &pending->rows[store->slots[i]];
        uint32_t          list = list_of(row->kind);
        struct store_run *next = &store->runs[*run_count];

        if (i + ROWS_AHEAD < count) fetch_lines(&pending->rows[store->slots[i + ROWS_AHEAD]], ROW_BEGINNING);
        code = write_row(writer, row, list);
        if (list == LIST_KINDS && row->kind != ROW_TX) continue;
        *next = run_of(row, list, i);
        if (*run_count != 0 && continues(next - 1, next)) next[-1].count += 1;
        else *run_count += 1;
    }
    return code;
}

/* How many of the runs go to the same tables beside each other. */
static uint32_t runs_of_one(const struct store_run *runs, uint32_t count)
{
    uint32_t same = 1;

    if (runs->list == LIST_KINDS) return 1;
    while (same < count && runs[same].list == runs->list && runs[same].group == runs->group
           && runs[same].key == runs->key)
        same += 1;
    return same;
}

static int write_runs(struct store_writer *writer, const struct pending *pending, const struct store_run *runs,
                      uint32_t count)
{
    const struct row_tx *tx = &pending->rows[writer->store->slots[runs->number]].tx;

    if (runs->list != LIST_KINDS) return store_put_list(writer, pending, runs, count);
    return store_put_hash(writer, TX_HASHES, &tx->place.hash, tx->seq);
}

/* Behind what rises the lists of accounts and the hashes, sorted, so that a put finds its place beside the one before.
 */
static int write_rows(struct store_writer *writer, const struct pending *pending, uint32_t count)
{
    struct store_run *runs = writer->store->runs;
    uint32_t          run_count, same;
    int               code;

    assert(count <= STORE_ROWS);
    code = write_rising(writer, pending, count, &run_count);
    qsort(runs, run_count, sizeof(*runs), compare_runs);
    for (uint32_t i = 0; i < run_count && code == 0; i += same) {
        same = runs_of_one(runs + i, run_count - i);
        code = write_runs(writer, pending, runs + i, same);
    }
    return code;
}

/* *bytes: of rows. */
static int write_once(struct store *store, const struct pending *pending, uint32_t count, const struct bars *bars,
                      uint64_t seq, uint64_t *bytes)
{
    struct key          name = { .len = 3, .at = "seq" };
    struct store_writer writer;
    int                 code = store_writer_begin(store, &writer);

    if (code != 0) return code;
    code = write_rows(&writer, pending, count);
    for (uint32_t i = 0; i < bars->row_count && code == 0; i++) code = store_put_bar(&writer, &bars->rows[i]);
    if (code == 0) code = store_put_row(&writer, META, &name, &seq, sizeof(seq), 0);
    *bytes = writer.bytes;
    return store_writer_end(&writer, code);
}

/* The same; what it replaces is noted, or nothing where it fails. */
static int write_noted(struct store *store, const struct pending *pending, uint32_t count, const struct bars *bars,
                       uint64_t seq)
{
    uint64_t bytes;
    int      code;

    undo_begin(&store->undo, store->seq);
    code = write_once(store, pending, count, bars, seq, &bytes);
    if (code != 0) {
        undo_cancel(&store->undo);
        return code;
    }
    store->seq = seq;
    store_wrote(store, bytes);
    return 0;
}

int store_write(struct store *store, const struct pending *pending, uint32_t count, const struct bars *bars,
                uint64_t seq)
{
    int code = write_noted(store, pending, count, bars, seq);

    while (code == MDB_MAP_FULL) {
        code = grow(store);
        if (code == 0) code = write_noted(store, pending, count, bars, seq);
    }
    return store_error(code);
}
