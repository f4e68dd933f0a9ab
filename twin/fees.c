/* SPDX-License-Identifier: MIT */
/* fees.c — rates, volumes and tiers (mechanics 2.6, 1.3; ruling 32). */
#include "world.h"

static const struct fee_table *table_of(const struct twin *twin, uint8_t market)
{
    return market == MARKET_SPOT ? &twin->genesis.spot_fees : &twin->genesis.perps_fees;
}

/* E23: one rounding, up; a rebate has no discount. */
int64_t fee_discounted(int64_t rate, int64_t staking, int64_t symbol)
{
    if (rate <= 0) return rate;
    return (int64_t)divide_ceil((int128_t)rate * (100000000 - staking) * (100000000 - symbol),
                                (int128_t)100000000 * 100000000);
}

/* Tier 0 is the symbol's own rate; a higher tier the lower of both; a rebate
   tier replaces the maker's rate; discounts are for positive rates. */
int64_t fee_rate(struct twin *twin, const struct account *account, const struct symbol *symbol, bool maker)
{
    const struct fee_table *table = table_of(twin, symbol->market);
    const struct account   *user = account_primary(twin, account);
    uint8_t                 tier = user->fees[symbol->market].tier, rebate = user->fees[symbol->market].rebate;
    int64_t                 rate = maker ? symbol->maker_fee : symbol->taker_fee;

    if (tier > 0) {
        int64_t of_tier = maker ? table->tiers[tier].maker : table->tiers[tier].taker;
        if (of_tier < rate) rate = of_tier;
    }
    if (maker && table->rebate_rate[rebate] != 0) rate = table->rebate_rate[rebate];
    return fee_discounted(
        rate, twin->bug == TWIN_BUG_NO_STAKING ? 0 : table->staking_discount[user->fees[symbol->market].staking],
        symbol->fee_discount);
}

/* Ruling 71: the two sides of the trade are accounts of one user. */
bool one_user(struct twin *twin, const struct account *a, const struct account *b)
{
    return twin->bug != TWIN_BUG_SELF_COUNTS && account_primary(twin, a) == account_primary(twin, b);
}

/* A maker's fee or, below 0, rebate; a self-trade pays no rebate (ruling 71). */
int64_t maker_rate_against(struct twin *twin, const struct account *maker, const struct account *taker,
                           const struct symbol *symbol)
{
    int64_t rate = fee_rate(twin, maker, symbol, true);

    return rate < 0 && one_user(twin, maker, taker) ? 0 : rate;
}

/* A positive fee: up. */
int64_t fee_of(const struct twin *twin, int64_t amount, int64_t rate)
{
    int128_t exact = (int128_t)amount * rate;

    return (int64_t)(twin->bug == TWIN_BUG_FEE_FLOOR ? divide_floor(exact, 100000000) : divide_ceil(exact, 100000000));
}

/* Volume that counts towards the tier: value on symbols quoted in vUSDC, by UTC day, of the user. */
void fee_volume(struct twin *twin, struct account *account, const struct symbol *symbol, int64_t value, bool maker)
{
    struct account *user = account_primary(twin, account);
    int64_t         day = twin->now_ms / DAY_MS;
    uint32_t        slot = (uint32_t)(day % DAYS_KEPT);

    if (symbol->quote_coin_id != COIN_MARGIN) return;
    if (user->traded[symbol->market][slot].day != day) {
        memset(&user->traded[symbol->market][slot], 0, sizeof(user->traded[0][0]));
        user->traded[symbol->market][slot].day = day;
    }
    user->traded[symbol->market][slot].volume += value;
    if (maker) user->traded[symbol->market][slot].maker += value;
}

/* The last 14 completed UTC days. */
static void window(const struct twin *twin, const struct account *user, uint8_t market, int128_t *volume,
                   int128_t *maker)
{
    *volume = *maker = 0;
    for (uint32_t i = 0; i < DAYS_KEPT; i++) {
        if (user->traded[market][i].day >= twin->day || user->traded[market][i].day < twin->day - FEE_DAYS) continue;
        *volume += user->traded[market][i].volume;
        *maker += user->traded[market][i].maker;
    }
}

static void tell_tier(struct twin *twin, uint8_t market, const struct account *user)
{
    struct fee_tier *told = TELL(twin, FEE_TIER, fee_tier, market);

    told->user_id = user->user_id;
    told->tier = user->fees[market].tier;
    told->staking = user->fees[market].staking;
    told->rebate = user->fees[market].rebate;
}

/* The operator's staking tier; a side whose table is shorter uses its last row. */
void fee_staking(struct twin *twin, struct account *user, uint32_t tier)
{
    for (uint8_t market = MARKET_SPOT; market <= (twin->genesis.perps_count > 0 ? MARKET_PERPS : MARKET_SPOT);
         market++) {
        uint32_t last = table_of(twin, market)->staking_count - 1;
        uint8_t  has = (uint8_t)(tier < last ? tier : last);

        if (user->fees[market].staking == has) continue;
        user->fees[market].staking = has;
        tell_tier(twin, market, user);
    }
}

/* At the UTC-day roll every user's tiers are found again, per side. */
void fee_day(struct twin *twin)
{
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++) {
        const struct fee_table *table = table_of(twin, market);
        int128_t                volume, maker, all = 0;

        for (uint32_t i = 0; i < twin->account_count; i++) {
            window(twin, &twin->accounts[i], market, &volume, &maker);
            all += maker;
        }
        for (uint32_t i = 0; i < twin->account_count; i++) {
            struct account *user = &twin->accounts[i];
            uint8_t         tier = 0, rebate = 0;

            if (!user->primary || user->id < ACCOUNT_FIRST) continue;
            window(twin, user, market, &volume, &maker);
            for (uint32_t t = 1; t < table->tier_count; t++)
                if (volume >= table->tiers[t].volume) tier = (uint8_t)t;
            for (uint32_t t = 1; t < table->rebate_count && all > 0; t++)
                if (maker * 100000000 >= all * table->rebate_share[t]) rebate = (uint8_t)t;
            if (tier == user->fees[market].tier && rebate == user->fees[market].rebate) continue;
            user->fees[market].tier = tier;
            user->fees[market].rebate = rebate;
            tell_tier(twin, market, user);
        }
    }
}
