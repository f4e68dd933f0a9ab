/* SPDX-License-Identifier: MIT */
/* The disk table over a real folder. */
#include "io/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char               path[64];
static struct disk_folder folder;
static struct disk        disk;

static int setup(void **state)
{
    char *temporary = getenv("TMPDIR");
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-disk-XXXXXX",
             temporary != NULL && strlen(temporary) < 32 ? temporary : P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    return disk_open(&folder, path, DISK_WRITE, false, &disk);
}

static int teardown(void **state)
{
    static const char *const names[] = { "a", "b", "a.tmp", "b.tmp", "lock" };
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) unlinkat(folder.fd, names[i], 0);
    disk_close(&folder);
    return rmdir(path);
}

static void a_created_file_is_full_of_zeros_and_cannot_be_created_again(void **state)
{
    (void)state;
    uint64_t bytes = 0;
    int      handle;
    uint8_t  byte = 1;

    assert_int_equal(disk.size(disk.self, "a", &bytes), ENOENT);
    assert_int_equal(disk.create(disk.self, "a", 3 * 1024 * 1024 + 5), 0);
    assert_int_equal(disk.create(disk.self, "a", 5), EEXIST);
    assert_int_equal(disk.size(disk.self, "a", &bytes), 0);
    assert_int_equal(bytes, 3 * 1024 * 1024 + 5);
    assert_int_equal(disk.open(disk.self, "a", false, &handle), 0);
    assert_int_equal(disk.read(disk.self, handle, bytes - 1, &byte, 1), 0);
    assert_int_equal(byte, 0);
    disk.close(disk.self, handle);
    assert_int_not_equal(faccessat(folder.fd, "a.tmp", F_OK, 0), 0);
}

/* What is only allocated counts as a hole (lseek(2)): a write there changes metadata, which a sync then waits for. */
static void the_zeros_of_a_created_file_are_written(void **state)
{
    const uint64_t bytes = 3 * 1024 * 1024 + 5;
    int            fd;

    (void)state;
    assert_int_equal(disk.create(disk.self, "a", bytes), 0);
    fd = openat(folder.fd, "a", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 0, SEEK_DATA), 0);
    assert_int_equal(lseek(fd, 0, SEEK_HOLE), bytes);
    close(fd);
}

/* Pages of the file that the system has in its cache. */
static size_t cached_pages(const char *name, size_t bytes)
{
    static unsigned char pages[1024];
    size_t               count = 0;
    int                  fd = openat(folder.fd, name, O_RDONLY);
    void                *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    assert_true(fd >= 0 && at != MAP_FAILED && bytes <= sizeof(pages) * 4096);
    assert_int_equal(mincore(at, bytes, pages), 0);
    for (size_t i = 0; i < bytes / 4096; i++) count += pages[i] & 1;
    munmap(at, bytes);
    close(fd);
    return count;
}

static void zeros_go_past_the_cache_where_the_file_system_can(void **state)
{
    const size_t  bytes = 4 * 1024 * 1024;
    struct statfs system;

    (void)state;
    assert_int_equal(fstatfs(folder.fd, &system), 0);
    if (system.f_type != EXT4_SUPER_MAGIC && system.f_type != XFS_SUPER_MAGIC) {
        printf("skipped: the folder's file system is neither ext4 nor XFS\n");
        skip();
    }
    assert_int_equal(disk.create(disk.self, "a", bytes), 0);
    assert_int_equal(cached_pages("a", bytes), 0);
    assert_int_equal(disk.create(disk.self, "b", bytes - 4096 + 5), 0); /* its last piece is no whole block */
    assert_true(cached_pages("b", bytes) <= 32);
}

static void no_file_is_filled_once_its_owner_ends(void **state)
{
    int handle;

    (void)state;
    disk_end_filling(&folder);
    assert_int_equal(disk.create(disk.self, "a", 3 * 1024 * 1024), ECANCELED);
    assert_int_not_equal(faccessat(folder.fd, "a", F_OK, 0), 0);
    assert_int_not_equal(faccessat(folder.fd, "a.tmp", F_OK, 0), 0);
    assert_int_equal(disk.reserve(disk.self, "a", 5), 0); /* what the log itself needs is there at once */
    assert_int_equal(disk.open(disk.self, "a", true, &handle), 0);
    assert_int_equal(disk.write(disk.self, handle, 0, "12345", 5), 0);
    disk.close(disk.self, handle);
    assert_int_equal(disk.replace(disk.self, "b", "1", 1), 0);
}

static void a_reserved_file_has_its_room_and_is_full_of_zeros(void **state)
{
    (void)state;
    struct stat status;
    int         handle;
    uint8_t     byte = 1;

    assert_int_equal(disk.reserve(disk.self, "a", 8 * 1024 * 1024), 0);
    assert_int_equal(disk.reserve(disk.self, "a", 8 * 1024 * 1024), EEXIST);
    assert_int_equal(fstatat(folder.fd, "a", &status, 0), 0);
    assert_int_equal(status.st_size, 8 * 1024 * 1024);
    assert_true(status.st_blocks * 512 >= 8 * 1024 * 1024);
    assert_int_equal(disk.open(disk.self, "a", false, &handle), 0);
    assert_int_equal(disk.read(disk.self, handle, 5000000, &byte, 1), 0);
    assert_int_equal(byte, 0);
    disk.close(disk.self, handle);
    assert_int_not_equal(faccessat(folder.fd, "a.tmp", F_OK, 0), 0);
}

