/* SPDX-License-Identifier: MIT */
#include "core/perps/bracket.h"
#include "core/perps/perps_emit.h"
#include "core/perps/stop.h"

int64_t bracket_active_open(const struct engine *e, uint32_t child_ix, int64_t parent_filled)
{
    const struct stop *child = stop_at(e, child_ix);
    uint32_t           sibling_ix;
    int64_t            total = child->cap != 0 ? min_i64(child->cap, parent_filled) : parent_filled,
            closed = order_at(e, child_ix)->executed;

    assert(child->modifier == MODIFIER_ATTACHED_STOP && parent_filled >= 0);
    if (bracket_sibling_of(e, child, &sibling_ix) != NULL) closed += order_at(e, sibling_ix)->executed;
    return total > closed ? total - closed : 0;
}

void bracket_wake(struct apply_context *ctx, uint32_t ix, int64_t open)
{
    struct engine         *e = ctx->engine;
    struct order          *order = order_at(e, ix);
    const struct position *position = position_find(e, order->account, order->market);

    if (open == 0 || position == NULL || position->exposure.size == 0) return;
    if ((position->exposure.size > 0) != (order->side == SIDE_SELL))
        return; /* the parent has only closed the other side so far */
    open = min_i64(open, size_abs(position->exposure.size));
    order->quantity = order->executed + open;
    assert(order->status == STATUS_PENDING_NEW && order->level == 0 && open > 0);
    assert(stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP);
    order_move(order, STATUS_NEW);
    order->updated_ms = e->time_ms;
    stop_at(e, ix)->position_id = position->id;
    stop_arm(e, ix);
    ctx->armed |= UINT64_C(1) << (order->market - PERPS_FIRST);
    perps_emit(ctx, ix, EXEC_NEW, REASON_NONE);
}

int64_t bracket_dormant_quantity(const struct engine *e, uint32_t ix)
{
    const struct stop *stop = stop_at(e, ix);
    int64_t            whole = stop->cap != 0 ? stop->cap : order_at(e, stop->relation[TO_PARENT])->quantity;

    assert(stop->modifier == MODIFIER_ATTACHED_STOP && stop->relation[TO_PARENT] != 0);
    return whole > order_at(e, ix)->executed ? whole : order_at(e, ix)->executed;
}

void bracket_replaced(struct apply_context *ctx, uint32_t ix)
{
    struct engine *e = ctx->engine;

    if (!order_has_stop(order_at(e, ix)) || stop_at(e, ix)->modifier != MODIFIER_BRACKET) return;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t child = stop_at(e, ix)->relation[i];

        if (child == 0 || order_at(e, child)->status != STATUS_PENDING_NEW
            || bracket_dormant_quantity(e, child) == order_at(e, child)->quantity)
            continue;
        assert(stop_at(e, child)->relation[TO_PARENT] == ix);
        order_at(e, child)->quantity = bracket_dormant_quantity(e, child);
        order_at(e, child)->updated_ms = e->time_ms;
        perps_emit(ctx, child, EXEC_REPLACED, REASON_NONE);
    }
}

int64_t bracket_open(const struct engine *e, uint32_t ix)
{
    const struct order *order = order_at(e, ix);
    const struct stop  *stop = stop_at(e, ix);
    uint32_t            parent = stop->relation[TO_PARENT];

    assert(order_has_stop(order) && order->executed <= order->quantity);
    if (order->status == STATUS_PENDING_NEW) return bracket_dormant_quantity(e, ix) - order->executed;
    if (parent != 0) return bracket_active_open(e, ix, order_at(e, parent)->executed);
    return stop->cap == 0 ? order_open(order)
                          : min_i64(order_open(order), stop->cap); /* the parent gets no further fill */
}
