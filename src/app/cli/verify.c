/* SPDX-License-Identifier: MIT */
/*
 * verify.c — dojima verify: replays a data folder without writing to it, checks everything that can be
 * checked, snapshots and archives too, and reports what it ends in. With --signatures each signed record proves itself:
 * its bytes are decoded again, must give the command beside them, and the recovered signer must be the one that was
 * applied (ruling 55).
 */
#include "api/api.h"
#include "crypto/chain.h"
#include "history/history.h"
#include "io/files.h"
#include "app/cli/arguments.h"
#include "app/cli/check.h"
#include "diagnostics/program_log.h"
#include "pipeline/replay.h"
#include "pipeline/verify_state.h"
#include "app/cli/commands.h"
#include "app/signed_record.h"

#include <stdio.h>
#include <stdlib.h>

struct proof {
    const char           *path;
    const struct genesis *genesis;
    bool                  signatures; /* each record proves itself; else marks are counted alone */
    uint64_t checked, operator, traders, impersonated;
    void *room;
};

static const char *check_signer(const struct proof *proof, const struct log_record *record)
{
    const struct command *command = record->command;
    struct hash256        payload = keccak256(record->signed_bytes.at, record->signed_bytes.len);
    struct hash256        hash = blocks_write_hash(command, record->signed_bytes, record->signature);

    if (!signed_record_signer(proof->genesis, record, proof->room)) return "the signature is not the signer's";
    if (memcmp(&command->payload_tag, payload.bytes, sizeof(command->payload_tag)) != 0)
        return "the payload's tag is wrong";
    return hash256_equal(&hash, record->tx_hash) ? NULL : "the transaction hash is wrong";
}

/* A command of an operator: the JSON beside it must be the command that was applied. */
static const char *check_operator(const struct proof *proof, const struct log_record *record)
{
    struct command_room  *room = proof->room;
    const struct command *command = record->command;
    struct hash256        hash = blocks_write_hash(command, record->signed_bytes, record->signature);

    if (!api_operator_read(proof->genesis, record->signed_bytes, room))
        return "the JSON beside it is no operator command";
    if (room->head.kind != command->kind || room->head.bytes != command->bytes
        || memcmp(&room->head + 1, command_payload(command), command->bytes - sizeof(*command)) != 0)
        return "the bytes beside it say something else than the command";
    return hash256_equal(&hash, record->tx_hash) ? NULL : "the transaction hash is wrong";
}

/* A command without a signature: a client's has its JSON beside it, a trader's has none. */
static const char *check_marked(struct proof *proof, const struct log_record *record)
{
    const struct command *command = record->command;
    struct hash256        hash = blocks_write_hash(command, record->signed_bytes, record->signature);
    const char           *what = NULL;

    if (proof->genesis->development == 0) return "a command without a signature, and no exchange of development";
    if ((command->domain & COMMAND_IMPERSONATED) != 0)
        what = signed_record_payload(proof->genesis, record, proof->room);
    else if (record->signed_bytes.len != 0) what = "JSON beside a command of a trader";
    if (what != NULL) return what;
    return hash256_equal(&hash, record->tx_hash) ? NULL : "the transaction hash is wrong";
}

static bool check_record(void *self, const struct log_record *record)
{
    struct proof *proof = self;
    const char   *what = NULL;
    uint8_t       domain = record->command->domain;

    if (record->command->kind == CMD_TICK || blocks_is_pulse(record->command))
        return true; /* there is nothing beside it */
    if (command_is_marked(record->command)) {
        if (proof->signatures) what = check_marked(proof, record);
        if ((domain & COMMAND_BY_TRADER) != 0) proof->traders += 1;
        else proof->impersonated += 1;
    } else if (!proof->signatures) {
        return true;
    } else if (domain == 0) {
        what = check_operator(proof, record);
        proof->operator+= 1;
    } else {
        what = signed_record_payload(proof->genesis, record, proof->room);
        if (what == NULL) what = check_signer(proof, record);
        proof->checked += 1;
    }
    if (what != NULL)
        (void)complain(EXIT_DAMAGE, "%s: command %lu: %s", proof->path, (unsigned long)record->command->seq, what);
    return what == NULL;
}

/* ---- the report ---- */

struct report {
    const struct replay   *replay;
    const struct exchange *exchange;
    struct hash256         state, chain;
    const struct check    *check;
    const struct proof    *proof;
};

static void print_hash(const char *before, const struct hash256 *hash, const char *after)
{
    char       text[64];
    struct out out = out_make(text, sizeof(text));

    out_hex(&out, hash->bytes, sizeof(hash->bytes));
    (void)printf("%s0x%.64s%s", before, text, after);
}

/* An amount of a coin for people and programs: canonical, never rounded. */
static const char *amount_text(int128_t amount, const struct coin *coin, char text[64])
{
    struct out out = out_make(text, 63);

    wide_decimal_write(&out, (struct wide_decimal){ .digits = amount, .scale = coin->precision });
    text[out.len] = '\0';
    return text;
}

