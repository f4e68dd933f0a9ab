/* SPDX-License-Identifier: MIT */
/*
 * liquidation_unit.h — a risk unit that is looked at because it may be below its maintenance margin: the cross account
 * of a slot, or one isolated row (struct unit_entry). Which rows it has, how it stands, how far its liquidation is.
 */
#ifndef CORE_LIQUIDATION_LIQUIDATION_UNIT_H
#define CORE_LIQUIDATION_LIQUIDATION_UNIT_H

#include "core/perps/risk_unit.h"

/* Every row of the unit, one after the other: the statement behind it is done for each that has a position. */
#define TROUBLE_EACH(row_, e, unit)                                                                                    \
    for (struct position *row_ = engine_margins(e)[(unit)->slot].positions != 0                                        \
                                   ? position_at((e), engine_margins(e)[(unit)->slot].positions)                       \
                                   : NULL;                                                                             \
         row_ != NULL; row_ = row_->next != 0 ? position_at((e), row_->next) : NULL)                                   \
        if (row_->exposure.size != 0                                                                                   \
            && ((unit)->market != 0 ? row_->market == (unit)->market : !position_is_isolated(row_)))

/*
 * The row of the unit with the largest maintenance margin, then the lowest market; NULL = none. Skips the markets in
 * `without` (a bit each), and suspended symbols, where nothing is forced.
 */
struct position *liquidation_unit_largest_without(const struct engine *e, const struct unit_entry *unit,
                                                  uint64_t without);
struct position *liquidation_unit_largest(const struct engine *e, const struct unit_entry *unit);

/* Equity and maintenance margin at mark, vUSDC units; both zero for a row that is gone. */
struct health liquidation_unit_health(const struct engine *e, const struct unit_entry *unit);

/*
 * t of mechanics 3.11, the worse of mark and index for the position, and its notional there, so that a lagging mark is
 * no option against the venue.
 */
int64_t  liquidation_unit_worse_price(const struct engine *e, const struct position *position);
int128_t liquidation_unit_worse_value(const struct engine *e, const struct position *position);

/* E_t: the unit's equity with each position at its t, where `equity` is the one at mark. */
int128_t liquidation_unit_worse_equity(const struct engine *e, const struct unit_entry *unit, int128_t equity);

/*
 * A position's share of its unit's equity, each computed of the whole; the last one gets the remainder (mechanics
 * 3.11).
 */
int128_t liquidation_unit_share(struct health whole, int128_t own, struct health left);

/*
 * The rows that are not suspended, as a unit of their own (mechanics 3.11): their part of the equity at mark is in
 * proportion to maintenance margin; at t it is this part less the amount by which their own marks are better than t.
 * `wallet` is the account's money after they are gone with their part: it may be below zero where the suspended rows
 * are in profit. Without suspended rows the part is all of the unit.
 */
struct live_part {
    struct health at_mark, at_worse;
    int128_t      wallet;
};
struct live_part liquidation_unit_live(const struct engine *e, const struct unit_entry *unit, struct health whole);

/* A row of the unit cannot be closed now, because its symbol is suspended. */
bool liquidation_unit_has_suspended(const struct engine *e, const struct unit_entry *unit);

/* Whether it is being liquidated since an earlier TICK; if so unit->liquidation is the number. */
bool liquidation_unit_known(const struct engine *e, struct unit_entry *unit);

/* Starts its liquidation under a new number, or continues it; ends it. Both emit an event where something changes. */
void liquidation_unit_enter(struct apply_context *ctx, struct unit_entry *unit, struct health health);
void liquidation_unit_leave(struct apply_context *ctx, const struct unit_entry *unit);

/* Appends UNIT and its positions (mechanics 3.11). */
void liquidation_unit_emit(struct apply_context *ctx, const struct unit_entry *unit, uint8_t stage,
                           struct health health);

#endif
