/* SPDX-License-Identifier: MIT */
/* A log that goes back: command number and time continue from the target, the bytes and the chain from the REVERT. */
#include "support/log_records.h"
#include "support/memory_disk.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ROOM    (64 * 1024)
#define GENESIS "{\"name\":\"a log in a test\"}"

static const struct log_settings settings = { .kind = LOG_KIND_FILE, .file_bytes = 64 * 1024 };
static struct memory_disk        memory;

struct opened {
    void             *memory;
    struct log       *log;
    struct log_batch  batch;
    struct log_report report;
};

static void open_log(struct opened *opened, bool read_only)
{
    struct log_settings own = settings;
    struct slice        genesis;

    own.read_only = read_only;
    *opened = (struct opened){ .memory = aligned_alloc(64, align_up(log_bytes(), 64)),
                               .batch = { .at = aligned_alloc(64, ROOM), .cap = ROOM } };
    assert_int_equal(log_open(opened->memory, &memory.disk, &own, &opened->log, &genesis, &opened->report), LOG_OK);
}

static void close_log(struct opened *opened)
{
    log_close(opened->log);
    free(opened->memory);
    free(opened->batch.at);
}

static void read_to_end(struct opened *opened)
{
    struct log_applied applied;

    for (bool end = false; !end;)
        assert_int_equal(log_next(opened->log, &opened->batch, &applied, &end, &opened->report), LOG_OK);
}

static struct log_mark append(struct opened *opened)
{
    const struct log_applied applied = { 0 };

    assert_int_equal(log_append(opened->log, &opened->batch, &applied), 0);
    return log_mark_behind(&opened->batch);
}

static struct log_mark append_records(struct opened *opened, uint64_t first_seq, uint32_t count, int64_t time_ms)
{
    records_fill(&opened->batch, 0, first_seq, count, time_ms);
    return append(opened);
}

static struct log_mark append_revert(struct opened *opened, uint64_t seq, int64_t time_ms,
                                     const struct log_mark *target)
{
    struct {
        struct command head;
        struct revert  revert;
    } room = { .head = { .kind = CMD_REVERT, .bytes = sizeof(room), .seq = seq, .time_ms = time_ms },
               .revert = { .next_seq = target->next_seq, .time_ms = target->time_ms } };
    const struct log_record record = { .command = &room.head };

    memcpy(room.revert.position, target->position.bytes, sizeof(room.revert.position));
    log_batch_begin(&opened->batch, seq, time_ms);
    assert_true(log_batch_add(&opened->batch, &record));
    return append(opened);
}

static int make(void **state)
{
    struct opened     opened = { .memory = aligned_alloc(64, align_up(log_bytes(), 64)) };
    struct log_report report;

    (void)state;
    memory_disk_init(&memory);
    assert_int_equal(log_create(opened.memory, &memory.disk, &settings, SLICE(GENESIS), &report), LOG_OK);
    free(opened.memory);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    memory_disk_free(&memory);
    return 0;
}

static void numbers_and_time_go_on_from_the_target(void **state)
{
    struct opened   writer;
    struct log_mark target, revert, last;

    (void)state;
    open_log(&writer, false);
    read_to_end(&writer);
    target = append_records(&writer, 1, 3, 1000);
    (void)append_records(&writer, 4, 5, 2000);
    assert_null(log_batch_revert(&writer.batch));
    revert = append_revert(&writer, 9, 2000, &target);
    assert_non_null(log_batch_revert(&writer.batch));
    assert_int_equal(revert.next_seq, 4);
    assert_int_equal(revert.time_ms, 1000);
    assert_int_equal(log_next_seq(writer.log), 4);
    assert_true(log_position_compare(&revert.position, &target.position) > 0);
    last = append_records(&writer, 4, 2, 1000);
    assert_int_equal(last.next_seq, 6);
    close_log(&writer);

    open_log(&writer, false); /* it is read, and goes on from the same place */
    read_to_end(&writer);
    assert_int_equal(log_next_seq(writer.log), 6);
    (void)append_records(&writer, 6, 1, 1001);
    close_log(&writer);
}

static void a_reader_goes_on_behind_a_revert(void **state)
{
    struct opened      writer, reader;
    struct log_mark    target, revert;
    struct log_applied applied;
    bool               end;

    (void)state;
    open_log(&writer, false);
    read_to_end(&writer);
    target = append_records(&writer, 1, 3, 1000);
    (void)append_records(&writer, 4, 5, 2000);
    revert = append_revert(&writer, 9, 2000, &target);
    (void)append_records(&writer, 4, 2, 1000);
    close_log(&writer);

    open_log(&reader, true);
    assert_int_equal(log_resume(reader.log, &revert, &reader.batch, &reader.report), LOG_OK);
    assert_int_equal(log_next(reader.log, &reader.batch, &applied, &end, &reader.report), LOG_OK);
    assert_true(!end && records_are(&reader.batch, 0, 4, 2, 1000));
    close_log(&reader);
    revert.next_seq = 10; /* as if it were an ordinary batch */
    open_log(&reader, true);
    assert_int_equal(log_resume(reader.log, &revert, &reader.batch, &reader.report), LOG_DAMAGED);
    close_log(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_and_time_go_on_from_the_target, make, unmake),
        cmocka_unit_test_setup_teardown(a_reader_goes_on_behind_a_revert, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
