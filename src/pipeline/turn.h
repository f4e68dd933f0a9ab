/* SPDX-License-Identifier: MIT */
/*
 * turn.h — the pipeline: struct server is owned by the engine's thread, server_turn is one turn of it. threads.h
 * starts the other threads; with none but the caller's everything still works (commit->inline_writes), which tests
 * use.
 */
#ifndef PIPELINE_TURN_H
#define PIPELINE_TURN_H

#include "pipeline/server.h"

/*
 * Memory for the batches; `exchange` is ready and the log is read to its end. With a log that several nodes share
 * server->lead is set already, and this one begins as a follower. False: no memory.
 */
bool server_prepare(struct server *server, struct log *log);

/* Takes the pages of that memory now. */
void server_touch(struct server *server);

#define NAME_AHEAD 32 /* small commands, 10 us: a batch that has become durable waits so long */

/* One turn; returns how much was done, 0 = nothing to do. */
uint32_t server_turn(struct server *server);

/* Large batches follow one another: more commands are expected soon, and a wake is not needed. */
bool server_is_busy(const struct server *server);

/* How long the pipeline may rest, nanoseconds. */
int64_t server_rest_ns(const struct server *server);

/* Nothing collected, nothing on its way. */
bool server_is_idle(const struct server *server);

/* Writes the closing batch that is still owed, without waiting for its time. */
void server_close_log(struct server *server);

/*
 * The log's thread, while the place at which it stands is WRITING: submits what was handed over, and waits until the
 * oldest batch is durable, or until log_nudge says that there may be more to submit. When the batch cannot be made
 * durable, a log of its own ends the process, and with one that is shared it is lost, and what is behind it too.
 */
void commit_write(struct commit_slot *commit);

#endif
