/* SPDX-License-Identifier: MIT */
/* Parameters of mechanics 11 with another value than the default: the engine's behaviour then, with exact numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_liquidating.h"

static int64_t                    vault(const struct fixture *f) { return engine_margins(f->engine)[SLOT_FEES].wallet; }
static const struct perps_market *btc(const struct fixture *f) { return &engine_perps(f->engine)[0]; }

/* ---- liqFeeRate ---- */

/* E8 with other rules: five long at 100000 with 26000, the mark at 96700, two bids. */
static struct fixture *e8_with(int64_t fee, const char *buffer, const char *slippage)
{
    struct fixture *f = prepare("0", "0.0004");

    f->genesis.rules.liquidation_fee = fee;
    f->genesis.rules.liquidation_buffer = in_units(buffer, 8);
    f->genesis.rules.liquidation_slippage = in_units(slippage, 8);
    fixture_start(f);
    join(f, A, "26000");
    join(f, M, "5000000");
    perps_trade(f, A, M, BTC, "100000", "5");
    perps_limit(f, M, "b1", SIDE_BUY, "96690", "0.5");
    perps_limit(f, M, "b2", SIDE_BUY, "96650", "3");
    perps_prices(f, BTC, 967000, 967000);
    assert_int_equal(vault(f), USDC("200"));
    perps_tick(f, 1000);
    return f;
}

static void a_liquidation_fee_goes_to_the_fund_and_more_is_sold(void **state)
{
    struct fixture *f = e8_with(in_units("0.01", 8), "0.1", "0.02");
    struct health   health = risk_unit_health(f->engine, perps_position(f, A, BTC));
    (void)state;

    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->quantity, 50000);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->fee,
                     USDC("502.788")); /* 19.338 + 483.45 */
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1)->quantity, 51363);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1)->fee,
                     USDC("516.280331")); /* 19.856936 + 496.423395 */
    assert_null(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 2));
    assert_int_equal(perps_size(f, A, BTC), 398637);
    assert_int_equal(health.equity, USDC("8450.250169"));
    assert_int_equal(health.maintenance, USDC("7709.63958"));
    assert_int_equal(fund_cash(f), USDC("979.873395"));
    assert_int_equal(vault(f), USDC("239.194936"));
    assert_int_equal(last_position(f, A, BTC)->fees, USDC("1019.068331"));
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_liquidation_fee_takes_no_more_than_the_unit_has_left(void **state)
{
    struct fixture *f =
        e8_with(RATE_ONE, "0.1", "0.02"); /* all of it is to be sold, and the first fill takes the available quantity */
    (void)state;

    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->quantity, 50000);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->fee, USDC("9495"));
    assert_null(
        perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1)); /* with nothing left no bid below the mark will do */
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_ADL, 0)->quantity, 450000);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_ADL, 0)->price, 967000);
    assert_int_equal(perps_wallet(f, A), 0);
    assert_int_equal(fund_cash(f), USDC("9475.662"));
    assert_int_equal(vault(f), USDC("219.338"));
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_liquidation_fee_of_an_isolated_unit_comes_out_of_its_bucket(void **state)
{
    struct fixture *f = prepare("0", "0");
    struct health   health;
    (void)state;

    f->genesis.rules.liquidation_fee = in_units("0.005", 8);
    fixture_start(f);
    join(f, A, "10000");
    join(f, M, "100000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_limit(f, M, "b", SIDE_BUY, "97900", "1");
    perps_prices(f, BTC, 979000, 979000);
    perps_tick(f, 1000);
    assert_int_equal(perps_size(f, A, BTC), 84750);
    health = risk_unit_health(f->engine, perps_position(f, A, BTC));
    assert_int_equal(health.equity, USDC("1825.35125"));
    assert_int_equal(health.maintenance, USDC("1659.405"));
    assert_int_equal(perps_position(f, A, BTC)->exposure.bucket, USDC("3605.10125"));
    assert_int_equal(perps_wallet(f, A), USDC("6000"));
    assert_int_equal(fund_cash(f), USDC("74.64875"));
    assert_int_equal(vault(f), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_larger_buffer_sells_more(void **state)
{
    struct fixture *f = e8_with(0, "0.5", "0.02"); /* 5005 short instead of 1137 */
    (void)state;

    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->quantity, 50000);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1)->quantity, 124859);
    assert_int_equal(perps_size(f, A, BTC), 325141);
    fixture_free(f);
}

