/* SPDX-License-Identifier: MIT */
/* http_orders.h — signed requests of many accounts, made before the clock runs. */
#ifndef BENCH_HTTP_ORDERS_H
#define BENCH_HTTP_ORDERS_H

#include "crypto/crypto.h"

#define BENCH_ACCOUNTS      100
#define BENCH_FIRST_ACCOUNT 1001
#define BENCH_CHAIN_ID      31337 /* of these tests alone: serve refuses those of the public venue (ruling 8) */

struct bench_account {
    uint8_t        secret[32];
    struct address address;
};

/* The keys of `count` accounts: keccak256("bench account <i>"). Exits when the library refuses one. */
void bench_accounts(struct bench_account *accounts, size_t count);

struct bench_request {
    const char *text;
    uint32_t    len, orders; /* orders: items that have to be accepted; 0 = a read */
    size_t      first;       /* number of its first order */
};

/* Which requests: number `first` and those behind it, of account (number modulo accounts). */
struct bench_flow {
    const struct bench_account *accounts;
    size_t                      account_count, first, count; /* as many accounts buy as sell: an even number */
    uint32_t                    orders;                      /* in each */
    uint64_t                    nonce;                       /* of number 0 */
};

/*
 * The requests of a flow, from all accounts in turn: even accounts buy and odd ones sell, at prices at which each bid
 * meets each ask. So about half of the orders rest before they trade, and no more rest at once than are under way, at
 * any rate and for any time. Digest and signature of each are kept for the bare recovery loop when `digests` is not
 * NULL. Memory from malloc; bench_forget frees it.
 */
struct bench_request *bench_requests(const struct bench_flow *flow, struct hash256 *digests,
                                     struct signature *signatures);

/* `count` times the same read. */
struct bench_request *bench_reads(const char *path, size_t count);

void bench_forget(struct bench_request *requests, size_t count);

#endif
