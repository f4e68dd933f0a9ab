/* SPDX-License-Identifier: MIT */
/*
 * drawn_markets.h — perps markets drawn from a number: precisions and steps where a step is worth much or less than a
 * unit, prices of few units, leverage, fees, bands, a small fund, few steps a TICK. Header only.
 */
#ifndef RIGS_CORE_DRAWN_MARKETS_H
#define RIGS_CORE_DRAWN_MARKETS_H

#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"

#define DRAWN_PRICE_LEAST 20
#define DRAWN_STEPS       INT64_C(2000000) /* of the largest orders */

static inline uint32_t drawn_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(random_congruent(state) >> 33) % n;
}

/* vUSDC units that the largest orders are worth at the reference price, at most 10^15. */
static inline int64_t drawn_value(const struct symbol *symbol)
{
    int128_t value = (int128_t)symbol->reference_price * DRAWN_STEPS * symbol->step_size;
    int      power = 6 - (int)symbol->price_precision - (int)symbol->quantity_precision;

    for (; power > 0; power--) value *= 10;
    for (; power < 0; power++) value /= 10;
    return (int64_t)(value > INT64_C(1000000000000000) ? INT64_C(1000000000000000) : value + 50);
}

/* What an account has: a quarter of the margin of the largest order in the dearer market. */
static inline int64_t drawn_money(const struct fixture *f)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < f->genesis.perps_count; i++)
        most = max_i64(most, drawn_value(&f->genesis.perps[i]) / f->genesis.contracts[i].tiers[0].max_leverage);
    return most / 4 + 50;
}

static inline void draw_symbol(struct symbol *symbol, uint64_t *state)
{
    symbol->price_precision = drawn_below(state, 5);
    symbol->quantity_precision = drawn_below(state, 8);
    symbol->step_size = drawn_below(state, 3) == 0 ? 1 + drawn_below(state, 20) : 1;
    symbol->min_quantity = symbol->market_min_quantity = drawn_below(state, 2) == 0 ? 0 : symbol->step_size;
    symbol->max_quantity = symbol->market_max_quantity = symbol->max_notional = 0;
    symbol->min_notional = drawn_below(state, 3) == 0 ? 1000000 : 0;
    symbol->reference_price =
        drawn_below(state, 3) == 0 ? DRAWN_PRICE_LEAST + drawn_below(state, 100) : 1000 + drawn_below(state, 1000000);
    symbol->maker_fee = (int64_t)drawn_below(state, 20000) - 10000;
    symbol->taker_fee = 10000 + drawn_below(state, 80000);
    symbol->buy_limit_up_ratio = symbol->sell_limit_down_ratio = drawn_below(state, 3) == 0 ? 90000000 : 5000000;
    symbol->market_deviation_ratio = drawn_below(state, 3) == 0 ? 90000000 : 1000000;
}

static inline void draw_contract(struct contract *contract, const struct symbol *symbol, uint64_t *state)
{
    uint32_t leverage = (uint32_t[]){ 125, 50, 25, 10, 3, 2 }[drawn_below(state, 6)];
    int64_t  first = drawn_value(symbol) * (1 + drawn_below(state, 20)) / 4 + 1;

    contract->tier_count = 2;
    contract->init_leverage = 1 + drawn_below(state, leverage);
    contract->tiers[0] = (struct margin_tier){ .max_notional = first, .max_leverage = leverage };
    contract->tiers[1] =
        (struct margin_tier){ .max_notional = first * 20, .max_leverage = leverage > 5 ? leverage / 2 : 1 };
}

static inline void draw_markets(struct fixture *f, uint64_t seed)
{
    struct genesis *g = &f->genesis;
    uint64_t        state = seed * 7919 + 13;

    for (uint32_t i = 0; i < g->perps_count; i++) {
        draw_symbol(&g->perps[i], &state);
        draw_contract(&g->contracts[i], &g->perps[i], &state);
    }
    g->fund = drawn_below(&state, 3) == 0 ? (int64_t)drawn_below(&state, 2000)
            : drawn_below(&state, 2) == 0 ? drawn_money(f)
                                          : drawn_money(f) * 20;
    g->rules.liquidation_fee = drawn_below(&state, 2) == 0 ? 0 : drawn_below(&state, 1000000);
    g->rules.fund_fee_share = drawn_below(&state, 2) == 0 ? 0 : drawn_below(&state, 100000000);
    g->rules.triggers_per_command = drawn_below(&state, 2) == 0 ? 1000 : 1 + drawn_below(&state, 6);
    g->rules.liquidations_per_tick = drawn_below(&state, 2) == 0 ? 1000 : 1 + drawn_below(&state, 3);
    g->rules.stp_scope = drawn_below(&state, 2) == 0 ? STP_ACCOUNT : STP_USER;
}

#endif
