/* SPDX-License-Identifier: MIT */
/* limit_rig.h — the rig of requests with a limiter of request weights in front. */
#ifndef RIGS_API_LIMIT_RIG_H
#define RIGS_API_LIMIT_RIG_H

#include "rigs/api/test_rig.h"

static struct limiter limiter;
static uint64_t       addresses; /* so that every request can come from a new one */

static const struct limiter_settings usual = {
    .weight_per_minute = 1200,
    .addresses = 4096,
    .key_per_minute = 20,
    .key_per_month = 100000,
    .keys = 64,
    .key_groups = { [GROUP_RPC] = 1 },
};

static inline void limit_by(const struct limiter_settings *settings)
{
    static const uint64_t seed[2] = { 3, 4 };
    static void          *memory;

    free(memory);
    memory = aligned_alloc(64, limiter_size(settings) + 64);
    memset(memory, 0, limiter_size(settings) + 64);
    limiter_init(&limiter, memory, settings, seed);
    rig_shared.limiter = &limiter;
    rig_context.second = 1000;
    assert_true(ip_read(SLICE("192.0.2.1"), &rig_context.peer));
}

/* From now on requests come from an address that has sent none. */
static inline void from_somebody_new(void)
{
    addresses += 1;
    memset(rig_context.peer.bytes, 0, sizeof(rig_context.peer.bytes));
    rig_context.peer.bytes[0] = 0x20;
    memcpy(rig_context.peer.bytes + 1, &addresses, 4);
}

/* The units left to the address, measured by spending all of them. */
static inline uint32_t left_of(const struct ip *ip)
{
    struct minute_key key = ip_key(ip);
    uint32_t          left = 0, second = rig_context.second;

    while (minutes_spend(limiter.weight, &key, 1, &second) == 0) left += 1;
    return left;
}

#endif
