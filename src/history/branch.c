/* SPDX-License-Identifier: MIT */
/*
 * branch.c — a log that goes back (development): which branch of it the rows belong to, and starting anew. No other
 * thread is in this room meanwhile.
 */
#include "history/state.h"

#include <errno.h>

static const char *const branch_keys[2] = { "branch1", "branch2" };

static struct key name_of(uint32_t half)
{
    struct key key = { .len = 7 };

    memcpy(key.at, branch_keys[half], key.len);
    return key;
}

int history_branch(struct history *history, struct log_position *branch)
{
    struct store_reader reader;
    int                 error = store_begin(&history->store, &reader);

    *branch = (struct log_position){ { 0 } };
    if (error != 0) return error;
    for (uint32_t half = 0; half < 2 && error == 0; half++) {
        struct key key = name_of(half);
        MDB_val    name = store_value_of(key.at, key.len), value;
        int        code = mdb_get(reader.txn, history->store.tables[META], &name, &value);

        if (code == 0) error = store_read_row(META, &name, &value, branch->bytes + 8 * (size_t)half, 8);
        else if (code != MDB_NOTFOUND) error = store_error(code);
    }
    store_end(&reader);
    return history_note(history, error);
}

/* Not noted: what is undone later must not bring back an older one. */
static int put_branch(struct store_writer *writer, const struct log_position *branch)
{
    bool on = writer->store->undo.on;
    int  code = 0;

    writer->store->undo.on = false;
    for (uint32_t half = 0; half < 2 && code == 0; half++) {
        struct key key = name_of(half);

        code = store_put_row(writer, META, &key, branch->bytes + 8 * (size_t)half, 8, 0);
    }
    writer->store->undo.on = on;
    return code;
}

static int empty_tables(struct store *store, const struct log_position *branch)
{
    struct store_writer writer;
    int                 code = store_writer_begin(store, &writer);

    if (code != 0) return code;
    for (int table = 0; table < STORE_TABLES && code == 0; table++)
        code = mdb_drop(writer.txn, store->tables[table], 0);
    if (code == 0) code = put_branch(&writer, branch);
    return store_writer_end(&writer, code);
}

/* Everything in memory, as at the start. */
static int forget_memory(struct history *history)
{
    int error;

    pending_deinit(&history->pending);
    error = pending_init(&history->pending);
    if (error != 0) return error;
    bars_deinit(&history->bars);
    error = bars_init(&history->bars);
    if (error != 0) return error;
    history->newest_receipt = history->heard_receipt = 0;
    history->receipt = (struct history_receipt){ 0 };
    history->piece = (struct receipt_piece){ 0 };
    memset(history->compositions, 0, sizeof(history->compositions));
    return 0;
}

int history_begin_anew(struct history *history, const struct log_position *branch)
{
    int error = -store_error(empty_tables(&history->store, branch));

    if (error == 0) error = forget_memory(history);
    history->seq = history->skip_seq = history->store.seq = 0;
    undo_clear(&history->store.undo);
    return error;
}

/* ---- to an earlier command ---- */

#define UNDO_BYTES ((size_t)256 << 20)

void history_note_undo(struct history *history)
{
    history->store.undo.on = true;
    history->store.undo.bytes_max = UNDO_BYTES;
}

int history_flush(struct history *history)
{
    uint32_t left = 1;

    while (left != 0) {
        int rows = history_write(history, &left);

        if (rows < 0) return -rows;
    }
    return history_reach(history);
}

static int undo_one(struct store_writer *writer, const struct undo_transaction *transaction)
{
    struct undo_record record;
    size_t             end = transaction->len;
    int                code = 0;

    while (code == 0 && undo_before(transaction, &end, &record)) {
        MDB_val key = store_value_of(record.key, record.key_bytes), old = store_value_of(record.old, record.old_bytes);
        MDB_dbi table = writer->store->tables[record.table];

        if (record.old == NULL) code = mdb_del(writer->txn, table, &key, NULL);
        else code = mdb_put(writer->txn, table, &key, &old, 0);
    }
    return code;
}

/* How many transactions lead back to exactly that command; false: none do. */
static bool count_back(const struct store *store, uint64_t seq, uint32_t *count)
{
    const struct undo *undo = &store->undo;
    uint64_t           at = store->seq;

    for (*count = 0; at > seq && *count < undo->count; *count += 1) at = undo->all[undo->count - 1 - *count].seq_before;
    return at == seq;
}

static int undo_some(struct store *store, uint32_t count, const struct log_position *branch)
{
    struct store_writer writer;
    int                 code = store_writer_begin(store, &writer);

    if (code != 0) return code;
    for (uint32_t i = 0; i < count && code == 0; i++)
        code = undo_one(&writer, &store->undo.all[store->undo.count - 1 - i]);
    if (code == 0) code = put_branch(&writer, branch);
    return store_writer_end(&writer, code);
}

bool history_go_back(struct history *history, uint64_t seq, const struct log_position *branch)
{
    struct store *store = &history->store;
    uint32_t      count;

    if (!store->undo.on || !count_back(store, seq, &count) || undo_some(store, count, branch) != 0) return false;
    for (; count != 0; count--) undo_pop(&store->undo);
    store->seq = history->seq = history->skip_seq = seq;
    return forget_memory(history) == 0 && store_load_bars(store, &history->bars) == 0 && receipts_load(history) == 0;
}
