/* SPDX-License-Identifier: MIT */
/*
 * The short computations of what orders need (64 bits, sums of a row, bounds by the mark) against the exact one: equal
 * where they must be, and never a yes where that says no.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_covered.h"
#include "rigs/core/perps_needs.h"
#include "core/perps/position.h"
#include "rigs/core/perps_liquidating.h"

/*
 * An order's requirement is computed in 64 bits where it fits; on both sides of that border, and for every power, it
 * is the result of rules/.
 */
static void an_order_needs_the_same_the_short_way(void **state)
{
    static const int64_t prices[] = { 1, 3, 99999, 1000000, 1000001, INT64_C(1) << 40, INT64_C(999999999999999) };
    static const int64_t opens[] = {
        1, 7, 100000, INT64_C(1) << 21, (INT64_C(1) << 21) + 1, INT64_C(99999999999), INT64_C(999999999999999)
    };
    static const uint8_t leverages[] = { 1, 3, 10, 125 };
    struct fixture      *f = perps_make();
    struct engine       *e = f->engine;
    struct market       *market = market_find_perps(e, BTC);
    uint32_t             compared = 0;
    (void)state;

    perps_deposit(f, A, USDC("50000"));
    for (int power = -3; power <= 3; power++) {
        market->power = power;
        market->value_unit = power >= 0 ? pow10_i64(power) : 0;
        for (size_t i = 0;
             i < ARRAY_COUNT(prices) * ARRAY_COUNT(opens) * ARRAY_COUNT(leverages) * ARRAY_COUNT(prices) * 2; i++) {
            int64_t            price = prices[i % 7], open = opens[i / 7 % 7], mark = prices[i / 49 % 7];
            bool               buy = i / 343 % 2 != 0;
            struct position    row = { .account = perps_slot(f, A),
                                       .market = market->number,
                                       .leverage = leverages[i / 686 % 4] };
            struct margin_need need = { .worst = mark,
                                        .taker_rate = max_i64(fees_taker_rate(e, market, row.account), 0),
                                        .leverage = row.leverage,
                                        .power = power,
                                        .buy = buy };

            perps_of(e, market)->mark = perps_of(e, market)->index = mark;
            assert_true(position_need_of(e, &row, buy ? SIDE_BUY : SIDE_SELL, price, open)
                        == margin_need_add(&need, price, open));
            compared += 1;
        }
    }
    assert_int_equal(compared, 7 * 7 * 7 * 7 * 4 * 2);
    fixture_free(f);
}

/* The account's margin beyond all its requirements, one more order included, by the exact computation (mechanics 3.4).
 */
static int128_t spare_with(struct fixture *f, const struct extra_order *extra)
{
    struct engine   *e = f->engine;
    uint32_t         slot = perps_slot(f, A);
    struct position *row = position_find(e, slot, market_find_perps(e, BTC)->number);
    struct demand    beside = risk_unit_demand(e, slot, row);

    return engine_margins(e)[slot].wallet + risk_unit_cross_counted(e, slot).counted - beside.required - beside.reserve
         - position_required(e, row, extra);
}

/* The bound row by row; the one by an account's only row never says yes where that says no, and foresees no more left.
 */
static bool covers_most(const struct engine *e, const struct position *row, const struct extra_order *extra,
                        struct cover *cover)
{
    struct market  *market = market_at(e, row->market);
    struct unit_row alone = { row, market, perps_of(e, market), engine_margins(e) + row->account };
    struct cover    untouched = { .own = -2, .spare = -3 }, quick = untouched;
    bool            covers = risk_unit_covers_most(e, row, extra->side, extra->price, extra->open, cover);

    if (risk_unit_covers_alone(e, &alone, extra->side, extra->price, extra->open, &quick)) {
        assert_true(covers && quick.own == cover->own && quick.spare >= 0 && quick.spare <= cover->spare);
    } else {
        assert_true(quick.own == untouched.own && quick.spare == untouched.spare);
    }
    return covers;
}

/*
 * Without closing orders the quick check agrees with the exact one, to the unit; otherwise, and after the mark has
 * moved, it never accepts too early.
 */
