/* SPDX-License-Identifier: MIT */
#include "rigs/pipeline/sequence_rig.h"

static void commands_get_numbers_one_time_and_keep_who_asked(void **state)
{
    struct log_cursor   cursor = { 0, 0 };
    struct log_record   record;
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send(11);
    send(12);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 2);
    send(13);
    assert_int_equal(turn(6000, INT64_MAX, INT64_MAX), 1); /* joins the open batch, with its time */
    batch = take(&routes);
    assert_int_equal(batch.count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(log_batch_next(&batch, &cursor, &record));
        assert_int_equal(record.command->seq, i + 1);
        assert_int_equal(record.command->time_ms, 5000);
        assert_int_equal(record.command->origin, 0);
        assert_int_equal(routes[i].origin, 11 + i);
        assert_int_equal(record.signed_bytes.len, 16);
    }
}

static void time_never_goes_back(void **state)
{
    struct reply_route *routes;

    (void)state;
    send(1);
    (void)turn(5000, INT64_MAX, INT64_MAX);
    assert_int_equal(take(&routes).time_ms, 5000);
    send(2);
    (void)turn(1, INT64_MAX, INT64_MAX);
    assert_int_equal(take(&routes).time_ms, 5000);
}

static void nothing_to_do_opens_no_batch(void **state)
{
    (void)state;
    assert_int_equal(turn(5000, 5001, INT64_MAX), 0);
    assert_false(sequencer.open);
    sequence_closing(&sequencer, 6000);
    assert_false(sequencer.open);
}

static void a_tick_that_is_due_stands_first_in_its_batch(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send(7);
    assert_int_equal(turn(5000, 5000, INT64_MAX), 2);
    batch = take(&routes);
    assert_int_equal(kind_at(&batch, 0), CMD_TICK);
    assert_int_equal(kind_at(&batch, 1), CMD_SCHEDULE_CANCEL);
    assert_int_equal(routes[0].origin, 0);
    assert_int_equal(routes[1].origin, 7);
}

static void a_tick_is_not_repeated_before_it_has_been_applied(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    assert_int_equal(turn(5000, 5000, INT64_MAX), 1);
    batch = take(&routes);
    assert_int_equal(turn(5001, 5000, 5000), 0); /* the engine has not seen it yet */
    sequence_applied(&sequencer, &batch);
    assert_int_equal(turn(5002, 5000, INT64_MAX), 1); /* work was left: at once again */
}

static void each_due_instant_of_a_gap_gets_its_own_tick_with_its_own_time(void **state)
{
    static const int64_t due[] = { 86400000, 2 * 86400000, 3 * 86400000 };
    struct log_batch     batch;
    struct reply_route  *routes;

    (void)state;
    send(5);
    for (size_t i = 0; i < ARRAY_COUNT(due); i++) {
        assert_int_equal(turn(300000000, due[i], INT64_MAX), 1);
        assert_int_equal(turn(300000000, due[i], INT64_MAX), 0); /* nothing joins it, nothing follows it */
        batch = take(&routes);
        assert_int_equal(turn(300000000, due[i], due[i]), 0);
        assert_int_equal(batch.count, 1);
        assert_int_equal(batch.time_ms, due[i]);
        assert_int_equal(kind_at(&batch, 0), CMD_TICK);
        sequence_applied(&sequencer, &batch);
    }
    assert_int_equal(turn(300000000, 345600000, INT64_MAX), 2); /* one at the new time, then the client's command */
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 300000000);
    assert_int_equal(batch.count, 2);
    assert_int_equal(kind_at(&batch, 0), CMD_TICK);
    assert_int_equal(kind_at(&batch, 1), CMD_SCHEDULE_CANCEL);
    sequence_applied(&sequencer, &batch);
    assert_int_equal(turn(300000001, 345600000, INT64_MAX), 0); /* and that was all */
}

static void an_instant_before_the_last_command_ticks_at_the_time_of_that_command(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    sequencer.last_ms = 9000;
    assert_int_equal(turn(20000, 500, INT64_MAX), 1);
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 9000);
}

static void just_less_than_a_second_late_is_no_gap(void **state)
{
    struct reply_route *routes;

    (void)state;
    assert_int_equal(turn(5999, 5000, INT64_MAX), 1);
    assert_int_equal(take(&routes).time_ms, 5999);
}

