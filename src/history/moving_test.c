/* SPDX-License-Identifier: MIT */
/* Rows on their way from memory to disk: memory that is full, reads beside the writer, rows that leave. */
#include "rigs/history/naive_rig.h"
#include "history/pending.h"

#include <pthread.h>

static void memory_that_is_full_says_so_until_rows_are_written(void **state)
{
    (void)state;
    static uint8_t many[2000 * sizeof(struct filled) + 64];
    struct events  large = { many, 0, sizeof(many) };
    uint32_t       left, rows = 0;

    while (!history_is_full(history)) {
        large.len = 0;
        struct command_began *began = EVENT_ADD(&large, COMMAND_BEGAN, command_began, 0);
        began->seq = next_seq++;
        for (int i = 0; i < 2000; i++, rows++) {
            struct filled *filled = EVENT_ADD(&large, FILL, filled, MARKET_SPOT);
            filled->trade_id = next_trade_id++;
            filled->account_id = 1;
            filled->order_id = 1;
        }
        history_apply(history, &large);
    }
    assert_int_equal(rows, 1000000);
    assert_true(history_write(history, &left) > 0);
    assert_false(history_is_full(history));
    assert_true(left < 1000000);
    struct history_query query = {
        .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 3, .from_id = 5
    };
    assert_int_equal(history_fills(history, &query, got_fills), 3);
    assert_int_equal(got_fills[0].trade_id, 4);
}

#define MOVING_ROWS 30000
static bool     stop;
static uint64_t applied; /* rows of account 1 so far */

static void *write_for_ever(void *unused)
{
    uint32_t left;
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) assert(history_write(history, &left) >= 0);
    return NULL;
}

/*
 * Rows of account 1 have the ids 1, 2, 3 …: an answer must be one unbroken run that begins no lower than the previous
 * one.
 */
static void *read_for_ever(void *seed)
{
    static __thread struct filled        page[64];
    static __thread struct order_changed list[64];
    uint64_t                             from = (uint64_t)(uintptr_t)seed;

    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        uint64_t             before = __atomic_load_n(&applied, __ATOMIC_ACQUIRE);
        struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 64 };
        if (from++ % 3 == 0) query.symbol_id = 1;
        if (from % 5 == 0 && before > 200) query.from_id = before - from % 150;
        int      got = history_fills(history, &query, page);
        uint64_t top = query.from_id != 0 ? query.from_id - 1 : before;
        assert(got == (int)min_u64(64, got == 0 ? top : page[0].trade_id));
        assert(got == 0 || (query.from_id != 0 ? page[0].trade_id == top : page[0].trade_id >= top));
        for (int i = 1; i < got; i++) assert(page[i].trade_id == page[i - 1].trade_id - 1);
        got = history_orders(history, &query, list);
        assert(got == (int)min_u64(64, got == 0 ? top : list[0].order_id));
        for (int i = 1; i < got; i++) assert(list[i].order_id == list[i - 1].order_id - 1);
        struct tx_location place;
        assert(before == 0 || history_transaction(history, 1 + from % before, &place));
    }
    return NULL;
}

static void reads_see_every_row_once_while_it_moves_to_disk(void **state)
{
    (void)state;
    pthread_t writer, readers[3];

    stop = false;
    applied = 0;
    pthread_create(&writer, NULL, write_for_ever, NULL);
    for (uintptr_t i = 0; i < ARRAY_COUNT(readers); i++)
        pthread_create(&readers[i], NULL, read_for_ever, (void *)(i * 7));
    for (uint64_t id = 1; id <= MOVING_ROWS; id++) {
        order_count = fill_count = 0;
        begin_batch();
        command();
        order_ends(id, 1, 1, MARKET_SPOT);
        fill(id, id, 1, 1);
        if (id % 4 == 0) now_ms++;
        end_batch(1, id);
        __atomic_store_n(&applied, id, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(writer, NULL);
    for (size_t i = 0; i < ARRAY_COUNT(readers); i++) pthread_join(readers[i], NULL);
    write_all();
    assert_int_equal(history_seq(history), MOVING_ROWS);
    assert_int_equal(history_write_back(history, INT64_MAX), 0);
}

static void rows_that_are_stored_leave_as_others_come(void **state)
{
    struct pending     *pending = malloc(sizeof(*pending));
    struct pending_part part;
    uint32_t            slots[10], again;

    (void)state;
    assert_non_null(pending);
    assert_int_equal(pending_init(pending), 0);
    assert_int_equal(pending_look(pending).count, 0);
    for (uint32_t i = 0; i < 10; i++) pending_add(pending, ROW_FILL);
    assert_int_equal(pending_look(pending).count, 0); /* not before they are shown */
    pending->batch_closed = false;
    pending->batch_last = 7;
    pending_show(pending);
    part = pending_look(pending);
    assert_int_equal(part.count, 10);
    assert_int_equal(part.closed, 0);
    pending_list(pending, slots, part.count);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(pending->rows[slots[i]].kind, ROW_FILL);

    pending->batch_closed = true;
    pending_show(pending);
    assert_int_equal(pending_look(pending).closed, 7);
    pending_stored(pending, 6);
    assert_int_equal(pending_waiting(pending), 4);
    pending_list(pending, &again, 1);
    assert_int_equal(again, slots[6]);
    pending_add(pending, ROW_FILL);
    assert_int_equal(pending->removed, 2);
    pending_remove_stored(pending, UINT32_MAX);
    assert_int_equal(pending->removed, 6);
    for (uint32_t i = 6; i < 10; i++) assert_int_equal(pending->rows[slots[i]].kind, ROW_FILL);

    pending_show(pending);
    pending_stored(pending, 5);
    assert_int_equal(pending_look(pending).count, 0);
    pending_remove_stored(pending, UINT32_MAX);
    pending_add(pending, ROW_FILL); /* behind a row that is stored */
    pending->added = pending->stored + PENDING_LAST - 1;
    assert_false(pending_is_short(pending));
    pending->added += 1;
    assert_true(pending_is_short(pending));
    pending_show(pending);
    part = pending_look(pending);
    assert_int_equal(part.count, 1);
    pending_list(pending, &again, 1);
    assert_int_equal(pending->rows[again].kind, ROW_FILL);
    pending_deinit(pending);
    free(pending);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(memory_that_is_full_says_so_until_rows_are_written),
        T(reads_see_every_row_once_while_it_moves_to_disk),
        cmocka_unit_test(rows_that_are_stored_leave_as_others_come),
    };
    return cmocka_run_group_tests_name("history/moving", tests, NULL, NULL);
}
