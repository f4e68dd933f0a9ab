/* SPDX-License-Identifier: MIT */
#include "server/crowd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_turn_is_late_when_it_was_long_full_and_worked(void **state)
{
    struct crowd crowd = { 0 };
    int64_t      began = INT64_C(7000000000), worked = INT64_C(3000000000);

    (void)state;
    for (int i = 0; i < 2 * CROWD_REQUESTS; i++) crowd_handled(&crowd);
    assert_false(crowd_is_long(&crowd, began));                         /* a few connections are no crowd */
    crowd_begins(&crowd, began, worked);
    assert_false(crowd_is_long(&crowd, began + 10 * CROWD_NS));
    for (int i = 0; i < CROWD_REQUESTS - 1; i++) crowd_handled(&crowd);
    assert_false(crowd_is_long(&crowd, began + CROWD_NS + 1));
    crowd_handled(&crowd);
    assert_false(crowd_is_long(&crowd, began + CROWD_NS));
    assert_true(crowd_is_long(&crowd, began + CROWD_NS + 1));
    assert_false(crowd_is_late(&crowd, worked + CROWD_NS));             /* it was not let run: nobody is sent away */
    assert_true(crowd_is_late(&crowd, worked + CROWD_NS + 1));
    assert_true(crowd.late);
    crowd_begins(&crowd, began + CROWD_NS + 1, worked + CROWD_NS + 1);
    assert_false(crowd.late);
    crowd_is_none(&crowd);
    assert_false(crowd_is_long(&crowd, INT64_MAX));
}

static void who_sends_more_than_its_part_for_long_is_late_alone(void **state)
{
    struct crowd crowd = { 0 };
    int64_t      behind = 0, other = 0, began = INT64_C(7000000000);

    (void)state;
    crowd_looks(&crowd, &behind);
    assert_int_equal(behind, 0);                                        /* no crowd */
    assert_false(crowd_is_behind(&crowd, behind));
    crowd_begins(&crowd, began, 0);
    crowd_looks(&crowd, &behind);
    assert_int_equal(behind, began);
    crowd_begins(&crowd, began + 2 * CROWD_NS, 0);
    crowd_looks(&crowd, &behind);
    assert_int_equal(behind, began);
    assert_false(crowd_is_behind(&crowd, behind));
    crowd_begins(&crowd, began + 2 * CROWD_NS + 1, 0);
    crowd_looks(&crowd, &behind);
    assert_true(crowd_is_behind(&crowd, behind));
    assert_false(crowd.late);
    assert_false(crowd_is_behind(&crowd, other));                       /* has not had its turn: runs on because its replies came */
    crowd_looks(&crowd, &other);
    assert_false(crowd_is_behind(&crowd, other));
    assert_true(crowd_is_behind(&crowd, behind));                       /* whoever else had a turn meanwhile */
    crowd_is_none(&crowd);
    crowd_looks(&crowd, &behind);
    assert_false(crowd_is_behind(&crowd, behind));
}

static void the_late_are_all_but_cancels(void **state)
{
    (void)state;
    assert_int_equal(CROWD_ALL_BUT_CANCELS & 1u << CLASS_CANCEL, 0);
    for (uint32_t class = CLASS_CANCEL + 1; class < OVERLOAD_CLASSES; class++) assert_int_not_equal(CROWD_ALL_BUT_CANCELS & 1u << class, 0);
    assert_int_equal(CROWD_WRITES_BUT_CANCELS & (1u << CLASS_CANCEL | 1u << CLASS_READ), 0);
    assert_int_equal(CROWD_WRITES_BUT_CANCELS | 1u << CLASS_READ, CROWD_ALL_BUT_CANCELS);
}

static void who_goes_first_finds_room_for_longest(void **state)
{
    uint64_t before = 0;

    (void)state;
    assert_int_equal(crowd_keeps(1 << 20, CLASS_CANCEL), 0);
    for (uint8_t class = CLASS_REPLACE; class <= CLASS_RISK; class++) {
        assert_true(crowd_keeps(1 << 20, class) > before);
        before = crowd_keeps(1 << 20, class);
    }
    assert_int_equal(crowd_keeps(1 << 20, CLASS_REPLACE), (1 << 20) / 4);
    assert_true(before < (1 << 20) / 2);                                /* new risk still finds more than half */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_late_when_it_was_long_full_and_worked), cmocka_unit_test(who_sends_more_than_its_part_for_long_is_late_alone), cmocka_unit_test(the_late_are_all_but_cancels),
        cmocka_unit_test(who_goes_first_finds_room_for_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
