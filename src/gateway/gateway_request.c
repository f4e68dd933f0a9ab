/* SPDX-License-Identifier: MIT */
/* gateway_request.c — requests: read, handled one after the other, and in time. */
#include "gateway/gateway_inside.h"

#include "diagnostics/program_log.h"

static void warn_foreign(struct gateway *gateway)
{
    if (atomic_exchange_explicit(&gateway->shared->foreign_warned, 1, memory_order_relaxed) != 0) return;
    log_line(LOG_WARN, "an address that is not one of the development accounts signs for a public chain id: "
                       "the same signature is valid on the public venue for two days");
}

/* The outcome of a request, complete or except for its command's reply. */
static void session_request_handled(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                                    enum api_outcome outcome)
{
    struct request_context *current = gateway->current;
    struct api_noted        noted;
    bool                    busy = false;

    io_count_handled(gateway->counters, &gateway->watch);
    overload_count_request(&gateway->overload);
    if (current->write.warn_foreign) warn_foreign(gateway);
    if (outcome == API_COMMAND && write_send(gateway, conn, current->close)) return;
    if (outcome == API_COMMAND && current->write.alone) {
        if (session_resume_request(gateway, conn, context, NULL, current->close, &current->answer)) return;
    } else if (outcome == API_COMMAND) {
        current->answer = (struct http_answer){ .allow_origin = current->answer.allow_origin };
        gateway->body.len = 0;
        api_error(context, REJECT_BUSY, &current->answer, &gateway->body);
        busy = true;
    }
    noted = api_noted(gateway->api);
    if (busy) noted.reject = REJECT_BUSY;
    current->answer.close |= current->close;
    session_answer(gateway, conn, &current->answer);
    io_count_answered(gateway->counters, &gateway->watch, &noted);
}

/* Its context stays with the session; the next request takes the next one. */
static void session_await_signer(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    gateway->current->watch = gateway->watch;
    session->waiting = gateway->current++;
    session->state = SESSION_AWAITING_SIGNER;
    gateway->awaiting_signer[gateway->awaiting_signer_count++] =
        (struct session_reference){ conn->slot, conn->generation };
}

/* False: it waits. */
static bool session_handle_request(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct api_context      context;
    struct request_context *current = gateway->current;
    enum api_outcome        outcome;

    if (session_pace(gateway, conn)) return false;
    if (gateway->faulty && session_is_disturbed(gateway, conn))
        return ((struct session *)conn->owner)->state != SESSION_AWAITING_TIME;
    context = session_context(gateway, conn);
    /* A clock advance moves rolling minutes too: a test of the time after a 429 need not wait for it. */
    if (gateway->shared->api->limiter != NULL)
        context.second = (uint32_t)((gateway->watch.at_ns / 1000000 + context.offset_ms) / 1000);
    if (gateway->faulty) context.second -= (uint32_t)(session_skew_ms(conn->owner) / 1000);
    if (request->header[HEADER_EXPECT].at != NULL && !request->expect_continue && request->minor_version == 1) {
        session_refuse(gateway, conn, REJECT_BAD_HTTP); /* an expectation that the server cannot meet */
        return true;
    }
    if (request->header[HEADER_UPGRADE].at != NULL && session_upgrade(gateway, conn, request, &context)) return true;
    if (request->header[HEADER_NODE].at != NULL) {
        request_trust_node(gateway, request, &context);
        if (session_copy(gateway, conn, request, &context)) return true;
    }
    if (request->header[HEADER_MIN_SEQ].at != NULL && session_await_seq(gateway, conn, &context)) return false;
    gateway->body.len = 0;
    gateway->body.overflow = false;
    current->close = !request->keep_alive || !context.ready;
    current->write.warn_foreign = false;
    current->write.hints_bytes = 0;
    current->write.advance_kind = ADVANCE_NONE;
    context.watch = &gateway->watch.head;
    context.weightless_ms = &((struct session *)conn->owner)->weightless_ms;
    context.mono_ms = net_now_ms(gateway->net);
    context.forwards = !gateway->leads;
    context.shed = write_sheds(gateway, conn->owner, request);
    writes_announce(gateway, request);
    if (gateway->groups_signatures && current->pending != NULL)
        outcome = api_begin(gateway->api, &context, request, &current->write, &current->answer, &gateway->body,
                            current->pending);
    else outcome = api_handle(gateway->api, &context, request, &current->write, &current->answer, &gateway->body);
    if (outcome == API_FORWARD) return !session_forward(gateway, conn, &context);
    if (outcome == API_AWAITS_SIGNATURE) session_await_signer(gateway, conn);
    else session_request_handled(gateway, conn, &context, outcome);
    return outcome != API_AWAITS_SIGNATURE;
}

