/* SPDX-License-Identifier: MIT */
/*
 * hints_test.c — what the thread that decodes finds out about an item, at both sides of each bound (spot place rules 2
 * to 8, perps place rules 1, 5 and 6), and of which commands hints are. That the engine decides the same with and
 * without them is in core/engine/prefetch_test.c.
 */
#include "rules/client_key.h"
#include "rules/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct genesis     genesis;
static struct hint_tables tables;
static struct hints       hints;

static struct {
    struct command head;
    union {
        struct place_orders  place;
        struct place_perps   perps;
        struct cancel_orders cancel;
        struct cancel_perps  cancel_perps;
    };
} room;

/* Prices of one decimal on a grid of 5 units from 100 to 10,000, quantities of two on one of 3 from 6 to 900, values
   of four decimals from 10,000 to 2,000,000 units. */
static int begin(void **state)
{
    (void)state;
    memset(&genesis, 0, sizeof(genesis));
    genesis.coin_count = 2;
    genesis.spot_count = genesis.perps_count = 1;
    genesis.chain_ids[0] = 31337;
    genesis.coins[0] = (struct coin){ .id = 0, .precision = 4 };
    genesis.coins[1] = (struct coin){ .id = 1, .precision = 2 };
    genesis.spot[0] = (struct symbol){ .id = 1,
                                       .base_coin_id = 1,
                                       .quote_coin_id = 0,
                                       .price_precision = 1,
                                       .quantity_precision = 2,
                                       .tick_size = 5,
                                       .min_price = 100,
                                       .max_price = 10000,
                                       .step_size = 3,
                                       .min_quantity = 6,
                                       .max_quantity = 900,
                                       .min_notional = 10000,
                                       .max_notional = 2000000 };
    genesis.perps[0] = genesis.spot[0];
    hint_tables_make(&genesis, &tables);
    return 0;
}

static void head(uint16_t kind, size_t payload_bytes)
{
    memset(&room, 0, sizeof(room));
    room.head =
        (struct command){ .bytes = (uint32_t)(sizeof(room.head) + payload_bytes),
                          .kind = kind,
                          .market = kind == CMD_PLACE_PERPS || kind == CMD_CANCEL_PERPS ? MARKET_PERPS : MARKET_SPOT,
                          .nonce = 77,
                          .payload_tag = 99 };
    room.place.account_id = ACCOUNT_FIRST + 5;
    room.place.count = 1;
}

/* A sound limit order: 100.0 × 2.00, a value of 200.0000. */
static struct new_order *order(void)
{
    head(CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    room.place.items[0] = (struct new_order){ .symbol_id = 1,
                                              .client_id = client_id_make(SLICE("a")),
                                              .side = SIDE_BUY,
                                              .type = TYPE_LIMIT,
                                              .time_in_force = TIF_GTC,
                                              .price = decimal_make(1000, 1),
                                              .quantity = decimal_make(30, 2) };
    return &room.place.items[0];
}

static struct perps_order *perps_order(void)
{
    head(CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1));
    room.perps.symbol_id = 1;
    room.perps.items[0] = (struct perps_order){ .client_id = client_id_make(SLICE("a")),
                                                .modifier = MODIFIER_NORMAL,
                                                .side = SIDE_BUY,
                                                .type = TYPE_LIMIT,
                                                .time_in_force = TIF_GTC,
                                                .position_side = POSITION_BOTH,
                                                .price = decimal_make(1000, 1),
                                                .quantity = decimal_make(30, 2) };
    return &room.perps.items[0];
}

static bool passes(void)
{
    assert_int_equal(hints_make(&tables, &room.head, &hints), hints_size(1));
    assert_true(hints_are_of(&hints, &room.head));
    return hints.items[0].passes != 0;
}

static bool price_passes(int64_t units)
{
    bool spot, perps;

    order()->price = decimal_make(units, 1);
    spot = passes();
    if (spot) assert_int_equal(hints.items[0].price, units);
    perps_order()->price = decimal_make(units, 1);
    perps = passes();
    assert_int_equal(spot, perps);
    return spot;
}

static bool quantity_passes(int64_t units)
{
    bool spot, perps;

    order()->quantity = decimal_make(units, 2);
    spot = passes();
    if (spot) assert_int_equal(hints.items[0].quantity, units);
    perps_order()->quantity = decimal_make(units, 2);
    perps = passes();
    assert_int_equal(spot, perps);
    return spot;
}

