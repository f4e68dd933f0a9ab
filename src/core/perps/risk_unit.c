/* SPDX-License-Identifier: MIT */
#include "core/perps/risk_unit.h"
#include "core/perps/position_inside.h"

/* The wanted members of struct risk_unit; the others stay 0. Margins need divisions. */
enum unit_part { WITH_COUNTED = 1, WITH_MARGINS = 2, WITH_INITIAL = 4, WITH_WORST = 8 };

static ALWAYS_INLINE struct risk_unit risk_unit_sum_of(const struct engine *e, uint32_t slot, unsigned parts)
{
    struct risk_unit unit = { 0 };

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position     *position = position_at(e, ix);
        const struct perps_market *perps = perps_at(e, position->market);
        int128_t                   value, profit;

        if (position->exposure.size == 0 || position_is_isolated(position)) continue;
        value = position_value(e, position);
        profit = signed_by(position->exposure.size, value) - position->exposure.cost;
        unit.profit += profit;
        if (parts & (WITH_COUNTED | WITH_WORST)) {
            profit = profit_at_worst(perps_book(e, position->market), perps, &position->exposure, value);
            unit.worst += profit;
            unit.counted += profit > 0 && perps_catches_up(perps) ? 0 : profit;
        }
        if (parts & WITH_MARGINS) unit.maintenance += margin_maintenance(&perps->contract, value);
        if (parts & WITH_INITIAL) unit.initial += margin_initial(value, position->leverage);
    }
    return unit;
}

struct risk_unit risk_unit_cross(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_COUNTED | WITH_MARGINS | WITH_INITIAL);
}
struct risk_unit risk_unit_cross_initial(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_INITIAL | WITH_WORST);
}
struct risk_unit risk_unit_cross_counted(const struct engine *e, uint32_t slot)
{
    return risk_unit_sum_of(e, slot, WITH_COUNTED);
}

SHARED int128_t risk_unit_worth(const struct engine *e, uint32_t slot)
{
    return engine_margins(e)[slot].wallet + risk_unit_sum_of(e, slot, 0).profit;
}

int128_t risk_unit_worst_equity(const struct engine *e, uint32_t slot)
{
    return engine_margins(e)[slot].wallet + risk_unit_sum_of(e, slot, WITH_WORST).worst;
}

static NOINLINE struct worth worth_by_rows(struct engine *e, uint32_t slot)
{
    const struct margin_account *margin = engine_margins(e) + slot;
    struct worth                 worth = { margin->wallet, 0 };
    int128_t                     needs = 0, worst = worth.whole;

    for (uint32_t ix = margin->positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position           *position = position_at(e, ix);
        const struct market       *market = perps_book(e, position->market);
        const struct perps_market *perps = perps_of(e, market);
        int64_t                    size = position->exposure.size, low = perps_worst_of(perps, SIDE_BUY),
                high = perps_worst_of(perps, SIDE_SELL);
        int128_t value;

        if (position->need_rate != rate_in(market, margin)) position_need_refresh(e, position);
        needs += position->need[0] + position->need[1] + need_drift_to(e, position, SIDE_BUY, low)
               + need_drift_to(e, position, SIDE_SELL, high);
        if (size == 0 || position_is_isolated(position)) continue;
        value = market_value_floor(market, perps->mark, size_abs(size));
        worth.whole += signed_by(size, value) - position->exposure.cost;
        worst += profit_at(market, perps, &position->exposure, size < 0 ? high : low, value);
        needs += margin_initial(value, position->leverage);
    }
    worth.spare = worst - needs;
    return worth;
}

/*
 * The same of the cross position of an account's only row, whose sums are of today: false where that is not so, or not
 * all of it fits 64 bits.
 */
static ALWAYS_INLINE bool worth_alone(const struct engine *e, const struct margin_account *margin, struct worth *worth)
{
    const struct position     *position = position_at(e, margin->positions);
    const struct market       *market;
    const struct perps_market *perps;
    int64_t                    size = position->exposure.size, low, high, value, at_worst;
    int128_t                   spare = margin->wallet;

    if (margin->positions == 0 || position->next != 0 || position_is_isolated(position)) return false;
    market = perps_book(e, position->market);
    perps = perps_at(e, position->market);
    low = perps_worst_of(perps, SIDE_BUY);
    high = perps_worst_of(perps, SIDE_SELL);
    if (!is_without_orders(position)) {
        if (position->need_rate != rate_in(market, margin) || position->need_at[side_index(SIDE_BUY)] != low
            || position->need_at[side_index(SIDE_SELL)] != high)
            return false;
        spare -= position->need[0] + position->need[1];
    }
    worth->whole = margin->wallet;
    if (size != 0) {
        if (!market_value_small(market, perps->mark, size_abs(size), &value)
            || !market_value_small(market, size < 0 ? high : low, size_abs(size), &at_worst))
            return false;
        worth->whole += signed_by(size, value) - position->exposure.cost;
        spare += signed_by(size, at_worst) - position->exposure.cost;
        spare -= ((uint64_t)value + position->leverage - 1) / position->leverage;
    }
    worth->spare = spare;
    return true;
}

