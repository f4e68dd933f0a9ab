/* SPDX-License-Identifier: MIT */
/*
 * open_loop.c — latency at a load that does not wait for responses.
 *
 *     bench_open_loop [orders reads lone history causes] [--dojima PATH] [--folder DIR] [--seconds S] [--connections N]
 *                     [--rate R] [--nosync] [--late FILE]
 *
 * Starts `dojima serve` as bench_http does and measures first its throughput with DEPTH requests outstanding; then
 * sends at 25, 50 and 75 % of that (or at R a second alone), request number n at n / rate, and the latency of each
 * counts from then (open_load.h). Signed single orders, and the order book. With three cores or more this program has
 * the last one to itself and looks for responses all the time; else it looks every 50 us, before all other threads,
 * and says how late it was. Requests are signed before that, behind the other threads.
 *
 * lone: a client that sends one order each LONE_MS and waits for its answer, over the bare parts of such an order in
 * the same run (lone.h).
 *
 * history: orders at 50 %, in turns with the same exchange whose history's transactions end before they reach the disk
 * (nohistory.c); medians of ROUNDS runs of each. causes: orders at 50 %, and from the exchange's own figures (/metrics)
 * in which stage requests stood for over 1 and 2 ms, how often a sync did, and how long each thread waited for a core.
 * --late: seconds of the monotonic clock at which each request over 2 ms was due, and answered (late.py).
 */
#include "causes.h"
#include "figure.h"
#include "lone.h"
#include "machine.h"
#include "open_load.h"
#include "served.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BOOK   "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=10"
#define DEPTH  256 /* requests outstanding while the capacity is measured */
#define ROUNDS 5
#define FUNDED 256  /* accounts that a configuration may have */
#define NEWER  64   /* nonces of an account that may be ahead of one that is sent again; of 100 that it keeps */
#define READS  8192 /* have none */

struct options {
    const char *dojima, *folder, *late;
    double      seconds, rate; /* rate: 0 = shares of the capacity */
    int         connections;
    bool        nosync;
};

/* One exchange and what has been sent to it. */
struct bench {
    const struct options *options;
    struct served         served;
    struct bench_account *accounts;
    bool                  signs;
    uint64_t              nonce;
    size_t                account_count, sent;
    struct open_result    result; /* of the last run */
    FILE                 *late;
};

static const int shares[] = { 25, 50, 75 };

static long cores(void) { return sysconf(_SC_NPROCESSORS_ONLN); }

/* Each connection has accounts of its own, as far as they go; as many buy as sell. */
static size_t accounts_of(int connections)
{
    size_t count = (size_t)connections * (connections % 2 == 0 ? 1 : 2);

    return count < FUNDED ? count : FUNDED;
}

/* Connections that share an account share the nonces that it keeps. */
static uint32_t ahead_of(const struct bench *bench, int connections)
{
    size_t sharing = ((size_t)connections + bench->account_count - 1) / bench->account_count;

    return bench->signs ? (uint32_t)(NEWER / sharing) : READS;
}

/* `count` requests, made before the clock runs; rounded up, so that each account stays on its connection. */
static void run(struct bench *bench, int connections, double rate, size_t count)
{
    size_t                whole = (count + (size_t)connections - 1) / (size_t)connections * (size_t)connections;
    struct bench_flow     flow = { bench->accounts, bench->account_count, bench->sent, whole, 1, bench->nonce };
    struct bench_request *requests = bench->signs ? bench_requests(&flow, NULL, NULL) : bench_reads(BOOK, whole);
    struct open_plan      plan = { .port = bench->served.port,
                                   .connections = connections,
                                   .rate = rate,
                                   .depth = (uint32_t)(DEPTH / connections + 1),
                                   .ahead = ahead_of(bench, connections),
                                   .own_core = cores() > 2,
                                   .requests = requests,
                                   .count = whole,
                                   .late = bench->late };

    bench->sent += whole;
    if (!open_load_run(&plan, &bench->result)) bench_fail("cannot connect");
    bench_forget(requests, whole);
    if (bench->result.load.answered == whole && bench->result.load.wrong == 0) return;
    (void)fprintf(stderr, "bench_open_loop: %zu of %zu answered, %zu wrong; the first:\n%s\n",
                  bench->result.load.answered, whole, bench->result.load.wrong, bench->result.load.first_wrong);
    exit(1);
}

