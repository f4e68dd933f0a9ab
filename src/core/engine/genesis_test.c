/* SPDX-License-Identifier: MIT */
/*
 * genesis_test.c — the valid configurations: each value at both ends of its range, and one beyond, with the error
 * message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/perps_fixture.h"

#define OPEN_BELOW INT64_MIN /* no bound, or one that depends on other values */
#define OPEN_ABOVE INT64_MAX

/* A genesis with something of everything, which is right. */
static struct genesis *right(void)
{
    struct genesis *g = calloc(1, sizeof(*g));

    perps_genesis(g);
    g->spot[1] = g->spot[0];
    g->spot[1].id = 2;
    g->spot[1].name = name_make(SLICE("vETH_vUSDC"));
    g->spot[1].base_coin_id = 2;
    g->spot_count = 2;
    g->feeder_count = 2;
    for (uint32_t i = 0; i < 2; i++) g->feeders[i] = (struct feeder){ user(90 + i), 1 };
    g->account_count = 1;
    g->accounts[0] = (struct genesis_account){ .owner = user(1), .spot = { 5, 6, 7 }, .perps = 8 };
    g->rules.settlement_notice_ms = 86400000;
    g->rules.settlement_window_ms = 3600000;
    assert_null(genesis_check(g));
    return g;
}

static void refused(const struct genesis *g, const char *sentence)
{
    const char *wrong = genesis_check(g);

    assert_non_null(wrong);
    if (strstr(wrong, sentence) == NULL) fail_msg("\"%s\" is not the reason: %s", sentence, wrong);
}

/* ---- values between two ends ---- */

struct range {
    const char *name;
    size_t      at, bytes;
    int64_t     least, most;
    const char *sentence;
};
#define RANGE(member, least, most, sentence)                                                                           \
    {                                                                                                                  \
#member, offsetof(struct genesis, member), sizeof(((struct genesis *)0)->member), least, most, sentence        \
    }

