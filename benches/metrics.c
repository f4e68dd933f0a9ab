/* SPDX-License-Identifier: MIT */
/*
 * metrics.c — the cost of counting for one placement.
 *
 *   bench_metrics
 *
 * Processor time of everything that is counted for a signed order of one item, on the I/O thread and (its part of a
 * batch of one) on the engine's and the journal's, compared with the readings of the clock alone that the counting
 * needs. Memory is that of a process with one I/O thread.
 */
#include <stdio.h>

#include "io/clock.h"
#include "machine.h"
#include "gateway/counters.h"
#include "pipeline/counters.h"

#define TIMES 2000000
#define LOOKS 4 /* parse begins, parsed, verified, answered */

static struct io_counters       counters;
static struct pipeline_counters pipeline;
static struct commit_counters   commit;

static int64_t count_io(const struct events *events)
{
    struct request_timer watch = { 0 };
    struct api_noted     noted = { .route = 5 };

    request_timer_begin(&watch);
    watch.head.reached(&watch.head, API_PARSED);
    watch.head.reached(&watch.head, API_VERIFIED);
    io_count_handled(&counters, &watch);
    io_count_items(&counters, events);
    io_count_request(&counters, &noted);
    histogram_add(&counters.answer, clock_mono_ns() - watch.at_ns, 1);
    return watch.at_ns;
}

/* The counts of the later threads for a command: their readings of the clock are per batch. */
static void count_behind(int64_t ns)
{
    histogram_add(&pipeline.queue, ns & 0xffff, 1);
    histogram_add(&pipeline.durable, ns & 0xfffff, 1);
    histogram_add(&pipeline.apply, ns & 0xfff, 1);
    histogram_add(&commit.append, ns & 0xfffff, 1);
    tally_add(&commit.batches, 1);
    tally_add(&commit.records, 1);
}

int main(void)
{
    _Alignas(8) uint8_t bytes[sizeof(struct result)];
    struct events       events = { bytes, 0, sizeof(bytes) };
    int64_t             best = INT64_MAX, clocks = INT64_MAX, sum = 0;

    EVENT_ADD(&events, RESULT, result, MARKET_SPOT)->status = STATUS_NEW;
    for (int round = 0; round < 5; round++) {
        int64_t began = bench_thread_ns(), middle;
        for (int i = 0; i < TIMES; i++) count_behind(count_io(&events));
        middle = bench_thread_ns();
        for (int i = 0; i < TIMES * LOOKS; i++) sum += clock_mono_ns();
        best = min_i64(best, middle - began);
        clocks = min_i64(clocks, bench_thread_ns() - middle);
    }
    (void)printf("metrics: %.0f ns a placement, of which %.0f ns are %d looks at the clock; %zu KiB of counters (%s)\n",
                 (double)best / TIMES, (double)clocks / TIMES, LOOKS,
                 (sizeof(counters) + sizeof(pipeline) + sizeof(commit)) / 1024, sum != 0 ? "best of 5" : "");
    return 0;
}
