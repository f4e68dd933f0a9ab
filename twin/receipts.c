/* SPDX-License-Identifier: MIT */
/*
 * receipts.c — the receipt of each stage of a liquidation, for each position, and of a used ranking (mechanics 3.11,
 * 3.12).
 */
#include "world.h"

/* E_t: each position of the unit at the worse of mark and index. */
static int128_t equity_at_worse(struct twin *twin, const struct risk *unit)
{
    int128_t equity = unit->equity;

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol   *symbol = &twin->genesis.perps[i];
        const struct position *p = &unit->account->positions[i];
        int128_t               at_mark, at_worse;

        if (!belongs(unit, p)) continue;
        at_mark = value_at(twin, symbol, p, mark_of(twin, symbol));
        at_worse = value_at(twin, symbol, p, worse_price(twin, symbol, p));
        equity -= at_mark > at_worse ? at_mark - at_worse : at_worse - at_mark;
    }
    return equity;
}

struct liquidated receipt_before(struct twin *twin, const struct risk *unit, const struct symbol *symbol, uint8_t stage,
                                 uint64_t number)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    const struct position     *p = &unit->account->positions[symbol->id - 1];
    int128_t value = value_at(twin, symbol, p, s->mark), share = bankruptcy_share(twin, unit->account, symbol),
             size = p->is.size < 0 ? -p->is.size : p->is.size;
    int128_t at = p->is.size > 0 ? value - share : value + share, tick = symbol->tick_size;
    int      k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    struct liquidated r = { .liquidation_id = number,
                            .account_id = unit->account->id,
                            .position_id = p->is.position_id,
                            .symbol_id = symbol->id,
                            .stage = stage };

    if (k >= 0) size *= power10(k);
    else at *= power10(-k);
    r.margin_mode = p->is.margin_mode;
    r.side = p->is.size > 0 ? SIDE_SELL : SIDE_BUY;
    r.index_state = s->oracle;
    r.time_ms = twin->now_ms;
    r.size_before = p->is.size;
    r.equity = (int64_t)unit->equity;
    r.maintenance = (int64_t)unit->maintenance;
    r.equity_worse = (int64_t)equity_at_worse(twin, unit);
    r.own_maintenance = (int64_t)maintenance(twin, symbol, p);
    r.share = (int64_t)share;
    r.mark = s->mark;
    r.index = s->index;
    r.worse = worse_price(twin, symbol, p);
    r.bankruptcy_price = at <= 0        ? (p->is.size > 0 ? (int64_t)tick : 0)
                       : p->is.size > 0 ? (int64_t)(divide_ceil(divide_ceil(at, size), tick) * tick)
                                        : (int64_t)(divide_floor(divide_floor(at, size), tick) * tick);
    twin->incident = number != 0 ? number : twin->next_liquidation + 1; /* from its fills */
    r.fund_before = account_by_id(twin, ACCOUNT_FUND)->wallet;
    return r;
}

void receipt_says(struct twin *twin, struct liquidated *receipt, int64_t x, int128_t value,
                  const struct ranked *ranking, uint32_t count)
{
    const struct symbol *symbol = &twin->genesis.perps[receipt->symbol_id - 1];
    struct liquidated   *told = TELL(twin, LIQUIDATION, liquidated, MARKET_PERPS);
    int128_t             worse;

    if (twin->state[MARKET_PERPS][symbol->id - 1].made_step != twin->price_step)
        show_composition(twin, symbol, true); /* the inputs of the decision */
    twin->incident = 0;
    receipt->head = told->head;
    receipt->receipt_id = ++twin->next_receipt;
    if (receipt->liquidation_id == 0) receipt->liquidation_id = ++twin->next_liquidation;
    receipt->quantity = x;
    receipt->value = (int64_t)value;
    receipt->price = price_of(twin, symbol, value, x);
    worse = (int128_t)(receipt->side == SIDE_SELL ? receipt->mark - receipt->price : receipt->price - receipt->mark)
          * 100000000;
    receipt->slippage = (int64_t)(worse / receipt->mark);
    receipt->candidates = count;
    receipt->fund_after = account_by_id(twin, ACCOUNT_FUND)->wallet;
    if (twin->bug == TWIN_BUG_RECEIPT_LATE) receipt->fund_before = receipt->fund_after;
    *told = *receipt;
    for (uint32_t i = 0; i < count; i++) {
        struct adl_ranked *row = TELL(twin, ADL_RANKED, adl_ranked, MARKET_PERPS);

        row->receipt_id = receipt->receipt_id;
        row->account_id = ranking[i].account_id;
        row->position_id = ranking[i].position_id;
        row->rank = i;
        row->group = ranking[i].group;
        row->score = ranking[i].score;
        row->leverage = ranking[i].leverage;
        row->size = ranking[i].size;
        row->bears = ranking[i].bears;
        row->taken = ranking[i].part;
        row->value = (int64_t)ranking[i].value;
        row->cost = ranking[i].cost;
        row->equity = ranking[i].equity;
    }
}
