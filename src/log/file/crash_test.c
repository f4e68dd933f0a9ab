/* SPDX-License-Identifier: MIT */
/*
 * The power fails at every call to the disk, and every subset of a dozen of the unsynced sectors arrives. The
 * recovered log is always a prefix of the appended batches, with all acknowledged ones, and the log continues from
 * there; also when the power fails again during the recovery.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"
#include "rigs/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define SEGMENT_BYTES (48 * 1024)

static struct rig rig;
static uint64_t   recoveries, cuts;

/* Appends until the power fails or `batches` are done. */
static void append_some(uint32_t batches, uint32_t shape)
{
    for (uint32_t i = 0; i < batches && rig.handed < RIG_BATCHES; i++)
        if (rig_append(&rig, (shape + i) % 6 == 5 ? 0 : (shape + i) * 7 % 25) != 0) return;
}

/* Opens after an accident. False when the journal was never begun, which only an unfinished creation may leave. */
static bool recover(bool was_created)
{
    bool           same;
    enum log_fault fault = rig_open(&rig, &same);

    if (!was_created && fault == LOG_ABSENT) return false;
    if (fault != LOG_OK) print_message("%s\n", rig.report.text);
    assert_int_equal(fault, LOG_OK);
    assert_true(same);
    assert_true(rig.recovered >= rig.acked && rig.recovered <= rig.handed);
    recoveries++;
    cuts += rig.report.torn;
    if (rig.report.torn) {
        const struct memory_file *torn = memory_disk_find(&rig.memory, rig.report.torn_file);
        assert_non_null(torn);
        assert_int_equal(torn->bytes, rig.report.torn_bytes);
    }
    rig_go_on(&rig);
    return true;
}

static void the_power_goes_at_every_call(void **state)
{
    (void)state;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    append_some(16, 1);
    uint64_t calls = rig.memory.calls;
    assert_true(journal_next_seq(rig.journal) > 100);
    rig_free(&rig);

    for (uint64_t at = 1; at <= calls + 1; at++) {
        for (int pattern = 0; pattern < CRASH_PATTERNS; pattern++) {
            for (int half = 0; half < 2; half++) {
                rig_init(&rig, SEGMENT_BYTES);
                rig.memory.random_state += at * 977;
                rig.memory.fail_at = at;
                rig.memory.fail_sticky = true;
                rig.memory.fail_writes_half = half == 1;
                bool created = rig_create(&rig) == LOG_OK;
                if (created) append_some(16, 1);
                memory_disk_crash(&rig.memory, (enum crash_pattern)pattern);
                if (!recover(created)) assert_int_equal(rig_create(&rig), LOG_OK);
                append_some(5, 2);
                assert_int_equal(rig.acked, rig.handed);
                journal_close(rig.journal);
                memory_disk_crash(&rig.memory, CRASH_NONE_ARRIVES);
                recover(true);
                assert_false(rig.report.torn);
                rig_free(&rig);
            }
        }
    }
    print_message("           %llu recoveries, %llu torn tails cut\n", (unsigned long long)recoveries,
                  (unsigned long long)cuts);
}

/* Lives of random length, one after the other on the same disk, cut off anywhere: while appending, opening, cutting. */
static void crash_after_crash_loses_nothing_that_was_acknowledged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        rig_init(&rig, SEGMENT_BYTES);
        rig.memory.random_state ^= seed * 0x9e3779b97f4a7c15u;
        assert_int_equal(rig_create(&rig), LOG_OK);
        uint64_t random_state = rig.memory.random_state | 1;
        for (int life = 0; life < 8 && rig.memory.files[MEMORY_FILES - 4].name[0] == 0; life++) {
            (void)random_congruent(&random_state);
            rig.memory.fail_at = rig.memory.calls + 1 + (random_state >> 33) % 40;
            rig.memory.fail_sticky = true;
            rig.memory.fail_writes_half = (random_state >> 40) % 2 == 1;
            if (life % 2 == 0) {
                append_some(12, (uint32_t)(random_state >> 50));
            } else {
                bool           same; /* cut off while opening: it does not complete, or with a right result */
                enum log_fault fault = rig_open(&rig, &same);
                assert_true(same && (fault == LOG_OK || fault == LOG_IO));
            }
            memory_disk_crash(&rig.memory, (enum crash_pattern)((random_state >> 45) % CRASH_PATTERNS));
            recover(true);
        }
        rig_free(&rig);
    }
}

