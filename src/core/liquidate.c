/* SPDX-License-Identifier: MIT */
#include "core/liquidate.h"
#include "base/heap.h"
#include "core/account.h"
#include "core/adl.h"
#include "core/fees.h"
#include "core/layout.h"
#include "core/ledger.h"
#include "core/stop.h"

#define ROUNDS      8                   /* IOCs per unit and TICK (mechanics 3.11)           */
#define UNWIND_PART 10                  /* of the fund's position, and of the depth, per TICK */
#define UNWIND_BAND 500000              /* 0.5 % around the mark                             */

/* ---- units ---- */

static uint8_t *stage_of(struct engine *e, const struct unit_entry *unit)
{
    return unit->market != 0 ? &position_find(e, unit->slot, unit->market)->stage : &engine_margins(e)[unit->slot].stage;
}

/* The row of the unit that needs the largest maintenance margin, then the lowest market; NULL = none. Not one of the
   markets in `without` (a bit each), and none whose symbol is suspended: nothing is forced there. */
static struct position *largest_without(const struct engine *e, const struct unit_entry *unit, uint64_t without)
{
    struct position *found = NULL;
    int128_t         most = -1;

    for (uint32_t ix = engine_margins(e)[unit->slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);
        int128_t         maintenance;

        if (position->stake.size == 0 || (without >> (position->market - PERPS_FIRST) & 1) != 0 || perps_is_suspended(e, position->market)) continue;
        if (unit->market != 0 ? position->market != unit->market : position_is_isolated(position)) continue;
        maintenance = position_maintenance(e, position);
        if (maintenance > most || (maintenance == most && position->market < found->market)) { most = maintenance; found = position; }
    }
    return found;
}

static struct position *largest(const struct engine *e, const struct unit_entry *unit) { return largest_without(e, unit, 0); }

static struct health health_of(const struct engine *e, const struct unit_entry *unit)
{
    struct unit cross;

    if (unit->market != 0) {
        const struct position *position = position_find(e, unit->slot, unit->market);
        return position == NULL || position->stake.size == 0 ? (struct health){ 0, 0 } : unit_health(e, position);
    }
    cross = unit_cross(e, unit->slot);
    return (struct health){ unit_equity(e, unit->slot, &cross), cross.maintenance };
}

static int64_t shown_amount(int128_t amount) { return (int64_t)margin_max(-AMOUNT_MAX, margin_min(amount, AMOUNT_MAX)); }

static void tell_stage(struct turn *turn, const struct unit_entry *unit, uint8_t stage, struct health health)
{
    struct unit_stage *event = EVENT_ADD(turn->events, UNIT, unit_stage, MARKET_PERPS);

    event->account_id = account_id_of(unit->slot);
    event->symbol_id = unit->market != 0 ? market_at(turn->engine, unit->market)->symbol.id : 0;
    event->stage = stage;
    event->equity = shown_amount(health.equity);
    event->maintenance = shown_amount(health.maintenance);
    event->time_ms = turn->engine->time_ms;
    turn->settled = 1;
}

static void set_stage(struct turn *turn, const struct unit_entry *unit, uint8_t stage, struct health health)
{
    uint8_t *now = stage_of(turn->engine, unit), kept = stage == STAGE_HEALTHY ? 0 : stage;

    if (*now == kept) return;
    *now = kept;
    tell_stage(turn, unit, stage, health);
}

/* ---- stage 0: orders ---- */

static bool is_protective(const struct order *order) { return order_is_stop(order) && order_reduces(order) && order->level == 0; }

static uint32_t find_order_of(const struct engine *e, const struct unit_entry *unit)
{
    for (uint32_t ix = account_at(e, unit->slot)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order    *order = order_at(e, ix);
        const struct position *position;

        if (!market_is_perps(order->market) || is_protective(order)) continue;
        position = position_find(e, unit->slot, order->market);
        if (unit->market != 0 ? order->market == unit->market : !position_is_isolated(position)) return ix;
    }
    return 0;
}

