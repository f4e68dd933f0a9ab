/* SPDX-License-Identifier: MIT */
#include "core/perps/bracket_follow.h"
#include "core/book/book.h"
#include "core/perps/bracket.h"
#include "core/perps/perps_emit.h"
#include "core/perps/perps_end.h"
#include "core/perps/reduce.h"
#include "core/perps/stop.h"

/* Awake: it follows. One that rests in the book gives its place up for more. */
static void grow(struct apply_context *ctx, uint32_t ix, int64_t open)
{
    struct engine   *e = ctx->engine;
    struct order    *order = order_at(e, ix);
    struct market   *market = market_at(e, order->market);
    struct position *position = position_find(e, order->account, order->market);
    bool             rests = order->level != 0;

    assert(stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP && position != NULL);
    assert(open >= 0 && order->executed <= order->quantity);
    open = min_i64(open, size_abs(position->exposure.size));
    if (open <= order_open(order)) return;
    if (rests && open - order_open(order) > AMOUNT_MAX - QUANTITY_MAX - market->sides[order->side].quantity)
        return; /* the trading order may come to rest there */
    assert(order->status != STATUS_PENDING_NEW);
    if (rests) {
        (void)book_remove(e, market, ix);
        position_order_changed(e, position, order, order_open(order), open);
    }
    order->quantity = order->executed + open;
    order->updated_ms = e->time_ms;
    if (rests) perps_queue(e, market, ix); /* before it is emitted, or it would seem to wait for its trigger again */
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
        assert(stop_at(e, ix)->relation[TO_PARENT] == parent_ix);
        if (order_at(e, ix)->status == STATUS_PENDING_NEW) bracket_wake(ctx, ix, bracket_active_open(e, ix, filled));
        else grow(ctx, ix, bracket_active_open(e, ix, filled));
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
    else if (stop->modifier == MODIFIER_ATTACHED_STOP && bracket_sibling_of(e, stop, &sibling_ix) != NULL)
        sibling_filled(ctx, sibling_ix, quantity);
}

void bracket_filled(struct apply_context *ctx, uint32_t ix, int64_t quantity)
{
    if (order_has_stop(order_at(ctx->engine, ix))) filled_of_group(ctx, ix, quantity);
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
    order->quantity = bracket_dormant_quantity(e, ix);
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

        assert(position->stop_count > 0);

        if (stop->modifier == MODIFIER_ATTACHED_STOP && stop->relation[TO_PARENT] != 0 && stop_is_armed(e, ix))
            sleep_again(ctx, ix);
        else perps_end(ctx, ix, STATUS_CANCELED, REASON_POSITION_CLOSED);
    }
}

void bracket_position_gone(struct apply_context *ctx, struct position *position, uint64_t id)
{
    if (position->stop_count != 0) tied_left_alone(ctx, position, id);
}
