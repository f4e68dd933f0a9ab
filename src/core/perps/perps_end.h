/* SPDX-License-Identifier: MIT */
/* perps_end.h — the end of a perps order in any state, and its effect on its group (mechanics 4.3, 5.1). */
#ifndef CORE_PERPS_PERPS_END_H
#define CORE_PERPS_PERPS_END_H

#include "core/perps/position.h"

/* Ends an open perps order of any kind: book, trees, sums, indexes; children and siblings follow (mechanics 5.1). */
void perps_end(struct apply_context *ctx, uint32_t ix, uint8_t status, uint8_t reason);

/* Everything that is emitted when an order is cancelled that rests and has no part in a group. */
struct canceled_events {
    struct level_changed       level;
    struct perps_order_changed order;
};

/* Whether it rests and can open, as nearly all do. */
static inline bool perps_end_is_plain(const struct order *order)
{
    return order->level != 0 && (order->time_in_force & (ORDER_REDUCES | ORDER_HAS_STOP | ORDER_IS_STOP)) == 0;
}

/* Such an order with what its end changes; and its end by its owner, told into room that was taken. */
struct plain_end {
    struct market   *market;
    struct account  *account;
    struct position *position;
    struct order    *order;
    uint32_t         ix;
};
void perps_end_plain(struct engine *e, const struct plain_end *end, struct canceled_events *events);

/* The same for an order of this market and row that its owner cancels; `position` is the account's row there. */
void perps_end_canceled(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix);

/* An order that has ended leaves its row's counts, its relations and the pool; emits its last event. */
void perps_forget(struct apply_context *ctx, struct position *position, uint32_t ix);
/* The same for a caller that knows the order's record. */
void perps_forget_order(struct apply_context *ctx, struct position *position, struct order *order, uint32_t ix);
/* Its relations: perps_forget_order, which is expanded in its callers, leaves them to this one. */
void perps_leave_group(struct apply_context *ctx, uint32_t ix);

#endif
