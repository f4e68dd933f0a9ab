/* SPDX-License-Identifier: MIT */
/*
 * post_trade.h — after a trade, required margin ≤ max(equity, requirement before) (mechanics 1.6, 10: IMreq_after <=
 * max(E, IMreq_before)).
 *
 * An opening order is checked at admission. A closing one is not, and it can still leave a larger need than before: a
 * resting order that would only have closed opens once the position is gone, and a loss reduces the equity. And the
 * margin of an isolated position comes from its opening price, which may be above the mark. Then the account's resting
 * orders that open are cancelled, the latest first, until the rest is covered.
 */
#ifndef CORE_PERPS_POST_TRADE_H
#define CORE_PERPS_POST_TRADE_H

#include "core/perps/position.h"

/*
 * The account's need before an order of its trades; computed only where the trade can raise it. `cover`: of the order's
 * admission in the same command, before any trade; NULL = not known.
 */
struct post_trade {
    uint32_t account;
    bool     watched;
    int128_t before;
};
struct post_trade post_trade_note(struct engine *e, const struct position *position, const struct order *order,
                                  uint8_t type, const struct cover *cover);

/*
 * The same for a replaced order that has left the book: its account needed `before`, as post_trade_needs returned for
 * the new form of the order, which goes to `price`.
 */
int128_t          post_trade_needs(struct engine *e, const struct position *position, uint8_t side, int64_t price);
struct post_trade post_trade_note_replaced(struct engine *e, const struct position *position, const struct order *order,
                                           int128_t before);

/*
 * Cancels, MARGIN_INSUFFICIENT, the orders that are not covered any more. `opened_isolated`: the order opened an
 * isolated position; then the cross account must also cover the reserve of orders on isolated symbols, the rest of
 * this one included (ruling 65).
 */
void post_trade_keep(struct apply_context *ctx, const struct post_trade *post_trade, bool opened_isolated);

/* Whether `amount` may leave the bucket of an isolated row: its orders
   may lean on it, and then the wallet has to carry them. */
bool post_trade_may_release(struct engine *e, struct position *position, int64_t amount);

#endif
