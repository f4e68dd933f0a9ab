/* SPDX-License-Identifier: MIT */
/* Pages that differ from the base are found, all of them and no other, and become as in the base again. */
#include "io/pages.h"

#include "io/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define COUNT 1500

static uint8_t     *memory;
static struct pages pages;

static int make(void **state)
{
    (void)state;
    memory = files_take_memory((size_t)COUNT * PAGES_UNIT);
    assert_non_null(memory);
    for (uint32_t page = 0; page < COUNT; page += 3) memory[(size_t)page * PAGES_UNIT + page] = (uint8_t)(page | 1);
    assert_true(pages_open(&pages, memory, (size_t)COUNT * PAGES_UNIT));
    assert_int_equal(pages_begin(&pages), 0);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    pages_close(&pages);
    files_give_memory(memory, (size_t)COUNT * PAGES_UNIT);
    return 0;
}

static uint32_t changed(bool found[COUNT])
{
    size_t   from = 0, first, count;
    uint32_t sum = 0;

    memset(found, 0, COUNT);
    while ((count = pages_next(&pages, &from, &first)) != 0)
        for (size_t page = first; page < first + count; page++) {
            assert_false(found[page]);
            found[page] = true;
            sum++;
        }
    assert_false(pages.failed);
    return sum;
}

static bool is_first_content(void)
{
    for (uint32_t page = 0; page < COUNT; page++)
        for (uint32_t at = 0; at < PAGES_UNIT; at += 1)
            if (memory[(size_t)page * PAGES_UNIT + at]
                != (page % 3 == 0 && at == page % PAGES_UNIT ? (uint8_t)(page | 1) : 0))
                return false;
    return true;
}

static void the_content_stays_and_nothing_is_changed_at_first(void **state)
{
    bool found[COUNT];

    (void)state;
    assert_int_equal(changed(found), 0);
    assert_true(is_first_content());
    assert_int_equal(changed(found), 0); /* reading changes nothing */
}

static void what_is_written_is_found_and_dropped(void **state)
{
    bool found[COUNT];

    (void)state;
    for (uint32_t page = 0; page < COUNT; page++)
        if (page % 7 == 2 || (page > 500 && page < 1100)) memory[(size_t)page * PAGES_UNIT + 9] ^= 0x55;
    (void)changed(found);
    for (uint32_t page = 0; page < COUNT; page++) {
        assert_true(found[page] == (page % 7 == 2 || (page > 500 && page < 1100)));
        if (found[page]) pages_drop(&pages, page, 1);
    }
    assert_int_equal(changed(found), 0);
    assert_true(is_first_content());
}

static void a_page_that_is_written_into_the_base_shows(void **state)
{
    uint8_t content[PAGES_UNIT], before[PAGES_UNIT];
    bool    found[COUNT];

    (void)state;
    memset(content, 7, sizeof(content));
    assert_true(pages_read(&pages, 3, before) && before[3] == 3);
    assert_true(pages_write(&pages, 3, content));
    assert_int_equal(memory[3 * PAGES_UNIT], 7);
    assert_int_equal(changed(found), 0);
    memory[3 * PAGES_UNIT] = 8;
    assert_true(pages_read(&pages, 3, content) && content[0] == 7);
    assert_int_equal(changed(found), 1);
    assert_true(pages_clear(&pages));
    assert_int_equal(memory[3 * PAGES_UNIT], 0);
    assert_int_equal(changed(found), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_content_stays_and_nothing_is_changed_at_first, make, unmake),
        cmocka_unit_test_setup_teardown(what_is_written_is_found_and_dropped, make, unmake),
        cmocka_unit_test_setup_teardown(a_page_that_is_written_into_the_base_shows, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
