/* SPDX-License-Identifier: MIT */
/*
 * perps.h — the perps markets: numbers, prices, and predicates of an order on them.
 *
 * Spot and perps share orders, books and levels. Inside, a market has one number: a spot symbol its id, a perps symbol
 * PERPS_FIRST + id - 1.
 */
#ifndef CORE_PERPS_PERPS_H
#define CORE_PERPS_PERPS_H

#include "core/state/market.h"
#include "core/book/order.h"
#include "core/state/rulings.h"
#include "core/state/side.h"

static inline struct perps_market *perps_at(const struct engine *e, uint8_t number)
{
    assert(number - (uint32_t)PERPS_FIRST < e->perps_count); /* a spot market's number is far above it then */
    return engine_perps(e) + (number - PERPS_FIRST);
}
/* Its book as market_at has it, with one comparison; the same by perps_at for callers that know it is perps. */
static inline struct market *perps_book(const struct engine *e, uint8_t number)
{
    assert(number - (uint32_t)PERPS_FIRST < e->perps_count);
    return (struct market *)(uintptr_t)&e->markets[number - 1];
}
static inline struct perps_market *perps_of(const struct engine *e, const struct market *market)
{
    return perps_at(e, market->number);
}

/* How far trading is restricted, by its own mode and the venue's: every rule about opening uses this. */
static inline uint8_t perps_phase(const struct engine *e, const struct perps_market *perps)
{
    return phase_in_mode(perps->settlement.phase, e->mode);
}

/* The stop record of an order's slot. */
static inline struct stop *stop_at(const struct engine *e, uint32_t ix) { return engine_stops(e) + ix; }

/* Its last price is known: nothing trades any more, and no price moves (mechanics 3.15). */
static inline bool market_is_settled(const struct market *market) { return market->symbol.status == SYMBOL_SETTLED; }

/*
 * The worst price for the side that holds or opens, in price units: the lowest of mark, index and, while a jump is
 * held back, the held median for longs (SIDE_BUY), the highest of them for shorts (ruling 63). E and u are valued at
 * it wherever initial margin is checked and where money leaves; liquidation, shown profit, funding and all margins use
 * the mark.
 */
static inline int64_t perps_worst_of(const struct perps_market *perps, uint8_t side)
{
    int64_t mark = perps->mark, index = perps->index, held = perps->held_price, worst;

    if (!RULING(63)) return mark;
    worst = side == SIDE_BUY ? min_i64(mark, index) : max_i64(mark, index);
    if (__builtin_expect(held == 0, 1)) return worst;
    return side == SIDE_BUY ? min_i64(worst, held) : max_i64(worst, held);
}

/* The same for a signed size; of none that of longs. */
static inline int64_t perps_worst(const struct perps_market *perps, int64_t size)
{
    return perps_worst_of(perps, size < 0 ? SIDE_SELL : SIDE_BUY);
}

/* The unrealised profit of a symbol counts as 0 while the mark is more than 1 % away from the index (mechanics 3.3). */
static inline bool perps_catches_up(const struct perps_market *perps)
{
    int64_t away = perps->mark > perps->index ? perps->mark - perps->index : perps->index - perps->mark;
    return (int128_t)away * 100 > perps->index;
}

#endif
