/* SPDX-License-Identifier: MIT */
#include "history/bars.h"

#include "base/touch.h"
#include "io/files.h"
#include "io/thread.h"

#include <errno.h>
#include <stdlib.h>

#define HEADS_BYTES (BAR_SYMBOLS * sizeof(struct bar_head))
#define RINGS_BYTES ((size_t)BAR_SYMBOLS * INTERVALS * sizeof(struct bar_ring))

int bars_init(struct bars *bars)
{
    pthread_rwlockattr_t kind;

    *bars = (struct bars){ .heads = files_take_memory(HEADS_BYTES), .rings = files_take_memory(RINGS_BYTES) };
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&bars->lock, &kind);
    pthread_rwlockattr_destroy(&kind);
    pthread_mutex_init(&bars->changing, NULL);
    if (bars->heads != NULL && bars->rings != NULL) return 0;
    bars_deinit(bars);
    return ENOMEM;
}

void bars_deinit(struct bars *bars)
{
    files_give_memory(bars->heads, HEADS_BYTES);
    files_give_memory(bars->rings, RINGS_BYTES);
    free(bars->rows);
    pthread_rwlock_destroy(&bars->lock);
    pthread_mutex_destroy(&bars->changing);
    *bars = (struct bars){ 0 };
}

void bars_touch(struct bars *bars, uint32_t spot_count, uint32_t perps_count)
{
    const uint32_t counts[] = { spot_count, perps_count };

    memory_touch(bars->heads, HEADS_BYTES);
    for (uint8_t market = 0; market < ARRAY_COUNT(counts); market++)
        memory_touch(&bars->rings[(size_t)market * SYMBOLS_MAX * INTERVALS],
                     (size_t)counts[market] * INTERVALS * sizeof(struct bar_ring));
}

/* ---- locks of the threads that change them ---- */

static void change_begin(struct bars *bars)
{
    pthread_mutex_lock(&bars->changing);
    pthread_rwlock_wrlock(&bars->lock);
}

static void change_end(struct bars *bars)
{
    pthread_rwlock_unlock(&bars->lock);
    pthread_mutex_unlock(&bars->changing);
}

/* The writer stands back; the folding thread waits for it only while it copies. */
static void writer_begin(struct bars *bars)
{
    thread_ceiling_begin();
    change_begin(bars);
}

static void writer_end(struct bars *bars)
{
    change_end(bars);
    thread_ceiling_end();
}

/* ---- one ring ---- */

uint64_t ring_find(const struct bar_ring *ring, int64_t start_ms)
{
    uint64_t low = ring_oldest(ring), high = ring->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ring_bar(ring, middle)->start_ms < start_ms) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Puts a minute into the bar it belongs to: the last one, or a new one behind it. */
static void ring_add(struct bar_ring *ring, const struct bar *minute, int64_t start_ms)
{
    struct bar *last = ring->count == 0 ? NULL : &ring->at[(ring->count - 1) % BARS_KEPT];

    assert(last == NULL || last->start_ms <= start_ms);
    if (last == NULL || last->start_ms < start_ms) {
        /* Shedding stops trades at BARS_FULL, and a replay writes first, so the bar that goes is on disk. */
        assert(ring->count < BARS_KEPT || ring->count - BARS_KEPT < ring->written);
        ring->at[ring->count % BARS_KEPT] = *minute;
        ring->at[ring->count % BARS_KEPT].start_ms = start_ms;
        ring->count += 1;
        return;
    }
    bar_merge(last, minute);
    ring->changed = min_u64(ring->changed, ring->count - 1);
    ring->written = min_u64(ring->written, ring->count - 1);
}

/* ---- folding ---- */

static void settle(struct bars *bars, uint32_t slot)
{
    struct bar_head       *head = &bars->heads[slot];
    const struct bar_ring *minutes = bars_ring(bars, slot, INTERVAL_1M);

    if (head->open.trades == 0) return;
    for (enum interval i = 0; i < INTERVALS; i++)
        ring_add(bars_ring(bars, slot, i), &head->open, interval_start(i, interval_index(i, head->open.start_ms)));
    head->open.trades = 0;
    uint32_t waiting = (uint32_t)(minutes->count - minutes->written);
    if (waiting > __atomic_load_n(&bars->waiting, __ATOMIC_RELAXED))
        __atomic_store_n(&bars->waiting, waiting, __ATOMIC_RELAXED);
}

/* Trades of one command are in the log's order and times never go
   back, so a bar's first and last are where they should be. */
