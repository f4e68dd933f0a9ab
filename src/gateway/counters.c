/* SPDX-License-Identifier: MIT */
#include "gateway/counters.h"

#include "io/clock.h"
#include "diagnostics/program_log.h"

static void reached(struct api_watch *head, enum api_step step)
{
    struct request_timer *watch = (struct request_timer *)head;
    int64_t               now_ns = watch->now_ns = clock_mono_ns();

    if (step == API_PARSED) watch->parse_ns = now_ns - watch->at_ns;
    else watch->verify_ns = now_ns - watch->at_ns;
    watch->at_ns = now_ns;
    watch->reached |= 1u << step;
}

void request_timer_begin(struct request_timer *watch)
{
    watch->head.reached = reached;
    watch->at_ns = watch->now_ns != 0 ? watch->now_ns : clock_mono_ns();
    watch->reached = 0;
}

void io_count_handled(struct io_counters *counters, struct request_timer *watch)
{
    if ((watch->reached >> API_PARSED & 1) == 0) reached(&watch->head, API_PARSED); /* it ended before */
    histogram_add(&counters->parse, watch->parse_ns, 1);
    if ((watch->reached >> API_VERIFIED & 1) != 0) histogram_add(&counters->verify, watch->verify_ns, 1);
}

void io_count_request(struct io_counters *counters, const struct api_noted *noted)
{
    tally_add(&counters->requests[noted->route][noted->reject], 1);
    if (noted->reject == REJECT_RATE_LIMIT) tally_add(&counters->limits[noted->limit], 1);
}

void io_count_answered(struct io_counters *counters, struct request_timer *watch, const struct api_noted *noted)
{
    watch->now_ns = clock_mono_ns();
    histogram_add(&counters->answer, watch->now_ns - watch->at_ns, 1);
    if (noted->reject != REJECT_NONE) tally_add(&counters->refusals[noted->reject], 1);
    io_count_request(counters, noted);
}

void io_count_items(struct io_counters *counters, const struct events *events)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        uint16_t reject = REJECT_NONE;
        if (event->kind == EVENT_REFUSED) reject = ((const struct refused *)event)->reject;
        if (event->kind == EVENT_RESULT) reject = ((const struct result *)event)->reject;
        if (reject != REJECT_NONE) tally_add(&counters->refusals[reject], 1);
    }
}

uint32_t pool_step(uint64_t used, uint64_t places)
{
    static const uint32_t steps[] = { 95, 90, 80 };

    for (size_t i = 0; i < ARRAY_COUNT(steps); i++)
        if (places != 0 && used * 100 >= places * steps[i]) return steps[i];
    return 0;
}

/* Of each pool, how full it was when that was last said: 0, or 80, 90, 95. */
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
