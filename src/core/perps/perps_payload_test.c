/* SPDX-License-Identifier: MIT */
/*
 * perps_payload_test.c — the api and the engine check payloads in the same way: the engine refuses every payload that
 * the shapes refuse, for the same reason, and a payload that the shapes accept does not fail for a reason of theirs
 * (ruling 33). And orders accepted with a warning (mechanics 10.1).
 */
#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"
#include "model/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static uint64_t state_of_dice = 0x2545f4914f6cdd1d;

static uint32_t random_below(uint32_t sides) { return (uint32_t)((random_xorshift(&state_of_dice) >> 33) % sides); }

static struct decimal maybe(uint32_t one_in, const char *text)
{
    return random_below(one_in) == 0 ? (struct decimal){ 0 } : number(text);
}

/* Mostly right, so that the later rules are reached as well. */
static struct perps_order random_order(uint8_t modifier, uint32_t index)
{
    bool               stop = modifier == MODIFIER_STOP || modifier == MODIFIER_ATTACHED_STOP;
    char               id[8] = { 'i', (char)('0' + index) };
    struct perps_order order = { .client_id = cid(id), .modifier = modifier };

    order.side = (uint8_t)(1 + random_below(2));
    order.type = (uint8_t)(1 + random_below(2));
    order.time_in_force = (uint8_t)(1 + random_below(4));
    order.position_side = (uint8_t)(1 + random_below(3));
    order.reduce_only = (uint8_t)random_below(2);
    if (modifier >= MODIFIER_BRACKET && random_below(8) != 0) {
        order.reduce_only = modifier == MODIFIER_ATTACHED_STOP;
        order.side = modifier == MODIFIER_BRACKET ? SIDE_BUY : SIDE_SELL;
        order.position_side = POSITION_BOTH;
    }
    if (order.type == TYPE_MARKET && random_below(4) != 0) order.time_in_force = TIF_IOC;
    order.price = order.type == TYPE_LIMIT ? maybe(8, "100000") : maybe(2, "100000");
    order.quantity = maybe(4, "0.001");
    order.funds = maybe(random_below(3) == 0 ? 2 : 1, "200");
    if (stop ? random_below(8) == 0 : random_below(4) != 0) return order;
    order.stop_price = maybe(8, order.side == SIDE_BUY ? "90000" : "110000");
    order.stop_type = (uint8_t)(random_below(8) == 0 ? 0 : 1 + random_below(2));
    order.trigger_type = (uint8_t)(random_below(8) == 0 ? 0 : 1 + random_below(3));
    return order;
}

/* The shapes' verdict on a payload whose values have been read. */
static enum reject door_says(const struct place_perps *batch)
{
    enum reject reject = (enum reject)place_perps_shape.check(batch);

    for (uint32_t i = 0; reject == REJECT_NONE && i < batch->count; i++)
        reject = (enum reject)place_perps_shape.check_item(batch, i);
    for (uint32_t i = 0; reject == REJECT_NONE && i < batch->count; i++)
        reject = (enum reject)perps_order_shape.check(&batch->items[i]);
    return reject;
}

static bool is_of_the_payload(uint16_t reject)
{
    switch (reject) {
    case REJECT_STOP_FIELDS:
    case REJECT_STOP_FIELDS_TYPE:
    case REJECT_STOP_FIELDS_TRIGGER:
    case REJECT_LIMIT_NEEDS_PRICE:
    case REJECT_LIMIT_WITH_FUNDS:
    case REJECT_LIMIT_NEEDS_QUANTITY:
    case REJECT_TIF_NOT_SUPPORTED:
    case REJECT_MARKET_NEEDS_IOC:
    case REJECT_MARKET_SELL_FUNDS:
    case REJECT_STOP_FUNDS:
    case REJECT_MARKET_AMOUNT:
    case REJECT_STOP_QUANTITY:
    case REJECT_BRACKET_SHAPE:
    case REJECT_BRACKET_REDUCES:
    case REJECT_BRACKET_SIDES:
    case REJECT_BRACKET_STOPS:
    case REJECT_ATTACHED_ALONE:
    case REJECT_ENUM_RANGE:
    case REJECT_NOT_POSITIVE:
    case REJECT_BAD_CLIENT_ID: return true;
    default: return false;
    }
}

