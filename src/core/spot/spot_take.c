/* SPDX-License-Identifier: MIT */
#include "core/spot/spot_take.h"
#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/account/ledger.h"
#include "core/book/order.h"

/* The trades of one taker: what they have in common, then the one that is made. */
struct trade {
    struct taker       *taker;
    struct fees_counter counter;
    uint64_t            taker_id; /* of its account */
    int64_t             taker_rate;
    uint8_t             side;
    bool                exact; /* a maker's hold is a whole number of units for each unit of quantity: parts add up */

    bool         self, rebate; /* of one user (ruling 71); the maker is paid, be it 0 */
    struct match match;
    int64_t      value;
    struct swap  swap;
};

static ALWAYS_INLINE void trade_open(const struct engine *e, const struct market *market, struct taker *taker,
                                     struct trade *trade)
{
    uint8_t side = taker->order->side;

    assert(side == SIDE_BUY || side == SIDE_SELL);
    trade->taker = taker;
    trade->side = side;
    trade->exact = market->hold_unit[side_other(side)] != 0;
    trade->counter = (struct fees_counter){ 0 };
    ledger_swap_open(e, &trade->swap, taker->order->account, market_coin_received(market, side),
                     market_coin_spent(market, side));
    trade->taker_id = account_id_of_user(taker->order->account);
    trade->taker_rate = fees_taker_rate_of(market, &trade->swap.taker_row->tiers);
}

static ALWAYS_INLINE void price_fees(const struct engine *e, const struct market *market, struct trade *trade)
{
    struct swap *swap = &trade->swap;
    int64_t      maker_rate = fees_maker_rate_of(&e->fees, market, &swap->maker_row->tiers);

    trade->rebate = maker_rate < 0 && !trade->self;
    swap->taker_fee = rate_ceil(swap->taker_gets, trade->taker_rate);
    if (maker_rate >= 0) swap->maker_fee = rate_ceil(swap->maker_gets, maker_rate);
    else swap->maker_fee = trade->self ? 0 : -rate_floor(swap->taker_gets, -maker_rate);
}

static ALWAYS_INLINE void write_fill(struct filled *event, const struct engine *e, const struct trade *trade,
                                     const struct order *order, uint64_t trade_id, uint64_t account_id, uint8_t side,
                                     bool is_maker)
{
    const struct swap *swap = &trade->swap;

    event->head = EVENT_HEAD(FILL, filled, MARKET_SPOT);
    event->trade_id = trade_id;
    event->order_id = order->id;
    event->account_id = account_id;
    event_word(event, offsetof(struct filled, symbol_id), /* a spot symbol is its own number; `reason` is 0 */
               order->market | (uint64_t)side << 32 | (uint64_t)is_maker << 40 | (uint64_t)trade->self << 56);
    event->client_id = order->client_id;
    event->price = trade->match.price;
    event->quantity = trade->match.quantity;
    event->fee = is_maker ? swap->maker_fee : swap->taker_fee;
    event->fee_coin_id = is_maker && !trade->rebate ? swap->maker_coin : swap->taker_coin;
    event->reserved2 = 0;
    event->time_ms = e->time_ms;
    event->liquidation_id = 0;
}

/* The records of a trade, as they stand. */
struct trade_events {
    struct traded        traded;
    struct filled        maker, taker;
    struct order_changed order; /* the maker's */
};

static ALWAYS_INLINE void write_trade(struct trade_events *events, struct engine *e, const struct trade *trade)
{
    struct traded      *event = &events->traded;
    const struct order *maker = trade->match.order;
    uint64_t            trade_id = e->next_trade_id++, maker_id = account_id_of_user(trade->swap.maker);
    uint8_t             side = trade->side;
    int64_t             buyer = (int64_t)trade->taker_id, seller = (int64_t)maker_id;

    side_exchange(side, &buyer, &seller);
    event->head = EVENT_HEAD(TRADE, traded, MARKET_SPOT);
    event->trade_id = trade_id;
    event_word(event, offsetof(struct traded, symbol_id),
               maker->market | (uint64_t)side << 32 | (uint64_t)trade->self << 40);
    event->price = trade->match.price;
    event->quantity = trade->match.quantity;
    event->value = trade->value;
    event->buyer_account_id = (uint64_t)buyer;
    event->seller_account_id = (uint64_t)seller;
    event->time_ms = e->time_ms;
    write_fill(&events->maker, e, trade, maker, trade_id, maker_id, side_other(side), true);
    write_fill(&events->taker, e, trade, trade->taker->order, trade_id, trade->taker_id, side, false);
}

/*
 * The maker after its fill: releases the excess of its hold and writes its state. `hold_before` counts only where holds
 * are rounded; elsewhere there is no excess.
 */