/*
 * A kill leaves unsynced bytes in the system's memory, and the next opening shows them. From then on no power failure
 * may remove them, nor the batches appended to them, not even when the failed sync gave the pages up. The append whose
 * sync fails is anywhere: in the middle of a segment, or the first of the next.
 */
static void what_an_opening_has_shown_stays_when_the_power_goes(void **state)
{
    (void)state;
    uint32_t rotations = 0;
    for (uint32_t before = 0; before < 14; before++) {
        for (int variant = 0; variant < 4; variant++) {
            rig_init(&rig, SEGMENT_BYTES);
            assert_int_equal(rig_create(&rig), LOG_OK);
            append_some(before, 1);
            rig.memory.fail_sync_loses = variant % 2 == 1;
            rig.memory.fail_syncs = true;
            assert_int_equal(rig_append(&rig, 6), EIO);
            memory_disk_kill(&rig.memory);
            recover(true);
            uint32_t shown = rig.recovered;
            rotations += shown == before; /* only the header of a new segment was written */
            if (variant / 2 == 1) append_some(2, 1);
            memory_disk_crash(&rig.memory, CRASH_NONE_ARRIVES);
            recover(true);
            assert_int_equal(rig.recovered, shown + (variant / 2 == 1 ? 2 : 0));
            rig_free(&rig);
        }
    }
    assert_true(rotations > 0 && rotations < 14 * 4);
}

/* The very first sync of a new log fails in the same way. */
static void a_creation_that_was_killed_stays_or_begins_anew(void **state)
{
    (void)state;
    for (int fail = 1; fail <= 6; fail++) {
        rig_init(&rig, SEGMENT_BYTES);
        rig.memory.fail_sync_loses = true;
        rig.memory.fail_at = (uint64_t)fail;
        rig.memory.fail_sticky = true;
        bool created = rig_create(&rig) == LOG_OK;
        memory_disk_kill(&rig.memory);
        if (!recover(created)) assert_int_equal(rig_create(&rig), LOG_OK);
        append_some(3, 1);
        assert_int_equal(rig.acked, 3);
        memory_disk_crash(&rig.memory, CRASH_NONE_ARRIVES);
        recover(true);
        assert_int_equal(rig.recovered, 3);
        rig_free(&rig);
    }
}

/* One torn batch at the end of a small log. */
static void torn_log(void)
{
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    append_some(2, 0);
    journal_close(rig.journal);
    bool same;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    rig.memory.fail_at = rig.memory.calls + 2;
    rig.memory.fail_sticky = true;
    assert_int_equal(rig_append(&rig, 20), EIO);
    memory_disk_crash(&rig.memory, CRASH_ALL_BUT_LAST);
}

static void a_torn_tail_is_cut_kept_and_recorded_in_a_new_segment(void **state)
{
    (void)state;
    torn_log();
    recover(true);
    assert_true(rig.report.torn);
    assert_int_equal(rig.report.torn_after_seq, journal_next_seq(rig.journal) - 1);
    assert_true(rig.report.torn_bytes > 4096);
    assert_string_equal(strrchr(rig.report.torn_file, '.'), ".torn");

    const struct memory_file *old = memory_disk_find(&rig.memory, "journal-00000001.log");
    const struct memory_file *kept = memory_disk_find(&rig.memory, rig.report.torn_file);
    const struct memory_file *new = memory_disk_find(&rig.memory, "journal-00000002.log");
    assert_memory_equal(kept->plate, old->plate + rig.report.torn_at, rig.report.torn_bytes);
    const struct segment_header *header = (const struct segment_header *)(const void *)new->plate;
    assert_int_equal(header->cut_segment, 1);
    assert_int_equal(header->cut_offset, rig.report.torn_at);
    assert_int_equal(header->cut_bytes, rig.report.torn_bytes);

    append_some(3, 2);
    journal_close(rig.journal);
    recover(true);
    assert_false(rig.report.torn); /* it was cut once; now it is history */
    rig_free(&rig);
}

/* Two batches, and a last one of `count` records; its position. */
static struct memory_file *log_that_ends_in(uint32_t count, uint64_t *at, uint64_t *end)
{
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    append_some(2, 0);
    assert_int_equal(rig_append(&rig, count), 0);
    *at = log_position_second(&rig.batch.position);
    *end = *at + rig.batch.len + sizeof(struct hash256);
    journal_close(rig.journal);
    return memory_disk_find(&rig.memory, "journal-00000001.log");
}

static void make_noise(struct memory_file *file, uint64_t at)
{
    for (uint64_t i = at; i < at + MEMORY_SECTOR; i++)
        file->plate[i] = file->cache[i] = (uint8_t)(i * 167 + i / 256 + 1);
}

