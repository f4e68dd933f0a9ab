/* SPDX-License-Identifier: MIT */
#include "core/perps_order.h"
#include "core/account.h"
#include "core/bracket.h"
#include "core/burnt.h"
#include "core/fees.h"
#include "core/stop.h"

#define PARTIAL_STOPS_MAX 10            /* per symbol, on a position (mechanics 4.4) */

/* An order as it is asked for, and what it would be. */
struct ask {
    struct draft             draft;
    const struct perps_order *item;
    struct market            *market;
    struct position          *position;     /* the row, or `fresh`                          */
    struct position           fresh;
    int64_t                   stop_price, bound;    /* bound: worst price of a market order */
    bool                      reduces, is_stop;
};

static struct decimal shown(const struct engine *e, int128_t amount)
{
    return decimal_make((int64_t)(amount > INT64_MAX ? INT64_MAX : amount < INT64_MIN ? INT64_MIN : amount), (int)e->coins[COIN_MARGIN].precision);
}

/* ---- payload and filters ---- */

static bool is_stop_item(const struct perps_order *item)
{
    return item->modifier == MODIFIER_STOP || item->modifier == MODIFIER_ATTACHED_STOP;
}

#define PLAIN(name, holds) if (!(holds)) return refuse_plainly(result, REJECT_##name);

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
    PLAIN(STOP_FUNDS,        !funds || (!stop && !item->reduce_only))
    PLAIN(MARKET_AMOUNT,     !market || stop || quantity != funds)
    return true;
}

/* LONG and SHORT have a safe meaning: what would open the other side only reduces (mechanics 3.1). */
static bool reduces_by_side(const struct perps_order *item)
{
    return item->reduce_only || (item->side == SIDE_SELL && item->position_side == POSITION_LONG)
        || (item->side == SIDE_BUY && item->position_side == POSITION_SHORT);
}

static bool read_stop_price(struct ask *ask, struct decimal price, struct result *result)
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
static int64_t market_bound(const struct engine *e, const struct market *market, uint8_t side, int64_t price)
{
    int64_t  deviation = market->symbol.market_deviation_ratio;
    int128_t index = perps_of(e, market)->index;
    int128_t bound = side == SIDE_BUY ? div_floor(index * (RATE_ONE + deviation), RATE_ONE)
                                      : deviation >= RATE_ONE ? 1 : div_ceil(index * (RATE_ONE - deviation), RATE_ONE);

    if (bound > PRICE_MAX) bound = PRICE_MAX;
    if (price != 0 && side_better(side, (int64_t)bound, price)) return price;
    return (int64_t)bound;
}

/* Limit prices stay within the band around the mark (perps place rule 3); TP/SL orders are not asked. */
static bool pass_band(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct symbol *s = &ask->market->symbol;
    int128_t             mark = perps_of(e, ask->market)->mark, price = (int128_t)ask->draft.price * RATE_ONE;
    int128_t             highest = mark * (RATE_ONE + s->buy_limit_up_ratio), lowest = mark * (RATE_ONE - s->sell_limit_down_ratio);
    int                  precision = (int)s->price_precision;

    if (ask->is_stop || ask->draft.type == TYPE_MARKET) return true;
    if (ask->draft.side == SIDE_BUY && price > highest)
        return refuse(result, REJECT_PERPS_BUY_LIMIT, decimal_make(ask->draft.price, precision), decimal_make((int64_t)(highest / RATE_ONE), precision));
    if (ask->draft.side == SIDE_SELL && price < lowest)
        return refuse(result, REJECT_PERPS_SELL_LIMIT, decimal_make(ask->draft.price, precision), decimal_make((int64_t)div_ceil(lowest, RATE_ONE), precision));
    return true;
}

static bool pass_filters_of(const struct engine *e, struct ask *ask, struct result *result)
{
    const struct perps_order *item = ask->item;
    struct draft             *draft = &ask->draft;

    if (!filter_read_price(draft, item->price, result) || !filter_price(draft, result) || !read_stop_price(ask, item->stop_price, result)) return false;
    if (!filter_read_quantity(draft, item->quantity, result) || !filter_quantity(draft, result)
        || !filter_market_quantity(draft, result) || !filter_read_funds(e, draft, item->funds, result)) return false;
    if ((draft->quantity != 0 || draft->funds != 0) && !filter_value(e, draft, result)) return false;
    if (!pass_band(e, ask, result)) return false;
    if (draft->type == TYPE_MARKET) ask->bound = market_bound(e, ask->market, draft->side, draft->price);
    return true;
}

/* ---- what the account may ---- */

