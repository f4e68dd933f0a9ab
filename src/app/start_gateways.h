/* SPDX-License-Identifier: MIT */
/* start_gateways.h — what the I/O threads need before they run. Each step gives EXIT_FINE, or the code whose reason was
 * printed. */
#ifndef APP_START_GATEWAYS_H
#define APP_START_GATEWAYS_H

#include "app/instance.h"

/* The counters of requests; those of API keys continue from the last run. */
int open_limiter(struct instance *instance);

/* One gateway per I/O thread, after listener, exchange and limiter. */
int open_gateways(struct instance *instance);

/* Writes the month's counters of API keys into the folder when they have changed; 0 or errno. */
int instance_store_quotas(struct instance *instance);

/* Whether the process may use more cores than it has I/O threads. Any thread. */
bool start_leaves_a_core(const struct options *options);

#endif
