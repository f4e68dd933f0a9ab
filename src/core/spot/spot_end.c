/* SPDX-License-Identifier: MIT */
#include "core/spot/spot_end.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/book/book.h"
#include "core/book/order.h"
#include "core/spot/spot_resting.h"
#include "core/state/refuse.h"
#include "core/engine.h"

/* An order that leaves the book, with what its end changes. */
struct ending {
    struct market  *market;
    struct account *account; /* of the order */
    struct order   *order;
    uint32_t        ix;
    uint8_t         status, reason;
};

/* `alone`: it is all that its item changes; then its balance is told here. `events` has room for what it tells. */
static ALWAYS_INLINE void end_into(struct engine *e, const struct ending *ending, bool alone,
                                   struct resting_events *events)
{
    struct market *market = ending->market;
    struct order  *order = ending->order;
    int64_t        price = order->price, rest;
    uint8_t        side = order->side, status = ending->status;
    uint32_t       slot = order->account, coin_id = market_coin_spent(market, side);
    struct bucket *bucket = account_buckets(ending->account) + coin_id;

    assert(order->level != 0 && !order_is_stop(order));
    assert(status == STATUS_CANCELED || status == STATUS_EXPIRED);
    ledger_release_alone(bucket, order_hold(market, order));
    rest = book_remove_row(e, market, order);
    order_move(order, status);
    order->updated_ms = e->time_ms;
    order_write(&events->order, market, order, status == STATUS_CANCELED ? EXEC_CANCELED : EXEC_EXPIRED, ending->reason,
                0);
    book_write(&events->level, market, side, price, rest);
    if (alone) ledger_write(e, &events->balance, slot, coin_id, bucket);
    else ledger_touch(e, slot, coin_id);
    order_remove_row(e, ending->ix, order, ending->account);
}

/* The same, which makes the room. */
static ALWAYS_INLINE void end_resting(struct apply_context *ctx, const struct ending *ending, bool alone)
{
    size_t bytes = alone ? sizeof(struct resting_events) : offsetof(struct resting_events, balance);

    end_into(ctx->engine, ending, alone, events_room(ctx->events, bytes));
}

void spot_end(struct apply_context *ctx, uint32_t order_ix, uint8_t status, uint8_t reason)
{
    struct engine      *e = ctx->engine;
    struct order       *order = order_at(e, order_ix);
    const struct ending ending = {
        market_at(e, order->market), account_at(e, order->account), order, order_ix, status, reason
    };

    assert(order_ix != 0 && order_ix < e->order_end);
    end_resting(ctx, &ending, false);
}

/* The order a cancel means: by id, by the original's client id, else by the item's own (ruling 56). */
static uint32_t cancel_target(const struct apply_context *ctx, uint32_t slot, const struct cancel_order *item)
{
    if (item->order_id != 0) return order_find_id(ctx->engine, slot, item->order_id);
    if (item->orig_client_id.len != 0) return order_find_client(ctx->engine, slot, &item->orig_client_id);
    return order_find_item(ctx, slot, &item->client_id);
}

/* There is no such order; the item's own id is the target when it names no other. */
static void refuse_target(const struct cancel_order *item, struct result *result)
{
    assert(result->reject == REJECT_NONE && result->status == 0);
    if (item->order_id != 0) refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORDER_ID, item->order_id);
    else if (item->orig_client_id.len != 0)
        refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_CLIENT_ID, &item->orig_client_id);
    else refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_CLIENT_ID, &item->client_id);
}

HOT void spot_cancel(struct apply_context *ctx, uint32_t slot, const struct cancel_order *item, struct result *result)
{
    struct engine *e = ctx->engine;
    struct market *market = market_find(e, item->symbol_id);
    struct order  *order;
    uint32_t       ix;

    if (!is_hinted(ctx) && !pass_payload(payload_cancel_order(item), result)) return;
    if (market == NULL) {
        refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, item->symbol_id);
        return;
    }
    ix = cancel_target(ctx, slot, item);
    order = order_at(e, ix);
    HOLD(market);
    HOLD(order);
    if (ctx->ahead == NULL || ctx->ahead->order != ix) { /* else the close look was at this order */
        order_prefetch_end(e, order);
        book_prefetch_end(e, order);
    }
    if (__builtin_expect(ix == 0 || order->market != item->symbol_id, 0)) {
        refuse_target(item, result);
        return;
    }
    result->order_id = order->id;
    result->orig_client_id = order->client_id;
    result->status = STATUS_CANCELED;
    end_resting(ctx, &(struct ending){ market, account_at(e, order->account), order, ix, STATUS_CANCELED, REASON_USER },
                true);
}

/* The order that the item names by its id, or by the item's own client id; 0 = none, or another name. */
static ALWAYS_INLINE uint32_t lone_target(const struct engine *e, const struct lone *lone,
                                          const struct cancel_order *item)
{
    uint32_t ix = lone->order;

    if (item->order_id != 0) return order_find_id(e, lone->slot, item->order_id);
    if (item->orig_client_id.len != 0) return 0;
    return ix < e->order_end && client_id_equal(&order_at(e, ix)->client_id, &item->client_id) ? ix : 0;
}

ALWAYS_INLINE bool spot_cancel_alone(struct engine *e, const struct lone *lone, const struct cancel_order *item,
                                     struct events *events)
{
    struct market      *market = market_find(e, item->symbol_id);
    uint32_t            ix = lone_target(e, lone, item);
    struct order       *order = order_at(e, ix);
    struct lone_events *told;

    HOLD(order);
    if (market == NULL || ix == 0 || order->account != lone->slot || order->market != item->symbol_id) return false;
    HOLD(market);
    if (ix != lone->order) { /* else the close look was at this order */
        order_prefetch_end(e, order);
        book_prefetch_end(e, order);
    }
    told = events_room(events, sizeof(*told));
    lone_write(&told->first, lone, MARKET_SPOT, &item->client_id, order, STATUS_CANCELED);
    told->first.result.orig_client_id = order->client_id;
    end_into(e, &(struct ending){ market, lone->account, order, ix, STATUS_CANCELED, REASON_USER }, true, &told->rest);
    return true;
}
