/* SPDX-License-Identifier: MIT */
/*
 * The disk refuses a part of the history once: the system says so once and drops the pages, and all later syncs
 * succeed. `drive` is such a disk: what it took of data.mdb, page by page.
 */
#include "rigs/history/naive_rig.h"

#include "io/clock.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE     4096u
#define FILE_MAX (64u << 20)
#define BATCHES  300

/* ---- the disk ---- */

static struct {
    bool     on;
    int      writes_back, syncs;  /* how many fail from now on */
    int      good_syncs;          /* that come before those */
    int      writes, meta_writes; /* that fail: of pages, and of those that say where the pages are */
    uint64_t failed;
    size_t   len;
    uint8_t *took, *lost; /* what is on the disk; of a page that was dropped what it did not take */
    bool     dropped[FILE_MAX / PAGE];
} drive;

static bool is_of_the_store(int file)
{
    char link[64], name[256];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t len = readlink(link, name, sizeof(name) - 1);
    if (len < 0) return false;
    name[len] = '\0';
    return strstr(name, "data.mdb") != NULL;
}

/* A page that was dropped counts as clean: the disk gets it when it is written again with something else. */
static void take_page(size_t at, const uint8_t *page, bool fails)
{
    bool same = drive.dropped[at / PAGE] && memcmp(drive.lost + at, page, PAGE) == 0;

    if (same || memcmp(drive.took + at, page, PAGE) == 0) return;
    drive.dropped[at / PAGE] = fails;
    memcpy((fails ? drive.lost : drive.took) + at, page, PAGE);
}

static int take(int file, off_t from, off_t len, int *failing)
{
    static uint8_t page[PAGE];
    bool           fails = *failing != 0;
    off_t          end = lseek(file, 0, SEEK_END);

    if (fails) *failing -= 1;
    drive.failed += fails;
    assert_true(end >= 0 && end < (off_t)FILE_MAX);
    if (from + len < end) end = from + len;
    for (off_t at = from; at < end; at += PAGE) {
        assert_int_equal(pread(file, page, PAGE, at), PAGE);
        take_page((size_t)at, page, fails);
        if ((size_t)at + PAGE > drive.len) drive.len = (size_t)at + PAGE;
    }
    errno = EIO;
    return fails ? -1 : 0;
}

#define SEEN __attribute__((visibility("default")))
SEEN int     sync_file_range(int file, off_t from, off_t len, unsigned flags);
SEEN int     fdatasync(int file);
SEEN ssize_t pwrite(int file, const void *bytes, size_t len, off_t at);

int sync_file_range(int file, off_t from, off_t len, unsigned flags)
{
    (void)flags;
    return drive.on && is_of_the_store(file) ? take(file, from, len, &drive.writes_back) : 0;
}

int fdatasync(int file)
{
    int none = 0;

    if (!drive.on || !is_of_the_store(file)) return 0;
    if (drive.good_syncs == 0) return take(file, 0, FILE_MAX, &drive.syncs);
    drive.good_syncs -= 1;
    return take(file, 0, FILE_MAX, &none);
}

ssize_t pwrite(int file, const void *bytes, size_t len, off_t at)
{
    int *failing = at < (off_t)(2 * PAGE) ? &drive.meta_writes : &drive.writes;

    if (!drive.on || *failing == 0 || !is_of_the_store(file))
        return (ssize_t)syscall(SYS_pwrite64, file, bytes, len, at);
    *failing -= 1;
    drive.failed += 1;
    errno = ENOSPC;
    return -1;
}

static int setup_drive(void **state)
{
    uint8_t *took = drive.took, *lost = drive.lost;

    if (took == NULL) took = malloc(FILE_MAX);
    if (lost == NULL) lost = malloc(FILE_MAX);
    if (took == NULL || lost == NULL) return -1;
    memset(took, 0, FILE_MAX);
    memset(&drive, 0, sizeof(drive));
    drive.took = took;
    drive.lost = lost;
    drive.on = true;
    return setup(state);
}

static int teardown_drive(void **state)
{
    drive.on = false;
    return teardown(state);
}

/* ---- what happens to it ---- */

static void some_batches(void)
{
    for (int i = 0; i < BATCHES; i++) {
        random_batch();
        if (i % 10 == 9) write_all();
    }
    write_all();
}

static int write_back_all(void) { return history_write_back(history, INT64_MAX); }

static uint64_t keep_a_moment(void)
{
    some_batches();
    assert_int_equal(history_keep(history), 0);
    assert_int_equal(history_kept(history), history_seq(history));
    return history_kept(history);
}

static void lose_a_part(void)
{
    some_batches();
    drive.writes_back = 1;
    assert_int_equal(write_back_all(), EIO);
    assert_int_equal(drive.failed, 1);
}

