/* SPDX-License-Identifier: MIT */
/* risk_test.c — the worked examples E4 to E11, E14, E15, E21 with their numbers (mechanics 9). */
#include "rules/funding.h"
#include "rules/leg.h"
#include "rules/liquidation.h"
#include "rules/margin.h"
#include "rules/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define USD(x)                                                                                                         \
    ((int128_t)((x)*1000000.0 + ((x) < 0 ? -0.5 : 0.5))) /* tests only: exact for six decimals below 2^53              \
                                                          */
#define BTC_PRICE(x) ((int64_t)((x)*10 + 0.5))
#define BTC_SIZE(x)  ((int64_t)((x)*100000 + ((x) < 0 ? -0.5 : 0.5)))
#define ETH_PRICE(x) ((int64_t)((x)*100 + 0.5))
#define ETH_SIZE(x)  ((int64_t)((x)*10000 + ((x) < 0 ? -0.5 : 0.5)))
#define same(a, b)   assert_true((int128_t)(a) == (int128_t)(b))

static struct contract contract_of(const struct margin_tier *tiers, uint32_t count)
{
    struct contract contract = { .tier_count = count, .init_leverage = 10, .interest_rate = 10000 };

    memcpy(contract.tiers, tiers, count * sizeof(*tiers));
    contract_complete(&contract, 1000000);
    return contract;
}
static struct contract btc(void)
{
    static const struct margin_tier tiers[] = { { .max_notional = 4000000000000, .max_leverage = 25 },
                                                { .max_notional = 10000000000000, .max_leverage = 20 },
                                                { .max_notional = 50000000000000, .max_leverage = 10 } };
    return contract_of(tiers, 3);
}
static struct contract eth(void)
{
    static const struct margin_tier tiers[] = { { .max_notional = 4000000000000, .max_leverage = 20 },
                                                { .max_notional = 20000000000000, .max_leverage = 10 } };
    return contract_of(tiers, 2);
}

static void defaults_follow_from_the_first_tier(void **state)
{
    struct contract c = btc();

    (void)state;
    assert_null(contract_check(&c));
    same(c.mark_step_cap, 1000000);
    same(c.max_funding, 1000000);
    same(c.mark_band, 4000000);
    same(c.impact_notional, USD(5000));
    c.mark_step_cap = 1000001;
    assert_non_null(contract_check(&c));
    c = btc();
    c.max_funding = 1000001;
    assert_non_null(contract_check(&c));
    c = btc();
    c.tiers[1].max_leverage = 25;
    assert_non_null(contract_check(&c));
    c = btc();
    c.tiers[1].max_notional = c.tiers[0].max_notional;
    assert_non_null(contract_check(&c));
}

static void e4_averaging_partial_close_and_flip(void **state)
{
    struct exposure a = { 0 };
    int128_t        wallet = USD(100000);
    struct leg      leg;

    (void)state;
    leg_apply(&a, BTC_SIZE(0.3), notional_floor(BTC_PRICE(100000), BTC_SIZE(0.3), 0), NULL);
    leg_apply(&a, BTC_SIZE(0.7), notional_floor(BTC_PRICE(101000.7), BTC_SIZE(0.7), 0), NULL);
    same(a.cost, USD(100700.49));
    leg = leg_apply(&a, -BTC_SIZE(0.33333), notional_floor(BTC_PRICE(102000), BTC_SIZE(0.33333), 0), NULL);
    same(leg.realized, USD(433.165669));
    same(a.cost, USD(67133.995669));
    wallet += leg.cash;
    leg = leg_apply(&a, -BTC_SIZE(1), notional_floor(BTC_PRICE(99000), BTC_SIZE(1), 0), NULL);
    same(leg.closed, BTC_SIZE(0.66667));
    same(leg.close_value, USD(66000.33));
    same(leg.realized, -USD(1133.665669));
    same(a.size, -BTC_SIZE(0.33333));
    same(a.cost, -USD(32999.67));
    same(wallet + leg.cash, USD(99299.5));
}

