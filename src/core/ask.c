/* SPDX-License-Identifier: MIT */
#include "core/ask.h"
#include "core/account.h"
#include "core/burnt.h"
#include "core/fees.h"
#include "core/match.h"
#include "core/perps_take.h"
#include "core/stop.h"

static struct decimal shown(const struct engine *e, int128_t amount)
{
    return decimal_make((int64_t)(amount > INT64_MAX ? INT64_MAX : amount < INT64_MIN ? INT64_MIN : amount), (int)e->coins[COIN_MARGIN].precision);
}

/* ---- payload and filters ---- */

static bool is_stop_item(const struct perps_order *item)
{
    return item->modifier == MODIFIER_STOP || item->modifier == MODIFIER_ATTACHED_STOP;
}

/* What depends on the payload alone (place rules 1, 4 to 6); the door has checked it, the log may not be trusted to have. */
static bool pass_payload(const struct perps_order *item, struct result *result)
{
    bool limit = item->type == TYPE_LIMIT, market = item->type == TYPE_MARKET, stop = is_stop_item(item);
    bool price = decimal_is_given(item->price), quantity = decimal_is_given(item->quantity), funds = decimal_is_given(item->funds);
    bool stop_fields = decimal_is_given(item->stop_price) || item->stop_type != 0 || item->trigger_type != 0;
    bool all_stop_fields = item->stop_price.digits > 0 && item->stop_type >= STOP_LOSS && item->stop_type <= STOP_TAKE_PROFIT
                        && item->trigger_type >= TRIGGER_LAST_PRICE && item->trigger_type <= TRIGGER_INDEX_PRICE;

    PLAIN(BAD_CLIENT_ID,     item->client_id.len >= 1 && item->client_id.len <= CLIENT_ID_MAX)
    PLAIN(ENUM_RANGE,        item->side == SIDE_BUY || item->side == SIDE_SELL)
    PLAIN(ENUM_RANGE,        limit || market)
    PLAIN(ENUM_RANGE,        item->modifier >= MODIFIER_NORMAL && item->modifier <= MODIFIER_ATTACHED_STOP)
    PLAIN(ENUM_RANGE,        item->position_side >= POSITION_BOTH && item->position_side <= POSITION_SHORT && item->reduce_only <= 1)
    PLAIN(NOT_POSITIVE,      item->price.digits >= 0 && item->quantity.digits >= 0 && item->funds.digits >= 0)
    PLAIN(STOP_FIELDS,       stop ? all_stop_fields : !stop_fields)
    PLAIN(LIMIT_NEEDS_PRICE, !limit || price)
    PLAIN(LIMIT_WITH_FUNDS,  !limit || !funds)
    PLAIN(LIMIT_NEEDS_QUANTITY, !limit || quantity || stop)
    PLAIN(TIF_NOT_SUPPORTED, !limit || item->time_in_force == TIF_GTC || item->time_in_force == TIF_IOC || item->time_in_force == TIF_GTX)
    PLAIN(MARKET_NEEDS_IOC,  !market || item->time_in_force == TIF_IOC)
    PLAIN(MARKET_SELL_FUNDS, !market || item->side == SIDE_BUY || !funds)
    PLAIN(STOP_FUNDS,        !funds || !stop)
    PLAIN(MARKET_AMOUNT,     !market || stop || quantity != funds)
    return true;
}

bool ask_reduces(const struct perps_order *item)
{
    return item->reduce_only || (item->side == SIDE_SELL && item->position_side == POSITION_LONG)
        || (item->side == SIDE_BUY && item->position_side == POSITION_SHORT);
}

bool ask_read_stop_price(struct ask *ask, struct decimal price, struct result *result)
{
    struct draft draft = ask->draft;

    if (!decimal_is_given(price)) return true;
    draft.price = 0;
    if (!filter_read_price(&draft, price, result) || !filter_price(&draft, result)) {
        result->field = FIELD_STOP_PRICE;
        return false;
    }
    ask->stop_price = draft.price;
    return true;
}

/* The worst price of a market order: the index bound, or its own price where that is stricter (perps place rule 3). */
int64_t ask_market_bound(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    int64_t  deviation = market->symbol.market_deviation_ratio;
    int128_t index = perps_of(e, market)->index;
    int128_t bound = side == SIDE_BUY ? div_floor(index * (RATE_ONE + deviation), RATE_ONE)
                                      : deviation >= RATE_ONE ? 1 : div_ceil(index * (RATE_ONE - deviation), RATE_ONE);

    if (bound > PRICE_MAX) bound = PRICE_MAX;
    if (price != 0 && side_better(side, (int64_t)bound, price)) return price;
    return (int64_t)bound;
}

