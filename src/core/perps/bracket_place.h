/* SPDX-License-Identifier: MIT */
/* bracket_place.h — a BRACKET with its one or two ATTACHED_STOPs: all
   of it or nothing (perps place rule 4, mechanics 4.3). */
#ifndef CORE_PERPS_BRACKET_PLACE_H
#define CORE_PERPS_BRACKET_PLACE_H

#include "core/perps/perps_check.h"

/* Places the whole batch; `results` are those of its items, which on a refusal are all the same. */
void bracket_place(struct apply_context *ctx, uint32_t slot, const struct place_perps *batch, struct result *results);

#endif
