/* SPDX-License-Identifier: MIT */
/* receipts_test.c — receipts of liquidations with their parts: in memory, on the disk, and after a restart. */
#include "history/history.h"
#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define RANKS 7

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 9 } };
static uint8_t              event_bytes[1 << 14];
static struct events        events = { event_bytes, 0, sizeof(event_bytes) };
static uint64_t             next_seq;

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-receipts-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    next_seq = 1;
    return history_open(path, &instance, SLICE("boot"), &history);
}

static int teardown(void **state)
{
    (void)state;
    history_close(history);
    return folder_remove(path);
}

static void begin_batch(void)
{
    events.len = 0;
    EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0)->seq = next_seq++;
}

static void end_batch(void) { history_block(history, &(struct history_block){ .last_seq = next_seq - 1 }, NULL); }

static void emit_composition(int64_t index)
{
    struct index_composed *composed = EVENT_ADD(&events, INDEX_COMPOSED, index_composed, MARKET_PERPS);

    composed->symbol_id = 2;
    composed->index = index;
    composed->sources[INDEX_SOURCE_HAND].price = index + 1; /* the last bytes count as well */
}

/* Account 1002 takes a part at rank 1, 1003 is at all other ranks and takes none. */
static void emit_receipt(uint64_t id, uint8_t stage, uint32_t candidates)
{
    struct liquidated *receipt = EVENT_ADD(&events, LIQUIDATION, liquidated, MARKET_PERPS);

    receipt->receipt_id = id;
    receipt->liquidation_id = 100 + id / 2;
    receipt->account_id = 1001;
    receipt->symbol_id = 2;
    receipt->stage = stage;
    receipt->time_ms = (int64_t)(1000 * id);
    receipt->candidates = candidates;
    for (uint32_t i = 0; i < candidates; i++) {
        struct adl_ranked *row = EVENT_ADD(&events, ADL_RANKED, adl_ranked, MARKET_PERPS);
        row->receipt_id = id;
        row->account_id = i == 1 ? 1002 : 1003;
        row->rank = i;
        row->taken = i == 1 ? 5 : 0;
    }
}

static void emit_story(void)
{
    begin_batch();
    emit_composition(500);
    emit_receipt(1, STAGE_BOOK, 0);
    emit_receipt(2, STAGE_ADL, RANKS);
    history_apply(history, &events);
    end_batch();
    begin_batch();
    emit_composition(600);
    emit_receipt(3, STAGE_TAKEOVER, 0);
    history_apply(history, &events);
    end_batch();
}

static int list_of(uint64_t account, uint64_t liquidation, uint64_t from, struct history_receipt receipts[8])
{
    return history_receipts(history,
                            &(struct history_query){ .market = MARKET_PERPS,
                                                     .account_id = account,
                                                     .other_id = liquidation,
                                                     .from_id = from,
                                                     .end_ms = INT64_MAX,
                                                     .limit = 8 },
                            receipts);
}

static void expect_story(void)
{
    struct history_receipt receipts[8];
    struct index_composed  composition;
    struct adl_ranked      ranks[RANKS + 1];

    assert_int_equal(list_of(0, 0, 0, receipts), 3);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(receipts[i].is.receipt_id, 3 - i);
    assert_int_equal(receipts[0].role, RECEIPT_PUBLIC);
    assert_int_equal(receipts[1].seq, 1);
    assert_int_equal(list_of(0, 0, 3, receipts), 2);
    assert_int_equal(list_of(0, 101, 0, receipts), 2); /* the liquidation that 2 and 3 are of */
    assert_int_equal(list_of(1001, 0, 0, receipts), 3);
    assert_int_equal(receipts[2].role, RECEIPT_LIQUIDATED);
    assert_int_equal(list_of(1002, 0, 0, receipts), 1);
    assert_int_equal(receipts[0].is.receipt_id, 2);
    assert_int_equal(receipts[0].role, RECEIPT_DELEVERAGED);
    assert_int_equal(receipts[0].rank, 1);
    assert_int_equal(list_of(1003, 0, 0, receipts), 0); /* was in the ranking and took nothing */

    assert_int_equal(history_composition(history, 1, &composition), 1);
    assert_int_equal(composition.index, 500);
    assert_int_equal(composition.sources[INDEX_SOURCE_HAND].price, 501);
    assert_int_equal(history_composition(history, 3, &composition), 1);
    assert_int_equal(composition.index, 600);
    assert_int_equal(history_composition(history, 4, &composition), 0);

    assert_int_equal(history_ranking(history, 2, 0, RANKS + 1, ranks), RANKS);
    for (uint32_t i = 0; i < RANKS; i++) assert_int_equal(ranks[i].rank, i);
    assert_int_equal(history_ranking(history, 2, 5, 1, ranks), 1);
    assert_int_equal(ranks[0].rank, 5);
    assert_int_equal(history_ranking(history, 2, RANKS, 8, ranks), 0);
    assert_int_equal(history_ranking(history, 1, 0, 8, ranks), 0);
    assert_int_equal(history_newest_receipt(history), 3);
}

static void write_all(void)
{
    uint32_t left = 1;
    while (left > 0) assert_true(history_write(history, &left) >= 0);
}

static void receipts_are_the_same_in_memory_on_the_disk_and_after_a_restart(void **state)
{
    (void)state;
    emit_story();
    expect_story();
    write_all();
    expect_story();
    history_close(history);
    assert_int_equal(history_open(path, &instance, SLICE("boot"), &history), 0);
    assert_null(history_thrown_away(history));
    expect_story();
}

static void a_receipt_shows_once_its_batch_is_complete(void **state)
{
    struct history_receipt receipts[8];

    (void)state;
    emit_story();
    begin_batch();
    emit_receipt(4, STAGE_ADL, RANKS);
    history_apply(history, &events);
    assert_int_equal(list_of(0, 0, 0, receipts), 3);
    assert_int_equal(list_of(1002, 0, 0, receipts), 1);
    assert_int_equal(history_newest_receipt(history), 3);
    end_batch();
    assert_int_equal(list_of(0, 0, 0, receipts), 4);
    assert_int_equal(list_of(1002, 0, 0, receipts), 2);
}

/* A replayed log brings rows that are on disk already; none is there twice. */
static void a_replay_brings_none_twice(void **state)
{
    struct history_receipt receipts[8];

    (void)state;
    emit_story();
    write_all();
    history_close(history);
    assert_int_equal(history_open(path, &instance, SLICE("boot"), &history), 0);
    next_seq = 1;
    emit_story();
    expect_story();
    assert_int_equal(list_of(1001, 0, 0, receipts), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(receipts_are_the_same_in_memory_on_the_disk_and_after_a_restart, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_receipt_shows_once_its_batch_is_complete, setup, teardown),
        cmocka_unit_test_setup_teardown(a_replay_brings_none_twice, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
