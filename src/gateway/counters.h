/* SPDX-License-Identifier: MIT */
/*
 * counters.h — counters of an I/O thread. Only that thread writes the struct, with plain stores; the reader of
 * /metrics adds the structs up (app/metrics.c). Sizes are fixed, and nothing in them names a client. The threads of
 * the engine and of the log count in pipeline/counters.h.
 */
#ifndef GATEWAY_COUNTERS_H
#define GATEWAY_COUNTERS_H

#include "api/api.h"
#include "base/histogram.h"

/*
 * The stages of a request, one after the other:
 *
 *     parse     I/O      bytes have arrived → the request is parsed
 *     verify    I/O      … → its signer is known                              signed requests
 *     queue     engine   … → its batch has been submitted to the log          commands, from here
 *     durable   engine   … → the batch is durable, and the engine has seen that
 *     apply     engine   … → the batch has been applied
 *     answer    I/O      … → the answer has been given to the connection      of a read: parse → answer
 */
struct io_counters { /* of an I/O thread */
    struct histogram parse, verify, answer;
    tally            forwards[3];                 /* writes passed on, by enum forward_outcome (io/forward.h) */
    tally            limits[API_LIMITS];          /* 429 by enum api_limit */
    tally            handshakes[2][REJECT_COUNT]; /* of streams, by market - 1 and reject */
    tally            refusals[REJECT_COUNT];      /* of requests and of their items */
    tally            requests[API_ROUTES_MAX + 1][REJECT_COUNT];
};

/* The times of a request: its progress is recorded, and counted when its outcome is known. */
struct request_timer {
    struct api_watch head;
    int64_t          at_ns;  /* when the stage at hand began */
    int64_t          now_ns; /* the clock as it was read last; 0: some time ago */
    int64_t          parse_ns, verify_ns;
    uint32_t         reached; /* a bit per enum api_step */
};

/*
 * Starts the times of a request at the clock value read for the previous one; after request_timer_rest the clock is
 * read.
 */
void               request_timer_begin(struct request_timer *watch);
static inline void request_timer_rest(struct request_timer *watch) { watch->now_ns = 0; }
/* Adds the parse and verify times of a handled request. */
void io_count_handled(struct io_counters *counters, struct request_timer *watch);
/* Adds the answer time and the outcome of a request that is answered without the engine. */
void io_count_answered(struct io_counters *counters, struct request_timer *watch, const struct api_noted *noted);
/* The outcome, once for each request; refused items count as refusals besides. */
void io_count_request(struct io_counters *counters, const struct api_noted *noted);
void io_count_items(struct io_counters *counters, const struct events *events);

#endif
