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

#define QUEUE_BATCH 32

struct queue {
    struct flash1_report *at;
    uint64_t              mask;    /* of a place: there are mask + 1, a power of two */
    uint64_t              written; /* reports so far, shown or not */
    uint64_t              end;     /* of what may be written, as far as the writer knows */
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

/* Writes one report; there is room. */
static inline void queue_put(struct queue *queue, const struct flash1_report *report)
{
    struct flash1_report *place = &queue->at[queue->written & queue->mask];

    queue_write(place, 0, (uint64_t)report->type | (uint64_t)report->side << 8);
    queue_write(place, 1, report->sequence);
    queue_write(place, 2, report->id);
    queue_write(place, 3, (uint64_t)report->price);
    queue_write(place, 4, report->quantity);
    queue_write(place, 5, report->maker);
    queue_write(place, 6, report->taker);
    queue_write(place, 7, 0);
    if (++queue->written % QUEUE_BATCH == 0) queue_flush(queue);
}

extern const struct flash1_transport queue_transport;

#endif
