/* SPDX-License-Identifier: MIT */
#include "pipeline/dry_run.h"

#include "io/files.h"

struct dry_reply {
    struct reply_message head;
    _Alignas(8) uint8_t events[REPLY_BYTES_MAX];
};

static struct events events_from(const struct events *events, size_t from)
{
    return (struct events){ events->at + from, events->len - from, events->len - from };
}

/* The events of a reply, as the engine's thread sends them for a real command. */
static void fill_reply(const struct events *events, struct dry_reply *reply)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (!reply_wants(event)) continue;
        assert(sizeof(reply->head) + reply->head.events_bytes + event->bytes <= reply->head.reply_bytes);
        memcpy(reply->events + reply->head.events_bytes, event, event->bytes);
        reply->head.events_bytes += event->bytes;
    }
}

static void refuse(struct dry_reply *reply, enum reject reject)
{
    struct refused *refused = (struct refused *)(void *)reply->events;

    *refused =
        (struct refused){ .head = { .kind = EVENT_REFUSED, .bytes = sizeof(*refused) }, .reject = (uint16_t)reject };
    reply->head.events_bytes = sizeof(*refused);
}

/* Commands have a TICK before them when the second, or something on schedule, is due (sequence.h). */
static void tick(struct engine *copy, int64_t now_ms, struct events *events)
{
    struct {
        struct command head;
        struct tick    tick;
    } room = { .head = { .kind = CMD_TICK, .bytes = sizeof(room), .time_ms = now_ms, .seq = engine_seq(copy) + 1 } };

    if (engine_second_ms(copy) <= now_ms || engine_due_ms(copy) <= now_ms || engine_work_left(copy))
        engine_apply(copy, &room.head, events);
}

static void run(struct server *server, struct engine *copy, struct command *command, int64_t now_ms,
                struct dry_reply *reply)
{
    struct events *events = &server->exchange.events;
    struct events  own;
    size_t         from;

    assert(events->len == 0); /* everything has been folded */
    tick(copy, now_ms, events);
    from = events->len;
    command->seq = engine_seq(copy) + 1;
    command->time_ms = now_ms;
    command->origin = 0;
    sequence_name(&server->sequencer, command);
    engine_apply(copy, command, events);
    own = events_from(events, from);
    fill_reply(&own, reply);
    events->len = 0;
}

void dry_run(struct server *server, struct write_message *message, int64_t now_ms)
{
    struct exchange *exchange = &server->exchange;
    struct command  *command = (struct command *)(void *)(message + 1);
    struct dry_reply reply = { .head = { .origin = message->origin, .reply_bytes = message->reply_bytes } };
    size_t           bytes = engine_size(exchange->room);
    void            *memory = files_take_memory(bytes);

    assert(now_ms >= engine_time_ms(exchange->engine));
    if (memory == NULL) refuse(&reply, REJECT_BUSY);
    else run(server, engine_move(memory, exchange->engine, engine_limits(exchange->engine)), command, now_ms, &reply);
    if (memory != NULL) files_give_memory(memory, bytes);
    server_answer(server, &reply.head);
}
