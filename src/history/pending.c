/* SPDX-License-Identifier: MIT */
#include "history/pending.h"

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
    if (pending->rows == NULL || pending->buckets == NULL) {
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
}

/* Spreads ids that are close together; no meaning beyond that. */
static uint32_t bucket_of(uint32_t kind, uint64_t id, uint8_t market)
{
    uint64_t x = (id << 4 | (uint64_t)market << 2 | kind) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(x >> 44) & (PENDING_BUCKETS - 1);
}

static uint32_t bucket_of_row(const struct row *row)
{
    if (row->kind == ROW_ORDER) return bucket_of(ROW_ORDER, row->order.account_id, row->order.head.market);
    if (row->kind == ROW_FILL) return bucket_of(ROW_FILL, row->fill.account_id, row->fill.head.market);
    return bucket_of(ROW_TX, row->tx.seq, 0);
}

struct row *pending_add(struct pending *pending, enum row_kind kind)
{
    uint32_t slot = pending->free != 0 ? pending->free : pending->used_slots;
    struct row *row = &pending->rows[slot];

    /* Shedding stops new orders at PENDING_FULL; what ends after that is bounded by the open orders. */
    assert(slot < PENDING_SLOTS);
    if (slot == pending->free) pending->free = row->queue_next;
    else pending->used_slots++;

    memset(row, 0, sizeof(*row));
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
        uint32_t slot = pending->head;
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
