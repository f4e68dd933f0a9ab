/* SPDX-License-Identifier: MIT */
/*
 * open_load.h — requests at a constant rate, whatever the responses do: no limit of outstanding requests makes a
 * backlog of its own or hides one.
 */
#ifndef BENCH_OPEN_LOAD_H
#define BENCH_OPEN_LOAD_H

#include "http_load.h"

#include <stdio.h>

#define LATE_US 2000

struct open_plan {
    uint16_t                    port;
    int                         connections;
    double                      rate; /* a second; 0 = `depth` outstanding on each connection, to find the capacity */
    uint32_t                    depth;
    uint32_t                    ahead;    /* requests of one connection behind one that is not answered; at most 8192 */
    bool                        own_core; /* of the caller: it looks all the time, else every 50 us */
    const struct bench_request *requests;
    size_t                      count;
    FILE                       *late; /* when each request over LATE_US was due, and answered; NULL: is not wanted */
};

struct open_result {
    struct load_result load;
    double             late_p99_us; /* of this program: from when a request was due until it was sent */
    size_t             most;        /* outstanding requests at any time */
};

/*
 * Request number n is due at n / rate and goes to connection n modulo connections, behind what is outstanding there
 * (pipelining). Its latency counts from then, so that a late response delays nothing but itself and what the exchange
 * makes wait. A request that was shed (503) is sent again after 10 ms, before those of its connection that were not
 * sent yet. `ahead` bounds these, because the nonce of one that is sent again must not be far behind those of its
 * account. False: no connection.
 */
bool open_load_run(const struct open_plan *plan, struct open_result *result);

#endif
