/* SPDX-License-Identifier: MIT */
/*
 * event_queue.h — from the thread of the engine to an I/O thread: that something has happened, and of the events those
 * that somebody listens to. One feed per I/O thread; while nobody subscribes it costs one look per batch.
 *
 * The producer adds after the views have been folded, so whoever subscribes and then reads the views misses
 * nothing: what the views did not show yet comes through the feed. What does not fit is not waited for: the feed
 * says that it lost something, and its reader starts over from the views.
 */
#ifndef STREAM_EVENT_QUEUE_H
#define STREAM_EVENT_QUEUE_H

#include "base/ring.h"
#include "model/events.h"

#define EVENT_QUEUE_BYTES (8 * 1024 * 1024)
#define EVENT_QUEUE_PART  (64 * 1024)

/* What a reader wants: bits. */
enum event_queue_wants { WANT_TURNS = 1, WANT_TRADES = 2, WANT_ACCOUNTS = 4 };

struct event_queue {
    _Alignas(64) _Atomic uint32_t wants;
    _Atomic uint32_t lost;  /* 1: something did not fit; the reader takes it back */
    _Atomic uint32_t shown; /* how often something was shown */
    _Atomic uint32_t turns; /* … and a batch was at its end */
    _Alignas(64) struct ring ring;
};

/* The head of a message; events follow. A batch is one message or several, the last of which says so. */
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
/* Does anybody listen to events, and not only to how the views change? */
bool event_queues_want_events(const struct event_queues *queues);

#endif
