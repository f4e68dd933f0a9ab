/* SPDX-License-Identifier: MIT */
/*
 * gateway_fresh.c — reads that wait for a command (X-Dojima-Min-Seq): a client that wrote through one node reads its
 * write through another. Waiting is a state of the session; the engine's thread wakes this one when it has applied a
 * batch, and the loop's timer ends the wait.
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

bool session_await_seq(struct gateway *gateway, struct net_conn *conn, struct api_context *context)
{
    struct session *session = conn->owner;
    int64_t         now_ms = net_now_ms(gateway->net);

    context->freshness = (uint8_t)api_min_seq(&session->request, &session->min_seq);
    if (context->freshness != FRESH || is_applied(gateway, session->min_seq)) return false;
    if (session->wait_until_ms == 0) session->wait_until_ms = now_ms + gateway->settings.wait_ms;
    if (now_ms >= session->wait_until_ms) {
        context->freshness = FRESH_TOO_LATE;
        context->applied_seq = applied_seq(gateway);
        return false;
    }
    session->state = SESSION_AWAITING_SEQ;
    gateway->awaiting_seq[gateway->awaiting_seq_count++] = (struct session_reference){ conn->slot, conn->generation };
    net_turn_within(gateway->net, (uint32_t)(session->wait_until_ms - now_ms));
    return true;
}

/* False: it waits on. */
static bool resume(struct gateway *gateway, struct session_reference reference)
{
    struct net_conn *conn = net_find(gateway->net, reference.slot, reference.generation);
    struct session  *session = conn != NULL ? conn->owner : NULL;
    int64_t          now_ms = net_now_ms(gateway->net);

    if (session == NULL || session->state != SESSION_AWAITING_SEQ) return true;
    if (now_ms < session->wait_until_ms && !is_applied(gateway, session->min_seq)) {
        net_turn_within(gateway->net, (uint32_t)(session->wait_until_ms - now_ms));
        return false;
    }
    session->state = SESSION_AWAITING_REPLIES; /* its request is complete, and is judged again */
    session_ready(gateway, conn);
    return true;
}

void gateway_resume_fresh(struct gateway *gateway)
{
    uint32_t count = gateway->awaiting_seq_count;

    gateway->awaiting_seq_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!resume(gateway, gateway->awaiting_seq[i]))
            gateway->awaiting_seq[gateway->awaiting_seq_count++] = gateway->awaiting_seq[i];
}
