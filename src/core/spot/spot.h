/* SPDX-License-Identifier: MIT */
/*
 * spot.h — admit, match, settle and tell for spot orders.
 *
 *   admit   filters → reject; hold the worst case in the ledger
 *   match   match.c: prices, quantities, time
 *   settle  move what was agreed out of holds; cannot fail, it asserts
 *   tell    events
 */
#ifndef CORE_SPOT_SPOT_H
#define CORE_SPOT_SPOT_H

#include "core/book/filter.h"
#include "core/book/match.h"

/* POST /trade/orders/batch, one item for the account in `slot`. */
void spot_place(struct apply_context *ctx, uint32_t slot, const struct new_order *item, struct result *result);

/* DELETE /trade/orders/batch, one item (ruling 56). */
void spot_cancel(struct apply_context *ctx, uint32_t slot, const struct cancel_order *item, struct result *result);

/* Ends an open order: out of the book, what it holds given back, its last event told. */
void spot_end(struct apply_context *ctx, uint32_t order_ix, uint8_t status, uint8_t reason);

/* Lets the taker take what it can; its fills, makers and levels are told. Says why it stopped. */
enum match_stop spot_take(struct apply_context *ctx, struct market *market, struct taker *taker);

/* What an item's account may spend of a coin. */
struct decimal spot_amount(const struct engine *e, uint32_t coin_id, int128_t amount);

#endif
