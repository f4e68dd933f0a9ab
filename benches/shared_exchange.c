/* SPDX-License-Identifier: MIT */
/*
 * shared_exchange.c — what the second batch under way gives an exchange whose log is in PostgreSQL: durable operations
 * per second in commands of 100, from the inbox of the pipeline to its replies, with one batch under way and with two,
 * and bare pipelined INSERTs of as many rows of as many bytes, in turns and in the same run. One primary and two
 * standbys of this machine, of which one must confirm, on one disk.
 *
 *   bench_shared_exchange [OUTSTANDING]...        a PostgreSQL server must be installed
 *
 * OUTSTANDING commands are kept waiting for their replies; without one: 2, 8, 32, and 96. As in bench_durable there is
 * no socket and no signature, neither recovered nor checked again; the signed bytes are there and go into the log.
 */
#include "cycle.h"
#include "figure.h"
#include "machine.h"
#include "support/postgres.c"

#include "app/start.h"
#include "app/threads.h"
#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "log/setup.h"

#include <time.h>
#include <unistd.h>

#define RING_BYTES (4u * 1024 * 1024)
#define ROUND      192 /* commands */
#define ROUNDS     21
#define FOLDER     "build/bench-shared-exchange"
#define GIVE_UP_NS INT64_C(60000000000)

/* With one batch under way, and with two as the pipeline does it (decision 130). */
enum way { ONE_PLACE, TWO_PLACES, WAYS };

static const char *const way_names[] = { "one batch under way", "two" };

static struct test_postgres postgres;
static struct log_setup     setup = { .writer = "secretwriter", .reader = "secretreader" };
static struct config        config;
static struct instance     *instance;
static struct cycle         cycle;
static struct ring          writes, replies;
static uint32_t             ring, outstanding[8], outstanding_count;
static uint64_t             nonce, sent, answered, done;
static PGconn              *bare;
static uint64_t             bare_rows;
static uint8_t             *bare_bytes;
static pthread_t            load;

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_shared_exchange: %s\n", what);
    test_postgres_stop(&postgres);
    exit(1);
}

static void nap(void) { (void)nanosleep(&(struct timespec){ 0, 20000 }, NULL); }

/* ---- commands in, replies out ---- */

static void send_one(void)
{
    const struct cycle_command *next = &cycle.commands[sent % cycle.count];
    struct write_message *message = ring_reserve(&writes, sizeof(*message) + next->command_bytes + next->text_bytes);
    struct command       *command = (struct command *)(void *)(message + 1);

    must(message != NULL, "the ring is too small");
    *message = (struct write_message){ .origin = origin_pack((struct origin){ ring, 0, 1, (uint32_t)sent & 0xffff }),
                                       .sent_ns = clock_mono_ns(),
                                       .command_bytes = next->command_bytes,
                                       .signed_bytes = next->text_bytes,
                                       .reply_bytes = reply_bytes_max(next->operations) };
    memcpy(command, next->at, next->command_bytes + next->text_bytes);
    command->nonce = nonce++;
    ring_commit(&writes, sizeof(*message) + next->command_bytes + next->text_bytes);
    sent += 1;
    park_nudge(&instance->server.shared.engine);
}

static bool take_one(void)
{
    uint64_t                    bytes;
    const struct reply_message *reply = ring_peek(&replies, &bytes);

    if (reply == NULL) return false;
    must(reply->lost == 0, "the node lost the lead");
    ring_next(&replies);
    answered += 1;
    done += cycle.commands[(answered - 1) % cycle.count].operations;
    return true;
}

/* `count` commands, of which `most` are outstanding; nanoseconds. */
static int64_t run_ours(uint64_t count, uint32_t most)
{
    int64_t  began_ns = clock_mono_ns(), heard_ns = began_ns;
    uint64_t until = answered + count;

    while (answered < until) {
        bool moved = false;

        while (sent < until && sent - answered < most) {
            send_one();
            moved = true;
        }
        while (take_one()) moved = true;
        if (moved) heard_ns = clock_mono_ns();
        else nap();
        must(clock_mono_ns() - heard_ns < GIVE_UP_NS, "there is no answer within a minute");
    }
    return clock_mono_ns() - began_ns;
}

