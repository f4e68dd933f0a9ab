/* SPDX-License-Identifier: MIT */
/* Measurements of a folder: owner, free space, time of a sync; no file stays behind. */
#include "io/machine.h"

#include "io/files.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char path[256];

static int begin(void **state)
{
    (void)state;
    return files_make_temporary(path, sizeof(path));
}

static int end(void **state)
{
    (void)state;
    files_remove_tree(path);
    return 0;
}

static void a_folder_says_whose_it_is_and_what_room_there_is(void **state)
{
    struct machine_folder folder;
    char                  other[300];

    (void)state;
    assert_int_equal(machine_look_at_folder(path, &folder), 0);
    assert_true(folder.is_own);
    assert_int_equal(folder.mode & 0777, 0700);
    assert_true(folder.free_bytes > 0 && folder.free_bytes <= folder.all_bytes);
    assert_int_equal(chmod(path, 0751), 0);
    assert_int_equal(machine_look_at_folder(path, &folder), 0);
    assert_int_equal(folder.mode & 0777, 0751);
    (void)snprintf(other, sizeof(other), "%s/none", path);
    assert_int_equal(machine_look_at_folder(other, &folder), ENOENT);
}

static void syncs_are_timed_in_a_file_that_goes_away(void **state)
{
    int64_t median_ns, longest_ns;
    char    other[300];

    (void)state;
    assert_int_equal(machine_measure_syncs(path, &median_ns, &longest_ns), 0);
    assert_true(median_ns > 0 && longest_ns >= median_ns);
    assert_int_equal(rmdir(path), 0); /* it is empty */
    assert_int_equal(machine_measure_syncs(path, &median_ns, &longest_ns), ENOENT);
    (void)snprintf(other, sizeof(other), "%s", path);
    assert_int_equal(mkdir(other, 0700), 0);
}

static void the_clock_and_huge_pages_are_known_or_not(void **state)
{
    int64_t error_us;
    bool    kept = machine_clock_is_kept(&error_us);

    (void)state;
    if (kept) assert_true(error_us >= 0);
    assert_true(machine_huge_pages() <= HUGE_ALWAYS);
}

static void the_setting_of_huge_pages_stands_in_brackets(void **state)
{
    (void)state;
    assert_int_equal(machine_read_huge_pages("[always] madvise never\n"), HUGE_ALWAYS);
    assert_int_equal(machine_read_huge_pages("always [madvise] never\n"), HUGE_ASKED);
    assert_int_equal(machine_read_huge_pages("always madvise [never]\n"), HUGE_NEVER);
    assert_int_equal(machine_read_huge_pages("always madvise never\n"), HUGE_UNKNOWN);
    assert_int_equal(machine_read_huge_pages(""), HUGE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_says_whose_it_is_and_what_room_there_is, begin, end),
        cmocka_unit_test_setup_teardown(syncs_are_timed_in_a_file_that_goes_away, begin, end),
        cmocka_unit_test(the_clock_and_huge_pages_are_known_or_not),
        cmocka_unit_test(the_setting_of_huge_pages_stands_in_brackets),
    };
    return cmocka_run_group_tests_name("io/machine", tests, NULL, NULL);
}
