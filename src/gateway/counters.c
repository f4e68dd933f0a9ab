/* SPDX-License-Identifier: MIT */
#include "gateway/counters.h"

#include "io/clock.h"

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
