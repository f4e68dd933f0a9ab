/* SPDX-License-Identifier: MIT */
/* copy_test.c — a copy of a store that is in use becomes the store of another node; one that is damaged does not. */
#include "history/history.h"

#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define ACCOUNT 7
#define ROWS    600

static char                 top[96], from[128], to[128];
static const struct hash256 instance = { { 1, 2, 3 } };

static int begin(void **state)
{
    (void)state;
    if (files_make_temporary(top, sizeof(top)) != 0) return -1;
    (void)snprintf(from, sizeof(from), "%s/from", top);
    (void)snprintf(to, sizeof(to), "%s/to", top);
    return files_make_folder(to);
}

static int end(void **state)
{
    (void)state;
    files_remove_tree(top);
    return 0;
}

/* Command `seq` ends an order. */
static void apply(struct history *history, uint64_t seq)
{
    static uint8_t        bytes[1024];
    struct events         events = { bytes, 0, sizeof(bytes) };
    struct history_tx     tx = { .seq = seq, .hash = keccak256(&seq, sizeof(seq)) };
    struct history_block  block = { .number = seq, .first_seq = seq, .last_seq = seq, .count = 1 };
    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);

    began->seq = seq;
    order->order_id = seq;
    order->account_id = ACCOUNT;
    order->symbol_id = 1;
    order->status = STATUS_CANCELED;
    order->updated_ms = (int64_t)seq;
    history_apply(history, &events);
    history_block(history, &block, &tx);
}

static struct history *made(uint64_t rows)
{
    struct history *history;
    uint32_t        left = 1;

    assert_int_equal(history_open(from, &instance, SLICE("boot"), &history), 0);
    for (uint64_t seq = 1; seq <= rows; seq++) apply(history, seq);
    while (left != 0) assert_true(history_write(history, &left) >= 0);
    return history;
}

static uint32_t orders_of(struct history *history)
{
    static struct order_changed orders[ROWS * 2];
    struct history_query        query = {
               .account_id = ACCOUNT, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = ROWS * 2
    };
    int count = history_orders(history, &query, orders);

    assert_true(count >= 0);
    for (int i = 1; i < count; i++) assert_true(orders[i].order_id == orders[i - 1].order_id - 1);
    return (uint32_t)count;
}

static void a_copy_has_the_rows_of_its_moment(void **state)
{
    struct history *history = made(ROWS), *other;
    uint64_t        seq = history_seq(history), copied = 0;
    uint32_t        left = 1;

    (void)state;
    assert_int_equal(history_copy(history, to), 0);
    apply(history, ROWS + 1); /* the store goes on; the last batch is complete when the next one begins */
    apply(history, ROWS + 2);
    while (left > 1) assert_true(history_write(history, &left) >= 0);
    assert_int_equal(history_adopt(to, &instance, &copied), 0);
    assert_int_equal(copied, seq);
    assert_int_equal(history_open(to, &instance, SLICE("another machine"), &other), 0);
    assert_null(history_thrown_away(other));
    assert_int_equal(history_seq(other), seq);
    assert_int_equal(orders_of(other), seq);
    assert_int_equal(orders_of(history), ROWS + 2);
    history_close(other);
    history_close(history);
}

static void nothing_is_overwritten(void **state)
{
    struct history *history = made(3);

    (void)state;
    assert_int_equal(history_copy(history, to), 0);
    assert_int_equal(history_copy(history, to), EEXIST);
    assert_int_equal(history_copy(history, "/absent"), ENOENT);
    history_close(history);
}

static void a_damaged_copy_is_refused(void **state)
{
    struct history *history = made(ROWS);
    char            path[160];
    uint64_t        seq;
    off_t           bytes;
    int             fd;

    (void)state;
    assert_int_equal(history_copy(history, to), 0);
    history_close(history);
    (void)snprintf(path, sizeof(path), "%s/data.mdb", to);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    bytes = lseek(fd, 0, SEEK_END);
    assert_true(bytes > 16 * 4096);
    for (off_t at = 4096 * 4; at < bytes; at += 4096) assert_int_equal(pwrite(fd, "damage", 6, at + 4000), 6);
    (void)close(fd);
    assert_int_equal(history_adopt(to, &instance, &seq), EUCLEAN);
    assert_int_equal(truncate(path, bytes / 2), 0);
    assert_int_equal(history_adopt(to, &instance, &seq), EUCLEAN);
}

static void a_copy_of_another_log_is_not_used(void **state)
{
    struct history      *history = made(ROWS), *other;
    const struct hash256 foreign = { { 9 } };
    uint64_t             seq;

    (void)state;
    assert_int_equal(history_copy(history, to), 0);
    history_close(history);
    assert_int_equal(history_adopt(to, &foreign, &seq), 0);
    assert_int_equal(history_open(to, &instance, SLICE("boot"), &other), 0);
    assert_int_equal(history_seq(other), 0);
    history_close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(a_copy_has_the_rows_of_its_moment), TEST(nothing_is_overwritten),
                                        TEST(a_damaged_copy_is_refused), TEST(a_copy_of_another_log_is_not_used) };

    return cmocka_run_group_tests_name("history/copy", tests, NULL, NULL);
}
