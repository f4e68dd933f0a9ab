/* SPDX-License-Identifier: MIT */
/* composition.h — emits the inputs of a symbol's index and mark, so that anyone can recompute them
 * (mechanics 3.8, 3.9). */
#ifndef CORE_PRICES_COMPOSITION_H
#define CORE_PRICES_COMPOSITION_H

#include "core/state/state.h"

/* The mark of this TICK: its inputs, and the three prices that came of them. */
void composition_of_mark(struct perps_market *perps, const struct mark_inputs *in, const struct mark_step *step);

/*
 * Appends INDEX_COMPOSED for every symbol whose composition differs from the last one emitted. Once in a TICK, after
 * its prices.
 */
void composition_emit(struct apply_context *ctx);

/*
 * Appends INDEX_COMPOSED of one market (its number), unless this TICK has emitted it: a receipt follows the inputs of
 * its decision.
 */
void composition_emit_now(struct apply_context *ctx, uint8_t number);

#endif
