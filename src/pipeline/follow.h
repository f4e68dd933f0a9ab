/* SPDX-License-Identifier: MIT */
/* follow.h — the log's thread of a node that does not lead: reads what others append, and appends the fence. */
#ifndef PIPELINE_FOLLOW_H
#define PIPELINE_FOLLOW_H

#include "pipeline/server.h"

/*
 * The log's thread, while the slot is in COMMIT_READING: the next batch of the log, or the fence when this node is to
 * lead; when there is neither, sleeps at most `wait_ms` until there may be. The slot's state says what came of it.
 */
void commit_read(struct commit_slot *commit, int64_t wait_ms);

#endif
