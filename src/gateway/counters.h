/* SPDX-License-Identifier: MIT */
/*
 * counters.h — what is counted while work is done. Each struct belongs to one thread, which alone writes it, with plain
 * stores; whoever reads /metrics adds them up (metrics.c). Sizes are fixed, and nothing in them names a client.
 */
#ifndef GATEWAY_COUNTERS_H
#define GATEWAY_COUNTERS_H

#include "api/api.h"
#include "base/histogram.h"
#include "core/engine.h"

/*
 * The way of a request, in stages that follow one another:
 *
 *     parse     I/O      bytes are there → what they ask for is known
 *     verify    I/O      … → who signed it is known                           signed requests
 *     queue     engine   … → the batch it is in is on its way to disk         commands, from here
 *     durable   engine   … → the batch is on disk, and the engine has seen that
 *     apply     engine   … → the batch has happened
 *     answer    I/O      … → the answer has been given to the connection      of a read: parse → answer
 */
struct io_counters { /* of an I/O thread */
    struct histogram parse, verify, answer;
    tally            limits[API_LIMITS];          /* 429 by enum api_limit */
    tally            handshakes[2][REJECT_COUNT]; /* of streams, by market - 1 and what was wrong */
    tally            refusals[REJECT_COUNT];      /* of requests and of their items */
    tally            requests[API_ROUTES_MAX + 1][REJECT_COUNT];
};

struct pipeline_counters { /* of the engine's thread */
    struct histogram queue, durable, apply;
    tally            seq, time_ms;                                           /* of the last command */
    tally            pools[sizeof(struct engine_counts) / sizeof(uint64_t)]; /* struct engine_counts as words */
};

struct commit_counters {     /* of the journal's thread */
    struct histogram append; /* write and sync, per batch */
    tally            batches, records, bytes, segment, offset;
};

struct process_counters { /* of the history writer, each second */
    tally resident, handles, cpu_ns;
};

/* A request at a door, timed: what the api reaches is noted, and counted when it is known what becomes of it. */
struct request_timer {
    struct api_watch head;
    int64_t          at_ns;  /* when the stage at hand began */
    int64_t          now_ns; /* the clock as it was read last; 0: some time ago */
    int64_t          parse_ns, verify_ns;
    uint32_t         reached; /* a bit per enum api_step */
};

/* A request is looked at: right behind the one before, or, after request_timer_rest, at any time. */
void               request_timer_begin(struct request_timer *watch);
static inline void request_timer_rest(struct request_timer *watch) { watch->now_ns = 0; }
/* It has been handled: counts the stages behind it. The rest is the answer's, or the command's. */
void io_count_handled(struct io_counters *counters, struct request_timer *watch);
/* It is answered at once. */
void io_count_answered(struct io_counters *counters, struct request_timer *watch, const struct api_noted *noted);
/* What it came to, once for each request; items that were refused count as refusals beside. */
void io_count_request(struct io_counters *counters, const struct api_noted *noted);
void io_count_items(struct io_counters *counters, const struct events *events);

/* How full that is: 0, or 80, 90, 95 percent at least (ruling 74). */
uint32_t pool_step(uint64_t used, uint64_t places);

/* Places that are taken, by enum limit_pool. */
void pools_count(const struct engine *engine, uint64_t used[LIMITS]);

/* What the engine's thread shows of the engine. */
/* How full the pools are, for operators and metrics; at 80, 90 and 95 % the log warns once (ruling 74). */
void pools_show(struct api_pools *pools, uint32_t warned[LIMITS], const struct engine *engine);
void pipeline_counters_show(struct pipeline_counters *counters, const struct engine *engine);

#endif
