/* SPDX-License-Identifier: MIT */
/*
 * replay.c — operations per second that a start replays from its log. Writes a log of commands of 100 operations with
 * their signed bytes, in batches as under load; then reads all of it with the code that starts the exchange:
 * checksums, chain, order, block hashes in the batches, engine, views. Signatures were checked when the commands
 * arrived, and are not checked again; the history has its rows. The files are in the system's memory: the program is
 * measured, not the disk.
 *
 *     build/release/benches/bench_replay [operations, 1000000]
 */
#include "cycle.h"
#include "figure.h"

#include "io/clock.h"
#include "io/files.h"
#include "diagnostics/program_log.h"
#include "pipeline/replay.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH_BYTES (1024 * 1024)
#define BATCH_MS    2

static const struct log_settings options = { .file_bytes = 64 << 20 };

static void must(bool good, const char *what)
{
    if (good) return;
    (void)fprintf(stderr, "replay: %s failed\n", what);
    exit(1);
}

struct kept {
    struct config   config;
    struct genesis  genesis;
    struct replay   replay;
    struct exchange exchange;
};

/* Opens the folder, and reads its log. */
static void open_log(struct kept *log, const char *folder)
{
    must(replay_open(&log->replay, folder, DISK_WRITE, &options, &log->config.genesis) == EXIT_FINE, "the folder");
    must(replay_genesis(&log->replay, &log->genesis) == EXIT_FINE, "the genesis");
    must(exchange_init(&log->exchange, &log->genesis, log->replay.genesis_json, true, true), "memory");
}

static void seal(struct kept *log, struct log_batch *batch, uint64_t *operations)
{
    must(log_append(log->replay.log, batch, &log->exchange.blocks.applied) == 0, "the log");
    exchange_run(&log->exchange, batch, NULL);
    *operations = engine_seq(log->exchange.engine) * CYCLE_COMMAND;
    log_batch_begin(batch, batch->first_seq + batch->count, batch->time_ms + BATCH_MS);
}

/* One command of the cycle with its number, time and nonce; false when the batch is full. */
static bool add(struct log_batch *batch, const struct cycle_command *next)
{
    static struct command_room room;
    struct slice               text = slice_make(next->at + next->command_bytes, next->text_bytes);
    static const uint8_t       no_signature[65];
    struct hash256             hash;
    struct log_record          record = { .command = &room.head, .signed_bytes = text, .tx_hash = &hash };

    memcpy(&room, next->at, next->command_bytes);
    room.head.seq = batch->first_seq + batch->count;
    room.head.time_ms = batch->time_ms;
    room.head.nonce = (uint64_t)batch->time_ms + room.head.seq;
    hash = blocks_write_hash(&room.head, record.signed_bytes, no_signature);
    return log_batch_add(batch, &record);
}

static struct hash256 write_log(struct kept *log, const char *folder, const struct cycle *cycle, uint64_t wanted)
{
    struct log_batch batch = { .at = files_take_memory(BATCH_BYTES), .cap = BATCH_BYTES };
    uint64_t         sent = 0, operations = 0;
    struct hash256   state;

    open_log(log, folder);
    must(replay_run(&log->replay, &log->exchange, NULL, NULL) == EXIT_FINE, "the log");
    log_batch_begin(&batch, 1, log->genesis.time_ms + 1);
    while (operations < wanted) {
        if (add(&batch, &cycle->commands[sent % cycle->count])) sent += 1;
        else seal(log, &batch, &operations);
    }
    seal(log, &batch, &operations); /* the rest */
    state = engine_hash(log->exchange.engine);
    files_give_memory(batch.at, BATCH_BYTES);
    return state;
}

static void close_log(struct kept *log)
{
    exchange_close(&log->exchange);
    replay_close(&log->replay);
}

int main(int argc, char **argv)
{
    static struct kept log;
    uint64_t           wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, operations, bytes;
    char               folder[256];
    struct cycle       cycle = cycle_make(CYCLE_COMMAND);
    struct hash256     before, after;
    int64_t            took_ns;

    must(wanted >= CYCLE_COMMAND, "the number of operations");
    log_init(true);
    cycle_config(&log.config);
    must(files_make_temporary(folder, sizeof(folder)) == 0, "the folder");
    before = write_log(&log, folder, &cycle, wanted);
    close_log(&log);

    open_log(&log, folder);
    took_ns = clock_mono_ns();
    must(replay_run(&log.replay, &log.exchange, NULL, NULL) == EXIT_FINE, "reading the log");
    took_ns = clock_mono_ns() - took_ns;
    after = engine_hash(log.exchange.engine);
    must(hash256_equal(&before, &after), "equality: the log makes the state that wrote it");
    operations = engine_seq(log.exchange.engine) * CYCLE_COMMAND;
    bytes = log.replay.report.bytes;
    (void)printf(
        "replay: %.3f M operations/s in commands of %u (%lu operations, %.2f s, %.0f MB/s of log), one state\n",
        (double)operations * 1e3 / (double)took_ns, CYCLE_COMMAND, (unsigned long)operations, (double)took_ns / 1e9,
        (double)bytes * 1e3 / (double)took_ns);
    figure("replay", (double)operations * 1e9 / (double)took_ns, 0);
    close_log(&log);
    files_remove_tree(folder);
    return 0;
}
