/* SPDX-License-Identifier: MIT */
/* due.c — when the next TICK is wanted, and whether the last command left work over. */
#include "core/engine.h"
#include "core/engine/quiet.h"
#include "core/engine/schedule.h"
#include "core/engine/settle.h"
#include "core/state/market.h"

/* Hours count while positions may have to pay: each settles its own funding (ruling 43). */
int64_t engine_due_ms(const struct engine *e)
{
    int64_t hour = e->perps_count != 0 ? (e->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS : INT64_MAX;

    return min_i64(min_i64(hour, settle_due_ms(e)), engine_kept_ms(e));
}

int64_t engine_kept_ms(const struct engine *e) { return min_i64((e->fee_day + 1) * DAY_MS, schedule_due_ms(e)); }
bool    engine_work_left(const struct engine *e) { return e->perps_count != 0 && e->work_left != 0; }

int64_t engine_pulse_ms(const struct engine *e)
{
    assert(e->quiet <= 1 && e->work_left <= 1);
    if (e->perps_count == 0) return INT64_MAX;
    if (engine_work_left(e)) return e->time_ms;
    if (e->quiet == 0) return engine_second_ms(e);
    return engine_second_ms(e) == INT64_MAX ? INT64_MAX : quiet_until_ms(e);
}

int64_t engine_second_ms(const struct engine *e)
{
    if (e->perps_count == 0) return INT64_MAX;
    assert(e->perps_count <= SYMBOLS_MAX);
    if (settle_waits(e)) return (e->time_ms / 1000 + 1) * 1000;
    for (uint32_t i = 0; i < e->perps_count; i++)
        if (market_trades(e, &e->markets[SYMBOLS_MAX + i])) return (e->time_ms / 1000 + 1) * 1000;
    return INT64_MAX;
}

uint64_t engine_due_count(const struct engine *e, int64_t until_ms) { return schedule_due_count(e, until_ms); }
