/* SPDX-License-Identifier: MIT */
#include "pipeline/clock_advance.h"

#include "io/clock.h"
#include "pipeline/dry_run.h"
#include "pipeline/revert.h"

#define HOUR_MS INT64_C(3600000)

/* The request of a message, computed. */
struct advance_plan {
    int64_t now_ms, to_ms, offset_ms, pin_ms;
};

/*
 * Instants on the way. Every whole hour counts, whether something is due at it or not: so a jump is as
 * long on a venue without perpetuals as on one with them, some 400 days.
 */
static bool is_too_long(const struct server *server, const struct advance_plan *plan)
{
    uint64_t hours = (uint64_t)(plan->to_ms / HOUR_MS) - (uint64_t)(plan->now_ms / HOUR_MS);

    return hours > ADVANCE_INSTANTS_MAX
        || hours + engine_due_count(server->exchange.engine, plan->to_ms) > ADVANCE_INSTANTS_MAX;
}

static int64_t add_or_most(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

static enum reject work_out(const struct server *server, const struct write_message *message, int64_t clock_ms,
                            struct advance_plan *plan)
{
    const struct advance_time *request = command_payload((const struct command *)(const void *)(message + 1));
    int64_t                    offset_ms = engine_time_offset_ms(server->exchange.engine);

    if (server->exchange.genesis->development == 0) return REJECT_MODE_FORBIDS;
    *plan = (struct advance_plan){ .now_ms = sequence_now(&server->sequencer, clock_ms + offset_ms) };
    if (message->advance_kind == ADVANCE_BY) {
        if (request->offset_ms < 0) return REJECT_OFFSET_SHRINKS;
        plan->offset_ms = add_or_most(offset_ms, request->offset_ms);
        plan->to_ms = add_or_most(plan->now_ms, request->offset_ms);
    } else {
        if (request->offset_ms <= plan->now_ms) return REJECT_TIME_PASSED;
        plan->pin_ms = plan->to_ms = request->offset_ms;
        /* While the time before was pinned the clock may have gone beyond this one: the pin holds it back. */
        plan->offset_ms = max_i64(offset_ms, plan->to_ms - clock_ms);
    }
    return is_too_long(server, plan) ? REJECT_JUMP_TOO_LONG : REJECT_NONE;
}

/* Done without a command: an answer without events. */
static void confirm(struct server *server, const struct write_message *message)
{
    struct reply_message reply = { .origin = message->origin, .reply_bytes = message->reply_bytes };

    server_answer(server, &reply);
}

/* The clock goes on from where it is. It is no part of the state: the log has times only. */
static enum reject set_rate(struct server *server, const struct write_message *message)
{
    const struct advance_time *request = command_payload((const struct command *)(const void *)(message + 1));
    struct engine_clock       *clock = server->shared.clock;
    int64_t                    wall_ms = clock_wall_ms(), rate = request->offset_ms;

    if (server->exchange.genesis->development == 0 || clock == NULL) return REJECT_MODE_FORBIDS;
    if (rate == CLOCK_RATE_FIRST) rate = clock->first_rate;
    if (rate < 0 || rate > CLOCK_RATE_MAX) return REJECT_NUMBER_RANGE;
    engine_clock_set(clock, wall_ms, engine_clock_at(clock, wall_ms), rate);
    return REJECT_NONE;
}

static void judge_rate(struct server *server, const struct write_message *message)
{
    enum reject reject = set_rate(server, message);

    if (reject == REJECT_NONE) confirm(server, message);
    else server_refuse(server, message, reject);
}

/* What needs no command of the log. */
static uint32_t judge_other(struct server *server, struct write_message *message, int64_t clock_ms)
{
    int64_t now_ms = sequence_now(&server->sequencer, clock_ms + engine_time_offset_ms(server->exchange.engine));

    if (message->advance_kind != ADVANCE_TRY) judge_rate(server, message);
    else if (server->exchange.genesis->development == 0) server_refuse(server, message, REJECT_MODE_FORBIDS);
    else dry_run(server, message, now_ms);
    sequence_advance_refuse(&server->sequencer, server->writes);
    return 1;
}

uint32_t clock_advance_judge(struct server *server, int64_t clock_ms)
{
    struct write_message *message = sequence_advance_message(&server->sequencer, server->writes);
    struct advance_plan   plan;
    enum reject           reject;

    if (message->advance_kind >= ADVANCE_SAVE) return revert_judge(server, message);
    if (message->advance_kind > ADVANCE_TO) return judge_other(server, message, clock_ms);
    reject = work_out(server, message, clock_ms, &plan);
    if (reject == REJECT_NONE) {
        sequence_advance_log(&server->sequencer, server->writes,
                             clock_ms + engine_time_offset_ms(server->exchange.engine), plan.offset_ms, plan.pin_ms);
        return 1;
    }
    server_refuse(server, message, reject);
    sequence_advance_refuse(&server->sequencer, server->writes);
    return 1;
}

bool clock_advance_holds_reply(struct server *server)
{
    const struct replies *replies = &server->exchange.replies;
    struct held_reply    *kept = &server->advancing;

    if (server->sequencer.advance_kind == STEP_RUNNING && replies->len != 0) {
        assert(!kept->held && replies->len <= sizeof(kept->bytes));
        memcpy(kept->bytes, replies->at, replies->len);
        kept->held = true;
        return true;
    }
    if (server->sequencer.advance_kind >= STEP_LOGGED) return false;
    atomic_store_explicit(&server->shared.pin_ms, server->sequencer.pin_ms, memory_order_release);
    atomic_store_explicit(&server->shared.offset_ms, engine_time_offset_ms(server->exchange.engine),
                          memory_order_release);
    if (kept->held) {
        kept->held = false;
        server_answer(server, (const struct reply_message *)(const void *)kept->bytes);
    }
    return false;
}
