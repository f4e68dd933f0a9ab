/* SPDX-License-Identifier: MIT */
/*
 * payload.h — the rules that a payload alone decides (ruling 33): which fields a kind of order needs and forbids, which
 * combinations are offered, which values an enumeration has. Each function is asked twice: as the `check` of a shape
 * before the command is in the log, and by the engine, which does not rely on what is in a log having been checked.
 * They read nothing but their argument and return the first rule that is broken, in the order in which it is answered.
 *
 * What a shape has read is in range already, so there only the rules between fields can fail.
 */
#ifndef MODEL_PAYLOAD_H
#define MODEL_PAYLOAD_H

#include "model/commands.h"
#include "model/genesis.h"
#include "model/rejects.h"

static inline bool payload_in_range(uint8_t value, uint8_t first, uint8_t last)
{
    return value >= first && value <= last;
}

/* FOK is known and not offered (wire 0.6). */
static inline bool payload_tif_offered(uint8_t tif) { return tif == TIF_GTC || tif == TIF_IOC || tif == TIF_GTX; }

static inline bool payload_is_negative(struct decimal a, struct decimal b, struct decimal c)
{
    return (a.digits | b.digits | c.digits) < 0;
}

/* ---- spot ---- */

/* Spot place rule 3. */
static inline enum reject payload_limit_order(const struct new_order *order)
{
    if (!decimal_is_given(order->price)) return REJECT_LIMIT_NEEDS_PRICE;
    if (!decimal_is_given(order->quantity)) return REJECT_LIMIT_NEEDS_QUANTITY;
    if (decimal_is_given(order->funds)) return REJECT_LIMIT_WITH_FUNDS;
    return REJECT_NONE;
}

/* Spot place rule 4. The price of a market order is its slippage bound and may be left out. */
static inline enum reject payload_market_order(const struct new_order *order)
{
    bool quantity = decimal_is_given(order->quantity), funds = decimal_is_given(order->funds);

    if (order->time_in_force != TIF_IOC) return REJECT_MARKET_NEEDS_IOC;
    if (quantity == funds) return REJECT_MARKET_AMOUNT;
    if (funds && order->side == SIDE_SELL) return REJECT_MARKET_SELL_FUNDS;
    return REJECT_NONE;
}

/* Spot place rules 2 to 4. */
static inline enum reject payload_new_order(const struct new_order *order)
{
    if (order->client_id.len < 1 || order->client_id.len > CLIENT_ID_MAX) return REJECT_BAD_CLIENT_ID;
    if (!payload_in_range(order->side, SIDE_BUY, SIDE_SELL)) return REJECT_ENUM_RANGE;
    if (!payload_in_range(order->type, TYPE_LIMIT, TYPE_MARKET)) return REJECT_ENUM_RANGE;
    if (payload_is_negative(order->price, order->quantity, order->funds)) return REJECT_NOT_POSITIVE;
    if (!payload_tif_offered(order->time_in_force)) return REJECT_TIF_NOT_SUPPORTED;
    return order->type == TYPE_LIMIT ? payload_limit_order(order) : payload_market_order(order);
}

/* A cancel without a target means its own id, so then the id must be there (wire 2.2, ruling 56). */
static inline enum reject payload_cancel_order(const struct cancel_order *cancel)
{
    bool by_number = cancel->order_id != 0, by_name = cancel->orig_client_id.len != 0;

    if (by_number && by_name) return REJECT_CANCEL_ONE_TARGET;
    if (!by_number && !by_name && cancel->client_id.len == 0) return REJECT_BAD_CLIENT_ID;
    if (cancel->client_id.len > CLIENT_ID_MAX || cancel->orig_client_id.len > CLIENT_ID_MAX)
        return REJECT_BAD_CLIENT_ID;
    return REJECT_NONE;
}

/* Replace rules 3 and 4, on both sides. */
static inline enum reject payload_replace_order(const struct replace_order *replace)
{
    if (replace->client_id.len > CLIENT_ID_MAX || replace->orig_client_id.len > CLIENT_ID_MAX)
        return REJECT_BAD_CLIENT_ID;
    if ((replace->orig_order_id != 0) == (replace->orig_client_id.len != 0)) return REJECT_REPLACE_ONE_TARGET;
    if (!decimal_is_given(replace->price) && !decimal_is_given(replace->quantity)) return REJECT_REPLACE_NOTHING;
    if (replace->price.digits < 0 || replace->quantity.digits < 0) return REJECT_NOT_POSITIVE;
    return REJECT_NONE;
}

/* ---- perps: one order ---- */