static void a_stalled_disk_holds_commands_back_that_could_overtake_a_schedule(void **state)
{
    (void)state;
    send(1);
    assert_int_equal(turn(9000, INT64_MAX, 5000), 0); /* 4 s: could be due before the batch is applied */
    assert_int_equal(turn(8999, INT64_MAX, 5000), 1);
}

static void a_closing_batch_follows_commands_once(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send(1);
    (void)turn(5000, INT64_MAX, INT64_MAX);
    (void)take(&routes);
    sequence_closing(&sequencer, 5100);
    assert_true(sequencer.open);
    batch = take(&routes);
    assert_int_equal(batch.count, 0);
    assert_int_equal(batch.first_seq, 2);
    assert_int_equal(batch.time_ms, 5100);
    sequence_closing(&sequencer, 5200);
    assert_false(sequencer.open);
}

static void a_leap_waits_alone_and_stops_everything_behind_it(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send(1);
    send_advance(2);
    send(3);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 1); /* up to the advance */
    assert_false(sequence_advance_waits(&sequencer));      /* the commands collected before it come first */
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 0);
    batch = take(&routes);
    sequence_applied(&sequencer, &batch);
    assert_true(sequence_advance_waits(&sequencer));
    assert_int_equal(turn(6000, 5500, INT64_MAX), 0); /* not even a TICK comes between */
    assert_int_equal(sequence_advance_message(&sequencer, rings)->origin, 2);
    sequence_advance_log(&sequencer, rings, 6000, 1000000, 0);
    assert_int_equal(turn(6000, INT64_MAX, INT64_MAX), 0);
    batch = take(&routes);
    assert_int_equal(batch.count, 1);
    assert_int_equal(kind_at(&batch, 0), CMD_ADVANCE_TIME);
    assert_int_equal(batch.time_ms, 6000);
    assert_int_equal(routes[0].origin, 2);
    assert_int_equal(turn(1006000, INT64_MAX, 6000), 0); /* outstanding */
    sequence_applied(&sequencer, &batch);
    assert_int_equal(turn(1006000, 1005900, INT64_MAX), 1); /* due, however near: at its own time */
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 1005900);
    sequence_applied(&sequencer, &batch);
    assert_int_equal(turn(1006001, INT64_MAX, INT64_MAX), 1); /* and one at the new time */
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 1006001);
    assert_int_equal(batch.count, 1);
    assert_int_equal(kind_at(&batch, 0), CMD_TICK);
    sequence_applied(&sequencer, &batch);
    assert_int_equal(turn(1006002, INT64_MAX, INT64_MAX), 1); /* then the waiting request */
    batch = take(&routes);
    assert_int_equal(routes[0].origin, 3);
}

static void a_leap_that_is_refused_leaves_the_log_as_it_was(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send_advance(1);
    send(2);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 1);
    assert_true(sequence_advance_waits(&sequencer));
    sequence_advance_refuse(&sequencer, rings);
    assert_false(sequence_advance_waits(&sequencer));
    assert_int_equal(sequencer.next_seq, 1);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 1);
    batch = take(&routes);
    assert_int_equal(routes[0].origin, 2);
    assert_int_equal(batch.first_seq, 1);
}

static void time_that_is_pinned_stands_still_until_the_next_command(void **state)
{
    struct reply_route *routes;

    (void)state;
    sequencer.pin_ms = 9000;
    assert_int_equal(sequence_now(&sequencer, 8000), 8000);
    assert_int_equal(sequence_now(&sequencer, 20000), 9000);
    assert_int_equal(turn(20000, 9001, INT64_MAX), 0); /* nothing falls due behind it */
    send(1);
    assert_int_equal(turn(20000, 9001, INT64_MAX), 1);
    assert_int_equal(take(&routes).time_ms, 9000);
    assert_int_equal(sequence_now(&sequencer, 20000), 20000);
}

static void what_does_not_fit_starts_the_next_batch(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    for (uint64_t i = 1; i <= 5; i++) send_sized(i, 120000);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 4);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 0);
    batch = take(&routes);
    assert_int_equal(batch.count, 4);
    assert_int_equal(turn(5000, INT64_MAX, 5000), 1);
    batch = take(&routes);
    assert_int_equal(batch.first_seq, 5);
    assert_int_equal(routes[0].origin, 5);
}

