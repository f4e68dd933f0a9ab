/* SPDX-License-Identifier: MIT */
#include "core/liquidation/receipt.h"
#include "core/account/account.h"
#include "core/liquidation/adl.h"
#include "core/prices/composition.h"
#include "core/liquidation/fund_day.h"
#include "core/account/ledger.h"

/* The position's share of the unit's equity at mark: all of it for the only position of a unit. */
static int128_t share_at_mark(const struct position *position, int128_t own, struct health health)
{
    assert(own >= 0 && own <= health.maintenance);
    return position_is_isolated(position) ? health.equity : liquidation_share(health.equity, own, health.maintenance);
}

struct liquidated receipt_of(const struct engine *e, const struct unit_entry *unit, const struct position *position,
                             uint8_t stage, struct health health)
{
    const struct market       *market = market_at(e, position->market);
    const struct perps_market *perps = perps_of(e, market);
    int128_t                   own = position_maintenance(e, position), share = share_at_mark(position, own, health);

    assert(position->exposure.size != 0 && position->account == unit->slot && stage > STAGE_HEALTHY
           && stage <= STAGE_ADL);
    return (struct liquidated){
        .liquidation_id = unit->liquidation,
        .account_id = account_id_of(position->account),
        .position_id = position->id,
        .symbol_id = market->symbol.id,
        .stage = stage,
        .margin_mode = position->mode,
        .side = position->exposure.size > 0 ? SIDE_SELL : SIDE_BUY,
        .index_state = perps->state,
        .time_ms = e->time_ms,
        .size_before = position->exposure.size,
        .equity = risk_unit_shown(health.equity),
        .maintenance = risk_unit_shown(health.maintenance),
        .equity_worse = risk_unit_shown(liquidation_unit_worse_equity(e, unit, health.equity)),
        .own_maintenance = risk_unit_shown(own),
        .share = risk_unit_shown(share),
        .mark = perps->mark,
        .index = perps->index,
        .worse = liquidation_unit_worse_price(e, position),
        .bankruptcy_price = liquidation_bankruptcy_price(position_value(e, position), position->exposure.size, share,
                                                         market->symbol.tick_size, market->power),
        .fund_before = ledger_wallet(e, SLOT_FUND),
    };
}

/* How much worse than the mark the account fared, 1e-8 of the mark. */
static int64_t slippage(const struct liquidated *receipt)
{
    int128_t apart = receipt->side == SIDE_SELL ? (int128_t)receipt->mark - receipt->price
                                                : (int128_t)receipt->price - receipt->mark;

    assert(receipt->mark > 0 && receipt->price >= 0);
    assert(receipt->side == SIDE_BUY || receipt->side == SIDE_SELL);
    return risk_unit_shown(apart >= 0 ? div_floor(apart * RATE_ONE, receipt->mark)
                                      : -div_floor(-apart * RATE_ONE, receipt->mark));
}

void receipt_begin(struct apply_context *ctx, const struct liquidated *receipt)
{
    assert(ctx->liquidation == 0 && receipt->liquidation_id < ctx->engine->next_liquidation_id);
    assert(receipt->size_before != 0 && receipt->account_id != 0);
    ctx->liquidation = receipt->liquidation_id != 0 ? receipt->liquidation_id : ctx->engine->next_liquidation_id;
}

uint64_t receipt_emit(struct apply_context *ctx, struct liquidated *receipt, int64_t quantity, int128_t value)
{
    struct engine       *e = ctx->engine;
    const struct market *market = market_find_perps(e, receipt->symbol_id);
    struct liquidated   *event;

    assert(quantity > 0 && quantity <= size_abs(receipt->size_before) && value >= 0);
    if (receipt->liquidation_id == 0) receipt->liquidation_id = e->next_liquidation_id++;
    assert(receipt->liquidation_id == ctx->liquidation); /* the number carried by the fills before it */
    ctx->liquidation = 0;
    receipt->receipt_id = e->next_receipt_id++;
    receipt->quantity = quantity;
    receipt->value = risk_unit_shown(value);
    receipt->price = adl_average_price(market, value, quantity);
    receipt->slippage = slippage(receipt);
    receipt->fund_after = ledger_wallet(e, SLOT_FUND);
    composition_emit_now(ctx, market->number);
    event = EVENT_ADD(ctx->events, LIQUIDATION, liquidated, MARKET_PERPS);
    receipt->head = event->head;
    *event = *receipt;
    return receipt->receipt_id;
}