static void cancel_orders_of(struct turn *turn, const struct unit_entry *unit)
{
    uint32_t ix;

    while ((ix = find_order_of(turn->engine, unit)) != 0) perps_end(turn, ix, STATUS_CANCELED, REASON_LIQUIDATION);
}

/* ---- stage 1: the book ---- */

/* An order of the house in the name of the position: it takes and is gone. Returns what it closed. */
static int64_t force(struct turn *turn, struct position *position, int64_t quantity, int64_t limit, uint8_t reason)
{
    struct engine     *e = turn->engine;
    struct market     *market = market_at(e, position->market);
    uint32_t           ix = order_take(e);
    struct order      *order = order_at(e, ix);
    struct perps_taker taker = { .position = position, .order_ix = ix, .reduces = true, .reason = reason };
    int64_t            executed;

    order->id = e->next_order_id++;
    order->price = limit;
    order->quantity = quantity;
    order->next = 0;
    order->account = position->account;
    order->market = position->market;
    order->side = position->stake.size > 0 ? SIDE_SELL : SIDE_BUY;
    order->time_in_force = TIF_IOC | ORDER_REDUCES;
    order->created_ms = order->updated_ms = e->time_ms;
    taker.taker = (struct taker){ .order = order, .limit = limit, .type = TYPE_LIMIT };
    position->order_count += 1;
    turn->taking = ix;
    (void)perps_take(turn, market, &taker);
    turn->taking = 0;
    executed = order->executed;
    order_move(order, order_open(order) == 0 ? STATUS_FILLED : STATUS_EXPIRED);
    perps_tell(turn, ix, order->status == STATUS_FILLED ? EXEC_FILLED : EXEC_EXPIRED, reason);
    order_give(e, ix);
    position->order_count -= 1;
    position_settle(e, position);
    turn->settled = 1;
    return executed;
}

/* What has to go now: the shortage, or everything where less would leave dust (mechanics 3.11). */
static int64_t shortage(const struct engine *e, const struct position *position, struct health health)
{
    const struct market *market = market_at(e, position->market);
    int64_t              size = size_abs(position->stake.size), rate = fees_taker_rate(e, market, position->account);
    int64_t              quantity = liquidation_quantity(&perps_of(e, market)->contract, health.equity, health.maintenance, perps_of(e, market)->mark,
                                                         position->stake.size, rate > 0 ? rate : 0, e->rules.liquidation_buffer,
                                                         market->symbol.step_size, market->power);
    int128_t             rest = market_value_floor(market, perps_of(e, market)->mark, size - quantity);

    return quantity >= size || rest < market->symbol.min_notional ? size : quantity;
}

static int64_t worst_price(const struct engine *e, const struct position *position)
{
    int64_t mark = perps_at(e, position->market)->mark, bankrupt = unit_bankruptcy_price(e, position);
    int64_t tick = market_at(e, position->market)->symbol.tick_size, slipped;

    if (position->stake.size > 0) {
        slipped = (price_below(mark, e->rules.liquidation_slippage) + tick - 1) / tick * tick;
        return bankrupt > slipped ? bankrupt : slipped;
    }
    slipped = price_above(mark, e->rules.liquidation_slippage) / tick * tick;
    return bankrupt < slipped ? bankrupt : slipped;
}

/* Whether there is anybody to sell to, or buy from, within the bound; no order is made in vain. */
static bool book_reaches(const struct engine *e, const struct position *position, int64_t limit)
{
    return limit > 0 && match_crosses(e, market_at(e, position->market), position->stake.size > 0 ? SIDE_SELL : SIDE_BUY, limit);
}

/* The positions one after the other, the largest first; one whose book gives nothing is left out. True when the unit is
   healthy again or nothing is left of it. */
