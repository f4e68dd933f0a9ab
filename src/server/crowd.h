/* SPDX-License-Identifier: MIT */
/*
 * crowd.h — who goes first, and who is sent away, when more is asked than can be done (trust.md 5.9). What is dear is
 * the recovery of signatures, so whoever is sent away is sent away before that: the answer is 503, nothing is in the
 * log and the nonce is free.
 *
 * An I/O thread works in turns: it reads whatever has come, on all connections, and then handles it, class by class. What
 * is handled CROWD_NS after its turn began has waited for as long in our memory, and while the turn before ran perhaps
 * for as long again in the kernel's: together 50 ms, after which nobody waits for an answer. Cancels are never late.
 *
 * No clock: the owner brings the time, monotonic.
 */
#ifndef SERVER_CROWD_H
#define SERVER_CROWD_H

#include "api/api.h"

#define CROWD_NS      INT64_C(25000000)
#define CROWD_REQUESTS 256          /* a turn is late because of much work, not because the thread was not let run */

#define CROWD_ALL_BUT_CANCELS    ((1u << API_CLASSES) - 1 - (1u << CLASS_CANCEL))
#define CROWD_WRITES_BUT_CANCELS (CROWD_ALL_BUT_CANCELS - (1u << CLASS_READ))

/* A turn of an I/O thread. Zeroed at first. */
struct crowd { int64_t began_ns; uint32_t handled; };

static inline void crowd_begins(struct crowd *crowd, int64_t now_ns) { *crowd = (struct crowd){ now_ns, 0 }; }
static inline void crowd_handled(struct crowd *crowd) { crowd->handled += 1; }
static inline bool crowd_is_late(const struct crowd *crowd, int64_t now_ns)
{
    return crowd->handled >= CROWD_REQUESTS && now_ns - crowd->began_ns > CROWD_NS;
}

/* Bytes of a ring of `cap` that a write of the class leaves to those that go before it. */
uint64_t crowd_keeps(uint64_t cap, uint8_t class);

/*
 * The class of the request that begins with these bytes, by its method and the end of its path: a guess that only decides
 * who is looked at first; what is no request, or not all of its first line, is a read. What a request really is, the
 * router finds out.
 */
uint8_t crowd_class(struct slice bytes);

#endif
