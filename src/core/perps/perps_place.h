/* SPDX-License-Identifier: MIT */
/* perps_place.h — an order of the perps side is placed: alone, or as a group (service 4.6). */
#ifndef CORE_PERPS_PERPS_PLACE_H
#define CORE_PERPS_PERPS_PLACE_H

#include "core/perps/perps_check.h"

/* POST /trade/orders: an item of the batch; the first item of a bracket places its whole group. */
void perps_place(struct apply_context *ctx, uint32_t slot, const struct perps_order *item, struct result *result);

#endif
