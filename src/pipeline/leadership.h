/* SPDX-License-Identifier: MIT */
/*
 * leadership.h — what the threads of a node tell each other about leading, when several nodes share a log. The lease
 * decides when a node tries to lead; the fence in the log decides which node does, so nothing here is needed for
 * safety. A node with a log of its own has none of this.
 *
 *     lease's thread      wish, until_ns          what the lease permits
 *     log's thread        term, fence_ms          the fence that it has appended
 *     engine's thread     mark                    how far it has applied, and a state hash now and then
 */
#ifndef PIPELINE_LEADERSHIP_H
#define PIPELINE_LEADERSHIP_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/keccak.h"
#include "log/position.h"

/* WISH_HAND_OVER: the leader ends what is on its way, takes nothing more, and follows. */
enum lead_wish { WISH_FOLLOW = 0, WISH_LEAD, WISH_HAND_OVER };

/* How far a node has applied the log, and the state hash of the last block at which nodes compare theirs. */
struct applied_mark {
    struct log_position position; /* of the last batch */
    uint64_t            command, block;
    uint64_t            hash_block; /* 0 = none yet */
    struct hash256      state_hash;
};

struct leadership {
    _Atomic uint32_t    wish;     /* enum lead_wish */
    _Atomic int64_t     until_ns; /* monotonic; from then on a leader answers no write as done. 0: the lease is lost */
    _Atomic uint64_t    term;     /* of the last fence of this node; 0 = none */
    _Atomic int64_t     fence_ms; /* Unix milliseconds of it */
    _Atomic uint64_t    resigned; /* times that it has led and does no longer */
    uint32_t            compare_blocks; /* a state hash each so many blocks; 0 = never */
    pthread_mutex_t     lock;           /* of mark */
    struct applied_mark mark;
};

/* Neither leads nor wishes to. */
void leadership_init(struct leadership *lead, uint32_t compare_blocks);

/* The mark of the engine's thread. */
void                leadership_set_mark(struct leadership *lead, const struct applied_mark *mark);
struct applied_mark leadership_mark(struct leadership *lead);

/* Nanoseconds for which a leader may still answer; not positive: it may not. */
int64_t leadership_left_ns(struct leadership *lead);

/* Whether a leader may still answer at this monotonic time. */
static inline bool leadership_holds(struct leadership *lead, int64_t now_ns)
{
    return now_ns < atomic_load_explicit(&lead->until_ns, memory_order_relaxed);
}

#endif
