/* SPDX-License-Identifier: MIT */
/* machine.h — what the benchmarks ask the machine for: its clock, memory, and how much of that it really gave. Header only. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds of a clock that only goes on. */
static inline int64_t bench_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Memory without a byte in it until it is touched. Ends the program when there is no address space. */
static inline void *bench_map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) { printf("WRONG: no address space\n"); exit(1); }
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
