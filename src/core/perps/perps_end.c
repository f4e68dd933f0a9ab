/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_end.h"
#include "core/account/account.h"
#include "core/book/book.h"
#include "core/perps/bracket.h"
#include "core/perps/perps_emit.h"
#include "core/perps/stop.h"

/* It has no level: it waits for its trigger, or to be tried again. */
static COLD void leave_waiting(struct engine *e, uint32_t ix)
{
    const struct order *order = order_at(e, ix);

    assert(order->level == 0 && order_has_stop(order));
    if (order->status == STATUS_TRIGGERED) stop_retry_remove(e, ix);
    else if (order->status == STATUS_NEW && order_is_stop(order)) stop_disarm(e, ix);
}

/* Removes the order from its structure: a level, a tree, or the list of retries. */
static void leave_place(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    int64_t        open = order_open(order);

    if (ix == ctx->taking) return;
    if (order->level != 0) {
        int64_t rest = book_remove(e, market, ix);

        position_order_leaves(e, position, order, open);
        assert(rest >= 0 && position->order_count > 0);
        if (order_reduces(order)) position->reducing_count -= 1;
        book_emit(ctx, market, order->side, order->price, rest);
        return;
    }
    leave_waiting(e, ix);
}

/* perps_end of an order of this market and row. */
static ALWAYS_INLINE void end_of_row(struct apply_context *ctx, struct market *market, struct position *position,
                                     uint32_t ix, uint8_t status, uint8_t reason)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);

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

SHARED void perps_end(struct apply_context *ctx, uint32_t ix, uint8_t status, uint8_t reason)
{
    const struct order *order = order_at(ctx->engine, ix);

    end_of_row(ctx, perps_book(ctx->engine, order->market), position_find(ctx->engine, order->account, order->market),
               ix, status, reason);
}

/* What only other orders need is not asked again. */
ALWAYS_INLINE void perps_end_plain(struct engine *e, const struct plain_end *end, struct canceled_events *events)
{
    struct market   *market = end->market;
    struct position *position = end->position;
    struct order    *order = end->order;
    int64_t          open = order_open(order), rest = book_remove_row(e, market, order);

    assert(position->account == order->account && position->order_count > 0);
    book_write(&events->level, market, order->side, order->price, rest);
    position_order_leaves_plain(e, market, position, order, open);
    order_move(order, STATUS_CANCELED);
    order->updated_ms = e->time_ms;
    perps_write(&events->order, market, order, account_id_of_user(order->account), EXEC_CANCELED, REASON_USER);
    position->order_count -= 1;
    order_remove_row(e, end->ix, order, end->account);
    position_settle(e, position);
}

static NOINLINE void cancel_other(struct apply_context *ctx, struct market *market, struct position *position,
                                  uint32_t ix)
{
    assert(ctx->taking == 0);
    end_of_row(ctx, market, position, ix, STATUS_CANCELED, REASON_USER);
}

HOT void perps_end_canceled(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);

    assert(position != NULL && position->market == market->number && order->market == market->number);
    if (!perps_end_is_plain(order)) {
        cancel_other(ctx, market, position, ix);
        return;
    }
    assert(ix != ctx->placed);
    perps_end_plain(e, &(struct plain_end){ market, account_at(e, order->account), position, order, ix },
                    events_room(ctx->events, sizeof(struct canceled_events)));
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
            bracket_wake(ctx, child, bracket_active_open(e, child, order_at(e, ix)->executed));
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

COLD void perps_leave_group(struct apply_context *ctx, uint32_t ix)
{
    const struct engine *e = ctx->engine;

    assert(order_is_stop(order_at(e, ix)) || stop_at(e, ix)->modifier == MODIFIER_BRACKET);
    if (stop_at(e, ix)->modifier == MODIFIER_BRACKET) parent_left(ctx, ix);
    else if (stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP) child_left(ctx, ix);
    memset(stop_at(e, ix), 0, sizeof(struct stop));
}

ALWAYS_INLINE void perps_forget_order(struct apply_context *ctx, struct position *position, struct order *order,
                                      uint32_t ix)
{
    struct engine *e = ctx->engine;

    assert(position->account == order->account && position->market == order->market && position->order_count > 0);
    position->order_count -= 1;
    if (order_is_stop(order)) {
        assert(position->stop_count > 0 && engine_margins(e)[order->account].stop_count > 0);
        position->stop_count -= 1;
        engine_margins(e)[order->account].stop_count -= 1;
    }
    if (order_has_stop(order)) perps_leave_group(ctx, ix);
    order_remove_row(e, ix, order, account_at(e, order->account));
}

SHARED void perps_forget(struct apply_context *ctx, struct position *position, uint32_t ix)
{
    assert(ix != 0 && ix < ctx->engine->order_end);
    perps_forget_order(ctx, position, order_at(ctx->engine, ix), ix);
}
