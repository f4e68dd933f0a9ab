/* SPDX-License-Identifier: MIT */
/*
 * gateway_fresh.c — requests that wait for a command or for the next millisecond. A client that wrote through one node
 * reads its write through another (X-Dojima-Min-Seq); what follows a request without weight is paced (decision 307).
 * Waiting is a state of the session; the engine's thread wakes this one when it has applied a batch, and the loop's
 * timer ends the wait.
 */
#include "gateway/gateway_inside.h"

static uint64_t applied_seq(const struct gateway *gateway) { return atomic_load(&gateway->shared->applied_seq); }

/* The engine's thread wakes this one after the next batch; a batch that it has applied by now is seen at once. */
static bool is_applied(struct gateway *gateway, uint64_t seq)
{
    if (applied_seq(gateway) >= seq) return true;
    atomic_fetch_or(&gateway->shared->seq_waiters, UINT64_C(1) << gateway->settings.thread);
    return applied_seq(gateway) >= seq;
}

static void wait_for(struct gateway *gateway, const struct net_conn *conn, enum session_state state, int64_t ms)
{
    ((struct session *)conn->owner)->state = (uint8_t)state;
    gateway->timed[gateway->timed_count++] = (struct session_reference){ conn->slot, conn->generation };
    net_turn_within(gateway->net, (uint32_t)ms);
}

bool session_pace(struct gateway *gateway, struct net_conn *conn)
{
    const struct session *session = conn->owner;

    if (session->weightless_ms != net_now_ms(gateway->net)) return false;
    wait_for(gateway, conn, SESSION_PACED, 1);
    return true;
}

bool session_await_seq(struct gateway *gateway, struct net_conn *conn, struct api_context *context)
{
    struct session *session = conn->owner;
    int64_t         now_ms = net_now_ms(gateway->net);

    context->freshness = (uint8_t)api_min_seq(session->request, &session->min_seq);
    if (context->freshness != FRESH || is_applied(gateway, session->min_seq)) return false;
    if (session->wait_until_ms == 0) session->wait_until_ms = now_ms + gateway->settings.wait_ms;
    if (now_ms >= session->wait_until_ms) {
        context->freshness = FRESH_TOO_LATE;
        context->applied_seq = applied_seq(gateway);
        return false;
    }
    wait_for(gateway, conn, SESSION_AWAITING_SEQ, session->wait_until_ms - now_ms);
    return true;
}

/* How long it waits on; 0: no longer, or not at all. */
static int64_t wait_left(struct gateway *gateway, const struct session *session)
{
    int64_t now_ms = net_now_ms(gateway->net);

    if (session->state == SESSION_PACED) return session->weightless_ms == now_ms ? 1 : 0;
    if (now_ms >= session->wait_until_ms || is_applied(gateway, session->min_seq)) return 0;
    return session->wait_until_ms - now_ms;
}

/* False: it waits on. */
static bool resume(struct gateway *gateway, struct session_reference reference)
{
    struct net_conn *conn = net_find(gateway->net, reference.slot, reference.generation);
    struct session  *session = conn != NULL ? conn->owner : NULL;
    int64_t          left;

    if (session == NULL || (session->state != SESSION_AWAITING_SEQ && session->state != SESSION_PACED)) return true;
    left = wait_left(gateway, session);
    if (left != 0) {
        net_turn_within(gateway->net, (uint32_t)left);
        return false;
    }
    session->state = SESSION_AWAITING_REPLIES; /* its request is complete, and is judged again */
    session_ready(gateway, conn);
    return true;
}

void gateway_resume_timed(struct gateway *gateway)
{
    uint32_t count = gateway->timed_count;

    gateway->timed_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!resume(gateway, gateway->timed[i])) gateway->timed[gateway->timed_count++] = gateway->timed[i];
}
