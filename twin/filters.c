/* SPDX-License-Identifier: MIT */
/* filters.c — what a price, a quantity and a value must be (spot place
   rules 5 to 8, mechanics 1.1). False: the item has been answered. */
#include "world.h"

static bool say(struct twin *twin, uint32_t index, enum reject reject, struct decimal got, struct decimal need,
                uint8_t field)
{
    answer_said(twin, index, reject, got, need)->field = field;
    return false;
}

/* A symbol's bound; 0 sets none, and then the largest number of its kind is the bound. */
static int64_t highest(int64_t bound, int64_t of_all) { return bound == 0 ? of_all : bound; }

/* Rule 5; no price is above 10^15 units. */
bool wants_price(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal price, int64_t *units,
                 uint8_t field)
{
    uint32_t decimals = symbol->price_precision;
    int128_t value;

    if (!units_of(price, decimals, &value))
        return say(twin, index, REJECT_PRICE_DECIMALS, price, whole(decimals), field);
    if (value > PRICE_MAX)
        return say(twin, index, REJECT_PRICE_MAX, price, decimal_of(highest(symbol->max_price, PRICE_MAX), decimals),
                   field);
    if (value % symbol->tick_size != 0)
        return say(twin, index, REJECT_PRICE_TICK, price, decimal_of(symbol->tick_size, decimals), field);
    if (symbol->min_price != 0 && value < symbol->min_price)
        return say(twin, index, REJECT_PRICE_MIN, price, decimal_of(symbol->min_price, decimals), field);
    if (symbol->max_price != 0 && value > symbol->max_price)
        return say(twin, index, REJECT_PRICE_MAX, price, decimal_of(symbol->max_price, decimals), field);
    *units = (int64_t)value;
    return true;
}

/* A replacement is built before it is judged (mechanics 2.8): its price and quantity are numbers of the symbol. */
bool wants_numbers(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal price,
                   struct decimal quantity)
{
    int128_t value;

    if (price.digits != 0 && !units_of(price, symbol->price_precision, &value))
        return say(twin, index, REJECT_PRICE_DECIMALS, price, whole(symbol->price_precision), 0);
    if (price.digits != 0 && value > PRICE_MAX)
        return say(twin, index, REJECT_PRICE_MAX, price,
                   decimal_of(highest(symbol->max_price, PRICE_MAX), symbol->price_precision), 0);
    if (quantity.digits != 0 && !units_of(quantity, symbol->quantity_precision, &value))
        return say(twin, index, REJECT_QUANTITY_DECIMALS, quantity, whole(symbol->quantity_precision), 0);
    if (quantity.digits != 0 && value > QUANTITY_MAX)
        return say(twin, index, REJECT_QUANTITY_MAX, quantity,
                   decimal_of(highest(symbol->max_quantity, QUANTITY_MAX), symbol->quantity_precision), 0);
    return true;
}

/* Rules 6 and, for market orders, 7; quantities are below 10^15 units. */
bool wants_quantity(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal quantity,
                    int64_t *units, bool market_too)
{
    uint32_t decimals = symbol->quantity_precision;
    int128_t value;

    if (!units_of(quantity, decimals, &value))
        return say(twin, index, REJECT_QUANTITY_DECIMALS, quantity, whole(decimals), 0);
    if (value > QUANTITY_MAX)
        return say(twin, index, REJECT_QUANTITY_MAX, quantity,
                   decimal_of(highest(symbol->max_quantity, QUANTITY_MAX), decimals), 0);
    if (value % symbol->step_size != 0)
        return say(twin, index, REJECT_QUANTITY_STEP, quantity, decimal_of(symbol->step_size, decimals), 0);
    if (symbol->min_quantity != 0 && value < symbol->min_quantity)
        return say(twin, index, REJECT_QUANTITY_MIN, quantity, decimal_of(symbol->min_quantity, decimals), 0);
    if (symbol->max_quantity != 0 && value > symbol->max_quantity)
        return say(twin, index, REJECT_QUANTITY_MAX, quantity, decimal_of(symbol->max_quantity, decimals), 0);
    *units = (int64_t)value;
    if (!market_too) return true;
    if (symbol->market_min_quantity != 0 && value < symbol->market_min_quantity)
        return say(twin, index, REJECT_MARKET_QUANTITY_MIN, quantity, decimal_of(symbol->market_min_quantity, decimals),
                   0);
    if (symbol->market_max_quantity != 0 && value > symbol->market_max_quantity)
        return say(twin, index, REJECT_MARKET_QUANTITY_MAX, quantity, decimal_of(symbol->market_max_quantity, decimals),
                   0);
    return true;
}

/* Rule 8; a value is at most 2^62 units. Where it is no whole
   number of units, `low` and `high` are the ones around it. */
bool wants_value(struct twin *twin, uint32_t index, const struct symbol *symbol, int128_t low, int128_t high,
                 uint8_t field)
{
    uint32_t decimals = twin->genesis.coins[symbol->quote_coin_id].precision;

    if (high > AMOUNT_MAX)
        return say(twin, index, REJECT_NOTIONAL_OVERFLOW, decimal_of(high, decimals), decimal_of(AMOUNT_MAX, decimals),
                   field);
    if (symbol->min_notional != 0 && low < symbol->min_notional)
        return say(twin, index, REJECT_NOTIONAL_MIN, decimal_of(low, decimals),
                   decimal_of(symbol->min_notional, decimals), field);
    if (symbol->max_notional != 0 && high > symbol->max_notional)
        return say(twin, index, REJECT_NOTIONAL_MAX, decimal_of(high, decimals),
                   decimal_of(symbol->max_notional, decimals), field);
    return true;
}
bool wants_notional(struct twin *twin, uint32_t index, const struct symbol *symbol, int64_t price, int64_t quantity)
{
    return wants_value(twin, index, symbol, n_exact(symbol, &twin->genesis, price, quantity, false),
                       n_exact(symbol, &twin->genesis, price, quantity, true), 0);
}
