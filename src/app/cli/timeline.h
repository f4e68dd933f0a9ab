/* SPDX-License-Identifier: MIT */
/*
 * timeline.h — a scenario for a development exchange, as JSON: what happens at which time, and what is expected of it.
 * docs/scenarios.md describes the format; its keys are the rows of timeline_rows.c.
 *
 *     {"name": "…", "about": "…", "market": "calm", "seed": 7, "ends": "5m",
 *      "steps":  [{"at": "5s", "do": "index", "symbol": "BTC-USD", "to": "-12%", "over": "90s"}],
 *      "expect": [{"by": "3m", "liquidated": 1003}]}
 *
 * Times count from the scenario's beginning, in engine time.
 */
#ifndef APP_CLI_TIMELINE_H
#define APP_CLI_TIMELINE_H

#include "app/cli/timeline_rows.h"
#include "base/slice.h"

#include <jansson.h>

#define TIMELINE_STEPS_MAX  1000
#define TIMELINE_EXPECT_MAX 200
#define TIMELINE_LOOK_MS    1000
#define TIMELINE_MS_MAX     (INT64_C(400) * 24 * 3600 * 1000)

struct step {
    const struct timeline_row *row;
    int64_t                    at_ms;
    const json_t              *keys; /* of the timeline */
};

struct expectation {
    const struct timeline_row *row;
    int64_t                    from_ms, by_ms; /* looked at from `from_ms` on until it holds, at most to `by_ms` */
    const json_t              *keys;
};

struct timeline {
    json_t            *json; /* owns all texts */
    const char        *name, *about, *market;
    uint64_t           seed;
    int64_t            ends_ms;
    int64_t            look_ms; /* between two looks at what is expected */
    uint32_t           step_count, expectation_count;
    struct step        steps[TIMELINE_STEPS_MAX]; /* by time; those of one time in the order of the file */
    struct expectation expectations[TIMELINE_EXPECT_MAX];
};

/* Reads a scenario. False: `why` is one sentence that names the key. What was read is freed by timeline_free, always.
 */
bool timeline_read(struct slice text, struct timeline *timeline, char why[256]) MUST_USE;
void timeline_free(struct timeline *timeline);

/* "250ms", "90s", "5m", "1h", "2d": milliseconds. False: no such text, or more than TIMELINE_MS_MAX. */
bool timeline_ms(const char *text, int64_t *ms) MUST_USE;

#endif
