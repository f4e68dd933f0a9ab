/* SPDX-License-Identifier: MIT */
/*
 * gateway.h — connections, and the order in which they are served. One gateway per I/O thread: bytes go through wire
 * and api; an answer is written, a command goes into the ring to the sequencer, and its reply comes back through the
 * other ring. The room contains no rule of trading.
 *
 * Answers leave a connection in the order of its requests. Up to 16 writes are in flight; a read that was sent behind
 * them waits for their replies, and an answer that is ready before them is held.
 */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include <stdatomic.h>

#include "api/api.h"
#include "base/ring.h"
#include "io/net.h"
#include "io/thread.h"
#include "gateway/counters.h"
#include "gateway/engine_clock.h"
#include "gateway/hold.h"
#include "gateway/leader_url.h"
#include "stream/stream.h"

#define PIPELINE_MAX 16    /* writes in flight per connection (process 1) */
#define HEADER_MS    5000  /* from the first byte of a request */
#define BODY_MS      10000 /* likewise */
#define FIRST_MS     10000 /* from the connection to its first request (ruling 76) */
#define IDLE_MS      60000
#define SEQ_WAIT_MS  50 /* how long a read waits for the command of X-Dojima-Min-Seq, unless configured */

enum server_mode { MODE_RUNNING = 1, MODE_STOPPING };

/*
 * What this node does among those that share its log. With a log of its own it always leads. NODE_LEADING: it may
 * append, and reads the rest of the log first; no write is taken yet.
 */
enum node_role { NODE_LEADER = 0, NODE_FOLLOWER, NODE_LEADING };

struct chaos;
struct forward;

/*
 * Files of this node, from which a new one can begin (gateway_copy.c). A copy has a number; its files are numbered from
 * 0, as `look` lists them. Any thread.
 */
#define COPY_PIECE_MAX (1024 * 1024)
struct gateway_copy {
    void *self;
    /* Has a copy made when there is none, and describes it in lines. */
    void (*look)(void *self, struct out *out);
    /* Bytes of a file, at most COPY_PIECE_MAX; false: there is no such copy any more, or there are no such bytes. */
    bool (*read)(void *self, uint64_t copy, uint64_t file, uint64_t from, uint64_t bytes, struct out *out);
    /* The new node has all of it. */
    void (*end)(void *self, uint64_t copy);
};

/* The other nodes that share the log of this one. */
struct gateway_cluster {
    const char                *node;    /* the name of this one, without blanks */
    struct slice               secret;  /* which all of them have, for X-Dojima-Secret; empty = no node is believed */
    struct forward            *forward; /* to the leader */
    const struct gateway_copy *copy;    /* for a new node; NULL = there is none */
};

/* Shared by all gateways and the engine's thread. */
struct gateway_shared {
    const struct api_shared *api;
    _Atomic int64_t         *time_ms;   /* engine time of the last batch */
    struct engine_clock     *clock;     /* the engine's thread writes it; NULL = the wall clock */
    _Atomic int64_t          offset_ms; /* engine time runs ahead of the clock by it */
    _Atomic int64_t          pin_ms;    /* it stands still there until the next command; 0 = it runs */
    _Atomic uint32_t         mode;      /* enum server_mode */
    _Atomic uint32_t         shed;      /* 1: no new risk (ruling 51, disk short) */
    _Atomic uint32_t         foreign_warned;
    _Atomic uint32_t         role;         /* enum node_role; the engine's thread writes it */
    _Atomic uint64_t         applied_seq;  /* last command that views and history show; release, once per batch */
    _Atomic uint64_t         seq_waiters;  /* bit of each gateway (its thread) that waits for applied_seq: the engine's
                                            * thread clears the bits and wakes those gateways after the next batch */
    const struct gateway_cluster *cluster; /* NULL: the node is alone */
    struct leader_url             leader;  /* where writes are taken; from any thread */
    struct stream_quota          *streams; /* limits of one address; NULL = none */
    struct chaos                 *chaos;   /* rules of faults; NULL but in development */
    struct park                   engine;  /* where the engine's thread sleeps */
    _Atomic uint32_t coming; /* gateways that recover the signer of a write which the engine is awake for */
    struct hold     *hold;   /* development: where this room's threads stand still; NULL = never */
    _Atomic uint64_t epoch;  /* how often the log went back, while they stood */
};

/* Time and mode as the gateways see them (ruling 40). */
struct api_context gateway_context(const struct gateway_shared *shared);

struct gateway_settings {
    uint32_t thread;       /* its number, for origins */
    uint32_t connections;  /* slots */
    uint32_t ring_bytes;   /* of each ring, a power of two */
    int64_t  busy_poll_ns; /* how long it does not sleep while a reply is awaited */
    uint32_t wait_ms;      /* how long a read waits for the command of X-Dojima-Min-Seq */
};

struct gateway;

/* Takes all memory it will use and joins the listener. NULL when memory is short. */
struct gateway *gateway_open(struct gateway_shared *shared, struct net_listener *listener,
                             const struct gateway_settings *settings);
void            gateway_touch(struct gateway *gateway); /* takes its pages now; before gateway_run */
void            gateway_run(struct gateway *gateway);   /* the I/O thread's life, until gateway_stop */
void            gateway_close(struct gateway *gateway); /* frees the gateway; its thread has ended */

/* ---- from the engine's thread ---- */
struct ring        *gateway_writes(struct gateway *gateway);      /* it consumes */
struct ring        *gateway_replies(struct gateway *gateway);     /* it produces */
struct event_queue *gateway_event_queue(struct gateway *gateway); /* likewise */

/* ---- from any thread ---- */
/* For forward_open: where writes go now, and an answer for a gateway, its taker. */
bool gateway_find_leader(void *shared, char url[LEADER_URL_BYTES]);
struct forward_answer;
void gateway_forwarded(struct forward_answer *answer);
#define GATEWAY_FORWARD_BYTES (API_ANSWER_BYTES_MAX)               /* of an answer, head and body */
void                 gateway_wake(struct gateway *gateway);        /* there are replies, or the mode has changed */
void                 gateway_stop(struct gateway *gateway);        /* hang up and return from gateway_run */
uint32_t             gateway_connections(struct gateway *gateway); /* an approximate value, without a lock */
struct stream_counts gateway_streams(struct gateway *gateway);     /* likewise */
/* Owned by the gateway; its thread writes it, any thread reads. */
const struct io_counters *gateway_counters(struct gateway *gateway);

#endif