/*
 * The sector that was being written when the power failed may be noise. In the last batch that is a tear; behind its
 * end, in the padding of its last block, it costs nothing: the batch is whole, and the padding is zero again before
 * the log continues.
 */
static void a_sector_of_noise_in_the_last_write_costs_that_batch_at_most(void **state)
{
    uint32_t behind = 0;

    (void)state;
    for (uint32_t count = 0; count < 25; count++) {
        uint64_t at, end, sectors = 8;
        for (uint64_t sector = 0; sector < sectors; sector++) {
            struct memory_file *file = log_that_ends_in(count, &at, &end);
            bool                is_behind = at + sector * MEMORY_SECTOR >= end;
            sectors = align_up(end - at, JOURNAL_BLOCK) / MEMORY_SECTOR;
            make_noise(file, at + sector * MEMORY_SECTOR);
            rig.acked -= is_behind ? 0 : 1;
            recover(true);
            assert_int_equal(rig.report.torn, !is_behind);
            assert_int_equal(rig.report.warning[0] != '\0', is_behind);
            assert_int_equal(rig.handed, is_behind ? 3 : 2);
            behind += is_behind;
            append_some(2, 1);
            journal_close(rig.journal);
            memory_disk_crash(&rig.memory, CRASH_NONE_ARRIVES);
            recover(true);
            assert_false(rig.report.torn || rig.report.warning[0] != '\0');
            assert_int_equal(rig.handed, is_behind ? 5 : 4);
            rig_free(&rig);
        }
    }
    assert_true(behind > 50);
}

static void noise_in_what_fills_a_block_is_damage_when_something_follows_or_the_tail_is_strict(void **state)
{
    uint64_t at, end;
    bool     same;

    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        struct memory_file *file = log_that_ends_in(1, &at, &end);
        assert_true(align_up(end, JOURNAL_BLOCK) - end >= 2 * MEMORY_SECTOR);
        if (strict == 0) {
            assert_int_equal(rig_open(&rig, &same), LOG_OK);
            assert_int_equal(rig_append(&rig, 1), 0);
            journal_close(rig.journal);
        }
        make_noise(file, align_up(end, JOURNAL_BLOCK) - MEMORY_SECTOR);
        rig.options.strict_tail = strict == 1;
        uint64_t writes = rig.memory.writes;
        assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
        assert_true(same);
        assert_int_equal(rig.memory.writes, writes);
        rig_free(&rig);
    }
    struct memory_file *file = log_that_ends_in(1, &at, &end);
    make_noise(file, align_up(end, JOURNAL_BLOCK) - MEMORY_SECTOR);
    rig.options.read_only = true;
    uint64_t writes = rig.memory.writes;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same && rig.report.warning[0] != '\0');
    assert_int_equal(rig.recovered, 3);
    assert_int_equal(rig.memory.writes, writes);
    rig_free(&rig);
}

static void a_strict_tail_refuses_what_looks_torn(void **state)
{
    (void)state;
    bool same;
    torn_log();
    rig.options.strict_tail = true;
    uint64_t writes = rig.memory.writes;
    assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
    assert_true(rig.report.torn);
    assert_int_equal(rig.memory.writes, writes);
    rig_free(&rig);
}

static void reading_only_tells_of_a_torn_tail_and_leaves_it(void **state)
{
    (void)state;
    bool same;
    torn_log();
    rig.options.read_only = true;
    uint64_t writes = rig.memory.writes;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig_open(&rig, &same), LOG_OK);
        assert_true(rig.report.torn && same);
        assert_int_equal(rig.recovered, rig.acked);
    }
    assert_int_equal(rig.memory.writes, writes);
    assert_null(memory_disk_find(&rig.memory, rig.report.torn_file));
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_power_goes_at_every_call),
        cmocka_unit_test(crash_after_crash_loses_nothing_that_was_acknowledged),
        cmocka_unit_test(what_an_opening_has_shown_stays_when_the_power_goes),
        cmocka_unit_test(a_creation_that_was_killed_stays_or_begins_anew),
        cmocka_unit_test(a_torn_tail_is_cut_kept_and_recorded_in_a_new_segment),
        cmocka_unit_test(a_sector_of_noise_in_the_last_write_costs_that_batch_at_most),
        cmocka_unit_test(noise_in_what_fills_a_block_is_damage_when_something_follows_or_the_tail_is_strict),
        cmocka_unit_test(a_strict_tail_refuses_what_looks_torn),
        cmocka_unit_test(reading_only_tells_of_a_torn_tail_and_leaves_it),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
