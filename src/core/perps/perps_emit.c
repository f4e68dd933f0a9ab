/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_emit.h"

SHARED void perps_emit(struct apply_context *ctx, uint32_t ix, uint8_t exec_type, uint8_t reason)
{
    struct engine              *e = ctx->engine;
    const struct order         *order = order_at(e, ix);
    const struct market        *market = perps_book(e, order->market);
    struct perps_order_changed *event = events_room(ctx->events, sizeof(*event));
    bool                        typed = ix == ctx->taking && ctx->taking_type != 0;

    event->base.head = EVENT_HEAD(PERPS_ORDER, perps_order_changed, MARKET_PERPS);
    order_describe(market, order, &event->base, typed ? ctx->taking_type : TYPE_LIMIT, typed ? ctx->taking_funds : 0,
                   exec_type, reason);
    event->base.frozen = 0;
    memset(&event->stop_price, 0, sizeof(*event) - offsetof(struct perps_order_changed, stop_price));
    event->reduce_only = order_reduces(order);
    event->modifier = MODIFIER_NORMAL;
    if (!order_has_stop(order)) return;
    const struct stop *stop = stop_at(e, ix);
    event->base.type = stop->type;
    event->modifier = stop->modifier;
    event->primary_order_id = stop->primary_id;
    event->position_id = stop->position_id;
    if (stop->modifier == MODIFIER_BRACKET) {
        for (uint32_t i = 0; i < 2; i++)
            event->attached_order_ids[i] = stop->relation[i] != 0 ? order_at(e, stop->relation[i])->id : 0;
        return;
    }
    event->stop_price = stop->price;
    event->stop_type = stop->kind;
    event->trigger_type = stop->trigger;
    event->triggered = order->level != 0 || order->status == STATUS_TRIGGERED || order->executed != 0;
}
