/* SPDX-License-Identifier: MIT */
#include "core/perps/perps_check.h"
#include "core/account/account.h"
#include "core/book/retired_id.h"
#include "core/account/fees.h"
#include "core/book/match.h"
#include "core/perps/margin.h"
#include "core/perps/perps_cover.h"
#include "core/perps/perps_take.h"
#include "core/perps/stop.h"

static struct decimal shown(const struct engine *e, int128_t amount)
{
    return decimal_make((int64_t)(amount > INT64_MAX   ? INT64_MAX
                                  : amount < INT64_MIN ? INT64_MIN
                                                       : amount),
                        (int)e->coins[COIN_MARGIN].precision);
}

/* ---- payload and filters ---- */

bool perps_check_read_stop_price(struct perps_check *check, struct decimal price, struct result *result)
{
    struct draft draft = check->draft;

    if (!decimal_is_given(price)) return true;
    draft.price = 0;
    if (!filter_read_price(&draft, price, result) || !filter_price(&draft, result)) {
        result->field = FIELD_STOP_PRICE;
        return false;
    }
    check->stop_price = draft.price;
    return true;
}

/* The worst price of a market order: the index bound, or its own price where that is stricter (perps place rule 3). */
int64_t perps_check_market_bound(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    int64_t  deviation = market->symbol.market_deviation_ratio;
    int128_t index = perps_of(e, market)->index;
    int128_t bound = side == SIDE_BUY      ? div_floor(index * (RATE_ONE + deviation), RATE_ONE)
                   : deviation >= RATE_ONE ? 1
                                           : div_ceil(index * (RATE_ONE - deviation), RATE_ONE);

    if (bound > PRICE_MAX) bound = PRICE_MAX;
    if (price != 0 && side_better(side, (int64_t)bound, price)) return price;
    return (int64_t)bound;
}

/* The error has the last price within the band. */
static COLD bool refuse_band_of(const struct perps_check *check, int128_t edge, struct result *result)
{
    int            precision = (int)check->market->symbol.price_precision;
    bool           buys = check->draft.side == SIDE_BUY;
    struct decimal need = decimal_make((int64_t)(buys ? edge / RATE_ONE : div_ceil(edge, RATE_ONE)), precision);

    return refuse(result, buys ? REJECT_PERPS_BUY_LIMIT : REJECT_PERPS_SELL_LIMIT,
                  decimal_make(check->draft.price, precision), need);
}

/* The end of the band around the mark on the side that an order may
   not pass, in 1e-8 of a price unit (perps place rule 3). */
static inline int128_t band_end(const struct engine *e, const struct market *market, uint8_t side)
{
    return (int128_t)perps_of(e, market)->mark * market->band_edge[side];
}

static COLD bool is_in_wide_band(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    assert(price >= 0 && (side == SIDE_BUY || side == SIDE_SELL));
    return ((int128_t)price * RATE_ONE - band_end(e, market, side)) * side_sign(side) <= 0;
}

bool perps_check_in_band(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    int64_t at, end;

    if (__builtin_mul_overflow(price, RATE_ONE, &at)
        || __builtin_mul_overflow(perps_of(e, market)->mark, market->band_edge[side], &end) || (at | end) < 0)
        return is_in_wide_band(e, market, side, price);
    return side_reaches(side, end, at);
}

int64_t perps_check_band_price(const struct engine *e, const struct market *market, uint8_t side)
{
    const struct symbol *symbol = &market->symbol;
    int128_t             end = band_end(e, market, side), unit = (int128_t)symbol->tick_size * RATE_ONE, price;

    assert(symbol->tick_size > 0 && unit > 0);
    if (side == SIDE_BUY) price = end <= 0 ? 0 : div_floor(end, unit) * symbol->tick_size;
    else price = end <= 0 ? symbol->tick_size : div_ceil(end, unit) * symbol->tick_size;
    if (price <= 0 || price < symbol->min_price || price > PRICE_MAX
        || (symbol->max_price != 0 && price > symbol->max_price))
        return 0;
    return (int64_t)price;
}

