/* SPDX-License-Identifier: MIT */
#include "io/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t read_ns(clockid_t clock)
{
    struct timespec at;
    int             failed = clock_gettime(clock, &at);

    assert(failed == 0);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

int64_t clock_wall_ms(void) { return read_ns(CLOCK_REALTIME) / 1000000; }
int64_t clock_mono_ns(void) { return read_ns(CLOCK_MONOTONIC); }
int64_t clock_boot_ns(void) { return read_ns(CLOCK_BOOTTIME); }
int64_t clock_thread_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Field 22 of /proc/self/stat, counted behind the ')' that ends the command's name. */
int64_t clock_since_start_ns(void)
{
    char   text[1024];
    FILE  *file = fopen("/proc/self/stat", "r");
    size_t len = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    char  *at;

    if (file != NULL) fclose(file);
    text[len] = '\0';
    at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
    if (at == NULL) return 0;
    return read_ns(CLOCK_BOOTTIME) - (int64_t)strtoull(at, NULL, 10) * (1000000000 / (int64_t)sysconf(_SC_CLK_TCK));
}
