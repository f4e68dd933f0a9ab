/* SPDX-License-Identifier: MIT */
#include "pipeline/dev_prices.h"

#include "base/fixed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BEGAN INT64_C(1760000000000)

static struct genesis *genesis;

static int make(void **state)
{
    (void)state;
    genesis = calloc(1, sizeof(*genesis));
    if (genesis == NULL) return 1;
    genesis->time_ms = BEGAN;
    genesis->perps_count = 3;
    genesis->perps[0] = (struct symbol){ .reference_price = 1000000, .tick_size = 1 };
    genesis->perps[1] = (struct symbol){ .reference_price = 400000, .tick_size = 5 };
    genesis->perps[2] = (struct symbol){ .reference_price = 3, .tick_size = 3 };
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    free(genesis);
    return 0;
}

static void the_path_is_calm_and_stays_near_the_reference(void **state)
{
    struct dev_prices dev_prices = { 42, genesis };
    int64_t           before = dev_prices_at(&dev_prices, 0, BEGAN), lowest = before, highest = before;

    (void)state;
    for (int64_t second = 1; second < 7 * 86400; second++) {
        int64_t price = dev_prices_at(&dev_prices, 0, BEGAN + second * 1000);

        assert_in_range(price, 1000000 - 6000, 1000000 + 6000);
        assert_true(llabs(price - before) <= 50); /* 0.005 % in a second */
        lowest = min_i64(lowest, price);
        highest = max_i64(highest, price);
        before = price;
    }
    assert_true(highest - lowest > 3000); /* but it does move */
}

static void the_same_seed_is_the_same_path(void **state)
{
    struct dev_prices dev_prices = { 42, genesis }, again = { 42, genesis }, other = { 43, genesis };
    int               different = 0;

    (void)state;
    for (int64_t second = 0; second < 1000; second++) {
        assert_int_equal(dev_prices_at(&dev_prices, 0, BEGAN + second * 1000),
                         dev_prices_at(&again, 0, BEGAN + second * 1000 + 999));
        different +=
            dev_prices_at(&dev_prices, 0, BEGAN + second * 1000) != dev_prices_at(&other, 0, BEGAN + second * 1000);
    }
    assert_true(different > 900);
}

static void prices_are_on_the_tick_and_never_zero(void **state)
{
    struct dev_prices dev_prices = { 7, genesis };

    (void)state;
    for (int64_t second = 0; second < 10000; second++) {
        assert_int_equal(dev_prices_at(&dev_prices, 1, BEGAN + second * 1000) % 5, 0);
        assert_in_range(dev_prices_at(&dev_prices, 2, BEGAN + second * 1000), 3, 3);
    }
    assert_true(dev_prices_at(&dev_prices, 0, 0) > 0); /* before the beginning it is the beginning */
    assert_int_equal(dev_prices_at(&dev_prices, 0, 0), dev_prices_at(&dev_prices, 0, BEGAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_is_calm_and_stays_near_the_reference),
        cmocka_unit_test(the_same_seed_is_the_same_path),
        cmocka_unit_test(prices_are_on_the_tick_and_never_zero),
    };
    return cmocka_run_group_tests_name("pipeline/dev_prices", tests, make, unmake);
}
