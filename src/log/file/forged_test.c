/* SPDX-License-Identifier: MIT */
/*
 * Headers with good checksums and false contents; files that are too short, too many or too few: readers and followers
 * refuse them, and nothing is written. Each call of the disk fails once while a reader resumes or follows.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include "log/file/state.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <xxhash.h>

#define SEGMENT_BYTES (48 * 1024)
#define BATCHES       24

static struct rig rig;
static uint64_t   last; /* number of the last segment */

static struct memory_file *segment_file(uint64_t number)
{
    char name[32];

    segment_name(number, name);
    return memory_disk_find(&rig.memory, name);
}

static int begin(void **state)
{
    (void)state;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < BATCHES; i++) assert_int_equal(rig_append(&rig, i % 6 == 5 ? 0 : i * 7 % 25), 0);
    assert_int_equal(rig_append(&rig, 0), 0);
    last = rig.journal->segment.header.number;
    assert_true(last >= 3);
    journal_close(rig.journal);
    rig.options.read_only = true;
    return 0;
}

static int end(void **state)
{
    (void)state;
    rig_free(&rig);
    return 0;
}

/* Reads to the end, or to the first error; from a position unless NULL. */
static enum log_fault read_all(bool follow, const struct log_mark *position)
{
    struct slice       genesis;
    struct log_applied applied;
    enum log_fault     fault =
        journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report);
    bool stop = false, there = true, partial;

    if (fault != LOG_OK) return fault;
    if (position != NULL) fault = journal_resume(rig.journal, position, &rig.batch, &rig.report);
    while (fault == LOG_OK && !stop && there)
        fault = follow ? journal_follow(rig.journal, &rig.batch, &applied, &there, &partial, &rig.report)
                       : journal_next(rig.journal, &rig.batch, &applied, &stop, &rig.report);
    journal_close(rig.journal);
    return fault;
}

/* ---- headers ---- */

static struct segment_header header_of(uint64_t number)
{
    struct segment_header header;

    memcpy(&header, segment_file(number)->cache, sizeof(header));
    return header;
}

static void forge(uint64_t number, struct segment_header header)
{
    header.checksum = XXH3_64bits(&header, offsetof(struct segment_header, checksum));
    for (size_t copy = 0; copy < 2; copy++)
        memcpy(segment_file(number)->cache + copy * sizeof(header), &header, sizeof(header));
}

/* It is refused, both ways, and the log is good again when the header is restored. */
static void refused(uint64_t number, struct segment_header forged, enum log_fault fault)
{
    struct segment_header good = header_of(number);
    uint64_t              writes = rig.memory.writes;

    assert_true(memcmp(&good, &forged, sizeof(good)) != 0);
    forge(number, forged);
    for (int follow = 0; follow <= 1; follow++) {
        enum log_fault found = read_all(follow != 0, NULL);
        /*
         * A follower waits for a segment that continues the log; that it never appears shows in the exchange, or at
         * the next start.
         */
        if (follow != 0 && fault == LOG_DAMAGED && number != 1) assert_true(found == LOG_OK || found == LOG_DAMAGED);
        else assert_int_equal(found, fault);
    }
    assert_int_equal(rig.memory.writes, writes);
    forge(number, good);
    assert_int_equal(read_all(false, NULL), LOG_OK);
}

#define FORGED(number, fault, change)                                                                                  \
    do {                                                                                                               \
        struct segment_header h = header_of(number);                                                                   \
        change;                                                                                                        \
        refused(number, h, fault);                                                                                     \
    } while (0)

static void a_first_header_that_says_something_else_is_refused(void **state)
{
    (void)state;
    FORGED(1, LOG_FOREIGN, h.format += 1);
    FORGED(1, LOG_FOREIGN, h.engine += 1);
    FORGED(1, LOG_DAMAGED, h.bytes += JOURNAL_BLOCK);
    FORGED(1, LOG_DAMAGED, h.number = 2);
    FORGED(1, LOG_DAMAGED, h.first_seq = 2);
    FORGED(1, LOG_DAMAGED, h.chain.bytes[31] ^= 1);
    FORGED(1, LOG_DAMAGED, h.instance.bytes[0] ^= 1);
    FORGED(1, LOG_DAMAGED, h.genesis_bytes = 0);
    FORGED(1, LOG_DAMAGED, h.genesis_bytes -= 1);
    FORGED(1, LOG_DAMAGED, h.genesis_bytes += 1);
    FORGED(1, LOG_DAMAGED, h.genesis_bytes = JOURNAL_GENESIS_MAX + 1);
    FORGED(1, LOG_DAMAGED, h.genesis_bytes = SEGMENT_BYTES - JOURNAL_HEADERS_BYTES + 1);
}

