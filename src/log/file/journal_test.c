/* SPDX-License-Identifier: MIT */
/* The journal as its users see it: the appended batches are read back, unchanged, over segments and restarts. */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <xxhash.h>

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig_init(&rig, 64 * 1024);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_free(&rig);
    return 0;
}

static void reopen_and_compare(uint32_t batches)
{
    bool same;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same);
    assert_int_equal(rig.recovered, batches);
}

static void an_empty_folder_has_no_journal(void **state)
{
    (void)state;
    bool same;
    assert_int_equal(rig_open(&rig, &same), LOG_ABSENT);
    assert_int_equal(rig.memory.writes, 0);
}

static void a_new_journal_gives_its_genesis_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    struct hash256 instance = keccak256(RIG_GENESIS, strlen(RIG_GENESIS)), chain = journal_chain(rig.journal);
    assert_true(hash256_equal(&instance, &chain));
    assert_int_equal(journal_next_seq(rig.journal), 1);
    journal_close(rig.journal);
    reopen_and_compare(0);
    assert_int_equal(rig.report.batches, 0);
    assert_false(rig.report.torn);
}

static void what_was_appended_comes_back_with_the_same_batches_and_chain(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(rig_append(&rig, i + 1), 0);
    assert_int_equal(rig_append(&rig, 0), 0);
    struct hash256 chain = journal_chain(rig.journal);
    assert_int_equal(journal_next_seq(rig.journal), 16);
    journal_close(rig.journal);

    reopen_and_compare(6);
    struct hash256 again = journal_chain(rig.journal);
    assert_true(hash256_equal(&chain, &again));
    assert_int_equal(journal_next_seq(rig.journal), 16);
    assert_int_equal(rig.report.batches, 6);
    assert_int_equal(rig.report.records, 15);
}

static void a_journal_goes_on_after_every_restart_over_many_segments(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t round = 0; round < 12; round++) {
        for (uint32_t i = 0; i < 9; i++) assert_int_equal(rig_append(&rig, (round * 9 + i) % 23), 0);
        journal_close(rig.journal);
        reopen_and_compare(rig.handed);
    }
    assert_true(rig.report.parts > 5);
    assert_false(rig.report.torn);
}

static void a_batch_larger_than_the_rest_goes_to_the_next_segment(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    while (memory_disk_find(&rig.memory, "journal-00000002.log") == NULL) assert_int_equal(rig_append(&rig, 40), 0);
    journal_close(rig.journal);
    reopen_and_compare(rig.handed);
    assert_int_equal(rig.report.parts, 2);
}

static void a_full_batch_refuses_a_record_and_stays_as_it_was(void **state)
{
    (void)state;
    struct command_room room;
    struct record_parts parts;
    uint32_t            count = 0;

    log_batch_begin(&rig.batch, 1, 5);
    for (;; count++) {
        struct log_record record = record_at(rig.variant, count + 1, 5, &room, &parts);
        size_t            before = rig.batch.len;
        if (log_batch_add(&rig.batch, &record)) continue;
        assert_int_equal(rig.batch.len, before);
        assert_int_equal(rig.batch.count, count);
        break;
    }
    assert_true(rig.batch.len + 32 <= rig.batch.cap);
    assert_true(rig.batch.cap - rig.batch.len < 1200);

    struct log_cursor cursor = { 0 };
    struct log_record got;
    uint32_t          seen = 0;
    while (log_batch_next(&rig.batch, &cursor, &got)) assert_int_equal(got.command->seq, ++seen);
    assert_int_equal(seen, count);
}

static void the_origin_of_a_command_is_not_written(void **state)
{
    (void)state;
    struct command_room room;
    struct record_parts parts;
    log_batch_begin(&rig.batch, 1, 5);
    struct log_record record = record_at(rig.variant, 1, 5, &room, &parts), got;
    struct log_cursor cursor = { 0 };
    assert_true(log_batch_add(&rig.batch, &record));
    assert_true(log_batch_next(&rig.batch, &cursor, &got));
    assert_int_equal(got.command->origin, 0);
    assert_int_equal(room.head.origin, 77);
    assert_false(log_batch_next(&rig.batch, &cursor, &got));
}

static void reading_only_writes_and_creates_nothing(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);
    uint64_t writes = rig.memory.writes;
    rig.options.read_only = true;
    reopen_and_compare(3);
    assert_int_equal(rig.memory.writes, writes);
    assert_null(memory_disk_find(&rig.memory, "journal-00000002.log"));
}

static void prepare_makes_a_spare_and_the_ballast_that_append_uses(void **state)
{
    (void)state;
    rig.options.spare = true;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_true(journal_wants_spare(rig.journal));
    assert_int_equal(journal_prepare(rig.journal), 0);
    assert_false(journal_wants_spare(rig.journal));
    assert_false(journal_is_short(rig.journal));
    assert_non_null(memory_disk_find(&rig.memory, "journal-00000002.log"));
    assert_int_equal(memory_disk_find(&rig.memory, JOURNAL_BALLAST_NAME)->bytes, JOURNAL_BALLAST_BYTES);
    journal_close(rig.journal);
    reopen_and_compare(0);
    assert_false(journal_wants_spare(rig.journal));

    while (!journal_wants_spare(rig.journal)) assert_int_equal(rig_append(&rig, 20), 0);
    assert_null(memory_disk_find(&rig.memory, "journal-00000003.log"));
    journal_close(rig.journal);
    reopen_and_compare(rig.handed);
    assert_true(journal_wants_spare(rig.journal));
}

