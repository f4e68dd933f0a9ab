/* SPDX-License-Identifier: MIT */
#include "rules/funding.h"

#define PART_SCALE 1000000000 /* digits kept of the last level's share */

struct impact impact_of(int64_t notional, int power)
{
    return (struct impact){ .notional = notional, .left = notional, .power = power };
}

/* The whole notional over the whole quantity; the last level gives the part of it that was still needed. */
static int64_t impact_price(const struct impact *impact, int64_t price)
{
    int128_t up = impact->power >= 0 ? pow10_i64(impact->power) : 1,
             down = impact->power < 0 ? pow10_i64(-impact->power) : 1;
    int128_t quantity = impact->base * PART_SCALE + impact->left * PART_SCALE * down / (price * up);

    assert(price > 0 && quantity >= 0);
    return quantity == 0 ? price : (int64_t)(impact->notional * PART_SCALE * down / (quantity * up));
}

bool impact_add(struct impact *impact, int64_t price, int64_t quantity)
{
    int128_t value = notional_floor(price, quantity, impact->power);

    assert(price > 0 && quantity > 0 && impact->left >= 0);

    if (value >= impact->left) {
        impact->price = impact_price(impact, price);
        impact->left = 0;
        return false;
    }
    impact->left -= value;
    impact->base += quantity;
    return true;
}

int64_t funding_premium(int64_t index, int64_t impact_bid, int64_t impact_ask)
{
    int64_t  above = impact_bid > index ? impact_bid - index : 0;
    int64_t  below = impact_ask != 0 && impact_ask < index ? index - impact_ask : 0;
    int128_t premium;

    assert(index > 0 && above >= 0 && below >= 0);
    premium = (int128_t)(above - below) * FUNDING_ONE / index;

    assert(premium > -(int128_t)FUNDING_ONE);
    return (int64_t)(premium > FUNDING_ONE ? FUNDING_ONE : premium);
}

int64_t funding_rate(const struct contract *contract, int128_t sum, uint32_t count)
{
    int64_t interest = contract->interest_rate * (FUNDING_ONE / RATE_ONE), average, offset, rate;
    int64_t clamp = contract->funding_clamp * (FUNDING_ONE / RATE_ONE);
    int64_t highest = contract->max_funding * (FUNDING_ONE / RATE_ONE),
            lowest = contract->min_funding * (FUNDING_ONE / RATE_ONE);

    assert(lowest <= highest && clamp >= 0);
    if (count == 0) return 0;
    average = (int64_t)(sum / count);
    assert(average >= -FUNDING_ONE && average <= FUNDING_ONE);
    offset = interest - average;
    offset = offset > clamp ? clamp : offset < -clamp ? -clamp : offset;
    rate = (average + offset) / 8;
    return rate > highest ? highest : rate < lowest ? lowest : rate;
}

int128_t funding_payment(int128_t notional, bool is_long, int64_t rate)
{
    int128_t amount = notional * (rate < 0 ? -rate : rate);

    assert(notional >= 0);
    assert(rate >= -FUNDING_ONE && rate <= FUNDING_ONE);

    if (rate == 0 || notional == 0) return 0;
    return is_long == (rate > 0) ? div_ceil(amount, FUNDING_ONE) : -div_floor(amount, FUNDING_ONE);
}
