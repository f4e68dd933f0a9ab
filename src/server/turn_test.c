/* SPDX-License-Identifier: MIT */
/* The whole wheel in one thread, over a real folder: rings in, log, engine, rings out, and again from the log. */
#include "io/files.h"
#include "server/config.h"
#include "server/replay.h"
#include "server/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define CONFIG "[dojima]\ndata = d\nchainIds = 77\naccounts = 100\norders = 1000\nlevels = 1000\nsigners = 100\ndeposits = 100\n" \
    "[coin A]\nprecision = 6\n[coin B]\nprecision = 8\n[market B_A]\nbaseCoin = B\nquoteCoin = A\npricePrecision = 1\ntickSize = 0.1\n" \
    "quantityPrecision = 5\nstepSize = 0.00001\nlistingReferencePrice = 100\n"

struct rig {
    char           folder[256];
    struct config  config;
    struct replay  replay;
    struct server  server;
    struct ring    writes, replies;
    uint8_t       *memory;
};

static const struct journal_options options = { .segment_bytes = 1 << 20 };

static void open_rig(struct rig *rig)
{
    struct server *server = &rig->server;

    assert_int_equal(replay_open(&rig->replay, rig->folder, DISK_WRITE, &options, &rig->config.genesis), 0);
    assert_int_equal(replay_genesis(&rig->replay, &rig->config.genesis), 0);
    memset(server, 0, sizeof(*server));
    assert_true(exchange_init(&server->exchange, &rig->config.genesis, rig->replay.genesis_json, true, false));
    assert_int_equal(replay_run(&rig->replay, &server->exchange, NULL, NULL), 0);
    assert_true(server_prepare(server, rig->replay.journal));
    server->lane.inline_writes = true;
    ring_init(&rig->writes, rig->memory, 1 << 20);
    ring_init(&rig->replies, rig->memory + (1 << 20), 1 << 20);
    server->writes[0] = &rig->writes;
    server->replies[0] = &rig->replies;
    server->thread_count = server->ring_count = 1;
}

static void close_rig(struct rig *rig)
{
    exchange_close(&rig->server.exchange);
    replay_close(&rig->replay);
}

static int make(void **state)
{
    struct rig *rig = aligned_alloc(64, align_up(sizeof(*rig), 64));
    char        error[256];

    assert_non_null(rig);
    memset(rig, 0, sizeof(*rig));
    rig->memory = aligned_alloc(64, 2 << 20);
    assert_true(config_read(CONFIG, "test", false, &rig->config, error, sizeof(error)));
    assert_int_equal(files_make_temporary(rig->folder, sizeof(rig->folder)), 0);
    open_rig(rig);
    *state = rig;
    return 0;
}

static int unmake(void **state)
{
    struct rig *rig = *state;

    close_rig(rig);
    files_remove_tree(rig->folder);
    free(rig->memory);
    free(rig);
    return 0;
}

/* A deposit is the one command of clients' money that needs no signature. */
static void send_deposit(struct rig *rig, uint64_t origin, uint64_t id, int64_t amount)
{
    struct { struct command head; struct deposit deposit; } command = { 0 };
    char                  input[64];
    struct out            out = out_make(input, sizeof(input));
    struct write_message *message;
    uint64_t              bytes;

    out_literal(&out, "{\"type\":\"deposit\",\"params\":");
    out_u64(&out, id);
    out_char(&out, '}');
    bytes = sizeof(*message) + sizeof(command) + out.len;
    command.head.kind = CMD_DEPOSIT;
    command.head.bytes = sizeof(command);
    command.head.chain_id = 77;
    command.head.nonce = id;
    command.deposit = (struct deposit){ .address = { { 1, 2, 3 } }, .coin_id = 0, .amount = amount, .engine = MARKET_SPOT };
    memcpy(command.deposit.id.bytes, &id, sizeof(id));
    message = ring_reserve(&rig->writes, bytes);
    assert(message != NULL);
    memset(message, 0, sizeof(*message));
    message->origin = origin;
    message->command_bytes = sizeof(command);
    message->signed_bytes = (uint32_t)out.len;
    message->reply_bytes = reply_bytes_max(1);
    memcpy(message + 1, &command, sizeof(command));
    memcpy((uint8_t *)(message + 1) + sizeof(command), out.at, out.len);
    ring_commit(&rig->writes, bytes);
}

static uint64_t origin(uint32_t request) { return origin_pack((struct origin){ 0, 3, 9, request }); }

static void turn_until_still(struct rig *rig)
{
    while (server_turn(&rig->server) != 0) {}
    assert_true(server_is_still(&rig->server));
}

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
    assert_int_equal(server_turn(&rig->server), 2);         /* collected, and on its way */
    assert_true(ring_is_empty(&rig->replies));              /* not before it has happened */
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
    struct rig           *rig = *state;
    struct journal_applied applied;
    struct hash256        hash, again, chain;

    for (uint32_t i = 0; i < 20; i++) {
        send_deposit(rig, 0, i + 1, 100 + i);
        if (i % 3 == 0) turn_until_still(rig);
    }
    turn_until_still(rig);
    server_close_log(&rig->server);
    hash = engine_hash(rig->server.exchange.engine);
    applied = rig->server.exchange.blocks.applied;
    chain = journal_chain(rig->replay.journal);
    assert_int_equal(applied.number, 8);
    close_rig(rig);

    open_rig(rig);
    again = engine_hash(rig->server.exchange.engine);
    assert_memory_equal(hash.bytes, again.bytes, 32);
    assert_memory_equal(&applied, &rig->server.exchange.blocks.applied, sizeof(applied));
    again = journal_chain(rig->replay.journal);
    assert_memory_equal(chain.bytes, again.bytes, 32);
    assert_int_equal(engine_seq(rig->server.exchange.engine), 20);
    assert_true(ring_is_empty(&rig->replies));              /* nobody is answered twice */

    send_deposit(rig, origin(1), 21, 5);                    /* and it goes on where it was */
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
    before = journal_chain(rig->replay.journal);
    thread_sleep_ms(CLOSING_MS + 20);
    turn_until_still(rig);
    after = journal_chain(rig->replay.journal);
    assert_memory_not_equal(before.bytes, after.bytes, 32);
    thread_sleep_ms(CLOSING_MS + 20);
    turn_until_still(rig);
    before = journal_chain(rig->replay.journal);
    assert_memory_equal(before.bytes, after.bytes, 32);     /* then the disk rests */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_command_becomes_durable_happens_and_is_answered, make, unmake),
        cmocka_unit_test_setup_teardown(commands_of_one_batch_share_a_block_and_a_time, make, unmake),
        cmocka_unit_test_setup_teardown(the_log_brings_back_the_same_state_and_blocks, make, unmake),
        cmocka_unit_test_setup_teardown(a_second_process_finds_the_folder_in_use, make, unmake),
        cmocka_unit_test_setup_teardown(the_last_tail_is_proved_by_a_closing_batch, make, unmake),
    };
    return crypto_init() ? cmocka_run_group_tests_name("server/turn", tests, NULL, NULL) : 1;
}
