/* SPDX-License-Identifier: MIT */
#include "history/pending.h"

#include "base/touch.h"

#include <errno.h>
#include <sys/mman.h>

static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

int pending_init(struct pending *pending)
{
    *pending = (struct pending){ .used_slots = 1, .batch_closed = true };
    pending->rows = reserve(PENDING_SLOTS * sizeof(*pending->rows));
    pending->buckets = reserve(PENDING_BUCKETS * sizeof(*pending->buckets));
    pending->hashes = reserve(PENDING_BUCKETS * sizeof(*pending->hashes));
    pending->effects = reserve(PENDING_EFFECTS * sizeof(*pending->effects));
    if (pending->rows == NULL || pending->buckets == NULL || pending->hashes == NULL || pending->effects == NULL) {
        pending_deinit(pending);
        return ENOMEM;
    }
    pthread_mutex_init(&pending->lock, NULL);
    return 0;
}

void pending_deinit(struct pending *pending)
{
    if (pending->rows != NULL) munmap(pending->rows, PENDING_SLOTS * sizeof(*pending->rows));
    if (pending->buckets != NULL) munmap(pending->buckets, PENDING_BUCKETS * sizeof(*pending->buckets));
    if (pending->hashes != NULL) munmap(pending->hashes, PENDING_BUCKETS * sizeof(*pending->hashes));
    if (pending->effects != NULL) munmap(pending->effects, PENDING_EFFECTS * sizeof(*pending->effects));
}

void pending_touch(struct pending *pending)
{
    memory_touch(pending->rows, PENDING_WARM * sizeof(*pending->rows));
    memory_touch(pending->buckets, PENDING_BUCKETS * sizeof(*pending->buckets));
    memory_touch(pending->hashes, PENDING_BUCKETS * sizeof(*pending->hashes));
    memory_touch(pending->effects, PENDING_EFFECTS * sizeof(*pending->effects));
}

/* Spreads ids that are close together; no meaning beyond that. */
static uint32_t bucket_of(uint32_t kind, uint64_t id, uint8_t market)
{
    uint64_t x = (id << 6 | (uint64_t)market << 4 | kind) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(x >> 44) & (PENDING_BUCKETS - 1);
}

static uint32_t bucket_of_row(const struct row *row)
{
    switch (row->kind) {
    case ROW_ORDER: return bucket_of(ROW_ORDER, row->order.account_id, row->head.market);
    case ROW_FILL: return bucket_of(ROW_FILL, row->fill.account_id, row->head.market);
    case ROW_PERPS_ORDER: return bucket_of(ROW_PERPS_ORDER, row->perps_order.base.account_id, row->head.market);
    case ROW_POSITION: return bucket_of(ROW_POSITION, row->position.account_id, row->head.market);
    case ROW_FUNDING: return bucket_of(ROW_FUNDING, row->funding.account_id, row->head.market);
    case ROW_RECEIPT: return bucket_of(ROW_RECEIPT, row->receipt.owner, row->head.market);
    case ROW_RECEIPT_PIECE: return bucket_of(ROW_RECEIPT_PIECE, row->piece.receipt_id, 0);
    case ROW_BLOCK: return bucket_of(ROW_BLOCK, row->block.number, 0);
    default: return bucket_of(row->kind, row->seq, 0);
    }
}

struct row *pending_add(struct pending *pending, enum row_kind kind)
{
    uint32_t    slot = pending->free != 0 ? pending->free : pending->used_slots;
    struct row *row = &pending->rows[slot];

    /* Overload stops new orders at PENDING_FULL; later ends are bounded by the open orders. */
    assert(slot < PENDING_SLOTS);
    if (slot == pending->free) pending->free = row->queue_next;
    else pending->used_slots++;

    memset(row, 0, offsetof(struct row, order)); /* the caller writes the rest */
    row->kind = kind;
    row->batch_first = pending->batch_first;
    if (pending->tail != 0) pending->rows[pending->tail].queue_next = slot;
    else pending->head = slot;
    pending->tail = slot;
    __atomic_store_n(&pending->count, pending->count + 1, __ATOMIC_RELAXED);
    return row;
}

void pending_link(struct pending *pending, struct row *row)
{
    uint32_t *bucket = &pending->buckets[bucket_of_row(row)], slot = (uint32_t)(row - pending->rows);

    row->older = *bucket;
    if (row->older != 0) pending->rows[row->older].newer = slot;
    *bucket = slot;
}

void pending_remove(struct pending *pending, uint32_t count)
{
    for (; count > 0; count--) {
        uint32_t    slot = pending->head;
        struct row *row = &pending->rows[slot];

        assert(slot != 0 && row->kind != 0);
        if (row->newer != 0) pending->rows[row->newer].older = row->older;
        else pending->buckets[bucket_of_row(row)] = row->older;
        if (row->older != 0) pending->rows[row->older].newer = row->newer;

        pending->head = row->queue_next;
        if (pending->head == 0) pending->tail = 0;
        row->kind = 0;
        row->queue_next = pending->free;
        pending->free = slot;
        __atomic_store_n(&pending->count, pending->count - 1, __ATOMIC_RELAXED);
    }
}

const struct row *pending_newest(const struct pending *pending, enum row_kind kind, uint64_t id, uint8_t market)
{
    uint32_t slot = pending->buckets[bucket_of(kind, id, market)];
    return slot == 0 ? NULL : &pending->rows[slot];
}

const struct row *pending_older(const struct pending *pending, const struct row *row)
{
    return row->older == 0 ? NULL : &pending->rows[row->older];
}

/* ---- hashes and effects ---- */

static const struct hash256 *hash_of_row(const struct row *row)
{
    return row->kind == ROW_BLOCK ? &row->block.hash : &row->tx.place.hash;
}

static uint32_t *hash_bucket(const struct pending *pending, const struct hash256 *hash)
{
    uint32_t number;

    memcpy(&number, hash->bytes, sizeof(number));
    return &pending->hashes[number & (PENDING_BUCKETS - 1)];
}

void pending_link_hash(struct pending *pending, struct row *row)
{
    uint32_t *bucket = hash_bucket(pending, hash_of_row(row));

    row->hash_older = *bucket;
    *bucket = (uint32_t)(row - pending->rows);
}

/* A row that can stand behind one of `seq` in a chain of hashes: a transaction or a block, and no newer. */
static bool may_follow(const struct row *row, uint64_t seq)
{
    return (row->kind == ROW_TX || row->kind == ROW_BLOCK) && row->seq <= seq;
}

const struct row *pending_by_hash(const struct pending *pending, enum row_kind kind, const struct hash256 *hash)
{
    const uint32_t *bucket = hash_bucket(pending, hash);
    uint32_t        slot = *bucket;
    uint64_t        seq = UINT64_MAX;

    while (slot != 0 && may_follow(&pending->rows[slot], seq)
           && hash_bucket(pending, hash_of_row(&pending->rows[slot])) == bucket) {
        const struct row *row = &pending->rows[slot];
        if (row->kind == kind && hash256_equal(hash_of_row(row), hash)) return row;
        seq = row->seq;
        slot = row->hash_older;
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
