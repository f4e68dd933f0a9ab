/* SPDX-License-Identifier: MIT */
/*
 * metrics.h — GET /metrics, one row per metric: the answer, docs/METRICS.md and the checks of dashboard and alerts
 * read the rows. A new metric is a row, and a function that writes its samples.
 */
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "app/metrics/scrape.h"

extern const char *const metric_type_names[];

extern const struct metric metrics[];
extern const uint32_t      metric_count;

/* Writes all of them; `api` is the asking thread's. Takes no memory
   and waits for nothing but the readers' side of the views. */
void metrics_write(void *instance, const struct api *api, struct out *out);

#endif
