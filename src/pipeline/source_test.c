/* SPDX-License-Identifier: MIT */
/* source_test.c — commands that the exchange gives itself (pipeline/command_source.h): when it is asked, and which time
   they get. */
#include "rigs/pipeline/turn_rig.h"

#include "gateway/engine_clock.h"
#include "model/clock_rate.h"

#define STEP INT64_C(250)

/* A source that deposits at each instant, and remembers when it was asked and what the engine had applied then. */
struct asked {
    struct server        *server;
    struct engine_clock   clock;
    struct command_source source;
    int64_t               times[256];
    uint64_t              seqs[256];
    uint32_t              count;
    bool                  is_silent;
    int                   hurries; /* calls */
    bool                  hurrying;
};

static int64_t due_ms(void *self, int64_t behind_ms)
{
    (void)self;
    return (behind_ms / STEP + 1) * STEP;
}

static void fill(void *self, int64_t time_ms, const struct source_writer *writer)
{
    struct asked *asked = self;
    struct {
        struct command head;
        struct deposit deposit;
    } room = { .head = { .kind = CMD_DEPOSIT, .bytes = sizeof(room) } };

    assert_true(asked->count < ARRAY_COUNT(asked->times));
    assert_true(server_is_idle(asked->server) || asked->server->sequencer.open);
    asked->seqs[asked->count] = engine_seq(asked->server->exchange.engine);
    asked->times[asked->count++] = time_ms;
    if (asked->is_silent) return;
    room.deposit = (struct deposit){ .address = { { 9 } }, .coin_id = 0, .amount = 5, .engine = MARKET_SPOT };
    memcpy(room.deposit.id.bytes, &time_ms, sizeof(time_ms));
    assert_true(writer->add(writer->self, &room.head, SLICE("{\"type\":\"deposit\",\"params\":{}}")));
}

static void hurry(void *self, bool begins)
{
    struct asked *asked = self;

    assert_true(asked->hurrying != begins);
    asked->hurrying = begins;
    asked->hurries += 1;
}

/* The clock of the rig stands at the genesis. */
static struct asked *ask(struct rig *rig)
{
    static struct asked asked;
    int64_t             now_ms = engine_time_ms(rig->server.exchange.engine);

    memset(&asked, 0, sizeof(asked));
    asked.server = &rig->server;
    asked.source = (struct command_source){ .self = &asked, .due_ms = due_ms, .fill = fill, .hurry = hurry };
    engine_clock_set(&asked.clock, 0, now_ms, 0);
    rig->server.shared.clock = &asked.clock;
    rig->server.sequencer.source = &asked.source;
    return &asked;
}

static void turn_until_idle(struct rig *rig)
{
    for (int idle = 0; idle < 3;) idle = server_turn(&rig->server) == 0 ? idle + 1 : 0;
}

static void send_advance(struct rig *rig, int64_t by_ms)
{
    struct {
        struct command      head;
        struct advance_time advance;
    } command = { 0 };

    command.head.kind = CMD_ADVANCE_TIME;
    command.head.bytes = sizeof(command);
    command.advance.offset_ms = by_ms;
    send_command(rig, origin_pack((struct origin){ 0, 0, 1, 1 }), &command.head, slice_make("", 0), ADVANCE_BY);
}

static int64_t genesis_ms(const struct rig *rig) { return rig->config.genesis.time_ms; }

static void an_advance_asks_at_each_instant_once(void **state)
{
    struct rig   *rig = *state;
    struct asked *asked = ask(rig);
    int64_t       begin_ms = genesis_ms(rig);

    turn_until_idle(rig);
    assert_int_equal(asked->count, 0); /* the clock stands */
    send_advance(rig, 10000);
    turn_until_idle(rig);
    assert_int_equal(asked->count, 40);
    for (uint32_t i = 0; i < asked->count; i++) {
        assert_int_equal(asked->times[i], due_ms(NULL, begin_ms) + i * STEP);
        assert_true(i == 0 || asked->seqs[i] > asked->seqs[i - 1]); /* what came before was applied */
    }
    assert_int_equal(engine_time_ms(rig->server.exchange.engine), begin_ms + 10000);
    assert_int_equal(asked->hurries, 2);
    assert_false(asked->hurrying);
    engine_verify(rig->server.exchange.engine);
}

static void an_instant_without_commands_is_no_batch(void **state)
{
    struct rig   *rig = *state;
    struct asked *asked = ask(rig);
    uint64_t      before = engine_seq(rig->server.exchange.engine);

    asked->is_silent = true;
    send_advance(rig, 10000);
    turn_until_idle(rig);
    assert_int_equal(asked->count, 40);
    assert_int_equal(engine_seq(rig->server.exchange.engine), before + 2); /* the advance and the TICK at its end */
}

static void live_instants_have_their_own_time(void **state)
{
    struct rig   *rig = *state;
    struct asked *asked = ask(rig);
    int64_t       begin_ms = genesis_ms(rig);

    engine_clock_set(&asked->clock, 0, begin_ms + 1100, 0);
    send_deposit(rig, origin_pack((struct origin){ 0, 0, 1, 1 }), 1, 7);
    turn_until_idle(rig);
    assert_int_equal(asked->count, (begin_ms + 1100) / STEP - begin_ms / STEP);
    for (uint32_t i = 0; i < asked->count; i++) assert_int_equal(asked->times[i], due_ms(NULL, begin_ms) + i * STEP);
    assert_true(engine_time_ms(rig->server.exchange.engine) <= begin_ms + 1100);
}

static void what_a_stopped_process_missed_is_left_out(void **state)
{
    struct rig   *rig = *state;
    struct asked *asked = ask(rig);
    int64_t       now_ms = genesis_ms(rig) + INT64_C(3600000);

    engine_clock_set(&asked->clock, 0, now_ms, 0);
    turn_until_idle(rig);
    assert_in_range(asked->count, 1, SOURCE_LAG_MS / STEP + 1);
    assert_true(asked->times[0] >= now_ms - SOURCE_LAG_MS);
    assert_int_equal(asked->times[asked->count - 1], now_ms / STEP * STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_advance_asks_at_each_instant_once, make_development, unmake),
        cmocka_unit_test_setup_teardown(an_instant_without_commands_is_no_batch, make_development, unmake),
        cmocka_unit_test_setup_teardown(live_instants_have_their_own_time, make_development, unmake),
        cmocka_unit_test_setup_teardown(what_a_stopped_process_missed_is_left_out, make_development, unmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
