/* SPDX-License-Identifier: MIT */
/*
 * served.h — `dojima serve` with funded accounts on a folder on a disk, its threads pinned to cores, and their
 * processor time.
 */
#ifndef BENCH_SERVED_H
#define BENCH_SERVED_H

#include "http_load.h"

#include <sys/types.h>

struct served_plan {
    const char *dojima, *folder; /* the program; everything in the folder is removed */
    int         io_threads;
    const char *preload; /* a library before all others, NULL = none */
};

struct served {
    pid_t    pid;
    uint16_t port;
    char     folder[256];
};

/* Starts it and waits until it is ready; exits when that fails. It ends with this process. */
struct served served_start(const struct served_plan *plan, const struct bench_account accounts[BENCH_ACCOUNTS]);

/* Ends it, and removes the folder. */
void served_stop(const struct served *served);

void served_pin(pid_t thread, int core); /* 0 = the calling one; -1 = any core */

/* Pins the threads called io… to `io_core`, all others to `other_core`. How many io threads there are. */
int served_pin_all(const struct served *served, int io_core, int other_core);

/* Seconds of processor time that the threads called `prefix`… have run; "" = all. */
double served_seconds(const struct served *served, const char *prefix);

/* Prints and exits. */
__attribute__((noreturn)) void bench_fail(const char *what);

#endif
