/* SPDX-License-Identifier: MIT */
/*
 * restart.c — the time of a start. A venue with N open orders, a snapshot of it, N further commands in the log; then
 * all memory is freed and opened again as `dojima serve` does it: listener, folder, lock, history, snapshot, state
 * hash, the rest of the log with all its checks, every invariant. The files are in the system's memory where they fit:
 * the program is measured, not the disk. It also prints how long writing the snapshot took.
 *
 *     build/release/benches/bench_restart [orders and commands, 1000000]
 */
#include "figure.h"

#include "io/clock.h"
#include "io/files.h"
#include "app/config.h"
#include "diagnostics/program_log.h"
#include "pipeline/restore.h"
#include "app/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ACCOUNTS   2000
#define IN_A_BATCH 1000
#define TEXT_BYTES 200 /* of signed JSON beside each command */
#define BATCH_ROOM (4 * 1024 * 1024)

static const char settings[] = "[dojima]\ndata = bench\nchainIds = 77\nopenOrdersPerAccount = 0\naccounts = 4000\n"
                               "orders = %u\nlevels = 100000\nsigners = 4000\ndeposits = 10000\n"
                               "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n[market vBTC_vUSDC]\n"
                               "baseCoin = vBTC\nquoteCoin = vUSDC\npricePrecision = 1\ntickSize = 0.1\n"
                               "quantityPrecision = 5\nstepSize = 0.00001\nlistingReferencePrice = 100000\n";

struct bench {
    char                folder[256];
    struct config       config;
    struct genesis      genesis;
    struct replay       replay;
    struct exchange     exchange;
    struct log_batch    batch;
    struct command_room room;
    int64_t             time_ms;
    uint64_t            seq, placed, cancelled, nonces[ACCOUNTS];
};

static void must(bool good, const char *what)
{
    if (good) return;
    (void)fprintf(stderr, "restart: %s failed\n", what);
    exit(1);
}

static struct address owner(uint32_t n)
{
    struct address address = { { 0xbe } };

    memcpy(address.bytes + 16, &n, sizeof(n));
    return address;
}

/* ---- writing a log ---- */

static void seal(struct bench *bench)
{
    struct log_applied applied = bench->exchange.blocks.applied;
    uint32_t           pending = 1;

    if (bench->batch.count == 0) return;
    must(log_append(bench->replay.log, &bench->batch, &applied) == 0, "the log");
    exchange_run(&bench->exchange, &bench->batch, NULL);
    while (history_is_full(bench->exchange.history) && pending != 0)
        must(history_write(bench->exchange.history, &pending) >= 0, "the history");
    bench->batch.count = 0;
}

static void add(struct bench *bench, uint16_t kind, size_t payload)
{
    static const char text[TEXT_BYTES] = "{\"type\":\"…\",\"params\":{…}}";
    struct command   *head = &bench->room.head;
    struct hash256    hash;
    struct log_record record = { .command = head, .signed_bytes = slice_make(text, sizeof(text)), .tx_hash = &hash };

    if (bench->batch.count == IN_A_BATCH) {
        seal(bench);
        bench->time_ms += 10;
    }
    if (bench->batch.count == 0) log_batch_begin(&bench->batch, bench->seq + 1, bench->time_ms);
    head->kind = kind;
    head->bytes = (uint32_t)(sizeof(*head) + payload);
    head->seq = ++bench->seq;
    head->time_ms = bench->time_ms;
    hash = keccak256(&bench->seq, sizeof(bench->seq));
    must(log_batch_add(&bench->batch, &record), "a batch");
}

static void sign(struct bench *bench, uint32_t who)
{
    bench->room.head.market = MARKET_SPOT;
    bench->room.head.domain = DOMAIN_SPOT;
    bench->room.head.chain_id = 77;
    bench->room.head.signer = owner(who);
    bench->room.head.nonce = (uint64_t)bench->time_ms * 1000 / 1000 + ++bench->nonces[who];
}