static void begin(struct bench *bench, const struct options *options, bool signs, const char *preload)
{
    size_t             count = accounts_of(options->connections);
    struct served_plan plan = { options->dojima, options->folder, 1, preload, count };

    *bench = (struct bench){ .options = options, .signs = signs, .nonce = bench_unix_ms(), .account_count = count };
    bench->accounts = calloc(count, sizeof(*bench->accounts));
    if (bench->accounts == NULL) bench_fail("memory");
    bench_accounts(bench->accounts, count);
    bench->served = served_start(&plan, bench->accounts);
    if (cores() > 1) (void)served_pin_all(&bench->served, 0, 1);
    served_pin(0, cores() > 1 ? (int)cores() - 1 : -1);
    /* Warm, and each account has a first nonce, which must not arrive behind its second. */
    run(bench, (int)count, 0, signs ? 2000 : 20000);
}

static void end(struct bench *bench)
{
    served_stop(&bench->served);
    free(bench->accounts);
}

static double capacity_of(struct bench *bench)
{
    run(bench, bench->options->connections, 0, (size_t)((bench->signs ? 8000 : 80000) * bench->options->seconds));
    return (double)bench->result.load.answered / bench->result.load.seconds;
}

static void tell(const char *name, const char *at, const struct open_result *result)
{
    const struct load_result *load = &result->load;

    (void)printf("open-loop %s: at %s: p50 %.0f us, p90 %.0f, p99 %.0f, p99.9 %.0f, most %.0f us; %zu requests in "
                 "%.1f s, at most %zu outstanding, %zu sent again; sent late: p99 %.0f us\n",
                 name, at, load->p50_us, load->p90_us, load->p99_us, load->p999_us, load->max_us, load->answered,
                 load->seconds, result->most, load->again, result->late_p99_us);
}

static void figures(const char *name, int share, const struct load_result *load)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "open-loop-%s-%d-p50", name, share);
    figure(text, load->p50_us, 0);
    (void)snprintf(text, sizeof(text), "open-loop-%s-%d-p99", name, share);
    figure(text, load->p99_us, 0);
    (void)snprintf(text, sizeof(text), "open-loop-%s-%d-p99.9", name, share);
    figure(text, load->p999_us, 0);
}

static void measure(const struct options *options, const char *name, bool signs)
{
    struct bench bench;
    double       capacity = options->rate;
    char         text[64];

    begin(&bench, options, signs, options->nosync ? NOSYNC : NULL);
    if (options->rate == 0) capacity = capacity_of(&bench);
    for (size_t i = 0; i < ARRAY_COUNT(shares); i++) {
        double rate = options->rate != 0 ? options->rate : capacity * shares[i] / 100;

        run(&bench, options->connections, rate, (size_t)(rate * options->seconds));
        (void)snprintf(text, sizeof(text), "%d %% of %.0f/s", options->rate != 0 ? 100 : shares[i], capacity);
        tell(name, text, &bench.result);
        if (options->rate != 0) break;
        figures(options->nosync ? "nosync" : name, shares[i], &bench.result.load);
    }
    end(&bench);
}

/* How often the threads of this name went to sleep until now. */
static double sleeps_of(const struct bench *bench, const char *name)
{
    double seconds, sleeps;

    served_waits(&bench->served, name, &seconds, &sleeps);
    return sleeps;
}

static void run_lone(struct bench *bench, size_t count, struct lone_result *result)
{
    struct bench_flow flow = { bench->accounts, bench->account_count, bench->sent, count, 1, bench->nonce };
    struct hash256   *digests = calloc(count, sizeof(*digests));
    struct signature *signatures = calloc(count, sizeof(*signatures));
    struct lone_plan  plan = { .port = bench->served.port,
                               .folder = bench->served.folder,
                               .io_core = 0,
                               .client_core = cores() > 1 ? (int)cores() - 1 : 0,
                               .digests = digests,
                               .signatures = signatures,
                               .count = count };

    if (digests == NULL || signatures == NULL) bench_fail("memory");
    plan.requests = bench_requests(&flow, digests, signatures);
    bench->sent += count;
    lone_run(&plan, result);
    bench_forget((void *)(uintptr_t)plan.requests, count);
    free(digests);
    free(signatures);
}

