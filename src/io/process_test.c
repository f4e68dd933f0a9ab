/* SPDX-License-Identifier: MIT */
#include "io/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void file_numbers_are_counted_exactly(void **state)
{
    uint64_t before = process_look().handles;
    int      first = open("/dev/null", O_RDONLY), second = open("/dev/null", O_RDONLY);

    (void)state;
    assert_true(before >= 3);
    assert_int_equal(process_look().handles, before + 2);
    close(first);
    close(second);
    assert_int_equal(process_look().handles, before);
    assert_true(process_handles_max() > before);
}

static void memory_and_time_grow_with_what_is_used(void **state)
{
    struct process_figures before = process_look(), after;
    size_t                 bytes = 32 << 20;
    volatile char         *memory = malloc(bytes);

    (void)state;
    assert_non_null(memory);
    for (size_t i = 0; i < bytes; i += 512) memory[i] = (char)i;
    after = process_look();
    assert_true(after.resident >= before.resident + (24u << 20));
    assert_true(after.cpu_ns > before.cpu_ns);
    free((void *)memory);
}

/* A process has the limits that another one reads by its number. */
static void limits_of_a_process_by_its_number(void **state)
{
    uint32_t own = (uint32_t)getpid(), parent = (uint32_t)getppid();

    (void)state;
    assert_true(process_cores(0) >= 1);
    assert_int_equal(process_cores(own), process_cores(0));
    assert_true(process_cores(parent) >= 1);
    assert_true(process_memory_max(0) > (16u << 20));
    assert_int_equal(process_memory_max(own), process_memory_max(0));
    assert_true(process_memory_max(parent) > (16u << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_numbers_are_counted_exactly),
        cmocka_unit_test(memory_and_time_grow_with_what_is_used),
        cmocka_unit_test(limits_of_a_process_by_its_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