/* The last price that is within the band is told. */
static COLD bool refuse_band_of(const struct ask *ask, int128_t edge, struct result *result)
{
    int            precision = (int)ask->market->symbol.price_precision;
    bool           buys = ask->draft.side == SIDE_BUY;
    struct decimal need = decimal_make((int64_t)(buys ? edge / RATE_ONE : div_ceil(edge, RATE_ONE)), precision);

    return refuse(result, buys ? REJECT_PERPS_BUY_LIMIT : REJECT_PERPS_SELL_LIMIT, decimal_make(ask->draft.price, precision), need);
}

/* The end of the band around the mark on the side that an order may not pass, in 1e-8 of a price unit (perps place rule 3). */
static inline int128_t band_end(const struct engine *e, const struct market *market, uint8_t side)
{
    return (int128_t)perps_of(e, market)->mark * market->band_edge[side];
}

bool ask_in_band(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    return ((int128_t)price * RATE_ONE - band_end(e, market, side)) * side_sign(side) <= 0;
}

int64_t ask_band_price(const struct engine *e, const struct market *market, uint8_t side)
{
    const struct symbol *symbol = &market->symbol;
    int128_t             end = band_end(e, market, side), unit = (int128_t)symbol->tick_size * RATE_ONE, price;

    assert(symbol->tick_size > 0 && unit > 0);
    if (side == SIDE_BUY) price = end <= 0 ? 0 : div_floor(end, unit) * symbol->tick_size;
    else                  price = end <= 0 ? symbol->tick_size : div_ceil(end, unit) * symbol->tick_size;
    if (price <= 0 || price < symbol->min_price || price > PRICE_MAX || (symbol->max_price != 0 && price > symbol->max_price)) return 0;
    return (int64_t)price;
}

/* Limit prices stay within the band around the mark; those of TP/SL orders are looked at when they fire (ruling 70). */
bool ask_pass_band(const struct engine *e, const struct ask *ask, struct result *result)
{
    uint8_t side = ask->draft.side;

    if (ask->is_stop || ask->draft.type == TYPE_MARKET || ask_in_band(e, ask->market, side, ask->draft.price)) return true;
    return refuse_band_of(ask, band_end(e, ask->market, side), result);
}

static bool pass_filters_of(const struct engine *e, struct ask *ask, struct result *result)
{
    const struct perps_order *item = ask->item;
    struct draft             *draft = &ask->draft;

    if (!filter_read_price(draft, item->price, result) || !filter_price(draft, result) || !ask_read_stop_price(ask, item->stop_price, result)) return false;
    if (!filter_read_quantity(draft, item->quantity, result) || !filter_quantity(draft, result)
        || !filter_market_quantity(draft, result) || !filter_read_funds(e, draft, item->funds, result)) return false;
    if ((draft->quantity != 0 || draft->funds != 0) && !filter_value(e, draft, result)) return false;
    if (!ask_pass_band(e, ask, result)) return false;
    if (draft->type == TYPE_MARKET) ask->bound = ask_market_bound(e, ask->market, draft->side, draft->price);
    return true;
}

/* ---- what the account may ---- */

/* What cannot rest counts nowhere: whoever has as many orders as there may be, or stands before a full pool, can still close. */
static bool pass_counts(const struct engine *e, uint32_t slot, const struct ask *ask, struct group_room more, struct result *result)
{
    uint32_t limit = e->rules.open_orders_per_account, count = account_at(e, slot)->order_count;
    uint32_t stops = engine_margins(e)[slot].stop_count + more.stops;

    if (!ask->is_stop && ask->draft.time_in_force == TIF_IOC && more.orders == 1) return true;
    if (limit != 0 && count + more.orders > limit) return refuse(result, REJECT_OPEN_ORDER_LIMIT, decimal_make(count, 0), decimal_make(limit, 0));
    if (ask->is_stop && e->rules.armed_stops_per_account != 0 && stops + 1 > e->rules.armed_stops_per_account)
        return refuse(result, REJECT_ARMED_STOP_LIMIT, decimal_make(stops, 0), decimal_make(e->rules.armed_stops_per_account, 0));
    if (e->order_count + more.orders > e->limits.orders) return refuse_plainly(result, REJECT_CAPACITY);
    if (ask->draft.type == TYPE_LIMIT && !ask->is_stop && ask->draft.time_in_force != TIF_IOC
        && !book_has_room((struct engine *)(uintptr_t)e, ask->market, ask->draft.side, ask->draft.price, ask->draft.quantity))
        return refuse_plainly(result, REJECT_CAPACITY);
    return true;
}