static void what_was_written_is_read_and_nothing_lies_behind_the_end(void **state)
{
    (void)state;
    char got[6] = "";
    int  handle;

    assert_int_equal(disk.create(disk.self, "a", 4096), 0);
    assert_int_equal(disk.open(disk.self, "a", true, &handle), 0);
    assert_int_equal(disk.write(disk.self, handle, 4090, "later", 6), 0);
    assert_int_equal(disk.sync(disk.self, handle), 0);
    assert_int_equal(disk.read(disk.self, handle, 4090, got, 6), 0);
    assert_string_equal(got, "later");
    assert_int_equal(disk.read(disk.self, handle, 4091, got, 6), EIO);
    disk.close(disk.self, handle);
    assert_int_equal(disk.open(disk.self, "a", false, &handle), 0);
    assert_int_equal(disk.write(disk.self, handle, 0, "x", 1), EBADF);
    disk.close(disk.self, handle);
    assert_int_equal(disk.open(disk.self, "b", false, &handle), ENOENT);
}

static void a_small_file_is_replaced_as_a_whole_and_removed(void **state)
{
    (void)state;
    uint64_t bytes;
    assert_int_equal(disk.replace(disk.self, "a", "one", 3), 0);
    assert_int_equal(disk.replace(disk.self, "a", "three", 5), 0);
    assert_int_equal(disk.size(disk.self, "a", &bytes), 0);
    assert_int_equal(bytes, 5);
    assert_int_equal(disk.replace(disk.self, "a", NULL, 0), 0);
    assert_int_equal(disk.size(disk.self, "a", &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(disk.remove(disk.self, "a"), 0);
    assert_int_equal(disk.remove(disk.self, "a"), ENOENT);
}

/* Data is found where it is; a hole is never called data's end before it. */
static void data_behind_a_hole_is_found(void **state)
{
    int handle;
    (void)state;

    folder.sparse = true;
    assert_int_equal(disk.create(disk.self, "a", 1 << 20), 0);
    assert_int_equal(disk.open(disk.self, "a", true, &handle), 0);
    assert_true(disk.find_data(disk.self, handle, 0) == UINT64_MAX || disk.find_data(disk.self, handle, 0) == 0);
    assert_int_equal(disk.write(disk.self, handle, 700001, "x", 1), 0);
    assert_true(disk.find_data(disk.self, handle, 0) <= 700001);
    assert_true(disk.find_data(disk.self, handle, 700001) == 700001);
    assert_true(disk.find_data(disk.self, handle, 1 << 20) == UINT64_MAX);
    disk.close(disk.self, handle);
    assert_true(disk.find_data(disk.self, -1, 4096) == 4096); /* an error: all may be data */
}

static void a_sparse_folder_gives_files_that_take_no_room_yet(void **state)
{
    (void)state;
    struct stat status;
    folder.sparse = true;
    assert_int_equal(disk.create(disk.self, "a", 8 * 1024 * 1024), 0);
    assert_int_equal(fstatat(folder.fd, "a", &status, 0), 0);
    assert_int_equal(status.st_size, 8 * 1024 * 1024);
    assert_true(status.st_blocks * 512 < 8 * 1024 * 1024);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void a_folder_is_made_private_or_must_exist(void **state)
{
    (void)state;
    struct disk_folder inner;
    struct disk        table;
    struct stat        status;
    char               name[80];

    snprintf(name, sizeof(name), "%s/inner", path);
    assert_int_equal(disk_open(&inner, name, DISK_READ, false, &table), ENOENT);
    assert_int_equal(disk_open(&inner, name, DISK_WRITE, false, &table), 0);
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    disk_close(&inner);
    assert_int_equal(rmdir(name), 0);
}

static void a_folder_in_use_is_refused_until_its_process_is_gone(void **state)
{
    (void)state;
    int mine, other, status;

    assert_int_equal(disk_lock(path, DISK_READ, &mine), 0);
    assert_int_equal(mine, -1);
    assert_int_equal(disk_lock(path, DISK_WRITE, &mine), 0);
    assert_int_equal(disk_lock(path, DISK_WRITE, &other), EWOULDBLOCK);
    assert_int_equal(disk_lock(path, DISK_READ, &other), EWOULDBLOCK);
    close(mine);

    pid_t child = fork();
    if (child == 0) _exit(disk_lock(path, DISK_WRITE, &mine) == 0 ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(disk_lock(path, DISK_WRITE, &other), 0);
    close(other);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_created_file_is_full_of_zeros_and_cannot_be_created_again),
        T(the_zeros_of_a_created_file_are_written),
        T(zeros_go_past_the_cache_where_the_file_system_can),
        T(no_file_is_filled_once_its_owner_ends),
        T(a_reserved_file_has_its_room_and_is_full_of_zeros),
        T(what_was_written_is_read_and_nothing_lies_behind_the_end),
        T(a_small_file_is_replaced_as_a_whole_and_removed),
        T(data_behind_a_hole_is_found),
        T(a_sparse_folder_gives_files_that_take_no_room_yet),
        T(a_folder_is_made_private_or_must_exist),
        T(a_folder_in_use_is_refused_until_its_process_is_gone),
    };
    return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
