/* SPDX-License-Identifier: MIT */
/* The whole pipeline in one thread, over a real folder: rings in, log, engine, rings out, and again from the log. */
#include "rigs/pipeline/turn_rig.h"

#include "chaos/chaos.h"

static void a_command_becomes_durable_happens_and_is_answered(void **state)
{
    struct rig                 *rig = *state;
    const struct reply_message *reply;
    const struct result        *result;
    struct view_account         account;
    struct view_balance         balances[COINS_MAX];
    struct address              owner = { { 1, 2, 3 } };
    uint64_t                    bytes = 0;

    send_deposit(rig, origin(5), 1, 1000);
    assert_int_equal(server_turn(&rig->server), 2); /* collected, and submitted */
    assert_true(ring_is_empty(&rig->replies));      /* not before it has happened */
    assert_false(views_primary_account(rig->server.exchange.views, &owner, &account));
    turn_until_still(rig);

    reply = ring_peek(&rig->replies, &bytes);
    assert_non_null(reply);
    assert_int_equal(reply->origin, origin(5));
    assert_int_equal(reply->is_transaction, 1);
    assert_int_equal(reply->place.block, 1);
    assert_int_equal(reply->place.index, 0);
    assert_int_equal(bytes, sizeof(*reply) + reply->events_bytes);
    result = (const struct result *)(const void *)(reply + 1);
    assert_int_equal(result->head.kind, EVENT_RESULT);
    assert_int_equal(result->reject, REJECT_NONE);
    ring_next(&rig->replies);
    assert_true(ring_is_empty(&rig->replies));

    assert_true(views_primary_account(rig->server.exchange.views, &owner, &account));
    assert_int_equal(views_balances(rig->server.exchange.views, MARKET_SPOT, account.account_id, balances), 1);
    assert_int_equal(balances[0].total, 1000);
    assert_int_equal(views_last_block(rig->server.exchange.views).height, 1);
}

static void commands_of_one_batch_share_a_block_and_a_time(void **state)
{
    struct rig                 *rig = *state;
    const struct reply_message *reply;
    uint64_t                    bytes = 0;

    for (uint32_t i = 0; i < 3; i++) send_deposit(rig, origin(i), i + 1, 10);
    turn_until_still(rig);
    for (uint32_t i = 0; i < 3; i++) {
        reply = ring_peek(&rig->replies, &bytes);
        assert_non_null(reply);
        assert_int_equal(reply->origin, origin(i));
        assert_int_equal(reply->place.block, 1);
        assert_int_equal(reply->place.index, i);
        ring_next(&rig->replies);
    }
}

static void the_log_brings_back_the_same_state_and_blocks(void **state)
{
    struct rig        *rig = *state;
    struct log_applied applied;
    struct hash256     hash, again, chain;

    for (uint32_t i = 0; i < 20; i++) {
        send_deposit(rig, 0, i + 1, 100 + i);
        if (i % 3 == 0) turn_until_still(rig);
    }
    turn_until_still(rig);
    server_close_log(&rig->server);
    hash = engine_hash(rig->server.exchange.engine);
    applied = rig->server.exchange.blocks.applied;
    chain = log_chain(rig->replay.log);
    assert_int_equal(applied.number, 8);
    close_rig(rig);

    open_rig(rig);
    again = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(hash.bytes, again.bytes, 32);
    assert_memory_equal(&applied, &rig->server.exchange.blocks.applied, sizeof(applied));
    again = log_chain(rig->replay.log);
    assert_memory_equal(chain.bytes, again.bytes, 32);
    assert_int_equal(engine_seq(rig->server.exchange.engine), 20);
    assert_true(ring_is_empty(&rig->replies)); /* no request is answered twice */

    send_deposit(rig, origin(1), 21, 5); /* and it continues where it was */
    turn_until_still(rig);
    assert_int_equal(rig->server.exchange.blocks.applied.number, 9);
    assert_int_equal(engine_seq(rig->server.exchange.engine), 21);
}

static void a_second_process_finds_the_folder_in_use(void **state)
{
    struct rig   *rig = *state;
    struct replay other;

    assert_int_equal(replay_open(&other, rig->folder, DISK_WRITE, &options, NULL), 69);
    replay_close(&other);
}

static void the_last_tail_is_proved_by_a_closing_batch(void **state)
{
    struct rig    *rig = *state;
    struct hash256 before, after;

    send_deposit(rig, 0, 1, 1);
    turn_until_still(rig);
    before = log_chain(rig->replay.log);
    thread_sleep_ms(CLOSING_MS + 20);
    turn_until_still(rig);
    after = log_chain(rig->replay.log);
    assert_memory_not_equal(before.bytes, after.bytes, 32);
    thread_sleep_ms(CLOSING_MS + 20);
    turn_until_still(rig);
    before = log_chain(rig->replay.log);
    assert_memory_equal(before.bytes, after.bytes, 32); /* then the disk rests */
}

