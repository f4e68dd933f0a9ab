/* SPDX-License-Identifier: MIT */
#include "core/perps/bracket.h"
#include "core/perps/stop.h"

/* A child's ties: to its parent and to the other child. */
enum { TO_PARENT = 0, TO_SIBLING = 1 };

static struct stop *sibling_of(const struct engine *e, const struct stop *child, uint32_t *ix)
{
    *ix = child->relation[TO_SIBLING];
    return *ix == 0 ? NULL : stop_at(e, *ix);
}

/* What a child may still close: its cap or what the parent has filled, less what both children have closed (E12). */
static int64_t active_open(const struct engine *e, uint32_t child_ix, int64_t parent_filled)
{
    const struct stop *child = stop_at(e, child_ix);
    uint32_t           sibling_ix;
    int64_t            total = child->cap != 0 ? min_i64(child->cap, parent_filled) : parent_filled,
            closed = order_at(e, child_ix)->executed;

    assert(child->modifier == MODIFIER_ATTACHED_STOP && parent_filled >= 0);
    if (sibling_of(e, child, &sibling_ix) != NULL) closed += order_at(e, sibling_ix)->executed;
    return total > closed ? total - closed : 0;
}

/* Dormant: it is armed now, for the position its parent has just made or joined. */
static void wake(struct apply_context *ctx, uint32_t ix, int64_t open)
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
    order_move(order, STATUS_NEW);
    order->updated_ms = e->time_ms;
    stop_at(e, ix)->position_id = position->id;
    stop_arm(e, ix);
    ctx->armed |= UINT64_C(1) << (order->market - PERPS_FIRST);
    perps_emit(ctx, ix, EXEC_NEW, REASON_NONE);
}

/* Awake: it follows. One that rests in the book gives its place up for more. */
static void grow(struct apply_context *ctx, uint32_t ix, int64_t open)
{
    struct engine   *e = ctx->engine;
    struct order    *order = order_at(e, ix);
    struct market   *market = market_at(e, order->market);
    struct position *position = position_find(e, order->account, order->market);
    bool             rests = order->level != 0;

    assert(stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP && position != NULL);
    open = min_i64(open, size_abs(position->exposure.size));
    if (open <= order_open(order)) return;
    if (rests && open - order_open(order) > AMOUNT_MAX - QUANTITY_MAX - market->sides[order->side].quantity)
        return; /* whoever trades now may come to rest there */
    assert(order->status != STATUS_PENDING_NEW);
    if (rests) {
        (void)book_remove(e, market, ix);
        position_order_changed(e, position, order, order_open(order), open);
    }
    order->quantity = order->executed + open;
    order->updated_ms = e->time_ms;
    if (rests) perps_queue(e, market, ix); /* before it is told, or it would seem to wait for its trigger again */
    perps_emit(ctx, ix, EXEC_REPLACED, REASON_NONE);
    if (rests) book_emit_level(ctx, market, order);
}

static void parent_filled(struct apply_context *ctx, uint32_t parent_ix)
{
    struct engine *e = ctx->engine;
    int64_t        filled = order_at(e, parent_ix)->executed;

    assert(stop_at(e, parent_ix)->modifier == MODIFIER_BRACKET);
    if (e->rules.bracket_mode == BRACKET_ANCHOR) return; /* children wait for the whole of it */
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t ix = stop_at(e, parent_ix)->relation[i];

        if (ix == 0) continue;
        if (order_at(e, ix)->status == STATUS_PENDING_NEW) wake(ctx, ix, active_open(e, ix, filled));
        else grow(ctx, ix, active_open(e, ix, filled));
    }
}

/* The other child has that much less to do. */
static void sibling_filled(struct apply_context *ctx, uint32_t ix, int64_t quantity)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    int64_t        open = order_open(order) - quantity;

    assert(quantity > 0 && stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP);
    if (order->status == STATUS_PENDING_NEW) return;
    if (open <= 0) {
        perps_end(ctx, ix, STATUS_CANCELED, REASON_OCO_SIBLING);
        return;
    }
    if (order->level != 0) {
        book_shrink(e, market_at(e, order->market), order, quantity);
        position_order_changed(e, position_find(e, order->account, order->market), order, open + quantity, open);
    }
    order->quantity -= quantity;
    order->updated_ms = e->time_ms;
    perps_emit(ctx, ix, EXEC_REPLACED, REASON_OCO_SIBLING);
    if (order->level != 0) book_emit_level(ctx, market_at(e, order->market), order);
    assert(order_open(order) == open);
}

static COLD void filled_of_group(struct apply_context *ctx, uint32_t ix, int64_t quantity)
{
    const struct engine *e = ctx->engine;
    const struct stop   *stop = stop_at(e, ix);
    uint32_t             sibling_ix;

    if (stop->modifier == MODIFIER_BRACKET) parent_filled(ctx, ix);
    else if (stop->modifier == MODIFIER_ATTACHED_STOP && sibling_of(e, stop, &sibling_ix) != NULL)
        sibling_filled(ctx, sibling_ix, quantity);
}

