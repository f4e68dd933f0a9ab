/* SPDX-License-Identifier: MIT */
/*
 * feed.h — from the thread of the engine to an I/O thread: that something has happened, and of the events those
 * that somebody listens to. One feed per I/O thread; while nobody subscribes it costs one look per batch.
 *
 * The producer adds after the views have been folded, so whoever subscribes and then reads the views misses
 * nothing: what the views did not show yet comes through the feed. What does not fit is not waited for: the feed
 * says that it lost something, and its reader starts over from the views.
 */
#ifndef STREAM_FEED_H
#define STREAM_FEED_H

#include "base/ring.h"
#include "model/events.h"

#define FEED_BYTES (8 * 1024 * 1024)
#define FEED_PART  (64 * 1024)

/* What a reader wants: bits. */
enum feed_wants { FEED_TURNS = 1, FEED_TRADES = 2, FEED_ACCOUNTS = 4 };

struct stream_feed {
    _Alignas(64) _Atomic uint32_t wants;
    _Atomic uint32_t              lost;     /* 1: something did not fit; the reader takes it back */
    _Atomic uint32_t              shown;    /* how often something was shown                      */
    _Atomic uint32_t              turns;    /* … and a batch was at its end                       */
    _Alignas(64) struct ring      ring;
};

/* The head of a message; events follow. A batch is one message or several, the last of which says so. */
struct stream_part { uint64_t height; int64_t time_ms; uint32_t bytes, last; };

/* `memory`: FEED_BYTES bytes. */
void stream_feed_init(struct stream_feed *feed, void *memory);

/* Producer: adds what is wanted of `events`, part of the batch that becomes block `height` at `time_ms`. */
void stream_feed_add(struct stream_feed *feed, const struct events *events, uint64_t height, int64_t time_ms, bool last);

/* Producer: shows it; true when the reader should be woken. `whole`: the batch has ended, and the views may be read. */
bool stream_feed_show(struct stream_feed *feed, bool whole);

/* All feeds of a process, for the producer. */
struct stream_feeds {
    struct stream_feed **feeds;
    uint32_t      count;
    void        (*wake)(void *self, uint32_t index);
    void         *self;
};
void stream_feeds_add(const struct stream_feeds *feeds, const struct events *events, uint64_t height, int64_t time_ms, bool last);
void stream_feeds_show(const struct stream_feeds *feeds, bool whole);
/* Does anybody listen to events, and not only to how the views change? */
bool stream_feeds_want_events(const struct stream_feeds *feeds);

#endif
