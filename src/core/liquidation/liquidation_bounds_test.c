/* SPDX-License-Identifier: MIT */
/*
 * liquidation_bounds_test.c — a unit of one to four positions whose equity is within a few units of a bound of its
 * liquidation: nothing, its maintenance, two thirds of it, what the buffer asks (mechanics 3.8, 3.11). Random markets,
 * funds, books and opponents; after every TICK all invariants hold, and the fund's day is charged within its limit.
 *
 * DOJIMA_COMMANDS=1000000 plays as many TICKs instead of a few seconds' worth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/liquidation/fund_day.h"
#include "rigs/core/perps_liquidating.h"
#include "rigs/random.h"

#define TICKS        12000
#define SYMBOLS_MOST 4
#define RICH         INT64_C(10000000000000)

struct dice {
    uint64_t state;
};

static uint32_t below(struct dice *dice, uint32_t n) { return (uint32_t)(random_xorshift(&dice->state) >> 33) % n; }
static bool     one_in(struct dice *dice, uint32_t n) { return below(dice, n) == 0; }

/* ---- the world ---- */

static const int precisions[SYMBOLS_MOST][2] = { { 1, 5 }, { 2, 4 }, { 2, 4 }, { 4, 2 } };

static void draw_markets(struct dice *dice, struct genesis *g)
{
    static const int64_t references[] = { 1000000, 400000, 10000, 5000 };

    perps_genesis(g);
    g->perps_count = 1 + below(dice, SYMBOLS_MOST);
    for (uint32_t i = 0; i < g->perps_count; i++) {
        if (i >= 2) {
            g->perps[i] = perps_symbol(i == 2 ? "SOL-USD" : "XRP-USD", i + 1, (uint32_t)precisions[i][0],
                                       (uint32_t)precisions[i][1], references[i]);
            g->contracts[i] = g->contracts[1];
        }
        g->perps[i].max_quantity = g->perps[i].market_max_quantity = INT64_C(5000000000);
        g->perps[i].taker_fee = one_in(dice, 2) ? 0 : 40000;
        g->contracts[i].interest_rate = 0;
        g->contracts[i].fund_max_inventory = (int64_t[]){ 0, 0, 1, INT64_C(20000000000) }[below(dice, 4)];
    }
}

static void draw_fund(struct dice *dice, struct genesis *g)
{
    g->fund = (int64_t[]){ 0, 3, 1000, INT64_C(50000000000), RICH }[below(dice, 5)];
    g->rules.fund_loss_ratio = (int64_t[]){ 1, 20000000, RATE_ONE }[below(dice, 3)];
    g->rules.fund_total_ratio = (int64_t[]){ 1, 20000000, RATE_ONE }[below(dice, 3)];
    g->rules.liquidations_per_tick = one_in(dice, 4) ? 1 : 1000;
}

static struct perps_order item_of(const char *id, uint8_t side, int64_t price, int64_t quantity, uint32_t symbol)
{
    struct perps_order item = perps_item(id, side, TYPE_LIMIT, TIF_GTC, NULL, NULL);

    item.price = decimal_make(price, precisions[symbol - 1][0]);
    item.quantity = decimal_make(quantity, precisions[symbol - 1][1]);
    return item;
}

/* The unit opens a position against somebody: a dust one, or up to a tenth of the first bracket. */
static void open_one(struct dice *dice, struct fixture *f, uint32_t symbol)
{
    int64_t            price = f->genesis.perps[symbol - 1].reference_price, most = INT64_C(400000000000) / price;
    int64_t            quantity = 1 + below(dice, (uint32_t)min_i64(most, one_in(dice, 3) ? 50 : most));
    uint8_t            side = (uint8_t)(SIDE_BUY + below(dice, 2)), other = (uint8_t)(SIDE_BUY + SIDE_SELL - side);
    uint32_t           against = one_in(dice, 2) ? M : B;
    uint32_t           leverage = (uint32_t[]){ 20, 10, 3 }[below(dice, 3)];
    struct perps_order own, rests;

    quantity = max_i64(quantity, (int64_t)div_ceil(f->genesis.perps[symbol - 1].min_notional, price));
    (void)perps_leverage(f, A, symbol, leverage, one_in(dice, 5) ? MARGIN_ISOLATED : MARGIN_CROSS);
    rests = item_of("t", other, price, quantity, symbol), own = item_of("t", side, price, quantity, symbol);
    assert_int_equal(perps_send(f, against, symbol, &rests, 1)->reject, REJECT_NONE);
    assert_int_equal(perps_send(f, A, symbol, &own, 1)->reject, REJECT_NONE);
}

/* Quotes of a bystander, and of the unit itself, near the new mark: some of them are refused. */
static void quote(struct dice *dice, struct fixture *f, uint32_t symbol)
{
    int64_t mark = engine_perps(f->engine)[symbol - 1].mark;

    for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++) {
        int64_t            away = mark * below(dice, 400) / 10000, price = side == SIDE_BUY ? mark - away : mark + away;
        struct perps_order item = item_of(side == SIDE_BUY ? "qb" : "qs", side, price,
                                          1 + below(dice, one_in(dice, 2) ? 100 : 1000000), symbol);

        if (!one_in(dice, 3)) (void)perps_send(f, one_in(dice, 6) ? A : C, symbol, &item, 1);
    }
}

static void move_prices(struct dice *dice, struct fixture *f)
{
    for (uint32_t symbol = 1; symbol <= f->genesis.perps_count; symbol++) {
        int64_t reference = f->genesis.perps[symbol - 1].reference_price;
        int64_t mark = reference + reference * ((int64_t)below(dice, 2401) - 1200) / 10000;

        if (one_in(dice, 4)) mark = reference;
        perps_prices(f, symbol, mark, mark);
        quote(dice, f, symbol);
    }
}

