/* SPDX-License-Identifier: MIT */
/*
 * Blocks, transactions and their effects compared with plain arrays: in memory, while they move, on disk, after
 * restarts.
 */
#include "history/history.h"
#include "rigs/random.h"
#include "rigs/test_files.h"
#include "rigs/history/killed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define BLOCKS_MAX  400
#define PER_BLOCK   12
#define EFFECTS_MAX 6

struct told {
    struct history_block block;
    struct history_tx    txs[PER_BLOCK];
    uint32_t             effect_count[PER_BLOCK];
    union history_effect effects[PER_BLOCK][EFFECTS_MAX];
};

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 4, 5, 6 } };
static struct told          told[BLOCKS_MAX + 1];
static uint32_t             told_count;
static uint64_t             next_seq, next_trade, random_state;
static uint8_t              event_bytes[1 << 17];
static struct events        events = { event_bytes, 0, sizeof(event_bytes) };

static uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

static void open_it(const char *boot) { assert_int_equal(history_open(path, &instance, slice_of(boot), &history), 0); }

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-chain-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    told_count = 0;
    next_seq = next_trade = 1;
    random_state = 88172645463325252u;
    open_it("boot one");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (history != NULL) history_close(history);
    history = NULL;
    return folder_remove(path);
}

/* ---- making blocks ---- */

static void make_effect(union history_effect *kept)
{
    memset(kept, 0, sizeof(*kept));
    if (random_below(3) == 0) {
        struct transferred *transfer = EVENT_ADD(&events, TRANSFER, transferred, MARKET_SPOT);
        transfer->account_id = 1001 + random_below(3);
        transfer->amount = (int64_t)random_below(1000000);
        kept->transfer = *transfer;
        return;
    }
    struct filled *fill = EVENT_ADD(&events, FILL, filled, MARKET_SPOT);
    fill->trade_id = next_trade++;
    fill->order_id = 1 + random_below(50);
    fill->account_id = 1001 + random_below(3);
    fill->symbol_id = 1;
    fill->price = (int64_t)random_below(1000000);
    fill->time_ms = (int64_t)told_count;
    kept->fill = *fill;
}

static void make_command(struct told *one, bool is_transaction)
{
    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    uint32_t              index = one->block.count;

    began->seq = next_seq++;
    if (!is_transaction) return;
    one->txs[index] =
        (struct history_tx){ began->seq, keccak256(&began->seq, sizeof(began->seq)), (uint32_t)random_below(2), 0 };
    one->effect_count[index] = (uint32_t)random_below(EFFECTS_MAX + 1);
    for (uint32_t i = 0; i < one->effect_count[index]; i++) make_effect(&one->effects[index][i]);
    one->block.count++;
}

/* The events of block `one` once more, as a replay brings them; its commands are between first and last seq. */
static void emit_again(const struct told *one, uint64_t first_seq, uint64_t end_seq)
{
    uint32_t index = 0;

    events.len = 0;
    for (uint64_t seq = first_seq; seq < end_seq; seq++) {
        struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
        began->seq = seq;
        if (index == one->block.count || one->txs[index].seq != seq) continue;
        for (uint32_t i = 0; i < one->effect_count[index]; i++) {
            const union history_effect *effect = &one->effects[index][i];
            memcpy(events_add(&events, effect->head.kind, effect->head.bytes, MARKET_SPOT), effect, effect->head.bytes);
        }
        index++;
    }
    history_apply(history, &events);
    history_block(history, &one->block, one->txs);
}

static void make_block(void)
{
    struct told *one = &told[++told_count];
    uint64_t     transactions = 1 + random_below(PER_BLOCK);

    memset(one, 0, sizeof(*one));
    events.len = 0;
    for (uint64_t i = 0; i < transactions; i++) {
        for (uint64_t refused = random_below(3); refused > 0; refused--) make_command(one, false);
        make_command(one, true);
    }
    one->block.number = told_count;
    one->block.time_ms = 1000 + told_count;
    one->block.hash = keccak256(&told_count, sizeof(told_count));
    one->block.state_root = keccak256(&one->block.hash, 32);
    one->block.first_seq = one->txs[0].seq;
    one->block.last_seq = one->txs[one->block.count - 1].seq;
    for (uint32_t i = 0; i < sizeof(one->block.position.bytes); i++)
        one->block.position.bytes[i] = (uint8_t)random_below(256);
    history_apply(history, &events);
    history_block(history, &one->block, one->txs);
}

