/* SPDX-License-Identifier: MIT */
/*
 * Advances of the clock through the whole pipeline: the work that became due, waiting requests, and refusals without a
 * trace.
 */
#include "pipeline/clock_advance.h"

#include "api/api.h"
#include "history/state.h"
#include "io/clock.h"
#include "rigs/pipeline/turn_rig.h"

#include <stdio.h>

#define DAY  INT64_C(86400000)
#define HOUR INT64_C(3600000)

static void send_advance(struct rig *rig, uint64_t origin, enum advance_kind advance_kind, int64_t ms)
{
    struct {
        struct command      head;
        struct advance_time advance;
    } command = { 0 };

    command.head.kind = CMD_ADVANCE_TIME;
    command.head.bytes = sizeof(command);
    command.advance.offset_ms = ms;
    send_command(rig, origin, &command.head, (struct slice){ "", 0 }, (uint8_t)advance_kind);
}

/* The reject of the next reply, or REJECT_NONE; *offset_ms is its time, -1 = none. */
static enum reject take_reply_of(struct rig *rig, uint64_t origin, int64_t *offset_ms, bool is_transaction)
{
    uint64_t                    bytes = 0;
    const struct reply_message *reply = ring_peek(&rig->replies, &bytes);
    const struct event         *event;
    struct events               events;
    enum reject                 reject = REJECT_NONE;

    assert_non_null(reply);
    assert_int_equal(reply->origin, origin);
    events = (struct events){ (uint8_t *)(uintptr_t)(reply + 1), reply->events_bytes, reply->events_bytes };
    *offset_ms = -1;
    for (event = events_first(&events); event != NULL; event = events_next(&events, event)) {
        if (event->kind == EVENT_REFUSED) reject = (enum reject)((const struct refused *)(const void *)event)->reject;
        if (event->kind == EVENT_RESULT) reject = (enum reject)((const struct result *)(const void *)event)->reject;
        if (event->kind == EVENT_TIME) *offset_ms = ((const struct time_advanced *)(const void *)event)->offset_ms;
    }
    assert_int_equal(reply->is_transaction, is_transaction && (reject == REJECT_NONE || *offset_ms >= 0));
    ring_next(&rig->replies);
    return reject;
}

static enum reject take_reply(struct rig *rig, uint64_t origin, int64_t *offset_ms)
{
    return take_reply_of(rig, origin, offset_ms, true);
}

/* The next reply is of something that is no command. */
static void expect_confirmed(struct rig *rig, uint64_t origin)
{
    uint64_t                    bytes = 0;
    const struct reply_message *reply = ring_peek(&rig->replies, &bytes);

    assert_non_null(reply);
    assert_int_equal(reply->origin, origin);
    assert_int_equal(reply->events_bytes, 0);
    assert_int_equal(reply->seq, 0);
    ring_next(&rig->replies);
}

static int64_t shown_ms(const struct rig *rig) { return gateway_context(&rig->server.shared).now_ms; }

static void time_is_shown_and_answered_when_all_that_was_due_has_happened(void **state)
{
    struct rig *rig = *state;
    int64_t     offset, before = shown_ms(rig);
    uint64_t    seq;

    send_advance(rig, origin(1), ADVANCE_BY, 10 * DAY);
    seq = engine_seq(rig->server.exchange.engine);
    while (engine_seq(rig->server.exchange.engine) < seq + 11) { /* the command, ten midnights, and then the arrival */
        assert_true(ring_is_empty(&rig->replies));
        assert_true(shown_ms(rig) < before + 10 * DAY
                    || engine_time_ms(rig->server.exchange.engine) >= before + 9 * DAY);
        (void)server_turn(&rig->server);
    }
    turn_until_still(rig);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq + 12);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NONE);
    assert_int_equal(offset, 10 * DAY);
    assert_in_range((uint64_t)(shown_ms(rig) - before), 10 * DAY, 10 * DAY + 20000);
    assert_int_equal(gateway_context(&rig->server.shared).offset_ms, 10 * DAY);
    assert_int_equal(rig->server.exchange.blocks.applied.number, 1); /* the TICKs emitted nothing */
}

