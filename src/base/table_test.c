/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/table.h"

#define COUNT 300

static bool has(const struct table_entry *table, uint32_t size, uint32_t key, uint32_t ix)
{
    TABLE_EACH(at, table, size, key)
        if (table[at].ix == ix) return true;
    return false;
}

/* Few different keys, some at the end of the table, so that runs collide, wrap around and close again. */
static uint32_t key_of(uint32_t ix)
{
    return ix % 3 == 0 ? UINT32_MAX - ix % 5 : (uint32_t)(ix * 2654435761u) & 0xf0000000u;
}

static void whatever_goes_in_and_out_the_rest_is_found(void **state)
{
    struct table_entry table[1024] = { 0 };
    bool               in[COUNT + 1] = { false };
    uint32_t           size = (uint32_t)table_size(COUNT), random_state = 1;
    (void)state;

    assert_true(size <= ARRAY_COUNT(table));
    for (int round = 0; round < 5000; round++) {
        uint32_t ix = 1 + (random_state = random_state * 1664525u + 1013904223u) / 7 % COUNT;

        if (in[ix]) table_remove(table, size, key_of(ix), ix);
        else table_insert(table, size, key_of(ix), ix);
        in[ix] = !in[ix];
        if (round % 10 != 0) continue;
        for (uint32_t i = 1; i <= COUNT; i++) assert_int_equal(has(table, size, key_of(i), i), in[i]);
    }
}

/* The rule that searches rely on: from an entry's home to the one before its own, every group is full. */
static void check_rule(const struct table_entry *table, uint32_t size)
{
    for (uint32_t at = 0; at < size; at++) {
        if (table[at].ix == 0) {
            assert_int_equal(table[at].key, 0);
            continue;
        }
        for (uint32_t group = table_home(table[at].key, size); group != at / TABLE_GROUP * TABLE_GROUP;
             group = table_after(group, size))
            for (uint32_t i = 0; i < TABLE_GROUP; i++) assert_int_not_equal(table[group + i].ix, 0);
    }
}

static void behind_a_group_that_is_not_full_stands_nobody_who_belongs_before_it(void **state)
{
    struct table_entry table[1024] = { 0 };
    bool               in[COUNT + 1] = { false };
    uint32_t           size = (uint32_t)table_size(COUNT), random_state = 7, count = 0;
    (void)state;

    for (int round = 0; round < 20000; round++) {
        uint32_t ix = 1 + (random_state = random_state * 1664525u + 1013904223u) / 7 % COUNT;

        if (in[ix]) table_remove(table, size, key_of(ix), ix);
        else table_insert(table, size, key_of(ix), ix);
        count += in[ix] ? -1u : 1u;
        in[ix] = !in[ix];
        check_rule(table, size);
    }
    for (uint32_t at = 0; at < size; at++) count -= table[at].ix != 0;
    assert_int_equal(count, 0);
}

/* Four groups; the top two bits of a key are its home. */
static uint32_t key_in(uint32_t group, uint32_t n) { return group << 30 | n; }

static void a_hole_is_filled_from_as_far_as_the_groups_are_full(void **state)
{
    struct table_entry table[4 * TABLE_GROUP] = { 0 };
    uint32_t           size = ARRAY_COUNT(table);
    (void)state;

    for (uint32_t i = 0; i < 8; i++) table_insert(table, size, key_in(3, i), 1 + i);  /* the last group, full */
    for (uint32_t i = 0; i < 8; i++) table_insert(table, size, key_in(0, i), 11 + i); /* the first, full */
    table_insert(table, size, key_in(3, 8), 9);                                       /* around the end, over both */
    assert_int_equal(table[TABLE_GROUP].ix, 9);
    check_rule(table, size);
    table_remove(table, size, key_in(0, 3), 14); /* not wanted in group 3, so only one group back */
    assert_int_equal(table[3].ix, 9);
    table_insert(table, size, key_in(0, 3), 14);
    assert_int_equal(table[TABLE_GROUP].ix, 14);
    table_remove(table, size, key_in(3, 5), 6); /* 9 goes home to group 3, 14 to group 0 */
    assert_int_equal(table[3 * TABLE_GROUP + 5].ix, 9);
    assert_int_equal(table[3].ix, 14);
    assert_int_equal(table[TABLE_GROUP].ix, 0);
    check_rule(table, size);
}

