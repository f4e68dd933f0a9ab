/* SPDX-License-Identifier: MIT */
#include "core/liquidation/liquidation_unit.h"
#include "core/account/account.h"

struct position *liquidation_unit_largest_without(const struct engine *e, const struct unit_entry *unit,
                                                  uint64_t without)
{
    struct position *found = NULL;
    int128_t         most = -1;

    for (uint32_t ix = engine_margins(e)[unit->slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);
        int128_t         maintenance;

        assert(position->account == unit->slot && market_is_perps(position->market));
        if (position->exposure.size == 0 || (without >> (position->market - PERPS_FIRST) & 1) != 0
            || perps_is_suspended(e, position->market))
            continue;
        if (unit->market != 0 ? position->market != unit->market : position_is_isolated(position)) continue;
        maintenance = position_maintenance(e, position);
        assert(maintenance >= 0);
        if (maintenance > most || (maintenance == most && position->market < found->market)) {
            most = maintenance;
            found = position;
        }
    }
    return found;
}

struct position *liquidation_unit_largest(const struct engine *e, const struct unit_entry *unit)
{
    return liquidation_unit_largest_without(e, unit, 0);
}

struct health liquidation_unit_health(const struct engine *e, const struct unit_entry *unit)
{
    struct risk_unit cross;

    assert(unit->slot < e->account_end && (unit->market == 0 || market_is_perps(unit->market)));
    if (unit->market != 0) {
        const struct position *position = position_find(e, unit->slot, unit->market);
        return position == NULL || position->exposure.size == 0 ? (struct health){ 0, 0 }
                                                                : risk_unit_health(e, position);
    }
    cross = risk_unit_cross(e, unit->slot);
    assert(cross.maintenance >= 0);
    return (struct health){ risk_unit_equity(e, unit->slot, &cross), cross.maintenance };
}

int64_t liquidation_unit_worse_price(const struct engine *e, const struct position *position)
{
    const struct perps_market *perps = perps_at(e, position->market);
    int64_t                    worse =
        position->exposure.size > 0 ? min_i64(perps->mark, perps->index) : max_i64(perps->mark, perps->index);

    assert(perps->mark > 0 && perps->index > 0 && worse > 0);
    return worse;
}

int128_t liquidation_unit_worse_value(const struct engine *e, const struct position *position)
{
    assert(position->exposure.size != 0);
    return market_value_floor(market_at(e, position->market), liquidation_unit_worse_price(e, position),
                              size_abs(position->exposure.size));
}

int128_t liquidation_unit_worse_equity(const struct engine *e, const struct unit_entry *unit, int128_t equity)
{
    TROUBLE_EACH(position, e, unit) {
        int128_t at_mark = position_value(e, position), at_worse = liquidation_unit_worse_value(e, position);

        assert(position->exposure.size > 0 ? at_mark >= at_worse : at_worse >= at_mark);
        equity -= position->exposure.size > 0 ? at_mark - at_worse : at_worse - at_mark;
    }
    return equity;
}

struct live_part liquidation_unit_live(const struct engine *e, const struct unit_entry *unit, struct health whole)
{
    int128_t maintenance = 0, profit = 0, lag = 0, equity;

    assert(whole.maintenance >= 0);
    TROUBLE_EACH(position, e, unit) {
        int128_t apart = position_value(e, position) - liquidation_unit_worse_value(e, position);

        if (perps_is_suspended(e, position->market)) continue;
        maintenance += position_maintenance(e, position);
        profit += position_profit(e, position);
        lag += apart < 0 ? -apart : apart;
    }
    assert(maintenance <= whole.maintenance);
    equity = maintenance == whole.maintenance ? whole.equity
                                              : liquidation_share(whole.equity, maintenance, whole.maintenance);
    return (struct live_part){
        .at_mark = { equity, maintenance },
        .at_worse = { equity - lag, maintenance },
        .wallet = engine_margins(e)[unit->slot].wallet + (unit->market != 0 ? 0 : profit - equity),
    };
}

int128_t liquidation_unit_share(struct health whole, int128_t own, struct health left)
{
    assert(own >= 0 && left.maintenance >= own && left.maintenance <= whole.maintenance);
    return left.maintenance <= own ? left.equity : liquidation_share(whole.equity, own, whole.maintenance);
}

/* The mark at which the unit of the position would be due, everything else being as it is. */
static int64_t liquidation_price(const struct engine *e, const struct position *position, struct health health)
{
    const struct market *market = market_at(e, position->market);
    int128_t             cash = position_is_isolated(position) ? position->exposure.bucket
                                                               : health.equity - position_profit(e, position)
                                                         - (health.maintenance - position_maintenance(e, position));

    assert(position->exposure.size != 0 && health.maintenance >= 0);
    return margin_liquidation_price(&perps_of(e, market)->contract, position->exposure.size, position->exposure.cost,
                                    cash, market->symbol.tick_size, market->power);
}

