/* SPDX-License-Identifier: MIT */
/*
 * revert.h — save points and going back to one (development; evm_snapshot, evm_revert, anvil_reset).
 *
 * Both are requests of /rpc that wait until everything before them has been applied, like an advance of the clock. A
 * save point is an address in the log (save_points.h). Going back is a command in the log, REVERT, alone in its batch;
 * when it is durable, all other threads stand still, and the state at the target takes the place of what they read:
 * engine, views, blocks and history. Command numbers, block numbers, ids and engine time go on from there; answers that
 * are kept encoded, limits and streams begin anew.
 */
#ifndef PIPELINE_REVERT_H
#define PIPELINE_REVERT_H

#include "pipeline/checkpoints.h"
#include "pipeline/replay.h"
#include "pipeline/save_points.h"
#include "pipeline/server.h"

/* What going back needs besides the server; of one process. */
struct revert_means {
    struct replay     *replay;
    struct save_points points;
    struct checkpoints checkpoints;
    struct log_mark    mark;   /* behind the last batch that was applied */
    pthread_mutex_t   *keeper; /* held by the keeper while it does anything */
    pthread_mutex_t    loading_lock;
    struct dump_reader loading;     /* of an ADVANCE_LOAD that is on its way; at NULL: none */
    bool               loads;       /* the REVERT that is on its way is one */
    int64_t            reverted_ns; /* when the last REVERT had happened, monotonic */
    void              *self;
    void (*stop)(void *self);                    /* all other threads stand still when it returns */
    void (*go)(void *self, struct views *views); /* they go on, with what begins anew, and read these views */
};

/* A request of one of these kinds is judged: refused, answered or on its way to the log. */
uint32_t revert_judge(struct server *server, const struct write_message *message);

/* Whether the batch that is durable is a REVERT; and it happens. */
bool revert_is_durable(const struct server *server);
void revert_apply(struct server *server);

/* A batch was applied. And: there is nothing to do. */
void revert_note(struct server *server, const struct log_batch *batch);
void revert_idle(struct server *server);

#endif
