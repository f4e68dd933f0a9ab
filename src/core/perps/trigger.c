/* SPDX-License-Identifier: MIT */
#include "core/perps/trigger.h"
#include "base/heap.h"
#include "core/perps/perps_check.h"
#include "core/perps/perps_order.h"
#include "core/state/rulings.h"
#include "core/perps/stop.h"
#include "core/perps/perps_emit.h"

/* One that fired, in the order of execution: stop-losses first, then by id (mechanics 4.7). */
static bool fires_before(const struct fired *a, const struct fired *b)
{
    assert(a->kind == STOP_TAKE_PROFIT || a->kind == STOP_LOSS);
    if (a->kind != b->kind) return a->kind == STOP_LOSS;
    return a->id < b->id;
}

static bool fires_after(const struct fired *a, const struct fired *b) { return fires_before(b, a); }
HEAP_DEFINE_SORT(fired, struct fired, fires_after)

/* Takes what a reference fires out of the trees; it is put back into nothing: each is executed below. */
static uint32_t collect(struct engine *e, const struct market *market, uint8_t trigger, bool in_tick,
                        struct fired *into, uint32_t room)
{
    int64_t  reference = stop_reference(e, market, trigger);
    uint32_t count = 0, ix;

    while (count < room && (ix = stop_next_fired(e, market, trigger, reference)) != 0) {
        struct order *order = order_at(e, ix);

        assert(order_is_stop(order) && order->level == 0 && order->market == market->number);
        stop_disarm(e, ix);
        order_move(order, STATUS_TRIGGERED);
        stop_at(e, ix)->fresh = in_tick;
        stop_retry_add(e, ix); /* where it stands until its turn comes, so that it can be cancelled */
        into[count++] = (struct fired){ .id = order->id, .ix = ix, .kind = stop_at(e, ix)->kind };
    }
    return count;
}

/* The quantity to work: the whole position for a global one, never more than it (mechanics 4.4). */
static int64_t working_open(const struct order *order, const struct stop *stop, const struct position *position)
{
    int64_t held = size_abs(position->exposure.size);

    assert(!order_reduces(order) || held > 0);
    if (!order_reduces(order)) return order_open(order);
    if (stop->cap == 0 && stop->modifier == MODIFIER_STOP) return held;
    return min_i64(order_open(order), held);
}

static bool has_its_position(const struct order *order, const struct stop *stop, const struct position *position)
{
    bool closing =
        position != NULL && position->exposure.size != 0 && (position->exposure.size > 0) == (order->side == SIDE_SELL);

    return !order_reduces(order) || (closing && (stop->position_id == 0 || stop->position_id == position->id));
}

/* The other child's rest gives way (mechanics 4.3). */
static void clear_sibling(struct apply_context *ctx, uint32_t ix)
{
    struct engine     *e = ctx->engine;
    const struct stop *stop = stop_at(e, ix);
    uint32_t           sibling = stop->modifier == MODIFIER_ATTACHED_STOP ? stop->relation[1] : 0;

    assert(sibling == 0 || stop_at(e, sibling)->relation[1] == ix);
    if (sibling != 0 && order_at(e, sibling)->level != 0) perps_end(ctx, sibling, STATUS_CANCELED, REASON_OCO_SIBLING);
}

static bool book_can_take(struct engine *e, const struct order *order, uint8_t type)
{
    struct market *market = market_at(e, order->market);

    return type == TYPE_MARKET || book_has_room(e, market, order->side, order->price, order_open(order));
}

/* Post-only means it for a stop-limit too: it never takes (mechanics 2.5, decision 149). */
static bool would_cross(const struct engine *e, const struct order *order, uint8_t type)
{
    return type == TYPE_LIMIT && order_tif(order) == TIF_GTX
        && match_crosses(e, market_at(e, order->market), order->side, order->price);
}

/*
 * A limit price that lies outside the band around the mark when its stop fires becomes the band's edge (ruling 70).
 * False: there is no price on the tick within the band, and the order has ended.
 */
