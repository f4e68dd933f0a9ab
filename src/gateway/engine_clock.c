/* SPDX-License-Identifier: MIT */
#include "gateway/engine_clock.h"

void engine_clock_set(struct engine_clock *clock, int64_t wall_ms, int64_t base_ms, int64_t rate)
{
    uint64_t version = atomic_load_explicit(&clock->version, memory_order_relaxed);

    assert(rate >= 0 && rate <= CLOCK_RATE_MAX && version % 2 == 0);
    atomic_store(&clock->version, version + 1);
    atomic_store(&clock->wall_ms, wall_ms);
    atomic_store(&clock->base_ms, base_ms);
    atomic_store(&clock->rate, rate);
    atomic_store(&clock->version, version + 2);
}

/* A wall clock that was set back leaves the time at the base: engine time never goes back (ruling 18). */
static int64_t time_of(int64_t passed_ms, int64_t base_ms, int64_t rate)
{
    int128_t ahead = (int128_t)max_i64(passed_ms, 0) * rate / CLOCK_RATE_ONE; /* down */

    return ahead > INT64_MAX - base_ms ? INT64_MAX : base_ms + (int64_t)ahead;
}

int64_t engine_clock_at(const struct engine_clock *clock, int64_t wall_ms)
{
    if (clock == NULL) return wall_ms;
    for (;;) {
        uint64_t version = atomic_load(&clock->version);
        int64_t  from_ms = atomic_load(&clock->wall_ms), base_ms = atomic_load(&clock->base_ms);
        int64_t  rate = atomic_load(&clock->rate);

        if (version % 2 == 0 && atomic_load(&clock->version) == version)
            return time_of(wall_ms - from_ms, base_ms, rate);
    }
}

int64_t engine_clock_rate(const struct engine_clock *clock)
{
    return clock == NULL ? CLOCK_RATE_ONE : atomic_load(&clock->rate);
}