static bool sell_into_book(struct turn *turn, const struct unit_entry *unit, struct health *health)
{
    struct engine *e = turn->engine;
    uint64_t       empty = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct position *position = largest_without(e, unit, empty);
        int64_t          quantity, limit;
        uint8_t          number;

        if (position == NULL) return largest(e, unit) == NULL;
        number = position->market;
        quantity = shortage(e, position, *health);
        limit = worst_price(e, position);
        if (quantity == 0 || !book_reaches(e, position, limit) || force(turn, position, quantity, limit, REASON_LIQUIDATION) == 0) {
            empty |= UINT64_C(1) << (number - PERPS_FIRST);
            continue;
        }
        *health = health_of(e, unit);
        if (health->equity >= health->maintenance) return true;
    }
    return false;
}

/* ---- stages 2 and 3 ---- */

/* The worse of mark and index for the position: the lag of the mark is no option against anybody (mechanics 3.11). */
static int128_t value_at_worse(const struct engine *e, const struct position *position)
{
    const struct market       *market = market_at(e, position->market);
    const struct perps_market *perps = perps_of(e, market);
    int64_t worse = position->stake.size > 0 ? min_i64(perps->mark, perps->index) : perps->mark > perps->index ? perps->mark : perps->index;

    return market_value_floor(market, worse, size_abs(position->stake.size));
}

static int128_t worse_by(const struct engine *e, const struct position *position)
{
    int128_t at_mark = position_value(e, position), at_worse = value_at_worse(e, position);
    return position->stake.size > 0 ? at_mark - at_worse : at_worse - at_mark;
}

/* Every row of the unit, one after the other: f is called on each that has a position. */
#define UNIT_EACH(row_, e, unit)                                                                                            \
    for (struct position *row_ = engine_margins(e)[(unit)->slot].positions != 0                                             \
             ? position_at((e), engine_margins(e)[(unit)->slot].positions) : NULL;                                          \
         row_ != NULL; row_ = row_->next != 0 ? position_at((e), row_->next) : NULL)                                        \
        if (row_->stake.size != 0 && ((unit)->market != 0 ? row_->market == (unit)->market : !position_is_isolated(row_)))

static int128_t equity_at_worse(const struct engine *e, const struct unit_entry *unit, int128_t equity)
{
    UNIT_EACH(position, e, unit) equity -= worse_by(e, position);
    return equity;
}

/* Inventory the fund would have, opposite sides netted, and whether it could carry it (mechanics 3.13). */
static bool fund_may_hold(struct engine *e, const struct unit_entry *unit, int128_t residue)
{
    int128_t    inventory = 0, equity;
    struct unit fund = unit_cross(e, SLOT_FUND);

    for (uint32_t ix = engine_margins(e)[SLOT_FUND].positions; ix != 0; ix = position_at(e, ix)->next) inventory += position_value(e, position_at(e, ix));
    UNIT_EACH(position, e, unit) {
        const struct contract *contract = &perps_at(e, position->market)->contract;
        const struct position *held = position_find(e, SLOT_FUND, position->market);
        int128_t               before = held != NULL ? position_value(e, held) : 0, more = position_value(e, position), after;

        after = held == NULL || (held->stake.size > 0) == (position->stake.size > 0) ? before + more : before > more ? before - more : more - before;
        if (contract->fund_max_inventory != 0 && after > contract->fund_max_inventory) return false;
        inventory += after - before;
    }
    equity = unit_equity(e, SLOT_FUND, &fund) + residue;
    return equity * 5 >= inventory;
}

static int128_t unit_budget(struct engine *e, const struct unit_entry *unit)
{
    const struct position *position = largest(e, unit);
    return position == NULL ? 0 : fund_budget(e, position->market);
}

/* Money of the unit's owner that belongs to nobody else now goes to the fund, or comes from it. */
static void settle_residue(struct engine *e, uint32_t slot, int128_t amount)
{
    ledger_position(e, slot, (int64_t)-amount);
    ledger_position(e, SLOT_FUND, (int64_t)amount);
}

