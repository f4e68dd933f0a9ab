/* SPDX-License-Identifier: MIT */
/* files_append: creation, obstacles, and the remainder of a partial line; names in a folder; memory by the page. */
#include "io/files.h"

#include "rigs/test_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[256], path[512];

static int begin(void **state)
{
    (void)state;
    if (files_make_temporary(folder, sizeof(folder)) != 0) return -1;
    (void)snprintf(path, sizeof(path), "%s/lines", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    files_remove_tree(folder);
    return 0;
}

static void expect_file(const char *text)
{
    char   bytes[4096];
    size_t len;

    assert_int_equal(files_read(path, bytes, sizeof(bytes), &len), 0);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(bytes, text, len);
}

static void put_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void it_is_made_for_its_owner_alone_and_grows(void **state)
{
    struct stat info;

    (void)state;
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(files_append(folder, "lines", SLICE("two\nthree\n")), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("\n")), 0);
    expect_file("one\ntwo\nthree\n\n");
}

static void one_that_was_renamed_is_left_alone(void **state)
{
    char old[600];

    (void)state;
    (void)snprintf(old, sizeof(old), "%s.1", path);
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), 0);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("two\n")), 0);
    expect_file("two\n");
}

static void half_a_line_stands_alone(void **state)
{
    (void)state;
    put_file("one\ntw");
    assert_int_equal(files_append(folder, "lines", SLICE("three\n")), 0);
    expect_file("one\ntw\nthree\n");
}

static void only_a_plain_file_will_do(void **state)
{
    char elsewhere[600];

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), EISDIR);
    assert_int_equal(rmdir(path), 0);
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", folder);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), ELOOP);
    assert_int_not_equal(access(elsewhere, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* it would wait for a reader */
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), EINVAL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(files_append(folder, "absent/lines", SLICE("one\n")), ENOENT);
    assert_int_equal(files_append("/absent", "lines", SLICE("one\n")), ENOENT);
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), 0);
}

/* A disk that fills up within a line: the part that fits stays, the caller gets the error, and the next line is whole.
 */
static void no_room_for_all_of_a_line(void **state)
{
    struct rlimit was, now;

    (void)state;
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), 0);
    assert_ptr_not_equal(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    now = (struct rlimit){ 6, was.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("second\n")), EFBIG);
    assert_int_equal(files_append(folder, "lines", SLICE("third\n")), EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    expect_file("one\nse");
    assert_int_equal(files_append(folder, "lines", SLICE("fourth\n")), 0);
    expect_file("one\nse\nfourth\n");
}

static void a_name_that_is_not_known_is_found(void **state)
{
    static const char *const known[] = { "lines", "more", NULL };
    char                     name[256] = "", other[sizeof(folder) + 8];

    (void)state;
    assert_int_equal(files_find_other(folder, known, name), 0);
    assert_int_equal(files_append(folder, "lines", SLICE("one\n")), 0);
    assert_int_equal(files_find_other(folder, known, name), 0);
    assert_int_equal(files_append(folder, "line", SLICE("one\n")), 0);
    assert_int_equal(files_find_other(folder, known, name), EEXIST);
    assert_string_equal(name, "line");
    assert_int_equal(files_find_other("/absent", known, name), 0);
    (void)snprintf(other, sizeof(other), "%s/line", folder);
    assert_int_equal(files_find_other(other, known, name), ENOTDIR);
    assert_int_equal(unlink(other), 0);
}

static void a_part_of_a_file_is_written_back(void **state)
{
    int file;

    (void)state;
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "rows", 4), 4);
    assert_int_equal(files_write_back(file, 0, 4), 0);
    assert_int_equal(files_write_back(file, 1 << 20, 4096), 0); /* behind its end */
    assert_int_equal(close(file), 0);
    assert_int_equal(files_write_back(file, 0, 4), EBADF);
}

static void memory_is_there_once_it_is_touched(void **state)
{
    const size_t bytes = 2048 * PAGE_BYTES, front = 700 * PAGE_BYTES;
    uint8_t     *at = files_take_memory(bytes);

    (void)state;
    assert_non_null(at);
    assert_int_equal(pages_there(at, bytes), 0);
    at[PAGE_BYTES * 2] = 7;
    files_touch_memory(at, front - 1);
    assert_int_equal(pages_there(at, front), 700);
    assert_true(pages_there(at, bytes) < 700 + 512); /* to the end of a large page at most */
    assert_int_equal(at[PAGE_BYTES * 2], 7);
    assert_int_equal(at[PAGE_BYTES * 3], 0);
    files_touch_memory(at, bytes);
    assert_int_equal(pages_there(at, bytes), 2048);
    files_forget_memory(at, bytes);
    assert_int_equal(at[PAGE_BYTES * 2], 0);
    files_give_memory(at, bytes);
}

/* More than a thread's part, and not a whole number of pages. */
static void much_memory_is_touched_to_its_last_byte(void **state)
{
    const size_t bytes = ((size_t)513 << 20) + 1;
    uint8_t     *at = files_take_memory(bytes);

    (void)state;
    assert_non_null(at);
    files_touch_memory(at, bytes);
    assert_int_equal(pages_there(at, bytes), bytes / PAGE_BYTES + 1);
    files_give_memory(at, bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(it_is_made_for_its_owner_alone_and_grows), TEST(one_that_was_renamed_is_left_alone),
            TEST(half_a_line_stands_alone),
        TEST(only_a_plain_file_will_do), TEST(no_room_for_all_of_a_line),
        TEST(a_name_that_is_not_known_is_found),
        TEST(a_part_of_a_file_is_written_back), TEST(memory_is_there_once_it_is_touched),
        TEST(a_part_of_a_file_is_written_back), TEST(much_memory_is_touched_to_its_last_byte),
    };
    /* clang-format on */
    return cmocka_run_group_tests_name("io/files", tests, NULL, NULL);
}