static void the_short_answer_never_says_yes_where_the_exact_one_says_no(void **state)
{
    static const int64_t     marks[] = { 1000000, 1010000, 990000, 1009999 };
    const struct extra_order extras[] = { { .side = SIDE_BUY, .price = 990000, .open = 50000 },
                                          { .side = SIDE_SELL, .price = 1010000, .open = 150000 } };
    (void)state;

    for (int holds = 0; holds < 2; holds++) {
        struct fixture *f = start("0", "0");
        struct engine  *e = f->engine;
        int64_t        *wallet;
        struct cover    cover;

        perps_deposit(f, A, USDC("900000"));
        join(f, M, "1000000");
        if (holds) perps_trade(f, A, M, BTC, "100000", "1");
        assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
        assert_int_equal(perps_limit(f, A, "s", SIDE_SELL, "101000", "2")->reject, REJECT_NONE);
        wallet = &engine_margins(e)[perps_slot(f, A)].wallet;
        for (size_t i = 0; i < ARRAY_COUNT(marks) * ARRAY_COUNT(extras); i++) {
            const struct extra_order *extra = &extras[i / ARRAY_COUNT(marks)];
            struct position          *row = position_find(e, perps_slot(f, A), market_find_perps(e, BTC)->number),
                            as_it_was = *row;
            int64_t had = *wallet;

            perps_of(e, market_find_perps(e, BTC))->mark = marks[i % ARRAY_COUNT(marks)];
            assert_true(covers_most(e, row, extra, &cover));
            *wallet -= (int64_t)spare_with(f, extra); /* covered to the unit; the sums are those of this mark now */
            if (!holds) assert_true(covers_most(e, row, extra, &cover));
            *wallet -= 1;
            assert_true(spare_with(f, extra) == -1);
            assert_false(covers_most(e, row, extra, &cover));
            *row = as_it_was; /* sums of another mark refuse rather than accept */
            assert_false(covers_most(e, row, extra, &cover));
            *wallet = had;
        }
        fixture_free(f);
    }
}

/* One side alone, so that the sums in full are the exact need: at another price or fee rate they decide nothing. */
static void sums_of_another_price_or_rate_decide_nothing(void **state)
{
    static const int64_t     marks[] = { 1000000, 1020000, 980000 };
    const struct extra_order extra = { .side = SIDE_SELL, .price = 1010000, .open = 150000 };
    struct fixture          *f = start("0", "0.00045");
    struct engine           *e = f->engine;
    struct market           *market = market_find_perps(e, BTC);
    struct perps_market     *perps = perps_of(e, market);
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    assert_int_equal(perps_limit(f, A, "s", SIDE_SELL, "101000", "2")->reject, REJECT_NONE);
    for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
        struct position *row = position_find(e, perps_slot(f, A), market->number), as_it_was = *row;
        struct unit_row  alone = { row, market, perps, engine_margins(e) + row->account };
        int64_t         *wallet = &engine_margins(e)[row->account].wallet, had = *wallet;
        struct cover     cover;

        perps->mark = perps->index = marks[i];
        *wallet -= (int64_t)spare_with(f, &extra);
        assert_true(risk_unit_covers_alone(e, &alone, extra.side, extra.price, extra.open, &cover));
        assert_true(cover.spare == 0);
        *wallet -= 1;
        assert_false(risk_unit_covers_alone(e, &alone, extra.side, extra.price, extra.open, &cover));
        *wallet = had;
        row->need_rate += 1;
        assert_false(risk_unit_covers_alone(e, &alone, extra.side, extra.price, extra.open, &cover));
        *row = as_it_was;
        assert_true(risk_unit_covers_alone(e, &alone, extra.side, extra.price, extra.open, &cover) == (i == 0));
    }
    fixture_free(f);
}

/*
 * One more order of A is accepted when it leaves the account exactly what all its orders need, and refused with one
 * unit less. The wallet is set for it and put back.
 */
static void is_exact_at_the_boundary(struct fixture *f, uint8_t side, const char *price)
{
    struct engine     *e = f->engine;
    uint32_t           slot = perps_slot(f, A);
    struct extra_order extra = { .side = side, .price = in_units(price, 1), .open = 700000 };
    int64_t           *wallet = &engine_margins(e)[slot].wallet, had = *wallet;
    int128_t           spare = spare_with(f, &extra);

    assert_true(spare > 0);
    *wallet -= (int64_t)spare + 1;
    assert_int_equal(perps_limit(f, A, "edge", side, price, "7")->reject, REJECT_ORDER_MARGIN);
    *wallet += 1;
    assert_int_equal(perps_limit(f, A, "edge", side, price, "7")->reject, REJECT_NONE);
    assert_true(needs_of(e, slot) == needs_equity(e, slot));
    *wallet = had;
    assert_int_equal(perps_drop(f, A, BTC, "edge")->reject, REJECT_NONE);
    engine_verify(e);
}

static void are_exact_at_the_boundary(struct fixture *f)
{
    is_exact_at_the_boundary(f, SIDE_BUY, "99500");
    is_exact_at_the_boundary(f, SIDE_SELL, "101700");
    is_exact_at_the_boundary(f, SIDE_SELL, "100000.5"); /* worth the mark, where that is higher */
}

static enum reject replaced_by(struct fixture *f, const char *id, const char *price, const char *quantity)
{
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    perps_sign(f, A);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = (struct replace_order){
        .symbol_id = BTC, .orig_client_id = cid(id), .price = number(price), .quantity = number(quantity)
    };
    fixture_apply(f);
    return (enum reject)result_at(f, 0)->reject;
}

