/* SPDX-License-Identifier: MIT */
#include "core/state/market.h"
#include "rules/fee.h"

void market_rates(struct market *market, const struct fee_table *table)
{
    const struct symbol *symbol = &market->symbol;

    assert(table->tier_count <= FEE_TIERS_MAX && table->staking_count <= FEE_TIERS_MAX);
    for (uint32_t tier = 0; tier < table->tier_count; tier++) {
        int64_t maker = fee_tier_rate(tier, symbol->maker_fee, table->tiers[tier].maker);
        int64_t taker = fee_tier_rate(tier, symbol->taker_fee, table->tiers[tier].taker);

        assert(taker >= 0 && taker <= RATE_ONE && maker <= RATE_ONE);

        for (uint32_t staking = 0; staking < table->staking_count; staking++) {
            int64_t discount = table->staking_discount[staking];

            market->maker_rate[tier][staking] = fee_effective(maker, discount, symbol->fee_discount);
            market->taker_rate[tier][staking] = fee_effective(taker, discount, symbol->fee_discount);
        }
    }
}

/* Members of both kinds: the quote coin's units. */
static void init_common(struct market *market, const struct symbol *symbol, uint8_t number,
                        const struct genesis *genesis)
{
    assert(number != 0 && symbol->quote_coin_id < genesis->coin_count);
    market->symbol = *symbol;
    market->number = number;
    market->kind = symbol->market;
    market->power = symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]);
    assert(market->power >= -18);
    market->value_unit = market->power >= 0 ? pow10_i64(market->power) : 0;
    market->band_edge[SIDE_BUY] = RATE_ONE + symbol->buy_limit_up_ratio;
    market->band_edge[SIDE_SELL] = RATE_ONE - symbol->sell_limit_down_ratio;
}

static void init_spot(struct market *market, const struct symbol *symbol, const struct genesis *genesis)
{
    assert(symbol->base_coin_id < genesis->coin_count && symbol->base_coin_id != symbol->quote_coin_id);
    init_common(market, symbol, (uint8_t)symbol->id, genesis);
    market->base_unit = pow10_i64((int)(genesis->coins[symbol->base_coin_id].precision - symbol->quantity_precision));
    market->coin_spent[SIDE_BUY] = symbol->quote_coin_id;
    market->coin_spent[SIDE_SELL] = symbol->base_coin_id;
    market->hold_unit[SIDE_BUY] = market->value_unit;
    market->hold_unit[SIDE_SELL] = market->base_unit;
    market_rates(market, &genesis->spot_fees);
}

void market_init(struct engine *e, const struct genesis *genesis)
{
    int64_t coin_unit = pow10_i64((int)genesis->coins[COIN_MARGIN].precision);

    assert(genesis->spot_count <= SYMBOLS_MAX && genesis->perps_count <= PERPS_MAX);
    e->market_count = genesis->spot_count;
    e->perps_count = genesis->perps_count;
    for (uint32_t i = 0; i < genesis->spot_count; i++) init_spot(&e->markets[i], &genesis->spot[i], genesis);
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        init_common(&e->markets[SYMBOLS_MAX + i], &genesis->perps[i], (uint8_t)(PERPS_FIRST + i), genesis);
        market_rates(&e->markets[SYMBOLS_MAX + i], &genesis->perps_fees);
        engine_perps(e)[i].contract = genesis->contracts[i];
        contract_complete(&engine_perps(e)[i].contract, coin_unit);
    }
}
