/* SPDX-License-Identifier: MIT */
/* SPDX-License-Identifier: MIT */
#include "core/engine.h"
#include "core/account/fees.h"
#include "core/engine/settle.h"
#include "rules/margin.h"

#define MUST(holds, sentence)                                                                                          \
    if (!(holds)) return (sentence)

static bool same_name(const struct name *a, const struct name *b) { return memcmp(a, b, sizeof(*a)) == 0; }
static bool is_rate(int64_t rate) { return rate >= -RATE_ONE && rate <= RATE_ONE; }
static bool is_bound(int64_t value, int64_t max) { return value >= 0 && value <= max; }

static const char *check_limits(const struct genesis *g)
{
    const struct limits *limits = &g->limits;

    MUST(limits->accounts >= 1 && limits->orders >= 1 && limits->levels >= 1,
         "limits: accounts, orders and levels are at least 1");
    MUST(limits->signers >= 1 && limits->deposits >= 1, "limits: signers and deposits are at least 1");
    MUST(limits->accounts <= 1u << 28 && limits->orders <= 1u << 28 && limits->levels <= 1u << 28
             && limits->signers <= 1u << 28 && limits->deposits <= 1u << 28 && limits->keys <= 1u << 28
             && limits->transfers <= 1u << 28 && limits->positions <= 1u << 28,
         "limits: a pool has at most 2^28 places");
    return NULL;
}

static const char *check_rules(const struct genesis *g)
{
    MUST(g->rules.stp_scope >= STP_ACCOUNT && g->rules.stp_scope <= STP_NONE,
         "rules: stpScope is ACCOUNT, USER or NONE");
    MUST(g->rules.client_id_reuse == REUSE_FINISHED || g->rules.client_id_reuse == REUSE_FILLED,
         "rules: clOrdIDReuse is finished or filled");
    MUST(g->rules.client_id_reuse == REUSE_FINISHED || (g->limits.burnt_ids >= 1 && g->limits.burnt_ids <= 1u << 28),
         "limits: with clOrdIDReuse = filled there is room for at least one spent client id");
    MUST(g->rules.replace_keeps_place <= 1 && g->rules.nonce_floor_when_full <= 1, "rules: switches are 0 or 1");
    return NULL;
}

/* Rules that count only where there are perps symbols (mechanics 11). */
static const char *check_perps_rules(const struct genesis *g)
{
    const struct rules *rules = &g->rules;

    if (g->perps_count == 0) return NULL;
    MUST(g->limits.positions >= 1, "limits: positions is at least 1 where there are perps markets");
    MUST(rules->triggers_per_command >= 1 && rules->triggers_per_command <= 1u << 20,
         "rules: maxTriggersPerCommand is 1 to 2^20");
    MUST(rules->liquidations_per_tick >= 1, "rules: maxLiquidationsPerTick is at least 1");
    MUST(rules->stop_retry_ticks <= 255, "rules: stopRetryTicks is at most 255");
    MUST(rules->strict_position_side <= 1 && rules->dms_keeps_stops <= 1, "rules: switches are 0 or 1");
    MUST(rules->bracket_mode <= BRACKET_ANCHOR && rules->adl_mode <= ADL_QUEUE,
         "rules: bracketMode is PROTECT or ANCHOR, adlMode FIFTHS or QUEUE");
    MUST(rules->oracle_quorum >= 1 && (g->feeder_count == 0 || rules->oracle_quorum <= g->feeder_count),
         "rules: oracleQuorum is 1 to the number of feeders");
    MUST(rules->oracle_stale_ms >= 1000, "rules: oracleStaleMs is at least 1000");
    MUST(rules->oracle_jump_ratio > 0 && rules->oracle_jump_ratio <= RATE_ONE,
         "rules: oracleJumpRatio is above 0 and at most 1");
    MUST(is_bound(rules->liquidation_buffer, RATE_ONE), "rules: liqBuffer is between 0 and 1");
    MUST(rules->liquidation_slippage > 0 && rules->liquidation_slippage < RATE_ONE,
         "rules: liqSlippage is between 0 and 1");
    MUST(is_bound(rules->fund_loss_ratio, RATE_ONE), "rules: ifMaxLoss is between 0 and 1");
    MUST(is_bound(rules->fund_total_ratio, RATE_ONE), "rules: ifMaxLossTotal is between 0 and 1");
    MUST(rules->settlement_window_ms % 1000 == 0, "rules: settlementWindowMs is whole seconds");
    MUST(settle_notice_ms(rules) >= settle_window_ms(rules),
         "rules: settlementNoticeMs is at least settlementWindowMs");
    MUST(is_bound(rules->liquidation_fee, RATE_ONE), "rules: liqFeeRate is between 0 and 1");
    MUST(is_bound(rules->fund_fee_share, RATE_ONE), "rules: ifFeeShare is between 0 and 1");
    MUST(rules->oracle_jump_ticks <= JUMP_TICKS_MAX, "rules: oracleJumpTicks is 1 to 1000");
    MUST(rules->mark_average_ticks <= AVERAGE_TICKS_MAX, "rules: markAverageTicks is 1 to 86400");
    MUST(rules->premium_sample_ms == 0
             || (rules->premium_sample_ms >= 1000 && rules->premium_sample_ms <= FUNDING_HOUR_MS),
         "rules: premiumSampleMs is 1000 to 3600000");
    MUST(rules->take_over_part <= rules->take_over_whole && rules->take_over_whole <= TAKE_OVER_WHOLE_MAX,
         "rules: takeOverThreshold is a part of a whole, with a whole of at most 1000");
    return NULL;
}

