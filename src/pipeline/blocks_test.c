/* SPDX-License-Identifier: MIT */
#include "pipeline/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct slice genesis_json = { "{\"chainID\":7}", 13 };
static struct genesis     genesis;

static struct blocks begun(void)
{
    struct blocks blocks;

    genesis.chain_ids[0] = 7;
    genesis.time_ms = 1776000000000;
    blocks_init(&blocks, &genesis, genesis_json);
    return blocks;
}

/* A command with one result, and the record that brought it. */
struct made {
    struct command    command;
    struct log_record record;
    struct hash256    tx_hash;
    _Alignas(8) uint8_t bytes[1024];
    struct events events;
};

static void make(struct made *made, uint16_t kind, uint64_t seq)
{
    memset(made, 0, sizeof(*made));
    made->command =
        (struct command){ .bytes = sizeof(struct command), .kind = kind, .seq = seq, .time_ms = 1776000000123 };
    made->record.command = &made->command;
    made->tx_hash = keccak256(&seq, sizeof(seq));
    made->record.tx_hash = &made->tx_hash;
    made->events = (struct events){ made->bytes, 0, sizeof(made->bytes) };
    EVENT_ADD(&made->events, COMMAND_BEGAN, command_began, 0)->seq = seq;
}

static void add_result(struct made *made, enum reject reject)
{
    EVENT_ADD(&made->events, RESULT, result, MARKET_SPOT)->reject = (uint16_t)reject;
}

static bool add(struct blocks *blocks, const struct made *made, struct hash256 *hash)
{
    blocks_events(blocks, &made->events);
    return blocks_add(blocks, &made->record, &made->events, hash);
}

static void block_0_is_the_genesis(void **state)
{
    struct blocks  blocks = begun();
    uint8_t        root[64] = { 0 };
    struct hash256 content = keccak256(genesis_json.at, genesis_json.len), expected;

    (void)state;
    memcpy(root + 32, content.bytes, 32);
    expected = keccak256(root, sizeof(root));
    assert_int_equal(blocks.applied.number, 0);
    assert_int_equal(blocks.last.time_ms, genesis.time_ms);
    assert_memory_equal(blocks.last.state_root.bytes, expected.bytes, 32);
    expected = empty_trie_root();
    assert_memory_equal(blocks.last.transactions_root.bytes, expected.bytes, 32);
    expected = block_hash(&blocks.last);
    assert_memory_equal(blocks.applied.hash.bytes, expected.bytes, 32);
}

/* The state root behind `root` of a batch whose bytes of events are one leaf. */
static struct hash256 root_after(const struct hash256 *root, const uint8_t *at, size_t len)
{
    uint8_t        both[64], leaf[40] = { 0 };
    struct hash256 content = keccak256(at, len);

    assert_true(len <= LEAF_BYTES);
    memcpy(leaf, content.bytes, 32);
    leaf[32] = (uint8_t)len;
    leaf[33] = (uint8_t)(len >> 8);
    content = keccak256(leaf, sizeof(leaf));
    memcpy(both, root->bytes, 32);
    memcpy(both + 32, content.bytes, 32);
    return keccak256(both, sizeof(both));
}

static void a_batch_with_a_transaction_is_the_next_block(void **state)
{
    struct blocks       blocks = begun();
    struct hash256      parent = blocks.applied.hash, root = blocks.last.state_root, hash, expected;
    struct encoder      encoder = { 0 };
    struct encoding     encoding;
    struct made         made;
    _Alignas(8) uint8_t encoded[2 * ENCODE_ROOM];
    uint8_t             one = 1;

    (void)state;
    make(&made, CMD_PLACE_ORDERS, 1);
    add_result(&made, REJECT_NONE);
    blocks_begin(&blocks);
    assert_true(add(&blocks, &made, &hash));
    assert_memory_equal(hash.bytes, made.tx_hash.bytes, 32);
    assert_true(blocks_end(&blocks, 1776000000123));

    assert_int_equal(blocks.applied.number, 1);
    assert_int_equal(blocks.last.time_ms, 1776000000123);
    assert_memory_equal(blocks.last.parent_hash.bytes, parent.bytes, 32);
    encoding = encode_begin(&encoder, &made.events);
    expected = root_after(&root, encoded, encode_next(&encoding, encoded, sizeof(encoded)));
    assert_memory_equal(blocks.last.state_root.bytes, expected.bytes, 32);
    expected = keccak256(hash.bytes, 32);
    assert_memory_equal(blocks.last.transactions_root.bytes, expected.bytes, 32);
    expected = keccak256(&one, 1);
    assert_memory_equal(blocks.last.receipts_root.bytes, expected.bytes, 32);
}

