/* SPDX-License-Identifier: MIT */
/* perps.c — orders of the perps side: place, cancel, replace (service 4.6; mechanics 3). */
#include "world.h"

/* Rule 3: by the mark, ends included. */
static bool in_band(struct twin *twin, uint32_t index, const struct symbol *symbol, uint8_t side, int64_t price)
{
    int128_t mark = mark_of(twin, symbol), ratio = side == SIDE_BUY ? 100000000 + symbol->buy_limit_up_ratio
                                                                    : 100000000 - symbol->sell_limit_down_ratio;
    int128_t scaled = (int128_t)price * 100000000, end;

    if (side == SIDE_BUY ? scaled <= mark * ratio : scaled >= mark * ratio) return true;
    end = side == SIDE_BUY ? divide_floor(mark * ratio, 100000000) : divide_ceil(mark * ratio, 100000000);
    answer_said(twin, index, side == SIDE_BUY ? REJECT_PERPS_BUY_LIMIT : REJECT_PERPS_SELL_LIMIT,
                decimal_of(price, symbol->price_precision), decimal_of(end, symbol->price_precision));
    return false;
}

/* Mechanics 3.2: the largest position that side could come to, at the mark, and the tier it needs. */
static bool in_tier(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol,
                    uint8_t side)
{
    const struct position *p = position_of(twin, account, symbol);
    int128_t               size = side == SIDE_BUY ? p->is.size : -(int128_t)p->is.size, value,
             most = tier_end(twin, account, symbol);

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->market != MARKET_PERPS || !o->counts || o->is.reduce_only || o->is.base.account_id != account->id
            || o->is.base.symbol_id != symbol->id || o->is.base.side != side)
            continue;
        size += o->is.base.funds != 0 ? most_bought(twin, symbol, o) : order_rest(o);
    }
    if (size <= 0) return true;
    if (size > QUANTITY_MAX) {
        answer(twin, index, REJECT_OPEN_INTEREST_CAP);
        return false;
    } /* a size is below 10^15 (mechanics 1.1) */
    value = n_exact(symbol, &twin->genesis, mark_of(twin, symbol), (int64_t)size, false);
    if (value <= most) return true;
    answer_said(twin, index, REJECT_LEVERAGE_TIER, decimal_of(value, 6), decimal_of(most, 6));
    return false;
}

struct standing {
    int128_t need, reserve, isolated, all;
};
static struct standing stand(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    bool isolated = position_of(twin, account, symbol)->is.margin_mode == MARGIN_ISOLATED;
    return (struct standing){ isolated ? 0 : need_of(twin, account, symbol),
                              isolated ? reserve_of(twin, account, symbol) : 0, available_isolated(twin, account),
                              needs(twin, account) + reserves(twin, account) };
}

/* Mechanics 3.4: enough margin for the worst case after it, or no more risk than before.
   The order is in the list already. */
static bool margin_ok(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol,
                      const struct standing *before)
{
    bool     isolated = position_of(twin, account, symbol)->is.margin_mode == MARGIN_ISOLATED;
    int128_t more, has;

    if (isolated) {
        more = reserve_of(twin, account, symbol) - before->reserve;
        has = before->isolated;
    } else {
        more = need_of(twin, account, symbol) - before->need;
        has = cross_equity(twin, account, AT_WORST_CAREFUL) - needs(twin, account) - reserves(twin, account) + more;
    }
    if (more <= 0 || more <= has) return true;
    answer_said(twin, index, REJECT_ORDER_MARGIN, decimal_of(has < 0 ? 0 : has, 6), decimal_of(more, 6));
    return false;
}

bool perps_crosses(struct twin *twin, const struct symbol *symbol, uint8_t side, int64_t price, int64_t *best)
{
    const struct order *opposite = book_best(twin, MARKET_PERPS, symbol->id, other(side));

    if (opposite == NULL || better(side, opposite->is.base.price, price)) return false;
    *best = opposite->is.base.price;
    return true;
}

bool may_trade(struct twin *twin, uint32_t index, const struct symbol *symbol)
{
    uint8_t status = status_now(twin, MARKET_PERPS, symbol->id);

    if (status == SYMBOL_TRADING) return true;
    answer(twin, index, status == SYMBOL_SETTLED ? REJECT_SYMBOL_SETTLED : REJECT_SYMBOL_HALTED);
    return false;
}

