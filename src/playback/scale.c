/* SPDX-License-Identifier: MIT */
/* scale.c — decimals of a recording become units of a market. */
#include "playback/event.h"

#define UNITS_MAX INT64_C(1000000000000000000)

/* One sentence: "price 1.23 is no multiple of the tick 0.1 of BTC-USD". */
static bool refuse(const struct playback_market *market, const char *what, struct decimal value, struct decimal unit,
                   char why[PLAYBACK_WHY_BYTES])
{
    struct out out = out_make(why, PLAYBACK_WHY_BYTES - 1);

    out_text(&out, what);
    out_char(&out, ' ');
    decimal_write(&out, value);
    out_text(&out, " is no multiple of ");
    decimal_write(&out, unit);
    out_text(&out, ", the step of ");
    out_slice_put(&out, name_slice(&market->name));
    out_text(&out, ", or too large");
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

bool playback_scale(const struct playback_market *market, const struct playback_event *event, bool round,
                    int64_t *price, int64_t *quantity, char why[PLAYBACK_WHY_BYTES])
{
    bool price_cut, quantity_cut, is_bid = (event->side == SIDE_BUY) == (event->kind == PLAYBACK_LEVEL);

    assert(market->tick > 0 && market->step > 0);
    if (!to_units(event->price, market->price_precision, price, &price_cut)
        || (!round && (price_cut || *price % market->tick != 0)))
        return refuse(market, "price", event->price, decimal_make(market->tick, market->price_precision), why);
    if (!to_units(event->quantity, market->quantity_precision, quantity, &quantity_cut)
        || (!round && (quantity_cut || *quantity % market->step != 0)))
        return refuse(market, "quantity", event->quantity, decimal_make(market->step, market->quantity_precision), why);
    *price = to_step(*price, price_cut, market->tick, !is_bid);
    *quantity = to_step(*quantity, quantity_cut, market->step, false);
    return true;
}
