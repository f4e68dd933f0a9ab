/* SPDX-License-Identifier: MIT */
/* http_load.h — keep-alive connections that each have one outstanding request; one thread, epoll. */
#ifndef BENCH_HTTP_LOAD_H
#define BENCH_HTTP_LOAD_H

#include "http_orders.h"

struct load_result {
    size_t answered;
    double seconds;
    double p50_us, p90_us, p99_us, p999_us, max_us;
    size_t again; /* responses 503: sent again, until they are executed */
    size_t wrong; /* answers that were not HTTP 200 with code 0 in envelope and item */
    char   first_wrong[512];
};

/*
 * Sends requests[first] … requests[first + count - 1] over `connections` connections to 127.0.0.1:port and checks
 * every response; a request that a busy server sheds (503) is sent again after 10 ms. With a `rate` (a second; 0 =
 * each as soon as its connection is free) request number n is due at n / rate, and its latency counts from then, not
 * from when it was sent: a request that waits behind a slow response is late as well. False: no connection.
 */
bool load_run(uint16_t port, int connections, double rate, const struct bench_request *requests, size_t first,
              size_t count, struct load_result *result);

/* One request by hand, for waiting until the server is ready: is the answer's status 200? */
bool load_probe(uint16_t port, const char *path);

/* Monotonic seconds. */
double bench_now(void);

#endif
