/* SPDX-License-Identifier: MIT */
#include "core/engine/schedule.h"
#include "core/account/account.h"
#include "core/account/ledger.h"
#include "core/book/order.h"
#include "core/perps/perps_take.h"
#include "core/spot/spot_end.h"
#include "core/state/refuse.h"

/*
 * Spot and perps have a switch each (mechanics 6): a place is slot * 2, and one more for perps, so that ties go
 * by account, then side.
 */
static uint32_t place_of(uint32_t slot, uint8_t kind)
{
    assert(kind == MARKET_SPOT || kind == MARKET_PERPS);
    return slot * 2 + (kind == MARKET_PERPS);
}
static uint8_t kind_of(uint32_t place) { return place % 2 != 0 ? MARKET_PERPS : MARKET_SPOT; }

/* ---- the heap: engine_heap(e)[1 .. schedule_count] ---- */

static bool earlier(const struct engine *e, uint32_t a, uint32_t b)
{
    int64_t fire_a = engine_schedules(e)[a].fire_ms, fire_b = engine_schedules(e)[b].fire_ms;

    assert(fire_a != 0 && fire_b != 0);
    return fire_a != fire_b ? fire_a < fire_b : a < b;
}

static void heap_set(struct engine *e, uint32_t at, uint32_t place)
{
    assert(at >= 1 && at <= e->schedule_count);
    engine_heap(e)[at] = place;
    engine_schedules(e)[place].heap_at = at;
}

static void heap_rise(struct engine *e, uint32_t at, uint32_t place)
{
    for (; at > 1 && earlier(e, place, engine_heap(e)[at / 2]); at /= 2) heap_set(e, at, engine_heap(e)[at / 2]);
    heap_set(e, at, place);
}

static void heap_sink(struct engine *e, uint32_t at, uint32_t place)
{
    const uint32_t *heap = engine_heap(e);

    for (uint32_t child; (child = at * 2) <= e->schedule_count; at = child) {
        if (child < e->schedule_count && earlier(e, heap[child + 1], heap[child])) child += 1;
        if (!earlier(e, heap[child], place)) break;
        heap_set(e, at, heap[child]);
    }
    heap_set(e, at, place);
}

/* Takes the account's schedule away, when it has one. */
static void unset(struct engine *e, uint32_t place)
{
    struct schedule_state *schedule = engine_schedules(e) + place;
    uint32_t               at = schedule->heap_at, last;

    schedule->fire_ms = 0;
    schedule->heap_at = 0;
    if (at == 0) return;
    assert(e->schedule_count > 0 && engine_heap(e)[at] == place);
    last = engine_heap(e)[e->schedule_count--];
    if (last == place) return;
    heap_rise(e, at, last);
    heap_sink(e, engine_schedules(e)[last].heap_at, last);
    assert(engine_heap(e)[engine_schedules(e)[last].heap_at] == last);
}

static void set(struct engine *e, uint32_t place, int64_t fire_ms)
{
    assert(fire_ms > e->time_ms);
    unset(e, place);
    engine_schedules(e)[place].fire_ms = fire_ms;
    e->schedule_count += 1;
    heap_rise(e, e->schedule_count, place);
    assert(engine_heap(e)[engine_schedules(e)[place].heap_at] == place);
}

/* ---- the rules ---- */

static uint32_t fired_on(const struct schedule_state *schedule, int64_t day)
{
    assert(schedule->day <= day);
    return schedule->day == day ? schedule->count : 0;
}

static void tell(struct apply_context *ctx, uint32_t place, bool fired)
{
    const struct schedule_state *schedule = engine_schedules(ctx->engine) + place;
    struct schedule             *event = EVENT_ADD(ctx->events, SCHEDULE, schedule, kind_of(place));

    assert(place / 2 >= SLOT_USERS && place / 2 < ctx->engine->account_end);
    assert((schedule->fire_ms != 0) == (schedule->heap_at != 0));
    event->account_id = account_id_of(place / 2);
    event->fire_ms = schedule->fire_ms;
    event->fired_today = fired_on(schedule, ctx->engine->time_ms / DAY_MS);
    event->fired = fired;
}

static bool may_set(const struct engine *e, uint32_t place, int64_t fire_ms, struct result *result)
{
    int64_t  earliest = e->time_ms + SCHEDULE_DELAY_MIN_MS, day = e->time_ms / DAY_MS;
    uint32_t limit = e->rules.schedule_triggers_per_day;

    if (fire_ms < earliest)
        return refuse(result, REJECT_SCHEDULE_TOO_SOON, decimal_make(fire_ms, 0), decimal_make(earliest, 0));
    if (fired_on(engine_schedules(e) + place, day) >= limit && fire_ms / DAY_MS <= day)
        return refuse(result, REJECT_SCHEDULE_LIMIT, decimal_make(fire_ms, 0), decimal_make((day + 1) * DAY_MS, 0));
    return true;
}

