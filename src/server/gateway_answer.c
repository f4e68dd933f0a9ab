/* SPDX-License-Identifier: MIT */
/* gateway_answer.c — answers, in the order of the requests. */
#include "server/gateway_inside.h"

static struct slice body_of(const struct gateway *gateway, const struct http_answer *answer)
{
    return answer->kept.at != NULL ? answer->kept : out_slice(&gateway->body);
}

struct slice gateway_date(struct gateway *gateway) { return http_date_line(&gateway->date, gateway->now_ms); }

/* Behind the replies that are still to come: kept at the far end of the output until they are written. */
static void link_hold(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct link *link = conn->owner;
    struct out   text = out_make(gateway->held, HELD_BYTES);

    assert(link->held == 0);
    http_write(&text, answer, body_of(gateway, answer));
    if (text.overflow || !net_room(conn, text.len)) {
        link_cut(gateway, conn);
        return;
    }
    conn->output.cap -= text.len;
    memcpy(conn->output.at + conn->output.cap, text.at, text.len);
    link->held = text.len;
}

bool link_release(struct net_conn *conn)
{
    struct link *link = conn->owner;

    if (link->held == 0 || link->count != 0) return false;
    memmove(conn->output.at + conn->output.len, conn->output.at + conn->output.cap, link->held);
    conn->output.len += link->held;
    conn->output.cap += link->held;
    link->held = 0;
    return true;
}

void link_answer(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    struct link       *link = conn->owner;
    struct http_answer head = *answer;
    struct slice       body = body_of(gateway, answer);

    head.date = gateway_date(gateway);
    if (answer->close) link->last = true;
    if (link->count != 0) {
        link_hold(gateway, conn, &head);
        return;
    }
    assert(!gateway->body.overflow);
    if (!net_room(conn, body.len + HEAD_BYTES)) {
        link_cut(gateway, conn);
        return;
    }
    if (body.len < DIRECT_BYTES || answer->head) {
        http_write(&conn->output, &head, body);
    } else {
        head.head = true;
        http_write(&conn->output, &head, body);
        net_send(gateway->net, conn, &body, 1);
    }
    if (conn->output.overflow) link_cut(gateway, conn);
}

/* Is it a HEAD that cannot be read on? Its answer has no body either (RFC 9110, 9.3.2). */
static bool is_head(const struct net_conn *conn)
{
    static const char head[] = "HEAD ";
    uint32_t          at = ((const struct link *)conn->owner)->at, len = sizeof(head) - 1;

    return conn->input_len - at >= len && memcmp(conn->input + at, head, len) == 0;
}

void link_refuse(struct gateway *gateway, struct net_conn *conn, enum reject reject)
{
    struct api_context context = gateway_now(gateway);
    struct api_noted   noted = { .route = API_ROUTES_MAX, .reject = (uint16_t)reject };
    struct http_answer answer = { 0 };
    struct link       *link = conn->owner;

    gateway->now_ms = context.now_ms;
    door_handled(gateway->counters, &gateway->watch);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    api_error(&context, reject, &answer, &gateway->body);
    answer.head = is_head(conn);
    answer.close = true;                        /* the rest of the request was not read (process 1) */
    link->linger = true;
    link_answer(gateway, conn, &answer);
    door_answered(gateway->counters, &gateway->watch, &noted);
}
