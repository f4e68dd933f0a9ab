/* SPDX-License-Identifier: MIT */
/* sequence_tick_test.c — perps: a TICK each second, and those that a gap has missed. */
#include "rigs/pipeline/sequence_rig.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_tick_of_a_second_stands_before_the_commands_and_wants_no_closing_batch, begin),
        cmocka_unit_test_setup(commands_of_a_quiet_exchange_begin_with_a_tick, begin),
        cmocka_unit_test_setup(the_last_batch_of_an_idle_exchange_is_closed_when_it_stops, begin),
        cmocka_unit_test_setup(what_is_left_over_comes_at_once_and_before_anything_new, begin),
        cmocka_unit_test_setup(behind_a_downtime_midnights_have_ticks_and_hours_have_none, begin),
        cmocka_unit_test_setup(a_halted_market_too_has_its_missed_hours_settled_once, begin),
        cmocka_unit_test_setup(while_it_runs_each_hour_of_a_jump_has_its_tick, begin),
        cmocka_unit_test_setup(the_built_in_feeder_speaks_behind_the_tick, begin),
    };
    return cmocka_run_group_tests_name("pipeline/sequence_tick", tests, NULL, NULL);
}
