/* SPDX-License-Identifier: MIT */
#include "history/pending.h"

#include "base/touch.h"
#include "io/files.h"
#include "io/thread.h"

#include <errno.h>

#define HEAD_BYTES (PENDING_HEADS * sizeof(uint32_t))

/* While an exchange goes back, other threads ask how many rows wait. */
static void clear_counts(struct pending *pending)
{
    __atomic_store_n(&pending->stored, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&pending->added, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&pending->closed, 0, __ATOMIC_RELEASE);
    pending->told = pending->removed = pending->batch_first = pending->batch_last = 0;
    pending->batch_closed = true;
}

int pending_init(struct pending *pending)
{
    clear_counts(pending);
    pending->rows = files_take_memory(PENDING_SLOTS * sizeof(*pending->rows));
    pending->chains =
        CHAINED(files_take_memory(HEAD_BYTES), PENDING_HEADS - 1, pending->rows, links, PENDING_SLOTS - 1);
    pending->hashes = CHAINED(files_take_memory(HEAD_BYTES), PENDING_HEADS - 1, pending->rows, hash_older, 0);
    pending->effects = files_take_memory(PENDING_EFFECTS * sizeof(*pending->effects));
    pending->queue = files_take_memory(PENDING_QUEUE * sizeof(*pending->queue));
    if (pending->rows == NULL || pending->chains.heads == NULL || pending->hashes.heads == NULL
        || pending->effects == NULL || pending->queue == NULL) {
        pending_deinit(pending);
        return ENOMEM;
    }
    pthread_mutex_init(&pending->lock, NULL);
    return 0;
}

void pending_deinit(struct pending *pending)
{
    files_give_memory(pending->rows, PENDING_SLOTS * sizeof(*pending->rows));
    files_give_memory(pending->chains.heads, HEAD_BYTES);
    files_give_memory(pending->hashes.heads, HEAD_BYTES);
    files_give_memory(pending->effects, PENDING_EFFECTS * sizeof(*pending->effects));
    files_give_memory(pending->queue, PENDING_QUEUE * sizeof(*pending->queue));
}

void pending_read_begin(struct pending *pending)
{
    thread_ceiling_begin();
    pthread_mutex_lock(&pending->lock);
}

void pending_read_end(struct pending *pending)
{
    pthread_mutex_unlock(&pending->lock);
    thread_ceiling_end();
}

void pending_touch(struct pending *pending)
{
    memory_touch(pending->rows, PENDING_WARM * sizeof(*pending->rows));
    memory_touch(pending->chains.heads, HEAD_BYTES);
    memory_touch(pending->hashes.heads, HEAD_BYTES);
    memory_touch(pending->effects, PENDING_EFFECTS * sizeof(*pending->effects));
    memory_touch(pending->queue, PENDING_WARM * sizeof(*pending->queue));
}

/* Spreads ids that are close together; no meaning beyond that. */
static uint64_t key_hash(uint32_t kind, uint64_t id, uint8_t market)
{
    return (id << 6 | (uint64_t)market << 4 | kind) * 0x9e3779b97f4a7c15u >> 44;
}

static uint64_t row_hash(const struct row *row)
{
    switch (row->kind) {
    case ROW_ORDER: return key_hash(ROW_ORDER, row->order.account_id, row->head.market);
    case ROW_FILL: return key_hash(ROW_FILL, row->fill.account_id, row->head.market);
    case ROW_PERPS_ORDER: return key_hash(ROW_PERPS_ORDER, row->perps_order.base.account_id, row->head.market);
    case ROW_POSITION: return key_hash(ROW_POSITION, row->position.account_id, row->head.market);
    case ROW_FUNDING: return key_hash(ROW_FUNDING, row->funding.account_id, row->head.market);
    case ROW_RECEIPT: return key_hash(ROW_RECEIPT, row->receipt.owner, row->head.market);
    case ROW_RECEIPT_PIECE: return key_hash(ROW_RECEIPT_PIECE, row->piece.receipt_id, 0);
    case ROW_BLOCK: return key_hash(ROW_BLOCK, row->block.number, 0);
    default: return key_hash(row->kind, row->seq, 0);
    }
}

void pending_link(struct pending *pending, struct row *row)
{
    uint32_t        *newest = chained_head(&pending->chains, row_hash(row));
    struct use_order chain = { .newest = *newest };

    use_order_add(&chain, &pending->chains, (uint32_t)(row - pending->rows));
    *newest = chain.newest;
}

static void unlink_row(struct pending *pending, const struct row *row)
{
    uint32_t        *newest = chained_head(&pending->chains, row_hash(row));
    struct use_order chain = { .newest = *newest };

    use_order_remove(&chain, &pending->chains, (uint32_t)(row - pending->rows));
    *newest = chain.newest;
}

