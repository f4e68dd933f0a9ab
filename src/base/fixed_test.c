/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/fixed.h"

static void powers_of_ten_are_powers_of_ten(void **state)
{
    int64_t power = 1;

    (void)state;
    for (int n = 0; n <= 18; n++) {
        assert_int_equal(pow10_i64(n), power);
        if (n < 18) power *= 10;
    }
}

static void divisions_go_where_their_name_says(void **state)
{
    (void)state;
    for (int64_t a = 0; a < 200; a++) {
        for (int64_t b = 1; b < 50; b++) {
            int64_t floor = (int64_t)div_floor(a, b), ceil = (int64_t)div_ceil(a, b);
            assert_true(floor * b <= a && (floor + 1) * b > a);
            assert_true(ceil * b >= a && (ceil - 1) * b < a);
        }
    }
}

static void fees_are_rounded_up_and_rebates_down(void **state)
{
    (void)state;
    assert_int_equal(rate_ceil(1, 1), 1); /* any part of a unit is a unit */
    assert_int_equal(rate_floor(1, 1), 0);
    assert_int_equal(rate_ceil(100000000, 35000), 35000); /* exact is exact */
    assert_int_equal(rate_floor(100000000, 35000), 35000);
    assert_int_equal(rate_ceil(100000001, 35000), 35001);
    assert_int_equal(rate_floor(100000001, 35000), 35000);
    assert_int_equal(rate_ceil(0, 65000), 0);
    assert_int_equal(rate_ceil(INT64_C(1) << 62, RATE_ONE), INT64_C(1) << 62);
}

static void notionals_have_the_units_of_the_quote(void **state)
{
    (void)state;
    /* price 95000.0 (1 decimal), quantity 0.01000 (5 decimals), quote of 6 decimals: k = 0 */
    assert_int_equal((int64_t)notional_floor(950000, 1000, 0), 950000000);
    assert_int_equal((int64_t)notional_ceil(950000, 1000, 0), 950000000);
    /* k > 0 multiplies, exactly */
    assert_int_equal((int64_t)notional_floor(7, 3, 2), 2100);
    assert_int_equal((int64_t)notional_ceil(7, 3, 2), 2100);
    /* k < 0 divides: 21 / 100 */
    assert_int_equal((int64_t)notional_floor(7, 3, -2), 0);
    assert_int_equal((int64_t)notional_ceil(7, 3, -2), 1);
    assert_int_equal((int64_t)notional_floor(10, 10, -2), 1);
    assert_int_equal((int64_t)notional_ceil(10, 10, -2), 1);
    assert_int_equal((int64_t)notional_floor(199, 1, -2), 1);
    assert_int_equal((int64_t)notional_ceil(101, 1, -2), 2);
}

static void the_largest_notional_does_not_wrap(void **state)
{
    int128_t product = (int128_t)1000000000000000 * 999999999999999; /* PRICE_MAX, QUANTITY_MAX: 1e30 */

    (void)state;
    assert_true(notional_floor(1000000000000000, 999999999999999, 0) == product);
    assert_true(notional_floor(1000000000000000, 999999999999999, 6) == product * 1000000);
    assert_true(notional_ceil(1000000000000000, 999999999999999, -18)
                == (product + 999999999999999999) / 1000000000000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_ten_are_powers_of_ten),      cmocka_unit_test(divisions_go_where_their_name_says),
        cmocka_unit_test(fees_are_rounded_up_and_rebates_down), cmocka_unit_test(notionals_have_the_units_of_the_quote),
        cmocka_unit_test(the_largest_notional_does_not_wrap),
    };
    return cmocka_run_group_tests_name("fixed", tests, NULL, NULL);
}