SHARED struct worth risk_unit_worth_spare(struct engine *e, uint32_t slot)
{
    struct worth worth;

    return worth_alone(e, engine_margins(e) + slot, &worth) ? worth : worth_by_rows(e, slot);
}

SHARED int128_t risk_unit_spare(struct engine *e, uint32_t slot)
{
    struct worth worth;

    assert(slot < e->account_end);
    return worth_alone(e, engine_margins(e) + slot, &worth) ? worth.spare : worth_by_rows(e, slot).spare;
}

typedef int128_t required_by(struct engine *e, struct position *position, const struct extra_order *extra);

static struct demand demand_by(struct engine *e, uint32_t slot, const struct position *except, required_by *required_of)
{
    struct demand demand = { 0 };

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);
        int128_t         required;

        if (position == except || (position->exposure.size == 0 && is_without_orders(position))) continue;
        required = required_of(e, position, NULL);
        if (position_is_isolated(position)) demand.reserve += position_reserve(position, required);
        else demand.required += required;
    }
    return demand;
}

int128_t risk_unit_reserve(struct engine *e, uint32_t slot, const struct position *except)
{
    int128_t reserve = 0;

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        struct position *position = position_at(e, ix);

        if (position == except || !position_is_isolated(position) || is_without_orders(position)) continue;
        reserve += position_reserve(position, position_required(e, position, NULL));
    }
    return reserve;
}

struct demand risk_unit_demand_most(struct engine *e, uint32_t slot, const struct position *except)
{
    return demand_by(e, slot, except, position_required_most);
}
struct demand risk_unit_demand(struct engine *e, uint32_t slot, const struct position *except)
{
    return demand_by(e, slot, except, position_required);
}

/*
 * Adds a cross row's counting profit less its largest need, `own` more on one side included, to *left. `low` and
 * `high` are the worst prices of buys and of sells. False: its sums are of another fee rate, or the row is isolated.
 */
static ALWAYS_INLINE bool add_row(const struct engine *e, const struct position *position, const struct market *market,
                                  const struct perps_market *perps, int64_t rate, int64_t low, int64_t high,
                                  int128_t own_buy, int128_t own_sell, int128_t *left)
{
    int64_t  size = position->exposure.size;
    int128_t value, profit;

    if (position_is_isolated(position)) return false;
    if (!is_without_orders(position)) {
        if (position->need_rate != rate) return false;
        own_buy += position->need[side_index(SIDE_BUY)];
        own_sell += position->need[side_index(SIDE_SELL)];
        own_buy += need_drift_to(e, position, SIDE_BUY, low);
        own_sell += need_drift_to(e, position, SIDE_SELL, high);
    }
    if (size == 0) {
        *left -= margin_max(own_buy, own_sell);
        return true;
    }
    value = market_value_floor(market, perps->mark, size_abs(size));
    profit = profit_at(market, perps, &position->exposure, size < 0 ? high : low, value);
    if (!perps_catches_up(perps) || profit < 0) *left += profit;
    *left -= margin_required(size, margin_initial(value, position->leverage), own_buy, own_sell);
    return true;
}

static bool add_other_rows(const struct engine *e, const struct margin_account *margin, const struct position *except,
                           int128_t *left)
{
    for (uint32_t ix = margin->positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position     *position = position_at(e, ix);
        const struct market       *market = perps_book(e, position->market);
        const struct perps_market *perps = perps_of(e, market);

        if (position != except
            && !add_row(e, position, market, perps, rate_in(market, margin), perps_worst_of(perps, SIDE_BUY),
                        perps_worst_of(perps, SIDE_SELL), 0, 0, left))
            return false;
    }
    return true;
}

