/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"

/*
 * A refusal or a repetition must leave balances and books unchanged: there is no hash without seq, time and nonces, so
 * these are compared.
 */
static void a_command_tells_began_result_and_what_came_of_it(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    assert_int_equal(deposit(f, 1, VUSDC, 1000000000), REJECT_NONE);
    assert_int_equal(limit(f, 1, SIDE_BUY, "100000", "0.001", "c1")->order_id, 1);
    assert_int_equal(events_first(&f->events)->kind, EVENT_COMMAND_BEGAN);
    assert_int_equal(event_count(f, EVENT_RESULT), 1);
    assert_int_equal(event_count(f, EVENT_ORDER), 1);
    assert_int_equal(event_count(f, EVENT_LEVEL), 1);
    assert_int_equal(event_count(f, EVENT_BALANCE), 1);
    assert_int_equal(((const struct order_changed *)event_at(f, EVENT_ORDER, 0))->frozen, 100000000);
    fixture_free(f);
}

static enum reject refused(const struct fixture *f)
{
    const struct refused *event = event_at(f, EVENT_REFUSED, 0);
    assert_non_null(event);
    assert_int_equal(event_count(f, EVENT_RESULT), 0);
    return event->reject;
}

static void a_signer_without_account_is_refused(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    limit(f, 7, SIDE_BUY, "100000", "0.001", "c1");
    assert_int_equal(refused(f), REJECT_ACCOUNT_NOT_FOUND);
    fixture_free(f);
}

static void nobody_speaks_for_another_account_or_for_the_house(void **state)
{
    static const uint64_t strangers[] = { 1002, 1, 2, 999, 5000, UINT64_MAX };
    struct fixture       *f = fixture_make();
    (void)state;

    deposit(f, 1, VUSDC, 1000000000);
    deposit(f, 2, VUSDC, 1000000000);
    for (size_t i = 0; i < ARRAY_COUNT(strangers); i++) {
        fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
        fixture_sign(f, 1);
        f->room.place_orders.account_id = strangers[i];
        f->room.place_orders.count = 1;
        fixture_apply(f);
        assert_int_equal(refused(f), strangers[i] == 1002 ? REJECT_BAD_SIGNATURE : REJECT_ACCOUNT_NOT_FOUND);
    }
    assert_int_equal(engine_counts(f->engine).signers, 0); /* no nonce was used */
    fixture_free(f);
}

static void a_batch_has_1_to_100_items(void **state)
{
    static const uint32_t counts[] = { 0, 1, 100, 101, UINT32_MAX };
    struct fixture       *f = fixture_make();
    (void)state;

    deposit(f, 1, VUSDC, INT64_C(1000000000000));
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 100));
        fixture_sign(f, 1);
        f->room.place_orders.count = counts[i];
        for (uint32_t n = 0; n < 100; n++) {
            char id[16];
            snprintf(id, sizeof(id), "b%zu-%u", i, n);
            f->room.place_orders.items[n] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, id);
        }
        fixture_apply(f);
        if (counts[i] < 1 || counts[i] > 100) assert_int_equal(refused(f), REJECT_BATCH_SIZE);
        else assert_int_equal(event_count(f, EVENT_RESULT), counts[i]);
    }
    engine_verify(f->engine);
    fixture_free(f);
}

static void results_come_in_item_order_and_the_second_of_two_equal_ids_is_refused(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    deposit(f, 1, VUSDC, 1000000000);
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 3));
    fixture_sign(f, 1);
    f->room.place_orders.count = 3;
    f->room.place_orders.items[0] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, "same");
    f->room.place_orders.items[1] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, "same");
    f->room.place_orders.items[2] = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, "other");
    fixture_apply(f);
    for (uint32_t i = 0; i < 3; i++) assert_non_null(result_at(f, i));
    assert_int_equal(result_at(f, 0)->order_id, 1);
    assert_int_equal(result_at(f, 1)->reject, REJECT_DUPLICATE_CLIENT_ID);
    assert_int_equal(result_at(f, 1)->order_id, 0);
    assert_int_equal(result_at(f, 2)->order_id, 2);
    assert_memory_equal(result_at(f, 2)->client_id.at, "other", 5);
    fixture_free(f);
}

