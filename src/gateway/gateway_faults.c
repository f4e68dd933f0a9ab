/* SPDX-License-Identifier: MIT */
/*
 * gateway_faults.c — what rules of faults (chaos/chaos.h) do to requests. A request is judged once, when it is
 * complete: it may wait, be refused, or lose its connection. Waiting is a state of the session.
 */
#include "gateway/gateway_disturbed.h"

/* ---- requests ---- */

/* Rules are removed through /rpc: it is never disturbed, and neither is what tells of the process itself. */
static bool may_disturb(struct slice path)
{
    return (path.len > 5 && memcmp(path.at, "/api/", 5) == 0) || (path.len > 4 && memcmp(path.at, "/ws/", 4) == 0);
}

static void judge(struct gateway *gateway, const struct net_conn *conn, const struct http_request *request,
                  struct chaos_verdict *verdict)
{
    struct api_context   context = gateway_now(gateway);
    struct api_about     about;
    struct ip            client;
    struct chaos_subject subject = { .point = POINT_REQUEST,
                                     .method = request->method == HTTP_HEAD ? HTTP_GET : request->method,
                                     .path = request->path,
                                     .now_ms = context.now_ms };

    memset(verdict, 0, sizeof(*verdict));
    if (!may_disturb(request->path)) return;
    memcpy(context.peer.bytes, conn->address, sizeof(context.peer.bytes));
    client = api_client(gateway->shared->api, &context.peer, request);
    api_about(gateway->shared->api, request, &about);
    subject.ip = client.bytes;
    subject.account_id = about.account_id;
    subject.owner = about.has_owner ? &about.owner : NULL;
    chaos_judge(gateway->shared->chaos, &subject, verdict);
}

static void refuse(struct gateway *gateway, struct net_conn *conn, const struct chaos_verdict *verdict)
{
    struct session            *session = conn->owner;
    const struct http_request *request = session->request;
    struct api_context         context = session_context(gateway, conn);
    struct http_answer         answer;
    enum reject                reject = verdict->refusal == CHAOS_RATE_LIMIT  ? REJECT_RATE_LIMIT
                                      : verdict->refusal == CHAOS_UNAVAILABLE ? REJECT_BUSY
                                                                              : REJECT_INTERNAL;
    struct api_noted           noted = { .route = API_ROUTES_MAX, .reject = (uint16_t)reject };

    io_count_handled(gateway->counters, &gateway->watch);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    api_refuse(gateway->api, &context, reject, verdict->retry_after, &answer, &gateway->body);
    if (request->header[HEADER_ORIGIN].at == NULL) answer.allow_origin = SLICE("");
    answer.head = request->method == HTTP_HEAD;
    answer.close = !request->keep_alive || request->header[HEADER_UPGRADE].at != NULL;
    session_answer(gateway, conn, &answer);
    io_count_answered(gateway->counters, &gateway->watch, &noted);
}

/* It came when its last byte came, waits for the latency from then on, and does not overtake the one before it. */
static void await(struct gateway *gateway, struct session *session, struct session_faults *faults)
{
    int64_t now_ms = net_now_ms(gateway->net);
    int64_t came_ms = session_arrived_ms(session, session->at + (uint32_t)session->request->bytes, now_ms);

    faults->due_ms = max_i64(faults->due_ms, came_ms + ms_of(faults->verdict.in_us));
}

bool session_is_disturbed(struct gateway *gateway, struct net_conn *conn)
{
    struct session        *session = conn->owner;
    struct session_faults *faults = session_faults(gateway, conn);
    int64_t                now_ms = net_now_ms(gateway->net);

    if (faults == NULL) return false;
    if (!session->judged) {
        session->judged = true;
        judge(gateway, conn, session->request, &faults->verdict);
        await(gateway, session, faults);
    }
    if (session_due_ms(faults) > now_ms) {
        session->state = SESSION_AWAITING_TIME;
        net_turn_within(gateway->net, (uint32_t)(session_due_ms(faults) - now_ms));
        return true;
    }
    if (faults->verdict.reset_before) {
        net_reset(gateway->net, conn);
        return true;
    }
    if (faults->verdict.refusal == 0) return false;
    refuse(gateway, conn, &faults->verdict);
    return true;
}
