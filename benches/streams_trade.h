/* SPDX-License-Identifier: MIT */
/* streams_trade.h — signed batches that trade: in turns one account sells and another buys the same at the same price.
 */
#ifndef BENCH_STREAMS_TRADE_H
#define BENCH_STREAMS_TRADE_H

#include "http_orders.h"

struct trade_request {
    uint32_t len;
    char    *text;
};

/* `count` requests of `orders` orders each; nonces count up from
   `nonce`. Number `from` is the first one's place in the whole run. */
struct trade_request *trade_requests(const struct bench_account *accounts, uint64_t nonce, size_t from, size_t count,
                                     uint32_t orders);
void                  trade_forget(struct trade_request *requests, size_t count);

struct trade_result {
    size_t answered;
    double seconds;
};

/*
 * Sends all of them over `connections` keep-alive connections, each with one outstanding request; `per_second` 0 = as
 * fast as they are answered, else at that pace. Exits when a response is not 200 with code 0 throughout.
 */
struct trade_result trade_run(uint16_t port, int connections, const struct trade_request *requests, size_t count,
                              double per_second);

#endif
