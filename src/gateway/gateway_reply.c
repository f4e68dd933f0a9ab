/* SPDX-License-Identifier: MIT */
/* gateway_reply.c — replies of the engine to their connections. */
#include "gateway/gateway_inside.h"

#include "io/clock.h"

/*
 * An answer has been written; its latency is computed for all that are sent together. The last entry of the list
 * stands for answers that no longer fit: its command was applied before them.
 */
static void note_answer_time(struct gateway *gateway, int64_t applied_ns)
{
    struct answer_time *last =
        gateway->answer_time_count != 0 ? &gateway->answer_times[gateway->answer_time_count - 1] : NULL;

    if (last != NULL && (last->applied_ns == applied_ns || gateway->answer_time_count == ANSWER_TIMES))
        last->count += 1;
    else gateway->answer_times[gateway->answer_time_count++] = (struct answer_time){ applied_ns, 1 };
}

static void count_answer_times(struct gateway *gateway)
{
    int64_t now_ns;

    if (gateway->answer_time_count == 0) return;
    now_ns = clock_mono_ns();
    for (uint32_t i = 0; i < gateway->answer_time_count; i++)
        histogram_add(&gateway->counters->answer, now_ns - gateway->answer_times[i].applied_ns,
                      gateway->answer_times[i].count);
    gateway->answer_time_count = 0;
}

/* The last reply that a connection waits for is sent at once when none is in front of it, the others together. */
static void write_reply(struct gateway *gateway, struct net_conn *conn, const struct http_answer *answer)
{
    bool   last = ((const struct session *)conn->owner)->count == 0;
    size_t from;

    if (!net_room(conn, gateway->body.len + HEAD_BYTES)) {
        session_abort(gateway, conn);
        return;
    }
    from = conn->output.len;
    if (last && from == 0 && !gateway->faulty
        && session_send_in_place(gateway, conn, answer, out_slice(&gateway->body)))
        return;
    http_write(&conn->output, answer, out_slice(&gateway->body));
    if (gateway->faulty) session_disturb_answer(gateway, conn, from);
}

static void take_reply(struct gateway *gateway, const struct reply_message *message)
{
    struct origin      origin = origin_unpack(message->origin);
    struct net_conn   *conn = net_find(gateway->net, origin.slot, origin.generation);
    struct api_context context;
    struct http_answer answer = { 0 };
    struct api_result  result;
    struct session    *session;
    struct pending     pending;
    struct api_noted   noted;

    gateway->promised -= ring_cost(message->reply_bytes);
    gateway->in_flight -= 1;
    assert((gateway->in_flight == 0) == (gateway->promised == 0));
    result.events =
        (struct events){ (uint8_t *)(uintptr_t)(message + 1), message->events_bytes, message->events_bytes };
    io_count_items(gateway->counters, &result.events);
    if (conn == NULL) return; /* the connection is gone */
    context = session_context(gateway, conn);
    session = conn->owner;
    assert(session->count != 0 && ((session->number - session->count) & 0xffff) == origin.request);
    pending = session->pending[session->first];
    session->first = (session->first + 1) % PIPELINE_MAX;
    session->count -= 1;

    result.is_transaction = message->is_transaction != 0;
    result.place = message->place;
    result.seq = message->seq;
    result.quota = pending.quota;
    if (session->state == SESSION_AWAITING_ENGINE) {
        session->state = pending.close ? SESSION_ENDING : SESSION_READING;
        gateway->current->write.progress = session->progress;
        if (session_resume_request(gateway, conn, &context, &result, pending.close, &answer)) return;
        session_end_request(gateway, conn);
    } else {
        gateway->body.len = 0;
        gateway->body.overflow = false;
        api_reply(gateway->api, &context, pending.endpoint, &result, &answer, &gateway->body);
        if (!pending.browser)
            answer.allow_origin =
                SLICE(""); /* as with answers: a request without an Origin header needs no CORS headers */
    }
    noted = api_noted(gateway->api);
    noted.route = pending.route;
    io_count_request(gateway->counters, &noted);
    note_answer_time(gateway, message->applied_ns);
    answer.close |= pending.close;
    answer.date = gateway_date(gateway);
    write_reply(gateway, conn, &answer);
    if (!session->dirty) gateway->dirty[gateway->dirty_count++] = conn->slot;
    session->dirty = true;
}

void gateway_take_replies(struct gateway *gateway)
{
    void    *message;
    uint64_t bytes;

    for (; (message = ring_peek(&gateway->replies, &bytes)) != NULL; ring_next(&gateway->replies)) {
        take_reply(gateway, message);
        gateway_push_streams(gateway);
    }
    for (uint32_t i = 0; i < gateway->dirty_count; i++) {
        struct net_conn *conn = net_at(gateway->net, gateway->dirty[i]);
        if (conn == NULL) continue;
        ((struct session *)conn->owner)->dirty = false;
        session_answered(gateway, conn);
        gateway_push_streams(gateway);
    }
    gateway->dirty_count = 0;
    count_answer_times(gateway);
}