static bool pass_counts(const struct engine *e, uint32_t slot, const struct ask *ask, uint32_t more, struct result *result)
{
    uint32_t limit = e->rules.open_orders_per_account, count = account_at(e, slot)->order_count;
    uint32_t stops = engine_margins(e)[slot].stop_count;

    if (limit != 0 && count + more > limit) return refuse(result, REJECT_OPEN_ORDER_LIMIT, decimal_make(count, 0), decimal_make(limit, 0));
    if (ask->is_stop && stops + 1 > e->rules.armed_stops_per_account)
        return refuse(result, REJECT_ARMED_STOP_LIMIT, decimal_make(stops, 0), decimal_make(e->rules.armed_stops_per_account, 0));
    if (e->order_count + more > e->limits.orders) return refuse_plainly(result, REJECT_CAPACITY);
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
static int64_t opening_part(const struct position *position, uint8_t side, int64_t quantity)
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
static bool pass_tier(const struct engine *e, const struct ask *ask, int64_t quantity, struct result *result)
{
    const struct position *position = ask->position;
    const struct contract *contract = &perps_of(e, ask->market)->contract;
    int128_t               worst = ask->draft.side == SIDE_BUY ? (int128_t)position->stake.size + position->volume[SIDE_BUY] + quantity
                                                               : -(int128_t)position->stake.size + position->volume[SIDE_SELL] + quantity;
    int128_t               value;
    uint32_t               tier;

    if (worst > QUANTITY_MAX) worst = QUANTITY_MAX;
    if (worst <= 0) return true;
    value = market_value_floor(ask->market, perps_of(e, ask->market)->mark, (int64_t)worst);
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
    int128_t             funds = ask->draft.funds, at_mark;
    int64_t              rate = fees_taker_rate(e, market, ask->position->account);

    if (funds == 0) return extra;
    at_mark = div_floor(funds * perps_of(e, market)->mark, ask->bound);     /* what the bound's quantity is worth at mark */
    extra.funds = margin_initial(funds, ask->position->leverage) + margin_max(0, funds - at_mark) + div_ceil(funds * (rate > 0 ? rate : 0), RATE_ONE);
    return extra;
}

/* Margin for the worst case: E - sum IMreq - R stays at or above 0, or the risk does not grow (mechanics 3.4). */
static bool pass_margin_with(struct engine *e, struct position *position, const struct extra_order *extra, struct result *result)
{
    uint32_t      slot = position->account;
    struct unit   unit = unit_cross(e, slot);
    struct demand demand = unit_demand(e, slot, position);
    int128_t      wallet = engine_margins(e)[slot].wallet, free_margin = wallet + unit.counted - demand.required - demand.reserve;
    bool          isolated = position_is_isolated(position);
    int128_t      room = isolated ? margin_min(wallet - demand.reserve, free_margin) : free_margin;
    int128_t      after = position_required_most(e, position, extra), before;

    if (room - (isolated ? position_reserve(position, after) : after) >= 0) return true;
    after = position_required(e, position, extra);
    if (room - (isolated ? position_reserve(position, after) : after) >= 0) return true;
    before = position_required(e, position, NULL);
    if (after <= before) return true;
    return refuse(result, REJECT_ORDER_MARGIN, shown(e, margin_max(0, room - (isolated ? position_reserve(position, before) : before))), shown(e, after - before));
}

static bool in_liquidation(const struct engine *e, const struct position *position)
{
    return position_is_isolated(position) ? position->stage != 0 : engine_margins(e)[position->account].stage != 0;
}

/* An order that can open: prices are fresh, the unit is healthy, tier, open interest and margin allow it. */
static bool pass_risk(struct engine *e, const struct ask *ask, struct result *result)
{
    int64_t            quantity = asked_quantity(ask), opening = opening_part(ask->position, ask->draft.side, quantity);
    struct extra_order extra;

    if (ask->reduces) return true;
    if (opening > 0 && perps_of(e, ask->market)->state == ORACLE_IS_STALE) return refuse_plainly(result, REJECT_ORACLE_STALE);
    if (opening > 0 && in_liquidation(e, ask->position)) return refuse_plainly(result, REJECT_IN_LIQUIDATION);
    if (opening > 0 && !pass_tier(e, ask, quantity, result)) return false;
    if (opening > 0 && !perps_interest_fits(e, ask->market, opening)) return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);
    extra = extra_of(e, ask);
    return pass_margin_with(e, ask->position, &extra, result);
}