static void prices_keep_grid_range_and_decimals(void **state)
{
    (void)state;
    assert_true(price_passes(1000) && price_passes(1005));
    assert_false(price_passes(1001) || price_passes(1004)); /* off the tick */
    genesis.spot[0].min_notional = genesis.perps[0].min_notional = 0;
    genesis.spot[0].max_notional = genesis.perps[0].max_notional = 0;
    assert_true(price_passes(100) && price_passes(10000));
    assert_false(price_passes(95) || price_passes(10005) || price_passes(0) || price_passes(-1000));
    order()->price = decimal_make(10005, 2); /* 100.05: two decimals */
    assert_false(passes());
    order()->price = decimal_make(PRICE_MAX, 0); /* ten times what the units hold */
    assert_false(passes());
}

static void quantities_keep_grid_range_and_decimals(void **state)
{
    (void)state;
    assert_true(quantity_passes(30) && quantity_passes(33));
    assert_false(quantity_passes(31) || quantity_passes(32));
    genesis.spot[0].min_notional = genesis.perps[0].min_notional = 0;
    genesis.spot[0].max_notional = genesis.perps[0].max_notional = 0;
    assert_true(quantity_passes(6) && quantity_passes(900));
    assert_false(quantity_passes(3) || quantity_passes(903) || quantity_passes(0) || quantity_passes(-30));
    order()->quantity = decimal_make(3001, 4);
    assert_false(passes());
}

/* 100.0 × quantity: 10^1 value units for each unit of price and quantity. */
static void values_keep_their_range(void **state)
{
    (void)state;
    genesis.spot[0].min_notional = genesis.perps[0].min_notional = 300000;
    assert_true(quantity_passes(30));
    genesis.spot[0].min_notional = genesis.perps[0].min_notional = 300001;
    assert_false(quantity_passes(30));
    genesis.spot[0].min_notional = genesis.perps[0].min_notional = 0;
    genesis.spot[0].max_notional = genesis.perps[0].max_notional = 300000;
    assert_true(quantity_passes(30));
    genesis.spot[0].max_notional = genesis.perps[0].max_notional = 299999;
    assert_false(quantity_passes(30));
}

static void only_sound_limit_orders_pass(void **state)
{
    (void)state;
    order()->type = TYPE_MARKET;
    room.place.items[0].time_in_force = TIF_IOC;
    assert_false(passes());
    order()->time_in_force = 9;
    assert_false(passes());
    order()->side = 3;
    assert_false(passes());
    order()->client_id = (struct client_id){ 0 };
    assert_false(passes());
    order()->funds = decimal_make(5, 0);
    assert_false(passes());
    order()->symbol_id = 0;
    assert_false(passes());
    order()->symbol_id = 2;
    assert_false(passes());
    perps_order()->modifier = MODIFIER_STOP;
    room.perps.items[0].stop_price = decimal_make(1000, 1);
    room.perps.items[0].stop_type = STOP_LOSS;
    room.perps.items[0].trigger_type = TRIGGER_LAST_PRICE;
    assert_false(passes());
    (void)perps_order();
    room.perps.symbol_id = 2;
    assert_false(passes());
}

