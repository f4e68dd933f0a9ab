/* SPDX-License-Identifier: MIT */
#ifndef CORE_STATE_MARKET_H
#define CORE_STATE_MARKET_H

#include "core/state/state.h"
#include "rules/order.h"

/* The market of a symbol id from 1, or NULL. */
static inline struct market *market_find(struct engine *e, uint64_t symbol_id)
{
    return symbol_id >= 1 && symbol_id <= e->market_count ? &e->markets[symbol_id - 1] : NULL;
}
#define PERPS_FIRST (SYMBOLS_MAX + 1)
static inline bool           market_is_perps(uint8_t number) { return number >= PERPS_FIRST; }
static inline struct market *market_find_perps(struct engine *e, uint64_t symbol_id)
{
    return symbol_id >= 1 && symbol_id <= e->perps_count ? &e->markets[SYMBOLS_MAX + symbol_id - 1] : NULL;
}

/* The market of a number that is known to be one. */
static inline struct market *market_at(const struct engine *e, uint8_t number)
{
    assert(number - 1u < e->market_count
           || number - (uint32_t)PERPS_FIRST < e->perps_count); /* below the first one is far above the last */
    return (struct market *)(uintptr_t)&e->markets[number - 1];
}

/*
 * A symbol's effective status, of its own status and the venue's mode: TRADING, HALT or SETTLED. Rules use this, never
 * the status alone.
 */
static inline uint8_t market_status(const struct engine *e, const struct market *market)
{
    return status_in_mode(market->symbol.status, e->mode);
}
static inline bool market_trades(const struct engine *e, const struct market *market)
{
    return status_trades(market->symbol.status, e->mode);
}

/* The same without remainder and within 64 bits, as nearly all values are; false when it is not so. */
static inline bool market_value_small(const struct market *market, int64_t price, int64_t quantity, int64_t *value)
{
    return order_value_small(market->value_unit, price, quantity, value);
}

/* Notional in quote units (mechanics 1.2): floor for trades, ceil for holds. */
static inline int128_t market_value_floor(const struct market *market, int64_t price, int64_t quantity)
{
    int64_t value = 0; /* gcc's thread sanitizer does not see that it is set */

    if (market_value_small(market, price, quantity, &value)) return value;
    if (market->value_unit != 0) return (int128_t)price * quantity * market->value_unit;
    return notional_floor(price, quantity, market->power);
}
static inline int128_t market_value_ceil(const struct market *market, int64_t price, int64_t quantity)
{
    int64_t value = 0; /* gcc's thread sanitizer does not see that it is set */

    if (market_value_small(market, price, quantity, &value)) return value;
    if (market->value_unit != 0) return (int128_t)price * quantity * market->value_unit;
    return notional_ceil(price, quantity, market->power);
}

/* The hold of a limit order where it is a product within 64 bits, as it nearly always is; false when it is not so. */
static inline bool market_hold_small(const struct market *market, uint8_t side, int64_t price, int64_t quantity,
                                     int64_t *hold)
{
    int64_t each = side_if_buys(side, price, 1), unit = market->hold_unit[side];

    if (unit == 0 || __builtin_mul_overflow(each, quantity, hold)) return false;
    return !__builtin_mul_overflow(*hold, unit, hold);
}

/*
 * The hold of a limit order for this quantity, in the coin it spends (mechanics 2.3): the value of a buy, the base of
 * a sell (whose price does not matter).
 */
static inline int128_t market_hold(const struct market *market, uint8_t side, int64_t price, int64_t quantity)
{
    int64_t hold = 0; /* gcc's thread sanitizer does not see that it is set */

    if (market_hold_small(market, side, price, quantity, &hold)) return hold;
    return side == SIDE_BUY ? market_value_ceil(market, price, quantity) : (int128_t)quantity * market->base_unit;
}

/* The coin that an order of this side spends, and the one it receives. */
static inline uint32_t market_coin_spent(const struct market *market, uint8_t side)
{
    assert(side == SIDE_BUY || side == SIDE_SELL);
    return market->coin_spent[side];
}
static inline uint32_t market_coin_received(const struct market *market, uint8_t side)
{
    return market_coin_spent(market, side_other(side));
}

/* Last trade, else the listing reference price, else 0 (mechanics 2.2). */
static inline int64_t market_reference(const struct market *market)
{
    return market->last_price != 0 ? market->last_price : market->symbol.reference_price;
}

/* Computes the effective fee rates of a market for every (tier, staking tier). */
void market_rates(struct market *market, const struct fee_table *table);

/* Fills the markets from the genesis. */
void market_init(struct engine *e, const struct genesis *genesis);

#endif