static void a_log_with_nonsense_in_it_gets_rejects_not_asserts(void **state)
{
    struct fixture  *f = fixture_make();
    struct new_order item = order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001", NULL, "c");
    (void)state;

    deposit(f, 1, VUSDC, 1000000000);
    item.side = 9;
    assert_int_equal(place(f, 1, item)->reject, REJECT_ENUM_RANGE);
    item.side = 1;
    item.type = 7;
    assert_int_equal(place(f, 1, item)->reject, REJECT_ENUM_RANGE);
    item.type = 1;
    item.time_in_force = TIF_FOK;
    assert_int_equal(place(f, 1, item)->reject, REJECT_TIF_NOT_SUPPORTED);
    item.time_in_force = 200;
    assert_int_equal(place(f, 1, item)->reject, REJECT_TIF_NOT_SUPPORTED);
    item.time_in_force = TIF_GTC;
    item.price.digits = -5;
    assert_int_equal(place(f, 1, item)->reject, REJECT_NOT_POSITIVE);
    item.price.digits = 5;
    item.price.scale = UINT32_MAX;
    assert_int_equal(place(f, 1, item)->reject, REJECT_PRICE_DECIMALS);
    item.price.scale = 0;
    item.price.digits = INT64_MAX;
    assert_int_equal(place(f, 1, item)->reject, REJECT_PRICE_MAX);
    item.price.digits = 100000;
    item.quantity.digits = INT64_MAX;
    item.quantity.scale = 0;
    assert_int_equal(place(f, 1, item)->reject, REJECT_QUANTITY_MAX);
    item.quantity = number("0.001");
    item.symbol_id = 0;
    assert_int_equal(place(f, 1, item)->reject, REJECT_SYMBOL_NOT_FOUND);
    item.symbol_id = UINT64_MAX;
    assert_int_equal(place(f, 1, item)->reject, REJECT_SYMBOL_NOT_FOUND);
    item.symbol_id = 1;
    item.client_id.len = 0;
    assert_int_equal(place(f, 1, item)->reject, REJECT_BAD_CLIENT_ID);
    item.client_id.len = 255;
    assert_int_equal(place(f, 1, item)->reject, REJECT_BAD_CLIENT_ID);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, "1", "1", "c"))->reject,
                     REJECT_MARKET_AMOUNT);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, NULL, NULL, "c"))->reject,
                     REJECT_MARKET_AMOUNT);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_GTC, NULL, "1", NULL, "c"))->reject,
                     REJECT_MARKET_NEEDS_IOC);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, NULL, "1", NULL, "c"))->reject,
                     REJECT_LIMIT_NEEDS_PRICE);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "1", NULL, NULL, "c"))->reject,
                     REJECT_LIMIT_NEEDS_QUANTITY);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_LIMIT, TIF_GTC, "1", "1", "1", "c"))->reject,
                     REJECT_LIMIT_WITH_FUNDS);
    assert_int_equal(cancel(f, 1, 5, "x", "c")->reject, REJECT_CANCEL_ONE_TARGET);
    assert_int_equal(replace(f, 1, NULL, "1", NULL, "c")->reject, REJECT_REPLACE_ONE_TARGET);
    fixture_head(f, 77, 8);
    fixture_sign(f, 1);
    fixture_apply(f);
    assert_int_equal(refused(f), REJECT_NOT_SUPPORTED);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_deposit_id_moves_money_once(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    assert_int_equal(deposit_id(f, 1, VUSDC, 500, 42), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_ACCOUNT), 1);
    assert_int_equal(event_count(f, EVENT_BALANCE), 1);
    assert_int_equal(deposit_id(f, 1, VUSDC, 500, 42), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_BALANCE), 0);
    assert_int_equal(deposit_id(f, 1, 3, 500, 43), REJECT_COIN_NOT_FOUND);
    assert_int_equal(deposit_id(f, 1, VUSDC, 0, 43), REJECT_NOT_POSITIVE);
    assert_int_equal(deposit_id(f, 1, VUSDC, AMOUNT_MAX - 500 + 1, 43), REJECT_SUPPLY_LIMIT);
    assert_int_equal(deposit_id(f, 1, VUSDC, AMOUNT_MAX - 500, 43), REJECT_NONE);
    assert_int_equal(deposit_id(f, 1, VUSDC, 1, 44), REJECT_SUPPLY_LIMIT);
    engine_verify(f->engine);
    fixture_free(f);
}

static void genesis_accounts_exist_from_the_start(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    (void)state;

    fixture_genesis(&f->genesis);
    f->genesis.account_count = 2;
    f->genesis.accounts[0] = (struct genesis_account){ .owner = user(1), .spot = { 5, 0, 7 } };
    f->genesis.accounts[1] = (struct genesis_account){ .owner = user(2) };
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    assert_int_equal(event_count(f, EVENT_ACCOUNT), 2);
    assert_int_equal(event_count(f, EVENT_FEE_TIER), 2);
    assert_int_equal(event_count(f, EVENT_BALANCE), 2);
    assert_int_equal(((const struct account_opened *)event_at(f, EVENT_ACCOUNT, 1))->account_id, 1002);
    engine_verify(f->engine);
    f->genesis.accounts[1].owner = user(1);
    assert_non_null(genesis_check(&f->genesis));
    fixture_free(f);
}

