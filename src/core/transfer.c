/* SPDX-License-Identifier: MIT */
#include "core/transfer.h"
#include "core/account.h"
#include "core/ledger.h"
#include "core/margin.h"
#include "core/spot.h"

/*
 * The transfers that clients may ask for, one row each: from which side, what it is called there and, when the
 * other side has accounts too, what its mirror image is called there (mechanics 7).
 */
struct route {
    uint8_t    type, market, mirror, mirror_market;     /* mirror_market 0: no mirror        */
    enum place from, to;
    bool       margin_coin_only;
    uint8_t    right;
};
static const struct route routes[] = {
    { TRANSFER_EVM_WITHDRAW,   MARKET_SPOT,  0,                      0,            PLACE_SPOT,  PLACE_EVM,   false, RIGHT_WITHDRAW },
    { TRANSFER_PERPS_WITHDRAW, MARKET_SPOT,  TRANSFER_SPOT_DEPOSIT,  MARKET_PERPS, PLACE_SPOT,  PLACE_PERPS, true,  RIGHT_TRANSFER },
    { TRANSFER_SPOT_WITHDRAW,  MARKET_PERPS, TRANSFER_PERPS_DEPOSIT, MARKET_SPOT,  PLACE_PERPS, PLACE_SPOT,  true,  RIGHT_TRANSFER },
};

static const struct route *route_of(uint8_t market, uint8_t type)
{
    for (size_t i = 0; i < ARRAY_COUNT(routes); i++)
        if (routes[i].type == type && routes[i].market == market) return &routes[i];
    return NULL;
}

uint8_t transfer_right(uint8_t type)
{
    for (size_t i = 0; i < ARRAY_COUNT(routes); i++) if (routes[i].type == type) return routes[i].right;
    return RIGHT_TRANSFER;
}

/* ---- ids ---- */

static struct transfer *transfer_at(const struct engine *e, uint32_t ix) { return engine_transfers(e) + ix; }

static struct transfer_list *list_of(const struct engine *e, uint32_t slot, uint8_t market)
{
    return engine_transfer_lists(e) + (size_t)slot * 2 + (market == MARKET_PERPS);
}

/* The entry with the highest id that is not above `id`, or 0. */
static uint32_t at_or_below(const struct engine *e, const struct transfer_list *list, uint64_t id)
{
    uint32_t ix = list->highest;

    while (ix != 0 && transfer_at(e, ix)->id > id) ix = transfer_at(e, ix)->lower;
    return ix;
}

static bool transfer_has_room(const struct engine *e, const struct transfer_list *list)
{
    return list->count == TRANSFERS_MAX || e->transfer_end <= e->limits.transfers;
}

/* A place for one more: a full list gives its lowest. */
static uint32_t take_place(struct engine *e, struct transfer_list *list)
{
    uint32_t ix = list->lowest;

    assert(transfer_has_room(e, list) && (list->count == 0) == (list->lowest == 0));
    if (list->count < TRANSFERS_MAX) {
        list->count += 1;
        return e->transfer_end++;
    }
    list->lowest = transfer_at(e, ix)->higher;
    transfer_at(e, list->lowest)->lower = 0;
    return ix;
}

static void remember_transfer(struct engine *e, struct transfer_list *list, const struct transfer *done)
{
    uint32_t ix = take_place(e, list), lower = at_or_below(e, list, done->id);
    uint32_t higher = lower != 0 ? transfer_at(e, lower)->higher : list->lowest;

    assert(done->amount > 0 && ix < e->transfer_end);
    assert((lower == 0 || transfer_at(e, lower)->id < done->id) && (higher == 0 || done->id < transfer_at(e, higher)->id));
    *transfer_at(e, ix) = *done;
    transfer_at(e, ix)->lower = lower;
    transfer_at(e, ix)->higher = higher;
    if (lower != 0)  transfer_at(e, lower)->higher = ix;
    else             list->lowest = ix;
    if (higher != 0) transfer_at(e, higher)->lower = ix;
    else             list->highest = ix;
    assert(transfer_at(e, at_or_below(e, list, done->id))->id == done->id);      /* it is known from now on */
}

/* ---- rules ---- */

/* Rules 1, 3, 4 and 5: what depends on the payload alone, and the coin. */
static bool transfer_payload(const struct engine *e, const struct route *route, const struct transfer_asset *item, struct result *result)
{
    if (item->amount.digits <= 0)                   return refuse_field(result, REJECT_NOT_POSITIVE, FIELD_AMOUNT);
    if (item->type > TRANSFER_SUBACCOUNT)           return refuse_field(result, REJECT_ENUM_RANGE, FIELD_TYPE);
    if (route == NULL)                              return refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_TYPE);
    if (item->to_account_id != ACCOUNT_BRIDGE)      return refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_TO_ACCOUNT_ID);
    if (item->coin_id >= e->coin_count)             return refuse_number(result, REJECT_COIN_NOT_FOUND, FIELD_OF_ROW, item->coin_id);
    if (route->margin_coin_only && item->coin_id != COIN_MARGIN)
        return refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_COIN_ID);
    return true;
}

/* Rule 2. An amount that no balance can reach is written as the largest there is, so that the balance refuses it. */
static bool read_amount(const struct engine *e, const struct transfer_asset *item, struct result *result, int64_t *amount)
{
    int precision = (int)e->coins[item->coin_id].precision;

    if (item->amount.scale > (uint32_t)precision)
        return refuse(result, REJECT_AMOUNT_DECIMALS, decimal_make(item->amount.scale, 0), decimal_make(precision, 0));
    if (!decimal_to_units(item->amount, precision, AMOUNT_MAX, amount)) *amount = INT64_MAX;
    assert(*amount > 0);
    return true;
}

