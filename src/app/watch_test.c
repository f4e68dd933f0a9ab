/* SPDX-License-Identifier: MIT */
/* The shadow's blocks are compared with the history: agreement is counted, a planted difference raises the alarm. */
#include "io/child.h"
#include "io/files.h"
#include "io/signals.h"
#include "diagnostics/program_log.h"
#include "app/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct rig {
    char            folder[256];
    struct history *history;
    struct hash256  hash;
    struct watch    watch;
};

/* A history with one block of one command that did nothing. */
static int make(void **state)
{
    struct rig           *rig = calloc(1, sizeof(*rig));
    struct hash256        instance = keccak256("watch", 5);
    _Alignas(8) uint8_t   bytes[256];
    struct events         events = { bytes, 0, sizeof(bytes) };
    struct command_began *began;
    struct history_tx     tx = { .seq = 1, .hash = keccak256("tx", 2), .status = 1 };
    char                  path[512];

    rig->hash = keccak256("block", 5);
    assert_int_equal(files_make_temporary(rig->folder, sizeof(rig->folder)), 0);
    (void)snprintf(path, sizeof(path), "%s/history", rig->folder);
    assert_int_equal(history_open(path, &instance, files_boot_id(), &rig->history), 0);
    began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    began->seq = 1;
    history_apply(rig->history, &events);
    history_block(rig->history,
                  &(struct history_block){ .hash = rig->hash, .number = 1, .first_seq = 1, .last_seq = 1, .count = 1 },
                  &tx);
    rig->watch.history = rig->history;
    *state = rig;
    return 0;
}

static int unmake(void **state)
{
    struct rig *rig = *state;

    history_close(rig->history);
    files_remove_tree(rig->folder);
    free(rig);
    return 0;
}

static struct shadow_message message_of(const struct rig *rig, enum shadow_message_kind kind)
{
    return (struct shadow_message){
        .magic = SHADOW_MESSAGE_MAGIC, .kind = kind, .seq = 1, .block = 1, .block_hash = rig->hash
    };
}

static void a_block_that_is_the_same_is_counted(void **state)
{
    struct rig           *rig = *state;
    struct shadow_message message = message_of(rig, SHADOW_BLOCK);

    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.agreed, 1);
    assert_int_equal(rig->watch.counts.differences, 0);
    assert_int_equal(rig->watch.counts.seq, 1);
    message.block = 0; /* there is nothing to compare before the first block … */
    assert_true(watch_hear(&rig->watch, &message));
    message.block = 2; /* … nor with one that is not here yet */
    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.agreed, 1);
    assert_int_equal(rig->watch.counts.differences, 0);
}

static void a_block_that_differs_raises_the_alarm(void **state)
{
    struct rig           *rig = *state;
    struct shadow_message message = message_of(rig, SHADOW_BLOCK);

    message.block_hash.bytes[31] ^= 1;
    assert_true(watch_hear(&rig->watch, &message));
    message.kind = SHADOW_SNAPSHOT;
    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.differences, 2);
    assert_int_equal(rig->watch.counts.agreed, 0);
    assert_false(watch_stopped_all(&rig->watch));
    assert_int_equal(signals_wait(0), 0);
}

static void what_the_shadow_finds_itself_is_an_alarm_and_stops_where_it_shall(void **state)
{
    struct rig           *rig = *state;
    struct shadow_message message = message_of(rig, SHADOW_DIFFERS);

    rig->watch.settings.stops = true;
    assert_false(watch_stopped_all(&rig->watch));
    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.differences, 1);
    assert_true(watch_stopped_all(&rig->watch));
    assert_int_not_equal(signals_wait(2000), 0); /* it signals this process to end */
}

static void snapshots_and_ends_are_counted_and_noise_is_not(void **state)
{
    struct rig           *rig = *state;
    struct shadow_message message = message_of(rig, SHADOW_SNAPSHOT);

    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.snapshots, 1);
    assert_int_equal(rig->watch.counts.snapshot_seq, 1);
    message.kind = SHADOW_ENDED;
    message.seq = 0;
    assert_true(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.restarts, 1);
    assert_int_equal(rig->watch.counts.seq, 1);
    message.kind = 77;
    assert_false(watch_hear(&rig->watch, &message));
    message.kind = SHADOW_BLOCK;
    message.magic ^= 1;
    assert_false(watch_hear(&rig->watch, &message));
    assert_int_equal(rig->watch.counts.agreed, 1);
}

/* A start that is no shadow: it ends, and no thread waits for it. */
static void a_child_that_ends_or_will_not_end_is_told_apart(void **state)
{
    char *help[] = { (char *)(uintptr_t) "test", (char *)(uintptr_t) "--no-such-word", NULL };
    int   ends[2], pid, code = 0;
    char  byte;

    (void)state;
    assert_int_equal(child_pipe(ends), 0);
    assert_int_equal(child_read(ends[0], &byte, 1, 0), 0);
    assert_true(child_write(ends[1], "x", 1));
    assert_int_equal(child_read(ends[0], &byte, 1, 1000), 1);
    assert_int_equal(byte, 'x');
    assert_int_equal(child_start(help, ends[1], &pid), 0);
    files_close(ends[1]);
    child_finish(pid);                            /* asked to end, or ended already */
    assert_int_equal(child_ended(pid, &code), 0); /* and there is nothing more to report */
    while (child_read(ends[0], &byte, 1, 1000) == 1) {}
    assert_int_equal(child_read(ends[0], &byte, 1, 1000), -1);
    files_close(ends[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_that_is_the_same_is_counted, make, unmake),
        cmocka_unit_test_setup_teardown(a_block_that_differs_raises_the_alarm, make, unmake),
        cmocka_unit_test_setup_teardown(what_the_shadow_finds_itself_is_an_alarm_and_stops_where_it_shall, make,
                                        unmake),
        cmocka_unit_test_setup_teardown(snapshots_and_ends_are_counted_and_noise_is_not, make, unmake),
        cmocka_unit_test(a_child_that_ends_or_will_not_end_is_told_apart),
    };

    (void)argv;
    if (argc > 1) return 3; /* the child of the last test */
    signals_block();
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