/* A reduce-only order needs a position on the other side, and a part of it that no better one closes (mechanics 3.6). */
static bool pass_reduce(const struct engine *e, const struct ask *ask, struct result *result)
{
    if (!ask->reduces || ask->is_stop) return true;
    if (!is_closing(ask->position, ask->draft.side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
    if (ask->draft.type == TYPE_MARKET || ask->draft.time_in_force == TIF_IOC) return true;
    if (perps_reduce_room(e, ask->position, ask->draft.side, ask->draft.price) == 0) return refuse_plainly(result, REJECT_REDUCE_ONLY_FULL);
    return true;
}

static bool same_kind_global(const struct engine *e, const struct ask *ask, uint32_t *partial)
{
    bool found = false;

    *partial = 0;
    for (uint32_t ix = account_at(e, ask->position->account)->order_head; ix != 0; ix = order_at(e, ix)->account_next) {
        const struct order *order = order_at(e, ix);
        const struct stop  *stop = stop_at(e, ix);

        if (order->market != ask->position->market || !order_is_stop(order) || !order_reduces(order) || stop->modifier != MODIFIER_STOP) continue;
        if (stop->cap != 0) *partial += 1;
        else if (stop->kind == ask->item->stop_type) found = true;
    }
    return found;
}

/* STOP on a position and standalone (mechanics 4.1, 4.4, 4.5). */
static bool pass_stop(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct perps_order *item = ask->item;
    int64_t                   reference = stop_reference(e, ask->market, item->trigger_type);
    int                       precision = (int)ask->market->symbol.price_precision;
    uint32_t                  partial;

    if (item->modifier != MODIFIER_STOP) return true;
    if (ask->reduces) {
        if (ask->position->stake.size == 0) return refuse_plainly(result, REJECT_NO_POSITION);
        if (!is_closing(ask->position, item->side)) return refuse_plainly(result, REJECT_REDUCE_ONLY);
        bool exists = same_kind_global(e, ask, &partial);
        if (ask->draft.quantity == 0 && exists) return refuse_plainly(result, REJECT_GLOBAL_STOP_EXISTS);
        if (ask->draft.quantity != 0 && partial >= PARTIAL_STOPS_MAX)
            return refuse(result, REJECT_ARMED_STOP_LIMIT, decimal_make(partial, 0), decimal_make(PARTIAL_STOPS_MAX, 0));
    } else if (ask->draft.quantity == 0) {
        return refuse_plainly(result, REJECT_STOP_QUANTITY);
    }
    if (reference != 0 && stop_fires(item->side, item->stop_type, ask->stop_price, reference))
        return refuse(result, REJECT_WOULD_TRIGGER, decimal_make(ask->stop_price, precision), decimal_make(reference, precision));
    return true;
}

static bool pass_crossing_of(const struct engine *e, const struct ask *ask, struct result *result)
{
    const struct draft *draft = &ask->draft;
    int                 precision = (int)ask->market->symbol.price_precision;

    if (ask->is_stop || draft->time_in_force != TIF_GTX || !match_crosses(e, ask->market, draft->side, draft->price)) return true;
    return refuse(result, REJECT_POST_ONLY_CROSS, decimal_make(draft->price, precision),
                  decimal_make(level_at(e, ask->market->sides[side_other(draft->side)].best)->price, precision));
}

/* Everything up to acceptance, in the order of mechanics 2.1; nothing is changed. */
static bool pass_all(struct engine *e, uint32_t slot, struct ask *ask, uint32_t more, struct result *result)
{
    const struct perps_order *item = ask->item;

    if (order_find_client(e, slot | OWNER_PERPS, &item->client_id) != 0)
        return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
    return burnt_allows(e, slot | OWNER_PERPS, &item->client_id, more, result) && pass_filters_of(e, ask, result) && pass_counts(e, slot, ask, more, result) && pass_crossing_of(e, ask, result)
        && pass_reduce(e, ask, result) && pass_stop(e, ask, result);
}

static bool ask_make(struct engine *e, uint32_t slot, uint64_t symbol_id, const struct perps_order *item, struct ask *ask, struct result *result)
{
    struct market *market = market_find_perps(e, symbol_id);

    *ask = (struct ask){ .item = item, .market = market, .reduces = reduces_by_side(item), .is_stop = is_stop_item(item),
                         .draft = { .market = market, .side = item->side, .type = item->type, .time_in_force = item->time_in_force } };
    if (!pass_payload(item, result) || !filter_symbol(market, symbol_id, result)) return false;
    ask->position = position_find(e, slot, market->number);
    if (ask->position != NULL) return true;
    ask->fresh = (struct position){ .account = slot, .market = market->number, .mode = MARGIN_CROSS,
                                    .leverage = perps_of(e, market)->contract.init_leverage };
    ask->position = &ask->fresh;
    return e->position_count < e->limits.positions || refuse_plainly(result, REJECT_CAPACITY);
}

/* ---- acceptance ---- */

/* The order in a slot of its own, findable, counted; not in the book and not armed yet. */
static uint32_t accept(struct engine *e, uint32_t slot, const struct ask *ask, uint8_t status)
{
    struct position *position = position_make(e, slot, ask->market->number);
    uint32_t         ix = order_take(e);
    struct order    *order = order_at(e, ix);

    order->id = e->next_order_id++;
    order->price = ask->draft.price;
    order->quantity = ask->draft.quantity;
    order->next = 0;
    order->account = slot;
    order->market = ask->market->number;
    order->side = ask->draft.side;
    order->time_in_force = ask->draft.time_in_force;
    if (ask->reduces) order->time_in_force |= ORDER_REDUCES;
    order->client_id = ask->item->client_id;
    order->created_ms = order->updated_ms = e->time_ms;
    order_move(order, status);
    order_add(e, ix, order_key(e, slot | OWNER_PERPS, &order->client_id));
    position->order_count += 1;
    return ix;
}

static void accept_stop(struct engine *e, uint32_t ix, const struct ask *ask)
{
    struct order    *order = order_at(e, ix);
    struct position *position = position_find(e, order->account, ask->market->number);

    order->time_in_force |= ORDER_HAS_STOP | ORDER_IS_STOP;
    *stop_at(e, ix) = (struct stop){ .price = ask->stop_price, .cap = ask->draft.quantity, .kind = ask->item->stop_type,
                                     .trigger = ask->item->trigger_type, .modifier = ask->item->modifier, .type = ask->item->type,
                                     .position_id = ask->reduces && ask->item->modifier == MODIFIER_STOP ? position->id : 0 };
    position->stop_count += 1;
    engine_margins(e)[order->account].stop_count += 1;
}

static void report(const struct engine *e, uint64_t id, uint32_t ix, uint8_t ended, struct result *result)
{
    const struct order *order = order_at(e, ix);

    result->order_id = id;
    result->status = order->id == id ? order->status : ended;
}

static void rest_perps(struct turn *turn, uint32_t ix)
{
    struct engine   *e = turn->engine;
    struct order    *order = order_at(e, ix);
    struct market   *market = market_at(e, order->market);
    struct position *position = position_find(e, order->account, market->number);
    bool             traded = order->executed != 0;

    if (order->status != (traded ? STATUS_PARTIALLY_FILLED : STATUS_NEW)) order_move(order, traded ? STATUS_PARTIALLY_FILLED : STATUS_NEW);
    order->updated_ms = e->time_ms;
    book_push(e, market, ix);
    position_order_changed(e, position, order, 0, order_open(order));
    if (order_reduces(order)) position->reducing_count += 1;
    perps_tell(turn, ix, traded ? EXEC_PARTIALLY_FILLED : EXEC_NEW, REASON_NONE);
    book_tell_level(turn, market, order);
    if (order_reduces(order)) perps_trim(turn, position);
}

/* Why what is left of a taker does not stay, or REASON_NONE when it may rest. */
static uint8_t reason_to_end(int stop, uint8_t type, bool ioc)
{
    switch (stop) {
    case PERPS_STOP_REDUCED:  return REASON_REDUCE_ONLY;
    case PERPS_STOP_INTEREST: return REASON_OPEN_INTEREST_CAP;
    case PERPS_STOP_BANKRUPT: return REASON_BANKRUPTCY_BOUND;
    case MATCH_DUST:          return REASON_FUNDS_DUST;
    default: break;
    }
    if (!ioc) return REASON_NONE;
    if (type == TYPE_LIMIT) return REASON_IOC_REMAINDER;
    return stop == MATCH_BOUND ? REASON_PRICE_BOUND : REASON_NO_LIQUIDITY;
}

static bool is_retried(const struct order *order, const struct stop *stop, int why)
{
    return order_is_stop(order) && order_reduces(order) && stop->type == TYPE_MARKET && why != PERPS_STOP_REDUCED;
}

static void after_taking(struct turn *turn, uint32_t ix, uint8_t type, int why)
{
    struct engine      *e = turn->engine;
    struct order       *order = order_at(e, ix);
    bool                dust = why == MATCH_DUST && order->executed != 0;
    uint8_t             reason = reason_to_end(why, type, type == TYPE_MARKET || order_tif(order) == TIF_IOC);

    if (why == MATCH_DONE || dust) perps_end(turn, ix, STATUS_FILLED, REASON_NONE);
    else if (reason == REASON_NONE) { turn->taking = 0; rest_perps(turn, ix); }
    else if (is_retried(order, stop_at(e, ix), why)) {
        order->updated_ms = e->time_ms;
        perps_tell(turn, ix, order->executed != 0 ? EXEC_PARTIALLY_FILLED : EXEC_NEW, reason);
        turn->taking = 0;
        stop_retry_add(e, ix);
    } else perps_end(turn, ix, STATUS_EXPIRED, reason);
    turn->taking = 0;
}

void perps_work(struct turn *turn, uint32_t ix, uint8_t type, int64_t funds)
{
    struct engine     *e = turn->engine;
    struct order      *order = order_at(e, ix);
    struct market     *market = market_at(e, order->market);
    struct perps_taker taker = { .position = position_find(e, order->account, market->number), .order_ix = ix, .reduces = order_reduces(order) };

    taker.taker = (struct taker){ .order = order, .limit = order->price, .type = type, .by_funds = funds != 0, .funds = funds, .funds_left = funds };
    if (type == TYPE_MARKET) {
        int64_t deviation = order->side == SIDE_BUY ? market->symbol.market_deviation_ratio : -market->symbol.market_deviation_ratio;
        taker.taker.band = (int128_t)perps_of(e, market)->index * (RATE_ONE + deviation);
    }
    turn->taking = ix;
    after_taking(turn, ix, type, perps_take(turn, market, &taker));
}

/* ---- placing ---- */

static void expire_crossing_perps(struct turn *turn, uint32_t slot, const struct ask *ask, struct result *result)
{
    uint32_t ix = accept(turn->engine, slot, ask, STATUS_NEW);

    turn->taking = ix;                      /* it stands nowhere */
    perps_end(turn, ix, STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
    turn->taking = 0;
    result->status = STATUS_EXPIRED;
}

/* A market or IOC order that only reduces is never larger than the position (mechanics 3.6). */
static void clamp_to_position(struct ask *ask)
{
    int64_t held = size_abs(ask->position->stake.size);

    if (!ask->reduces || ask->is_stop || ask->draft.funds != 0) return;
    if (ask->draft.type == TYPE_MARKET || ask->draft.time_in_force == TIF_IOC) ask->draft.quantity = min_i64(ask->draft.quantity, held);
}

/* A stop-loss that the liquidation of its position comes before (mechanics 10.1); the mark alone is asked, orders are not. */
static bool is_beyond_liquidation(const struct engine *e, const struct ask *ask)
{
    const struct position *position = ask->position;
    const struct market   *market = ask->market;
    struct health          health;
    int128_t               cash;
    int64_t                price;

    if (position->stake.size == 0 || ask->item->stop_type != STOP_LOSS) return false;
    health = unit_health(e, position);
    cash = health.equity - position_profit(e, position) - (health.maintenance - position_maintenance(e, position));
    price = margin_liquidation_price(&perps_of(e, market)->contract, position->stake.size, position->stake.cost, cash, market->symbol.tick_size, market->power);
    if (price == 0) return false;
    return position->stake.size > 0 ? ask->stop_price <= price : ask->stop_price >= price;
}

static void place_one(struct turn *turn, uint32_t slot, struct ask *ask, struct result *result)
{
    struct engine *e = turn->engine;
    uint64_t       id;
    uint32_t       ix;

    if (!pass_all(e, slot, ask, 1, result)) {
        if (result->reject == REJECT_POST_ONLY_CROSS) expire_crossing_perps(turn, slot, ask, result);
        return;
    }
    if (!ask->is_stop && !pass_risk(e, ask, result)) return;
    clamp_to_position(ask);
    ix = accept(e, slot, ask, STATUS_NEW);
    id = order_at(e, ix)->id;
    if (ask->is_stop) {
        accept_stop(e, ix, ask);
        stop_arm(e, ix);
        perps_tell(turn, ix, EXEC_NEW, REASON_NONE);
        if (ask->reduces && is_beyond_liquidation(e, ask)) result->warning = WARNING_STOP_BEYOND_LIQUIDATION;
    } else {
        turn->ended = 0;
        perps_work(turn, ix, ask->draft.type, ask->draft.funds);
    }
    report(e, id, ix, turn->ended, result);
}

/* ---- brackets ---- */

static bool pass_shape(const struct place_perps *batch, struct result *result)
{
    uint32_t profits = 0;

    PLAIN(BRACKET_SHAPE, batch->count == 2 || batch->count == 3)
    PLAIN(BRACKET_REDUCES, !reduces_by_side(&batch->items[0]))
    for (uint32_t i = 1; i < batch->count; i++) {
        const struct perps_order *child = &batch->items[i];

        PLAIN(BRACKET_SHAPE,   child->modifier == MODIFIER_ATTACHED_STOP)
        PLAIN(BRACKET_REDUCES, child->reduce_only)
        PLAIN(BRACKET_SIDES,   child->side != batch->items[0].side)
        profits += child->stop_type == STOP_TAKE_PROFIT;
    }
    PLAIN(BRACKET_STOPS, profits == 1)
    return true;
}

/* Take-profit beyond, stop-loss before the parent's price, or the mark for a market parent (mechanics 4.3). */
static bool pass_bracket_price(const struct engine *e, const struct ask *parent, const struct ask *child, struct result *result)
{
    int64_t reference = parent->draft.type == TYPE_LIMIT ? parent->draft.price : perps_of(e, parent->market)->mark;
    bool    above = (parent->draft.side == SIDE_BUY) == (child->item->stop_type == STOP_TAKE_PROFIT);
    int     precision = (int)parent->market->symbol.price_precision;

    if (above ? child->stop_price > reference : child->stop_price < reference) return true;
    return refuse(result, REJECT_BAD_STOP_PRICE, decimal_make(child->stop_price, precision), decimal_make(reference, precision));
}

/* All members pass, or *result says what the first that does not is refused for. */
static bool pass_group(struct engine *e, uint32_t slot, const struct place_perps *batch, struct ask asks[3], struct result *result)
{
    if (!pass_shape(batch, result)) return false;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!ask_make(e, slot, batch->symbol_id, &batch->items[i], &asks[i], result)) return false;
        for (uint32_t j = 0; j < i; j++)
            if (client_id_equal(&batch->items[i].client_id, &batch->items[j].client_id))
                return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &batch->items[i].client_id);
        if (!pass_all(e, slot, &asks[i], batch->count, result)) return false;
        if (i != 0 && !pass_bracket_price(e, &asks[0], &asks[i], result)) return false;
    }
    return pass_risk(e, &asks[0], result);
}