static void a_liquidation_sells_no_further_than_its_slippage(void **state)
{
    struct fixture *f = e8_with(0, "0.1", "0.0005"); /* 96700 less 0.05 %: 96651.65, so 96650 is one tick too far */
    (void)state;

    assert_non_null(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0));
    assert_null(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1));
    assert_int_equal(perps_size(f, A, BTC), 450000);
    fixture_free(f);
    f = e8_with(0, "0.1", "0.00051706"); /* 96650.0003 */
    assert_null(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1));
    fixture_free(f);
    f = e8_with(0, "0.1", "0.00051707"); /* 96649.9993 */
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1)->quantity, 4436);
    fixture_free(f);
}

/* ---- ifFeeShare ---- */

static void trade_with_share(const char *share, const char *maker_fee, const char *fund_gets, const char *vault_keeps)
{
    struct fixture *f = prepare("0", "0.0004");

    f->genesis.perps_fees = (struct fee_table){ .tier_count = 1, .staking_count = 1, .rebate_count = 1 };
    f->genesis.rules.fund_fee_share = in_units(share, 8);
    f->genesis.perps[0].maker_fee = in_units(maker_fee, 8);
    if (maker_fee[0] == '-') f->genesis.perps[0].maker_fee = -in_units(maker_fee + 1, 8);
    fixture_start(f);
    join(f, A, "50000");
    join(f, M, "50000");
    perps_trade(f, A, M, BTC, "100000", "1");
    assert_int_equal(fund_cash(f), USDC(fund_gets));
    assert_int_equal(vault(f), USDC(vault_keeps));
    engine_verify(f->engine);
    fixture_free(f);
}

static void a_share_of_the_fees_goes_to_the_fund(void **state)
{
    (void)state;
    trade_with_share("0", "0.00012", "0", "52");
    trade_with_share("0.25", "0.00012", "13", "39");
    trade_with_share("0.33333333", "0.00012", "17.333333", "34.666667"); /* the vault keeps the fraction */
    trade_with_share("1", "0.00012", "52", "0");
    trade_with_share("0.5", "-0.0001", "15", "15"); /* the rebate is deducted first */
    trade_with_share("1", "-0.0004", "0", "0");
}

/* ---- takeOverThreshold ---- */

/* One long at 100000, isolated, with 4000; equity 1800 of a maintenance margin of 1956, and no bids. */
static bool is_taken_over(uint32_t part, uint32_t whole, int64_t mark)
{
    struct fixture *f = prepare("1000000", "0");
    bool            taken;

    f->genesis.rules.take_over_part = part;
    f->genesis.rules.take_over_whole = whole;
    fixture_start(f);
    join(f, A, "10000");
    join(f, M, "100000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1");
    perps_prices(f, BTC, mark, mark);
    perps_tick(f, 1000);
    taken = perps_size(f, A, BTC) == 0;
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST) != NULL, taken);
    engine_verify(f->engine);
    fixture_free(f);
    return taken;
}

static void the_fund_takes_over_below_its_part_of_the_maintenance_margin(void **state)
{
    (void)state;
    assert_false(is_taken_over(2, 3, 978000));
    assert_false(is_taken_over(0, 0, 978000));     /* a log without the setting: the same */
    assert_false(is_taken_over(150, 163, 978000)); /* 1800 / 1956, strictly below */
    assert_true(is_taken_over(151, 163, 978000));
    assert_true(is_taken_over(1, 1, 978000));
    assert_false(is_taken_over(1, 1, 980000)); /* at the maintenance margin nothing is liquidated */
    assert_true(is_taken_over(2, 3, 961000));  /* 100 of 1922 */
    assert_false(is_taken_over(0, 1, 961000));
    assert_false(is_taken_over(0, 1, 960000));
    assert_true(is_taken_over(0, 1, 959999));
}

/* ---- prices ---- */

static struct fixture *with_prices(uint32_t jump_ticks, uint32_t average_ticks, uint32_t sample_ms)
{
    struct fixture *f = prepare("0", "0");

    f->genesis.rules.oracle_jump_ticks = jump_ticks;
    f->genesis.rules.mark_average_ticks = average_ticks;
    f->genesis.rules.premium_sample_ms = sample_ms;
    fixture_start(f);
    perps_prices(f, BTC, 1000000, 1000000);
    return f;
}

static void a_jump_is_believed_after_so_many_ticks(void **state)
{
    static const struct {
        uint32_t setting, ticks;
    } rows[] = { { 1, 1 }, { 2, 2 }, { 0, 3 }, { 3, 3 }, { 7, 7 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = with_prices(rows[i].setting, 0, 0);

        perps_index(f, BTC, 1200000);
        for (uint32_t tick = 1; tick < rows[i].ticks; tick++) {
            perps_tick(f, 1000);
            assert_int_equal(btc(f)->index, 1000000);
        }
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->index, 1200000);
        fixture_free(f);
    }
}