static const char *check_coins(const struct genesis *g)
{
    MUST(g->coin_count >= 1 && g->coin_count <= COINS_MAX, "coins: 1 to 64 coins");
    for (uint32_t i = 0; i < g->coin_count; i++) {
        MUST(g->coins[i].id == i, "coins: a coin's id is its position, from 0");
        MUST(g->coins[i].precision <= 8, "coins: precision is at most 8");
        MUST(g->coins[i].name.len >= 1 && g->coins[i].name.len <= NAME_MAX_LEN, "coins: a name has 1 to 31 characters");
        for (uint32_t j = 0; j < i; j++)
            MUST(!same_name(&g->coins[i].name, &g->coins[j].name), "coins: names are unique");
    }
    return NULL;
}

/* One table; `perps` only chooses the words. */
#define MUST_FEES(condition, text) MUST(condition, perps ? "perps fees: " text : "fees: " text)
static const char *check_fee_table(const struct fee_table *fees, bool perps)
{
    MUST_FEES(fees->tier_count >= 1 && fees->tier_count <= FEE_TIERS_MAX, "1 to 8 tiers");
    MUST_FEES(fees->staking_count >= 1 && fees->staking_count <= FEE_TIERS_MAX, "1 to 8 staking tiers");
    MUST_FEES(fees->rebate_count >= 1 && fees->rebate_count <= FEE_TIERS_MAX, "1 to 8 maker rebate tiers");
    MUST_FEES(fees->tiers[0].volume == 0, "the first tier begins at volume 0");
    MUST_FEES(fees->rebate_rate[0] == 0 && fees->rebate_share[0] == 0,
              "the first maker rebate tier is none, from share 0");
    for (uint32_t i = 0; i < fees->tier_count; i++) {
        MUST_FEES(i == 0 || fees->tiers[i].volume > fees->tiers[i - 1].volume, "tiers have ascending volumes");
        MUST_FEES(is_rate(fees->tiers[i].maker) && is_bound(fees->tiers[i].taker, RATE_ONE),
                  "rates are at most 1, a taker's at least 0");
    }
    for (uint32_t i = 0; i < fees->staking_count; i++)
        MUST_FEES(is_bound(fees->staking_discount[i], RATE_ONE), "a staking discount is between 0 and 1");
    MUST_FEES(fees->staking_discount[0] == 0, "staking tier 0 has no discount");
    for (uint32_t i = 0; i < fees->rebate_count; i++) {
        MUST_FEES(is_bound(-fees->rebate_rate[i], RATE_ONE), "a rebate is between -1 and 0");
        MUST_FEES(is_bound(fees->rebate_share[i], RATE_ONE), "a rebate share is between 0 and 1");
        MUST_FEES(i == 0 || fees->rebate_share[i] > fees->rebate_share[i - 1], "rebate tiers have ascending shares");
    }
    return NULL;
}

/* Logs that are older than the perps side have no table for it. */
static const char *check_fees(const struct genesis *g)
{
    const struct fee_table *perps = &g->perps_fees;
    const char             *wrong = check_fee_table(&g->spot_fees, false);

    if (wrong != NULL) return wrong;
    return perps->tier_count == 0 && perps->staking_count == 0 && perps->rebate_count == 0
             ? NULL
             : check_fee_table(perps, true);
}

