/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_order.h"
#include "core/engine.h"
#include "core/account/account.h"
#include "core/book/book.h"
#include "core/perps/perps_emit.h"
#include "core/perps/perps_end.h"
#include "core/book/match.h"
#include "core/perps/stop.h"
#include "core/perps/post_trade.h"

/* ---- acceptance ---- */

ALWAYS_INLINE struct order *perps_accept_draft(struct engine *e, struct account *account, struct position *position,
                                               const struct draft *draft, const struct perps_key *key, uint8_t status,
                                               uint32_t *ix)
{
    struct order *order;

    assert(position->market == draft->market->number);
    *ix = order_take(e);
    order = order_at(e, *ix);
    HOLD(order);
    order->id = e->next_order_id++;
    order->price = draft->price;
    order->quantity = draft->quantity;
    order->next = 0;
    order->account = position->account;
    order->market = position->market;
    order->side = draft->side;
    order->time_in_force = draft->time_in_force;
    order->client_id = *key->client_id;
    order->created_ms = order->updated_ms = e->time_ms;
    order_move(order, status);
    order_add_at(e, account, order, *ix, key->key, key->place);
    position->order_count += 1;
    return order;
}

HOT uint32_t perps_accept(struct engine *e, uint32_t slot, const struct perps_check *check, uint8_t status)
{
    struct position       *position = perps_row_of(e, slot, check);
    const struct perps_key key = { &check->item->client_id, check->key, TABLE_END };
    uint32_t               ix;
    struct order *order = perps_accept_draft(e, account_at(e, slot), position, &check->draft, &key, status, &ix);

    assert(position->account == slot);
    if (check->reduces) order->time_in_force |= ORDER_REDUCES;
    return ix;
}

COLD void perps_expire_crossing(struct apply_context *ctx, uint32_t slot, const struct perps_check *check,
                                struct result *result)
{
    uint32_t ix = perps_accept(ctx->engine, slot, check, STATUS_NEW);

    assert(ctx->taking == 0 && ix != 0 && result->reject == REJECT_POST_ONLY_CROSS);
    if (check->item->modifier == MODIFIER_BRACKET) { /* its record says so; its children never were */
        order_at(ctx->engine, ix)->time_in_force |= ORDER_HAS_STOP;
        *stop_at(ctx->engine, ix) = (struct stop){ .modifier = MODIFIER_BRACKET, .type = check->item->type };
    }
    ctx->taking = ix; /* it is in no structure */
    perps_end(ctx, ix, STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
    ctx->taking = 0;
    result->status = STATUS_EXPIRED;
}

COLD void perps_accept_stop(struct engine *e, uint32_t ix, const struct perps_check *check)
{
    struct order    *order = order_at(e, ix);
    struct position *position = position_find(e, order->account, check->market->number);

    assert(position != NULL && order->level == 0);
    assert(check->stop_price > 0 && check->draft.quantity >= 0);
    order->time_in_force |= ORDER_HAS_STOP | ORDER_IS_STOP;
    *stop_at(e, ix) =
        (struct stop){ .price = check->stop_price,
                       .cap = check->draft.quantity,
                       .kind = check->item->stop_type,
                       .trigger = check->item->trigger_type,
                       .modifier = check->item->modifier,
                       .type = check->item->type,
                       .position_id = check->reduces && check->item->modifier == MODIFIER_STOP ? position->id : 0 };
    position->stop_count += 1;
    engine_margins(e)[order->account].stop_count += 1;
}

void perps_report(const struct engine *e, uint64_t id, uint32_t ix, uint8_t ended, struct result *result)
{
    const struct order *order = order_at(e, ix);

    result->order_id = id;
    result->status = order->id == id ? order->status : ended;
}

SHARED void perps_rest(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix,
                       int128_t need)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    bool           traded = order->executed != 0;

    if (order->status != (traded ? STATUS_PARTIALLY_FILLED : STATUS_NEW))
        order_move(order, traded ? STATUS_PARTIALLY_FILLED : STATUS_NEW);
    order->updated_ms = e->time_ms;
    perps_queue(e, market, ix);
    position_order_rests(e, position, order, need);
    if (order_reduces(order)) position->reducing_count += 1;
    perps_emit(ctx, ix, traded ? EXEC_PARTIALLY_FILLED : EXEC_NEW, REASON_NONE);
    book_emit_level(ctx, market, order);
    if (order_reduces(order)) perps_trim(ctx, position);
}