static void isolated_margin_moves_into_the_bucket_and_back(void **state)
{
    struct exposure a = { 0 };
    struct leg      leg = leg_apply(&a, 3, 1000, &(struct leg_terms){ .leverage = 7 });

    (void)state;
    same(a.bucket, 143); /* ceil(1000 / 7) */
    same(leg.cash, -143);
    leg = leg_apply(&a, -1, 400,
                    &(struct leg_terms){
                        .leverage = 7 }); /* a third: floor(1000/3) = 333 of cost, floor(143/3) = 47 of the bucket */
    same(leg.realized, 400 - 333);
    same(leg.cash, 400 - 333 + 47);
    leg =
        leg_apply(&a, -5, 2000, &(struct leg_terms){ .leverage = 7 }); /* the rest, and three in the other direction */
    same(leg.closed, 2);
    same(leg.close_value, 800);
    same(leg.realized, 800 - 667);
    same(a.size, -3);
    same(a.cost, -1200);
    same(a.bucket, 172); /* ceil(1200 / 7) */
    same(leg.cash, 800 - 667 + 96 - 172);
}

static struct margin_need need_of(bool buy, int64_t mark, int64_t skip)
{
    return (struct margin_need){ .buy = buy, .worst = mark, .skip = skip, .leverage = 10, .taker_rate = 40000 };
}

static void e5_worst_case_of_open_orders(void **state)
{
    int64_t            mark = BTC_PRICE(100000);
    struct margin_need buy = need_of(true, mark, 0), sell = need_of(false, mark, BTC_SIZE(2));
    int128_t           initial = margin_initial(notional_floor(mark, BTC_SIZE(2), 0), 10);

    (void)state;
    margin_need_add(&buy, BTC_PRICE(99000), BTC_SIZE(1));
    margin_need_add(&sell, BTC_PRICE(101000), BTC_SIZE(3));
    margin_need_add(&sell, BTC_PRICE(102000), BTC_SIZE(1));
    same(initial, USD(20000));
    same(buy.total, USD(9939.6));
    same(sell.total, USD(20381.2));
    same(margin_required(BTC_SIZE(2), initial, buy.total, sell.total), USD(29939.6));

    buy = need_of(true, mark, 0);
    sell = need_of(false, mark, 0);
    margin_need_add(&buy, BTC_PRICE(100200), BTC_SIZE(1));
    margin_need_add(&sell, BTC_PRICE(99900), BTC_SIZE(1));
    same(buy.total, USD(10260.08));
    same(sell.total, USD(10140));
    same(margin_required(0, 0, buy.total, sell.total), USD(10260.08));
}

static void e6_tiers_liquidation_and_bankruptcy(void **state)
{
    struct contract c = btc();
    int64_t         size = BTC_SIZE(10), sixty = BTC_SIZE(60);
    int128_t        cost = notional_floor(BTC_PRICE(100000), size, 0), bucket = margin_initial(cost, 25);
    int128_t        cost60 = notional_floor(BTC_PRICE(100000), sixty, 0);

    (void)state;
    same(c.tiers[1].deduction, USD(20000));
    same(c.tiers[2].deduction, USD(270000));
    same(margin_maintenance(&c, USD(3999999)), USD(79999.98));
    same(margin_maintenance(&c, USD(4000000)), USD(80000));
    same(margin_maintenance(&c, USD(4000001)), USD(80000.025));
    same(margin_maintenance(&c, USD(10000000)), USD(230000));
    same(margin_maintenance(&c, USD(12345678.9)), USD(347283.945));
    assert_int_equal(margin_tier(&c, USD(4000000)), 0);
    assert_int_equal(margin_tier(&c, USD(4000001)), 1);
    assert_int_equal(margin_tier(&c, USD(999000000)), 2);
    same(bucket, USD(40000));
    same(margin_liquidation_price(&c, size, cost, bucket, 1, 0), BTC_PRICE(97959.2));
    same(margin_liquidation_price(&c, -size, -cost, bucket, 1, 0), BTC_PRICE(101960.7));
    same(liquidation_bankruptcy_price(cost, size, bucket, 1, 0), BTC_PRICE(96000));
    same(liquidation_bankruptcy_price(cost, -size, bucket, 1, 0), BTC_PRICE(104000));
    same(margin_liquidation_price(&c, sixty, cost60, margin_initial(cost60, 20), 1, 0), BTC_PRICE(97094.1));
}

static void e7_a_cross_account_with_two_positions(void **state)
{
    struct contract b = btc(), e = eth();
    int64_t         qb = BTC_SIZE(1), qe = -ETH_SIZE(20), mb = BTC_PRICE(98500), me = ETH_PRICE(3950);
    int128_t        cb = USD(100000), ce = -USD(80000), wallet = USD(12000);
    int128_t        ub = margin_profit(mb, qb, cb, 0), ue = margin_profit(me, qe, ce, 0);
    int128_t        mmb = margin_maintenance(&b, notional_floor(mb, qb, 0)),
             mme = margin_maintenance(&e, notional_floor(me, -qe, 0));

    (void)state;
    same(ub, -USD(1500));
    same(ue, USD(1000));
    same(mmb, USD(1970));
    same(mme, USD(1975));
    same(margin_liquidation_price(&b, qb, cb, wallet + ue - mme, 1, 0), BTC_PRICE(90790.9));
    same(margin_liquidation_price(&e, qe, ce, wallet + ub - mmb, 1, 0), ETH_PRICE(4318.53));
}