static void write_all(void)
{
    uint32_t left = 1;
    while (left > 0) assert_true(history_write(history, &left) >= 0);
}

/* ---- asking ---- */

static void is_transaction(const struct told *one, uint32_t index, const struct history_transacted *got)
{
    assert_int_equal(got->seq, one->txs[index].seq);
    assert_int_equal(got->place.block, one->block.number);
    assert_int_equal(got->place.index, index);
    assert_int_equal(got->place.status, one->txs[index].status);
    assert_true(hash256_equal(&got->place.hash, &one->txs[index].hash));
}

static void ask_effects(const struct told *one, uint32_t index)
{
    union history_effect effects[EFFECTS_MAX];
    uint32_t             count = one->effect_count[index], max = (uint32_t)random_below(EFFECTS_MAX + 1);

    memset(effects, 0xee, sizeof(effects));
    assert_int_equal(history_effects(history, one->txs[index].seq, effects, max), count);
    for (uint32_t i = 0; i < count && i < max; i++)
        assert_memory_equal(&effects[i], &one->effects[index][i], one->effects[index][i].head.bytes);
}

static void ask(const struct told *one)
{
    struct history_transacted txs[PER_BLOCK], tx;
    struct history_block      block;

    assert_int_equal(history_block_at(history, one->block.number, &block), 1);
    assert_memory_equal(&block, &one->block, sizeof(block));
    memset(&block, 0, sizeof(block));
    assert_int_equal(history_block_of(history, &one->block.hash, &block), 1);
    assert_memory_equal(&block, &one->block, sizeof(block));
    assert_int_equal(history_transactions(history, &block, txs), 1);
    for (uint32_t i = 0; i < block.count; i++) {
        is_transaction(one, i, &txs[i]);
        assert_int_equal(history_transaction_at(history, &block, i, &tx), 1);
        is_transaction(one, i, &tx);
        assert_int_equal(history_transaction_of(history, &one->txs[i].hash, &tx), 1);
        is_transaction(one, i, &tx);
        ask_effects(one, i);
    }
    assert_int_equal(history_transaction_at(history, &block, block.count, &tx), 0);
}

static void ask_all(void)
{
    for (uint32_t i = 1; i <= told_count; i++) ask(&told[i]);
}

static void what_there_is_not_is_not_found(void **state)
{
    struct history_block      block;
    struct history_transacted tx;
    union history_effect      effect;

    (void)state;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(history_block_at(history, 0, &block), 0);
        assert_int_equal(history_block_at(history, told_count + 1, &block), 0);
        assert_int_equal(history_block_at(history, UINT64_MAX, &block), 0);
        assert_int_equal(history_block_of(history, &instance, &block), 0);
        assert_int_equal(history_transaction_of(history, &instance, &tx), 0);
        assert_int_equal(history_effects(history, next_seq, &effect, 1), 0);
        if (round == 0) make_block();
        else write_all();
        assert_int_equal(history_transaction_of(history, &told[1].block.hash, &tx), 0);
        assert_int_equal(history_block_of(history, &told[1].txs[0].hash, &block), 0);
    }
}

static void blocks_are_found_wherever_their_rows_are(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        make_block();
        ask_all();
        if (random_below(4) == 0) write_all();
        ask(&told[1 + random_below(told_count)]);
    }
    write_all();
    ask_all();
    history_close(history);
    open_it("boot one");
    ask_all();
}

/* The store that a killed process leaves, opened again. */
static void kill_and_open(void)
{
    char killed[sizeof(path)];

    copy_killed(path, killed, sizeof(killed));
    assert_int_equal(teardown(NULL), 0);
    memcpy(path, killed, sizeof(path));
    open_it("boot one");
}

