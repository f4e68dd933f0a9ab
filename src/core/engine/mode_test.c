/* SPDX-License-Identifier: MIT */
/* mode_test.c — the mode of the whole venue together with the state of each symbol (ruling 49; decision 420). */
#include "rigs/core/perps_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MONEY INT64_C(1000000000000)

static enum reject set_mode(struct fixture *f, uint8_t mode, uint64_t id)
{
    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.set_mode = (struct set_mode){ .mode = mode, .id = operator_id(id) };
    return apply_operator(f);
}

static enum reject set_market(struct fixture *f, uint8_t engine, uint32_t symbol_id, uint8_t status, uint64_t id)
{
    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.set_market =
        (struct set_market){ .symbol_id = symbol_id, .engine = engine, .status = status, .id = operator_id(id) };
    return apply_operator(f);
}

static struct fixture *two_with_money(void)
{
    struct fixture *f = perps_make();

    perps_deposit(f, 1, MONEY);
    perps_deposit(f, 2, MONEY);
    perps_tick(f, 1000);
    return f;
}

static uint8_t perps_status(const struct fixture *f, uint32_t symbol_id)
{
    return market_status(f->engine, market_find_perps(f->engine, symbol_id));
}
static uint8_t phase(const struct fixture *f, uint32_t symbol_id)
{
    return perps_phase(f->engine, &engine_perps(f->engine)[symbol_id - 1]);
}

static void a_change_is_told_once_with_what_was_before(void **state)
{
    struct fixture            *f = perps_make();
    const struct mode_changed *told;

    (void)state;
    assert_int_equal(f->engine->mode, VENUE_RUN);
    assert_int_equal(set_mode(f, VENUE_RUN, 900), REJECT_NONE); /* the mode is set already: no event */
    assert_int_equal(event_count(f, EVENT_MODE), 0);
    assert_int_equal(set_mode(f, VENUE_CANCEL_ONLY, 901), REJECT_NONE);
    told = event_at(f, EVENT_MODE, 0);
    assert_int_equal(event_count(f, EVENT_MODE), 1);
    assert_int_equal(told->mode, VENUE_CANCEL_ONLY);
    assert_int_equal(told->before, VENUE_RUN);
    assert_int_equal(result_at(f, 0)->order_id, 0); /* there is no number to it */
    assert_int_equal(event_count(f, EVENT_SYMBOL) + event_count(f, EVENT_PHASE), 0);
    assert_int_equal(set_mode(f, VENUE_REDUCE_ONLY, 902), REJECT_NONE);
    told = event_at(f, EVENT_MODE, 0);
    assert_int_equal(told->mode, VENUE_REDUCE_ONLY);
    assert_int_equal(told->before, VENUE_CANCEL_ONLY);
    assert_int_equal(set_mode(f, VENUE_CANCEL_ONLY, 901), REJECT_NONE); /* by its content: no id is kept (ruling 74) */
    assert_int_equal(event_count(f, EVENT_MODE), 1);
    assert_int_equal(result_at(f, 0)->order_id, 0);
    assert_int_equal(f->engine->mode, VENUE_CANCEL_ONLY);
    engine_verify(f->engine);
    fixture_free(f);
}

static void what_is_no_mode_is_refused_and_changes_nothing(void **state)
{
    static const uint8_t wrong[] = { 0, VENUE_REDUCE_ONLY + 1, UINT8_MAX };
    struct fixture      *f = perps_make();

    (void)state;
    assert_int_equal(set_mode(f, VENUE_REDUCE_ONLY, 900), REJECT_NONE); /* the last one there is */
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        assert_int_equal(set_mode(f, wrong[i], 901), REJECT_ENUM_RANGE);
        assert_int_equal(result_at(f, 0)->field, FIELD_MODE);
        assert_int_equal(event_count(f, EVENT_MODE), 0);
        assert_int_equal(f->engine->mode, VENUE_REDUCE_ONLY);
    }
    assert_int_equal(set_mode(f, VENUE_RUN, 901), REJECT_NONE);
    assert_int_equal(set_market(f, MARKET_SPOT, 1, SYMBOL_HALT, 901), REJECT_NONE);
    fixture_free(f);
}