/* Why what is left of a taker does not stay, or REASON_NONE when it may rest. */
static uint8_t reason_to_end(int stop, uint8_t type, bool ioc)
{
    switch (stop) {
    case PERPS_STOP_REDUCED: return REASON_REDUCE_ONLY;
    case PERPS_STOP_INTEREST: return REASON_OPEN_INTEREST_CAP;
    case PERPS_STOP_BANKRUPT: return REASON_BANKRUPTCY_BOUND;
    case PERPS_STOP_MARGIN: return REASON_MARGIN_INSUFFICIENT;
    case MATCH_DUST: return REASON_FUNDS_DUST;
    default: break;
    }
    if (!ioc) return REASON_NONE;
    if (type == TYPE_LIMIT) return REASON_IOC_REMAINDER;
    return stop == MATCH_BOUND ? REASON_PRICE_BOUND : REASON_NO_LIQUIDITY;
}

static bool is_retried(const struct order *order, const struct stop *stop, int why)
{
    return order_is_stop(order) && order_reduces(order) && stop->type == TYPE_MARKET && why != PERPS_STOP_REDUCED;
}

static void after_taking(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix,
                         uint8_t type, int why)
{
    struct engine *e = ctx->engine;
    struct order  *order = order_at(e, ix);
    bool           dust = why == MATCH_DUST && order->executed != 0;
    uint8_t        reason = reason_to_end(why, type, type == TYPE_MARKET || order_tif(order) == TIF_IOC);

    if (why == MATCH_DONE || dust) perps_end(ctx, ix, STATUS_FILLED, REASON_NONE);
    else if (reason == REASON_NONE) {
        ctx->taking = 0;
        perps_rest(ctx, market, position, ix, -1);
    } else if (is_retried(order, stop_at(e, ix), why)) {
        order->updated_ms = e->time_ms;
        perps_emit(ctx, ix, order->executed != 0 ? EXEC_PARTIALLY_FILLED : EXEC_NEW, reason);
        ctx->taking = 0;
        stop_retry_add(e, ix);
    } else perps_end(ctx, ix, STATUS_EXPIRED, reason);
    ctx->taking = 0;
}

static SHARED void work_row(struct apply_context *ctx, struct position *position, uint32_t ix, uint8_t type,
                            int64_t funds, int128_t spare, const struct post_trade *post_trade)
{
    struct engine     *e = ctx->engine;
    struct order      *order = order_at(e, ix);
    struct market     *market = perps_book(e, order->market);
    struct perps_taker taker = {
        .position = position, .order_ix = ix, .reduces = order_reduces(order), .spare = spare
    };

    taker.taker = (struct taker){
        .order = order, .limit = order->price, .type = type, .by_funds = funds != 0, .funds = funds, .funds_left = funds
    };
    if (type == TYPE_MARKET) {
        int64_t deviation =
            order->side == SIDE_BUY ? market->symbol.market_deviation_ratio : -market->symbol.market_deviation_ratio;
        taker.taker.band = (int128_t)perps_of(e, market)->index * (RATE_ONE + deviation);
    }
    ctx->taking = ix;
    ctx->taking_type = type;
    ctx->taking_funds = funds;
    after_taking(ctx, market, position, ix, type, perps_take(ctx, market, &taker));
    ctx->taking = ctx->taking_type = 0;
    ctx->taking_funds = 0;
    post_trade_keep(ctx, post_trade, taker.opened_isolated);
}

SHARED void perps_work(struct apply_context *ctx, uint32_t ix, uint8_t type, int64_t funds, const struct cover *cover)
{
    const struct order *order = order_at(ctx->engine, ix);
    struct position    *position = position_find(ctx->engine, order->account, order->market);
    struct post_trade   post_trade = post_trade_note(ctx->engine, position, order, type, cover);

    work_row(ctx, position, ix, type, funds, cover == NULL ? 0 : cover->spare, &post_trade);
}

void perps_work_noted(struct apply_context *ctx, uint32_t ix, uint8_t type, int64_t funds,
                      const struct post_trade *post_trade)
{
    const struct order *order = order_at(ctx->engine, ix);

    work_row(ctx, position_find(ctx->engine, order->account, order->market), ix, type, funds, 0, post_trade);
}

/* ---- a standalone stop fires ---- */