/* Checks that need the symbol alone (rule 1); a TP/SL order has no band check (rule 3). */
static bool place_filters(struct twin *twin, uint32_t index, const struct symbol *symbol,
                          const struct perps_order *item, struct reply_route *asked)
{
    struct order_changed *wants = &asked->wants;
    bool                  stop = item->stop_type != 0;
    int128_t              funds;

    if (item->price.digits != 0 && !wants_price(twin, index, symbol, item->price, &wants->price, 0)) return false;
    if (stop && !wants_price(twin, index, symbol, item->stop_price, &asked->stop, FIELD_STOP_PRICE)) return false;
    if (item->quantity.digits != 0
        && !wants_quantity(twin, index, symbol, item->quantity, &wants->quantity, item->type == TYPE_MARKET))
        return false;
    if (item->funds.digits != 0) {
        if (!units_of(item->funds, 6, &funds)) {
            answer_said(twin, index, REJECT_FUNDS_DECIMALS, item->funds, whole(6));
            return false;
        }
        if (funds > AMOUNT_MAX) {
            answer_said(twin, index, REJECT_NOTIONAL_OVERFLOW, item->funds, decimal_of(AMOUNT_MAX, 6))->field =
                FIELD_FUNDS;
            return false;
        }
        if (!wants_value(twin, index, symbol, funds, funds, FIELD_FUNDS)) return false;
        wants->funds = (int64_t)funds;
    } else if (wants->quantity != 0) {
        const struct symbol_state *state = &twin->state[MARKET_PERPS][symbol->id - 1];
        int64_t                    last = state->last != 0 ? state->last : symbol->reference_price;
        if (!wants_notional(twin, index, symbol, item->type == TYPE_LIMIT ? wants->price : last, wants->quantity))
            return false;
    }
    return stop || item->type == TYPE_MARKET || in_band(twin, index, symbol, item->side, wants->price);
}

/* An order that cannot rest does not count; a bracket counts with all its members. */
static bool room(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                 int64_t price, uint32_t orders, uint32_t stops)
{
    uint32_t limit = twin->genesis.rules.open_orders_per_account, open = open_orders(twin, twin->actor),
             armed = twin->genesis.rules.armed_stops_per_account;
    bool stop = item->stop_type != 0, ioc = item->time_in_force == TIF_IOC;

    if (!stop && ioc && orders == 1) return true;
    stops += stops_of(twin, twin->actor);
    if (limit != 0 && open + orders > limit) {
        answer_said(twin, index, REJECT_OPEN_ORDER_LIMIT, whole((int128_t)open + orders), whole(limit));
        return false;
    }
    if (stop && armed != 0 && stops + 1 > armed) {
        answer_said(twin, index, REJECT_ARMED_STOP_LIMIT, whole((int128_t)stops + 1), whole(armed));
        return false;
    }
    if (twin->order_count + orders > twin->genesis.limits.orders
        || (!stop && !ioc && !level_exists(twin, MARKET_PERPS, symbol->id, item->side, price, NULL)
            && level_total(twin, NULL) >= twin->genesis.limits.levels)) {
        answer(twin, index, REJECT_CAPACITY);
        return false;
    }
    return true;
}

bool only_reduces(const struct perps_order *item)
{
    return item->reduce_only || (item->side == SIDE_SELL && item->position_side == POSITION_LONG)
        || (item->side == SIDE_BUY && item->position_side == POSITION_SHORT);
}

/* An account without a row of a symbol needs one: a position, an order or a setting of its own (mechanics 3.1). */
static bool has_row(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    const struct position *p = position_of(twin, account, symbol);
    bool                   row = p->is.size != 0 || p->is.margin_mode != MARGIN_CROSS
            || p->is.leverage != contract_of(twin, symbol)->init_leverage;

    for (uint32_t i = 0; i < twin->order_count && !row; i++)
        row = twin->orders[i].market == MARKET_PERPS && twin->orders[i].is.base.account_id == account->id
           && twin->orders[i].is.base.symbol_id == symbol->id;
    return row;
}
bool row_fits(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol)
{
    uint32_t rows = 0;

    for (uint32_t i = 0; i < twin->account_count; i++)
        for (uint32_t n = 0; n < twin->genesis.perps_count; n++)
            rows += has_row(twin, &twin->accounts[i], &twin->genesis.perps[n]);
    if (rows < twin->genesis.limits.positions || has_row(twin, account, symbol)) return true;
    answer(twin, index, REJECT_CAPACITY);
    return false;
}

