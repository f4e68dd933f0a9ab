/* SPDX-License-Identifier: MIT */
/* server.h — what the engine's thread owns, and how a reply leaves it. */
#ifndef PIPELINE_SERVER_H
#define PIPELINE_SERVER_H

#include "pipeline/counters.h"
#include "pipeline/exchange.h"
#include "log/log.h"
#include "gateway/gateway.h"
#include "pipeline/leadership.h"
#include "pipeline/sequence.h"

#define BATCH_BYTES   (1024 * 1024)
#define HINTS_BYTES   (BATCH_BYTES / 4) /* of a batch; a record of an order is more than four times its hints */
#define COMMIT_PLACES 2                 /* the most batches under way that the pipeline uses of log_under_way */

/* With a log that is shared also READING: the next batch that another node has written is wanted; LEADS: this node's
 * fence is the end of the log, it may append; LOST: the batch is not known to be in the log. INLINE: the engine's
 * thread writes it itself. */
enum commit_state {
    COMMIT_IDLE = 0,
    COMMIT_WRITING,
    COMMIT_DURABLE,
    COMMIT_READING,
    COMMIT_LEADS,
    COMMIT_LOST,
    COMMIT_INLINE,
};

/* One batch on its way to be durable. The thread that `state` names owns the rest: the log's WRITING and READING. */
struct commit_place {
    struct command_batch batch;
    struct log_applied   applied;  /* goes with it into the log, or came out of it */
    int64_t              began_ns; /* the log's thread: when it was submitted */
    _Atomic uint32_t     state;    /* enum commit_state */
};

/*
 * The batches on their way, in the order of the log, shared with the log's thread. Each thread goes through the places
 * in turn: the engine's fills them in order and takes them back in order, the log's submits and ends them in order, so
 * a batch is DURABLE only when all before it are, and behind a LOST one all are lost. A follower uses only the place
 * at which both stand.
 */
struct commit_slot {
    struct log            *log;
    struct leadership     *lead; /* NULL: no other process appends to this log */
    struct commit_place    places[COMMIT_PLACES];
    uint32_t               place_count;    /* of these; 1 for a log that is not shared */
    uint32_t               oldest, count;  /* the engine's thread: the first batch under way, and how many there are */
    uint64_t               early_bytes;    /* likewise: a batch of so many goes while another one is under way */
    _Atomic uint32_t       at;             /* the log's: the place it stands at, which it looks at all the time */
    uint32_t               submitted;      /* likewise: how many from there are submitted */
    bool                   leads;          /* the log's thread: it has appended a fence, and writes */
    bool                   has_lost;       /* likewise: what the engine's thread still hands over is lost, too */
    bool                   is_unreachable; /* likewise: the log could not be read, and that was said */
    struct park            park;           /* where the log's thread sleeps */
    bool                   inline_writes;  /* no such thread: write at once */
    const char            *passing_folder; /* removed when the log cannot be written any more; NULL = it stays */
    struct commit_counters counters;       /* the log's thread's */
};

/* The place of the oldest batch under way, or of the next one to come. */
static inline struct commit_place *commit_oldest(struct commit_slot *commit) { return &commit->places[commit->oldest]; }

/* The place at which the log's thread stands. */
static inline struct commit_place *commit_at(struct commit_slot *commit)
{
    return &commit->places[atomic_load_explicit(&commit->at, memory_order_relaxed)];
}

static inline uint32_t commit_state(const struct commit_place *place)
{
    return atomic_load_explicit(&place->state, memory_order_acquire);
}

static inline void commit_set(struct commit_place *place, enum commit_state state)
{
    atomic_store_explicit(&place->state, state, memory_order_release);
}

/* The place `steps` behind place number `from`. */
static inline uint32_t commit_step(const struct commit_slot *commit, uint32_t from, uint32_t steps)
{
    return (from + steps) % commit->place_count;
}

/* A reply that waits until all that its command made due has happened. */
struct held_reply {
    bool held;
    _Alignas(8) uint8_t bytes[sizeof(struct reply_message) + sizeof(struct refused) + sizeof(struct result)];
};

struct admin;
struct revert_means;

struct server {
    struct exchange          exchange;
    struct sequencer         sequencer;
    struct commit_slot       commit;
    struct leadership       *lead;    /* of a log that several nodes share; NULL: this process always leads */
    enum node_role           role;    /* what gateways see is shared.role */
    struct command_batch     durable; /* in the log, not yet applied */
    struct log_applied       claim;   /* what its header says of the block before it, when another node wrote it */
    bool                     has_durable;
    int64_t                  durable_ns; /* when it was seen to be durable */
    int64_t                  applied_ns; /* when the last batch happened */
    struct pipeline_counters counters;
    struct api_pools         pools;                /* how full the pools of the engine are */
    uint32_t                 pools_warned[LIMITS]; /* what the log last said of each, percent */
    struct process_counters  figures;              /* the keeper's */
    int64_t                  wall_ms, boot_ms;     /* both clocks at the last look */
    struct gateway_shared    shared;
    struct gateway          *gateways[ORIGIN_THREADS_MAX];
    uint32_t                 thread_count; /* gateways */
    struct admin            *admin;        /* NULL: no administration socket */
    struct ring             *writes[ORIGIN_THREADS_MAX], *replies[ORIGIN_THREADS_MAX];
    uint32_t                 ring_count; /* of each: the gateways', then that of admin */
    struct held_reply        advancing;  /* of the advance that is under way */
    bool                     hurries;    /* the source was told that one runs */
    struct revert_means     *revert;     /* development: going back (revert.h); NULL = not possible */
    struct park              keeper;     /* where the keeper sleeps */
};

/* Wakes the thread behind a ring: a gateway's, or that of the administration socket. */
void server_wake(struct server *server, uint32_t ring);

/* Puts a reply into the ring of the thread that asked and returns the ring; its thread is not woken. The room was kept
 * free when the write was taken. */
uint32_t server_post_reply(struct server *server, const struct reply_message *reply);

/* Puts a reply into the ring of the thread that asked, and wakes it. */
void server_answer(struct server *server, const struct reply_message *reply);

/*
 * A refusal by this thread, before the log: nothing was applied. Puts it into the ring of the thread that asked and
 * returns the ring, as server_post_reply. `lost`: it is no outcome (50302, 50303).
 */
uint32_t server_post_refusal(struct server *server, uint64_t origin, uint32_t reply_bytes, enum reject reject,
                             bool lost);

/* The same for a message, and the thread that asked is woken. */
struct write_message;
void server_refuse(struct server *server, const struct write_message *message, enum reject reject);

#endif
