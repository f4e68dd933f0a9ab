/* SPDX-License-Identifier: MIT */
/*
 * shared_log.c — the overhead of the log in PostgreSQL over bare INSERTs of the same bytes, under the same quorum, in
 * turns and in the same run: one primary and two standbys of this machine, of which one must confirm, on one disk.
 *
 *   bench_shared_log        a PostgreSQL server must be installed
 */
#include "figure.h"
#include "machine.h"
#include "support/postgres.c"

#include "log/log.h"
#include "log/setup.h"

#include <inttypes.h>

#define TURNS      400 /* of one batch each */
#define ROUNDS     8   /* of PIPELINED batches each */
#define PIPELINED  150
#define OPERATIONS 100
#define ROOM       (1024 * 1024)

static struct test_postgres server;
static struct log_setup     setup = { .writer = "secretwriter", .reader = "secretreader" };
static struct command_room  room;
static char                 text[16 * 1024];
static struct log          *shared;
static struct log_batch     batches[2], copy;
static PGconn              *bare;
static uint64_t             bare_rows;

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_shared_log: %s\n", what);
    test_postgres_stop(&server);
    exit(1);
}

/* One command with `operations` orders, and about 100 bytes of signed JSON for each. */
static void fill(struct log_batch *batch, uint64_t seq, uint32_t operations)
{
    struct hash256    hash = { { 0 } };
    struct log_record record = { .command = &room.head,
                                 .signed_bytes = { text, 100 + 100 * (size_t)operations },
                                 .tx_hash = &hash };

    log_batch_begin(batch, seq, 1);
    room.head = (struct command){ .bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_orders, operations)),
                                  .kind = CMD_PLACE_ORDERS,
                                  .seq = seq,
                                  .time_ms = 1,
                                  .nonce = seq };
    room.place_orders.count = operations;
    memcpy(hash.bytes, &seq, sizeof(seq));
    must(log_batch_add(batch, &record), "a batch is too small");
}

/* ---- ours ---- */

static void open_log(void)
{
    struct log_settings settings = {
        .kind = LOG_KIND_POSTGRES, .url = setup.writer_url, .node = "bench", .lease_ms = 5000, .needs_quorum = true
    };
    void              *memory = aligned_alloc(64, align_up(log_bytes(), 64));
    struct log_report  report;
    struct log_applied applied;
    struct slice       genesis;
    uint64_t           term;
    bool               leads = false, there, partial;

    must(log_create(memory, NULL, &settings, SLICE("{}"), &report) == LOG_OK, report.text);
    must(log_open(memory, NULL, &settings, &shared, &genesis, &report) == LOG_OK, report.text);
    while (!leads) {
        must(log_follow(shared, &batches[0], &applied, &there, &partial, &report) == LOG_OK, report.text);
        must(log_lead(shared, &term, &leads, &report) == LOG_OK, report.text);
    }
}

static void submit(uint64_t seq, uint32_t operations)
{
    struct log_applied applied = { 0 };

    fill(&batches[seq % 2], seq, operations);
    log_submit(shared, &batches[seq % 2], &applied);
}

/* ---- bare ---- */

static void open_bare(void)
{
    PGresult *result;

    bare = PQconnectdb(server.admin);
    result = PQexec(bare, "CREATE TABLE bare (seq int8 PRIMARY KEY, payload bytea NOT NULL);"
                          " ALTER TABLE bare ALTER COLUMN payload SET STORAGE EXTERNAL");
    must(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(bare));
    PQclear(result);
    result = PQprepare(bare, "bare", "INSERT INTO bare VALUES ($1, $2)", 2, (const Oid[]){ 20, 17 });
    must(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(bare));
    PQclear(result);
}

static void send_bare(const struct log_batch *batch)
{
    uint64_t          number = __builtin_bswap64(++bare_rows);
    const char *const values[] = { (const char *)&number, (const char *)batch->at };
    const int         lengths[] = { sizeof(number), (int)batch->len }, formats[] = { 1, 1 };

    must(PQsendQueryPrepared(bare, "bare", 2, values, lengths, formats, 1) == 1, PQerrorMessage(bare));
}