static bool is_closing(const struct position *position, uint8_t side)
{
    return position->stake.size != 0 && (position->stake.size > 0) == (side == SIDE_SELL);
}

/* How much of a quantity would open, were it filled now. */
int64_t ask_opening(const struct position *position, uint8_t side, int64_t quantity)
{
    if (!is_closing(position, side)) return quantity;
    return quantity > size_abs(position->stake.size) ? quantity - size_abs(position->stake.size) : 0;
}

static int64_t asked_quantity(const struct ask *ask)
{
    const struct market *market = ask->market;

    if (ask->draft.funds == 0) return ask->draft.quantity;
    int128_t most = market->power >= 0 ? ask->draft.funds / ((int128_t)ask->bound * market->value_unit)
                                       : (int128_t)ask->draft.funds * pow10_i64(-market->power) / ask->bound;
    return most > QUANTITY_MAX ? QUANTITY_MAX : (int64_t)most;
}

/* The largest notional the position could come to has a tier that allows the leverage (mechanics 3.2). */
bool ask_pass_tier(const struct engine *e, const struct ask *ask, int64_t quantity, struct result *result)
{
    const struct position *position = ask->position;
    const struct contract *contract = &perps_of(e, ask->market)->contract;
    int128_t               worst = (int128_t)(position->stake.size * side_sign(ask->draft.side)) + position->volume[side_index(ask->draft.side)] + quantity;
    int128_t               value;
    uint32_t               tier;

    if (worst <= 0) return true;
    if (worst > QUANTITY_MAX) return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);      /* no open interest has room for it */
    value = market_value_floor(ask->market, perps_of(e, ask->market)->mark, (int64_t)worst);
    if (value <= contract->tiers[0].max_notional && position->leverage <= contract->tiers[0].max_leverage) return true;
    tier = margin_tier(contract, value);
    if (value <= contract->tiers[tier].max_notional && position->leverage <= contract->tiers[tier].max_leverage) return true;
    while (tier > 0 && contract->tiers[tier].max_leverage < position->leverage) tier--;
    return refuse(result, REJECT_LEVERAGE_TIER, shown(e, value), shown(e, contract->tiers[tier].max_notional));
}

static struct extra_order extra_of(const struct engine *e, const struct ask *ask)
{
    const struct market *market = ask->market;
    struct extra_order   extra = { .side = ask->draft.side, .open = ask->draft.quantity,
                                   .price = ask->draft.type == TYPE_LIMIT ? ask->draft.price : ask->bound };
    int128_t             funds = ask->draft.funds, at_worst;
    int64_t              rate;

    if (funds == 0) return extra;
    rate = fees_taker_rate(e, market, ask->position->account);
    at_worst = div_floor(funds * perps_worst_of(perps_of(e, market), SIDE_BUY), ask->bound);        /* what the bound's quantity is worth at worst */
    extra.funds = margin_initial(funds, ask->position->leverage) + margin_max(0, funds - at_worst) + div_ceil(funds * (rate > 0 ? rate : 0), RATE_ONE);
    return extra;
}

/* What the account could give to the row, were its own orders and margin not there: cross profit, isolated cash (mechanics 3.3). */
static int128_t room_beside(const struct engine *e, const struct position *position, const struct unit *unit, struct demand demand)
{
    int128_t wallet = engine_margins(e)[position->account].wallet, room = wallet + unit->counted - demand.required - demand.reserve;

    return position_is_isolated(position) ? margin_min(wallet - demand.reserve, room) : room;
}

/* What the row takes of it: an isolated one only what its bucket has not. */
static int128_t needed_of(const struct position *position, int128_t required)
{
    return position_is_isolated(position) ? position_reserve(position, required) : required;
}

static COLD bool pass_margin_exactly(struct engine *e, struct position *position, const struct extra_order *extra, struct result *result)
{
    struct unit unit = unit_cross_counted(e, position->account);
    int128_t    room = room_beside(e, position, &unit, unit_demand(e, position->account, position)), after = position_required(e, position, extra), before;

    if (room >= needed_of(position, after)) return true;
    before = position_required(e, position, NULL);
    if (after <= before) return true;
    return refuse(result, REJECT_ORDER_MARGIN, shown(e, margin_max(0, room - needed_of(position, before))), shown(e, after - before));
}

