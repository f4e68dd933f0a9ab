/* SPDX-License-Identifier: MIT */
/* halt_test.c — symbols that an operator halts (mechanics 3.15, ruling 49). */
#include "rigs/core/perps_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct result *set(struct fixture *f, uint8_t engine, uint32_t symbol_id, uint8_t status, uint8_t id)
{
    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.head.market = 0;
    f->room.set_market =
        (struct set_market){ .symbol_id = symbol_id, .engine = engine, .status = status, .id = { { 0xaa, id } } };
    fixture_apply(f);
    return result_at(f, 0);
}

static uint32_t told(const struct fixture *f, uint8_t status)
{
    uint32_t count = 0;

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        count += event->kind == EVENT_SYMBOL && ((const struct symbol_changed *)(const void *)event)->status == status;
    return count;
}

static void a_halted_perps_symbol_takes_no_orders_and_lets_cancels_through(void **state)
{
    struct fixture     *f = perps_make();
    struct perps_cancel cancel = { .symbol_id = BTC, .client_id = cid("rests") };

    (void)state;
    perps_deposit(f, 1, 1000000000000);
    perps_deposit(f, 2, 1000000000000);
    perps_tick(f, 1000);
    assert_int_equal(perps_limit(f, 1, "rests", SIDE_BUY, "99000", "0.1")->reject, REJECT_NONE);
    assert_int_equal(set(f, MARKET_PERPS, BTC, SYMBOL_HALT, 1)->reject, REJECT_NONE);
    assert_int_equal(told(f, SYMBOL_HALT), 1);
    assert_int_equal(perps_limit(f, 2, "new", SIDE_SELL, "99000", "0.1")->reject, REJECT_SYMBOL_HALTED);
    perps_tick(f, 1000);
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    perps_sign(f, 1);
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = cancel;
    fixture_apply(f);
    assert_int_equal(result_at(f, 0)->reject, REJECT_NONE);
    assert_int_equal(set(f, MARKET_PERPS, BTC, SYMBOL_TRADING, 2)->reject, REJECT_NONE);
    assert_int_equal(told(f, SYMBOL_TRADING), 1);
    assert_int_equal(perps_limit(f, 2, "new", SIDE_SELL, "101000", "0.1")->reject, REJECT_NONE);
    engine_verify(f->engine);
    fixture_free(f);
}

static void while_one_symbol_trades_there_is_a_tick_each_second(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    (void)set(f, MARKET_PERPS, BTC, SYMBOL_HALT, 1);
    assert_true(engine_pulse_ms(f->engine) < INT64_MAX);
    (void)set(f, MARKET_PERPS, ETH, SYMBOL_HALT, 2);
    assert_int_equal(engine_pulse_ms(f->engine), INT64_MAX);
    assert_true(engine_due_ms(f->engine) < INT64_MAX); /* funding hours continue, with rate 0 */
    (void)set(f, MARKET_PERPS, ETH, SYMBOL_TRADING, 3);
    assert_true(engine_pulse_ms(f->engine) < INT64_MAX);
    fixture_free(f);
}

static void a_halt_is_judged_by_its_content_alone(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_HALT, 1)->reject, REJECT_NONE);
    assert_int_equal(told(f, SYMBOL_HALT), 1);
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_TRADING, 2)->reject, REJECT_NONE);
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_HALT, 1)->reject, REJECT_NONE); /* no id is kept (ruling 74) */
    assert_int_equal(told(f, SYMBOL_HALT), 1);
    assert_int_equal(result_at(f, 0)->order_id, 0); /* there is no number to it */
    assert_int_equal(market_at(f->engine, 1)->symbol.status, SYMBOL_HALT);
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_TRADING, 1)->reject, REJECT_NONE);
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_TRADING, 3)->reject, REJECT_NONE); /* it trades already: no event */
    assert_int_equal(told(f, SYMBOL_TRADING), 0);
    fixture_free(f);
}

static void what_is_no_symbol_or_no_status_is_refused(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    assert_int_equal(set(f, MARKET_SPOT, 2, SYMBOL_HALT, 1)->reject, REJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(set(f, MARKET_PERPS, 3, SYMBOL_HALT, 1)->reject, REJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(set(f, MARKET_PERPS, 0, SYMBOL_HALT, 1)->reject, REJECT_SYMBOL_NOT_FOUND);
    assert_int_equal(set(f, 3, 1, SYMBOL_HALT, 1)->reject, REJECT_ENUM_RANGE);
    assert_int_equal(set(f, MARKET_SPOT, 1, 3, 1)->reject, REJECT_ENUM_RANGE);
    assert_int_equal(set(f, MARKET_SPOT, 1, 0, 1)->reject, REJECT_ENUM_RANGE);
    assert_int_equal(set(f, MARKET_SPOT, 1, SYMBOL_HALT, 1)->reject,
                     REJECT_NONE); /* a refused command has not used its id */
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_halted_perps_symbol_takes_no_orders_and_lets_cancels_through),
        cmocka_unit_test(while_one_symbol_trades_there_is_a_tick_each_second),
        cmocka_unit_test(a_halt_is_judged_by_its_content_alone),
        cmocka_unit_test(what_is_no_symbol_or_no_status_is_refused),
    };
    return cmocka_run_group_tests_name("core/engine/halt", tests, NULL, NULL);
}