static ALWAYS_INLINE void finish_maker(struct engine *e, struct market *market, const struct trade *trade,
                                       int64_t hold_before, struct order_changed *event)
{
    struct order *maker = trade->match.order;
    bool          filled = order_open(maker) == 0;
    int64_t       hold = filled ? 0 : order_hold(market, maker),
            excess = trade->exact ? 0 : hold_before - trade->swap.taker_gets - hold;

    if (excess != 0) ledger_release(e, maker->account, trade->swap.taker_coin, excess);
    order_move(maker, filled ? STATUS_FILLED : STATUS_PARTIALLY_FILLED);
    maker->updated_ms = e->time_ms;
    order_write(event, market, maker, filled ? EXEC_FILLED : EXEC_PARTIALLY_FILLED, REASON_NONE, hold);
    if (filled) order_remove_row(e, trade->match.maker, maker, trade->swap.maker_row);
}

/* A maker that has no more than the taker takes is followed by another one, or by none. */
static inline void look_ahead(const struct engine *e, const struct match *match, struct match_sight *sight)
{
    if (match->quantity < order_open(match->order)) return;
    if (sight->level == NULL) {
        *sight = (struct match_sight){ .level = match->level, .last = match->maker };
        match_look(e, sight);
    }
    match_look(e, sight);
}

/* One trade from book to money. */
static ALWAYS_INLINE void trade_once(struct apply_context *ctx, struct market *market, struct trade *trade,
                                     struct match_sight *sight)
{
    struct engine       *e = ctx->engine;
    const struct match  *match = &trade->match;
    const struct order  *maker = match->order;
    struct swap         *swap = &trade->swap;
    struct trade_events *events;
    int64_t              value = (int64_t)market_value_floor(market, match->price, match->quantity),
            base = match->quantity * market->base_unit, hold_before = trade->exact ? 0 : order_hold(market, maker);

    trade->value = value;
    swap->maker = maker->account;
    swap->maker_row = account_at(e, maker->account);
    swap->taker_gets = base;
    swap->maker_gets = value;
    side_exchange(trade->side, &swap->taker_gets, &swap->maker_gets);
    trade->self = match_rows_are_self(swap->taker_row, swap->maker_row);
    look_ahead(e, match, sight);
    price_fees(e, market, trade);
    match_fill(e, market, trade->taker, match, value);
    ledger_swap(e, swap);
    trade->taker->held -= swap->maker_gets;
    assert(trade->taker->held >= 0);
    if (!trade->self) fees_count(e, market, swap->taker_row, swap->maker_row, value, &trade->counter);
    market->last_price = match->price;
    events = events_room(ctx->events, sizeof(*events));
    write_trade(events, e, trade);
    finish_maker(e, market, trade, hold_before, &events->order);
}

/* Self-trade prevention: the resting order goes, without fill or fee (mechanics 2.7). */
static NOINLINE void expire_own(struct apply_context *ctx, struct market *market, uint32_t maker_ix)
{
    struct engine *e = ctx->engine;
    struct order  *maker = order_at(e, maker_ix);

    assert(maker->level != 0 && maker->market == market->number);
    assert(e->rules.stp_scope != STP_NONE);
    ledger_release(e, maker->account, market_coin_spent(market, maker->side), order_hold(market, maker));
    book_remove(e, market, maker_ix);
    order_move(maker, STATUS_CANCELED);
    maker->updated_ms = e->time_ms;
    order_emit(ctx, market, maker, EXEC_CANCELED, REASON_SELF_TRADE, 0);
    order_remove(e, maker_ix);
}

/* From a first match on. */
static ALWAYS_INLINE enum match_stop take_from(struct apply_context *ctx, struct market *market, struct trade *trade)
{
    struct engine               *e = ctx->engine;
    struct taker                *taker = trade->taker;
    struct match                *match = &trade->match;
    UNTOUCHED struct match_sight sight;
    enum match_stop              stop;

    sight.level = NULL;
    do {
        match_leave_level(ctx, market, taker, match->price);
        do {
            if (match_is_own(e, taker->order->account, match->order->account)) expire_own(ctx, market, match->maker);
            else trade_once(ctx, market, trade, &sight);
        } while (match_more(e, taker, match));
    } while ((stop = match_next(e, market, taker, match)) == MATCH_FOUND);
    match_leave_level(ctx, market, taker, 0);
    return stop;
}

HOT enum match_stop spot_take(struct apply_context *ctx, struct market *market, struct taker *taker)
{
    UNTOUCHED struct trade trade;
    enum match_stop        stop = match_next(ctx->engine, market, taker, &trade.match);

    if (stop != MATCH_FOUND) return stop;
    trade_open(ctx->engine, market, taker, &trade);
    return take_from(ctx, market, &trade);
}
