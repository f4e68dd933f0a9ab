/* SPDX-License-Identifier: MIT */
/*
 * stream.h — the streams of one I/O thread: upgraded connections, their subscriptions, and messages to them (wire 6).
 * No sockets and no clock: the owner brings bytes, events and times, and takes frames away.
 *
 * A message of a channel is encoded once and given to all subscribers. A slow subscriber gets fewer market messages
 * (the latest state when there is room again); no account message is ever left out: when one does not fit, the
 * connection is closed with a reason.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "limits/address.h"
#include "stream/event_queue.h"
#include "stream/quota.h"

#define STREAM_MARKET_WAITING  (64 * 1024)   /* bytes that wait for a reader before the market is conflated */
#define STREAM_SHARED          8192          /* longer frames are not shared */
#define STREAM_ACCOUNT_WAITING (1024 * 1024) /* … and before a connection with account data is closed */

struct stream;
struct present;

/* What rules of faults do to a message; of a cut the connection is ended by the owner. */
enum stream_fate { FATE_SEND = 0, FATE_SKIP, FATE_REPEAT, FATE_CUT };
struct stream_about {
    const char           *channel;
    uint8_t               market;
    uint64_t              account_id; /* 0 = of none */
    const struct address *user;       /* NULL likewise */
    uint16_t              code; /* FATE_CUT: set by the owner; of the close frame, 0 = it has ended the connection */
};

struct stream_owner {
    void *self;
    /* Puts whole frames behind what waits for this connection; false,
       and nothing done, when more than `most` bytes wait. */
    bool (*send)(void *self, uint32_t slot, struct slice frames, size_t most);
    /* The same with a frame of at most STREAM_SHARED bytes, which lie where
       they lie until `settle` returns or stream_settled is called. */
    bool (*share)(void *self, uint32_t slot, struct slice frame, size_t most);
    /* Copies what is shared and has not been sent. Calls nothing of the stream. */
    void (*settle)(void *self);
    /* Sends what waits, then ends the connection. */
    void (*finish)(void *self, uint32_t slot);
    /* Asked of each message of a channel to a connection while *settings.faulty; NULL: never. */
    enum stream_fate (*fate)(void *self, uint32_t slot, struct stream_about *about);
};

struct stream_settings {
    struct present      *present; /* of this thread */
    struct stream_quota *quota;   /* NULL = no limits of addresses */
    struct event_queue  *queue;
    struct stream_owner  owner;
    uint32_t             connections; /* slots */
    const bool          *faulty;      /* there may be rules of faults; NULL = never */
};

/* NULL: no memory. */
struct stream *stream_new(const struct stream_settings *settings);
void           stream_free(struct stream *stream);
void           stream_touch(struct stream *stream); /* takes the pages of its pools now; before it is used */

/* Sets the time, before any of the calls below: engine time, and a monotonic clock (ms and whole seconds). */
void stream_clock(struct stream *stream, int64_t engine_ms, int64_t mono_ms);

/* Adds an upgraded connection. False: its address has too many; *refused says of what. */
bool stream_open(struct stream *stream, uint32_t slot, uint8_t market, const struct ip *ip,
                 struct stream_refused *refused) MUST_USE;
void stream_received(struct stream *stream, uint32_t slot, struct slice bytes);
/* Nothing waits for it any more. */
void stream_drained(struct stream *stream, uint32_t slot);
/* Whether stream_drained would send anything. */
bool stream_is_behind(const struct stream *stream);
/* All that was shared has been sent or copied. */
void stream_settled(struct stream *stream);
void stream_closed(struct stream *stream, uint32_t slot);
/* Sends a close frame with this code and reason, and ends the connection. */
void stream_hang_up(struct stream *stream, uint32_t slot, uint16_t code, const char *reason);

/* Has anything been shown since the last turn? One look, for the middle of other work. */
bool stream_is_due(const struct stream *stream);
/*
 * Processes new events: empties the queue and sends to subscribers; of an unfinished batch, the messages made from
 * events.
 */
void stream_turn(struct stream *stream);
/* Called every 100 ms or so: messages at intervals, and silent clients. */
void stream_tick(struct stream *stream);

/* Another state stands where the old one was: what was published is void, and every connection is closed with 1012. */
void stream_begin_anew(struct stream *stream);

/* A glance, from any thread. */
struct stream_counts {
    uint64_t connections, subscriptions, messages, conflations;
};
struct stream_counts stream_counts(const struct stream *stream);

#endif