/* ---- bare ---- */

static void run_sql(const char *text)
{
    PGresult *result = PQexec(bare, text);

    must(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(bare));
    PQclear(result);
}

static void open_bare(void)
{
    bare = PQconnectdb(postgres.admin);
    bare_bytes = files_take_memory(BATCH_BYTES);
    must(bare_bytes != NULL, "not enough memory");
    files_touch_memory(bare_bytes, BATCH_BYTES);
    run_sql("CREATE TABLE bare (seq int8 PRIMARY KEY, payload bytea NOT NULL);"
            " ALTER TABLE bare ALTER COLUMN payload SET STORAGE EXTERNAL");
    PQclear(PQprepare(bare, "bare", "INSERT INTO bare VALUES ($1, $2)", 2, (const Oid[]){ 20, 17 }));
}

static void send_bare(uint64_t bytes)
{
    uint64_t          number = __builtin_bswap64(++bare_rows);
    const char *const values[] = { (const char *)&number, (const char *)bare_bytes };
    const int         lengths[] = { sizeof(number), (int)bytes }, formats[] = { 1, 1 };

    must(PQsendQueryPrepared(bare, "bare", 2, values, lengths, formats, 1) == 1, PQerrorMessage(bare));
    must(PQpipelineSync(bare) == 1, "no pipeline");
}

static void end_bare(void)
{
    PGresult *result = PQgetResult(bare);

    must(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(bare));
    PQclear(result);
    must(PQgetResult(bare) == NULL, "an INSERT has one result");
    result = PQgetResult(bare);
    must(PQresultStatus(result) == PGRES_PIPELINE_SYNC, "the pipeline is out of step");
    PQclear(result);
}

/* As many rows, two under way. */
static int64_t run_bare(uint64_t rows, uint64_t bytes)
{
    int64_t began_ns = clock_mono_ns();

    must(PQenterPipelineMode(bare) == 1, "no pipeline");
    for (uint64_t i = 0; i <= rows; i++) {
        if (i < rows) send_bare(bytes);
        if (i != 0) end_bare();
    }
    must(PQexitPipelineMode(bare) == 1, "the pipeline does not end");
    return clock_mono_ns() - began_ns;
}

/* ---- what is measured ---- */

struct result_of {
    double   rate, over_one, over_bare; /* operations per second; the same over ONE_PLACE, and over bare INSERTs */
    uint64_t batches, bytes;
};

static void run_round(enum way way, uint32_t most, struct result_of *result)
{
    static uint64_t     as_built;
    struct commit_slot *commit = &instance->server.commit;
    uint64_t            batches = tally_of(&commit->counters.batches), bytes = tally_of(&commit->counters.bytes);
    uint64_t            operations = done;
    int64_t             took_ns;

    if (as_built == 0) as_built = commit->early_bytes;
    if (way == ONE_PLACE) commit->early_bytes = UINT64_MAX; /* nothing is collected now */
    took_ns = run_ours(ROUND, most);
    commit->early_bytes = as_built;
    result->batches = tally_of(&commit->counters.batches) - batches;
    result->bytes = tally_of(&commit->counters.bytes) - bytes;
    result->rate = (double)(done - operations) * 1e9 / (double)took_ns;
    result->over_bare = (double)run_bare(result->batches, result->bytes / result->batches) / (double)took_ns;
}

/* The median over the rounds of a member at `offset`. */
static double median_of(const struct result_of *results, size_t offset)
{
    double values[ROUNDS];

    for (uint32_t i = 0; i < ROUNDS; i++) memcpy(&values[i], (const uint8_t *)&results[i] + offset, sizeof(double));
    qsort(values, ROUNDS, sizeof(values[0]), bench_by_value);
    return values[ROUNDS / 2];
}

