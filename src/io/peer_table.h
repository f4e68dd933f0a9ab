/* SPDX-License-Identifier: MIT */
/*
 * peer_table.h — the connections of all loops, and the choice of those that are closed when there is no slot for a new
 * one (ruling 76). A client prefix is an IPv4 address or the /64 of an IPv6 address; a network is a /24 or a /48. The
 * caller holds the listener's lock, except for the members that are atomic.
 */
#ifndef IO_PEER_TABLE_H
#define IO_PEER_TABLE_H

#include "base/chained.h"

#include <stdatomic.h>

struct peer {
    uint8_t bytes[16];
}; /* IPv4 as ::ffff:a.b.c.d */

struct peer peer_client_prefix(const struct peer *peer);
struct peer peer_network(const struct peer *peer);

#define PEER_ROW_NONE UINT32_MAX

struct peer_entry {
    uint32_t         client_prefix; /* its row of the client prefixes */
    uint32_t         network;       /* its row of the networks */
    void            *net;           /* the loop that serves it, NULL = this row is free */
    uint32_t         next;          /* of the free rows */
    _Atomic uint32_t heard;         /* 1: it has sent something */
    _Atomic uint32_t must_close;    /* 1: its loop is to close it */
    _Atomic int64_t  active_ms;     /* when it sent something last, on the loops' clock */
    bool             of_proxy;      /* of many clients: nobody's share, see peer_table_enter */
};

struct peer_table {
    uint32_t           capacity, per_client_prefix, count;
    uint32_t           free;                      /* the first free row, or PEER_ROW_NONE */
    struct peer_entry *rows;                      /* `capacity` of them */
    struct chained     client_prefixes, networks; /* connections of each */
    uint32_t           round;                     /* of peer_table_choose */
};

/* False: memory or randomness is short; peer_table_close follows either way. */
bool peer_table_open(struct peer_table *peers, uint32_t capacity, uint32_t per_client_prefix) MUST_USE;
void peer_table_close(struct peer_table *peers);

/*
 * Has a connection been silent that need not close yet: nothing came from it, although it had SILENT_GRACE_MS to send?
 * Within that time it counts like any other, or else many busy connections would make every new one the first to close.
 * One that a proxy keeps for its next client is silent when nothing has come from it for UNUSED_MS.
 */
#define SILENT_GRACE_MS 1000
#define UNUSED_MS       10000
bool peer_table_have_silent(const struct peer_table *peers, int64_t now_ms);

static inline bool peer_table_are_full(const struct peer_table *peers) { return peers->count == peers->capacity; }

/*
 * A row for a connection of `peer`, or PEER_ROW_NONE: there is none left, or the client prefix has the most it may. A
 * proxy, behind which there are many clients, may have any number.
 */
uint32_t peer_table_enter(struct peer_table *peers, const struct peer *peer, bool is_proxy, void *net,
                          int64_t now_ms) MUST_USE;
/* From now on it is a connection of this peer's. False: that one has the most it may, and nothing has changed. */
bool peer_table_move(struct peer_table *peers, uint32_t row, const struct peer *peer, bool is_proxy) MUST_USE;
void peer_table_leave(struct peer_table *peers, uint32_t row);

/*
 * Chooses connections to close, at most `most` (up to PEERS_CHOSEN_MAX) that need not close yet: silent ones, or all
 * when none is silent; of these those of proxies only when there are no others; of these the network with the most
 * connections, when it has more than one client prefix may have; of these the client prefix with the most; of these
 * the longest idle. Returns how many.
 */
#define PEERS_CHOSEN_MAX 32
uint32_t peer_table_choose(struct peer_table *peers, int64_t now_ms, uint32_t chosen[], uint32_t most);

#endif
