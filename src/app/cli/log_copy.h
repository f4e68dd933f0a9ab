/* SPDX-License-Identifier: MIT */
/*
 * log_copy.h — a log into another one, batch for batch (dojima copy-log, dojima trim-log). What the target holds must
 * be the beginning of the source. A side that was trimmed needs the other one to hold what it lacks.
 *
 *     log_copy_open ─▶ log_copy_compare ─▶ log_copy_append ─▶ log_copy_check ─▶ log_copy_close
 *
 * Each of the functions prints one line when it fails, and returns its exit code.
 */
#ifndef APP_CLI_LOG_COPY_H
#define APP_CLI_LOG_COPY_H

#include "log/trim.h"
#include "pipeline/replay.h"

struct copy_end {
    struct replay      replay;
    bool               is_url, ended, end;
    const char        *place;
    struct log_applied applied;
};

struct log_copy {
    struct copy_end from, to;    /* .place is set by the caller: a folder, or a URL */
    bool            one_machine; /* the database needs no quorum */
    bool            by_owner;    /* the source is read by the owner of the table */
    uint64_t        until;       /* row of the source's table before which it ends; 0: at its end */
    uint64_t        found;       /* batches that both have, from the genesis on */
    uint64_t        added, commands;
    struct hash256  digest;     /* of those that were found (log_digest_add) */
    struct hash256  until_hash; /* of the row `until`, once it was met */
};

/* Opens both, and begins the target when it is absent. */
int log_copy_open(struct log_copy *copy);

/* A node that leads the target must be stopped by its operator, not by this. */
int log_copy_check_no_leader(struct log_copy *copy);

/* Reads the source along with all that the target holds. */
int log_copy_compare(struct log_copy *copy);

/* Appends the rest of the source. */
int log_copy_append(struct log_copy *copy);

/*
 * Opens both again, and compares them from the beginning, each by its own hashes: the target holds what was found and
 * added, and so does the source. A database may have grown since: exchanges append to it while it is copied.
 */
int log_copy_check(struct log_copy *copy);

void log_copy_close(struct log_copy *copy);

#endif
