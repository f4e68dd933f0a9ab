/* SPDX-License-Identifier: MIT */
/*
 * chained.h — a hash table of rows that stand in a pool of the caller: chains of rows with a hash in common, a list of
 * free rows, and lists of rows in the order of their last use.
 *
 *     chain         head ──▶ row ──▶ row             the row that was added last comes first
 *     order of use  newest ⇄ row ⇄ row ⇄ oldest      one for the table or one for each part of it
 *
 * Rows are numbered from 1; 0 means none. Heads and rows are zeroed memory of the caller. The table neither grows nor
 * evicts: when there is no free row, the caller takes the oldest one that it can do without. Where no row is removed,
 * other threads may search without a lock: a row is published after its link.
 */
#ifndef BASE_CHAINED_H
#define BASE_CHAINED_H

#include "base/siphash.h"

/* A row that is in no order of use has only `next`. */
struct row_links {
    uint32_t next;         /* in its chain, or of the free rows */
    uint32_t newer, older; /* in its order of use */
};

struct chained {
    uint32_t *heads, mask;        /* number of heads - 1; they are a power of two */
    uint32_t  capacity;           /* rows */
    uint32_t  used;               /* the highest row that was ever taken */
    uint32_t  free;               /* the row that was given back last */
    uint32_t  stride, links, key; /* bytes: from a row to the next one, before its links, of the key that begins it */
    uint8_t  *rows;
    uint64_t  seed[2]; /* of siphash13: keys may be chosen by strangers */
};

/* A table of the rows in an array whose member `link` is a struct row_links or its `next` alone; then .key, .seed. */
#define CHAINED(heads_at, heads_mask, array, link, row_capacity, ...)                                                  \
    ((struct chained){ (heads_at), (heads_mask), (row_capacity), .stride = sizeof(*(array)),                           \
                       .links = offsetof(__typeof__(*(array)), link), .rows = (uint8_t *)(array), __VA_ARGS__ })

/* How many heads a table of that many rows has: at least one for each. */
static inline uint32_t chained_heads(uint32_t rows) { return (uint32_t)power_of_two_above(rows); }

/* A block of heads and rows, and its two parts. */
static inline size_t chained_head_bytes(uint32_t heads) { return align_up(heads * sizeof(uint32_t), 64); }
static inline size_t chained_bytes(uint32_t heads, uint32_t rows, size_t row_bytes)
{
    return chained_head_bytes(heads) + align_up(((size_t)rows + 1) * row_bytes, 64);
}

static inline struct row_links *chained_links(const struct chained *table, uint32_t ix)
{
    return (void *)(table->rows + (size_t)ix * table->stride + table->links);
}

/* ---- chains ---- */

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
    return __atomic_load_n(&chained_links(table, ix)->next, __ATOMIC_ACQUIRE);
}

/* All rows in the chain of a hash; rows of other hashes may be among them. */
#define CHAINED_EACH(ix, table, hash)                                                                                  \
    for (uint32_t ix = chained_first((table), (hash)); ix != 0; ix = chained_next((table), ix))

static inline void chained_add(const struct chained *table, uint64_t hash, uint32_t ix)
{
    uint32_t *head = chained_head(table, hash);

    assert(ix != 0);
    chained_links(table, ix)->next = *head;
    __atomic_store_n(head, ix, __ATOMIC_RELEASE);
}

/* The row must be in the chain of the hash. */
static inline void chained_remove(const struct chained *table, uint64_t hash, uint32_t ix)
{
    uint32_t *link = chained_head(table, hash);

    for (; *link != ix; link = &chained_links(table, *link)->next) assert(*link != 0);
    *link = chained_links(table, ix)->next;
}

/* ---- free rows ---- */

/* A row that is in no chain, with whatever it held last; or 0: all are taken. */
static inline uint32_t chained_take(struct chained *table)
{
    uint32_t ix = table->free;

    if (ix == 0) return table->used < table->capacity ? ++table->used : 0;
    table->free = chained_links(table, ix)->next;
    return ix;
}

/* The row must be in no chain. */
static inline void chained_give(struct chained *table, uint32_t ix)
{
    assert(ix != 0 && ix <= table->used);
    chained_links(table, ix)->next = table->free;
    table->free = ix;
}

/* ---- rows that begin with their key ---- */

static inline uint64_t chained_hash(const struct chained *table, const void *key)
{
    return siphash13(table->seed, key, table->key);
}

static inline void *chained_row(const struct chained *table, uint32_t ix)
{
    return table->rows + (size_t)ix * table->stride;
}

/* The row of a key, or 0; `hash` is its chained_hash. */
static inline uint32_t chained_find(const struct chained *table, uint64_t hash, const void *key)
{
    CHAINED_EACH(ix, table, hash)
        if (memcmp(chained_row(table, ix), key, table->key) == 0) return ix;
    return 0;
}

/* Gives a row to a key that has none: all else in it is zero. */
static inline void chained_assign(const struct chained *table, uint64_t hash, uint32_t ix, const void *key)
{
    memset(chained_row(table, ix), 0, table->stride);
    memcpy(chained_row(table, ix), key, table->key);
    chained_add(table, hash, ix);
}

/* The row of a key, where it has none a free one; 0: there is none. */
static inline uint32_t chained_find_or_take(struct chained *table, const void *key)
{
    uint64_t hash = chained_hash(table, key);
    uint32_t ix = chained_find(table, hash, key);

    if (ix != 0 || (ix = chained_take(table)) == 0) return ix;
    chained_assign(table, hash, ix, key);
    return ix;
}

/* Takes the row away from its key; it is the caller's, as from chained_take. */
static inline void chained_detach(const struct chained *table, uint32_t ix)
{
    chained_remove(table, chained_hash(table, chained_row(table, ix)), ix);
}

/* … and gives it back. */
static inline void chained_drop(struct chained *table, uint32_t ix)
{
    chained_detach(table, ix);
    chained_give(table, ix);
}

/* ---- order of use ---- */

struct use_order {
    uint32_t newest, oldest;
};

/* The row becomes the newest one. It must not be in the order. */
static inline void use_order_add(struct use_order *order, const struct chained *table, uint32_t ix)
{
    struct row_links *links = chained_links(table, ix);

    links->newer = 0;
    links->older = order->newest;
    *(order->newest != 0 ? &chained_links(table, order->newest)->newer : &order->oldest) = ix;
    order->newest = ix;
}

/* The row must be in the order. */
static inline void use_order_remove(struct use_order *order, const struct chained *table, uint32_t ix)
{
    const struct row_links *links = chained_links(table, ix);

    *(links->newer != 0 ? &chained_links(table, links->newer)->older : &order->newest) = links->older;
    *(links->older != 0 ? &chained_links(table, links->older)->newer : &order->oldest) = links->newer;
}

/* A row of the order becomes its newest one. */
static inline void use_order_renew(struct use_order *order, const struct chained *table, uint32_t ix)
{
    use_order_remove(order, table, ix);
    use_order_add(order, table, ix);
}

#endif
