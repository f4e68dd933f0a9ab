/* SPDX-License-Identifier: MIT */
/*
 * queue.h — the adapters' own queue of reports, from one thread to one other. It lends itself to the benchmark as a
 * transport: a program that asks for engine_get_transport carries the reports through it.
 *
 * The writer shows its reports QUEUE_BATCH at a time, or at a flush, so that the line with their number does not go
 * back and forth between the two cores with every report. Reports are written past the caches: the other core reads
 * each of them once and this one none.
 */
#ifndef FLASH1_QUEUE_H
#define FLASH1_QUEUE_H

#include "abi.h"

#include <stdbool.h>
#include <stddef.h>

#define QUEUE_BATCH 128

struct queue {
    struct flash1_report *at;
    uint64_t              mask;    /* of a place: there are mask + 1, a power of two */
    _Alignas(64) uint64_t written; /* reports so far, shown or not; the writer's alone */
    uint64_t end;                  /* of what may be written, as far as the writer knows */
    _Alignas(64) uint64_t shown;   /* by the writer */
    _Alignas(64) uint64_t taken;   /* by the reader */
};

/* Shows the reader all that was written. */
static inline void queue_flush(struct queue *queue)
{
    __builtin_ia32_sfence(); /* the reports before their number */
    __atomic_store_n(&queue->shown, queue->written, __ATOMIC_RELEASE);
}

/* Whether there is room for one more report; shows the rest when there is none. */
static inline bool queue_has_room(struct queue *queue)
{
    if (__builtin_expect(queue->written != queue->end, 1)) return true;
    queue->end = __atomic_load_n(&queue->taken, __ATOMIC_ACQUIRE) + queue->mask + 1;
    if (queue->written != queue->end) return true;
    queue_flush(queue);
    return false;
}

static inline void queue_write(struct flash1_report *place, size_t word, uint64_t value)
{
    __builtin_ia32_movnti64((long long *)(void *)place + word, (long long)value);
}

/* Writes one report, word by word, so that it need not be made in memory first; there is room. */
static inline void queue_put(struct queue *queue, uint8_t type, uint8_t side, uint64_t sequence, uint64_t id,
                             int64_t price, uint32_t quantity, uint64_t maker, uint64_t taker)
{
    struct flash1_report *place = &queue->at[queue->written & queue->mask];

    queue_write(place, 0, (uint64_t)type | (uint64_t)side << 8);
    queue_write(place, 1, sequence);
    queue_write(place, 2, id);
    queue_write(place, 3, (uint64_t)price);
    queue_write(place, 4, quantity);
    queue_write(place, 5, maker);
    queue_write(place, 6, taker);
    queue_write(place, 7, 0);
    if (++queue->written % QUEUE_BATCH == 0) queue_flush(queue);
}

extern const struct flash1_transport queue_transport;

#endif
