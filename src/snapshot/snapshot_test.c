/* SPDX-License-Identifier: MIT */
/*
 * The loaded memory is the written one; a file with a changed bit, a missing end or a foreign one is not used; and a
 * failure at any point of a write leaves the earlier snapshots in place.
 */
#include "rigs/random.h"
#include "support/little_memory.h"
#include "support/memory_disk.c"

#include "snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define FIRST_BYTES  (3 * SNAPSHOT_CHUNK + 1000)
#define SECOND_BYTES 264

static struct memory_disk memory;
static bool               memory_is_ours;
static uint8_t           *first, *second, *first_back, *second_back;

static void sections_of(uint8_t *one, uint8_t *two, struct snapshot_section sections[2])
{
    sections[0] = (struct snapshot_section){ 1, 0, one, FIRST_BYTES };
    sections[1] = (struct snapshot_section){ 2, 0, two, SECOND_BYTES };
}

static int make(void **state)
{
    (void)state;
    memory_disk_init(&memory);
    first = calloc(1, FIRST_BYTES);
    second = calloc(1, SECOND_BYTES);
    first_back = calloc(1, FIRST_BYTES);
    second_back = calloc(1, SECOND_BYTES);
    for (size_t i = 0; i < 300; i++) first[i * 3] = (uint8_t)(i + 1);
    memset(first + 2 * SNAPSHOT_CHUNK + 77, 9, 40); /* the chunk between them is zeros */
    first[FIRST_BYTES - 1] = 1;
    memset(second, 5, SECOND_BYTES);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    memory_disk_free(&memory);
    free(first);
    free(second);
    free(first_back);
    free(second_back);
    return 0;
}

static int write_one(const char *name, uint64_t seq, struct snapshot_header *facts)
{
    struct snapshot_section sections[2];

    *facts = (struct snapshot_header){
        .engine = 3, .seq = seq, .time_ms = 42, .position = { { 2, 0, 0, 0, 0, 0, 0, 0, 0, 32 } }, .block_number = 11
    };
    sections_of(first, second, sections);
    return snapshot_write(&memory.disk, name, facts, sections, 2);
}

/* Loads it as a start would: looks, then fills. */
static enum snapshot_fault load_one(const char *name, struct snapshot_header *facts)
{
    struct snapshot_section sections[2];
    struct snapshot_report  report;
    enum snapshot_fault     fault = snapshot_look(&memory.disk, name, facts, &report);

    if (fault != SNAPSHOT_OK) return fault;
    memset(first_back, 0, FIRST_BYTES);
    memset(second_back, 0, SECOND_BYTES);
    sections_of(first_back, second_back, sections);
    return snapshot_load(&memory.disk, name, facts, sections, 2, &report);
}

static bool is_back(void)
{
    return memcmp(first, first_back, FIRST_BYTES) == 0 && memcmp(second, second_back, SECOND_BYTES) == 0;
}

static void what_is_loaded_is_what_was_written(void **state)
{
    struct snapshot_header written, found;
    struct snapshot_report report;

    (void)state;
    assert_int_equal(write_one("s", 7, &written), 0);
    assert_int_equal(load_one("s", &found), SNAPSHOT_OK);
    assert_true(is_back());
    assert_memory_equal(&written, &found, sizeof(found));
    assert_int_equal(found.seq, 7);
    assert_int_equal(found.bytes, memory_disk_find(&memory, "s")->bytes);
    assert_true(found.bytes < 12000); /* zeros take no room */
    assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_OK);
    assert_int_equal(snapshot_look(&memory.disk, "t", &found, &report), SNAPSHOT_ABSENT);
}

static void sections_that_were_not_asked_for_are_refused(void **state)
{
    struct snapshot_header  facts, other;
    struct snapshot_report  report;
    struct snapshot_section sections[2];

    (void)state;
    assert_int_equal(write_one("s", 7, &facts), 0);
    assert_int_equal(write_one("t", 8, &other), 0);
    for (int wrong = 0; wrong < 4; wrong++) {
        sections_of(first_back, second_back, sections);
        if (wrong == 0) sections[0].kind = 9;
        if (wrong == 1) sections[1].bytes -= 8;
        assert_int_equal(
            snapshot_load(&memory.disk, "s", wrong == 2 ? &other : &facts, sections, wrong == 3 ? 1 : 2, &report),
            SNAPSHOT_DAMAGED);
    }
}

