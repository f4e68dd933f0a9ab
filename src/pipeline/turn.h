/* SPDX-License-Identifier: MIT */
/*
 * turn.h — the pipeline: struct server is what the engine's thread owns, server_turn is one turn of it.
 * Which threads there are is decided in threads.c; with none but the caller's everything still turns
 * (commit->inline_writes), and that is how the tests do it.
 */
#ifndef PIPELINE_TURN_H
#define PIPELINE_TURN_H

#include "pipeline/counters.h"
#include "pipeline/exchange.h"
#include "gateway/gateway.h"
#include "pipeline/sequence.h"

#define BATCH_BYTES (1024 * 1024)

enum commit_state { COMMIT_IDLE = 0, COMMIT_WRITING, COMMIT_DURABLE };

/* One batch on its way to disk, shared with the journal's thread: whoever `state` names owns the rest. */
struct commit_slot {
    struct journal        *journal;
    struct log_batch       batch;
    struct reply_route    *routes;
    struct log_applied     applied;       /* goes into its header */
    _Atomic uint32_t       state;         /* enum commit_state; the journal's thread acts on FLYING */
    struct park            park;          /* where the journal's thread sleeps */
    bool                   inline_writes; /* no journal thread: write at once */
    int64_t                submitted_ns;  /* when it went; the engine's thread's */
    uint32_t               waiting;       /* commands in it that somebody waits for; likewise */
    struct commit_counters counters;      /* the journal's thread's */
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
    struct log_batch         durable; /* landed, not yet happened */
    struct reply_route      *durable_routes;
    bool                     has_durable;
    uint32_t                 durable_waiting; /* as commit.waiting */
    int64_t                  durable_ns;      /* when it was seen to be durable */
    int64_t                  applied_ns;      /* when the last batch happened */
    struct pipeline_counters counters;
    struct api_pools         pools;                /* how full the pools of the engine are */
    uint32_t                 pools_warned[LIMITS]; /* what the log last said of each, percent */
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

/* Memory for the batches; `exchange` and `journal` are ready and the log is read to its end. False: no memory. */
bool server_prepare(struct server *server, struct journal *journal);

/* Takes the pages of that memory now. */
void server_touch(struct server *server);

/* Puts a reply into the ring of whoever asked, and wakes him. */
void server_answer(struct server *server, const struct reply_message *reply);

/* One turn; returns how much was done, 0 = nothing to do. */
uint32_t server_turn(struct server *server);

/* Large batches follow one another: commands will be there soon, and nobody needs to say so. */
bool server_is_busy(const struct server *server);

/* How long the pipeline may rest, nanoseconds. */
int64_t server_rest_ns(const struct server *server);

/* Nothing collected, nothing on its way. */
bool server_is_idle(const struct server *server);

/* Writes the closing batch that is still owed, without waiting for its time. */
void server_close_log(struct server *server);

/* The journal's thread: writes the batch that is on its way. Ends the process when the disk says no. */
void commit_write(struct commit_slot *commit);

#endif