/* The vault never pays a rebate from its own: no maker gets more than the cheapest taker pays (mechanics 2.6). */
static const char *check_rebates(const struct fee_table *fees, const struct symbol *symbol)
{
    struct market market = { .symbol = *symbol };
    int64_t       lowest_taker = INT64_MAX, lowest_maker = INT64_MAX;

    market_rates(&market, fees);
    for (uint32_t tier = 0; tier < fees->tier_count; tier++)
        for (uint32_t staking = 0; staking < fees->staking_count; staking++) {
            lowest_taker = min_i64(lowest_taker, market.taker_rate[tier][staking]);
            lowest_maker = min_i64(lowest_maker, market.maker_rate[tier][staking]);
        }
    for (uint32_t i = 0; i < fees->rebate_count; i++) lowest_maker = min_i64(lowest_maker, fees->rebate_rate[i]);
    assert(lowest_taker >= 0 && lowest_taker != INT64_MAX && lowest_maker != INT64_MAX);
    MUST(-lowest_maker <= lowest_taker, "market: a maker's rebate is at most the lowest taker rate");
    return NULL;
}

static const char *check_coins_of(const struct genesis *g, const struct symbol *s)
{
    MUST(s->base_coin_id < g->coin_count && s->quote_coin_id < g->coin_count,
         "market: base and quote are listed coins");
    MUST(s->base_coin_id != s->quote_coin_id, "market: base and quote differ");
    MUST(s->quantity_precision <= g->coins[s->base_coin_id].precision,
         "market: quantityPrecision is at most the base coin's precision");
    return NULL;
}

static const char *check_units(const struct genesis *g, const struct symbol *s)
{
    assert(s->quote_coin_id < g->coin_count); /* checked before the units */
    MUST(s->price_precision <= 15, "market: pricePrecision is at most 15");
    MUST(s->quantity_precision <= 15, "market: quantityPrecision is at most 15");
    MUST(symbol_notional_power(s, &g->coins[s->quote_coin_id]) >= -18,
         "market: pricePrecision + quantityPrecision exceed the quote coin's precision by at most 18");
    MUST(s->tick_size >= 1 && s->tick_size <= PRICE_MAX, "market: tickSize is at least one price unit");
    MUST(s->step_size >= 1 && s->step_size <= QUANTITY_MAX, "market: stepSize is at least one quantity unit");
    return NULL;
}

static const char *check_bounds(const struct symbol *s)
{
    MUST(is_bound(s->min_price, PRICE_MAX) && is_bound(s->max_price, PRICE_MAX),
         "market: minPrice and maxPrice are prices, or 0");
    MUST(is_bound(s->min_quantity, QUANTITY_MAX) && is_bound(s->max_quantity, QUANTITY_MAX),
         "market: minQuantity and maxQuantity are quantities, or 0");
    MUST(is_bound(s->market_min_quantity, QUANTITY_MAX) && is_bound(s->market_max_quantity, QUANTITY_MAX),
         "market: marketMinQuantity and marketMaxQuantity are quantities, or 0");
    MUST(is_bound(s->min_notional, AMOUNT_MAX) && is_bound(s->max_notional, AMOUNT_MAX),
         "market: minNotional and maxNotional are amounts, or 0");
    MUST(s->max_price == 0 || s->max_price >= s->min_price, "market: maxPrice is not below minPrice");
    MUST(s->max_quantity == 0 || s->max_quantity >= s->min_quantity, "market: maxQuantity is not below minQuantity");
    MUST(s->max_notional == 0 || s->max_notional >= s->min_notional, "market: maxNotional is not below minNotional");
    MUST(is_bound(s->reference_price, PRICE_MAX), "market: listingReferencePrice is a price, or 0");
    return NULL;
}

static bool is_band(int64_t ratio) { return ratio > 0 && ratio <= 1000 * (int64_t)RATE_ONE; }

static const char *check_ratios(const struct symbol *s)
{
    MUST(is_band(s->buy_limit_up_ratio) && is_band(s->sell_limit_down_ratio) && is_band(s->market_deviation_ratio),
         "market: band ratios are above 0 and at most 1000");
    MUST(is_rate(s->maker_fee) && is_bound(s->taker_fee, RATE_ONE), "market: fees are at most 1, takerFee at least 0");
    MUST(is_bound(s->fee_discount, RATE_ONE), "market: feeDiscount is between 0 and 1");
    return NULL;
}

