/* SPDX-License-Identifier: MIT */
/* Folds of perps events: positions, prices, stops, brackets, and their counters. */
#include "rigs/views/views_rig.h"

static void emit_position_of(uint64_t account, uint32_t symbol, int64_t size, uint32_t leverage, uint8_t mode)
{
    struct position_changed *event = EVENT_ADD(&events, POSITION, position_changed, MARKET_PERPS);

    event->account_id = account;
    event->position_id = 40 + symbol;
    event->symbol_id = symbol;
    event->leverage = leverage;
    event->margin_mode = mode;
    event->size = size;
    event->bucket = mode == MARGIN_ISOLATED ? 500 : 0;
    apply();
}

static const struct view_account somebody = { .account_id = 1001, .user_id = 7 };

static void positions_and_settings_stay_as_long_as_they_say_something(void **state)
{
    struct perps_order_changed orders[4];
    struct view_margin         margin;
    struct funded             *funded;

    (void)state;
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
    assert_int_equal(margin.position_count, 0);
    assert_int_equal(margin.prices[1].mark, genesis.perps[1].reference_price);
    emit_position_of(1001, 2, -7, 10, MARGIN_CROSS);
    emit_position_of(1001, 1, 5, 25, MARGIN_ISOLATED);
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.position_count, 2); /* by symbol */
    assert_int_equal(margin.positions[0].size, 5);
    assert_int_equal(margin.positions[1].size, -7);
    for (uint32_t symbol = 1; symbol <= 2; symbol++) {
        funded = EVENT_ADD(&events, FUNDING, funded, MARKET_PERPS);
        *funded = (struct funded){ .head = funded->head,
                                   .account_id = 1001,
                                   .position_id = 40 + symbol,
                                   .symbol_id = symbol,
                                   .payment = 3,
                                   .time_ms = 99 };
    }
    apply();
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.positions[0].bucket, 497);
    assert_int_equal(margin.positions[1].bucket, 0); /* a cross one pays from the wallet */
    assert_int_equal(margin.positions[0].realized, -3);
    assert_int_equal(margin.positions[1].realized, -3);
    assert_int_equal(margin.positions[1].updated_ms, 99);
    emit_position_of(1001, 2, 0, 10, MARGIN_CROSS); /* back to the default */
    emit_position_of(1001, 1, 0, 25, MARGIN_ISOLATED);
    views_margin(views, &somebody, &margin, orders, 4);
    assert_int_equal(margin.position_count, 1);
    assert_int_equal(margin.positions[0].position_id, 0);
    assert_int_equal(margin.positions[0].leverage, 25);
    assert_int_equal(margin.positions[0].bucket, 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct leverage_changed *event = EVENT_ADD(&events, LEVERAGE, leverage_changed, MARKET_PERPS);
        *event = (struct leverage_changed){ event->head, 1001, 1, i == 1 ? 10 : 5, MARGIN_CROSS, { 0 } };
        apply();
        views_margin(views, &somebody, &margin, orders, 4);
        assert_int_equal(margin.position_count, i == 1 ? 0 : 1);
    }
    assert_int_equal(views->position_used, 3); /* places are taken again */
}

static void prices_move_their_version_and_no_book(void **state)
{
    uint64_t version = views_price_version(views, 1), other = views_price_version(views, 2),
             book = views_book_version(views, MARKET_PERPS, 1);
    struct price_changed *event = EVENT_ADD(&events, PRICE, price_changed, MARKET_PERPS);

    (void)state;
    event->symbol_id = 1;
    event->mark = 77;
    apply();
    assert_int_equal(views_price(views, 1).mark, 77);
    assert_true(views_price_version(views, 1) > version);
    assert_true(views_price_version(views, 2) == other);
    assert_true(views_book_version(views, MARKET_PERPS, 1) == book);
}

