/* SPDX-License-Identifier: MIT */
/* gateway_client.c — whose connection it is, behind a proxy. */
#include "gateway/gateway_inside.h"

bool session_count_client(struct gateway *gateway, struct net_conn *conn, const struct http_request *request)
{
    struct session *session = conn->owner;
    struct ip       client, peer;

    if (session->of_client) return true;
    memcpy(peer.bytes, conn->address, sizeof(peer.bytes));
    client = api_client(gateway->shared->api, &peer, request);
    if (memcmp(client.bytes, peer.bytes, sizeof(peer.bytes)) == 0) return true;
    session->of_client = net_count_for(gateway->net, conn, client.bytes);
    return session->of_client;
}

void session_leave_client(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;
    bool            back = !session->of_client || net_count_for(gateway->net, conn, conn->address);

    assert(back);
    session->of_client = false;
}
