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
#include "rules/hints.h"

#define BATCH_RECORDS_MAX 4096 /* commands in one batch of ours */

/*
 * The hints of a batch's records, in memory of the batch (rules/hints.h). A record whose hints find no room has none,
 * which costs the engine the work that they would have saved.
 */
struct batch_hints {
    uint8_t  *at;
    uint32_t  len, cap;
    uint32_t *of; /* BATCH_RECORDS_MAX: of each record, where in `at` its hints begin; BATCH_NO_HINTS = it has none */
};
#define BATCH_NO_HINTS UINT32_MAX

struct command_batch {
    struct log_batch    records;
    struct batch_hints  hints;
    struct log_cursor   named;  /* the records before it have their transaction hashes (blocks_name) */
    struct reply_route *routes; /* BATCH_RECORDS_MAX: of each record, the thread and request that wait for its reply */
    int64_t             submitted_ns; /* when it was handed to the log's thread */
    uint32_t            waiting;      /* commands in it that a client waits for */
};

/* The hints of record `index`; NULL = none. */
static inline const struct hints *batch_hints_of(const struct batch_hints *hints, uint32_t index)
{
    uint32_t at = hints->of[index];

    return at == BATCH_NO_HINTS ? NULL : (const struct hints *)(const void *)(hints->at + at);
}

static inline void command_batch_swap(struct command_batch *one, struct command_batch *other)
{
    struct command_batch kept = *one;

    *one = *other;
    *other = kept;
}

#endif
