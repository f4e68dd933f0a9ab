/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_take.h"
#include "core/account/account.h"
#include "core/perps/bracket_follow.h"
#include "core/account/fees.h"
#include "core/perps/inputs.h"
#include "core/perps/margin.h"
#include "core/perps/perps_cover.h"
#include "core/account/ledger.h"
#include "core/state/rulings.h"
#include "core/perps/perps_emit.h"

/* Both sides of one candidate, worked out before anything moves. */
struct deal {
    struct perps_taker  *taker;
    struct order        *maker;
    struct perps_market *perps;
    struct match         match;
    int128_t             value;
    struct worth         maker_worth; /* of the maker's unit, `spare` of a cross one alone */
    struct side_of_fill  taker_side, maker_side;
    bool                 self; /* both accounts belong to one user (ruling 71) */
};

static int64_t signed_quantity(uint8_t side, int64_t quantity) { return quantity * side_sign(side); }

/* The fee of a forced sale to the insurance fund, out of its unit's equity after the trading fee (mechanics 3.11). */
static int64_t fee_of_force(const struct engine *e, const struct deal *deal, int64_t most)
{
    if (deal->taker->reason != REASON_LIQUIDATION || deal->taker_side.position->account == SLOT_FUND) return 0;
    return min_i64(rate_ceil((int64_t)deal->value, e->rules.liquidation_fee), most - deal->taker_side.fee);
}

/* Fees of both sides in vUSDC; a rebate comes out of the taker's fee (mechanics 2.6). */
static void deal_fees(const struct engine *e, const struct market *market, struct deal *deal)
{
    int64_t taker_rate = fees_taker_rate(e, market, deal->taker_side.position->account);
    int64_t maker_rate = fees_maker_rate(e, market, deal->maker->account);
    int64_t value = (int64_t)deal->value, most = position_fee_most(e, &deal->taker_side, deal->taker->worth);

    if (deal->self && maker_rate < 0) maker_rate = 0;
    deal->taker_side.fee = min_i64(rate_ceil(value, taker_rate), most);
    deal->taker_side.fund_fee = fee_of_force(e, deal, most);
    deal->maker_side.rate = maker_rate > 0 ? maker_rate : 0;
    deal->maker_side.fee = maker_rate >= 0 ? min_i64(rate_ceil(value, maker_rate),
                                                     position_fee_most(e, &deal->maker_side, deal->maker_worth.whole))
                                           : -min_i64(rate_floor(value, -maker_rate), deal->taker_side.fee);
}

/* The equity of an isolated row's unit. */
static int128_t bucket_worth(const struct engine *e, const struct position *position)
{
    return position->exposure.bucket + position_profit(e, position);
}

/* `deal` has the match. */
static SHARED void deal_make(struct engine *e, const struct market *market, struct perps_taker *taker,
                             struct deal *deal)
{
    const struct match *match = &deal->match;
    struct order       *maker = match->order;
    int128_t            value = market_value_floor(market, match->price, match->quantity);
    int64_t             quantity = signed_quantity(taker->taker.order->side, match->quantity);

    assert(maker == order_at(e, match->maker));
    deal->taker = taker;
    deal->maker = maker;
    deal->perps = perps_of(e, market);
    deal->value = value;
    deal->self = match_is_self(e, taker->position->account, maker->account);
    deal->taker_side = (struct side_of_fill){
        .position = taker->position, .value = value, .reason = taker->reason, .quantity = quantity
    };
    deal->maker_side = (struct side_of_fill){ .position = position_find(e, maker->account, market->number),
                                              .value = value,
                                              .quantity = -quantity };
    deal->maker_worth = position_is_isolated(deal->maker_side.position)
                          ? (struct worth){ .whole = bucket_worth(e, deal->maker_side.position) }
                          : risk_unit_worth_spare(e, deal->maker->account);
    deal_fees(e, market, deal);
}

/*
 * By how much a fill that opens may change what an account has beside all that its orders need as if nothing closed: 8
 * for roundings, and of a purchase between the lowest price and the mark the margin of that distance, which is not in
 * the order's need.
 */