enum reject perps_may_open(struct engine *e, uint32_t ix, uint8_t type)
{
    const struct order *order = order_at(e, ix);
    struct market      *market = perps_book(e, order->market);
    struct result       result = { 0 };
    struct perps_check  check = { .market = market,
                                  .position = position_find(e, order->account, market->number),
                                  .draft = { .market = market,
                                             .side = order->side,
                                             .type = type,
                                             .time_in_force = order_tif(order),
                                             .price = order->price,
                                             .quantity = order->quantity } };

    assert(!order_reduces(order) && order->level == 0);
    if (!market_trades(e, market)) return REJECT_SYMBOL_HALTED;
    if (type == TYPE_MARKET) check.bound = perps_check_market_bound(e, market, order->side, order->price);
    return perps_check_pass_risk(e, &check, &result) ? REJECT_NONE : (enum reject)result.reject;
}

/* ---- cancel ---- */

uint32_t perps_find_target(const struct engine *e, uint32_t slot, uint64_t order_id, const struct client_id *client_id)
{
    uint32_t ix =
        order_id != 0 ? order_find_id(e, slot, order_id) : order_find_client(e, slot | OWNER_PERPS, client_id);

    return ix != 0 && market_is_perps(order_at(e, ix)->market) ? ix : 0;
}

bool perps_refuse_missing(uint64_t order_id, const struct client_id *client_id, struct result *result)
{
    if (order_id != 0) return refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORDER_ID, order_id);
    return refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_CLIENT_ID, client_id);
}

SHARED void perps_cancel(struct apply_context *ctx, uint32_t slot, const struct perps_cancel *item,
                         struct result *result)
{
    struct engine   *e = ctx->engine;
    struct market   *market = market_find_perps(e, item->symbol_id);
    struct position *position;
    uint32_t         ix;

    assert(ctx->taking == 0);
    if (!is_hinted(ctx) && !pass_payload(payload_perps_cancel(item), result)) return;
    if (market == NULL) {
        refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, item->symbol_id);
        return;
    }
    position = position_find(e, slot, market->number); /* while the order is looked for */
    ix = item->order_id != 0 ? order_find_id(e, slot, item->order_id)
                             : order_find_item(ctx, slot | OWNER_PERPS, &item->client_id);
    if (ix == 0 || order_at(e, ix)->market != market->number) {
        perps_refuse_missing(item->order_id, &item->client_id, result);
        return;
    }
    if (ctx->ahead == NULL || ctx->ahead->order != ix) order_prefetch_end(e, order_at(e, ix));
    book_prefetch_end(e, order_at(e, ix));
    result->order_id = order_at(e, ix)->id;
    if (item->client_id.len == 0)
        result->client_id = order_at(e, ix)->client_id; /* else the item's, which may be an alias */
    result->status = STATUS_CANCELED;
    perps_end_canceled(ctx, market, position, ix);
}

/* Everything that such a command tells. */
struct lone_canceled {
    struct first_events    first;
    struct canceled_events end;
};

/* The order that the item names by its id, or by the item's own client id; 0 = it is not found at once. */
static ALWAYS_INLINE uint32_t lone_perps_target(const struct engine *e, const struct lone *lone,
                                                const struct perps_cancel *item)
{
    uint32_t ix = lone->order;

    if (item->client_id.len == 0) return 0; /* its record has another id */
    if (item->order_id != 0) return order_find_id(e, lone->slot, item->order_id);
    return ix < e->order_end && client_id_equal(&order_at(e, ix)->client_id, &item->client_id) ? ix : 0;
}

ALWAYS_INLINE bool perps_cancel_alone(struct engine *e, const struct lone *lone, const struct perps_cancel *item,
                                      struct events *events)
{
    struct market        *market = market_find_perps(e, item->symbol_id);
    uint32_t              ix = lone_perps_target(e, lone, item);
    struct order         *order = order_at(e, ix);
    struct position      *position;
    struct lone_canceled *told;

    if (market == NULL || ix == 0 || order->account != lone->slot || order->market != market->number
        || !perps_end_is_plain(order))
        return false;
    HOLD(market);
    HOLD(order);
    position = position_find(e, lone->slot, market->number);
    assert(position != NULL);
    if (lone->order != ix) { /* else the close look was at this order */
        order_prefetch_end(e, order);
        book_prefetch_end(e, order);
    }
    told = events_room(events, sizeof(*told));
    lone_write(&told->first, lone, MARKET_PERPS, &item->client_id, order, STATUS_CANCELED);
    perps_end_plain(e, &(struct plain_end){ market, lone->account, position, order, ix }, &told->end);
    return true;
}
