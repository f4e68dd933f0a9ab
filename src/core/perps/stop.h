/* SPDX-License-Identifier: MIT */
/*
 * stop.h — TP/SL orders until they work: armed ones in trees by price, dormant ones behind their parent, those that
 * are retried, and the links between parent and children (mechanics 4).
 *
 *     PENDING_NEW (dormant) ──▶ NEW (armed) ──▶ TRIGGERED ──▶ works like any order, or is retried
 *
 * An armed order is in the tree of (market, trigger, direction) and in no level. The search for orders that a price
 * fires costs in proportion to their number.
 */
#ifndef CORE_PERPS_STOP_H
#define CORE_PERPS_STOP_H

#include "core/perps/position.h"

/* Whether the condition of mechanics 4.1 holds. */
bool stop_fires(uint8_t side, uint8_t kind, int64_t price, int64_t reference);

/* Today's reference of a trigger type; 0 = there is none yet. */
int64_t stop_reference(const struct engine *e, const struct market *market, uint8_t trigger);

/* Armed: waiting in a tree. */
static inline bool stop_is_armed(const struct engine *e, uint32_t ix)
{
    const struct order *order = order_at(e, ix);
    return order_is_stop(order) && order->status == STATUS_NEW && order->level == 0;
}

/* An order in its slot becomes armed, or dormant, or stops being either; the order is in its account's list. */
void stop_arm(struct engine *e, uint32_t ix);
void stop_disarm(struct engine *e, uint32_t ix);

/* The next armed order that a reference fires, 0 = none: the cheapest look there is at a tree. */
uint32_t stop_next_fired(const struct engine *e, const struct market *market, uint8_t trigger, int64_t reference);

/* Stop-markets that could not fill and are tried again each TICK (mechanics 4.2). */
void stop_retry_add(struct engine *e, uint32_t ix);
void stop_retry_remove(struct engine *e, uint32_t ix);

/* Trees are ordered and complete, every armed order is in exactly one, lists agree. */
void stop_verify(const struct engine *e);

#endif
