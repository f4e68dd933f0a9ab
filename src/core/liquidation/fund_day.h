/* SPDX-License-Identifier: MIT */
/*
 * fund_day.h — the insurance fund's limits of loss in a UTC day, its losses so far, and the events about its state
 * (mechanics 3.13, ruling 66). Amounts in vUSDC units.
 *
 * Both limits are shares of the wallet at the first TICK of the day: ifMaxLoss for each symbol, ifMaxLossTotal for all
 * together. Deposits during the day do not raise them; they count from the next day on.
 */
#ifndef CORE_LIQUIDATION_FUND_DAY_H
#define CORE_LIQUIDATION_FUND_DAY_H

#include "core/state/state.h"

/* Every TICK: the first one of a UTC day begins new counts. */
void fund_day_begin(struct engine *e);

/* The remainder of the day's limits; at least 0. */
int128_t fund_symbol_limit(const struct engine *e, uint8_t market);
int128_t fund_total_limit(const struct engine *e);
int128_t fund_symbol_left(const struct engine *e, uint8_t market);
int128_t fund_total_left(const struct engine *e);

/* The most that the fund could pay at once: 0 unless its wallet and its margin allow it. */
int128_t fund_money(struct engine *e);

/* The most that the fund may lose on a symbol now: the least of the three above. */
int128_t fund_budget(struct engine *e, uint8_t market);

/* A loss of the fund on a symbol, charged to the day; an amount that is not above 0 charges nothing. */
void fund_lost(struct engine *e, uint8_t market, int128_t amount);

/*
 * Counts a loss that deleveraging puts on the fund: as a candidate (mechanics 3.12, 4), or where no other party could
 * bear more (5). No limit applies to it; an amount that is not above 0 counts nothing.
 */
void fund_lost_beyond(struct engine *e, uint8_t market, int128_t amount);

/* The notional that the fund may hold of a symbol; 0 = as much as its equity carries (mechanics 3.13, ruling 31). */
int128_t fund_inventory_limit(const struct engine *e, uint8_t market);

/* End of a TICK: appends FUND for the whole and for each symbol where something other than the mark has changed. */
void fund_emit(struct apply_context *ctx);

/* I66: today's charges are within both limits, and those of the symbols add up to the total. */
void fund_verify(const struct engine *e);

#endif
