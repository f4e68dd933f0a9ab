/* SPDX-License-Identifier: MIT */
/* spot_replace.h — a resting order gets a new price or quantity: same order, same id (ruling 11, mechanics 2.8). */
#ifndef CORE_SPOT_SPOT_REPLACE_H
#define CORE_SPOT_SPOT_REPLACE_H

#include "core/state/state.h"

/* POST /trade/orders/replace, one item. Whatever is refused leaves the order untouched. */
void replace_apply(struct apply_context *ctx, uint32_t slot, const struct replace_order *item, struct result *result);

#endif
