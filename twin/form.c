/* SPDX-License-Identifier: MIT */
/* form.c — what a perps order is by itself, before anything is known of
   symbol, account or book (perps place rules 1, 4 to 6; ruling 60). */
#include "world.h"

static bool given(struct decimal decimal) { return decimal.digits != 0; }
static bool stop_kind(const struct perps_order *item)
{
    return item->modifier == MODIFIER_STOP || item->modifier == MODIFIER_ATTACHED_STOP;
}
static bool between(uint32_t value, uint32_t low, uint32_t high) { return value >= low && value <= high; }

/* Names are names, enumerations are what they list, no amount is negative. */
static enum reject wrong_values(const struct perps_order *item)
{
    if (!between(item->client_id.len, 1, CLIENT_ID_MAX)) return REJECT_BAD_CLIENT_ID;
    if (!between(item->side, SIDE_BUY, SIDE_SELL) || !between(item->type, TYPE_LIMIT, TYPE_MARKET)
        || !between(item->modifier, MODIFIER_NORMAL, MODIFIER_ATTACHED_STOP)
        || !between(item->position_side, POSITION_BOTH, POSITION_SHORT) || item->reduce_only > 1)
        return REJECT_ENUM_RANGE;
    return item->price.digits < 0 || item->quantity.digits < 0 || item->funds.digits < 0 ? REJECT_NOT_POSITIVE
                                                                                         : REJECT_NONE;
}

/* A TP/SL order lacks none of its three fields, any other order has none; the answer names the first at fault. */
static enum reject lacking(const struct perps_order *item)
{
    if (item->stop_price.digits <= 0) return REJECT_STOP_FIELDS;
    if (!between(item->stop_type, STOP_LOSS, STOP_TAKE_PROFIT)) return REJECT_STOP_FIELDS_TYPE;
    if (!between(item->trigger_type, TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE)) return REJECT_STOP_FIELDS_TRIGGER;
    return REJECT_NONE;
}
static enum reject wrong_stop(const struct perps_order *item)
{
    if (stop_kind(item)) return lacking(item);
    if (given(item->stop_price)) return REJECT_STOP_FIELDS;
    if (item->stop_type != 0) return REJECT_STOP_FIELDS_TYPE;
    return item->trigger_type != 0 ? REJECT_STOP_FIELDS_TRIGGER : REJECT_NONE;
}

/* Spot place rules 3 and 4, which perps place rule 1 takes over; a
   TP/SL order may leave its amount out and is never by funds. */
static enum reject wrong_amounts(const struct perps_order *item)
{
    bool quantity = given(item->quantity), funds = given(item->funds), stop = stop_kind(item);

    if (item->type == TYPE_LIMIT) {
        if (!given(item->price)) return REJECT_LIMIT_NEEDS_PRICE;
        if (funds) return REJECT_LIMIT_WITH_FUNDS;
        if (!quantity && !stop) return REJECT_LIMIT_NEEDS_QUANTITY;
        return item->time_in_force == TIF_GTC || item->time_in_force == TIF_IOC || item->time_in_force == TIF_GTX
                 ? REJECT_NONE
                 : REJECT_TIF_NOT_SUPPORTED;
    }
    if (item->time_in_force != TIF_IOC) return REJECT_MARKET_NEEDS_IOC;
    if (funds && item->side == SIDE_SELL) return REJECT_MARKET_SELL_FUNDS;
    if (funds && stop) return REJECT_STOP_FUNDS;
    return stop || quantity != funds ? REJECT_NONE : REJECT_MARKET_AMOUNT;
}

bool well_formed(struct twin *twin, uint32_t index, const struct perps_order *item)
{
    enum reject wrong = wrong_values(item);

    if (wrong == REJECT_NONE) wrong = wrong_stop(item);
    if (wrong == REJECT_NONE) wrong = wrong_amounts(item);
    /* Without a position there is nothing to be the measure (mechanics 4.5). */
    if (wrong == REJECT_NONE && item->modifier == MODIFIER_STOP && !only_reduces(item) && !given(item->quantity))
        wrong = REJECT_STOP_QUANTITY;
    if (wrong != REJECT_NONE) answer(twin, index, wrong);
    return wrong == REJECT_NONE;
}

/*
 * The opening order of a bracket is first and does not reduce; the following ones close it: one take-profit, and
 * perhaps a stop-loss (rule 4).
 */
bool bracket_formed(struct twin *twin, const struct place_perps *place)
{
    const struct perps_order *first = &place->items[0];
    enum reject               wrong = REJECT_NONE;
    uint32_t                  profits = 0;

    if (place->count != 2 && place->count != 3) wrong = REJECT_BRACKET_SHAPE;
    else if (only_reduces(first)) wrong = REJECT_BRACKET_REDUCES;
    for (uint32_t i = 1; i < place->count && wrong == REJECT_NONE; i++) {
        const struct perps_order *child = &place->items[i];

        if (child->modifier != MODIFIER_ATTACHED_STOP) wrong = REJECT_BRACKET_SHAPE;
        else if (!child->reduce_only) wrong = REJECT_BRACKET_REDUCES;
        else if (child->side == first->side) wrong = REJECT_BRACKET_SIDES;
        if (child->stop_type == STOP_TAKE_PROFIT) profits++;
    }
    if (wrong == REJECT_NONE && profits != 1) wrong = REJECT_BRACKET_STOPS;
    if (wrong != REJECT_NONE) answer(twin, 0, wrong);
    return wrong == REJECT_NONE;
}

/* A bracket's members are nothing outside of one (ruling 60). */
bool stands_alone(struct twin *twin, uint32_t index, const struct perps_order *item)
{
    if (item->modifier == MODIFIER_BRACKET) {
        answer(twin, index, REJECT_BRACKET_SHAPE);
        return false;
    }
    if (item->modifier == MODIFIER_ATTACHED_STOP) {
        answer(twin, index, REJECT_ATTACHED_ALONE);
        return false;
    }
    return true;
}
