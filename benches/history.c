/* SPDX-License-Identifier: MIT */
/*
 * history.c — how fast rows are cached, written and read. Rows of 100 accounts, or `accounts`: per trade two fills and
 * one order that ended, per command its transaction; for comparison, bare LMDB puts of one table.
 *
 *   bench_history [trades [together [accounts]]]       in a folder below build/, which must be on a disk
 *
 * together: so many trades in a row are of one account, and their orders end in another order than they came.
 */
#include "history/history.h"

#include "machine.h"

#include <inttypes.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH 64

static uint8_t       event_bytes[BATCH * 1024];
static struct events events = { event_bytes, 0, sizeof(event_bytes) };
static uint64_t      together = 1, accounts = 100;

static uint64_t account_of(uint64_t seq, uint64_t side)
{
    return 1001 + (seq / together * 7919 + side * 31) % accounts;
}

static uint64_t order_of(uint64_t seq)
{
    return together == 1 ? seq * 2 : ((seq & ~UINT64_C(255)) | (seq * 37 & 255)) * 2;
}

static void make_batch(uint64_t first_seq, struct history_tx txs[BATCH])
{
    events.len = 0;
    for (uint64_t seq = first_seq; seq < first_seq + BATCH; seq++) {
        struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
        began->seq = seq;
        for (uint64_t side = 0; side < 2; side++) {
            struct filled *fill = EVENT_ADD(&events, FILL, filled, MARKET_SPOT);
            fill->trade_id = seq;
            fill->order_id = order_of(seq) + side;
            fill->account_id = account_of(seq, side);
            fill->symbol_id = 1 + (uint32_t)(seq % 2);
            fill->time_ms = (int64_t)seq / 20;
        }
        struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);
        order->order_id = order_of(seq);
        order->account_id = account_of(seq, 0);
        order->symbol_id = 1 + (uint32_t)(seq % 2);
        order->status = STATUS_FILLED;
        order->updated_ms = (int64_t)seq / 20;
        txs[seq - first_seq] = (struct history_tx){ .seq = seq, .hash = keccak256(&seq, sizeof(seq)) };
    }
}

static void check(int code, const char *what)
{
    if (code == 0) return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

/* Rows per second of one table with keys in the same disorder. */
static uint64_t bare_puts(const char *folder, uint64_t rows)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi  dbi;
    uint8_t  key[24], value[128] = { 0 };

    mkdir(folder, 0700);
    check(mdb_env_create(&env), "bare");
    check(mdb_env_set_mapsize(env, (size_t)8 << 30), "bare");
    check(mdb_env_open(env, folder, MDB_NOSYNC, 0600), "bare");
    int64_t from = bench_ns();
    for (uint64_t i = 0; i < rows;) {
        check(mdb_txn_begin(env, NULL, 0, &txn), "bare");
        check(mdb_dbi_open(txn, NULL, 0, &dbi), "bare");
        for (uint64_t end = min_u64(rows, i + 20000); i < end; i++) {
            uint64_t account = __builtin_bswap64(1001 + i * 7919 % accounts), id = ~__builtin_bswap64(i);
            memset(key, 0, sizeof(key));
            memcpy(key, &account, 8);
            memcpy(key + 9, &id, 8);
            MDB_val name = { sizeof(key), key }, data = { sizeof(value), value };
            check(mdb_put(txn, dbi, &name, &data, 0), "bare");
        }
        check(mdb_txn_commit(txn), "bare");
    }
    int64_t spent = bench_ns() - from;
    mdb_env_close(env);
    return rows * 1000000000u / (uint64_t)spent;
}

static void clean(const char *path)
{
    static const char *const names[] = { "state", "data.mdb", "lock.mdb", "bare/data.mdb", "bare/lock.mdb" };
    char                     name[96];

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        snprintf(name, sizeof(name), "%s/%s", path, names[i]);
        unlink(name);
    }
    snprintf(name, sizeof(name), "%s/bare", path);
    rmdir(name);
    rmdir(path);
}

int main(int argc, char **argv)
{
    uint64_t                 trades = argc > 1 ? strtoull(argv[1], NULL, 10) : 240000, rows = 0;
    static struct history_tx txs[BATCH];
    static struct filled     page[500];
    struct hash256           instance = { { 1 } };
    struct history          *history;
    char                     path[] = "build/bench-history-XXXXXX", bare[64];
    uint32_t                 left;

    if (argc > 3) accounts = max_u64(1, strtoull(argv[3], NULL, 10));
    if (argc > 2) together = max_u64(1, strtoull(argv[2], NULL, 10));
    if (mkdtemp(path) == NULL) {
        fprintf(stderr, "there is no folder build/ here\n");
        return 1;
    }
    snprintf(bare, sizeof(bare), "%s/bare", path);
    check(history_open(path, &instance, SLICE("bench"), &history), path);

    uint64_t apply_ns = 0, write_ns = 0;
    for (uint64_t seq = 1; seq < trades; seq += BATCH) {
        make_batch(seq, txs);
        int64_t t0 = bench_ns();
        history_apply(history, &events);
        struct history_block block = { .hash = txs[0].hash,
                                       .number = seq / BATCH + 1,
                                       .time_ms = 1,
                                       .first_seq = txs[0].seq,
                                       .last_seq = txs[BATCH - 1].seq,
                                       .count = BATCH };
        history_block(history, &block, txs);
        int64_t t1 = bench_ns();
        apply_ns += (uint64_t)(t1 - t0);
        rows += BATCH * 4;
        if (seq / BATCH % 64 != 0) continue;
        do
            if (history_write(history, &left) < 0) return 1;
        while (left > 0);
        write_ns += (uint64_t)(bench_ns() - t1);
    }
    int64_t t2 = bench_ns();
    do
        if (history_write(history, &left) < 0) return 1;
    while (left > 0);
    write_ns += (uint64_t)(bench_ns() - t2);

    int64_t  t3 = bench_ns();
    uint64_t reads = 20000;
    for (uint64_t i = 0; i < reads; i++) {
        struct history_query query = {
            .account_id = 1001 + i % accounts, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 100
        };
        if (history_fills(history, &query, page) < (accounts > 100 ? 1 : 100)) return 1;
    }
    uint64_t read_ns = (uint64_t)(bench_ns() - t3), bare_rate = bare_puts(bare, rows),
             rate = rows * 1000000000u / write_ns;
    printf("history: %" PRIu64 " rows remembered at %" PRIu64 " ns each\n", rows, apply_ns / rows);
    printf("history: written at %" PRIu64 " rows/s with all their indexes; bare LMDB, one put each: %" PRIu64
           " rows/s; ratio 0.%02" PRIu64 "\n",
           rate, bare_rate, rate * 100 / bare_rate % 100);
    printf("history: a page of at most 100 fills from disk: %" PRIu64 " us\n", read_ns / reads / 1000);
    history_close(history);
    clean(path);
    return 0;
}