static void e8_only_the_shortage_is_closed(void **state)
{
    struct contract c = btc();
    int64_t         size = BTC_SIZE(5), mark = BTC_PRICE(96700);
    int128_t value = notional_floor(mark, size, 0), equity = USD(26000) + margin_profit(mark, size, USD(500000), 0);

    (void)state;
    same(equity, USD(9500));
    same(margin_maintenance(&c, value), USD(9670));
    same(liquidation_quantity(&c, equity, USD(9670), mark, size, 40000, 10000000, 1, 0), BTC_SIZE(0.54436));
    same(liquidation_bankruptcy_price(value, size, equity, 1, 0), BTC_PRICE(94800));
    same(liquidation_quantity(&c, USD(20000), USD(9670), mark, size, 40000, 10000000, 1, 0), 0);
    same(liquidation_quantity(&c, -USD(90000), USD(9670), mark, size, 40000, 10000000, 1, 0), size);
}

static void e9_equity_is_shared_by_maintenance(void **state)
{
    int128_t share = liquidation_share(USD(2600), USD(3848), USD(4828));

    (void)state;
    same(share, USD(2072.245236));
    same(USD(2600) - share, USD(527.754764));
    same(liquidation_share(-10, 1, 3), -4); /* floor, below zero too */
}

static void e10_scores_and_groups(void **state)
{
    (void)state;
    assert_true(adl_score(USD(15000), -USD(300000), USD(285000), USD(30000)) == 475000000000);
    assert_true(adl_score(USD(30000), -USD(600000), USD(570000), USD(80000)) == 356250000000);
    assert_true(adl_score(USD(1000), -USD(476000), USD(475000), USD(21000)) == 47499998700);
    assert_true(adl_score(-1, 1, 1, 1) == 0);
    assert_int_equal(adl_group(0, 3), 1);
    assert_int_equal(adl_group(1, 3), 2);
    assert_int_equal(adl_group(2, 3), 4);
    assert_true(adl_part(4, 3, 8, 1) == 1);
    assert_true(adl_part(4, 5, 8, 1) == 2);
}

static void e11_premium_rate_and_payments(void **state)
{
    struct contract c = btc();
    struct impact   bid = impact_of(5000000000, 0), ask = impact_of(5000000000, 0);
    static const struct {
        int64_t average, rate;
    } rows[] = {
        { 0, 12500000 },           { 300000000, 12500000 },   { 600000000, 12500000 },
        { 1430000000, 116250000 }, { -900000000, -50000000 }, { 200000000000, 10000000000 },
    };
    int128_t a, b, d;

    (void)state;
    assert_true(impact_add(&bid, BTC_PRICE(100150), BTC_SIZE(0.02)));
    assert_false(impact_add(&bid, BTC_PRICE(100140), BTC_SIZE(0.05)));
    same(bid.price, BTC_PRICE(100144));
    assert_true(impact_add(&ask, BTC_PRICE(100160), BTC_SIZE(0.01)));
    assert_false(impact_add(&ask, BTC_PRICE(100180), BTC_SIZE(1)));
    same(ask.price, BTC_PRICE(100175.9));
    same(funding_premium(BTC_PRICE(100000), bid.price, ask.price), 1440000000);
    same(funding_premium(BTC_PRICE(100000), 0, 0), 0);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        same(funding_rate(&c, (int128_t)rows[i].average * 720, 720), rows[i].rate);
    same(funding_rate(&c, 0, 0), 0);
    a = funding_payment(notional_floor(BTC_PRICE(100123.4), BTC_SIZE(0.12345), 0), true, 12500000);
    b = funding_payment(notional_floor(BTC_PRICE(100123.4), BTC_SIZE(0.07777), 0), false, 12500000);
    d = funding_payment(notional_floor(BTC_PRICE(100123.4), BTC_SIZE(0.04568), 0), false, 12500000);
    same(a, USD(0.154503));
    same(b, -USD(0.097332));
    same(d, -USD(0.05717));
    same(a + b + d, 1);
}