/* Mechanics 3.1, and the symbol. */
bool perps_item_stands(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item)
{
    if (!well_formed(twin, index, item)) return false;
    if (twin->genesis.rules.strict_position_side && item->position_side != POSITION_BOTH) {
        answer(twin, index, REJECT_POSITION_SIDE);
        return false;
    }
    if (symbol == NULL) {
        answer_got(twin, index, REJECT_SYMBOL_NOT_FOUND,
                   ((const struct place_perps *)command_payload(twin->command))->symbol_id);
        return false;
    }
    return may_trade(twin, index, symbol) && row_fits(twin, index, twin->actor, symbol);
}

/* The checks of mechanics 2.1 up to crossing, of one of `orders` orders behind `stops` children. */
bool perps_item_passes(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                       uint32_t orders, uint32_t stops, struct reply_route *asked)
{
    *asked = (struct reply_route){ .wants = { .symbol_id = symbol->id,
                                              .account_id = twin->actor->id,
                                              .side = item->side,
                                              .type = item->type,
                                              .time_in_force = item->time_in_force,
                                              .status = STATUS_NEW,
                                              .client_id = item->client_id,
                                              .created_ms = twin->now_ms },
                                   .reduces = only_reduces(item) };
    if (order_id_taken(twin, MARKET_PERPS, twin->actor->id, &item->client_id)) {
        answer_id(twin, index, REJECT_DUPLICATE_CLIENT_ID, &item->client_id);
        return false;
    }
    if (!may_be_retired(twin, index, orders)) return false;
    return place_filters(twin, index, symbol, item, asked)
        && room(twin, index, symbol, item, asked->wants.price, orders, stops);
}

struct order *order_asked(struct twin *twin, const struct perps_order *item, struct reply_route *asked)
{
    struct order *order = order_new(twin, MARKET_PERPS);

    asked->wants.order_id = order->is.base.order_id;
    order->is.base = asked->wants;
    order->is.modifier = item->modifier;
    order->is.reduce_only = asked->reduces;
    order->fundsleft = asked->wants.funds;
    return order;
}
static void never_was(struct twin *twin)
{
    twin->order_count--;
    twin->next_order--;
    twin->next_place--;
}

/* No order opens in a reduce-only symbol, on stale prices, or for a unit in liquidation (mechanics 3.8, 3.11, 3.15),
   nor into a bucket beside a cross position whose price is unknown (ruling 64). */
static bool state_ok(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    uint8_t                    phase = phase_now(twin, symbol->id);

    if (phase != PHASE_OPEN && twin->bug != TWIN_BUG_STILL_OPENS) {
        answer(twin, index, phase == PHASE_REDUCE_ONLY ? REJECT_SYMBOL_REDUCE_ONLY : REJECT_SYMBOL_SETTLING);
        return false;
    }
    if (s->oracle == ORACLE_IS_STALE && twin->bug != TWIN_BUG_STALE_OPENS) {
        answer(twin, index, REJECT_ORACLE_STALE);
        return false;
    }
    if ((account->positions[symbol->id - 1].is.margin_mode == MARGIN_ISOLATED ? account->positions[symbol->id - 1].stage
                                                                              : account->stage)
        != 0) {
        answer(twin, index, REJECT_IN_LIQUIDATION);
        return false;
    }
    return account->positions[symbol->id - 1].is.margin_mode != MARGIN_ISOLATED
        || !bucket_is_shut(twin, account, index);
}

/* As if all of the order were filled at that price: the shortage of its isolated unit, 0 or less: none. */
static int128_t row_short(struct twin *twin, const struct account *who, const struct symbol *symbol,
                          const struct order *order, int64_t x, int64_t price, int128_t *has, int128_t *needs)
{
    struct account *account = account_by_id(twin, who->id), before = *account;
    uint64_t        number = twin->next_position;
    uint32_t        closed = twin->closed_count;

    (void)leg_fill(twin, account, symbol, order->is.base.side, x, n_floor(symbol, &twin->genesis, price, x), 0,
                   REASON_USER);
    *has = row_has(twin, symbol, &account->positions[symbol->id - 1]);
    *needs = row_needs(twin, symbol, &account->positions[symbol->id - 1]);
    *account = before;
    twin->next_position = number;
    twin->closed_count = closed;
    return *needs - *has;
}

/*
 * An order that adds to an isolated position with losses must be covered when it is filled, at its price or at the
 * best one now.
 */