static inline int128_t opening_slack(const struct market *market, const struct perps_market *perps, int64_t quantity)
{
    int64_t worst = perps_worst_of(perps, SIDE_BUY);

    return quantity < 0 || worst == perps->mark ? 8 : 8 + market_value_floor(market, perps->mark - worst, quantity);
}

/* A fill that opens or adds: |q| grows beyond what it was, or the sign turns. */
static bool opens(const struct position *position, int64_t quantity)
{
    int64_t size = position->exposure.size;
    return size == 0 || (size > 0) == (quantity > 0) || size_abs(quantity) > size_abs(size);
}
static bool closes(const struct position *position, int64_t quantity)
{
    return position->exposure.size != 0 && (position->exposure.size > 0) != (quantity > 0);
}

static COLD bool is_beyond_bound(const struct engine *e, const struct position *position, int64_t price, bool sells)
{
    int64_t bound = risk_unit_bankruptcy_price(e, position);

    return sells ? price < bound : price > bound;
}

/*
 * A closing fill on the wrong side of the mark may not take more than the position's share of its unit's equity,
 * `worth` (mechanics 3.4). With `worth` below zero (a unit that waits for its liquidation, or one that funding took
 * there) the bound is beyond the mark.
 */
static SHARED bool closes_beyond_bankruptcy(const struct engine *e, const struct position *position, int64_t quantity,
                                            int64_t price, int128_t worth)
{
    int64_t mark = perps_at(e, position->market)->mark;
    bool    sells = quantity < 0;

    assert(closes(position, quantity));
    if (worth >= 0 && ((sells ? price >= mark : price <= mark) || risk_unit_surely_bears(e, position, price, worth)))
        return false;
    return is_beyond_bound(e, position, price, sells);
}

static int64_t interest_added(const struct deal *deal)
{
    int64_t taker = deal->taker_side.position->exposure.size, maker = deal->maker_side.position->exposure.size;

    return long_part(taker + deal->taker_side.quantity) - long_part(taker)
         + long_part(maker + deal->maker_side.quantity) - long_part(maker);
}

/* One part in so many of the caps is there for prices that are not the feeders' (mechanics 3.8; ruling 68). */
static int64_t part_of_cap(const struct perps_market *perps)
{
    if (perps->state == ORACLE_FALLBACK) return 2;
    return perps->state == ORACLE_BOOTSTRAP && RULING(68) ? 10 : 1;
}

static inline bool interest_fits(const struct engine *e, const struct market *market, const struct perps_market *perps,
                                 int64_t added)
{
    const struct contract *contract = &perps->contract;
    int64_t                after = perps->open_interest + added;

    if (added <= 0) return true;
    if (perps_phase(e, perps) != PHASE_OPEN) return false; /* a position to be reduced does not grow */
    if (perps->state == ORACLE_IS_STALE) return false;
    if (after > QUANTITY_MAX) return false; /* nor does a position exceed the largest size (mechanics 1.1) */
    if (contract->open_interest_cap != 0 && after > contract->open_interest_cap / part_of_cap(perps)) return false;
    if (contract->open_interest_cap_value == 0) return true;
    return market_value_floor(market, perps->mark, after) <= contract->open_interest_cap_value / part_of_cap(perps);
}

bool perps_interest_fits(const struct engine *e, const struct market *market, int64_t added)
{
    return interest_fits(e, market, perps_of(e, market), added);
}

/*
 * Whether the tier of what a row holds after a fill that opens allows its leverage (mechanics 3.2). Placement asks it
 * of the worst case, but closes that are executed at once, and reduce-only orders, let more of the others open.
 */
static bool tier_allows(const struct engine *e, const struct market *market, const struct side_of_fill *side)
{
    const struct perps_market *perps = perps_of(e, market);
    int64_t                    after = side->position->exposure.size + side->quantity;

    return margin_tier_allows(&perps->contract, market_value_floor(market, perps->mark, size_abs(after)),
                              side->position->leverage);
}

