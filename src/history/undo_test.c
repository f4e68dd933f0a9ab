/* SPDX-License-Identifier: MIT */
/* What transactions replaced is given back, the last record first; beyond its bytes the oldest are forgotten. */
#include "history/undo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define RECORDS 300

static void note(struct undo *undo, uint32_t number)
{
    char key[40], old[600];
    int  key_bytes = snprintf(key, sizeof(key), "key %u", number);

    memset(old, (int)number, sizeof(old));
    undo_note(undo, (uint8_t)(number % 20), key, (size_t)key_bytes, number % 3 == 0 ? NULL : old, number % sizeof(old));
}

static void expect(const struct undo_record *record, uint32_t number)
{
    char key[40];
    int  key_bytes = snprintf(key, sizeof(key), "key %u", number);

    assert_int_equal(record->table, number % 20);
    assert_int_equal(record->key_bytes, key_bytes);
    assert_memory_equal(record->key, key, (size_t)key_bytes);
    assert_true((record->old == NULL) == (number % 3 == 0));
    if (record->old == NULL) return;
    assert_int_equal(record->old_bytes, number % 600);
    for (uint32_t i = 0; i < record->old_bytes; i++)
        assert_int_equal(((const uint8_t *)record->old)[i], (uint8_t)number);
}

static void records_come_back_the_last_one_first(void **state)
{
    struct undo        undo = { .on = true, .bytes_max = 1 << 24 };
    struct undo_record record;
    size_t             end;

    (void)state;
    for (uint32_t t = 0; t < 3; t++) {
        undo_begin(&undo, 100 * t);
        for (uint32_t i = 0; i < RECORDS; i++) note(&undo, t * RECORDS + i);
    }
    undo_begin(&undo, 999);
    note(&undo, 1);
    undo_cancel(&undo);
    for (uint32_t t = 3; t-- > 0;) {
        assert_int_equal(undo.count, t + 1);
        assert_int_equal(undo.all[t].seq_before, 100 * t);
        end = undo.all[t].len;
        for (uint32_t i = RECORDS; i-- > 0;) {
            assert_true(undo_before(&undo.all[t], &end, &record));
            expect(&record, t * RECORDS + i);
        }
        assert_false(undo_before(&undo.all[t], &end, &record));
        undo_pop(&undo);
    }
    assert_int_equal(undo.bytes, 0);
    undo_free(&undo);
}

static void the_oldest_are_forgotten(void **state)
{
    struct undo undo = { .on = true, .bytes_max = 1 << 20 };

    (void)state;
    for (uint32_t t = 1; t <= 200; t++) {
        undo_begin(&undo, t);
        for (uint32_t i = 0; i < 100; i++) note(&undo, 599);
    }
    assert_true(undo.count > 3 && undo.count < 100);
    assert_true(undo.bytes < 2 * undo.bytes_max);
    assert_int_equal(undo.all[undo.count - 1].seq_before, 200);
    for (uint32_t t = 1; t < undo.count; t++) assert_int_equal(undo.all[t].seq_before, undo.all[t - 1].seq_before + 1);
    undo_free(&undo);
}

static void nothing_is_noted_while_it_is_off(void **state)
{
    struct undo undo = { .on = false };

    (void)state;
    undo_begin(&undo, 1);
    undo_cancel(&undo);
    assert_true(undo.count == 0 && undo.bytes == 0);
    undo_free(&undo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_the_last_one_first),
        cmocka_unit_test(the_oldest_are_forgotten),
        cmocka_unit_test(nothing_is_noted_while_it_is_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
