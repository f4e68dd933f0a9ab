/* SPDX-License-Identifier: MIT */
/* gateway_stream.c — connections that have become streams. */
#include "gateway/gateway_inside.h"

#include "io/clock.h"
#include "model/shapes_reply.h"
#include "wire/frame.h"

void gateway_set_stream_time(struct gateway *gateway)
{
    stream_clock(gateway->stream, gateway_now(gateway).now_ms, net_now_ms(gateway->net));
}

/* The stream's pending bytes go behind the output; they are still to be sent. */
static void pending_send_copy(struct gateway *gateway, struct pending_send *pending_send)
{
    struct net_conn *conn = pending_send->count != 0 ? net_at(gateway->net, pending_send->slot) : NULL;

    for (uint32_t i = 0; conn != NULL && i < pending_send->count; i++)
        out_bytes(&conn->output, pending_send->parts[i].at, pending_send->parts[i].len);
    pending_send->count = 0;
}

void gateway_stream_settle(void *self)
{
    struct gateway *gateway = self;

    for (uint32_t i = 0; i < gateway->pending_send_count; i++) pending_send_copy(gateway, &gateway->pending_send[i]);
}

static struct pending_send *pending_send_add(struct gateway *gateway, uint32_t slot)
{
    struct pending_send *pending_send = &gateway->pending_send[gateway->pending_send_count++];

    gateway->pending_send_at[slot] = gateway->pending_send_count;
    pending_send->slot = slot;
    pending_send->count = 0;
    return pending_send;
}

/* False: the connection ends. */
static bool pending_send_flush(struct gateway *gateway, const struct pending_send *pending_send)
{
    struct net_conn *conn = net_at(gateway->net, pending_send->slot);

    if (conn == NULL) return false;
    if (pending_send->count != 0) net_send(gateway->net, conn, pending_send->parts, pending_send->count);
    if (pending_send->count == 0 || net_unsent(conn) != 0) net_flush(gateway->net, conn);
    conn = net_at(gateway->net, pending_send->slot);
    return conn != NULL && net_unsent(conn) == 0;
}

/* Sends to at most `most` subscribers with pending messages; one that gets another message meanwhile counts again. */
static void flush_some(struct gateway *gateway, uint32_t most)
{
    while (gateway->pending_send_count != 0 && most-- != 0) {
        const struct pending_send *pending_send = &gateway->pending_send[--gateway->pending_send_count];
        uint32_t                   slot = pending_send->slot;
        if (gateway->pending_send_count != 0) net_expect(gateway->net, pending_send[-1].slot);
        gateway->pending_send_at[slot] = 0;
        if (pending_send_flush(gateway, pending_send) && stream_is_behind(gateway->stream))
            stream_drained(gateway->stream, slot);
    }
    if (gateway->pending_send_count == 0) stream_settled(gateway->stream);
}

void gateway_flush_streams(struct gateway *gateway) { flush_some(gateway, UINT32_MAX); }

void gateway_drop_stream(struct gateway *gateway, uint32_t slot)
{
    uint32_t at = gateway->pending_send_at[slot];

    stream_closed(gateway->stream, slot);
    if (at == 0) return;
    gateway->pending_send[at - 1] = gateway->pending_send[--gateway->pending_send_count];
    gateway->pending_send_at[gateway->pending_send[at - 1].slot] = at;
    gateway->pending_send_at[slot] = 0;
}

bool gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);
    bool             fine;

    if (conn == NULL) return true; /* it is gone already */
    if (gateway->faulty && session_sends_late(gateway, conn, frames, most, &fine)) return fine;
    if (gateway->pending_send_at[slot] != 0)
        pending_send_copy(gateway, &gateway->pending_send[gateway->pending_send_at[slot] - 1]);
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) net_flush(gateway->net, conn);
    if (conn->closing) return true;
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) return false;
    if (frames.len >= DIRECT_BYTES) net_send(gateway->net, conn, &frames, 1);
    else out_bytes(&conn->output, frames.at, frames.len);
    if (!conn->closing && net_unsent(conn) != 0 && gateway->pending_send_at[slot] == 0)
        (void)pending_send_add(gateway, slot);
    return true;
}

/* Where nothing waits, the frame is sent from where it lies; else it waits behind the rest. */
bool gateway_stream_share(void *self, uint32_t slot, struct slice frame, size_t most)
{
    struct gateway      *gateway = self;
    uint32_t             at = gateway->pending_send_at[slot];
    struct pending_send *pending_send = at != 0 ? &gateway->pending_send[at - 1] : NULL;
    struct net_conn     *conn;

    if (gateway->faulty) return gateway_stream_send(self, slot, frame, most);
    if (pending_send == NULL) {
        conn = net_at(gateway->net, slot);
        if (conn == NULL) return true;
        if (net_unsent(conn) == 0) pending_send = pending_send_add(gateway, slot);
    } else if (pending_send->count == 0 || pending_send->count == NET_PARTS_MAX) {
        pending_send = NULL;
    }
    if (pending_send == NULL) return gateway_stream_send(self, slot, frame, most);
    pending_send->parts[pending_send->count++] = frame;
    return true;
}

