/* SPDX-License-Identifier: MIT */
/*
 * http.c — signed orders per second over HTTP on one core, and the effect of the disk and of a second I/O thread.
 *
 *     bench_http [order batch sync threads] [--dojima PATH] [--folder DIR] [--orders N] [--connections N]
 *
 * Starts `dojima serve` with 100 funded accounts on a data folder on a real disk (fdatasync on) and sends requests
 * signed beforehand over keep-alive connections without pipelining; every item has to be accepted.
 *
 * order, batch: single orders, and 100 in a request; secp256k1_ecdsa_recover bare on the same core before and after.
 * On two cores or more the I/O thread has the first one for itself, everything else (sequencer, log, this program) the
 * second. The result is orders per second of the I/O thread's processor time; orders per second of the clock are
 * printed next to it. sync: single orders with fdatasync, and with one that does nothing (nosync.c), in turns.
 * threads: single orders, one I/O thread and two, in turns, no thread pinned, this program on the same cores: orders
 * per second, and the processor time of the whole exchange for each.
 */
#include "figure.h"
#include "machine.h"
#include "served.h"

#include <getopt.h>
#include <math.h>
#include <secp256k1_recovery.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RECOVER_SAMPLE    1024
#define RECOVER_SECONDS   1.0
#define WARM_UP_SHARE     50 /* one more request for so many, and one of each account, before the clock runs */
#define BATCH             100
#define TURNS             2
#define CONNECTIONS       1000 /* enough that the disk and the client are not the bottleneck */
#define BATCH_CONNECTIONS 64   /* of batches: all outstanding ones together fit the queue before the log */

struct options {
    const char *dojima, *folder;
    size_t      orders;
    int         connections;
};

/* ---- the bare library ---- */

struct bare {
    secp256k1_context                     *context;
    secp256k1_ecdsa_recoverable_signature *signatures;
    struct hash256                        *digests;
    size_t                                 count;
};

static struct bare bare_make(struct hash256 *digests, const struct signature *signatures, size_t count)
{
    struct bare bare = { secp256k1_context_create(SECP256K1_CONTEXT_NONE), calloc(count, sizeof(*bare.signatures)),
                         digests, count };
    uint8_t     compact[64];

    for (size_t i = 0; i < count; i++) {
        memcpy(compact, signatures[i].r, 32);
        memcpy(compact + 32, signatures[i].s, 32);
        if (!secp256k1_ecdsa_recoverable_signature_parse_compact(bare.context, &bare.signatures[i], compact,
                                                                 signatures[i].v))
            bench_fail("signature");
    }
    return bare;
}

struct bare_result {
    double rate, cpu_us;
};

/* Recoveries per second on this thread's core, and the CPU time of one. */
static struct bare_result bare_measure(const struct bare *bare)
{
    secp256k1_pubkey key;
    size_t           done = 0;
    double           began = bench_now(), cpu_began = (double)bench_thread_ns() * 1e-9, elapsed;

    do {
        for (int i = 0; i < 256; i++, done++)
            if (!secp256k1_ecdsa_recover(bare->context, &key, &bare->signatures[done % bare->count],
                                         bare->digests[done % bare->count].bytes))
                bench_fail("recover");
        elapsed = bench_now() - began;
    } while (elapsed < RECOVER_SECONDS);
    return (struct bare_result){ (double)done / elapsed,
                                 ((double)bench_thread_ns() * 1e-9 - cpu_began) * 1e6 / (double)done };
}

/* ---- one run ---- */

/* Requests that are sent again and again, each time to a new exchange. */
struct work {
    struct bench_account  accounts[BENCH_ACCOUNTS];
    struct bench_request *requests;
    size_t                count, warm_up;
    uint32_t              orders;
    struct bare           bare;
};

static void work_make(struct work *work, size_t orders, uint32_t in_request)
{
    struct hash256   *digests;
    struct signature *signatures;
    struct bench_flow flow;

    bench_accounts(work->accounts, BENCH_ACCOUNTS);
    work->orders = in_request;
    work->warm_up = BENCH_ACCOUNTS + orders / in_request / WARM_UP_SHARE;
    work->count = work->warm_up + orders / in_request;
    digests = calloc(work->count, sizeof(*digests));
    signatures = calloc(work->count, sizeof(*signatures));
    if (digests == NULL || signatures == NULL) bench_fail("memory");
    flow = (struct bench_flow){ work->accounts, BENCH_ACCOUNTS, 0, work->count, in_request, bench_unix_ms() };
    work->requests = bench_requests(&flow, digests, signatures);
    work->bare = bare_make(digests, signatures, work->count < RECOVER_SAMPLE ? work->count : RECOVER_SAMPLE);
}

