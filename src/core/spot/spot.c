/* SPDX-License-Identifier: MIT */
#include "core/spot/spot.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/book/filter.h"
#include "core/book/order.h"
#include "core/book/retired_id.h"
#include "core/spot/spot_resting.h"
#include "core/spot/spot_take.h"
#include "core/engine.h"

static bool pass_filters(const struct apply_context *ctx, const struct new_order *item, struct draft *draft,
                         struct result *result)
{
    const struct engine *e = ctx->engine;

    if (is_hinted(ctx)) {
        draft->price = ctx->hint->price;
        draft->quantity = ctx->hint->quantity;
        return filter_band(draft, result);
    }
    return filter_read_price(draft, item->price, result) && filter_price(draft, result)
        && filter_read_quantity(draft, item->quantity, result) && filter_quantity(draft, result)
        && filter_market_quantity(draft, result) && filter_read_funds(e, draft, item->funds, result)
        && filter_value(e, draft, result) && filter_band(draft, result);
}

/* Room for an order that may come to rest. */
static bool may_rest(struct engine *e, uint32_t slot, const struct draft *draft, struct result *result)
{
    uint32_t limit = e->rules.open_orders_per_account, count = account_at(e, slot)->order_count;

    if (draft->time_in_force == TIF_IOC) return true;
    if (limit != 0 && count >= limit)
        return refuse(result, REJECT_OPEN_ORDER_LIMIT, decimal_make(count + 1, 0), decimal_make(limit, 0));
    if (!order_has_room(e) || !book_has_room(e, draft->market, draft->side, draft->price, draft->quantity))
        return refuse_plainly(result, REJECT_CAPACITY);
    return true;
}

/* The most that the order can spend, which is its hold (mechanics 2.3). */
static int128_t worst_case(const struct engine *e, const struct draft *draft, const struct taker *taker)
{
    if (draft->type == TYPE_LIMIT || draft->side == SIDE_SELL)
        return market_hold(draft->market, draft->side, draft->price, draft->quantity);
    if (taker->by_funds) return draft->funds;
    return match_cost(e, draft->market, taker);
}

/* `taker`: of a market order; another one needs none. */
static bool pass_balance(const struct engine *e, uint32_t slot, const struct draft *draft, const struct taker *taker,
                         int64_t *held, struct result *result)
{
    uint32_t coin_id = market_coin_spent(draft->market, draft->side);
    int64_t  available = ledger_bucket(e, slot, coin_id)->available;
    int128_t need = worst_case(e, draft, taker);

    if (need > available) {
        if (draft->funds != 0) result->field = FIELD_FUNDS;
        return refuse(result, REJECT_INSUFFICIENT_BALANCE, coin_amount(e, coin_id, available),
                      coin_amount(e, coin_id, need));
    }
    *held = (int64_t)need;
    return true;
}

static void draft_order(const struct engine *e, uint32_t slot, const struct new_order *item, const struct draft *draft,
                        struct order *order)
{
    order->price = draft->price; /* members not named are zero in a free slot */
    order->quantity = draft->quantity;
    order->next = 0;
    order->account = slot;
    order->market = (uint8_t)draft->market->symbol.id;
    order->side = draft->side;
    order->time_in_force = draft->time_in_force;
    order->client_id = item->client_id;
    order->created_ms = order->updated_ms = e->time_ms;
}

static void draft_taker(const struct draft *draft, struct order *order, struct taker *taker)
{
    const struct symbol *symbol = &draft->market->symbol;

    *taker = (struct taker){
        .order = order,
        .limit = draft->price,
        .type = draft->type,
        .by_funds = draft->funds != 0,
        .funds = draft->funds,
        .funds_left = draft->funds,
    };
    if (draft->type == TYPE_MARKET) {
        int64_t deviation = draft->side == SIDE_BUY ? symbol->market_deviation_ratio : -symbol->market_deviation_ratio;
        taker->band = (int128_t)market_reference(draft->market) * (RATE_ONE + deviation);
    }
}

