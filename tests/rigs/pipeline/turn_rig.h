/* SPDX-License-Identifier: MIT */
/* turn_rig.h — the pipeline in one thread over a real folder, for tests: rings in, log, engine, rings out. */
#ifndef RIGS_PIPELINE_TURN_RIG_H
#define RIGS_PIPELINE_TURN_RIG_H

#include "io/files.h"
#include "app/config.h"
#include "pipeline/replay.h"
#include "pipeline/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define CONFIG                                                                                                         \
    "[dojima]\ndata = d\nchainIds = 77\naccounts = 100\norders = 1000\nlevels = 1000\n"                                \
    "signers = 100\ndeposits = 100\n"                                                                                  \
    "[coin A]\nprecision = 6\n[coin B]\nprecision = 8\n[market B_A]\nbaseCoin = B\n"                                   \
    "quoteCoin = A\npricePrecision = 1\ntickSize = 0.1\n"                                                              \
    "quantityPrecision = 5\nstepSize = 0.00001\nlistingReferencePrice = 100\n"

struct rig {
    char          folder[256];
    struct config config;
    struct replay replay;
    struct server server;
    struct ring   writes, replies;
    uint8_t      *memory;
};

static const struct log_settings options = { .file_bytes = 1 << 20 };

static inline void open_rig(struct rig *rig)
{
    struct server *server = &rig->server;

    assert_int_equal(replay_open(&rig->replay, rig->folder, DISK_WRITE, &options, &rig->config.genesis), 0);
    assert_int_equal(replay_genesis(&rig->replay, &rig->config.genesis), 0);
    memset(server, 0, sizeof(*server));
    assert_true(exchange_init(&server->exchange, &rig->config.genesis, rig->replay.genesis_json, true, false));
    assert_int_equal(replay_run(&rig->replay, &server->exchange, NULL, NULL), 0);
    assert_true(server_prepare(server, rig->replay.log));
    server->commit.inline_writes = true;
    ring_init(&rig->writes, rig->memory, 1 << 20);
    ring_init(&rig->replies, rig->memory + (1 << 20), 1 << 20);
    server->writes[0] = &rig->writes;
    server->replies[0] = &rig->replies;
    server->thread_count = server->ring_count = 1;
}

static inline void close_rig(struct rig *rig)
{
    exchange_close(&rig->server.exchange);
    replay_close(&rig->replay);
}

static inline int make_rig(void **state, bool development)
{
    struct rig *rig = aligned_alloc(64, align_up(sizeof(*rig), 64));
    char        error[256];

    assert_non_null(rig);
    memset(rig, 0, sizeof(*rig));
    rig->memory = aligned_alloc(64, 2 << 20);
    assert_true(config_read(CONFIG, "test", development, &rig->config, error, sizeof(error)));
    assert_int_equal(files_make_temporary(rig->folder, sizeof(rig->folder)), 0);
    open_rig(rig);
    *state = rig;
    return 0;
}

static inline int make(void **state) { return make_rig(state, false); }
static inline int make_development(void **state) { return make_rig(state, true); }

static inline int unmake(void **state)
{
    struct rig *rig = *state;

    close_rig(rig);
    files_remove_tree(rig->folder);
    free(rig->memory);
    free(rig);
    return 0;
}

/* Any command of an operator with its JSON. */
static inline void send_command(struct rig *rig, uint64_t origin, struct command *command, struct slice input,
                                uint8_t advance_kind)
{
    struct write_message *message;
    uint64_t              bytes = sizeof(*message) + command->bytes + input.len;

    message = ring_reserve(&rig->writes, bytes);
    assert(message != NULL);
    memset(message, 0, sizeof(*message));
    message->origin = origin;
    message->command_bytes = command->bytes;
    message->signed_bytes = (uint32_t)input.len;
    message->reply_bytes = reply_bytes_max(1);
    message->advance_kind = advance_kind;
    memcpy(message + 1, command, command->bytes);
    memcpy((uint8_t *)(message + 1) + command->bytes, input.at, input.len);
    ring_commit(&rig->writes, bytes);
}

/* A deposit is the one command of clients' money that needs no signature. */
static inline void send_deposit_kind(struct rig *rig, uint64_t origin, uint64_t id, int64_t amount,
                                     uint8_t advance_kind)
{
    struct {
        struct command head;
        struct deposit deposit;
    } command = { 0 };
    char       input[64];
    struct out out = out_make(input, sizeof(input));

    out_literal(&out, "{\"type\":\"deposit\",\"params\":");
    out_u64(&out, id);
    out_char(&out, '}');
    command.head.kind = CMD_DEPOSIT;
    command.head.bytes = sizeof(command);
    command.head.chain_id = 77;
    command.head.nonce = id;
    command.deposit =
        (struct deposit){ .address = { { 1, 2, 3 } }, .coin_id = 0, .amount = amount, .engine = MARKET_SPOT };
    memcpy(command.deposit.id.bytes, &id, sizeof(id));
    send_command(rig, origin, &command.head, out_slice(&out), advance_kind);
}

static inline void send_deposit(struct rig *rig, uint64_t origin, uint64_t id, int64_t amount)
{
    send_deposit_kind(rig, origin, id, amount, 0);
}

static inline uint64_t origin(uint32_t request) { return origin_pack((struct origin){ 0, 3, 9, request }); }

static inline void turn_until_still(struct rig *rig)
{
    while (server_turn(&rig->server) != 0) {}
    assert_true(server_is_idle(&rig->server));
}

#endif