static void tell(enum way way, uint32_t most, const struct result_of *results)
{
    double   rate = median_of(results, offsetof(struct result_of, rate));
    double   over_bare = median_of(results, offsetof(struct result_of, over_bare));
    uint64_t batches = 0, bytes = 0;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        batches += results[i].batches;
        bytes += results[i].bytes;
    }
    printf("%u commands of %d outstanding, %s: %.0f operations/s, %.2f times with one, %.2f times bare INSERTs of as "
           "many rows (medians of %d rounds); batches of %lu KiB\n",
           most, CYCLE_COMMAND, way_names[way], rate, median_of(results, offsetof(struct result_of, over_one)),
           over_bare, ROUNDS, (unsigned long)(bytes / batches >> 10));
    (void)fflush(stdout);
    if (way == TWO_PLACES && most == outstanding[outstanding_count - 1])
        figure("cluster-exchange", rate, rate / over_bare);
}

static void measure(uint32_t most)
{
    static struct result_of results[WAYS][ROUNDS];

    for (uint32_t i = 0; i < ROUNDS; i++)
        for (uint32_t way = 0; way < WAYS; way++) {
            run_round((enum way)way, most, &results[way][i]);
            results[way][i].over_one = results[way][i].rate / results[ONE_PLACE][i].rate;
        }
    for (uint32_t way = 0; way < WAYS; way++) tell((enum way)way, most, results[way]);
}

static void *run_load(void *argument)
{
    (void)argument;
    while (atomic_load(&instance->server.shared.role) != NODE_LEADER) thread_sleep_ms(5);
    (void)run_ours(ROUND, 8); /* warm */
    for (uint32_t i = 0; i < outstanding_count; i++) measure(outstanding[i]);
    signals_stop_self();
    return NULL;
}

static void start_load(void *self)
{
    must(thread_start(&load, "load", run_load, self) == 0, "a thread cannot be started");
}

/* ---- the exchange ---- */

static void run_exchange(void)
{
    struct options options = { .folder = FOLDER,
                               .host = "127.0.0.1",
                               .io_threads = 1,
                               .connections = 64,
                               .connections_per_address = 64,
                               .production = true,
                               .library_signatures = true, /* no second check: nobody has signed these commands */
                               .genesis = &config.genesis,
                               .faucet = config.faucet,
                               .metrics = &config.metrics,
                               .cluster = &config.cluster };
    uint8_t       *memory = files_take_memory(2 * (size_t)RING_BYTES);
    struct server *server;

    instance = instance_take();
    must(memory != NULL && instance != NULL, "not enough memory");
    files_touch_memory(memory, 2 * (size_t)RING_BYTES);
    must(instance_open(instance, &options) == EXIT_FINE, "the exchange does not start");
    server = &instance->server;
    ring = server->ring_count++;
    ring_init(&writes, memory, RING_BYTES);
    ring_init(&replies, memory + RING_BYTES, RING_BYTES);
    server->writes[ring] = &writes;
    server->replies[ring] = &replies;
    server->exchange.history = NULL;
    must(instance_run(instance, start_load, NULL) == EXIT_FINE, "the exchange did not end well");
    thread_join(load);
    instance_close(instance);
}

int main(int argc, char **argv)
{
    static const uint32_t usual[] = { 2, 8, 32, 96 };
    struct log_report     report;

    for (int i = 1; i < argc && i <= (int)ARRAY_COUNT(outstanding); i++)
        outstanding[outstanding_count++] = (uint32_t)strtoul(argv[i], NULL, 10);
    if (outstanding_count == 0) outstanding_count = ARRAY_COUNT(usual);
    if (argc == 1) memcpy(outstanding, usual, sizeof(usual));
    if (!test_postgres_start(&postgres, 2)) return 0;
    setup.url = postgres.admin;
    must(log_set_up(&setup, &report) == LOG_OK, report.text);
    signals_block();
    log_init(true);
    open_bare();
    cycle_config(&config);
    cycle = cycle_make(CYCLE_COMMAND);
    nonce = (uint64_t)clock_wall_ms();
    config.cluster = (struct cluster_settings){
        .quorum = 1, .node = "bench", .url = "http://127.0.0.1:1", .lease_ms = 5000, .candidate = 1, .wait_ms = 50
    };
    (void)snprintf(config.cluster.log_url, sizeof(config.cluster.log_url), "%s", setup.writer_url);
    files_remove_tree(FOLDER);
    run_exchange();
    files_remove_tree(FOLDER);
    PQfinish(bare);
    test_postgres_stop(&postgres);
    return 0;
}