/* Why what is left of an order that does not rest expires, and whether it counts as filled (mechanics 2.4, 2.5). */
static uint8_t end_of_taker(const struct taker *taker, enum match_stop stop, uint8_t *reason)
{
    bool traded = taker->order->executed != 0;

    assert(stop != MATCH_FOUND && (stop != MATCH_DUST || taker->by_funds));
    *reason = REASON_NONE;
    if (stop == MATCH_DONE || (stop == MATCH_DUST && traded)) return STATUS_FILLED;
    if (taker->type == TYPE_LIMIT) *reason = REASON_IOC_REMAINDER;
    else if (stop == MATCH_DUST) *reason = REASON_FUNDS_DUST;
    else if (stop == MATCH_BOUND) *reason = REASON_PRICE_BOUND;
    else *reason = REASON_NO_LIQUIDITY;
    return STATUS_EXPIRED;
}

/* A post-only order that would cross: no fill, kept in history (ruling 12). */
static void expire_crossing(struct apply_context *ctx, const struct draft *draft, struct order *order,
                            struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       best = draft->market->sides[side_other(draft->side)].best;
    int            precision = (int)draft->market->symbol.price_precision;

    assert(draft->time_in_force == TIF_GTX);
    assert(best != 0 && side_reaches(draft->side, draft->price, level_at(e, best)->price));
    order->id = e->next_order_id++;
    order_move(order, STATUS_EXPIRED);
    order_emit(ctx, draft->market, order, EXEC_EXPIRED, REASON_POST_ONLY_WOULD_CROSS, 0);
    refuse(result, REJECT_POST_ONLY_CROSS, decimal_make(draft->price, precision),
           decimal_make(level_at(e, best)->price, precision));
    result->status = STATUS_EXPIRED;
}

/* What is left of a GTC or GTX order into the book; the level is told after the order. */
static void rest_after(struct apply_context *ctx, struct market *market, const struct taker *taker, uint32_t order_ix)
{
    struct engine *e = ctx->engine;
    struct order  *order = taker->order;
    int64_t        hold = order_hold(market, order);
    bool           traded = order->executed != 0;

    assert(hold <= taker->held && (traded || hold == taker->held));
    if (traded) ledger_release(e, order->account, market_coin_spent(market, order->side), taker->held - hold);
    order_move(order, traded ? STATUS_PARTIALLY_FILLED : STATUS_NEW);
    order_add(e, order_ix, ctx->client_key, ctx->client_place);
    book_push_guess(e, market, order, order_ix, ctx->ahead != NULL ? ctx->ahead->level : 0);
    order_emit(ctx, market, order, traded ? EXEC_PARTIALLY_FILLED : EXEC_NEW, REASON_NONE, hold);
    book_emit_level(ctx, market, order);
}

/* The accepted order: take, then rest or end; false when it does not rest. */
static bool run_order(struct apply_context *ctx, struct market *market, struct taker *taker, uint32_t order_ix)
{
    struct engine  *e = ctx->engine;
    struct order   *order = taker->order;
    uint32_t        coin_id = market_coin_spent(market, order->side);
    enum match_stop stop;
    uint8_t         status, reason;

    order->id = e->next_order_id++;
    ledger_hold(e, order->account, coin_id, taker->held);
    stop = spot_take(ctx, market, taker);
    if (stop != MATCH_DONE && order->time_in_force != TIF_IOC) {
        rest_after(ctx, market, taker, order_ix);
        return true;
    }
    ledger_release(e, order->account, coin_id, taker->held);
    status = end_of_taker(taker, stop, &reason);
    order_move(order, status);
    order_emit_taker(ctx, market, order, taker->type, taker->funds,
                     status == STATUS_FILLED ? EXEC_FILLED : EXEC_EXPIRED, reason);
    return false;
}

/* An order that passed the filters, drafted in its slot; false when it does not rest there. */
static bool run_draft(struct apply_context *ctx, struct market *market, const struct draft *draft, uint32_t order_ix,
                      uint32_t first, struct result *result)
{
    struct engine         *e = ctx->engine;
    struct order          *order = order_at(e, order_ix);
    UNTOUCHED struct taker taker;
    bool                   rests;

    assert(draft->type == TYPE_LIMIT || draft->time_in_force == TIF_IOC);
    assert(order->status == 0 && order->executed == 0);
    if (first != 0) match_prefetch_settlement(e, order->account, order_at(e, first));
    if (draft->time_in_force == TIF_GTX) {
        expire_crossing(ctx, draft, order, result);
        return false;
    }
    draft_taker(draft, order, &taker);
    if (!pass_balance(e, order->account, draft, &taker, &taker.held, result)) return false;
    rests = run_order(ctx, market, &taker, order_ix);
    result->order_id = order->id;
    result->status = order->status;
    return rests;
}

