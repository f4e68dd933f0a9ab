/* SPDX-License-Identifier: MIT */
/* gateway_write.c — writes on their way to the engine: room, refusal unread, and publication in the ring. */
#include "gateway/gateway_inside.h"

#include "io/clock.h"

/*
 * Whether both rings have room. A part of it is reserved by class: cancels have room that no other class may use
 * (process 4).
 */
static bool has_room(struct gateway *gateway, uint64_t bytes, uint64_t reply_bytes, uint8_t class)
{
    uint64_t kept = overload_reserved_bytes(gateway->settings.ring_bytes, class);

    if (ring_free(&gateway->writes) < 2 * ring_cost(bytes) + kept) return false;
    return gateway->promised + ring_cost(reply_bytes) + ring_cost(REPLY_BYTES_MAX) + kept
        <= gateway->settings.ring_bytes;
}

static bool push_write(struct gateway *gateway, struct net_conn *conn)
{
    struct api_write *write = &gateway->current->write;
    struct command   *command = &write->room.head;
    struct session   *session = conn->owner;
    uint32_t          reply_bytes = reply_bytes_max(command_items(command));
    uint64_t bytes = sizeof(struct write_message) + command->bytes + write->hints_bytes + write->signed_bytes.len;
    struct write_message *message;
    uint8_t              *rest;

    if (atomic_load_explicit(&gateway->shared->shed, memory_order_relaxed) != 0 && write->class != CLASS_CANCEL)
        return false;
    if (!has_room(gateway, bytes, reply_bytes, write->class)) return false;
    message = ring_reserve(&gateway->writes, bytes);
    assert(message != NULL && command->bytes % 8 == 0 && write->hints_bytes % 8 == 0);
    *message = (struct write_message){
        .origin =
            origin_pack((struct origin){ gateway->settings.thread, conn->slot, conn->generation, session->number }),
        .command_bytes = command->bytes,
        .signed_bytes = (uint32_t)write->signed_bytes.len,
        .reply_bytes = reply_bytes,
        .advance_kind = write->advance_kind,
        .hints_bytes = (uint16_t)write->hints_bytes,
        .sent_ns = gateway->watch.at_ns,
    };
    memcpy(message->signature, write->signature.r, 32);
    memcpy(message->signature + 32, write->signature.s, 32);
    message->signature[64] = write->signature.v;
    memcpy(message + 1, command, command->bytes);
    rest = (uint8_t *)(message + 1) + command->bytes;
    memcpy(rest, &write->hints, write->hints_bytes);
    memcpy(rest + write->hints_bytes, write->signed_bytes.at, write->signed_bytes.len);
    ring_fill(&gateway->writes, bytes);
    gateway->promised += ring_cost(reply_bytes);
    gateway->in_flight += 1;
    gateway->pushed += 1;
    gateway->wrote = true;
    return true;
}

static bool is_late(struct gateway *gateway, const struct session *session)
{
    struct overload *overload = &gateway->overload;

    return overload->late || overload_is_backlogged(overload, session->behind_ns)
        || (overload_is_past_deadline(overload, gateway->watch.at_ns) && overload_is_late(overload, clock_thread_ns()));
}

uint32_t write_sheds(struct gateway *gateway, const struct session *session, const struct http_request *request)
{
    uint32_t shed = 0;

    if (is_late(gateway, session)) shed = OVERLOAD_ALL_BUT_CANCELS;
    if (request->method != HTTP_POST && request->method != HTTP_DELETE) return shed;
    if (atomic_load_explicit(&gateway->shared->shed, memory_order_relaxed) != 0) shed |= OVERLOAD_WRITES_BUT_CANCELS;
    for (uint32_t class = CLASS_RISK + 1; class -- > CLASS_CANCEL;) {
        if (has_room(gateway, sizeof(struct write_message) + sizeof(struct command), reply_bytes_max(1),
                     (uint8_t) class))
            break;
        shed |= 1u << class;
    }
    return shed;
}

bool write_send(struct gateway *gateway, struct net_conn *conn, bool close)
{
    struct session *session = conn->owner;

    if (!push_write(gateway, conn)) return false;
    session->pending[(session->first + session->count++) % PIPELINE_MAX] =
        (struct pending){ gateway->current->write.endpoint, gateway->current->write.quota,
                          api_noted(gateway->api).route, close, session->request->header[HEADER_ORIGIN].at != NULL };
    session->number += 1;
    session->state = gateway->current->write.alone ? SESSION_AWAITING_ENGINE : close ? SESSION_ENDING : SESSION_READING;
    if (gateway->current->write.alone) session->progress = gateway->current->write.progress;
    return true;
}

bool session_resume_request(struct gateway *gateway, struct net_conn *conn, const struct api_context *context,
                            const struct api_result *result, bool close, struct http_answer *answer)
{
    const struct session *session = conn->owner;

    gateway->watch.at_ns = clock_mono_ns();
    for (;;) {
        gateway->body.len = 0;
        gateway->body.overflow = false;
        if (api_resume(gateway->api, context, session->request, result, &gateway->current->write, answer,
                       &gateway->body)
            == API_ANSWER)
            return false;
        if (write_send(gateway, conn, close)) return true;
        result = NULL;
    }
}

/*
 * To wake a thread that sleeps on another core takes about as long as to recover a signer, so where nothing is under
 * way the engine's thread wakes meanwhile. It stays awake until the turn ends (decision 138). This happens only where
 * there are enough cores for threads that poll, and not after a turn whose request was refused, so a client that sends
 * only refused requests does not keep the engine's thread awake.
 */
void writes_announce(struct gateway *gateway, const struct http_request *request)
{
    if (gateway->settings.busy_poll_ns == 0 || gateway->announces || gateway->promised != 0) return;
    if (!gateway->wrote || request->header[HEADER_API_SIGN].at == NULL) return;
    gateway->announces = true;
    gateway->wrote = false;
    (void)atomic_fetch_add(&gateway->shared->coming, 1);
    park_nudge(&gateway->shared->engine);
}

void writes_announced(struct gateway *gateway)
{
    if (!gateway->announces) return;
    gateway->announces = false;
    (void)atomic_fetch_sub(&gateway->shared->coming, 1);
}

/*
 * A batch costs a wake, a write and an fdatasync, whatever its size, and a wake is a system call when the engine's
 * thread sleeps. So writes are published in groups: when everything that was ready has been handled, or when there are
 * enough for a batch.
 */
void writes_show(struct gateway *gateway, uint32_t enough)
{
    if (gateway->pushed < enough) return;
    gateway->pushed = 0;
    ring_show(&gateway->writes);
    park_nudge(&gateway->shared->engine);
}