static void the_same_key_may_stand_in_two_groups(void **state)
{
    struct table_entry table[4 * TABLE_GROUP] = { 0 };
    uint32_t           size = ARRAY_COUNT(table), seen = 0;
    (void)state;

    for (uint32_t ix = 1; ix <= 10; ix++) table_insert(table, size, key_in(1, 0), ix);
    TABLE_EACH(at, table, size, key_in(1, 0)) seen |= 1u << table[at].ix;
    assert_int_equal(seen, 0x7fe);
    for (uint32_t ix = 1; ix <= 10; ix++) {
        table_remove(table, size, key_in(1, 0), ix);
        assert_false(has(table, size, key_in(1, 0), ix));
        check_rule(table, size);
    }
}

/* Key 0 is a key like others, though free places have it too. */
static void key_zero_is_told_from_a_free_place(void **state)
{
    struct table_entry table[16] = { 0 };
    (void)state;

    assert_int_equal(table_first(table, 16, 0), TABLE_END);
    table_insert(table, 16, 0, 5);
    assert_int_equal(table_first(table, 16, 0), 0);
    assert_int_equal(table_next(table, 16, 0, 0), TABLE_END);
    table_remove(table, 16, 0, 5);
    assert_int_equal(table_first(table, 16, 0), TABLE_END);
}

static void a_group_is_compared_entry_by_entry(void **state)
{
    struct table_entry group[TABLE_GROUP];
    uint32_t           random_state = 3;
    (void)state;

    for (int round = 0; round < 1000; round++) {
        uint32_t bits = 0;

        for (uint32_t i = 0; i < TABLE_GROUP; i++) {
            random_state = random_state * 1664525u + 1013904223u;
            group[i] = random_state >> 30 == 0
                         ? (struct table_entry){ 0, 0 }
                         : (struct table_entry){ UINT32_MAX - (random_state >> 28), 1 + (random_state >> 20) };
            bits |= (uint32_t)((group[i].key == UINT32_MAX - 5) | (group[i].ix == 0) << 1) << 2 * i;
        }
        assert_int_equal(table_compare(group, UINT32_MAX - 5), bits);
    }
}

static void a_place_is_found_for_a_new_key_only_and_need_not_be_free_any_more(void **state)
{
    struct table_entry table[2 * TABLE_GROUP] = { 0 };
    const uint32_t     size = ARRAY_COUNT(table), key = 7; /* all of these are at home in the first group */
    uint32_t           place = table_place(table, size, key);
    (void)state;

    assert_int_equal(place, 0);
    table_insert(table, size, 8, 1); /* takes that place */
    table_insert_at(table, size, key, 2, place);
    assert_true(has(table, size, 8, 1) && has(table, size, key, 2));
    assert_int_equal(table_place(table, size, key), TABLE_END); /* the key is there */
    assert_int_equal(table_place(table, size, 9), 2);
    table_insert_at(table, size, 9, 3, 2);
    assert_true(table[2].key == 9 && table[2].ix == 3);
    for (uint32_t ix = 4; ix <= TABLE_GROUP; ix++) table_insert_at(table, size, key, ix, TABLE_END);
    assert_int_equal(table_place(table, size, 10), TABLE_END); /* the group is full */
    table_insert_at(table, size, 10, 9, TABLE_END);
    assert_true(has(table, size, 10, 9) && table_count(table, size) == 9);
}

static void the_table_is_whole_groups_at_four_sevenths(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < 1000; count++) {
        assert_int_equal(table_size(count) % TABLE_GROUP, 0);
        assert_true(table_size(count) * 4 >= count * 7);
        assert_true(table_size(count) > count); /* one free place ends every search */
    }
}

static void an_empty_table_finds_nothing(void **state)
{
    struct table_entry table[16] = { 0 };
    (void)state;

    assert_false(has(table, 16, 0, 0));
    assert_false(has(table, 16, UINT32_MAX, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_goes_in_and_out_the_rest_is_found),
        cmocka_unit_test(behind_a_group_that_is_not_full_stands_nobody_who_belongs_before_it),
        cmocka_unit_test(a_hole_is_filled_from_as_far_as_the_groups_are_full),
        cmocka_unit_test(the_same_key_may_stand_in_two_groups),
        cmocka_unit_test(key_zero_is_told_from_a_free_place),
        cmocka_unit_test(a_group_is_compared_entry_by_entry),
        cmocka_unit_test(a_place_is_found_for_a_new_key_only_and_need_not_be_free_any_more),
        cmocka_unit_test(the_table_is_whole_groups_at_four_sevenths),
        cmocka_unit_test(an_empty_table_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