static inline bool payload_is_stop(const struct perps_order *order)
{
    return order->modifier == MODIFIER_STOP || order->modifier == MODIFIER_ATTACHED_STOP;
}

/* LONG and SHORT have a safe meaning: what would open the other side only reduces (mechanics 3.1). */
static inline bool payload_reduces(const struct perps_order *order)
{
    return order->reduce_only || (order->side == SIDE_SELL && order->position_side == POSITION_LONG)
        || (order->side == SIDE_BUY && order->position_side == POSITION_SHORT);
}

/* All three with a TP/SL order, none otherwise (perps place rules 4 to 6); the reject of the first that is wrong. */
static inline enum reject payload_stop_fields(const struct perps_order *order, bool stop)
{
    bool price = decimal_is_given(order->stop_price), type = order->stop_type != 0, trigger = order->trigger_type != 0;

    if (stop) {
        price = order->stop_price.digits > 0;
        type = payload_in_range(order->stop_type, STOP_LOSS, STOP_TAKE_PROFIT);
        trigger = payload_in_range(order->trigger_type, TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE);
    }
    if (price != stop) return REJECT_STOP_FIELDS;
    if (type != stop) return REJECT_STOP_FIELDS_TYPE;
    return trigger == stop ? REJECT_NONE : REJECT_STOP_FIELDS_TRIGGER;
}

static inline enum reject payload_perps_limit(const struct perps_order *order, bool stop)
{
    if (!decimal_is_given(order->price)) return REJECT_LIMIT_NEEDS_PRICE;
    if (decimal_is_given(order->funds)) return REJECT_LIMIT_WITH_FUNDS;
    if (!decimal_is_given(order->quantity) && !stop) return REJECT_LIMIT_NEEDS_QUANTITY;
    return payload_tif_offered(order->time_in_force) ? REJECT_NONE : REJECT_TIF_NOT_SUPPORTED;
}

static inline enum reject payload_perps_market(const struct perps_order *order, bool stop)
{
    bool quantity = decimal_is_given(order->quantity), funds = decimal_is_given(order->funds);

    if (order->time_in_force != TIF_IOC) return REJECT_MARKET_NEEDS_IOC;
    if (funds && order->side == SIDE_SELL) return REJECT_MARKET_SELL_FUNDS;
    if (funds && stop) return REJECT_STOP_FUNDS;
    return stop || quantity != funds ? REJECT_NONE : REJECT_MARKET_AMOUNT;
}

static inline bool payload_perps_enums_fit(const struct perps_order *order)
{
    return payload_in_range(order->side, SIDE_BUY, SIDE_SELL) && payload_in_range(order->type, TYPE_LIMIT, TYPE_MARKET)
        && payload_in_range(order->modifier, MODIFIER_NORMAL, MODIFIER_ATTACHED_STOP)
        && payload_in_range(order->position_side, POSITION_BOTH, POSITION_SHORT) && order->reduce_only <= 1;
}

/* Perps place rules 1, 5 and 6. A stop that stands alone needs a quantity; one that only reduces closes the whole
 * position without. */
static inline enum reject payload_perps_order(const struct perps_order *order)
{
    bool        stop = payload_is_stop(order);
    enum reject reject;

    if (order->client_id.len < 1 || order->client_id.len > CLIENT_ID_MAX) return REJECT_BAD_CLIENT_ID;
    if (!payload_perps_enums_fit(order)) return REJECT_ENUM_RANGE;
    if (payload_is_negative(order->price, order->quantity, order->funds)) return REJECT_NOT_POSITIVE;
    reject = payload_stop_fields(order, stop);
    if (reject != REJECT_NONE) return reject;
    reject = order->type == TYPE_LIMIT ? payload_perps_limit(order, stop) : payload_perps_market(order, stop);
    if (reject != REJECT_NONE || decimal_is_given(order->quantity)) return reject;
    return order->modifier == MODIFIER_STOP && !payload_reduces(order) ? REJECT_STOP_QUANTITY : REJECT_NONE;
}

/* ---- perps: an order among those of its batch ---- */

/* Perps place rule 4, read literally: one take-profit, and perhaps a stop-loss (ruling 60, mechanics 4.3). */
static inline enum reject payload_bracket_child(const struct place_perps *batch, const struct perps_order *child)
{
    uint32_t profits = 0;

    if (child->modifier != MODIFIER_ATTACHED_STOP) return REJECT_BRACKET_SHAPE;
    if (!child->reduce_only) return REJECT_BRACKET_REDUCES;
    if (child->side == batch->items[0].side) return REJECT_BRACKET_SIDES;
    if (child != &batch->items[batch->count - 1]) return REJECT_NONE;
    for (uint32_t i = 1; i < batch->count; i++) profits += batch->items[i].stop_type == STOP_TAKE_PROFIT;
    return profits == 1 ? REJECT_NONE : REJECT_BRACKET_STOPS;
}

