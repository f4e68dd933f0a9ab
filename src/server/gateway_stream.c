/* SPDX-License-Identifier: MIT */
/* gateway_stream.c — connections that have become streams. */
#include "server/gateway_inside.h"

#include "io/clock.h"
#include "wire/frame.h"

void gateway_streams_now(struct gateway *gateway)
{
    stream_clock(gateway->stream, gateway_now(gateway).now_ms, net_now_ms(gateway->net));
}

void gateway_flush_streams(struct gateway *gateway)
{
    while (gateway->told_count != 0) {
        struct net_conn *conn = net_at(gateway->net, gateway->told[--gateway->told_count]);
        if (conn == NULL) continue;
        ((struct link *)conn->owner)->told = false;
        net_flush(gateway->net, conn);
        if (!conn->closing && net_unsent(conn) == 0) stream_drained(gateway->stream, conn->slot);
    }
}

bool gateway_stream_send(void *self, uint32_t slot, struct slice frames, size_t most)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);
    struct link     *link;

    if (conn == NULL) return true;                              /* it is gone already */
    link = conn->owner;
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) net_flush(gateway->net, conn);
    if (conn->closing) return true;
    if (net_unsent(conn) > most || !net_room(conn, frames.len)) return false;
    if (frames.len >= DIRECT_BYTES) net_send(gateway->net, conn, frames);
    else                            out_bytes(&conn->output, frames.at, frames.len);
    if (conn->closing || net_unsent(conn) == 0) return true;
    if (!link->told) gateway->told[gateway->told_count++] = slot;
    link->told = true;
    return true;
}

void gateway_stream_finish(void *self, uint32_t slot)
{
    struct gateway  *gateway = self;
    struct net_conn *conn = net_at(gateway->net, slot);

    if (conn != NULL) net_finish(gateway->net, conn, true);
}

void link_stream(struct gateway *gateway, struct net_conn *conn)
{
    struct link *link = conn->owner;
    uint32_t     bytes = conn->input_len, at = link->at;

    gateway_streams_now(gateway);
    stream_received(gateway->stream, conn->slot, slice_make(conn->input + at, bytes - at));
    if (!conn->closing) {
        link->at = 0;
        net_consume(gateway->net, conn, bytes);
        if (conn->ended) net_finish(gateway->net, conn, false);
    }
    gateway_flush_streams(gateway);
}

static void write_upgrade(struct net_conn *conn, struct slice key)
{
    out_literal(&conn->output, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ");
    frame_accept(&conn->output, key);
    out_literal(&conn->output, "\r\n\r\n");
}

bool link_upgrade(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct link       *link = conn->owner;
    uint8_t            market = api_stream_market(request->path);
    struct api_context context;
    struct http_answer answer = { 0 };
    struct ip          client;
    enum reject        reject;
    uint32_t           wait;

    if (market == 0) return false;
    context = link_context(gateway, conn);
    gateway->body.len = 0;
    gateway->body.overflow = false;
    reject = api_upgrade(&context, request, &answer, &gateway->body);
    if (reject == REJECT_NONE) {
        client = api_client(gateway->shared->api, &context.peer, request);
        gateway_streams_now(gateway);
        if (stream_open(gateway->stream, conn->slot, market, &client, &wait)) {
            link->stream = true;
            conn->deadline_ms = INT64_MAX;
            write_upgrade(conn, request->header[HEADER_WS_KEY]);
            tally_add(&gateway->counters->handshakes[market - 1][REJECT_NONE], 1);
            return true;
        }
        api_too_many_streams(gateway->api, &context, wait, &answer, &gateway->body);
        reject = REJECT_RATE_LIMIT;
    }
    tally_add(&gateway->counters->handshakes[market - 1][reject], 1);
    answer.close = true;
    link_answer(gateway, conn, &answer);
    return true;
}

void gateway_tell_streams(struct gateway *gateway)
{
    if (!stream_is_due(gateway->stream)) return;
    if (!share_allows(&gateway->share, clock_mono_ns(), net_idle_ns(gateway->net))) {
        net_turn_within(gateway->net, 1);
        return;
    }
    gateway_streams_now(gateway);
    stream_turn(gateway->stream);
    gateway_flush_streams(gateway);
    share_spend(&gateway->share, clock_mono_ns());
}
