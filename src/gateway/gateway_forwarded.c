/* SPDX-License-Identifier: MIT */
/* gateway_forwarded.c — answers of the leader on their way back to their connections. */
#include "gateway/gateway_inside.h"

#include "io/forward.h"
#include "wire/http_forward.h"

void gateway_forwarded(struct forward_answer *answer)
{
    struct gateway *gateway = answer->taker;

    answer->next = atomic_load_explicit(&gateway->forwarded, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&gateway->forwarded, &answer->next, answer, memory_order_release,
                                                  memory_order_relaxed)) {}
    net_wake(gateway->net);
}

/* The leader counts the request and its outcome; here it is counted as forwarded. */
static void pass_answer(struct gateway *gateway, struct net_conn *conn, const struct forward_answer *answer, bool close)
{
    struct session *session = conn->owner;

    close = close || http_forward_closes(answer->head);
    session->state = close ? SESSION_ENDING : SESSION_READING;
    if (net_room(conn, answer->head.len + answer->body.len + HEAD_BYTES))
        http_forward_answer(&conn->output, answer->head, answer->body, close);
    else session_abort(gateway, conn);
}

static void take_answer(struct gateway *gateway, const struct forward_answer *answer)
{
    struct origin      origin = origin_unpack(answer->token);
    struct net_conn   *conn = net_find(gateway->net, origin.slot, origin.generation);
    struct session    *session = conn != NULL ? conn->owner : NULL;
    struct api_context context;
    bool               close;

    tally_add(&gateway->counters->forwards[answer->outcome], 1);
    if (session == NULL || conn->closing || session->state != SESSION_AWAITING_LEADER) return; /* its sender is gone */
    context = session_context(gateway, conn);
    close = !session->request->keep_alive || !context.ready;
    session->state = SESSION_READING;
    if (answer->outcome == FORWARD_ANSWERED) pass_answer(gateway, conn, answer, close);
    else
        session_refuse_forward(gateway, conn, &context,
                               answer->outcome == FORWARD_UNKNOWN ? REJECT_OUTCOME_UNKNOWN : REJECT_NO_LEADER,
                               session->forward_route, close);
    if (conn->closing) return;
    session_end_request(gateway, conn);
    session_answered(gateway, conn);
}

void gateway_take_forwarded(struct gateway *gateway)
{
    struct forward_answer *answer, *next;

    if (atomic_load_explicit(&gateway->forwarded, memory_order_relaxed) == NULL) return;
    answer = atomic_exchange_explicit(&gateway->forwarded, NULL, memory_order_acquire);
    for (; answer != NULL; answer = next) {
        next = answer->next;
        take_answer(gateway, answer);
        forward_free(answer);
    }
}

void gateway_drop_forwarded(struct gateway *gateway)
{
    struct forward_answer *answer = atomic_exchange(&gateway->forwarded, NULL), *next;

    for (; answer != NULL; answer = next) {
        next = answer->next;
        forward_free(answer);
    }
}
