/* SPDX-License-Identifier: MIT */
/*
 * The same for perps as verify_test.c: each row plants one fault and engine_verify must stop the process; and the
 * state that the hash must cover.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/liquidation/fund_day.h"
#include "rigs/core/perps_fixture.h"
#include "rigs/core/planting.h"

static struct perps_order stop_item(const char *id, uint8_t side, uint8_t kind, const char *price, const char *quantity,
                                    bool reduces)
{
    struct perps_order item = perps_item(id, side, TYPE_MARKET, TIF_IOC, NULL, quantity);

    item.modifier = MODIFIER_STOP;
    item.stop_type = kind;
    item.trigger_type = TRIGGER_MARK_PRICE;
    item.stop_price = number(price);
    item.reduce_only = reduces;
    return item;
}

/* User 1 long (isolated), user 2 short, resting orders of both kinds,
   armed stops, one that is retried, a bracket that sleeps. */
static struct fixture *busy(void)
{
    struct fixture    *f = perps_make();
    struct perps_order item, bracket[3];

    perps_deposit(f, 1, INT64_C(1000000000000));
    perps_deposit(f, 2, INT64_C(1000000000000));
    assert_int_equal(perps_leverage(f, 1, BTC, 10, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, 1, 2, BTC, "100000", "1");
    perps_limit(f, 1, "b", SIDE_BUY, "99000", "0.5");
    item = perps_item("r", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "101000", "0.6");
    item.reduce_only = 1;
    assert_int_equal(perps_send(f, 1, BTC, &item, 1)->reject, REJECT_NONE);
    item = perps_item("s", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "101000", "0.1");
    item.reduce_only = 1;
    assert_int_equal(perps_send(f, 1, BTC, &item, 1)->reject, REJECT_NONE);
    item = stop_item("g", SIDE_SELL, STOP_LOSS, "90000", NULL, true);
    assert_int_equal(perps_send(f, 1, BTC, &item, 1)->reject, REJECT_NONE);
    item = stop_item("h", SIDE_SELL, STOP_LOSS, "91000", "0.1", true);
    assert_int_equal(perps_send(f, 1, BTC, &item, 1)->reject, REJECT_NONE);
    item = stop_item("w", SIDE_BUY, STOP_LOSS, "100500", "0.1", true);
    assert_int_equal(perps_send(f, 2, BTC, &item, 1)->reject, REJECT_NONE);
    bracket[0] = perps_item("p", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "99000", "0.5");
    bracket[0].modifier = MODIFIER_BRACKET;
    bracket[1] = stop_item("t", SIDE_SELL, STOP_TAKE_PROFIT, "110000", NULL, true);
    bracket[2] = stop_item("l", SIDE_SELL, STOP_LOSS, "92000", NULL, true);
    bracket[1].modifier = bracket[2].modifier = MODIFIER_ATTACHED_STOP;
    assert_int_equal(perps_send(f, 1, BTC, bracket, 3)->reject, REJECT_NONE);
    perps_prices(f, BTC, 1005000, 990000); /* the stop of user 2 fires and finds no order within its bound */
    engine_perps(f->engine)[0].contract.mark_step_cap = 1;
    perps_tick(f, 1000);
    assert_int_equal(f->engine->retry_count, 1);
    engine_verify(f->engine);
    return f;
}

static struct position *row(struct engine *e, uint32_t n) { return position_find(e, SLOT_USERS + n - 1, PERPS_FIRST); }
static uint32_t         named(struct engine *e, uint32_t n, const char *id)
{
    struct client_id client_id = cid(id);
    return order_find_client(e, (SLOT_USERS + n - 1) | OWNER_PERPS, &client_id);
}

static void a_size_from_nowhere(struct engine *e) { row(e, 1)->exposure.size += 1; }
static void a_cost_from_nowhere(struct engine *e) { row(e, 1)->exposure.cost += 1; }
static void a_bucket_from_nowhere(struct engine *e) { row(e, 1)->exposure.bucket += 1; }
static void a_cross_position_with_a_bucket(struct engine *e)
{
    row(e, 2)->exposure.bucket = 1;
    row(e, 1)->exposure.bucket -= 1;
}
static void open_interest_that_is_not(struct engine *e) { engine_perps(e)[0].open_interest += 1; }
static void a_position_without_a_number(struct engine *e) { row(e, 1)->id = 0; }
static void a_row_that_counts_wrong(struct engine *e) { row(e, 1)->order_count += 1; }
static void stops_counted_wrong(struct engine *e) { row(e, 1)->stop_count -= 1; }
static void volume_counted_wrong(struct engine *e) { row(e, 1)->volume[side_index(SIDE_BUY)] += 1; }
static void a_need_that_is_not_its_orders(struct engine *e) { row(e, 1)->need[side_index(SIDE_BUY)] -= 1; }
static void more_reduced_than_there_is(struct engine *e)
{
    row(e, 1)->exposure.size = 50000;
    row(e, 2)->exposure.size = -50000;
    engine_perps(e)[0].open_interest = 50000;
}
static void reducing_counted_wrong(struct engine *e) { row(e, 1)->reducing += 1; }
static void a_queue_in_another_order(struct engine *e)
{
    stop_at(e, named(e, 1, "r"))->queued = stop_at(e, named(e, 1, "s"))->queued;
}
static void a_row_twice_in_a_list(struct engine *e) { row(e, 1)->next = position_index(e, row(e, 1)); }
static void a_row_that_nobody_has(struct engine *e) { e->position_end += 1; }
static void a_stop_off_its_tree(struct engine *e) { stop_at(e, named(e, 1, "g"))->parent = 77; }
static void a_stop_of_another_price(struct engine *e)
{
    stop_at(e, named(e, 1, "g"))->price = 950000;
    stop_at(e, named(e, 1, "h"))->price = 100;
}
static void a_stop_armed_nowhere(struct engine *e) { engine_perps(e)[0].triggers[TRIGGER_MARK_PRICE][FALLING] = 0; }
static void a_retry_that_is_lost(struct engine *e) { e->retry_head = e->retry_tail = 0; }
static void a_child_of_nobody(struct engine *e) { stop_at(e, named(e, 1, "t"))->relation[0] = 0; }
static void a_tie_that_leads_one_way(struct engine *e) { stop_at(e, named(e, 1, "p"))->relation[1] = 0; }
static void two_global_stops(struct engine *e) { stop_at(e, named(e, 1, "h"))->cap = 0; }
static void a_price_of_nothing(struct engine *e) { engine_perps(e)[1].mark = 0; }
static void a_fund_in_debt_that_nobody_told(struct engine *e)
{
    engine_margins(e)[SLOT_FUND].wallet -= 1;
    engine_margins(e)[SLOT_USERS].wallet += 1;
}
static void a_liquidation_without_a_number(struct engine *e) { row(e, 1)->stage = STAGE_BOOK; }
static void a_number_that_was_not_given(struct engine *e)
{
    row(e, 1)->stage = STAGE_BOOK;
    row(e, 1)->liquidation = e->next_liquidation_id;
}
static void a_cross_unit_without_a_number(struct engine *e) { engine_margins(e)[SLOT_USERS].stage = STAGE_BOOK; }
static void fees_in_debt(struct engine *e)
{
    engine_margins(e)[SLOT_FEES].wallet -= 1;
    engine_margins(e)[SLOT_USERS].wallet += 1;
}

static void a_symbol_over_its_limit(struct engine *e)
{
    fund_lost(e, PERPS_FIRST, fund_symbol_left(e, PERPS_FIRST) + 1);
    e->fund_day.wallet += 1;
}
static void symbols_over_the_limit_of_all(struct engine *e)
{
    e->rules.fund_total_ratio = 1;
    fund_lost(e, PERPS_FIRST, fund_total_left(e) + 1);
}
static void a_loss_of_no_symbol(struct engine *e) { e->fund_day.loss += 1; }

#define FAULT(function)                                                                                                \
    {                                                                                                                  \
#function, function                                                                                            \
    }
/* clang-format off */
static const struct planted_fault faults[] = {
    FAULT(a_symbol_over_its_limit), FAULT(symbols_over_the_limit_of_all), FAULT(a_loss_of_no_symbol),
        FAULT(a_size_from_nowhere), FAULT(a_cost_from_nowhere), FAULT(a_bucket_from_nowhere),
        FAULT(a_cross_position_with_a_bucket),
    FAULT(open_interest_that_is_not), FAULT(a_position_without_a_number), FAULT(a_row_that_counts_wrong),
        FAULT(stops_counted_wrong),
    FAULT(volume_counted_wrong), FAULT(a_need_that_is_not_its_orders), FAULT(more_reduced_than_there_is),
        FAULT(reducing_counted_wrong),
    FAULT(a_queue_in_another_order), FAULT(a_row_twice_in_a_list),
    FAULT(a_row_that_nobody_has), FAULT(a_stop_off_its_tree), FAULT(a_stop_of_another_price),
        FAULT(a_stop_armed_nowhere),
    FAULT(a_retry_that_is_lost), FAULT(a_child_of_nobody), FAULT(a_tie_that_leads_one_way), FAULT(two_global_stops),
        FAULT(a_price_of_nothing),
    FAULT(a_fund_in_debt_that_nobody_told), FAULT(a_liquidation_without_a_number), FAULT(a_number_that_was_not_given),
        FAULT(a_cross_unit_without_a_number),
    FAULT(fees_in_debt),
};
/* clang-format on */

static void every_planted_fault_is_found(void **state)
{
    (void)state;
    find_planted_faults(faults, ARRAY_COUNT(faults), busy);
}

/* A parent that has filled 0.2 of 0.5: its children close that much. */
static void a_child_that_closes_more_than_its_parent_filled_is_found(void **state)
{
    struct fixture    *f = perps_make();
    struct perps_order bracket[2] = { perps_item("p", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.5"),
                                      stop_item("t", SIDE_SELL, STOP_TAKE_PROFIT, "110000", NULL, true) };
    struct order      *child;
    (void)state;

    perps_deposit(f, 1, INT64_C(1000000000000));
    perps_deposit(f, 2, INT64_C(1000000000000));
    bracket[0].modifier = MODIFIER_BRACKET;
    bracket[1].modifier = MODIFIER_ATTACHED_STOP;
    assert_int_equal(perps_send(f, 1, BTC, bracket, 2)->reject, REJECT_NONE);
    perps_limit(f, 2, "s", SIDE_SELL, "100000", "0.2");
    child = order_at(f->engine, named(f->engine, 1, "t"));
    assert_int_equal(order_open(child), 20000);
    assert_int_equal(verify_in_a_child(f->engine), 0);
    child->quantity += 1;
    assert_int_equal(verify_in_a_child(f->engine), SIGABRT);
    fixture_free(f);
}

static void change_size(struct engine *e) { row(e, 1)->exposure.size += 1; }
static void change_cost(struct engine *e) { row(e, 1)->exposure.cost += 1; }
static void change_record(struct engine *e) { row(e, 1)->realized += 1; }
static void change_stage(struct engine *e) { engine_margins(e)[SLOT_USERS].stage = 2; }
static void change_tried(struct engine *e) { row(e, 1)->tried += 1; }
static void change_liquidation(struct engine *e) { row(e, 1)->liquidation += 1; }
static void change_cross_liquidation(struct engine *e) { engine_margins(e)[SLOT_USERS].liquidation += 1; }
static void change_next_number(struct engine *e) { e->next_liquidation_id += 1; }
static void change_mark(struct engine *e) { engine_perps(e)[0].mark += 1; }
static void change_basis(struct engine *e) { engine_perps(e)[0].basis += 1; }
static void change_post(struct engine *e) { engine_perps(e)[0].posts[3].price += 1; }
static void change_stop(struct engine *e) { stop_at(e, named(e, 1, "g"))->price += 1; }
static void change_retries(struct engine *e) { stop_at(e, e->retry_head)->retries += 1; }
static void change_step(struct engine *e) { e->price_step += 1; }
static void change_work(struct engine *e) { e->work_left ^= 1; }

static void the_hash_sees_every_part_of_the_logical_state(void **state)
{
    void (*const changes[])(struct engine *) = { change_size,        change_cost,
                                                 change_record,      change_stage,
                                                 change_tried,       change_mark,
                                                 change_basis,       change_post,
                                                 change_stop,        change_retries,
                                                 change_step,        change_work,
                                                 change_liquidation, change_cross_liquidation,
                                                 change_next_number };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        struct fixture *f = busy();
        struct hash256  was = engine_hash(f->engine), is;

        changes[i](f->engine);
        is = engine_hash(f->engine);
        if (memcmp(&was, &is, sizeof(was)) == 0) fail_msg("change %zu is not seen", i);
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_planted_fault_is_found),
        cmocka_unit_test(a_child_that_closes_more_than_its_parent_filled_is_found),
        cmocka_unit_test(the_hash_sees_every_part_of_the_logical_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
