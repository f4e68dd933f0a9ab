/* SPDX-License-Identifier: MIT */
#include "core/spot/spot_replace.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/book/filter.h"
#include "core/book/order.h"
#include "core/spot/spot_take.h"

/* A replacement being judged. */
struct change {
    struct market *market;
    struct order  *order;
    uint32_t       ix;
    struct draft   draft; /* P' and Q', omitted ones copied */
    int64_t        hold_before, hold_after;
    bool           keeps_place, changes_nothing;
};

/*
 * Finds the order. Only limit GTC and GTX orders ever rest (book_verify), so an order that replace
 * rule 2 excludes is never found.
 */
static bool find_target(struct engine *e, uint32_t slot, const struct replace_order *item, struct change *change,
                        struct result *result)
{
    uint32_t ix = item->orig_order_id != 0 ? order_find_id(e, slot, item->orig_order_id)
                                           : order_find_client(e, slot, &item->orig_client_id);

    if (!filter_symbol(e, market_find(e, item->symbol_id), item->symbol_id, result)) return false;
    if (ix == 0 || order_at(e, ix)->market != item->symbol_id)
        return item->orig_order_id != 0
                 ? refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_ORDER_ID, item->orig_order_id)
                 : refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_CLIENT_ID, &item->orig_client_id);
    change->ix = ix;
    change->order = order_at(e, ix);
    change->market = market_at(e, change->order->market);
    return true;
}

/* The request's id becomes an alias, so it may be in use by no other order (mechanics 2.8). */
static bool pass_alias(const struct engine *e, uint32_t slot, const struct replace_order *item,
                       const struct change *change, struct result *result)
{
    uint32_t used_by = item->client_id.len == 0 ? 0 : order_find_client(e, slot, &item->client_id);

    if (used_by == 0 || used_by == change->ix) return true;
    return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
}

static bool read_draft(const struct replace_order *item, struct change *change, struct result *result)
{
    const struct order *order = change->order;
    struct draft       *draft = &change->draft;

    *draft = (struct draft){
        .market = change->market,
        .side = order->side,
        .type = TYPE_LIMIT,
        .time_in_force = order_tif(order),
        .price = order->price,
        .quantity = order->quantity,
    };
    if (decimal_is_given(item->price) && !filter_read_price(draft, item->price, result)) return false;
    if (decimal_is_given(item->quantity) && !filter_read_quantity(draft, item->quantity, result)) return false;
    return true;
}

static bool pass_executed(const struct change *change, struct result *result)
{
    int precision = (int)change->market->symbol.quantity_precision;

    if (change->draft.quantity > change->order->executed) return true;
    return refuse(result, REJECT_BELOW_EXECUTED, decimal_make(change->draft.quantity, precision),
                  decimal_make(change->order->executed, precision));
}

/* Whether queue place is kept, and whether the book has room for the order elsewhere. */
static bool pass_place(struct engine *e, struct change *change, struct result *result)
{
    const struct order *order = change->order;
    const struct draft *draft = &change->draft;
    int64_t             open = draft->quantity - order->executed, grows = open - order_open(order);
    bool                leaves_level = level_at(e, order->level)->count == 1; /* its own level comes free */

    assert(order->level != 0 && open > 0);
    change->changes_nothing = draft->price == order->price && grows == 0;
    change->keeps_place = e->rules.replace_keeps_place && draft->price == order->price && grows <= 0;
    if (change->keeps_place) return true;
    if (grows <= AMOUNT_MAX - change->market->sides[order->side].quantity
        && (leaves_level || book_has_room(e, change->market, order->side, draft->price, 0)))
        return true;
    return refuse_plainly(result, REJECT_CAPACITY);
}

static bool pass_crossing(const struct engine *e, const struct change *change, struct result *result)
{
    const struct draft *draft = &change->draft;
    int                 precision = (int)change->market->symbol.price_precision;
    uint32_t            best = change->market->sides[side_other(draft->side)].best;

    if (draft->time_in_force != TIF_GTX || !match_crosses(e, change->market, draft->side, draft->price)) return true;
    return refuse(result, REJECT_POST_ONLY_CROSS, decimal_make(draft->price, precision),
                  decimal_make(level_at(e, best)->price, precision));
}

static bool pass_hold(const struct engine *e, struct change *change, struct result *result)
{
    const struct order *order = change->order;
    int64_t             open = change->draft.quantity - order->executed;
    uint32_t            coin_id = market_coin_spent(change->market, order->side);
    int64_t             available = ledger_bucket(e, order->account, coin_id)->available;
    int128_t            need = market_hold(change->market, order->side, change->draft.price, open);

    change->hold_before = order_hold(change->market, order);
    assert(change->hold_before >= 0 && change->hold_before <= ledger_bucket(e, order->account, coin_id)->held);
    if (need > (int128_t)available + change->hold_before)
        return refuse(result, REJECT_INSUFFICIENT_BALANCE,
                      coin_amount(e, coin_id, (int128_t)available + change->hold_before),
                      coin_amount(e, coin_id, need));
    change->hold_after = (int64_t)need;
    return true;
}