static void place_children(struct turn *turn, uint32_t slot, const struct place_perps *batch, struct ask asks[3], uint32_t parent, uint64_t ids[3])
{
    struct engine *e = turn->engine;
    uint32_t       children[2] = { 0 };

    for (uint32_t i = 1; i < batch->count; i++) {
        uint32_t ix = children[i - 1] = accept(e, slot, &asks[i], STATUS_PENDING_NEW);

        accept_stop(e, ix, &asks[i]);
        if (order_at(e, ix)->quantity == 0) order_at(e, ix)->quantity = order_at(e, parent)->quantity;
        stop_at(e, ix)->primary_id = order_at(e, parent)->id;
        stop_at(e, ix)->relation[0] = parent;
        ids[i] = order_at(e, ix)->id;
    }
    order_at(e, parent)->time_in_force |= ORDER_HAS_STOP;
    *stop_at(e, parent) = (struct stop){ .modifier = MODIFIER_BRACKET, .type = asks[0].draft.type, .relation = { children[0], children[1] } };
    if (children[1] != 0) {
        stop_at(e, children[0])->relation[1] = children[1];
        stop_at(e, children[1])->relation[1] = children[0];
    }
    for (uint32_t i = 1; i < batch->count; i++) perps_tell(turn, children[i - 1], EXEC_NEW, REASON_NONE);
}

