/* SPDX-License-Identifier: MIT */
#include "base/histogram.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void each_bucket_ends_with_its_bound(void **state)
{
    (void)state;
    assert_int_equal(histogram_bound(0), 256);
    assert_int_equal(histogram_bound(1), 384);
    assert_int_equal(histogram_bound(2), 512);
    assert_int_equal(histogram_bound(HISTOGRAM_BOUNDS - 1), UINT64_C(1) << 34);
    for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        assert_int_equal(histogram_bucket(histogram_bound(i)), i);
        assert_int_equal(histogram_bucket(histogram_bound(i) + 1), i + 1);
        if (i != 0) assert_true(histogram_bound(i) > histogram_bound(i - 1));
    }
    assert_int_equal(histogram_bucket(0), 0);
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BOUNDS);
}

static void a_sum_holds_what_each_was_given(void **state)
{
    static struct histogram first, second;
    struct histogram_sum    sum = { .sum_ns = 0 };

    (void)state;
    histogram_add(&first, 300, 1);
    histogram_add(&first, -5, 2); /* a clock that went back */
    histogram_add(&second, 300, 4);
    histogram_add(&second, INT64_C(1) << 40, 1);
    histogram_sum_add(&sum, &first);
    histogram_sum_add(&sum, &second);
    assert_int_equal(sum.buckets[0], 2);
    assert_int_equal(sum.buckets[1], 5);
    assert_int_equal(sum.buckets[HISTOGRAM_BOUNDS], 1);
    assert_int_equal(sum.sum_ns, 5 * 300 + (INT64_C(1) << 40));
}

#define ROUNDS 200000

static void *add_many(void *histogram)
{
    for (int64_t i = 0; i < ROUNDS; i++) histogram_add(histogram, i % 1000, 1);
    return NULL;
}

static void a_reader_beside_the_writer_never_sees_a_count_go_back(void **state)
{
    static struct histogram histogram;
    uint64_t                before = 0, count = 0;
    pthread_t               writer;

    (void)state;
    assert_int_equal(pthread_create(&writer, NULL, add_many, &histogram), 0);
    while (count < ROUNDS) {
        struct histogram_sum sum = { .sum_ns = 0 };
        histogram_sum_add(&sum, &histogram);
        count = 0;
        for (uint32_t i = 0; i <= HISTOGRAM_BOUNDS; i++) count += sum.buckets[i];
        assert_true(count >= before);
        before = count;
    }
    pthread_join(writer, NULL);
    assert_int_equal(count, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bucket_ends_with_its_bound),
        cmocka_unit_test(a_sum_holds_what_each_was_given),
        cmocka_unit_test(a_reader_beside_the_writer_never_sees_a_count_go_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