static bool bring_into_band(struct apply_context *ctx, uint32_t ix)
{
    struct engine       *e = ctx->engine;
    struct order        *order = order_at(e, ix);
    const struct market *market = market_at(e, order->market);
    int64_t              edge;

    if (!RULING(70) || stop_at(e, ix)->type != TYPE_LIMIT || perps_check_in_band(e, market, order->side, order->price))
        return true;
    edge = perps_check_band_price(e, market, order->side);
    if (edge == 0) {
        perps_end(ctx, ix, STATUS_EXPIRED, REASON_PRICE_BOUND);
        return false;
    }
    assert(perps_check_in_band(e, market, order->side, edge) && edge % market->symbol.tick_size == 0);
    order->price = edge;
    order->updated_ms = e->time_ms;
    perps_emit(ctx, ix, EXEC_REPLACED, REASON_NONE);
    return true;
}

/* A fired stop does what it was placed for. */
static void execute_fired(struct apply_context *ctx, uint32_t ix, bool first_time)
{
    struct engine         *e = ctx->engine;
    struct order          *order = order_at(e, ix);
    const struct stop     *stop = stop_at(e, ix);
    const struct position *position = position_find(e, order->account, order->market);
    enum reject            reject;

    assert(order_is_stop(order) && order->status == STATUS_TRIGGERED && order->level == 0);
    if (!has_its_position(order, stop, position)) {
        perps_end(ctx, ix, STATUS_CANCELED, REASON_POSITION_CLOSED);
        return;
    }
    assert(position != NULL && position->stop_count > 0);
    if (first_time && !bring_into_band(ctx, ix)) return;
    if (first_time) {
        order->updated_ms = e->time_ms;
        perps_emit(ctx, ix, EXEC_NEW, REASON_NONE);
        clear_sibling(ctx, ix);
    }
    order->quantity = order->executed + working_open(order, stop, position);
    assert(order_open(order) >= 0 && (!order_reduces(order) || order_open(order) <= size_abs(position->exposure.size)));
    if (order_open(order) == 0) {
        perps_end(ctx, ix, STATUS_CANCELED, REASON_POSITION_CLOSED);
        return;
    }
    if (would_cross(e, order, stop->type)) {
        perps_end(ctx, ix, STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
        return;
    }
    reject = order_reduces(order) ? REJECT_NONE : perps_may_open(e, ix, stop->type);
    if (reject == REJECT_NONE && !book_can_take(e, order, stop->type)) {
        perps_end(ctx, ix, STATUS_REJECTED, REASON_CAPACITY);
        return;
    }
    if (reject != REJECT_NONE) {
        perps_end(ctx, ix, STATUS_REJECTED, (uint8_t)reject_end_reason(reject));
        return;
    }
    stop_retry_remove(e, ix);
    perps_work(ctx, ix, stop->type, 0, NULL);
}

/* The order of the record is still the one that fired: ids are never used twice. */
static bool is_waiting(const struct engine *e, const struct fired *fired)
{
    assert(fired->ix != 0 && fired->id != 0);
    return order_at(e, fired->ix)->id == fired->id && order_at(e, fired->ix)->status == STATUS_TRIGGERED;
}

static uint32_t fire_market(struct apply_context *ctx, uint8_t number, uint8_t first, uint8_t last, uint32_t room)
{
    struct engine *e = ctx->engine;
    struct market *market = market_at(e, number);
    struct fired  *fired = engine_fired(e);
    bool           suspended = perps_at(e, number)->state == ORACLE_IS_STALE, in_tick = ctx->command->kind == CMD_TICK;
    uint32_t       count = 0;

    assert(first >= TRIGGER_LAST_PRICE && first <= last && last <= TRIGGER_INDEX_PRICE);
    if (!market_trades(e, market)) return 0;
    for (uint8_t trigger = first; trigger <= last; trigger++)
        if (trigger == TRIGGER_LAST_PRICE || !suspended)
            count += collect(e, market, trigger, in_tick, fired + count, room - count);
    assert(count <= room);
    fired_sort(fired, count);
    for (uint32_t i = 0; i < count; i++)
        if (is_waiting(e, &fired[i])) execute_fired(ctx, fired[i].ix, true);
    return count;
}

/* Round by round, because a fired order may trade and fire more; orders armed in between are checked as well. */
static uint32_t fire_rounds(struct apply_context *ctx, uint32_t room)
{
    struct engine *e = ctx->engine;

    while (room > 0 && (ctx->traded | ctx->armed) != 0) {
        uint64_t traded = ctx->traded, armed = ctx->armed;

        ctx->traded = ctx->armed = 0;
        for (uint32_t i = 0; i < e->perps_count; i++) {
            if ((armed >> i & 1) != 0)
                room -= fire_market(ctx, (uint8_t)(PERPS_FIRST + i), TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE, room);
            else if ((traded >> i & 1) != 0)
                room -= fire_market(ctx, (uint8_t)(PERPS_FIRST + i), TRIGGER_LAST_PRICE, TRIGGER_LAST_PRICE, room);
        }
    }
    assert(room <= e->rules.triggers_per_command);
    if (room == 0) e->work_left = 1;
    return room;
}

/* Whether an armed order waits for the last price of a symbol that traded. */
static bool trades_matter(const struct engine *e, uint64_t traded)
{
    for (; traded != 0; traded &= traded - 1) {
        const uint32_t *roots = engine_perps(e)[__builtin_ctzll(traded)].triggers[TRIGGER_LAST_PRICE];

        if ((roots[RISING] | roots[FALLING]) != 0) return true;
    }
    return false;
}

bool trigger_after_command(struct apply_context *ctx)
{
    uint32_t room = ctx->engine->rules.triggers_per_command;

    if (ctx->armed == 0 && room != 0 && !trades_matter(ctx->engine, ctx->traded)) return false;
    return (ctx->traded | ctx->armed) != 0 && fire_rounds(ctx, room) != room;
}

/* Once more with a fresh bound, and once too often is the end (mechanics 4.2). */
static void retry(struct apply_context *ctx, uint32_t ix)
{
    struct engine *e = ctx->engine;

    if (stop_at(e, ix)->retries >= e->rules.stop_retry_ticks) {
        perps_end(ctx, ix, STATUS_EXPIRED, REASON_NO_LIQUIDITY);
        return;
    }
    assert(order_at(e, ix)->status == STATUS_TRIGGERED && e->retry_count > 0);
    stop_at(e, ix)->retries += 1;
    execute_fired(ctx, ix, false);
}

/* Every one that waits gets one more try, older ones first; those that fired in this TICK have had theirs. */
static void retry_all(struct apply_context *ctx, uint32_t room)
{
    struct engine *e = ctx->engine;

    for (uint32_t left = e->retry_count; left > 0 && e->retry_head != 0 && room > 0; left--, room--) {
        uint32_t ix = e->retry_head;
        bool     open = market_trades(e, market_at(e, order_at(e, ix)->market));

        assert(order_at(e, ix)->status == STATUS_TRIGGERED && order_at(e, ix)->level == 0);
        if (open && !stop_at(e, ix)->fresh) retry(ctx, ix);
        if (e->retry_head != ix || order_at(e, ix)->status != STATUS_TRIGGERED) continue;
        stop_at(e, ix)->fresh = 0;
        stop_retry_remove(e, ix);
        stop_retry_add(e, ix);
    }
    (void)fire_rounds(ctx, room);
}

void trigger_tick(struct apply_context *ctx, bool goes_on)
{
    struct engine *e = ctx->engine;
    uint32_t       room = e->rules.triggers_per_command;

    for (uint32_t i = 0; i < e->perps_count && room > 0; i++)
        room -= fire_market(ctx, (uint8_t)(PERPS_FIRST + i), TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE, room);
    assert(room <= e->rules.triggers_per_command && ctx->taking == 0);
    room = fire_rounds(ctx, room);
    if (room == 0) e->work_left = 1;
    if (!goes_on) retry_all(ctx, room);
}
