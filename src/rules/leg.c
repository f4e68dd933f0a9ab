/* SPDX-License-Identifier: MIT */
#include "rules/leg.h"
#include "rules/margin.h"

int64_t leg_bucket_share(int64_t bucket, int64_t closed, int64_t held)
{
    int128_t product = (int128_t)bucket * closed;

    assert(closed > 0 && closed <= held);

    return (int64_t)(product >= 0 ? div_floor(product, held) : -div_ceil(-product, held));
}

int64_t leg_margin(const struct leg_terms *terms, int64_t quantity, int128_t value)
{
    int128_t margin_of = value, at_worst, loss = 0;

    assert(quantity != 0 && value >= 0 && terms->leverage >= 1);
    if (terms->worst != 0) { /* rounded against the opening, so that parts never have less than the whole needs */
        at_worst = quantity > 0 ? notional_floor(terms->worst, quantity, terms->power)
                                : notional_ceil(terms->worst, -quantity, terms->power);
        loss = margin_max(0, quantity > 0 ? value - at_worst : at_worst - value);
        if (quantity < 0) margin_of = margin_max(value, at_worst);
    }
    return (int64_t)(margin_initial(margin_of, terms->leverage) + loss);
}

struct leg leg_apply(struct exposure *exposure, int64_t quantity, int128_t value, const struct leg_terms *terms)
{
    int64_t    amount = size_abs(quantity);
    bool       closes = exposure->size != 0 && (exposure->size > 0) != (quantity > 0);
    struct leg leg = { 0 }, part;
    int128_t   owned = exposure->bucket - exposure->cost;

    assert(quantity != 0 && value >= 0);
    leg.closed = closes ? min_i64(amount, size_abs(exposure->size)) : 0;
    leg.opened = amount - leg.closed;
    leg.close_value = leg.closed == 0 ? 0 : leg.opened == 0 ? value : div_floor(value * leg.closed, amount);
    leg.open_value = value - leg.close_value;
    if (leg.closed != 0) {
        part = leg_close(exposure, leg.closed, leg.close_value, terms != NULL);
        leg.realized = part.realized;
        leg.cash = part.cash;
    }
    if (leg.opened != 0) {
        int64_t opened = quantity > 0 ? leg.opened : -leg.opened;
        leg.cash +=
            leg_open(exposure, opened, leg.open_value, terms == NULL ? 0 : leg_margin(terms, opened, leg.open_value))
                .cash;
    }
    assert(leg.cash + exposure->bucket - exposure->cost - owned
           == (quantity > 0 ? -value : value)); /* what it has changes by what was paid or got */
    return leg;
}
