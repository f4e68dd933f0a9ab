/* SPDX-License-Identifier: MIT */
/*
 * edges_test.c — the pure arithmetic at its bounds: settings of a contract just inside and just outside, values that
 * are zero or more than 64 bits, losses above the whole equity, both directions of a rounding (mechanics 1.3, 3.2,
 * 3.9, 3.11, 11).
 */
#include "rules/funding.h"
#include "rules/leg.h"
#include "rules/liquidation.h"
#include "rules/margin.h"
#include "rules/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define same(a, b) assert_true((int128_t)(a) == (int128_t)(b))

/* Two tiers: 10 x up to 1000, 5 x up to 5000 vUSDC; maintenance 5 % and 10 %. */
static struct contract two_tiers(void)
{
    struct contract c = { .tier_count = 2,
                          .init_leverage = 10,
                          .interest_rate = 10000,
                          .tiers = { { .max_notional = 1000000000, .max_leverage = 10 },
                                     { .max_notional = 5000000000, .max_leverage = 5 } } };

    contract_complete(&c, 1000000);
    assert_null(contract_check(&c));
    return c;
}

/* ---- settings ---- */

#define ENDS(field, low, high)                                                                                         \
    {                                                                                                                  \
#field, offsetof(struct contract, field), low, high                                                            \
    }
#define HALF       2500000 /* half of the first maintenance rate */
#define OPEN_ABOVE INT64_MAX

/* Each 64-bit setting is taken at both of its ends, and one beyond them it is not. */
static void each_setting_ends_where_it_says(void **state)
{
    /* clang-format off */
    static const struct { const char *name; size_t at; int64_t low, high; } ends[] = {
        ENDS(open_interest_cap, 0, OPEN_ABOVE), ENDS(open_interest_cap_value, 0, OPEN_ABOVE),
            ENDS(interest_rate, -RATE_ONE, RATE_ONE),
        ENDS(funding_clamp, 1, RATE_ONE), ENDS(mark_step_cap, 1, HALF), ENDS(max_funding, 0, HALF),
            ENDS(min_funding, -HALF, 0),
        ENDS(mark_band, 1, RATE_ONE - 1), ENDS(impact_notional, 1, OPEN_ABOVE),
            ENDS(spot_impact_notional, 0, OPEN_ABOVE),
        ENDS(fund_max_inventory, 0, OPEN_ABOVE),
    };
    /* clang-format on */
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
        struct contract c = two_tiers();
        int64_t        *value = (void *)((char *)&c + ends[i].at);

        *value = ends[i].low;
        if (contract_check(&c) != NULL) fail_msg("%s: %s", ends[i].name, contract_check(&c));
        *value = ends[i].low - 1;
        if (contract_check(&c) == NULL) fail_msg("%s may be below its range", ends[i].name);
        if (ends[i].high == OPEN_ABOVE) continue;
        *value = ends[i].high;
        if (contract_check(&c) != NULL) fail_msg("%s: %s", ends[i].name, contract_check(&c));
        *value = ends[i].high + 1;
        if (contract_check(&c) == NULL) fail_msg("%s may be above its range", ends[i].name);
    }
}

static void tiers_are_counted_ordered_and_within_what_there_is(void **state)
{
    /* clang-format off */
    static const struct { uint32_t count, leverage[2]; int64_t notional[2]; bool fine; } cases[] = {
        { 2, { 10, 5 }, { 1000, 5000 }, true }, { 0, { 10, 5 }, { 1000, 5000 }, false },
          { MARGIN_TIERS_MAX + 1, { 10, 5 }, { 1000, 5000 }, false },
        { 2, { 125, 1 }, { 1, 2 }, true }, { 2, { 126, 1 }, { 1, 2 }, false }, { 2, { 10, 0 }, { 1000, 5000 }, false },
        { 2, { 10, 5 }, { 0, 5000 }, false }, { 2, { 10, 5 }, { 1000, 1000 }, false },
          { 2, { 10, 10 }, { 1000, 5000 }, false },
    };
    /* clang-format on */
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct contract c = { .tier_count = cases[i].count };

        for (uint32_t t = 0; t < 2; t++)
            c.tiers[t] =
                (struct margin_tier){ .max_notional = cases[i].notional[t], .max_leverage = cases[i].leverage[t] };
        assert_int_equal(contract_check_tiers(&c) == NULL, cases[i].fine);
    }
}