/* Ten midnights while no minute of the history is written: none of them happens before the history has room. */
static void an_advance_waits_for_a_history_that_is_full(void **state)
{
    struct rig     *rig = *state;
    struct history *history;
    char            folder[300];
    int64_t         offset;
    uint64_t        seq;

    (void)snprintf(folder, sizeof(folder), "%s/history", rig->folder);
    assert_int_equal(history_open(folder, &(struct hash256){ { 1 } }, slice_of("boot"), &history), 0);
    rig->server.exchange.history = history;
    send_advance(rig, origin(1), ADVANCE_BY, 10 * DAY);
    seq = engine_seq(rig->server.exchange.engine);
    while (engine_seq(rig->server.exchange.engine) < seq + 3) (void)server_turn(&rig->server);
    history->bars.waiting = BARS_FULL;
    for (int i = 0; i < 100; i++) (void)server_turn(&rig->server);
    assert_in_range(engine_seq(rig->server.exchange.engine), seq + 3, seq + 4); /* one was on its way */
    assert_true(ring_is_empty(&rig->replies));
    assert_true(server_rest_ns(&rig->server) <= 10000000);
    history->bars.waiting = BARS_FULL - 1;
    turn_until_still(rig);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq + 12);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NONE);
    assert_int_equal(offset, 10 * DAY);
    rig->server.exchange.history = NULL;
    history->bars.waiting = 0;
    history_close(history);
}

static void commands_behind_a_leap_have_its_time_and_leaps_add_up(void **state)
{
    struct rig *rig = *state;
    int64_t     offset, wall = clock_wall_ms();

    send_deposit(rig, origin(1), 1, 5);
    send_advance(rig, origin(2), ADVANCE_BY, DAY);
    send_advance(rig, origin(3), ADVANCE_BY, DAY);
    send_deposit(rig, origin(4), 2, 5);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NONE);
    assert_int_equal(take_reply(rig, origin(2), &offset), REJECT_NONE);
    assert_int_equal(offset, DAY);
    assert_int_equal(take_reply(rig, origin(3), &offset), REJECT_NONE);
    assert_int_equal(offset, 2 * DAY);
    assert_int_equal(take_reply(rig, origin(4), &offset), REJECT_NONE);
    assert_true(engine_time_ms(rig->server.exchange.engine) >= wall + 2 * DAY);
    assert_int_equal(rig->server.exchange.blocks.applied.number, 4);
}

static void the_next_command_has_the_time_that_was_set_and_the_clock_goes_on(void **state)
{
    struct rig *rig = *state;
    int64_t     offset, target = (shown_ms(rig) / 1000 + 5000) * 1000;

    send_advance(rig, origin(1), ADVANCE_TO, target);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NONE);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), target);
    thread_sleep_ms(CLOSING_MS + 30);
    turn_until_still(rig); /* the closing batch does not move it either */
    assert_int_equal(shown_ms(rig), target);
    send_deposit(rig, origin(2), 1, 5);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(2), &offset), REJECT_NONE);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), target);
    assert_int_equal(rig->server.exchange.blocks.last.time_ms, target);
    assert_true(shown_ms(rig) > target + CLOSING_MS); /* and it continues as if it had never stopped */

    /* A second fixed time: the clock has passed it, and the offset does not shrink. */
    send_advance(rig, origin(3), ADVANCE_TO, target + 100000);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(3), &offset), REJECT_NONE);
    thread_sleep_ms(30);
    send_advance(rig, origin(4), ADVANCE_TO, target + 100010);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(4), &target), REJECT_NONE);
    assert_true(target >= offset);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), shown_ms(rig));
}

static void a_time_in_the_past_is_refused_at_the_very_millisecond(void **state)
{
    struct rig *rig = *state;
    int64_t     offset, target = shown_ms(rig) + DAY;
    uint64_t    seq;

    send_advance(rig, origin(1), ADVANCE_TO, target);
    turn_until_still(rig);
    (void)take_reply(rig, origin(1), &offset);
    seq = engine_seq(rig->server.exchange.engine);
    send_advance(rig, origin(2), ADVANCE_TO, target); /* the clock is fixed there: not later */
    send_advance(rig, origin(3), ADVANCE_TO, 0);
    send_advance(rig, origin(4), ADVANCE_BY, -1);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(2), &offset), REJECT_TIME_PASSED);
    assert_int_equal(take_reply(rig, origin(3), &offset), REJECT_TIME_PASSED);
    assert_int_equal(take_reply(rig, origin(4), &offset), REJECT_OFFSET_SHRINKS);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq); /* nothing of it reached the log */
    send_advance(rig, origin(5), ADVANCE_TO, target + 1);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(5), &offset), REJECT_NONE);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), target + 1);
}

static void ten_thousand_hours_may_be_passed_and_no_more(void **state)
{
    struct rig *rig = *state;
    int64_t     offset, start = (shown_ms(rig) / HOUR + 1) * HOUR;
    uint64_t    seq;

    send_advance(rig, origin(1), ADVANCE_TO, start); /* a whole hour, and the clock pinned to it */
    turn_until_still(rig);
    (void)take_reply(rig, origin(1), &offset);
    seq = engine_seq(rig->server.exchange.engine);
    send_advance(rig, origin(2), ADVANCE_TO, start + 10001 * HOUR);
    send_advance(rig, origin(3), ADVANCE_BY, INT64_MAX);
    send_advance(rig, origin(4), ADVANCE_TO, INT64_MAX);
    turn_until_still(rig);
    for (uint32_t i = 2; i <= 4; i++) assert_int_equal(take_reply(rig, origin(i), &offset), REJECT_JUMP_TOO_LONG);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq);
    assert_int_equal(shown_ms(rig), start);
    send_advance(rig, origin(5), ADVANCE_TO, start + 10001 * HOUR - 1); /* 10,000 whole hours on the way */
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(5), &offset), REJECT_NONE);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), start + 10001 * HOUR - 1);
    assert_true(engine_seq(rig->server.exchange.engine) > seq + 416); /* a TICK for each of the days */
}

