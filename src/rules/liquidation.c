/* SPDX-License-Identifier: MIT */
#include "rules/liquidation.h"

#define SCORE_ONE  1000000
#define SCORE_MOST 1000000000

int64_t liquidation_quantity(const struct contract *contract, int128_t equity, int128_t maintenance, int64_t mark,
                             int64_t size, int64_t taker_rate, int64_t buffer, int64_t step, int power)
{
    int64_t  whole = size_abs(size);
    int64_t  rate = contract->tiers[margin_tier(contract, notional_floor(mark, whole, power))].rate;
    int128_t need = (RATE_ONE + buffer) * maintenance - equity * RATE_ONE,
             unit = (int128_t)(RATE_ONE + buffer) * rate / RATE_ONE - taker_rate;
    int128_t per = mark, quantity;

    assert(whole > 0 && step > 0 && mark > 0 && buffer >= 0);
    if (need <= 0) return 0;
    if (unit <= 0) return whole;
    if (power >= 0) per *= pow10_i64(power);
    else need *= pow10_i64(-power);
    quantity = div_ceil(div_ceil(need, per * unit), step) * step;
    assert(quantity >= step);
    return quantity > whole ? whole : (int64_t)quantity;
}

int128_t liquidation_share(int128_t equity, int128_t maintenance_i, int128_t maintenance)
{
    int128_t product = equity * maintenance_i;

    assert(maintenance_i >= 0 && maintenance >= 0);

    if (maintenance == 0) return 0;
    return product >= 0 ? product / maintenance : -div_ceil(-product, maintenance);
}

int128_t liquidation_charge(int128_t share, int128_t left)
{
    int128_t charge = margin_max(0, margin_min(-share, -left));

    assert(charge >= 0 && (charge == 0 || (charge <= -share && charge <= -left)));
    return charge;
}

int64_t liquidation_bankruptcy_price(int128_t value, int64_t size, int128_t share, int64_t tick, int power)
{
    int128_t at = size > 0 ? value - share : value + share, quantity = size_abs(size), price;

    assert(size != 0 && tick > 0 && value >= 0);
    if (at <= 0) return size > 0 ? tick : 0;
    if (power >= 0) quantity *= pow10_i64(power);
    else at *= pow10_i64(-power);
    price = size > 0 ? div_ceil(div_ceil(at, quantity), tick) * tick : div_floor(div_floor(at, quantity), tick) * tick;
    return price > INT64_MAX ? INT64_MAX : (int64_t)price;
}

int64_t liquidation_take_over_price(int128_t value, int64_t size, int128_t share, int power)
{
    int128_t at = size > 0 ? value - share : value + share, quantity = size_abs(size), price;

    assert(size != 0 && value >= 0);
    if (power >= 0) quantity *= pow10_i64(power);
    else at *= pow10_i64(-power);
    price = at <= 0 ? 1 : (2 * at + quantity) / (2 * quantity);
    return (int64_t)margin_max(1, margin_min(price, INT64_MAX));
}

static int64_t ratio(int128_t a, int128_t b)
{
    int128_t value = a * SCORE_ONE / margin_max(b, 1);

    assert(a >= 0);

    return (int64_t)margin_min(value, SCORE_MOST);
}

int64_t adl_leverage(int128_t notional, int128_t equity) { return ratio(notional, equity); }

int64_t adl_score(int128_t profit, int128_t cost, int128_t notional, int128_t equity)
{
    assert(notional >= 0);
    if (profit <= 0) return 0;
    return ratio(profit, cost < 0 ? -cost : cost) * ratio(notional, equity);
}

int64_t adl_part(int64_t wanted, int64_t size, int64_t total, int64_t step)
{
    int64_t part = (int64_t)div_floor((int128_t)wanted * size, total);

    assert(wanted >= 0 && wanted <= total && part >= 0 && part <= size && step > 0);
    return part / step * step;
}