/* The book 50 above the index: the average approaches it by a fraction per TICK. */
static void the_mark_follows_the_book_as_fast_as_it_is_set(void **state)
{
    /* clang-format off */
    static const struct { uint32_t setting; int64_t first, second; } rows[] = {
        { 1, 1000500, 1000500 }, { 2, 1000250, 1000375 }, { 0, 1000003, 1000006 }, { 150, 1000003, 1000006 },
          { 300, 1000001, 1000003 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = with_prices(0, rows[i].setting, 0);

        join(f, M, "100000");
        perps_limit(f, M, "b", SIDE_BUY, "100040", "0.1");
        perps_limit(f, M, "a", SIDE_SELL, "100060", "0.1");
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, rows[i].first);
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, rows[i].second);
        fixture_free(f);
    }
    /* clang-format on */
}

static void the_premium_is_sampled_as_often_as_it_is_set(void **state)
{
    static const struct {
        uint32_t setting, samples;
    } rows[] = { { 1000, 20 }, { 2500, 8 }, { 0, 4 }, { 5000, 4 }, { 20000, 1 }, { 3600000, 0 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = with_prices(0, 0, rows[i].setting);

        assert_int_equal(FIXTURE_TIME % 20000, 0);
        for (uint32_t tick = 0; tick < 20; tick++) perps_tick(f, 1000);
        assert_int_equal(btc(f)->premium_count, rows[i].samples);
        fixture_free(f);
    }
}

static void a_move_within_the_ratio_is_no_jump(void **state)
{
    static const struct {
        const char *setting;
        int64_t     after;
    } rows[] = { { "0.2", 1200000 }, { "0.19999999", 1000000 }, { "1", 1200000 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.rules.oracle_jump_ratio = in_units(rows[i].setting, 8);
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        perps_index(f, BTC, 1200000);
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->index, rows[i].after);
        fixture_free(f);
    }
}

/* The book 50 above a constant index; and an index that falls by 6 %. */
static void the_mark_is_bound_by_its_step_and_its_band(void **state)
{
    /* clang-format off */
    static const struct { const char *step, *band; int64_t falls, follows; } rows[] = {
        { "0", "0", 990000, 1000500 }, { "0.005", "0", 995000, 1000500 }, { "0.00001", "0", 999990, 1000010 },
          { "0", "0.0002", 990000, 1000200 },
        { "0", "0.00000001", 990000, 1000000 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.rules.mark_average_ticks = 1;
        f->genesis.contracts[0].mark_step_cap = in_units(rows[i].step, 8);
        f->genesis.contracts[0].mark_band = in_units(rows[i].band, 8);
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        join(f, M, "100000");
        perps_limit(f, M, "b", SIDE_BUY, "100040", "0.1");
        perps_limit(f, M, "a", SIDE_SELL, "100060", "0.1");
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, rows[i].follows);
        assert_int_equal(perps_drop(f, M, BTC, "b")->reject, REJECT_NONE);
        assert_int_equal(perps_drop(f, M, BTC, "a")->reject, REJECT_NONE);
        perps_prices(f, BTC, 1000000, 940000);
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->mark, rows[i].falls);
        fixture_free(f);
    }
    /* clang-format on */
}

/* E11: 0.02 at 100150 and 0.05 at 100140 above an index of 100000. */
static void the_premium_is_sampled_at_the_impact_notional(void **state)
{
    /* clang-format off */
    static const struct { const char *setting; int64_t premium; } rows[] = {
        { "0", 1440000000 }, { "5000", 1440000000 }, { "2003", 1500000000 }, { "4000", 1450000000 }, { "7011", 0 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.contracts[0].impact_notional = USDC(rows[i].setting);
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        join(f, M, "100000");
        perps_limit(f, M, "b1", SIDE_BUY, "100150", "0.02");
        perps_limit(f, M, "b2", SIDE_BUY, "100140", "0.05");
        perps_tick(f, 5000);
        assert_int_equal(btc(f)->premium_sum, rows[i].premium);
        fixture_free(f);
    }
    /* clang-format on */
}

static void funding_stays_between_its_bounds(void **state)
{
    /* clang-format off */
    static const struct { const char *most, *least; int64_t up, down; } rows[] = {
        { "0", "0", INT64_C(10000000000), -INT64_C(10000000000) },
          { "0.002", "0", INT64_C(2000000000), -INT64_C(2000000000) },
        { "0.002", "0.003", INT64_C(2000000000), -INT64_C(3000000000) },
          { "0.00000001", "0.01", 10000, -INT64_C(10000000000) } };
    (void)state;

    for (size_t i = 0; i < 2 * ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.contracts[0].max_funding = in_units(rows[i / 2].most, 8);
        f->genesis.contracts[0].min_funding = -in_units(rows[i / 2].least, 8);
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        engine_perps(f->engine)[0].premium_sum = (i % 2 == 0 ? 1 : -1) * INT64_C(200000000000); /* 0.2 for 8 hours */
        engine_perps(f->engine)[0].premium_count = 1;
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->funding_rate, i % 2 == 0 ? rows[i / 2].up : rows[i / 2].down);
        fixture_free(f);
    }
    /* clang-format on */
}

