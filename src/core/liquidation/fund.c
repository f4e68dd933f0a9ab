/* SPDX-License-Identifier: MIT */
#include "core/liquidation/fund.h"
#include "core/liquidation/adl.h"
#include "core/account/fees.h"
#include "core/liquidation/liquidation_order.h"
#include "core/liquidation/fund_day.h"
#include "core/state/layout.h"
#include "core/account/ledger.h"
#include "core/liquidation/receipt.h"
#include "core/state/rulings.h"

#define UNWIND_PART 10     /* of the fund's position, and of the depth, per TICK */
#define UNWIND_BAND 500000 /* 0.5 % from the price that is better for the fund */
#define FILL_UNITS  2      /* a fill rounds its notional and its fee by a unit at most */

/* ---- the worst price that the fund unwinds at ---- */

/* The better of mark and index for the closing side: the higher for a sale (ruling 66); without the ruling the mark. */
static int64_t better_price(const struct perps_market *perps, bool sells)
{
    assert(perps->mark > 0 && perps->index > 0);
    if (!RULING(66)) return perps->mark;
    return sells ? max_i64(perps->mark, perps->index) : min_i64(perps->mark, perps->index);
}

/* What the roundings of all fills that an unwinding order can have take at most: each resting order is one. */
static int128_t rounded_away(const struct market *market, bool sells)
{
    return (int128_t)FILL_UNITS * market->sides[sells ? SIDE_BUY : SIDE_SELL].order_count;
}

/*
 * The part of a quantity's value that may be lost: a share of the inventory's gain so far, as long as none of it came
 * at a loss.
 */
static int128_t cushion_part(const struct engine *e, const struct position *position, int64_t quantity)
{
    const struct market *market = market_at(e, position->market);

    assert(quantity > 0 && quantity <= size_abs(position->exposure.size));
    assert(perps_of(e, market)->fund.cushion >= 0);
    return div_floor(perps_of(e, market)->fund.cushion * (int128_t)quantity, size_abs(position->exposure.size))
         - rounded_away(market, position->exposure.size > 0);
}

/*
 * The price at which `quantity`, its fee paid, brings at least (a sale) or costs at most (a purchase) so much; to the
 * tick. A sale at a fee of all it brings (genesis allows a taker rate of 1) brings nothing at any price: then it is
 * above all prices.
 */
static int64_t price_for(const struct engine *e, const struct position *position, int64_t quantity, int128_t amount)
{
    const struct market *market = market_at(e, position->market);
    bool                 sells = position->exposure.size > 0;
    int128_t             rate = margin_max(0, fees_taker_rate(e, market, SLOT_FUND)), gross;

    assert(quantity > 0 && quantity <= size_abs(position->exposure.size) && rate <= RATE_ONE);
    assert(position->account == SLOT_FUND);
    amount = margin_max(0, amount);
    if (sells && rate == RATE_ONE && amount > 0) return INT64_MAX;
    if (sells && rate == RATE_ONE) gross = 0;
    else if (sells) gross = div_ceil(amount * RATE_ONE, RATE_ONE - rate) + 1;
    else gross = margin_max(0, div_floor(amount * RATE_ONE, RATE_ONE + rate) - 1);
    return liquidation_bankruptcy_price(gross, sells ? quantity : -quantity, 0, market->symbol.tick_size,
                                        market->power);
}

/*
 * Never worse than half a per cent from the better price, than the inventory's gain allows, than the day's limit
 * allows (ruling 66).
 */
static int64_t unwind_limit(const struct engine *e, const struct position *position, int64_t quantity)
{
    const struct market       *market = market_at(e, position->market);
    const struct perps_market *perps = perps_of(e, market);
    bool                       sells = position->exposure.size > 0;
    int64_t                    sign = sells ? 1 : -1, better = better_price(perps, sells);
    int64_t  limit = sells ? price_below(better, UNWIND_BAND) : price_above(better, UNWIND_BAND), bound;
    int128_t left = margin_min(fund_symbol_left(e, position->market), fund_total_left(e)) - rounded_away(market, sells);

    assert(better > 0 && quantity > 0);
    assert(limit >= 0);
    if (!RULING(66)) return limit;
    bound = price_for(e, position, quantity,
                      market_value_floor(market, liquidation_unit_worse_price(e, position), quantity) - sign * left);
    limit = sells ? max_i64(limit, bound) : min_i64(limit, bound);
    if (perps->fund.gapped) return limit;
    bound = price_for(e, position, quantity,
                      market_value_floor(market, better, quantity) - sign * cushion_part(e, position, quantity));
    return sells ? max_i64(limit, bound) : min_i64(limit, bound);
}

/* ---- unwinding ---- */

static int64_t depth_within(const struct engine *e, const struct market *market, bool sells, int64_t limit)
{
    int64_t depth = 0;

    for (uint32_t ix = market->sides[sells ? SIDE_BUY : SIDE_SELL].best; ix != 0;
         ix = book_behind(e, level_at(e, ix))) {
        if (sells ? level_at(e, ix)->price < limit : level_at(e, ix)->price > limit) break;
        assert(level_at(e, ix)->quantity > 0);
        depth += level_at(e, ix)->quantity;
    }
    assert(depth >= 0);
    return depth;
}

/* W - C of the fund in a symbol: fills change it by their proceeds less their fees (mechanics 1.5). */
static int128_t paid_in(const struct engine *e, uint8_t number)
{
    const struct position *position = position_find(e, SLOT_FUND, number);
    return ledger_wallet(e, SLOT_FUND) - (position == NULL ? 0 : position->exposure.cost);
}

