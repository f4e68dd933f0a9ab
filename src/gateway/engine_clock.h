/* SPDX-License-Identifier: MIT */
/*
 * engine_clock.h — the clock that engine time follows. `dojima serve` follows the wall clock. In development the clock
 * can stand, run faster, or begin elsewhere: it shows `base_ms` at the wall-clock time `wall_ms` and from then on runs
 * `rate` millionths as fast as the wall clock. The offset of ADVANCE_TIME is added to it afterwards (ruling 43).
 *
 * The engine's thread writes it, and all threads read it.
 */
#ifndef GATEWAY_ENGINE_CLOCK_H
#define GATEWAY_ENGINE_CLOCK_H

#include <stdatomic.h>

#include "model/clock_rate.h"

struct engine_clock {
    _Atomic uint64_t version; /* odd while it is being written */
    _Atomic int64_t  wall_ms, base_ms, rate;
    int64_t          first_rate; /* that the program was started with; written before there are threads */
};

/* Shows base_ms now, at wall_ms; `rate` from 0, at most CLOCK_RATE_MAX. No other thread may write at the same time. */
void engine_clock_set(struct engine_clock *clock, int64_t wall_ms, int64_t base_ms, int64_t rate);

/* The time of the clock at wall_ms, ms since 1970; NULL = the wall clock itself. Never below the base. */
int64_t engine_clock_at(const struct engine_clock *clock, int64_t wall_ms);

/* Its rate; NULL = CLOCK_RATE_ONE. */
int64_t engine_clock_rate(const struct engine_clock *clock);

#endif
