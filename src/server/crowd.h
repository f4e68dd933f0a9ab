/* SPDX-License-Identifier: MIT */
/*
 * crowd.h — who goes first, and who is sent away, when more is asked than can be done (process 4). What is dear is
 * the recovery of signatures, so whoever is sent away is sent away before that: the answer is 503, nothing is in the
 * log and the nonce is free.
 *
 * An I/O thread works in turns: it reads whatever has come, on all connections, and then handles it, class by class. What
 * is reached after CROWD_NS of work has waited for as long in our memory, and while the turn before ran perhaps for as long
 * again in the kernel's: together 50 ms, after which nobody waits for an answer. Cancels are never late. Work is processor
 * time: on a machine that does other things too, a thread that was not let run sends nobody away for it.
 *
 * No clock: the owner brings the time.
 */
#ifndef SERVER_CROWD_H
#define SERVER_CROWD_H

#include "api/api.h"

#define CROWD_NS      INT64_C(25000000)
#define CROWD_CONNECTIONS 16        /* more of them are a crowd                */
#define CROWD_REQUESTS    64        /* fewer of them in a turn are not sent away, however dear they are */
#define CROWD_EACH        4         /* requests of a connection in a crowd's turn */

#define CROWD_ALL_BUT_CANCELS    ((1u << OVERLOAD_CLASSES) - 1 - (1u << CLASS_CANCEL))
#define CROWD_WRITES_BUT_CANCELS (CROWD_ALL_BUT_CANCELS - (1u << CLASS_READ))

/* A turn of an I/O thread. Zeroed at first. began: monotonic; worked: processor time of the thread; late: from here to its end. */
struct crowd { int64_t began_ns, worked_ns; uint32_t handled; bool is_one, late; };

static inline void crowd_begins(struct crowd *crowd, int64_t now_ns, int64_t worked_ns) { *crowd = (struct crowd){ .began_ns = now_ns, .worked_ns = worked_ns, .is_one = true }; }
static inline void crowd_is_none(struct crowd *crowd) { *crowd = (struct crowd){ 0 }; }
static inline void crowd_handled(struct crowd *crowd) { crowd->handled += 1; }

/*
 * A connection has its turn. *behind_ns is when it first had more requests than a turn takes, 0 = it has not: who sends more
 * than its part of a crowd for 50 ms has requests that are as old, and those that it has sent are sent away.
 */
static inline void crowd_looks(const struct crowd *crowd, int64_t *behind_ns)
{
    if (*behind_ns == 0) *behind_ns = crowd->began_ns;
}

/* Are this connection's requests as old as that? Its own doing: whoever else has a turn is not asked. */
static inline bool crowd_is_behind(const struct crowd *crowd, int64_t behind_ns)
{
    return crowd->is_one && behind_ns != 0 && crowd->began_ns - behind_ns > 2 * CROWD_NS;
}

/* Is it worth asking how much was worked? No work takes less time than it takes. */
static inline bool crowd_is_long(const struct crowd *crowd, int64_t now_ns)
{
    return crowd->is_one && crowd->handled >= CROWD_REQUESTS && now_ns - crowd->began_ns > CROWD_NS;
}

static inline bool crowd_is_late(struct crowd *crowd, int64_t worked_ns)
{
    crowd->late |= worked_ns - crowd->worked_ns > CROWD_NS;
    return crowd->late;
}

/* Bytes of a ring of `cap` that a write of the class leaves to those that go before it. */
uint64_t crowd_keeps(uint64_t cap, uint8_t class);

#endif
