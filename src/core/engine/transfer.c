/* SPDX-License-Identifier: MIT */
#include "core/engine/transfer.h"
#include "core/account/account.h"
#include "core/account/key.h"
#include "core/account/ledger.h"
#include "core/perps/margin.h"
#include "core/state/rulings.h"
#include "core/account/transfer_ids.h"

/*
 * The transfers that clients may request, one row each: the source side, the type there and, when the other side has
 * accounts too, the type of its mirror image there (mechanics 7).
 */
struct route {
    uint8_t    type, market, mirror, mirror_market; /* mirror_market 0: no mirror        */
    enum place from, to;
    bool       margin_coin_only;
};
static const struct route routes[] = {
    { TRANSFER_EVM_WITHDRAW, MARKET_SPOT, 0, 0, PLACE_SPOT, PLACE_EVM, false },
    { TRANSFER_PERPS_WITHDRAW, MARKET_SPOT, TRANSFER_SPOT_DEPOSIT, MARKET_PERPS, PLACE_SPOT, PLACE_PERPS, true },
    { TRANSFER_SPOT_WITHDRAW, MARKET_PERPS, TRANSFER_PERPS_DEPOSIT, MARKET_SPOT, PLACE_PERPS, PLACE_SPOT, true },
};

static const struct route *route_of(uint8_t market, uint8_t type)
{
    for (size_t i = 0; i < ARRAY_COUNT(routes); i++)
        if (routes[i].type == type && routes[i].market == market) return &routes[i];
    return NULL;
}

/* ---- rules ---- */

/* Rules 1, 3, 4 and 5: rules of the payload alone, and the coin. */
static bool pass_transfer(const struct engine *e, const struct route *route, const struct transfer_asset *item,
                          struct result *result)
{
    if (!pass_payload(payload_transfer(item), result)) return false;
    if (route == NULL) return refuse_plainly(result, REJECT_TRANSFER_TYPE); /* a direction of the other side */
    if (item->coin_id >= e->coin_count)
        return refuse_number(result, REJECT_COIN_NOT_FOUND, FIELD_OF_ROW, item->coin_id);
    if (route->margin_coin_only && item->coin_id != COIN_MARGIN)
        return refuse(result, REJECT_TRANSFER_COIN, decimal_make((int64_t)item->coin_id, 0),
                      decimal_make(COIN_MARGIN, 0));
    return true;
}

/* Rule 2. An amount that no balance can reach is written as the largest there is, so that the balance refuses it. */
static bool read_amount(const struct engine *e, const struct transfer_asset *item, struct result *result,
                        int64_t *amount)
{
    int precision = (int)e->coins[item->coin_id].precision;

    assert(item->coin_id < e->coin_count && precision <= 8);
    if (item->amount.scale > (uint32_t)precision)
        return refuse(result, REJECT_AMOUNT_DECIMALS, item->amount, decimal_make(precision, 0));
    if (!decimal_to_units(item->amount, precision, AMOUNT_MAX, amount)) *amount = INT64_MAX;
    assert(*amount > 0);
    return true;
}

/* Transfers that an insolvent venue stops: out of the venue, and out of perps (mechanics 3.12, 5). */
static bool suspends(enum place from, enum place to) { return from == PLACE_PERPS || to == PLACE_EVM; }

bool transfer_may_leave(struct engine *e, uint32_t slot, const struct leaving *leaving, struct decimal asked,
                        struct result *result)
{
    bool    perps = leaving->from == PLACE_PERPS;
    int64_t has = perps ? margin_withdrawable(e, slot) : ledger_bucket(e, slot, leaving->coin_id)->available;

    assert(has >= 0 && leaving->amount > 0);
    if (e->insolvent && suspends(leaving->from, leaving->to))
        return refuse_plainly(result, REJECT_WITHDRAWALS_SUSPENDED);
    if (perps && engine_margins(e)[slot].stage != 0)
        return refuse_plainly(result, REJECT_IN_LIQUIDATION); /* mechanics 7 */
    if (perps && !margin_may_leave(e, slot, result)) return false;
    if (leaving->amount <= has) return true;
    result->field = FIELD_AMOUNT;
    return refuse(result, perps ? REJECT_INSUFFICIENT_MARGIN : REJECT_INSUFFICIENT_BALANCE,
                  coin_amount(e, leaving->coin_id, has), asked);
}

/* ---- what happens ---- */

void transfer_emit(struct apply_context *ctx, uint8_t market, uint32_t slot, const struct transferred *movement)
{
    struct transferred *event = EVENT_ADD(ctx->events, TRANSFER, transferred, market);
    struct event        head = event->head;

    assert(movement->number != 0 && movement->number < ctx->engine->next_transfer_number);
    assert(movement->amount > 0 && slot >= SLOT_USERS && slot < ctx->engine->account_end);
    *event = *movement;
    event->head = head;
    event->address = account_at(ctx->engine, slot)->owner;
    event->time_ms = ctx->engine->time_ms;
}

static void move_money(struct apply_context *ctx, uint32_t slot, const struct route *route,
                       const struct transfer *wanted)
{
    struct engine     *e = ctx->engine;
    struct transferred movement = {
        .number = e->next_transfer_number++,
        .account_id = account_id_of(slot),
        .transfer_id = wanted->id,
        .coin_id = wanted->coin_id,
        .amount = wanted->amount,
        .type = route->type,
    };

    assert(route->from != route->to && (route->mirror_market != 0) == (route->mirror != 0));
    assert(wanted->amount > 0 && wanted->amount <= AMOUNT_MAX);
    ledger_bridge(ctx, slot, wanted->coin_id, route->from, route->to, wanted->amount);
    transfer_emit(ctx, route->market, slot, &movement);
    movement.type = route->mirror;
    if (route->mirror_market != 0) transfer_emit(ctx, route->mirror_market, slot, &movement);
}

void transfer_apply(struct apply_context *ctx, uint32_t slot, const struct transfer_asset *item, struct result *result)
{
    struct engine       *e = ctx->engine;
    const struct route  *route = route_of(ctx->command->market, item->type);
    uint32_t             key = RULING(69) ? key_of(e, ctx->command) : 0;
    struct transfer_list fresh = { 0 }, *list = transfer_ids_of(e, key, slot, ctx->command->market, &fresh);
    struct transfer      wanted = { .id = item->id, .type = item->type };

    if (!pass_transfer(e, route, item, result)) return;
    wanted.coin_id = (uint32_t)item->coin_id;
    if (!read_amount(e, item, result, &wanted.amount)) return;
    if (!transfer_ids_is_new(e, list, &wanted, result)) return;
    if (!transfer_may_leave(e, slot, &(struct leaving){ route->from, route->to, wanted.coin_id, wanted.amount },
                            item->amount, result))
        return;
    transfer_ids_remember(e, key, list, &fresh, &wanted);
    move_money(ctx, slot, route, &wanted);
    result->order_id = item->id;
}
