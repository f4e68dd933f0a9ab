/* SPDX-License-Identifier: MIT */
/* net_watch_test.c — when a loop turns: it is woken, polls before it sleeps, and turns within a time. */
#include "rigs/io/net_rig.h"

static void it_can_be_woken_from_another_thread(void **state)
{
    (void)state;
    net_wake(rig.net);
    wait_for(&rig.woken, 1);
}

/* Each wake is waited for before the next, so that it finds the loop about to sleep, asleep, and polling. */
static void no_wake_is_lost(void **state)
{
    static const int64_t watches[] = { 0, 5000, 50000, 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(watches); i++) {
        rig.watch = watches[i];
        for (uint32_t k = 0; k < 2000; k++) {
            int64_t until_ns = clock_mono_ns() + INT64_C(20000000000);
            rig.said++;
            net_wake(rig.net);
            while (rig.heard != rig.said && clock_mono_ns() < until_ns) {}
            assert_int_equal(rig.heard, rig.said);
            for (uint32_t pause = k % 64; pause != 0; pause--) (void)clock_mono_ns();
        }
    }
}

static void a_loop_that_watches_takes_what_comes_and_sleeps_again(void **state)
{
    struct timespec began, ended;
    int64_t         idle_ns = net_idle_ns(rig.net);
    uint32_t        woken = rig.woken;
    char            text[8];
    int             peer;

    (void)state;
    rig.watch = INT64_C(400000000);
    net_wake(rig.net);
    wait_for(&rig.woken, woken + 1);
    rig.watch = -1; /* a wake now does not change that */
    peer = dial();
    assert_int_equal(send(peer, "now", 3, 0), 3);
    assert_int_equal(hear(peer, text, 3), 3);
    assert_memory_equal(text, "now", 3);
    net_wake(rig.net);
    wait_for(&rig.woken, woken + 2);
    for (int i = 0; i < 100 && net_idle_ns(rig.net) - idle_ns < 300000000; i++) thread_sleep_ms(50);
    assert_true(net_idle_ns(rig.net) - idle_ns >= 300000000); /* it has had nothing to do */
    (void)close(peer);
    wait_for(&rig.closed, 1);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    thread_sleep_ms(300);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    assert_true((ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec < 200000000);
}

/* ---- changes during a poll, which is longer than a peer's patience: a change that the loop missed would show ---- */

static void begin_to_watch(void)
{
    rig.watch = INT64_C(600000000000);
    net_wake(rig.net);
    wait_for(&rig.woken, 1);
    rig.watch = -1; /* a wake now does not change that */
}

static void end_watching(int peer)
{
    (void)close(peer);
    rig.watch = 0;
    net_wake(rig.net);
    wait_for(&rig.closed, 1);
}

static void a_loop_that_watches_hears_who_has_just_come(void **state)
{
    char text[8];
    int  peer;

    (void)state;
    begin_to_watch();
    peer = dial();
    wait_for(&rig.opened, 1);
    assert_int_equal(send(peer, "now", 3, 0), 3);
    assert_int_equal(hear(peer, text, 3), 3);
    end_watching(peer);
}

static void a_loop_that_watches_hears_whom_it_had_stopped_to_read(void **state)
{
    static char body[INPUT + 3];
    int         peer = dial();

    (void)state;
    rig.hold = 1;
    assert_int_equal(send(peer, body, sizeof(body), 0), sizeof(body));
    thread_sleep_ms(100); /* its input is full; further bytes stay in the kernel */
    begin_to_watch();
    rig.hold = 0;
    rig.release = 1;
    net_wake(rig.net);
    assert_int_equal(hear(peer, body, sizeof(body)), sizeof(body));
    end_watching(peer);
}

static void a_loop_that_watches_sends_to_whom_it_had_to_wait_for(void **state)
{
    enum { ANSWERS = 600 }; /* more than both sockets hold: 19 MB */
    static char heard[ANSWERS * 32 * 1024], asked[ANSWERS];
    int         peer = dial();

    (void)state;
    rig.flood = 32;
    begin_to_watch();
    assert_int_equal(send(peer, asked, sizeof(asked), 0), sizeof(asked));
    assert_int_equal(hear(peer, heard, sizeof(heard)), sizeof(heard));
    end_watching(peer);
}

static void a_turn_comes_within_its_time_though_nothing_happens(void **state)
{
    uint32_t turned;

    (void)state;
    net_wake(rig.net);
    thread_sleep_ms(100);
    turned = rig.turned;
    thread_sleep_ms(100);
    assert_int_equal(rig.turned, turned); /* no connection: it sleeps */
    assert_true(net_idle_ns(rig.net) >= 100000000);
    rig.soon = 100; /* so long that a loop which comes to its core late still takes two turns and not both as one */
    net_wake(rig.net);
    for (int i = 0; i < 200 && rig.turned < turned + 2; i++) thread_sleep_ms(5);
    assert_true(rig.turned >= turned + 2);
    rig.soon = 0;
    rig.again = 1000; /* and a thousand turns at once take no thousand sleeps */
    net_wake(rig.net);
    for (int i = 0; i < 400 && rig.again != 0; i++) thread_sleep_ms(5);
    assert_int_equal(rig.again, 0);
}

/* A turn may ask for the next one while the timer of the one before is due and has not run. */
static void turns_that_ask_for_the_next_one_follow_each_other(void **state)
{
    uint32_t turned = rig.turned;

    (void)state;
    rig.next = 1;
    net_wake(rig.net);
    for (int i = 0; i < 200 && rig.turned < turned + 100; i++) thread_sleep_ms(5);
    assert_true(rig.turned >= turned + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_can_be_woken_from_another_thread, make, unmake),
        cmocka_unit_test_setup_teardown(no_wake_is_lost, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_takes_what_comes_and_sleeps_again, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_hears_who_has_just_come, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_hears_whom_it_had_stopped_to_read, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_sends_to_whom_it_had_to_wait_for, make, unmake),
        cmocka_unit_test_setup_teardown(a_turn_comes_within_its_time_though_nothing_happens, make, unmake),
        cmocka_unit_test_setup_teardown(turns_that_ask_for_the_next_one_follow_each_other, make, unmake),
    };
    return cmocka_run_group_tests_name("io/net_watch", tests, NULL, NULL);
}
