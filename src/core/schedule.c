/* SPDX-License-Identifier: MIT */
#include "core/schedule.h"
#include "core/account.h"
#include "core/ledger.h"

/* ---- the heap: engine_heap(e)[1 .. schedule_count] ---- */

static bool earlier(const struct engine *e, uint32_t a, uint32_t b)
{
    int64_t fire_a = engine_schedules(e)[a].fire_ms, fire_b = engine_schedules(e)[b].fire_ms;
    return fire_a != fire_b ? fire_a < fire_b : a < b;
}

static void heap_set(struct engine *e, uint32_t at, uint32_t slot)
{
    engine_heap(e)[at] = slot;
    engine_schedules(e)[slot].heap_at = at;
}

static void heap_rise(struct engine *e, uint32_t at, uint32_t slot)
{
    for (; at > 1 && earlier(e, slot, engine_heap(e)[at / 2]); at /= 2) heap_set(e, at, engine_heap(e)[at / 2]);
    heap_set(e, at, slot);
}

static void heap_sink(struct engine *e, uint32_t at, uint32_t slot)
{
    const uint32_t *heap = engine_heap(e);

    for (uint32_t child; (child = at * 2) <= e->schedule_count; at = child) {
        if (child < e->schedule_count && earlier(e, heap[child + 1], heap[child])) child += 1;
        if (!earlier(e, heap[child], slot)) break;
        heap_set(e, at, heap[child]);
    }
    heap_set(e, at, slot);
}

/* Takes the account's schedule away, when it has one. */
static void unset(struct engine *e, uint32_t slot)
{
    struct schedule_state *schedule = engine_schedules(e) + slot;
    uint32_t               at = schedule->heap_at, last;

    schedule->fire_ms = 0;
    schedule->heap_at = 0;
    if (at == 0) return;
    last = engine_heap(e)[e->schedule_count--];
    if (last == slot) return;
    heap_rise(e, at, last);
    heap_sink(e, engine_schedules(e)[last].heap_at, last);
}

static void set(struct engine *e, uint32_t slot, int64_t fire_ms)
{
    unset(e, slot);
    engine_schedules(e)[slot].fire_ms = fire_ms;
    e->schedule_count += 1;
    heap_rise(e, e->schedule_count, slot);
}

/* ---- the rules ---- */

static uint32_t fired_on(const struct schedule_state *schedule, int64_t day) { return schedule->day == day ? schedule->count : 0; }

static void tell(struct turn *turn, uint32_t slot, bool fired)
{
    const struct schedule_state *schedule = engine_schedules(turn->engine) + slot;
    struct schedule             *event = EVENT_ADD(turn->events, SCHEDULE, schedule, MARKET_SPOT);

    event->account_id = account_id_of(slot);
    event->fire_ms = schedule->fire_ms;
    event->fired_today = fired_on(schedule, turn->engine->time_ms / DAY_MS);
    event->fired = fired;
}

static bool may_set(const struct engine *e, uint32_t slot, int64_t fire_ms, struct result *result)
{
    int64_t  earliest = e->time_ms + SCHEDULE_DELAY_MIN_MS, day = e->time_ms / DAY_MS;
    uint32_t limit = e->rules.schedule_triggers_per_day;

    if (fire_ms < earliest)
        return refuse(result, REJECT_SCHEDULE_TOO_SOON, decimal_make(fire_ms, 0), decimal_make(earliest, 0));
    if (fired_on(engine_schedules(e) + slot, day) >= limit && fire_ms / DAY_MS <= day)
        return refuse(result, REJECT_SCHEDULE_LIMIT, decimal_make(fire_ms, 0), decimal_make((day + 1) * DAY_MS, 0));
    return true;
}

/* Every uint64 is a time (service); what no clock will ever reach is as far away as a time can be. */
static int64_t asked_time(const struct schedule_cancel *command)
{
    return (int64_t)min_u64(command->scheduled_ms.value, INT64_MAX - 1);
}

void schedule_apply(struct turn *turn, uint32_t slot, const struct schedule_cancel *command, struct result *result)
{
    struct engine *e = turn->engine;

    if (!command->scheduled_ms.given) {
        unset(e, slot);
    } else {
        if (!may_set(e, slot, asked_time(command), result)) return;
        set(e, slot, asked_time(command));
    }
    tell(turn, slot, false);
}

/* Counts for the day of this TICK, also when nothing was open; above the limit nothing is canceled. */
static void fire(struct turn *turn, uint32_t slot)
{
    struct engine         *e = turn->engine;
    struct schedule_state *schedule = engine_schedules(e) + slot;
    int64_t                day = e->time_ms / DAY_MS;
    uint32_t               fired = fired_on(schedule, day);
    bool                   fires = fired < e->rules.schedule_triggers_per_day;

    unset(e, slot);
    if (fires) {
        schedule->day = day;
        schedule->count = fired + 1;
        while (account_at(e, slot)->order_head != 0)
            spot_end(turn, account_at(e, slot)->order_head, STATUS_CANCELED, REASON_SCHEDULED_CANCEL);
    }
    tell(turn, slot, fires);
    ledger_tell(turn);
}

void schedule_fire_due(struct turn *turn)
{
    struct engine *e = turn->engine;

    while (schedule_due_ms(e) <= e->time_ms) fire(turn, engine_heap(e)[1]);
}

int64_t schedule_due_ms(const struct engine *e)
{
    return e->schedule_count == 0 ? INT64_MAX : engine_schedules(e)[engine_heap(e)[1]].fire_ms;
}

uint64_t schedule_due_count(const struct engine *e, int64_t until_ms)
{
    uint64_t count = 0;

    for (uint32_t at = 1; at <= e->schedule_count; at++) count += engine_schedules(e)[engine_heap(e)[at]].fire_ms <= until_ms;
    return count;
}

void schedule_verify(const struct engine *e)
{
    uint32_t set_count = 0;

    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        const struct schedule_state *schedule = engine_schedules(e) + slot;

        assert((schedule->fire_ms != 0) == (schedule->heap_at != 0));
        assert(schedule->count <= e->rules.schedule_triggers_per_day);      /* at most 10 per UTC day */
        if (schedule->heap_at == 0) continue;
        assert(schedule->heap_at <= e->schedule_count && engine_heap(e)[schedule->heap_at] == slot);
        assert(schedule->heap_at == 1 || !earlier(e, slot, engine_heap(e)[schedule->heap_at / 2]));
        set_count += 1;
    }
    assert(set_count == e->schedule_count);
}