/* What a position has of its unit's equity; the last one has the rest. */
static int128_t share_of(int128_t equity, int128_t own, int128_t maintenance)
{
    return maintenance <= own ? equity : liquidation_share(equity, own, maintenance);
}

/* The record's result includes what liquidation takes from the trader, or pays for him (mechanics 3.1). */
static void count_loss(struct position *position, int128_t loss)
{
    int128_t realized = position->realized - loss;

    position->realized = (int64_t)margin_max(-AMOUNT_MAX, margin_min(realized, AMOUNT_MAX));
}

static void take_over(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine   *e = turn->engine;
    struct position *position;
    uint8_t          number = largest(e, unit)->market;
    int128_t         left = health.equity, maintenance = health.maintenance;
    int64_t          wallet_before = engine_margins(e)[unit->slot].wallet;

    while ((position = largest(e, unit)) != NULL) {
        int128_t         own = position_maintenance(e, position), share = share_of(left, own, maintenance);
        struct position *fund = position_make(e, SLOT_FUND, position->market);
        int64_t          price = liquidation_take_over_price(position_value(e, position), position->stake.size, share, market_at(e, position->market)->power);

        left -= share;
        maintenance -= own;
        count_loss(position, share);
        move_between(turn, position, fund, -position->stake.size, position_value(e, position), REASON_TAKEOVER, price);
    }
    settle_residue(e, unit->slot, unit->market != 0 ? engine_margins(e)[unit->slot].wallet - wallet_before : engine_margins(e)[unit->slot].wallet);
    fund_lost(e, number, -health.equity);
}

/* The unit's positions one by one, each with its share of E_t; the fund pays what it may of a deficit (mechanics 3.12). */
static void deleverage(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine   *e = turn->engine;
    int128_t         left = equity_at_worse(e, unit, health.equity), maintenance = health.maintenance;
    struct position *position;

    while ((position = largest(e, unit)) != NULL) {
        int128_t own = position_maintenance(e, position), value = value_at_worse(e, position), share, subsidy, residue;
        uint8_t  number = position->market;
        uint32_t slot = unit->slot;
        bool     isolated = position_is_isolated(position), is_long = position->stake.size > 0;
        int64_t  wallet_before = engine_margins(e)[slot].wallet;

        share = share_of(left, own, maintenance);
        left -= share;
        maintenance -= own;
        subsidy = share < 0 ? margin_min(-share, fund_budget(e, number)) : 0;
        if (subsidy > 0) {
            ledger_position(e, SLOT_FUND, (int64_t)-subsidy);
            ledger_position(e, slot, (int64_t)subsidy);
            fund_lost(e, number, subsidy);
        }
        if (share < 0) value = is_long ? value - (share + subsidy) : margin_max(0, value + share + subsidy);   /* never below nothing */
        count_loss(position, share > 0 ? share : -subsidy);
        adl_close(turn, position, value);
        residue = isolated ? engine_margins(e)[slot].wallet - wallet_before : share > 0 ? share : 0;
        if (isolated || residue != 0) settle_residue(e, slot, residue);
    }
    if (unit->market == 0 && engine_margins(e)[unit->slot].wallet < 0)      /* units of rounding, and what no price could cover */
        settle_residue(e, unit->slot, engine_margins(e)[unit->slot].wallet);
}

/* Part of the unit cannot be closed now, so it is not wound up either: its whole equity stands behind all of it. */
static bool has_suspended(const struct engine *e, const struct unit_entry *unit)
{
    UNIT_EACH(position, e, unit) if (perps_is_suspended(e, position->market)) return true;
    return false;
}

/* Healthy again, or gone. Its row may have gone with its position, and its stage with it; that it is over is told all the same. */
static void release(struct turn *turn, const struct unit_entry *unit)
{
    struct engine   *e = turn->engine;
    struct position *position = unit->market == 0 ? NULL : position_find(e, unit->slot, unit->market);

    if (unit->market == 0)      engine_margins(e)[unit->slot].stage = 0;
    else if (position != NULL)  position->stage = 0;
    tell_stage(turn, unit, STAGE_HEALTHY, health_of(e, unit));
    if (position != NULL) position_settle(e, position);
}