static void a_later_header_that_does_not_continue_the_log_is_refused(void **state)
{
    (void)state;
    for (uint64_t number = 2; number <= last; number++) {
        FORGED(number, LOG_FOREIGN, h.format += 1);
        FORGED(number, LOG_FOREIGN, h.engine += 1);
        FORGED(number, LOG_DAMAGED, h.number += 1);
        FORGED(number, LOG_DAMAGED, h.first_seq += 1);
        FORGED(number, LOG_DAMAGED, h.chain.bytes[0] ^= 1);
        FORGED(number, LOG_DAMAGED, h.instance.bytes[31] ^= 1);
        FORGED(number, LOG_DAMAGED, h.bytes += JOURNAL_BLOCK);
    }
}

/* ---- batches ---- */

/* The header of a batch in the first segment, with others behind it; its checksum is good for its place. */
static void forge_batch(uint64_t offset, struct batch_header header)
{
    uint64_t seed;

    memcpy(&seed, keccak256(RIG_GENESIS, sizeof(RIG_GENESIS) - 1).bytes, sizeof(seed));
    header.checksum =
        XXH3_64bits_withSeed(&header, offsetof(struct batch_header, checksum), seed + (UINT64_C(1) << 40) + offset);
    memcpy(segment_file(1)->cache + offset, &header, sizeof(header));
}

static uint64_t offset_behind_the_first(void)
{
    struct slice       genesis;
    struct log_applied applied;
    bool               stop = false;
    uint64_t           offset;

    assert_int_equal(
        journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report), LOG_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(journal_next(rig.journal, &rig.batch, &applied, &stop, &rig.report), LOG_OK);
    offset = log_position_second(&rig.batch.position);
    journal_close(rig.journal);
    return offset;
}

#define FORGED_BATCH(change)                                                                                           \
    do {                                                                                                               \
        struct batch_header h = good;                                                                                  \
        change;                                                                                                        \
        forge_batch(offset, h);                                                                                        \
        assert_int_equal(read_all(false, NULL), LOG_DAMAGED);                                                          \
        forge_batch(offset, good);                                                                                     \
        assert_int_equal(read_all(false, NULL), LOG_OK);                                                               \
    } while (0)

static void a_batch_header_that_does_not_continue_the_log_is_refused(void **state)
{
    uint64_t            offset = offset_behind_the_first(), writes = rig.memory.writes;
    struct batch_header good;

    (void)state;
    memcpy(&good, segment_file(1)->cache + offset, sizeof(good));
    assert_true(good.count != 0);
    FORGED_BATCH(h.first_seq += 1);
    FORGED_BATCH(h.first_seq -= 1);
    FORGED_BATCH(h.durable_seq += 1);
    FORGED_BATCH(h.durable_seq -= 1);
    FORGED_BATCH(h.time_ms = 0);
    FORGED_BATCH(h.previous.bytes[31] ^= 1);
    FORGED_BATCH(h.bytes += 4);
    FORGED_BATCH(h.bytes = sizeof(h));
    FORGED_BATCH(h.reserved = 1);
    FORGED_BATCH(h.flags ^= BATCH_CLOSING);
    FORGED_BATCH(h.count = 0);
    FORGED_BATCH(h.count += 1);
    FORGED_BATCH(h.bytes += 8);
    assert_int_equal(rig.memory.writes, writes);
}

/* ---- files ---- */

static struct memory_file *new_segment(uint64_t number, uint64_t bytes)
{
    char name[32];

    segment_name(number, name);
    assert_int_equal(rig.memory.disk.create(rig.memory.disk.self, name, bytes), 0);
    return segment_file(number);
}

