/* SPDX-License-Identifier: MIT */
#include "market/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define DRAWS 100000

static void a_draw_depends_on_all_that_names_it(void **state)
{
    uint64_t one = draw(1, 2, 3, 4);
    (void)state;

    assert_true(one == draw(1, 2, 3, 4));
    assert_true(one != draw(2, 2, 3, 4));
    assert_true(one != draw(1, 3, 3, 4));
    assert_true(one != draw(1, 2, 4, 4));
    assert_true(one != draw(1, 2, 3, 5));
}

static void normal_numbers_have_mean_0_and_deviation_1(void **state)
{
    int64_t  sum = 0;
    int128_t squares = 0;
    (void)state;

    for (uint32_t i = 0; i < DRAWS; i++) {
        int64_t z = draw_normal(draw(1, i, 0, 0));

        sum += z;
        squares += (int128_t)z * z;
    }
    assert_in_range(sum / DRAWS + 10000, 0, 20000);
    assert_in_range((int64_t)(squares / DRAWS / 1000000), 980000, 1020000);
}

static void exponential_numbers_have_mean_1(void **state)
{
    int64_t sum = 0;
    (void)state;

    for (uint32_t i = 0; i < DRAWS; i++) sum += draw_exponential(draw(2, i, 0, 0));
    assert_in_range(sum / DRAWS, 63000, 69000);
    assert_true(draw_exponential(UINT64_MAX) >= 0);
    assert_true(draw_exponential(0) > 40 * 65536);
}

/* P(size > s) = s^(-3/2): of four 1/8, of sixteen 1/64. */
static void sizes_have_a_power_law(void **state)
{
    uint32_t above4 = 0, above16 = 0;
    (void)state;

    for (uint32_t i = 0; i < DRAWS; i++) {
        int64_t size = draw_power(draw(3, i, 0, 0), 300 * 1024);

        assert_in_range(size, 1024, 300 * 1024);
        above4 += size > 4 * 1024;
        above16 += size > 16 * 1024;
    }
    assert_in_range(above4, DRAWS / 8 * 85 / 100, DRAWS / 8 * 115 / 100);
    assert_in_range(above16, DRAWS / 64 * 80 / 100, DRAWS / 64 * 120 / 100);
    assert_int_equal(draw_power(0, 300 * 1024), 300 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_depends_on_all_that_names_it),
        cmocka_unit_test(normal_numbers_have_mean_0_and_deviation_1),
        cmocka_unit_test(exponential_numbers_have_mean_1),
        cmocka_unit_test(sizes_have_a_power_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