static void measure_lone(const struct options *options)
{
    static const char *const names[] = { "io", "engine", "journal" };
    size_t                   count = (size_t)(options->seconds * 1000 / LONE_MS) + 2;
    double                   sleeps[ARRAY_COUNT(names)];
    struct bench             bench;
    struct lone_result       result;

    begin(&bench, options, true, options->nosync ? NOSYNC : NULL);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) sleeps[i] = -sleeps_of(&bench, names[i]);
    run_lone(&bench, count, &result);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) sleeps[i] += sleeps_of(&bench, names[i]);
    (void)printf(
        "open-loop lone: p50 %.0f us, p99 %.0f us; recovery %.0f us, write and fdatasync %.0f, echo %.0f, the "
        "three together p50 %.0f us: %.2f times; %zu orders; sleeps an order: I/O %.2f, engine %.2f, log %.2f\n",
        result.p50_us, result.p99_us, result.recover_us, result.sync_us, result.echo_us, result.bare_p50_us,
        result.p50_us / result.bare_p50_us, count, sleeps[0] / (double)count, sleeps[1] / (double)count,
        sleeps[2] / (double)count);
    if (!options->nosync) figure("signed-alone", result.p50_us, result.bare_p50_us);
    end(&bench);
}

/* The p99 of one run at `rate`; with 0 at half of the capacity, which is returned there. */
static double half_load(const struct options *options, const char *preload, double *rate)
{
    struct bench bench;
    char         text[64];

    begin(&bench, options, true, preload);
    if (*rate == 0) *rate = capacity_of(&bench) / 2;
    run(&bench, options->connections, *rate, (size_t)(*rate * options->seconds));
    (void)snprintf(text, sizeof(text), "%.0f/s", *rate);
    tell(preload == NULL ? "with history" : "without history", text, &bench.result);
    end(&bench);
    return bench.result.load.p99_us;
}

static void measure_history(const struct options *options)
{
    double with[ROUNDS], without[ROUNDS], rate = options->rate;

    for (size_t i = 0; i < ROUNDS; i++) {
        with[i] = half_load(options, NULL, &rate);
        without[i] = half_load(options, NOHISTORY, &rate);
    }
    figure("open-loop-history-50-p99", bench_median(with, ROUNDS), bench_median(without, ROUNDS));
}

static void measure_causes(const struct options *options)
{
    struct bench  bench;
    struct causes causes;
    double        rate = options->rate;
    char          text[32];

    begin(&bench, options, true, options->nosync ? NOSYNC : NULL);
    if (rate == 0) rate = capacity_of(&bench) / 2;
    if (options->late != NULL && (bench.late = fopen(options->late, "w")) == NULL) bench_fail("cannot write --late");
    causes_begin(&causes, &bench.served);
    run(&bench, options->connections, rate, (size_t)(rate * options->seconds));
    causes_end(&causes, &bench.served);
    (void)snprintf(text, sizeof(text), "%.0f/s", rate);
    tell("causes", text, &bench.result);
    causes_tell(&causes, bench.result.load.answered);
    if (bench.late != NULL) (void)fclose(bench.late);
    end(&bench);
}

static bool asked(int argc, char **argv, const char *name, bool by_itself)
{
    bool found = by_itself && optind == argc;

    for (int word = optind; word < argc; word++) found |= strcmp(argv[word], name) == 0;
    return found;
}

int main(int argc, char **argv)
{
    static const struct option rows[] = {
        { "dojima", required_argument, NULL, 'd' },  { "folder", required_argument, NULL, 'f' },
        { "seconds", required_argument, NULL, 't' }, { "connections", required_argument, NULL, 'c' },
        { "rate", required_argument, NULL, 'r' },    { "nosync", no_argument, NULL, 'n' },
        { "late", required_argument, NULL, 'l' },    { NULL, 0, NULL, 0 }
    };
    struct options options = { "build/release/dojima", "build/bench-open-loop", NULL, 3, 0, 64, false };
    int            c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'd') options.dojima = optarg;
        else if (c == 'f') options.folder = optarg;
        else if (c == 't') options.seconds = atof(optarg);
        else if (c == 'c') options.connections = atoi(optarg);
        else if (c == 'r') options.rate = atof(optarg);
        else if (c == 'n') options.nosync = true;
        else if (c == 'l') options.late = optarg;
        else return 2;
    }
    if (options.seconds < 0.1 || options.connections < 1) bench_fail("too few seconds or connections");
    (void)signal(SIGPIPE, SIG_IGN);
    if (!crypto_init()) bench_fail("crypto");
    if (asked(argc, argv, "orders", true)) measure(&options, "orders", true);
    if (asked(argc, argv, "reads", true)) measure(&options, "reads", false);
    if (asked(argc, argv, "lone", true)) measure_lone(&options);
    if (asked(argc, argv, "history", true)) measure_history(&options);
    if (asked(argc, argv, "causes", false)) measure_causes(&options);
    return 0;
}
