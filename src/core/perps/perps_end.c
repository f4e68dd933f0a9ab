/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_end.h"
#include "core/book/book.h"
#include "core/perps/bracket.h"
#include "core/perps/stop.h"

HOT void perps_emit(struct apply_context *ctx, uint32_t ix, uint8_t exec_type, uint8_t reason)
{
    struct engine              *e = ctx->engine;
    const struct order         *order = order_at(e, ix);
    const struct market        *market = perps_book(e, order->market);
    struct perps_order_changed *event = EVENT_ADD(ctx->events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);

    order_describe(market, order, &event->base);
    event->base.exec_type = exec_type;
    event->base.reason = reason;
    if (ix == ctx->taking && ctx->taking_type != 0) {
        event->base.type = ctx->taking_type;
        event->base.funds = ctx->taking_funds;
    }
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

/* It has no level: it waits for its trigger, or to be tried again. */
static COLD void leave_waiting(struct engine *e, uint32_t ix)
{
    const struct order *order = order_at(e, ix);

    if (order->status == STATUS_TRIGGERED) stop_retry_remove(e, ix);
    else if (order->status == STATUS_NEW && order_is_stop(order)) stop_disarm(e, ix);
}

/* Out of whatever the order stands in: a level, a tree, the list of retries. */
static void leave_place(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    int64_t        open = order_open(order);

    if (ix == ctx->taking) return;
    if (order->level != 0) {
        int64_t rest = book_remove(e, market, ix);

        position_order_changed(e, position, order, open, 0);
        assert(rest >= 0 && position->order_count > 0);
        if (order_reduces(order)) position->reducing_count -= 1;
        book_emit(ctx, market, order->side, order->price, rest);
        return;
    }
    leave_waiting(e, ix);
}

HOT void perps_end(struct apply_context *ctx, uint32_t ix, uint8_t status, uint8_t reason)
{
    struct engine   *e = ctx->engine;
    struct order    *order = order_at(e, ix);
    struct market   *market = perps_book(e, order->market);
    struct position *position = position_find(e, order->account, market->number);

    assert(!status_is_open(status) && position != NULL);
    leave_place(ctx, market, position, ix);
    order_move(order, status);
    if (ix == ctx->placed) ctx->ended = status;
    order->updated_ms = e->time_ms;
    perps_emit(ctx, ix,
               status == STATUS_CANCELED   ? EXEC_CANCELED
               : status == STATUS_FILLED   ? EXEC_FILLED
               : status == STATUS_REJECTED ? EXEC_REJECTED
                                           : EXEC_EXPIRED,
               reason);
    perps_forget(ctx, position, ix);
    position_settle(e, position);
}

HOT void perps_forget(struct apply_context *ctx, struct position *position, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);

    assert(position->account == order->account && position->market == order->market && position->order_count > 0);
    position->order_count -= 1;
    if (order_is_stop(order)) {
        assert(position->stop_count > 0 && engine_margins(e)[order->account].stop_count > 0);
        position->stop_count -= 1;
        engine_margins(e)[order->account].stop_count -= 1;
    }
    bracket_left(ctx, ix);
    order_forget(ctx, ix);
}
