/* SPDX-License-Identifier: MIT */
/* composition.h — tells what index and mark of a symbol are made
   of, so that anybody can work them out again (issue 16). */
#ifndef CORE_PRICES_COMPOSITION_H
#define CORE_PRICES_COMPOSITION_H

#include "core/state/state.h"

/* The mark of this TICK: its inputs, and the three prices that came of them. */
void composition_of_mark(struct perps_market *perps, const struct mark_inputs *in, const struct mark_step *step);

/* Appends INDEX_COMPOSED for every symbol whose composition is not
   what was told last. Once in a TICK, behind its prices. */
void composition_emit(struct apply_context *ctx);

/* Appends INDEX_COMPOSED of one market (its number), unless this TICK
   has told it: a receipt stands behind what it was decided by. */
void composition_emit_now(struct apply_context *ctx, uint8_t number);

#endif
