/* SPDX-License-Identifier: MIT */
/*
 * settle_test.c — the settlement of a delisted symbol beyond the scenarios: rounding, deficits of cross accounts, work
 * over many TICKs, faults.
 */
#include "rigs/core/perps_fixture.h"
#include "core/engine/settle.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define VUSDC_1 INT64_C(1000000)

static struct fixture *make(uint32_t per_tick, int64_t fund, uint32_t price_precision)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = fund;
    f->genesis.rules.settlement_notice_ms = f->genesis.rules.settlement_window_ms = 10000;
    f->genesis.rules.settlements_per_tick = per_tick;
    f->genesis.perps[0].price_precision = price_precision;
    for (uint32_t i = 1; i < price_precision; i++) f->genesis.perps[0].reference_price *= 10;
    fixture_start(f);
    perps_tick(f, 1000);
    return f;
}

static enum reject announce(struct fixture *f, int64_t at_ms, uint8_t id)
{
    fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
    f->room.settle_symbol = (struct settle_symbol){ .symbol_id = BTC, .at_ms = at_ms, .id = { { 0xbb, id } } };
    return apply_operator(f);
}

static const struct settlement *settlement(const struct fixture *f) { return &engine_perps(f->engine)[0].settlement; }

static int128_t money(const struct fixture *f)
{
    struct engine_money money = engine_money(f->engine, VUSDC);
    return money.wallets + money.buckets - money.costs;
}

/*
 * TICKs of a second until the price is known, then without time until all positions are closed; returns how many TICKs
 * the closing took.
 */
static uint32_t settle(struct fixture *f)
{
    uint32_t count = 1;

    assert_int_equal(announce(f, f->time_ms + 10000, 1), REJECT_NONE);
    while (settlement(f)->phase == PHASE_SETTLING) perps_tick(f, 1000);
    for (engine_verify(f->engine); settlement(f)->phase == PHASE_CLOSING; count++) {
        assert_true(engine_work_left(f->engine) && engine_pulse_ms(f->engine) == f->time_ms);
        perps_tick(f, 0);
        engine_verify(f->engine);
        assert_true(count < 10000);
    }
    assert_int_equal(settlement(f)->phase, PHASE_SETTLED);
    return count;
}

