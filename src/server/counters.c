/* SPDX-License-Identifier: MIT */
#include "server/counters.h"

#include "io/clock.h"

static void reached(struct api_watch *head, enum api_step step)
{
    struct door_watch *watch = (struct door_watch *)head;
    int64_t            now_ns = watch->now_ns = clock_mono_ns();

    if (step == API_PARSED) watch->parse_ns = now_ns - watch->at_ns;
    else                    watch->verify_ns = now_ns - watch->at_ns;
    watch->at_ns = now_ns;
    watch->reached |= 1u << step;
}

void door_begins(struct door_watch *watch)
{
    watch->head.reached = reached;
    watch->at_ns = watch->now_ns != 0 ? watch->now_ns : clock_mono_ns();
    watch->reached = 0;
}

void door_handled(struct door_counters *counters, struct door_watch *watch)
{
    if ((watch->reached >> API_PARSED & 1) == 0) reached(&watch->head, API_PARSED);     /* it ended before */
    histogram_add(&counters->parse, watch->parse_ns, 1);
    if ((watch->reached >> API_VERIFIED & 1) != 0) histogram_add(&counters->verify, watch->verify_ns, 1);
}

void door_request(struct door_counters *counters, const struct api_noted *noted)
{
    tally_add(&counters->requests[noted->route][noted->reject], 1);
    if (noted->reject == REJECT_RATE_LIMIT) tally_add(&counters->limits[noted->limit], 1);
}

void door_answered(struct door_counters *counters, struct door_watch *watch, const struct api_noted *noted)
{
    watch->now_ns = clock_mono_ns();
    histogram_add(&counters->answer, watch->now_ns - watch->at_ns, 1);
    if (noted->reject != REJECT_NONE) tally_add(&counters->refusals[noted->reject], 1);
    door_request(counters, noted);
}

void door_items(struct door_counters *counters, const struct events *events)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        uint16_t reject = REJECT_NONE;
        if (event->kind == EVENT_REFUSED) reject = ((const struct refused *)event)->reject;
        if (event->kind == EVENT_RESULT)  reject = ((const struct result *)event)->reject;
        if (reject != REJECT_NONE) tally_add(&counters->refusals[reject], 1);
    }
}

void wheel_show(struct wheel_counters *counters, const struct engine *engine)
{
    struct engine_counts counts = engine_counts(engine);
    uint64_t             words[ARRAY_COUNT(counters->pools)];

    memcpy(words, &counts, sizeof(counts));
    for (uint32_t i = 0; i < ARRAY_COUNT(words); i++) tally_set(&counters->pools[i], words[i]);
    tally_set(&counters->seq, engine_seq(engine));
    tally_set(&counters->time_ms, (uint64_t)engine_time_ms(engine));
}
