/* SPDX-License-Identifier: MIT */
#include "core/liquidation/liquidate.h"
#include "base/heap.h"
#include "core/liquidation/liquidation_order.h"
#include "core/liquidation/fund.h"
#include "core/state/layout.h"
#include "core/account/ledger.h"
#include "core/liquidation/liquidation_takeover.h"

/* ---- one unit ---- */

static bool is_protective(const struct order *order)
{
    return order_is_stop(order) && order_reduces(order) && order->level == 0;
}

static uint32_t find_order_of(const struct engine *e, const struct unit_entry *unit)
{
    for (uint32_t ix = account_at(e, unit->slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order    *order = order_at(e, ix);
        const struct position *position;

        assert(order->account == unit->slot);

        if (!market_is_perps(order->market) || is_protective(order)) continue;
        position = position_find(e, unit->slot, order->market);
        assert(position != NULL && position->order_count > 0); /* an open order has a row */
        if (unit->market != 0 ? order->market == unit->market : !position_is_isolated(position)) return ix;
    }
    return 0;
}

static void cancel_orders_of(struct apply_context *ctx, const struct unit_entry *unit)
{
    uint32_t ix;

    while ((ix = find_order_of(ctx->engine, unit)) != 0) {
        uint32_t before = account_at(ctx->engine, unit->slot)->order_count;

        perps_end(ctx, ix, STATUS_CANCELED, REASON_LIQUIDATION);
        assert(account_at(ctx->engine, unit->slot)->order_count < before); /* so the loop ends */
    }
}

static void mark_tried(struct engine *e, const struct unit_entry *unit)
{
    struct position *position = unit->market == 0 ? NULL : position_find(e, unit->slot, unit->market);

    assert(e->price_step != 0 && unit->slot < e->account_end);
    if (unit->market == 0) engine_margins(e)[unit->slot].tried = e->price_step;
    else if (position != NULL) position->tried = e->price_step;
}

/* So little is left that the book gets no further TICK: below 2/3 of the
   maintenance margin, as a rule (mechanics 3.11, stage 2). */
static bool is_for_the_fund(const struct engine *e, struct health health)
{
    assert(health.equity < health.maintenance && e->rules.take_over_part <= e->rules.take_over_whole);
    assert(e->rules.take_over_whole > 0);
    return e->rules.take_over_whole * health.equity < e->rules.take_over_part * health.maintenance;
}

/* One unit as far as it goes in this TICK. */
static void liquidate(struct apply_context *ctx, struct unit_entry *unit)
{
    struct engine *e = ctx->engine;
    struct health  health = liquidation_unit_health(e, unit);
    bool           known = liquidation_unit_known(e, unit), sick = health.equity < health.maintenance;

    assert(unit->slot >= SLOT_USERS && unit->slot < e->account_end);
    mark_tried(e, unit);
    if (sick && liquidation_unit_largest(e, unit) == NULL) return; /* all of it is suspended */
    if (sick) {
        liquidation_unit_enter(ctx, unit, health);
        assert(unit->liquidation != 0);
        cancel_orders_of(ctx, unit);
        assert(find_order_of(e, unit) == 0);
        if (!liquidation_sale(ctx, unit, &health) && is_for_the_fund(e, health)
            && (RULING(66) || !liquidation_unit_has_suspended(e, unit))) {
            liquidation_takeover(ctx, unit, health);
            assert(liquidation_unit_largest(e, unit) == NULL); /* only suspended rows are left */
            assert(unit->market != 0 || liquidation_unit_has_suspended(e, unit) || ledger_wallet(e, unit->slot) >= 0);
        }
        health = liquidation_unit_health(e, unit);
        known = true;
    }
    if (known && health.equity >= health.maintenance)
        liquidation_unit_leave(ctx, unit); /* or the position is gone: emitted all the same */
    ledger_emit(ctx);
}

/* ---- the scan ---- */

/* The sickest first: E / MM ascending, then account, then symbol (mechanics 3.11). */
static bool sicker(const struct unit_entry *a, const struct unit_entry *b)
{
    int128_t left = a->equity * b->maintenance, right = b->equity * a->maintenance;

    assert(a->maintenance >= 0 && b->maintenance >= 0);
    if (left != right) return left < right;
    if (a->slot != b->slot) return a->slot < b->slot;
    return a->market < b->market;
}

HEAP_DEFINE(unit, struct unit_entry, sicker)

static int128_t bounded(int128_t amount) { return margin_max(-AMOUNT_MAX, margin_min(amount, AMOUNT_MAX)); }

/* One pass over the rows in memory order: isolated units are judged at once, cross ones summed by account. */
static void sum_units(struct engine *e, bool goes_on, struct unit_entry *entries, uint32_t *count)
{
    struct unit_sum *sums = engine_sums(e);

    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        const struct position *position = position_at(e, ix);
        int128_t               profit, maintenance, value;

        if (position->exposure.size == 0 || position->account == SLOT_FUND) continue;
        assert(position->account >= SLOT_USERS && position->account < e->account_end);
        value = position_value(e, position);
        profit = (position->exposure.size < 0 ? -value : value) - position->exposure.cost;
        maintenance = margin_maintenance(&perps_at(e, position->market)->contract, value);
        if (!position_is_isolated(position)) {
            struct unit_sum *sum = &sums[position->account];
            if (sum->scan != e->scans) *sum = (struct unit_sum){ .scan = e->scans };
            sum->profit += profit;
            sum->maintenance += maintenance;
            continue;
        }
        if (position->exposure.bucket + profit >= maintenance && position->stage == 0) continue;
        if (goes_on && position->tried == e->price_step) continue;
        entries[(*count)++] = (struct unit_entry){ .equity = bounded(position->exposure.bucket + profit),
                                                   .maintenance = bounded(maintenance),
                                                   .slot = position->account,
                                                   .market = position->market };
    }
}

