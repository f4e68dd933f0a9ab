/* SPDX-License-Identifier: MIT */
#include "gateway/overload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_turn_is_late_when_it_was_long_full_and_worked(void **state)
{
    struct overload overload = { 0 };
    int64_t         began = INT64_C(7000000000), worked = INT64_C(3000000000);

    (void)state;
    for (int i = 0; i < 2 * OVERLOAD_REQUESTS; i++) overload_count_request(&overload);
    assert_false(overload_is_past_deadline(&overload, began)); /* a few connections are no crowd */
    overload_begin(&overload, began, worked);
    assert_false(overload_is_past_deadline(&overload, began + 10 * OVERLOAD_NS));
    for (int i = 0; i < OVERLOAD_REQUESTS - 1; i++) overload_count_request(&overload);
    assert_false(overload_is_past_deadline(&overload, began + OVERLOAD_NS + 1));
    overload_count_request(&overload);
    assert_false(overload_is_past_deadline(&overload, began + OVERLOAD_NS));
    assert_true(overload_is_past_deadline(&overload, began + OVERLOAD_NS + 1));
    assert_false(
        overload_is_late(&overload, worked + OVERLOAD_NS)); /* the thread was not scheduled: no request is shed */
    assert_true(overload_is_late(&overload, worked + OVERLOAD_NS + 1));
    assert_true(overload.late);
    overload_begin(&overload, began + OVERLOAD_NS + 1, worked + OVERLOAD_NS + 1);
    assert_false(overload.late);
    overload_clear(&overload);
    assert_false(overload_is_past_deadline(&overload, INT64_MAX));
}

static void who_sends_more_than_its_part_for_long_is_late_alone(void **state)
{
    struct overload overload = { 0 };
    int64_t         behind = 0, other = 0, began = INT64_C(7000000000);

    (void)state;
    overload_note_backlog(&overload, &behind);
    assert_int_equal(behind, 0); /* no crowd */
    assert_false(overload_is_backlogged(&overload, behind));
    overload_begin(&overload, began, 0);
    overload_note_backlog(&overload, &behind);
    assert_int_equal(behind, began);
    overload_begin(&overload, began + 2 * OVERLOAD_NS, 0);
    overload_note_backlog(&overload, &behind);
    assert_int_equal(behind, began);
    assert_false(overload_is_backlogged(&overload, behind));
    overload_begin(&overload, began + 2 * OVERLOAD_NS + 1, 0);
    overload_note_backlog(&overload, &behind);
    assert_true(overload_is_backlogged(&overload, behind));
    assert_false(overload.late);
    assert_false(overload_is_backlogged(&overload,
                                        other)); /* has not had its turn: it continues because its replies were sent */
    overload_note_backlog(&overload, &other);
    assert_false(overload_is_backlogged(&overload, other));
    assert_true(overload_is_backlogged(&overload, behind)); /* whichever connection had a turn meanwhile */
    overload_clear(&overload);
    overload_note_backlog(&overload, &behind);
    assert_false(overload_is_backlogged(&overload, behind));
}

static void the_late_are_all_but_cancels(void **state)
{
    (void)state;
    assert_int_equal(OVERLOAD_ALL_BUT_CANCELS & 1u << CLASS_CANCEL, 0);
    for (uint32_t class = CLASS_CANCEL + 1; class < OVERLOAD_CLASSES; class ++)
        assert_int_not_equal(OVERLOAD_ALL_BUT_CANCELS & 1u << class, 0);
    assert_int_equal(OVERLOAD_WRITES_BUT_CANCELS & (1u << CLASS_CANCEL | 1u << CLASS_READ), 0);
    assert_int_equal(OVERLOAD_WRITES_BUT_CANCELS | 1u << CLASS_READ, OVERLOAD_ALL_BUT_CANCELS);
}

static void who_goes_first_finds_room_for_longest(void **state)
{
    uint64_t before = 0;

    (void)state;
    assert_int_equal(overload_reserved_bytes(1 << 20, CLASS_CANCEL), 0);
    for (uint8_t class = CLASS_REPLACE; class <= CLASS_RISK; class ++) {
        assert_true(overload_reserved_bytes(1 << 20, class) > before);
        before = overload_reserved_bytes(1 << 20, class);
    }
    assert_int_equal(overload_reserved_bytes(1 << 20, CLASS_REPLACE), (1 << 20) / 4);
    assert_true(before < (1 << 20) / 2); /* new risk still has more than half */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_late_when_it_was_long_full_and_worked),
        cmocka_unit_test(who_sends_more_than_its_part_for_long_is_late_alone),
        cmocka_unit_test(the_late_are_all_but_cancels),
        cmocka_unit_test(who_goes_first_finds_room_for_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
