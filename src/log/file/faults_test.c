/* SPDX-License-Identifier: MIT */
/*
 * Every call to the disk fails once, and fails for good, at every place of a short life of a journal: no acknowledged
 * batch is lost, none is acknowledged after a failure, no batch is read back in part, and the next start is right.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define SEGMENT_BYTES (32 * 1024)

static struct rig rig;

/* A life: create, append over a few segments, end. Returns whether the journal was created. */
static bool live(void)
{
    if (rig_create(&rig) != LOG_OK) return false;
    int failed = 0;
    for (uint32_t i = 0; i < 14; i++) {
        int error = rig_append(&rig, i % 5 == 4 ? 0 : i * 3 % 11);
        if (failed != 0) {
            assert_int_equal(error, failed); /* never tried again */
            rig.handed--;
        }
        if (error != 0) failed = error;
        if (rig.options.spare && journal_wants_spare(rig.journal) && journal_prepare(rig.journal) != 0 && failed == 0)
            continue; /* no spare: append makes its segment itself */
    }
    return true;
}

/* After the failure and the end of the process: everything acknowledged is there, at most one batch more. */
static void check_after(bool created)
{
    bool           same;
    uint32_t       acked = rig.acked, handed = rig.handed;
    enum log_fault fault = rig_open(&rig, &same);

    if (!created && fault == LOG_ABSENT) {
        assert_int_equal(rig_create(&rig), LOG_OK); /* the next start can begin anew */
        rig.recovered = 0;
    } else {
        assert_int_equal(fault, LOG_OK);
    }
    assert_true(same);
    assert_true(rig.recovered >= acked && rig.recovered <= handed);

    rig_go_on(&rig);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(rig_append(&rig, 3), 0);
    journal_close(rig.journal);
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same);
    assert_int_equal(rig.recovered, rig.handed);
    journal_close(rig.journal);
}

static uint64_t calls_of_a_life(bool spare)
{
    rig_init(&rig, SEGMENT_BYTES);
    rig.options.spare = spare;
    assert_true(live());
    uint64_t calls = rig.memory.calls;
    rig_free(&rig);
    return calls;
}

static void every_call_fails(bool spare, bool sticky, bool half, int error)
{
    uint64_t calls = calls_of_a_life(spare);

    for (uint64_t at = 1; at <= calls; at++) {
        for (int power_cut = 0; power_cut < 3; power_cut++) {
            rig_init(&rig, SEGMENT_BYTES);
            rig.options.spare = spare;
            rig.memory.fail_at = at;
            rig.memory.fail_sticky = sticky;
            rig.memory.fail_writes_half = half;
            rig.memory.fail_error = error;
            bool created = live();
            if (power_cut == 0) memory_disk_kill(&rig.memory);
            else memory_disk_crash(&rig.memory, power_cut == 1 ? CRASH_NONE_ARRIVES : CRASH_DICE);
            check_after(created);
            rig_free(&rig);
        }
    }
}

static void any_call_fails_once(void **state)
{
    (void)state;
    every_call_fails(false, false, false, EIO);
}
static void any_call_fails_for_good(void **state)
{
    (void)state;
    every_call_fails(false, true, false, EIO);
}
static void any_write_fails_by_halves(void **state)
{
    (void)state;
    every_call_fails(false, true, true, EIO);
    every_call_fails(false, false, true, ENOSPC);
}
static void any_call_fails_with_spares(void **state)
{
    (void)state;
    every_call_fails(true, false, true, ENOSPC);
    every_call_fails(true, true, false, EIO);
}

/*
 * Faults while a torn or clean log is opened: either it opens right, or it reports a failure of the disk; never
 * damage.
 */