void gateway_stream_finish(void *self, uint32_t slot)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);

    if (conn == NULL) return;
    if (gateway->pending_send_at[slot] != 0)
        pending_send_copy(gateway, &gateway->pending_send[gateway->pending_send_at[slot] - 1]);
    if (gateway->faulty && session_ends_late(conn->owner)) return;
    net_finish(gateway->net, conn, true);
}

void gateway_stream_cut(struct gateway *gateway, struct net_conn *conn)
{
    uint32_t at = gateway->pending_send_at[conn->slot];

    if (at != 0) pending_send_copy(gateway, &gateway->pending_send[at - 1]);
    net_flush(gateway->net, conn);
    if (!conn->closing) net_abort(gateway->net, conn);
}

void session_read_stream(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;
    uint32_t        bytes = conn->input_len, at = session->at;

    if (gateway->faulty) bytes = max_u32(at, session_arrived_input(gateway, conn));
    if (bytes == at && bytes != conn->input_len) return;
    gateway_set_stream_time(gateway);
    stream_received(gateway->stream, conn->slot, slice_make(conn->input + at, bytes - at));
    if (!conn->closing) {
        session->at = 0;
        net_consume(gateway->net, conn, bytes);
        if (gateway->faulty) session_forget_arrivals(session, bytes);
        if (conn->ended && conn->input_len == 0) net_finish(gateway->net, conn, false);
    }
    gateway_flush_streams(gateway);
}

/* 100 Continue precedes everything else (RFC 9110, 7.8). */
static void write_upgrade(struct net_conn *conn, const struct http_request *request)
{
    if (request->expect_continue) out_literal(&conn->output, "HTTP/1.1 100 Continue\r\n\r\n");
    out_literal(&conn->output, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               "Sec-WebSocket-Accept: ");
    frame_accept(&conn->output, request->header[HEADER_WS_KEY]);
    out_literal(&conn->output, "\r\n\r\n");
}

/* REJECT_NONE: it is one now. Else its address has all that it may, in connections or in streams. */
static enum reject begin_stream(struct gateway *gateway, struct net_conn *conn, const struct http_request *request,
                                const struct api_context *context, uint8_t market)
{
    struct session         *session = conn->owner;
    struct request_context *current = gateway->current;
    struct ip               client = api_client(gateway->shared->api, &context->peer, request);
    struct stream_refused   refused;

    if (!session_count_client(gateway, conn, request))
        return api_refuse_upgrade(gateway->api, context, request, REJECT_BUSY, &current->write, &current->answer,
                                  &gateway->body);
    gateway_set_stream_time(gateway);
    if (!stream_open(gateway->stream, conn->slot, market, &client, &refused))
        return api_too_many_streams(
            gateway->api, context, request,
            &(struct rate_limit_record){ refused.limit, slice_of(refused.window), refused.wait }, &current->write,
            &current->answer, &gateway->body);
    session->state = SESSION_STREAM;
    session->market = market;
    conn->deadline_ms = INT64_MAX;
    write_upgrade(conn, request);
    return REJECT_NONE;
}

bool session_upgrade(struct gateway *gateway, struct net_conn *conn, const struct http_request *request,
                     const struct api_context *context)
{
    struct request_context *current = gateway->current;
    uint8_t                 market = api_stream_market(request->path);
    enum reject             reject;

    if (market == 0) return false;
    gateway->body.len = 0;
    gateway->body.overflow = false;
    reject = api_upgrade(context, request);
    if (reject != REJECT_NONE)
        reject = api_refuse_upgrade(gateway->api, context, request, reject, &current->write, &current->answer,
                                    &gateway->body);
    else reject = begin_stream(gateway, conn, request, context, market);
    tally_add(&gateway->counters->handshakes[market - 1][reject], 1);
    if (reject == REJECT_NONE) return true;
    current->answer.close = true;
    session_answer(gateway, conn, &current->answer);
    return true;
}

/* May a push begin? When it may not yet, its time will come. */
static bool push_begins(struct gateway *gateway)
{
    if (!stream_is_due(gateway->stream)) return false;
    if (share_allows(&gateway->share, clock_mono_ns(), net_idle_ns(gateway->net))) return true;
    net_turn_within(gateway->net, share_wait_ms(&gateway->share));
    return false;
}

/*
 * A push to a thousand subscribers takes as long as sixty requests, and no request waits for all of it: between two
 * parts of it one request is served, when there is one, and the next push begins when this one has ended.
 */
void gateway_push_streams(struct gateway *gateway)
{
    int64_t began_ns;

    if (gateway->pending_send_count == 0 && !push_begins(gateway)) return;
    began_ns = clock_thread_ns();
    if (gateway->pending_send_count == 0) {
        gateway_set_stream_time(gateway);
        stream_turn(gateway->stream);
    }
    flush_some(gateway, PUSH_PART);
    gateway->push_ns += clock_thread_ns() - began_ns;
    if (gateway->pending_send_count != 0) {
        net_turn_within(gateway->net, 0);
        return;
    }
    share_spend(&gateway->share, gateway->push_ns);
    gateway->push_ns = 0;
}
