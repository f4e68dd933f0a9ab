/* SPDX-License-Identifier: MIT */
/* gateway_request.c — requests: read, handled one after the other, and in time. */
#include "server/gateway_inside.h"

#include "server/log.h"

static void warn_foreign(struct gateway *gateway)
{
    if (atomic_exchange_explicit(&gateway->shared->foreign_warned, 1, memory_order_relaxed) != 0) return;
    log_line(LOG_WARN, "an address that is not one of the development accounts signs for a public chain id: "
                       "the same signature is valid on the public venue for two days");
}

/* What has become of a request, or of all but its command's reply. */
static void link_handled(struct gateway *gateway, struct net_conn *conn, const struct api_context *context, enum api_outcome outcome)
{
    struct hand     *hand = gateway->hand;
    struct api_noted noted;
    bool             busy = false;

    door_handled(gateway->counters, &gateway->watch);
    crowd_handled(&gateway->crowd);
    if (hand->write.warn_foreign) warn_foreign(gateway);
    if (outcome == API_COMMAND && write_send(gateway, conn, hand->close)) return;
    if (outcome == API_COMMAND && hand->write.alone) {
        if (link_resume(gateway, conn, context, NULL, hand->close, &hand->answer)) return;
    } else if (outcome == API_COMMAND) {
        hand->answer = (struct http_answer){ .allow_origin = hand->answer.allow_origin };
        gateway->body.len = 0;
        api_error(context, REJECT_BUSY, &hand->answer, &gateway->body);
        busy = true;
    }
    noted = api_noted(gateway->api);
    if (busy) noted.reject = REJECT_BUSY;
    hand->answer.close |= hand->close;
    link_answer(gateway, conn, &hand->answer);
    door_answered(gateway->counters, &gateway->watch, &noted);
}

/* It stays at hand until it is known who signed it; the next request takes the next place. */
static void link_wait(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;
    struct hand *hand = gateway->hand;

    hand->watch = gateway->watch;
    hand->slot = conn->slot;
    hand->generation = conn->generation;
    link->waits = true;
    gateway->waiting_count += 1;
    gateway->hand += 1;
}

/* False: it waits. */
static bool link_handle(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct api_context context = link_context(gateway, conn);
    struct hand       *hand = gateway->hand;
    enum api_outcome   outcome;

    if (request->header[HEADER_UPGRADE].at != NULL && link_upgrade(gateway, conn, request)) return true;
    /* Time travel takes rolling minutes along: tests of what comes after a 429 need not wait for it. */
    if (gateway->shared->api->limiter != NULL) context.second = (uint32_t)((gateway->watch.at_ns / 1000000 + context.offset_ms) / 1000);
    if (request->header[HEADER_EXPECT].at != NULL && !request->expect_continue && request->minor_version == 1) {
        link_refuse(gateway, conn, REJECT_BAD_HTTP);        /* an expectation nobody here can meet */
        return true;
    }
    gateway->body.len = 0;
    gateway->body.overflow = false;
    hand->close = !request->keep_alive || !context.ready;
    hand->write.warn_foreign = false;
    hand->write.leap = LEAP_NONE;
    context.watch = &gateway->watch.head;
    context.weightless_ms = &((struct link *)conn->owner)->weightless_ms;
    context.mono_ms = net_now_ms(gateway->net);
    context.shed = write_sheds(gateway, conn->owner, request);
    if (gateway->gathers && gateway->waiting_count < API_PAUSES)
        outcome = api_begin(gateway->api, &context, request, &hand->write, &hand->answer, &gateway->body, gateway->waiting_count);
    else
        outcome = api_handle(gateway->api, &context, request, &hand->write, &hand->answer, &gateway->body);
    if (outcome == API_WAITS) link_wait(gateway, conn);
    else                      link_handled(gateway, conn, &context, outcome);
    return outcome != API_WAITS;
}

void link_next(struct link *link, size_t bytes)
{
    link->at += (uint32_t)bytes;
    link->began_ms = 0;
    link->parked = link->headers_done = link->continued = link->skipped = false;
    http_parser_again(parser_of(link));
}

/* A client that asked may now send its body; whoever sends it anyway is not told. */
static void say_continue(struct net_conn *conn, struct link *link)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (link->continued || link->count != 0 || !link->headers_done || !link->request.expect_continue) return;
    link->continued = true;
    if (net_room(conn, sizeof(text) - 1)) out_bytes(&conn->output, text, sizeof(text) - 1);
}

/*
 * What is done goes off the front of the input: at once when nothing is behind it. Else the rest would have to be moved, which
 * waits until that is less than one request, and room for one may be wanted.
 */
static void link_tidy(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    if (link->at == 0 || (link->at != conn->input_len && link->at <= INPUT_SLACK)) return;
    net_consume(gateway->net, conn, link->at);
    link->at = 0;
}

/*
 * One empty line before a request is skipped, because some clients end a body with it (RFC 9112, 2.2); it begins no request.
 * False: there is nothing else.
 */
static bool link_skip_line(struct link *link, const struct net_conn *conn)
{
    const char *at = conn->input + link->at;

    if (link->began_ms != 0 || link->skipped || *at != '\r') return true;
    if (conn->input_len - link->at == 1) return false;
    if (at[1] != '\n') return true;
    link->skipped = true;
    link->at += 2;
    return link->at != conn->input_len;
}

