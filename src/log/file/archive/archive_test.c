/* SPDX-License-Identifier: MIT */
/*
 * A file and its archive are the same to a reader; at every moment, whatever fails, one of them is whole; and every
 * changed bit of an archive is detected.
 */
#include "rigs/random.h"
#include "support/little_memory.h"
#include "support/memory_disk.c"

#include "log/file/archive/archive.h"
#include "log/file/archive/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <xxhash.h>

#define NAME  "journal-00000007.log"
#define BYTES (2 * ARCHIVE_PIECE + 70000)

static struct memory_disk memory;
static bool               memory_is_ours;
static uint8_t            content[BYTES];

/* Like a segment: records, then zeros. */
static void make_file(uint64_t bytes)
{
    int handle;

    memory_disk_init(&memory);
    memset(content, 0, sizeof(content));
    for (size_t i = 0; i < bytes / 2; i++) content[i] = (uint8_t)(i * 7 + (i >> 9) * 31);
    assert_int_equal(memory.disk.create(&memory, NAME, bytes), 0);
    assert_int_equal(memory.disk.open(&memory, NAME, true, &handle), 0);
    assert_int_equal(memory.disk.write(&memory, handle, 0, content, bytes), 0);
    assert_int_equal(memory.disk.sync(&memory, handle), 0);
}

/* Through the disk over the disk: all of it, and pieces of it, as they were. */
static bool reads_as_before(uint64_t bytes)
{
    static uint8_t  got[BYTES];
    struct disk     over;
    struct archive *archive = archive_open(&memory.disk, &over);
    uint64_t        size = 0;
    int             handle;
    bool            good;

    assert_non_null(archive);
    good = over.size(over.self, NAME, &size) == 0 && size == bytes && over.open(over.self, NAME, false, &handle) == 0;
    if (good) {
        good = over.read(over.self, handle, 0, got, bytes) == 0 && memcmp(got, content, bytes) == 0;
        for (uint64_t at = 1; good && at + 5000 < bytes; at += 61441)
            good = over.read(over.self, handle, at, got, 5000) == 0 && memcmp(got, content + at, 5000) == 0;
        if (good) assert_int_equal(over.read(over.self, handle, bytes - 1, got, 2), EIO);
        over.close(over.self, handle);
    }
    archive_close(archive);
    return good;
}

static void an_archived_file_reads_as_before(void **state)
{
    static const uint64_t lengths[] = { BYTES, 2 * ARCHIVE_PIECE, ARCHIVE_PIECE - 1, 1, 0 };
    uint64_t              packed;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
        make_file(lengths[i]);
        assert_true(reads_as_before(lengths[i]));
        assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
        assert_null(memory_disk_find(&memory, NAME));
        assert_non_null(memory_disk_find(&memory, NAME ".zst"));
        assert_int_equal(memory_disk_find(&memory, NAME ".zst")->bytes, packed);
        if (lengths[i] == BYTES) assert_true(packed < BYTES / 4);
        assert_true(reads_as_before(lengths[i]));
        assert_int_equal(archive_pack(&memory.disk, NAME, &packed), ENOENT); /* it is done */
        memory_disk_free(&memory);
    }
}

/* A sync of the log waits behind what is not on the disk yet. */
static void a_long_archive_is_synced_as_it_is_written(void **state)
{
    static uint8_t noise[5 * SYNC_PIECE];
    uint64_t       packed, random = 1;
    int            handle;

    (void)state;
    memory_disk_init(&memory);
    for (size_t i = 0; i < sizeof(noise); i++) noise[i] = (uint8_t)(random_congruent(&random) >> 56);
    assert_int_equal(memory.disk.create(&memory, NAME, sizeof(noise)), 0);
    assert_int_equal(memory.disk.open(&memory, NAME, true, &handle), 0);
    assert_int_equal(memory.disk.write(&memory, handle, 0, noise, sizeof(noise)), 0);
    assert_int_equal(memory.disk.sync(&memory, handle), 0);
    memory.unsynced_most = 0;
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    assert_true(packed > 4 * SYNC_PIECE);
    assert_true(memory.unsynced_most <= SYNC_PIECE + 2 * ARCHIVE_PIECE);
    memory_disk_free(&memory);
}

static void an_archived_file_is_not_written_to_and_its_name_is_taken(void **state)
{
    struct disk     over;
    struct archive *archive;
    uint64_t        packed;
    int             handle;

    (void)state;
    make_file(BYTES);
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    archive = archive_open(&memory.disk, &over);
    assert_int_equal(over.open(over.self, NAME, true, &handle), EROFS);
    assert_int_equal(over.open(over.self, NAME, false, &handle), 0);
    assert_int_equal(over.write(over.self, handle, 0, "x", 1), EROFS);
    assert_int_equal(over.sync(over.self, handle), 0); /* nothing of it waits */
    over.close(over.self, handle);
    assert_int_equal(over.create(over.self, NAME, 4096), EEXIST);
    assert_int_equal(over.reserve(over.self, NAME, 4096), EEXIST);
    assert_int_equal(over.open(over.self, "other", false, &handle), ENOENT);
    assert_int_equal(over.create(over.self, "other", 4096), 0);
    assert_int_equal(over.open(over.self, "other", true, &handle), 0);
    assert_int_equal(over.write(over.self, handle, 10, "x", 1), 0);
    over.close(over.self, handle);
    archive_close(archive);
    memory_disk_free(&memory);
}