/* The same of one that adds to a row, at once where it is the first tier; false proves nothing. */
static ALWAYS_INLINE bool surely_in_tier(const struct market *market, const struct perps_market *perps,
                                         const struct position *position, int64_t quantity)
{
    const struct margin_tier *first = &perps->contract.tiers[0];
    int64_t                   value;

    return market_value_small(market, perps->mark, size_abs(position->exposure.size + quantity), &value)
        && value <= first->max_notional && position->leverage <= first->max_leverage;
}

/*
 * Whether a maker's account has enough for all its orders even if nothing of them closed: then what this one opens is
 * covered, because its margin, its loss and a fee of the taker's rate are part of that.
 */
static bool maker_covers_all(const struct engine *e, const struct market *market, const struct deal *deal)
{
    const struct position *position = deal->maker_side.position;

    if (position_is_isolated(position) || order_reduces(deal->maker)
        || deal->maker_side.rate > fees_taker_rate(e, market, position->account))
        return false;
    return deal->maker_worth.spare >= opening_slack(market, deal->perps, deal->maker_side.quantity);
}

/* The maker may not be filled: its order goes, and the taker looks on. */
static bool cancel_uncovered_maker(struct apply_context *ctx, const struct market *market, const struct deal *deal)
{
    struct engine   *e = ctx->engine;
    struct position *position = deal->maker_side.position;
    int64_t          quantity = deal->maker_side.quantity;
    bool             refuses =
        (closes(position, quantity)
         && closes_beyond_bankruptcy(e, position, quantity, deal->match.price, deal->maker_worth.whole))
        || (opens(position, quantity)
            && (!tier_allows(e, market, &deal->maker_side)
                || (!maker_covers_all(e, market, deal) && !perps_covers(e, position, deal->maker, &deal->maker_side))));

    if (refuses) perps_end(ctx, deal->match.maker, STATUS_CANCELED, REASON_MARGIN_INSUFFICIENT);
    return refuses;
}

/* The maker's order after its fill. */
static void deal_finish_maker(struct apply_context *ctx, const struct market *market, const struct deal *deal,
                              int64_t open_before)
{
    struct engine   *e = ctx->engine;
    struct position *position = deal->maker_side.position;
    struct order    *maker = deal->maker;
    uint32_t         ix = deal->match.maker;
    bool             filled = order_open(maker) == 0;

    if (filled) position_order_leaves(e, position, maker, open_before);
    else position_order_changed(e, position, maker, open_before, order_open(maker));
    if (filled && order_reduces(maker)) position->reducing_count -= 1;
    order_move(maker, filled ? STATUS_FILLED : STATUS_PARTIALLY_FILLED);
    maker->updated_ms = e->time_ms;
    perps_emit_order(ctx, market, maker, ix, filled ? EXEC_FILLED : EXEC_PARTIALLY_FILLED, REASON_NONE);
    if (filled) perps_forget_order(ctx, position, maker, ix);
}

static inline void write_deal_fill(const struct apply_context *ctx, const struct market *market, struct filled *event,
                                   const struct order *order, uint64_t account_id, uint64_t trade_id,
                                   const struct deal *deal, int64_t fee, bool is_maker)
{
    event->head = EVENT_HEAD(FILL, filled, MARKET_PERPS);
    event->trade_id = trade_id;
    event->order_id = order->id;
    event->account_id = account_id;
    event->symbol_id = market->symbol.id;
    event->side = order->side;
    event->is_maker = is_maker;
    event->reason = is_maker ? 0 : deal->taker->reason;
    event->self = deal->self;
    event->client_id = order->client_id;
    event->price = deal->match.price;
    event->quantity = deal->match.quantity;
    event->fee = fee;
    event->fee_coin_id = COIN_MARGIN;
    event->reserved2 = 0;
    event->time_ms = ctx->engine->time_ms;
    event->liquidation_id = is_maker ? 0 : ctx->liquidation;
}

/* The records of a trade, as they stand. */
struct deal_events {
    struct traded traded;
    struct filled maker, taker;
};