static void every_call_of_an_opening_fails(bool torn, bool spare)
{
    struct memory_disk before;
    bool               same;

    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 7; i++) assert_int_equal(rig_append(&rig, 5), 0);
    rig.options.spare = spare;
    if (spare) assert_int_equal(journal_prepare(rig.journal), 0);
    if (spare)
        assert_int_equal(rig.memory.disk.remove(&rig.memory, JOURNAL_BALLAST_NAME),
                         0); /* it only slows the copies down */
    if (torn) {
        rig.memory.fail_at = rig.memory.calls + 2; /* the sync */
        assert_int_equal(rig_append(&rig, 20), EIO);
        memory_disk_crash(&rig.memory, CRASH_ALL_BUT_LAST);
    }
    memory_disk_copy(&before, &rig.memory);
    uint64_t first = rig.memory.calls;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_int_equal(rig.report.torn, torn);
    uint64_t last = rig.memory.calls;

    for (uint64_t at = first + 1; at <= last; at++) {
        for (int variant = 0; variant < 4; variant++) {
            memory_disk_free(&rig.memory);
            memory_disk_copy(&rig.memory, &before);
            rig.handed = rig.acked + (torn ? 1 : 0);
            rig.memory.fail_at = at;
            rig.memory.fail_sticky = variant % 2 == 1;
            rig.memory.fail_writes_half = variant / 2 == 1;
            enum log_fault fault = rig_open(&rig, &same);
            assert_true(same);
            assert_true(fault == LOG_OK || fault == LOG_IO);
            memory_disk_crash(&rig.memory, CRASH_DICE);
            assert_int_equal(rig_open(&rig, &same), LOG_OK);
            assert_true(same);
            assert_int_equal(rig.recovered, rig.acked);
        }
    }
    memory_disk_free(&before);
    rig_free(&rig);
}

static void any_call_fails_while_a_log_is_opened(void **state)
{
    (void)state;
    every_call_of_an_opening_fails(false, false);
    every_call_of_an_opening_fails(true, false);
    every_call_of_an_opening_fails(false, true);
    every_call_of_an_opening_fails(true, true);
}

static void a_failed_append_is_final_although_the_disk_recovers(void **state)
{
    (void)state;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(rig_append(&rig, 2), 0);
    rig.memory.fail_at = rig.memory.calls + 3; /* batch, zeros ahead are written or not; the sync fails */
    rig.memory.fail_error = EDQUOT;
    int error = rig_append(&rig, 2);
    rig.memory.fail_at = 0;
    if (error == 0) {
        rig.memory.fail_at = rig.memory.calls + 2;
        error = rig_append(&rig, 2);
        rig.memory.fail_at = 0;
    }
    assert_int_equal(error, EDQUOT);
    uint64_t calls = rig.memory.calls;
    for (int i = 0; i < 3; i++) {
        rig.handed--;
        assert_int_equal(rig_append(&rig, 2), EDQUOT);
    }
    assert_int_equal(rig.memory.calls, calls);
    rig_free(&rig);
}

static void a_read_that_fails_twice_is_tried_again(void **state)
{
    (void)state;
    bool same;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rig_append(&rig, 2), 0);
    journal_close(rig.journal);
    rig.options.read_only = true;
    uint64_t first = rig.memory.calls, refused = 0;
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    uint64_t last = rig.memory.calls;
    for (uint64_t at = first + 1; at <= last; at++) {
        rig.memory.calls = first;
        rig.memory.fail_at = at;
        enum log_fault fault = rig_open(&rig, &same);
        assert_true(same && (fault == LOG_OK || fault == LOG_IO));
        if (fault == LOG_IO) {
            refused++;
            assert_int_equal(rig.report.error, EIO);
        }
    }
    assert_true(refused < last - first); /* only opening and looking for files is not tried again */
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_call_fails_once),
        cmocka_unit_test(any_call_fails_for_good),
        cmocka_unit_test(any_write_fails_by_halves),
        cmocka_unit_test(any_call_fails_with_spares),
        cmocka_unit_test(any_call_fails_while_a_log_is_opened),
        cmocka_unit_test(a_failed_append_is_final_although_the_disk_recovers),
        cmocka_unit_test(a_read_that_fails_twice_is_tried_again),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