static struct client_id id_of(uint64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "o%lu", (unsigned long)number);
    return client_id_make(slice_of(text));
}

static void add_deposit(struct bench *bench, uint32_t who, uint32_t coin)
{
    memset(&bench->room, 0, sizeof(bench->room));
    bench->room.deposit = (struct deposit){
        .address = owner(who), .coin_id = coin, .amount = INT64_C(1000000000000000), .engine = MARKET_SPOT
    };
    memcpy(bench->room.deposit.id.bytes, &bench->seq, sizeof(bench->seq));
    add(bench, CMD_DEPOSIT, sizeof(struct deposit));
}

/* An order of its own client id, far from the other side: it stays. */
static void add_order(struct bench *bench)
{
    uint64_t         number = bench->placed++;
    uint32_t         who = (uint32_t)(number % ACCOUNTS);
    bool             buys = number % 2 == 0;
    int64_t          away = (int64_t)(number * 7919 % 10000);
    struct new_order item = { .symbol_id = 1,
                              .client_id = id_of(number),
                              .side = buys ? SIDE_BUY : SIDE_SELL,
                              .type = TYPE_LIMIT,
                              .time_in_force = TIF_GTC,
                              .price = decimal_make(buys ? 999999 - away : 1000001 + away, 1),
                              .quantity = decimal_make(100 + (int64_t)(number % 900), 5) };

    memset(&bench->room.head, 0, sizeof(bench->room.head));
    sign(bench, who);
    bench->room.place_orders.account_id = 0;
    bench->room.place_orders.count = 1;
    bench->room.place_orders.builder_given = 0;
    bench->room.place_orders.items[0] = item;
    add(bench, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
}

static void add_cancel(struct bench *bench)
{
    uint64_t number = bench->cancelled++;

    memset(&bench->room.head, 0, sizeof(bench->room.head));
    sign(bench, (uint32_t)(number % ACCOUNTS));
    bench->room.cancel_orders.account_id = 0;
    bench->room.cancel_orders.count = 1;
    bench->room.cancel_orders.reserved = 0;
    bench->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = id_of(number) };
    add(bench, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
}

static void open_bench(struct bench *bench, uint32_t orders)
{
    const struct log_settings options = { .file_bytes = 64 << 20, .spare = true };
    char                      text[1024], path[512], error[256];
    struct hash256            instance;

    (void)snprintf(text, sizeof(text), settings, orders + orders / 8 + 1000);
    must(config_read(text, "bench", false, &bench->config, error, sizeof(error)), error);
    must(files_make_temporary(bench->folder, sizeof(bench->folder)) == 0, "the folder");
    must(replay_open(&bench->replay, bench->folder, DISK_WRITE, &options, &bench->config.genesis) == EXIT_FINE,
         "the folder");
    must(replay_genesis(&bench->replay, &bench->genesis) == EXIT_FINE, "the genesis");
    must(exchange_init(&bench->exchange, &bench->genesis, bench->replay.genesis_json, true, false), "memory");
    must(replay_run(&bench->replay, &bench->exchange, NULL, NULL) == EXIT_FINE, "the log");
    (void)snprintf(path, sizeof(path), "%s/history", bench->folder);
    instance = replay_instance(&bench->replay);
    must(history_open(path, &instance, files_boot_id(), &bench->exchange.history) == 0, "the history");
    bench->batch = (struct log_batch){ .at = files_take_memory(BATCH_ROOM), .cap = BATCH_ROOM };
    bench->time_ms = bench->genesis.time_ms;
}

static double seconds_since(int64_t ns) { return (double)(clock_mono_ns() - ns) / 1e9; }

static void write_snapshot(struct bench *bench)
{
    struct log_mark        mark = log_mark_behind(&bench->batch);
    struct snapshot_header facts;
    int64_t                began_ns = clock_mono_ns();
    const struct disk     *disk = &bench->replay.disk;

    must(restore_write(&bench->replay, &bench->exchange, &mark, &facts) == 0, "the snapshot");
    must(disk->rename(disk->self, SNAPSHOT_TEMPORARY, snapshot_name(0)) == 0, "the snapshot");
    (void)printf("restart: a snapshot of %lu open orders: %lu MiB of address space became %lu MiB in %.2f s\n",
                 (unsigned long)engine_counts(bench->exchange.engine).open_orders,
                 (unsigned long)((engine_size(&bench->genesis) + views_size(&bench->genesis)) >> 20),
                 (unsigned long)(facts.bytes >> 20), seconds_since(began_ns));
    figure("snapshot", seconds_since(began_ns), 0);
}

static void make_world(struct bench *bench, uint32_t orders)
{
    for (uint32_t i = 0; i < ACCOUNTS; i++)
        for (uint32_t coin = 0; coin < 2; coin++) add_deposit(bench, i, coin);
    for (uint32_t i = 0; i < orders; i++) add_order(bench);
    must(log_append(bench->replay.log, &bench->batch, &bench->exchange.blocks.applied) == 0, "the log");
    exchange_run(&bench->exchange, &bench->batch, NULL);
    write_snapshot(bench);
    bench->batch.count = 0;
    for (uint32_t i = 0; i < orders / 2; i++) {
        add_cancel(bench);
        add_order(bench);
    }
    seal(bench);
    must(engine_counts(bench->exchange.engine).open_orders == orders, "the world: some order was refused");
}

static void close_bench(struct bench *bench)
{
    history_close(bench->exchange.history);
    bench->exchange.history = NULL;
    exchange_close(&bench->exchange);
    replay_close(&bench->replay);
    files_give_memory(bench->batch.at, BATCH_ROOM);
}

/* ---- and starting ---- */

struct took {
    double wall, processor;
};

static struct took start(const struct bench *bench, bool from_genesis, struct hash256 *state)
{
    const struct options options = { .folder = bench->folder,
                                     .host = "127.0.0.1",
                                     .io_threads = 1,
                                     .connections = 1024,
                                     .connections_per_address = 64,
                                     .file_bytes = 64 << 20,
                                     .production = true,
                                     .from_genesis = from_genesis,
                                     .genesis = &bench->config.genesis,
                                     .faucet = bench->config.faucet,
                                     .metrics = &bench->config.metrics };
    struct instance     *instance = instance_take();
    int64_t              began_ns = clock_mono_ns();
    clock_t              began = clock();
    struct took          took;

    must(instance != NULL && instance_open(instance, &options) == EXIT_FINE, "the start");
    took = (struct took){ seconds_since(began_ns), (double)(clock() - began) / CLOCKS_PER_SEC };
    *state = engine_hash(instance->server.exchange.engine);
    instance_close(instance);
    return took;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    uint32_t            orders = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;
    struct hash256      whole, rest;
    struct took         from_snapshot, from_genesis;

    must(orders >= 10 && orders % 2 == 0, "an even number of orders");
    log_init(true);
    open_bench(&bench, orders);
    make_world(&bench, orders);
    close_bench(&bench);
    from_snapshot = start(&bench, false, &rest);
    from_genesis = start(&bench, true, &whole);
    must(hash256_equal(&rest, &whole), "equality: both starts end in one state");
    (void)printf("restart: a snapshot with %u open orders and %u commands behind it: %.2f s (%.2f s of processor); the "
                 "whole log, %lu commands: %.2f s (%.2f s); one state\n",
                 orders, orders, from_snapshot.wall, from_snapshot.processor, (unsigned long)bench.seq,
                 from_genesis.wall, from_genesis.processor);
    figure("restart", from_snapshot.wall, from_genesis.wall);
    files_remove_tree(bench.folder);
    return 0;
}