static void leverage_at_first_is_one_to_the_most(void **state)
{
    struct contract c = two_tiers();
    (void)state;

    c.init_leverage = 0;
    assert_non_null(contract_check(&c));
    c.init_leverage = 1;
    assert_null(contract_check(&c));
    c.init_leverage = 11;
    assert_non_null(contract_check(&c));
}

/* Given values are kept; missing ones follow from them. */
static void what_is_said_is_not_completed(void **state)
{
    struct contract c = { .tier_count = 1,
                          .init_leverage = 1,
                          .tiers = { { .max_notional = 1000, .max_leverage = 1 } },
                          .max_funding = 7,
                          .min_funding = -9,
                          .funding_clamp = 11,
                          .mark_step_cap = 13,
                          .mark_band = 17,
                          .impact_notional = 19,
                          .open_interest_cap_value = 5000 };
    (void)state;

    contract_complete(&c, 1000000);
    same(c.max_funding, 7);
    same(c.min_funding, -9);
    same(c.funding_clamp, 11);
    same(c.mark_step_cap, 13);
    same(c.mark_band, 17);
    same(c.impact_notional, 19);
    same(c.fund_max_inventory, 100); /* a fiftieth of the cap */
    c.fund_max_inventory = 23;
    contract_complete(&c, 1000000);
    same(c.fund_max_inventory, 23);
    c.mark_band = 0;
    contract_complete(&c, 1000000);
    same(c.mark_band, RATE_ONE / 2); /* not all of it: a mark is never 0 */
}

/* ---- maintenance ---- */

static void maintenance_is_continuous_where_a_tier_ends_and_beyond_64_bits(void **state)
{
    struct contract c = two_tiers();
    int128_t        huge = (int128_t)INT64_MAX + 1;
    (void)state;

    same(margin_maintenance(&c, 0), 0);
    same(margin_maintenance(&c, 1), 1); /* up */
    same(margin_maintenance(&c, 1000000000), 50000000);
    same(margin_maintenance(&c, 1000000001), 50000001); /* 10 % less 50 */
    same(margin_maintenance(&c, INT64_MAX), div_ceil((int128_t)INT64_MAX * 10000000, RATE_ONE) - 50000000);
    same(margin_maintenance(&c, huge), div_ceil(huge * 10000000, RATE_ONE) - 50000000);
}

static void a_price_of_liquidation_needs_a_position_and_something_to_lose(void **state)
{
    struct contract c = two_tiers();
    (void)state;

    /* 1 at 100, cash 10: 90/(1 - 5 %) up, 110/(1 + 5 %) down; a tick is 0.01, a unit of size is 10^-4. */
    same(margin_liquidation_price(&c, 0, 0, 0, 1, 0), 0);
    same(margin_liquidation_price(&c, 10000, 100000000, 10000000, 1, 0), 9474);
    same(margin_liquidation_price(&c, -10000, -100000000, 10000000, 1, 0), 10476);
    same(margin_liquidation_price(&c, 10000, 100000000, 10000000, 5, 0), 9475);
    same(margin_liquidation_price(&c, 10000, 100000000, 100000000, 1, 0), 0); /* paid for in full */
    same(margin_liquidation_price(&c, 10000, 1000000000, 100000000, 1, 1),
         9474); /* coarser prices: 10 units of value each */
    same(margin_liquidation_price(&c, 100000, 100000000, 10000000, 1, -1), 9474); /* finer quantities */
}

/* ---- liquidation ---- */

static void nothing_or_all_is_sold_at_the_ends(void **state)
{
    struct contract c = two_tiers();
    (void)state;

    same(liquidation_quantity(&c, 50000000, 50000000, 10000, 100000, 0, 0, 1, 0), 0); /* healthy */
    same(liquidation_quantity(&c, 49999999, 50000000, 10000, 100000, 0, 0, 1, 0), 1); /* a unit short: a step */
    same(liquidation_quantity(&c, 49999999, 50000000, 10000, 100000, 0, 0, 500, 0), 500);
    same(liquidation_quantity(&c, -50000000, 50000000, 10000, -100000, 0, 0, 1, 0), 100000); /* no more than there is */
    same(liquidation_quantity(&c, 40000000, 50000000, 10000, 100000, 5000000, 0, 1, 0),
         100000); /* the sale costs the amount it releases */
    same(liquidation_quantity(&c, 40000000, 50000000, 10000, 100000, 5000001, 0, 1, 0), 100000);
    same(liquidation_quantity(&c, 40000000, 50000000, 1000, 100000, 0, 0, 1, 1),
         20000); /* 10 short at 5 %: 200 of 1000 */
    same(liquidation_quantity(&c, 40000000, 50000000, 10000, 1000000, 0, 0, 1, -1), 200000);
}