struct run {
    int         io_threads;
    const char *preload;
    bool        pinned;
};

struct outcome {
    struct load_result load;
    struct bare_result before, after;
    double             orders, io_seconds, all_seconds;
};

static void check(const struct load_result *result, size_t sent)
{
    if (result->answered == sent && result->wrong == 0) return;
    (void)fprintf(stderr, "bench_http: %zu of %zu answered, %zu wrong; the first:\n%s\n", result->answered, sent,
                  result->wrong, result->first_wrong);
    exit(1);
}

/* A library that does not load is only warned of. */
static void check_preload(const struct served *served, const char *preload)
{
    char  line[512], path[64];
    bool  there = preload == NULL;
    FILE *maps;

    (void)snprintf(path, sizeof(path), "/proc/%d/maps", served->pid);
    maps = fopen(path, "r");
    while (maps != NULL && !there && fgets(line, sizeof(line), maps) != NULL) there = strstr(line, "libnosync") != NULL;
    if (maps != NULL) (void)fclose(maps);
    if (!there) bench_fail("the library without fdatasync was not loaded");
}

static int connections_of(const struct options *options, const struct work *work)
{
    return options->connections != 0 ? options->connections : work->orders == 1 ? CONNECTIONS : BATCH_CONNECTIONS;
}

static void send_some(const struct served *served, const struct work *work, int connections, size_t first, size_t count,
                      struct load_result *result)
{
    if (!load_run(served->port, connections, work->requests, first, count, result)) bench_fail("cannot connect");
    check(result, count);
}

/* The first request of each account is answered before any second one is sent: its nonce has to be above no other. */
static void warm_up(const struct served *served, const struct work *work, int connections)
{
    struct load_result result;
    int                together = connections < BENCH_ACCOUNTS ? connections : BENCH_ACCOUNTS;

    send_some(served, work, together, 0, BENCH_ACCOUNTS, &result);
    send_some(served, work, together, BENCH_ACCOUNTS, work->warm_up - BENCH_ACCOUNTS, &result);
}

static struct outcome run_once(const struct options *options, const struct work *work, const struct run *run)
{
    struct served_plan plan = { options->dojima, options->folder, run->io_threads, run->preload, BENCH_ACCOUNTS };
    struct served      served = served_start(&plan, work->accounts);
    struct outcome     outcome = { .orders = (double)(work->count - work->warm_up) * work->orders };
    int                other = run->pinned && sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0;

    check_preload(&served, run->preload);
    if (run->pinned) {
        if (served_pin_all(&served, 0, other) == 0) bench_fail("the server has no thread called io…");
        served_pin(0, 0);
        outcome.before = bare_measure(&work->bare);
        served_pin(0, other);
    }
    warm_up(&served, work, connections_of(options, work));
    outcome.io_seconds = -served_seconds(&served, "io");
    outcome.all_seconds = -served_seconds(&served, "");
    send_some(&served, work, connections_of(options, work), work->warm_up, work->count - work->warm_up, &outcome.load);
    outcome.io_seconds += served_seconds(&served, "io");
    outcome.all_seconds += served_seconds(&served, "");
    if (run->pinned) {
        served_pin(0, 0);
        outcome.after = bare_measure(&work->bare);
        served_pin(0, -1);
    }
    served_stop(&served);
    return outcome;
}

/* ---- what is measured ---- */

static void measure_core(const struct options *options, uint32_t in_request)
{
    struct work    work;
    struct outcome o;
    bool           single = in_request == 1;
    double         bare_us, core, bare_core, clock;

    work_make(&work, options->orders, in_request);
    o = run_once(options, &work, &(struct run){ 1, NULL, true });
    bare_us = (o.before.cpu_us + o.after.cpu_us) / 2;
    core = o.orders / o.io_seconds;
    bare_core = 1e6 / bare_us;
    clock = o.orders / o.load.seconds;
    (void)printf("signed-write %s: %.0f orders by second of the I/O thread, %.3f of its bare recoveries (%.2f us an "
                 "order, recovery %.2f us); by the clock %.0f/s, %.3f of %.0f/s; I/O thread busy %.0f %%, %d "
                 "connections, p50 %.2f ms, p99 %.2f ms; %.0f orders, all accepted, %zu answers \"busy\" before%s\n",
                 single ? "order" : "batch", core, core / bare_core, 1e6 / core, bare_us, clock,
                 clock * 2 / (o.before.rate + o.after.rate), (o.before.rate + o.after.rate) / 2,
                 100 * o.io_seconds / o.load.seconds, connections_of(options, &work), o.load.p50_us / 1000,
                 o.load.p99_us / 1000, o.orders, o.load.again,
                 fabs(o.before.rate - o.after.rate) > (o.before.rate + o.after.rate) / 40
                     ? "; NOISY: something else ran beside it"
                     : "");
    figure(single ? "signed-order" : "signed-batch", core, bare_core);
    figure(single ? "signed-order-clock" : "signed-batch-clock", clock, (o.before.rate + o.after.rate) / 2);
    bench_forget(work.requests, work.count);
}

