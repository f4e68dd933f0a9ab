/* SPDX-License-Identifier: MIT */
/* store_write.c — rows and bars go to the disk, one transaction for each part. */
#include "history/store.h"

#include "io/thread.h"

#define ROWS_AHEAD    8 /* a row is prefetched while the eighth before it is written */
#define ROW_BEGINNING offsetof(struct row, perps_order) + 64

/* Doubles the map. No transaction may be open, so readers wait for this moment. */
static int grow(struct store *store)
{
    thread_ceiling_begin();
    pthread_rwlock_wrlock(&store->map_lock);
    int code = mdb_env_set_mapsize(store->env, store->map_bytes * 2);
    if (code == 0) store->map_bytes *= 2;
    pthread_rwlock_unlock(&store->map_lock);
    thread_ceiling_end();
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

/* Of the rows that are written together what does not go to tables whose keys rise. */
struct gathered {
    struct store_run *runs;
    uint32_t          run_count, hash_count; /* hashes of transactions: in store->places */
};

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

static struct store_run run_of(const struct row *row, uint32_t list, uint32_t number)
{
    return (struct store_run){ .account = record_u64(&row->head, store_lists[list].account),
                               .list = list,
                               .count = 1,
                               .number = number,
                               .market = row->head.market };
}

static bool is_of_one(const struct store_run *run, const struct store_run *other)
{
    return run->list == other->list && run->account == other->account && run->market == other->market;
}

/* Adds a row to the run in front of it, or begins a run. */
static void add_run(struct gathered *gathered, struct store_run run)
{
    struct store_run *next = &gathered->runs[gathered->run_count], *last = next - 1;

    if (gathered->run_count != 0 && last->number + last->count == run.number && is_of_one(last, &run)) {
        last->count += 1;
        return;
    }
    *next = run;
    gathered->run_count += 1;
}

/* By the beginning of its hash, of which a few that are alike may be in any order. */
static struct store_place place_of_hash(const struct row_tx *tx, uint32_t slot)
{
    return (struct store_place){ tx->seq >> HASH_GROUP_BITS << 32 | key_get(tx->place.hash.bytes, 4), slot, 0 };
}

/*
 * First, in the order in which they came, what goes to tables whose keys rise; the others are gathered.
 */
static int write_rising(struct store_writer *writer, const struct pending *pending, uint32_t count,
                        struct gathered *gathered)
{
    const struct store *store = writer->store;
    int                 code = 0;

    for (uint32_t i = 0; i < count && code == 0; i++) {
        uint32_t          slot = store->slots[i];
        const struct row *row = &pending->rows[slot];
        uint32_t          list = list_of(row->kind);

        if (i + ROWS_AHEAD < count) fetch_lines(&pending->rows[store->slots[i + ROWS_AHEAD]], ROW_BEGINNING);
        code = write_row(writer, row, list);
        if (list < LIST_KINDS) add_run(gathered, run_of(row, list, i));
        if (row->kind == ROW_TX) store->places[gathered->hash_count++] = place_of_hash(&row->tx, slot);
    }
    return code;
}

static int write_hashes(struct store_writer *writer, const struct pending *pending, uint32_t count)
{
    struct store *store = writer->store;
    int           code = 0;

    store_sort(store, count);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        const struct row_tx *tx = &pending->rows[store->places[i].item].tx;

        if (i + ROWS_AHEAD < count) FETCH(&pending->rows[store->places[i + ROWS_AHEAD].item].tx);
        code = store_put_hash(writer, TX_HASHES, &tx->place.hash, tx->seq);
    }
    return code;
}

/* List by list, in the order of its tables' keys. Runs of an account above 2^53 may stand apart and are put apart. */
static void sort_runs(struct store *store, uint32_t count)
{
    struct store_run *runs = store->runs;

    static_assert(LIST_KINDS <= 8, "three bits");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t owner = (runs[i].account << 8 | runs[i].market) & (UINT64_MAX >> 3);
        store->places[i] = (struct store_place){ (uint64_t)runs[i].list << 61 | owner, i, 0 };
    }
    store_sort(store, count);
    for (uint32_t i = 0; i < count; i++) store->runs_spare[i] = runs[store->places[i].item];
    store->runs = store->runs_spare;
    store->runs_spare = runs;
}

static int write_lists(struct store_writer *writer, const struct pending *pending, uint32_t count)
{
    const struct store_run *runs, *end;
    int                     code = 0;

    sort_runs(writer->store, count);
    for (runs = writer->store->runs, end = runs + count; runs < end && code == 0;) {
        uint32_t same = 1;

        while (runs + same < end && is_of_one(runs, runs + same)) same += 1;
        code = store_put_list(writer, pending, runs, same);
        runs += same;
    }
    return code;
}

/* Behind what rises the hashes and the lists of accounts, sorted, so that a put finds its place beside the one before.
 */
static int write_rows(struct store_writer *writer, const struct pending *pending, uint32_t count)
{
    struct gathered gathered = { .runs = writer->store->runs };
    int             code;

    assert(count <= STORE_ROWS);
    code = write_rising(writer, pending, count, &gathered);
    if (code == 0) code = write_hashes(writer, pending, gathered.hash_count);
    return code == 0 ? write_lists(writer, pending, gathered.run_count) : code;
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