/* Reads on; true when `link->request` is complete. */
static bool link_parse(struct gateway *gateway, struct net_conn *conn)
{
    struct link     *link = conn->owner;
    enum reject      reject = REJECT_BAD_HTTP;
    enum http_result result;

    if (!link->parked && (link->at == conn->input_len || !link_skip_line(link, conn))) {
        link_tidy(gateway, conn);
        return false;
    }
    door_begins(&gateway->watch);
    if (link->parked) return true;
    if (link->began_ms == 0) link->began_ms = max_i64(1, net_now_ms(gateway->net));
    link->known = true;
    link->request.expect_continue = false;
    result = http_parse(parser_of(link), conn->input + link->at, conn->input_len - link->at, &link->request, &reject,
                        &link->headers_done);
    if (result == HTTP_ERROR) link_refuse(gateway, conn, reject);
    if (result == HTTP_MORE) {
        say_continue(conn, link);
        link_tidy(gateway, conn);
    }
    return result == HTTP_DONE;
}

/* Writes may be answered behind writes; everything else waits until it is first in line. */
static bool must_wait(const struct link *link)
{
    return link->count != 0 && !api_may_overtake(&link->request);
}

static void link_deadline(struct gateway *gateway, struct net_conn *conn)
{
    const struct link *link = conn->owner;

    if (link->count != 0 || link->parked) conn->deadline_ms = INT64_MAX;
    else if (link->began_ms != 0) conn->deadline_ms = link->began_ms + (link->headers_done ? BODY_MS : HEADER_MS);
    else if (link->known) conn->deadline_ms = net_now_ms(gateway->net) + IDLE_MS;       /* else that of a new connection */
}

/* It has input already: its next turn comes without anything new to read. */
static void link_again(struct gateway *gateway, struct net_conn *conn)
{
    link_ready(gateway, conn);
    net_turn_within(gateway->net, 0);
}

static void link_done(const struct gateway *gateway, struct link *link)
{
    if (api_noted(gateway->api).reject != REJECT_BUSY) link->handled += 1;
    if (!link->alone) link_next(link, link->request.bytes);
}

/*
 * Requests, one after the other, until one is incomplete or has to wait, or the connection has had its turn.
 * True: only room for answers is missing.
 */
static bool link_advance(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    door_rests(&gateway->watch);
    while (link_may_read(conn)) {
        if (!net_room(conn, ANSWER_BYTES)) return true;
        if (link->handled >= (gateway->crowd.is_one ? CROWD_EACH : TURN_REQUESTS) && (link->parked || link->at != conn->input_len)) {
            link_again(gateway, conn);
            return false;
        }
        if (!link_parse(gateway, conn)) return false;
        link->parked = must_wait(link);
        if (link->parked) return false;
        if (!link_handle(gateway, conn, &link->request)) return false;
        link_done(gateway, link);
    }
    return false;
}

void link_run(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;
    bool         full = true;

    while (full && !conn->closing) {
        if (!link->stream) full = link_advance(gateway, conn);
        if (conn->closing) return;
        if (link->stream) {
            net_flush(gateway->net, conn);
            if (!conn->closing) link_stream(gateway, conn);
            return;
        }
        if (link_release(conn)) full = true;
        link_deadline(gateway, conn);
        if (!full && link->count == 0 && !link->waits && (link->last || (conn->ended && !link->parked && !link->ready))) {
            net_finish(gateway->net, conn, link->linger);
            return;
        }
        net_flush(gateway->net, conn);
        if (!net_room(conn, ANSWER_BYTES)) return;          /* `drained` brings us back */
    }
}

void link_turn(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    crowd_looks(&gateway->crowd, &link->behind_ns);
    link_run(gateway, conn);
    if (!link->ready && !link->waits) link->behind_ns = 0;
}

/*
 * What the peer sent behind its answers waits for its turn like that of all others; else those who send without
 * waiting would take the whole thread.
 */
void link_answered(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;

    (void)link_release(conn);
    if (conn->closing || !link_may_read(conn) || (!link->parked && link->at == conn->input_len)) {
        link_run(gateway, conn);
        return;
    }
    link_deadline(gateway, conn);
    net_flush(gateway->net, conn);
    if (!conn->closing) link_again(gateway, conn);
}

static void go_on(struct gateway *gateway, struct net_conn *conn, uint32_t number)
{
    struct api_context context = link_context(gateway, conn);
    struct link       *link = conn->owner;

    link->waits = false;
    if (conn->closing) return;
    gateway->watch = gateway->hand->watch;
    gateway->body.len = 0;
    gateway->body.overflow = false;
    link_handled(gateway, conn, &context, api_go_on(gateway->api, number));
    link_done(gateway, link);
}

/* Whoever hung up meanwhile has not asked. What stands behind the requests may wait again, in the same places. */
void gateway_go_on(struct gateway *gateway)
{
    struct { uint32_t slot, generation; } who[API_PAUSES];
    uint32_t         count = gateway->waiting_count;
    struct net_conn *conn;

    if (count == 0) return;
    api_recover(gateway->api, count);
    for (uint32_t i = 0; i < count; i++) {
        gateway->hand = &gateway->waiting[i];
        who[i].slot = gateway->hand->slot;
        who[i].generation = gateway->hand->generation;
        conn = net_find(gateway->net, who[i].slot, who[i].generation);
        if (conn != NULL) go_on(gateway, conn, i);
    }
    gateway->waiting_count = 0;
    gateway->hand = gateway->waiting;
    for (uint32_t i = 0; i < count; i++) {
        conn = net_find(gateway->net, who[i].slot, who[i].generation);
        if (conn != NULL) link_turn(gateway, conn);
    }
}
