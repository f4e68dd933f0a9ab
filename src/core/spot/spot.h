/* SPDX-License-Identifier: MIT */
/*
 * spot.h — a new spot order.
 *
 *   admit   filters → reject; hold the worst case in the ledger
 *   match   match.c: prices, quantities, time
 *   settle  spot_take.c: amounts out of holds
 *   rest    what is left of a GTC or GTX order comes into the book; another one ends
 *   emit    events
 */
#ifndef CORE_SPOT_SPOT_H
#define CORE_SPOT_SPOT_H

#include "core/state/lone.h"

/* POST /trade/orders/batch, one item for the account in `slot`. */
void spot_place(struct apply_context *ctx, uint32_t slot, const struct new_order *item, struct result *result);

/*
 * Runs an item that is all of its command and tells all of that, when it is an order that comes to rest at once. False:
 * it is none, and nothing has changed.
 */
bool spot_place_alone(struct engine *e, const struct lone *lone, const struct new_order *item, struct events *events);

/* spot_place for an order that spot_place_alone refused. */
void spot_place_other(struct apply_context *ctx, uint32_t slot, const struct new_order *item, struct result *result);

#endif