/* At most this many are open at once; and those still open when the disk ends are closed with it. */
static void one_too_many_is_refused(void **state)
{
    enum { READERS_MAX = 32 };
    struct disk     over;
    struct archive *archive;
    uint64_t        packed;
    int             handles[READERS_MAX], one_more;

    (void)state;
    make_file(9000);
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    archive = archive_open(&memory.disk, &over);
    for (int i = 0; i < READERS_MAX; i++) assert_int_equal(over.open(over.self, NAME, false, &handles[i]), 0);
    assert_int_equal(over.open(over.self, NAME, false, &one_more), EMFILE);
    over.close(over.self, handles[3]);
    assert_int_equal(over.open(over.self, NAME, false, &one_more), 0);
    archive_close(archive);
    archive_close(NULL);
    memory_disk_free(&memory);
}

/* A disk that does not answer, and names that are too long to have a suffix. */
static void what_the_disk_says_is_passed_on(void **state)
{
    char            name[78];
    struct disk     over;
    struct archive *archive;
    uint64_t        bytes;
    int             handle;

    (void)state;
    make_file(9000);
    archive = archive_open(&memory.disk, &over);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(over.size(over.self, NAME, &bytes), EIO);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(over.open(over.self, NAME, false, &handle), EIO);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(over.create(over.self, "other", 4096), EIO);
    assert_null(memory_disk_find(&memory, "other"));
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0'; /* 77: 4 more are 81, and there are 80 with the end */
    assert_int_equal(over.size(over.self, name, &bytes), ENOENT);
    assert_int_equal(over.open(over.self, name, false, &handle), ENOENT);
    assert_int_equal(archive_pack(&memory.disk, name, &bytes), ENAMETOOLONG);
    name[75] = '\0'; /* .zst has room, .zst.tmp has not */
    assert_int_equal(archive_pack(&memory.disk, name, &bytes), ENAMETOOLONG);
    name[71] = '\0';
    assert_int_equal(archive_pack(&memory.disk, name, &bytes), ENOENT);
    archive_close(archive);
    memory_disk_free(&memory);
}

static int size_of_a_giant(void *self, const char *name, uint64_t *bytes)
{
    int error = memory_size(self, name, bytes);

    *bytes = ARCHIVE_BYTES_MAX + 1;
    return error;
}

static void a_giant_is_left_alone(void **state)
{
    uint64_t packed;

    (void)state;
    make_file(9000);
    memory.disk.size = size_of_a_giant;
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), EFBIG);
    memory.disk.size = memory_size;
    assert_null(memory_disk_find(&memory, NAME ".zst.tmp"));
    assert_true(reads_as_before(9000));
    memory_disk_free(&memory);
}

/* With less and less memory missing: ENOMEM, until there is enough; the file stays, and so does the archive. */
static void without_memory_nothing_is_packed_or_read(void **state)
{
    struct disk     over;
    struct archive *archive;
    uint64_t        packed;
    uint32_t        refused = 0;
    int             error = ENOMEM, handle;

    (void)state;
    if (!memory_is_ours) skip();
    make_file(BYTES);
    for (size_t bytes = 0; error == ENOMEM; bytes += 65536) {
        assert_true(memory_little(bytes));
        error = archive_pack(&memory.disk, NAME, &packed);
        memory_enough();
        assert_true(error == 0 || error == ENOMEM);
        if (error != 0) assert_null(memory_disk_find(&memory, NAME ".zst"));
        refused += error != 0;
    }
    assert_true(refused >= 3);
    archive = archive_open(&memory.disk, &over);
    error = ENOMEM;
    for (size_t bytes = refused = 0; error == ENOMEM; bytes += 65536) {
        assert_true(memory_little(bytes));
        error = over.open(over.self, NAME, false, &handle);
        memory_enough();
        assert_true(error == 0 || error == ENOMEM);
        refused += error != 0;
    }
    assert_true(refused >= 2);
    archive_close(archive);
    assert_true(reads_as_before(BYTES));
    memory_disk_free(&memory);
}