static bool money_balances(const struct engine_money *money)
{
    return money->inside == money->spot + money->wallets + money->buckets - money->costs + money->evm;
}

/* The sums, to be added up by the reader: inside = spot + wallets + buckets - costs + EVM ledger. */
static void print_money(const struct report *report)
{
    const struct genesis *genesis = report->exchange->genesis;
    char                  text[6][64];

    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin  *coin = &genesis->coins[i];
        struct engine_money money = engine_money(report->exchange->engine, i);

        (void)printf("  money        %.*s %s inside %s spot %s", (int)coin->name.len, coin->name.at,
                     amount_text(money.inside, coin, text[0]), money_balances(&money) ? "=" : "IS NOT",
                     amount_text(money.spot, coin, text[1]));
        if (i == COIN_MARGIN)
            (void)printf(" + wallets %s + buckets %s - costs %s", amount_text(money.wallets, coin, text[2]),
                         amount_text(money.buckets, coin, text[3]), amount_text(money.costs, coin, text[4]));
        (void)printf(" + EVM ledger %s\n", amount_text(money.evm, coin, text[5]));
    }
}

static void print_json_money(const struct report *report)
{
    const struct genesis *genesis = report->exchange->genesis;
    char                  text[6][64];

    (void)printf(",\"money\":[");
    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin  *coin = &genesis->coins[i];
        struct engine_money money = engine_money(report->exchange->engine, i);

        (void)printf("%s{\"coin\":\"%.*s\",\"inside\":\"%s\",\"spot\":\"%s\",\"wallets\":\"%s\",\"buckets\":\"%s\","
                     "\"costs\":\"%s\",\"evm\":\"%s\"}",
                     i == 0 ? "" : ",", (int)coin->name.len, coin->name.at, amount_text(money.inside, coin, text[0]),
                     amount_text(money.spot, coin, text[1]), amount_text(money.wallets, coin, text[2]),
                     amount_text(money.buckets, coin, text[3]), amount_text(money.costs, coin, text[4]),
                     amount_text(money.evm, coin, text[5]));
    }
    (void)printf("]");
}

static void print_snapshots(const struct report *report)
{
    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        const struct checked_snapshot *snapshot = &report->check->snapshots[i];

        if (snapshot->fault == SNAPSHOT_ABSENT) continue;
        (void)printf("  %-12s command %lu, block %lu: the log comes to the same state there\n", snapshot_name(i),
                     (unsigned long)snapshot->facts.seq, (unsigned long)snapshot->facts.block_number);
    }
}

static void print_json_snapshots(const struct report *report)
{
    const char *comma = "";

    (void)printf(",\"archived\":%u,\"snapshots\":[", report->check->archived);
    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        const struct checked_snapshot *snapshot = &report->check->snapshots[i];

        if (snapshot->fault == SNAPSHOT_ABSENT) continue;
        (void)printf("%s{\"name\":\"%s\",\"seq\":%lu,\"blockNumber\":%lu,\"bytes\":%lu}", comma, snapshot_name(i),
                     (unsigned long)snapshot->facts.seq, (unsigned long)snapshot->facts.block_number,
                     (unsigned long)snapshot->facts.bytes);
        comma = ",";
    }
    (void)printf("]");
}

static void print_report(const struct report *report)
{
    const struct log_report *log = &report->replay->report;
    const struct engine     *engine = report->exchange->engine;
    struct engine_counts     counts = engine_counts(engine);

    (void)printf("  folder       %s\n", report->replay->path);
    (void)printf("  log          %u segments, %u of them archived, %lu batches, %lu commands\n", log->parts,
                 report->check->archived, (unsigned long)log->batches, (unsigned long)log->records);
    if (log->warning[0] != '\0') (void)printf("  damage       %s\n", log->warning);
    if (log->torn)
        (void)printf("  tail         torn: %lu bytes at %s offset %lu, after command %lu; the next start cuts them\n",
                     (unsigned long)log->torn_bytes, log->torn_file, (unsigned long)log->torn_at,
                     (unsigned long)log->torn_after_seq);
    else (void)printf("  tail         clean\n");
    if (report->replay->branches.count != 0)
        (void)printf("  branches     the log went back %u times; what is void was checked like the rest\n",
                     report->replay->branches.count);
    print_hash("  chain head   ", &report->chain, "\n");
    (void)printf("  last command %lu, engine time %ld ms\n", (unsigned long)engine_seq(engine),
                 (long)engine_time_ms(engine));
    (void)printf("  last block   %lu", (unsigned long)report->exchange->blocks.applied.number);
    print_hash(" ", &report->exchange->blocks.applied.hash, "");
    (void)printf(", %lu transactions in all\n", (unsigned long)report->exchange->blocks.transactions);
    print_hash("  state hash   ", &report->state, "\n");
    (void)printf("  holds        %lu accounts, %lu open orders, %lu price levels, %lu signers\n",
                 (unsigned long)counts.accounts, (unsigned long)counts.open_orders, (unsigned long)counts.levels,
                 (unsigned long)counts.signers);
    print_money(report);
    print_snapshots(report);
    (void)printf("  invariants   hold; every block named in the log was found again\n");
    if (report->proof->traders != 0 || report->proof->impersonated != 0)
        (void)printf(
            "  unsigned     %lu commands of the market's traders, %lu of impersonated addresses: development\n",
            (unsigned long)report->proof->traders, (unsigned long)report->proof->impersonated);
    if (!report->proof->signatures) return;
    (void)printf("  signatures   %lu checked: payloads, signers and transaction hashes agree\n",
                 (unsigned long)report->proof->checked);
    (void)printf("  operators    %lu commands checked: payloads and transaction hashes agree\n",
                 (unsigned long)report->proof->operator);
}

