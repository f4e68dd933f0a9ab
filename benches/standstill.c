/* SPDX-License-Identifier: MIT */
#include "standstill.h"

#include "machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define CORES_MAX  8
#define STILLS_MAX (1 << 16) /* of a core */
#define SLEEP_NS   500000

struct core {
    pthread_t           thread;
    const _Atomic bool *stop;
    int                 number;
    size_t              count;
    int64_t             stood_ns, looked_ns;
    struct standstill   stills[STILLS_MAX];
};

struct watcher {
    _Atomic bool stop;
    int          count;
    struct core  cores[CORES_MAX];
};

static void note(struct core *core, int64_t due_ns, int64_t now_ns)
{
    if (now_ns - due_ns < STANDSTILL_NS) return;
    core->stood_ns += now_ns - due_ns;
    if (core->count < STILLS_MAX) core->stills[core->count++] = (struct standstill){ due_ns, now_ns };
}

static void *look(void *argument)
{
    struct core *core = argument;
    int64_t      began_ns = bench_ns(), due_ns = began_ns;
    cpu_set_t    set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core->number, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    while (!atomic_load_explicit(core->stop, memory_order_relaxed)) {
        struct timespec until;
        due_ns += SLEEP_NS;
        until = (struct timespec){ due_ns / 1000000000, due_ns % 1000000000 };
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        note(core, due_ns, bench_ns());
        if (bench_ns() > due_ns + SLEEP_NS) due_ns = bench_ns();
    }
    core->looked_ns = bench_ns() - began_ns;
    return NULL;
}

static bool start(struct core *core)
{
    struct sched_param first = { .sched_priority = 2 };
    pthread_attr_t     attributes;
    bool               good;

    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    (void)pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    (void)pthread_attr_setschedparam(&attributes, &first);
    good = pthread_create(&core->thread, &attributes, look, core) == 0;
    (void)pthread_attr_destroy(&attributes);
    return good;
}

static void join_all(struct watcher *watcher)
{
    atomic_store(&watcher->stop, true);
    for (int i = 0; i < watcher->count; i++) (void)pthread_join(watcher->cores[i].thread, NULL);
}

struct watcher *watch_cores(int cores)
{
    struct watcher *watcher = bench_map(sizeof(*watcher));

    for (; watcher->count < cores && watcher->count < CORES_MAX; watcher->count++) {
        struct core *core = &watcher->cores[watcher->count];
        core->stop = &watcher->stop;
        core->number = watcher->count;
        if (start(core)) continue;
        join_all(watcher);
        watch_forget(watcher);
        return NULL;
    }
    return watcher;
}

double watch_end(struct watcher *watcher)
{
    double stood = 0, looked = 0;

    join_all(watcher);
    for (int i = 0; i < watcher->count; i++) {
        stood += (double)watcher->cores[i].stood_ns;
        looked += (double)watcher->cores[i].looked_ns;
    }
    return stood / looked;
}

static bool core_stood_still(const struct core *core, int64_t from_ns, int64_t to_ns)
{
    size_t low = 0, high = core->count;

    while (low < high) { /* the first that ends behind the beginning */
        size_t middle = (low + high) / 2;
        if (core->stills[middle].to_ns < from_ns) low = middle + 1;
        else high = middle;
    }
    return low < core->count && core->stills[low].from_ns <= to_ns;
}

bool watch_stood_still(const struct watcher *watcher, int64_t from_ns, int64_t to_ns)
{
    for (int i = 0; i < watcher->count; i++)
        if (core_stood_still(&watcher->cores[i], from_ns, to_ns)) return true;
    return false;
}

void watch_forget(struct watcher *watcher) { (void)munmap(watcher, sizeof(*watcher)); }