/* Whether the id is new. When it is not, the same transfer succeeds again without moving anything. */
static bool transfer_is_new(const struct engine *e, const struct transfer_list *list, const struct transfer *wanted, struct result *result)
{
    const struct transfer *known = transfer_at(e, at_or_below(e, list, wanted->id));

    if (list->count == 0) return true;
    if (known == transfer_at(e, 0))
        return refuse(result, REJECT_TRANSFER_TOO_OLD, decimal_make((int64_t)min_u64(wanted->id, INT64_MAX), 0),
                      decimal_make((int64_t)min_u64(transfer_at(e, list->lowest)->id, INT64_MAX), 0));
    if (known->id != wanted->id) return true;
    if (known->amount != wanted->amount || known->coin_id != wanted->coin_id || known->type != wanted->type)
        return refuse_number(result, REJECT_TRANSFER_CONFLICT, FIELD_OF_ROW, wanted->id);
    result->order_id = known->id;
    return false;
}

/* What an insolvent venue does not let go: whatever leaves it, and what leaves perps (mechanics 3.12, 5). */
static bool suspends(const struct route *route) { return route->from == PLACE_PERPS || route->to == PLACE_EVM; }

static bool transfer_balance(struct engine *e, uint32_t slot, const struct route *route, const struct transfer *wanted, struct decimal asked, struct result *result)
{
    bool    perps = route->from == PLACE_PERPS;
    int64_t has = perps ? margin_withdrawable(e, slot) : ledger_bucket(e, slot, wanted->coin_id)->available;

    assert(has >= 0);
    if (e->insolvent && suspends(route)) return refuse_plainly(result, REJECT_WITHDRAWALS_SUSPENDED);
    if (perps && engine_margins(e)[slot].stage != 0) return refuse_plainly(result, REJECT_IN_LIQUIDATION);      /* mechanics 7 */
    if (wanted->amount <= has) return true;
    result->field = FIELD_AMOUNT;
    return refuse(result, perps ? REJECT_INSUFFICIENT_MARGIN : REJECT_INSUFFICIENT_BALANCE,
                  spot_amount(e, wanted->coin_id, has), asked);
}

/* ---- what happens ---- */

void transfer_tell(struct turn *turn, uint8_t market, uint32_t slot, const struct transferred *movement)
{
    struct transferred *event = EVENT_ADD(turn->events, TRANSFER, transferred, market);
    struct event        head = event->head;

    *event = *movement;
    event->head = head;
    event->address = account_at(turn->engine, slot)->owner;
    event->time_ms = turn->engine->time_ms;
}

static void move_money(struct turn *turn, uint32_t slot, const struct route *route, const struct transfer *wanted)
{
    struct engine     *e = turn->engine;
    struct transferred movement = {
        .number = e->next_transfer_number++, .account_id = account_id_of(slot), .transfer_id = wanted->id,
        .coin_id = wanted->coin_id, .amount = wanted->amount, .type = route->type,
    };

    assert(route->from != route->to && (route->mirror_market != 0) == (route->mirror != 0));
    ledger_bridge(turn, slot, wanted->coin_id, route->from, route->to, wanted->amount);
    transfer_tell(turn, route->market, slot, &movement);
    movement.type = route->mirror;
    if (route->mirror_market != 0) transfer_tell(turn, route->mirror_market, slot, &movement);
}

void transfer_apply(struct turn *turn, uint32_t slot, const struct transfer_asset *item, struct result *result)
{
    struct engine        *e = turn->engine;
    const struct route   *route = route_of(turn->command->market, item->type);
    struct transfer_list *list = list_of(e, slot, turn->command->market);
    struct transfer       wanted = { .id = item->id, .type = item->type };

    if (!transfer_payload(e, route, item, result)) return;
    wanted.coin_id = (uint32_t)item->coin_id;
    if (!read_amount(e, item, result, &wanted.amount)) return;
    if (!transfer_is_new(e, list, &wanted, result)) return;
    if (!transfer_balance(e, slot, route, &wanted, item->amount, result)) return;
    if (!transfer_has_room(e, list)) { refuse_plainly(result, REJECT_CAPACITY); return; }
    remember_transfer(e, list, &wanted);
    move_money(turn, slot, route, &wanted);
    result->order_id = item->id;
}

/* ---- invariants ---- */

static uint32_t verify_list(const struct engine *e, const struct transfer_list *list)
{
    uint32_t count = 0, last = 0;

    for (uint32_t ix = list->lowest; ix != 0 && count <= TRANSFERS_MAX; ix = transfer_at(e, ix)->higher, count++) {
        assert(ix < e->transfer_end && transfer_at(e, ix)->lower == last);
        assert(last == 0 || transfer_at(e, last)->id < transfer_at(e, ix)->id);             /* I26 */
        assert(transfer_at(e, ix)->amount > 0 && transfer_at(e, ix)->coin_id < e->coin_count);
        last = ix;
    }
    assert(last == list->highest && count == list->count && count <= TRANSFERS_MAX);
    return count;
}

void transfer_verify(const struct engine *e)
{
    uint32_t kept = 0;

    assert(e->transfer_end >= 1 && e->transfer_end - 1 <= e->limits.transfers);
    for (size_t i = 0; i < (size_t)e->account_end * 2; i++) kept += verify_list(e, &engine_transfer_lists(e)[i]);
    assert(kept == e->transfer_end - 1);                    /* places are never given back, so all that are taken are kept */
}
