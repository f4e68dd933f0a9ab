/* SPDX-License-Identifier: MIT */
/*
 * command_batch.h — commands that go through the pipeline together: collected by the sequencer, made durable by the
 * log's thread, applied by the engine's, answered. The records are encoded once, as the log keeps them, when they are
 * collected.
 */
#ifndef PIPELINE_COMMAND_BATCH_H
#define PIPELINE_COMMAND_BATCH_H

#include "gateway/engine_messages.h"
#include "log/batch.h"

#define BATCH_RECORDS_MAX 4096 /* commands in one batch of ours */

struct command_batch {
    struct log_batch    records;
    struct reply_route *routes; /* BATCH_RECORDS_MAX: of each record, the thread and request that wait for its reply */
    int64_t             submitted_ns; /* when it was handed to the log's thread */
    uint32_t            waiting;      /* commands in it that a client waits for */
};

static inline void command_batch_swap(struct command_batch *one, struct command_batch *other)
{
    struct command_batch kept = *one;

    *one = *other;
    *other = kept;
}

#endif
