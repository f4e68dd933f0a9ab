/* SPDX-License-Identifier: MIT */
/*
 * address.h — the address of a request: addresses, ranges of them, and the headers of trusted proxies about the client
 * behind them (ruling 15; process 3).
 */
#ifndef LIMITS_ADDRESS_H
#define LIMITS_ADDRESS_H

#include "base/slice.h"
#include "limits/minute.h"

struct ip {
    uint8_t bytes[16];
}; /* IPv4 as ::ffff:a.b.c.d, so that both spellings are one */

/* "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"; nothing around it. */
bool ip_read(struct slice text, struct ip *ip) MUST_USE;

/* The limited unit: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */
struct minute_key ip_key(const struct ip *ip);

struct ip_range {
    struct ip base;
    uint32_t  bits;
}; /* bits of the 128 that count */

/* An address, or address/bits with nothing set behind the bits. */
bool ip_range_read(struct slice text, struct ip_range *range) MUST_USE;
bool ip_in_range(const struct ip *ip, const struct ip_range *range);

#define PROXIES_MAX 32

/* The header that the proxies write: only that one is read, because they pass on any other header of a client. */
enum forwarded_header { FORWARDED_X_FOR, FORWARDED_RFC7239 };

struct proxies {
    uint32_t        count;
    uint8_t         header; /* enum forwarded_header */
    struct ip_range ranges[PROXIES_MAX];
};

bool proxies_trust(const struct proxies *proxies, const struct ip *ip);

/*
 * The client of a request that `peer` sent us. When the peer is a proxy of ours, the lines of its header
 * (in the order they were sent) are walked from the right to the first address that is none; when all
 * are ours it is the leftmost. An entry on the way that is no address, or no entry at all: the peer.
 */
struct ip proxies_client(const struct proxies *proxies, const struct ip *peer, const struct slice *lines,
                         uint32_t count);

#endif
