/* SPDX-License-Identifier: MIT */
/*
 * overload.h — priority, and refusal of requests under overload (process 4). The expensive part of a request is the
 * recovery of its signature, so a refusal happens before it: the answer is 503, nothing is in the log and the nonce is
 * free.
 *
 * An I/O thread works in turns: it reads the input of all connections and then handles it, class by class. A request
 * that is reached after OVERLOAD_NS of work has waited that long in our memory, and perhaps as long again in the
 * kernel's during the turn before: together 50 ms, after which no client waits for an answer. Cancels are never too
 * late. Work is processor time: a thread that the machine did not schedule refuses no request for that reason.
 *
 * No clock: the owner passes the time.
 */
#ifndef GATEWAY_OVERLOAD_H
#define GATEWAY_OVERLOAD_H

#include "model/enums.h"

#define OVERLOAD_NS          INT64_C(25000000)
#define OVERLOAD_CONNECTIONS 16 /* with more ready connections than this, each gets OVERLOAD_QUOTA requests a turn */
#define OVERLOAD_REQUESTS    64 /* fewer of them in a turn are not refused, whatever they cost */
#define OVERLOAD_QUOTA       4  /* requests of a connection in such a turn */

#define OVERLOAD_ALL_BUT_CANCELS    ((1u << OVERLOAD_CLASSES) - 1 - (1u << CLASS_CANCEL))
#define OVERLOAD_WRITES_BUT_CANCELS (OVERLOAD_ALL_BUT_CANCELS - (1u << CLASS_READ))

/* A turn of an I/O thread. Zeroed at first. began: monotonic; worked:
   processor time of the thread; late: from here to its end. */
struct overload {
    int64_t  began_ns, worked_ns;
    uint32_t handled;
    bool     is_active, late;
};

static inline void overload_begin(struct overload *overload, int64_t now_ns, int64_t worked_ns)
{
    *overload = (struct overload){ .began_ns = now_ns, .worked_ns = worked_ns, .is_active = true };
}
static inline void overload_clear(struct overload *overload) { *overload = (struct overload){ 0 }; }
static inline void overload_count_request(struct overload *overload) { overload->handled += 1; }

/*
 * A connection is served. *behind_ns is when its backlog first exceeded its quota (the requests of one turn), 0 = it
 * does not: the requests of a connection whose backlog exceeded its quota for 50 ms are that old, and are refused.
 */
static inline void overload_note_backlog(const struct overload *overload, int64_t *behind_ns)
{
    if (*behind_ns == 0) *behind_ns = overload->began_ns;
}

/* Whether this connection's requests are that old. Its own backlog decides, not that of others. */
static inline bool overload_is_backlogged(const struct overload *overload, int64_t behind_ns)
{
    return overload->is_active && behind_ns != 0 && overload->began_ns - behind_ns > 2 * OVERLOAD_NS;
}

/*
 * Whether the turn has handled OVERLOAD_REQUESTS and lasted OVERLOAD_NS, so that its processor time must be read:
 * processor time is never more than elapsed time.
 */
static inline bool overload_is_past_deadline(const struct overload *overload, int64_t now_ns)
{
    return overload->is_active && overload->handled >= OVERLOAD_REQUESTS && now_ns - overload->began_ns > OVERLOAD_NS;
}

static inline bool overload_is_late(struct overload *overload, int64_t worked_ns)
{
    overload->late |= worked_ns - overload->worked_ns > OVERLOAD_NS;
    return overload->late;
}

/* Bytes of a ring of `cap` that a write of the class leaves to those that go before it. */
uint64_t overload_reserved_bytes(uint64_t cap, uint8_t class);

#endif
