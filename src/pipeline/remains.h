/* SPDX-License-Identifier: MIT */
/* remains.h — what the rest of a folder has of its log. */
#ifndef PIPELINE_REMAINS_H
#define PIPELINE_REMAINS_H

#include "base/keccak.h"
#include "io/disk.h"

/*
 * The name of something that only an exchange with a log leaves behind: its history, a snapshot, or a start that the
 * audit log names. NULL: there is nothing. A refused start is none, whatever it wrote. *error: 0 or errno.
 */
const char *remains_find(const struct disk *disk, int *error);

/*
 * Of a log that a start has just begun in a folder in which remains_find found nothing: removes it, and the history
 * that was opened beside it, so that the next start finds nothing either (decision 156). 0 or errno; what is not
 * removed is a whole exchange without a command, or begins as one.
 */
int remains_take_back(const struct disk *disk) MUST_USE;

/*
 * The last command that a snapshot of the log `instance` has, also of one that this build cannot load, and *name; 0:
 * there is none. Snapshots are made of durable batches, so that log reaches it. Not so where a log went back (decision
 * 131): a snapshot of before may hold commands that are void.
 */
uint64_t remains_known(const struct disk *disk, const struct hash256 *instance, const char **name);

#endif
