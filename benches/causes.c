/* SPDX-License-Identifier: MIT */
#include "causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define METRICS_BYTES (1 << 20)

/* Names of a row, and what its lines of /metrics begin with, up to the bound. */
/* clang-format off */
static const struct { const char *name, *series, *label; } rows[] = {
    { "stage parse",   "dojima_stage_seconds",      "stage=\"parse\","   },
    { "stage verify",  "dojima_stage_seconds",      "stage=\"verify\","  },
    { "stage queue",   "dojima_stage_seconds",      "stage=\"queue\","   },
    { "stage durable", "dojima_stage_seconds",      "stage=\"durable\"," },
    { "stage apply",   "dojima_stage_seconds",      "stage=\"apply\","   },
    { "stage answer",  "dojima_stage_seconds",      "stage=\"answer\","  },
    { "sync",          "dojima_log_sync_seconds",   ""                     },
};
static const char *const threads[] = { "io", "engine", "journal", "keeper" };
/* clang-format on */

/* The answer to GET /metrics, ended with a null; the memory is the caller's. */
static char *fetch(uint16_t port)
{
    static const char question[] = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    char             *text = calloc(1, METRICS_BYTES);
    int               fd = load_connect(port, 0);
    size_t            len = 0;
    ssize_t           got = 1;

    if (text == NULL || fd < 0 || send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) < 0)
        bench_fail("cannot read /metrics");
    while (got > 0 && len < METRICS_BYTES - 1) {
        got = recv(fd, text + len, METRICS_BYTES - 1 - len, 0);
        if (got > 0) len += (size_t)got;
    }
    (void)close(fd);
    return text;
}

/* The value of a line `series_bucket{label le="bound"} value` with the first bound from `bound` on; of +Inf for 0. */
static double bucket(const char *text, size_t row, double bound)
{
    char start[96];

    (void)snprintf(start, sizeof(start), "%s_bucket{%sle=\"", rows[row].series, rows[row].label);
    for (const char *at = text; (at = strstr(at, start)) != NULL; at += 1) {
        const char *le = at + strlen(start), *value = strchr(at, '}');
        bool        last = strncmp(le, "+Inf", 4) == 0;

        if (value == NULL) break;
        if (last || (bound != 0 && strtod(le, NULL) >= bound)) return strtod(value + 1, NULL);
    }
    bench_fail("/metrics has no such histogram");
}

static double sum_of(const char *text, size_t row)
{
    char        start[96], label[48];
    const char *at;

    (void)snprintf(label, sizeof(label), "%s", rows[row].label);
    if (label[0] != 0) label[strlen(label) - 1] = 0; /* its comma */
    (void)snprintf(start, sizeof(start), label[0] != 0 ? "%s_sum{%s}" : "%s_sum%s", rows[row].series, label);
    at = strstr(text, start);
    if (at == NULL) bench_fail("/metrics has no such sum");
    return strtod(at + strlen(start), NULL);
}

static size_t take(struct cause *causes, const struct served *served)
{
    char  *text = fetch(served->port);
    size_t count = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cause *cause = &causes[count++];

        (void)snprintf(cause->name, sizeof(cause->name), "%s", rows[i].name);
        cause->all = bucket(text, i, 0);
        cause->over_1ms = cause->all - bucket(text, i, 0.001);
        cause->over_2ms = cause->all - bucket(text, i, 0.002);
        cause->seconds = sum_of(text, i);
    }
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        struct cause *cause = &causes[count++];

        (void)snprintf(cause->name, sizeof(cause->name), "core, %s", threads[i]);
        served_waits(served, threads[i], &cause->seconds, &cause->all);
    }
    free(text);
    return count;
}

void causes_begin(struct causes *causes, const struct served *served)
{
    memset(causes, 0, sizeof(*causes));
    causes->count = take(causes->before, served);
}

void causes_end(struct causes *causes, const struct served *served) { (void)take(causes->after, served); }

void causes_tell(const struct causes *causes, size_t requests)
{
    (void)printf("%-14s %10s %10s %10s %10s %10s\n", "", "count", "mean us", "over 1 ms", "over 2 ms", "share 2 ms");
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause *was = &causes->before[i], *is = &causes->after[i];
        double              all = is->all - was->all, over = is->over_2ms - was->over_2ms;
        bool                thread = strncmp(is->name, "core", 4) == 0;

        (void)printf("%-14s %10.0f %10.1f", is->name, all, all > 0 ? (is->seconds - was->seconds) / all * 1e6 : 0);
        if (thread) (void)printf("  us waited for a core for each sleep\n");
        else
            (void)printf(" %10.0f %10.0f %9.2f%%\n", is->over_1ms - was->over_1ms, over, over / (double)requests * 100);
    }
}
