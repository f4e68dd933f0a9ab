/* SPDX-License-Identifier: MIT */
/* perps_settings.c — leverage, mode and margin of a position (service 4.6). */
#include "world.h"

/* The symbol of a setting, as long as it is not settled; NULL: answered. */
static const struct symbol *symbol_to_set(struct twin *twin, uint64_t id)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, id);

    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, id);
        return NULL;
    }
    if (twin->state[MARKET_PERPS][symbol->id - 1].status == SYMBOL_SETTLED) {
        answer(twin, 0, REJECT_SYMBOL_SETTLED);
        return NULL;
    }
    return symbol;
}

/* Leverage and mode (service 4.6). */
void do_leverage(struct twin *twin, const struct update_leverage *update)
{
    const struct symbol     *symbol;
    struct position         *position;
    struct leverage_changed *told;
    bool                     open;

    if (update->margin_mode != MARGIN_ISOLATED && update->margin_mode != MARGIN_CROSS) {
        answer(twin, 0, REJECT_ENUM_RANGE);
        return;
    }
    symbol = symbol_to_set(twin, update->symbol_id);
    if (symbol == NULL) return;
    if (update->leverage < 1 || update->leverage > contract_of(twin, symbol)->tiers[0].max_leverage) {
        answer_said(twin, 0, REJECT_LEVERAGE_RANGE, whole(update->leverage),
                    whole(contract_of(twin, symbol)->tiers[0].max_leverage));
        return;
    }
    position = &twin->actor->positions[symbol->id - 1];
    open = position->is.size != 0;
    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].market == MARKET_PERPS && twin->orders[i].is.base.account_id == twin->actor->id
            && twin->orders[i].is.base.symbol_id == symbol->id)
            open = true;
    if (open) {
        answer(twin, 0, REJECT_LEVERAGE_LOCKED);
        return;
    }
    if (!row_fits(twin, 0, twin->actor, symbol)) return;
    answer(twin, 0, REJECT_NONE);
    position->is.leverage = update->leverage;
    position->is.margin_mode = update->margin_mode;
    told = TELL(twin, LEVERAGE, leverage_changed, MARKET_PERPS);
    told->account_id = twin->actor->id;
    told->symbol_id = symbol->id;
    told->leverage = update->leverage;
    told->margin_mode = update->margin_mode;
}

/* Isolated margin (service 4.6; mechanics 3.5, E15). */
void do_margin(struct twin *twin, const struct update_margin *update)
{
    const struct symbol *symbol;
    struct position     *p;
    int128_t             amount, most, u, doc, guard, initial;

    if (update->amount.digits == 0) {
        answer(twin, 0, REJECT_MARGIN_AMOUNT);
        return;
    }
    symbol = symbol_to_set(twin, update->symbol_id);
    if (symbol == NULL) return;
    if (!units_of(update->amount, 6, &amount)) {
        answer_said(twin, 0, REJECT_MARGIN_AMOUNT, update->amount, whole(6));
        return;
    }
    p = &twin->actor->positions[symbol->id - 1];
    if (p->is.size == 0) {
        answer(twin, 0, REJECT_NO_POSITION);
        return;
    }
    if (p->is.margin_mode != MARGIN_ISOLATED) {
        answer(twin, 0, REJECT_NOT_ISOLATED);
        return;
    }
    if (amount < 0 ? money_is_held(twin, twin->actor, 0) : bucket_is_shut(twin, twin->actor, 0)) return;
    u = profit(twin, symbol, p, AT_WORST);
    initial = divide_ceil(p->cost < 0 ? -p->cost : p->cost, p->is.leverage);
    doc = p->is.bucket - initial + (u < 0 ? u : 0);
    guard = p->is.bucket + (u < 0 ? u : 0) - position_margin(twin, symbol, p);
    most = amount > 0 ? available_isolated(twin, twin->actor) : doc < guard ? doc : guard;
    if (most < 0) most = 0;
    if (amount < 0 && -amount <= most) { /* its orders' leverage stays covered (mechanics 1.6 (10)) */
        int128_t before = needs(twin, twin->actor) + reserves(twin, twin->actor), after;

        p->is.bucket += (int64_t)amount;
        after = needs(twin, twin->actor) + reserves(twin, twin->actor);
        p->is.bucket -= (int64_t)amount;
        if (after > before && after > cross_equity(twin, twin->actor, AT_WORST) - amount) most = 0;
    }
    if ((amount > 0 ? amount : -amount) > most) {
        answer_said(twin, 0, REJECT_MARGIN_ROOM, decimal_of(amount, 6), decimal_of(most, 6));
        return;
    }
    answer(twin, 0, REJECT_NONE);
    twin->actor->wallet -= (int64_t)amount;
    p->is.bucket += (int64_t)amount;
    position_says(twin, p);
}
