/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_replace.h"
#include "core/perps/post_trade.h"
#include "core/book/book.h"
#include "core/perps/bracket.h"
#include "core/perps/perps_order.h"
#include "core/perps/stop.h"
#include "core/perps/perps_emit.h"

/* ---- replace ---- */

/* A resting order changed in place or moved (mechanics 2.8, with margin instead of holds). */
struct replacement {
    struct perps_check check;
    struct order      *order;
    uint32_t           ix;
    bool               keeps_place, changes_nothing;
};

static bool replacement_make(struct engine *e, uint32_t slot, const struct replace_order *item,
                             struct replacement *replacement, struct result *result)
{
    struct market *market = market_find_perps(e, item->symbol_id);
    uint32_t       used_by;

    if (!pass_payload(payload_replace_order(item), result)) return false;
    if (!filter_symbol(e, market, item->symbol_id, result)) return false;
    replacement->ix = perps_find_target(e, slot, item->orig_order_id, &item->orig_client_id);
    if (replacement->ix == 0 || order_at(e, replacement->ix)->market != market->number)
        return item->orig_order_id != 0
                 ? refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_ORDER_ID, item->orig_order_id)
                 : refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_CLIENT_ID, &item->orig_client_id);
    replacement->order = order_at(e, replacement->ix);
    PLAIN(NOT_REPLACEABLE, replacement->order->level != 0 && !order_is_stop(replacement->order))
    used_by = item->client_id.len == 0 ? 0 : order_find_client(e, slot | OWNER_PERPS, &item->client_id);
    if (used_by != 0 && used_by != replacement->ix)
        return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
    replacement->check = (struct perps_check){ .market = market,
                                               .position = position_find(e, slot, market->number),
                                               .reduces = order_reduces(replacement->order),
                                               .draft = { .market = market,
                                                          .side = replacement->order->side,
                                                          .type = TYPE_LIMIT,
                                                          .time_in_force = order_tif(replacement->order),
                                                          .price = replacement->order->price,
                                                          .quantity = replacement->order->quantity } };
    assert(replacement->check.position != NULL); /* an open order has a row */
    return true;
}

static bool replacement_pass_risk(struct engine *e, const struct replacement *replacement, struct result *result)
{
    const struct perps_check *check = &replacement->check;
    int64_t                   open = check->draft.quantity - replacement->order->executed;
    struct extra_order        extra = {
               .side = check->draft.side, .price = check->draft.price, .open = open, .without = replacement->order->id
    };
    int64_t was = order_open(replacement->order), opening;

    assert(open > 0 && replacement->order->level != 0);
    if (check->reduces) return true;
    opening = perps_check_opening(check->position, check->draft.side,
                                  check->position->volume[side_index(check->draft.side)] - was, open);
    if (!replacement->keeps_place && opening > 0 && !perps_check_pass_state(e, check, result)) return false;
    if (open > was && opening > 0) {
        if (!perps_check_pass_tier(e, check, open - was, result)) return false;
        if (!perps_interest_fits(e, check->market, opening)) return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);
    }
    return perps_check_pass_margin(e, check->position, &extra, result);
}

/* Its own level comes free when it stands there alone; the side's sum grows all the same. */
static bool replacement_has_room(struct engine *e, const struct replacement *replacement, int64_t grows)
{
    const struct draft *draft = &replacement->check.draft;

    if (grows > AMOUNT_MAX - replacement->check.market->sides[draft->side].quantity) return false;
    return level_at(e, replacement->order->level)->count == 1
        || book_has_room(e, replacement->check.market, draft->side, draft->price, 0);
}

static bool replacement_pass(struct engine *e, const struct replace_order *item, struct replacement *replacement,
                             struct result *result)
{
    struct draft       *draft = &replacement->check.draft;
    const struct order *order = replacement->order;
    int                 precision = (int)replacement->check.market->symbol.quantity_precision;
    int64_t             grows;