static void adjust_hold(struct engine *e, const struct change *change)
{
    uint32_t coin_id = market_coin_spent(change->market, change->order->side), slot = change->order->account;

    assert(change->hold_before >= 0 && change->hold_after >= 0);
    if (change->hold_after > change->hold_before)
        ledger_hold(e, slot, coin_id, change->hold_after - change->hold_before);
    if (change->hold_after < change->hold_before)
        ledger_release(e, slot, coin_id, change->hold_before - change->hold_after);
}

/* Quantity only decreased, or nothing changed: the order stays where it is. */
static void change_in_place(struct apply_context *ctx, struct change *change)
{
    struct engine *e = ctx->engine;
    struct order  *order = change->order;

    assert(change->draft.price == order->price && change->draft.quantity <= order->quantity);
    if (!change->changes_nothing) {
        book_shrink(e, change->market, order, order->quantity - change->draft.quantity);
        order->quantity = change->draft.quantity;
        adjust_hold(e, change);
    }
    order_emit(ctx, change->market, order, EXEC_REPLACED, REASON_NONE, change->hold_after);
    if (!change->changes_nothing) book_emit_level(ctx, change->market, order);
    assert(order_hold(change->market, order) == change->hold_after);
}

/* The rest of the moved order: back into the book, or filled and removed. */
static void settle_down(struct apply_context *ctx, struct change *change, struct taker *taker, bool traded)
{
    struct engine *e = ctx->engine;
    struct order  *order = change->order;
    uint32_t       coin_id = market_coin_spent(change->market, order->side);
    int64_t        hold = order_hold(change->market, order);

    assert(order->level == 0 && taker->held >= 0);
    ledger_release(e, order->account, coin_id, taker->held - hold);
    if (order_open(order) == 0) {
        order_move(order, STATUS_FILLED);
        order_emit(ctx, change->market, order, EXEC_FILLED, REASON_NONE, 0);
        order_remove(e, change->ix);
        return;
    }
    if (traded) {
        order_move(order, STATUS_PARTIALLY_FILLED);
        order_emit(ctx, change->market, order, EXEC_PARTIALLY_FILLED, REASON_NONE, hold);
    }
    book_push(e, change->market, change->ix);
    book_emit_level(ctx, change->market, order);
}

/* Off its level, changed, and in again from the back; a GTC order may trade at once. */
static void change_and_move(struct apply_context *ctx, struct change *change)
{
    struct engine *e = ctx->engine;
    struct order  *order = change->order;
    int64_t        price_before = order->price, executed_before = order->executed, rest;
    struct taker   taker = {
          .order = order, .limit = change->draft.price, .type = TYPE_LIMIT, .held = change->hold_after
    };

    rest = book_remove(e, change->market, change->ix);
    adjust_hold(e, change);
    order->price = change->draft.price;
    order->quantity = change->draft.quantity;
    order_emit(ctx, change->market, order, EXEC_REPLACED, REASON_NONE, change->hold_after);
    book_emit(ctx, change->market, order->side, price_before, rest);
    assert(order->level == 0 && order_hold(change->market, order) == change->hold_after);
    (void)spot_take(ctx, change->market, &taker);
    settle_down(ctx, change, &taker, order->executed != executed_before);
}

void replace_apply(struct apply_context *ctx, uint32_t slot, const struct replace_order *item, struct result *result)
{
    struct engine *e = ctx->engine;
    struct change  change = { 0 };

    if (!pass_payload(payload_replace_order(item), result) || !find_target(e, slot, item, &change, result)) return;
    if (!pass_alias(e, slot, item, &change, result) || !read_draft(item, &change, result)) return;
    if (!pass_executed(&change, result)) return;
    if (!filter_price(&change.draft, result) || !filter_quantity(&change.draft, result)) return;
    if (!filter_value(e, &change.draft, result) || !filter_band(&change.draft, result)) return;
    if (!pass_place(e, &change, result) || !pass_hold(e, &change, result) || !pass_crossing(e, &change, result)) return;

    assert(change.order->account == slot && status_is_open(change.order->status));
    if (item->client_id.len != 0) order_set_alias(e, change.ix, &item->client_id);
    change.order->updated_ms = e->time_ms;
    result->order_id = change.order->id;
    if (change.keeps_place) change_in_place(ctx, &change);
    else change_and_move(ctx, &change);
    result->status = change.order->executed == change.order->quantity ? STATUS_FILLED : change.order->status;
}
