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
    TABLE_EACH(at, table, size, key) if (table[at].ix == ix) return true;
    return false;
}

/* Few different keys, some at the end of the table, so that runs collide, wrap around and close again. */
static uint32_t key_of(uint32_t ix) { return ix % 3 == 0 ? UINT32_MAX - ix % 5 : (uint32_t)(ix * 2654435761u) & 0xf0000000u; }

static void whatever_goes_in_and_out_the_rest_is_found(void **state)
{
    struct table_entry table[1024] = { 0 };
    bool               in[COUNT + 1] = { false };
    uint32_t           size = (uint32_t)table_size(COUNT), dice = 1;
    (void)state;

    assert_true(size <= ARRAY_COUNT(table));
    for (int round = 0; round < 5000; round++) {
        uint32_t ix = 1 + (dice = dice * 1664525u + 1013904223u) / 7 % COUNT;

        if (in[ix]) table_remove(table, size, key_of(ix), ix);
        else        table_insert(table, size, key_of(ix), ix);
        in[ix] = !in[ix];
        if (round % 10 != 0) continue;
        for (uint32_t i = 1; i <= COUNT; i++) assert_int_equal(has(table, size, key_of(i), i), in[i]);
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
        cmocka_unit_test(an_empty_table_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
