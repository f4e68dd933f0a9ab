/* SPDX-License-Identifier: MIT */
#include "core/wind_up.h"
#include "core/adl.h"
#include "core/ledger.h"

/* The worse of mark and index for the position: the lag of the mark is no option against anybody (mechanics 3.11). */
static int128_t value_at_worse(const struct engine *e, const struct position *position)
{
    const struct market       *market = market_at(e, position->market);
    const struct perps_market *perps = perps_of(e, market);
    int64_t worse = position->stake.size > 0 ? min_i64(perps->mark, perps->index) : perps->mark > perps->index ? perps->mark : perps->index;

    assert(perps->mark > 0 && perps->index > 0 && worse > 0);
    return market_value_floor(market, worse, size_abs(position->stake.size));
}

static int128_t worse_by(const struct engine *e, const struct position *position)
{
    int128_t at_mark = position_value(e, position), at_worse = value_at_worse(e, position);

    assert(position->stake.size > 0 ? at_mark >= at_worse : at_worse >= at_mark);
    return position->stake.size > 0 ? at_mark - at_worse : at_worse - at_mark;
}

static int128_t equity_at_worse(const struct engine *e, const struct unit_entry *unit, int128_t equity)
{
    TROUBLE_EACH(position, e, unit) equity -= worse_by(e, position);
    return equity;
}

/* What the fund may hold of a symbol, 0 = as much as it can carry: 2 % of the cap, which may be a quantity (mechanics 3.13, ruling 31). */
static int128_t most_inventory(const struct engine *e, uint8_t number)
{
    const struct market   *market = market_at(e, number);
    const struct contract *contract = &perps_of(e, market)->contract;

    if (contract->fund_max_inventory != 0 || contract->open_interest_cap == 0) return contract->fund_max_inventory;
    return margin_max(1, market_value_floor(market, perps_of(e, market)->mark, min_i64(contract->open_interest_cap, QUANTITY_MAX)) / 50);
}

/* Inventory the fund would have, opposite sides netted, and whether it could carry it (mechanics 3.13). */
static bool fund_may_hold(struct engine *e, const struct unit_entry *unit, int128_t residue)
{
    int128_t    inventory = 0, equity;
    struct unit fund = unit_cross(e, SLOT_FUND);

    for (uint32_t ix = engine_margins(e)[SLOT_FUND].positions; ix != 0; ix = position_at(e, ix)->next) inventory += position_value(e, position_at(e, ix));
    TROUBLE_EACH(position, e, unit) {
        const struct position *held = position_find(e, SLOT_FUND, position->market);
        int128_t               before = held != NULL ? position_value(e, held) : 0, more = position_value(e, position), after;
        int128_t               most = most_inventory(e, position->market);

        after = held == NULL || (held->stake.size > 0) == (position->stake.size > 0) ? before + more : before > more ? before - more : more - before;
        if (most != 0 && after > most) return false;
        inventory += after - before;
    }
    assert(inventory >= 0);
    equity = unit_equity(e, SLOT_FUND, &fund) + residue;
    return equity * 5 >= inventory;
}

static int128_t unit_budget(struct engine *e, const struct unit_entry *unit)
{
    const struct position *position = trouble_largest(e, unit);

    assert(position == NULL || position->account == unit->slot);
    return position == NULL ? 0 : fund_budget(e, position->market);
}

/* Money of the unit's owner that belongs to nobody else now goes to the fund, or comes from it. */
static void settle_residue(struct engine *e, uint32_t slot, int128_t amount)
{
    int128_t both = (int128_t)ledger_wallet(e, slot) + ledger_wallet(e, SLOT_FUND);

    assert(slot != SLOT_FUND && amount >= -AMOUNT_MAX && amount <= AMOUNT_MAX);
    ledger_position(e, slot, (int64_t)-amount);
    ledger_position(e, SLOT_FUND, (int64_t)amount);
    assert((int128_t)ledger_wallet(e, slot) + ledger_wallet(e, SLOT_FUND) == both);
}

/* What a position has of its unit's equity, each of the whole; the last one has what the others left (mechanics 3.11). */
static int128_t share_of(struct health whole, int128_t own, struct health left)
{
    assert(own >= 0 && left.maintenance >= own && left.maintenance <= whole.maintenance);
    return left.maintenance <= own ? left.equity : liquidation_share(whole.equity, own, whole.maintenance);
}