static void shares_round_against_whoever_has_them(void **state)
{
    (void)state;

    same(liquidation_share(100, 1, 0), 0); /* of nothing */
    same(liquidation_share(100, 1, 3), 33);
    same(liquidation_share(-100, 1, 3), -34);
    same(liquidation_share(0, 1, 3), 0);
}

static void a_bankruptcy_price_is_never_beyond_what_a_price_can_say(void **state)
{
    (void)state;

    same(liquidation_bankruptcy_price(100000000, 10000, 10000000, 1, 0), 9000);
    same(liquidation_bankruptcy_price(100000000, 10000, 10000001, 5, 0), 9000);   /* up, for a sale */
    same(liquidation_bankruptcy_price(100000000, -10000, 10000001, 5, 0), 11000); /* down, for a purchase */
    same(liquidation_bankruptcy_price(100000000, 10000, 100000000, 5, 0),
         5); /* worth more than it is: any price will do */
    same(liquidation_bankruptcy_price(100000000, -10000, -100000000, 5, 0), 0); /* no price can save it */
    same(liquidation_bankruptcy_price(100000000, 1000, 10000000, 1, 1), 9000);
    same(liquidation_bankruptcy_price(100000000, 100000, 10000000, 1, -1), 9000);
    same(liquidation_bankruptcy_price((int128_t)INT64_MAX * 4, 1, 0, 1, 0), INT64_MAX);
    same(liquidation_take_over_price(100000000, 10000, 10000000, 0), 9000);
    same(liquidation_take_over_price(100000000, -10000, 10000000, 0), 11000);
    same(liquidation_take_over_price(100000000, 10000, 100000000, 0), 1);
    same(liquidation_take_over_price(100000000, 1000, 10000000, 1), 9000);
    same(liquidation_take_over_price(100000000, 100000, 10000000, -1), 9000);
}

/* ---- funding ---- */

static void a_premium_knows_three_sides_and_an_end(void **state)
{
    (void)state;

    same(funding_premium(10000, 0, 0), 0); /* an empty book */
    same(funding_premium(10000, 10100, 10200), FUNDING_ONE / 100);
    same(funding_premium(10000, 9800, 9900), -FUNDING_ONE / 100);
    same(funding_premium(10000, 9900, 10100), 0);      /* around the index */
    same(funding_premium(1, 1000, 1001), FUNDING_ONE); /* no more than all of it */
}

static void a_rate_is_held_between_its_caps(void **state)
{
    struct contract c = two_tiers();
    int64_t         scale = FUNDING_ONE / RATE_ONE;
    (void)state;

    same(funding_rate(&c, 0, 0), 0);                 /* no samples */
    same(funding_rate(&c, 0, 3), 10000 * scale / 8); /* the interest alone */
    same(funding_rate(&c, (int128_t)FUNDING_ONE, 1), c.max_funding * scale);
    same(funding_rate(&c, -(int128_t)FUNDING_ONE, 1), c.min_funding * scale);
    same(funding_rate(&c, (int128_t)1000000 * scale, 1), (1000000 - 50000) * scale / 8); /* the clamp both ways */
    same(funding_rate(&c, (int128_t)-1000000 * scale, 1), (-1000000 + 50000) * scale / 8);
}

static void who_pays_pays_the_fraction_and_who_receives_does_not(void **state)
{
    (void)state;

    same(funding_payment(0, true, 5), 0);
    same(funding_payment(5, true, 0), 0);
    same(funding_payment(1, true, 1), 1);
    same(funding_payment(1, true, -1), 0);
    same(funding_payment(1, false, 1), 0);
    same(funding_payment(1, false, -1), 1);
    same(funding_payment(2, false, FUNDING_ONE), -2);
}

/* An impact price: the first level is enough to the unit, one less
   is not; a level of next to nothing has its own price. */
static void an_impact_ends_with_the_level_that_covers_it(void **state)
{
    struct impact impact = impact_of(1000, 0);
    (void)state;

    assert_true(impact_add(&impact, 10, 99));
    same(impact.left, 10);
    assert_false(impact_add(&impact, 5, 2));
    same(impact.price, 9); /* 1000 for 99 + 2 */
    impact = impact_of(1000, 1);
    assert_false(impact_add(&impact, 10, 10));
    same(impact.price, 10);
    impact = impact_of(10, -1);
    assert_false(impact_add(&impact, 10, 10));
    same(impact.price, 10);
    impact = impact_of(0, 0);
    assert_false(impact_add(&impact, 7, 1));
    same(impact.price, 7); /* nothing was needed */
}