/* As dojima convert finds the blocks of a log up to version 7 again. */
static void whole_events_are_hashed_as_they_are(void **state)
{
    struct blocks  blocks = begun();
    struct hash256 root = blocks.last.state_root, hash, expected;
    struct made    made;

    (void)state;
    blocks.whole = true;
    make(&made, CMD_PLACE_ORDERS, 1);
    add_result(&made, REJECT_NONE);
    blocks_begin(&blocks);
    assert_true(add(&blocks, &made, &hash));
    assert_true(blocks_end(&blocks, 1776000000123));
    expected = root_after(&root, made.events.at, made.events.len);
    assert_memory_equal(blocks.last.state_root.bytes, expected.bytes, 32);
}

static void a_request_whose_items_all_failed_is_a_transaction_with_status_0(void **state)
{
    struct blocks  blocks = begun();
    struct hash256 hash, expected;
    struct made    made;
    uint8_t        zero = 0;

    (void)state;
    make(&made, CMD_PLACE_ORDERS, 1);
    add_result(&made, REJECT_INSUFFICIENT_BALANCE);
    blocks_begin(&blocks);
    assert_true(add(&blocks, &made, &hash));
    assert_true(blocks_end(&blocks, 1776000000123));
    expected = keccak256(&zero, 1);
    assert_memory_equal(blocks.last.receipts_root.bytes, expected.bytes, 32);
}

static void one_item_that_passed_is_enough_for_status_1(void **state)
{
    struct blocks  blocks = begun();
    struct hash256 hash, expected;
    struct made    made;
    uint8_t        one = 1;

    (void)state;
    make(&made, CMD_PLACE_ORDERS, 1);
    add_result(&made, REJECT_INSUFFICIENT_BALANCE);
    add_result(&made, REJECT_NONE);
    blocks_begin(&blocks);
    assert_true(add(&blocks, &made, &hash));
    assert_true(blocks_end(&blocks, 1776000000123));
    expected = keccak256(&one, 1);
    assert_memory_equal(blocks.last.receipts_root.bytes, expected.bytes, 32);
}

static void what_the_engine_refused_makes_no_block(void **state)
{
    struct blocks  blocks = begun(), before;
    struct hash256 hash;
    struct made    made;

    (void)state;
    make(&made, CMD_PLACE_ORDERS, 1);
    EVENT_ADD(&made.events, REFUSED, refused, MARKET_SPOT)->reject = REJECT_BAD_NONCE;
    blocks_begin(&blocks);
    before = blocks;
    assert_false(add(&blocks, &made, &hash));
    assert_false(blocks_end(&blocks, 1776000000123));
    assert_memory_equal(&blocks.last, &before.last, sizeof(before.last));
    assert_int_equal(blocks.applied.number, 0);
}

static void a_tick_that_moved_nothing_is_no_transaction(void **state)
{
    struct blocks  blocks = begun();
    struct hash256 hash;
    struct made    made;

    (void)state;
    make(&made, CMD_TICK, 1);
    EVENT_ADD(&made.events, FEE_TIER, fee_tier, MARKET_SPOT)->tier = 1;
    EVENT_ADD(&made.events, SCHEDULE, schedule, MARKET_SPOT)->fire_ms = 5; /* set, not fired */
    blocks_begin(&blocks);
    assert_false(add(&blocks, &made, &hash));
    assert_false(blocks_end(&blocks, 1776000000123));
}

static void a_tick_that_fired_is_a_system_transaction(void **state)
{
    struct blocks      blocks = begun();
    struct hash256     hash, expected;
    struct made        made;
    struct transaction tx = { .type = TX_SYSTEM,
                              .chain_id = 7,
                              .nonce = 9,
                              .to = chain_address(0x1004),
                              .domain = 2,
                              .input = SLICE("{\"type\":\"tick\",\"params\":{\"time\":1776000000123}}") };

    (void)state;
    make(&made, CMD_TICK, 9);
    EVENT_ADD(&made.events, SCHEDULE, schedule, MARKET_SPOT)->fired = 1;
    blocks_begin(&blocks);
    assert_true(add(&blocks, &made, &hash));
    expected = transaction_hash(&tx);
    assert_memory_equal(hash.bytes, expected.bytes, 32);
    assert_true(blocks_end(&blocks, 1776000000123));
}