/* The book could not help: the fund takes the unit as it is, or those on the other side must (mechanics 3.11, 3.12). */
static void wind_up(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine *e = turn->engine;
    bool           held = equity_at_worse(e, unit, health.equity) >= -unit_budget(e, unit) && fund_may_hold(e, unit, health.equity);

    tell_stage(turn, unit, held ? STAGE_TAKEOVER : STAGE_ADL, health);
    if (held) take_over(turn, unit, health);
    else      deleverage(turn, unit, health);
}

static void mark_tried(struct engine *e, const struct unit_entry *unit)
{
    struct position *position = unit->market == 0 ? NULL : position_find(e, unit->slot, unit->market);

    if (unit->market == 0)      engine_margins(e)[unit->slot].tried = e->price_step;
    else if (position != NULL)  position->tried = e->price_step;
}

/* One unit as far as it goes in this TICK. */
static void liquidate(struct turn *turn, const struct unit_entry *unit)
{
    struct engine *e = turn->engine;
    struct health  health = health_of(e, unit);
    bool           known = *stage_of(e, unit) != 0, sick = health.equity < health.maintenance;

    mark_tried(e, unit);
    if (sick && largest(e, unit) == NULL) return;           /* all of it is suspended */
    if (sick) {
        set_stage(turn, unit, STAGE_BOOK, health);
        cancel_orders_of(turn, unit);
        if (!sell_into_book(turn, unit, &health) && 3 * health.equity < 2 * health.maintenance && !has_suspended(e, unit))
            wind_up(turn, unit, health);
        health = health_of(e, unit);
        known = true;
    }
    if (known && health.equity >= health.maintenance) release(turn, unit);
    ledger_tell(turn);
}

/* ---- the scan ---- */

/* The sickest first: E / MM ascending, then account, then symbol (mechanics 3.11). */
static bool sicker(const struct unit_entry *a, const struct unit_entry *b)
{
    int128_t left = a->equity * b->maintenance, right = b->equity * a->maintenance;

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

        if (position->stake.size == 0 || position->account == SLOT_FUND) continue;
        value = position_value(e, position);
        profit = (position->stake.size < 0 ? -value : value) - position->stake.cost;
        maintenance = margin_maintenance(&perps_at(e, position->market)->contract, value);
        if (!position_is_isolated(position)) {
            struct unit_sum *sum = &sums[position->account];
            if (sum->scan != e->scans) *sum = (struct unit_sum){ .scan = e->scans };
            sum->profit += profit;
            sum->maintenance += maintenance;
            continue;
        }
        if (position->stake.bucket + profit >= maintenance && position->stage == 0) continue;
        if (goes_on && position->tried == e->price_step) continue;
        entries[(*count)++] = (struct unit_entry){ .equity = bounded(position->stake.bucket + profit), .maintenance = bounded(maintenance),
                                                   .slot = position->account, .market = position->market };
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
        entries[count++] = (struct unit_entry){ .equity = bounded(equity), .maintenance = bounded(sum.maintenance), .slot = slot };
    }
    unit_make(entries, count);
    return count;
}

/* ---- the fund ---- */

