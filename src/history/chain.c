/* SPDX-License-Identifier: MIT */
/*
 * chain.c — blocks and transactions, out of memory and from the disk. As in query.c memory is looked at
 * first: a row leaves it only after it can be seen on the disk, so it can be found twice, never not at all.
 */
#include "history/state.h"

#include <errno.h>

#define LOOKS 256 /* rows looked up under one hold of the lock, so that the engine's thread waits for microseconds */

/* ---- memory ---- */

static const struct row *pending_row(const struct pending *pending, enum row_kind kind, uint64_t id)
{
    const struct row *row = pending_newest(pending, kind, id, 0);

    while (row != NULL) {
        if (row->kind == kind && (kind == ROW_BLOCK ? row->block.number : row->tx.seq) == id) return row;
        row = pending_older(pending, row);
    }
    return NULL;
}

static bool pending_block(struct pending *pending, uint64_t number, struct history_block *block)
{
    pending_read_begin(pending);
    const struct row *row = pending_row(pending, ROW_BLOCK, number);
    if (row != NULL) *block = row->block;
    pending_read_end(pending);
    return row != NULL;
}

static void take_transaction(const struct row *row, struct history_transacted *tx)
{
    *tx = (struct history_transacted){ row->tx.seq, row->tx.place };
}

/* ---- the disk ---- */

/* 1, 0 or the error of a read that ended; notes damage. */
static int finish(struct history *history, int error, bool found)
{
    return error != 0 ? history_note(history, error) : found ? 1 : 0;
}

int history_block_at(struct history *history, uint64_t number, struct history_block *block)
{
    struct store_reader reader;
    bool                found = false;

    if (pending_block(&history->pending, number, block)) return 1;
    int error = store_begin(&history->store, &reader);
    if (error != 0) return error;
    error = store_block(&reader, number, &found, block);
    store_end(&reader);
    return finish(history, error, found);
}

int history_block_of(struct history *history, const struct hash256 *hash, struct history_block *block)
{
    struct pending     *pending = &history->pending;
    struct store_reader reader;
    bool                found = false;

    pending_read_begin(pending);
    const struct row *row = pending_by_hash(pending, ROW_BLOCK, hash);
    if (row != NULL) *block = row->block;
    pending_read_end(pending);
    if (row != NULL) return 1;
    int error = store_begin(&history->store, &reader);
    if (error != 0) return error;
    error = store_block_of(&reader, hash, &found, block);
    store_end(&reader);
    return finish(history, error, found);
}

int history_transaction_of(struct history *history, const struct hash256 *hash, struct history_transacted *tx)
{
    struct pending     *pending = &history->pending;
    struct store_reader reader;
    bool                found = false;

    pending_read_begin(pending);
    const struct row *row = pending_by_hash(pending, ROW_TX, hash);
    if (row != NULL) take_transaction(row, tx);
    pending_read_end(pending);
    if (row != NULL) return 1;
    int error = store_begin(&history->store, &reader);
    if (error != 0) return error;
    error = store_transaction_of(&reader, hash, &found, tx);
    store_end(&reader);
    return finish(history, error, found);
}

/* ---- a block's transactions ---- */

/*
 * Refused commands lie between the transactions of a block, so transaction `index` is at or behind command first_seq +
 * index. *next: where the next search starts; true when it was found.
 */
static bool pending_transaction_at(struct pending *pending, const struct history_block *block, uint32_t index,
                                   uint64_t *next, struct history_transacted *tx)
{
    uint64_t end = min_u64(block->last_seq + 1, *next + LOOKS);
    bool     found = false;

    pending_read_begin(pending);
    for (; *next < end && !found; ++*next) {
        const struct row *row = pending_row(pending, ROW_TX, *next);
        if (row == NULL || row->tx.place.block != block->number || row->tx.place.index != index) continue;
        take_transaction(row, tx);
        found = true;
    }
    pending_read_end(pending);
    return found;
}