static void a_genesis_that_cannot_work_is_named(void **state)
{
    struct genesis g, good;
    (void)state;

    fixture_genesis(&good);
    assert_null(genesis_check(&good));
#define WRONG(change)                                                                                                  \
    g = good;                                                                                                          \
    change;                                                                                                            \
    assert_non_null(genesis_check(&g))
    WRONG(g.spot[0].tick_size = 0);
    WRONG(g.development = 0; g.backfill_minutes = BACKFILL_MINUTES_MIN);
    WRONG(g.development = 1; g.backfill_minutes = BACKFILL_MINUTES_MIN - 1);
    WRONG(g.development = 1; g.backfill_minutes = BACKFILL_MINUTES_MAX + 1);
    WRONG(g.development = 1; g.backfill_minutes = 60; g.time_ms = 60 * 60000 - 1);
    WRONG(g.spot[0].step_size = 0);
    WRONG(g.spot[0].quantity_precision = 9);
    WRONG(g.spot[0].base_coin_id = 3);
    WRONG(g.spot[0].maker_fee = -1); /* taker 0: a rebate of 1e-8 has no source */
    WRONG(g.spot[0].market_deviation_ratio = 0);
    WRONG(g.spot[0].buy_limit_up_ratio = INT64_C(100000000001));
    WRONG(g.spot[0].max_notional = 1);
    WRONG(g.coins[1].precision = 9);
    WRONG(g.coins[1].name = g.coins[0].name);
    WRONG(g.limits.orders = 0);
    WRONG(g.rules.client_id_reuse = REUSE_FILLED);
    WRONG(g.spot_fees.tiers[1].volume = 0);
    WRONG(g.time_ms = 0);
#undef WRONG
}

static void due_is_the_next_midnight_or_the_first_schedule(void **state)
{
    struct fixture *f = fixture_make();
    (void)state;

    deposit(f, 1, VUSDC, 100);
    assert_int_equal(engine_due_ms(f->engine), INT64_C(1776038400000));
    schedule(f, 1, (uint64_t)FIXTURE_TIME + 6000);
    assert_int_equal(engine_due_ms(f->engine), FIXTURE_TIME + 6000);
    assert_int_equal(engine_due_count(f->engine, FIXTURE_TIME + 5999), 0);
    assert_int_equal(engine_due_count(f->engine, FIXTURE_TIME + 6000), 1);
    tick(f, FIXTURE_TIME + 6000);
    assert_int_equal(engine_due_count(f->engine, INT64_MAX), 0);
    assert_int_equal(engine_due_ms(f->engine), INT64_C(1776038400000));
    tick(f, INT64_C(1776038400000));
    assert_int_equal(engine_due_ms(f->engine), INT64_C(1776038400000) + 86400000);
    fixture_free(f);
}

static void equal_histories_have_equal_hashes_whatever_the_pools(void **state)
{
    struct fixture *a = fixture_make(), *b = calloc(1, sizeof(*b));
    struct hash256  hash_a, hash_b;
    (void)state;

    fixture_genesis(&b->genesis);
    b->genesis.limits =
        (struct limits){ .accounts = 1000, .orders = 9999, .levels = 777, .signers = 5000, .deposits = 3000 };
    fixture_start(b);
    for (uint32_t i = 0; i < 2; i++) {
        struct fixture *f = i == 0 ? a : b;
        deposit(f, 1, VUSDC, 1000000000);
        deposit(f, 2, VBTC, 100000000);
        limit(f, 1, SIDE_BUY, "100000", "0.002", "c1");
        limit(f, 1, SIDE_BUY, "99000", "0.002", "c2");
        limit(f, 2, SIDE_SELL, "100000", "0.001", "s1");
        replace(f, 1, "c2", "98000", NULL, "r2");
        schedule(f, 2, (uint64_t)FIXTURE_TIME + 9000);
    }
    hash_a = engine_hash(a->engine), hash_b = engine_hash(b->engine);
    assert_memory_equal(&hash_a, &hash_b, sizeof(hash_a));
    cancel(b, 1, 0, NULL, "c1");
    hash_b = engine_hash(b->engine);
    assert_memory_not_equal(&hash_a, &hash_b, sizeof(hash_a));
    fixture_free(a);
    fixture_free(b);
}