static void compare(struct fixture *f, const struct place_perps *batch, uint32_t seen[REJECT_COUNT])
{
    enum reject          door = door_says(batch);
    const struct result *result = perps_send(f, 1, BTC, batch->items, batch->count);

    seen[door] += 1;
    if (door != REJECT_NONE) {
        bool later = batch->count > 1; /* the engine has filters between the orders of a BRACKET */
        if (later && !is_of_the_payload(result->reject)) assert_int_not_equal(result->reject, REJECT_NONE);
        else assert_int_equal(result->reject, door);
    }
    for (uint32_t i = 0; door == REJECT_NONE && i < batch->count; i++)
        assert_false(is_of_the_payload(result_at(f, i)->reject));
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, batch->count)); /* cancels those that are open */
    perps_sign(f, 1);
    f->room.cancel_perps.count = batch->count;
    for (uint32_t i = 0; i < batch->count; i++)
        f->room.cancel_perps.items[i] =
            (struct perps_cancel){ .symbol_id = BTC, .client_id = batch->items[i].client_id };
    fixture_apply(f);
}

static void the_door_and_the_engine_agree_on_every_payload(void **state)
{
    struct fixture           *f = perps_make();
    static struct place_perps batch;
    uint32_t                  seen[REJECT_COUNT] = { 0 }, kinds = 0;

    (void)state;
    perps_deposit(f, 1, INT64_C(1000000000000));
    perps_index(f, BTC, 1000000);
    perps_tick(f, 1000);
    for (int round = 0; round < 60000; round++) {
        bool bracket = random_below(2) == 0;

        batch = (struct place_perps){ .symbol_id = BTC, .count = bracket ? 1 + random_below(4) : 1 };
        for (uint32_t i = 0; i < batch.count; i++) {
            uint8_t modifier =
                bracket ? (i == 0 ? MODIFIER_BRACKET : MODIFIER_ATTACHED_STOP) : (uint8_t)(1 + random_below(4));
            if (bracket && random_below(16) == 0) modifier = (uint8_t)(1 + random_below(4));
            batch.items[i] = random_order(modifier, i);
        }
        if (batch.count > 1 && batch.items[0].modifier != MODIFIER_BRACKET)
            continue; /* there the engine answers item by item */
        compare(f, &batch, seen);
    }
    for (uint32_t i = 0; i < REJECT_COUNT; i++) kinds += seen[i] != 0;
    assert_int_equal(kinds, 18); /* every rule, and none */
    fixture_free(f);
}

/* ---- results ---- */

