/* SPDX-License-Identifier: MIT */
/* presets.c — the numbers of each market, the money of each kind of trader. */
#include "market/presets.h"

/* clang-format off */
static const struct preset presets[] = {
    /*                    makers spread size takers volatility jumps  drift  returns crashes */
    [MARKET_CALM]     = { 6,     100,   100, 100,   100,       100,   0,     true,   false },
    [MARKET_TREND]    = { 6,     120,   100, 130,   120,       100,   20000, false,  false },
    [MARKET_VOLATILE] = { 6,     300,   70,  250,   400,       200,   0,     true,   false },
    [MARKET_CRASH]    = { 6,     200,   60,  200,   150,       100,   0,     true,   true },
    [MARKET_THIN]     = { 2,     500,   25,  25,    100,       100,   0,     true,   false },
    [MARKET_EMPTY]    = { 0,     100,   100, 0,     100,       100,   0,     true,   false },
    [MARKET_NONE]     = { 0,     100,   100, 0,     0,         0,     0,     false,  false },
};
/* clang-format on */

const struct preset *preset_of(const struct market_knobs *knobs)
{
    assert(knobs->preset >= MARKET_CALM && knobs->preset <= MARKET_NONE);
    return &presets[knobs->preset];
}

/* Dollars that a kind of trader begins with, on perps, in spot cash, and in each spot coin at its listing reference. */
static const struct purse {
    int64_t perps, cash, coins;
} purses[] = {
    { 20000000, 10000000, 10000000 }, /* a maker */
    { 2000000, 1000000, 1000000 },    /* everybody else */
    { 2500, 0, 0 },                   /* the over-leveraged */
};

/* Of a coin that is the base of a spot symbol with a reference: so many units as `dollars` buy. */
static int64_t coins_for(const struct genesis *genesis, uint32_t coin_id, int64_t dollars)
{
    for (uint32_t i = 0; i < genesis->spot_count; i++) {
        const struct symbol *symbol = &genesis->spot[i];

        if (symbol->base_coin_id != coin_id || symbol->reference_price == 0) continue;
        return (int64_t)((int128_t)dollars * pow10_i64((int)symbol->price_precision)
                         * pow10_i64((int)genesis->coins[coin_id].precision) / symbol->reference_price);
    }
    return 0;
}

int64_t opening_amount(uint32_t trader, const struct genesis *genesis, uint8_t market, uint32_t coin_id)
{
    const struct purse *purse = &purses[trader < FIRST_NOISE ? 0 : trader < FIRST_LEVERAGED ? 1 : 2];

    if (coin_id != COIN_MARGIN) return market == MARKET_SPOT ? coins_for(genesis, coin_id, purse->coins) : 0;
    return (market == MARKET_SPOT ? purse->cash : purse->perps) * USD;
}
