/* SPDX-License-Identifier: MIT */
/* scale.c — decimals of a recording become units of a market. */
#include "playback/event.h"

#include "model/genesis.h"

#define UNITS_MAX INT64_C(1000000000000000000)

int64_t playback_order_least(const struct playback_market *market, int64_t price)
{
    int64_t by_notional = (int64_t)div_ceil(market->min_notional, price);
    int64_t least = max_i64(max_i64(market->min_quantity, market->step), by_notional), rest = least % market->step;

    return rest == 0 ? least : least - rest + market->step;
}

int64_t playback_order_most(const struct playback_market *market, int64_t price)
{
    int64_t most = market->max_quantity != 0 ? market->max_quantity : QUANTITY_MAX;

    if (market->max_notional != 0) most = min_i64(most, market->max_notional / price);
    return most - most % market->step;
}

/* One sentence: "price 1.23 is no multiple of 0.1, the tick of BTC-USD". */
static bool refuse(const struct playback_market *market, struct decimal value, const char *problem,
                   struct decimal bound, const char *name, char why[PLAYBACK_WHY_BYTES])
{
    struct out out = out_make(why, PLAYBACK_WHY_BYTES - 1);

    decimal_write(&out, value);
    out_text(&out, problem);
    decimal_write(&out, bound);
    out_text(&out, name);
    out_slice_put(&out, name_slice(&market->name));
    why[out.len] = '\0';
    return false;
}

/* The value in units of 10^-precision, rounded down, and whether something was cut off. False: too large. */
static bool to_units(struct decimal value, int precision, int64_t *units, bool *cut)
{
    int excess = (int)value.scale - precision;

    *cut = excess > 0 && value.digits % pow10_i64(excess) != 0;
    if (excess > 0) *units = value.digits / pow10_i64(excess);
    else if (!decimal_to_units(value, precision, UNITS_MAX, units)) return false;
    return *units >= 0 && *units <= UNITS_MAX;
}

/* The multiple of `step` below or above. */
static int64_t to_step(int64_t units, bool cut, int64_t step, bool up)
{
    int64_t rest = units % step;

    if (!up || (rest == 0 && !cut)) return units - rest;
    return units - rest + step;
}

/* Of a price in units, 0 where it was rounded away: the bounds of the symbol. */
static bool check_price(const struct playback_market *market, struct decimal value, int64_t price,
                        char why[PLAYBACK_WHY_BYTES])
{
    int precision = market->price_precision;

    if (price != 0 && price < market->min_price)
        return refuse(market, value, " is below ", decimal_make(market->min_price, precision),
                      ", the smallest price of ", why);
    return price <= market->max_price
        || refuse(market, value, " is above ", decimal_make(market->max_price, precision), ", the largest price of ",
                  why);
}

static bool scale_price(const struct playback_market *market, const struct playback_event *event, bool round,
                        int64_t *price, char why[PLAYBACK_WHY_BYTES])
{
    bool cut, is_bid = (event->side == SIDE_BUY) == (event->kind == PLAYBACK_LEVEL);

    if (!to_units(event->price, market->price_precision, price, &cut)) *price = UNITS_MAX;
    else if (!round && (cut || *price % market->tick != 0))
        return refuse(market, event->price, " is no multiple of ", decimal_make(market->tick, market->price_precision),
                      ", the tick of ", why);
    else *price = to_step(*price, cut, market->tick, !is_bid);
    return check_price(market, event->price, *price, why);
}

static bool scale_quantity(const struct playback_market *market, const struct playback_event *event, bool round,
                           int64_t *quantity, char why[PLAYBACK_WHY_BYTES])
{
    int  precision = market->quantity_precision;
    bool cut;

    if (!to_units(event->quantity, precision, quantity, &cut) || *quantity > QUANTITY_MAX)
        return refuse(market, event->quantity, " is above ", decimal_make(QUANTITY_MAX, precision),
                      ", the largest quantity of ", why);
    if (!round && (cut || *quantity % market->step != 0))
        return refuse(market, event->quantity, " is no multiple of ", decimal_make(market->step, precision),
                      ", the step of ", why);
    *quantity = to_step(*quantity, cut, market->step, false);
    return true;
}

enum playback_part playback_scale(const struct playback_market *market, const struct playback_event *event, bool round,
                                  int64_t *price, int64_t *quantity, char why[PLAYBACK_WHY_BYTES])
{
    assert(market->tick > 0 && market->step > 0 && market->max_price > 0);
    if (!scale_price(market, event, round, price, why)) return PLAYBACK_PRICE;
    return scale_quantity(market, event, round, quantity, why) ? PLAYBACK_FITS : PLAYBACK_QUANTITY;
}