static void emit_deal(struct apply_context *ctx, const struct market *market, const struct deal *deal)
{
    struct engine      *e = ctx->engine;
    const struct order *taker = deal->taker->taker.order;
    struct deal_events *events = events_room(ctx->events, sizeof(*events));
    struct traded      *event = &events->traded;
    uint64_t            trade_id = e->next_trade_id++,
             ids[] = { account_id_of(deal->maker->account), account_id_of(taker->account) };
    unsigned buyer = taker->side == SIDE_BUY;

    event->head = EVENT_HEAD(TRADE, traded, MARKET_PERPS);
    event->trade_id = trade_id;
    event->symbol_id = market->symbol.id;
    event->taker_side = taker->side;
    event->self = deal->self;
    memset(event->reserved, 0, sizeof(event->reserved));
    event->price = deal->match.price;
    event->quantity = deal->match.quantity;
    event->value = (int64_t)deal->value;
    event->buyer_account_id = ids[buyer];
    event->seller_account_id = ids[1 - buyer];
    event->time_ms = e->time_ms;
    write_deal_fill(ctx, market, &events->maker, deal->maker, ids[0], trade_id, deal, deal->maker_side.fee, true);
    write_deal_fill(ctx, market, &events->taker, taker, ids[1], trade_id, deal,
                    deal->taker_side.fee + deal->taker_side.fund_fee, false);
}

/*
 * Whether the opened part of a taker leaves its unit with initial margin (ruling 65), in a tier for its leverage. The
 * margin left beside the order at admission, which has asked the tier, decides at once, as long as nothing has closed:
 * a closing fill may cost more than foreseen.
 */
static bool taker_covers(struct engine *e, const struct market *market, const struct deal *deal)
{
    struct perps_taker        *taker = deal->taker;
    const struct side_of_fill *side = &deal->taker_side;

    if (!opens(side->position, side->quantity)) return true;
    if (!RULING(65)) return perps_covers_without_65(e, side, taker->closed || closes(side->position, side->quantity));
    if (taker->spare > 0 && !taker->closed && !closes(side->position, side->quantity)) {
        taker->spare -= opening_slack(market, deal->perps, side->quantity);
        if (taker->spare >= 0) return true;
    }
    return tier_allows(e, market, side) && perps_covers(e, side->position, NULL, side);
}

/* The fund's share of the trade's net fees: both fees less a rebate; the vault keeps the fraction (mechanics 3.13). */
static void share_with_fund(struct engine *e, const struct deal *deal)
{
    int64_t share = rate_floor(deal->taker_side.fee + deal->maker_side.fee, e->rules.fund_fee_share);

    if (share > 0) ledger_to_fund(e, SLOT_FEES, share);
}

void perps_prefetch_trade(const struct engine *e, const struct order *maker)
{
    risk_unit_prefetch(e, maker->account);
    match_prefetch_trade(e, maker);
}

SHARED void perps_prefetch_settlement(const struct engine *e, uint32_t taker, const struct order *maker)
{
    position_prefetch(e, taker, POSITION_RECORD);
    position_prefetch(e, maker->account, POSITION_FIGURES);
    position_prefetch(e, maker->account, POSITION_RECORD);
    match_prefetch_settlement(e, taker, maker);
}

/* Effects of a trade beyond its two sides; a self-trade has none (ruling 71). */
static inline void count_trade(struct apply_context *ctx, struct market *market, const struct deal *deal)
{
    struct engine       *e = ctx->engine;
    struct perps_market *perps = deal->perps;
    struct fees_counter  counter = { 0 };

    fees_count(e, market, account_at(e, deal->taker_side.position->account), account_at(e, deal->maker->account),
               (int64_t)deal->value, &counter);
    perps->last_between = deal->match.price;
    perps->last_trade_ms = e->time_ms;
    inputs_trade(e, perps, deal->match.price, deal->match.quantity);
    ctx->traded |= UINT64_C(1) << (market->number - PERPS_FIRST);
}

