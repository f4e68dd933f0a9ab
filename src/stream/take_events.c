/* SPDX-License-Identifier: MIT */
/* take_events.c — what happened: the events of the queue, batch by batch, to the topics that they are of. */
#include "stream/inside.h"

static void take_part(struct stream *stream, const struct event_queue_part *part)
{
    struct events events = { (uint8_t *)(uintptr_t)(part + 1), part->bytes, part->bytes };

    stream->height = part->height;
    stream->block_ms = part->time_ms;
    trades_take(stream, &events);
    if (stream->want_counts[2] == 0) return;
    for (const struct event *event = events_first(&events); event != NULL; event = events_next(&events, event))
        account_publish(stream, event);
    if (part->last) account_end(stream);
}

void stream_take_events(struct stream *stream)
{
    struct event_queue *queue = stream->settings.queue;
    void               *part;
    uint64_t            bytes;

    for (; (part = ring_peek(&queue->ring, &bytes)) != NULL; ring_next(&queue->ring)) take_part(stream, part);
    trades_publish(stream);
    if (atomic_exchange_explicit(&queue->lost, 0, memory_order_acq_rel) != 0) {
        trades_lost(stream);
        account_lost(stream);
        stream->change_count = stream->fill_count = 0; /* of a batch whose end may never come */
        stream->unit_open = false;
    }
}