static void a_spare_is_zeros_of_the_right_size_and_the_last(void **state)
{
    static const uint64_t sizes[] = { JOURNAL_BLOCK, JOURNAL_SEGMENT_MIN - JOURNAL_BLOCK, SEGMENT_BYTES + 512 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
        char name[32];

        (void)new_segment(last + 1, sizes[i]);
        assert_int_equal(read_all(false, NULL), LOG_DAMAGED);
        segment_name(last + 1, name);
        assert_int_equal(rig.memory.disk.remove(rig.memory.disk.self, name), 0);
    }
    (void)new_segment(last + 1, SEGMENT_BYTES);
    assert_int_equal(read_all(false, NULL), LOG_OK);
    assert_int_equal(read_all(true, NULL), LOG_OK);
    segment_file(last + 1)->cache[SEGMENT_BYTES - 1] = 1;
    assert_int_equal(read_all(false, NULL), LOG_DAMAGED);
    segment_file(last + 1)->cache[SEGMENT_BYTES - 1] = 0;
    (void)new_segment(last + 2, SEGMENT_BYTES);
    assert_int_equal(read_all(false, NULL), LOG_DAMAGED);
}

static void a_first_file_that_is_missing_or_too_short_is_damage(void **state)
{
    struct memory_disk whole;

    (void)state;
    memory_disk_copy(&whole, &rig.memory);
    memory_disk_truncate(segment_file(1), JOURNAL_SEGMENT_MIN - 1);
    assert_int_equal(read_all(false, NULL), LOG_DAMAGED);
    memory_disk_free(&rig.memory);
    memory_disk_copy(&rig.memory, &whole);
    char name[32];
    segment_name(1, name);
    assert_int_equal(rig.memory.disk.remove(rig.memory.disk.self, name), 0);
    assert_int_equal(read_all(false, NULL), LOG_DAMAGED);
    assert_non_null(strstr(rig.report.text, "missing"));
    memory_disk_free(&whole);
}

static void a_batch_that_does_not_fit_the_readers_memory_is_damage_or_a_fault_and_no_overrun(void **state)
{
    size_t cap = rig.batch.cap;

    (void)state;
    rig.batch.cap = 2 * JOURNAL_BLOCK;
    assert_true(read_all(false, NULL) != LOG_OK);
    rig.batch.cap = cap;
    assert_int_equal(read_all(false, NULL), LOG_OK);
}

/* ---- a disk that fails ---- */

/*
 * Every call fails once: the reader gets the error, or did not need the call; it never takes less than all of the log
 * for all of it.
 */
static void each_call_fails(bool follow, const struct log_mark *position)
{
    uint64_t first = rig.memory.calls, calls, faults = 0;

    assert_int_equal(read_all(follow, position), LOG_OK);
    calls = rig.memory.calls - first - (follow ? 0 : 1); /* the last one looks for a spare, and "none" is an answer */
    rig.memory.fail_error = EIO;
    for (uint64_t i = 1; i <= calls; i++) {
        rig.memory.fail_sticky = true;
        rig.memory.fail_at = rig.memory.calls + i;
        enum log_fault fault = read_all(follow, position);
        assert_int_equal(fault, LOG_IO);
        assert_int_equal(rig.report.error, EIO);
        rig.memory.fail_at = 0;
        faults++;
    }
    assert_true(faults > 10);
    assert_int_equal(read_all(follow, position), LOG_OK);
}

static void a_disk_that_fails_under_a_follower_is_told(void **state)
{
    (void)state;
    each_call_fails(true, NULL);
}

static void a_disk_that_fails_under_one_who_resumes_is_told(void **state)
{
    struct slice       genesis;
    struct log_applied applied;
    struct log_mark    position;
    bool               stop = false;

    (void)state;
    assert_int_equal(
        journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report), LOG_OK);
    for (uint32_t i = 0; i < BATCHES - 3; i++) {
        assert_int_equal(journal_next(rig.journal, &rig.batch, &applied, &stop, &rig.report), LOG_OK);
        assert_false(stop);
        position = log_mark_behind(&rig.batch);
    }
    journal_close(rig.journal);
    assert_true(log_position_first(&position.position) >= 2);
    each_call_fails(false, &position);
    each_call_fails(true, &position);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_first_header_that_says_something_else_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_later_header_that_does_not_continue_the_log_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_batch_header_that_does_not_continue_the_log_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_spare_is_zeros_of_the_right_size_and_the_last, begin, end),
        cmocka_unit_test_setup_teardown(a_first_file_that_is_missing_or_too_short_is_damage, begin, end),
        cmocka_unit_test_setup_teardown(
            a_batch_that_does_not_fit_the_readers_memory_is_damage_or_a_fault_and_no_overrun, begin, end),
        cmocka_unit_test_setup_teardown(a_disk_that_fails_under_a_follower_is_told, begin, end),
        cmocka_unit_test_setup_teardown(a_disk_that_fails_under_one_who_resumes_is_told, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
