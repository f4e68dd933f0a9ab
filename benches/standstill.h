/* SPDX-License-Identifier: MIT */
/*
 * standstill.h — when cores gave nothing to anybody. On a machine that others use too a core stops now and then, for
 * microseconds or for many milliseconds, and whatever ran there with it. A thread on each core that goes before all
 * others sleeps for half a millisecond at a time; when it wakes late, nobody ran. It takes under 1 % of its core. What
 * it cannot tell from a core that was taken away is a kernel that was busy for so long without letting anybody go
 * first.
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

/* One for each of the first `cores`. NULL when threads may not go before others here (it asks for SCHED_FIFO). */
struct watcher *watch_cores(int cores);
/* Ends it. How much of the time the cores stood still, of all cores together. */
double watch_end(struct watcher *watcher);
/* Did any core stand still at some time from `from_ns` to `to_ns`? Behind watch_end. */
bool watch_stood_still(const struct watcher *watcher, int64_t from_ns, int64_t to_ns);
void watch_forget(struct watcher *watcher);

#endif