static int store_transaction_at(struct history *history, const struct history_block *block, uint32_t index,
                                struct history_transacted *tx)
{
    struct store_reader reader;
    uint64_t            seq = block->first_seq + index;
    bool                found = false;
    int                 error = store_begin(&history->store, &reader);

    if (error != 0) return error;
    do {
        error = store_transaction_from(&reader, seq, &found, tx);
        if (!found || tx->seq > block->last_seq) error = error != 0 ? error : -EUCLEAN;
        seq = tx->seq + 1;
    } while (error == 0 && tx->place.index < index);
    if (error == 0 && (tx->place.index != index || tx->place.block != block->number)) error = -EUCLEAN;
    store_end(&reader);
    return finish(history, error, true);
}

int history_transaction_at(struct history *history, const struct history_block *block, uint32_t index,
                           struct history_transacted *tx)
{
    uint64_t next = block->first_seq + index;

    if (index >= block->count) return 0;
    while (next <= block->last_seq)
        if (pending_transaction_at(&history->pending, block, index, &next, tx)) return 1;
    return store_transaction_at(history, block, index, tx);
}

static void pending_transactions(struct pending *pending, const struct history_block *block,
                                 struct history_transacted *txs, uint32_t *count)
{
    for (uint64_t seq = block->first_seq; seq <= block->last_seq;) {
        uint64_t end = min_u64(block->last_seq + 1, seq + LOOKS);
        pending_read_begin(pending);
        for (; seq < end; seq++) {
            const struct row *row = pending_row(pending, ROW_TX, seq);
            if (row == NULL || row->tx.place.block != block->number) continue;
            take_transaction(row, &txs[row->tx.place.index]);
            *count += 1;
        }
        pending_read_end(pending);
    }
}

int history_transactions(struct history *history, const struct history_block *block, struct history_transacted *txs)
{
    struct store_reader reader;
    uint32_t            count = 0;

    memset(txs, 0, block->count * sizeof(*txs));
    pending_transactions(&history->pending, block, txs, &count);
    if (count == block->count) return 1;
    int error = store_begin(&history->store, &reader);
    if (error != 0) return error;
    error = store_transactions(&reader, block, txs, &count);
    store_end(&reader);
    if (error == 0 && count != block->count) error = -EUCLEAN;
    return finish(history, error, true);
}

/* ---- effects ---- */

static void take_effect(const struct row *row, union history_effect *effect)
{
    if (row->kind == ROW_FILL) effect->fill = row->fill;
    else effect->transfer = row->transfer;
}

/* Those in memory: *first is the number of the first of them,
   UINT32_MAX when there are none; returns how many there are in all. */
static uint32_t pending_effects(struct pending *pending, uint64_t seq, union history_effect *effects, uint32_t max,
                                uint32_t *first)
{
    uint32_t all = 0;

    *first = UINT32_MAX;
    pending_read_begin(pending);
    const struct row *row = pending_row(pending, ROW_TX, seq);
    if (row != NULL) row = pending_effect_before(pending, row);
    if (row != NULL) all = row->hash_older + 1;
    for (; row != NULL; row = pending_effect_before(pending, row)) {
        *first = row->hash_older;
        if (*first < max) take_effect(row, &effects[*first]);
    }
    pending_read_end(pending);
    return all;
}

int history_effects(struct history *history, uint64_t seq, union history_effect *effects, uint32_t max)
{
    struct store_reader reader;
    uint32_t            first, count, all = pending_effects(&history->pending, seq, effects, max, &first);

    if (first == 0) return (int)all;
    int error = store_begin(&history->store, &reader);
    if (error != 0) return error;
    error = store_effects(&reader, seq, first, effects, max, &count);
    store_end(&reader);
    if (error == 0 && all != 0 && count != first) error = -EUCLEAN;
    if (error != 0) return history_note(history, error);
    return (int)(all != 0 ? all : count);
}
