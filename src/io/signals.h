/* SPDX-License-Identifier: MIT */
/* signals.h — Ctrl-C and kill mean: stop cleanly. One thread waits for them; no handler ever runs. */
#ifndef IO_SIGNALS_H
#define IO_SIGNALS_H

#include "base/base.h"

/* Blocks SIGINT, SIGTERM and SIGHUP in this thread (and those it starts) and ignores SIGPIPE. First thing in main. */
void signals_block(void);

/* Ignores SIGXFSZ: a write beyond what this process may give a file fails with EFBIG, and is reported like others. */
void signals_let_writes_fail(void);

/* Waits for one of them: its number, or 0 after timeout_ms (INT64_MAX = wait for ever). */
int signals_wait(int64_t timeout_ms);

/* From any thread of the process: lets signals_wait return SIGTERM. */
void signals_stop_self(void);

/*
 * Starts a thread that calls signals_stop_self when standard input has reached its end: when all processes that could
 * write to it have ended, in whatever way. What is read is discarded. 0 or errno.
 */
int signals_stop_at_end_of_input(void) MUST_USE;

#endif