static const struct range ranges[] = {
    RANGE(time_ms, 1, (INT64_C(1) << 53) - 1, "time of creation"),
    RANGE(limits.accounts, 1, 1 << 28, "limits:"),
    RANGE(limits.orders, 1, 1 << 28, "limits:"),
    RANGE(limits.levels, 1, 1 << 28, "limits:"),
    RANGE(limits.signers, 1, 1 << 28, "limits:"),
    RANGE(limits.deposits, 1, 1 << 28, "limits:"),
    RANGE(limits.keys, OPEN_BELOW, 1 << 28, "limits: a pool"),
    RANGE(limits.transfers, OPEN_BELOW, 1 << 28, "limits: a pool"),
    RANGE(limits.positions, 1, 1 << 28, "limits:"),
    RANGE(rules.stp_scope, STP_ACCOUNT, STP_NONE, "stpScope"),
    RANGE(rules.client_id_reuse, REUSE_FINISHED, REUSE_FINISHED, ""),
    RANGE(rules.replace_keeps_place, OPEN_BELOW, 1, "switches"),
    RANGE(rules.nonce_floor_when_full, OPEN_BELOW, 1, "switches"),
    RANGE(rules.strict_position_side, OPEN_BELOW, 1, "switches"),
    RANGE(rules.dms_keeps_stops, OPEN_BELOW, 1, "switches"),
    RANGE(rules.bracket_mode, OPEN_BELOW, BRACKET_ANCHOR, "bracketMode"),
    RANGE(rules.adl_mode, OPEN_BELOW, ADL_QUEUE, "adlMode"),
    RANGE(rules.triggers_per_command, 1, 1 << 20, "maxTriggersPerCommand"),
    RANGE(rules.liquidations_per_tick, 1, OPEN_ABOVE, "maxLiquidationsPerTick"),
    RANGE(rules.stop_retry_ticks, OPEN_BELOW, 255, "stopRetryTicks"),
    RANGE(rules.oracle_quorum, 1, 2, "oracleQuorum"),
    RANGE(rules.oracle_stale_ms, 1000, OPEN_ABOVE, "oracleStaleMs"),
    RANGE(rules.oracle_jump_ratio, 1, RATE_ONE, "oracleJumpRatio"),
    RANGE(rules.liquidation_buffer, 0, RATE_ONE, "liqBuffer"),
    RANGE(rules.liquidation_slippage, 1, RATE_ONE - 1, "liqSlippage"),
    RANGE(rules.fund_loss_ratio, 0, RATE_ONE, "ifMaxLoss"),
    RANGE(rules.fund_total_ratio, 0, RATE_ONE, "ifMaxLossTotal"),
    RANGE(rules.liquidation_fee, 0, RATE_ONE, "liqFeeRate"),
    RANGE(rules.fund_fee_share, 0, RATE_ONE, "ifFeeShare"),
    RANGE(rules.settlement_notice_ms, 3600000, OPEN_ABOVE, "settlementNoticeMs"),
    RANGE(rules.oracle_jump_ticks, OPEN_BELOW, JUMP_TICKS_MAX, "oracleJumpTicks"),
    RANGE(rules.mark_average_ticks, OPEN_BELOW, AVERAGE_TICKS_MAX, "markAverageTicks"),
    RANGE(rules.premium_sample_ms, 1000, FUNDING_HOUR_MS, "premiumSampleMs"),
    RANGE(coins[0].precision, OPEN_BELOW, 8, "precision is at most 8"),
    RANGE(coins[1].name.len, 1, NAME_MAX_LEN, "a name has 1 to 31"),
    RANGE(spot_fees.tier_count, 1, OPEN_ABOVE, "1 to 8 tiers"),
    RANGE(spot_fees.staking_count, 1, OPEN_ABOVE, "1 to 8 staking tiers"),
    RANGE(spot_fees.rebate_count, 1, OPEN_ABOVE, "1 to 8 maker rebate tiers"),
    RANGE(spot_fees.tiers[0].volume, 0, 0, "begins at volume 0"),
    RANGE(spot_fees.rebate_rate[0], 0, 0, "first maker rebate tier"),
    RANGE(spot_fees.rebate_share[0], 0, 0, "first maker rebate tier"),
    RANGE(spot_fees.tiers[1].volume, 1, OPEN_ABOVE, "ascending volumes"),
    RANGE(spot_fees.tiers[1].maker, OPEN_BELOW, RATE_ONE, "rates are at most 1"),
    RANGE(spot_fees.tiers[4].taker, 0, RATE_ONE, "rates are at most 1"),
    RANGE(spot_fees.staking_discount[1], 0, RATE_ONE, "a staking discount"),
    RANGE(spot_fees.staking_discount[0], 0, 0, "discount"),
    RANGE(perps_fees.tier_count, 1, OPEN_ABOVE, "perps fees: 1 to 8 tiers"),
    RANGE(perps_fees.staking_count, 1, OPEN_ABOVE, "perps fees: 1 to 8 staking tiers"),
    RANGE(perps_fees.rebate_count, 1, OPEN_ABOVE, "perps fees: 1 to 8 maker rebate tiers"),
    RANGE(perps_fees.tiers[0].volume, 0, 0, "perps fees: the first tier begins at volume 0"),
    RANGE(perps_fees.rebate_rate[0], 0, 0, "perps fees: the first maker rebate tier"),
    RANGE(perps_fees.rebate_share[0], 0, 0, "perps fees: the first maker rebate tier"),
    RANGE(perps_fees.staking_discount[1], 0, RATE_ONE, "perps fees: a staking discount"),
    RANGE(perps_fees.staking_discount[0], 0, 0, "discount"),
    RANGE(perps_fees.tiers[1].volume, 1, OPEN_ABOVE, "perps fees: tiers"),
    RANGE(perps_fees.tiers[4].taker, 0, RATE_ONE, "perps fees: rates"),
    RANGE(spot[0].id, 1, 1, "id is its position"),
    RANGE(spot[0].market, MARKET_SPOT, MARKET_SPOT, "id is its position"),
    RANGE(spot[0].status, SYMBOL_TRADING, OPEN_ABOVE, "status is TRADING or HALT"),
    RANGE(spot[0].name.len, 1, NAME_MAX_LEN, "a name has 1 to 31"),
    RANGE(spot[0].base_coin_id, 1, OPEN_ABOVE, "base and quote differ"),
    RANGE(spot[0].price_precision, OPEN_BELOW, 15, "pricePrecision is at most 15"),
    RANGE(spot[0].quantity_precision, OPEN_BELOW, 8, "quantityPrecision"),
    RANGE(perps[0].quantity_precision, OPEN_BELOW, 15, "quantityPrecision is at most 15"),
    RANGE(spot[0].tick_size, 1, PRICE_MAX, "tickSize"),
    RANGE(spot[0].step_size, 1, QUANTITY_MAX, "stepSize"),
    RANGE(spot[0].min_price, 0, PRICE_MAX, "minPrice"),
    RANGE(spot[0].max_price, 0, PRICE_MAX, "maxPrice"),
    RANGE(spot[0].min_quantity, 0, 100000000, "uantity"),
    RANGE(spot[0].max_quantity, 0, QUANTITY_MAX, "maxQuantity"),
    RANGE(spot[0].market_min_quantity, 0, QUANTITY_MAX, "marketMinQuantity"),
    RANGE(spot[0].market_max_quantity, 0, QUANTITY_MAX, "marketMaxQuantity"),
    RANGE(spot[0].min_notional, 0, INT64_C(10000000000000), "otional"),
    RANGE(spot[0].max_notional, 0, AMOUNT_MAX, "maxNotional"),
    RANGE(spot[0].reference_price, 0, PRICE_MAX, "listingReferencePrice"),
    RANGE(spot[0].buy_limit_up_ratio, 1, 1000 * (int64_t)RATE_ONE, "band ratios"),
    RANGE(spot[0].sell_limit_down_ratio, 1, 1000 * (int64_t)RATE_ONE, "band ratios"),
    RANGE(spot[0].market_deviation_ratio, 1, 1000 * (int64_t)RATE_ONE, "band ratios"),
    RANGE(spot[0].maker_fee, OPEN_BELOW, RATE_ONE, "fees are at most 1"),
    RANGE(spot[0].taker_fee, 0, RATE_ONE, "fees are at most 1"),
    RANGE(spot[0].fee_discount, 0, RATE_ONE, "feeDiscount"),
    RANGE(perps[0].quote_coin_id, OPEN_BELOW, COIN_MARGIN, "the quote coin is the first coin"),
    RANGE(perps[0].base_coin_id, OPEN_BELOW, 2, "the quote coin is the first coin"),
    RANGE(perps[0].reference_price, 1, PRICE_MAX, "listingReferencePrice"),
    RANGE(contracts[0].tier_count, 1, OPEN_ABOVE, "1 to 8 margin tiers"),
    RANGE(contracts[0].tiers[0].max_leverage, 21, LEVERAGE_MAX, "maxLeverage"),
    RANGE(contracts[0].tiers[2].max_leverage, 1, 19, "maxLeverage"),
    RANGE(contracts[0].tiers[0].max_notional, 1, INT64_C(9999999999999), "axNotionalValue"),
    RANGE(contracts[0].tiers[2].max_notional, INT64_C(10000000000001), AMOUNT_MAX, "axNotionalValue"),
    RANGE(contracts[0].init_leverage, 1, 25, "initLeverage"),
    RANGE(contracts[0].open_interest_cap, 0, OPEN_ABOVE, "openInterestCap"),
    RANGE(contracts[0].open_interest_cap_value, 0, OPEN_ABOVE, "openInterestCapUSD"),
    RANGE(contracts[0].interest_rate, -RATE_ONE, RATE_ONE, "interestRate"),
    RANGE(contracts[0].funding_clamp, 0, RATE_ONE, "fundingClamp"),
    RANGE(contracts[0].mark_step_cap, 0, 1000000, "markStepCap"),
    RANGE(contracts[0].max_funding, 0, 1000000, "maxFundingRate"),
    RANGE(contracts[0].min_funding, -1000000, 0, "minFundingRate"),
    RANGE(contracts[0].mark_band, 0, RATE_ONE - 1, "markBand"),
    RANGE(contracts[0].impact_notional, 0, OPEN_ABOVE, "impactNotional"),
    RANGE(contracts[0].spot_impact_notional, 0, OPEN_ABOVE, "spotImpactNotional"),
    RANGE(contracts[0].fund_max_inventory, 0, OPEN_ABOVE, "ifMaxInventory"),
    RANGE(feeders[0].weight, 1, FEEDER_WEIGHT_MAX, "a weight is 1 to 1000000"),
    RANGE(fund, 0, AMOUNT_MAX - 13, ""),
    RANGE(accounts[0].spot[0], 0, AMOUNT_MAX - 8, "add up to at most 2^62"),
    RANGE(accounts[0].perps, 0, AMOUNT_MAX - 5, "add up to at most 2^62"),
    RANGE(accounts[0].spot[2], 0, AMOUNT_MAX, "add up to at most 2^62"),
};

