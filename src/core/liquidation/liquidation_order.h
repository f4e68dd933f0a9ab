/* SPDX-License-Identifier: MIT */
/*
 * liquidation_order.h — orders of the house in the name of a position: they take from the book and are gone. What a
 * unit in trouble is short of is sold this way first (mechanics 3.11, stage 1), and what the fund had to take
 * (mechanics 3.13).
 */
#ifndef CORE_LIQUIDATION_LIQUIDATION_ORDER_H
#define CORE_LIQUIDATION_LIQUIDATION_ORDER_H

#include "core/liquidation/liquidation_unit.h"
#include "core/perps/perps_take.h"

/* An order of the house in the name of the position: it takes and is gone. Returns what it closed, and for how much. */
struct liquidation_fill {
    int64_t quantity, value;
};
struct liquidation_fill liquidation_order(struct apply_context *ctx, struct position *position, int64_t quantity,
                                          int64_t limit, uint8_t reason);

/* The positions one after the other, the largest first; one whose book gives nothing is left out. True when the unit is
   healthy again or nothing is left of it. */
bool liquidation_sale(struct apply_context *ctx, const struct unit_entry *unit, struct health *health);

#endif
