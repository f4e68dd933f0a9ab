/* SPDX-License-Identifier: MIT */
/*
 * prices.h — index, mark, premium and funding of every perps symbol, moved by TICKs (mechanics 3.8 to 3.10).
 * Feeders' posts only take effect here, so a replay with the same TICKs finds the same prices.
 */
#ifndef CORE_PRICES_PRICES_H
#define CORE_PRICES_PRICES_H

#include "core/perps/position.h"

#define QUIET_SECONDS_MAX 60 /* a larger gap in time is a jump (ruling 43)                  */

/* TICK steps 3 to 6: aggregation, premium sample, mark, funding; of each second that a quiet exchange left out
 * (quiet.h). */
void prices_tick(struct apply_context *ctx);

/*
 * Index and mark of a fresh symbol: its listing reference price. Where the genesis makes these count as set by hand
 * (development, ruling 77), every symbol is LIVE at once; otherwise symbols begin with BOOTSTRAP.
 */
void prices_init(struct engine *e, const struct genesis *genesis);

/* Appends PRICE for every symbol whose prices, rate, state or open interest changed since the last call. */
void prices_emit(struct apply_context *ctx);

#endif