void session_end_request(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (session->state != SESSION_STREAM) session_leave_client(gateway, conn);
    session->at += (uint32_t)session->request->bytes;
    session->began_ms = session->wait_until_ms = 0;
    session->headers_done = session->continued = session->skipped = session->judged = false;
    http_parser_again(parser_of(session));
}

/* A client that asked may now send its body; one that sends it anyway gets no interim response. */
static void send_continue(struct net_conn *conn, struct session *session)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (session->continued || session->count != 0 || !session->headers_done || !session->request->expect_continue)
        return;
    session->continued = true;
    if (net_room(conn, sizeof(text) - 1)) out_bytes(&conn->output, text, sizeof(text) - 1);
}

/*
 * Removes handled bytes from the front of the input: at once when nothing follows. Otherwise the rest would have to be
 * moved, which waits until it is less than one request and room for a request may be needed.
 */
static void session_consume_input(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (session->at == 0 || (session->at != conn->input_len && session->at <= INPUT_SLACK)) return;
    net_consume(gateway->net, conn, session->at);
    if (gateway->faulty) session_forget_arrivals(session, session->at);
    session->at = 0;
}

/*
 * One empty line before a request is skipped, because some clients end a body with it (RFC 9112, 2.2); it begins no
 * request. False: there is nothing else.
 */
static bool session_skip_line(struct session *session, const struct net_conn *conn)
{
    const char *at = conn->input + session->at;

    if (session->began_ms != 0 || session->skipped || *at != '\r') return true;
    if (conn->input_len - session->at == 1) return false;
    if (at[1] != '\n') return true;
    session->skipped = true;
    session->at += 2;
    return session->at != conn->input_len;
}

/* Reads on; true when `session->request` is complete. */
static bool session_parse(struct gateway *gateway, struct net_conn *conn)
{
    struct session  *session = conn->owner;
    enum reject      reject = REJECT_BAD_HTTP;
    enum http_result result;

    if (session->state == SESSION_READING && (session->at == conn->input_len || !session_skip_line(session, conn))) {
        session_consume_input(gateway, conn);
        return false;
    }
    request_timer_begin(&gateway->watch);
    if (session->state == SESSION_AWAITING_REPLIES) return true;
    if (session->began_ms == 0) session->began_ms = max_i64(1, net_now_ms(gateway->net));
    session->known = true;
    result = http_parse_on(parser_of(session), conn->input + session->at, conn->input_len - session->at, &reject,
                           &session->headers_done);
    if (result == HTTP_MORE && session->headers_done && !session_count_client(gateway, conn, session->request)) {
        result = HTTP_ERROR;
        reject = REJECT_BUSY;
    }
    if (result == HTTP_ERROR) session_refuse(gateway, conn, reject);
    if (result == HTTP_MORE) {
        send_continue(conn, session);
        session_consume_input(gateway, conn);
    }
    return result == HTTP_DONE;
}

/*
 * Writes may be answered behind writes; everything else waits until it is first in line. Where another node leads
 * writes wait too: the replies that are missing come from this one's time as the leader. So do they while there are
 * rules of faults, which decide about one request of a session at a time.
 */
static bool must_wait(const struct gateway *gateway, const struct session *session)
{
    return session->count != 0 && (!gateway->leads || gateway->faulty || !api_may_overtake(session->request));
}

/* Its request is complete and waits for something that comes by itself. */
static bool session_awaits(const struct session *session)
{
    return session->state == SESSION_AWAITING_REPLIES || session->state == SESSION_AWAITING_SEQ
        || session->state == SESSION_PACED || session->state == SESSION_AWAITING_LEADER
        || session->state == SESSION_AWAITING_TIME || session_is_late(session);
}

static void session_deadline(struct gateway *gateway, struct net_conn *conn)
{
    const struct session *session = conn->owner;

    if (session->count != 0 || session_awaits(session)) conn->deadline_ms = INT64_MAX;
    else if (session->began_ms != 0)
        conn->deadline_ms = session->began_ms + (session->headers_done ? BODY_MS : HEADER_MS);
    else if (session->known) conn->deadline_ms = net_now_ms(gateway->net) + IDLE_MS; /* else that of a new connection */
}

/* It has input already: its next turn comes without anything new to read. */
static void session_schedule(struct gateway *gateway, struct net_conn *conn)
{
    session_ready(gateway, conn);
    net_turn_within(gateway->net, 0);
}

static void session_request_done(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (api_noted(gateway->api).reject != REJECT_BUSY) session->handled += 1;
    if (session->state != SESSION_AWAITING_ENGINE) session_end_request(gateway, conn);
}

