/* SPDX-License-Identifier: MIT */
/*
 * limits.c — the cost of a rate limit decision, and whether memory stays constant.
 *
 *   bench_limits
 *
 * The table is the default one of 65,536 addresses, full, with every window at its limit. Decisions are measured for
 * one address (its lines are in the cache) and for all of them in random order (they are not), allowed and refused,
 * for unknown addresses that find no row, and with two threads at once; for comparison, one reading of the clock,
 * which every request needs too. Then come a million addresses.
 */
#include "limits/minute.h"
#include "machine.h"

#include <pthread.h>

#define ROWS   65536u
#define LIMIT  1200
#define RUNS   2000000u
#define ROUNDS 7

static struct minutes *minutes;
static size_t          table_bytes;

static void make(void)
{
    const struct minute_settings settings = { ROWS, LIMIT, { 0x243f6a8885a308d3, 0x13198a2e03707344 } };
    void                        *memory;

    table_bytes = minutes_size(ROWS);
    memory = aligned_alloc(64, align_up(table_bytes, 64));
    if (memory == NULL) exit(1);
    memset(memory, 0, table_bytes);
    minutes = minutes_init(memory, &settings);
}

/* Numbers 0 … ROWS - 1 in no order that a cache could guess. */
static uint32_t scatter(uint32_t i) { return i * 40503u % ROWS; }

static uint32_t ask(uint32_t address, uint32_t weight, uint32_t second)
{
    const struct minute_key key = { UINT64_C(0xc0000000) + address, 4 };

    return minutes_spend(minutes, &key, weight, &second);
}

static double clock_cost(void)
{
    int64_t start = bench_ns(), sum = 0;

    for (uint32_t i = 0; i < RUNS; i++) sum += bench_ns();
    __asm__ volatile("" : : "r"(sum));
    return (double)(bench_ns() - start) / RUNS;
}

/* Nanoseconds of a decision: the median of rounds, each with the clock's cost beside it. */
static void measure(const char *what, uint32_t addresses, uint32_t first, uint32_t weight, uint32_t wanted)
{
    double   ns[ROUNDS], clock[ROUNDS], decision, reading;
    uint32_t wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = bench_ns();
        for (uint32_t i = 0; i < RUNS; i++)
            wrong += (ask(first + (addresses == 1 ? 0 : scatter(i)), weight, 1000) != 0) != wanted;
        ns[round] = (double)(bench_ns() - start) / RUNS;
        clock[round] = clock_cost();
    }
    decision = bench_median(ns, ROUNDS);
    reading = bench_median(clock, ROUNDS);
    printf("limits: %-34s %5.0f ns, %.1f x a reading of the clock (%.0f ns)%s\n", what, decision, decision / reading,
           reading, wrong != 0 ? " WRONG DECISIONS" : "");
    if (wrong != 0) exit(1);
}

static void *ask_many(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < RUNS; i++)
        if (ask(scatter(i), 1, 1000) == 0) exit(1);
    return NULL;
}

static void measure_threads(void)
{
    pthread_t other;
    int64_t   start = bench_ns();

    if (pthread_create(&other, NULL, ask_many, NULL) != 0) exit(1);
    (void)ask_many(NULL);
    (void)pthread_join(other, NULL);
    printf("limits: %-34s %5.0f ns per decision and thread\n", "refused, all, two threads at once",
           (double)(bench_ns() - start) / RUNS);
}

static void measure_memory(void)
{
    size_t  before = bench_resident(), after;
    int64_t start = bench_ns();

    for (uint32_t i = 0; i < 1000000; i++) (void)ask(100000 + i, 20, 5000 + i / 10000);
    for (uint32_t i = 0; i < 1000000; i++) (void)ask(2000000 + i, 20, 6000 + i / 1000);
    after = bench_resident();
    printf(
        "limits: 2,000,000 new addresses            %5.0f ns each; table %zu KiB, resident memory grown by %ld KiB\n",
        (double)(bench_ns() - start) / 2000000, table_bytes / 1024, ((long)after - (long)before) / 1024);
    if (after > before + 1024 * 1024) exit(1);
}

int main(void)
{
    make();
    for (uint32_t i = 0; i < ROWS; i++)
        if (ask(i, LIMIT - RUNS / ROWS * ROUNDS - 40, 1000) != 0)
            return 1; /* leaves room for the requests of the first measurement */
    measure("allowed, all addresses", ROWS, 0, 1, 0);
    for (uint32_t i = 0; i < ROWS; i++)
        while (ask(i, 1, 1000) == 0) {}
    measure("refused, one address", 1, 0, 20, 1);
    measure("refused, all addresses", ROWS, 0, 20, 1);
    measure("refused, strangers to a full table", ROWS, ROWS, 20, 1);
    measure_threads();
    measure_memory();
    return 0;
}