/* An average premium of 0.002 for 8 hours, an interest of 0.0001: as far
   as the clamp lets it, the interest wins (mechanics 3.10). */
static void the_clamp_bounds_what_the_interest_does_to_the_premium(void **state)
{
    /* clang-format off */
    static const struct { const char *clamp; int64_t rate; } rows[] = {
        { "0", 187500000 }, { "0.0005", 187500000 }, { "0.001", 125000000 }, { "0.00000001", 249998750 },
          { "1", 12500000 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.contracts[0].interest_rate = in_units("0.0001", 8);
        f->genesis.contracts[0].funding_clamp = in_units(rows[i].clamp, 8);
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        engine_perps(f->engine)[0].premium_sum = 7 * INT64_C(2000000000);
        engine_perps(f->engine)[0].premium_count = 7;
        perps_tick(f, 1000);
        assert_int_equal(btc(f)->funding_rate, rows[i].rate);
        fixture_free(f);
    }
    /* clang-format on */
}

/* ---- maxTriggersPerCommand ---- */

static void arm(struct fixture *f, const char *id, const char *price)
{
    struct perps_order item = perps_item(id, SIDE_SELL, TYPE_MARKET, TIF_IOC, NULL, "0.5");

    item.modifier = MODIFIER_STOP;
    item.stop_type = STOP_LOSS;
    item.trigger_type = TRIGGER_MARK_PRICE;
    item.stop_price = number(price);
    item.reduce_only = 1;
    assert_int_equal(perps_send(f, A, BTC, &item, 1)->reject, REJECT_NONE);
}

static void what_fires_beyond_the_limit_waits_for_the_next_tick(void **state)
{
    static const struct {
        uint32_t most;
        int64_t  first, second, third;
    } rows[] = { { 1, 150000, 100000, 50000 }, { 2, 100000, 50000, 50000 }, { 3, 50000, 50000, 50000 } };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fixture *f = prepare("0", "0");

        f->genesis.rules.triggers_per_command = rows[i].most;
        fixture_start(f);
        perps_prices(f, BTC, 1000000, 1000000);
        join(f, A, "100000");
        join(f, M, "1000000");
        perps_trade(f, A, M, BTC, "100000", "2");
        arm(f, "s1", "99900");
        arm(f, "s2", "99800");
        arm(f, "s3", "99700");
        perps_limit(f, M, "b", SIDE_BUY, "99400", "5");
        perps_prices(f, BTC, 995000, 995000);
        perps_tick(f, 1000);
        assert_int_equal(perps_size(f, A, BTC), rows[i].first);
        perps_tick(f, 1000);
        assert_int_equal(perps_size(f, A, BTC), rows[i].second);
        perps_tick(f, 1000);
        assert_int_equal(perps_size(f, A, BTC), rows[i].third);
        engine_verify(f->engine);
        fixture_free(f);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_liquidation_fee_goes_to_the_fund_and_more_is_sold),
        cmocka_unit_test(a_liquidation_fee_takes_no_more_than_the_unit_has_left),
        cmocka_unit_test(a_liquidation_fee_of_an_isolated_unit_comes_out_of_its_bucket),
        cmocka_unit_test(a_larger_buffer_sells_more),
        cmocka_unit_test(a_liquidation_sells_no_further_than_its_slippage),
        cmocka_unit_test(a_move_within_the_ratio_is_no_jump),
        cmocka_unit_test(the_mark_is_bound_by_its_step_and_its_band),
        cmocka_unit_test(the_premium_is_sampled_at_the_impact_notional),
        cmocka_unit_test(funding_stays_between_its_bounds),
        cmocka_unit_test(a_share_of_the_fees_goes_to_the_fund),
        cmocka_unit_test(the_fund_takes_over_below_its_part_of_the_maintenance_margin),
        cmocka_unit_test(a_jump_is_believed_after_so_many_ticks),
        cmocka_unit_test(the_mark_follows_the_book_as_fast_as_it_is_set),
        cmocka_unit_test(the_premium_is_sampled_as_often_as_it_is_set),
        cmocka_unit_test(what_fires_beyond_the_limit_waits_for_the_next_tick),
        cmocka_unit_test(the_clamp_bounds_what_the_interest_does_to_the_premium),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