/* Ruling 74: the brake answers when the pool of operator ids is full. */
static void a_full_list_of_ids_lets_every_mode_through(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    (void)state;
    perps_genesis(&f->genesis);
    f->genesis.limits.deposits = 2;
    fixture_start(f);
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_NONE);
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_NONE);
    assert_int_equal(deposit(f, 1, VUSDC, 1), REJECT_CAPACITY);
    assert_int_equal(set_mode(f, VENUE_CANCEL_ONLY, 3), REJECT_NONE);
    assert_int_equal(f->engine->mode, VENUE_CANCEL_ONLY);
    assert_int_equal(set_market(f, MARKET_SPOT, 1, SYMBOL_HALT, 4), REJECT_NONE);
    assert_int_equal(market_at(f->engine, 1)->symbol.status, SYMBOL_HALT);
    assert_int_equal(set_mode(f, VENUE_RUN, 3), REJECT_NONE);
    assert_int_equal(f->engine->mode, VENUE_RUN);
    assert_int_equal(engine_counts(f->engine).operator_ids, 2);
    fixture_free(f);
}

/* Each status and phase that a symbol can have by itself, under each mode. */
static void the_stricter_of_symbol_and_venue_counts(void **state)
{
    /* clang-format off */
    static const struct { uint8_t own, mode, status, phase; } rows[] = {
        { SYMBOL_TRADING,     VENUE_RUN,         SYMBOL_TRADING, PHASE_OPEN        },
        { SYMBOL_TRADING,     VENUE_CANCEL_ONLY, SYMBOL_HALT,    PHASE_OPEN        },
        { SYMBOL_TRADING,     VENUE_REDUCE_ONLY, SYMBOL_TRADING, PHASE_REDUCE_ONLY },
        { SYMBOL_REDUCE_ONLY, VENUE_RUN,         SYMBOL_TRADING, PHASE_REDUCE_ONLY },
        { SYMBOL_REDUCE_ONLY, VENUE_CANCEL_ONLY, SYMBOL_HALT,    PHASE_REDUCE_ONLY },
        { SYMBOL_REDUCE_ONLY, VENUE_REDUCE_ONLY, SYMBOL_TRADING, PHASE_REDUCE_ONLY },
        { SYMBOL_HALT,        VENUE_RUN,         SYMBOL_HALT,    PHASE_REDUCE_ONLY },
        { SYMBOL_HALT,        VENUE_CANCEL_ONLY, SYMBOL_HALT,    PHASE_REDUCE_ONLY },
        { SYMBOL_HALT,        VENUE_REDUCE_ONLY, SYMBOL_HALT,    PHASE_REDUCE_ONLY },
    };
    /* clang-format on */
    struct fixture *f = perps_make();

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        assert_int_equal(set_market(f, MARKET_PERPS, BTC, rows[i].own, 900 + 2 * i), REJECT_NONE);
        assert_int_equal(set_mode(f, rows[i].mode, 901 + 2 * i), REJECT_NONE);
        assert_int_equal(perps_status(f, BTC), rows[i].status);
        assert_int_equal(phase(f, BTC), rows[i].phase);
        assert_int_equal(market_find_perps(f->engine, BTC)->symbol.status,
                         rows[i].own == SYMBOL_HALT ? SYMBOL_HALT : SYMBOL_TRADING);
        assert_int_equal(market_status(f->engine, market_find(f->engine, 1)),
                         rows[i].mode == VENUE_CANCEL_ONLY ? SYMBOL_HALT : SYMBOL_TRADING);
        engine_verify(f->engine);
    }
    fixture_free(f);
}

static void a_settled_symbol_stays_settled(void **state)
{
    struct fixture *f = two_with_money();

    (void)state;
    market_find_perps(f->engine, BTC)->symbol.status = SYMBOL_SETTLED;
    for (uint8_t mode = VENUE_RUN; mode <= VENUE_REDUCE_ONLY; mode++) {
        assert_int_equal(set_mode(f, mode, 900 + mode), REJECT_NONE);
        assert_int_equal(perps_status(f, BTC), SYMBOL_SETTLED);
        assert_int_equal(perps_limit(f, 1, "a", SIDE_BUY, "99000", "0.1")->reject, REJECT_SYMBOL_SETTLED);
    }
    fixture_free(f);
}