static void a_command_alone_is_written_by_the_thread_that_applies_it(void **state)
{
    struct rig         *rig = *state;
    struct server      *server = &rig->server;
    struct commit_slot *commit = &server->commit;
    struct chaos        chaos;

    commit->inline_writes = false; /* nor is there another thread */
    send_deposit(rig, origin(1), 1, 10);
    turn_until_still(rig);
    assert_int_equal(engine_seq(server->exchange.engine), 1);

    for (uint32_t i = 2; i < 4; i++) send_deposit(rig, origin(i), i, 10);
    (void)server_turn(server);
    assert_int_equal(commit_state(commit_oldest(commit)), COMMIT_WRITING); /* two are the log's thread's */
    assert_int_equal(server_turn(server), 0);
    commit_write(commit);
    send_deposit(rig, origin(4), 4, 10);
    (void)server_turn(server); /* the first two happen while another thread would write the third */
    assert_int_equal(engine_seq(server->exchange.engine), 3);
    assert_int_equal(commit_state(commit_oldest(commit)), COMMIT_WRITING);
    commit_write(commit);
    turn_until_still(rig);

    chaos_init(&chaos);
    atomic_store(&chaos.active, 1);
    server->shared.chaos = &chaos;
    send_deposit(rig, origin(5), 5, 10);
    (void)server_turn(server);
    assert_int_equal(commit_state(commit_oldest(commit)), COMMIT_WRITING); /* a rule may let the sync wait */
    server->shared.chaos = NULL;
    chaos_deinit(&chaos);
    commit_write(commit);
    turn_until_still(rig);
    assert_int_equal(engine_seq(server->exchange.engine), 5);
    commit->inline_writes = true;
}

/* The hashes that the records of the batch that is collected shall have. */
static void expect_hashes(const struct log_batch *batch, struct hash256 *hashes)
{
    struct log_cursor cursor = { 0 };
    struct log_record record;

    for (uint32_t i = 0; log_batch_next(batch, &cursor, &record); i++)
        hashes[i] = blocks_write_hash(record.command, record.signed_bytes, record.signature);
}

static void commands_are_named_while_the_log_writes_those_before(void **state)
{
    enum { MORE = NAME_AHEAD + NAME_AHEAD - 1, LAST = 3 + MORE };
    struct rig              *rig = *state;
    struct server           *server = &rig->server;
    const struct log_cursor *named = &server->sequencer.batch.named;
    struct hash256           hashes[MORE + 1], zero = { { 0 } };
    uint64_t                 bytes = 0;

    server->commit.inline_writes = false;
    for (uint32_t i = 1; i <= 2; i++) send_deposit(rig, origin(i), i, 10);
    assert_int_equal(server_turn(server), 3);
    for (uint32_t i = 0; i < MORE; i++) send_deposit(rig, origin(i), 3 + i, 10);
    assert_int_equal(server_turn(server), MORE + 1);
    assert_int_equal(named->index, NAME_AHEAD);
    assert_int_equal(server_turn(server), 0); /* so few are the log's thread's */
    assert_int_equal(named->index, NAME_AHEAD);
    send_deposit(rig, origin(MORE), LAST, 10);
    assert_int_equal(server_turn(server), 2);
    assert_int_equal(named->index, 2 * NAME_AHEAD);
    expect_hashes(&server->sequencer.batch.records, hashes);
    commit_write(&server->commit);
    server->commit.inline_writes = true;
    turn_until_still(rig);
    for (uint32_t i = 0; i < 2; i++) {
        assert_non_null(ring_peek(&rig->replies, &bytes));
        ring_next(&rig->replies);
    }
    for (uint32_t i = 0; i <= MORE; i++) {
        const struct reply_message *reply = ring_peek(&rig->replies, &bytes);

        assert_non_null(reply);
        assert_int_equal(reply->place.index, i);
        assert_memory_equal(reply->place.hash.bytes, hashes[i].bytes, sizeof(hashes[i]));
        ring_next(&rig->replies);
    }
    for (uint32_t i = 1; i <= 6; i++) { /* the same memory, and a batch begins without names */
        const struct reply_message *reply;

        send_deposit(rig, origin(i), LAST + i, 10);
        turn_until_still(rig);
        reply = ring_peek(&rig->replies, &bytes);
        assert_non_null(reply);
        assert_memory_not_equal(reply->place.hash.bytes, zero.bytes, sizeof(zero));
        ring_next(&rig->replies);
    }
    assert_true(ring_is_empty(&rig->replies));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_command_becomes_durable_happens_and_is_answered, make, unmake),
        cmocka_unit_test_setup_teardown(commands_of_one_batch_share_a_block_and_a_time, make, unmake),
        cmocka_unit_test_setup_teardown(the_log_brings_back_the_same_state_and_blocks, make, unmake),
        cmocka_unit_test_setup_teardown(a_second_process_finds_the_folder_in_use, make, unmake),
        cmocka_unit_test_setup_teardown(the_last_tail_is_proved_by_a_closing_batch, make, unmake),
        cmocka_unit_test_setup_teardown(commands_are_named_while_the_log_writes_those_before, make, unmake),
        cmocka_unit_test_setup_teardown(a_command_alone_is_written_by_the_thread_that_applies_it, make, unmake),
    };
    return crypto_init() ? cmocka_run_group_tests_name("pipeline/turn", tests, NULL, NULL) : 1;
}