static struct fixture *draw_world(struct dice *dice)
{
    struct fixture *f = calloc(1, sizeof(*f));

    draw_markets(dice, &f->genesis);
    draw_fund(dice, &f->genesis);
    assert_null(genesis_check(&f->genesis));
    fixture_start(f);
    perps_deposit(f, A, RICH);
    perps_deposit(f, M, RICH);
    perps_deposit(f, B, RICH);
    perps_deposit(f, C, RICH);
    for (uint32_t symbol = 1; symbol <= f->genesis.perps_count; symbol++)
        if (symbol == 1 || !one_in(dice, 5)) open_one(dice, f, symbol);
    return f;
}

/* ---- equity to the unit ---- */

/* Money changes owner by the test's own hand, so that the unit's equity is exact. */
static void set_equity(struct fixture *f, uint32_t who, const struct position *of, int128_t wanted)
{
    struct margin_account *margins = engine_margins(f->engine);
    uint32_t               slot = perps_slot(f, who);
    int64_t                more = (int64_t)(wanted - risk_unit_health(f->engine, of).equity);

    margins[perps_slot(f, M)].wallet -= more;
    if (position_is_isolated(of)) position_find(f->engine, slot, of->market)->exposure.bucket += more;
    else margins[slot].wallet += more;
    assert_true(risk_unit_health(f->engine, of).equity == wanted);
}

static int128_t draw_bound(struct dice *dice, const struct health *health)
{
    int128_t bounds[] = { 0,
                          0,
                          health->maintenance,
                          health->maintenance * 2 / 3,
                          health->maintenance * 11 / 10,
                          health->maintenance * (int128_t)below(dice, 101) / 100 };
    int128_t bound = bounds[below(dice, ARRAY_COUNT(bounds))], away = below(dice, 9);

    return bound + away - (one_in(dice, 3) ? 40 : 4);
}

/* Each unit of the account, or of the opponent too: the cross one, and the isolated ones. */
static void set_units(struct dice *dice, struct fixture *f, uint32_t who)
{
    bool cross = false;

    for (uint32_t symbol = 1; symbol <= f->genesis.perps_count; symbol++) {
        const struct position *position = perps_position(f, who, symbol);
        struct health          health;

        if (position == NULL || position->exposure.size == 0 || (!position_is_isolated(position) && cross)) continue;
        cross |= !position_is_isolated(position);
        health = risk_unit_health(f->engine, position);
        set_equity(f, who, position, draw_bound(dice, &health));
    }
}

/* An isolated bucket is never below nothing, and neither is the wallet of an account without a cross position. */
static void keep_wallet(struct fixture *f, uint32_t who)
{
    struct margin_account *margins = engine_margins(f->engine);
    uint32_t               slot = perps_slot(f, who);

    if (position_any_cross(f->engine, slot)) return;
    margins[perps_slot(f, M)].wallet += margins[slot].wallet;
    margins[slot].wallet = 0;
}

static void charged_within_the_limits(const struct fixture *f)
{
    int128_t sum = 0;

    for (uint32_t i = 0; i < f->genesis.perps_count; i++) {
        int64_t loss = engine_perps(f->engine)[i].fund.loss;

        assert_true(loss <= fund_symbol_limit(f->engine, (uint8_t)(PERPS_FIRST + i)));
        sum += loss;
    }
    assert_true(sum == f->engine->fund_day.loss && sum <= fund_total_limit(f->engine));
}

struct tally {
    uint64_t stages, taken_over, deleveraged, ticks;
};

static void count(const struct fixture *f, struct tally *tally)
{
    const struct liquidated *stage;

    for (uint32_t i = 0; (stage = event_at(f, EVENT_LIQUIDATION, i)) != NULL; i++) tally->stages++;
    for (uint32_t i = 0; perps_fill(f, account_of(f, A), REASON_ADL, i) != NULL; i++) tally->deleveraged++;
    for (uint32_t i = 0; i < f->genesis.perps_count; i++)
        tally->taken_over += position_find(f->engine, SLOT_FUND, (uint8_t)(PERPS_FIRST + i)) != NULL;
    tally->ticks++;
}

static void play(struct dice *dice, struct tally *tally)
{
    struct fixture *f = draw_world(dice);
    uint32_t        ticks = 1 + below(dice, 6);

    move_prices(dice, f);
    set_units(dice, f, A);
    keep_wallet(f, A);
    if (one_in(dice, 2)) {
        set_units(dice, f, B);
        keep_wallet(f, B);
    }
    engine_verify(f->engine);
    for (uint32_t i = 0; i < ticks; i++) {
        liquidation_tick(f);
        engine_verify(f->engine);
        charged_within_the_limits(f);
        count(f, tally);
    }
    fixture_free(f);
}

static void units_at_the_bounds_of_their_liquidation(void **state)
{
    const char  *asked = getenv("DOJIMA_COMMANDS");
    uint64_t     wanted = asked != NULL ? strtoull(asked, NULL, 10) : TICKS;
    struct tally tally = { 0 };
    struct dice  dice = { 0x9e3779b97f4a7c15 };
    (void)state;

    while (tally.ticks < wanted) play(&dice, &tally);
    print_message("           %lu TICKs, %lu stages, %lu with the fund, %lu deleveraged\n", (unsigned long)tally.ticks,
                  (unsigned long)tally.stages, (unsigned long)tally.taken_over, (unsigned long)tally.deleveraged);
    assert_true(tally.stages > wanted / 10 && tally.taken_over > wanted / 20 && tally.deleveraged > wanted / 100);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(units_at_the_bounds_of_their_liquidation) };

    return cmocka_run_group_tests_name("liquidation_bounds", tests, NULL, NULL);
}
