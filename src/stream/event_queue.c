/* SPDX-License-Identifier: MIT */
#include "stream/event_queue.h"

void event_queue_init(struct event_queue *queue, void *memory)
{
    memset(queue, 0, sizeof(*queue));
    ring_init(&queue->ring, memory, EVENT_QUEUE_BYTES);
}

/* The events that a reader with these wants gets. */
static bool is_wanted(uint32_t wants, uint16_t kind)
{
    switch (kind) {
    case EVENT_TRADE: return (wants & (WANT_TRADES | WANT_ACCOUNTS)) != 0;
    case EVENT_ORDER:
    case EVENT_FILL:
    case EVENT_BALANCE:
    case EVENT_ACCOUNT:
    case EVENT_PERPS_ORDER:
    case EVENT_POSITION:
    case EVENT_LEVERAGE:
    case EVENT_FUNDING:
    case EVENT_UNIT:
    case EVENT_UNIT_POSITION: return (wants & WANT_ACCOUNTS) != 0;
    default: return false;
    }
}

static struct event_queue_part *begin_part(struct event_queue *queue)
{
    struct event_queue_part *part = NULL;

    if (atomic_load_explicit(&queue->lost, memory_order_relaxed) == 0)
        part = ring_reserve(&queue->ring, EVENT_QUEUE_PART);
    if (part == NULL) atomic_store_explicit(&queue->lost, 1, memory_order_release);
    return part;
}

static void end_part(struct event_queue *queue, struct event_queue_part *part, uint64_t height, int64_t time_ms,
                     bool last, uint32_t bytes)
{
    *part = (struct event_queue_part){ height, time_ms, bytes, last };
    ring_fill(&queue->ring, sizeof(*part) + bytes);
}

void event_queue_add(struct event_queue *queue, const struct events *events, uint64_t height, int64_t time_ms,
                     bool last)
{
    uint32_t                 wants = atomic_load_explicit(&queue->wants, memory_order_acquire), bytes = 0;
    struct event_queue_part *part = NULL;

    if ((wants & (WANT_TRADES | WANT_ACCOUNTS)) == 0) return;
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (!is_wanted(wants, event->kind)) continue;
        if (part != NULL && sizeof(*part) + bytes + event->bytes > EVENT_QUEUE_PART) {
            end_part(queue, part, height, time_ms, false, bytes);
            part = NULL;
        }
        if (part == NULL) {
            part = begin_part(queue);
            bytes = 0;
        }
        if (part == NULL) return;
        memcpy((uint8_t *)(part + 1) + bytes, event, event->bytes);
        bytes += event->bytes;
    }
    if (part == NULL && last) {
        part = begin_part(queue); /* end of the batch, whatever its earlier parts had */
        bytes = 0;
    }
    if (part != NULL) end_part(queue, part, height, time_ms, last, bytes);
}

static bool wants_events(const struct event_queue *queue)
{
    return (atomic_load_explicit(&queue->wants, memory_order_acquire) & (WANT_TRADES | WANT_ACCOUNTS)) != 0;
}

bool event_queue_show(struct event_queue *queue, bool whole)
{
    if (atomic_load_explicit(&queue->wants, memory_order_acquire) == 0 || (!whole && !wants_events(queue)))
        return false;
    ring_show(&queue->ring);
    if (whole)
        atomic_store_explicit(&queue->turns, atomic_load_explicit(&queue->turns, memory_order_relaxed) + 1,
                              memory_order_release);
    atomic_store_explicit(&queue->shown, atomic_load_explicit(&queue->shown, memory_order_relaxed) + 1,
                          memory_order_release);
    return true;
}

void event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height, int64_t time_ms,
                      bool last)
{
    for (uint32_t i = 0; i < queues->count; i++) event_queue_add(queues->queues[i], events, height, time_ms, last);
}

bool event_queues_want_events(const struct event_queues *queues)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if (wants_events(queues->queues[i])) return true;
    return false;
}

void event_queues_show(const struct event_queues *queues, bool whole)
{
    for (uint32_t i = 0; i < queues->count; i++)
        if (event_queue_show(queues->queues[i], whole)) queues->wake(queues->self, i);
}
