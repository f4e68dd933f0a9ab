/* SPDX-License-Identifier: MIT */
/*
 * metrics.h — GET /metrics, one row per metric: the answer, docs/METRICS.md and the checks of dashboard and alerts
 * read the rows. A new metric is a row, and a function that writes its samples.
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
    const char *unit;   /* "" = a count, named by the metric */
    const char *labels; /* the labels and the source of their values; "" = none */
    const char *where;  /* where it is counted or read */
    const char *help;
    void (*read)(const struct scrape *scrape, const struct metric *row);
};
extern const struct metric metrics[];
extern const uint32_t      metric_count;

/* Writes all of them; `api` is the asking thread's. Takes no memory
   and waits for nothing but the readers' side of the views. */
void metrics_write(void *instance, const struct api *api, struct out *out);

#endif