static void e14_a_spoofed_book_barely_moves_the_mark(void **state)
{
    struct contract     c = btc();
    static const double p1[] = { 100000.3, 100000.6, 100000.9, 100007.6, 100014.2, 100020.8, 100027.3, 100033.8 };
    static const double marks[] = { 100000.6, 100000.6, 100000.9, 100007.6, 100014.2, 100020.8, 100027.3, 100033.8 };
    int128_t            basis = 0;
    int64_t             mark = BTC_PRICE(100020);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(p1); i++) {
        bool               spoofed = i >= 3;
        struct mark_inputs in = { .index = BTC_PRICE(100000),
                                  .funding_rate = 12500000,
                                  .to_funding_ms = 1800000,
                                  .average_ticks = 150,
                                  .best_bid = BTC_PRICE(spoofed ? 129900 : 100040),
                                  .best_ask = BTC_PRICE(spoofed ? 130100 : 100060),
                                  .last = BTC_PRICE(spoofed ? 130050 : 100045) };
        struct mark_step   step = price_mark(&c, &in, &basis, mark);

        same(step.p1, BTC_PRICE(p1[i]));
        same(step.p2, BTC_PRICE(spoofed ? 105000 : 100045));
        same(step.p3, BTC_PRICE(100000.6));
        same(step.mark, BTC_PRICE(marks[i]));
        mark = step.mark;
    }
}

static void e14_a_gap_of_the_index_is_followed_by_steps(void **state)
{
    struct contract     c = btc();
    static const double marks[] = { 99000, 98010, 97029.9, 96059.7, 95099.2, 94148.3, 94000, 94000 };
    int64_t             mark = BTC_PRICE(100000);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
        struct mark_inputs in = { .index = BTC_PRICE(94000), .average_ticks = 150 };
        int128_t           basis = 0;

        mark = price_mark(&c, &in, &basis, mark).mark;
        same(mark, BTC_PRICE(marks[i]));
    }
}

static void e15_margin_that_may_be_removed(void **state)
{
    static const struct {
        double mark, removable;
    } rows[] = { { 100000, 5000 }, { 103000, 4700 }, { 96000, 1000 }, { 94500, 0 } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        same(margin_removable(BTC_PRICE(rows[i].mark), BTC_PRICE(rows[i].mark), BTC_SIZE(1), USD(100000),
                              (int64_t)USD(15000), 10, 0),
             USD(rows[i].removable));
}

static void e21_one_step_from_healthy_leaves_half_the_maintenance(void **state)
{
    struct contract c = btc();
    int64_t         price = BTC_PRICE(37123.4), size = BTC_SIZE(3);
    int128_t        value = notional_floor(price, size, 0), maintenance = margin_maintenance(&c, value);
    int128_t        after = maintenance - (value - notional_floor(price_below(price, c.mark_step_cap), size, 0));

    (void)state;
    same(maintenance, USD(2227.404));
    same(after, USD(1113.804));
}

static void the_median_is_weighted(void **state)
{
    struct weighted_price one[] = { { 100, 1, 0 } }, two[] = { { 110, 1, 0 }, { 100, 1, 0 } };
    struct weighted_price three[] = { { 300, 1, 0 }, { 100, 1, 0 }, { 200, 1, 0 } },
                          heavy[] = { { 100, 1, 0 }, { 200, 1, 0 }, { 900, 3, 0 } };

    (void)state;
    same(price_weighted_median(one, 1), 100);
    same(price_weighted_median(two, 2), 105);
    same(price_weighted_median(three, 3), 200);
    same(price_weighted_median(heavy, 3), 900);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_follow_from_the_first_tier),
        cmocka_unit_test(e4_averaging_partial_close_and_flip),
        cmocka_unit_test(isolated_margin_moves_into_the_bucket_and_back),
        cmocka_unit_test(e5_worst_case_of_open_orders),
        cmocka_unit_test(e6_tiers_liquidation_and_bankruptcy),
        cmocka_unit_test(e7_a_cross_account_with_two_positions),
        cmocka_unit_test(e8_only_the_shortage_is_closed),
        cmocka_unit_test(e9_equity_is_shared_by_maintenance),
        cmocka_unit_test(e10_scores_and_groups),
        cmocka_unit_test(e11_premium_rate_and_payments),
        cmocka_unit_test(e14_a_spoofed_book_barely_moves_the_mark),
        cmocka_unit_test(e14_a_gap_of_the_index_is_followed_by_steps),
        cmocka_unit_test(e15_margin_that_may_be_removed),
        cmocka_unit_test(e21_one_step_from_healthy_leaves_half_the_maintenance),
        cmocka_unit_test(the_median_is_weighted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
