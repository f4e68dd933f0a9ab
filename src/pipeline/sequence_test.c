/* SPDX-License-Identifier: MIT */
#include "pipeline/sequence.h"
#include "pipeline/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BYTES (512 * 1024)
#define HINTS 4096 /* room for the hints of a batch */

static struct sequencer     sequencer;
static struct command_batch spare;
static struct ring          ring;
static struct ring *const   rings[] = { &ring };

static int begin(void **state)
{
    static _Alignas(64) uint8_t ring_memory[1 << 20];
    static _Alignas(64) uint8_t first[BYTES], second[BYTES];
    static struct reply_route   routes[2][BATCH_RECORDS_MAX];
    static uint32_t             of[2][BATCH_RECORDS_MAX];
    static _Alignas(8) uint8_t  hints[2][HINTS];

    (void)state;
    memset(&sequencer, 0, sizeof(sequencer));
    sequencer.batch = (struct command_batch){ .records = { .at = first, .cap = BYTES },
                                              .hints = { .at = hints[0], .cap = HINTS, .of = of[0] },
                                              .routes = routes[0] };
    sequencer.next_seq = 1;
    sequencer.last_ms = 1000;
    spare = (struct command_batch){ .records = { .at = second, .cap = BYTES },
                                    .hints = { .at = hints[1], .cap = HINTS, .of = of[1] },
                                    .routes = routes[1] };
    ring_init(&ring, ring_memory, sizeof(ring_memory));
    return 0;
}

static void send_sized(uint64_t origin, uint32_t signed_bytes)
{
    uint64_t bytes =
        sizeof(struct write_message) + sizeof(struct command) + sizeof(struct schedule_cancel) + signed_bytes;
    struct write_message *message = ring_reserve(&ring, bytes);
    struct command       *command;

    assert_non_null(message);
    memset(message, 0, bytes);
    message->origin = origin;
    message->command_bytes = sizeof(struct command) + sizeof(struct schedule_cancel);
    message->signed_bytes = signed_bytes;
    message->reply_bytes = 512;
    command = (struct command *)(void *)(message + 1);
    command->kind = CMD_SCHEDULE_CANCEL;
    command->bytes = message->command_bytes;
    ring_commit(&ring, bytes);
}

static void send(uint64_t origin) { send_sized(origin, 16); }

static void send_advance(uint64_t origin)
{
    struct {
        struct write_message head;
        struct command       command;
        struct advance_time  advance;
    } message = { 0 };
    void *room = ring_reserve(&ring, sizeof(message));

    message.head.origin = origin;
    message.head.command_bytes = sizeof(struct command) + sizeof(struct advance_time);
    message.head.reply_bytes = 512;
    message.head.advance_kind = 1;
    message.command.kind = CMD_ADVANCE_TIME;
    message.command.bytes = message.head.command_bytes;
    assert_non_null(room);
    memcpy(room, &message, sizeof(message));
    ring_commit(&ring, sizeof(message));
}

static uint32_t turn(int64_t wall_ms, int64_t due_ms, int64_t writing_ms)
{
    struct moment moment = { .wall_ms = wall_ms,
                             .due_ms = due_ms,
                             .writing_ms = writing_ms,
                             .kept_ms = due_ms,
                             .pulse_ms = INT64_MAX,
                             .second_ms = INT64_MAX };
    return sequence(&sequencer, &moment, rings, 1);
}

static struct log_batch take(struct reply_route **routes)
{
    sequence_take(&sequencer, &spare);
    *routes = spare.routes;
    return spare.records;
}

static uint16_t kind_at(const struct log_batch *batch, uint32_t index)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    for (uint32_t i = 0; i <= index; i++) assert_true(log_batch_next(batch, &cursor, &record));
    return record.command->kind;
}

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

/* ---- perps: a TICK each second ---- */

static uint32_t pulse(int64_t wall_ms, int64_t due_ms, int64_t kept_ms, int64_t pulse_ms, bool left)
{
    struct moment moment = { .wall_ms = wall_ms,
                             .due_ms = due_ms,
                             .writing_ms = INT64_MAX,
                             .kept_ms = kept_ms,
                             .pulse_ms = pulse_ms,
                             .second_ms = pulse_ms,
                             .left = left };
    return sequence(&sequencer, &moment, rings, 1);
}