/*
 * Requests, one after the other, until one is incomplete or has to wait, or the connection has had its turn.
 * True: only room for answers is missing.
 */
static bool session_advance(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    request_timer_rest(&gateway->watch);
    while (session_may_read(conn)) {
        if (!net_room(conn, ANSWER_BYTES)) return true;
        if (session->handled >= (gateway->overload.is_active ? OVERLOAD_QUOTA : TURN_REQUESTS)
            && (session->state == SESSION_AWAITING_REPLIES || session->at != conn->input_len)) {
            session_schedule(gateway, conn);
            return false;
        }
        if (!session_parse(gateway, conn)) return false;
        gateway->leads = atomic_load_explicit(&gateway->shared->role, memory_order_relaxed) == NODE_LEADER;
        session->state = must_wait(gateway, session) ? SESSION_AWAITING_REPLIES : SESSION_READING;
        if (session->state == SESSION_AWAITING_REPLIES) return false;
        if (!session_handle_request(gateway, conn, session->request)) return false;
        session_request_done(gateway, conn);
    }
    return false;
}

/* Nothing is in flight: has it ended, or its peer and all that it sent? */
static bool session_is_over(const struct session *session, const struct net_conn *conn)
{
    if (session_is_late(session)) return false;
    if (session->state == SESSION_SILENT) return conn->ended;
    return session->state == SESSION_ENDING || (session->state == SESSION_READING && conn->ended && !session->ready);
}

void session_run(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;
    bool            full = true;

    while (full && !conn->closing) {
        if (session->state != SESSION_STREAM) full = session_advance(gateway, conn);
        if (conn->closing) return;
        if (session->state == SESSION_STREAM) {
            net_flush(gateway->net, conn);
            if (!conn->closing) session_read_stream(gateway, conn);
            return;
        }
        if (session_release_answer(conn)) full = true;
        session_deadline(gateway, conn);
        if (!full && session->count == 0 && session_is_over(session, conn)) {
            net_finish(gateway->net, conn, session->linger);
            return;
        }
        net_flush(gateway->net, conn);
        if (!net_room(conn, ANSWER_BYTES)) return; /* `drained` brings us back */
    }
}

void session_take_turn(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    overload_note_backlog(&gateway->overload, &session->behind_ns);
    session_run(gateway, conn);
    if (!session->ready && session->state != SESSION_AWAITING_SIGNER) session->behind_ns = 0;
}

/*
 * Input behind the answers waits for its turn like that of other connections; otherwise pipelining clients would take
 * the whole thread.
 */
void session_answered(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    (void)session_release_answer(conn);
    if (conn->closing || !session_may_read(conn)
        || (session->state == SESSION_READING && session->at == conn->input_len)) {
        session_run(gateway, conn);
        return;
    }
    session_deadline(gateway, conn);
    net_flush(gateway->net, conn);
    if (!conn->closing) session_schedule(gateway, conn);
}

static void session_signer_recovered(struct gateway *gateway, struct net_conn *conn)
{
    struct api_context context = session_context(gateway, conn);
    struct session    *session = conn->owner;

    session->state = SESSION_READING;
    if (conn->closing) return;
    gateway->current = session->waiting;
    gateway->watch = gateway->current->watch;
    gateway->body.len = 0;
    gateway->body.overflow = false;
    session_request_handled(gateway, conn, &context, api_signature_done(gateway->current->pending));
    session_request_done(gateway, conn);
}

/* Requests behind these may wait again, in the same contexts. */
void gateway_recover_signers(struct gateway *gateway)
{
    struct session_reference  sessions[API_PENDING_SIGNATURES];
    struct pending_signature *waiting[API_PENDING_SIGNATURES];
    uint32_t                  count = gateway->awaiting_signer_count;

    if (count == 0) return;
    memcpy(sessions, gateway->awaiting_signer, count * sizeof(*sessions));
    for (uint32_t i = 0; i < count; i++) waiting[i] = gateway->contexts[i].pending;
    api_recover(waiting, count);
    for (uint32_t i = 0; i < count; i++) {
        struct net_conn *conn = net_find(gateway->net, sessions[i].slot, sessions[i].generation);
        if (conn != NULL) session_signer_recovered(gateway, conn); /* else its request has no sender any more */
    }
    gateway->awaiting_signer_count = 0;
    gateway->current = gateway->contexts;
    for (uint32_t i = 0; i < count; i++) {
        struct net_conn *conn = net_find(gateway->net, sessions[i].slot, sessions[i].generation);
        if (conn != NULL) session_take_turn(gateway, conn);
    }
}