/* A price of five decimals and a quantity of five: the value of a fill is cut at six, and the cuts add up. */
static void rounding_is_paid_by_the_fund_and_nobody_owes(void **state)
{
    struct fixture *f = make(0, VUSDC_1, 5);
    int128_t        inside;

    (void)state;
    for (uint32_t who = 1; who <= 8; who++) {
        perps_deposit(f, who, INT64_C(20000) * VUSDC_1);
        if (who % 2 == 0) assert_int_equal(perps_leverage(f, who, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    }
    perps_trade(f, 1, 2, BTC, "100000.00333", "0.01237");
    perps_trade(f, 3, 4, BTC, "100000.00777", "0.02341");
    perps_trade(f, 5, 6, BTC, "99999.99911", "0.00007");
    perps_trade(f, 7, 2, BTC, "100000.10101", "0.04999");
    perps_trade(f, 8, 6, BTC, "100000", "0.03003");
    inside = money(f);
    assert_int_equal(settle(f), 1);
    assert_true(money(f) == inside);
    for (uint32_t who = 1; who <= 8; who++) assert_true(perps_size(f, who, BTC) == 0 && perps_wallet(f, who) >= 0);
    for (uint32_t n = 0; event_at(f, EVENT_FILL, n) != NULL; n++) {
        const struct filled *fill = event_at(f, EVENT_FILL, n);
        assert_true(fill->price == settlement(f)->price && fill->fee == 0 && fill->reason == REASON_SETTLEMENT
                    && fill->order_id == 0);
    }
    assert_int_equal(event_count(f, EVENT_TRADE), 0);
    fixture_free(f);
}

/* A long that has exactly nothing at the price is closed in two
   parts, each cut by a part of a unit: the unit is the fund's. */
static void who_has_nothing_left_owes_nothing(void **state)
{
    static const uint8_t modes[] = { MARGIN_CROSS, MARGIN_ISOLATED };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++) {
        struct fixture  *f = make(0, VUSDC_1, 5);
        struct position *position;
        int64_t          equity;
        int128_t         inside;

        for (uint32_t who = 1; who <= 3; who++) perps_deposit(f, who, 100 * VUSDC_1);
        assert_int_equal(perps_leverage(f, 1, BTC, 10, modes[i])->reject, REJECT_NONE);
        assert_int_equal(perps_limit(f, 1, "long", SIDE_BUY, "100000", "0.00002")->reject, REJECT_NONE);
        for (uint32_t who = 2; who <= 3; who++)
            assert_int_equal(perps_limit(f, who, "short", SIDE_SELL, "100000", "0.00001")->status, STATUS_FILLED);
        market_at(f->engine, PERPS_FIRST)->symbol.status = SYMBOL_HALT;
        perps_prices(f, BTC, INT64_C(10000006000), INT64_C(10000006000));
        position = position_find(f->engine, SLOT_USERS, PERPS_FIRST);
        equity = (int64_t)risk_unit_health(f->engine, position).equity;
        if (modes[i] == MARGIN_ISOLATED) position->exposure.bucket -= equity;
        else engine_margins(f->engine)[SLOT_USERS].wallet -= equity;
        engine_margins(f->engine)[SLOT_USERS + 1].wallet += equity;
        inside = money(f);
        equity = perps_wallet(f, 1);
        assert_int_equal(settle(f), 1);
        assert_true(money(f) == inside);
        assert_int_equal(perps_wallet(f, 1), modes[i] == MARGIN_ISOLATED ? equity : 0);
        assert_int_equal(engine_margins(f->engine)[SLOT_FUND].wallet, VUSDC_1 - 1);
        fixture_free(f);
    }
}

/*
 * User 1 is long BTC with all its money and long ETH; both fall while BTC is halted. Its deficit is shared by
 * maintenance margin.
 */
static void a_cross_deficit_is_borne_by_fund_and_other_side(void **state)
{
    struct fixture    *f = make(0, 1000 * VUSDC_1, 1);
    struct perps_order bid = perps_item("e", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "4000", "1"),
                       ask = perps_item("f", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "4000", "1");
    int128_t inside;
    int64_t  fund;

    (void)state;
    perps_deposit(f, 1, 10400 * VUSDC_1);
    perps_deposit(f, 2, 1000000 * VUSDC_1);
    perps_trade(f, 1, 2, BTC, "100000", "1");
    assert_int_equal(perps_send(f, 1, ETH, &bid, 1)->reject, REJECT_NONE);
    assert_int_equal(perps_send(f, 2, ETH, &ask, 1)->status, STATUS_FILLED);
    market_at(f->engine, PERPS_FIRST)->symbol.status = market_at(f->engine, PERPS_FIRST + 1)->symbol.status =
        SYMBOL_HALT;
    perps_prices(f, BTC, 880000, 880000);
    inside = money(f);
    fund = engine_margins(f->engine)[SLOT_FUND].wallet;
    assert_int_equal(settle(f), 1);
    assert_true(money(f) == inside && !f->engine->insolvent);
    assert_true(perps_fill(f, ACCOUNT_FIRST, REASON_ADL, 0) != NULL);
    assert_int_equal(fund - engine_margins(f->engine)[SLOT_FUND].wallet, 200 * VUSDC_1); /* a fifth of it */
    assert_true(perps_wallet(f, 1) < 0); /* the rest of his deficit is ETH's */
    assert_true(perps_size(f, 1, BTC) == 0 && perps_size(f, 1, ETH) == 10000);
    assert_true(perps_wallet(f, 2) > (1000000 + 10400) * VUSDC_1 && perps_wallet(f, 2) < (1000000 + 12000) * VUSDC_1);
    fixture_free(f);
}

/*
 * When the other side cannot bear it either, the fund takes the rest and the venue is marked insolvent (mechanics
 * 3.12, 5).
 */
static void what_nobody_can_bear_makes_the_venue_insolvent(void **state)
{
    struct fixture *f = make(0, 0, 1);
    int128_t        inside;

    (void)state;
    perps_deposit(f, 1, 10000 * VUSDC_1);
    perps_deposit(f, 2, 10000 * VUSDC_1);
    perps_trade(f, 1, 2, BTC, "100000", "1");
    market_at(f->engine, PERPS_FIRST)->symbol.status = SYMBOL_HALT;
    engine_margins(f->engine)[SLOT_USERS + 1].wallet -=
        30000 * VUSDC_1; /* the winner has lost more elsewhere than he has, to user 3 */
    perps_deposit(f, 3, VUSDC_1);
    engine_margins(f->engine)[SLOT_USERS + 2].wallet += 30000 * VUSDC_1;
    perps_prices(f, BTC, 880000, 880000);
    inside = money(f);
    (void)settle(f);
    assert_true(money(f) == inside && f->engine->insolvent && engine_margins(f->engine)[SLOT_FUND].wallet < 0);
    assert_true(perps_wallet(f, 1) == 0 && perps_wallet(f, 2) == 0);
    fixture_free(f);
}

static void many_positions_take_many_ticks_and_have_one_price(void **state)
{
    struct fixture *f = make(3, 1000 * VUSDC_1, 1);
    uint32_t        closed = 0, ticks;
    int128_t        inside;

    (void)state;
    for (uint32_t who = 1; who <= 40; who++) {
        perps_deposit(f, who, 1000 * VUSDC_1);
        if (who % 4 == 0) assert_int_equal(perps_leverage(f, who, BTC, 5, MARGIN_ISOLATED)->reject, REJECT_NONE);
    }
    for (uint32_t who = 1; who <= 40; who += 2) perps_trade(f, who, who + 1, BTC, "100000", "0.01");
    assert_int_equal(perps_leverage(f, 39, ETH, 7, MARGIN_CROSS)->reject, REJECT_NONE);
    for (uint32_t who = 1; who <= 40; who += 5)
        assert_int_equal(perps_limit(f, who, "rest", SIDE_BUY, "99000", "0.001")->reject, REJECT_NONE);
    inside = money(f);
    ticks = settle(f);
    assert_in_range(ticks, (8 + 20) / 3, 8 + 20 + 40);
    assert_true(money(f) == inside);
    for (uint32_t who = 1; who <= 40; who++) {
        closed += perps_size(f, who, BTC) == 0;
        assert_int_equal(perps_wallet(f, who), 1000 * VUSDC_1);
        assert_null(perps_position(f, who, BTC)); /* its settings are gone, too */
    }
    assert_int_equal(closed, 40);
    assert_non_null(perps_position(f, 39, ETH));
    fixture_free(f);
}

/* The instant is exact: a TICK is due at it to the millisecond, also when there are no trades. */
static void the_instant_has_its_tick(void **state)
{
    struct fixture *f = make(0, 0, 1);
    int64_t         at_ms = f->time_ms + 12345;

    (void)state;
    assert_int_equal(announce(f, at_ms, 1), REJECT_NONE);
    assert_int_equal(engine_due_ms(f->engine), at_ms);
    for (uint32_t i = 0; i < 2; i++) market_at(f->engine, (uint8_t)(PERPS_FIRST + i))->symbol.status = SYMBOL_HALT;
    assert_int_equal(engine_pulse_ms(f->engine), f->time_ms + 1000);
    for (int i = 0; i < 12; i++) perps_tick(f, 1000);
    assert_int_equal(settlement(f)->phase, PHASE_SETTLING);
    perps_tick(f, 345);
    assert_int_equal(settlement(f)->phase, PHASE_SETTLED);
    assert_true(engine_due_ms(f->engine) > f->time_ms);
    assert_int_equal(engine_pulse_ms(f->engine), INT64_MAX);
    fixture_free(f);
}

static void the_window_is_whole_seconds_and_within_the_notice(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct rules   *rules = &f->genesis.rules;

    (void)state;
    perps_genesis(&f->genesis);
    rules->settlement_window_ms = 10500;
    assert_string_equal(genesis_check(&f->genesis), "rules: settlementWindowMs is whole seconds");
    rules->settlement_window_ms = 10000;
    rules->settlement_notice_ms = 9999;
    assert_string_equal(genesis_check(&f->genesis), "rules: settlementNoticeMs is at least settlementWindowMs");
    rules->settlement_notice_ms = 10000;
    assert_null(genesis_check(&f->genesis));
    rules->settlement_notice_ms = 0; /* a genesis that is older than the rule */
    assert_null(genesis_check(&f->genesis));
    assert_int_equal(settle_notice_ms(rules), 86400000);
    free(f);
}

/* ---- faults ---- */

static struct perps_market *symbol(struct engine *e) { return &engine_perps(e)[0]; }

static void a_price_that_somebody_picked(struct engine *e)
{
    symbol(e)->settlement.price += 1;
    symbol(e)->mark += 1;
    symbol(e)->index += 1;
}
static void a_mark_that_went_on(struct engine *e) { symbol(e)->mark += 1; }
static void an_index_that_went_on(struct engine *e) { symbol(e)->index += 1; }
static void a_window_that_is_not_full(struct engine *e) { symbol(e)->settlement.seconds -= 1; }
static void a_symbol_that_trades_on(struct engine *e) { market_at(e, PERPS_FIRST)->symbol.status = SYMBOL_TRADING; }
static void a_row_that_stayed(struct engine *e) { assert(position_make(e, SLOT_USERS, PERPS_FIRST) != NULL); }
static void open_interest_that_stayed(struct engine *e) { symbol(e)->open_interest = 1; }
static void work_that_nobody_goes_on_with(struct engine *e) { symbol(e)->settlement.phase = PHASE_CLOSING; }
static void a_step_that_is_not_over(struct engine *e) { symbol(e)->settlement.step = 2; }
static void an_announcement_without_an_instant(struct engine *e)
{
    engine_perps(e)[1].settlement.phase = PHASE_SETTLING;
}
static void an_average_of_nothing_announced(struct engine *e)
{
    engine_perps(e)[1].settlement.seconds = 1;
    engine_perps(e)[1].settlement.sum = 400000;
}

#define FAULT(function)                                                                                                \
    {                                                                                                                  \
#function, function                                                                                            \
    }
/* clang-format off */
static const struct { const char *name; void (*plant)(struct engine *); } faults[] = {
    FAULT(a_price_that_somebody_picked), FAULT(a_mark_that_went_on), FAULT(an_index_that_went_on),
        FAULT(a_window_that_is_not_full),
    FAULT(a_symbol_that_trades_on), FAULT(a_row_that_stayed), FAULT(open_interest_that_stayed),
        FAULT(work_that_nobody_goes_on_with),
    FAULT(a_step_that_is_not_over), FAULT(an_announcement_without_an_instant), FAULT(an_average_of_nothing_announced),
};
/* clang-format on */

static bool stops(struct engine *e)
{
    int   status = 0;
    pid_t child = fork();

    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(3);
        engine_verify(e);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void every_planted_fault_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
        struct fixture *f = make(0, 0, 1);

        perps_deposit(f, 1, 1000 * VUSDC_1);
        perps_deposit(f, 2, 1000 * VUSDC_1);
        perps_trade(f, 1, 2, BTC, "100000", "0.01");
        (void)settle(f);
        assert_false(stops(f->engine));
        faults[i].plant(f->engine);
        if (!stops(f->engine)) fail_msg("not found: %s", faults[i].name);
        fixture_free(f);
    }
}

