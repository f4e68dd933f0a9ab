/* SPDX-License-Identifier: MIT */
#include "core/perps/post_trade.h"
#include "core/account/account.h"
#include "core/perps/perps_check.h"
#include "core/account/fees.h"
#include "core/book/match.h"
#include "core/perps/perps_end.h"

static int128_t need_of_all(struct engine *e, uint32_t slot)
{
    struct demand demand = risk_unit_demand(e, slot, NULL);
    return demand.required + demand.reserve;
}

/* A bucket is filled by the price that is traded at, and a sale above the mark was only foreseen at the mark. */
static bool may_fill_more(const struct engine *e, const struct position *position, const struct order *order)
{
    uint32_t best = perps_book(e, order->market)->sides[SIDE_BUY].best;

    return position_is_isolated(position) && order->side == SIDE_SELL && best != 0
        && level_at(e, best)->price > perps_worst_of(perps_at(e, order->market), SIDE_SELL);
}

/* It closes, and something else would open then; or it opens as well, after a loss. */
static bool may_uncover(const struct position *position, const struct order *order)
{
    int64_t size = position->exposure.size;

    if (size == 0 || (size > 0) == (order->side == SIDE_BUY)) return false;
    if (position->volume[side_index(order->side)] != 0) return true;
    return !order_reduces(order)
        && (order_open(order) > size_abs(size)
            || order->quantity == 0); /* of a market buy by funds, whose quantity is unknown */
}

/* Without self-trade prevention it may match its own orders: then it closes as well, on either side. */
static bool may_meet_itself(const struct engine *e, const struct position *position, const struct order *order)
{
    return e->rules.stp_scope == STP_NONE
        && (position->volume[side_index(side_other(order->side))] != 0 || position->reducing_count != 0);
}

/*
 * The price of a fill against its own resting orders is part of their need, which includes the taker's rate and
 * excludes reduce-only orders.
 */
static bool pays_as_foreseen(const struct engine *e, const struct market *market, const struct position *position)
{
    return position->reducing_count == 0
        && fees_maker_rate(e, market, position->account) <= max_i64(fees_taker_rate(e, market, position->account), 0);
}

/*
 * Whether the account covers all its orders even if none of them closed, the trading one included: then it covers them
 * afterwards, and the need before does not matter. The need of an order at its worst price includes its loss and fee,
 * and a better price brings at least the growth of its margin and fee. An own order that it matches brings its need
 * along, with both losses and both fees: self-matches net to zero PnL. Each fill rounds value, margin, loss and fee
 * once on either side. The bucket of an isolated position is filled by the traded price, and the quantity of a market
 * order by funds is unknown.
 *
 * What the account has left beside all that, roundings not counted: the admission of most orders has worked it out.
 */
static NOINLINE int128_t left_anyway(struct engine *e, const struct position *position, const struct order *order,
                                     uint8_t type)
{
    const struct market *market = perps_book(e, order->market);
    int64_t worst = type == TYPE_LIMIT ? order->price : perps_check_market_bound(e, market, order->side, order->price);

    return risk_unit_worth_spare(e, order->account).spare
         - position_need_of(e, position, order->side, worst, order_open(order));
}

static bool has_enough_anyway(struct engine *e, const struct position *position, const struct order *order,
                              uint8_t type, const struct cover *cover)
{
    const struct market *market = perps_book(e, order->market);
    int64_t              makers = market->sides[side_other(order->side)].order_count;
    int128_t             left;

    assert(makers >= 0 && order_open(order) >= 0);
    if (order->quantity == 0 || position_is_isolated(position)) return false;
    if (may_meet_itself(e, position, order) && !pays_as_foreseen(e, market, position)) return false;
    left = cover != NULL && cover->both ? cover->spare : left_anyway(e, position, order, type);
    return 8 * ((int128_t)makers + 4) <= left /* nearly always, and without a division */
        || 8 * ((int128_t)min_i64(order_open(order) / market->symbol.step_size, makers) + 4) <= left;
}

/* Whether it can come to a trade that uncovers something; most orders rest, or are covered without a closer look. */
HOT static bool wants_watching(struct engine *e, const struct position *position, const struct order *order,
                               uint8_t type, const struct cover *cover)
{
    if (type == TYPE_LIMIT && !match_crosses(e, perps_book(e, order->market), order->side, order->price)) return false;
    if (!may_meet_itself(e, position, order) && !may_uncover(position, order) && !may_fill_more(e, position, order))
        return false;
    return !has_enough_anyway(e, position, order, type, cover);
}

struct post_trade post_trade_note(struct engine *e, const struct position *position, const struct order *order,
                                  uint8_t type, const struct cover *cover)
{
    struct post_trade post_trade = { .account = order->account,
                                     .watched = wants_watching(e, position, order, type, cover) };

    if (post_trade.watched) post_trade.before = need_of_all(e, order->account);
    return post_trade;
}

struct post_trade post_trade_note_replaced(struct engine *e, const struct position *position, const struct order *order,
                                           int128_t before)
{
    return (struct post_trade){ .account = order->account,
                                .watched = wants_watching(e, position, order, TYPE_LIMIT, NULL),
                                .before = before };
}

int128_t post_trade_needs(struct engine *e, const struct position *position, uint8_t side, int64_t price)
{
    if (position->exposure.size == 0 && !position_is_isolated(position) && e->rules.stp_scope != STP_NONE) return 0;
    return match_crosses(e, perps_book(e, position->market), side, price) ? need_of_all(e, position->account) : 0;
}

/* E - sum posIM - R >= 0 of the cross account, at worst. */
static bool covers_reserves(struct engine *e, uint32_t slot)
{
    struct risk_unit unit = risk_unit_cross_initial(e, slot);

    return engine_margins(e)[slot].wallet + unit.worst >= unit.initial + risk_unit_reserve(e, slot, NULL);
}

static bool stays_within(struct engine *e, const struct post_trade *post_trade)
{
    int128_t need;

    if (!post_trade->watched) return true;
    need = need_of_all(e, post_trade->account);

    assert(need >= 0 && post_trade->account < e->account_end);

    return need <= risk_unit_worst_equity(e, post_trade->account) || need <= post_trade->before;
}

static COLD void keep_watched(struct apply_context *ctx, const struct post_trade *post_trade, bool opened_isolated)
{
    struct engine *e = ctx->engine;
    uint32_t       earlier;

    assert(ctx->taking == 0);
    for (uint32_t ix = account_at(e, post_trade->account)->order_tail; ix != 0; ix = earlier) {
        const struct order *order = order_at(e, ix);

        if (stays_within(e, post_trade) && (!opened_isolated || covers_reserves(e, post_trade->account))) return;
        assert(order->account == post_trade->account);
        earlier = order->account_prev; /* orders that ended with it are later ones: its children */
        if (market_is_perps(order->market) && order->level != 0 && !order_reduces(order))
            perps_end(ctx, ix, STATUS_CANCELED, REASON_MARGIN_INSUFFICIENT);
    }
}

void post_trade_keep(struct apply_context *ctx, const struct post_trade *post_trade, bool opened_isolated)
{
    if (post_trade->watched || opened_isolated) keep_watched(ctx, post_trade, opened_isolated);
}

bool post_trade_may_release(struct engine *e, struct position *position, int64_t amount)
{
    int128_t before = need_of_all(e, position->account), after;

    assert(amount > 0 && position_is_isolated(position));
    position->exposure.bucket -= amount;
    after = need_of_all(e, position->account);
    assert(before >= 0 && after >= 0);
    position->exposure.bucket += amount;
    return after <= before || after <= risk_unit_worst_equity(e, position->account) + amount;
}