    assert(order->executed < order->quantity);
    if (decimal_is_given(item->price) && !filter_read_price(draft, item->price, result)) return false;
    if (decimal_is_given(item->quantity) && !filter_read_quantity(draft, item->quantity, result)) return false;
    if (draft->quantity <= order->executed)
        return refuse(result, REJECT_BELOW_EXECUTED, decimal_make(draft->quantity, precision),
                      decimal_make(order->executed, precision));
    if (!filter_price(draft, result) || !filter_quantity(draft, result) || !filter_value(e, draft, result))
        return false;
    if (!perps_check_pass_band(e, &replacement->check, result)) return false;
    grows = draft->quantity - order->quantity;
    replacement->changes_nothing = draft->price == order->price && grows == 0;
    replacement->keeps_place = e->rules.replace_keeps_place && draft->price == order->price && grows <= 0;
    if (!replacement->keeps_place && !replacement_has_room(e, replacement, grows))
        return refuse_plainly(result, REJECT_CAPACITY);
    return perps_check_pass_crossing(e, &replacement->check, result) && replacement_pass_risk(e, replacement, result);
}

/* Out of the book as if it had never rested; sums follow. */
static void unrest(struct apply_context *ctx, struct replacement *replacement)
{
    struct engine *e = ctx->engine;
    struct order  *order = replacement->order;
    int64_t        open = order_open(order), rest = book_remove(e, replacement->check.market, replacement->ix);

    assert(rest >= 0 && (!order_reduces(order) || replacement->check.position->reducing_count > 0));
    position_order_changed(e, replacement->check.position, order, open, 0);
    if (order_reduces(order)) replacement->check.position->reducing_count -= 1;
    book_emit(ctx, replacement->check.market, order->side, order->price, rest);
}

static void replacement_apply(struct apply_context *ctx, struct replacement *replacement)
{
    struct engine    *e = ctx->engine;
    struct order     *order = replacement->order;
    struct post_trade post_trade;
    int128_t          needed;

    if (replacement->keeps_place) {
        int64_t less = order->quantity - replacement->check.draft.quantity;
        assert(less >= 0 && less < order_open(order));
        if (less != 0) {
            int64_t open = order_open(order);
            book_shrink(e, replacement->check.market, order, less);
            order->quantity -= less;
            position_order_changed(e, replacement->check.position, order, open, order_open(order));
        }
        perps_emit(ctx, replacement->ix, EXEC_REPLACED, REASON_NONE);
        if (less != 0) book_emit_level(ctx, replacement->check.market, order);
        bracket_replaced(ctx, replacement->ix);
        return;
    }
    needed = post_trade_needs(e, replacement->check.position, order->side, replacement->check.draft.price);
    assert(needed >= 0);
    unrest(ctx, replacement);
    order->price = replacement->check.draft.price;
    order->quantity = replacement->check.draft.quantity;
    perps_emit(ctx, replacement->ix, EXEC_REPLACED, REASON_NONE);
    bracket_replaced(ctx, replacement->ix);
    post_trade = post_trade_note_replaced(e, position_find(e, order->account, order->market), order, needed);
    perps_work_noted(ctx, replacement->ix, TYPE_LIMIT, 0, &post_trade);
}

void perps_replace(struct apply_context *ctx, uint32_t slot, const struct replace_order *item, struct result *result)
{
    struct engine     *e = ctx->engine;
    struct replacement replacement = { 0 };
    uint64_t           id;

    if (!replacement_make(e, slot, item, &replacement, result) || !replacement_pass(e, item, &replacement, result))
        return;
    assert(replacement.order->account == slot && replacement.check.position->order_count > 0);
    id = replacement.order->id;
    if (item->client_id.len != 0) order_set_alias(e, replacement.ix, &item->client_id);
    replacement.order->updated_ms = e->time_ms;
    ctx->placed = replacement.ix;
    ctx->ended = 0;
    replacement_apply(ctx, &replacement);
    perps_report(e, id, replacement.ix, ctx->ended, result);
}

/* ---- modify ---- */

/* The order is open, but it is none that waits for a price. */
static bool refuse_other_kind(const struct modify_order *command, struct result *result)
{
    if (command->order_id != 0) return refuse_number(result, REJECT_NOT_A_STOP, FIELD_ORDER_ID, command->order_id);
    return refuse_id(result, REJECT_NOT_A_STOP, FIELD_CLIENT_ID, &command->client_id);
}

