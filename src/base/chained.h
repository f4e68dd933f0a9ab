/* SPDX-License-Identifier: MIT */
/*
 * chained.h — a hash table of rows that stand in a pool of the caller: chains of rows with a hash in common, a list of
 * free rows, and lists of rows in the order of their last use.
 *
 *     chain         head ──▶ row ──▶ row             the row that was added last comes first
 *     order of use  newest ⇄ row ⇄ row ⇄ oldest      one for the table or one for each part of it
 *
 * Rows are numbered from 1; 0 means none. The caller supplies the memory of heads and rows, zeroed, and hashes the
 * keys: by siphash13 under a secret seed where strangers choose them. The table neither grows nor evicts: when there is
 * no free row, the caller takes the oldest one that it can do without.
 *
 * chained_add publishes a row after its link. Where no row is removed, other threads may search without a lock.
 */
#ifndef BASE_CHAINED_H
#define BASE_CHAINED_H

#include "base/base.h"

/* A row that is in no order of use has only `next`. */
struct row_links {
    uint32_t next;         /* in its chain, or of the free rows */
    uint32_t newer, older; /* in its order of use               */
};

struct chained {
    uint32_t *heads;
    uint32_t  mask;     /* number of heads - 1; they are a power of two        */
    uint32_t  capacity; /* rows                                                */
    uint32_t  used;     /* the highest row that was ever taken                 */
    uint32_t  free;     /* the row that was given back last; `next` links them */
    size_t    stride;   /* bytes from a row to the next one                    */
    uint8_t  *links;    /* of row 0                                            */
};

/* A table of the rows in the array `rows`, whose member `link` is a struct row_links or its `next` alone. */
#define CHAINED(heads_at, heads_mask, rows, link, row_capacity)                                                        \
    ((struct chained){ .heads = (heads_at),                                                                            \
                       .mask = (heads_mask),                                                                           \
                       .capacity = (row_capacity),                                                                     \
                       .stride = sizeof(*(rows)),                                                                      \
                       .links = (uint8_t *)(rows) + offsetof(__typeof__(*(rows)), link) })

/* How many heads a table of that many rows has: at least one for each. */
static inline uint32_t chained_heads(uint32_t rows) { return (uint32_t)power_of_two_above(rows); }

/* ---- chains ---- */

static inline uint32_t *chained_next_of(const struct chained *table, uint32_t ix)
{
    return (uint32_t *)(void *)(table->links + ix * table->stride);
}

static inline uint32_t *chained_head(const struct chained *table, uint64_t hash)
{
    return &table->heads[hash & table->mask];
}

static inline uint32_t chained_first(const struct chained *table, uint64_t hash)
{
    return __atomic_load_n(chained_head(table, hash), __ATOMIC_ACQUIRE);
}

static inline uint32_t chained_next(const struct chained *table, uint32_t ix)
{
    return __atomic_load_n(chained_next_of(table, ix), __ATOMIC_ACQUIRE);
}

/* All rows in the chain of a hash; rows of other hashes may be among them. */
#define CHAINED_EACH(ix, table, hash)                                                                                  \
    for (uint32_t ix = chained_first((table), (hash)); ix != 0; ix = chained_next((table), ix))

static inline void chained_add(const struct chained *table, uint64_t hash, uint32_t ix)
{
    uint32_t *head = chained_head(table, hash);

    assert(ix != 0);
    *chained_next_of(table, ix) = *head;
    __atomic_store_n(head, ix, __ATOMIC_RELEASE);
}

/* The row must be in the chain of the hash. */
static inline void chained_remove(const struct chained *table, uint64_t hash, uint32_t ix)
{
    uint32_t *link = chained_head(table, hash);

    while (*link != ix) {
        assert(*link != 0);
        link = chained_next_of(table, *link);
    }
    *link = *chained_next_of(table, ix);
}

/* ---- free rows ---- */

/* A row that is in no chain, with whatever it held last; or 0: all are taken. */
static inline uint32_t chained_take(struct chained *table)
{
    uint32_t ix = table->free;

    if (ix == 0) return table->used < table->capacity ? ++table->used : 0;
    table->free = *chained_next_of(table, ix);
    return ix;
}

/* The row must be in no chain. */
static inline void chained_give(struct chained *table, uint32_t ix)
{
    assert(ix != 0 && ix <= table->used);
    *chained_next_of(table, ix) = table->free;
    table->free = ix;
}

/* ---- order of use ---- */

struct use_order {
    uint32_t newest, oldest;
};

static inline struct row_links *chained_links(const struct chained *table, uint32_t ix)
{
    return (struct row_links *)(void *)(table->links + ix * table->stride);
}

/* The row becomes the newest one. It must not be in the order. */
static inline void use_order_add(struct use_order *order, const struct chained *table, uint32_t ix)
{
    struct row_links *links = chained_links(table, ix);

    links->newer = 0;
    links->older = order->newest;
    if (order->newest != 0) chained_links(table, order->newest)->newer = ix;
    else order->oldest = ix;
    order->newest = ix;
}

/* The row must be in the order. */
static inline void use_order_remove(struct use_order *order, const struct chained *table, uint32_t ix)
{
    const struct row_links *links = chained_links(table, ix);

    if (links->newer != 0) chained_links(table, links->newer)->older = links->older;
    else order->newest = links->older;
    if (links->older != 0) chained_links(table, links->older)->newer = links->newer;
    else order->oldest = links->newer;
}

#endif
