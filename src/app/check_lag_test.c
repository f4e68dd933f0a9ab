/* SPDX-License-Identifier: MIT */
#include "app/check_lag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define S INT64_C(1000000000)

static void nothing_waits_where_all_is_checked(void **state)
{
    struct check_lag lag = { .count = 0 };

    (void)state;
    assert_int_equal(check_lag_note(&lag, 1 * S, 0, 0), 0);
    assert_int_equal(check_lag_note(&lag, 2 * S, 10, 10), 0);
    assert_int_equal(lag.count, 0);
}

static void the_oldest_unchecked_command_decides(void **state)
{
    struct check_lag lag = { .count = 0 };

    (void)state;
    assert_int_equal(check_lag_note(&lag, 1 * S, 10, 0), 0);
    assert_int_equal(check_lag_note(&lag, 2 * S, 20, 9), 1 * S);
    assert_int_equal(check_lag_note(&lag, 3 * S, 30, 10), 1 * S); /* those up to 10 are checked, 11 came at 2 s */
    assert_int_equal(check_lag_note(&lag, 4 * S, 40, 30), 0);     /* 31 came since the last sample */
    assert_int_equal(check_lag_note(&lag, 9 * S, 40, 39), 5 * S);
    assert_int_equal(check_lag_note(&lag, 10 * S, 40, 40), 0);
}

/* However long it takes, the oldest sample stays, and the memory is what it is. */
static void an_hour_without_a_check_is_an_hour(void **state)
{
    struct check_lag lag = { .count = 0 };

    (void)state;
    for (int64_t s = 0; s <= 3600; s++) {
        assert_int_equal(check_lag_note(&lag, s * S, (uint64_t)s + 1, 0), s * S);
        assert_true(lag.count <= CHECK_LAG_SAMPLES);
    }
    assert_true(check_lag_note(&lag, 3600 * S, 3601, 1800) <= 1800 * S);
    assert_true(check_lag_note(&lag, 3600 * S, 3601, 1800) > 1600 * S);
}

static void a_log_that_went_back_is_waited_for_to_its_end_only(void **state)
{
    struct check_lag lag = { .count = 0 };

    (void)state;
    (void)check_lag_note(&lag, 1 * S, 1000, 0);
    assert_int_equal(check_lag_note(&lag, 2 * S, 500, 400), 1 * S);
    assert_int_equal(check_lag_note(&lag, 3 * S, 500, 500), 0);
}

static void lanes_go_above_a_minute_and_come_back_below_five_seconds(void **state)
{
    (void)state;
    assert_true(check_lag_allows(0, true));
    assert_true(check_lag_allows(60 * S, true));
    assert_false(check_lag_allows(60 * S + 1, true));
    assert_false(check_lag_allows(60 * S, false));
    assert_false(check_lag_allows(5 * S, false));
    assert_true(check_lag_allows(5 * S - 1, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_waits_where_all_is_checked),
        cmocka_unit_test(the_oldest_unchecked_command_decides),
        cmocka_unit_test(an_hour_without_a_check_is_an_hour),
        cmocka_unit_test(a_log_that_went_back_is_waited_for_to_its_end_only),
        cmocka_unit_test(lanes_go_above_a_minute_and_come_back_below_five_seconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
