/* SPDX-License-Identifier: MIT */
/* gateway_turn.c — the order in which connections are served. */
#include "gateway/gateway_inside.h"

#include "io/clock.h"

/* The next request of a connection is at the front of its bytes; a stream has none. */
static uint8_t class_of(const struct gateway *gateway, uint32_t slot)
{
    const struct net_conn *conn = net_at(gateway->net, slot);
    const struct session  *session = conn != NULL ? conn->owner : NULL;

    if (session == NULL || session->state == SESSION_STREAM) return CLASS_READ;
    return api_class(gateway->api, slice_make(conn->input + session->at, conn->input_len - session->at));
}

static void take_turn(struct gateway *gateway, uint32_t slot)
{
    struct net_conn *conn = net_at(gateway->net, slot);
    struct session  *session;

    if (conn == NULL) return;
    session = conn->owner;
    session->ready = false;
    session->handled = 0;
    session_take_turn(gateway, conn);
    while (gateway->awaiting_signer_count == API_PENDING_SIGNATURES)
        gateway_recover_signers(gateway); /* a request without a place to wait is recovered alone, which is expensive */
    writes_show(gateway, WRITES_AT_ONCE);
    gateway_take_replies(gateway);
    gateway_push_streams(gateway);
}

/*
 * Under overload: class by class, and in each the latest arrivals first, so that the refused ones are not always the
 * same.
 */
static void take_turns_in_order(struct gateway *gateway, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) gateway->classes[i] = class_of(gateway, gateway->turn[i]);
    for (uint32_t class = CLASS_CANCEL; class < OVERLOAD_CLASSES; class ++)
        for (uint32_t i = count; i-- > 0;)
            if (gateway->classes[i] == class) take_turn(gateway, gateway->turn[i]);
}

void gateway_turned(struct gateway *gateway)
{
    uint32_t *turn, count;

    gateway_look_for_faults(gateway);
    if (gateway->faulty) gateway_run_faults(gateway);
    if (gateway->timed_count != 0) gateway_resume_timed(gateway);
    turn = gateway->ready;
    count = gateway->ready_count;
    gateway->ready = gateway->turn;
    gateway->ready_count = 0;
    gateway->turn = turn;
    overload_clear(&gateway->overload);
    gateway->groups_signatures = count > 1;
    if (count > OVERLOAD_CONNECTIONS) {
        overload_begin(&gateway->overload, clock_mono_ns(), clock_thread_ns());
        take_turns_in_order(gateway, count);
    } else {
        for (uint32_t i = 0; i < count; i++) take_turn(gateway, turn[i]);
    }
    while (gateway->awaiting_signer_count != 0) {
        gateway_recover_signers(gateway);
        writes_show(gateway, WRITES_AT_ONCE);
        gateway_take_replies(gateway);
        gateway_push_streams(gateway);
    }
    gateway->groups_signatures = false;
    writes_show(gateway, 1);
    writes_announced(gateway);
    gateway_push_streams(gateway);
}