static void cancels_pass_with_one_target(void **state)
{
    (void)state;
    head(CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    room.cancel.items[0] = (struct cancel_order){ .symbol_id = 1, .order_id = 5 };
    assert_true(passes());
    room.cancel.items[0].orig_client_id = client_id_make(SLICE("b"));
    assert_false(passes());
    head(CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = 1 };
    assert_false(passes());
    room.cancel_perps.items[0].client_id = client_id_make(SLICE("b"));
    assert_true(passes());
}

static void keys_are_of_account_and_side(void **state)
{
    uint32_t owner = owner_of_account(ACCOUNT_FIRST + 5);
    (void)state;

    (void)order();
    assert_true(passes());
    assert_int_equal(hints.owner, owner);
    assert_int_equal(hints.items[0].key, client_key(tables.seed, owner, &room.place.items[0].client_id));
    (void)perps_order();
    assert_true(passes());
    assert_int_equal(hints.items[0].key, client_key(tables.seed, owner | OWNER_PERPS, &room.perps.items[0].client_id));
    (void)order();
    room.place.account_id = 0; /* the primary one, which only the engine knows */
    assert_true(passes());
    assert_int_equal(hints.owner, 0);
    room.place.account_id = ACCOUNT_FIRST - 1;
    assert_true(passes());
    assert_int_equal(hints.owner, 0);
    room.place.account_id = UINT64_MAX;
    assert_true(passes());
    assert_int_equal(hints.owner, 0);
}

static void a_command_without_sound_form_has_none(void **state)
{
    const struct command first = (order(), room.head);
    (void)state;

    room.place.count = 0;
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
    room.place.count = 2; /* more than the command has */
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
    room.place.count = BATCH_MAX + 1;
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
    room.place.count = 1;
    room.head.bytes -= 8;
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
    room.head = first;
    room.head.kind = CMD_TICK;
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
    room.head.kind = UINT16_MAX;
    assert_int_equal(hints_make(&tables, &room.head, &hints), 0);
}

static void hints_are_of_no_other_command(void **state)
{
    (void)state;
    (void)order();
    assert_true(passes());
    room.head.nonce += 1;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.head.payload_tag += 1;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.head.market = MARKET_PERPS;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.head.domain = room.head.domain == DOMAIN_SPOT ? DOMAIN_UNIVERSAL : DOMAIN_SPOT;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.head.bytes += 8;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.head.kind = CMD_CANCEL_ORDERS;
    assert_false(hints_are_of(&hints, &room.head));
    (void)order();
    room.place.count = 2;
    assert_false(hints_are_of(&hints, &room.head));
}

/* One item, of a side that the kind is for, in a domain of users. */
static void only_a_sound_single_item_is_plain(void **state)
{
    (void)state;
    (void)order();
    room.head.domain = DOMAIN_SPOT;
    assert_true(passes() && hints.plain);
    room.head.domain = DOMAIN_UNIVERSAL;
    assert_true(passes() && hints.plain);
    room.head.domain = 0;
    assert_true(passes() && !hints.plain);
    room.head.domain = DOMAIN_SPOT | COMMAND_BY_TRADER;
    assert_true(passes() && !hints.plain);
    (void)order();
    room.head.domain = DOMAIN_SPOT;
    room.head.market = 0;
    assert_true(hints_make(&tables, &room.head, &hints) != 0 && !hints.plain);
    room.head.market = UINT8_MAX;
    assert_true(hints_make(&tables, &room.head, &hints) != 0 && !hints.plain);
    room.head.market = MARKET_SPOT;
    room.head.bytes += sizeof(struct new_order);
    room.place.count = 2;
    assert_true(hints_make(&tables, &room.head, &hints) == hints_size(2) && !hints.plain);
}

/* Ids chosen with a known seed so that their places are one of 1,024: they have other places with another secret. */
static void ids_that_share_a_place_without_the_secret_do_not_with_it(void **state)
{
    uint64_t known[2], secret[2];
    uint32_t chosen = 0, again = 0;
    (void)state;

    client_key_seed(&genesis, known);
    genesis.table_secret[1] = 1;
    client_key_seed(&genesis, secret);
    assert_memory_not_equal(known, secret, sizeof(known));
    for (uint32_t i = 0; chosen < 100; i++) {
        struct client_id id = { 0 };

        id.len = (uint8_t)snprintf(id.at, sizeof(id.at), "order-%u", i);
        if (client_key(known, 4, &id) % 1024 != 7) continue;
        chosen += 1;
        again += client_key(secret, 4, &id) % 1024 == 7;
    }
    assert_in_range(again, 0, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(prices_keep_grid_range_and_decimals, begin),
        cmocka_unit_test_setup(quantities_keep_grid_range_and_decimals, begin),
        cmocka_unit_test_setup(values_keep_their_range, begin),
        cmocka_unit_test_setup(only_sound_limit_orders_pass, begin),
        cmocka_unit_test_setup(cancels_pass_with_one_target, begin),
        cmocka_unit_test_setup(keys_are_of_account_and_side, begin),
        cmocka_unit_test_setup(a_command_without_sound_form_has_none, begin),
        cmocka_unit_test_setup(hints_are_of_no_other_command, begin),
        cmocka_unit_test_setup(only_a_sound_single_item_is_plain, begin),
        cmocka_unit_test_setup(ids_that_share_a_place_without_the_secret_do_not_with_it, begin),
    };
    return cmocka_run_group_tests_name("rules/hints", tests, NULL, NULL);
}