static void no_bit_of_a_snapshot_changes_unseen(void **state)
{
    struct snapshot_header facts, found;
    struct memory_file    *file;
    uint64_t               damaged = 0, foreign = 0;

    (void)state;
    assert_int_equal(write_one("s", 7, &facts), 0);
    file = memory_disk_find(&memory, "s");
    for (uint64_t bit = 0; bit < file->bytes * 8; bit++) {
        file->cache[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum snapshot_fault fault = load_one("s", &found);
        assert_int_not_equal(fault, SNAPSHOT_OK);
        damaged += fault == SNAPSHOT_DAMAGED;
        foreign += fault == SNAPSHOT_FOREIGN;
        file->cache[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(damaged, file->bytes * 8);
    assert_int_equal(foreign, 0); /* a file of another format would have a good hash; a flipped bit makes none */
    assert_int_equal(load_one("s", &found), SNAPSHOT_OK);
    print_message("           %llu bits\n", (unsigned long long)damaged);
}

static void every_length_but_its_own_is_refused(void **state)
{
    struct snapshot_header facts, found;
    struct memory_file    *file;
    uint64_t               bytes;
    uint8_t               *copy;

    (void)state;
    assert_int_equal(write_one("s", 7, &facts), 0);
    file = memory_disk_find(&memory, "s");
    bytes = file->bytes;
    copy = malloc(bytes);
    memcpy(copy, file->cache, bytes);
    for (uint64_t length = 0; length < bytes + 9; length++) {
        memory_disk_truncate(file, length);
        memcpy(file->cache, copy, (size_t)min_u64(length, bytes));
        assert_int_equal(load_one("s", &found), length == bytes ? SNAPSHOT_OK : SNAPSHOT_DAMAGED);
    }
    free(copy);
}

/* The header has another length and a correct hash: so the body must show the error. */
static void a_header_that_was_forged_does_not_help(void **state)
{
    struct snapshot_header facts, found, *lies;
    struct snapshot_report report;
    struct memory_file    *file;

    (void)state;
    assert_int_equal(write_one("s", 7, &facts), 0);
    file = memory_disk_find(&memory, "s");
    for (int lie = 0; lie < 4; lie++) {
        struct snapshot_header forged = facts;
        if (lie == 0) forged.bytes -= 8;
        if (lie == 1) forged.body.bytes[3] ^= 1;
        if (lie == 2) forged.sections[0].bytes = 4096;
        if (lie == 3) forged.section_count = SNAPSHOT_SECTIONS_MAX + 1;
        forged.hash = keccak256(&forged, offsetof(struct snapshot_header, hash));
        if (lie == 0) memory_disk_truncate(file, forged.bytes);
        memcpy(file->cache, &forged, sizeof(forged));
        assert_int_equal(load_one("s", &found), SNAPSHOT_DAMAGED);
        assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_DAMAGED);
        assert_int_equal(write_one("s", 7, &facts), 0);
        file = memory_disk_find(&memory, "s");
    }
    memory_disk_truncate(file, sizeof(facts)
                                   + sizeof(struct snapshot_chunk) / 2); /* it ends in the head of its first chunk */
    lies = (struct snapshot_header *)(void *)file->cache;
    lies->bytes = file->bytes;
    lies->hash = keccak256(lies, offsetof(struct snapshot_header, hash));
    assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_DAMAGED);
    assert_non_null(strstr(report.text, "inside the chunk"));
    assert_int_equal(write_one("s", 7, &facts), 0);
    file = memory_disk_find(&memory, "s");
    lies = (struct snapshot_header *)(void *)file->cache;
    lies->format = SNAPSHOT_FORMAT + 1;
    lies->hash = keccak256(lies, offsetof(struct snapshot_header, hash));
    assert_int_equal(load_one("s", &found), SNAPSHOT_FOREIGN);
}

static void whatever_fails_while_one_is_written_the_other_stays(void **state)
{
    struct snapshot_header facts, found;
    uint64_t               calls;

    (void)state;
    assert_int_equal(write_one("old", 1, &facts), 0);
    calls = memory.calls;
    assert_int_equal(write_one("new", 2, &facts), 0);
    calls = memory.calls - calls;
    assert_true(calls >= 8);
    for (uint64_t at = 1; at <= calls; at++)
        for (int pattern = 0; pattern < CRASH_PATTERNS; pattern++) {
            memory.fail_at = memory.calls + at;
            memory.fail_sticky = true;
            memory.fail_writes_half = pattern % 2 == 1;
            assert_int_equal(write_one("new", 2, &facts), EIO);
            memory_disk_crash(&memory, (enum crash_pattern)pattern);
            assert_int_equal(load_one("old", &found), SNAPSHOT_OK);
            assert_true(is_back() && found.seq == 1);
            assert_true(load_one("new", &found) != SNAPSHOT_OK
                        || (is_back() && found.seq == 2)); /* the last sync may have done its work */
        }
    assert_int_equal(write_one("new", 3, &facts), 0);
    assert_int_equal(load_one("new", &found), SNAPSHOT_OK);
}

/* A sync of the log waits behind what is not on the disk yet. */
static void a_long_one_is_synced_as_it_is_written(void **state)
{
    static uint8_t          noise[5 * SYNC_PIECE];
    struct snapshot_section section = { 1, 0, noise, sizeof(noise) };
    struct snapshot_header  facts = { .engine = 3, .seq = 7 };
    struct snapshot_report  report;
    uint64_t                random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof(noise); i++) noise[i] = (uint8_t)(random_congruent(&random) >> 56);
    assert_int_equal(snapshot_write(&memory.disk, "s", &facts, &section, 1), 0);
    assert_true(facts.bytes > 4 * SYNC_PIECE);
    assert_true(memory.unsynced_most <= SYNC_PIECE + 2 * SNAPSHOT_CHUNK);
    assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_OK);
}

