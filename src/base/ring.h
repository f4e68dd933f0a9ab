/* SPDX-License-Identifier: MIT */
/*
 * ring.h — messages from one thread to one other thread, without locks and without allocation.
 *
 * A ring is `cap` bytes (a power of two) of the caller's memory. A message is contiguous, on an 8-byte boundary,
 * behind a word with its length; a message that does not fit before the end leaves a SKIP word there and starts at the
 * beginning.
 *
 *      +------+-----------+------+------+-- … --+------+
 *      | len  | message   | len  | ...  |       | SKIP |        written = bytes ever published
 *      +------+-----------+------+------+-- … --+------+        taken   = bytes ever released
 *
 * Invariants: taken <= written <= filled <= taken + cap; all are multiples of 8. `filled` counts the bytes that the
 * producer has put in, `written` those that it has published. Only the producer stores `written` and `filled`, only
 * the consumer stores `taken`; each has a cache line of its own, with that side's cached copy of the other counter.
 *
 * A ring that is nearly empty most of the time would still walk through all of its memory and evict other data from
 * the cache. So when the ring is empty and RING_WARM bytes behind its start, the producer begins again at the first
 * byte: `base` is the counter value there. It only changes while the consumer has nothing to read, and the consumer
 * learns of it with the `written` that publishes the next message; it works with a copy, since the producer writes to
 * the line of `base` with each message.
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>

#include "base/base.h"

#define RING_SKIP UINT64_MAX
#define RING_WARM 65536 /* bytes that are used again and again while they do */

struct ring {
    uint8_t *at;
    uint64_t cap;
    _Alignas(64) _Atomic uint64_t written;
    uint64_t filled;     /* `written` plus bytes not published yet */
    uint64_t taken_seen; /* producer's last look at `taken` */
    uint64_t base;       /* the count at the ring's first byte */
    _Alignas(64) _Atomic uint64_t taken;
    uint64_t written_seen; /* consumer's last look at `written` */
    uint64_t base_seen;    /* and at `base`: that of all messages up to written_seen */
};

/* Bytes a message of `bytes` uses in the ring. */
static inline uint64_t ring_cost(uint64_t bytes) { return 8 + align_up(bytes, 8); }

/* An empty ring in 8-byte aligned memory; cap is a power of two. Messages may use up to half of it. */
static inline void ring_init(struct ring *ring, void *memory, uint64_t cap)
{
    assert(cap >= 64 && (cap & (cap - 1)) == 0 && (uintptr_t)memory % 8 == 0);
    memset(ring, 0, sizeof(*ring));
    ring->at = memory;
    ring->cap = cap;
}

/* Producer: free bytes. A message may need up to twice its ring_cost. */
static inline uint64_t ring_free(struct ring *ring)
{
    ring->taken_seen = atomic_load_explicit(&ring->taken, memory_order_acquire);
    return ring->cap - (ring->filled - ring->taken_seen);
}

/* Where a count lies, by the side's own `base`. */
static inline uint64_t ring_at(const struct ring *ring, uint64_t count, uint64_t base)
{
    return (count - base) & (ring->cap - 1);
}

/*
 * Producer: room for a message of up to `bytes`, or NULL when there is none now. Nothing is shown to
 * the consumer before ring_show.
 */
static inline void *ring_reserve(struct ring *ring, uint64_t bytes)
{
    uint64_t at, cost = ring_cost(bytes), skip;

    assert(cost <= ring->cap / 2);
    if (ring->filled - ring->base >= RING_WARM && ring_free(ring) == ring->cap) ring->base = ring->filled;
    at = ring_at(ring, ring->filled, ring->base);
    skip = at + cost > ring->cap ? ring->cap - at : 0;
    if (ring->filled + skip + cost - ring->taken_seen > ring->cap && skip + cost > ring_free(ring)) return NULL;
    if (skip != 0) {
        *(uint64_t *)(void *)(ring->at + at) = RING_SKIP;
        ring->filled += skip;
        at = 0;
    }
    return ring->at + at + 8;
}

/* Producer: the message in the last reservation is complete, but not shown; `bytes` at most as reserved. */
static inline void ring_fill(struct ring *ring, uint64_t bytes)
{
    *(uint64_t *)(void *)(ring->at + ring_at(ring, ring->filled, ring->base)) = bytes;
    ring->filled += ring_cost(bytes);
}

/* Producer: shows all messages that are complete. */
static inline void ring_show(struct ring *ring)
{
    atomic_store_explicit(&ring->written, ring->filled, memory_order_release);
}

/* Producer: both at once. */
static inline void ring_commit(struct ring *ring, uint64_t bytes)
{
    ring_fill(ring, bytes);
    ring_show(ring);
}

/* Consumer: the oldest message, or NULL when there is none. It may be changed in place; it stays until ring_next. */
static inline void *ring_peek(struct ring *ring, uint64_t *bytes)
{
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed), at, len;

    for (;;) {
        if (taken == ring->written_seen) {
            ring->written_seen = atomic_load_explicit(&ring->written, memory_order_acquire);
            if (taken == ring->written_seen) return NULL;
            ring->base_seen = ring->base;
        }
        at = ring_at(ring, taken, ring->base_seen);
        len = *(const uint64_t *)(const void *)(ring->at + at);
        if (len != RING_SKIP) break;
        taken += ring->cap - at;
        atomic_store_explicit(&ring->taken, taken, memory_order_release);
    }
    *bytes = len;
    return ring->at + at + 8;
}

/* Consumer: gives the message of the last ring_peek back. */
static inline void ring_next(struct ring *ring)
{
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    uint64_t len = *(const uint64_t *)(const void *)(ring->at + ring_at(ring, taken, ring->base_seen));

    assert(len != RING_SKIP && taken != ring->written_seen);
    atomic_store_explicit(&ring->taken, taken + ring_cost(len), memory_order_release);
}

/* For tests. Consumer: is there nothing? A look at the producer's side, no more. */
static inline bool ring_is_empty(struct ring *ring)
{
    uint64_t bytes;
    return ring_peek(ring, &bytes) == NULL;
}

#endif