static bool row_ok(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol,
                   const struct order *order, int64_t x)
{
    const struct position *p = position_of(twin, account, symbol);
    int64_t                price = (int64_t)order_price(twin, symbol, order), best;
    int128_t               has, needs, at_best[2];

    if (p->is.margin_mode != MARGIN_ISOLATED || p->is.size == 0 || x <= 0
        || (p->is.size > 0) != (order->is.base.side == SIDE_BUY))
        return true;
    if (row_short(twin, account, symbol, order, x, price, &has, &needs) <= 0) return true;
    if (perps_crosses(twin, symbol, order->is.base.side, price, &best)
        && row_short(twin, account, symbol, order, x, best, &at_best[0], &at_best[1]) <= 0)
        return true;
    answer_said(twin, index, REJECT_ORDER_MARGIN, decimal_of(has < 0 ? 0 : has, 6), decimal_of(needs, 6));
    return false;
}

/* State, tier, open interest and margin of an order that may open and is in the list already. */
static bool risk_ok(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol,
                    const struct order *order, const struct standing *before)
{
    bool    by_funds = order->is.base.funds != 0;
    int64_t least = by_funds ? (int64_t)bought_for(twin, symbol, order, order_price(twin, symbol, order))
                             : order_rest(order),
            most = by_funds ? most_bought(twin, symbol, order) : least,
            opening = opens_last(twin, account, symbol, order, least);

    if (opening > 0 && !state_ok(twin, index, account, symbol)) return false;
    if (opens_last(twin, account, symbol, order, most) > 0
        && !in_tier(twin, index, account, symbol, order->is.base.side))
        return false;
    if (opening > 0 && opening > interest_room(twin, symbol)) {
        answer(twin, index, REJECT_OPEN_INTEREST_CAP);
        return false;
    }
    return margin_ok(twin, index, account, symbol, before) && row_ok(twin, index, account, symbol, order, opening);
}

/* The order, in the list, if its account may have it; `before`: what all its orders needed without it. */
bool perps_order_made(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                      struct reply_route *asked, int128_t *before)
{
    struct standing stood = stand(twin, twin->actor, symbol);
    struct order   *order = order_asked(twin, item, asked);

    order->counts = true;
    *before = stood.all;
    if (asked->reduces || risk_ok(twin, index, twin->actor, symbol, order, &stood)) return true;
    never_was(twin);
    return false;
}

/* A standalone stop fires: the checks of an order that is placed now (mechanics 4.5). */
enum reject may_open_now(struct twin *twin, uint64_t id)
{
    struct order         *order = order_by_id(twin, id);
    const struct account *account = account_by_id(twin, order->is.base.account_id);
    const struct symbol  *symbol = symbol_by_id(twin, MARKET_PERPS, order->is.base.symbol_id);
    struct standing       before = stand(twin, account, symbol);
    bool                  may;

    order->counts = true;
    may = risk_ok(twin, BATCH_MAX, account, symbol, order, &before);
    order->counts = false;
    return may ? REJECT_NONE
               : (enum reject)((struct result *)(void *)(twin->results + BATCH_MAX * sizeof(struct result)))->reject;
}

static void place_stop(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                       struct reply_route *asked)
{
    struct order  *order;
    struct result *result;

    if (!stop_passes(twin, index, symbol, item, asked->reduces, asked->stop, asked->wants.quantity)) return;
    order = order_asked(twin, item, asked);
    stop_becomes(order, item, asked->stop);
    order->armed = true;
    if (asked->reduces) order->is.position_id = position_of(twin, twin->actor, symbol)->is.position_id;
    order_says(twin, order, EXEC_NEW, REASON_NONE);
    result = answer(twin, index, REJECT_NONE);
    result->order_id = order->is.base.order_id;
    result->status = STATUS_NEW;
    result->warning = stop_warning(twin, symbol, order);
}