/* Limit prices stay within the band around the mark; those of TP/SL orders are looked at when they fire (ruling 70). */
bool perps_check_pass_band(const struct engine *e, const struct perps_check *check, struct result *result)
{
    uint8_t side = check->draft.side;

    if (check->is_stop || check->draft.type == TYPE_MARKET
        || perps_check_in_band(e, check->market, side, check->draft.price))
        return true;
    return refuse_band_of(check, band_end(e, check->market, side), result);
}

static bool pass_filters_of(const struct engine *e, struct perps_check *check, struct result *result)
{
    const struct perps_order *item = check->item;
    struct draft             *draft = &check->draft;

    if (check->hint != NULL) {
        draft->price = check->hint->price;
        draft->quantity = check->hint->quantity;
        return perps_check_pass_band(e, check, result);
    }
    if (!filter_read_price(draft, item->price, result) || !filter_price(draft, result)
        || !perps_check_read_stop_price(check, item->stop_price, result))
        return false;
    if (!filter_read_quantity(draft, item->quantity, result) || !filter_quantity(draft, result)
        || !filter_market_quantity(draft, result) || !filter_read_funds(e, draft, item->funds, result))
        return false;
    if ((draft->quantity != 0 || draft->funds != 0) && !filter_value(e, draft, result)) return false;
    if (!perps_check_pass_band(e, check, result)) return false;
    if (draft->type == TYPE_MARKET)
        check->bound = perps_check_market_bound(e, check->market, draft->side, draft->price);
    return true;
}

/* ---- what the account may ---- */

/* An order that cannot rest does not count: an account at its limit of orders, or before a full pool, can still close.
 */
static bool pass_counts(const struct engine *e, uint32_t slot, const struct perps_check *check, struct group_room more,
                        struct result *result)
{
    uint32_t limit = e->rules.open_orders_per_account, count = account_at(e, slot)->order_count;
    uint32_t stops = engine_margins(e)[slot].stop_count + more.stops;

    if (!check->is_stop && check->draft.time_in_force == TIF_IOC && more.orders == 1) return true;
    if (limit != 0 && count + more.orders > limit)
        return refuse(result, REJECT_OPEN_ORDER_LIMIT, decimal_make(count + more.orders, 0), decimal_make(limit, 0));
    if (check->is_stop && e->rules.armed_stops_per_account != 0 && stops + 1 > e->rules.armed_stops_per_account)
        return refuse(result, REJECT_ARMED_STOP_LIMIT, decimal_make(stops + 1, 0),
                      decimal_make(e->rules.armed_stops_per_account, 0));
    if (e->order_count + more.orders > e->limits.orders) return refuse_plainly(result, REJECT_CAPACITY);
    if (check->draft.type == TYPE_LIMIT && !check->is_stop && check->draft.time_in_force != TIF_IOC
        && !book_has_room((struct engine *)(uintptr_t)e, check->market, check->draft.side, check->draft.price,
                          check->draft.quantity))
        return refuse_plainly(result, REJECT_CAPACITY);
    return true;
}

static bool is_closing(const struct position *position, uint8_t side)
{
    return position->exposure.size != 0 && (position->exposure.size > 0) == (side == SIDE_SELL);
}

int64_t perps_check_opening(const struct position *position, uint8_t side, int64_t ahead, int64_t quantity)
{
    int64_t closes = is_closing(position, side) ? size_abs(position->exposure.size) - ahead : 0;

    assert(ahead >= 0 && quantity >= 0);
    return quantity - min_i64(quantity, max_i64(closes, 0));
}

/* Executed at once or not at all. */
static inline bool cannot_rest(const struct draft *draft)
{
    return draft->type == TYPE_MARKET || draft->time_in_force == TIF_IOC;
}

/*
 * How much of a quantity of the order would open. One that cannot rest is executed before all that rests, any other may
 * be executed after it (mechanics 3.4, decision 145).
 */
static int64_t opening_of(const struct perps_check *check, int64_t quantity)
{
    uint8_t side = check->draft.side;
    int64_t ahead = cannot_rest(&check->draft) ? 0 : check->position->volume[side_index(side)];

    return perps_check_opening(check->position, side, ahead, quantity);
}

