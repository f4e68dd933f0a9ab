/* SPDX-License-Identifier: MIT */
#include "base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bool larger(const uint32_t *a, const uint32_t *b) { return *a > *b; }
HEAP_DEFINE_SORT(number, uint32_t, larger)

static void what_stands_above_comes_last(void **state)
{
    uint32_t numbers[200], seed = 1;

    (void)state;
    for (uint32_t count = 0; count <= ARRAY_COUNT(numbers); count++) {
        for (uint32_t i = 0; i < count; i++) numbers[i] = (seed = seed * 1664525u + 1013904223u) >> 20;
        number_sort(numbers, count);
        for (uint32_t i = 1; i < count; i++) assert_true(numbers[i - 1] <= numbers[i]);
    }
}

static void the_first_of_a_heap_stands_above_all(void **state)
{
    uint32_t numbers[] = { 3, 9, 1, 7, 7, 2, 8 }, expected[] = { 9, 8, 7, 7, 3, 2, 1 }, count = ARRAY_COUNT(numbers);

    (void)state;
    number_make(numbers, count);
    for (uint32_t i = 0; i < ARRAY_COUNT(expected); i++) {
        assert_int_equal(numbers[0], expected[i]);
        numbers[0] = numbers[--count];
        number_sink(numbers, 0, count);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_above_comes_last),
        cmocka_unit_test(the_first_of_a_heap_stands_above_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