/* An order that meets nobody, as most do: it comes to rest at once. */
struct resting {
    struct market  *market;
    struct account *account;
    struct bucket  *bucket; /* of the coin that it spends */
    uint32_t        slot, coin_id;
    uint32_t        key, place; /* of its client id; where the key may go (order_place) */
    uint32_t        level;      /* a guess (book_push_guess) */
    uint8_t         side;
    int64_t         price, quantity, held;
};

/* The order in the slot that it was given; members not named are zero in a free one. */
static ALWAYS_INLINE void draft_at(struct engine *e, const struct new_order *item, const struct resting *resting,
                                   struct order *order)
{
    assert(item->type == TYPE_LIMIT);
    order->id = e->next_order_id++;
    order->price = resting->price;
    order->quantity = resting->quantity;
    order->next = 0;
    order->account = resting->slot;
    order->market = resting->market->number;
    order->side = resting->side;
    order->time_in_force = item->time_in_force;
    order->client_id = item->client_id;
    order->created_ms = order->updated_ms = e->time_ms;
    order_move(order, STATUS_NEW);
}

/* Drafts it in a slot, whose index is `*ix` then, and makes it findable; returns its record. */
static ALWAYS_INLINE struct order *rest_begin(struct engine *e, const struct new_order *item,
                                              const struct resting *resting, uint32_t *ix)
{
    struct order *order;

    *ix = order_take(e);
    order = order_at(e, *ix);
    HOLD(order);
    draft_at(e, item, resting, order);
    order_add_at(e, resting->account, order, *ix, resting->key, resting->place);
    return order;
}

/* Puts it into the book, with its hold, and tells that. */
static ALWAYS_INLINE void rest_end(struct engine *e, const struct resting *resting, struct order *order, uint32_t ix,
                                   struct resting_events *events)
{
    struct market *market = resting->market;

    order_write(&events->order, market, order, EXEC_NEW, REASON_NONE, resting->held);
    ledger_hold_alone(resting->bucket, resting->held);
    ledger_write(e, &events->balance, resting->slot, resting->coin_id, resting->bucket);
    book_push_guess(e, market, order, ix, resting->level);
    book_write(&events->level, market, resting->side, resting->price, level_at(e, order->level)->quantity);
}

static ALWAYS_INLINE void rest_at_once(struct apply_context *ctx, struct engine *e, const struct new_order *item,
                                       const struct resting *resting, struct result *result)
{
    struct order *order;
    uint32_t      ix;

    if (ctx->ahead == NULL || !ctx->ahead->near) book_prefetch(e, resting->market, resting->side, resting->price);
    order = rest_begin(e, item, resting, &ix);
    result->order_id = order->id;
    result->status = STATUS_NEW;
    rest_end(e, resting, order, ix, events_room(ctx->events, sizeof(struct resting_events)));
}

/* The same for an order without hints that has passed all but its balance. */
static void rest_draft(struct apply_context *ctx, uint32_t slot, const struct new_order *item,
                       const struct draft *draft, struct result *result)
{
    struct engine *e = ctx->engine;
    struct resting resting = { .market = market_at(e, draft->market->number),
                               .account = account_at(e, slot),
                               .slot = slot,
                               .coin_id = market_coin_spent(draft->market, draft->side),
                               .key = ctx->client_key,
                               .place = ctx->client_place,
                               .level = ctx->ahead != NULL ? ctx->ahead->level : 0,
                               .side = draft->side,
                               .price = draft->price,
                               .quantity = draft->quantity };

    assert(draft->type == TYPE_LIMIT && draft->time_in_force != TIF_IOC);
    resting.bucket = ledger_of_user(e, slot, resting.coin_id);
    if (pass_balance(e, slot, draft, NULL, &resting.held, result)) rest_at_once(ctx, e, item, &resting, result);
}

HOT NOINLINE void spot_place_other(struct apply_context *ctx, uint32_t slot, const struct new_order *item,
                                   struct result *result)
{
    struct engine *e = ctx->engine;
    struct market *market = market_find(e, item->symbol_id);
    struct draft   draft = {
          .market = market, .side = item->side, .type = item->type, .time_in_force = item->time_in_force
    };
    uint32_t order_ix, first;