static void place_group(struct turn *turn, uint32_t slot, const struct place_perps *batch, struct result *results)
{
    struct engine *e = turn->engine;
    struct ask     asks[3];
    uint64_t       ids[3];
    uint32_t       parent;

    if (!pass_group(e, slot, batch, asks, &results[0])) {
        for (uint32_t i = 1; i < batch->count; i++) {           /* all or nothing: everybody gets the one reason */
            results[i].reject = results[0].reject;
            results[i].field = results[0].field;
            results[i].said = results[0].said;
            results[i].got = results[0].got;
            results[i].need = results[0].need;
            if ((results[0].said & SAID_ID) != 0) results[i].orig_client_id = results[0].orig_client_id;
        }
        return;
    }
    parent = accept(e, slot, &asks[0], STATUS_NEW);
    ids[0] = order_at(e, parent)->id;
    place_children(turn, slot, batch, asks, parent, ids);
    turn->ended = 0;
    perps_work(turn, parent, asks[0].draft.type, asks[0].draft.funds);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t ix = order_find_id(e, slot, ids[i]);
        results[i].order_id = ids[i];
        results[i].status = ix != 0 ? order_at(e, ix)->status : i == 0 ? turn->ended : STATUS_CANCELED;
    }
}

void perps_place(struct turn *turn, uint32_t slot, const struct perps_order *item, struct result *result)
{
    const struct place_perps *batch = command_payload(turn->command);
    struct ask                ask;
    ptrdiff_t                 index = item - batch->items;

    if (batch->items[0].modifier == MODIFIER_BRACKET) {
        if (index == 0) place_group(turn, slot, batch, result);
        return;
    }
    if (item->modifier == MODIFIER_BRACKET || item->modifier == MODIFIER_ATTACHED_STOP) {
        refuse_plainly(result, item->modifier == MODIFIER_BRACKET ? REJECT_BRACKET_SHAPE : REJECT_ATTACHED_ALONE);
        return;
    }
    if (ask_make(turn->engine, slot, batch->symbol_id, item, &ask, result)) place_one(turn, slot, &ask, result);
}

