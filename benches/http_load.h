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
 * Sends requests[first] … requests[first + count - 1] over `connections` connections to 127.0.0.1:port, each as soon as
 * its connection is free, and checks every response; a request that a busy server sheds (503) is sent again after
 * 10 ms, and its latency goes on counting. False: no connection. At a constant rate: open_load.h.
 */
bool load_run(uint16_t port, int connections, const struct bench_request *requests, size_t first, size_t count,
              struct load_result *result);

/* A connection number `number`, from 127.0.0.1 or a later address; -1 = none. */
int load_connect(uint16_t port, int number);

/* Bytes of the first response in `reply`, which has room for one byte behind `filled`; 0 = it is not complete. */
size_t load_reply_bytes(char *reply, size_t filled, const char **body);

/* HTTP 200, code 0 in the envelope and in every item, and the first item is the one that was sent. */
bool load_reply_good(const struct bench_request *request, const char *reply, const char *body);

/* Sorts the latencies of result->answered requests, and takes the percentiles of them. */
void load_percentiles(struct load_result *result, float *latency_us);

/* One request by hand, for waiting until the server is ready: is the answer's status 200? */
bool load_probe(uint16_t port, const char *path);

/* Monotonic seconds. */
double bench_now(void);

#endif
