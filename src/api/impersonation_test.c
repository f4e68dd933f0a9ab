/* SPDX-License-Identifier: MIT */
#include "api/impersonation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct address numbered(uint32_t number)
{
    struct address address = { { 0 } };

    memcpy(address.bytes, &number, sizeof(number));
    return address;
}

static void an_address_is_impersonated_until_that_ends(void **state)
{
    struct impersonation list = { 0 };
    struct address       one = numbered(1), two = numbered(2);

    (void)state;
    assert_false(impersonation_has(&list, &one));
    impersonation_end(&list, &one);
    assert_true(impersonation_begin(&list, &one));
    assert_true(impersonation_has(&list, &one));
    assert_false(impersonation_has(&list, &two));
    impersonation_end(&list, &one);
    assert_false(impersonation_has(&list, &one));
    impersonation_set_all(&list, true);
    assert_true(impersonation_has(&list, &one));
    assert_true(impersonation_has(&list, &two));
    impersonation_set_all(&list, false);
    assert_false(impersonation_has(&list, &two));
}

static void after_a_clear_nobody_is_impersonated(void **state)
{
    struct impersonation list = { 0 };
    struct address       one = numbered(1), two = numbered(2);

    (void)state;
    assert_true(impersonation_begin(&list, &one));
    assert_true(impersonation_begin(&list, &two));
    impersonation_set_all(&list, true);
    impersonation_clear(&list);
    assert_false(impersonation_has(&list, &one));
    assert_false(impersonation_has(&list, &two));
    assert_true(impersonation_begin(&list, &two));
    assert_false(impersonation_has(&list, &one));
    assert_true(impersonation_has(&list, &two));
}

static void the_list_is_full_at_its_bound_and_no_address_takes_two_places(void **state)
{
    struct impersonation list = { 0 };
    struct address       address;

    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= IMPERSONATED_MAX; i++) {
            address = numbered(i);
            assert_true(impersonation_begin(&list, &address));
        }
    }
    address = numbered(IMPERSONATED_MAX + 1);
    assert_false(impersonation_begin(&list, &address));
    assert_false(impersonation_has(&list, &address));
    address = numbered(IMPERSONATED_MAX);
    assert_true(impersonation_has(&list, &address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_impersonated_until_that_ends),
        cmocka_unit_test(after_a_clear_nobody_is_impersonated),
        cmocka_unit_test(the_list_is_full_at_its_bound_and_no_address_takes_two_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
