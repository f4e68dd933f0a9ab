/* SPDX-License-Identifier: MIT */
#include "pipeline/counters.h"

#include "diagnostics/program_log.h"

uint32_t pool_step(uint64_t used, uint64_t places)
{
    static const uint32_t steps[] = { 95, 90, 80 };

    for (size_t i = 0; i < ARRAY_COUNT(steps); i++)
        if (places != 0 && used * 100 >= places * steps[i]) return steps[i];
    return 0;
}

/* Of each pool, the fill level in the last message: 0, or 80, 90, 95. */
static void warn_of_pool(uint32_t *warned, const char *name, uint64_t used, uint64_t places)
{
    uint32_t full = pool_step(used, places);

    if (full > *warned)
        log_line(full >= 95 ? LOG_ERROR : LOG_WARN,
                 "the pool %s is %u %% full: %lu of %lu places; dojima limits --data DIR %s VALUE raises it", name,
                 full, (unsigned long)used, (unsigned long)places, name);
    if (full > *warned || used * 100 + 5 * places < places * *warned)
        *warned = full; /* not at every step around a bound */
}

void pools_count(const struct engine *engine, uint64_t used[LIMITS])
{
    const struct engine_counts counts = engine_counts(engine);

    used[0] = 0;
    used[POOL_ACCOUNTS] = counts.accounts;
    used[POOL_ORDERS] = counts.open_orders;
    used[POOL_LEVELS] = counts.levels;
    used[POOL_SIGNERS] = counts.signers;
    used[POOL_DEPOSITS] = counts.operator_ids;
    used[POOL_KEYS] = counts.keys;
    used[POOL_TRANSFERS] = counts.transfers;
    used[POOL_POSITIONS] = counts.positions;
    used[POOL_CLIENT_IDS] = counts.burnt_ids;
}

void pools_show(struct api_pools *pools, uint32_t warned[LIMITS], const struct engine *engine)
{
    uint64_t used[LIMITS];

    pools_count(engine, used);
    for (const struct enum_name *pool = limit_pool_names; pool->name != NULL; pool++) {
        uint64_t places = limits_get(engine_limits(engine), pool->value);

        atomic_store_explicit(&pools->used[pool->value], used[pool->value], memory_order_relaxed);
        atomic_store_explicit(&pools->places[pool->value], places, memory_order_relaxed);
        warn_of_pool(&warned[pool->value], pool->name, used[pool->value], places);
    }
}

void pipeline_counters_show(struct pipeline_counters *counters, const struct engine *engine)
{
    struct engine_counts counts = engine_counts(engine);
    uint64_t             words[ARRAY_COUNT(counters->pools)];

    memcpy(words, &counts, sizeof(counts));
    for (uint32_t i = 0; i < ARRAY_COUNT(words); i++) tally_set(&counters->pools[i], words[i]);
    tally_set(&counters->seq, engine_seq(engine));
    tally_set(&counters->time_ms, (uint64_t)engine_time_ms(engine));
}