/* The quantity that funds buy at a price, rounded down. */
static int64_t bought_at(const struct market *market, int64_t funds, int64_t price)
{
    int128_t most = market->power >= 0 ? funds / ((int128_t)price * market->value_unit)
                                       : (int128_t)funds * pow10_i64(-market->power) / price;

    assert(funds > 0 && price > 0);
    return most > QUANTITY_MAX ? QUANTITY_MAX : (int64_t)most;
}

/* Of an order by funds the least that they buy, all of it at the bound; more is looked at with each fill. */
static int64_t asked_quantity(const struct perps_check *check)
{
    if (check->draft.funds == 0) return check->draft.quantity;
    return bought_at(check->market, check->draft.funds, check->bound);
}

/* The lowest price that a purchase can meet: no order comes to the book while it takes. */
static int64_t lowest_price(const struct engine *e, const struct perps_check *check)
{
    uint32_t first = match_first(e, check->market, SIDE_BUY, check->bound);

    assert(check->draft.funds != 0 && check->draft.side == SIDE_BUY);
    return first != 0 ? order_at(e, first)->price : check->bound;
}

/* The worst case of mechanics 3.2: of an order by funds the most that they buy. */
static int64_t most_quantity(const struct engine *e, const struct perps_check *check)
{
    if (check->draft.funds == 0) return check->draft.quantity;
    return bought_at(check->market, check->draft.funds, lowest_price(e, check));
}

/* The largest notional the position could come to has a tier that allows the leverage (mechanics 3.2). */
bool perps_check_pass_tier(const struct engine *e, const struct perps_check *check, int64_t quantity,
                           struct result *result)
{
    const struct position *position = check->position;
    const struct contract *contract = &perps_of(e, check->market)->contract;
    int64_t                worst = position->exposure.size * side_sign(check->draft.side)
                  + position->volume[side_index(check->draft.side)] + quantity;
    int128_t value;
    uint32_t tier;

    if (worst <= 0) return true;
    if (worst > QUANTITY_MAX)
        return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP); /* no open interest has room for it */
    value = market_value_floor(check->market, perps_of(e, check->market)->mark, worst);
    if (margin_tier_allows(contract, value, position->leverage)) return true;
    tier = margin_tier(contract, value);
    while (tier > 0 && contract->tiers[tier].max_leverage < position->leverage) tier--;
    return refuse(result, REJECT_LEVERAGE_TIER, shown(e, value), shown(e, contract->tiers[tier].max_notional));
}

static struct extra_order extra_of(const struct engine *e, const struct perps_check *check)
{
    struct extra_order extra = { .side = check->draft.side,
                                 .open = most_quantity(e, check),
                                 .price = check->draft.type == TYPE_LIMIT ? check->draft.price : check->bound,
                                 .funds = check->draft.funds };

    if (extra.funds != 0) extra.lowest = lowest_price(e, check);
    return extra;
}

/*
 * The amount that the account could give to the row without the row's own orders and margin: cross profit, isolated
 * cash (mechanics 3.3).
 */
static int128_t room_beside(const struct engine *e, const struct position *position, const struct risk_unit *unit,
                            struct demand demand)
{
    int128_t wallet = engine_margins(e)[position->account].wallet,
             room = wallet + unit->counted - demand.required - demand.reserve;

    return position_is_isolated(position) ? margin_min(wallet - demand.reserve, room) : room;
}

/* The part of it that the row takes: an isolated one only the part missing in its bucket. */
static int128_t needed_of(const struct position *position, int128_t required)
{
    return position_is_isolated(position) ? position_reserve(position, required) : required;
}

static COLD bool pass_margin_exactly(struct engine *e, struct position *position, const struct extra_order *extra,
                                     struct result *result)
{
    struct risk_unit unit = risk_unit_cross_counted(e, position->account);
    int128_t         room = room_beside(e, position, &unit, risk_unit_demand(e, position->account, position)),
             after = position_required(e, position, extra), before;

    if (room >= needed_of(position, after)) return true;
    before = position_required(e, position, NULL);
    if (after <= before) return true;
    return refuse(result, REJECT_ORDER_MARGIN, shown(e, margin_max(0, room - needed_of(position, before))),
                  shown(e, after - before));
}

