/* SPDX-License-Identifier: MIT */
#include "core/book/filter.h"

/* One row: the reject, the condition, the value sent, and the value required. */
#define ROW(name, holds, got, need)                                                                                    \
    if (!(holds)) return refuse(result, REJECT_##name, (got), (need));
#define PLAIN(name, holds)                                                                                             \
    if (!(holds)) return refuse_plainly(result, REJECT_##name);

#define PRICE(units)    decimal_make((units), (int)s->price_precision)
#define QUANTITY(units) decimal_make((units), (int)s->quantity_precision)

bool filter_symbol(const struct engine *e, const struct market *market, uint64_t symbol_id, struct result *result)
{
    if (market == NULL) return refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, symbol_id);
    PLAIN(SYMBOL_SETTLED, market->symbol.status != SYMBOL_SETTLED)
    PLAIN(SYMBOL_HALTED, market_trades(e, market))
    return true;
}

/* The bound that a number beyond all numbers has passed: the symbol's, or where it has none the largest there is. */
static int64_t bound_of(int64_t bound, int64_t largest) { return bound != 0 ? bound : largest; }

bool filter_read_price(struct draft *draft, struct decimal price, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    bool fits = !decimal_is_given(price) || decimal_to_units(price, (int)s->price_precision, PRICE_MAX, &draft->price);

    if (fits) return true;
    ROW(PRICE_DECIMALS, price.scale <= s->price_precision, price, decimal_make(s->price_precision, 0))
    return refuse(result, REJECT_PRICE_MAX, price, PRICE(bound_of(s->max_price, PRICE_MAX)));
}

bool filter_read_quantity(struct draft *draft, struct decimal quantity, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    bool                 fits = !decimal_is_given(quantity)
             || decimal_to_units(quantity, (int)s->quantity_precision, QUANTITY_MAX, &draft->quantity);

    if (fits) return true;
    ROW(QUANTITY_DECIMALS, quantity.scale <= s->quantity_precision, quantity, decimal_make(s->quantity_precision, 0))
    return refuse(result, REJECT_QUANTITY_MAX, quantity, QUANTITY(bound_of(s->max_quantity, QUANTITY_MAX)));
}

bool filter_read_funds(const struct engine *e, struct draft *draft, struct decimal funds, struct result *result)
{
    int precision;

    if (!decimal_is_given(funds)) return true;
    precision = (int)e->coins[draft->market->symbol.quote_coin_id].precision;
    if (decimal_to_units(funds, precision, AMOUNT_MAX, &draft->funds)) return true;
    ROW(FUNDS_DECIMALS, funds.scale <= (uint32_t)precision, funds, decimal_make(precision, 0))
    result->field = FIELD_FUNDS;
    return refuse(result, REJECT_NOTIONAL_OVERFLOW, funds, decimal_make(AMOUNT_MAX, precision));
}

bool filter_price(const struct draft *draft, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    int64_t              price = draft->price;
    enum reject          broken = order_price_rule(s, price);

    if (broken == REJECT_NONE) return true;
    return refuse(result, broken, PRICE(price),
                  PRICE(broken == REJECT_PRICE_TICK  ? s->tick_size
                        : broken == REJECT_PRICE_MIN ? s->min_price
                                                     : s->max_price));
}

bool filter_quantity(const struct draft *draft, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    int64_t              quantity = draft->quantity;
    enum reject          broken = order_quantity_rule(s, quantity);

    if (broken == REJECT_NONE) return true;
    return refuse(result, broken, QUANTITY(quantity),
                  QUANTITY(broken == REJECT_QUANTITY_STEP  ? s->step_size
                           : broken == REJECT_QUANTITY_MIN ? s->min_quantity
                                                           : s->max_quantity));
}

bool filter_market_quantity(const struct draft *draft, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    int64_t              quantity = draft->quantity;

    if (draft->type != TYPE_MARKET || quantity == 0) return true; /* not for a funds order (mechanics 2.4) */
    ROW(MARKET_QUANTITY_MIN, order_at_least(quantity, s->market_min_quantity), QUANTITY(quantity),
        QUANTITY(s->market_min_quantity))
    ROW(MARKET_QUANTITY_MAX, order_at_most(quantity, s->market_max_quantity), QUANTITY(quantity),
        QUANTITY(s->market_max_quantity))
    return true;
}

/* An amount for display, which may be more than an amount can be. */
static struct decimal value_shown(int128_t value, int precision)
{
    return decimal_make((int64_t)(value > INT64_MAX ? INT64_MAX : value), precision);
}

/* Rule 8 with all there is to it: funds, remainders, values beyond 64 bits, and the refusal's words. */
static COLD bool filter_any_value(const struct engine *e, const struct draft *draft, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;
    int                  precision = (int)e->coins[s->quote_coin_id].precision;
    int64_t              price = draft->type == TYPE_LIMIT ? draft->price : market_reference(draft->market);
    int64_t              finer = draft->market->power < 0 ? pow10_i64(-draft->market->power) : 1;
    int128_t             value, exact; /* quote units; in units of 1/finer, where it has no remainder */

    if (draft->funds != 0) {
        value = draft->funds;
        exact = value * finer;
    } else {
        if (price == 0) return true; /* a market order without reference: filter_band refuses it */
        value = market_value_ceil(draft->market, price, draft->quantity);
        exact = finer == 1 ? value : (int128_t)price * draft->quantity;
        assert(value >= 0 && exact >= 0 && (finer == 1 ? exact == value : exact <= value * finer));
    }
    if (draft->funds != 0) result->field = FIELD_FUNDS;
    ROW(NOTIONAL_OVERFLOW, value <= AMOUNT_MAX, value_shown(value, precision), decimal_make(AMOUNT_MAX, precision))
    ROW(NOTIONAL_MIN, exact >= (int128_t)s->min_notional * finer, value_shown(exact / finer, precision),
        decimal_make(s->min_notional, precision))
    ROW(NOTIONAL_MAX, s->max_notional == 0 || exact <= (int128_t)s->max_notional * finer, value_shown(value, precision),
        decimal_make(s->max_notional, precision))
    result->field = FIELD_OF_ROW;
    return true;
}

bool filter_value(const struct engine *e, const struct draft *draft, struct result *result)
{
    const struct market *market = draft->market;

    if (draft->type == TYPE_LIMIT
        && order_value_passes(&market->symbol, market->value_unit, draft->price, draft->quantity))
        return true;
    return filter_any_value(e, draft, result);
}

/* The error has the last price within the band. */
static COLD bool refuse_band(const struct draft *draft, int128_t edge, struct result *result)
{
    const struct symbol *s = &draft->market->symbol;

    assert(draft->type == TYPE_LIMIT && draft->price > 0);
    if (draft->side == SIDE_BUY)
        return refuse(result, REJECT_BUY_PRICE_LIMIT, PRICE(draft->price),
                      value_shown(edge / RATE_ONE, (int)s->price_precision));
    return refuse(result, REJECT_SELL_PRICE_LIMIT, PRICE(draft->price),
                  value_shown(edge <= 0 ? 0 : div_ceil(edge, RATE_ONE), (int)s->price_precision));
}

/* Cross-multiplied: no division, no rounding. Nearly always both products have 64 bits. */
bool filter_in_band(const struct market *market, uint8_t side, int64_t price)
{
    int64_t last = market_reference(market), edge, scaled;

    if (last == 0) return true; /* no reference yet: no band (mechanics 2.2) */
    return !__builtin_mul_overflow(last, market->band_edge[side], &edge)
        && !__builtin_mul_overflow(price, (int64_t)RATE_ONE, &scaled) && side_reaches(side, edge, scaled);
}

bool filter_band(const struct draft *draft, struct result *result)
{
    int64_t  last = market_reference(draft->market);
    int128_t edge;

    if (draft->type == TYPE_MARKET) {
        PLAIN(NO_REFERENCE_PRICE, last != 0)
        return true; /* its band bounds the execution price, not the order */
    }
    if (filter_in_band(draft->market, draft->side, draft->price)) return true;
    assert(last > 0);
    edge = (int128_t)last * draft->market->band_edge[draft->side];
    return ((int128_t)draft->price * RATE_ONE - edge) * side_sign(draft->side) <= 0 || refuse_band(draft, edge, result);
}
