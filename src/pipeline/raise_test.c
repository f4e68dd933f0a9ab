/* SPDX-License-Identifier: MIT */
/*
 * Ruling 75: a raise of a limit is logged only when there is memory for it; without it the state is unchanged and the
 * exchange continues.
 */
#include "rigs/pipeline/turn_rig.h"

#include <stdio.h>
#include <sys/resource.h>

/* A raise of the pool of orders. */
static void send_raise(struct rig *rig, uint64_t origin, uint32_t places)
{
    struct {
        struct command     head;
        struct raise_limit raise;
    } command = { 0 };

    command.head.kind = CMD_RAISE_LIMIT;
    command.head.bytes = sizeof(command);
    command.raise = (struct raise_limit){ .pool = POOL_ORDERS, .places = places };
    send_command(rig, origin, &command.head, SLICE("{\"type\":\"limits\"}"), 0);
}

/* The RESULT of the next reply. */
static struct result next_result(struct rig *rig, uint64_t from)
{
    uint64_t                    bytes;
    const struct reply_message *reply = ring_peek(&rig->replies, &bytes);
    struct result               result;

    assert_non_null(reply);
    assert_int_equal(reply->origin, from);
    assert_true(reply->events_bytes >= sizeof(result));
    memcpy(&result, reply + 1, sizeof(result));
    assert_int_equal(result.head.kind, EVENT_RESULT);
    ring_next(&rig->replies);
    return result;
}

static uint32_t places(const struct rig *rig) { return engine_limits(rig->server.exchange.engine)->orders; }

/* The memory that engine and views need with so many orders. */
static uint64_t needed(const struct rig *rig, uint32_t orders)
{
    struct genesis *room = malloc(sizeof(*room));
    uint64_t        bytes;

    assert_non_null(room);
    *room = *rig->server.exchange.room;
    room->limits.orders = orders;
    bytes = exchange_bytes(room);
    free(room);
    return bytes;
}

static void expect_refused(struct rig *rig, uint32_t asked)
{
    struct hash256 before = engine_hash(rig->server.exchange.engine), after;
    uint64_t       seq = rig->server.sequencer.next_seq, used = log_figures(rig->replay.log).part_used;
    uint32_t       had = places(rig);
    struct result  result;

    send_raise(rig, origin(3), asked);
    turn_until_still(rig);
    result = next_result(rig, origin(3));
    assert_int_equal(result.reject, REJECT_CAPACITY);
    assert_int_equal(result.field, FIELD_VALUE);
    assert_int_equal(result.said, SAID_GOT | SAID_NEED);
    assert_int_equal(result.got.digits, asked);
    assert_true(result.need.digits >= (int64_t)needed(rig, asked));
    after = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(before.bytes, after.bytes, 32);
    assert_int_equal(rig->server.sequencer.next_seq, seq);
    assert_int_equal(log_figures(rig->replay.log).part_used, used); /* not even an empty batch */
    assert_int_equal(places(rig), had);
    assert_null(rig->server.exchange.beside);
    send_deposit(rig, origin(4), seq, 5); /* and it continues */
    turn_until_still(rig);
    assert_int_equal(next_result(rig, origin(4)).reject, REJECT_NONE);
    assert_int_equal(rig->server.sequencer.next_seq, seq + 1);
}

static void expect_raised(struct rig *rig, uint32_t asked)
{
    struct result result;

    send_raise(rig, origin(5), asked);
    turn_until_still(rig);
    result = next_result(rig, origin(5));
    assert_int_equal(result.reject, REJECT_NONE);
    assert_int_equal(result.order_id, asked);
    assert_int_equal(places(rig), asked);
    assert_null(rig->server.exchange.beside);
}

static void a_raise_needs_as_much_memory_as_the_pools_then_have(void **state)
{
    struct rig    *rig = *state;
    struct hash256 hash, again;

    rig->server.exchange.memory_max = needed(rig, 50000) - 1;
    expect_refused(rig, 50000);
    rig->server.exchange.memory_max += 1;
    expect_raised(rig, 50000);
    expect_refused(rig, 60000);
    rig->server.exchange.memory_max = 0; /* unknown */
    expect_raised(rig, 60000);
    server_close_log(&rig->server);
    hash = engine_hash(rig->server.exchange.engine);
    close_rig(rig);
    open_rig(rig); /* from a log whose raises fit */
    again = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(hash.bytes, again.bytes, 32);
    assert_int_equal(places(rig), 60000);
}

static void what_the_system_does_not_give_is_refused(void **state)
{
    struct rig   *rig = *state;
    struct rlimit before, tight;
    FILE         *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    if (pages > (1ul << 30)) {
        print_message("SKIP a sanitizer has taken the address space\n");
        skip();
    }
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    tight = (struct rlimit){ pages * 4096 + (UINT64_C(64) << 20), before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    expect_refused(rig, POOL_PLACES_MAX);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    expect_raised(rig, 100000);
}

/* The second is judged by the memory that the first leaves; nothing is reserved for one that the engine refuses. */
static void raises_that_come_together_are_judged_one_after_the_other(void **state)
{
    struct rig *rig = *state;

    rig->server.exchange.memory_max = needed(rig, 50000);
    send_raise(rig, origin(1), 50000);
    send_raise(rig, origin(2), 40000); /* fewer than there are then: the engine's own refusal */
    send_raise(rig, origin(3), 50001);
    send_deposit(rig, origin(4), 1, 5);
    turn_until_still(rig);
    assert_int_equal(next_result(rig, origin(1)).order_id, 50000);
    assert_int_equal(next_result(rig, origin(2)).reject, REJECT_NUMBER_RANGE);
    assert_int_equal(next_result(rig, origin(3)).reject, REJECT_CAPACITY);
    assert_int_equal(next_result(rig, origin(4)).reject, REJECT_NONE);
    assert_int_equal(places(rig), 50000);
    assert_null(rig->server.exchange.beside);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_raise_needs_as_much_memory_as_the_pools_then_have),
        TEST(what_the_system_does_not_give_is_refused),
        TEST(raises_that_come_together_are_judged_one_after_the_other),
    };
    return cmocka_run_group_tests_name("pipeline/raise", tests, NULL, NULL);
}