static void copy_file(const char *from, const char *name)
{
    static uint8_t bytes[1 << 16];
    char           file[256];
    size_t         len;

    snprintf(file, sizeof(file), "%s/%s", from, name);
    if (files_read(file, bytes, sizeof(bytes), &len) != 0) return;
    snprintf(file, sizeof(file), "%s/%s", path, name);
    assert_int_equal(files_create(file, slice_make(bytes, len)), 0);
}

/* The power goes, or the system needs the memory of clean pages: what the disk took is left. */
static void leave_what_the_disk_took(const char *boot)
{
    char old[sizeof(path)], file[256];

    memcpy(old, path, sizeof(path));
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(path));
    copy_file(old, "state");
    copy_file(old, "kept");
    snprintf(file, sizeof(file), "%s/data.mdb", path);
    assert_int_equal(files_create(file, slice_make(drive.took, drive.len)), 0);
    drive.on = false;
    if (history != NULL) history_close(history);
    assert_int_equal(folder_remove(old), 0);
    drive.on = true;
    open_it(&instance, boot);
}

static void expect_gone_back_to(uint64_t seq, uint32_t batches)
{
    assert_null(history_thrown_away(history));
    assert_true(history_went_back(history));
    assert_int_equal(history_seq(history), seq);
    assert_int_equal(history_kept(history), seq);
    replay_from_the_start(batches);
    ask_at_random(50);
    write_all();
    ask_at_random(50);
    assert_int_equal(history_keep(history), 0);
    assert_int_equal(history_kept(history), history_seq(history));
    assert_true(history_seq(history) >= seq);
}

/* ---- the tests ---- */

static void no_moment_is_kept_behind_a_loss(void **state)
{
    uint64_t good = keep_a_moment();

    (void)state;
    lose_a_part();
    some_batches();
    assert_int_equal(history_keep(history), EIO);
    assert_int_equal(history_kept(history), good);
    some_batches();
    assert_int_equal(history_keep(history), EIO);
    assert_int_equal(history_kept_in(path, &instance), good);
    leave_what_the_disk_took("boot two");
    expect_gone_back_to(good, 4 * BATCHES);
}

static void a_sync_that_failed_is_not_made_good_by_the_next_one(void **state)
{
    uint64_t good = keep_a_moment();

    (void)state;
    some_batches();
    random_batch();
    write_all();
    drive.syncs = 1;
    assert_int_equal(history_keep(history), EIO);
    assert_int_equal(drive.syncs, 0);
    assert_int_equal(history_keep(history), EIO);
    assert_int_equal(history_kept_in(path, &instance), good);
    leave_what_the_disk_took("boot two");
    expect_gone_back_to(good, 2 * BATCHES + 1);
}

/* Whichever way it ends: the system has the pages in memory still, and the disk does not have them. */
static void after_a_close_it_goes_back(void **state)
{
    uint64_t good = keep_a_moment();

    (void)state;
    lose_a_part();
    some_batches();
    history_close(history);
    open_it(&instance, "boot one");
    expect_gone_back_to(good, 3 * BATCHES);
}

static void after_a_kill_it_goes_back(void **state)
{
    uint64_t good = keep_a_moment();

    (void)state;
    lose_a_part();
    leave_what_the_disk_took("boot one");
    expect_gone_back_to(good, 2 * BATCHES);
}

static void without_a_moment_it_is_made_anew(void **state)
{
    (void)state;
    lose_a_part();
    some_batches();
    ask_at_random(50); /* and meanwhile it answers */
    history_close(history);
    open_it(&instance, "boot one");
    assert_non_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), 0);
    replay_from_the_start(2 * BATCHES);
    write_all();
    ask_at_random(50);
    assert_int_equal(write_back_all(), 0);
    history_close(history);
    open_it(&instance, "boot one");
    assert_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), next_seq - 1);
}

static void the_sync_of_the_close_fails(void **state)
{
    (void)state;
    some_batches();
    drive.syncs = 1;
    history_close(history);
    assert_int_equal(drive.syncs, 0);
    open_it(&instance, "boot one");
    assert_non_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), 0);
}

/* The moment that it went back to is on the disk already. */
static void a_loss_behind_a_return_leaves_the_moment(void **state)
{
    uint64_t good = keep_a_moment();

    (void)state;
    lose_a_part();
    drive.good_syncs = 1; /* of its return */
    drive.syncs = 1;
    leave_what_the_disk_took("boot two");
    drive.good_syncs = 0;
    assert_true(history_went_back(history));
    assert_int_equal(history_kept_in(path, &instance), good);
    replay_from_the_start(2 * BATCHES);
    write_all();
    drive.syncs = 1;
    assert_int_equal(history_keep(history), EIO);
    assert_int_equal(history_kept_in(path, &instance), good);
    leave_what_the_disk_took("boot three");
    expect_gone_back_to(good, 2 * BATCHES);
}