static const char *check_with(const struct range *range, int64_t value)
{
    struct genesis *g = right();
    const char     *wrong;

    memcpy((uint8_t *)g + range->at, &value, range->bytes); /* the processor is little endian, as the log is */
    wrong = genesis_check(g);
    free(g);
    return wrong;
}

static void check_end(const struct range *range, int64_t end, int64_t beyond)
{
    const char *wrong = check_with(range, end);

    if (wrong != NULL) fail_msg("%s may be %lld: %s", range->name, (long long)end, wrong);
    wrong = check_with(range, beyond);
    if (wrong == NULL || strstr(wrong, range->sentence) == NULL)
        fail_msg("%s may not be %lld: %s", range->name, (long long)beyond, wrong == NULL ? "it was taken" : wrong);
}

static void a_value_is_taken_up_to_its_ends_and_not_beyond(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(ranges); i++) {
        const struct range *range = &ranges[i];

        if (range->least != OPEN_BELOW) check_end(range, range->least, range->least - 1);
        if (range->most != OPEN_ABOVE) check_end(range, range->most, range->most + 1);
    }
}

/* ---- what must fit each other ---- */

/* One change to a right genesis, and the sentence that refuses it. */
#define WRONG(sentence, ...)                                                                                           \
    do {                                                                                                               \
        struct genesis *g = right();                                                                                   \
        __VA_ARGS__;                                                                                                   \
        refused(g, sentence);                                                                                          \
        free(g);                                                                                                       \
    } while (0)