/* Margin for the worst case, first by bounds that cost little: E - sum IMreq - R stays at or above 0, or the risk does not grow (mechanics 3.4). */
static NOINLINE bool pass_margin_by_bounds(struct engine *e, struct position *position, const struct extra_order *extra, struct result *result)
{
    struct unit unit = unit_cross_counted(e, position->account);
    int128_t    after = position_required_most(e, position, extra);

    if (room_beside(e, position, &unit, unit_demand_most(e, position->account, position)) >= needed_of(position, after)) return true;
    return pass_margin_exactly(e, position, extra, result);
}

HOT bool ask_pass_margin(struct engine *e, struct position *position, const struct extra_order *extra, struct result *result)
{
    struct cover cover;

    return unit_covers_most(e, position, extra, &cover) || pass_margin_by_bounds(e, position, extra, result);
}

/* Nothing opens in a symbol that is only to be reduced, while prices are stale or the unit is in liquidation (mechanics 3.8, 3.11, 3.15). */
bool ask_pass_state(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct position *position = ask->position;
    uint8_t                phase = perps_phase(e, perps_of(e, ask->market));

    if (phase != PHASE_OPEN) return refuse_plainly(result, phase == PHASE_REDUCE_ONLY ? REJECT_SYMBOL_REDUCE_ONLY : REJECT_SYMBOL_SETTLING);
    if (perps_of(e, ask->market)->state == ORACLE_IS_STALE) return refuse_plainly(result, REJECT_ORACLE_STALE);
    if (position_is_isolated(position) ? position->stage != 0 : engine_margins(e)[position->account].stage != 0)
        return refuse_plainly(result, REJECT_IN_LIQUIDATION);
    return true;
}

/*
 * An isolated position that has lost margin grows only when it is back (ruling 65): what adds to it is refused where no fill of it as a
 * whole could pass, neither at its limit nor at the best price that the book has for it now.
 */
static COLD bool pass_row(struct engine *e, const struct ask *ask, int64_t opening, struct result *result)
{
    int64_t           quantity = opening * side_sign(ask->draft.side), limit = ask->draft.type == TYPE_LIMIT ? ask->draft.price : ask->bound;
    struct row_margin row = perps_row_margin(e, ask->position, quantity, limit), best;
    uint32_t          first;

    if (row.has >= row.needs) return true;
    first = match_first(e, ask->market, ask->draft.side, limit);
    if (first != 0) {
        best = perps_row_margin(e, ask->position, quantity, order_at(e, first)->price);
        if (best.has >= best.needs) return true;
    }
    return refuse(result, REJECT_ORDER_MARGIN, shown(e, margin_max(0, row.has)), shown(e, row.needs));
}

/* Whether all of an order adds to an isolated position, so that its fills are measured at that unit's margin. */
static inline bool adds_to_row(const struct ask *ask, int64_t quantity, int64_t opening)
{
    return position_is_isolated(ask->position) && ask->position->stake.size != 0 && opening == quantity && opening > 0 && RULING(65);
}

/* An order that can open: prices are fresh, the unit is healthy, tier, open interest and margin allow it. */
HOT bool ask_pass_risk(struct engine *e, struct ask *ask, struct result *result)
{
    int64_t            quantity = asked_quantity(ask), opening = ask_opening(ask->position, ask->draft.side, quantity);
    struct extra_order extra;

    if (ask->reduces) return true;
    if (opening > 0 && !ask_pass_state(e, ask, result)) return false;
    if (opening > 0 && !ask_pass_tier(e, ask, quantity, result)) return false;
    if (opening > 0 && !perps_interest_fits(e, ask->market, opening)) return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);
    extra = extra_of(e, ask);
    if (!unit_covers_most(e, ask->position, &extra, &ask->cover) && !pass_margin_by_bounds(e, ask->position, &extra, result)) return false;
    return !adds_to_row(ask, quantity, opening) || pass_row(e, ask, opening, result);
}