static void another_node_gets_no_copy_of_it(void **state)
{
    char folder[sizeof(path)];

    (void)state;
    snprintf(folder, sizeof(folder), "%s/dojima-copy-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(folder));
    lose_a_part();
    assert_int_equal(history_copy(history, folder), EIO);
    assert_int_equal(folder_remove(folder), 0);
}

/* Nothing of the transaction is in the store: its rows wait, and are written again. */
static void a_write_that_failed_is_no_loss(void **state)
{
    uint32_t left;

    (void)state;
    (void)keep_a_moment();
    random_batch();
    drive.writes = 1;
    assert_int_equal(history_write(history, &left), -ENOSPC);
    assert_int_equal(drive.failed, 1);
    assert_true(left > 0);
    assert_int_equal(write_back_all(), 0);
    write_all();
    assert_int_equal(history_keep(history), 0);
    assert_int_equal(history_kept(history), history_seq(history));
    leave_what_the_disk_took("boot two");
    expect_gone_back_to(history_seq(history), BATCHES + 1);
}

/* LMDB does not go on behind a failed write of its first pages, and nobody knows what they say. */
static void without_its_first_pages_it_goes_back(void **state)
{
    uint64_t good = keep_a_moment();
    uint32_t left;

    (void)state;
    some_batches();
    random_batch();
    drive.meta_writes = 1;
    assert_int_equal(history_write(history, &left), -ENOSPC);
    assert_int_equal(drive.failed, 1);
    assert_int_equal(history_write(history, &left), -EIO);
    assert_int_equal(write_back_all(), EIO);
    assert_int_equal(history_keep(history), EIO);
    history_close(history);
    open_it(&instance, "boot one");
    expect_gone_back_to(good, 2 * BATCHES + 1);
}

/* ---- how much the disk has not taken ---- */

static void what_waits_for_the_disk_is_counted(void **state)
{
    struct history_unkept unkept = history_unkept(history);
    int64_t               before_ns = clock_mono_ns();
    uint64_t              bytes;
    int                   seconds;

    (void)state;
    assert_int_equal(unkept.since_ns, 0);
    assert_int_equal(unkept.bytes, 0);
    some_batches();
    unkept = history_unkept(history);
    assert_true(unkept.since_ns >= before_ns && unkept.since_ns <= clock_mono_ns());
    assert_true(unkept.bytes > BATCHES * 100);
    bytes = unkept.bytes;
    assert_int_equal(history_write_back(history, INT64_C(10000000000)), 0); /* half of the file */
    assert_int_equal(history_unkept(history).bytes, bytes);
    before_ns = clock_mono_ns();
    random_batch();
    write_all();
    bytes = history_unkept(history).bytes - bytes;
    assert_true(bytes > 0);
    for (seconds = 0; seconds < 40 && history_unkept(history).since_ns < before_ns;
         seconds++) /* the other half, which has grown */
        assert_int_equal(history_write_back(history, INT64_C(1000000000)), 0);
    assert_true(seconds >= 9 && seconds < 20);
    assert_int_equal(history_unkept(history).bytes, bytes);
    assert_int_equal(write_back_all(), 0);
    unkept = history_unkept(history);
    assert_int_equal(unkept.since_ns, 0);
    assert_int_equal(unkept.bytes, 0);
}

static void what_the_disk_refused_is_counted_until_the_end(void **state)
{
    struct history_unkept unkept, later;
    int64_t               before_ns = clock_mono_ns();

    (void)state;
    some_batches();
    drive.writes_back = 1;
    assert_int_equal(write_back_all(), EIO);
    unkept = history_unkept(history);
    assert_true(unkept.since_ns >= before_ns);
    assert_true(unkept.bytes > 0);
    for (int i = 0; i < 3; i++) assert_int_equal(write_back_all(), EIO);
    some_batches();
    for (int i = 0; i < 3; i++) assert_int_equal(write_back_all(), EIO);
    later = history_unkept(history);
    assert_int_equal(later.since_ns, unkept.since_ns);
    assert_true(later.bytes > unkept.bytes);
}

#define D(name) cmocka_unit_test_setup_teardown(name, setup_drive, teardown_drive)

int main(void)
{
    const struct CMUnitTest tests[] = { D(no_moment_is_kept_behind_a_loss),
                                        D(a_sync_that_failed_is_not_made_good_by_the_next_one),
                                        D(after_a_close_it_goes_back),
                                        D(after_a_kill_it_goes_back),
                                        D(without_a_moment_it_is_made_anew),
                                        D(the_sync_of_the_close_fails),
                                        D(a_loss_behind_a_return_leaves_the_moment),
                                        D(another_node_gets_no_copy_of_it),
                                        D(a_write_that_failed_is_no_loss),
                                        D(without_its_first_pages_it_goes_back),
                                        D(what_waits_for_the_disk_is_counted),
                                        D(what_the_disk_refused_is_counted_until_the_end) };

    return cmocka_run_group_tests_name("history/loss", tests, NULL, NULL);
}