/* ---- legs ---- */

/* Funding has taken the bucket below zero: closing a part realises a part of the debt, rounded up. */
static void a_bucket_below_zero_is_released_in_parts(void **state)
{
    struct exposure exposure = { .size = 3, .cost = 300, .bucket = -10 };
    struct leg      leg = leg_apply(&exposure, -1, 100, &(struct leg_terms){ .leverage = 10 });
    (void)state;

    same(leg.cash, -4); /* of -10/3 */
    same(exposure.bucket, -6);
    leg = leg_apply(&exposure, -2, 200, &(struct leg_terms){ .leverage = 10 });
    same(leg.cash, -6);
    same(exposure.bucket, 0);
    same(exposure.cost, 0);
}

/* ---- prices ---- */

static void a_mark_has_the_index_where_there_is_no_book(void **state)
{
    struct contract    c = two_tiers();
    struct mark_inputs in = { .index = 1000000, .average_ticks = 1 };
    int128_t           basis = 0;
    struct mark_step   step = price_mark(&c, &in, &basis, 0);
    (void)state;

    same(step.p1, 1000000);
    same(step.p2, 1000000);
    same(step.p3, 1000000);
    in.perp_mid = 900000;
    in.best_bid = 2000000; /* one side alone is no distance */
    step = price_mark(&c, &in, &basis, 0);
    same(step.p1, 1000000);
    same(step.p3, 900000);
    in = (struct mark_inputs){ .index = 1, .average_ticks = 1, .perp_mid = 1 };
    same(price_mark(&c, &in, &basis, 0).mark, 1); /* never 0 */
}

/*
 * P1 of an index of a million whose book's middle is `away` from it, for a symbol of the given leverage; the basis
 * follows at once.
 */
static int64_t by_basis(uint8_t leverage, int64_t away)
{
    struct contract    c = { .tier_count = 1,
                             .init_leverage = 1,
                             .tiers = { { .max_notional = 1000000000, .max_leverage = leverage } } };
    struct mark_inputs in = { .index = 1000000, .average_ticks = 1, .mid = 1000000 + away };
    int128_t           basis = 0;

    contract_complete(&c, 1000000);
    assert_null(contract_check(&c));
    return price_mark(&c, &in, &basis, 0).p1 - 1000000;
}

/* Mechanics 3.9 (1): 1 % up to 25 times, 0.5 % at 50 times, where the maintenance
   rate is 1 %: a unit at two thirds of it still has money at the index. */
static void quotes_move_a_mark_by_half_the_first_maintenance_rate(void **state)
{
    (void)state;

    same(by_basis(25, 10000), 10000);
    same(by_basis(25, 10001), 10000);
    same(by_basis(25, -10001), -10000);
    same(by_basis(1, 10001), 10000);
    same(by_basis(26, 10000), 9615); /* 1 / 104 */
    same(by_basis(50, 4999), 4999);
    same(by_basis(50, 5000), 5000);
    same(by_basis(50, 5001), 5000);
    same(by_basis(50, -5001), -5000);
    same(by_basis(125, 2001), 2000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_setting_ends_where_it_says),
        cmocka_unit_test(tiers_are_counted_ordered_and_within_what_there_is),
        cmocka_unit_test(leverage_at_first_is_one_to_the_most),
        cmocka_unit_test(what_is_said_is_not_completed),
        cmocka_unit_test(maintenance_is_continuous_where_a_tier_ends_and_beyond_64_bits),
        cmocka_unit_test(a_price_of_liquidation_needs_a_position_and_something_to_lose),
        cmocka_unit_test(nothing_or_all_is_sold_at_the_ends),
        cmocka_unit_test(shares_round_against_whoever_has_them),
        cmocka_unit_test(a_bankruptcy_price_is_never_beyond_what_a_price_can_say),
        cmocka_unit_test(a_premium_knows_three_sides_and_an_end),
        cmocka_unit_test(a_rate_is_held_between_its_caps),
        cmocka_unit_test(who_pays_pays_the_fraction_and_who_receives_does_not),
        cmocka_unit_test(an_impact_ends_with_the_level_that_covers_it),
        cmocka_unit_test(a_bucket_below_zero_is_released_in_parts),
        cmocka_unit_test(a_mark_has_the_index_where_there_is_no_book),
        cmocka_unit_test(quotes_move_a_mark_by_half_the_first_maintenance_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
