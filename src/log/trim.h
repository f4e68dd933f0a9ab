/* SPDX-License-Identifier: MIT */
/*
 * trim.h — removes the beginning of a shared log from its database, once it is in an archive (decision 133). The
 * genesis stays, and a mark that says where the log goes on.
 *
 *     log_trim_open ─▶ log_trim_plan ─▶ (the caller copies the rows below plan.row, and compares) ─▶ log_trim_apply
 */
#ifndef LOG_TRIM_H
#define LOG_TRIM_H

#include "log/log.h"

/* ---- what is gone ---- */

/* The beginning that a log lacks. */
struct log_trimmed {
    uint64_t       row;      /* the first one that is left, but for the genesis */
    uint64_t       batches;  /* that are gone */
    uint64_t       next_seq; /* of the first command that is left */
    struct hash256 digest;   /* of the batches that are gone (log_digest_add) */
};

/* Of a log that was opened with settings.past_trimmed; false: it has all from its genesis on. */
bool log_trimmed(const struct log *log, struct log_trimmed *trimmed) MUST_USE;

/*
 * Extends the digest of all batches before (zeros before the first one) by a batch that was read: the same for every
 * kind of log, wherever the batch stands.
 */
void log_digest_add(struct hash256 *digest, const struct log_batch *batch, const struct log_applied *applied);

/* ---- trimming ---- */

struct log_trim;

struct log_trim_plan {
    uint64_t first;    /* the first row that is there behind the genesis */
    uint64_t row;      /* rows below it may go; it holds a batch. Not above `first`: there is nothing to remove */
    char     node[64]; /* whose older snapshot is the lowest */
    uint64_t older;    /* and the row behind which that stands */
};

/*
 * Connects, and keeps others from trimming until log_trim_close, which follows LOG_OK only. LOG_REFUSED: the role may
 * not remove rows, the tables are missing, or (report->error == EWOULDBLOCK) another process trims.
 */
enum log_fault log_trim_open(const char *url, struct log_trim **trim, struct log_report *report) MUST_USE;

/*
 * What may go: rows below the older of two verified snapshots of every node that the database knows, committed by the
 * quorum, and below row `below` (0: no such limit). `without`: names of nodes that are gone for good, with commas
 * between them; NULL: none. LOG_REFUSED: a node holds the trim, and report->text names it.
 */
enum log_fault log_trim_plan(struct log_trim *trim, uint64_t below, const char *without, struct log_trim_plan *plan,
                             struct log_report *report) MUST_USE;

/*
 * Removes the rows below `row`, whose hash is `hash`, in one transaction, and marks where the log begins. `gone` counts
 * the batches before it, from the genesis on, and has their digest. *removed: rows. LOG_REFUSED: that row is not there
 * (any more). LOG_IO: no answer, the rows are removed or not; the trim may be repeated.
 */
enum log_fault log_trim_apply(struct log_trim *trim, uint64_t row, const struct hash256 *hash,
                              const struct log_trimmed *gone, uint64_t *removed, struct log_report *report) MUST_USE;

void log_trim_close(struct log_trim *trim);

#endif
