/* SPDX-License-Identifier: MIT */
/*
 * check.h — what dojima verify does with snapshots and archives: every snapshot must be whole and stand where the log,
 * read from its beginning, has the same state; every archive must be readable to its last byte.
 */
#ifndef APP_CLI_CHECK_H
#define APP_CLI_CHECK_H

#include "pipeline/replay.h"
#include "snapshot/snapshot.h"

struct checked_snapshot {
    enum snapshot_fault    fault;       /* of the file alone; ABSENT: there is none */
    bool                   met, agrees; /* the log came by its place; with the same state */
    struct snapshot_header facts;
    struct snapshot_report report;
};

struct check {
    const struct replay    *replay;
    const struct exchange  *exchange;
    struct checked_snapshot snapshots[SNAPSHOT_PLACES];
    uint32_t                archived; /* segments */
};

/* Checks the files, and registers for every batch of the replay. */
void check_begin(struct check *check, struct replay *replay, const struct exchange *exchange);

/* Behind the replay: EXIT_FINE, or what was found was printed and is
   EXIT_DAMAGE; EXIT_DISK when something could not be read. */
int check_end(struct check *check);

/*
 * The last command that the history at the side of the log has; a log that ends before it has lost its end. Nothing is
 * written, and the lock of the folder keeps its writer away. 0: it says nothing, as of a log of another branch
 * (history_knows_in). May fork.
 */
uint64_t check_history_knows(const struct replay *replay);

#endif