/* The spare is cut to `bytes` while the exchange runs; every batch must come back from the segment in its place. */
static void shorten_the_spare_to(uint64_t bytes)
{
    rig.options.spare = true;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(journal_prepare(rig.journal), 0);
    memory_disk_truncate(memory_disk_find(&rig.memory, "journal-00000002.log"), bytes);
    while (!journal_wants_spare(rig.journal)) assert_int_equal(rig_append(&rig, 20), 0);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);
    reopen_and_compare(rig.handed);
    assert_false(rig.report.torn);
    assert_int_equal(memory_disk_find(&rig.memory, "journal-00000002.log")->bytes, rig.options.file_bytes);
}

static void an_empty_spare_is_replaced(void **state)
{
    (void)state;
    shorten_the_spare_to(0);
}

static void a_spare_without_room_for_a_batch_is_replaced(void **state)
{
    (void)state;
    shorten_the_spare_to(JOURNAL_SEGMENT_MIN - 1);
}

static void a_spare_shorter_than_the_next_batch_is_replaced(void **state)
{
    (void)state;
    shorten_the_spare_to(JOURNAL_SEGMENT_MIN);
}

static void a_full_disk_gives_its_ballast_for_one_more_segment_and_then_fails(void **state)
{
    (void)state;
    int error = 0;
    rig.options.spare = true;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(journal_prepare(rig.journal), 0);
    rig.memory.capacity = JOURNAL_BALLAST_BYTES + 2 * 64 * 1024;

    while (!journal_wants_spare(rig.journal)) assert_int_equal(rig_append(&rig, 20), 0);
    assert_int_equal(journal_prepare(rig.journal), ENOSPC);
    assert_true(journal_is_short(rig.journal));
    assert_true(journal_wants_spare(rig.journal));
    while (memory_disk_find(&rig.memory, "journal-00000003.log") == NULL) assert_int_equal(rig_append(&rig, 20), 0);
    assert_null(memory_disk_find(&rig.memory, JOURNAL_BALLAST_NAME));

    rig.memory.capacity = 1;
    while (error == 0) error = rig_append(&rig, 20);
    assert_int_equal(error, ENOSPC);
    journal_close(rig.journal);
    reopen_and_compare(rig.acked);
}

/* Writes a version into both headers of the only segment. */
static void stamp(uint32_t engine)
{
    struct memory_file    *file = memory_disk_find(&rig.memory, "journal-00000001.log");
    struct segment_header *copies = (struct segment_header *)(void *)file->cache;

    for (int i = 0; i < 2; i++) {
        copies[i].engine = engine;
        copies[i].checksum = XXH3_64bits(&copies[i], offsetof(struct segment_header, checksum));
    }
}

static void another_format_or_engine_is_refused_untouched(void **state)
{
    (void)state;
    bool same;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);

    stamp(LOG_ENGINE_VERSION + 1);
    uint64_t writes = rig.memory.writes;
    assert_int_equal(rig_open(&rig, &same), LOG_FOREIGN);
    assert_int_equal(rig.memory.writes, writes);
    assert_int_equal(rig.report.found_format, JOURNAL_FORMAT);
    assert_int_equal(rig.report.found_engine, LOG_ENGINE_VERSION + 1);
}

static void a_log_of_another_engine_is_read_when_that_is_asked_for(void **state)
{
    (void)state;
    bool same;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);

    stamp(LOG_CONVERTIBLE);
    rig.options.read_only = true;
    rig.options.engine = LOG_CONVERTIBLE;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same);
    assert_int_equal(rig.recovered, 1);
    journal_close(rig.journal);
    stamp(LOG_ENGINE_VERSION);
    assert_int_equal(rig_open(&rig, &same), LOG_FOREIGN);
    assert_int_equal(rig.report.found_engine, LOG_ENGINE_VERSION);
}

static void a_second_journal_is_not_made_over_the_first(void **state)
{
    (void)state;
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);
    assert_int_equal(rig_create(&rig), LOG_IO);
    assert_int_equal(rig.report.error, EEXIST);
    reopen_and_compare(1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(an_empty_folder_has_no_journal),
        T(a_new_journal_gives_its_genesis_and_nothing_else),
        T(what_was_appended_comes_back_with_the_same_batches_and_chain),
        T(a_journal_goes_on_after_every_restart_over_many_segments),
        T(a_batch_larger_than_the_rest_goes_to_the_next_segment),
        T(a_full_batch_refuses_a_record_and_stays_as_it_was),
        T(the_origin_of_a_command_is_not_written),
        T(reading_only_writes_and_creates_nothing),
        T(prepare_makes_a_spare_and_the_ballast_that_append_uses),
        T(an_empty_spare_is_replaced),
        T(a_spare_without_room_for_a_batch_is_replaced),
        T(a_spare_shorter_than_the_next_batch_is_replaced),
        T(a_full_disk_gives_its_ballast_for_one_more_segment_and_then_fails),
        T(another_format_or_engine_is_refused_untouched),
        T(a_log_of_another_engine_is_read_when_that_is_asked_for),
        T(a_second_journal_is_not_made_over_the_first),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