/* The inputs of the price, and the time of its decision, are in the hash. */
static void the_hash_sees_the_settlement(void **state)
{
    static const size_t at[] = { offsetof(struct settlement, sum),     offsetof(struct settlement, at_ms),
                                 offsetof(struct settlement, seconds), offsetof(struct settlement, sampled),
                                 offsetof(struct settlement, price),   offsetof(struct settlement, phase),
                                 offsetof(struct settlement, step),    offsetof(struct settlement, at) };
    struct fixture     *f = make(0, 0, 1);
    struct hash256      was = engine_hash(f->engine), is;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(at); i++) {
        uint8_t *byte = (uint8_t *)&symbol(f->engine)->settlement + at[i];

        *byte ^= 1;
        is = engine_hash(f->engine);
        assert_memory_not_equal(&was, &is, sizeof(was));
        *byte ^= 1;
    }
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_paid_by_the_fund_and_nobody_owes),
        cmocka_unit_test(who_has_nothing_left_owes_nothing),
        cmocka_unit_test(a_cross_deficit_is_borne_by_fund_and_other_side),
        cmocka_unit_test(what_nobody_can_bear_makes_the_venue_insolvent),
        cmocka_unit_test(many_positions_take_many_ticks_and_have_one_price),
        cmocka_unit_test(the_instant_has_its_tick),
        cmocka_unit_test(the_window_is_whole_seconds_and_within_the_notice),
        cmocka_unit_test(every_planted_fault_is_found),
        cmocka_unit_test(the_hash_sees_the_settlement),
    };
    return cmocka_run_group_tests_name("core/engine/settle", tests, NULL, NULL);
}