static void while_only_cancels_go_through_no_second_needs_a_tick(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    assert_true(engine_pulse_ms(f->engine) < INT64_MAX);
    assert_int_equal(set_mode(f, VENUE_CANCEL_ONLY, 900), REJECT_NONE);
    assert_int_equal(engine_pulse_ms(f->engine), INT64_MAX);
    assert_true(engine_due_ms(f->engine) < INT64_MAX); /* funding hours continue, with rate 0 */
    assert_int_equal(set_mode(f, VENUE_REDUCE_ONLY, 901), REJECT_NONE);
    assert_true(engine_pulse_ms(f->engine) < INT64_MAX);
    fixture_free(f);
}

/* A stop whose trigger price was reached in cancel-only mode fires with the first TICK after it. */
static void what_came_due_meanwhile_happens_behind_it(void **state)
{
    struct fixture    *f = two_with_money();
    struct perps_order stop;

    (void)state;
    assert_int_equal(perps_limit(f, 2, "s", SIDE_SELL, "100000", "0.1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, 1, "b", SIDE_BUY, "100000", "0.1")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, 2, "bid", SIDE_BUY, "98000", "0.1")->reject, REJECT_NONE);
    stop = perps_item("stop", SIDE_SELL, TYPE_MARKET, TIF_IOC, "0", "0.1");
    stop.price = (struct decimal){ 0 };
    stop.modifier = MODIFIER_STOP;
    stop.stop_type = STOP_LOSS;
    stop.trigger_type = TRIGGER_INDEX_PRICE;
    stop.stop_price = number("99000");
    stop.reduce_only = 1;
    assert_int_equal(perps_send(f, 1, BTC, &stop, 1)->reject, REJECT_NONE);
    assert_int_equal(set_mode(f, VENUE_CANCEL_ONLY, 900), REJECT_NONE);
    perps_prices(f, BTC, 985000, 985000);
    perps_tick(f, 1000);
    assert_int_equal(event_count(f, EVENT_PERPS_ORDER) + event_count(f, EVENT_FILL), 0);
    assert_int_equal(set_mode(f, VENUE_RUN, 901), REJECT_NONE);
    assert_int_equal(event_count(f, EVENT_FILL), 0); /* the command itself moves nothing */
    perps_tick(f, 1000);
    assert_int_equal(event_count(f, EVENT_FILL), 2);
    engine_verify(f->engine);
    fixture_free(f);
}

/* Announced under REDUCE_ONLY and withdrawn: by itself the symbol is open again, and the mode still restricts it. */
static void a_withdrawn_settlement_does_not_lift_the_mode(void **state)
{
    struct fixture *f = perps_make();

    (void)state;
    assert_int_equal(set_mode(f, VENUE_REDUCE_ONLY, 900), REJECT_NONE);
    for (uint64_t id = 901; id <= 902; id++) {
        fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
        f->room.settle_symbol = (struct settle_symbol){ .symbol_id = BTC,
                                                        .at_ms = id == 901 ? f->time_ms + INT64_C(2) * DAY_MS : 0,
                                                        .id = operator_id(id) };
        assert_int_equal(apply_operator(f), REJECT_NONE);
        assert_int_equal(phase(f, BTC), id == 901 ? PHASE_SETTLING : PHASE_REDUCE_ONLY);
        engine_verify(f->engine);
    }
    assert_int_equal(set_mode(f, VENUE_RUN, 903), REJECT_NONE);
    assert_int_equal(phase(f, BTC), PHASE_OPEN);
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_told_once_with_what_was_before),
        cmocka_unit_test(what_is_no_mode_is_refused_and_changes_nothing),
        cmocka_unit_test(a_full_list_of_ids_lets_every_mode_through),
        cmocka_unit_test(the_stricter_of_symbol_and_venue_counts),
        cmocka_unit_test(a_settled_symbol_stays_settled),
        cmocka_unit_test(while_only_cancels_go_through_no_second_needs_a_tick),
        cmocka_unit_test(what_came_due_meanwhile_happens_behind_it),
        cmocka_unit_test(a_withdrawn_settlement_does_not_lift_the_mode),
    };

    return cmocka_run_group_tests_name("core/engine/mode", tests, NULL, NULL);
}
