/* SPDX-License-Identifier: MIT */
/*
 * role.h — whether this node writes the log or follows it (leadership.h). All on the engine's thread. A change of role
 * needs no restart: nothing is applied ahead of the log, so the state of a leader that has lost the log is a follower's
 * state.
 *
 *     NODE_FOLLOWER ─▶ NODE_LEADING ─▶ NODE_LEADER ─▶ NODE_FOLLOWER
 *       reads log       the fence is     writes log     lost the log or the lease, or hands over
 *                       on its way
 */
#ifndef PIPELINE_ROLE_H
#define PIPELINE_ROLE_H

#include "pipeline/server.h"

/* Beginning of a turn, where several nodes share the log: follows the lease and the log's thread. Returns work done. */
uint32_t role_turn(struct server *server);

/* Of a node that does not lead: answers all that waits in the rings with NO_LEADER. Returns how many. */
uint32_t role_refuse_writes(struct server *server);

/* A batch that another node wrote names the block before it: a difference ends the process (exit code 70). */
void role_check_claim(const struct server *server);

/* A batch has been applied: marks how far, now and then with a state hash. */
void role_mark_applied(struct server *server, const struct log_position *position);

/* No batch of this node is under way: hands a place to the log's thread, which reads the next batch into it. */
void role_read_on(struct server *server);

/* The oldest batch under way has come back from the log's thread; behind the last one a follower reads on. */
void role_end_oldest(struct server *server);

/* True while the leader ends what is on its way and takes nothing more. */
bool role_is_ending(const struct server *server);

#endif
