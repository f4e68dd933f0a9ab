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

/* The row of the unit that needs the largest maintenance margin, then the lowest market; NULL = none. Not one of the
   markets in `without` (a bit each), and none whose symbol is suspended: nothing is forced there. */
struct position *liquidation_unit_largest_without(const struct engine *e, const struct unit_entry *unit,
                                                  uint64_t without);
struct position *liquidation_unit_largest(const struct engine *e, const struct unit_entry *unit);

/* Equity and maintenance margin at mark, vUSDC units; both zero for a row that is gone. */
struct health liquidation_unit_health(const struct engine *e, const struct unit_entry *unit);

/* t of mechanics 3.11, the worse of mark and index for the position, and its
   notional there: the lag of the mark is no option against anybody. */
int64_t  liquidation_unit_worse_price(const struct engine *e, const struct position *position);
int128_t liquidation_unit_worse_value(const struct engine *e, const struct position *position);

/* E_t: the unit's equity with each position at its t, where `equity` is the one at mark. */
int128_t liquidation_unit_worse_equity(const struct engine *e, const struct unit_entry *unit, int128_t equity);

/* What a position has of its unit's equity, each of the whole; the
   last one has what the others left (mechanics 3.11). */
int128_t liquidation_unit_share(struct health whole, int128_t own, struct health left);

/*
 * The rows that are not suspended, as a unit of their own (mechanics 3.11): by maintenance margin they have their part
 * of the equity at mark, at t this part less what their own marks are better than t. `wallet` is what the account keeps
 * when they are gone with it: it may be below zero where the suspended rows are in profit. Without suspended rows the
 * part is all of the unit.
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

/* Its liquidation begins under a new number, or goes on; ends. Both are told where they change something. */
void liquidation_unit_enter(struct apply_context *ctx, struct unit_entry *unit, struct health health);
void liquidation_unit_leave(struct apply_context *ctx, const struct unit_entry *unit);

/* Appends UNIT and its positions (mechanics 3.11). */
void liquidation_unit_emit(struct apply_context *ctx, const struct unit_entry *unit, uint8_t stage,
                           struct health health);

#endif