#define RIGHT(...)                                                                                                     \
    do {                                                                                                               \
        struct genesis *g = right();                                                                                   \
        __VA_ARGS__;                                                                                                   \
        assert_null(genesis_check(g));                                                                                 \
        free(g);                                                                                                       \
    } while (0)

static void lists_have_room_for_what_they_say(void **state)
{
    (void)state;
    WRONG("1 to 64 coins", g->coin_count = 0);
    WRONG("1 to 64 coins", g->coin_count = COINS_MAX + 1);
    WRONG("1 to 8 tiers", g->spot_fees.tier_count = FEE_TIERS_MAX + 1);
    WRONG("1 to 8 staking tiers", g->spot_fees.staking_count = FEE_TIERS_MAX + 1);
    WRONG("1 to 8 maker rebate tiers", g->spot_fees.rebate_count = FEE_TIERS_MAX + 1);
    WRONG("perps fees: 1 to 8 tiers", g->perps_fees.tier_count = FEE_TIERS_MAX + 1);
    WRONG("at most 128 spot markets", g->spot_count = SYMBOLS_MAX + 1);
    WRONG("at most 64 perps markets", g->perps_count = PERPS_MAX + 1);
    WRONG("1 to 8 margin tiers", g->contracts[0].tier_count = MARGIN_TIERS_MAX + 1);
    WRONG("at most 15", g->feeder_count = FEEDERS_MAX + 1);
    WRONG("no more than the pool holds", g->account_count = GENESIS_ACCOUNTS_MAX + 1;
          g->limits.accounts = GENESIS_ACCOUNTS_MAX + 1);
    WRONG("no more than the pool holds", g->account_count = 2; g->accounts[1].owner = user(2); g->limits.accounts = 1);
    RIGHT(g->account_count = 2; g->accounts[1].owner = user(2); g->limits.accounts = 2);
    WRONG("room for at least one spent client id", g->rules.client_id_reuse = REUSE_FILLED);
    RIGHT(g->rules.client_id_reuse = REUSE_FILLED; g->limits.burnt_ids = 1);
    RIGHT(g->rules.client_id_reuse = REUSE_FILLED; g->limits.burnt_ids = 1u << 28);
    WRONG("room for at least one spent client id", g->rules.client_id_reuse = REUSE_FILLED;
          g->limits.burnt_ids = (1u << 28) + 1);
}