/* Margin for the worst case, first by bounds that cost little: E - sum IMreq -
   R stays at or above 0, or the risk does not grow (mechanics 3.4). */
static NOINLINE bool pass_margin_by_bounds(struct engine *e, struct position *position, const struct extra_order *extra,
                                           struct result *result)
{
    struct risk_unit unit = risk_unit_cross_counted(e, position->account);
    int128_t         after = position_required_most(e, position, extra);

    if (room_beside(e, position, &unit, risk_unit_demand_most(e, position->account, position))
        >= needed_of(position, after))
        return true;
    return pass_margin_exactly(e, position, extra, result);
}

HOT bool perps_check_pass_margin(struct engine *e, struct position *position, const struct extra_order *extra,
                                 struct result *result)
{
    struct cover cover;
    bool         simple = extra->without == 0 && extra->funds == 0;

    return (simple && risk_unit_covers_most(e, position, extra->side, extra->price, extra->open, &cover))
        || pass_margin_by_bounds(e, position, extra, result);
}

/* Nothing opens in a symbol that is only to be reduced, while prices are stale or the unit is in liquidation (mechanics
   3.8, 3.11, 3.15); nor into a bucket while a price of the cross account is not live (ruling 64). */
bool perps_check_pass_state(const struct engine *e, const struct perps_check *check, struct result *result)
{
    const struct position *position = check->position;
    uint8_t                phase = perps_phase(e, perps_of(e, check->market));

    if (phase != PHASE_OPEN)
        return refuse_plainly(result, phase == PHASE_REDUCE_ONLY ? REJECT_SYMBOL_REDUCE_ONLY : REJECT_SYMBOL_SETTLING);
    if (perps_of(e, check->market)->state == ORACLE_IS_STALE) return refuse_plainly(result, REJECT_ORACLE_STALE);
    if (position_is_isolated(position) ? position->stage != 0 : engine_margins(e)[position->account].stage != 0)
        return refuse_plainly(result, REJECT_IN_LIQUIDATION);
    return !position_is_isolated(position) || margin_may_isolate(e, position->account, result);
}

/*
 * An isolated position that has lost margin grows only when it is back (ruling 65): what adds to it is refused where no
 * fill of it as a whole could pass, neither at its limit nor at the best price that the book has for it now.
 */
static COLD bool pass_row(struct engine *e, const struct perps_check *check, int64_t opening, struct result *result)
{
    int64_t quantity = opening * side_sign(check->draft.side),
            limit = check->draft.type == TYPE_LIMIT ? check->draft.price : check->bound;
    struct row_margin row = perps_row_margin(e, check->position, quantity, limit), best;
    uint32_t          first;

    if (row.has >= row.needs) return true;
    first = match_first(e, check->market, check->draft.side, limit);
    if (first != 0) {
        best = perps_row_margin(e, check->position, quantity, order_at(e, first)->price);
        if (best.has >= best.needs) return true;
    }
    return refuse(result, REJECT_ORDER_MARGIN, shown(e, margin_max(0, row.has)), shown(e, row.needs));
}

/* Whether an order adds to an isolated position, so that its fills are measured at that unit's margin. */
static inline bool adds_to_row(const struct perps_check *check, int64_t opening)
{
    return position_is_isolated(check->position) && check->position->exposure.size != 0
        && !is_closing(check->position, check->draft.side) && opening > 0 && RULING(65);
}

static NOINLINE bool pass_margin_checked(struct engine *e, const struct perps_check *check, struct result *result)
{
    struct extra_order extra = extra_of(e, check);

    return pass_margin_by_bounds(e, check->position, &extra, result);
}

/* Margin of a new order; one by funds has no quantity for the quick bound. */
static inline bool pass_margin_of(struct engine *e, struct perps_check *check, struct result *result)
{
    const struct draft *draft = &check->draft;

    return (draft->funds == 0
            && risk_unit_covers_most(e, check->position, draft->side,
                                     draft->type == TYPE_LIMIT ? draft->price : check->bound, draft->quantity,
                                     &check->cover))
        || pass_margin_checked(e, check, result);
}

