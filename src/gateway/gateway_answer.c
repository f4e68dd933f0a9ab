/* SPDX-License-Identifier: MIT */
/* gateway_answer.c — answers, in the order of the requests. */
#include "gateway/gateway_inside.h"

static struct slice body_of(const struct gateway *gateway, const struct http_answer *answer)
{
    return answer->kept.at != NULL ? answer->kept : out_slice(&gateway->body);
}

struct slice gateway_date(struct gateway *gateway) { return http_date_line(&gateway->date, gateway->now_ms); }

/* Behind the replies that are still to come: kept at the far end of the output until they are written. */
static void session_hold_answer(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct session *session = conn->owner;
    struct out      text = out_make(gateway->held, HELD_BYTES);

    assert(session->held == 0);
    http_write(&text, answer, body_of(gateway, answer));
    if (text.overflow || !net_room(conn, text.len)) {
        session_abort(gateway, conn);
        return;
    }
    conn->output.cap -= text.len;
    memcpy(conn->output.at + conn->output.cap, text.at, text.len);
    session->held = text.len;
}

bool session_release_answer(struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (session->held == 0 || session->count != 0) return false;
    memmove(conn->output.at + conn->output.len, conn->output.at + conn->output.cap, session->held);
    conn->output.len += session->held;
    conn->output.cap += session->held;
    session->held = 0;
    return true;
}

/* Whether a client waits for this answer alone: no answer waits in front of it, no request behind. */
static bool is_awaited_alone(const struct net_conn *conn)
{
    const struct session *session = conn->owner;

    return conn->output.len == 0 && session->at + session->request->bytes == conn->input_len;
}

bool session_send_in_place(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer,
                           struct slice body)
{
    struct http_answer head = *answer;
    char               text[HTTP_HEAD_ROOM], *at;
    struct out         out = out_make(text, answer->kept.at != NULL ? answer->kept_room : HTTP_HEAD_ROOM);

    assert(out.cap <= sizeof(text));
    if (answer->status != 200 || answer->head || body.len == 0) return false;
    head.head = true;
    http_write(&out, &head, body);
    if (out.overflow) return false;
    at = (char *)(uintptr_t)body.at - out.len;
    memcpy(at, text, out.len);
    net_send(gateway->net, conn, &(struct slice){ at, out.len + body.len }, 1);
    return true;
}

void session_answer(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct session    *session = conn->owner;
    struct http_answer head = *answer;
    struct slice       body = body_of(gateway, answer);
    size_t             from;

    head.date = gateway_date(gateway);
    if (answer->close) session->state = SESSION_ENDING;
    if (session->count != 0) {
        session_hold_answer(gateway, conn, &head);
        return;
    }
    assert(!gateway->body.overflow);
    if (!net_room(conn, body.len + HEAD_BYTES)) {
        session_abort(gateway, conn);
        return;
    }
    from = conn->output.len;
    if (!gateway->faulty && is_awaited_alone(conn) && session_send_in_place(gateway, conn, &head, body)) return;
    if (body.len < DIRECT_BYTES || answer->head || gateway->faulty) {
        http_write(&conn->output, &head, body);
    } else {
        head.head = true;
        http_write(&conn->output, &head, body);
        net_send(gateway->net, conn, &body, 1);
    }
    if (conn->output.overflow) session_abort(gateway, conn);
    else if (gateway->faulty) session_disturb_answer(gateway, conn, from);
}

/* Is it a HEAD that cannot be read on? Its answer has no body either (RFC 9110, 9.3.2). */
static bool is_head(const struct net_conn *conn)
{
    static const char head[] = "HEAD ";
    uint32_t          at = ((const struct session *)conn->owner)->at, len = sizeof(head) - 1;

    return conn->input_len - at >= len && memcmp(conn->input + at, head, len) == 0;
}

void session_refuse(struct gateway *gateway, struct net_conn *conn, enum reject reject)
{
    struct api_context context = gateway_now(gateway);
    struct api_noted   noted = { .route = API_ROUTES_MAX, .reject = (uint16_t)reject };
    struct http_answer answer = { 0 };
    struct session    *session = conn->owner;

    gateway->now_ms = context.now_ms;
    io_count_handled(gateway->counters, &gateway->watch);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    api_error(&context, reject, &answer, &gateway->body);
    answer.head = is_head(conn);
    answer.close = true; /* the rest of the request was not read (process 1) */
    session->linger = true;
    session_answer(gateway, conn, &answer);
    io_count_answered(gateway->counters, &gateway->watch, &noted);
}
