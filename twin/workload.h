/* SPDX-License-Identifier: MIT */
/*
 * workload.h — small worlds and what happens in them. A seed draws everything: how many accounts, coins and symbols,
 * their precisions, ticks, limits, fees and rules, how often each command comes and how near to a limit its numbers are
 * drawn (a swarm: every seed is another kind of exchange).
 */
#ifndef TWIN_WORKLOAD_H
#define TWIN_WORKLOAD_H

#include "world.h"

/* Throws follow from a state, or, while there are any, from bytes that somebody else has chosen. */
struct random_state {
    uint64_t       state;
    const uint8_t *at;
    size_t         len;
};
uint32_t random_below(struct random_state *random_state, uint32_t n); /* 0 … n - 1 */
bool     one_in(struct random_state *random_state, uint32_t n);

enum { WEIGHTS = 16 };
struct workload {
    struct random_state random_state;
    uint32_t            users;
    uint32_t            weight[WEIGHTS]; /* of each kind of command */
    uint32_t            edge;            /* one number in so many is at a limit */
    uint32_t            spread;          /* of prices around the last one */
    uint32_t            perps;           /* how much of perps: 0 nothing, 1 orders, 2 stops too, 3 everything */
    uint32_t            hand;            /* prices come by hand, else from feeders */
    uint32_t            begins_priced;   /* 1: the reference prices count as set by hand */
    uint32_t            rules_every;     /* one command in so many is the operator's about a perps symbol */
    bool                betweens;        /* the operator moves money between accounts of a user */
    bool                raises;          /* the operator raises limits now and then */
    uint32_t            modes;           /* one of the operator's in so many sets the venue's mode; 0 = none does */
    uint32_t            risky;           /* orders as large as margin allows */
    bool                tiers;           /* orders as large as the first tier allows, and closes beneath them */
    bool                unpriced;        /* nobody prices perps: their index follows the own spot book for hours */
    uint32_t            wild;            /* how far prices by hand move, 1e-4 */
    uint64_t            nonce, operator_id;
    uint64_t            used_nonce[64];
    int64_t             time_ms;
    bool                tick_first; /* a UTC midnight was crossed */
};

/* The world of a seed, with at most that much of perps. */
void workload_world(struct workload *work, uint64_t seed, uint32_t perps, struct genesis *genesis);

/* The next command; looks at the twin to find limits worth aiming at. Everything but seq is filled in. */
void workload_next(struct workload *work, struct twin *twin, struct command_room *room);

#endif