/* ---- a standalone stop fires ---- */

enum reject perps_may_open(struct engine *e, uint32_t ix, uint8_t type)
{
    const struct order *order = order_at(e, ix);
    struct market      *market = market_at(e, order->market);
    struct result       result = { 0 };
    struct ask          ask = { .market = market, .position = position_find(e, order->account, market->number),
                                .draft = { .market = market, .side = order->side, .type = type, .price = order->price, .quantity = order->quantity } };

    if (market->symbol.status != SYMBOL_TRADING) return REJECT_SYMBOL_HALTED;
    if (type == TYPE_MARKET) ask.bound = market_bound(e, market, order->side, order->price);
    return pass_risk(e, &ask, &result) ? REJECT_NONE : (enum reject)result.reject;
}

/* ---- cancel ---- */

static uint32_t find_target_of(const struct engine *e, uint32_t slot, uint64_t order_id, const struct client_id *client_id)
{
    uint32_t ix = order_id != 0 ? order_find_id(e, slot, order_id) : order_find_client(e, slot | OWNER_PERPS, client_id);

    return ix != 0 && market_is_perps(order_at(e, ix)->market) ? ix : 0;
}

static bool refuse_missing(uint64_t order_id, const struct client_id *client_id, struct result *result)
{
    if (order_id != 0) return refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORDER_ID, order_id);
    return refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_CLIENT_ID, client_id);
}

void perps_cancel(struct turn *turn, uint32_t slot, const struct perps_cancel *item, struct result *result)
{
    struct engine       *e = turn->engine;
    const struct market *market = market_find_perps(e, item->symbol_id);
    uint32_t             ix;

    if ((item->order_id != 0) == (item->client_id.len != 0)) { refuse_plainly(result, REJECT_PERPS_TARGET); return; }
    if (item->client_id.len > CLIENT_ID_MAX) { refuse_plainly(result, REJECT_BAD_CLIENT_ID); return; }
    if (market == NULL) { refuse_number(result, REJECT_SYMBOL_NOT_FOUND, FIELD_OF_ROW, item->symbol_id); return; }
    ix = find_target_of(e, slot, item->order_id, &item->client_id);
    if (ix == 0 || order_at(e, ix)->market != market->number) { refuse_missing(item->order_id, &item->client_id, result); return; }
    result->order_id = order_at(e, ix)->id;
    result->client_id = order_at(e, ix)->client_id;
    result->status = STATUS_CANCELED;
    perps_end(turn, ix, STATUS_CANCELED, REASON_USER);
}

/* ---- replace ---- */

/* A resting order changed in place or moved (mechanics 2.8, with margin instead of holds). */
struct amend { struct ask ask; struct order *order; uint32_t ix; bool keeps_place, changes_nothing; };