static uint64_t missed_at(const struct log_batch *batch)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    assert_true(log_batch_next(batch, &cursor, &record));
    assert_int_equal(record.command->kind, CMD_TICK);
    return ((const struct tick *)command_payload(record.command))->missed;
}

static void the_tick_of_a_second_stands_before_the_commands_and_wants_no_closing_batch(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    assert_int_equal(pulse(5999, INT64_MAX, INT64_MAX, 6000, false), 0);
    assert_int_equal(pulse(6000, INT64_MAX, INT64_MAX, 6000, false), 1);
    batch = take(&routes);
    assert_int_equal(batch.count, 1);
    assert_int_equal(missed_at(&batch), 0);
    sequence_applied(&sequencer, &batch);
    sequence_closing(&sequencer, 6100);
    assert_false(sequencer.open); /* the next TICK proves it */
    send(7);
    assert_int_equal(pulse(7000, INT64_MAX, INT64_MAX, 7000, false), 2);
    batch = take(&routes);
    assert_int_equal(kind_at(&batch, 1), CMD_SCHEDULE_CANCEL);
    sequence_applied(&sequencer, &batch);
    sequence_closing(&sequencer, 7100);
    assert_true(sequencer.open); /* a reply was sent */
    (void)take(&routes);
}

/* The next TICK of a quiet exchange is 40 s away; commands have one of their own before them. */
static void commands_of_a_quiet_exchange_begin_with_a_tick(void **state)
{
    struct moment moment = {
        .due_ms = INT64_MAX, .writing_ms = INT64_MAX, .kept_ms = INT64_MAX, .pulse_ms = 60000, .second_ms = 21000
    };
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    moment.wall_ms = 20999;
    send(7);
    assert_int_equal(sequence(&sequencer, &moment, rings, 1), 1);
    batch = take(&routes);
    assert_int_equal(kind_at(&batch, 0), CMD_SCHEDULE_CANCEL);
    moment.wall_ms = 21000;
    assert_int_equal(sequence(&sequencer, &moment, rings, 1), 0);
    send(8);
    assert_int_equal(sequence(&sequencer, &moment, rings, 1), 2);
    batch = take(&routes);
    assert_int_equal(kind_at(&batch, 0), CMD_TICK);
    assert_int_equal(kind_at(&batch, 1), CMD_SCHEDULE_CANCEL);
}

static void the_last_batch_of_an_idle_exchange_is_closed_when_it_stops(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    (void)pulse(6000, INT64_MAX, INT64_MAX, 6000, false);
    batch = take(&routes);
    sequence_applied(&sequencer, &batch);
    sequence_last(&sequencer);
    sequence_closing(&sequencer, 6100);
    assert_true(sequencer.open);
    (void)take(&routes);
    sequence_last(&sequencer);
    sequence_closing(&sequencer, 6200);
    assert_false(sequencer.open);
}

static void what_is_left_over_comes_at_once_and_before_anything_new(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    send(7);
    assert_int_equal(pulse(6000, INT64_MAX, INT64_MAX, 1000, true), 1);
    assert_int_equal(pulse(6000, INT64_MAX, INT64_MAX, 1000, true), 0); /* nothing joins it */
    batch = take(&routes);
    assert_int_equal(batch.count, 1);
    assert_int_equal(pulse(6000, INT64_MAX, INT64_MAX, 1000, true), 0); /* nothing follows it until it has happened */
    sequence_applied(&sequencer, &batch);
    assert_int_equal(pulse(6001, INT64_MAX, INT64_MAX, 6000, true), 1); /* and once more */
    batch = take(&routes);
    sequence_applied(&sequencer, &batch);
    assert_int_equal(pulse(6002, INT64_MAX, INT64_MAX, 7000, false), 1);
    batch = take(&routes);
    assert_int_equal(kind_at(&batch, 0), CMD_SCHEDULE_CANCEL);
}