static void a_claim_agrees_only_with_what_was_applied(void **state)
{
    struct blocks      blocks = begun();
    struct log_applied claims[3];
    struct hash256     hash;
    struct made        made;

    (void)state;
    claims[0] = blocks.applied;
    for (uint64_t seq = 1; seq <= 2; seq++) {
        make(&made, CMD_PLACE_ORDERS, seq);
        add_result(&made, REJECT_NONE);
        blocks_begin(&blocks);
        assert_true(add(&blocks, &made, &hash));
        assert_true(blocks_end(&blocks, 1776000000123));
        claims[seq] = blocks.applied;
    }
    for (int i = 0; i < 3; i++) assert_true(blocks_agree(&blocks, &claims[i]));
    claims[1].hash.bytes[31] ^= 1;
    assert_false(blocks_agree(&blocks, &claims[1]));
    claims[2].number = 3;
    assert_false(blocks_agree(&blocks, &claims[2]));
}

static void a_tick_that_moved_more_than_prices_is_a_transaction(void **state)
{
    /* clang-format off */
    static const struct { uint16_t kind, bytes; bool act; } rows[] = {
        { EVENT_PRICE, sizeof(struct price_changed), false }, { EVENT_INDEX_COMPOSED, sizeof(struct index_composed),
          false }, { EVENT_VENUE, sizeof(struct venue_changed), false },
        { EVENT_BALANCE, sizeof(struct balance), false },     { EVENT_FEE_TIER, sizeof(struct fee_tier), false },
        { EVENT_PERPS_ORDER, sizeof(struct perps_order_changed), true },
          { EVENT_POSITION, sizeof(struct position_changed), true },
        { EVENT_FUNDING, sizeof(struct funded), true }, { EVENT_UNIT, sizeof(struct unit_stage), true },
          { EVENT_FILL, sizeof(struct filled), true },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct blocks  blocks = begun();
        struct made    made;
        struct hash256 hash;

        make(&made, CMD_TICK, 1);
        (void)events_add(&made.events, rows[i].kind, rows[i].bytes, MARKET_PERPS);
        blocks_begin(&blocks);
        assert_int_equal(add(&blocks, &made, &hash), rows[i].act);
        assert_int_equal(blocks_end(&blocks, 1776000000123), rows[i].act);
    }
}

static void what_the_built_in_feeder_says_is_no_transaction(void **state)
{
    struct {
        struct command   head;
        struct set_index set;
    } room = { 0 };
    struct hash256    hash, zero = { { 0 } };
    struct log_record record = { .command = &room.head, .tx_hash = &zero };
    struct blocks     blocks = begun();

    (void)state;
    for (uint32_t by_hand = 0; by_hand <= 1; by_hand++) {
        uint8_t       bytes[256];
        struct events events = { bytes, 0, sizeof(bytes) };

        room.head.kind = CMD_SET_INDEX;
        room.head.bytes = sizeof(room);
        room.set.by_hand = by_hand;
        (void)events_add(&events, EVENT_RESULT, sizeof(struct result), 0);
        blocks_begin(&blocks);
        blocks_events(&blocks, &events);
        assert_int_equal(blocks_add(&blocks, &record, &events, &hash), by_hand);
        assert_int_equal(blocks_end(&blocks, 1776000000123), by_hand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_0_is_the_genesis),
        cmocka_unit_test(a_batch_with_a_transaction_is_the_next_block),
        cmocka_unit_test(whole_events_are_hashed_as_they_are),
        cmocka_unit_test(a_request_whose_items_all_failed_is_a_transaction_with_status_0),
        cmocka_unit_test(one_item_that_passed_is_enough_for_status_1),
        cmocka_unit_test(what_the_engine_refused_makes_no_block),
        cmocka_unit_test(a_tick_that_moved_nothing_is_no_transaction),
        cmocka_unit_test(a_tick_that_fired_is_a_system_transaction),
        cmocka_unit_test(what_the_built_in_feeder_says_is_no_transaction),
        cmocka_unit_test(a_tick_that_moved_more_than_prices_is_a_transaction),
        cmocka_unit_test(a_claim_agrees_only_with_what_was_applied),
    };
    return cmocka_run_group_tests_name("pipeline/blocks", tests, NULL, NULL);
}
