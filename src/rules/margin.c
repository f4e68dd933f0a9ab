/* SPDX-License-Identifier: MIT */
#include "rules/margin.h"

#define FUNDING_CAP_MAX       4000000 /* 0.04 per hour (mechanics 11) */
#define FUNDING_CLAMP_DEFAULT 50000   /* 0.0005 per 8 hours (mechanics 11) */

static void complete_tiers(struct contract *contract)
{
    int64_t deduction = 0;

    for (uint32_t i = 0; i < contract->tier_count; i++) {
        struct margin_tier *tier = &contract->tiers[i];

        tier->rate = RATE_ONE / (2 * (int64_t)tier->max_leverage);
        if (i != 0)
            deduction += rate_floor(contract->tiers[i - 1].max_notional, tier->rate - contract->tiers[i - 1].rate);
        tier->deduction = deduction;
        assert(tier->rate > 0 && deduction >= 0 && (i == 0 || tier->rate >= tier[-1].rate));
    }
}

void contract_complete(struct contract *contract, int64_t coin_unit)
{
    const struct margin_tier *first = &contract->tiers[0];

    assert(contract->tier_count >= 1 && contract->tier_count <= MARGIN_TIERS_MAX && first->max_leverage >= 1);
    complete_tiers(contract);
    if (contract->max_funding == 0) contract->max_funding = min_i64(FUNDING_CAP_MAX, first->rate / 2);
    if (contract->min_funding == 0) contract->min_funding = -contract->max_funding;
    if (contract->funding_clamp == 0) contract->funding_clamp = FUNDING_CLAMP_DEFAULT;
    if (contract->mark_step_cap == 0) contract->mark_step_cap = first->rate / 2;
    if (contract->mark_band == 0)
        contract->mark_band = RATE_ONE / max_i64(first->max_leverage, 2); /* a mark is never 0 */
    if (contract->impact_notional == 0) contract->impact_notional = 200 * coin_unit * first->max_leverage;
    if (contract->fund_max_inventory == 0 && contract->open_interest_cap_value != 0)
        contract->fund_max_inventory = contract->open_interest_cap_value / 50;
}

const char *contract_check_tiers(const struct contract *contract)
{
    if (contract->tier_count < 1 || contract->tier_count > MARGIN_TIERS_MAX)
        return "a perps symbol has 1 to 8 margin tiers";
    for (uint32_t i = 0; i < contract->tier_count; i++) {
        const struct margin_tier *tier = &contract->tiers[i];

        if (tier->max_leverage < 1 || tier->max_leverage > LEVERAGE_MAX) return "maxLeverage of a tier is 1 to 125";
        if (tier->max_notional <= 0) return "maxNotionalValue of a tier is more than 0";
        if (i != 0 && tier->max_notional <= tier[-1].max_notional) return "margin tiers ascend in maxNotionalValue";
        if (i != 0 && tier->max_leverage >= tier[-1].max_leverage) return "margin tiers descend in maxLeverage";
    }
    return NULL;
}

/* Half the first maintenance rate: the bound of one step of the mark and of one funding payment, as text. */
#define NO_GAP " at most half the first maintenance rate: a healthy position survives one step (no-gap envelope)"

/* The changes of a unit's equity in one TICK leave it above zero (mechanics 3.9). */
static const char *check_envelope(const struct contract *contract)
{
    int64_t half = contract->tiers[0].rate / 2;

    if (contract->mark_step_cap < 1 || contract->mark_step_cap > half) return "markStepCap is above 0 and" NO_GAP;
    if (contract->max_funding < 0 || contract->max_funding > half) return "maxFundingRate is not below 0 and" NO_GAP;
    if (contract->min_funding > 0 || contract->min_funding < -half)
        return "minFundingRate is not above 0, and below it" NO_GAP;
    return NULL;
}

const char *contract_check(const struct contract *contract)
{
    const char *wrong = contract_check_tiers(contract);

    if (wrong != NULL) return wrong;
    if (contract->init_leverage < 1 || contract->init_leverage > contract->tiers[0].max_leverage)
        return "initLeverage is 1 to maxLeverage";
    if (contract->open_interest_cap < 0) return "openInterestCap is not below 0";
    if (contract->open_interest_cap_value < 0) return "openInterestCapUSD is not below 0";
    if (contract->interest_rate < -RATE_ONE || contract->interest_rate > RATE_ONE)
        return "interestRate is within -1 and 1";
    if (contract->funding_clamp < 1 || contract->funding_clamp > RATE_ONE) return "fundingClamp is 0 to 1";
    if ((wrong = check_envelope(contract)) != NULL) return wrong;
    if (contract->mark_band < 1 || contract->mark_band >= RATE_ONE) return "markBand is between 0 and 1";
    if (contract->impact_notional < 1) return "impactNotional is not below 0";
    if (contract->spot_impact_notional < 0) return "spotImpactNotional is not below 0";
    if (contract->fund_max_inventory < 0) return "ifMaxInventory is not below 0";
    return NULL;
}