static void orders_of_the_two_markets_are_apart_and_keep_their_part(void **state)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS), told,
                               orders[4];
    struct order_changed spot[4];
    struct view_margin   margin;
    struct view_block    block;

    (void)state;
    event->base.order_id = 9;
    event->base.account_id = 1001;
    event->base.symbol_id = 1;
    event->base.status = STATUS_PENDING_NEW;
    event->stop_price = 123;
    event->primary_order_id = 8;
    event->attached_order_ids[1] = 11;
    event->reduce_only = 1;
    told = *event;
    apply();
    emit_order(10, 1001, 1, STATUS_NEW);
    apply();
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 1);
    assert_memory_equal(&orders[0], &told, sizeof(told));
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 0), 1); /* counted, not copied */
    assert_int_equal(views_open_orders(views, MARKET_SPOT, 1001, 0, &block, spot, 4), 1);
    assert_int_equal(spot[0].order_id, 10);
    event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);
    *event = told;
    event->base.status = STATUS_CANCELED;
    apply();
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
}

static void emit_group(uint64_t id, uint8_t status, uint64_t primary, uint64_t first_child, uint64_t second_child)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    event->base.order_id = id;
    event->base.account_id = 1001;
    event->base.symbol_id = 1;
    event->base.status = status;
    event->primary_order_id = primary;
    event->attached_order_ids[0] = first_child;
    event->attached_order_ids[1] = second_child;
    apply();
}

/* The parent itself is not emitted again. */
static void a_parent_has_only_children_that_are_not_over(void **state)
{
    struct perps_order_changed orders[4];
    struct view_margin         margin;

    (void)state;
    emit_group(6, STATUS_PENDING_NEW, 5, 0, 0);
    emit_group(7, STATUS_PENDING_NEW, 5, 0, 0);
    emit_group(5, STATUS_NEW, 0, 6, 7);
    emit_group(6, STATUS_CANCELED, 5, 0, 0);
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 2);
    assert_int_equal(orders[1].base.order_id, 5);
    assert_int_equal(orders[1].attached_order_ids[0], 0);
    assert_int_equal(orders[1].attached_order_ids[1], 7);
    emit_group(5, STATUS_FILLED, 0, 0, 7);
    emit_group(7, STATUS_CANCELED, 5, 0, 0); /* its parent went before it */
    assert_int_equal(views_margin(views, &somebody, &margin, orders, 4), 0);
}

static void the_offset_of_time_is_remembered(void **state)
{
    (void)state;
    assert_int_equal(atomic_load(&views->offset_ms), 0);
    EVENT_ADD(&events, TIME, time_advanced, 0)->offset_ms = 3600000;
    apply();
    assert_int_equal(atomic_load(&views->offset_ms), 3600000);
}