/* Rules of a symbol of either side, in the list of its side. */
static const char *check_symbol(const struct genesis *g, const struct symbol *symbols, uint32_t i, uint8_t market)
{
    const struct symbol *s = &symbols[i];
    const char          *wrong;

    assert(market == MARKET_SPOT || market == MARKET_PERPS);
    MUST(s->id == i + 1 && s->market == market, "markets: a symbol's id is its position, from 1");
    MUST(s->status == SYMBOL_TRADING || s->status == SYMBOL_HALT, "market: status is TRADING or HALT");
    MUST(s->name.len >= 1 && s->name.len <= NAME_MAX_LEN, "market: a name has 1 to 31 characters");
    for (uint32_t j = 0; j < i; j++) MUST(!same_name(&s->name, &symbols[j].name), "markets: names are unique");
    if ((wrong = check_units(g, s)) != NULL || (wrong = check_bounds(s)) != NULL || (wrong = check_ratios(s)) != NULL)
        return wrong;
    return check_rebates(market == MARKET_PERPS ? &g->perps_fees : &g->spot_fees, s);
}

/* The book that stands in for feeders is in the same money, and its prices have a place in the symbol's units. */
static const char *check_stand_in(const struct genesis *g, const struct contract *contract)
{
    if (contract->spot_symbol_id == 0) return NULL;
    MUST(contract->spot_symbol_id <= g->spot_count, "perps: spotMarket is a spot market");
    MUST(g->spot[contract->spot_symbol_id - 1].quote_coin_id == COIN_MARGIN,
         "perps: spotMarket is quoted in the first coin");
    MUST(contract->spot_impact_notional > 0, "perps: spotImpactNotional is above 0 where there is a spotMarket");
    return NULL;
}

/* The terms as the engine computes with them, which is when the no-gap envelope can be judged (mechanics 3.9). */
static const char *check_contract(const struct genesis *g, uint32_t i)
{
    struct contract contract = g->contracts[i];
    const char     *wrong = contract_check_tiers(&contract);

    if (wrong != NULL) return wrong;
    for (uint32_t tier = 0; tier < contract.tier_count; tier++)
        MUST(contract.tiers[tier].max_notional <= AMOUNT_MAX,
             "perps: maxNotionalValue of a tier is at most 2^62 units");
    contract_complete(&contract, pow10_i64((int)g->coins[COIN_MARGIN].precision));
    wrong = contract_check(&contract);
    return wrong != NULL ? wrong : check_stand_in(g, &contract);
}

static const char *check_perps_symbol(const struct genesis *g, uint32_t i)
{
    const struct symbol *s = &g->perps[i];
    const char          *wrong;

    MUST(s->quote_coin_id == COIN_MARGIN && s->base_coin_id < g->coin_count, "perps: the quote coin is the first coin");
    MUST(s->reference_price > 0, "perps: listingReferencePrice is a price above 0");
    wrong = check_symbol(g, g->perps, i, MARKET_PERPS);
    return wrong != NULL ? wrong : check_contract(g, i);
}

/* *where: the symbol whose own terms are wrong. */
static const char *check_spot(const struct genesis *g, const struct symbol **where)
{
    MUST(g->spot_count <= SYMBOLS_MAX, "markets: at most 128 spot markets");
    for (uint32_t i = 0; i < g->spot_count; i++) {
        const char *wrong = check_coins_of(g, &g->spot[i]);

        *where = &g->spot[i];
        if (wrong != NULL || (wrong = check_symbol(g, g->spot, i, MARKET_SPOT)) != NULL) return wrong;
    }
    *where = NULL;
    return NULL;
}

static const char *check_perps(const struct genesis *g, const struct symbol **where)
{
    MUST(g->perps_count <= PERPS_MAX, "markets: at most 64 perps markets");
    MUST(g->perps_count == 0 || g->perps_fees.tier_count != 0, "perps fees: 1 to 8 tiers");
    MUST(g->prices_by_hand <= 1 && (g->prices_by_hand == 0 || g->development != 0),
         "perps: prices are set by hand in development only");
    for (uint32_t i = 0; i < g->perps_count; i++) {
        const char *wrong = check_perps_symbol(g, i);

        *where = &g->perps[i];
        if (wrong != NULL) return wrong;
    }
    *where = NULL;
    return NULL;
}

static const char *check_backfill(const struct genesis *g)
{
    MUST(g->backfill_minutes == 0 || g->development != 0, "bars before the beginning are for development only");
    MUST(g->backfill_minutes == 0
             || (g->backfill_minutes >= BACKFILL_MINUTES_MIN && g->backfill_minutes <= BACKFILL_MINUTES_MAX),
         "bars before the beginning are of an hour to 366 days");
    MUST(g->time_ms >= (int64_t)g->backfill_minutes * 60000, "bars before the beginning begin in 1970 or later");
    return NULL;
}