static void end_bare(bool pipelined)
{
    PGresult *result = PQgetResult(bare);

    must(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(bare));
    PQclear(result);
    must(PQgetResult(bare) == NULL, "an INSERT has one result");
    if (!pipelined) return;
    result = PQgetResult(bare);
    must(PQresultStatus(result) == PGRES_PIPELINE_SYNC, "the pipeline is out of step");
    PQclear(result);
}

/* ---- the two figures ---- */

static void measure_one(void)
{
    static int64_t ours_ns[TURNS], bare_ns[TURNS];

    for (uint32_t i = 0; i < TURNS; i++) {
        int64_t t0, t1, t2;

        fill(&copy, log_next_seq(shared), 1);
        t0 = bench_ns();
        submit(log_next_seq(shared), 1);
        must(log_wait(shared) == 0, "the log cannot be written");
        t1 = bench_ns();
        send_bare(&copy);
        end_bare(false);
        t2 = bench_ns();
        ours_ns[i] = t1 - t0;
        bare_ns[i] = t2 - t1;
    }
    qsort(ours_ns, TURNS, sizeof(ours_ns[0]), bench_by_ns);
    qsort(bare_ns, TURNS, sizeof(bare_ns[0]), bench_by_ns);
    double ours = (double)ours_ns[TURNS / 2] / 1000, against = (double)bare_ns[TURNS / 2] / 1000;
    printf("one command, one outstanding: %.0f us (p99 %.0f), a bare INSERT %.0f us (p99 %.0f): %.2f times\n", ours,
           (double)ours_ns[TURNS * 99 / 100] / 1000, against, (double)bare_ns[TURNS * 99 / 100] / 1000, ours / against);
    figure("cluster-write", ours, against);
}

static int64_t run_ours(void)
{
    int64_t  began = bench_ns();
    uint64_t seq = log_next_seq(shared);

    submit(seq, OPERATIONS);
    for (uint32_t i = 1; i < PIPELINED; i++) {
        submit(seq + i, OPERATIONS);
        must(log_wait(shared) == 0, "the log cannot be written");
    }
    must(log_wait(shared) == 0, "the log cannot be written");
    return bench_ns() - began;
}

static int64_t run_bare(void)
{
    int64_t began = bench_ns();

    must(PQenterPipelineMode(bare) == 1, "no pipeline");
    for (uint32_t i = 0; i <= PIPELINED; i++) {
        if (i < PIPELINED) {
            fill(&copy, i + 1, OPERATIONS);
            send_bare(&copy);
            must(PQpipelineSync(bare) == 1, "no pipeline");
        }
        if (i != 0) end_bare(true);
    }
    must(PQexitPipelineMode(bare) == 1, "the pipeline does not end");
    return bench_ns() - began;
}

static void measure_many(void)
{
    int64_t ours_ns = 0, bare_ns = 0;
    double  ours, against;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        ours_ns += run_ours();
        bare_ns += run_bare();
    }
    ours = (double)ROUNDS * PIPELINED * OPERATIONS * 1e9 / (double)ours_ns;
    against = (double)ROUNDS * PIPELINED * OPERATIONS * 1e9 / (double)bare_ns;
    printf("commands of %d, pipelined: %.0f operations/s, bare INSERTs %.0f: %.2f times\n", OPERATIONS, ours, against,
           ours / against);
    figure("cluster-durable", ours, against);
}

int main(void)
{
    struct log_report report;

    if (!test_postgres_start(&server, 2)) return 0;
    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < 3; i++) {
        struct log_batch *batch = i == 2 ? &copy : &batches[i];

        *batch = (struct log_batch){ .at = aligned_alloc(64, ROOM), .cap = ROOM };
        must(batch->at != NULL, "not enough memory");
    }
    setup.url = server.admin;
    must(log_set_up(&setup, &report) == LOG_OK, report.text);
    open_log();
    open_bare();
    measure_one();
    measure_many();
    log_close(shared);
    PQfinish(bare);
    test_postgres_stop(&server);
    return 0;
}