static void place_item(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item)
{
    struct account    *account = twin->actor;
    struct reply_route asked;
    struct order      *order;
    struct result     *result;
    int64_t            size, best;
    bool               can_rest = item->type == TYPE_LIMIT && item->time_in_force != TIF_IOC;
    int128_t           before;

    if (!stands_alone(twin, index, item) || !perps_item_stands(twin, index, symbol, item)
        || !perps_item_passes(twin, index, symbol, item, 1, 0, &asked))
        return;
    if (item->stop_type != 0) {
        place_stop(twin, index, symbol, item, &asked);
        return;
    }
    if (item->time_in_force == TIF_GTX && perps_crosses(twin, symbol, item->side, asked.wants.price, &best)) {
        order_end(twin, order_asked(twin, item, &asked), STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
        answer_said(twin, index, REJECT_POST_ONLY_CROSS, decimal_of(asked.wants.price, symbol->price_precision),
                    decimal_of(best, symbol->price_precision))
            ->status = STATUS_EXPIRED;
        return;
    }
    size = position_of(twin, account, symbol)->is.size;
    if (asked.reduces && (size == 0 || (size > 0) == (item->side == SIDE_BUY))) {
        answer(twin, index, REJECT_REDUCE_ONLY);
        return;
    }
    if (asked.reduces && !can_rest && asked.wants.quantity > magnitude(size))
        asked.wants.quantity = magnitude(size); /* mechanics 3.6 */
    if (!perps_order_made(twin, index, symbol, item, &asked, &before)) return;
    order = &twin->orders[twin->order_count - 1];
    if (asked.reduces && can_rest && covered(twin, account, symbol, order)) { /* mechanics 3.6: nothing is left */
        never_was(twin);
        answer(twin, index, REJECT_REDUCE_ONLY_FULL);
        return;
    }
    result = answer(twin, index, REJECT_NONE);
    result->order_id = asked.wants.order_id;
    result->status = work_order(twin, symbol, asked.wants.order_id, before);
}

void do_place_perps(struct twin *twin, const struct place_perps *place)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, place->symbol_id);

    if (place->items[0].modifier == MODIFIER_BRACKET) {
        place_bracket(twin, symbol, place);
        return;
    }
    for (uint32_t i = 0; i < place->count; i++) place_item(twin, i, symbol, &place->items[i]);
}

void do_cancel_perps(struct twin *twin, const struct cancel_perps *cancel)
{
    for (uint32_t i = 0; i < cancel->count; i++) {
        const struct perps_cancel *item = &cancel->items[i];
        struct order              *order;
        struct result             *result;

        if ((item->order_id != 0) == (item->client_id.len != 0)) {
            answer(twin, i, REJECT_PERPS_TARGET);
            continue;
        }
        if (symbol_by_id(twin, MARKET_PERPS, item->symbol_id) == NULL) {
            answer_got(twin, i, REJECT_SYMBOL_NOT_FOUND, item->symbol_id);
            continue;
        }
        order = order_find(twin, MARKET_PERPS, twin->actor->id, item->order_id, &item->client_id);
        if (order == NULL || order->is.base.symbol_id != item->symbol_id) {
            order_not_found(twin, i, item->order_id, FIELD_ORDER_ID, &item->client_id, FIELD_CLIENT_ID);
            continue;
        }
        result = answer(twin, i, REJECT_NONE);
        result->order_id = order->is.base.order_id;
        result->status = STATUS_CANCELED;
        result->client_id = order->is.base.client_id;
        order_end(twin, order, STATUS_CANCELED, REASON_USER);
    }
}

/* A replacement that grows and opens needs a tier and room under the cap, as a new order does (mechanics 3.2, 3.7). */
static bool grown_ok(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct order *order,
                     const struct order *before)
{
    int64_t opening = opens_last(twin, twin->actor, symbol, order, order_rest(order));

    if (order_rest(order) <= order_rest(before) || opening == 0) return true;
    if (!in_tier(twin, index, twin->actor, symbol, order->is.base.side)) return false;
    if (opening <= interest_room(twin, symbol)) return true;
    answer(twin, index, REJECT_OPEN_INTEREST_CAP);
    return false;
}

/* The resting NORMAL order that is named, and its new id is free; NULL: it is answered. */
static struct order *replaced(struct twin *twin, uint32_t index, const struct symbol *symbol,
                              const struct replace_order *item)
{
    struct order *order = order_find(twin, MARKET_PERPS, twin->actor->id, item->orig_order_id, &item->orig_client_id);

    if (order == NULL || order->is.base.symbol_id != symbol->id) {
        if (item->orig_order_id != 0)
            answer_got(twin, index, REJECT_ORDER_NOT_FOUND, item->orig_order_id)->field = FIELD_ORIG_ORDER_ID;
        else answer_id(twin, index, REJECT_ORDER_NOT_FOUND, &item->orig_client_id)->field = FIELD_ORIG_CLIENT_ID;
        return NULL;
    }
    if (!order->rests || is_stop(order)) {
        answer(twin, index, REJECT_NOT_REPLACEABLE);
        return NULL;
    }
    if (alias_taken(twin, MARKET_PERPS, twin->actor->id, &item->client_id, order)) {
        answer_id(twin, index, REJECT_DUPLICATE_CLIENT_ID, &item->client_id);
        return NULL;
    }
    return order;
}

