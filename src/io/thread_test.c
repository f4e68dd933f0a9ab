/* SPDX-License-Identifier: MIT */
#include "io/thread.h"

#include "io/clock.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define FOR_EVER_NS INT64_C(20000000000) /* longer than a test may take */
#define MS          INT64_C(1000000)

/* A thread that parks once and reports its return. */
struct sleeper {
    struct park      park;
    bool             dozes;
    int64_t          timeout_ns;
    _Atomic uint32_t back;
    pthread_t        thread;
};

static void *sleep_once(void *self)
{
    struct sleeper *sleeper = self;

    if (sleeper->dozes) park_doze(&sleeper->park);
    else park_prepare(&sleeper->park);
    park_wait(&sleeper->park, sleeper->timeout_ns);
    atomic_store(&sleeper->back, 1);
    return NULL;
}

/* Returns when the thread has set its flag. */
static void begin(struct sleeper *sleeper, bool dozes, int64_t timeout_ns)
{
    park_init(&sleeper->park);
    sleeper->dozes = dozes;
    sleeper->timeout_ns = timeout_ns;
    atomic_init(&sleeper->back, 0);
    assert_int_equal(thread_start(&sleeper->thread, "sleeper", sleep_once, sleeper), 0);
    while (atomic_load(&sleeper->park.sleeping) == PARK_AWAKE && atomic_load(&sleeper->back) == 0) thread_sleep_ms(1);
}

static void a_sleeper_is_woken(void **state)
{
    struct sleeper sleeper;

    (void)state;
    begin(&sleeper, false, FOR_EVER_NS);
    park_wake(&sleeper.park);
    thread_join(sleeper.thread);
    assert_int_equal(atomic_load(&sleeper.park.sleeping), PARK_AWAKE);
}

static void a_sleeper_is_nudged_awake(void **state)
{
    struct sleeper sleeper;

    (void)state;
    begin(&sleeper, false, FOR_EVER_NS);
    park_nudge(&sleeper.park);
    thread_join(sleeper.thread);
    assert_int_equal(atomic_load(&sleeper.park.sleeping), PARK_AWAKE);
}

static void who_dozes_is_not_nudged_but_woken(void **state)
{
    struct sleeper sleeper;

    (void)state;
    begin(&sleeper, true, FOR_EVER_NS);
    park_nudge(&sleeper.park);
    thread_sleep_ms(20);
    assert_int_equal(atomic_load(&sleeper.back), 0);
    assert_int_equal(atomic_load(&sleeper.park.sleeping), PARK_DOZING);
    park_wake(&sleeper.park);
    thread_join(sleeper.thread);
    assert_int_equal(atomic_load(&sleeper.park.sleeping), PARK_AWAKE);
}

static void who_dozes_looks_again_by_itself(void **state)
{
    struct sleeper sleeper;
    int64_t        began_ns = clock_mono_ns();

    (void)state;
    begin(&sleeper, true, 5 * MS);
    thread_join(sleeper.thread);
    assert_true(clock_mono_ns() - began_ns >= 5 * MS);
    assert_int_equal(atomic_load(&sleeper.park.sleeping), PARK_AWAKE);
}

static void whoever_was_woken_before_it_slept_does_not_sleep(void **state)
{
    struct park park;
    int64_t     began_ns = clock_mono_ns();

    (void)state;
    park_init(&park);
    park_prepare(&park);
    park_nudge(&park);
    park_wait(&park, FOR_EVER_NS);
    park_doze(&park);
    park_wake(&park);
    park_wait(&park, FOR_EVER_NS);
    assert_true(clock_mono_ns() - began_ns < FOR_EVER_NS);
}

/* A thread that has been started can be found by its name, at once:
   two hundred times, because losing a race takes luck. */
static void a_started_thread_bears_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct sleeper sleeper;
        char           name[16];
        int            error;

        park_init(&sleeper.park);
        sleeper.dozes = false;
        sleeper.timeout_ns = FOR_EVER_NS;
        atomic_init(&sleeper.back, 0);
        assert_int_equal(thread_start(&sleeper.thread, "sleeper-with-a-long-name", sleep_once, &sleeper), 0);
        error = pthread_getname_np(sleeper.thread, name, sizeof(name));
        while (atomic_load(&sleeper.park.sleeping) == PARK_AWAKE) thread_sleep_ms(1);
        park_wake(&sleeper.park);
        thread_join(sleeper.thread);
        assert_int_equal(error, 0);
        assert_string_equal(name, "sleeper-with-a-");
    }
}

/* ---- places ---- */

struct places {
    bool rises;
    int  back, far, again, forward, policy, without, without_policy;
};

static int own_nice(void) { return getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid)); }

static void *go_through_places(void *argument)
{
    struct places *places = argument;

    places->rises = thread_may_rise();
    thread_stand_back();
    places->back = own_nice();
    thread_stand_far_back(true);
    places->far = own_nice();
    thread_stand_far_back(false);
    places->again = own_nice();
    thread_stand_forward(true);
    places->forward = own_nice();
    places->policy = sched_getscheduler(0);
    thread_stand_forward(false);
    places->without = own_nice();
    places->without_policy = sched_getscheduler(0);
    return NULL;
}