static void the_offset_is_in_the_log(void **state)
{
    struct rig    *rig = *state;
    struct hash256 hash, again;
    int64_t        offset;

    send_advance(rig, origin(1), ADVANCE_BY, 3 * DAY);
    turn_until_still(rig);
    (void)take_reply(rig, origin(1), &offset);
    server_close_log(&rig->server);
    hash = engine_hash(rig->server.exchange.engine);
    close_rig(rig);
    open_rig(rig);
    again = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(hash.bytes, again.bytes, 32);
    assert_int_equal(gateway_context(&rig->server.shared).offset_ms, 3 * DAY);
    assert_in_range((uint64_t)(shown_ms(rig) - clock_wall_ms()), 3 * DAY - 1000, 3 * DAY + 1000);
    send_deposit(rig, origin(2), 1, 5);
    turn_until_still(rig);
    assert_true(engine_time_ms(rig->server.exchange.engine) >= clock_wall_ms() + 3 * DAY - 20000);
}

static void a_venue_does_not_travel(void **state)
{
    struct rig *rig = *state;
    int64_t     offset;

    send_advance(rig, origin(1), ADVANCE_BY, 1000);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_MODE_FORBIDS);
    assert_int_equal(engine_seq(rig->server.exchange.engine), 0);
}

/* ---- the clock's rate ---- */

static void a_clock_that_stands_moves_only_when_it_is_told(void **state)
{
    struct rig         *rig = *state;
    struct engine_clock clock = { 0 };
    int64_t             offset, begin = rig->config.genesis.time_ms;
    uint64_t            seq;

    engine_clock_set(&clock, clock_wall_ms(), begin, 0);
    rig->server.shared.clock = &clock;
    send_deposit(rig, origin(1), 1, 5);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NONE);
    seq = engine_seq(rig->server.exchange.engine);
    thread_sleep_ms(CLOSING_MS + 30);
    turn_until_still(rig);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), begin);
    assert_int_equal(shown_ms(rig), begin);
    assert_int_equal(server_rest_ns(&rig->server), 1000000000);
    send_advance(rig, origin(2), ADVANCE_BY, 17);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(2), &offset), REJECT_NONE);
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), begin + 17);
    assert_int_equal(shown_ms(rig), begin + 17);
}

static void a_change_of_the_rate_is_answered_and_leaves_no_trace(void **state)
{
    struct rig         *rig = *state;
    struct engine_clock clock = { .first_rate = 7 };
    int64_t             offset, shown;
    uint64_t            seq = engine_seq(rig->server.exchange.engine);

    engine_clock_set(&clock, clock_wall_ms() - 5, rig->config.genesis.time_ms, 0);
    rig->server.shared.clock = &clock;
    send_advance(rig, origin(1), ADVANCE_CLOCK, CLOCK_RATE_MAX + 1);
    send_advance(rig, origin(2), ADVANCE_CLOCK, CLOCK_RATE_FIRST - 1);
    send_advance(rig, origin(3), ADVANCE_CLOCK, CLOCK_RATE_MAX);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_NUMBER_RANGE);
    assert_int_equal(take_reply(rig, origin(2), &offset), REJECT_NUMBER_RANGE);
    expect_confirmed(rig, origin(3));
    thread_sleep_ms(20);
    assert_true(shown_ms(rig) >= rig->config.genesis.time_ms + 20000); /* a thousand times as fast */
    send_advance(rig, origin(4), ADVANCE_CLOCK, 0);
    turn_until_still(rig);
    expect_confirmed(rig, origin(4));
    shown = shown_ms(rig);
    thread_sleep_ms(5);
    assert_int_equal(shown_ms(rig), shown);
    send_advance(rig, origin(5), ADVANCE_CLOCK, CLOCK_RATE_FIRST);
    turn_until_still(rig);
    expect_confirmed(rig, origin(5));
    assert_int_equal(engine_clock_rate(&clock), 7);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq);
}

static void a_venue_keeps_the_wall_clock(void **state)
{
    struct rig *rig = *state;
    int64_t     offset;

    send_advance(rig, origin(1), ADVANCE_CLOCK, 0);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(1), &offset), REJECT_MODE_FORBIDS);
    assert_in_range((uint64_t)(clock_wall_ms() - shown_ms(rig)), 0, 20000);
}

