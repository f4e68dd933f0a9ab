/* SPDX-License-Identifier: MIT */
/*
 * metrics.h — what GET /metrics says, one row per metric: the answer, docs/METRICS.md and the checks of dashboard and
 * alerts are readers of the rows. To add one: a row, and a function that writes its samples.
 */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/instance.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };
extern const char *const metric_type_names[];

struct scrape;

struct metric {
    const char *name;   /* counters end in _total */
    uint8_t     type;   /* enum metric_type */
    const char *unit;   /* "" = a number of things, which the name says */
    const char *labels; /* what they are and where their values come from; "" = none */
    const char *where;  /* who counts it, or what is read */
    const char *help;
    void (*read)(const struct scrape *scrape, const struct metric *row);
};
extern const struct metric metrics[];
extern const uint32_t      metric_count;

/* Writes all of them; `api` is the asking thread's. Takes no memory
   and waits for nothing but the readers' side of the views. */
void metrics_write(void *instance, const struct api *api, struct out *out);

#endif
