/* SPDX-License-Identifier: MIT */
/*
 * risk_unit.h — risk units: the equity of an account on perps, the needs of its positions and open orders, and the
 * uses of the difference (mechanics 3.3 to 3.5).
 *
 * A unit is the cross account (wallet and all cross positions) or one isolated position.
 */
#ifndef CORE_PERPS_RISK_UNIT_H
#define CORE_PERPS_RISK_UNIT_H

#include "core/perps/position_row.h"

/* Asks early for the perps side of an account. */
static inline void risk_unit_prefetch(const struct engine *e, uint32_t slot) { FETCH(engine_margins(e) + slot); }

/* Whether nothing may be forced on a symbol: it is halted, or its index is stale (mechanics 3.8, 3.15). */
static inline bool perps_is_suspended(const struct engine *e, uint8_t market)
{
    return !market_trades(e, market_at(e, market)) || perps_at(e, market)->state == ORACLE_IS_STALE;
}

/* The cross account at the present marks. */
struct risk_unit {
    int128_t profit;               /* U */
    int128_t worst;                /* U at the worst prices (ruling 63) */
    int128_t counted;              /* the same, a profit counting 0 while a mark catches up (mechanics 3.3) */
    int128_t maintenance, initial; /* sum MM, sum posIM */
};
struct risk_unit risk_unit_cross(const struct engine *e, uint32_t slot);

/*
 * The same with profits and initial margin alone, with profits and their counting part; the equity alone, at the marks
 * and at the worst prices.
 */
struct risk_unit risk_unit_cross_initial(const struct engine *e, uint32_t slot);
struct risk_unit risk_unit_cross_counted(const struct engine *e, uint32_t slot);
int128_t         risk_unit_worth(const struct engine *e, uint32_t slot);
int128_t         risk_unit_worst_equity(const struct engine *e, uint32_t slot);

/*
 * The equity, and its remainder at the worst prices after all needs in any order of trades: the margin of the cross
 * positions, and for every row both sides' needs as if nothing closed.
 */
struct worth {
    int128_t whole, spare;
};
struct worth risk_unit_worth_spare(struct engine *e, uint32_t slot);
int128_t     risk_unit_spare(struct engine *e, uint32_t slot);

static inline int128_t risk_unit_equity(const struct engine *e, uint32_t slot, const struct risk_unit *unit);

/*
 * The needs of orders and positions outside the row `except` (may be NULL): cross rows' IMreq, isolated rows' reserve
 * R.
 */
struct demand {
    int128_t required, reserve;
};
struct demand risk_unit_demand(struct engine *e, uint32_t slot, const struct position *except);
struct demand risk_unit_demand_most(struct engine *e, uint32_t slot,
                                    const struct position *except); /* no less than it */

/*
 * Whether the kept sums alone show that a cross account covers one more order (`open` at `price`) and everything else:
 * never true where risk_unit_demand and position_required refuse. `position` may be a row that does not exist yet.
 * False proves nothing; then only `own` is written.
 */
struct cover {
    int128_t own;   /* the need of the order, -1: unknown */
    int128_t spare; /* the least remainder when nothing closes, 0: unknown */
    bool     both;  /* ... of risk_unit_worth_spare, which counts the needs of both sides, less `own` */
};
bool risk_unit_covers_most(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                           int64_t open, struct cover *cover);

/*
 * The same where the row is its account's only one: the two running sums in full and the position's margin, all in 64
 * bits. False proves nothing, and writes nothing.
 */
bool risk_unit_covers_alone(const struct engine *e, const struct unit_row *row, uint8_t side, int64_t price,
                            int64_t open, struct cover *cover);

/* R of mechanics 3.3 beside the one row `except` (may be NULL): what open orders on isolated symbols reserve. */
int128_t risk_unit_reserve(struct engine *e, uint32_t slot, const struct position *except);

/* am, ami and amw of mechanics 3.3. */
struct available {
    int128_t margin, isolated, transferable;
};
struct available risk_unit_available(struct engine *e, uint32_t slot);

/* An amount for events only: clamped to the bound of amounts. */
static inline int64_t risk_unit_shown(int128_t amount)
{
    return (int64_t)margin_max(-AMOUNT_MAX, margin_min(amount, AMOUNT_MAX));
}

/* One risk unit of a row: its equity E and maintenance MM. */
struct health {
    int128_t equity, maintenance;
};
struct health risk_unit_health(const struct engine *e, const struct position *position);

/* The price beyond which closing the row's position would take more than its share of the unit's equity. */
int64_t risk_unit_bankruptcy_price(const struct engine *e, const struct position *position);

/*
 * Whether a price at which the row is closed is within its bound, by a cheap sufficient test. The only position of its
 * unit has the whole equity as its share, because its maintenance is the unit's and is not 0 where its value is not;
 * so the bound is the price at which the value has lost `worth`, the unit's equity, rounded to the tick towards the
 * mark, and a price one tick inside it passes. False proves nothing.
 */
bool risk_unit_surely_bears(const struct engine *e, const struct position *position, int64_t price, int128_t worth);

static inline int128_t risk_unit_equity(const struct engine *e, uint32_t slot, const struct risk_unit *unit)
{
    return engine_margins(e)[slot].wallet + unit->profit;
}

#endif