static NOINLINE bool pass_risk_closely(struct engine *e, struct perps_check *check, struct result *result)
{
    int64_t quantity = asked_quantity(check), most = most_quantity(e, check), opening = opening_of(check, quantity);

    if (opening > 0 && !perps_check_pass_state(e, check, result)) return false;
    if (opening_of(check, most) > 0 && !perps_check_pass_tier(e, check, most, result)) return false;
    if (opening > 0 && !perps_interest_fits(e, check->market, opening))
        return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);
    if (!pass_margin_of(e, check, result)) return false;
    return !adds_to_row(check, opening) || pass_row(e, check, opening, result);
}

/* Whether a notional at the mark is within a bound; false too where it does not fit 64 bits. */
static ALWAYS_INLINE bool surely_within(const struct market *market, int64_t mark, int64_t quantity, int64_t bound)
{
    int64_t value;

    return market_value_small(market, mark, quantity, &value) && value <= bound;
}

ALWAYS_INLINE bool perps_check_surely_opens(const struct engine *e, const struct unit_row *row, uint8_t side,
                                            int64_t quantity)
{
    const struct perps_market *perps = row->perps;
    const struct contract     *contract = &perps->contract;
    const struct position     *position = row->position;
    int64_t                    interest = perps->open_interest + quantity,
            worst = position->exposure.size * side_sign(side) + position->volume[side_index(side)] + quantity;

    if (perps_phase(e, perps) != PHASE_OPEN || perps->state != ORACLE_LIVE || position_is_isolated(position)
        || row->margin->stage != 0)
        return false;
    if (worst > QUANTITY_MAX || interest > QUANTITY_MAX || position->leverage > contract->tiers[0].max_leverage)
        return false;
    if (contract->open_interest_cap != 0 && interest > contract->open_interest_cap) return false;
    return surely_within(row->market, perps->mark, worst, contract->tiers[0].max_notional)
        && (contract->open_interest_cap_value == 0
            || surely_within(row->market, perps->mark, interest, contract->open_interest_cap_value));
}

/* An order that can open: prices are fresh, the unit is healthy, tier, open interest and margin allow it. */
HOT bool perps_check_pass_risk(struct engine *e, struct perps_check *check, struct result *result)
{
    const struct draft   *draft = &check->draft;
    const struct unit_row row = { check->position, check->market, perps_of(e, check->market),
                                  engine_margins(e) + check->position->account };

    if (check->reduces) return true;
    return (draft->type == TYPE_LIMIT && perps_check_surely_opens(e, &row, draft->side, draft->quantity)
            && risk_unit_covers_alone(e, &row, draft->side, draft->price, draft->quantity, &check->cover))
        || pass_risk_closely(e, check, result);
}

/* A reduce-only order needs a position on the other side, and a
   part of it that no better one closes (mechanics 3.6). */
