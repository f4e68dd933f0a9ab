/* SPDX-License-Identifier: MIT */
/*
 * counters.h — counters of the threads behind the gateway. Each struct belongs to one thread, which alone writes it,
 * with plain stores; the reader of /metrics adds them up (app/metrics.c). The stages are those of gateway/counters.h.
 */
#ifndef PIPELINE_COUNTERS_H
#define PIPELINE_COUNTERS_H

#include "api/api.h"
#include "base/histogram.h"
#include "core/engine.h"

struct pipeline_counters { /* of the engine's thread */
    struct histogram queue, durable, apply;
    tally            seq, time_ms;                                           /* of the last command */
    tally            pools[sizeof(struct engine_counts) / sizeof(uint64_t)]; /* struct engine_counts as words */
};

struct commit_counters {     /* of the log's thread */
    struct histogram append; /* write and sync, per batch */
    tally            batches, records, bytes, part, part_used;
};

struct process_counters { /* of the keeper, each second */
    tally resident, handles, cpu_ns;
};

/* How full that is: 0, or 80, 90, 95 percent at least (ruling 74). */
uint32_t pool_step(uint64_t used, uint64_t places);

/* Places that are taken, by enum limit_pool. */
void pools_count(const struct engine *engine, uint64_t used[LIMITS]);

/* How full the pools are, for operators and metrics; at 80, 90 and 95 % the log warns once (ruling 74). */
void pools_show(struct api_pools *pools, uint32_t warned[LIMITS], const struct engine *engine);
/* The engine's counts, and sequence number and time of its last command. */
void pipeline_counters_show(struct pipeline_counters *counters, const struct engine *engine);

#endif