#define HOUR INT64_C(3600000)
static void behind_a_downtime_midnights_have_ticks_and_hours_have_none(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    sequencer.down = true;
    send(7);
    assert_int_equal(pulse(30 * HOUR, HOUR, 24 * HOUR, 2000, false), 1);
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 24 * HOUR);
    assert_int_equal(batch.count, 1);
    assert_int_equal(missed_at(&batch), 1);
    sequence_applied(&sequencer, &batch);
    assert_int_equal(pulse(30 * HOUR, 25 * HOUR, 48 * HOUR, 24 * HOUR + 1000, false), 2);
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 30 * HOUR);
    assert_int_equal(missed_at(&batch), 0); /* this one settles, once, before the client's command */
    assert_int_equal(kind_at(&batch, 1), CMD_SCHEDULE_CANCEL);
    assert_false(sequencer.down);
}

static void a_halted_market_too_has_its_missed_hours_settled_once(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    sequencer.down = true;
    assert_int_equal(pulse(5 * HOUR, HOUR, 24 * HOUR, INT64_MAX, false), 1);
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 5 * HOUR);
    assert_int_equal(missed_at(&batch), 0);
}

static void while_it_runs_each_hour_of_a_jump_has_its_tick(void **state)
{
    struct log_batch    batch;
    struct reply_route *routes;

    (void)state;
    for (int64_t hour = 1; hour <= 3; hour++) {
        assert_int_equal(pulse(3 * HOUR + HOUR / 2, hour * HOUR, 24 * HOUR, 2000, false), 1);
        batch = take(&routes);
        assert_int_equal(batch.time_ms, hour * HOUR);
        assert_int_equal(missed_at(&batch), 0);
        sequence_applied(&sequencer, &batch);
    }
    assert_int_equal(pulse(3 * HOUR + HOUR / 2, 4 * HOUR, 24 * HOUR, 3 * HOUR + 1000, false), 1);
    batch = take(&routes);
    assert_int_equal(batch.time_ms, 3 * HOUR + HOUR / 2);
}

static void the_built_in_feeder_speaks_behind_the_tick(void **state)
{
    static struct genesis genesis;
    struct dev_prices     dev_prices = { 42, &genesis };
    struct log_batch      batch;
    struct reply_route   *routes;

    (void)state;
    genesis.perps_count = 2;
    genesis.perps[0] = genesis.perps[1] = (struct symbol){ .reference_price = 1000000, .tick_size = 1 };
    sequencer.dev_prices = &dev_prices;
    send(7);
    assert_int_equal(pulse(6000, INT64_MAX, INT64_MAX, 6000, false), 2);
    batch = take(&routes);
    assert_int_equal(batch.count, 4);
    assert_int_equal(kind_at(&batch, 0), CMD_TICK);
    assert_int_equal(kind_at(&batch, 1), CMD_SET_INDEX);
    assert_int_equal(kind_at(&batch, 2), CMD_SET_INDEX);
    assert_int_equal(kind_at(&batch, 3), CMD_SCHEDULE_CANCEL);
    assert_int_equal(routes[1].origin, 0);
    assert_int_equal(routes[3].origin, 7);
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
        cmocka_unit_test_setup(the_tick_of_a_second_stands_before_the_commands_and_wants_no_closing_batch, begin),
        cmocka_unit_test_setup(commands_of_a_quiet_exchange_begin_with_a_tick, begin),
        cmocka_unit_test_setup(the_last_batch_of_an_idle_exchange_is_closed_when_it_stops, begin),
        cmocka_unit_test_setup(what_is_left_over_comes_at_once_and_before_anything_new, begin),
        cmocka_unit_test_setup(behind_a_downtime_midnights_have_ticks_and_hours_have_none, begin),
        cmocka_unit_test_setup(a_halted_market_too_has_its_missed_hours_settled_once, begin),
        cmocka_unit_test_setup(while_it_runs_each_hour_of_a_jump_has_its_tick, begin),
        cmocka_unit_test_setup(the_built_in_feeder_speaks_behind_the_tick, begin),
        cmocka_unit_test_setup(hints_go_with_their_record_as_far_as_there_is_room, begin),
    };
    return cmocka_run_group_tests_name("pipeline/sequence", tests, NULL, NULL);
}
