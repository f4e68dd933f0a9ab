/* SPDX-License-Identifier: MIT */
/*
 * turn.h — the pipeline: struct server is owned by the engine's thread, server_turn is one turn of it. threads.h
 * starts the other threads; with none but the caller's everything still works (commit->inline_writes), which tests
 * use.
 */
#ifndef PIPELINE_TURN_H
#define PIPELINE_TURN_H

#include "pipeline/counters.h"
#include "pipeline/exchange.h"
#include "log/log.h"
#include "gateway/gateway.h"
#include "pipeline/sequence.h"

#define BATCH_BYTES (1024 * 1024)

enum commit_state { COMMIT_IDLE = 0, COMMIT_WRITING, COMMIT_DURABLE };

/* One batch on its way to be durable, shared with the log's thread: the thread that `state` names owns the rest. */
struct commit_slot {
    struct log            *log;
    struct command_batch   batch;
    struct log_applied     applied;       /* goes with it into the log */
    _Atomic uint32_t       state;         /* enum commit_state; the log's thread acts on WRITING */
    struct park            park;          /* where the log's thread sleeps */
    bool                   inline_writes; /* no such thread: write at once */
    struct commit_counters counters;      /* the log's thread's */
};

/* A reply that waits until all that its command made due has happened. */
struct held_reply {
    bool held;
    _Alignas(8) uint8_t bytes[sizeof(struct reply_message) + sizeof(struct refused) + sizeof(struct result)];
};

struct admin;

struct server {
    struct exchange          exchange;
    struct sequencer         sequencer;
    struct commit_slot       commit;
    struct command_batch     durable; /* in the log, not yet applied */
    bool                     has_durable;
    int64_t                  durable_ns; /* when it was seen to be durable */
    int64_t                  applied_ns; /* when the last batch happened */
    struct pipeline_counters counters;
    struct api_pools         pools;                /* how full the pools of the engine are */
    uint32_t                 pools_warned[LIMITS]; /* the fill level of each in the last message, percent */
    struct process_counters  figures;              /* the history writer's */
    int64_t                  wall_ms, boot_ms;     /* both clocks at the last look */
    struct gateway_shared    shared;
    struct gateway          *gateways[ORIGIN_THREADS_MAX];
    uint32_t                 thread_count; /* gateways */
    struct admin            *admin;        /* NULL: no administration socket */
    struct ring             *writes[ORIGIN_THREADS_MAX], *replies[ORIGIN_THREADS_MAX];
    uint32_t                 ring_count;     /* of each: the gateways', then that of admin */
    struct held_reply        advancing;      /* of the advance that is under way */
    struct park              history_writer; /* where the thread behind the history sleeps */
};

/* Memory for the batches; `exchange` is ready and the log is read to its end. False: no memory. */
bool server_prepare(struct server *server, struct log *log);

/* Takes the pages of that memory now. */
void server_touch(struct server *server);

/* Puts a reply into the ring of the sender's thread, and wakes it. */
void server_answer(struct server *server, const struct reply_message *reply);

/* One turn; returns how much was done, 0 = nothing to do. */
uint32_t server_turn(struct server *server);

/* Large batches follow one another: more commands are expected soon, and a wake is not needed. */
bool server_is_busy(const struct server *server);

/* How long the pipeline may rest, nanoseconds. */
int64_t server_rest_ns(const struct server *server);

/* Nothing collected, nothing on its way. */
bool server_is_idle(const struct server *server);

/* Writes the closing batch that is still owed, without waiting for its time. */
void server_close_log(struct server *server);

/* The log's thread: makes the batch durable that is on its way. Ends the process when it cannot. */
void commit_write(struct commit_slot *commit);

#endif