static void measure_order(const struct options *options) { measure_core(options, 1); }
static void measure_batch(const struct options *options) { measure_core(options, BATCH); }

/* Two ways in turns, TURNS times each, the first one alternating; the sums of both. */
static void take_turns(const struct options *options, const struct run runs[2], struct outcome sums[2])
{
    struct work work;

    work_make(&work, options->orders, 1);
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        int            which = (turn + turn / 2) % 2;
        struct outcome outcome = run_once(options, &work, &runs[which]);

        sums[which].orders += outcome.orders;
        sums[which].load.seconds += outcome.load.seconds;
        sums[which].all_seconds += outcome.all_seconds;
    }
    bench_forget(work.requests, work.count);
}

static void measure_sync(const struct options *options)
{
    struct outcome sums[2] = { 0 };
    double         with, without;

    take_turns(options, (struct run[]){ { 1, NULL, true }, { 1, NOSYNC, true } }, sums);
    with = sums[0].orders / sums[0].load.seconds;
    without = sums[1].orders / sums[1].load.seconds;
    (void)printf("signed-write sync: %.3f of the throughput without fdatasync: %.0f against %.0f orders/s, %d turns\n",
                 with / without, with, without, TURNS);
    figure("signed-sync", with, without);
}

static void measure_threads(const struct options *options)
{
    struct outcome sums[2] = { 0 };
    double         rate[2], cpu_us[2];

    take_turns(options, (struct run[]){ { 1, NULL, false }, { 2, NULL, false } }, sums);
    for (int i = 0; i < 2; i++) {
        rate[i] = sums[i].orders / sums[i].load.seconds;
        cpu_us[i] = sums[i].all_seconds * 1e6 / sums[i].orders;
    }
    (void)printf("signed-write threads: two I/O threads %.3f times one: %.0f against %.0f orders/s; processor time of "
                 "the exchange for each %.1f against %.1f us, %.3f times; %d turns\n",
                 rate[1] / rate[0], rate[1], rate[0], cpu_us[1], cpu_us[0], cpu_us[1] / cpu_us[0], TURNS);
    figure("signed-threads", rate[1], rate[0]);
    figure("signed-threads-cpu", cpu_us[1], cpu_us[0]);
}

static struct options read_options(int argc, char **argv)
{
    static const struct option rows[] = { { "dojima", required_argument, NULL, 'd' },
                                          { "folder", required_argument, NULL, 'f' },
                                          { "orders", required_argument, NULL, 'n' },
                                          { "connections", required_argument, NULL, 'c' },
                                          { NULL, 0, NULL, 0 } };
    struct options             options = { "build/release/dojima", "build/bench-http", 100000, 0 };
    int                        c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'd') options.dojima = optarg;
        else if (c == 'f') options.folder = optarg;
        else if (c == 'n') options.orders = strtoul(optarg, NULL, 10);
        else if (c == 'c') options.connections = atoi(optarg);
        else exit(2);
    }
    if (options.orders < 10 * BATCH || options.connections < 0) bench_fail("too few orders or connections");
    return options;
}

int main(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; void (*measure)(const struct options *); } parts[] = {
        { "order", measure_order }, { "batch", measure_batch }, { "sync", measure_sync },
          { "threads", measure_threads },
    };
    /* clang-format on */
    struct options options = read_options(argc, argv);

    (void)signal(SIGPIPE, SIG_IGN);
    if (!crypto_init()) bench_fail("crypto");
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        bool asked = optind == argc;

        for (int word = optind; word < argc; word++) asked |= strcmp(argv[word], parts[i].name) == 0;
        if (asked) parts[i].measure(&options);
        (void)fflush(stdout);
    }
    return 0;
}