static void nothing_is_there_twice(void **state)
{
    (void)state;
    WRONG("a coin's id is its position", g->coins[1].id = 2);
    WRONG("coins: names are unique", g->coins[2].name = g->coins[1].name);
    WRONG("markets: names are unique", g->spot[1].name = g->spot[0].name);
    WRONG("markets: names are unique", g->perps[1].name = g->perps[0].name);
    WRONG("feeders: addresses are unique", g->feeders[1].address = g->feeders[0].address);
    WRONG("not the zero address", memset(&g->feeders[1].address, 0, sizeof(g->feeders[1].address)));
    WRONG("owners are unique", g->account_count = 2; g->accounts[1].owner = g->accounts[0].owner);
    WRONG("an owner is not the zero address", memset(&g->accounts[0].owner, 0, sizeof(g->accounts[0].owner)));
}

static void markets_are_of_listed_coins_in_units_that_fit(void **state)
{
    (void)state;
    WRONG("listed coins", g->spot[0].base_coin_id = 3);
    WRONG("listed coins", g->spot[0].quote_coin_id = 3);
    WRONG("base and quote differ", g->spot[0].quote_coin_id = g->spot[0].base_coin_id);
    RIGHT(g->coins[0].precision = 0; g->spot[0].price_precision = 10; g->spot[0].quantity_precision = 8);
    WRONG("exceed the quote coin's precision by at most 18", g->coins[0].precision = 0; g->spot[0].price_precision = 11;
          g->spot[0].quantity_precision = 8);
    WRONG("maxPrice is not below minPrice", g->spot[0].min_price = 5; g->spot[0].max_price = 4);
    RIGHT(g->spot[0].min_price = 5; g->spot[0].max_price = 5);
    WRONG("maxQuantity is not below minQuantity", g->spot[0].min_quantity = 5; g->spot[0].max_quantity = 4);
    RIGHT(g->spot[0].min_quantity = 5; g->spot[0].max_quantity = 5);
    WRONG("maxNotional is not below minNotional", g->spot[0].min_notional = 5; g->spot[0].max_notional = 4);
    RIGHT(g->spot[0].min_notional = 5; g->spot[0].max_notional = 5);
    RIGHT(g->spot[0].status = SYMBOL_HALT);
    WRONG("status is TRADING or HALT", g->spot[0].status = SYMBOL_REDUCE_ONLY);
}

#define TAKERS_PAY g->spot[0].taker_fee = g->spot[1].taker_fee = 65000

