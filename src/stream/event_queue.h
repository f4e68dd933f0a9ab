/* SPDX-License-Identifier: MIT */
/*
 * event_queue.h — from the engine's thread to an I/O thread: notice of a batch, and those of its events that a
 * subscriber wants. One queue per I/O thread; without subscribers it costs one load per batch.
 *
 * The producer adds after the views have been folded, so a client that subscribes and then reads the views misses
 * nothing: anything that the views did not contain yet comes through the queue. Overflow never blocks: the queue
 * records a loss, and its reader starts over from the views.
 */
#ifndef STREAM_EVENT_QUEUE_H
#define STREAM_EVENT_QUEUE_H

#include "base/ring.h"
#include "model/events.h"

#define EVENT_QUEUE_BYTES (8 * 1024 * 1024)
#define EVENT_QUEUE_PART  (64 * 1024)

/* The wants of a reader: bits. */
enum event_queue_wants { WANT_TURNS = 1, WANT_TRADES = 2, WANT_ACCOUNTS = 4 };

struct event_queue {
    _Alignas(64) _Atomic uint32_t wants;
    _Atomic uint32_t lost;  /* 1: something did not fit; the reader takes it back */
    _Atomic uint32_t shown; /* how often something was shown */
    _Atomic uint32_t turns; /* … and a batch was at its end */
    _Alignas(64) struct ring ring;
};

/* The head of a message; events follow. A batch is one message or several, the last of which is marked. */
struct event_queue_part {
    uint64_t height;
    int64_t  time_ms;
    uint32_t bytes, last;
};

/* `memory`: EVENT_QUEUE_BYTES bytes. */
void event_queue_init(struct event_queue *queue, void *memory);

/* Producer: adds what is wanted of `events`, part of the batch that becomes block `height` at `time_ms`. */
void event_queue_add(struct event_queue *queue, const struct events *events, uint64_t height, int64_t time_ms,
                     bool last);

/* Producer: shows it; true when the reader should be woken. `whole`: the batch has ended, and the views may be read. */
bool event_queue_show(struct event_queue *queue, bool whole);

/* All feeds of a process, for the producer. */
struct event_queues {
    struct event_queue **queues;
    uint32_t             count;
    void (*wake)(void *self, uint32_t index);
    void *self;
};
void event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height, int64_t time_ms,
                      bool last);
void event_queues_show(const struct event_queues *queues, bool whole);
/* Whether a reader wants events, and not only changes of the views. */
bool event_queues_want_events(const struct event_queues *queues);

#endif
