/* SPDX-License-Identifier: MIT */
/* perps_replace.h — open perps orders changed: replace a resting one,
   modify a TP/SL one that has not fired (mechanics 2.8, 4.6). */
#ifndef CORE_PERPS_PERPS_REPLACE_H
#define CORE_PERPS_PERPS_REPLACE_H

#include "core/perps/perps_check.h"

/* POST /trade/orders/replace on the perps base: NORMAL orders and parents of brackets. */
void perps_replace(struct apply_context *ctx, uint32_t slot, const struct replace_order *item, struct result *result);

/* POST /trade/orders/modify. */
void perps_modify(struct apply_context *ctx, uint32_t slot, const struct modify_order *command, struct result *result);

#endif