HOT bool risk_unit_covers_alone(const struct engine *e, const struct unit_row *row, uint8_t side, int64_t price,
                                int64_t open, struct cover *cover)
{
    const struct position     *position = row->position;
    const struct perps_market *perps = row->perps;
    const struct market       *market = row->market;
    int64_t size = position->exposure.size, rate = rate_in(market, row->margin), low = perps_worst_of(perps, SIDE_BUY),
            high = perps_worst_of(perps, SIDE_SELL), own, value, at_worst;
    int128_t left = row->margin->wallet;

    if (position_at(e, row->margin->positions) != position || position->next != 0 || position_is_isolated(position))
        return false;
    if (!is_without_orders(position)) {
        if (position->need_rate != rate || position->need_at[side_index(SIDE_BUY)] != low
            || position->need_at[side_index(SIDE_SELL)] != high)
            return false;
        left -= position->need[0] + position->need[1];
    }
    if (size != 0) {
        if (!market_value_small(market, perps->mark, size_abs(size), &value)
            || !market_value_small(market, size < 0 ? high : low, size_abs(size), &at_worst) || perps_catches_up(perps))
            return false;
        left += signed_by(size, at_worst) - position->exposure.cost;
        left -= ((uint64_t)value + position->leverage - 1) / position->leverage;
    }
    if (open == 0
        || !need_small(market, position->leverage, side, side == SIDE_BUY ? low : high, rate, price, open, &own)
        || left < own)
        return false;
    *cover = (struct cover){ .own = own, .spare = left - own, .both = true };
    return true;
}

HOT bool risk_unit_covers_most(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                               int64_t open, struct cover *cover)
{
    const struct margin_account *margin = engine_margins(e) + position->account;
    const struct market         *market = perps_book(e, position->market);
    const struct perps_market   *perps = perps_at(e, position->market);
    int64_t                      rate = rate_in(market, margin), low = perps_worst_of(perps, SIDE_BUY),
            high = perps_worst_of(perps, SIDE_SELL);
    int128_t left = margin->wallet, own, buys;

    cover->own = own = need_in(market, position->leverage, side, side == SIDE_BUY ? low : high, rate, price, open);
    buys = own & -(int128_t)(side == SIDE_BUY); /* all of it or nothing */
    if (!add_row(e, position, market, perps, rate, low, high, buys, own - buys, &left)) return false;
    if (!add_other_rows(e, margin, position, &left) || left < 0) return false;
    cover->spare = left;
    return true;
}

struct available risk_unit_available(struct engine *e, uint32_t slot)
{
    struct risk_unit unit = risk_unit_cross(e, slot);
    struct demand    demand = risk_unit_demand(e, slot, NULL);
    int128_t         wallet = engine_margins(e)[slot].wallet,
             free_margin = wallet + unit.counted - demand.required - demand.reserve;

    assert(demand.required >= 0 && demand.reserve >= 0);
    return (struct available){
        .margin = margin_max(0, free_margin),
        .isolated = margin_max(0, margin_min(wallet - demand.reserve, free_margin)),
        .transferable = margin_max(0, wallet + margin_min(unit.counted, 0) - demand.required - demand.reserve),
    };
}

struct health risk_unit_health(const struct engine *e, const struct position *position)
{
    struct risk_unit unit;

    if (position_is_isolated(position))
        return (struct health){ position->exposure.bucket + position_profit(e, position),
                                position_maintenance(e, position) };
    unit = risk_unit_cross(e, position->account);
    return (struct health){ risk_unit_equity(e, position->account, &unit), unit.maintenance };
}

int64_t risk_unit_bankruptcy_price(const struct engine *e, const struct position *position)
{
    const struct market *market = perps_book(e, position->market);
    struct health        health = risk_unit_health(e, position);
    int128_t             share = health.equity;

    if (!position_is_isolated(position))
        share = liquidation_share(health.equity, position_maintenance(e, position), health.maintenance);
    assert(position->exposure.size != 0 && health.maintenance >= 0);
    return liquidation_bankruptcy_price(position_value(e, position), position->exposure.size, share,
                                        market->symbol.tick_size, market->power);
}

bool risk_unit_surely_bears(const struct engine *e, const struct position *position, int64_t price, int128_t worth)
{
    const struct market         *market = perps_book(e, position->market);
    const struct margin_account *margin = engine_margins(e) + position->account;
    int64_t                      size = position->exposure.size, tick = market->symbol.tick_size;
    int128_t                     value = position_value(e, position);

    assert(size != 0 && price > 0);
    if (worth < 0 || value == 0 || price <= tick) return false;
    if (!position_is_isolated(position) && (position_at(e, margin->positions) != position || position->next != 0))
        return false;
    return size > 0 ? market_value_floor(market, price - tick, size) >= value - worth
                    : market_value_ceil(market, price + tick, -size) <= value + worth;
}