/*
 * The sums are added to and taken from by every kind of change; after each of them an order is still refused by the
 * unit.
 */
static void the_boundary_is_exact_after_fills_cancels_and_replaces(void **state)
{
    struct fixture *f = start("0", "0.00045");
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    join(f, M, "2000000");
    assert_int_equal(perps_limit(f, A, "b1", SIDE_BUY, "99990.1", "2.00003")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "b2", SIDE_BUY, "99000.7", "1.33333")->reject, REJECT_NONE);
    are_exact_at_the_boundary(f);
    assert_int_equal(perps_limit(f, M, "m1", SIDE_SELL, "99990.1", "0.70001")->status, STATUS_FILLED);
    are_exact_at_the_boundary(f);
    assert_int_equal(replaced_by(f, "b2", "98999.9", "1.77777"), REJECT_NONE);
    are_exact_at_the_boundary(f);
    assert_int_equal(perps_limit(f, A, "s1", SIDE_SELL, "101000.3", "3.00001")->reject, REJECT_NONE);
    are_exact_at_the_boundary(f);
    assert_int_equal(perps_drop(f, A, BTC, "b1")->reject, REJECT_NONE);
    are_exact_at_the_boundary(f);
    assert_int_equal(perps_limit(f, M, "m2", SIDE_BUY, "101000.3", "1.10001")->status, STATUS_FILLED);
    assert_true(perps_size(f, A, BTC) < 0);
    are_exact_at_the_boundary(f);
    perps_prices(f, BTC, 1001003, 1001007);
    are_exact_at_the_boundary(f);
    assert_int_equal(replaced_by(f, "b2", "99500.5", "0.33333"), REJECT_NONE);
    assert_int_equal(replaced_by(f, "s1", "101300.1", "3.5"), REJECT_NONE);
    are_exact_at_the_boundary(f);
    fixture_free(f);
}

/* A valid row of A: signed size, a cost near its value at the mark, a bucket when isolated. */
static void hold(struct fixture *f, struct position *row, uint32_t i)
{
    static const int64_t sizes[] = { 1, 7, 99999, 100000, 123456789 };
    int64_t              size = sizes[i % 5], mark = perps_of(f->engine, market_find_perps(f->engine, BTC))->mark;
    int128_t             value = market_value_floor(market_find_perps(f->engine, BTC), mark, size),
             cost = value * (80 + i % 41) / 100 + i % 3;

    row->exposure = (struct exposure){ .size = i % 2 != 0 ? size : -size,
                                       .cost = i % 2 != 0 ? cost : -cost,
                                       .bucket = row->mode == MARGIN_ISOLATED ? (int64_t)(value / 10) : 0 };
}

/*
 * Equity and remainder of an account by its only row are those of the parts, whatever it holds and wherever the worst
 * prices are; also beyond 64 bits, where they are summed row by row.
 */
static void the_remainder_is_that_of_its_parts(void **state)
{
    static const int64_t away[] = { 0, 13, -13, 9000 };
    struct fixture      *f = start("0", "0.00045");
    struct engine       *e = f->engine;
    uint32_t             slot, wide = 0;
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "99000", "1.00003")->reject, REJECT_NONE);
    assert_int_equal(perps_limit(f, A, "s", SIDE_SELL, "101000", "2.00001")->reject, REJECT_NONE);
    slot = perps_slot(f, A);
    for (uint32_t i = 0; i < 4 * 3 * 205; i++) {
        struct market       *market = market_find_perps(e, BTC);
        struct perps_market *perps = perps_of(e, market);
        struct position     *row = position_find(e, slot, market->number);
        struct position      flat = *row; /* of which nothing closes */
        struct worth         worth;

        flat.exposure = (struct exposure){ 0 };
        perps->index = perps->mark + away[i / 205 % 4];
        hold(f, row, i % 205);
        if (i / 820 == 1) row->exposure = (struct exposure){ 0 };
        if (i / 820 == 2) {
            row->exposure.size *= INT64_C(1000000);
            row->exposure.cost *= INT64_C(1000000);
        }
        wide += position_value(e, row) > INT64_MAX;
        (void)position_required(e, row, NULL); /* the sums are those of these prices */
        worth = risk_unit_worth_spare(e, slot);
        assert_true(worth.whole == engine_margins(e)[slot].wallet + position_profit(e, row));
        assert_true(worth.spare
                    == engine_margins(e)[slot].wallet + position_worst_profit(e, row) - position_initial(e, row)
                           - needs_of_side(e, &flat, SIDE_BUY) - needs_of_side(e, &flat, SIDE_SELL));
    }
    assert_true(wide > 0);
    fixture_free(f);
}