static void emit_position(struct apply_context *ctx, const struct unit_entry *unit, const struct position *position,
                          struct health health)
{
    const struct market  *market = market_at(ctx->engine, position->market);
    struct unit_position *event = EVENT_ADD(ctx->events, UNIT_POSITION, unit_position, MARKET_PERPS);

    assert(position->exposure.size != 0 && position->id != 0 && position->account == unit->slot);
    event->liquidation_id = unit->liquidation;
    event->account_id = account_id_of(position->account);
    event->position_id = position->id;
    event->symbol_id = market->symbol.id;
    event->margin_mode = position->mode;
    event->size = position->exposure.size;
    event->mark = perps_of(ctx->engine, market)->mark;
    event->liquidation_price = liquidation_price(ctx->engine, position, health);
    assert(event->mark > 0 && event->liquidation_price >= 0);
}

void liquidation_unit_emit(struct apply_context *ctx, const struct unit_entry *unit, uint8_t stage,
                           struct health health)
{
    struct engine     *e = ctx->engine;
    struct unit_stage *event = EVENT_ADD(ctx->events, UNIT, unit_stage, MARKET_PERPS);

    assert(stage >= STAGE_HEALTHY && stage <= STAGE_ADL && unit->liquidation != 0
           && unit->liquidation < e->next_liquidation_id);
    event->account_id = account_id_of(unit->slot);
    event->symbol_id = unit->market != 0 ? market_at(e, unit->market)->symbol.id : 0;
    event->stage = stage;
    event->equity = risk_unit_shown(health.equity);
    event->maintenance = risk_unit_shown(health.maintenance);
    event->time_ms = e->time_ms;
    event->liquidation_id = unit->liquidation;
    event->wallet = engine_margins(e)[unit->slot].wallet;
    if (stage == STAGE_HEALTHY) return;
    TROUBLE_EACH(position, e, unit) {
        emit_position(ctx, unit, position, health);
        event->positions += 1;
    }
    assert(event->positions >= 1 && event->positions <= (unit->market != 0 ? 1 : e->perps_count));
}

bool liquidation_unit_known(const struct engine *e, struct unit_entry *unit)
{
    assert(unit->market == 0 || position_find(e, unit->slot, unit->market) != NULL);
    unit->liquidation = unit->market != 0 ? position_find(e, unit->slot, unit->market)->liquidation
                                          : engine_margins(e)[unit->slot].liquidation;
    assert(unit->liquidation < e->next_liquidation_id);
    assert(unit->market != 0 || (engine_margins(e)[unit->slot].stage != 0) == (unit->liquidation != 0));
    return unit->liquidation != 0;
}

/* Of an isolated unit the row may have gone with its position. */
static void set_stage(struct engine *e, const struct unit_entry *unit, uint8_t stage, uint64_t liquidation)
{
    struct margin_account *margin = engine_margins(e) + unit->slot;
    struct position       *position = unit->market == 0 ? NULL : position_find(e, unit->slot, unit->market);

    assert((stage == 0) == (liquidation == 0));
    assert(stage <= STAGE_ADL);
    if (unit->market == 0) {
        margin->stage = stage & 0xfu;
        margin->liquidation = liquidation;
    } else if (position != NULL) {
        position->stage = stage;
        position->liquidation = liquidation;
    }
}

void liquidation_unit_enter(struct apply_context *ctx, struct unit_entry *unit, struct health health)
{
    assert(health.equity < health.maintenance);
    if (liquidation_unit_known(ctx->engine, unit)) return;
    assert(liquidation_unit_largest(ctx->engine, unit) != NULL);
    unit->liquidation = ctx->engine->next_liquidation_id++;
    set_stage(ctx->engine, unit, STAGE_BOOK, unit->liquidation);
    liquidation_unit_emit(ctx, unit, STAGE_BOOK, health);
}

void liquidation_unit_leave(struct apply_context *ctx, const struct unit_entry *unit)
{
    struct engine   *e = ctx->engine;
    struct position *position = unit->market == 0 ? NULL : position_find(e, unit->slot, unit->market);

    assert(unit->liquidation != 0 && unit->liquidation < e->next_liquidation_id);
    set_stage(e, unit, 0, 0);
    liquidation_unit_emit(ctx, unit, STAGE_HEALTHY, liquidation_unit_health(e, unit));
    if (position != NULL) position_settle(e, position);
}

bool liquidation_unit_has_suspended(const struct engine *e, const struct unit_entry *unit)
{
    TROUBLE_EACH(position, e, unit)
        if (perps_is_suspended(e, position->market)) return true;
    return false;
}
