/* SPDX-License-Identifier: MIT */
/*
 * post_trade.h — who trades does not reach beyond what he has (mechanics 1.6, 10: IMreq_after <= max(E, IMreq_before)).
 *
 * An order that opens is checked before it is let in. What closes is not, and it can still leave more to be covered
 * than there was: a resting order that would only have closed opens once the position is gone, and a loss leaves less
 * to cover it with. And the margin of an isolated position comes from the price it is opened at, which may be above the
 * mark. Then the account's resting orders that open are cancelled, the latest first, until what is left is covered.
 */
#ifndef CORE_PERPS_POST_TRADE_H
#define CORE_PERPS_POST_TRADE_H

#include "core/perps/position.h"

/* What the account needed before an order of its trades; looked at only where trading it can make that more. */
struct post_trade {
    uint32_t account;
    bool     watched;
    int128_t before;
};
struct post_trade post_trade_note(struct engine *e, const struct position *position, const struct order *order,
                                  uint8_t type);

/* The same of an order that is replaced and has left the book: before that its account needed `before`, as
   post_trade_needs said then of what it becomes, which goes to `price`. */
int128_t          post_trade_needs(struct engine *e, const struct position *position, uint8_t side, int64_t price);
struct post_trade post_trade_note_replaced(struct engine *e, const struct position *position, const struct order *order,
                                           int128_t before);

/*
 * Cancels, MARGIN_INSUFFICIENT, what is not covered any more. `opened_isolated`: the order opened an isolated position;
 * then the cross account must also cover what orders on isolated symbols reserve, what is left of this one included
 * (ruling 65).
 */
void post_trade_keep(struct apply_context *ctx, const struct post_trade *post_trade, bool opened_isolated);

/* Whether `amount` may leave the bucket of an isolated row: its orders
   may lean on it, and then the wallet has to carry them. */
bool post_trade_may_release(struct engine *e, struct position *position, int64_t amount);

#endif
