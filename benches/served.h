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
    const char *preload;       /* a library before all others, NULL = none */
    size_t      account_count; /* of those that are funded */
};

struct served {
    pid_t    pid;
    uint16_t port;
    char     folder[256];
};

/* Starts it and waits until it is ready; exits when that fails. It ends with this process. */
struct served served_start(const struct served_plan *plan, const struct bench_account *accounts);

/* Ends it, and removes the folder. */
void served_stop(const struct served *served);

void served_pin(pid_t thread, int core); /* 0 = the calling one; -1 = any core */

/* Pins the threads called io… to `io_core`, all others to `other_core`. How many io threads there are. */
int served_pin_all(const struct served *served, int io_core, int other_core);

/*
 * The calling thread goes before all others where it shares a core with them, as clients on other machines do; what it
 * starts does not. Only while the clock runs: a real-time thread that keeps a core for most of a second is followed by
 * 50 ms of all other threads (the kernel's fair server).
 */
void bench_go_first(bool first);

/* Seconds of processor time that the threads called `prefix`… have run; "" = all. */
double served_seconds(const struct served *served, const char *prefix);

/* Of the same threads: seconds that they stood ready and had no core, and how often they went to sleep. */
void served_waits(const struct served *served, const char *prefix, double *seconds, double *sleeps);

/* Prints and exits. */
__attribute__((noreturn)) void bench_fail(const char *what);

#endif