/* The power fails at every call; no acknowledged batch is lost, and the next attempt completes. */
static void whatever_fails_one_of_the_two_is_whole(void **state)
{
    uint64_t packed, calls;

    (void)state;
    make_file(BYTES);
    calls = memory.calls;
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    calls = memory.calls - calls;
    memory_disk_free(&memory);
    assert_true(calls > 15);
    for (uint64_t at = 1; at <= calls; at++)
        for (int pattern = 0; pattern < CRASH_PATTERNS; pattern += 3) {
            make_file(BYTES);
            memory.fail_at = memory.calls + at;
            memory.fail_sticky = true;
            memory.fail_writes_half = pattern % 2 == 1;
            assert_int_equal(archive_pack(&memory.disk, NAME, &packed), EIO);
            memory_disk_crash(&memory, (enum crash_pattern)pattern);
            assert_true(reads_as_before(BYTES));
            int error = archive_pack(&memory.disk, NAME, &packed);
            assert_true(error == 0 || error == ENOENT);
            assert_true(reads_as_before(BYTES));
            assert_null(memory_disk_find(&memory, NAME));
            assert_null(memory_disk_find(&memory, NAME ".zst.tmp"));
            memory_disk_free(&memory);
        }
}

static void a_full_disk_leaves_the_file(void **state)
{
    uint64_t packed;

    (void)state;
    make_file(BYTES);
    memory.capacity = BYTES + 1000;
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), ENOSPC);
    assert_null(memory_disk_find(&memory, NAME ".zst.tmp"));
    assert_true(reads_as_before(BYTES));
    memory_disk_free(&memory);
}

/* A write that is wrong without an error: only reading it back can find it. */
static int lying_write(void *self, int handle, uint64_t offset, const void *bytes, size_t len)
{
    struct memory_disk *disk = self;
    int                 error = memory_write(self, handle, offset, bytes, len);

    if (offset > sizeof(struct archive_header) && len > 60) disk->files[handle % 1000].cache[offset + 50] ^= 4;
    return error;
}

static void an_archive_that_does_not_read_back_takes_nobodys_place(void **state)
{
    uint64_t packed;

    (void)state;
    make_file(BYTES);
    memory.disk.write = lying_write;
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), EUCLEAN);
    memory.disk.write = memory_write;
    assert_null(memory_disk_find(&memory, NAME ".zst"));
    assert_true(reads_as_before(BYTES));
    memory_disk_free(&memory);
}

static void no_bit_and_no_length_of_an_archive_changes_unseen(void **state)
{
    uint64_t            packed;
    uint8_t            *bytes;
    struct memory_file *file;

    (void)state;
    make_file(9000);
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    file = memory_disk_find(&memory, NAME ".zst");
    for (uint64_t bit = 0; bit < packed * 8; bit++) {
        file->cache[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(reads_as_before(9000));
        file->cache[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(reads_as_before(9000));
    bytes = malloc(packed);
    memcpy(bytes, file->cache, packed);
    for (uint64_t length = 0; length < packed; length++) {
        memory_disk_truncate(file, length);
        assert_false(reads_as_before(9000));
        memory_disk_truncate(file, packed);
        memcpy(file->cache, bytes, packed);
    }
    assert_true(reads_as_before(9000));
    memory_disk_truncate(file, packed + 1);
    assert_false(reads_as_before(9000));
    free(bytes);
    memory_disk_free(&memory);
}

/* Frames with right checksums that unpack to another length or to nothing. */
static void a_frame_that_unpacks_to_something_else_is_damage(void **state)
{
    struct archive_header header;
    struct archive_piece  piece;
    struct memory_file   *file;
    uint64_t              packed;

    (void)state;
    make_file(9000);
    assert_int_equal(archive_pack(&memory.disk, NAME, &packed), 0);
    file = memory_disk_find(&memory, NAME ".zst");
    memcpy(&header, file->cache, sizeof(header));
    memcpy(&piece, file->cache + sizeof(header), sizeof(piece));
    file->cache[piece.at] ^= 1; /* no frame any more */
    piece.checksum = XXH3_64bits(file->cache + piece.at, piece.bytes);
    header.checksum = archive_checksum(&header, &piece);
    memcpy(file->cache, &header, sizeof(header));
    memcpy(file->cache + sizeof(header), &piece, sizeof(piece));
    assert_false(reads_as_before(9000));
    memory_disk_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archived_file_reads_as_before),
        cmocka_unit_test(a_long_archive_is_synced_as_it_is_written),
        cmocka_unit_test(an_archived_file_is_not_written_to_and_its_name_is_taken),
        cmocka_unit_test(one_too_many_is_refused),
        cmocka_unit_test(what_the_disk_says_is_passed_on),
        cmocka_unit_test(a_giant_is_left_alone),
        cmocka_unit_test(without_memory_nothing_is_packed_or_read),
        cmocka_unit_test(a_frame_that_unpacks_to_something_else_is_damage),
        cmocka_unit_test(whatever_fails_one_of_the_two_is_whole),
        cmocka_unit_test(a_full_disk_leaves_the_file),
        cmocka_unit_test(an_archive_that_does_not_read_back_takes_nobodys_place),
        cmocka_unit_test(no_bit_and_no_length_of_an_archive_changes_unseen),
    };

    memory_is_ours = memory_can_be_little();
    return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