/* A RESULT has the order's final status, although the order is no longer in the pool then. */
static void results_tell_the_status_an_order_ended_with(void **state)
{
    struct fixture    *f = perps_make();
    struct perps_order order;

    (void)state;
    for (uint32_t who = 1; who <= 2; who++) perps_deposit(f, who, INT64_C(10000000000));
    perps_index(f, BTC, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(perps_limit(f, 1, "maker", SIDE_SELL, "100000", "0.3")->status, STATUS_NEW);
    assert_int_equal(perps_limit(f, 2, "all", SIDE_BUY, "100000", "0.1")->status, STATUS_FILLED);
    order = perps_item("ioc", SIDE_BUY, TYPE_LIMIT, TIF_IOC, "99999", "0.1");
    assert_int_equal(perps_send(f, 2, BTC, &order, 1)->status, STATUS_EXPIRED);
    assert_int_equal(perps_limit(f, 2, "more", SIDE_BUY, "100000", "0.3")->status, STATUS_PARTIALLY_FILLED);
    order = perps_item("market", SIDE_SELL, TYPE_MARKET, TIF_IOC, "100000", "0.1");
    assert_int_equal(perps_send(f, 1, BTC, &order, 1)->status, STATUS_FILLED);
    assert_true(result_at(f, 0)->order_id != 0);
    order = perps_item("nobody", SIDE_BUY, TYPE_MARKET, TIF_IOC, "100000", "0.1");
    assert_int_equal(perps_send(f, 1, BTC, &order, 1)->status, STATUS_EXPIRED);
    fixture_free(f);
}

/* ---- warnings ---- */

static void set_leverage(struct fixture *f, uint32_t who, uint32_t leverage, uint8_t mode)
{
    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    perps_sign(f, who);
    f->room.update_leverage = (struct update_leverage){ .symbol_id = BTC, .leverage = leverage, .margin_mode = mode };
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
}

static void stop_is_warned_of(struct fixture *f, uint32_t who, uint8_t side, uint8_t kind, const char *price,
                              uint8_t warning)
{
    static int         number_of;
    char               id[16];
    struct perps_order stop;

    snprintf(id, sizeof(id), "s-%d", ++number_of);
    stop = perps_item(id, side, TYPE_MARKET, TIF_IOC, "1", "0.01");
    stop.price = (struct decimal){ 0 };
    stop.modifier = MODIFIER_STOP;
    stop.reduce_only = 1;
    stop.stop_price = number(price);
    stop.stop_type = kind;
    stop.trigger_type = TRIGGER_MARK_PRICE;
    (void)perps_send(f, who, BTC, &stop, 1);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
    assert_int_equal(result_at(f, 0)->warning, warning);
}

/* The figures of E6: 1 BTC at 100000, 25x isolated: liquidation at 97959.2, and at 101960.7 for the short. */
static void a_stop_loss_beyond_the_liquidation_is_accepted_with_a_warning(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    for (uint32_t who = 1; who <= 2; who++) {
        perps_deposit(f, who, INT64_C(10000000000));
        set_leverage(f, who, 25, MARGIN_ISOLATED);
    }
    perps_index(f, BTC, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(perps_limit(f, 1, "long", SIDE_BUY, "100000", "1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, 2, "short", SIDE_SELL, "100000", "1")->reject, REJECT_NONE);
    assert_int_equal(perps_size(f, 1, BTC), 100000);
    stop_is_warned_of(f, 1, SIDE_SELL, STOP_LOSS, "97959.2", WARNING_STOP_BEYOND_LIQUIDATION);
    stop_is_warned_of(f, 1, SIDE_SELL, STOP_LOSS, "97959.3", WARNING_NONE);
    stop_is_warned_of(f, 1, SIDE_SELL, STOP_TAKE_PROFIT, "101000", WARNING_NONE);
    stop_is_warned_of(f, 2, SIDE_BUY, STOP_LOSS, "101960.7", WARNING_STOP_BEYOND_LIQUIDATION);
    stop_is_warned_of(f, 2, SIDE_BUY, STOP_LOSS, "101960.6", WARNING_NONE);
    stop_is_warned_of(f, 2, SIDE_BUY, STOP_TAKE_PROFIT, "99000", WARNING_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Cross, without other positions: the whole wallet is margin, 10000 = 1 BTC x (100000 - p) + 0.02 x p. */
static void a_cross_position_is_warned_by_the_whole_wallet(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    for (uint32_t who = 1; who <= 2; who++) {
        perps_deposit(f, who, INT64_C(10000000000));
        set_leverage(f, who, 25, MARGIN_CROSS);
    }
    perps_index(f, BTC, 1000000);
    perps_tick(f, 1000);
    assert_int_equal(perps_limit(f, 1, "long", SIDE_BUY, "100000", "1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, 2, "short", SIDE_SELL, "100000", "1")->reject, REJECT_NONE);
    stop_is_warned_of(f, 1, SIDE_SELL, STOP_LOSS, "91836.8",
                      WARNING_STOP_BEYOND_LIQUIDATION); /* 90000 / 0.98 = 91836.73 */
    stop_is_warned_of(f, 1, SIDE_SELL, STOP_LOSS, "91836.9", WARNING_NONE);
    stop_is_warned_of(f, 2, SIDE_BUY, STOP_LOSS, "107843.1",
                      WARNING_STOP_BEYOND_LIQUIDATION); /* 110000 / 1.02 = 107843.13 */
    stop_is_warned_of(f, 2, SIDE_BUY, STOP_LOSS, "107843", WARNING_NONE);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_door_and_the_engine_agree_on_every_payload),
        cmocka_unit_test(results_tell_the_status_an_order_ended_with),
        cmocka_unit_test(a_stop_loss_beyond_the_liquidation_is_accepted_with_a_warning),
        cmocka_unit_test(a_cross_position_is_warned_by_the_whole_wallet),
    };
    return cmocka_run_group_tests_name("perps_payload", tests, NULL, NULL);
}