    if (!is_hinted(ctx) && !pass_payload(payload_new_order(item), result)) return;
    if (!filter_symbol(e, market, item->symbol_id, result)) return;
    if (order_id_is_taken(e, slot, &item->client_id, ctx->client_key, &ctx->client_place)) {
        refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
        return;
    }
    if (!retired_id_allows(e, slot, &item->client_id, 1, result)) return;
    if (!pass_filters(ctx, item, &draft, result) || !may_rest(e, slot, &draft, result)) return;
    first = match_first(e, market, draft.side, draft.price);
    if (first == 0 && draft.time_in_force != TIF_IOC) {
        rest_draft(ctx, slot, item, &draft, result);
        return;
    }
    if (first != 0) {
        FETCH(&order_at(e, first)->client_id);
        match_prefetch_trade(e, order_at(e, first));
    }
    order_ix = order_take(e);
    if (ctx->ahead == NULL || !ctx->ahead->near) book_prefetch(e, market, draft.side, draft.price);
    draft_order(e, slot, item, &draft, order_at(e, order_ix));
    if (!run_draft(ctx, market, &draft, order_ix, first, result)) order_give(e, order_ix);
}

/*
 * Whether an order with hints passes everything and comes to rest at once: all rules are judged, none is told. Where
 * one is in doubt spot_place_other decides, and says why it refuses. `resting` has slot, account, key and level, and
 * gets the rest.
 */
static ALWAYS_INLINE bool rests_at_once(struct engine *e, const struct new_order *item, const struct item_hint *hint,
                                        struct resting *resting)
{
    struct market  *market = market_find(e, item->symbol_id);
    struct account *account = resting->account;
    uint8_t         side = item->side;
    int64_t         price = hint->price, quantity = hint->quantity;

    if (market == NULL) return false;
    HOLD(market);
    HOLD(account);
    if (item->time_in_force == TIF_IOC || match_crosses(e, market, side, price)) return false;
    if (!market_trades(e, market)
        || order_id_is_taken(e, resting->slot, &item->client_id, resting->key, &resting->place)
        || e->rules.client_id_reuse == REUSE_FILLED || !filter_in_band(market, side, price))
        return false;
    if (!order_may_rest(e, account) || !book_has_room(e, market, side, price, quantity)) return false;
    resting->market = market;
    resting->coin_id = market_coin_spent(market, side);
    resting->bucket = account_buckets(account) + resting->coin_id;
    resting->side = side;
    resting->price = price;
    resting->quantity = quantity;
    return market_hold_small(market, side, price, quantity, &resting->held)
        && resting->held <= resting->bucket->available;
}

ALWAYS_INLINE bool spot_place_alone(struct engine *e, const struct lone *lone, const struct new_order *item,
                                    struct events *events)
{
    UNTOUCHED struct resting resting;
    struct lone_events      *told;
    struct order            *order;
    uint32_t                 ix;

    resting.account = lone->account;
    resting.slot = lone->slot;
    resting.key = lone->key;
    resting.level = lone->level;
    if (!rests_at_once(e, item, lone->hint, &resting)) return false;
    if (!lone->near) book_prefetch(e, resting.market, resting.side, resting.price);
    order = rest_begin(e, item, &resting, &ix);
    told = events_room(events, sizeof(*told));
    lone_write(&told->first, lone, MARKET_SPOT, &item->client_id, order, STATUS_NEW);
    rest_end(e, &resting, order, ix, &told->rest);
    return true;
}

HOT void spot_place(struct apply_context *ctx, uint32_t slot, const struct new_order *item, struct result *result)
{
    struct engine           *e = ctx->engine;
    UNTOUCHED struct resting resting;

    resting.account = account_at(e, slot);
    resting.slot = slot;
    resting.key = ctx->client_key;
    resting.level = ctx->ahead != NULL ? ctx->ahead->level : 0;
    if (__builtin_expect(is_hinted(ctx) && rests_at_once(e, item, ctx->hint, &resting), 1))
        rest_at_once(ctx, e, item, &resting, result);
    else spot_place_other(ctx, slot, item, result);
}
