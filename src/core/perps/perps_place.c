/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_place.h"
#include "core/book/match.h"
#include "core/perps/bracket_place.h"
#include "core/perps/perps_emit.h"
#include "core/perps/perps_order.h"
#include "core/perps/perps_plain.h"
#include "core/perps/stop.h"

/* A market or IOC order that only reduces is never larger than the position (mechanics 3.6). */
static void clamp_to_position(struct perps_check *check)
{
    int64_t held = size_abs(check->position->exposure.size);

    if (!check->reduces || check->is_stop || check->draft.funds != 0) return;
    if (check->draft.type == TYPE_MARKET || check->draft.time_in_force == TIF_IOC)
        check->draft.quantity = min_i64(check->draft.quantity, held);
}

/* A stop-loss behind the liquidation price of its position (mechanics 10.1); by the mark alone, without orders. */
static COLD bool is_beyond_liquidation(const struct engine *e, const struct perps_check *check)
{
    const struct position *position = check->position;
    const struct market   *market = check->market;
    struct health          health;
    int128_t               cash;
    int64_t                price;

    assert(check->is_stop && check->stop_price > 0);
    if (position->exposure.size == 0 || check->item->stop_type != STOP_LOSS) return false;
    health = risk_unit_health(e, position);
    cash = health.equity - position_profit(e, position) - (health.maintenance - position_maintenance(e, position));
    price = margin_liquidation_price(&perps_of(e, market)->contract, position->exposure.size, position->exposure.cost,
                                     cash, market->symbol.tick_size, market->power);
    if (price == 0) return false;
    return position->exposure.size > 0 ? check->stop_price <= price : check->stop_price >= price;
}

static void place_one(struct apply_context *ctx, uint32_t slot, struct perps_check *check, struct result *result)
{
    struct engine *e = ctx->engine;
    uint64_t       id;
    uint32_t       ix, first;

    if (!perps_check_pass(e, slot, check, (struct group_room){ .orders = 1 }, result)) {
        if (result->reject == REJECT_POST_ONLY_CROSS) perps_expire_crossing(ctx, slot, check, result);
        return;
    }
    first = check->is_stop ? 0
                           : match_first(e, check->market, check->draft.side,
                                         check->draft.type == TYPE_LIMIT ? check->draft.price : check->bound);
    if (first != 0) perps_prefetch_trade(e, order_at(e, first));
    if (!check->is_stop && !perps_check_pass_risk(e, check, result)) return;
    if (first != 0) perps_prefetch_settlement(e, slot, order_at(e, first));
    clamp_to_position(check);
    ix = perps_accept(e, slot, check, STATUS_NEW);
    id = order_at(e, ix)->id;
    if (check->is_stop) {
        perps_accept_stop(e, ix, check);
        stop_arm(e, ix);
        perps_emit(ctx, ix, EXEC_NEW, REASON_NONE);
        if (check->reduces && is_beyond_liquidation(e, check)) result->warning = WARNING_STOP_BEYOND_LIQUIDATION;
    } else {
        ctx->placed = ix;
        ctx->ended = 0;
        if (first == 0 && check->draft.type == TYPE_LIMIT && check->draft.time_in_force != TIF_IOC)
            perps_rest(ctx, check->market, perps_row_of(e, slot, check), ix,
                       check->cover.own); /* no counterparty: the result that perps_work would have */
        else perps_work(ctx, ix, check->draft.type, check->draft.funds, &check->cover);
    }
    perps_report(e, id, ix, ctx->ended, result);
}

static NOINLINE FLAT void place_checked(struct apply_context *ctx, uint32_t slot, const struct perps_order *item,
                                        struct result *result)
{
    const struct place_perps    *batch = command_payload(ctx->command);
    UNTOUCHED struct perps_check check;

    assert(item >= batch->items && ctx->taking == 0);
    if (batch->items[0].modifier == MODIFIER_BRACKET) {
        if (item == batch->items) bracket_place(ctx, slot, batch, result);
        return;
    }
    if (!pass_payload(payload_perps_neighbours(batch, item), result)) return;
    if (perps_check_make(ctx->engine, slot, batch->symbol_id, item, ctx->client_key, is_hinted(ctx) ? ctx->hint : NULL,
                         &check, result))
        place_one(ctx, slot, &check, result);
}

SHARED FLAT void perps_place(struct apply_context *ctx, uint32_t slot, const struct perps_order *item,
                             struct result *result)
{
    if (!perps_place_plain(ctx, slot, item, result)) place_checked(ctx, slot, item, result);
}
