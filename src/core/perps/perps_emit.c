/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_emit.h"
#include "core/account/account.h"

ALWAYS_INLINE void perps_write(struct perps_order_changed *event, const struct market *market,
                               const struct order *order, uint64_t account_id, uint8_t exec_type, uint8_t reason)
{
    event->base.head = EVENT_HEAD(PERPS_ORDER, perps_order_changed, MARKET_PERPS);
    event->base.account_id = account_id;
    order_describe(market, order, &event->base, TYPE_LIMIT, 0, exec_type, reason);
    event->base.frozen = 0;
    memset(&event->stop_price, 0, sizeof(*event) - offsetof(struct perps_order_changed, stop_price));
    event->reduce_only = order_reduces(order);
    event->modifier = MODIFIER_NORMAL;
}

COLD void perps_write_stop(const struct engine *e, uint32_t ix, struct perps_order_changed *event)
{
    const struct order *order = order_at(e, ix);
    const struct stop  *stop = stop_at(e, ix);

    assert(order_has_stop(order) && event->base.order_id == order->id);
    assert(stop->relation[0] == 0 || stop->relation[0] != stop->relation[1]);
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

ALWAYS_INLINE void perps_emit_order(struct apply_context *ctx, const struct market *market, const struct order *order,
                                    uint32_t ix, uint8_t exec_type, uint8_t reason)
{
    struct perps_order_changed *event = events_room(ctx->events, sizeof(*event));

    perps_write(event, market, order, account_id_of(order->account), exec_type, reason);
    if (ix == ctx->taking && ctx->taking_type != 0) {
        event->base.type = ctx->taking_type;
        event->base.funds = ctx->taking_funds;
    }
    if (order_has_stop(order)) perps_write_stop(ctx->engine, ix, event);
}

SHARED void perps_emit(struct apply_context *ctx, uint32_t ix, uint8_t exec_type, uint8_t reason)
{
    const struct order *order = order_at(ctx->engine, ix);

    assert(ix != 0 && ix < ctx->engine->order_end);
    perps_emit_order(ctx, perps_book(ctx->engine, order->market), order, ix, exec_type, reason);
}
