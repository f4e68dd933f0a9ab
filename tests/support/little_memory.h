/* SPDX-License-Identifier: MIT */
/*
 * little_memory.h — bounds the memory of the process, for tests of large allocations. Header only. Only allocations of
 * LITTLE_FROM and more are sure to fail: smaller ones may find memory that the process has already.
 */
#ifndef SUPPORT_LITTLE_MEMORY_H
#define SUPPORT_LITTLE_MEMORY_H

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LITTLE_FROM (64 * 1024)

/*
 * To be called first of all in main, so that freed memory returns to the system from the start. False under sanitizers
 * and valgrind: they keep tables in the same address space, which must not be bounded.
 */
static inline bool memory_can_be_little(void)
{
    const char *loaded = getenv("LD_PRELOAD");

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    return false;
#endif
#endif
    if (loaded != NULL && strstr(loaded, "vgpreload") != NULL) return false;
    return mallopt(M_MMAP_THRESHOLD, LITTLE_FROM) == 1;
}

/* Allows no more than `bytes` above the present use of the process; memory_enough ends it. */
static inline bool memory_little(size_t bytes)
{
    struct rlimit limit;
    size_t        pages = 0;
    FILE         *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%zu", &pages) != 1 || fclose(file) != 0 || getrlimit(RLIMIT_AS, &limit) != 0)
        return false;
    limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + bytes;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static inline void memory_enough(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0) abort();
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_AS, &limit) != 0) abort();
}

#endif
