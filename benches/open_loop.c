/* SPDX-License-Identifier: MIT */
/*
 * open_loop.c — latency at a load that does not wait for responses.
 *
 *     bench_open_loop [orders reads] [--dojima PATH] [--folder DIR] [--seconds S] [--connections N]
 *
 * Starts `dojima serve` as bench_http does and measures first its throughput when every connection sends as soon as it
 * has its response; then sends at 25, 50 and 75 % of that, request number n at n / rate. The latency of each counts
 * from then: a late response delays the requests that wait for its connection, and their delay counts (no coordinated
 * omission). Signed single orders, and the order book. This program polls for responses every 10 us or so.
 */
#include "figure.h"
#include "machine.h"
#include "served.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BOOK "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=10"

struct options {
    const char *dojima, *folder;
    double      seconds;
    int         connections;
};

struct kind {
    const char *name;
    bool        signs;
    size_t      guess;
}; /* guess: requests a second, at most */

static const struct kind kinds[] = { { "orders", true, 30000 }, { "reads", false, 300000 } };
static const int         shares[] = { 25, 50, 75 };

static void run(const struct served *served, const struct options *options, double rate,
                const struct bench_request *requests, size_t first, size_t count, struct load_result *result)
{
    if (!load_run(served->port, options->connections, rate, requests, first, count, result))
        bench_fail("cannot connect");
    if (result->answered == count && result->wrong == 0) return;
    (void)fprintf(stderr, "bench_open_loop: %zu of %zu answered, %zu wrong; the first:\n%s\n", result->answered, count,
                  result->wrong, result->first_wrong);
    exit(1);
}

static void tell(const struct kind *kind, int share, double capacity, const struct load_result *result)
{
    char name[64];

    (void)printf("open-loop %s: at %d %% of %.0f/s: p50 %.0f us, p90 %.0f, p99 %.0f, p99.9 %.0f, most %.0f us; %zu "
                 "requests in %.1f s\n",
                 kind->name, share, capacity, result->p50_us, result->p90_us, result->p99_us, result->p999_us,
                 result->max_us, result->answered, result->seconds);
    (void)snprintf(name, sizeof(name), "open-loop-%s-%d-p50", kind->name, share);
    figure(name, result->p50_us, 0);
    (void)snprintf(name, sizeof(name), "open-loop-%s-%d-p99", kind->name, share);
    figure(name, result->p99_us, 0);
    (void)snprintf(name, sizeof(name), "open-loop-%s-%d-p99.9", kind->name, share);
    figure(name, result->p999_us, 0);
}

static void measure(const struct options *options, const struct kind *kind)
{
    struct served_plan    plan = { options->dojima, options->folder, 1, NULL };
    struct bench_account  accounts[BENCH_ACCOUNTS];
    size_t                most = (size_t)((double)kind->guess * options->seconds), first = 0, count;
    struct bench_request *requests;
    struct load_result    result;
    struct served         served;
    double                capacity;

    bench_accounts(accounts);
    requests = kind->signs ? bench_requests(accounts, bench_unix_ms(), most * 5 / 2, 1, NULL, NULL)
                           : bench_reads(BOOK, most * 5 / 2);
    served = served_start(&plan, accounts);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
        (void)served_pin_all(&served, 0, 1);
        served_pin(0, 1);
    }
    run(&served, options, 0, requests, first, most / 20, &result); /* warm */
    first += most / 20;
    run(&served, options, 0, requests, first, most / 4, &result);
    first += most / 4;
    capacity = (double)result.answered / result.seconds;
    for (size_t i = 0; i < ARRAY_COUNT(shares); i++, first += count) {
        double rate = capacity * shares[i] / 100;

        count = (size_t)(rate * options->seconds);
        if (first + count > most * 5 / 2)
            bench_fail("this machine is faster than was thought possible: more requests are needed");
        run(&served, options, rate, requests, first, count, &result);
        tell(kind, shares[i], capacity, &result);
    }
    served_stop(&served);
    served_pin(0, -1);
    bench_forget(requests, most * 5 / 2);
}

int main(int argc, char **argv)
{
    static const struct option rows[] = { { "dojima", required_argument, NULL, 'd' },
                                          { "folder", required_argument, NULL, 'f' },
                                          { "seconds", required_argument, NULL, 't' },
                                          { "connections", required_argument, NULL, 'c' },
                                          { NULL, 0, NULL, 0 } };
    struct options             options = { "build/release/dojima", "build/bench-open-loop", 3, 64 };
    int                        c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'd') options.dojima = optarg;
        else if (c == 'f') options.folder = optarg;
        else if (c == 't') options.seconds = atof(optarg);
        else if (c == 'c') options.connections = atoi(optarg);
        else return 2;
    }
    if (options.seconds < 0.1 || options.connections < 1) bench_fail("too few seconds or connections");
    (void)signal(SIGPIPE, SIG_IGN);
    if (!crypto_init()) bench_fail("crypto");
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        bool asked = optind == argc;

        for (int word = optind; word < argc; word++) asked |= strcmp(argv[word], kinds[i].name) == 0;
        if (asked) measure(&options, &kinds[i]);
        (void)fflush(stdout);
    }
    return 0;
}