static const char *check_feeders(const struct genesis *g)
{
    static const struct address nobody;

    MUST(g->feeder_count <= FEEDERS_MAX, "feeders: at most 15");
    for (uint32_t i = 0; i < g->feeder_count; i++) {
        MUST(!address_equal(&g->feeders[i].address, &nobody), "feeders: an address is not the zero address");
        MUST(g->feeders[i].weight >= 1 && g->feeders[i].weight <= FEEDER_WEIGHT_MAX,
             "feeders: a weight is 1 to 1000000");
        for (uint32_t j = 0; j < i; j++)
            MUST(!address_equal(&g->feeders[i].address, &g->feeders[j].address), "feeders: addresses are unique");
    }
    return NULL;
}

static const char *check_accounts(const struct genesis *g)
{
    static const struct address nobody;
    int64_t                     supply[COINS_MAX] = { 0 };

    MUST(is_bound(g->fund, AMOUNT_MAX), "fund: an amount, or 0");
    MUST(g->fund == 0 || g->perps_count != 0, "fund: only where there are perps markets");
    supply[COIN_MARGIN] = g->fund;
    MUST(g->account_count <= GENESIS_ACCOUNTS_MAX && g->account_count <= g->limits.accounts,
         "accounts: no more than the pool holds, at most 64");
    for (uint32_t i = 0; i < g->account_count; i++) {
        const struct genesis_account *account = &g->accounts[i];

        MUST(!address_equal(&account->owner, &nobody), "accounts: an owner is not the zero address");
        for (uint32_t j = 0; j < i; j++)
            MUST(!address_equal(&account->owner, &g->accounts[j].owner), "accounts: owners are unique");
        for (uint32_t coin = 0; coin < COINS_MAX; coin++) {
            MUST(coin < g->coin_count || account->spot[coin] == 0, "accounts: balances are in listed coins");
            MUST(account->spot[coin] >= 0 && account->spot[coin] <= AMOUNT_MAX - supply[coin],
                 "accounts: balances of a coin add up to at most 2^62");
            supply[coin] += account->spot[coin];
        }
        MUST(account->perps >= 0 && account->perps <= AMOUNT_MAX - supply[COIN_MARGIN],
             "accounts: balances of a coin add up to at most 2^62");
        supply[COIN_MARGIN] += account->perps;
    }
    return NULL;
}

/* The first sentence of some of the checks. */
static const char *check_with(const struct genesis *g, const char *(*const checks[])(const struct genesis *),
                              size_t                count)
{
    for (size_t i = 0; i < count; i++) {
        const char *wrong = checks[i](g);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

const char *genesis_check_where(const struct genesis *genesis, const struct symbol **where)
{
    const char *(*const before[])(const struct genesis *) = { check_limits, check_rules, check_coins, check_fees };
    const char *(*const behind[])(const struct genesis *) = { check_feeders, check_perps_rules, check_accounts,
                                                              check_backfill };
    const char *wrong;

    *where = NULL;
    MUST(genesis->time_ms > 0 && genesis->time_ms < INT64_C(1) << 53,
         "the time of creation is a Unix time in milliseconds");
    if ((wrong = check_with(genesis, before, ARRAY_COUNT(before))) != NULL) return wrong;
    if ((wrong = check_spot(genesis, where)) != NULL || (wrong = check_perps(genesis, where)) != NULL) return wrong;
    assert(*where == NULL);
    return check_with(genesis, behind, ARRAY_COUNT(behind));
}

const char *genesis_check(const struct genesis *genesis)
{
    const struct symbol *where;

    return genesis_check_where(genesis, &where);
}

void rules_complete(struct rules *rules)
{
    if (rules->oracle_jump_ticks == 0) rules->oracle_jump_ticks = 3;
    if (rules->mark_average_ticks == 0) rules->mark_average_ticks = 150;
    if (rules->premium_sample_ms == 0) rules->premium_sample_ms = 5000;
    rules->settlement_notice_ms = (uint32_t)settle_notice_ms(rules);
    rules->settlement_window_ms = (uint32_t)settle_window_ms(rules);
    rules->settlements_per_tick = settle_per_tick(rules);
    if (rules->take_over_whole != 0) return;
    rules->take_over_part = 2;
    rules->take_over_whole = 3;
}

void genesis_complete(struct genesis *genesis)
{
    int64_t coin_unit = pow10_i64((int)genesis->coins[COIN_MARGIN].precision);

    if (genesis->perps_count != 0) rules_complete(&genesis->rules);
    for (uint32_t i = 0; i < genesis->perps_count; i++) contract_complete(&genesis->contracts[i], coin_unit);
}
