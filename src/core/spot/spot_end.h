/* SPDX-License-Identifier: MIT */
/* spot_end.h — an open spot order leaves the book without a trade: a cancel, whoever asks for it, or another end. */
#ifndef CORE_SPOT_SPOT_END_H
#define CORE_SPOT_SPOT_END_H

#include "core/state/lone.h"

/* DELETE /trade/orders/batch, one item (ruling 56). */
void spot_cancel(struct apply_context *ctx, uint32_t slot, const struct cancel_order *item, struct result *result);

/*
 * Runs an item that is all of its command and tells all of that, when it cancels an order that is there, by its id or
 * by the item's own client id. False: it does not, and nothing has changed.
 */
bool spot_cancel_alone(struct engine *e, const struct lone *lone, const struct cancel_order *item,
                       struct events *events);

/* Ends an open order: removes it from the book, releases its hold, emits its last event. */
void spot_end(struct apply_context *ctx, uint32_t order_ix, uint8_t status, uint8_t reason);

#endif
