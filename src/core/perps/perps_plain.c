/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_plain.h"
#include "core/account/account.h"
#include "core/book/match.h"
#include "core/perps/perps_emit.h"
#include "core/perps/perps_order.h"
#include "core/state/refuse.h"

/* By its form alone: no market order, none of a group, no TP/SL order, no reduce-only one. */
static inline bool has_plain_form(const struct place_perps *batch, const struct perps_order *item)
{
    return batch->items[0].modifier != MODIFIER_BRACKET && item->modifier == MODIFIER_NORMAL && item->type == TYPE_LIMIT
        && item->position_side == POSITION_BOTH && item->reduce_only == 0;
}

/* Trading without restriction, the price within the band, and with a place in the book. */
static inline bool may_stand(const struct engine *e, const struct market *market, uint8_t side,
                             const struct item_hint *hint)
{
    return e->mode == VENUE_RUN && market->symbol.status == SYMBOL_TRADING
        && perps_check_in_band(e, market, side, hint->price) && e->level_count < e->limits.levels
        && hint->quantity <= AMOUNT_MAX - market->sides[side].quantity;
}

/* The order of an item that passed, accepted in the account's row. */
static ALWAYS_INLINE uint32_t accept_plain(const struct apply_context *ctx, const struct unit_row *row,
                                           struct position *position, const struct perps_order *item, uint32_t place)
{
    const struct perps_key key = { &item->client_id, ctx->client_key, place };
    const struct draft     draft = { .market = row->market,
                                     .side = item->side,
                                     .type = TYPE_LIMIT,
                                     .time_in_force = item->time_in_force,
                                     .price = ctx->hint->price,
                                     .quantity = ctx->hint->quantity };

    assert(row->position == position);
    return perps_accept_draft(ctx->engine, position, &draft, &key, STATUS_NEW);
}

/* Everything that such an order emits. */
struct plain_events {
    struct perps_order_changed order;
    struct level_changed       level;
};

static ALWAYS_INLINE void rest_plain(struct apply_context *ctx, struct market *market, uint32_t ix,
                                     struct result *result)
{
    struct engine       *e = ctx->engine;
    const struct order  *order = order_at(e, ix);
    struct plain_events *events = events_room(ctx->events, sizeof(*events));

    book_push(e, market, ix);
    perps_write(&events->order, market, order, EXEC_NEW, REASON_NONE);
    book_write(&events->level, market, order->side, order->price, level_at(e, order->level)->quantity);
    result->order_id = order->id;
    result->status = STATUS_NEW;
}

/* It meets `first`, 0 = nobody, or may not rest. */
static SHARED void work_plain(struct apply_context *ctx, uint32_t ix, uint32_t first, int128_t spare,
                              struct result *result)
{
    struct engine     *e = ctx->engine;
    const struct cover cover = { .own = -1, .spare = spare, .both = true };
    uint64_t           id = order_at(e, ix)->id;

    assert(ctx->taking == 0 && spare >= 0 && order_at(e, ix)->level == 0);
    ctx->placed = ix;
    ctx->ended = 0;
    if (first != 0) perps_prefetch_settlement(e, order_at(e, ix)->account, order_at(e, first));
    perps_work(ctx, ix, TYPE_LIMIT, 0, &cover);
    perps_report(e, id, ix, ctx->ended, result);
}

HOT bool perps_place_plain(struct apply_context *ctx, uint32_t slot, const struct perps_order *item,
                           struct result *result)
{
    struct engine            *e = ctx->engine;
    const struct place_perps *batch = command_payload(ctx->command);
    struct market            *market = market_find_perps(e, batch->symbol_id);
    struct margin_account    *margin = engine_margins(e) + slot;
    struct position          *position = position_at(e, margin->positions);
    const struct item_hint   *hint = ctx->hint;
    UNTOUCHED struct cover    cover;
    uint8_t                   side = item->side;
    uint32_t                  first, place, ix;

    if (!is_hinted(ctx) || !has_plain_form(batch, item) || market == NULL || position->market != market->number)
        return false;
    first = match_first(e, market, side, hint->price);
    if (first != 0) {
        if (item->time_in_force == TIF_GTX) return false;
        match_prefetch(e, market, side);
    }
    const struct unit_row row = { position, market, perps_of(e, market), margin };
    if (!may_stand(e, market, side, hint) || !order_may_rest(e, account_at(e, slot))
        || e->rules.client_id_reuse == REUSE_FILLED
        || order_id_is_taken(e, slot | OWNER_PERPS, &item->client_id, ctx->client_key, &place)
        || !perps_check_surely_opens(e, &row, side, hint->quantity)
        || !risk_unit_covers_alone(e, &row, side, hint->price, hint->quantity, &cover))
        return false;
    if (first != 0) perps_prefetch_trade(e, order_at(e, first));
    ix = accept_plain(ctx, &row, position, item, place);
    if (first != 0 || item->time_in_force == TIF_IOC) {
        work_plain(ctx, ix, first, cover.spare, result);
        return true;
    }
    position_order_rests_plain(&row, position, side, hint->quantity, cover.own);
    rest_plain(ctx, market, ix, result);
    return true;
}