static void a_dry_run_answers_and_changes_nothing(void **state)
{
    struct rig    *rig = *state;
    struct hash256 before, after;
    int64_t        offset;
    uint64_t       seq;

    send_deposit(rig, origin(1), 1, 5);
    turn_until_still(rig);
    (void)take_reply(rig, origin(1), &offset);
    before = engine_hash(rig->server.exchange.engine);
    seq = engine_seq(rig->server.exchange.engine);
    for (uint32_t i = 2; i < 5; i++) {
        send_deposit_kind(rig, origin(i), 2, i < 4 ? 7 : -7, ADVANCE_TRY);
        turn_until_still(rig);
        assert_int_equal(take_reply_of(rig, origin(i), &offset, false), i < 4 ? REJECT_NONE : REJECT_NOT_POSITIVE);
    }
    send_deposit_kind(rig, origin(5), 1, 6,
                      ADVANCE_TRY); /* the id of another deposit: the state that there is decides */
    turn_until_still(rig);
    assert_int_equal(take_reply_of(rig, origin(5), &offset, false), REJECT_TRANSFER_CONFLICT);
    after = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(before.bytes, after.bytes, 32);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq);
    send_deposit(rig, origin(6), 2, 7);
    turn_until_still(rig);
    assert_int_equal(take_reply(rig, origin(6), &offset), REJECT_NONE);
    assert_int_equal(engine_seq(rig->server.exchange.engine), seq + 1);
}

static void a_venue_runs_nothing_dry(void **state)
{
    struct rig *rig = *state;
    int64_t     offset;

    send_deposit_kind(rig, origin(1), 2, 7, ADVANCE_TRY);
    turn_until_still(rig);
    assert_int_equal(take_reply_of(rig, origin(1), &offset, false), REJECT_MODE_FORBIDS);
}

static void a_tick_on_demand_is_answered_and_does_not_disturb_our_own(void **state)
{
    struct {
        struct command head;
        struct tick    tick;
    } command = { 0 };
    struct rig                 *rig = *state;
    const struct reply_message *reply;
    uint64_t                    bytes = 0;

    command.head.kind = CMD_TICK;
    command.head.bytes = sizeof(command);
    send_command(rig, origin(1), &command.head, (struct slice){ "", 0 }, ADVANCE_NONE);
    send_deposit(rig, origin(2), 1, 5);
    turn_until_still(rig);
    reply = ring_peek(&rig->replies, &bytes);
    assert_non_null(reply);
    assert_int_equal(reply->origin, origin(1));
    assert_int_equal(reply->events_bytes, 0);
    assert_int_equal(reply->is_transaction, 0);
    ring_next(&rig->replies);
    assert_int_equal(engine_seq(rig->server.exchange.engine), 2);
    assert_int_equal(rig->server.sequencer.tick_seq, 0);
}

int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_is_shown_and_answered_when_all_that_was_due_has_happened, make_development,
            unmake),
        cmocka_unit_test_setup_teardown(an_advance_waits_for_a_history_that_is_full, make_development, unmake),
        cmocka_unit_test_setup_teardown(commands_behind_a_leap_have_its_time_and_leaps_add_up, make_development,
            unmake),
        cmocka_unit_test_setup_teardown(the_next_command_has_the_time_that_was_set_and_the_clock_goes_on,
            make_development, unmake),
        cmocka_unit_test_setup_teardown(a_time_in_the_past_is_refused_at_the_very_millisecond, make_development,
            unmake),
        cmocka_unit_test_setup_teardown(ten_thousand_hours_may_be_passed_and_no_more, make_development, unmake),
        cmocka_unit_test_setup_teardown(the_offset_is_in_the_log, make_development, unmake),
        cmocka_unit_test_setup_teardown(a_venue_does_not_travel, make, unmake),
        cmocka_unit_test_setup_teardown(a_clock_that_stands_moves_only_when_it_is_told, make_development, unmake),
        cmocka_unit_test_setup_teardown(a_change_of_the_rate_is_answered_and_leaves_no_trace, make_development,
            unmake),
        cmocka_unit_test_setup_teardown(a_venue_keeps_the_wall_clock, make, unmake),
        cmocka_unit_test_setup_teardown(a_dry_run_answers_and_changes_nothing, make_development, unmake),
        cmocka_unit_test_setup_teardown(a_venue_runs_nothing_dry, make, unmake),
        cmocka_unit_test_setup_teardown(a_tick_on_demand_is_answered_and_does_not_disturb_our_own, make_development,
            unmake),
    };
    /* clang-format on */
    return crypto_init() ? cmocka_run_group_tests_name("pipeline/clock_advance", tests, NULL, NULL) : 1;
}
