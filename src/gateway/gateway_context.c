/* SPDX-License-Identifier: MIT */
/* gateway_context.c — the state of the server at a request: time and mode. */
#include "gateway/gateway_inside.h"

#include "io/clock.h"

struct api_context gateway_context(const struct gateway_shared *shared)
{
    int64_t  engine_ms = atomic_load_explicit(shared->time_ms, memory_order_acquire);
    int64_t  offset_ms = atomic_load_explicit(&shared->offset_ms, memory_order_acquire);
    int64_t  pin_ms = atomic_load_explicit(&shared->pin_ms, memory_order_acquire);
    int64_t  wall_ms = engine_clock_at(shared->clock, clock_wall_ms()) + offset_ms;
    uint32_t mode = atomic_load_explicit(&shared->mode, memory_order_relaxed);

    return (struct api_context){ .now_ms = max_i64(engine_ms, pin_ms != 0 ? min_i64(pin_ms, wall_ms) : wall_ms),
                                 .ready = mode == MODE_RUNNING,
                                 .offset_ms = offset_ms };
}