/* One trade from book to positions. */
static void deal_book(struct apply_context *ctx, struct market *market, struct deal *deal)
{
    struct engine *e = ctx->engine;
    uint64_t       taker_id = deal->taker_side.position->id, maker_id = deal->maker_side.position->id;
    uint32_t       taker_ix = deal->taker->order_ix, maker_ix = deal->match.maker, next = deal->maker->next;
    int64_t        open_before = order_open(deal->maker);

    deal->maker_side.position->order_count += 1; /* the row stays while its orders come and go */
    match_fill(e, market, &deal->taker->taker, &deal->match, (int64_t)deal->value);
    if (next != 0) perps_prefetch_settlement(e, deal->taker_side.position->account, order_at(e, next));
    position_fill(ctx, &deal->taker_side); /* the taker first: a rebate comes out of its fee */
    position_fill(ctx, &deal->maker_side);
    share_with_fund(e, deal);
    market->last_price = deal->match.price;
    if (deal->self) ctx->self_traded = true;
    else count_trade(ctx, market, deal);
    emit_deal(ctx, market, deal);
    bracket_filled(ctx, maker_ix, deal->match.quantity);
    deal_finish_maker(ctx, market, deal, open_before);
    bracket_filled(ctx, taker_ix, deal->match.quantity);
    deal->maker_side.position->order_count -= 1;
    perps_after_change(ctx, deal->maker_side.position, maker_id);
    perps_after_change(ctx, deal->taker_side.position, taker_id);
}

void perps_after_change(struct apply_context *ctx, struct position *position, uint64_t id_before)
{
    position->order_count += 1; /* the row stays while it is looked after */
    if (id_before != 0 && position->id != id_before) bracket_position_gone(ctx, position, id_before);
    perps_trim(ctx, position);
    position->order_count -= 1;
    position_settle(ctx->engine, position);
}

/* A reduce-only taker takes no more than its position; no fill closes beyond the unit's equity (mechanics 3.4, 3.6). */
static int stop_before(struct engine *e, struct perps_taker *taker, struct match *match)
{
    int64_t quantity = signed_quantity(taker->taker.order->side, match->quantity);

    if (taker->reduces) {
        int64_t held = closes(taker->position, quantity) ? size_abs(taker->position->exposure.size) : 0;
        if (held == 0) return PERPS_STOP_REDUCED;
        match->quantity = min_i64(match->quantity, held);
        quantity = signed_quantity(taker->taker.order->side, match->quantity);
    }
    if (!closes(taker->position, quantity)) return MATCH_FOUND;
    taker->worth = position_is_isolated(taker->position) ? bucket_worth(e, taker->position)
                                                         : risk_unit_worth(e, taker->position->account);
    return closes_beyond_bankruptcy(e, taker->position, quantity, match->price, taker->worth) ? PERPS_STOP_BANKRUPT
                                                                                              : MATCH_FOUND;
}

static inline bool only_opens(const struct position *position, int64_t quantity)
{
    return !position_is_isolated(position) && !closes(position, quantity);
}

/*
 * Makes the deal that most are, when it is seen at once that nothing forbids it: two users, whose cross positions it
 * opens or adds to, and whose accounts have enough for all their orders. False: deal_make and the questions after it
 * have to say.
 */
static ALWAYS_INLINE bool deal_make_plain(struct engine *e, const struct market *market, struct perps_taker *taker,
                                          struct deal *deal)
{
    const struct match  *match = &deal->match;
    struct perps_market *perps = perps_of(e, market);
    struct order        *maker = match->order;
    struct position     *row = taker->position, *maker_row = position_find(e, maker->account, market->number);
    int64_t              quantity = signed_quantity(taker->taker.order->side, match->quantity), value = 0;
    const struct tiers  *making = &engine_margins(e)[maker->account].tiers;
    int64_t              taker_rate = fees_taker_rate_of(market, &engine_margins(e)[row->account].tiers),
            maker_rate = fees_maker_rate_of(&e->perps_fees, market, making);
    int128_t left = taker->spare - opening_slack(market, perps, quantity);