static void emit_stop(uint64_t id, uint8_t status, uint8_t stop_type, uint8_t triggered)
{
    struct perps_order_changed *event = EVENT_ADD(&events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    event->base.order_id = id;
    event->base.account_id = 1001;
    event->base.symbol_id = 2;
    event->base.status = status;
    event->stop_type = stop_type;
    event->triggered = triggered;
    apply();
}

static void assert_totals(uint8_t market, uint32_t symbol_id, uint64_t open_orders, uint64_t waiting_stops)
{
    struct view_symbol_totals totals = views_symbol_totals(views, market, symbol_id);

    assert_int_equal(totals.open_orders, open_orders);
    assert_int_equal(totals.waiting_stops, waiting_stops);
}

static void open_orders_and_stops_that_wait_are_counted_by_symbol(void **state)
{
    (void)state;
    emit_order(1, 1001, 1, STATUS_NEW);
    emit_order(2, 1001, 2, STATUS_NEW);
    emit_order(2, 1001, 2, STATUS_PARTIALLY_FILLED);
    apply();
    emit_stop(3, STATUS_NEW, STOP_LOSS, 0);
    emit_stop(4, STATUS_PENDING_NEW, STOP_TAKE_PROFIT, 0);
    emit_stop(5, STATUS_NEW, 0, 0);
    assert_totals(MARKET_SPOT, 1, 1, 0);
    assert_totals(MARKET_SPOT, 2, 1, 0);
    assert_totals(MARKET_PERPS, 2, 3, 2);
    emit_stop(3, STATUS_TRIGGERED, STOP_LOSS, 1); /* open still, and waits no more */
    emit_stop(3, STATUS_TRIGGERED, STOP_LOSS, 1);
    assert_totals(MARKET_PERPS, 2, 3, 1);
    emit_stop(4, STATUS_CANCELED, STOP_TAKE_PROFIT, 0);
    assert_totals(MARKET_PERPS, 2, 2, 0);
    emit_stop(3, STATUS_FILLED, STOP_LOSS, 1);
    emit_order(6, 1001, 1, STATUS_FILLED); /* it was never open */
    emit_order(1, 1001, 1, STATUS_CANCELED);
    apply();
    assert_totals(MARKET_PERPS, 2, 1, 0);
    emit_order(7, 1001, 1, STATUS_NEW); /* in the place that a stop has left */
    emit_order(8, 1001, 1, STATUS_NEW);
    apply();
    assert_totals(MARKET_SPOT, 1, 2, 0);
    emit_stop(9, STATUS_NEW, 0, 0);
    assert_totals(MARKET_PERPS, 2, 2, 0);
    assert_totals(MARKET_PERPS, 1, 0, 0);
}

static void emit_fill(uint8_t reason) { EVENT_ADD(&events, FILL, filled, MARKET_PERPS)->reason = reason; }

static void what_nobody_asked_for_is_counted_by_its_reason(void **state)
{
    struct view_totals totals;

    (void)state;
    emit_fill(REASON_NONE);
    emit_fill(REASON_LIQUIDATION);
    emit_fill(REASON_ADL);
    emit_fill(REASON_ADL);
    for (uint8_t stage = STAGE_HEALTHY; stage <= STAGE_ADL; stage++)
        EVENT_ADD(&events, UNIT, unit_stage, MARKET_PERPS)->stage = stage;
    EVENT_ADD(&events, UNIT, unit_stage, MARKET_PERPS)->stage = STAGE_BOOK;
    emit_account(1001, 1, 1, true);
    emit_account(1002, 1, 1, false);
    apply();
    totals = views_totals(views);
    assert_int_equal(totals.accounts, 2);
    assert_int_equal(totals.forced[REASON_NONE], 0);
    assert_int_equal(totals.forced[REASON_LIQUIDATION], 1);
    assert_int_equal(totals.forced[REASON_ADL], 2);
    assert_int_equal(totals.stages[STAGE_HEALTHY], 1);
    assert_int_equal(totals.stages[STAGE_BOOK], 2);
    assert_int_equal(totals.stages[STAGE_ADL], 1);
}

static void positions_are_counted_while_they_are_open(void **state)
{
    /* clang-format off */
    static const struct { uint64_t account, position; int64_t size; uint64_t open; } rows[] = {
        { 1001, 7, 5, 1 }, { 1001, 7, 9, 1 }, { 1002, 8, -9, 2 }, { 1001, 7, 0, 1 }, { 1003, 9, 0, 1 },
          { 1001, 10, 4, 2 }, { 1002, 8, 0, 1 },
    };
    /* clang-format on */

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct position_changed *event = EVENT_ADD(&events, POSITION, position_changed, MARKET_PERPS);
        event->account_id = rows[i].account;
        event->symbol_id = 1;
        event->position_id = rows[i].position;
        event->size = rows[i].size;
        event->leverage = 10;
        event->margin_mode = MARGIN_CROSS;
        apply();
        assert_int_equal(views_symbol_totals(views, MARKET_PERPS, 1).positions, rows[i].open);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_offset_of_time_is_remembered),
        TEST(positions_and_settings_stay_as_long_as_they_say_something),
        TEST(prices_move_their_version_and_no_book),
        TEST(orders_of_the_two_markets_are_apart_and_keep_their_part),
        TEST(a_parent_has_only_children_that_are_not_over),
        TEST(open_orders_and_stops_that_wait_are_counted_by_symbol),
        TEST(what_nobody_asked_for_is_counted_by_its_reason),
        TEST(positions_are_counted_while_they_are_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
