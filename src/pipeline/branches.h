/* SPDX-License-Identifier: MIT */
/*
 * branches.h — the branches of a log that went back (development; CMD_REVERT). The log is append-only: a REVERT names
 * an earlier batch, and what the log has between the two is void from then on, unless a later REVERT goes there again.
 *
 *     log     a b c d R(b) e f R(d) g          the state at the end is that of  a b c d g
 *
 * Positions are in the order of the log. None (all zeros) is the beginning of the log.
 */
#ifndef PIPELINE_BRANCHES_H
#define PIPELINE_BRANCHES_H

#include "log/batch.h"

/* One REVERT. */
struct branch {
    struct log_position at, target;
    struct log_mark     behind;       /* where the log goes on */
    struct hash256      target_chain; /* as the REVERT names it */
    int64_t             behind_ms;
};

/* All of them, in the order of the log. */
struct branches {
    struct branch *all;
    uint32_t       count, cap;
};

/* Adds the batch when it is a REVERT. False: there is no memory. */
bool branches_add(struct branches *branches, const struct log_batch *batch) MUST_USE;
void branches_free(struct branches *branches);

/* The last REVERT at or before a place of the log; NULL: there is none. */
const struct branch *branches_last(const struct branches *branches, const struct log_position *end);

/* Batches behind `after` up to and with `to` lead to the state at a place. */
struct live_span {
    struct log_position after, to;
};
struct live_path {
    struct live_span *spans; /* ascending */
    uint32_t          count;
    uint32_t          next; /* the span in which live_path_has looks; for calls with ascending positions */
};

/* The batches that make the state behind the batch at `end`. False: there is no memory. live_path_free follows. */
bool live_path_to(const struct branches *branches, const struct log_position *end, struct live_path *path) MUST_USE;
void live_path_free(struct live_path *path);

/* Whether the batch at a position is one of them. Positions of successive calls ascend. */
bool live_path_has(struct live_path *path, const struct log_position *position);

#endif
