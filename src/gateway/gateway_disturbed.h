/* SPDX-License-Identifier: MIT */
/* gateway_disturbed.h — what rules of faults know of a session; for the files that carry them out. */
#ifndef GATEWAY_GATEWAY_DISTURBED_H
#define GATEWAY_GATEWAY_DISTURBED_H

#include "chaos/chaos.h"
#include "gateway/gateway_inside.h"

#define ARRIVALS   64
#define LATE_BYTES (4 * 1024 * 1024) /* bytes that wait; then no further request of the session is handled */

/* Input up to `end` came at that time; of a stream it counts as having come at due_ms, 0 = not drawn yet. */
struct arrival {
    uint32_t end;
    int64_t  at_ms, due_ms;
};

/* Output that leaves later. */
struct late_bytes {
    struct late_bytes *next;
    int64_t            due_ms;
    size_t             len;
    char               bytes[];
};

enum late_end { LATE_GOES_ON = 0, LATE_FINISH, LATE_CUT }; /* when all of it has left */

struct session_faults {
    struct chaos_verdict verdict; /* of the request at hand, until it is answered */
    int64_t              due_ms;  /* it is handled then; never earlier than the one before it */
    struct late_bytes   *first, *last;
    size_t               late;    /* bytes of these */
    int64_t              late_ms; /* nothing leaves before */
    uint8_t              end;     /* enum late_end */
    uint32_t             arrival_count;
    struct arrival       arrivals[ARRIVALS];
    struct chaos_seen    seen[CHAOS_RULES_MAX];
};

/* The subject that rules are compared with at a point of a stream. */
struct chaos_subject stream_subject(struct gateway *gateway, const struct net_conn *conn, enum chaos_point point);

/* When the request at hand is handled: where too much of earlier answers waits, when some of it has left. */
static inline int64_t session_due_ms(const struct session_faults *faults)
{
    return faults->late > LATE_BYTES ? max_i64(faults->due_ms, faults->first->due_ms + 1) : faults->due_ms;
}

/* Microseconds as milliseconds of the loop's clock, rounded to the nearest. */
static inline int64_t ms_of(int64_t us) { return (us + 500) / 1000; }

#endif