static COLD bool pass_reduce(const struct engine *e, const struct perps_check *check, struct result *result)
{
    assert(check->reduces && !check->is_stop);
    if (!is_closing(check->position, check->draft.side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
    if (cannot_rest(&check->draft)) return true;
    if (perps_reduce_room(e, check->position, check->draft.side, check->draft.price) == 0)
        return refuse_plainly(result, REJECT_REDUCE_ONLY_FULL);
    return true;
}

struct stops_there perps_check_stops_there(const struct engine *e, const struct position *position, uint8_t kind)
{
    struct stops_there there = { 0 };

    if (position->stop_count == 0) return there;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        const struct stop  *stop = stop_at(e, ix);

        if (order->market != position->market || !order_is_stop(order) || !order_reduces(order)
            || stop->modifier != MODIFIER_STOP)
            continue;
        if (stop->cap != 0) there.partial += 1;
        else if (stop->kind == kind) there.global = true;
    }
    return there;
}

/* STOP on a position and standalone (mechanics 4.1, 4.4, 4.5). */
static COLD bool pass_stop(const struct engine *e, const struct perps_check *check, struct result *result)
{
    const struct perps_order *item = check->item;
    int64_t                   reference = stop_reference(e, check->market, item->trigger_type);
    int                       precision = (int)check->market->symbol.price_precision;

    assert(check->is_stop && check->stop_price > 0);
    if (check->reduces) {
        if (check->position->exposure.size == 0) return refuse_plainly(result, REJECT_NO_POSITION);
        if (!is_closing(check->position, item->side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
        struct stops_there there = perps_check_stops_there(e, check->position, item->stop_type);
        if (check->draft.quantity == 0 && there.global) return refuse_plainly(result, REJECT_GLOBAL_STOP_EXISTS);
        if (check->draft.quantity != 0 && there.partial >= PARTIAL_STOPS_MAX)
            return refuse(result, REJECT_PARTIAL_STOP_LIMIT, decimal_make(there.partial + 1, 0),
                          decimal_make(PARTIAL_STOPS_MAX, 0));
    }
    assert(check->reduces || check->draft.quantity != 0);
    if (reference != 0 && stop_fires(item->side, item->stop_type, check->stop_price, reference))
        return refuse(result, REJECT_WOULD_TRIGGER, decimal_make(check->stop_price, precision),
                      decimal_make(reference, precision));
    return true;
}

bool perps_check_pass_crossing(const struct engine *e, const struct perps_check *check, struct result *result)
{
    const struct draft *draft = &check->draft;
    int                 precision = (int)check->market->symbol.price_precision;

    if (check->is_stop || draft->time_in_force != TIF_GTX
        || !match_crosses(e, check->market, draft->side, draft->price))
        return true;
    return refuse(result, REJECT_POST_ONLY_CROSS, decimal_make(draft->price, precision),
                  decimal_make(level_at(e, check->market->sides[side_other(draft->side)].best)->price, precision));
}

/* Everything up to acceptance, in the order of mechanics 2.1; nothing is changed. */
HOT bool perps_check_pass(struct engine *e, uint32_t slot, struct perps_check *check, struct group_room more,
                          struct result *result)
{
    const struct perps_order *item = check->item;

    if (!order_key_is_new(e, check->key) && order_find_key(e, slot | OWNER_PERPS, &item->client_id, check->key) != 0)
        return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
    if (!retired_id_allows(e, slot | OWNER_PERPS, &item->client_id, more.orders, result)
        || !pass_filters_of(e, check, result) || !pass_counts(e, slot, check, more, result)
        || !perps_check_pass_crossing(e, check, result))
        return false;
    if (check->reduces && !check->is_stop && !pass_reduce(e, check, result)) return false;
    return item->modifier != MODIFIER_STOP || pass_stop(e, check, result);
}

HOT bool perps_check_make(struct engine *e, uint32_t slot, uint64_t symbol_id, const struct perps_order *item,
                          uint32_t key, const struct item_hint *hint, struct perps_check *check, struct result *result)
{
    struct market *market = market_find_perps(e, symbol_id);

    check->draft = (struct draft){
        .market = market, .side = item->side, .type = item->type, .time_in_force = item->time_in_force
    };
    check->item = item;
    check->market = market;
    check->stop_price = check->bound = 0;
    check->key = key;
    check->hint = hint;
    check->position = NULL;
    check->cover = (struct cover){ .own = -1 };
    if (hint == NULL && !pass_payload(payload_perps_order(item), result)) return false;
    check->reduces = payload_reduces(item);
    check->is_stop = payload_is_stop(item);
    if (e->rules.strict_position_side && item->position_side != POSITION_BOTH)
        return refuse_plainly(result, REJECT_POSITION_SIDE);
    if (!filter_symbol(e, market, symbol_id, result)) return false;
    match_prefetch(e, market, item->side);
    check->position = position_find(e, slot, market->number);
    if (check->position != NULL) return true;
    check->fresh = (struct position){ .account = slot,
                                      .market = market->number,
                                      .mode = MARGIN_CROSS,
                                      .leverage = (uint8_t)perps_of(e, market)->contract.init_leverage };
    check->position = &check->fresh;
    return position_has_room(e, slot) || refuse_plainly(result, REJECT_CAPACITY);
}
