/* SPDX-License-Identifier: MIT */
/*
 * liquidate.h — units below their maintenance margin (mechanics 3.11 to 3.13): orders cancelled, the shortage sold
 * into the book, the rest taken over by the insurance fund or, where the fund's limits forbid it, closed against the
 * other side (adl.h). The units per TICK are bounded; the rest continues with the next TICK, which is then due at
 * once.
 */
#ifndef CORE_LIQUIDATION_LIQUIDATE_H
#define CORE_LIQUIDATION_LIQUIDATE_H

#include "core/perps/perps_take.h"

/* TICK steps 8 and 9: the scan, then the unwinding of the fund's positions. */
void liquidate_tick(struct apply_context *ctx, bool goes_on);

#endif
