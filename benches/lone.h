/* SPDX-License-Identifier: MIT */
/*
 * lone.h — a client that has one order under way and waits for its answer, beside what that order cannot do without:
 * one recovery by libsecp256k1, one write and fdatasync of a block of the log, one echo of as many bytes over TCP. The
 * echo is between two threads on the cores of client and I/O thread.
 */
#ifndef BENCH_LONE_H
#define BENCH_LONE_H

#include "served.h"

/* `count` requests, one each LONE_MS, and the bare parts in the middle between two of them. */
struct lone_plan {
    uint16_t                    port;
    const char                 *folder; /* on the exchange's disk, for the bare file */
    int                         io_core, client_core;
    const struct bench_request *requests;
    const struct hash256       *digests;
    const struct signature     *signatures;
    size_t                      count;
};

struct lone_result {
    double p50_us, p99_us;               /* of the orders */
    double bare_p50_us;                  /* of the sums of the three parts of a round */
    double recover_us, sync_us, echo_us; /* medians */
};

#define LONE_MS 2

/* Exits when a request is refused or the parts cannot be measured. */
void lone_run(const struct lone_plan *plan, struct lone_result *result);

#endif
