/* SPDX-License-Identifier: MIT */
/*
 * threads.h — the threads of the process, which are chosen here and nowhere else; their work is in pipeline/turn.c,
 * gateway/ and history/.
 *
 *     io-0 …     connections, HTTP, signatures, encoding        gateway_run
 *     admin      the administration socket                      admin_run
 *     engine     numbers, time, engine, blocks, views           server_turn
 *     journal    write and fdatasync                            commit_write
 *     lease      who leads, where several nodes share a log     cluster.h
 *     keeper     history to disk, spare segments, the terminal  history_write, log_prepare, terminal_source_look
 *     watch      messages of the shadow, where there is one     watch_hear
 *     forward    writes for the leader, of one of several nodes  forward_run
 *     main       waits for the signal that ends the process; prints the lines of console_log.h
 */
#ifndef APP_THREADS_H
#define APP_THREADS_H

#include "app/start.h"

/* Starts all threads; when they run, calls `ready`; waits for a signal; stops everything in order. */
int instance_run(struct instance *instance, void (*ready)(void *self), void *self);

#endif
