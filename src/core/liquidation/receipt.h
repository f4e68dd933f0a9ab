/* SPDX-License-Identifier: MIT */
/* receipt.h — the public record of every stage of a liquidation: LIQUIDATION, whose members events_perps.h explains. */
#ifndef CORE_LIQUIDATION_RECEIPT_H
#define CORE_LIQUIDATION_RECEIPT_H

#include "core/liquidation/liquidation_unit.h"

/*
 * Records the state before the stage: unit, position, prices, the fund. `health` is the unit's at mark;
 * unit->liquidation 0 is allowed for the fund and for settlements, whose receipt gets an incident of its own when it
 * is emitted.
 */
struct liquidated receipt_of(const struct engine *e, const struct unit_entry *unit, const struct position *position,
                             uint8_t stage, struct health health);

/*
 * From here on forced fills, and the ends of positions by them, carry the receipt's incident, until it is emitted or
 * receipt_drop ends a stage that moved nothing. An incident without a number yet is emitted under the next one.
 */
void               receipt_begin(struct apply_context *ctx, const struct liquidated *receipt);
static inline void receipt_drop(struct apply_context *ctx)
{
    assert(ctx->liquidation != 0);
    ctx->liquidation = 0;
}

/*
 * Appends it, with the quantity closed by the stage and its value in total; returns its id. The position may be gone
 * by now.
 */
uint64_t receipt_emit(struct apply_context *ctx, struct liquidated *receipt, int64_t quantity, int128_t value);

#endif
