/* SPDX-License-Identifier: MIT */
#include "core/market.h"
#include "core/fees.h"

void market_init(struct engine *e, const struct genesis *genesis)
{
    e->market_count = genesis->spot_count;
    for (uint32_t i = 0; i < genesis->spot_count; i++) {
        struct market     *market = &e->markets[i];
        const struct coin *base, *quote;

        market->symbol = genesis->spot[i];
        base = &genesis->coins[market->symbol.base_coin_id];
        quote = &genesis->coins[market->symbol.quote_coin_id];
        market->power = symbol_notional_power(&market->symbol, quote);
        market->value_unit = market->power >= 0 ? pow10_i64(market->power) : 0;
        market->base_unit = pow10_i64((int)(base->precision - market->symbol.quantity_precision));
        market->coin_spent[SIDE_BUY] = market->symbol.quote_coin_id;
        market->coin_spent[SIDE_SELL] = market->symbol.base_coin_id;
        market->hold_unit[SIDE_BUY] = market->value_unit;
        market->hold_unit[SIDE_SELL] = market->base_unit;
        market->band_edge[SIDE_BUY] = RATE_ONE + market->symbol.buy_limit_up_ratio;
        market->band_edge[SIDE_SELL] = RATE_ONE - market->symbol.sell_limit_down_ratio;
        fees_rates(market, &genesis->spot_fees);
    }
}