static uint32_t find_sick(struct engine *e, bool goes_on)
{
    struct unit_entry     *entries = engine_units(e);
    const struct unit_sum *sums = engine_sums(e);
    uint32_t               count = 0;

    e->scans += 1;
    sum_units(e, goes_on, entries, &count);
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        const struct margin_account *margin = engine_margins(e) + slot;
        struct unit_sum              sum = sums[slot].scan == e->scans ? sums[slot] : (struct unit_sum){ 0 };
        int128_t                     equity = margin->wallet + sum.profit;

        if (equity >= sum.maintenance && margin->stage == 0) continue;
        if (goes_on && margin->tried == e->price_step) continue;
        entries[count++] =
            (struct unit_entry){ .equity = bounded(equity), .maintenance = bounded(sum.maintenance), .slot = slot };
    }
    assert(count <= e->position_count + e->account_end);
    unit_make(entries, count);
    return count;
}

/*
 * One pass over all units; `again`: without those that this price step has already tried. True when there was one. The
 * room for events also bounds the work of a TICK (ruling 61): deleveraging touches every account of the other side.
 */
static bool scan(struct apply_context *ctx, bool again, uint32_t *room)
{
    struct engine     *e = ctx->engine;
    struct unit_entry *entries = engine_units(e);
    uint32_t           count = find_sick(e, again);
    bool               found = count != 0;

    for (; count > 0 && *room > 0 && layout_has_room(ctx); *room -= 1) {
        struct unit_entry unit = entries[0];

        assert(unit.maintenance >= 0 && (count == 1 || !sicker(&entries[1], &unit)));
        entries[0] = entries[--count];
        unit_sink(entries, 0, count);
        if (unit.market != 0 && position_find(e, unit.slot, unit.market) == NULL) continue;
        liquidate(ctx, &unit);
        assert(ctx->liquidation == 0 && ctx->taking == 0);
    }
    if (count > 0) e->work_left = 1;
    return found && count == 0 && *room > 0;
}

/* Work on one unit can make another unhealthy, so passes repeat until none is new (mechanics 1.6, 10). */
void liquidate_tick(struct apply_context *ctx, bool goes_on)
{
    uint32_t room = ctx->engine->rules.liquidations_per_tick;
    bool     again = goes_on;

    assert(ctx->liquidation == 0 && ctx->taking == 0);
    while (scan(ctx, again, &room)) again = true;
    if (!goes_on && fund_keep(ctx))
        while (scan(ctx, true, &room)) continue;
    fund_judge(ctx);
    assert(room <= ctx->engine->rules.liquidations_per_tick);
}