static bool modify_make(struct engine *e, uint32_t slot, const struct modify_order *command, struct perps_check *check,
                        uint32_t *ix, struct result *result)
{
    struct market *market = market_find_perps(e, command->symbol_id);
    struct order  *order;

    if (!pass_payload(payload_modify_order(command), result)) return false;
    if (!filter_symbol(e, market, command->symbol_id, result)) return false;
    *ix = perps_find_target(e, slot, command->order_id, &command->client_id);
    if (*ix == 0 || order_at(e, *ix)->market != market->number)
        return perps_refuse_missing(command->order_id, &command->client_id, result);
    order = order_at(e, *ix);
    if (!order_is_stop(order)) return refuse_other_kind(command, result);
    PLAIN(ALREADY_TRIGGERED, order->status == STATUS_PENDING_NEW || stop_is_armed(e, *ix))
    assert(stop_at(e, *ix)->price > 0 && stop_at(e, *ix)->cap >= 0);
    *check = (struct perps_check){ .market = market,
                                   .position = position_find(e, slot, market->number),
                                   .is_stop = true,
                                   .stop_price = stop_at(e, *ix)->price,
                                   .draft = { .market = market,
                                              .side = order->side,
                                              .type = stop_at(e, *ix)->type,
                                              .time_in_force = order_tif(order),
                                              .price = order->price,
                                              .quantity = stop_at(e, *ix)->cap } };
    return true;
}

/* A global TP/SL that is given a quantity is one of the position's partial ones (mechanics 4.6). */
static bool becomes_partial(const struct modify_order *command, const struct stop *stop)
{
    return decimal_is_given(command->quantity) && stop->modifier == MODIFIER_STOP && stop->cap == 0;
}

static bool modify_pass(const struct engine *e, const struct modify_order *command, uint32_t ix,
                        struct perps_check *check, struct result *result)
{
    struct draft *draft = &check->draft;
    int64_t       reference = stop_reference(e, check->market, stop_at(e, ix)->trigger);
    int           precision = (int)check->market->symbol.price_precision;

    if (decimal_is_given(command->price)
        && (!filter_read_price(draft, command->price, result) || !filter_price(draft, result)))
        return false;
    if (!perps_check_read_stop_price(check, command->stop_price, result)) return false;
    assert(check->stop_price > 0);
    if (decimal_is_given(command->quantity)
        && (!filter_read_quantity(draft, command->quantity, result) || !filter_quantity(draft, result)
            || !filter_market_quantity(draft, result)))
        return false;
    if (draft->quantity != 0 && !filter_value(e, draft, result)) return false;
    if (becomes_partial(command, stop_at(e, ix))
        && perps_check_stops_there(e, check->position, 0).partial >= PARTIAL_STOPS_MAX)
        return refuse(result, REJECT_PARTIAL_STOP_LIMIT, decimal_make(PARTIAL_STOPS_MAX + 1, 0),
                      decimal_make(PARTIAL_STOPS_MAX, 0));
    if (stop_is_armed(e, ix) && reference != 0
        && stop_fires(draft->side, stop_at(e, ix)->kind, check->stop_price, reference))
        return refuse(result, REJECT_WOULD_TRIGGER, decimal_make(check->stop_price, precision),
                      decimal_make(reference, precision));
    return true;
}

void perps_modify(struct apply_context *ctx, uint32_t slot, const struct modify_order *command, struct result *result)
{
    struct engine     *e = ctx->engine;
    struct perps_check check = { 0 };
    struct order      *order;
    uint32_t           ix = 0;
    bool               armed;

    if (!modify_make(e, slot, command, &check, &ix, result) || !modify_pass(e, command, ix, &check, result)) return;
    order = order_at(e, ix);
    armed = stop_is_armed(e, ix);
    if (armed) stop_disarm(e, ix);
    stop_at(e, ix)->price = check.stop_price;
    order->price = check.draft.price;
    if (decimal_is_given(command->quantity)) {
        stop_at(e, ix)->cap = check.draft.quantity;
        order->quantity = stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP ? order->executed + bracket_open(e, ix)
                                                                             : check.draft.quantity;
    }
    assert(order_open(order) >= 0);
    assert(stop_at(e, ix)->price > 0 && stop_at(e, ix)->cap >= 0 && order->account == slot);
    if (armed) stop_arm(e, ix);
    order->updated_ms = e->time_ms;
    result->order_id = order->id;
    result->status = order->status;
    perps_emit(ctx, ix, EXEC_MODIFIED, REASON_NONE);
}
