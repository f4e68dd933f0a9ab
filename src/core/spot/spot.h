/* SPDX-License-Identifier: MIT */
/*
 * spot.h — spot orders: admit, match, settle, emit.
 *
 *   admit   filters → reject; hold the worst case in the ledger
 *   match   match.c: prices, quantities, time
 *   settle  move the agreed amounts out of holds; cannot fail, it asserts
 *   emit    events
 */
#ifndef CORE_SPOT_SPOT_H
#define CORE_SPOT_SPOT_H

#include "core/book/filter.h"
#include "core/book/match.h"
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

/* The same as spot_place_alone for the cancel of an order that is there, by its id or by the item's own client id. */
bool spot_cancel_alone(struct engine *e, const struct lone *lone, const struct cancel_order *item,
                       struct events *events);

/* DELETE /trade/orders/batch, one item (ruling 56). */
void spot_cancel(struct apply_context *ctx, uint32_t slot, const struct cancel_order *item, struct result *result);

/* Ends an open order: removes it from the book, releases its hold, emits its last event. */
void spot_end(struct apply_context *ctx, uint32_t order_ix, uint8_t status, uint8_t reason);

/* Lets the taker trade as far as it can; emits its fills, makers and levels. Returns why it stopped. */
enum match_stop spot_take(struct apply_context *ctx, struct market *market, struct taker *taker);

#endif
