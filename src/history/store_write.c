/* SPDX-License-Identifier: MIT */
/* store_write.c — rows and bars go to the disk, one transaction for each part. */
#include "history/store.h"

#include "io/files.h"

#define PIECE    ((uint64_t)256 << 10) /* bytes of the store that may stand in the way of a sync of the log */
#define SWEEP_NS INT64_C(20000000000)  /* below the age at which Linux writes all there is (30 s) */

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
static int write_index(struct store *store, MDB_txn *txn, uint8_t table, const struct key *key, int64_t time_ms)
{
    return store_put_row(store, txn, (enum store_table)table, key, &time_ms, sizeof(time_ms), 0);
}

static int write_listed(struct store *store, MDB_txn *txn, enum list_kind kind, const void *record)
{
    const struct list_row *list = &store_lists[kind];
    const struct event    *head = record;
    struct rank            rank = record_rank(list, record);
    struct key             owner = key_owner(record_u64(record, list->account), head->market), key = owner;
    int64_t                time_ms = record_time(list, record);
    uint64_t               other = record_u64(record, list->other);
    int                    code;

    key_put_rank(&key, rank);
    code = store_put_row(store, txn, (enum store_table)list->rows, &key, record, list->bytes, 0);
    key = owner;
    key_put(&key, record_u32(record, list->symbol), 4);
    key_put_rank(&key, rank);
    if (code == 0) code = write_index(store, txn, list->by_symbol, &key, time_ms);
    key = owner;
    key_put(&key, other, 8);
    if (code == 0 && list->ends != NO_TABLE) code = write_index(store, txn, list->ends, &key, time_ms);
    key_put_rank(&key, rank);
    if (code == 0 && list->by_other != NO_TABLE && other != 0)
        code = write_index(store, txn, list->by_other, &key, time_ms);
    return code;
}

static int write_location(struct store *store, MDB_txn *txn, const struct row_tx *tx)
{
    struct key key = { 0 };

    key_put(&key, tx->seq, 8);
    int code = store_append_row(store, txn, PLACES, &key, &tx->place, sizeof(tx->place));
    return code == 0 ? store_put_hash(store, txn, TX_HASHES, &tx->place.hash, tx->seq) : code;
}

static int write_fill(struct store *store, MDB_txn *txn, const struct row *row)
{
    int code = write_listed(store, txn, LIST_FILLS, &row->fill);
    return code == 0 ? store_put_fill_effect(store, txn, row) : code;
}

static int write_piece(struct store *store, MDB_txn *txn, const struct receipt_piece *piece)
{
    struct key key = { 0 };

    key_put(&key, piece->receipt_id, 8);
    key_put(&key, piece->number, 4);
    return store_put_row(store, txn, RECEIPT_PIECES, &key, piece, sizeof(*piece), 0);
}

static int write_row(struct store *store, MDB_txn *txn, const struct row *row)
{
    switch (row->kind) {
    case ROW_ORDER: return write_listed(store, txn, LIST_ORDERS, &row->order);
    case ROW_FILL: return write_fill(store, txn, row);
    case ROW_PERPS_ORDER: return write_listed(store, txn, LIST_PERPS_ORDERS, &row->perps_order);
    case ROW_POSITION: return write_listed(store, txn, LIST_POSITIONS, &row->position);
    case ROW_FUNDING: return write_listed(store, txn, LIST_FUNDINGS, &row->funding);
    case ROW_RECEIPT: return write_listed(store, txn, LIST_RECEIPTS, &row->receipt);
    case ROW_RECEIPT_PIECE: return write_piece(store, txn, &row->piece);
    case ROW_BLOCK: return store_put_block(store, txn, &row->block);
    case ROW_TRANSFER: return store_put_transfer(store, txn, row);
    default: assert(row->kind == ROW_TX); return write_location(store, txn, &row->tx);
    }
}

static int write_once(struct store *store, const struct pending *pending, uint32_t slot, uint32_t count,
                      const struct bars *bars, uint64_t seq)
{
    struct key name = { .len = 3, .at = "seq" };
    MDB_txn   *txn;
    int        code = mdb_txn_begin(store->env, NULL, 0, &txn);

    if (code != 0) return code;
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = write_row(store, txn, &pending->rows[slot]);
        if (i + 1 < count) slot = pending->rows[slot].links.next; /* the last row's link is still being written */
    }
    for (uint32_t i = 0; i < bars->row_count && code == 0; i++) code = store_put_bar(store, txn, &bars->rows[i]);
    if (code == 0) code = store_put_row(store, txn, META, &name, &seq, sizeof(seq), 0);
    if (code == 0) return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return code;
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