/* The closed value at a price, signed as an amount that the fund gives away. */
static int128_t value_given(const struct market *market, int64_t price, int64_t quantity, bool sells)
{
    int128_t value = market_value_floor(market, price, quantity);

    assert(price > 0 && quantity > 0);
    return sells ? value : -value;
}

/*
 * A shortfall of the proceeds against t is charged to the day; one against the better price reduces the inventory's
 * gain.
 */
static void account_for(struct engine *e, const struct market *market, bool sells, int64_t quantity, int64_t worse,
                        int128_t brought)
{
    struct perps_market *perps = perps_of(e, market);
    int128_t             spent = value_given(market, better_price(perps, sells), quantity, sells) - brought;

    assert(quantity > 0 && worse > 0);
    fund_lost(e, market->number, value_given(market, worse, quantity, sells) - brought);
    perps->fund.cushion -= (int64_t)margin_max(0, margin_min(spent, perps->fund.cushion));
    assert(perps->fund.cushion >= 0);
}

/*
 * A tenth of the position, at most a tenth of the quantity resting within the limit, and only while the index is LIVE
 * (mechanics 3.13, ruling 66).
 */
static void unwind(struct apply_context *ctx, struct position *position)
{
    struct engine       *e = ctx->engine;
    const struct market *market = market_at(e, position->market);
    int64_t              step = market->symbol.step_size, size = size_abs(position->exposure.size),
            worse = liquidation_unit_worse_price(e, position), quantity, limit;
    bool                    sells = position->exposure.size > 0;
    int128_t                before;
    struct liquidation_fill done;

    assert(position->account == SLOT_FUND && size > 0);
    if (RULING(66) && perps_of(e, market)->state != ORACLE_LIVE) return;
    quantity = min_i64(size, (size / UNWIND_PART > step ? size / UNWIND_PART : step) / step * step);
    limit = unwind_limit(e, position, quantity);
    quantity = min_i64(quantity, depth_within(e, market, sells, limit) / UNWIND_PART / step * step);
    assert(quantity >= 0 && quantity <= size);
    assert(quantity % step == 0 || quantity == size);
    if (quantity == 0) return;
    before = paid_in(e, market->number);
    done = liquidation_order(ctx, position, quantity, limit, REASON_LIQUIDATION);
    if (!RULING(66) || done.quantity == 0) return;
    account_for(e, market, sells, done.quantity, worse, paid_in(e, market->number) - before);
}

/*
 * The fund is unhealthy itself: its position goes to the other side at the better of mark and index. At the mark alone
 * a coalition could buy what the fund must give up, once it has moved the mark of an empty book away from the index.
 */
static void deleverage_fund(struct apply_context *ctx, struct position *position, struct health health)
{
    struct engine       *e = ctx->engine;
    struct unit_entry    fund = { .slot = SLOT_FUND };
    struct liquidated    receipt = receipt_of(e, &fund, position, STAGE_ADL, health);
    const struct market *market = market_at(e, position->market);
    int64_t              size = size_abs(position->exposure.size),
            price = better_price(perps_of(e, market), position->exposure.size > 0);
    int128_t value = market_value_floor(market, price, size);
    uint8_t  number = position->market;
    uint32_t count;

    assert(position->account == SLOT_FUND && health.equity < health.maintenance && price > 0);
    receipt_begin(ctx, &receipt);
    receipt.candidates = count = adl_close(ctx, position, value, REASON_ADL);
    position = position_find(e, SLOT_FUND, number);
    if (position != NULL) size -= size_abs(position->exposure.size);
    assert(size >= 0 && size <= size_abs(receipt.size_before)); /* it only shrinks */
    if (size > 0)
        adl_emit_ranking(ctx, receipt_emit(ctx, &receipt, size, div_floor(value * size, size_abs(receipt.size_before))),
                         count);
    else receipt_drop(ctx);
}

bool fund_keep(struct apply_context *ctx)
{
    struct engine          *e = ctx->engine;
    const struct unit_entry fund = { .slot = SLOT_FUND };
    struct health           health = liquidation_unit_health(e, &fund);
    uint32_t                count = 0;

    assert(ctx->liquidation == 0 && ctx->taking == 0);
    for (uint32_t i = 0; i < e->perps_count; i++) { /* symbols by id, as everywhere in a TICK (mechanics 0) */
        uint8_t          number = (uint8_t)(PERPS_FIRST + i);
        struct position *position = position_find(e, SLOT_FUND, number);

        count += position != NULL && position->exposure.size != 0;
        if (position == NULL || position->exposure.size == 0 || perps_is_suspended(e, number) || !layout_has_room(ctx))
            continue;
        if (health.equity < health.maintenance) deleverage_fund(ctx, position, health);
        else unwind(ctx, position);
        position = position_find(e, SLOT_FUND, number);
        if (position != NULL) position_settle(e, position);
    }
    assert(ctx->liquidation == 0); /* every receipt was emitted or dropped */
    ledger_emit(ctx);
    return count != 0;
}

void fund_judge(struct apply_context *ctx)
{
    struct engine          *e = ctx->engine;
    const struct unit_entry fund = { .slot = SLOT_FUND };
    uint32_t                insolvent = liquidation_unit_health(e, &fund).equity < 0;
    struct venue_changed   *event;

    if (insolvent == e->insolvent) return;
    assert(insolvent <= 1 && e->insolvent <= 1);
    e->insolvent = insolvent;
    event = EVENT_ADD(ctx->events, VENUE, venue_changed, MARKET_PERPS);
    event->insolvent = (uint8_t)insolvent;
    event->fund = engine_margins(e)[SLOT_FUND].wallet;
}