/* Every uint64 is a time (service); what no clock will ever reach is as far away as a time can be. */
static int64_t asked_time(const struct schedule_cancel *command)
{
    return (int64_t)min_u64(command->scheduled_ms.value, INT64_MAX - 1);
}

void schedule_apply(struct apply_context *ctx, uint32_t slot, const struct schedule_cancel *command,
                    struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       place = place_of(slot, ctx->command->market);

    if (!command->scheduled_ms.given) {
        unset(e, place);
    } else {
        if (!may_set(e, place, asked_time(command), result)) return;
        set(e, place, asked_time(command));
    }
    assert((engine_schedules(e)[place].fire_ms != 0) == (command->scheduled_ms.given != 0));
    tell(ctx, place, false);
}

/* A setting spares what protects positions (mechanics 6): stops that only reduce and have not gone into the book. */
static bool is_spared(const struct engine *e, const struct order *order)
{
    return e->rules.dms_keeps_stops && order_is_stop(order) && order_reduces(order) && order->level == 0;
}

/* The account's oldest order on the side that the place is about and that is to go, 0 = none. */
static uint32_t first_order(const struct engine *e, uint32_t place)
{
    for (uint32_t ix = account_at(e, place / 2)->order_head; ix != 0; ix = order_at(e, ix)->account_next)
        if (market_is_perps(order_at(e, ix)->market) == (kind_of(place) == MARKET_PERPS)
            && !is_spared(e, order_at(e, ix)))
            return ix;
    return 0;
}

/* Counts for the day of this TICK, also when nothing was open; above the limit nothing is canceled. */
static void fire(struct apply_context *ctx, uint32_t place)
{
    struct engine         *e = ctx->engine;
    struct schedule_state *schedule = engine_schedules(e) + place;
    int64_t                day = e->time_ms / DAY_MS;
    uint32_t               fired = fired_on(schedule, day);
    uint32_t               ix;
    bool                   fires = fired < e->rules.schedule_triggers_per_day;

    assert(schedule->fire_ms != 0 && schedule->fire_ms <= e->time_ms && schedule->day <= day);
    unset(e, place);
    if (fires) {
        schedule->day = day;
        schedule->count = fired + 1;
        while ((ix = first_order(e, place)) != 0) {
            if (kind_of(place) == MARKET_SPOT) spot_end(ctx, ix, STATUS_CANCELED, REASON_SCHEDULED_CANCEL);
            else perps_end(ctx, ix, STATUS_CANCELED, REASON_SCHEDULED_CANCEL);
        }
    }
    tell(ctx, place, fires);
    assert(schedule->heap_at == 0 && fired_on(schedule, day) <= e->rules.schedule_triggers_per_day);
    ledger_emit(ctx);
}

void schedule_fire_due(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;

    while (schedule_due_ms(e) <= e->time_ms) fire(ctx, engine_heap(e)[1]);
}

int64_t schedule_due_ms(const struct engine *e)
{
    assert(e->schedule_count == 0 || engine_schedules(e)[engine_heap(e)[1]].heap_at == 1);
    return e->schedule_count == 0 ? INT64_MAX : engine_schedules(e)[engine_heap(e)[1]].fire_ms;
}

uint64_t schedule_due_count(const struct engine *e, int64_t until_ms)
{
    uint64_t count = 0;

    for (uint32_t at = 1; at <= e->schedule_count; at++)
        count += engine_schedules(e)[engine_heap(e)[at]].fire_ms <= until_ms;
    assert(
        (count != 0)
        == (e->schedule_count != 0 && schedule_due_ms(e) <= until_ms)); /* the first of the heap is the first of all */
    return count;
}

void schedule_verify(const struct engine *e)
{
    uint32_t set_count = 0;

    for (uint32_t place = SLOT_USERS * 2; place < e->account_end * 2; place++) {
        const struct schedule_state *schedule = engine_schedules(e) + place;

        assert((schedule->fire_ms != 0) == (schedule->heap_at != 0));
        assert(schedule->count <= e->rules.schedule_triggers_per_day); /* at most 10 per UTC day */
        if (schedule->heap_at == 0) continue;
        assert(schedule->heap_at <= e->schedule_count && engine_heap(e)[schedule->heap_at] == place);
        assert(schedule->heap_at == 1 || !earlier(e, place, engine_heap(e)[schedule->heap_at / 2]));
        set_count += 1;
    }
    assert(set_count == e->schedule_count);
}