/* A tenth of the position, no more than a tenth of what stands near the mark (mechanics 3.13). */
static void unwind(struct turn *turn, struct position *position)
{
    struct engine       *e = turn->engine;
    const struct market *market = market_at(e, position->market);
    int64_t              mark = perps_of(e, market)->mark, step = market->symbol.step_size, size = size_abs(position->stake.size), depth = 0, quantity;
    bool                 sells = position->stake.size > 0;
    int64_t              limit = sells ? price_below(mark, UNWIND_BAND) : price_above(mark, UNWIND_BAND);

    for (uint32_t ix = market->sides[sells ? SIDE_BUY : SIDE_SELL].best; ix != 0; ix = book_behind(level_at(e, ix))) {
        if (sells ? level_at(e, ix)->price < limit : level_at(e, ix)->price > limit) break;
        depth += level_at(e, ix)->quantity;
    }
    quantity = min_i64(size, (size / UNWIND_PART > step ? size / UNWIND_PART : step) / step * step);
    quantity = min_i64(quantity, depth / UNWIND_PART / step * step);
    if (quantity > 0) (void)force(turn, position, quantity, limit, REASON_LIQUIDATION);
}

/* True when the fund had anything. */
static bool keep_fund(struct turn *turn)
{
    struct engine           *e = turn->engine;
    const struct unit_entry  fund = { .slot = SLOT_FUND };
    struct health            health = health_of(e, &fund);
    uint8_t                  numbers[PERPS_MAX];
    uint32_t                 count = 0;

    for (uint32_t ix = engine_margins(e)[SLOT_FUND].positions; ix != 0; ix = position_at(e, ix)->next)
        if (position_at(e, ix)->stake.size != 0) numbers[count++] = position_at(e, ix)->market;
    for (uint32_t i = 0; i < count; i++) {
        struct position *position = position_find(e, SLOT_FUND, numbers[i]);

        if (position == NULL || position->stake.size == 0 || perps_is_suspended(e, numbers[i])) continue;
        if (health.equity < health.maintenance) adl_close(turn, position, position_value(e, position));
        else                                    unwind(turn, position);
        position = position_find(e, SLOT_FUND, numbers[i]);
        if (position != NULL) position_settle(e, position);
    }
    ledger_tell(turn);
    return count != 0;
}

/* The venue is insolvent while the fund is below zero; withdrawals wait (mechanics 3.12). */
static void judge_venue(struct turn *turn)
{
    struct engine        *e = turn->engine;
    const struct unit_entry fund = { .slot = SLOT_FUND };
    uint32_t              insolvent = health_of(e, &fund).equity < 0;
    struct venue_changed *event;

    if (insolvent == e->insolvent) return;
    e->insolvent = insolvent;
    event = EVENT_ADD(turn->events, VENUE, venue_changed, MARKET_PERPS);
    event->insolvent = (uint8_t)insolvent;
    event->fund = engine_margins(e)[SLOT_FUND].wallet;
}

/* One TICK's work is bounded by what it may tell as well (ruling 61): deleveraging touches everybody on the other side. */
static bool has_room(const struct turn *turn)
{
    return turn->events->cap - turn->events->len >= layout_unit_events(&turn->engine->limits, turn->engine->order_count);
}

/* One pass over all units; `again`: without those that this price step has already tried. True when there was one. */
static bool scan(struct turn *turn, bool again, uint32_t *room)
{
    struct engine     *e = turn->engine;
    struct unit_entry *entries = engine_units(e);
    uint32_t           count = find_sick(e, again);
    bool               found = count != 0;

    for (; count > 0 && *room > 0 && has_room(turn); *room -= 1) {
        struct unit_entry unit = entries[0];

        entries[0] = entries[--count];
        unit_sink(entries, 0, count);
        if (unit.market != 0 && position_find(e, unit.slot, unit.market) == NULL) continue;
        liquidate(turn, &unit);
    }
    if (count > 0) e->work_left = 1;
    return found && count == 0 && *room > 0;
}

/* What is done to one unit can make another sick, so it is looked again until nobody new is (mechanics 1.6, 10). */
void liquidate_tick(struct turn *turn, bool goes_on)
{
    uint32_t room = turn->engine->rules.liquidations_per_tick;
    bool     again = goes_on;

    while (scan(turn, again, &room)) again = true;
    if (!goes_on && keep_fund(turn))
        while (scan(turn, true, &room)) continue;
    judge_venue(turn);
}
