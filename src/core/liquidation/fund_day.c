/* SPDX-License-Identifier: MIT */
#include "core/liquidation/fund_day.h"
#include "core/perps/risk_unit.h"
#include "core/state/rulings.h"

#define INVENTORY_PART 50 /* of the cap on open interest, where no limit is set */
#define CARRY          5  /* the fund carries inventory of so many times its equity */

void fund_day_begin(struct engine *e)
{
    int64_t day = e->time_ms / DAY_MS;

    assert(e->fund_day.day <= day);
    if (e->fund_day.day == day) return;
    e->fund_day = (struct fund_day){ .day = day, .wallet = max_i64(engine_margins(e)[SLOT_FUND].wallet, 0) };
    for (uint32_t i = 0; i < e->perps_count; i++) engine_perps(e)[i].fund.loss = engine_perps(e)[i].fund.beyond = 0;
}

/* ---- limits ---- */

int128_t fund_symbol_limit(const struct engine *e, uint8_t market)
{
    int128_t base = e->fund_day.wallet;

    assert(e->fund_day.wallet >= 0 && e->rules.fund_loss_ratio >= 0 && e->rules.fund_loss_ratio <= RATE_ONE);
    if (!RULING(66)) base = (int128_t)engine_margins(e)[SLOT_FUND].wallet + perps_at(e, market)->fund.loss;
    return margin_max(0, base * e->rules.fund_loss_ratio / RATE_ONE);
}

int128_t fund_total_limit(const struct engine *e)
{
    assert(e->fund_day.wallet >= 0 && e->rules.fund_total_ratio >= 0 && e->rules.fund_total_ratio <= RATE_ONE);
    return RULING(66) ? (int128_t)e->fund_day.wallet * e->rules.fund_total_ratio / RATE_ONE : AMOUNT_MAX;
}

int128_t fund_symbol_left(const struct engine *e, uint8_t market)
{
    assert(perps_at(e, market)->fund.loss >= 0);
    return margin_max(0, fund_symbol_limit(e, market) - perps_at(e, market)->fund.loss);
}
int128_t fund_total_left(const struct engine *e)
{
    assert(e->fund_day.loss >= 0);
    return margin_max(0, fund_total_limit(e) - e->fund_day.loss);
}

int128_t fund_money(struct engine *e)
{
    if (engine_margins(e)[SLOT_FUND].wallet <= 0) return 0;
    return margin_max(0, risk_unit_available(e, SLOT_FUND).transferable);
}

int128_t fund_budget(struct engine *e, uint8_t market)
{
    int128_t left = margin_min(fund_symbol_left(e, market), fund_total_left(e));

    assert(left >= 0);
    return left == 0 ? 0 : margin_min(left, fund_money(e));
}

/* ---- losses ---- */

static int64_t add_loss(int64_t sum, int128_t amount)
{
    assert(sum >= 0 && amount > 0);
    return (int64_t)margin_min(sum + amount, AMOUNT_MAX);
}

void fund_lost(struct engine *e, uint8_t market, int128_t amount)
{
    struct fund_symbol *symbol = &perps_at(e, market)->fund;

    if (amount <= 0) return;
    symbol->loss = add_loss(symbol->loss, amount);
    e->fund_day.loss = add_loss(e->fund_day.loss, amount);
    assert(symbol->loss > 0 && symbol->loss <= e->fund_day.loss);
}

void fund_lost_beyond(struct engine *e, uint8_t market, int128_t amount)
{
    struct fund_symbol *symbol = &perps_at(e, market)->fund;

    if (amount <= 0) return;
    symbol->beyond = add_loss(symbol->beyond, amount);
    e->fund_day.beyond = add_loss(e->fund_day.beyond, amount);
    assert(symbol->beyond > 0 && symbol->beyond <= e->fund_day.beyond);
}

int128_t fund_inventory_limit(const struct engine *e, uint8_t number)
{
    const struct market   *market = market_at(e, number);
    const struct contract *contract = &perps_of(e, market)->contract;

    assert(contract->fund_max_inventory >= 0 && contract->open_interest_cap >= 0);
    if (contract->fund_max_inventory != 0 || contract->open_interest_cap == 0) return contract->fund_max_inventory;
    return margin_max(
        1, market_value_floor(market, perps_of(e, market)->mark, min_i64(contract->open_interest_cap, QUANTITY_MAX))
               / INVENTORY_PART);
}