static void a_maker_gets_at_most_what_the_cheapest_taker_pays(void **state)
{
    (void)state; /* tier 4 with staking tier 3: 0.0003 less a fifth */
    RIGHT(TAKERS_PAY; g->spot_fees.rebate_count = 2; g->spot_fees.rebate_rate[1] = -24000);
    WRONG("at most the lowest taker rate", TAKERS_PAY; g->spot_fees.rebate_count = 2;
          g->spot_fees.rebate_rate[1] = -24001);
    RIGHT(TAKERS_PAY; g->spot[0].maker_fee = -24000);
    WRONG("at most the lowest taker rate", TAKERS_PAY; g->spot[0].maker_fee = -24001);
    WRONG("between -1 and 0", g->spot_fees.rebate_count = 2; g->spot_fees.rebate_rate[1] = 1);
    WRONG("between -1 and 0", g->spot_fees.rebate_count = 2; g->spot_fees.rebate_rate[1] = -RATE_ONE - 1);
    WRONG("a rebate share is between 0 and 1", g->spot_fees.rebate_count = 2;
          g->spot_fees.rebate_share[1] = RATE_ONE + 1);
    WRONG("ascending shares", g->spot_fees.rebate_count = 3;
          g->spot_fees.rebate_share[2] = g->spot_fees.rebate_share[1]);
    WRONG("at most the lowest taker rate", g->perps[1].maker_fee = -1);
    WRONG("perps fees: a rebate is between -1 and 0", g->perps_fees.rebate_count = 2; g->perps_fees.rebate_rate[1] = 1);
    WRONG("perps fees: a rebate share is between 0 and 1", g->perps_fees.rebate_count = 2;
          g->perps_fees.rebate_share[1] = RATE_ONE + 1);
    WRONG("perps fees: rebate tiers have ascending shares", g->perps_fees.rebate_count = 3;
          g->perps_fees.rebate_share[1] = g->perps_fees.rebate_share[2] = 5);
}

static void perps_have_what_they_need(void **state)
{
    (void)state;
    WRONG("perps fees: 1 to 8 tiers", memset(&g->perps_fees, 0, sizeof(g->perps_fees)));
    RIGHT(memset(&g->perps_fees, 0, sizeof(g->perps_fees)); g->perps_count = 0);
    WRONG("only where there are perps markets", g->perps_count = 0; g->fund = 1);
    WRONG("whole seconds", g->rules.settlement_window_ms = 3600500);
    WRONG("is a part of a whole", g->rules.take_over_part = 3; g->rules.take_over_whole = 2);
    WRONG("is a part of a whole", g->rules.take_over_whole = TAKE_OVER_WHOLE_MAX + 1);
    RIGHT(g->rules.take_over_part = g->rules.take_over_whole = TAKE_OVER_WHOLE_MAX);
    WRONG("spotMarket is a spot market", g->contracts[0].spot_symbol_id = 3; g->contracts[0].spot_impact_notional = 1);
    WRONG("spotImpactNotional is above 0", g->contracts[0].spot_symbol_id = 2);
    RIGHT(g->contracts[0].spot_symbol_id = 2; g->contracts[0].spot_impact_notional = 1);
    WRONG("spotMarket is quoted in the first coin", g->contracts[0].spot_symbol_id = 2;
          g->contracts[0].spot_impact_notional = 1; g->spot[1].quote_coin_id = 1);
    WRONG("balances are in listed coins", g->accounts[0].spot[3] = 1);
    RIGHT(g->feeder_count = 0; g->rules.oracle_quorum = 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_taken_up_to_its_ends_and_not_beyond),
        cmocka_unit_test(lists_have_room_for_what_they_say),
        cmocka_unit_test(nothing_is_there_twice),
        cmocka_unit_test(markets_are_of_listed_coins_in_units_that_fit),
        cmocka_unit_test(a_maker_gets_at_most_what_the_cheapest_taker_pays),
        cmocka_unit_test(perps_have_what_they_need),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
