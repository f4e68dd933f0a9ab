/* SPDX-License-Identifier: MIT */
/* replay_test.c — a replay ends when its rows of the history cannot be written, instead of filling the memory. */
#include "pipeline/replay.h"

#include "diagnostics/program_log.h"
#include "io/files.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cmocka.h>

#define ORDERS 1000 /* of a command */

static char            top[96];
static struct exchange exchange; /* its history alone */

static int begin(void **state)
{
    const struct hash256 instance = { { 1 } };
    char                 path[128];

    (void)state;
    if (files_make_temporary(top, sizeof(top)) != 0) return -1;
    (void)snprintf(path, sizeof(path), "%s/history", top);
    return history_open(path, &instance, SLICE("boot"), &exchange.history);
}

static int end(void **state)
{
    (void)state;
    history_close(exchange.history);
    files_remove_tree(top);
    return 0;
}

/* Command `seq`, which ends many orders. */
static void run(uint64_t seq)
{
    static uint8_t        bytes[ORDERS * sizeof(struct order_changed) + 1024];
    struct events         events = { bytes, 0, sizeof(bytes) };
    struct history_tx     tx = { .seq = seq, .hash = keccak256(&seq, sizeof(seq)) };
    struct history_block  block = { .number = seq, .first_seq = seq, .last_seq = seq, .count = 1 };
    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);

    began->seq = seq;
    for (uint64_t i = 0; i < ORDERS; i++) {
        struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);
        order->order_id = seq * ORDERS + i;
        order->account_id = 1 + i;
        order->symbol_id = 1;
        order->status = STATUS_CANCELED;
        order->updated_ms = (int64_t)seq;
    }
    history_apply(exchange.history, &events);
    history_block(exchange.history, &block, &tx);
}

static void let_files_have(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void rows_that_cannot_be_written_end_it(void **state)
{
    uint64_t seq = 0;

    (void)state;
    while (!history_is_full(exchange.history)) {
        assert_int_equal(replay_spare_history(&exchange), EXIT_FINE);
        run(++seq);
    }
    (void)signal(SIGXFSZ, SIG_IGN);
    let_files_have(64 << 10);
    assert_int_equal(replay_spare_history(&exchange), EXIT_DISK);
    assert_non_null(strstr(complained(), "the history cannot be written, and there is no memory for more of it"));
    assert_true(history_is_full(exchange.history));
    let_files_have(RLIM_INFINITY);
    assert_int_equal(replay_spare_history(&exchange), EXIT_FINE);
    assert_int_equal(history_waiting(exchange.history), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(rows_that_cannot_be_written_end_it, begin,
                                                                        end) };

    return cmocka_run_group_tests_name("pipeline/replay", tests, NULL, NULL);
}
