/* SPDX-License-Identifier: MIT */
/*
 * gateway_forward.c — writes on a node that does not lead. The request goes to the leader as it is, by the thread of
 * io/forward.h, and the leader's answer comes back as it is. A connection has one such request at a time, so the order
 * of its requests is the order at the leader; what is behind it is read when the answer is there.
 *
 *     X-Dojima-Forwarded: NODE ADDRESS      the node that passed it on, and its client: 16 bytes in hex, IPv4 mapped
 *     X-Dojima-Secret: SECRET               which makes that believed
 *
 * A request with X-Dojima-Forwarded is never passed on again, so two nodes that each take the other for the leader
 * refuse it.
 */
#include "gateway/gateway_inside.h"

#include "base/hex.h"
#include "io/forward.h"
#include "wire/http_forward.h"

static_assert(LEADER_URL_BYTES == FORWARD_URL_BYTES, "a leader's URL fits");
static_assert(GATEWAY_FORWARD_BYTES + HEAD_BYTES <= ANSWER_BYTES, "room for any answer");

/* ---- from another node ---- */

/* In a time that does not depend on where they differ. */
static bool is_secret(struct slice secret, struct slice sent)
{
    uint8_t difference = 0;

    if (secret.len == 0 || sent.len != secret.len) return false;
    for (size_t i = 0; i < secret.len; i++) difference |= (uint8_t)(secret.at[i] ^ sent.at[i]);
    return difference == 0;
}

/* The address behind the node's name. */
static bool read_client(struct slice text, struct ip *client)
{
    const char *blank = text.len != 0 ? memchr(text.at, ' ', text.len) : NULL;
    size_t      len = blank != NULL ? text.len - (size_t)(blank + 1 - text.at) : 0;

    return len == 2 * sizeof(client->bytes)
        && hex_read(slice_make(blank + 1, len), client->bytes, sizeof(client->bytes));
}

void request_trust_node(const struct gateway *gateway, const struct http_request *request, struct api_context *context)
{
    const struct gateway_cluster *cluster = gateway->shared->cluster;
    struct slice                  sent = request->header[HEADER_NODE_SECRET];
    struct ip                     client;

    if (cluster == NULL || sent.at == NULL) return;
    if (request->repeated[HEADER_NODE] || request->repeated[HEADER_NODE_SECRET]) return;
    if (!is_secret(cluster->secret, sent) || !read_client(request->header[HEADER_NODE], &client)) return;
    context->peer = client;
    context->forwarded = true;
}

/* ---- to the leader ---- */

static void put_node_lines(const struct gateway *gateway, const struct ip *client, struct out *out)
{
    const struct gateway_cluster *cluster = gateway->shared->cluster;

    out_literal(out, "X-Dojima-Forwarded: ");
    out_text(out, cluster->node);
    out_char(out, ' ');
    out_hex(out, client->bytes, sizeof(client->bytes));
    out_literal(out, "\r\n");
    if (cluster->secret.len == 0) return;
    out_literal(out, "X-Dojima-Secret: ");
    out_slice_put(out, cluster->secret);
    out_literal(out, "\r\n");
}

static struct slice put_target(const struct http_request *request, struct out *out)
{
    size_t from = out->len;

    out_slice_put(out, request->path);
    if (request->query.len != 0) out_char(out, '?');
    out_slice_put(out, request->query);
    return slice_make(out->at + from, out->len - from);
}

static bool send(struct gateway *gateway, const struct net_conn *conn, const struct api_context *context)
{
    const struct session      *session = conn->owner;
    const struct http_request *request = session->request;
    struct ip                  client = api_client(gateway->shared->api, &context->peer, request);
    struct out                 text = out_make(gateway->held, HELD_BYTES);
    struct forward_request     forward = {
            .taker = gateway,
            .token = origin_pack((struct origin){ gateway->settings.thread, conn->slot, conn->generation, 0 }),
            .method = request->method_text,
            .body = request->body,
    };

    http_forward_lines(&text, slice_make(conn->input + session->at, request->bytes));
    put_node_lines(gateway, &client, &text);
    forward.lines = out_slice(&text);
    forward.target = put_target(request, &text);
    assert(!text.overflow);
    return forward_send(gateway->shared->cluster->forward, &forward);
}

/* REJECT_NONE: there is a leader, and this request may go there. */
static enum reject find_way(const struct gateway *gateway, const struct http_request *request)
{
    struct gateway_shared *shared = gateway->shared;
    char                   url[LEADER_URL_BYTES];

    if (request->header[HEADER_NODE].at != NULL) return REJECT_NO_LEADER;
    if (shared->cluster == NULL || shared->cluster->forward == NULL) return REJECT_NO_LEADER;
    if (atomic_load_explicit(&shared->role, memory_order_relaxed) == NODE_LEADING) return REJECT_NO_LEADER;
    return leader_url_get(&shared->leader, url) ? REJECT_NONE : REJECT_NO_LEADER;
}

void session_refuse_forward(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                            enum reject reject, uint16_t route, bool close)
{
    const struct session *session = conn->owner;
    struct http_answer    answer;
    struct api_noted      noted = { .route = route, .reject = (uint16_t)reject };

    gateway->body.len = 0;
    gateway->body.overflow = false;
    api_error(context, reject, &answer, &gateway->body);
    if (session->request->header[HEADER_ORIGIN].at == NULL) answer.allow_origin = SLICE("");
    answer.close = close;
    session_answer(gateway, conn, &answer);
    tally_add(&gateway->counters->refusals[reject], 1);
    io_count_request(gateway->counters, &noted);
}

bool session_forward(struct gateway *gateway, struct net_conn *conn, const struct api_context *context)
{
    struct session *session = conn->owner;
    uint16_t        route = api_noted(gateway->api).route;
    enum reject     reject = find_way(gateway, session->request);

    assert(session->count == 0);
    io_count_handled(gateway->counters, &gateway->watch);
    overload_count_request(&gateway->overload);
    if (reject == REJECT_NONE && !send(gateway, conn, context)) reject = REJECT_BUSY;
    if (reject != REJECT_NONE) {
        session_refuse_forward(gateway, conn, context, reject, route, gateway->current->close);
        return false;
    }
    session->forward_route = route;
    session->state = SESSION_AWAITING_LEADER;
    return true;
}

bool gateway_find_leader(void *shared, char url[LEADER_URL_BYTES])
{
    return leader_url_get(&((struct gateway_shared *)shared)->leader, url);
}
