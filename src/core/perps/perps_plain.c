/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_plain.h"
#include "core/engine.h"
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

/* A plain order that is asked about: the row it is for, and what was found of it. */
struct plain {
    struct unit_row         row;
    struct position        *position; /* that of the row */
    struct market          *market;
    struct account         *account;
    const struct item_hint *hint;
    struct cover            cover;
    uint32_t                slot, key, place;
    uint32_t                level; /* a guess (book_push_guess) */
    uint32_t                first; /* that it meets, 0 = nobody */
};

/* The order of an item that passed, accepted in the account's row; its index is `*ix` then. */
static ALWAYS_INLINE struct order *accept_plain(struct engine *e, const struct plain *plain,
                                                const struct perps_order *item, uint32_t *ix)
{
    const struct perps_key key = { &item->client_id, plain->key, plain->place };
    const struct draft     draft = { .market = plain->market,
                                     .side = item->side,
                                     .type = TYPE_LIMIT,
                                     .time_in_force = item->time_in_force,
                                     .price = plain->hint->price,
                                     .quantity = plain->hint->quantity };

    return perps_accept_draft(e, plain->account, plain->position, &draft, &key, STATUS_NEW, ix);
}

/* Everything that such an order emits. */
struct plain_events {
    struct perps_order_changed order;
    struct level_changed       level;
};

static ALWAYS_INLINE void rest_plain(struct engine *e, const struct plain *plain, uint8_t side, struct order *order,
                                     uint32_t ix, struct plain_events *events)
{
    struct market *market = plain->market;

    position_order_rests_plain(&plain->row, plain->position, side, plain->hint->quantity, plain->cover.own);
    perps_write(&events->order, market, order, account_id_of_user(plain->slot), EXEC_NEW, REASON_NONE);
    book_push_guess(e, market, order, ix, plain->level);
    book_write(&events->level, market, side, plain->hint->price, level_at(e, order->level)->quantity);
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

/* The plain order of an account with one row, before anything of the book or the unit is asked. */
static ALWAYS_INLINE bool plain_open(struct engine *e, const struct place_perps *batch, const struct perps_order *item,
                                     struct plain *plain)
{
    struct margin_account *margin = engine_margins(e) + plain->slot;
    struct position       *position = position_at(e, margin->positions);
    struct market         *market = market_find_perps(e, batch->symbol_id);
    struct perps_market   *perps;

    if (!has_plain_form(batch, item) || market == NULL || position->market != market->number) return false;
    HOLD(position);
    HOLD(market);
    perps = perps_of(e, market);
    HOLD(perps);
    plain->position = position;
    plain->market = market;
    plain->row = (struct unit_row){ position, market, perps, margin };
    plain->first = match_first(e, market, item->side, plain->hint->price);
    return true;
}

/* Whether every check surely lets it pass. */
static ALWAYS_INLINE bool plain_passes(struct engine *e, const struct perps_order *item, struct plain *plain)
{
    const struct item_hint *hint = plain->hint;
    uint8_t                 side = item->side;

    return may_stand(e, plain->market, side, hint) && order_may_rest(e, plain->account)
        && e->rules.client_id_reuse != REUSE_FILLED
        && !order_id_is_taken(e, plain->slot | OWNER_PERPS, &item->client_id, plain->key, &plain->place)
        && perps_check_surely_opens(e, &plain->row, side, hint->quantity)
        && risk_unit_covers_alone(e, &plain->row, side, hint->price, hint->quantity, &plain->cover);
}

HOT bool perps_place_plain(struct apply_context *ctx, uint32_t slot, const struct perps_order *item,
                           struct result *result)
{
    struct engine         *e = ctx->engine;
    UNTOUCHED struct plain plain;
    struct order          *order;
    uint32_t               ix;

    if (!is_hinted(ctx)) return false;
    plain.account = account_at(e, slot);
    plain.hint = ctx->hint;
    plain.slot = slot;
    plain.key = ctx->client_key;
    plain.level = ctx->ahead != NULL ? ctx->ahead->level : 0;
    if (!plain_open(e, command_payload(ctx->command), item, &plain)) return false;
    if (plain.first != 0) {
        if (item->time_in_force == TIF_GTX) return false;
        match_prefetch(e, plain.market, item->side);
    }
    if (!plain_passes(e, item, &plain)) return false;
    if (plain.first != 0) perps_prefetch_trade(e, order_at(e, plain.first));
    order = accept_plain(e, &plain, item, &ix);
    if (plain.first != 0 || item->time_in_force == TIF_IOC) {
        work_plain(ctx, ix, plain.first, plain.cover.spare, result);
        return true;
    }
    rest_plain(e, &plain, item->side, order, ix, events_room(ctx->events, sizeof(struct plain_events)));
    result->order_id = order->id;
    result->status = STATUS_NEW;
    return true;
}

/* Everything that such a command tells. */
struct lone_placed {
    struct first_events first;
    struct plain_events rest;
};

ALWAYS_INLINE bool perps_place_alone(struct engine *e, const struct lone *lone, const struct perps_order *item,
                                     struct events *events)
{
    UNTOUCHED struct plain plain;
    struct lone_placed    *told;
    struct order          *order;
    uint32_t               ix;

    if (item->time_in_force == TIF_IOC) return false;
    plain.account = lone->account;
    plain.hint = lone->hint;
    plain.slot = lone->slot;
    plain.key = lone->key;
    plain.level = lone->level;
    if (!plain_open(e, command_payload(lone->command), item, &plain) || plain.first != 0
        || !plain_passes(e, item, &plain))
        return false;
    order = accept_plain(e, &plain, item, &ix);
    told = events_room(events, sizeof(*told));
    lone_write(&told->first, lone, MARKET_PERPS, &item->client_id, order, STATUS_NEW);
    rest_plain(e, &plain, item->side, order, ix, &told->rest);
    return true;
}
