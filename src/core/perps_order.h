/* SPDX-License-Identifier: MIT */
/*
 * perps_order.h — orders of the perps side: admit, work, rest (service: perps place, cancel, replace;
 * mechanics 3.4 to 3.7, 3.14, 4). Filters are those of spot (filter.h); the margin check is unit.h's.
 */
#ifndef CORE_PERPS_ORDER_H
#define CORE_PERPS_ORDER_H

#include "core/filter.h"
#include "core/perps_take.h"

/* POST /trade/orders: an item of the batch; the first item of a bracket places its whole group. */
void perps_place(struct turn *turn, uint32_t slot, const struct perps_order *item, struct result *result);

/* DELETE /trade/orders. */
void perps_cancel(struct turn *turn, uint32_t slot, const struct perps_cancel *item, struct result *result);

/* POST /trade/orders/replace on the perps base. */
void perps_replace(struct turn *turn, uint32_t slot, const struct replace_order *item, struct result *result);

/* POST /trade/orders/modify (mechanics 4.6). */
void perps_modify(struct turn *turn, uint32_t slot, const struct modify_order *command, struct result *result);

/* Lets an accepted order in its slot take what it can, then rest, end, or (a stop-market) be tried again. */
void perps_work(struct turn *turn, uint32_t ix, uint8_t type, int64_t funds);

/* The checks a standalone stop goes through when it fires (mechanics 4.5); REJECT_NONE = it may work. */
enum reject perps_may_open(struct engine *e, uint32_t ix, uint8_t type);

#endif