static void print_json(const struct report *report)
{
    const struct log_report *log = &report->replay->report;
    char                     path[1024];
    struct out               out = out_make(path, sizeof(path));

    json_write_string(&out, slice_of(report->replay->path));
    (void)printf(
        "{\"folder\":%.*s,\"segments\":%u,\"batches\":%lu,\"commands\":%lu,\"seq\":%lu,\"timeMs\":%ld,\"torn\":%s",
        (int)out.len, path, log->parts, (unsigned long)log->batches, (unsigned long)log->records,
        (unsigned long)engine_seq(report->exchange->engine), (long)engine_time_ms(report->exchange->engine),
        log->torn ? "true" : "false");
    (void)printf(",\"reverts\":%u", report->replay->branches.count);
    if (log->torn)
        (void)printf(",\"tornBytes\":%lu,\"tornFile\":\"%s\",\"tornOffset\":%lu,\"tornAfterSeq\":%lu",
                     (unsigned long)log->torn_bytes, log->torn_file, (unsigned long)log->torn_at,
                     (unsigned long)log->torn_after_seq);
    print_hash(",\"chain\":\"", &report->chain, "\"");
    (void)printf(",\"blockNumber\":%lu", (unsigned long)report->exchange->blocks.applied.number);
    print_hash(",\"blockHash\":\"", &report->exchange->blocks.applied.hash, "\"");
    (void)printf(",\"transactions\":%lu", (unsigned long)report->exchange->blocks.transactions);
    print_hash(",\"stateHash\":\"", &report->state, "\"");
    (void)printf(",\"traderCommands\":%lu,\"impersonatedCommands\":%lu", (unsigned long)report->proof->traders,
                 (unsigned long)report->proof->impersonated);
    if (report->proof->signatures)
        (void)printf(",\"signatures\":%lu,\"houseCommands\":%lu", (unsigned long)report->proof->checked,
                     (unsigned long)report->proof->operator);
    print_json_money(report);
    print_json_snapshots(report);
    (void)printf(",\"invariants\":true}\n");
}

static int verify(const char *path, bool signatures, bool json)
{
    static struct exchange    exchange;
    const struct log_settings options = { .file_bytes = 8 << 20,
                                          .read_only = true }; /* the size is that of a log to be made */
    struct genesis           *genesis = calloc(1, sizeof(*genesis));
    void                     *room = calloc(1, SIGNED_RECORD_ROOM);
    struct proof              proof = { .path = path, .genesis = genesis, .signatures = signatures, .room = room };
    struct replay             replay;
    struct check              check;
    struct report             report = { &replay, &exchange, { { 0 } }, { { 0 } }, &check, &proof };
    int                       code;

    assert(genesis != NULL && proof.room != NULL);
    code = replay_open(&replay, path, DISK_READ, &options, NULL);
    if (code == EXIT_FINE) code = replay_genesis(&replay, genesis);
    if (code == EXIT_FINE && genesis->development != 0) code = replay_find_branches(&replay);
    if (code == EXIT_FINE && !exchange_init(&exchange, genesis, replay.genesis_json, false, false))
        code = complain(EXIT_GENERAL, "not enough memory");
    if (code == EXIT_FINE) {
        check_begin(&check, &replay, &exchange);
        log_knows(replay.log, check_history_knows(&replay), "the history");
        code =
            (replay.branches.count == 0 ? replay_run : replay_run_branches)(&replay, &exchange, check_record, &proof);
    }
    if (code == EXIT_FINE) code = check_end(&check);
    if (code == EXIT_FINE) {
        report.state = verify_state(exchange.engine);
        report.chain = log_chain(replay.log);
        (json ? print_json : print_report)(&report);
        exchange_close(&exchange);
    }
    replay_close(&replay);
    free(proof.room);
    free(genesis);
    return code;
}

int command_verify(int argc, char **argv)
{
    bool                  signatures = false, json = false;
    const struct argument rows[] = {
        { "signatures", ARGUMENT_FLAG, 0, &signatures, "",
          "Also decode all signed bytes again and recover every signer." },
        { "json", ARGUMENT_FLAG, 0, &json, "", "One line of JSON instead of text." },
    };
    const struct arguments arguments = {
        "verify",
        "DIR",
        "Replays a data folder that is not in use, writes nothing, and reports its final state.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    log_init(false);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    return verify(argv[operand], signatures, json);
}