static bool amend_make(struct engine *e, uint32_t slot, const struct replace_order *item, struct amend *amend, struct result *result)
{
    struct market *market = market_find_perps(e, item->symbol_id);
    bool           by_id = item->orig_order_id != 0, by_client = item->orig_client_id.len != 0;
    uint32_t       used_by;

    PLAIN(BAD_CLIENT_ID, item->client_id.len <= CLIENT_ID_MAX && item->orig_client_id.len <= CLIENT_ID_MAX)
    PLAIN(REPLACE_ONE_TARGET, by_id != by_client)
    PLAIN(REPLACE_NOTHING, decimal_is_given(item->price) || decimal_is_given(item->quantity))
    PLAIN(NOT_POSITIVE, item->price.digits >= 0 && item->quantity.digits >= 0)
    if (!filter_symbol(market, item->symbol_id, result)) return false;
    amend->ix = find_target_of(e, slot, item->orig_order_id, &item->orig_client_id);
    if (amend->ix == 0 || order_at(e, amend->ix)->market != market->number)
        return by_id ? refuse_number(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_ORDER_ID, item->orig_order_id)
                     : refuse_id(result, REJECT_ORDER_NOT_FOUND, FIELD_ORIG_CLIENT_ID, &item->orig_client_id);
    amend->order = order_at(e, amend->ix);
    PLAIN(NOT_REPLACEABLE, amend->order->level != 0 && !order_is_stop(amend->order))
    used_by = item->client_id.len == 0 ? 0 : order_find_client(e, slot | OWNER_PERPS, &item->client_id);
    if (used_by != 0 && used_by != amend->ix) return refuse_id(result, REJECT_DUPLICATE_CLIENT_ID, FIELD_OF_ROW, &item->client_id);
    amend->ask = (struct ask){ .market = market, .position = position_find(e, slot, market->number), .reduces = order_reduces(amend->order),
        .draft = { .market = market, .side = amend->order->side, .type = TYPE_LIMIT, .time_in_force = order_tif(amend->order),
                   .price = amend->order->price, .quantity = amend->order->quantity } };
    return true;
}

static bool amend_pass_risk(struct engine *e, const struct amend *amend, struct result *result)
{
    const struct ask  *ask = &amend->ask;
    int64_t            open = ask->draft.quantity - amend->order->executed;
    struct extra_order extra = { .side = ask->draft.side, .price = ask->draft.price, .open = open, .without = amend->order->id };
    int64_t            grows = open - order_open(amend->order), opening = opening_part(ask->position, ask->draft.side, open);

    if (ask->reduces) return true;
    if (grows > 0 && opening > 0) {
        if (perps_of(e, ask->market)->state == ORACLE_IS_STALE) return refuse_plainly(result, REJECT_ORACLE_STALE);
        if (in_liquidation(e, ask->position)) return refuse_plainly(result, REJECT_IN_LIQUIDATION);
        if (!pass_tier(e, ask, grows, result)) return false;
        if (!perps_interest_fits(e, ask->market, opening)) return refuse_plainly(result, REJECT_OPEN_INTEREST_CAP);
    }
    return pass_margin_with(e, ask->position, &extra, result);
}

static bool amend_pass(struct engine *e, const struct replace_order *item, struct amend *amend, struct result *result)
{
    struct draft       *draft = &amend->ask.draft;
    const struct order *order = amend->order;
    int                 precision = (int)amend->ask.market->symbol.quantity_precision;
    int64_t             grows;

    if (decimal_is_given(item->price) && !filter_read_price(draft, item->price, result)) return false;
    if (decimal_is_given(item->quantity) && !filter_read_quantity(draft, item->quantity, result)) return false;
    if (draft->quantity <= order->executed)
        return refuse(result, REJECT_BELOW_EXECUTED, decimal_make(draft->quantity, precision), decimal_make(order->executed, precision));
    if (!filter_price(draft, result) || !filter_quantity(draft, result) || !filter_value(e, draft, result)) return false;
    if (!pass_band(e, &amend->ask, result)) return false;
    grows = draft->quantity - order->quantity;
    amend->changes_nothing = draft->price == order->price && grows == 0;
    amend->keeps_place = e->rules.replace_keeps_place && draft->price == order->price && grows <= 0;
    if (!amend->keeps_place && level_at(e, order->level)->count != 1 && !book_has_room(e, amend->ask.market, draft->side, draft->price, grows > 0 ? grows : 0))
        return refuse_plainly(result, REJECT_CAPACITY);
    return pass_crossing_of(e, &amend->ask, result) && amend_pass_risk(e, amend, result);
}

/* Out of the book as if it had never rested; sums follow. */
static void unrest(struct turn *turn, struct amend *amend)
{
    struct engine *e = turn->engine;
    struct order  *order = amend->order;
    int64_t        open = order_open(order), rest = book_remove(e, amend->ask.market, amend->ix);

    position_order_changed(e, amend->ask.position, order, open, 0);
    if (order_reduces(order)) amend->ask.position->reducing_count -= 1;
    book_tell(turn, amend->ask.market, order->side, order->price, rest);
}

