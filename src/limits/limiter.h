/* SPDX-License-Identifier: MIT */
/*
 * limiter.h — all counters of requests, in one block of memory of fixed size (service 8):
 *
 *   weight   units per rolling minute of an address (ruling 15), charged before any work is done
 *   orders   orders per rolling minute of an (account, key), off unless configured (wire 5.2)
 *   refusals of an address per rolling minute: behind REFUSALS_MAX its connections are closed (ruling 76)
 *   keys     requests per minute and month of an API key (ruling 16)
 *
 * It belongs to the gateway, not to the exchange: no counter is in the log or in the state. No clock and no disk of
 * its own; all I/O threads share it.
 */
#ifndef LIMITS_LIMITER_H
#define LIMITS_LIMITER_H

#include "limits/address.h"
#include "limits/quota.h"

/* Routes for which the rule set of API keys is switched on one by one. */
enum limit_group { GROUP_SPOT, GROUP_PERPS, GROUP_RPC, LIMIT_GROUPS };

#define WEIGHT_MIN   20 /* a limit below could never let a default request pass */
#define REFUSALS_MAX 1000
#define ORDERS_MIN   100 /* … nor a full batch */

struct limiter_settings {
    uint32_t       weight_per_minute; /* 0 = off, else WEIGHT_MIN to MINUTE_LIMIT_MAX */
    uint32_t       addresses;         /* rows */
    uint32_t       orders_per_minute; /* 0 = off, else ORDERS_MIN to MINUTE_LIMIT_MAX */
    uint32_t       key_per_minute, key_per_month;
    uint32_t       keys; /* rows of `keys`, and of `orders` */
    uint8_t        key_groups[LIMIT_GROUPS];
    struct proxies proxies;
};

struct limiter {
    struct limiter_settings settings;
    struct minutes         *weight, *orders; /* NULL = off */
    struct minutes         *refusals;        /* requests of an address that were refused; NULL = with `weight` */
    struct quotas          *keys;            /* NULL = off for all groups */
};

size_t limiter_size(const struct limiter_settings *settings);

/* `memory`: limiter_size() bytes, zeroed, aligned to 64, for as long as the limiter. `seed`: random. */
void limiter_init(struct limiter *limiter, void *memory, const struct limiter_settings *settings,
                  const uint64_t seed[2]);
void limiter_deinit(struct limiter *limiter);

#endif