/*
 * Whatever a leg rounds and wherever it flips, a cross unit's equity is what position_gain returns afterwards, to the
 * unit.
 */
static void a_fill_brings_what_it_is_worth_at_the_mark(void **state)
{
    static const int64_t quantities[] = { 1, 3, 99999, 100000, 100001, 333333333 };
    struct fixture      *f = start("0", "0");
    struct engine       *e = f->engine;
    struct market       *market = market_find_perps(e, BTC);
    struct position     *row;
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
    row = position_find(e, perps_slot(f, A), market->number);
    for (int power = -3; power <= 1; power++) {
        market->power = power;
        market->value_unit = power >= 0 ? pow10_i64(power) : 0;
        for (uint32_t i = 0; i < 5 * 41 * 6 * 2; i++) {
            int64_t  quantity = quantities[i / 205 % 6] * (i / 1230 != 0 ? 1 : -1);
            int128_t value = market_value_floor(market, 900001 + i * 97, size_abs(quantity)), cash, before, after;
            struct exposure exposure;

            hold(f, row, i);
            before = position_profit(e, row);
            exposure = position_after(e, row, quantity, value, &cash);
            after =
                exposure.size == 0 ? 0 : margin_profit(perps_of(e, market)->mark, exposure.size, exposure.cost, power);
            assert_true(position_gain(e, row, quantity, value) == cash + after - before);
        }
    }
    row->exposure = (struct exposure){ 0 };
    fixture_free(f);
}

/* Prices around the bound: the quick check accepts none beyond it, and all but those within a tick or two of it. */
static void what_is_surely_borne_is_within_the_bound(void **state)
{
    static const int64_t ticks[] = { 1, 5, 1000 };
    struct fixture      *f = start("0", "0");
    struct engine       *e = f->engine;
    struct market       *market = market_find_perps(e, BTC);
    struct position     *row;
    uint32_t             borne = 0;
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    assert_int_equal(perps_limit(f, A, "b", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
    row = position_find(e, perps_slot(f, A), market->number);
    for (uint32_t i = 0; i < 3 * 2 * 3 * 205; i++) {
        market->symbol.tick_size = ticks[i / 205 % 3];
        row->mode = i / 615 % 2 != 0 ? MARGIN_ISOLATED : MARGIN_CROSS;
        market->power = (int)(i / 1230) - 1;
        market->value_unit = market->power >= 0 ? pow10_i64(market->power) : 0;
        hold(f, row, i);
        for (int64_t away = -3; away <= 3; away++) {
            int64_t bound = risk_unit_bankruptcy_price(e, row),
                    price = bound + away * market->symbol.tick_size + away % 2;
            int128_t worth = risk_unit_health(e, row).equity;

            if (price <= 0 || bound == INT64_MAX || !risk_unit_surely_bears(e, row, price, worth)) continue;
            assert_true(row->exposure.size > 0 ? price >= bound : price <= bound);
            borne += 1;
        }
    }
    assert_true(borne > 1000);
    row->exposure = (struct exposure){ 0 };
    row->mode = MARGIN_CROSS;
    fixture_free(f);
}

/* With another position the bound is that of a share, and the quick check does not decide. */
static void a_share_of_a_unit_is_not_said_to_be_all_of_it(void **state)
{
    struct fixture  *f = start("0", "0");
    struct engine   *e = f->engine;
    struct position *row;
    (void)state;

    perps_deposit(f, A, USDC("900000"));
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "1");
    row = position_find(e, perps_slot(f, A), market_find_perps(e, BTC)->number);
    assert_true(risk_unit_surely_bears(e, row, 500000, risk_unit_worth(e, row->account)));
    assert_int_equal(perps_limit(f, A, "e", SIDE_BUY, "99000", "1")->reject, REJECT_NONE);
    assert_true(risk_unit_surely_bears(e, row, 500000, risk_unit_worth(e, row->account)));
    assert_non_null(position_make(e, row->account, market_find_perps(e, ETH)->number));
    assert_false(risk_unit_surely_bears(e, row, 500000, risk_unit_worth(e, row->account)));
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_needs_the_same_the_short_way),
        cmocka_unit_test(the_short_answer_never_says_yes_where_the_exact_one_says_no),
        cmocka_unit_test(sums_of_another_price_or_rate_decide_nothing),
        cmocka_unit_test(the_boundary_is_exact_after_fills_cancels_and_replaces),
        cmocka_unit_test(the_remainder_is_that_of_its_parts),
        cmocka_unit_test(a_fill_brings_what_it_is_worth_at_the_mark),
        cmocka_unit_test(what_is_surely_borne_is_within_the_bound),
        cmocka_unit_test(a_share_of_a_unit_is_not_said_to_be_all_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