void bars_trade(struct bars *bars, const struct traded *trade, uint64_t seq)
{
    uint32_t         slot = bars_slot(trade->head.market, trade->symbol_id);
    struct bar_head *head = &bars->heads[slot];
    struct bar       one = {
              .start_ms = trade->time_ms - trade->time_ms % MINUTE_MS,
              .open = trade->price,
              .high = trade->price,
              .low = trade->price,
              .close = trade->price,
              .last_quantity = trade->quantity,
              .volume = (uint128_t)trade->quantity,
              .value = (uint128_t)trade->value,
              .trades = 1,
              .seq = seq,
    };
    uint64_t version = atomic_load_explicit(&head->version, memory_order_relaxed);

    if (seq <= head->skip_seq) return;
    if (!bars->locked) change_begin(bars);
    bars->locked = true;
    if (head->open.trades != 0 && head->open.start_ms != one.start_ms) settle(bars, slot);
    if (head->open.trades == 0) head->open = one;
    else bar_merge(&head->open, &one);
    if (version == 0) head->first_ms = one.start_ms;
    atomic_store_explicit(&head->version, version + 1, memory_order_release);
}

void bars_end(struct bars *bars)
{
    if (!bars->locked) return;
    bars->locked = false;
    change_end(bars);
}

/* ---- loading ---- */

void bars_load(struct bars *bars, uint8_t market, uint32_t symbol_id, enum interval interval, const struct bar *loaded,
               uint32_t count, bool older)
{
    struct bar_ring *ring = bars_ring(bars, bars_slot(market, symbol_id), interval);

    assert(ring->count == 0 && count <= BARS_KEPT);
    memcpy(ring->at, loaded, count * sizeof(*loaded));
    ring->count = ring->changed = ring->written = count;
    ring->older = older;
}

void bars_loaded(struct bars *bars, uint8_t market, uint32_t symbol_id, int64_t first_ms)
{
    uint32_t               slot = bars_slot(market, symbol_id);
    const struct bar_ring *minutes = bars_ring(bars, slot, INTERVAL_1M);
    struct bar_head       *head = &bars->heads[slot];

    assert(minutes->count != 0);
    head->first_ms = first_ms;
    head->skip_seq = ring_bar(minutes, minutes->count - 1)->seq;
    head->seen = 1;
    atomic_store_explicit(&head->version, 1, memory_order_release);
}

/* ---- writing ---- */

static int make_room(struct bars *bars, uint32_t count)
{
    uint32_t        cap = (uint32_t)power_of_two_above(bars->row_count + count);
    struct bar_row *rows;

    if (cap <= bars->row_cap) return 0;
    rows = realloc(bars->rows, cap * sizeof(*rows));
    if (rows == NULL) return ENOMEM;
    bars->rows = rows;
    bars->row_cap = cap;
    return 0;
}

static int take_symbol(struct bars *bars, uint32_t slot)
{
    struct bar_head *head = &bars->heads[slot];
    uint32_t         count = 0;

    settle(bars, slot);
    for (enum interval i = 0; i < INTERVALS; i++)
        count += (uint32_t)(bars_ring(bars, slot, i)->count - bars_ring(bars, slot, i)->changed);
    int error = make_room(bars, count);
    if (error != 0) return error;
    for (enum interval i = 0; i < INTERVALS; i++) {
        struct bar_ring *ring = bars_ring(bars, slot, i);
        for (uint64_t n = ring->changed; n < ring->count; n++)
            bars->rows[bars->row_count++] = (struct bar_row){ (uint8_t)(1 + slot / SYMBOLS_MAX), (uint8_t)i,
                                                              1 + slot % SYMBOLS_MAX, *ring_bar(ring, n) };
        ring->taken = ring->changed;
        ring->changed = ring->count;
    }
    head->seen = atomic_load_explicit(&head->version, memory_order_relaxed);
    head->taken = true;
    return 0;
}

/* One symbol at a time, so that trades never wait for long; one without new trades needs no lock. */
int bars_take(struct bars *bars)
{
    int error = 0;

    bars->row_count = 0;
    for (uint32_t slot = 0; slot < BAR_SYMBOLS && error == 0; slot++) {
        const struct bar_head *head = &bars->heads[slot];
        if (atomic_load_explicit(&head->version, memory_order_acquire) == head->seen) continue;
        writer_begin(bars);
        error = take_symbol(bars, slot);
        writer_end(bars);
    }
    if (error != 0) bars_taken(bars, false);
    return error;
}

/* A bar that was changed after it was taken is below `changed` again, so it counts as not written. */
static void give_back(struct bars *bars, uint32_t slot, bool written)
{
    for (enum interval i = 0; i < INTERVALS; i++) {
        struct bar_ring *ring = bars_ring(bars, slot, i);
        if (written) ring->written = max_u64(ring->written, ring->changed);
        else ring->changed = min_u64(ring->changed, ring->taken);
    }
    if (!written) bars->heads[slot].seen = 0;
    bars->heads[slot].taken = false;
}

void bars_taken(struct bars *bars, bool written)
{
    uint32_t waiting = 0;

    for (uint32_t slot = 0; slot < BAR_SYMBOLS; slot++) {
        const struct bar_ring *minutes = bars_ring(bars, slot, INTERVAL_1M);
        if (!bars->heads[slot].taken) continue;
        writer_begin(bars);
        give_back(bars, slot, written);
        if (minutes->count - minutes->written > waiting) waiting = (uint32_t)(minutes->count - minutes->written);
        writer_end(bars);
    }
    __atomic_store_n(&bars->waiting, waiting, __ATOMIC_RELAXED);
}