/* A disk that does not answer is not damage of the file. */
static void whatever_fails_while_one_is_read_is_told(void **state)
{
    struct snapshot_header facts;
    struct snapshot_report report;
    uint64_t               calls;

    (void)state;
    assert_int_equal(write_one("s", 7, &facts), 0);
    calls = memory.calls;
    assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_OK);
    calls = memory.calls - calls;
    assert_true(calls >= 4); /* open, size, header, chunks */
    for (uint64_t at = 1; at <= calls; at++) {
        memory.fail_at = memory.calls + at;
        assert_int_equal(snapshot_check(&memory.disk, "s", &report), SNAPSHOT_IO);
        assert_int_equal(report.error, EIO);
        assert_non_null(strstr(report.text, strerror(EIO)));
        memory.fail_at = 0;
        assert_int_equal(load_one("s", &facts), SNAPSHOT_OK);
    }
}

/* Written and read with less and less memory missing: ENOMEM, until there is enough. */
static void without_memory_nothing_is_written_or_read(void **state)
{
    struct snapshot_header facts;
    struct snapshot_report report;
    enum snapshot_fault    fault = SNAPSHOT_IO;
    int                    error = ENOMEM;
    uint32_t               refused = 0;

    (void)state;
    if (!memory_is_ours) skip();
    assert_int_equal(write_one("old", 1, &facts), 0);
    for (size_t bytes = 0; error == ENOMEM; bytes += 65536) {
        assert_true(memory_little(bytes));
        error = write_one("new", 2, &facts);
        memory_enough();
        assert_true(error == 0 || error == ENOMEM);
        if (error == ENOMEM) assert_null(memory_disk_find(&memory, "new"));
        refused += error != 0;
    }
    assert_true(refused >= 2);
    refused = 0;
    for (size_t bytes = 0; fault != SNAPSHOT_OK; bytes += 65536) {
        assert_true(memory_little(bytes));
        fault = snapshot_check(&memory.disk, "new", &report);
        memory_enough();
        assert_true(fault == SNAPSHOT_OK || (fault == SNAPSHOT_IO && report.error == ENOMEM));
        refused += fault != SNAPSHOT_OK;
    }
    assert_true(refused >= 2);
}

static void a_full_disk_leaves_nothing_behind(void **state)
{
    struct snapshot_header facts, found;

    (void)state;
    assert_int_equal(write_one("old", 1, &facts), 0);
    memory.capacity = facts.bytes * 2 - 1;
    assert_int_equal(write_one("new", 2, &facts), ENOSPC);
    assert_null(memory_disk_find(&memory, "new"));
    assert_int_equal(load_one("old", &found), SNAPSHOT_OK);
    memory.capacity += 1;
    assert_int_equal(write_one("new", 2, &facts), 0);
    assert_int_equal(load_one("new", &found), SNAPSHOT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_loaded_is_what_was_written, make, unmake),
        cmocka_unit_test_setup_teardown(sections_that_were_not_asked_for_are_refused, make, unmake),
        cmocka_unit_test_setup_teardown(no_bit_of_a_snapshot_changes_unseen, make, unmake),
        cmocka_unit_test_setup_teardown(every_length_but_its_own_is_refused, make, unmake),
        cmocka_unit_test_setup_teardown(a_header_that_was_forged_does_not_help, make, unmake),
        cmocka_unit_test_setup_teardown(whatever_fails_while_one_is_written_the_other_stays, make, unmake),
        cmocka_unit_test_setup_teardown(whatever_fails_while_one_is_read_is_told, make, unmake),
        cmocka_unit_test_setup_teardown(without_memory_nothing_is_written_or_read, make, unmake),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_nothing_behind, make, unmake),
        cmocka_unit_test_setup_teardown(a_long_one_is_synced_as_it_is_written, make, unmake),
    };

    memory_is_ours = memory_can_be_little();
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