uint32_t margin_tier(const struct contract *contract, int128_t notional)
{
    uint32_t i = 0;

    assert(contract->tier_count >= 1);
    while (i + 1 < contract->tier_count && notional > contract->tiers[i].max_notional) i++;
    return i;
}

int128_t margin_maintenance(const struct contract *contract, int128_t notional)
{
    const struct margin_tier *tier = &contract->tiers[margin_tier(contract, notional)];
    int128_t                  whole;

    assert(notional >= 0);
    if (notional <= INT64_MAX) { /* divisions of 64 bits instead of one of 128: whole ones, then the rest */
        int64_t value = (int64_t)notional;
        whole = (int128_t)(value / RATE_ONE) * tier->rate + (value % RATE_ONE * tier->rate + RATE_ONE - 1) / RATE_ONE;
    } else {
        whole = div_ceil(notional * tier->rate, RATE_ONE);
    }
    return margin_max(0, whole - tier->deduction);
}

int128_t margin_profit(int64_t mark, int64_t size, int128_t cost, int power)
{
    int128_t notional = notional_floor(mark, size_abs(size), power);

    return (size < 0 ? -notional : notional) - cost;
}

int128_t margin_need_add(struct margin_need *need, int64_t price, int64_t open)
{
    int64_t  closes = min_i64(need->skip, open), rest = open - closes, at;
    int128_t value, loss, own;

    assert(closes >= 0 && rest >= 0 && need->leverage >= 1 && need->taker_rate >= 0);
    need->skip -= closes;
    if (rest == 0) return 0;
    at = need->buy || price > need->worst ? price : need->worst;
    value = notional_floor(at, rest, need->power);
    loss = notional_floor(price, rest, need->power) - notional_floor(need->worst, rest, need->power);
    if (!need->buy) loss = -loss;
    own = margin_initial(value, need->leverage) + margin_max(0, loss) + div_ceil(value * need->taker_rate, RATE_ONE);
    assert(own >= 0);
    need->total += own;
    return own;
}

int128_t margin_removable(int64_t worst, int64_t mark, int64_t size, int128_t cost, int64_t bucket, uint32_t leverage,
                          int power)
{
    int128_t profit = margin_profit(worst, size, cost, power);
    int128_t spare = bucket - margin_initial(cost < 0 ? -cost : cost, leverage);
    int128_t doc = margin_max(0, margin_min(spare, spare + profit));
    int128_t guard = margin_max(0, bucket + margin_min(profit, 0)
                                       - margin_initial(notional_floor(mark, size_abs(size), power), leverage));

    assert(leverage >= 1 && mark > 0 && (size < 0 ? worst >= mark : worst <= mark));
    return margin_min(doc, guard);
}

/* a / b towards the early side: up for a long, down for a short; to the tick. */
static int64_t early_price(int128_t a, int128_t b, bool is_long, int64_t tick)
{
    int128_t price = is_long ? div_ceil(a, b) : div_floor(a, b);

    assert(tick > 0 && price >= 0);

    price = is_long ? div_ceil(price, tick) * tick : div_floor(price, tick) * tick;
    return price > INT64_MAX ? 0 : (int64_t)price;
}

int64_t margin_liquidation_price(const struct contract *contract, int64_t size, int128_t cost, int128_t cash,
                                 int64_t tick, int power)
{
    int64_t  quantity = size_abs(size), price;
    int128_t basis = cost < 0 ? -cost : cost;
    bool     is_long = size > 0;

    assert(tick > 0 && contract->tier_count >= 1);
    if (size == 0) return 0;
    for (uint32_t i = 0; i < contract->tier_count; i++) {
        const struct margin_tier *tier = &contract->tiers[i];
        int128_t                  money = basis - (is_long ? cash + tier->deduction : -(cash + tier->deduction));
        int128_t                  above = money * RATE_ONE,
                 below = (int128_t)quantity * (is_long ? RATE_ONE - tier->rate : RATE_ONE + tier->rate);

        if (money <= 0) return 0;
        if (power >= 0) below *= pow10_i64(power);
        else above *= pow10_i64(-power);
        price = early_price(above, below, is_long, tick);
        if (price != 0 && margin_tier(contract, notional_floor(price, quantity, power)) == i) return price;
    }
    return 0;
}