    assert(maker_row != NULL && match->quantity > 0);
    if (!RULING(65) || taker->closed || taker->reduces || taker->reason != 0 || taker->spare <= 0 || left < 0)
        return false;
    if (!only_opens(row, quantity) || !only_opens(maker_row, -quantity) || order_reduces(maker)
        || account_at(e, row->account)->user == account_at(e, maker->account)->user)
        return false;
    if (taker_rate < 0 || maker_rate < 0 || maker_rate > fees_taker_rate_of(market, making)
        || !market_value_small(market, match->price, match->quantity, &value)
        || !interest_fits(e, market, perps, match->quantity) || !surely_in_tier(market, perps, maker_row, -quantity)
        || risk_unit_spare(e, maker->account) < opening_slack(market, perps, -quantity))
        return false;
    taker->spare = left;
    deal->taker = taker;
    deal->maker = maker;
    deal->perps = perps;
    deal->value = value;
    deal->self = false;
    deal->taker_side = (struct side_of_fill){
        .position = row, .value = value, .quantity = quantity, .fee = rate_ceil(value, taker_rate)
    };
    deal->maker_side = (struct side_of_fill){ .position = maker_row,
                                              .value = value,
                                              .quantity = -quantity,
                                              .fee = rate_ceil(value, maker_rate),
                                              .rate = maker_rate };
    return true;
}

/* Before each trade at another price, and at the end. */
static SHARED void leave_level(struct apply_context *ctx, struct market *market, struct perps_taker *taker,
                               int64_t next_price)
{
    match_leave_level(ctx, market, &taker->taker, next_price);
}

HOT int perps_take(struct apply_context *ctx, struct market *market, struct perps_taker *taker)
{
    struct engine        *e = ctx->engine;
    UNTOUCHED struct deal deal;
    struct match         *match = &deal.match;
    int                   stop;

    while ((stop = (int)match_next(e, market, &taker->taker, match)) == MATCH_FOUND) {
        const struct order *maker = match->order;
        bool                own = maker->account == taker->taker.order->account;
        int64_t             whole = match->quantity, open = order_open(taker->taker.order);

        if (match_is_own(e, taker->taker.order->account, maker->account)) {
            perps_end(ctx, match->maker, STATUS_CANCELED, REASON_SELF_TRADE);
            continue;
        }
        if (maker->next != 0) perps_prefetch_trade(e, order_at(e, maker->next));
        if (deal_make_plain(e, market, taker, &deal)) {
            if (taker->taker.touched_price != match->price) leave_level(ctx, market, taker, match->price);
            deal_book(ctx, market, &deal);
            continue;
        }
        if ((stop = stop_before(e, taker, match)) != MATCH_FOUND) break;
        deal_make(e, market, taker, &deal);
        if (cancel_uncovered_maker(ctx, market, &deal)) continue;
        if (!taker_covers(e, market, &deal)) { /* of a flip at least what closes */
            match->quantity =
                closes(taker->position, deal.taker_side.quantity) ? size_abs(taker->position->exposure.size) : 0;
            if (match->quantity == 0) {
                stop = PERPS_STOP_MARGIN;
                break;
            }
            deal_make(e, market, taker, &deal);
        }
        if (!interest_fits(e, market, deal.perps, interest_added(&deal))) {
            stop = PERPS_STOP_INTEREST;
            break;
        }
        taker->closed |= closes(taker->position, deal.taker_side.quantity);
        if (position_is_isolated(taker->position) && RULING(65))
            taker->opened_isolated |= opens(taker->position, deal.taker_side.quantity);
        if (taker->taker.touched_price != match->price) leave_level(ctx, market, taker, match->price);
        deal_book(ctx, market, &deal);
        /* Without self-trade prevention: the own maker opened it again, or, as the
           parent of a child, gave it as much again, and would for ever. */
        if (own && (match->quantity < whole || order_open(taker->taker.order) >= open)) {
            stop = taker->reduces ? PERPS_STOP_REDUCED : PERPS_STOP_MARGIN;
            break;
        }
    }
    leave_level(ctx, market, taker, 0);
    return stop;
}
