/* SPDX-License-Identifier: MIT */
/*
 * bars_ceiling_test.c — the engine's thread folds trades while the writer, which stands back as the keeper does, takes
 * the bars, both on one core. It must not wait for the writer's next turn on that core (decision 167). Without the
 * ceiling and the lock of those who change bars the longest wait was 45 s.
 */
#include "history/bars.h"
#include "io/clock.h"
#include "io/thread.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define SPAN_NS    INT64_C(2000000000)
#define LONGEST_NS INT64_C(1000000000)
#define FOLDS      500 /* 2 s of a sleep of 1 ms at most, on a busy machine */

static struct bars  bars;
static _Atomic bool stop;

static void stay_on_one_core(void)
{
    cpu_set_t all, one;
    size_t    core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(core, &all)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void *take_bars(void *argument)
{
    bool rises = thread_may_rise();

    (void)argument;
    stay_on_one_core();
    thread_stand_back();
    if (rises) thread_stand_far_back(true);
    while (!atomic_load(&stop)) {
        assert_int_equal(bars_take(&bars), 0);
        bars_taken(&bars, true);
    }
    return NULL;
}

struct folded {
    int64_t longest_ns;
    int     folds;
};

static void *fold_trades(void *argument)
{
    struct traded  trade = { .head = { .market = MARKET_SPOT },
                             .symbol_id = 1,
                             .price = 1000,
                             .quantity = 1,
                             .value = 1000,
                             .time_ms = INT64_C(1790000040000) };
    struct folded *folded = argument;
    int64_t        end_ns = clock_mono_ns() + SPAN_NS;

    stay_on_one_core();
    thread_stand_forward(true);
    while (clock_mono_ns() < end_ns) {
        int64_t from_ns = clock_mono_ns();
        bars_trade(&bars, &trade, (uint64_t)++folded->folds);
        bars_end(&bars);
        folded->longest_ns = max_i64(folded->longest_ns, clock_mono_ns() - from_ns);
        (void)sched_yield();
        thread_sleep_ms(folded->folds % 20 == 0);
    }
    return NULL;
}

static void the_folding_thread_does_not_wait_for_the_writers_next_turn(void **state)
{
    struct folded folded = { 0 };
    pthread_t     folds, takes;

    (void)state;
    assert_int_equal(bars_init(&bars), 0);
    assert_int_equal(thread_start(&takes, "writer", take_bars, NULL), 0);
    assert_int_equal(thread_start(&folds, "folds", fold_trades, &folded), 0);
    thread_join(folds);
    atomic_store(&stop, true);
    thread_join(takes);
    print_message("%d trades, the longest wait %.1f ms\n", folded.folds, (double)folded.longest_ns / 1e6);
    assert_in_range(folded.longest_ns, 0, LONGEST_NS);
    assert_in_range(folded.folds, FOLDS, INT32_MAX);
    bars_deinit(&bars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folding_thread_does_not_wait_for_the_writers_next_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
