/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.c — loaded before libc (LD_PRELOAD): a test sets the program's clocks. The file that WALL_CLOCK names
 * holds three int64: milliseconds to add to the wall clock; when it is not 0, the fixed time that replaces the wall
 * clock; and milliseconds to add to the monotonic clock. Other clocks are not changed, nor is what the kernel waits by.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *at);

struct wall {
    _Atomic int64_t ahead_ms, frozen_ms, monotonic_ms;
};
static struct wall *wall;
static int (*truth)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("WALL_CLOCK");
    int         fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void       *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*wall), PROT_READ, MAP_SHARED, fd, 0);

    *(void **)&truth = dlsym(RTLD_NEXT, "clock_gettime");
    if (at != MAP_FAILED) wall = at;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    int     result = truth != NULL ? truth(clock, at) : -1;
    int64_t ms;

    if (result != 0 || wall == NULL) return result;
    if (clock == CLOCK_MONOTONIC) {
        at->tv_nsec += wall->monotonic_ms % 1000 * 1000000;
        at->tv_sec += wall->monotonic_ms / 1000 + at->tv_nsec / 1000000000;
        at->tv_nsec %= 1000000000;
    }
    if (clock != CLOCK_REALTIME) return result;
    ms = wall->frozen_ms != 0 ? wall->frozen_ms : (int64_t)at->tv_sec * 1000 + at->tv_nsec / 1000000 + wall->ahead_ms;
    at->tv_sec = ms / 1000;
    at->tv_nsec = ms % 1000 * 1000000 + (wall->frozen_ms != 0 ? 0 : at->tv_nsec % 1000000);
    return 0;
}
