/* SPDX-License-Identifier: MIT */
#include "risk/leg.h"
#include "risk/margin.h"

/* The bucket's share of what closes, rounded down; funding may have taken a bucket below zero. */
static int64_t bucket_share(int64_t bucket, int64_t closed, int64_t held)
{
    int128_t product = (int128_t)bucket * closed;

    assert(closed > 0 && closed <= held);

    return (int64_t)(product >= 0 ? div_floor(product, held) : -div_ceil(-product, held));
}

static void close_part(struct stake *stake, struct leg *leg, bool isolated)
{
    int64_t  held = size_abs(stake->size);
    bool     is_long = stake->size > 0, whole = leg->closed == held;
    int128_t basis = is_long ? stake->cost : -stake->cost;
    int128_t cost = whole ? basis : div_floor(basis * leg->closed, held);

    assert(basis >= 0);
    leg->realized = is_long ? leg->close_value - cost : cost - leg->close_value;
    leg->cash += leg->realized;
    stake->cost -= is_long ? cost : -cost;
    if (isolated) {
        int64_t released = whole ? stake->bucket : bucket_share(stake->bucket, leg->closed, held);
        stake->bucket -= released;
        leg->cash += released;
    }
    stake->size += is_long ? -leg->closed : leg->closed;
    assert(!whole || (stake->size == 0 && stake->cost == 0 && (!isolated || stake->bucket == 0)));
}

static void open_part(struct stake *stake, struct leg *leg, bool buy, bool isolated, uint32_t leverage)
{
    stake->size += buy ? leg->opened : -leg->opened;
    stake->cost += buy ? leg->open_value : -leg->open_value;
    if (isolated) {
        int64_t margin = (int64_t)margin_initial(leg->open_value, leverage);
        stake->bucket += margin;
        leg->cash -= margin;
    }
}

struct leg leg_apply(struct stake *stake, int64_t quantity, int128_t value, bool isolated, uint32_t leverage)
{
    int64_t    amount = size_abs(quantity);
    bool       buy = quantity > 0, closes = stake->size != 0 && (stake->size > 0) != buy;
    struct leg leg = { 0 };
    int128_t   owned = stake->bucket - stake->cost;

    assert(quantity != 0 && value >= 0);
    leg.closed = closes ? min_i64(amount, size_abs(stake->size)) : 0;
    leg.opened = amount - leg.closed;
    leg.close_value = leg.closed == 0 ? 0 : leg.opened == 0 ? value : div_floor(value * leg.closed, amount);
    leg.open_value = value - leg.close_value;
    if (leg.closed != 0) close_part(stake, &leg, isolated);
    if (leg.opened != 0) open_part(stake, &leg, buy, isolated, leverage);
    assert(leg.cash + stake->bucket - stake->cost - owned == (buy ? -value : value));       /* what it has changes by what was paid or got */
    return leg;
}