static void a_thread_that_may_rise_comes_up_again(void **state)
{
    struct places places;
    pthread_t     thread;

    (void)state;
    assert_int_equal(thread_start(&thread, "places", go_through_places, &places), 0);
    thread_join(thread);
    assert_true(places.back >= 10 && places.far == 19);
    assert_int_equal(places.again, places.rises ? 10 : 19);
    assert_true(places.rises ? places.forward < 0 : places.forward == 19);
    assert_int_equal(places.policy, SCHED_OTHER);
    assert_int_equal(places.without, places.forward);
    assert_int_equal(places.without_policy, SCHED_BATCH);
}

struct ceiling {
    bool rises;
    int  never, from_back, back, from_far, far, from_last, last_policy, forward, from_forward;
};

static int nice_at_the_ceiling(void)
{
    int nice;

    thread_ceiling_begin();
    assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
    nice = own_nice();
    thread_ceiling_end();
    return nice;
}

static void *go_to_the_ceiling(void *argument)
{
    struct ceiling *ceiling = argument;

    ceiling->rises = thread_may_rise();
    ceiling->never = nice_at_the_ceiling();
    thread_stand_back();
    ceiling->from_back = nice_at_the_ceiling();
    ceiling->back = own_nice();
    thread_stand_far_back(true);
    ceiling->from_far = nice_at_the_ceiling();
    ceiling->far = own_nice();
    if (!ceiling->rises) return NULL;
    thread_stand_last();
    ceiling->from_last = nice_at_the_ceiling();
    ceiling->last_policy = sched_getscheduler(0);
    thread_stand_forward(true);
    ceiling->forward = own_nice();
    ceiling->from_forward = nice_at_the_ceiling();
    return NULL;
}

/* Decision 167. Where it may not rise it stays where it is. */
static void a_thread_that_stands_back_has_nice_0_while_it_has_the_lock(void **state)
{
    struct ceiling ceiling = { 0 };
    pthread_t      thread;
    int            own = own_nice();

    (void)state;
    assert_int_equal(thread_start(&thread, "ceiling", go_to_the_ceiling, &ceiling), 0);
    thread_join(thread);
    assert_int_equal(ceiling.never, own);
    assert_true(ceiling.rises ? ceiling.from_back == 0 : ceiling.from_back == ceiling.back);
    assert_true(ceiling.rises ? ceiling.from_far == 0 : ceiling.from_far == ceiling.far);
    assert_true(ceiling.back >= 10 && ceiling.far == 19);
    if (!ceiling.rises) return;
    assert_int_equal(ceiling.from_last, 0);
    assert_int_equal(ceiling.last_policy, SCHED_IDLE);
    assert_true(ceiling.forward < 0);
    assert_int_equal(ceiling.from_forward, ceiling.forward);
}

static void *stack_of_this_thread(void *self)
{
    pthread_attr_t attributes;

    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    assert_int_equal(pthread_attr_getstacksize(&attributes, self), 0);
    (void)pthread_attr_destroy(&attributes);
    return NULL;
}

/* In a child: a hard limit cannot be raised again. */
static void stacks_do_not_depend_on_the_soft_limit(void **state)
{
    static const uint64_t hard[] = { 192 << 10, THREAD_STACK_BYTES, RLIM_INFINITY };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(hard); i++) {
        pid_t child = fork();
        int   status;

        assert_true(child >= 0);
        if (child == 0) {
            struct rlimit limit = { 128 << 10, 0 };
            size_t        bytes = 0;
            pthread_t     thread;
            uint64_t      main_bytes;

            (void)getrlimit(RLIMIT_STACK, &limit);
            limit.rlim_cur = 128 << 10;
            limit.rlim_max = limit.rlim_max < hard[i] ? limit.rlim_max : hard[i];
            if (setrlimit(RLIMIT_STACK, &limit) != 0) _exit(1);
            main_bytes = thread_set_stacks();
            if (main_bytes != (limit.rlim_max < THREAD_STACK_BYTES ? limit.rlim_max : THREAD_STACK_BYTES)) _exit(2);
            if (thread_start(&thread, "stack", stack_of_this_thread, &bytes) != 0) _exit(3);
            thread_join(thread);
            _exit(bytes < THREAD_STACK_BYTES ? 4 : 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_started_thread_bears_its_name),
        cmocka_unit_test(a_sleeper_is_woken),
        cmocka_unit_test(a_sleeper_is_nudged_awake),
        cmocka_unit_test(who_dozes_is_not_nudged_but_woken),
        cmocka_unit_test(who_dozes_looks_again_by_itself),
        cmocka_unit_test(whoever_was_woken_before_it_slept_does_not_sleep),
        cmocka_unit_test(a_thread_that_may_rise_comes_up_again),
        cmocka_unit_test(a_thread_that_stands_back_has_nice_0_while_it_has_the_lock),
        cmocka_unit_test(stacks_do_not_depend_on_the_soft_limit),
    };
    return cmocka_run_group_tests_name("io/thread", tests, NULL, NULL);
}