/* The record's result includes what liquidation takes from the trader, or pays for him (mechanics 3.1). */
static void count_loss(struct position *position, int128_t loss)
{
    int128_t realized = position->realized - loss;

    position->realized = (int64_t)margin_max(-AMOUNT_MAX, margin_min(realized, AMOUNT_MAX));
    assert(position->id != 0);
}

static void take_over(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine   *e = turn->engine;
    struct position *position;
    uint8_t          number = trouble_largest(e, unit)->market;
    struct health    left = health;
    int64_t          wallet_before = engine_margins(e)[unit->slot].wallet;

    while ((position = trouble_largest(e, unit)) != NULL) {
        int128_t         own = position_maintenance(e, position), share = share_of(health, own, left);
        struct position *fund = position_make(e, SLOT_FUND, position->market);
        int64_t          price = liquidation_take_over_price(position_value(e, position), position->stake.size, share, market_at(e, position->market)->power);

        assert(fund != NULL);               /* it has a row of its own for each symbol */
        assert(price >= 1 && (fund->stake.size == 0 || fund->id != 0));
        left.equity -= share;
        left.maintenance -= own;
        count_loss(position, share);
        move_between(turn, position, fund, -position->stake.size, position_value(e, position), REASON_TAKEOVER, price);
    }
    assert(left.equity == 0 && left.maintenance == 0);                      /* the shares are all of it */
    settle_residue(e, unit->slot, unit->market != 0 ? engine_margins(e)[unit->slot].wallet - wallet_before : engine_margins(e)[unit->slot].wallet);
    assert(unit->market != 0 || ledger_wallet(e, unit->slot) == 0);
    fund_lost(e, number, -health.equity);
}

/* The unit's positions one by one, each with its share of E_t; the fund pays what it may of a deficit (mechanics 3.12). */
static void deleverage(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine   *e = turn->engine;
    struct health    whole = { equity_at_worse(e, unit, health.equity), health.maintenance }, left = whole;
    struct position *position;

    while ((position = trouble_largest(e, unit)) != NULL) {
        int128_t own = position_maintenance(e, position), value = value_at_worse(e, position), share, subsidy, residue;
        uint8_t  number = position->market;
        uint32_t slot = unit->slot;
        bool     isolated = position_is_isolated(position), is_long = position->stake.size > 0;
        int64_t  wallet_before = engine_margins(e)[slot].wallet;

        share = share_of(whole, own, left);
        left.equity -= share;
        left.maintenance -= own;
        subsidy = share < 0 ? margin_min(-share, fund_budget(e, number)) : 0;
        assert(subsidy >= 0 && subsidy <= AMOUNT_MAX);
        if (subsidy > 0) {
            ledger_position(e, SLOT_FUND, (int64_t)-subsidy);
            ledger_position(e, slot, (int64_t)subsidy);
            fund_lost(e, number, subsidy);
        }
        if (share < 0) value = is_long ? value - (share + subsidy) : margin_max(0, value + share + subsidy);   /* never below nothing */
        assert(value >= 0);
        count_loss(position, share > 0 ? share : -subsidy);
        adl_close(turn, position, value);
        residue = isolated ? engine_margins(e)[slot].wallet - wallet_before : share > 0 ? share : 0;
        if (isolated || residue != 0) settle_residue(e, slot, residue);
    }
    assert(left.equity == 0 && left.maintenance == 0);
    if (unit->market == 0 && engine_margins(e)[unit->slot].wallet < 0)      /* units of rounding, and what no price could cover */
        settle_residue(e, unit->slot, engine_margins(e)[unit->slot].wallet);
}

void wind_up(struct turn *turn, const struct unit_entry *unit, struct health health)
{
    struct engine *e = turn->engine;
    bool           held = equity_at_worse(e, unit, health.equity) >= -unit_budget(e, unit) && fund_may_hold(e, unit, health.equity);

    assert(unit->slot >= SLOT_USERS && health.equity < health.maintenance);
    trouble_tell(turn, unit, held ? STAGE_TAKEOVER : STAGE_ADL, health);
    if (held) take_over(turn, unit, health);
    else      deleverage(turn, unit, health);
}