/* `order` is one of the batch's. A batch with a BRACKET is exactly that bracket; any other has neither of its two kinds
 * (ruling 60). */
static inline enum reject payload_perps_neighbours(const struct place_perps *batch, const struct perps_order *order)
{
    const struct perps_order *first = &batch->items[0];

    if (first->modifier != MODIFIER_BRACKET) {
        if (order->modifier == MODIFIER_BRACKET) return REJECT_BRACKET_SHAPE;
        return order->modifier == MODIFIER_ATTACHED_STOP ? REJECT_ATTACHED_ALONE : REJECT_NONE;
    }
    if (order != first) return payload_bracket_child(batch, order);
    if (batch->count != 2 && batch->count != 3) return REJECT_BRACKET_SHAPE;
    return payload_reduces(first) ? REJECT_BRACKET_REDUCES : REJECT_NONE;
}

/* ---- perps: the rest ---- */

/* Exactly one of the two names the order (wire 2.3). */
static inline enum reject payload_perps_target(uint64_t order_id, const struct client_id *client_id)
{
    if ((order_id != 0) == (client_id->len != 0)) return REJECT_PERPS_TARGET;
    return client_id->len <= CLIENT_ID_MAX ? REJECT_NONE : REJECT_BAD_CLIENT_ID;
}

static inline enum reject payload_perps_cancel(const struct perps_cancel *cancel)
{
    return payload_perps_target(cancel->order_id, &cancel->client_id);
}

static inline enum reject payload_modify_order(const struct modify_order *modify)
{
    enum reject reject = payload_perps_target(modify->order_id, &modify->client_id);

    if (reject != REJECT_NONE) return reject;
    if (!decimal_is_given(modify->price) && !decimal_is_given(modify->quantity)
        && !decimal_is_given(modify->stop_price))
        return REJECT_MODIFY_NOTHING;
    if (payload_is_negative(modify->price, modify->quantity, modify->stop_price)) return REJECT_NOT_POSITIVE;
    return REJECT_NONE;
}

static inline enum reject payload_update_leverage(const struct update_leverage *update)
{
    return payload_in_range(update->margin_mode, MARGIN_ISOLATED, MARGIN_CROSS) ? REJECT_NONE : REJECT_ENUM_RANGE;
}

static inline enum reject payload_update_margin(const struct update_margin *update)
{
    return update->amount.digits != 0 && update->amount.digits != INT64_MIN ? REJECT_NONE : REJECT_MARGIN_AMOUNT;
}

/* ---- money and keys ---- */

/* Each side takes its own directions (service 4.2, service 4.5). */
static inline bool payload_transfer_on(const struct transfer_asset *transfer, uint8_t market)
{
    return (transfer->type == TRANSFER_SPOT_WITHDRAW) == (market == MARKET_PERPS);
}

/* Spot transfer rules 3 to 5, perps transfer rules, as far as both sides share them. */
static inline enum reject payload_transfer(const struct transfer_asset *transfer)
{
    bool offered = transfer->type == TRANSFER_EVM_WITHDRAW || transfer->type == TRANSFER_PERPS_WITHDRAW
                || transfer->type == TRANSFER_SPOT_WITHDRAW;

    if (!offered) return REJECT_TRANSFER_TYPE;
    if (transfer->to_account_id != ACCOUNT_BRIDGE) return REJECT_TRANSFER_TARGET;
    return transfer->amount.digits > 0 ? REJECT_NONE : REJECT_NOT_POSITIVE;
}

static inline enum reject payload_key_name(const struct client_id *name)
{
    bool fits = name->len <= CLIENT_ID_MAX && text_is_client_id(client_id_slice(name))
             && !slice_is(client_id_slice(name), "default");

    return fits ? REJECT_NONE : REJECT_BAD_KEY_NAME;
}

static inline enum reject payload_add_key(const struct add_key *key)
{
    static const struct address nobody;

    if (key->key_type != KEY_EVM) return REJECT_ENUM_RANGE;
    if (address_equal(&key->public_key, &nobody)) return REJECT_BAD_PUBLIC_KEY;
    if (key->expires_ms > INT64_MAX) return REJECT_BAD_EXPIRY;
    if ((key->permissions & ~(uint64_t)(RIGHT_TRADE | RIGHT_CANCEL | RIGHT_WITHDRAW | RIGHT_TRANSFER)) != 0)
        return REJECT_BAD_PERMISSIONS;
    return payload_key_name(&key->name);
}

#endif
