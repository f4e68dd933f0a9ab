/* SPDX-License-Identifier: MIT */
/*
 * threads.h — the threads of the process. Each row ends with the function that a thread of threads.c runs, or with the
 * file that starts the thread. Their work is in pipeline/turn.c, gateway/ and history/.
 *
 *     io-0 …     connections, HTTP, signatures, encoding        gateway_run
 *     admin      the administration socket                      admin_run
 *     engine     numbers, time, engine, blocks, views           server_turn
 *     journal    write and fdatasync                            commit_write
 *     lease      who leads, where several nodes share a log     cluster.c
 *     keeper     history to disk, spare segments, the terminal  history_write, log_prepare, terminal_source_look
 *     history    sleeps, and holds a moment of the history      history/keep.c
 *     watch      messages of the shadow, where there is one     watch.c
 *     forward    writes for the leader, of one of several nodes  forward_run
 *     giver      the copy of this node for a new one            giver.c
 *     check      the second check of signatures, when it lags   second_check.c
 *     check-idle the same, where a processor is free            second_check.c
 *     scenario   lines of the process that plays scenarios      stage.c
 *     crypto     known-answer tests, until the start has ended  start.c
 *     input      waits for the end of standard input            io/signals.c
 *     (no name)  connects to a database log again               log/postgres/single.c
 *     touch      clears much memory before it is used       io/touch.c
 *     main       waits for the signal that ends the process; prints the lines of console_log.h
 */
#ifndef APP_THREADS_H
#define APP_THREADS_H

#include "app/start.h"

/* Starts all threads; when they run, calls `ready`; waits for a signal; stops everything in order. */
int instance_run(struct instance *instance, void (*ready)(void *self), void *self);

#endif