/* A process ends with half of the rows on disk; the replay adds the missing ones, and none twice. */
static void a_replay_after_a_kill_completes_the_blocks(void **state)
{
    uint64_t seq, at = 1;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        make_block();
        if (i == 120) write_all();
    }
    ask_all();
    kill_and_open();
    seq = history_seq(history);
    assert_int_equal(seq, told[121].block.last_seq);
    for (uint32_t i = 1; i <= told_count; i++) {
        emit_again(&told[i], at, told[i].block.last_seq + 1);
        at = told[i].block.last_seq + 1;
        if (random_below(20) == 0) write_all();
    }
    ask_all();
    write_all();
    ask_all();
}

static void hashes_of_many_groups_are_found(void **state)
{
    (void)state;
    next_seq = (1u << 14) - 20;
    for (uint32_t i = 0; i < 20; i++) make_block();
    next_seq = (5u << 14) - 20;
    for (uint32_t i = 0; i < 20; i++) make_block();
    ask_all();
    write_all();
    ask_all();
}

/* A block of one transaction, whose hashes begin with `first`; the rest is of the number. */
static void make_block_with(const uint8_t first[4])
{
    struct history_tx     tx = { .seq = next_seq++, .status = 1 };
    struct history_block  block = { .number = tx.seq, .first_seq = tx.seq, .last_seq = tx.seq, .count = 1 };
    struct command_began *began;

    events.len = 0;
    began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    began->seq = tx.seq;
    memcpy(block.hash.bytes, first, 4);
    memcpy(block.hash.bytes + 24, &tx.seq, 8);
    tx.hash = block.hash;
    tx.hash.bytes[31] ^= 0x80;
    history_apply(history, &events);
    history_block(history, &block, &tx);
}

/* Rows that have gone to the disk give their slots to later ones: a chain of hashes must not lead to those. */
static void a_hash_that_nobody_has_is_not_found_where_slots_are_used_again(void **state)
{
    struct history_transacted transacted;
    struct history_block      block;
    struct hash256            nobody = { { 0 } };
    (void)state;

    memset(nobody.bytes + 16, 0xff, 16);
    for (uint32_t i = 0; i < 200; i++) {
        for (uint32_t n = 1 + (i * 7) % 5; n > 0; n--) make_block_with((const uint8_t[4]){ 0, 0, (uint8_t)(i % 2), 0 });
        assert_int_equal(history_block_of(history, &nobody, &block), 0);
        assert_int_equal(history_transaction_of(history, &nobody, &transacted), 0);
        if (i % 3 != 0) write_all();
    }
}

/* An operator's transaction that is repeated has the same hash; the newest one is found, in memory and on the disk. */
static void of_transactions_with_one_hash_beside_each_other_the_newest_is_found(void **state)
{
    struct history_tx         txs[2] = { { .seq = next_seq++, .hash = { { 7 } } } };
    struct history_block      block = { .number = 1, .hash = { { 8 } }, .first_seq = txs[0].seq, .count = 2 };
    struct history_transacted got;

    (void)state;
    txs[1] = txs[0];
    block.last_seq = txs[1].seq = next_seq++;
    events.len = 0;
    EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0)->seq = txs[0].seq;
    EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0)->seq = txs[1].seq;
    history_apply(history, &events);
    history_block(history, &block, txs);
    assert_int_equal(history_transaction_of(history, &txs[0].hash, &got), 1);
    assert_int_equal(got.seq, txs[1].seq);
    write_all();
    make_block(); /* gives the slots of what is on the disk to others */
    make_block();
    assert_int_equal(history_transaction_of(history, &txs[0].hash, &got), 1);
    assert_int_equal(got.seq, txs[1].seq);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_there_is_not_is_not_found),
        T(blocks_are_found_wherever_their_rows_are),
        T(a_replay_after_a_kill_completes_the_blocks),
        T(hashes_of_many_groups_are_found),
        T(a_hash_that_nobody_has_is_not_found_where_slots_are_used_again),
        T(of_transactions_with_one_hash_beside_each_other_the_newest_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
