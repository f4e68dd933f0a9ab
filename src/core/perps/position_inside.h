/* SPDX-License-Identifier: MIT */
/*
 * position_inside.h — figures of a row and of its open orders that position_row.c and risk_unit.c share, for no one
 * else.
 */
#ifndef CORE_PERPS_POSITION_INSIDE_H
#define CORE_PERPS_POSITION_INSIDE_H

#include "core/perps/perps.h"

/* The value with the sign of the size, without a branch that would go wrong for every other position. */
static inline int128_t signed_by(int64_t size, int128_t value)
{
    int128_t mask = size >> 63;

    return (value ^ mask) - mask;
}

/* The unrealised profit at the price `worst`; `value` is the value at the mark, which often is that price. */
static ALWAYS_INLINE int128_t profit_at(const struct market *market, const struct perps_market *perps,
                                        const struct exposure *exposure, int64_t worst, int128_t value)
{
    if (worst != perps->mark) value = market_value_floor(market, worst, size_abs(exposure->size));
    return signed_by(exposure->size, value) - exposure->cost;
}

/* The same at the worst price of the position's side. */
static ALWAYS_INLINE int128_t profit_at_worst(const struct market *market, const struct perps_market *perps,
                                              const struct exposure *exposure, int128_t value)
{
    return profit_at(market, perps, exposure, perps_worst(perps, exposure->size), value);
}

static int64_t rate_in(const struct market *market, const struct margin_account *margin)
{
    return max_i64(market->taker_rate[margin->tiers.tier][margin->tiers.staking], 0);
}

/* Notionals up to here leave room in 64 bits for all that is added to them; all bits set, so that it bounds an OR. */
#define SMALL_VALUE (INT64_MAX / 4)

/*
 * The result of margin_need_add for one order of which nothing closes, where all of it fits 64 bits, as nearly always;
 * false where it does not. The sides differ by a mask, because a branch on them goes wrong every other time.
 */
static ALWAYS_INLINE bool need_small(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark,
                                     int64_t rate, int64_t price, int64_t open, int64_t *own)
{
    int64_t  lot, at_price, at_mark, loss, sells = -(int64_t)(side == SIDE_SELL);
    uint64_t worst, product;

    if (__builtin_mul_overflow(open, market->value_unit, &lot) || __builtin_mul_overflow(price, lot, &at_price)
        || __builtin_mul_overflow(mark, lot, &at_mark))
        return false;
    if (lot <= 0 || (at_price | at_mark) > SMALL_VALUE) return false;
    loss = ((at_price - at_mark) ^ sells) - sells;
    loss &= ~(loss >> 63);
    worst = (uint64_t)(at_price + (loss & sells)); /* a sale below the mark is worth the mark */
    if (__builtin_mul_overflow(worst, (uint64_t)rate, &product) || product > UINT64_MAX - RATE_ONE) return false;
    *own = (int64_t)((worst + leverage - 1) / leverage + (uint64_t)loss + (product + RATE_ONE - 1) / RATE_ONE);
    return true;
}

static COLD int128_t need_any(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark, int64_t rate,
                              int64_t price, int64_t open)
{
    struct margin_need need = {
        .worst = mark, .taker_rate = rate, .leverage = leverage, .power = market->power, .buy = side == SIDE_BUY
    };

    return margin_need_add(&need, price, open);
}

static ALWAYS_INLINE int128_t need_here(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark,
                                        int64_t rate, int64_t price, int64_t open)
{
    int64_t own = 0; /* gcc's thread sanitizer does not see that it is set */

    return need_small(market, leverage, side, mark, rate, price, open, &own)
             ? own
             : need_any(market, leverage, side, mark, rate, price, open);
}

static SHARED int128_t need_in(const struct market *market, uint32_t leverage, uint8_t side, int64_t mark, int64_t rate,
                               int64_t price, int64_t open)
{
    return open == 0 ? 0 : need_here(market, leverage, side, mark, rate, price, open);
}

/* No resting order of the row can open: then its sums are not kept. */
static bool is_without_orders(const struct position *position)
{
    return (position->volume[0] | position->volume[1]) == 0;
}

/*
 * The most that the price's movement since the sums were made can have added to them: each unit of volume its
 * notional, its margin, its fee (together less than three times the notional of the movement, as a leverage is at
 * least 1 and a fee at most all of it) and a unit for each of the three roundings per order.
 */
static COLD int128_t need_drift_of(const struct engine *e, const struct position *position, uint8_t side, int64_t now)
{
    int64_t then = position->need_at[side_index(side)], way = now > then ? now - then : then - now;

    int64_t volume = position->volume[side_index(side)];

    if (volume == 0) return 0;
    return 3
         * (market_value_floor(perps_book(e, position->market), way, volume) + 1 + 2 * (int128_t)position->order_count);
}

/* `worst`: the worst price of the side. */
static inline int128_t need_drift_to(const struct engine *e, const struct position *position, uint8_t side,
                                     int64_t worst)
{
    return worst == position->need_at[side_index(side)] ? 0 : need_drift_of(e, position, side, worst);
}

/* The row's sums at today's prices, and at today's fee. */
void position_need_refresh(struct engine *e, struct position *position);

#endif
