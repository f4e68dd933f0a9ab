/* SPDX-License-Identifier: MIT */
#include "pipeline/server.h"

#include "admin/admin.h"

void server_wake(struct server *server, uint32_t ring)
{
    if (ring < server->thread_count) {
        if (server->gateways[ring] != NULL) gateway_wake(server->gateways[ring]);
    } else if (server->admin != NULL) {
        admin_wake(server->admin);
    }
}

uint32_t server_post_reply(struct server *server, const struct reply_message *reply)
{
    uint32_t ring = origin_unpack(reply->origin).thread;
    size_t   bytes = sizeof(*reply) + reply->events_bytes;
    void    *room = ring_reserve(server->replies[ring], bytes);

    assert(room != NULL);
    memcpy(room, reply, bytes);
    ((struct reply_message *)room)->applied_ns = server->applied_ns;
    ring_commit(server->replies[ring], bytes);
    return ring;
}

void server_answer(struct server *server, const struct reply_message *reply)
{
    server_wake(server, server_post_reply(server, reply));
}

uint32_t server_post_refusal(struct server *server, uint64_t origin, uint32_t reply_bytes, enum reject reject,
                             bool lost)
{
    struct {
        struct reply_message head;
        struct refused       refused;
    } reply = { 0 };

    reply.head.origin = origin;
    reply.head.reply_bytes = reply_bytes;
    reply.head.events_bytes = sizeof(reply.refused);
    reply.head.lost = lost;
    reply.refused.head = (struct event){ .kind = EVENT_REFUSED, .bytes = sizeof(reply.refused) };
    reply.refused.reject = (uint16_t)reject;
    return server_post_reply(server, &reply.head);
}

void server_refuse(struct server *server, const struct write_message *message, enum reject reject)
{
    server_wake(server, server_post_refusal(server, message->origin, message->reply_bytes, reject, false));
}
