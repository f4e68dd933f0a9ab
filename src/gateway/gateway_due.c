/* SPDX-License-Identifier: MIT */
/* gateway_due.c — what rules of faults delayed and is due now. The loop's timer ends each wait. */
#include "gateway/gateway_disturbed.h"

#include <stdlib.h>

void gateway_look_for_faults(struct gateway *gateway)
{
    const struct chaos *chaos = gateway->shared->chaos;

    gateway->faulty = chaos != NULL && (chaos_is_active(chaos) || gateway->disturbed_count != 0);
}

static void put_first(struct session_faults *faults, struct out *output)
{
    struct late_bytes *late = faults->first;

    out_bytes(output, late->bytes, late->len);
    faults->first = late->next;
    if (faults->first == NULL) faults->last = NULL;
    faults->late -= late->len;
    free(late);
}

/* Everything that waited has been sent. */
static void all_sent(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (session->faults->end == LATE_FINISH) {
        net_finish(gateway->net, conn, true);
    } else if (session->faults->end == LATE_CUT) {
        gateway_stream_cut(gateway, conn);
    } else if (session->state == SESSION_STREAM) {
        gateway_set_stream_time(gateway);
        stream_drained(gateway->stream, conn->slot);
        gateway_flush_streams(gateway);
    } else {
        session_run(gateway, conn);
    }
}

static int64_t send_late(struct gateway *gateway, struct net_conn *conn)
{
    struct session_faults *faults = ((struct session *)conn->owner)->faults;
    int64_t                now_ms = net_now_ms(gateway->net);
    bool                   sent = false;

    while (faults->first != NULL && faults->first->due_ms <= now_ms && net_room(conn, faults->first->len)) {
        put_first(faults, &conn->output);
        sent = true;
    }
    if (sent) net_flush(gateway->net, conn);
    if (conn->closing) return INT64_MAX;
    if (faults->first != NULL) return max_i64(faults->first->due_ms, now_ms + 1);
    if (sent) all_sent(gateway, conn);
    return conn->closing || faults->first == NULL ? INT64_MAX : max_i64(faults->first->due_ms, now_ms + 1);
}

/* When it wants to be looked at again. */
static int64_t run_session(struct gateway *gateway, struct net_conn *conn)
{
    struct session        *session = conn->owner;
    struct session_faults *faults = session->faults;
    int64_t                next_ms = send_late(gateway, conn), now_ms = net_now_ms(gateway->net);

    if (conn->closing) return INT64_MAX;
    if (session->state == SESSION_STREAM) {
        if (faults->arrival_count != 0) session_read_stream(gateway, conn);
        for (uint32_t i = 0; !conn->closing && i < faults->arrival_count; i++)
            next_ms = min_i64(next_ms, faults->arrivals[i].due_ms);
        return next_ms;
    }
    if (session->state != SESSION_AWAITING_TIME) return next_ms;
    if (session_due_ms(faults) > now_ms) return min_i64(next_ms, session_due_ms(faults));
    session->state = SESSION_AWAITING_REPLIES; /* its request is complete, and is judged already */
    session_ready(gateway, conn);
    return next_ms;
}

void gateway_run_faults(struct gateway *gateway)
{
    int64_t  next_ms = INT64_MAX, now_ms = net_now_ms(gateway->net);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < gateway->disturbed_count; i++) {
        struct session_reference reference = gateway->disturbed[i];
        struct net_conn         *conn = net_find(gateway->net, reference.slot, reference.generation);
        if (conn == NULL) continue;
        gateway->disturbed[kept++] = reference;
        next_ms = min_i64(next_ms, run_session(gateway, conn));
    }
    gateway->disturbed_count = kept;
    if (next_ms != INT64_MAX) net_turn_within(gateway->net, (uint32_t)max_i64(1, next_ms - now_ms));
}
