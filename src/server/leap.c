/* SPDX-License-Identifier: MIT */
#include "server/leap.h"

#include "io/clock.h"

#define HOUR_MS INT64_C(3600000)

/* What a message asks for, worked out. */
struct jump { int64_t now_ms, to_ms, offset_ms, pin_ms; };

/*
 * Instants on the way. Every whole hour counts, whether something is due at it or not: so a jump is as
 * long on a venue without perpetuals as on one with them, some 400 days.
 */
static bool is_too_long(const struct server *server, const struct jump *jump)
{
    uint64_t hours = (uint64_t)(jump->to_ms / HOUR_MS) - (uint64_t)(jump->now_ms / HOUR_MS);

    return hours > LEAP_INSTANTS_MAX || hours + engine_due_count(server->exchange.engine, jump->to_ms) > LEAP_INSTANTS_MAX;
}

static int64_t add_or_most(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

static enum reject work_out(const struct server *server, const struct write_message *message, int64_t wall_ms, struct jump *jump)
{
    const struct advance_time *asked = command_payload((const struct command *)(const void *)(message + 1));
    int64_t                    offset_ms = engine_time_offset_ms(server->exchange.engine);

    if (server->exchange.genesis->development == 0) return REJECT_MODE_FORBIDS;
    *jump = (struct jump){ .now_ms = sequence_now(&server->sequencer, wall_ms + offset_ms) };
    if (message->leap == LEAP_BY) {
        if (asked->offset_ms < 0) return REJECT_OFFSET_SHRINKS;
        jump->offset_ms = add_or_most(offset_ms, asked->offset_ms);
        jump->to_ms = add_or_most(jump->now_ms, asked->offset_ms);
    } else {
        if (asked->offset_ms <= jump->now_ms) return REJECT_TIME_PASSED;
        jump->pin_ms = jump->to_ms = asked->offset_ms;
        /* While the time before was pinned the clock may have gone beyond this one: the pin holds it back. */
        jump->offset_ms = max_i64(offset_ms, jump->to_ms - wall_ms);
    }
    return is_too_long(server, jump) ? REJECT_JUMP_TOO_LONG : REJECT_NONE;
}

/* Refused before the log: nothing has happened, and the answer says so like any refusal. */
static void refuse(struct server *server, const struct write_message *message, enum reject reject)
{
    struct { struct reply_message head; struct refused refused; } reply = { 0 };

    reply.head.origin = message->origin;
    reply.head.reply_bytes = message->reply_bytes;
    reply.head.events_bytes = sizeof(reply.refused);
    reply.refused.head = (struct event){ .kind = EVENT_REFUSED, .bytes = sizeof(reply.refused) };
    reply.refused.reject = (uint16_t)reject;
    server_answer(server, &reply.head);
}

uint32_t leap_judge(struct server *server, int64_t wall_ms)
{
    const struct write_message *message = sequence_leap_message(&server->sequencer, server->writes);
    struct jump                 jump;
    enum reject                 reject = work_out(server, message, wall_ms, &jump);

    if (reject == REJECT_NONE) {
        sequence_leap_log(&server->sequencer, server->writes, wall_ms + engine_time_offset_ms(server->exchange.engine), jump.offset_ms, jump.pin_ms);
        return 1;
    }
    refuse(server, message, reject);
    sequence_leap_refuse(&server->sequencer, server->writes);
    return 1;
}

bool leap_holds(struct server *server)
{
    const struct replies *replies = &server->exchange.replies;
    struct held_reply    *kept = &server->leaping;

    if (server->sequencer.leap == STEP_RUNNING && replies->len != 0) {
        assert(!kept->held && replies->len <= sizeof(kept->bytes));
        memcpy(kept->bytes, replies->at, replies->len);
        kept->held = true;
        return true;
    }
    if (server->sequencer.leap >= STEP_LOGGED) return false;
    atomic_store_explicit(&server->shared.pin_ms, server->sequencer.pin_ms, memory_order_release);
    atomic_store_explicit(&server->shared.offset_ms, engine_time_offset_ms(server->exchange.engine), memory_order_release);
    if (kept->held) {
        kept->held = false;
        server_answer(server, (const struct reply_message *)(const void *)kept->bytes);
    }
    return false;
}