void bracket_filled(struct apply_context *ctx, uint32_t ix, int64_t quantity)
{
    if (order_has_stop(order_at(ctx->engine, ix))) filled_of_group(ctx, ix, quantity);
}

/* What a child is shown with before it wakes: its cap, or all of its parent. */
static int64_t dormant_quantity(const struct engine *e, uint32_t ix)
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
            || dormant_quantity(e, child) == order_at(e, child)->quantity)
            continue;
        order_at(e, child)->quantity = dormant_quantity(e, child);
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
    if (order->status == STATUS_PENDING_NEW) return dormant_quantity(e, ix) - order->executed;
    if (parent != 0) return active_open(e, ix, order_at(e, parent)->executed);
    return stop->cap == 0 ? order_open(order) : min_i64(order_open(order), stop->cap); /* nobody fills more of it now */
}

/* A parent that ends leaves its children to themselves; those that never woke go with it. */
static void parent_left(struct apply_context *ctx, uint32_t ix)
{
    struct engine *e = ctx->engine;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t child = stop_at(e, ix)->relation[i];

        stop_at(e, ix)->relation[i] = 0;
        if (child == 0) continue;
        assert(stop_at(e, child)->relation[TO_PARENT] == ix);
        if (order_at(e, child)->status == STATUS_PENDING_NEW && order_at(e, ix)->status == STATUS_FILLED
            && e->rules.bracket_mode == BRACKET_ANCHOR)
            wake(ctx, child, active_open(e, child, order_at(e, ix)->executed));
        stop_at(e, child)->relation[TO_PARENT] = 0;
        if (order_at(e, child)->status == STATUS_PENDING_NEW)
            perps_end(ctx, child, STATUS_CANCELED, REASON_PARENT_CANCELED);
    }
}

static void child_left(struct apply_context *ctx, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct stop   *stop = stop_at(e, ix);
    uint32_t       parent = stop->relation[TO_PARENT], sibling = stop->relation[TO_SIBLING];

    assert(parent == 0 || stop_at(e, parent)->relation[0] == ix || stop_at(e, parent)->relation[1] == ix);
    assert(sibling == 0 || stop_at(e, sibling)->relation[TO_SIBLING] == ix);
    if (parent != 0) stop_at(e, parent)->relation[stop_at(e, parent)->relation[0] == ix ? 0 : 1] = 0;
    stop->relation[TO_PARENT] = stop->relation[TO_SIBLING] = 0;
    if (sibling == 0) return;
    stop_at(e, sibling)->relation[TO_SIBLING] = 0;
    if (order_at(e, ix)->status == STATUS_FILLED) perps_end(ctx, sibling, STATUS_CANCELED, REASON_OCO_SIBLING);
}

static COLD void left_group(struct apply_context *ctx, uint32_t ix)
{
    const struct engine *e = ctx->engine;

    if (stop_at(e, ix)->modifier == MODIFIER_BRACKET) parent_left(ctx, ix);
    else if (stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP) child_left(ctx, ix);
    memset(stop_at(e, ix), 0, sizeof(struct stop));
}

void bracket_left(struct apply_context *ctx, uint32_t ix)
{
    if (order_has_stop(order_at(ctx->engine, ix))) left_group(ctx, ix);
}

/* An order of the row that was tied to the position and is awake; not the one that is trading right now. */
static uint32_t find_tied(const struct apply_context *ctx, const struct position *position, uint64_t id)
{
    const struct engine *e = ctx->engine;

    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        if (order->market == position->market && order_is_stop(order) && ix != ctx->taking
            && order->status != STATUS_PENDING_NEW && stop_at(e, ix)->position_id == id)
            return ix;
    }
    return 0;
}

static void sleep_again(struct apply_context *ctx, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);

    assert(stop_is_armed(e, ix) && stop_at(e, ix)->relation[TO_PARENT] != 0);
    stop_disarm(e, ix);
    order_move(order, STATUS_PENDING_NEW);
    order->quantity = dormant_quantity(e, ix);
    assert(order_open(order) >= 0);
    order->updated_ms = e->time_ms;
    stop_at(e, ix)->position_id = 0;
    perps_emit(ctx, ix, EXEC_MODIFIED, REASON_POSITION_CLOSED);
}

static COLD void tied_left_alone(struct apply_context *ctx, struct position *position, uint64_t id)
{
    struct engine *e = ctx->engine;
    uint32_t       ix;

    while ((ix = find_tied(ctx, position, id)) != 0) {
        const struct stop *stop = stop_at(e, ix);

        if (stop->modifier == MODIFIER_ATTACHED_STOP && stop->relation[TO_PARENT] != 0 && stop_is_armed(e, ix))
            sleep_again(ctx, ix);
        else perps_end(ctx, ix, STATUS_CANCELED, REASON_POSITION_CLOSED);
    }
}

void bracket_position_gone(struct apply_context *ctx, struct position *position, uint64_t id)
{
    if (position->stop_count != 0) tied_left_alone(ctx, position, id);
}
