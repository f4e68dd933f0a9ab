/* SPDX-License-Identifier: MIT */
#include "core/trouble.h"
#include "core/account.h"

uint8_t *trouble_stage(struct engine *e, const struct unit_entry *unit)
{
    return unit->market != 0 ? &position_find(e, unit->slot, unit->market)->stage : &engine_margins(e)[unit->slot].stage;
}

struct position *trouble_largest_without(const struct engine *e, const struct unit_entry *unit, uint64_t without)
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

struct position *trouble_largest(const struct engine *e, const struct unit_entry *unit) { return trouble_largest_without(e, unit, 0); }

struct health trouble_health(const struct engine *e, const struct unit_entry *unit)
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

void trouble_tell(struct turn *turn, const struct unit_entry *unit, uint8_t stage, struct health health)
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

void trouble_set_stage(struct turn *turn, const struct unit_entry *unit, uint8_t stage, struct health health)
{
    uint8_t *now = trouble_stage(turn->engine, unit), kept = stage == STAGE_HEALTHY ? 0 : stage;

    if (*now == kept) return;
    *now = kept;
    trouble_tell(turn, unit, stage, health);
}

bool trouble_has_suspended(const struct engine *e, const struct unit_entry *unit)
{
    TROUBLE_EACH(position, e, unit) if (perps_is_suspended(e, position->market)) return true;
    return false;
}
