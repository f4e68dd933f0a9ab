/* SPDX-License-Identifier: MIT */
/* Both sides of each value from which on dojima doctor warns of the machine (ruling 74). */
#include "app/cli/doctor_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void the_disk_has_10_gib_and_at_least_256_mib(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_room(0), LEVEL_ERROR);
    assert_int_equal(doctor_judge_room(UINT64_C(268435455)), LEVEL_ERROR);
    assert_int_equal(doctor_judge_room(UINT64_C(268435456)), LEVEL_WARNING);
    assert_int_equal(doctor_judge_room(UINT64_C(10737418239)), LEVEL_WARNING);
    assert_int_equal(doctor_judge_room(UINT64_C(10737418240)), LEVEL_FINE);
}

static void a_sync_takes_10_ms_at_most(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_syncs(10000000), LEVEL_FINE);
    assert_int_equal(doctor_judge_syncs(10000001), LEVEL_WARNING);
}

static void the_clock_is_right_to_half_a_second(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_clock(0), LEVEL_FINE);
    assert_int_equal(doctor_judge_clock(500000), LEVEL_FINE);
    assert_int_equal(doctor_judge_clock(500001), LEVEL_WARNING);
}

static void full_pools_need_nine_tenths_of_the_memory_at_most(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_memory(900, 1000), LEVEL_FINE);
    assert_int_equal(doctor_judge_memory(901, 1000), LEVEL_WARNING);
    assert_int_equal(doctor_judge_memory(1000, 1000), LEVEL_WARNING);
    assert_int_equal(doctor_judge_memory(1001, 1000), LEVEL_ERROR);
    assert_int_equal(doctor_judge_memory(UINT64_MAX, UINT64_MAX), LEVEL_WARNING); /* nothing overflows */
}

static void there_are_two_cores_and_huge_pages(void **state)
{
    (void)state;
    assert_int_equal(doctor_judge_cores(1), LEVEL_WARNING);
    assert_int_equal(doctor_judge_cores(2), LEVEL_FINE);
    assert_int_equal(doctor_judge_huge_pages(HUGE_NEVER), LEVEL_WARNING);
    assert_int_equal(doctor_judge_huge_pages(HUGE_ASKED), LEVEL_FINE);
    assert_int_equal(doctor_judge_huge_pages(HUGE_ALWAYS), LEVEL_FINE);
    assert_int_equal(doctor_judge_huge_pages(HUGE_UNKNOWN), LEVEL_FINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_has_10_gib_and_at_least_256_mib),
        cmocka_unit_test(a_sync_takes_10_ms_at_most),
        cmocka_unit_test(the_clock_is_right_to_half_a_second),
        cmocka_unit_test(full_pools_need_nine_tenths_of_the_memory_at_most),
        cmocka_unit_test(there_are_two_cores_and_huge_pages),
    };
    return cmocka_run_group_tests_name("app/doctor_judge", tests, NULL, NULL);
}
