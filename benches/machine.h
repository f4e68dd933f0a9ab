/* SPDX-License-Identifier: MIT */
/* machine.h — clock, processor time and memory of the machine, for the benchmarks. Header only. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static inline int64_t bench_clock_ns(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Nanoseconds of a monotonic clock; of the processor time of the calling thread, which other work on the machine does
 * not lengthen; of the processor time of all threads.
 */
static inline int64_t bench_ns(void) { return bench_clock_ns(CLOCK_MONOTONIC); }
static inline int64_t bench_thread_ns(void) { return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID); }
static inline int64_t bench_process_ns(void) { return bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* Unix milliseconds: the first nonce of a run. */
static inline uint64_t bench_unix_ms(void) { return (uint64_t)bench_clock_ns(CLOCK_REALTIME) / 1000000; }

/* For qsort: int64_t, double. */
static inline int bench_by_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static inline int bench_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Puts the values in order and returns the middle one, of an even count the upper one. */
static inline double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), bench_by_value);
    return values[count / 2];
}

/* Memory without a byte in it until it is touched. Ends the program when there is no address space. */
static inline void *bench_map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) {
        printf("WRONG: no address space\n");
        exit(1);
    }
    return at;
}

/* Bytes of this process that are in memory. */
static inline size_t bench_resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE         *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu %lu", &size, &pages) != 2) exit(1);
    (void)fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#endif