/* ---- events ---- */

static bool is_emitted(const struct fund_changed *told, const struct fund_changed *now)
{
    assert(told->time_ms == 0 || (told->symbol_id == now->symbol_id && told->time_ms <= now->time_ms));
    return told->time_ms != 0 && told->day_ms == now->day_ms && told->size == now->size && told->loss == now->loss
        && told->loss_limit == now->loss_limit && told->beyond == now->beyond
        && (now->symbol_id != 0 || told->wallet == now->wallet);
}

static void emit_fund(struct apply_context *ctx, struct fund_changed *told, const struct fund_changed *now)
{
    struct fund_changed *event;
    struct event         head;

    assert(now->loss >= 0 && now->beyond >= 0 && now->loss_limit >= 0);
    if (is_emitted(told, now)) return;
    event = EVENT_ADD(ctx->events, FUND, fund_changed, MARKET_PERPS);
    head = event->head;
    *event = *now;
    event->head = head;
    *told = *event;
}

/* No event for a symbol in which the fund has no position and no loss, and which no earlier event named. */
static void emit_fund_symbol(struct apply_context *ctx, uint8_t number, struct fund_changed *whole)
{
    struct engine         *e = ctx->engine;
    const struct position *position = position_find(e, SLOT_FUND, number);
    struct fund_symbol    *symbol = &perps_at(e, number)->fund;
    struct fund_changed    now = *whole;

    assert(symbol->loss <= e->fund_day.loss && symbol->beyond <= e->fund_day.beyond);
    now.symbol_id = market_at(e, number)->symbol.id;
    now.size = position == NULL ? 0 : position->exposure.size;
    now.inventory = now.size == 0 ? 0 : risk_unit_shown(position_value(e, position));
    now.inventory_limit = risk_unit_shown(fund_inventory_limit(e, number));
    now.loss = symbol->loss;
    now.loss_limit = risk_unit_shown(fund_symbol_limit(e, number));
    now.beyond = symbol->beyond;
    assert(now.inventory >= 0 && now.inventory_limit >= 0 && whole->inventory >= 0);
    whole->inventory = risk_unit_shown((int128_t)whole->inventory + now.inventory);
    if (now.size == 0) symbol->cushion = symbol->gapped = 0;
    emit_fund(ctx, &symbol->told, &now);
}

void fund_emit(struct apply_context *ctx)
{
    struct engine      *e = ctx->engine;
    struct risk_unit    fund = risk_unit_cross(e, SLOT_FUND);
    int128_t            equity = risk_unit_equity(e, SLOT_FUND, &fund);
    struct fund_changed whole = { .time_ms = e->time_ms,
                                  .day_ms = e->fund_day.day * DAY_MS,
                                  .wallet = engine_margins(e)[SLOT_FUND].wallet,
                                  .equity = risk_unit_shown(equity) };

    for (uint32_t i = 0; i < e->perps_count; i++) emit_fund_symbol(ctx, (uint8_t)(PERPS_FIRST + i), &whole);
    whole.inventory_limit = risk_unit_shown(margin_max(0, equity) * CARRY);
    whole.loss = e->fund_day.loss;
    whole.loss_limit = risk_unit_shown(fund_total_limit(e));
    whole.beyond = e->fund_day.beyond;
    emit_fund(ctx, &e->fund_emitted, &whole);
}

/* ---- invariants ---- */

void fund_verify(const struct engine *e)
{
    int128_t losses = 0, beyond = 0;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        const struct fund_symbol *symbol = &engine_perps(e)[i].fund;

        assert(symbol->loss >= 0 && symbol->beyond >= 0 && symbol->cushion >= 0 && symbol->gapped <= 1);
        if (RULING(66)) assert(symbol->loss <= fund_symbol_limit(e, (uint8_t)(PERPS_FIRST + i))); /* I66 */
        losses += symbol->loss;
        beyond += symbol->beyond;
    }
    assert(losses == e->fund_day.loss && beyond == e->fund_day.beyond); /* I66 */
    assert(e->fund_day.loss <= fund_total_limit(e));                    /* I66 */
}
