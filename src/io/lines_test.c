/* SPDX-License-Identifier: MIT */
/* Lines of a file: its end, a file that cannot be read, and what is read only once. */
#include "io/files.h"
#include "io/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

static void test_to_the_end(void **state)
{
    char                folder[128], path[160];
    struct lines_writer writer;
    struct lines        lines;
    struct slice        line;

    (void)state;
    assert_int_equal(files_make_temporary(folder, sizeof(folder)), 0);
    (void)snprintf(path, sizeof(path), "%s/lines", folder);
    assert_int_equal(lines_create(&writer, path), 0);
    assert_int_equal(lines_put(&writer, SLICE("first")), 0);
    assert_int_equal(lines_put(&writer, SLICE("")), 0);
    assert_int_equal(lines_finish(&writer), 0);
    assert_int_equal(lines_open(&lines, path), 0);
    assert_true(lines_are_kept(&lines));
    assert_true(lines_next(&lines, &line) && slice_is(line, "first"));
    assert_true(lines_next(&lines, &line) && line.len == 0);
    assert_false(lines_next(&lines, &line));
    assert_int_equal(lines.error, 0);
    lines_close(&lines);
    files_remove_tree(folder);
    assert_int_equal(lines_open(&lines, path), ENOENT);
    lines_close(&lines);
}

/* A folder can be opened; only the read says that it is none. */
static void test_a_read_that_fails(void **state)
{
    struct lines lines;
    struct slice line;

    (void)state;
    assert_int_equal(lines_open(&lines, "/"), 0);
    assert_false(lines_are_kept(&lines));
    assert_false(lines_next(&lines, &line));
    assert_int_equal(lines.error, EISDIR);
    lines_close(&lines);
}

static void test_a_pipe(void **state)
{
    struct lines lines;
    struct slice line;
    char         path[32];
    int          ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "one\n", 4), 4);
    assert_int_equal(close(ends[1]), 0);
    (void)snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    assert_int_equal(lines_open(&lines, path), 0);
    assert_false(lines_are_kept(&lines));
    assert_true(lines_next(&lines, &line) && slice_is(line, "one"));
    assert_false(lines_next(&lines, &line));
    assert_int_equal(lines.error, 0);
    lines_close(&lines);
    assert_int_equal(close(ends[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_the_end),
        cmocka_unit_test(test_a_read_that_fails),
        cmocka_unit_test(test_a_pipe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
