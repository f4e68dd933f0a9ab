/* SPDX-License-Identifier: MIT */
#include "io/thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FORWARD_NICE  (-20)
#define BACK_NICE     10
#define FAR_BACK_NICE 19
#define CEILING_NICE  0
#define NICE_STEP     10
/* The shortest slice that the kernel accepts: with it a thread that wakes preempts those with longer slices. */
#define SLICE_NS 100000

void park_init(struct park *park) { atomic_init(&park->sleeping, PARK_AWAKE); }

/*
 * Both sides change the flag with an exchange. The two exchanges have an order: when the waker's comes
 * first, the owner's acquires what was published before it; when the owner's comes first, the waker
 * reads that it sleeps. So no fence is needed.
 */
void park_prepare(struct park *park)
{
    (void)atomic_exchange_explicit(&park->sleeping, PARK_ASLEEP, memory_order_acq_rel);
}
void park_doze(struct park *park)
{
    (void)atomic_exchange_explicit(&park->sleeping, PARK_DOZING, memory_order_acq_rel);
}
void park_cancel(struct park *park)
{
    (void)atomic_exchange_explicit(&park->sleeping, PARK_AWAKE, memory_order_acq_rel);
}

static long futex(struct park *park, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, (uint32_t *)(void *)&park->sleeping, operation, value, timeout, NULL, 0);
}

/* Only the owner sets a flag, so one that is still there is the one it has set. */
void park_wait(struct park *park, int64_t timeout_ns)
{
    uint32_t        asleep = atomic_load_explicit(&park->sleeping, memory_order_relaxed);
    struct timespec span;

    if (timeout_ns > 0 && asleep != PARK_AWAKE) {
        span.tv_sec = (time_t)(timeout_ns / 1000000000);
        span.tv_nsec = (long)(timeout_ns % 1000000000);
        (void)futex(park, FUTEX_WAIT_PRIVATE, asleep, timeout_ns == INT64_MAX ? NULL : &span);
    }
    park_cancel(park);
}

void park_wake(struct park *park)
{
    if (atomic_exchange_explicit(&park->sleeping, PARK_AWAKE, memory_order_acq_rel) != PARK_AWAKE)
        (void)futex(park, FUTEX_WAKE_PRIVATE, 1, NULL);
}

void park_nudge(struct park *park)
{
    if ((atomic_fetch_and_explicit(&park->sleeping, ~(uint32_t)PARK_ASLEEP, memory_order_acq_rel) & PARK_ASLEEP) != 0)
        (void)futex(park, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void set_stack_of_threads(void)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES) == 0) (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
}

uint64_t thread_set_stacks(void)
{
    struct rlimit limit;

    set_stack_of_threads();
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return THREAD_STACK_BYTES;
    if (limit.rlim_cur < THREAD_STACK_BYTES) {
        limit.rlim_cur = limit.rlim_max < THREAD_STACK_BYTES ? limit.rlim_max : THREAD_STACK_BYTES;
        (void)setrlimit(RLIMIT_STACK, &limit);
        if (getrlimit(RLIMIT_STACK, &limit) != 0) return THREAD_STACK_BYTES;
    }
    return limit.rlim_cur;
}

/* Arguments of a new thread. They are on the starter's stack; the starter waits until the thread has read them. */
struct start {
    void *(*run)(void *);
    void       *argument;
    const char *name;
    sem_t       begun;
};

static void *begin(void *self)
{
    struct start *start = self;
    void *(*run)(void *) = start->run;
    void *argument = start->argument;

    (void)pthread_setname_np(pthread_self(), start->name);
    (void)sem_post(&start->begun);
    return run(argument);
}

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    char         shown[16]; /* the kernel's limit of a name, its terminator included */
    struct start start = { .run = run, .argument = argument, .name = shown };
    sigset_t     all, before;
    int          error;

    (void)snprintf(shown, sizeof(shown), "%s", name);
    if (sem_init(&start.begun, 0, 0) != 0) return errno;
    sigfillset(&all);
    error = pthread_sigmask(SIG_BLOCK, &all, &before);
    if (error == 0) {
        error = pthread_create(thread, NULL, begin, &start);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    while (error == 0 && sem_wait(&start.begun) != 0) { /* a signal came between */
    }
    (void)sem_destroy(&start.begun);
    return error;
}

void thread_join(pthread_t thread)
{
    int error = pthread_join(thread, NULL);
    assert(error == 0);
}

/* As the kernel has it (sched_setattr(2)); the C library has no name for it. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t  nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* On Linux policy and nice value belong to a thread. False: this value is not permitted. */
static bool set_policy(uint32_t policy, int32_t nice)
{
    struct attributes attributes = { sizeof(attributes), policy, .nice = nice, .runtime_ns = SLICE_NS };

    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

static bool set_nice(int32_t nice) { return set_policy(SCHED_OTHER, nice); }

static int32_t own_nice(void) { return getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid)); }

/* Where the calling thread stands back to, and whether it may leave there for a while. */
static _Thread_local struct {
    bool     stands_back, stays;
    uint32_t policy;
    int32_t  nice;
} place;

static bool stand_at(uint32_t policy, int32_t nice)
{
    place.stands_back = true;
    place.policy = policy;
    place.nice = nice;
    return set_policy(policy, nice);
}

void thread_stand_back(void) { (void)stand_at(SCHED_OTHER, BACK_NICE); }

void thread_stand_far_back(bool far) { (void)stand_at(SCHED_OTHER, far ? FAR_BACK_NICE : BACK_NICE); }

void thread_ceiling_begin(void)
{
    if (!place.stands_back || place.stays) return;
    place.stays = !set_nice(CEILING_NICE);
}

void thread_ceiling_end(void)
{
    if (place.stands_back && !place.stays) (void)set_policy(place.policy, place.nice);
}

bool thread_may_rise(void)
{
    int32_t nice = own_nice();

    return set_nice(nice - 1) && set_nice(nice);
}

void thread_stand_forward(bool preempts)
{
    uint32_t policy = preempts ? SCHED_OTHER : SCHED_BATCH;
    int32_t  own = own_nice(), nice = FORWARD_NICE;

    place.stands_back = false;
    while (nice < own && !set_policy(policy, nice)) nice += NICE_STEP;
    if (nice >= own) (void)set_policy(policy, own);
}

void thread_stand_last(void)
{
    if (!stand_at(SCHED_IDLE, 0)) thread_stand_back();
}

void thread_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void thread_sleep_ms(int64_t ms)
{
    struct timespec span = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
    (void)nanosleep(&span, NULL);
}
