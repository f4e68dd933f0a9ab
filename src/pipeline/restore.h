/* SPDX-License-Identifier: MIT */
/*
 * restore.h — an exchange to a snapshot, and from the newest good one back. A snapshot holds everything the start
 * needs but the history, which has a place of its own on disk: a snapshot behind which the history has not come
 * yet would leave rows out, and is passed over for an older one, or for the whole log.
 */
#ifndef PIPELINE_RESTORE_H
#define PIPELINE_RESTORE_H

#include "diagnostics/program_log.h"
#include "pipeline/replay.h"
#include "snapshot/snapshot.h"

/*
 * Writes the exchange, as it is behind `place`, under the temporary name. 0 or errno. *facts describes the written
 * file, state hash included. Takes time in proportion to the state: never on a thread that clients wait for.
 */
int restore_write(const struct replay *replay, struct exchange *exchange, const struct log_mark *place,
                  struct snapshot_header *facts) MUST_USE;

/*
 * Fills an exchange whose memory is zeros (exchange_take, exchange_forget) from a file. SNAPSHOT_OK: it is at the
 * snapshot's position, and its state hash is the one in the facts. SNAPSHOT_DAMAGED or _IO: nothing can be used.
 * SNAPSHOT_FOREIGN: the file is whole, and its contents contradict its header; report->text has more.
 */
enum snapshot_fault restore_read(const struct replay *replay, struct exchange *exchange, const char *name,
                                 const struct snapshot_header *facts, struct snapshot_report *report) MUST_USE;

/* The facts of the snapshots that lie there and can be read by
   this build, the newest first; damaged ones are logged. */
struct restore_choice {
    uint32_t               count;
    uint32_t               places[SNAPSHOT_PLACES];
    struct snapshot_header facts[SNAPSHOT_PLACES];
};

/* Whether this build can load a snapshot with these facts into an exchange of this genesis. */
bool restore_fits(const struct genesis *genesis, const struct snapshot_header *facts);

/* The place behind a snapshot, from which the log is read on. */
struct log_mark restore_place(const struct snapshot_header *facts);

/* The exit code of a process that cannot continue without such a file: a disk that fails is no damage. */
enum exit_code snapshot_exit(enum snapshot_fault fault);

/* EXIT_FINE, or EXIT_DAMAGE when one of them is of another log. */
int restore_look(const struct replay *replay, const struct genesis *genesis, struct restore_choice *choice);

/*
 * The newest good snapshot up to command `history_seq` into an exchange that was taken, and the log to the place behind
 * it; without one the exchange begins at its genesis. *place: where it stands (no position: at the beginning).
 * A whole snapshot that contradicts the log or itself is refused: EXIT_DAMAGE, and the reason was printed.
 */
int restore_newest(struct replay *replay, struct exchange *exchange, uint64_t history_seq, struct log_mark *place);

#endif
