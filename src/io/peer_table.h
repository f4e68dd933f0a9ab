/* SPDX-License-Identifier: MIT */
/*
 * peer_table.h — the connections of all loops, and the choice of those that are closed when a new one finds no slot
 * (ruling 76). A customer is an IPv4 address or the /64 of an IPv6 address; a network is a /24 or a /48 of them. The
 * caller holds the listener's lock, except for the members that are atomic.
 */
#ifndef IO_PEER_TABLE_H
#define IO_PEER_TABLE_H

#include "base/chained.h"

#include <stdatomic.h>

struct peer {
    uint8_t bytes[16];
}; /* IPv4 as ::ffff:a.b.c.d */

struct peer peer_customer(const struct peer *peer);
struct peer peer_network(const struct peer *peer);

#define GUEST_NONE UINT32_MAX

struct peer_entry {
    uint32_t         customer;  /* its row of the customers */
    uint32_t         network;   /* its row of the networks */
    void            *net;       /* the loop that serves it, NULL = this row is free */
    uint32_t         next;      /* of the free rows */
    _Atomic uint32_t heard;     /* 1: it has sent something */
    _Atomic uint32_t dismissed; /* 1: its loop is to close it */
    _Atomic int64_t  active_ms; /* when it sent something last, on the loops' clock */
};

struct peer_table {
    uint32_t           capacity, per_customer, count;
    uint32_t           free;                /* the first free row, or GUEST_NONE */
    struct peer_entry *rows;                /* `capacity` of them */
    struct chained     customers, networks; /* connections of each */
    uint32_t           round;               /* of peer_table_choose */
};

/* False: memory or randomness is short; peer_table_close follows either way. */
bool peer_table_open(struct peer_table *peers, uint32_t capacity, uint32_t per_customer) MUST_USE;
void peer_table_close(struct peer_table *peers);

/*
 * Has a connection that was not dismissed been silent: nothing came from it, although it had GUEST_GRACE_MS to send?
 * Within that time it counts like any other, or else a crowd of busy connections would make every newcomer the first to
 * go.
 */
#define GUEST_GRACE_MS 1000
bool peer_table_have_silent(const struct peer_table *peers, int64_t now_ms);

static inline bool peer_table_are_full(const struct peer_table *peers) { return peers->count == peers->capacity; }

/* A row for a connection of `peer`, or GUEST_NONE: there is none left, or the customer has as many as one may have. */
uint32_t peer_table_enter(struct peer_table *peers, const struct peer *peer, void *net, int64_t now_ms) MUST_USE;
void     peer_table_leave(struct peer_table *peers, uint32_t row);

/*
 * Who goes first, at most `most` (up to GUESTS_CHOSEN) rows, none of them dismissed before: the silent ones, and
 * only where there are none, all others. Among them those of the network with the most, when it has more than one
 * customer may have; among them those of the customer with the most; among them those longest idle. How many were
 * found.
 */
#define GUESTS_CHOSEN 32
uint32_t peer_table_choose(struct peer_table *peers, int64_t now_ms, uint32_t chosen[], uint32_t most);

#endif
