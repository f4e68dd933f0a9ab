/* SPDX-License-Identifier: MIT */
/* store_write.c — rows and bars go to the disk, one transaction for each part. */
#include "history/store.h"

#include "io/files.h"

#include <stdlib.h>

#define PIECE    ((uint64_t)256 << 10) /* bytes of the store that may stand in the way of a sync of the log */
#define SWEEP_NS INT64_C(20000000000)  /* below the age at which Linux writes all there is (30 s) */

#define RUNS_AHEAD 4 /* a row is prefetched while the fourth before it is written: sorted, they lie anywhere */

/* Doubles the map. No transaction may be open, so readers wait for this moment. */
static int grow(struct store *store)
{
    pthread_rwlock_wrlock(&store->map_lock);
    int code = mdb_env_set_mapsize(store->env, store->map_bytes * 2);
    if (code == 0) store->map_bytes *= 2;
    pthread_rwlock_unlock(&store->map_lock);
    return code;
}

/* One more key of a row; its value is the row's time. */
static int write_index(struct store_writer *writer, uint8_t table, const struct key *key, int64_t time_ms)
{
    return store_put_row(writer, (enum store_table)table, key, &time_ms, sizeof(time_ms), 0);
}

static int write_listed(struct store_writer *writer, enum list_kind kind, const void *record)
{
    const struct list_row *list = &store_lists[kind];
    const struct event    *head = record;
    struct rank            rank = record_rank(list, record);
    struct key             owner = key_owner(record_u64(record, list->account), head->market), key = owner;
    int64_t                time_ms = record_time(list, record);
    uint64_t               other = record_u64(record, list->other);
    int                    code;

    key_put_rank(&key, rank);
    code = store_put_row(writer, (enum store_table)list->rows, &key, record, list->bytes, 0);
    key = owner;
    key_put(&key, record_u32(record, list->symbol), 4);
    key_put_rank(&key, rank);
    if (code == 0) code = write_index(writer, list->by_symbol, &key, time_ms);
    key = owner;
    key_put(&key, other, 8);
    if (code == 0 && list->ends != NO_TABLE) code = write_index(writer, list->ends, &key, time_ms);
    key_put_rank(&key, rank);
    if (code == 0 && list->by_other != NO_TABLE && other != 0)
        code = write_index(writer, list->by_other, &key, time_ms);
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

static struct store_run run_of(const struct row *row, uint32_t list, uint32_t slot, uint32_t number)
{
    struct store_run run = { .slot = slot, .count = 1, .number = number, .list = list };

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
    return run->number + run->count == next->number && run->list == next->list && run->group == next->group
        && run->key == next->key;
}

static int write_run(struct store_writer *writer, const struct row *rows, const struct store_run *run)
{
    const struct row *row = &rows[run->slot];
    int               code = 0;

    if (run->list == LIST_KINDS) return store_put_hash(writer, TX_HASHES, &row->tx.place.hash, row->tx.seq);
    for (uint32_t left = run->count; left > 0 && code == 0; left--) {
        code = write_listed(writer, (enum list_kind)run->list, &row->head);
        if (left > 1) row = &rows[row->links.next];
    }
    return code;
}

/*
 * First, in the order in which they came, what goes to tables whose keys rise; then the lists of accounts and the
 * hashes of transactions, sorted, so that a put finds its place beside the put before.
 */
static int write_rows(struct store_writer *writer, const struct pending *pending, uint32_t slot, uint32_t count)
{
    struct store_run *runs = writer->store->runs;
    uint32_t          run_count = 0;
    int               code = 0;

    assert(count <= STORE_ROWS);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        const struct row *row = &pending->rows[slot];
        uint32_t          list = list_of(row->kind);

        code = write_row(writer, row, list);
        if (list < LIST_KINDS || row->kind == ROW_TX) {
            runs[run_count] = run_of(row, list, slot, i);
            if (run_count != 0 && continues(&runs[run_count - 1], &runs[run_count])) runs[run_count - 1].count += 1;
            else run_count += 1;
        }
        if (i + 1 < count) slot = row->links.next; /* the last row's link is still being written */
    }
    qsort(runs, run_count, sizeof(*runs), compare_runs);
    for (uint32_t i = 0; i < run_count && code == 0; i++) {
        if (i + RUNS_AHEAD < run_count) fetch_lines(&pending->rows[runs[i + RUNS_AHEAD].slot], sizeof(struct row));
        code = write_run(writer, pending->rows, &runs[i]);
    }
    return code;
}

static int write_once(struct store *store, const struct pending *pending, uint32_t slot, uint32_t count,
                      const struct bars *bars, uint64_t seq)
{
    struct key          name = { .len = 3, .at = "seq" };
    struct store_writer writer;
    int                 code = store_writer_begin(store, &writer);

    if (code != 0) return code;
    code = write_rows(&writer, pending, slot, count);
    for (uint32_t i = 0; i < bars->row_count && code == 0; i++) code = store_put_bar(&writer, &bars->rows[i]);
    if (code == 0) code = store_put_row(&writer, META, &name, &seq, sizeof(seq), 0);
    return store_writer_end(&writer, code);
}

/* The same; what it replaces is noted, or nothing where it fails. */
static int write_noted(struct store *store, const struct pending *pending, uint32_t slot, uint32_t count,
                       const struct bars *bars, uint64_t seq)
{
    int code;

    undo_begin(&store->undo, store->seq);
    code = write_once(store, pending, slot, count, bars, seq);
    if (code != 0) undo_cancel(&store->undo);
    else store->seq = seq;
    return code;
}

int store_write(struct store *store, const struct pending *pending, uint32_t slot, uint32_t count,
                const struct bars *bars, uint64_t seq)
{
    int code = write_noted(store, pending, slot, count, bars, seq);

    while (code == MDB_MAP_FULL) {
        code = grow(store);
        if (code == 0) code = write_noted(store, pending, slot, count, bars, seq);
    }
    if (code == 0) store->sweep.left = UINT64_MAX;
    return store_error(code);
}

/*
 * Pages that a transaction wrote lie anywhere in the file, so all of it is gone through in SWEEP_NS; of the parts in
 * which nothing was written the system says so at once.
 */
int store_write_back(struct store *store, int64_t elapsed_ns)
{
    struct sweep    *sweep = &store->sweep;
    MDB_envinfo      info;
    MDB_stat         stat;
    mdb_filehandle_t file;
    uint64_t         bytes;
    int              error = 0;

    if (sweep->left == 0) return 0;
    (void)mdb_env_info(store->env, &info); /* none of the three fails for an environment that is open */
    (void)mdb_env_stat(store->env, &stat);
    (void)mdb_env_get_fd(store->env, &file);
    bytes = align_up((info.me_last_pgno + 1) * (uint64_t)stat.ms_psize, PIECE);
    sweep->left = min_u64(sweep->left, bytes);
    sweep->due += (uint64_t)((uint128_t)bytes * (uint64_t)min_i64(elapsed_ns, SWEEP_NS) / SWEEP_NS);
    for (; sweep->due >= PIECE && sweep->left != 0 && error == 0; sweep->due -= PIECE) {
        if (sweep->at >= bytes) sweep->at = 0;
        error = files_write_back(file, sweep->at, PIECE);
        sweep->at += PIECE;
        sweep->left -= min_u64(sweep->left, PIECE);
    }
    if (sweep->left == 0) sweep->due = 0;
    return -error;
}
