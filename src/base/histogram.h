/* SPDX-License-Identifier: MIT */
/*
 * histogram.h — how long things took: counts by powers of two and the halves between them, 256 ns to 17 s.
 *
 *     bound of bucket i = 2^(8 + i/2) ns, and half as much again when i is odd; the last bucket has no bound
 *
 * One thread adds, any thread reads at the same time: each word is written whole, and nothing is locked. A
 * reader may see a count that is newer than the sum beside it, never one that goes back.
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdatomic.h>

#include "base/base.h"

#define HISTOGRAM_FIRST  8  /* power of two of the first bound */
#define HISTOGRAM_BOUNDS 53 /* the last one is 2^34 ns */

/* A number that one thread counts up and any thread may look at. */
typedef _Atomic uint64_t tally;

static inline void tally_add(tally *at, uint64_t more)
{
    atomic_store_explicit(at, atomic_load_explicit(at, memory_order_relaxed) + more, memory_order_relaxed);
}
static inline void     tally_set(tally *at, uint64_t value) { atomic_store_explicit(at, value, memory_order_relaxed); }
static inline uint64_t tally_of(const tally *at) { return atomic_load_explicit(at, memory_order_relaxed); }

struct histogram {
    tally buckets[HISTOGRAM_BOUNDS + 1], sum_ns;
};

/* The upper bound of a bucket in nanoseconds, inclusive. */
static inline uint64_t histogram_bound(uint32_t bucket)
{
    return (UINT64_C(2) + bucket % 2) << (HISTOGRAM_FIRST - 1 + bucket / 2);
}

static inline uint32_t histogram_bucket(uint64_t ns)
{
    uint32_t power, bucket;

    if (ns <= histogram_bound(0)) return 0;
    power = 63 - (uint32_t)__builtin_clzll(ns - 1);
    bucket = 2 * (power - HISTOGRAM_FIRST) + 1 + (uint32_t)((ns - 1) >> (power - 1) & 1);
    return bucket < HISTOGRAM_BOUNDS ? bucket : HISTOGRAM_BOUNDS;
}

/* `count` things took this long each. A clock's tick back counts as no time. */
static inline void histogram_add(struct histogram *histogram, int64_t ns, uint64_t count)
{
    uint64_t took = ns > 0 ? (uint64_t)ns : 0;

    tally_add(&histogram->buckets[histogram_bucket(took)], count);
    tally_add(&histogram->sum_ns, took * count);
}

/* The same for several writers; atomic, so for slow paths only. */
static inline void histogram_add_shared(struct histogram *histogram, int64_t ns)
{
    uint64_t took = ns > 0 ? (uint64_t)ns : 0;

    atomic_fetch_add_explicit(&histogram->buckets[histogram_bucket(took)], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_ns, took, memory_order_relaxed);
}

/* Several histograms as one, for a reader. */
struct histogram_sum {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1], sum_ns;
};

static inline void histogram_sum_add(struct histogram_sum *sum, const struct histogram *histogram)
{
    for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) sum->buckets[i] += tally_of(&histogram->buckets[i]);
    sum->sum_ns += tally_of(&histogram->sum_ns);
}

#endif