static void a_copy_of_the_memory_is_the_same_exchange(void **state)
{
    struct fixture *f = fixture_make();
    size_t          bytes = engine_size(&f->genesis);
    struct engine  *copy = aligned_alloc(64, align_up(bytes, 64)), *original = f->engine;
    struct hash256  a, b;
    (void)state;

    deposit(f, 1, VUSDC, 1000000000);
    limit(f, 1, SIDE_BUY, "100000", "0.001", "c1");
    memcpy(copy, original, bytes);
    limit(f, 1, SIDE_BUY, "99000", "0.001", "c2");
    a = engine_hash(original);
    f->engine = copy;
    f->seq -= 1, f->nonce -= 1;
    limit(f, 1, SIDE_BUY, "99000", "0.001", "c2");
    b = engine_hash(copy);
    assert_memory_equal(&a, &b, sizeof(a));
    engine_verify(copy);
    free(original);
    fixture_free(f);
}

/*
 * Sell orders of two accounts in turn at twenty prices, 200 of each; the cost of the other account's orders, the first
 * 199.5 of them, is computed as they are placed. `scope` and `finer`: settings in which the engine must check each
 * order by itself, with the same result.
 */
static void a_deep_purchase_costs_the_others(uint8_t scope, uint32_t finer)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int64_t         cost = 0;

    fixture_genesis(&f->genesis);
    f->genesis.rules.stp_scope = scope;
    f->genesis.spot[0].min_notional = 0;
    f->genesis.spot[0].price_precision += finer;
    f->genesis.spot[0].reference_price = finer != 0 ? 10000000 : 1000000;
    f->genesis.spot[0].tick_size = finer != 0 ? 10 : 1;
    fixture_start(f);
    for (uint32_t who = 1; who <= 2; who++) assert_int_equal(deposit(f, who, VBTC, 1000000000), REJECT_NONE);
    for (uint32_t i = 0; i < 400; i++) {
        char id[16], price[16];

        (void)snprintf(id, sizeof(id), "c%u", i);
        (void)snprintf(price, sizeof(price), "%u", 100000 + i / 2 % 20);
        assert_int_equal(limit(f, 1 + i % 2, SIDE_SELL, price, "0.01", id)->reject, REJECT_NONE);
    }
    for (uint32_t i = 0; i < 200; i++) cost += (100000 + i / 10) * INT64_C(1000000) / (i == 199 ? 200 : 100);
    if (scope == STP_NONE) {
        cost = 0; /* its own are bought as well: ten prices of 20 */
        for (uint32_t i = 0; i < 200; i++) cost += (100000 + i / 20) * INT64_C(1000000) / (i == 199 ? 200 : 100);
    }
    assert_int_equal(deposit(f, 1, VUSDC, cost - 1), REJECT_NONE);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, "1.995", NULL, "m1"))->reject,
                     REJECT_INSUFFICIENT_BALANCE);
    assert_int_equal(result_at(f, 0)->need.digits * pow10_i64(6 - (int)result_at(f, 0)->need.scale), cost);
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_NONE);
    assert_int_equal(place(f, 1, order_of(SIDE_BUY, TYPE_MARKET, TIF_IOC, NULL, "1.995", NULL, "m2"))->status,
                     STATUS_FILLED);
    assert_int_equal(event_count(f, EVENT_TRADE), 200);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_deep_purchase_costs_the_same_by_levels_and_by_orders(void **state)
{
    (void)state;

    a_deep_purchase_costs_the_others(STP_ACCOUNT, 0);
    a_deep_purchase_costs_the_others(STP_NONE, 0);
    a_deep_purchase_costs_the_others(STP_USER, 0);    /* order by order: more accounts than one */
    a_deep_purchase_costs_the_others(STP_ACCOUNT, 1); /* and where a value may have a fraction */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_tells_began_result_and_what_came_of_it),
        cmocka_unit_test(a_signer_without_account_is_refused),
        cmocka_unit_test(nobody_speaks_for_another_account_or_for_the_house),
        cmocka_unit_test(a_batch_has_1_to_100_items),
        cmocka_unit_test(results_come_in_item_order_and_the_second_of_two_equal_ids_is_refused),
        cmocka_unit_test(a_log_with_nonsense_in_it_gets_rejects_not_asserts),
        cmocka_unit_test(a_deposit_id_moves_money_once),
        cmocka_unit_test(genesis_accounts_exist_from_the_start),
        cmocka_unit_test(a_genesis_that_cannot_work_is_named),
        cmocka_unit_test(due_is_the_next_midnight_or_the_first_schedule),
        cmocka_unit_test(equal_histories_have_equal_hashes_whatever_the_pools),
        cmocka_unit_test(a_copy_of_the_memory_is_the_same_exchange),
        cmocka_unit_test(a_deep_purchase_costs_the_same_by_levels_and_by_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
