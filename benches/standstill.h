/* SPDX-License-Identifier: MIT */
/*
 * standstill.h — detects times at which a core did not run. On a shared machine a core stops now and then, for
 * microseconds or for many milliseconds, together with every thread on it. A thread of the highest priority on each
 * core sleeps for half a millisecond at a time; when it wakes late, no thread ran. It takes under 1 % of its core. It
 * cannot distinguish a stopped core from a kernel that was busy for so long without scheduling.
 */
#ifndef BENCH_STANDSTILL_H
#define BENCH_STANDSTILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STANDSTILL_NS INT64_C(100000) /* shorter ones are not counted */

struct standstill {
    int64_t from_ns, to_ns;
}; /* of CLOCK_MONOTONIC */
struct watcher;

/* One for each of the first `cores`. NULL when threads may not have that priority here (SCHED_FIFO). */
struct watcher *watch_cores(int cores);
/* Ends it. The fraction of the time that the cores did not run, over all cores. */
double watch_end(struct watcher *watcher);
/* Whether any core did not run at some time from `from_ns` to `to_ns`. To be called after watch_end. */
bool watch_stood_still(const struct watcher *watcher, int64_t from_ns, int64_t to_ns);
void watch_forget(struct watcher *watcher);

#endif