static const struct hash256 *hash_of_row(const struct row *row)
{
    return row->kind == ROW_BLOCK ? &row->block.hash : &row->tx.place.hash;
}

static uint64_t hash_word(const struct hash256 *hash)
{
    uint32_t number;

    memcpy(&number, hash->bytes, sizeof(number));
    return number;
}

static bool has_hash(const struct row *row) { return row->kind == ROW_TX || row->kind == ROW_BLOCK; }

/* The one after next is prefetched: a row that was written long ago is in no cache. */
static void remove_oldest(struct pending *pending)
{
    uint32_t    slot = *pending_slot(pending, pending->removed);
    struct row *row = &pending->rows[slot];

    assert(slot != 0 && row->kind != 0);
    FETCH(&pending->rows[*pending_slot(pending, pending->removed + 2)]);
    unlink_row(pending, row);
    if (has_hash(row)) chained_remove(&pending->hashes, hash_word(hash_of_row(row)), slot);
    row->kind = 0;
    chained_give(&pending->chains, slot);
    pending->removed += 1;
}

void pending_remove_stored(struct pending *pending, uint32_t most)
{
    uint64_t stored = __atomic_load_n(&pending->stored, __ATOMIC_ACQUIRE);

    for (; most > 0 && pending->removed < stored; most--) remove_oldest(pending);
}

struct row *pending_add(struct pending *pending, enum row_kind kind)
{
    uint32_t    slot;
    struct row *row;

    pending_remove_stored(pending, 2);
    slot = chained_take(&pending->chains);
    row = &pending->rows[slot];
    assert(slot != 0); /* overload stops new risk at PENDING_FULL, and the exchange stops at PENDING_LAST */
    memset(row, 0, offsetof(struct row, order)); /* the caller writes the rest */
    row->kind = kind;
    row->batch_first = pending->batch_first;
    *pending_slot(pending, pending->told) = slot;
    pending->told += 1;
    return row;
}

void pending_show(struct pending *pending)
{
    __atomic_store_n(&pending->added, pending->told, __ATOMIC_RELEASE);
    if (pending->batch_closed) __atomic_store_n(&pending->closed, pending->batch_last, __ATOMIC_RELEASE);
}

/* `closed` first: whoever sees it sees all rows up to it, and perhaps more. */
struct pending_part pending_look(const struct pending *pending)
{
    struct pending_part part = { .closed = __atomic_load_n(&pending->closed, __ATOMIC_ACQUIRE) };

    part.count = pending_waiting(pending);
    return part;
}

void pending_list(const struct pending *pending, uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) slots[i] = *pending_slot(pending, pending->stored + i);
}

void pending_stored(struct pending *pending, uint32_t count)
{
    __atomic_store_n(&pending->stored, pending->stored + count, __ATOMIC_RELEASE);
}

const struct row *pending_newest(const struct pending *pending, enum row_kind kind, uint64_t id, uint8_t market)
{
    uint32_t slot = chained_first(&pending->chains, key_hash(kind, id, market));
    return slot == 0 ? NULL : &pending->rows[slot];
}

const struct row *pending_older(const struct pending *pending, const struct row *row)
{
    return row->links.older == 0 ? NULL : &pending->rows[row->links.older];
}

/* ---- hashes and effects ---- */

void pending_link_hash(struct pending *pending, struct row *row)
{
    chained_add(&pending->hashes, hash_word(hash_of_row(row)), (uint32_t)(row - pending->rows));
}

const struct row *pending_by_hash(const struct pending *pending, enum row_kind kind, const struct hash256 *hash)
{
    CHAINED_EACH(slot, &pending->hashes, hash_word(hash)) {
        const struct row *row = &pending->rows[slot];
        assert(has_hash(row));
        if (row->kind == kind && hash256_equal(hash_of_row(row), hash)) return row;
    }
    return NULL;
}

void pending_link_effect(struct pending *pending, struct row *row, uint64_t seq)
{
    struct last_effect *last = &pending->effects[seq & (PENDING_EFFECTS - 1)];

    if (last->seq != seq) *last = (struct last_effect){ seq, 0, 0 };
    row->seq = seq;
    row->effect_before = last->slot;
    row->hash_older = last->count++;
    last->slot = (uint32_t)(row - pending->rows);
}

void pending_take_effects(struct pending *pending, struct row *row)
{
    const struct last_effect *last = &pending->effects[row->seq & (PENDING_EFFECTS - 1)];

    row->effect_before = last->seq == row->seq ? last->slot : 0;
}

const struct row *pending_effect_before(const struct pending *pending, const struct row *row)
{
    const struct row *before = &pending->rows[row->effect_before];

    if (row->effect_before == 0 || before->seq != row->seq) return NULL;
    return before->kind == ROW_FILL || before->kind == ROW_TRANSFER ? before : NULL;
}