/* A reduce-only order needs a position on the other side, and a part of it that no better one closes (mechanics 3.6). */
static COLD bool pass_reduce_of(const struct engine *e, const struct ask *ask, struct result *result)
{
    if (!is_closing(ask->position, ask->draft.side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
    if (ask->draft.type == TYPE_MARKET || ask->draft.time_in_force == TIF_IOC) return true;
    if (perps_reduce_room(e, ask->position, ask->draft.side, ask->draft.price) == 0) return refuse_plainly(result, REJECT_REDUCE_ONLY_FULL);
    return true;
}

static inline bool pass_reduce(const struct engine *e, const struct ask *ask, struct result *result)
{
    return !ask->reduces || ask->is_stop || pass_reduce_of(e, ask, result);
}

struct stops_there ask_stops_there(const struct engine *e, const struct position *position, uint8_t kind)
{
    struct stops_there there = { 0 };

    if (position->stop_count == 0) return there;
    for (uint32_t ix = account_at(e, position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        const struct stop  *stop = stop_at(e, ix);

        if (order->market != position->market || !order_is_stop(order) || !order_reduces(order) || stop->modifier != MODIFIER_STOP) continue;
        if (stop->cap != 0) there.partial += 1;
        else if (stop->kind == kind) there.global = true;
    }
    return there;
}

/* STOP on a position and standalone (mechanics 4.1, 4.4, 4.5). */
static COLD bool pass_stop_of(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct perps_order *item = ask->item;
    int64_t                   reference = stop_reference(e, ask->market, item->trigger_type);
    int                       precision = (int)ask->market->symbol.price_precision;

    if (ask->reduces) {
        if (ask->position->stake.size == 0) return refuse_plainly(result, REJECT_NO_POSITION);
        if (!is_closing(ask->position, item->side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
        struct stops_there there = ask_stops_there(e, ask->position, item->stop_type);
        if (ask->draft.quantity == 0 && there.global) return refuse_plainly(result, REJECT_GLOBAL_STOP_EXISTS);
        if (ask->draft.quantity != 0 && there.partial >= PARTIAL_STOPS_MAX)
            return refuse(result, REJECT_ARMED_STOP_LIMIT, decimal_make(there.partial, 0), decimal_make(PARTIAL_STOPS_MAX, 0));
    } else if (ask->draft.quantity == 0) {
        return refuse_plainly(result, REJECT_STOP_QUANTITY);
    }
    if (reference != 0 && stop_fires(item->side, item->stop_type, ask->stop_price, reference))
        return refuse(result, REJECT_WOULD_TRIGGER, decimal_make(ask->stop_price, precision), decimal_make(reference, precision));
    return true;
}

static inline bool pass_stop(const struct engine *e, const struct ask *ask, struct result *result)
{
    return ask->item->modifier != MODIFIER_STOP || pass_stop_of(e, ask, result);
}

bool ask_pass_crossing(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct draft *draft = &ask->draft;
    int                 precision = (int)ask->market->symbol.price_precision;

    if (ask->is_stop || draft->time_in_force != TIF_GTX || !match_crosses(e, ask->market, draft->side, draft->price)) return true;
    return refuse(result, REJECT_POST_ONLY_CROSS, decimal_make(draft->price, precision),
                  decimal_make(level_at(e, ask->market->sides[side_other(draft->side)].best)->price, precision));
}

/* Everything up to acceptance, in the order of mechanics 2.1; nothing is changed. */
HOT bool ask_pass(struct engine *e, uint32_t slot, struct ask *ask, struct group_room more, struct result *result)
{
    const struct perps_order *item = ask->item;

    if (order_find_key(e, slot | OWNER_PERPS, &item->client_id, ask->key) != 0)
        return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
    return burnt_allows(e, slot | OWNER_PERPS, &item->client_id, more.orders, result)
        && pass_filters_of(e, ask, result) && pass_counts(e, slot, ask, more, result) && ask_pass_crossing(e, ask, result)
        && pass_reduce(e, ask, result) && pass_stop(e, ask, result);
}

HOT bool ask_make(struct engine *e, uint32_t slot, uint64_t symbol_id, const struct perps_order *item, uint32_t key, struct ask *ask, struct result *result)
{
    struct market *market = market_find_perps(e, symbol_id);

    ask->draft = (struct draft){ .market = market, .side = item->side, .type = item->type, .time_in_force = item->time_in_force };
    ask->item = item;
    ask->market = market;
    ask->stop_price = ask->bound = 0;
    ask->reduces = ask_reduces(item);
    ask->is_stop = is_stop_item(item);
    ask->key = key;
    ask->position = NULL;
    ask->cover = (struct cover){ .own = -1 };
    if (!pass_payload(item, result)) return false;
    if (e->rules.strict_position_side && item->position_side != POSITION_BOTH) return refuse_plainly(result, REJECT_POSITION_SIDE);
    if (!filter_symbol(e, market, symbol_id, result)) return false;
    match_prefetch(e, market, item->side);
    ask->position = position_find(e, slot, market->number);
    if (ask->position != NULL) return true;
    ask->fresh = (struct position){ .account = slot, .market = market->number, .mode = MARGIN_CROSS,
                                    .leverage = perps_of(e, market)->contract.init_leverage };
    ask->position = &ask->fresh;
    return position_has_room(e, slot) || refuse_plainly(result, REJECT_CAPACITY);
}
