/* SPDX-License-Identifier: MIT */
#include "gateway/engine_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void without_one_it_is_the_wall_clock(void **state)
{
    (void)state;
    assert_int_equal(engine_clock_at(NULL, 5), 5);
    assert_int_equal(engine_clock_rate(NULL), CLOCK_RATE_ONE);
}

static void the_time_passes_at_its_rate(void **state)
{
    struct engine_clock clock = { 0 };

    (void)state;
    engine_clock_set(&clock, 1000, 5000, CLOCK_RATE_ONE);
    assert_int_equal(engine_clock_at(&clock, 1000), 5000);
    assert_int_equal(engine_clock_at(&clock, 1001), 5001);
    engine_clock_set(&clock, 1001, 5001, 20 * CLOCK_RATE_ONE);
    assert_int_equal(engine_clock_at(&clock, 1001), 5001);
    assert_int_equal(engine_clock_at(&clock, 2001), 25001);
    engine_clock_set(&clock, 2001, 25001, 0);
    assert_int_equal(engine_clock_at(&clock, 900000), 25001);
    engine_clock_set(&clock, 0, 0, CLOCK_RATE_ONE / 2);
    assert_int_equal(engine_clock_at(&clock, 3), 1); /* down */
    assert_int_equal(engine_clock_rate(&clock), CLOCK_RATE_ONE / 2);
}

static void it_never_goes_back_and_never_overflows(void **state)
{
    struct engine_clock clock = { 0 };

    (void)state;
    engine_clock_set(&clock, 1000, 5000, CLOCK_RATE_MAX);
    assert_int_equal(engine_clock_at(&clock, 999), 5000);
    assert_int_equal(engine_clock_at(&clock, INT64_MAX), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_one_it_is_the_wall_clock),
        cmocka_unit_test(the_time_passes_at_its_rate),
        cmocka_unit_test(it_never_goes_back_and_never_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
