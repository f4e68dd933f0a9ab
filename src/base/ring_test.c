/* SPDX-License-Identifier: MIT */
#include "base/ring.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define CAP 256
static _Alignas(8) uint8_t memory[CAP];

static bool put(struct ring *ring, uint8_t fill, uint64_t bytes)
{
    uint8_t *room = ring_reserve(ring, bytes);

    if (room == NULL) return false;
    memset(room, fill, bytes);
    ring_commit(ring, bytes);
    return true;
}

static void expect(struct ring *ring, uint8_t fill, uint64_t bytes)
{
    uint64_t len = 0;
    uint8_t *message = ring_peek(ring, &len);

    assert_non_null(message);
    assert_int_equal(len, bytes);
    for (uint64_t i = 0; i < len; i++) assert_int_equal(message[i], fill);
    ring_next(ring);
}

static void messages_come_out_in_the_order_they_went_in(void **state)
{
    struct ring ring;

    (void)state;
    ring_init(&ring, memory, CAP);
    assert_true(ring_is_empty(&ring));
    for (uint8_t i = 1; i <= 5; i++) assert_true(put(&ring, i, i));
    for (uint8_t i = 1; i <= 5; i++) expect(&ring, i, i);
    assert_true(ring_is_empty(&ring));
}

static void a_full_ring_refuses_and_takes_again_after_one_is_given_back(void **state)
{
    struct ring ring;

    (void)state;
    ring_init(&ring, memory, CAP);
    assert_true(put(&ring, 1, 120)); /* 128 bytes */
    assert_true(put(&ring, 2, 120)); /* 256: full to the last byte */
    assert_int_equal(ring_free(&ring), 0);
    assert_null(ring_reserve(&ring, 0));
    expect(&ring, 1, 120);
    assert_int_equal(ring_free(&ring), 128);
    assert_true(put(&ring, 3, 120));
    assert_false(put(&ring, 4, 0));
    expect(&ring, 2, 120);
    expect(&ring, 3, 120);
}

static void a_message_never_wraps_around_the_end(void **state)
{
    struct ring ring;

    (void)state;
    ring_init(&ring, memory, CAP);
    for (int round = 0; round < 1000; round++) {
        uint64_t bytes = (uint64_t)(round * 7 % 113);
        assert_true(put(&ring, (uint8_t)round, bytes));
        expect(&ring, (uint8_t)round, bytes);
    }
    assert_true(ring_is_empty(&ring));
}

static void a_reservation_may_be_committed_shorter(void **state)
{
    struct ring ring;

    (void)state;
    ring_init(&ring, memory, CAP);
    memset(ring_reserve(&ring, 100), 9, 100);
    ring_commit(&ring, 3);
    assert_true(put(&ring, 7, 8));
    expect(&ring, 9, 3);
    expect(&ring, 7, 8);
}

static void messages_are_shown_together(void **state)
{
    struct ring ring;

    (void)state;
    ring_init(&ring, memory, CAP);
    assert_true(put(&ring, 1, 80));
    expect(&ring, 1, 80);
    for (uint8_t i = 2; i <= 3; i++) { /* the second leaves a skip at the end */
        memset(ring_reserve(&ring, 80), i, 80);
        ring_fill(&ring, 80);
        assert_true(ring_is_empty(&ring));
    }
    assert_null(ring_reserve(&ring, 80)); /* unpublished messages use capacity too */
    ring_show(&ring);
    expect(&ring, 2, 80);
    expect(&ring, 3, 80);
    assert_true(ring_is_empty(&ring));
}

enum { ROUNDS = 200000 };

static _Alignas(64) uint8_t large[4 * RING_WARM];

static void an_empty_ring_begins_again_where_it_is_warm(void **state)
{
    struct ring ring;
    uint64_t    len;

    (void)state;
    ring_init(&ring, large, sizeof(large));
    for (uint64_t sum = 0; sum < RING_WARM; sum += 1008) {
        assert_true(put(&ring, 7, 1000));
        expect(&ring, 7, 1000);
    }
    assert_true(put(&ring, 1, 1000));
    assert_ptr_equal(ring_peek(&ring, &len), large + 8);
    expect(&ring, 1, 1000);
    assert_int_equal(ring_free(&ring), sizeof(large));
}

static void a_ring_that_holds_something_goes_on(void **state)
{
    struct ring ring;
    uint64_t    len, put_in = 0;

    (void)state;
    ring_init(&ring, large, sizeof(large));
    for (uint8_t i = 0; i < 100; i++, put_in += 1008) assert_true(put(&ring, i, 1000));
    assert_int_equal(ring_free(&ring), sizeof(large) - put_in);
    for (uint8_t i = 0; i < 99; i++) expect(&ring, i, 1000);
    assert_true(put(&ring, 100, 1000)); /* behind what is still there */
    assert_ptr_equal(ring_peek(&ring, &len), large + 8 + 99 * 1008);
    expect(&ring, 99, 1000);
    expect(&ring, 100, 1000);
    assert_true(put(&ring, 101, 1000)); /* nothing is left: at the first byte */
    assert_ptr_equal(ring_peek(&ring, &len), large + 8);
}

static void *produce(void *ring)
{
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t *room;
        while ((room = ring_reserve(ring, 8 * (1 + i % 9))) == NULL) sched_yield();
        for (uint64_t j = 0; j <= i % 9; j++) room[j] = i;
        ring_commit(ring, 8 * (1 + i % 9));
    }
    return NULL;
}

static void two_threads(void *wide, uint64_t cap)
{
    struct ring ring;
    pthread_t   thread;

    ring_init(&ring, wide, cap);
    assert_int_equal(pthread_create(&thread, NULL, produce, &ring), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t bytes = 0, *message;
        while ((message = ring_peek(&ring, &bytes)) == NULL) sched_yield();
        if (bytes != 8 * (1 + i % 9)) fail_msg("message %lu has %lu bytes", (unsigned long)i, (unsigned long)bytes);
        for (uint64_t j = 0; j <= i % 9; j++)
            if (message[j] != i) fail_msg("message %lu is torn", (unsigned long)i);
        ring_next(&ring);
    }
    pthread_join(thread, NULL);
    assert_true(ring_is_empty(&ring));
}

static void two_threads_see_the_same_messages(void **state)
{
    static _Alignas(8) uint8_t wide[4096];

    (void)state;
    two_threads(wide, sizeof(wide));
}

static void two_threads_see_the_same_messages_in_a_ring_that_begins_again(void **state)
{
    (void)state;
    two_threads(large, sizeof(large));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_in_the_order_they_went_in),
        cmocka_unit_test(a_full_ring_refuses_and_takes_again_after_one_is_given_back),
        cmocka_unit_test(a_message_never_wraps_around_the_end),
        cmocka_unit_test(a_reservation_may_be_committed_shorter),
        cmocka_unit_test(messages_are_shown_together),
        cmocka_unit_test(an_empty_ring_begins_again_where_it_is_warm),
        cmocka_unit_test(a_ring_that_holds_something_goes_on),
        cmocka_unit_test(two_threads_see_the_same_messages),
        cmocka_unit_test(two_threads_see_the_same_messages_in_a_ring_that_begins_again),
    };
    return cmocka_run_group_tests_name("base/ring", tests, NULL, NULL);
}
