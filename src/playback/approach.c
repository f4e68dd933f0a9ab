/* SPDX-License-Identifier: MIT */
#include "playback/approach.h"

#include "base/fixed.h"

#define RATIO_ONE 100000000 /* ratios are in 1e-8 */

bool playback_can_order(const struct playback_market *market, int64_t price)
{
    return price > 0 && price >= market->min_price && price <= market->max_price
        && playback_order_least(market, price) <= playback_order_most(market, price);
}

/* Bands are inclusive and compare without rounding (mechanics E18). A seller's band of all of the price is none. */
static int64_t step_by_trade(const struct playback_market *market, int64_t now, int64_t to)
{
    bool     up = to > now;
    int128_t edge = (int128_t)now * (RATIO_ONE + (up ? market->reach_up : -market->reach_down));
    int128_t ticks =
        up ? div_floor(edge, (int128_t)RATIO_ONE * market->tick) : div_ceil(edge, (int128_t)RATIO_ONE * market->tick);
    int128_t price = ticks * market->tick;

    return (up ? price > to : price < to) ? to : (int64_t)price;
}

/* The mark's distance is rounded down (mechanics 3.9). */
static int64_t step_of_mark(const struct playback_market *market, int64_t now, int64_t to)
{
    int64_t up = (int64_t)((int128_t)now * market->reach_up / RATIO_ONE),
            down = (int64_t)((int128_t)now * market->reach_down / RATIO_ONE);

    return to > now ? min_i64(to, now + up) : max_i64(to, now - down);
}

int64_t playback_next_step(const struct playback_market *market, int64_t now, int64_t to)
{
    int64_t next;

    assert(now >= 0 && now <= INT64_MAX / 4 && to > 0 && market->reach_up >= 0 && market->reach_down >= 0);
    if (now == 0 || now == to) return to;
    if (market->market != MARKET_SPOT) return step_of_mark(market, now, to);
    next = step_by_trade(market, now, to);
    return (to > now ? next > now : next < now) && playback_can_order(market, next) ? next : now;
}

bool playback_is_near(int64_t price, int64_t to)
{
    return max_i64(price, to) - min_i64(price, to) <= (int64_t)((int128_t)to * 5 / 1000);
}

bool playback_comes_to(const struct playback_market *market, int64_t now, int64_t to)
{
    if (!playback_can_order(market, to)) return false;
    for (uint32_t step = 0; step < PLAYBACK_STEPS_MAX && !playback_is_near(now, to); step++) {
        int64_t next = playback_next_step(market, now, to);

        if (next == now) return false;
        now = next;
    }
    return playback_is_near(now, to);
}
