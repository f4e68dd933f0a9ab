/* SPDX-License-Identifier: MIT */
/*
 * liquidation_order.h — IOC orders of the venue in the name of a position: they close the shortage of a unit in
 * liquidation (mechanics 3.11, stage 1) and unwind the fund's positions (mechanics 3.13).
 */
#ifndef CORE_LIQUIDATION_LIQUIDATION_ORDER_H
#define CORE_LIQUIDATION_LIQUIDATION_ORDER_H

#include "core/liquidation/liquidation_unit.h"
#include "core/perps/perps_take.h"

/* One such order: it takes from the book and ends. Returns the closed quantity, and its value. */
struct liquidation_fill {
    int64_t quantity, value;
};
struct liquidation_fill liquidation_order(struct apply_context *ctx, struct position *position, int64_t quantity,
                                          int64_t limit, uint8_t reason);

/*
 * The positions one after the other, the largest first; one whose book has no counterparty is skipped. True when the
 * unit is healthy again or has no position left.
 */
bool liquidation_sale(struct apply_context *ctx, const struct unit_entry *unit, struct health *health);

#endif