static void amend_apply(struct turn *turn, struct amend *amend)
{
    struct engine *e = turn->engine;
    struct order  *order = amend->order;

    if (amend->keeps_place) {
        int64_t less = order->quantity - amend->ask.draft.quantity;
        if (less != 0) {
            int64_t open = order_open(order);
            book_shrink(e, amend->ask.market, order, less);
            order->quantity -= less;
            position_order_changed(e, amend->ask.position, order, open, order_open(order));
        }
        perps_tell(turn, amend->ix, EXEC_REPLACED, REASON_NONE);
        if (less != 0) book_tell_level(turn, amend->ask.market, order);
        return;
    }
    unrest(turn, amend);
    order->price = amend->ask.draft.price;
    order->quantity = amend->ask.draft.quantity;
    perps_tell(turn, amend->ix, EXEC_REPLACED, REASON_NONE);
    perps_work(turn, amend->ix, TYPE_LIMIT, 0);
}

void perps_replace(struct turn *turn, uint32_t slot, const struct replace_order *item, struct result *result)
{
    struct engine *e = turn->engine;
    struct amend   amend = { 0 };
    uint64_t       id;

    if (!amend_make(e, slot, item, &amend, result) || !amend_pass(e, item, &amend, result)) return;
    id = amend.order->id;
    if (item->client_id.len != 0) order_set_alias(e, amend.ix, &item->client_id);
    amend.order->updated_ms = e->time_ms;
    turn->ended = 0;
    amend_apply(turn, &amend);
    report(e, id, amend.ix, turn->ended, result);
}

/* ---- modify ---- */

static bool modify_make(struct engine *e, uint32_t slot, const struct modify_order *command, struct ask *ask, uint32_t *ix, struct result *result)
{
    struct market *market = market_find_perps(e, command->symbol_id);
    struct order  *order;

    PLAIN(PERPS_TARGET, (command->order_id != 0) != (command->client_id.len != 0))
    PLAIN(BAD_CLIENT_ID, command->client_id.len <= CLIENT_ID_MAX)
    PLAIN(MODIFY_NOTHING, decimal_is_given(command->price) || decimal_is_given(command->quantity) || decimal_is_given(command->stop_price))
    PLAIN(NOT_POSITIVE, command->price.digits >= 0 && command->quantity.digits >= 0 && command->stop_price.digits >= 0)
    if (!filter_symbol(market, command->symbol_id, result)) return false;
    *ix = find_target_of(e, slot, command->order_id, &command->client_id);
    if (*ix == 0 || order_at(e, *ix)->market != market->number) return refuse_missing(command->order_id, &command->client_id, result);
    order = order_at(e, *ix);
    if (!order_is_stop(order)) return refuse_missing(command->order_id, &command->client_id, result);
    PLAIN(ALREADY_TRIGGERED, order->status == STATUS_PENDING_NEW || stop_is_armed(e, *ix))
    *ask = (struct ask){ .market = market, .position = position_find(e, slot, market->number), .is_stop = true, .stop_price = stop_at(e, *ix)->price,
        .draft = { .market = market, .side = order->side, .type = stop_at(e, *ix)->type, .time_in_force = order_tif(order),
                   .price = order->price, .quantity = stop_at(e, *ix)->cap } };
    return true;
}

static bool modify_pass(const struct engine *e, const struct modify_order *command, uint32_t ix, struct ask *ask, struct result *result)
{
    struct draft *draft = &ask->draft;
    int64_t       reference = stop_reference(e, ask->market, stop_at(e, ix)->trigger);
    int           precision = (int)ask->market->symbol.price_precision;

    if (decimal_is_given(command->price) && (!filter_read_price(draft, command->price, result) || !filter_price(draft, result))) return false;
    if (!read_stop_price(ask, command->stop_price, result)) return false;
    if (decimal_is_given(command->quantity) && (!filter_read_quantity(draft, command->quantity, result) || !filter_quantity(draft, result)
        || !filter_market_quantity(draft, result))) return false;
    if (draft->quantity != 0 && !filter_value(e, draft, result)) return false;
    if (stop_is_armed(e, ix) && reference != 0 && stop_fires(draft->side, stop_at(e, ix)->kind, ask->stop_price, reference))
        return refuse(result, REJECT_WOULD_TRIGGER, decimal_make(ask->stop_price, precision), decimal_make(reference, precision));
    return true;
}

void perps_modify(struct turn *turn, uint32_t slot, const struct modify_order *command, struct result *result)
{
    struct engine *e = turn->engine;
    struct ask     ask = { 0 };
    struct order  *order;
    uint32_t       ix = 0;
    bool           armed;

    if (!modify_make(e, slot, command, &ask, &ix, result) || !modify_pass(e, command, ix, &ask, result)) return;
    order = order_at(e, ix);
    armed = stop_is_armed(e, ix);
    if (armed) stop_disarm(e, ix);
    stop_at(e, ix)->price = ask.stop_price;
    order->price = ask.draft.price;
    if (decimal_is_given(command->quantity)) {
        stop_at(e, ix)->cap = ask.draft.quantity;
        order->quantity = stop_at(e, ix)->modifier == MODIFIER_ATTACHED_STOP && armed ? min_i64(order->quantity, order->executed + ask.draft.quantity)
                                                                                      : ask.draft.quantity;
    }
    if (armed) stop_arm(e, ix);
    order->updated_ms = e->time_ms;
    result->order_id = order->id;
    result->status = order->status;
    perps_tell(turn, ix, EXEC_MODIFIED, REASON_NONE);
}