/* A command with so many bytes behind it as hints, all of them `byte`, and 16 signed bytes behind these. */
static void send_hinted(uint8_t byte, uint16_t hints_bytes)
{
    uint64_t bytes =
        sizeof(struct write_message) + sizeof(struct command) + sizeof(struct schedule_cancel) + hints_bytes + 16;
    struct write_message *message = ring_reserve(&ring, bytes);
    struct command       *command = (struct command *)(void *)(message + 1);
    uint8_t              *rest = (uint8_t *)command + sizeof(*command) + sizeof(struct schedule_cancel);

    assert_non_null(message);
    memset(message, 0, bytes);
    message->command_bytes = sizeof(struct command) + sizeof(struct schedule_cancel);
    message->hints_bytes = hints_bytes;
    message->signed_bytes = 16;
    command->kind = CMD_SCHEDULE_CANCEL;
    command->bytes = message->command_bytes;
    memset(rest, byte, hints_bytes);
    memset(rest + hints_bytes, 's', 16);
    ring_commit(&ring, bytes);
}

/* Hints stay beside their record; one without, and one whose hints find no room, has none, and both are in the log. */
static void hints_go_with_their_record_as_far_as_there_is_room(void **state)
{
    const struct batch_hints *hints = &sequencer.batch.hints;
    struct log_cursor         cursor = { 0, 0 };
    struct log_record         record;

    (void)state;
    send_hinted(1, 48);
    send_hinted(2, 0);
    send_hinted(3, HINTS - 48);
    send_hinted(4, 8);
    assert_int_equal(turn(5000, INT64_MAX, INT64_MAX), 4);
    assert_int_equal(((const uint8_t *)batch_hints_of(hints, 0))[47], 1);
    assert_null(batch_hints_of(hints, 1));
    assert_int_equal(((const uint8_t *)batch_hints_of(hints, 2))[HINTS - 49], 3);
    assert_null(batch_hints_of(hints, 3));
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(log_batch_next(&sequencer.batch.records, &cursor, &record));
        assert_int_equal(record.signed_bytes.len, 16);
        assert_int_equal(record.signed_bytes.at[0], 's');
    }
    sequence_take(&sequencer, &spare);
    send_hinted(5, 48);
    assert_int_equal(turn(6000, INT64_MAX, INT64_MAX), 1);
    assert_int_equal(((const uint8_t *)batch_hints_of(&sequencer.batch.hints, 0))[0], 5);
    assert_int_equal(((const uint8_t *)batch_hints_of(&spare.hints, 0))[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(commands_get_numbers_one_time_and_keep_who_asked, begin),
        cmocka_unit_test_setup(time_never_goes_back, begin),
        cmocka_unit_test_setup(nothing_to_do_opens_no_batch, begin),
        cmocka_unit_test_setup(a_tick_that_is_due_stands_first_in_its_batch, begin),
        cmocka_unit_test_setup(a_tick_is_not_repeated_before_it_has_been_applied, begin),
        cmocka_unit_test_setup(each_due_instant_of_a_gap_gets_its_own_tick_with_its_own_time, begin),
        cmocka_unit_test_setup(an_instant_before_the_last_command_ticks_at_the_time_of_that_command, begin),
        cmocka_unit_test_setup(just_less_than_a_second_late_is_no_gap, begin),
        cmocka_unit_test_setup(a_stalled_disk_holds_commands_back_that_could_overtake_a_schedule, begin),
        cmocka_unit_test_setup(a_closing_batch_follows_commands_once, begin),
        cmocka_unit_test_setup(a_leap_waits_alone_and_stops_everything_behind_it, begin),
        cmocka_unit_test_setup(a_leap_that_is_refused_leaves_the_log_as_it_was, begin),
        cmocka_unit_test_setup(time_that_is_pinned_stands_still_until_the_next_command, begin),
        cmocka_unit_test_setup(what_does_not_fit_starts_the_next_batch, begin),
        cmocka_unit_test_setup(hints_go_with_their_record_as_far_as_there_is_room, begin),
    };
    return cmocka_run_group_tests_name("pipeline/sequence", tests, NULL, NULL);
}
