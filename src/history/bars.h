/* SPDX-License-Identifier: MIT */
/*
 * bars.h — the newest bars of every symbol and interval in memory, and which of them are not on disk yet. Private to
 * this room.
 *
 * A trade costs one bar: it goes into the symbol's open minute. When another minute begins, or the writer runs, the
 * open minute is settled: merged into the last bar of each interval's ring.
 *
 *     trade ──▶ open minute ──▶ rings, one per interval ──▶ table `bars` on disk
 *
 *     ring   number of a bar:   0 … oldest … written … changed … count
 *                               on disk only │ on disk, in memory │ given to the writer │ to be written
 *
 * Each bar carries the number of the last command in it. All bars of a symbol are written in one transaction, so the
 * newest one-minute bar on disk tells which trades its symbol's bars contain: after a start the replay skips trades up
 * to that number, and none is counted twice.
 *
 * One thread folds (bars_trade between bars_begin and bars_end), one writes, any read.
 */
#ifndef HISTORY_BARS_H
#define HISTORY_BARS_H

#include "history/history.h"

#include <pthread.h>
#include <stdatomic.h>

#define BARS_KEPT 2048 /* per ring: the longest answer, the bar before it, and bars that wait for the writer */
#define BARS_FULL 256  /* minutes that are not on disk: from here on new risk is shed (ruling 51) */
static_assert(BARS_KEPT > HISTORY_BARS_MAX + BARS_FULL + 1, "an answer of the newest bars needs no disk");

#define BAR_SYMBOLS (2 * SYMBOLS_MAX)

struct bar_ring {
    uint64_t   count;   /* bars ever; bar n is at[n % BARS_KEPT] */
    uint64_t   changed; /* bars from this one on are not in the writer's hands */
    uint64_t   written; /* bars before this one are on disk as they are here */
    uint64_t   taken;   /* where the writer's bars begin */
    bool       older;   /* the disk had more than was loaded */
    struct bar at[BARS_KEPT];
};

struct bar_head {
    _Atomic uint64_t version;  /* counts trades; 0 = none ever */
    int64_t          first_ms; /* the minute of the first trade; never changes */
    uint64_t         skip_seq; /* commands up to here are in the bars that were loaded */
    uint64_t         seen;     /* the writer's alone: the version that it has taken, or that was loaded */
    bool             taken;    /* the writer's alone: it has bars of it in its hands */
    struct bar       open;     /* trades of one minute that are in no ring yet */
};

/* A bar on its way to the disk. */
struct bar_row {
    uint8_t    market, interval;
    uint32_t   symbol_id;
    struct bar bar;
};

struct bars {
    pthread_mutex_t
        changing; /* taken before `lock` by a thread that changes bars; the next one sleeps (decision 167) */
    pthread_rwlock_t lock;
    struct bar_head *heads;   /* BAR_SYMBOLS */
    struct bar_ring *rings;   /* INTERVALS per symbol; address space until touched */
    uint32_t         waiting; /* atomic: most minutes of a symbol that are not on disk */
    bool             locked;  /* by the folding thread */
    struct bar_row  *rows;    /* the writer's */
    uint32_t         row_count, row_cap;
};

int  bars_init(struct bars *bars) MUST_USE;
void bars_deinit(struct bars *bars);
void bars_touch(struct bars *bars, uint32_t spot_count, uint32_t perps_count); /* the rings of so many symbols */

static inline uint32_t bars_slot(uint8_t market, uint32_t symbol_id)
{
    assert(market >= 1 && market <= 2 && symbol_id >= 1 && symbol_id <= SYMBOLS_MAX);
    return (uint32_t)(market - 1) * SYMBOLS_MAX + symbol_id - 1;
}
static inline struct bar_ring *bars_ring(const struct bars *bars, uint32_t slot, enum interval interval)
{
    return &bars->rings[(size_t)slot * INTERVALS + interval];
}
static inline uint64_t ring_oldest(const struct bar_ring *ring)
{
    return ring->count > BARS_KEPT ? ring->count - BARS_KEPT : 0;
}
static inline const struct bar *ring_bar(const struct bar_ring *ring, uint64_t number)
{
    return &ring->at[number % BARS_KEPT];
}

/* The first bar that does not begin before `start_ms`; ring->count when there is none. */
uint64_t ring_find(const struct bar_ring *ring, int64_t start_ms);

/* ---- folding ---- */
void bars_trade(struct bars *bars, const struct traded *trade, uint64_t seq);
void bars_end(struct bars *bars); /* lets readers in; fine when there was no trade */

/* ---- loading: bars ascending, at most BARS_KEPT; `older`: the disk has more ---- */
void bars_load(struct bars *bars, uint8_t market, uint32_t symbol_id, enum interval interval, const struct bar *loaded,
               uint32_t count, bool older);
void bars_loaded(struct bars *bars, uint8_t market, uint32_t symbol_id, int64_t first_ms);

/* ---- writing ---- */
/* Copies changed bars into bars->rows; the second call reports whether they reached the disk. 0 or errno. */
int  bars_take(struct bars *bars) MUST_USE;
void bars_taken(struct bars *bars, bool written);

#endif
