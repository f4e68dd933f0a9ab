/* SPDX-License-Identifier: MIT */
/*
 * run.c — twin_run: the engine and its twin side by side.
 *
 *     build/release/twin_run [--commands N] [--seed S] [--each K] [--world N] [--perps 0..3] [--reads R] [--plant BUG]
 *
 * Worlds of --world commands, seed after seed, until N commands are done; after each command all results and events are
 * compared, and the api's reply; every K commands the whole state, at every R-th of these also what every GET answers.
 * The first difference is shrunk to as few commands as show it, and printed as a scenario.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "answers.h"
#include "bench.h"

static uint64_t commands = 200000, seed = 1, each = 50, world = 20000, perps = 3, reads = 20;
static int      bug;
static bool     shrink = true;

static uint64_t number(const char *text)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*end == 'e') {
        int n = atoi(end + 1);
        while (n-- > 0) value *= 10;
    }
    return value;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    double             start = seconds(), told = start;
    uint64_t           done = 0, first = 0;
    struct twin_counts counts = { 0 };

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--commands") == 0) commands = number(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0) seed = number(argv[i + 1]);
        else if (strcmp(argv[i], "--each") == 0) each = number(argv[i + 1]);
        else if (strcmp(argv[i], "--perps") == 0) perps = number(argv[i + 1]);
        else if (strcmp(argv[i], "--world") == 0) world = number(argv[i + 1]);
        else if (strcmp(argv[i], "--reads") == 0) reads = number(argv[i + 1]);
        else if (strcmp(argv[i], "--plant") == 0) bug = (int)number(argv[i + 1]);
        else if (strcmp(argv[i], "--shrink") == 0) shrink = number(argv[i + 1]) != 0;
        else {
            (void)fprintf(stderr, "usage: twin_run [--commands N] [--seed S] [--each K] [--world N] [--perps 0..3] "
                                  "[--reads R] [--plant BUG]\n");
            return 2;
        }
    }
    first = seed;
    answers_rate((uint32_t)reads);
    for (; done < commands; seed++) {
        uint64_t        n = commands - done < world ? commands - done : world;
        struct history *history = history_play(seed, (uint32_t)perps, n, each, (enum twin_bug)bug, &counts);
        const char     *wrong = history_wrong(history);

        done += history_count(history);
        if (wrong != NULL) {
            (void)printf("seed %" PRIu64 " command %" PRIu64 ": %s\n", seed, history_count(history), wrong);
            if (shrink) history_shrink(history);
            else history_last(history);
            history_print(history, stdout);
            (void)printf("{\"goal\":\"twin\",\"commit\":\"%s\",\"seeds\":[%" PRIu64 ",%" PRIu64
                         "],\"commands\":%" PRIu64 ",\"seconds\":%.1f,\"verdict\":\"DIFFERENT\"}\n",
                         getenv("COMMIT") ? getenv("COMMIT") : "", first, seed, done, seconds() - start);
            history_free(history);
            return 1;
        }
        history_free(history);
        if (seconds() - told > 5) {
            told = seconds();
            (void)fprintf(stderr, "seed %" PRIu64 "  %" PRIu64 " commands  %.0f a second\n", seed, done,
                          (double)done / (told - start));
        }
    }
    counts_print(&counts, stderr);
    (void)printf("{\"goal\":\"twin\",\"commit\":\"%s\",\"seeds\":[%" PRIu64 ",%" PRIu64 "],\"commands\":%" PRIu64
                 ",\"events\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"encoded\":%" PRIu64 ",\"trades\":%" PRIu64
                 ",\"said\":\"%016" PRIx64 "\",\"asked\":\"%016" PRIx64 "\",\"seconds\":%.1f,\"verdict\":\"same\"}\n",
                 getenv("COMMIT") ? getenv("COMMIT") : "", first, seed - 1, done, counts.events, counts.bytes,
                 counts.encoded, counts.trades, counts.said, answers_asked, seconds() - start);
    return 0;
}
