/* SPDX-License-Identifier: MIT */
/*
 * order.h — which prices, quantities and values a symbol takes (spot place rules 6 to 8), in its units: the first rule
 * that is broken, in the order in which it is answered. The engine refuses by them; the thread that decodes a command
 * asks them first (hints.h).
 */
#ifndef RULES_ORDER_H
#define RULES_ORDER_H

#include "model/genesis.h"
#include "model/rejects.h"

/* "0 means no bound" is implemented here alone. No compared value is below 0, so no lower bound needs a special case.
 */
static inline bool order_at_least(int64_t value, int64_t bound) { return value >= bound; }
static inline bool order_at_most(int64_t value, int64_t bound) { return bound == 0 || value <= bound; }

/* A division is the most expensive step of a filter, and most ticks and steps are one unit. */
static inline bool order_is_multiple(int64_t value, int64_t unit) { return unit == 1 || value % unit == 0; }

/* Rule 6; 0 = no price is given, which breaks nothing. */
static inline enum reject order_price_rule(const struct symbol *symbol, int64_t price)
{
    if (price == 0) return REJECT_NONE;
    if (!order_is_multiple(price, symbol->tick_size)) return REJECT_PRICE_TICK;
    if (!order_at_least(price, symbol->min_price)) return REJECT_PRICE_MIN;
    return order_at_most(price, symbol->max_price) ? REJECT_NONE : REJECT_PRICE_MAX;
}

/* Rule 7; 0 = no quantity is given. */
static inline enum reject order_quantity_rule(const struct symbol *symbol, int64_t quantity)
{
    if (quantity == 0) return REJECT_NONE;
    if (!order_is_multiple(quantity, symbol->step_size)) return REJECT_QUANTITY_STEP;
    if (!order_at_least(quantity, symbol->min_quantity)) return REJECT_QUANTITY_MIN;
    return order_at_most(quantity, symbol->max_quantity) ? REJECT_NONE : REJECT_QUANTITY_MAX;
}

/*
 * price * quantity * value_unit in quote units, where value_unit is 10^k of mechanics 1.2 and k is not below 0 (else
 * it is 0). False where the product has more than 64 bits, or a remainder: as hardly any has.
 */
static inline bool order_value_small(int64_t value_unit, int64_t price, int64_t quantity, int64_t *value)
{
    return value_unit != 0 && !__builtin_mul_overflow(price, quantity, value)
        && !__builtin_mul_overflow(*value, value_unit, value);
}

/* Rule 8 for the value of a limit order, where it is small; false: it is broken, or the value is not small. */
static inline bool order_value_passes(const struct symbol *symbol, int64_t value_unit, int64_t price, int64_t quantity)
{
    int64_t value;

    return order_value_small(value_unit, price, quantity, &value) && value <= AMOUNT_MAX
        && order_at_least(value, symbol->min_notional) && order_at_most(value, symbol->max_notional);
}

#endif