/* Its new price and quantity, and room for them in the book; false: it is answered. */
static bool replaced_numbers(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct order *order,
                             const struct replace_order *item, int64_t *price, int64_t *quantity)
{
    int128_t total;

    if (!wants_numbers(twin, index, symbol, item->price, item->quantity)) return false;
    *price = order->is.base.price;
    *quantity = order->is.base.quantity;
    if (item->quantity.digits != 0 && units_of(item->quantity, symbol->quantity_precision, &total)
        && total <= order->is.base.executed) {
        answer_said(twin, index, REJECT_BELOW_EXECUTED, item->quantity,
                    decimal_of(order->is.base.executed, symbol->quantity_precision));
        return false;
    }
    if (item->price.digits != 0 && !wants_price(twin, index, symbol, item->price, price, 0)) return false;
    if (item->quantity.digits != 0 && !wants_quantity(twin, index, symbol, item->quantity, quantity, false))
        return false;
    if (!wants_notional(twin, index, symbol, *price, *quantity)
        || !in_band(twin, index, symbol, order->is.base.side, *price))
        return false;
    if (*price != order->is.base.price
        && !level_exists(twin, MARKET_PERPS, symbol->id, order->is.base.side, *price, order)
        && level_total(twin, order) >= twin->genesis.limits.levels) {
        answer(twin, index, REJECT_CAPACITY);
        return false;
    }
    return true;
}

/* The order as it is now may stand beside what the account has; false: it is answered. */
static bool replaced_stands(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct order *order,
                            const struct order *before, bool keeps, struct standing *stood)
{
    if (order->is.reduce_only) return true;
    if (!keeps && opens_last(twin, twin->actor, symbol, order, order_rest(order)) > 0
        && !state_ok(twin, index, twin->actor, symbol))
        return false;
    return grown_ok(twin, index, symbol, order, before) && margin_ok(twin, index, twin->actor, symbol, stood);
}

/* Replace on perps (mechanics 2.8, with the margin check): resting NORMAL orders alone. */
void replace_perps(struct twin *twin, uint32_t index, const struct replace_order *item)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, item->symbol_id);
    struct order        *order, before;
    struct standing      stood;
    struct result       *result;
    int64_t              price, quantity, best;
    uint64_t             id;
    bool                 keeps;

    if (symbol == NULL) {
        answer_got(twin, index, REJECT_SYMBOL_NOT_FOUND, item->symbol_id);
        return;
    }
    if (!may_trade(twin, index, symbol)) return;
    order = replaced(twin, index, symbol, item);
    if (order == NULL || !replaced_numbers(twin, index, symbol, order, item, &price, &quantity)) return;
    keeps = price == order->is.base.price && (quantity <= order->is.base.quantity || twin->bug == TWIN_BUG_KEEPS_PLACE)
         && twin->genesis.rules.replace_keeps_place;
    stood = stand(twin, twin->actor, symbol);
    if (order->is.base.time_in_force == TIF_GTX && !keeps
        && perps_crosses(twin, symbol, order->is.base.side, price, &best)) {
        answer_said(twin, index, REJECT_POST_ONLY_CROSS, decimal_of(price, symbol->price_precision),
                    decimal_of(best, symbol->price_precision));
        return;
    }
    before = *order;
    order->is.base.price = price;
    order->is.base.quantity = quantity;
    if (!keeps) order->place = twin->next_place + 1;
    if (!replaced_stands(twin, index, symbol, order, &before, keeps, &stood)) {
        *order = before;
        return;
    }
    result = answer(twin, index, REJECT_NONE);
    id = result->order_id = order->is.base.order_id;
    order->alias = item->client_id;
    if (!keeps) twin->next_place++;
    if (!keeps) order->rests = false;
    order_says(twin, order, EXEC_REPLACED, REASON_NONE);
    result->status = order->is.base.status;
    children_follow(twin, id);
    if (keeps) return;
    result->status = work_order(twin, symbol, id, stood.all);
}
