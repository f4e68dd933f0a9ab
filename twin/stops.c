/* SPDX-License-Identifier: MIT */
/* stops.c — what waits for a price: stops, their firing and trying again, their changes (mechanics 4). */
#include "world.h"

#define PARTIAL_STOPS 10 /* partial TP/SL of a position (mechanics 4.4) */

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

bool is_stop(const struct order *order) { return order->is.stop_type != 0; }

/* Mechanics 4.1, ends included: sell take-profits and buy stop-losses wait for more, the others for less. */
bool stop_holds(const struct twin *twin, uint8_t side, uint8_t kind, int64_t stop, int64_t reference)
{
    bool rises = (side == SIDE_SELL) == (kind == STOP_TAKE_PROFIT);

    if (reference == 0) return false; /* nothing has traded yet */
    if (twin->bug == TWIN_BUG_TRIGGER_EXCLUSIVE) return rises ? reference > stop : reference < stop;
    return rises ? reference >= stop : reference <= stop;
}
int64_t reference_now(const struct twin *twin, const struct symbol *symbol, uint8_t trigger)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];

    return trigger == TRIGGER_MARK_PRICE ? s->mark : trigger == TRIGGER_INDEX_PRICE ? s->index : s->others_last;
}

/* All open stops of the account, in any state. */
uint32_t stops_of(const struct twin *twin, const struct account *account)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->order_count; i++)
        if (is_stop(&twin->orders[i]) && twin->orders[i].is.base.account_id == account->id) count++;
    return count;
}

/* ---- placing (mechanics 4.4, 4.5) ---- */

/* A STOP, alone or on a position; false: answered. */
bool stop_passes(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                 bool reduces, int64_t stop_price, int64_t quantity)
{
    const struct position *p = position_of(twin, twin->actor, symbol);
    int64_t                reference = reference_now(twin, symbol, item->trigger_type);
    uint32_t               partial = 0;
    bool                   global = false;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->is.base.account_id != twin->actor->id || o->market != MARKET_PERPS || o->is.base.symbol_id != symbol->id
            || o->is.modifier != MODIFIER_STOP || !o->is.reduce_only)
            continue;
        if (o->cap != 0) partial++;
        else if (o->is.stop_type == item->stop_type) global = true;
    }
    if (reduces) {
        if (p->is.size == 0) {
            answer(twin, index, REJECT_NO_POSITION);
            return false;
        }
        if ((p->is.size > 0) == (item->side == SIDE_BUY)) {
            answer(twin, index, REJECT_REDUCE_ONLY);
            return false;
        }
        if (quantity == 0 && global && twin->bug != TWIN_BUG_TWO_GLOBALS) {
            answer(twin, index, REJECT_GLOBAL_STOP_EXISTS);
            return false;
        }
        if (quantity != 0 && partial >= PARTIAL_STOPS) {
            answer_said(twin, index, REJECT_PARTIAL_STOP_LIMIT, whole((int128_t)partial + 1), whole(PARTIAL_STOPS));
            return false;
        }
    }
    if (!stop_holds(twin, item->side, item->stop_type, stop_price, reference)) return true;
    answer_said(twin, index, REJECT_WOULD_TRIGGER, decimal_of(stop_price, symbol->price_precision),
                decimal_of(reference, symbol->price_precision));
    return false;
}

/* The stop that `item` requests. */
void stop_becomes(struct order *order, const struct perps_order *item, int64_t stop_price)
{
    order->is.stop_price = stop_price;
    order->is.stop_type = item->stop_type;
    order->is.trigger_type = item->trigger_type;
    order->is.modifier = item->modifier;
    order->cap = order->is.base.quantity;
}

/* Mechanics 10.1: at or beyond the price at which the position would be liquidated. */
uint8_t stop_warning(struct twin *twin, const struct symbol *symbol, const struct order *order)
{
    const struct account  *account = account_by_id(twin, order->is.base.account_id);
    const struct position *p = position_of(twin, account, symbol);
    int64_t                price;

    if (!order->is.reduce_only || order->is.stop_type != STOP_LOSS || p->is.size == 0) return WARNING_NONE;
    price = liquidation_price(twin, account, symbol);
    if (price == 0) return WARNING_NONE;
    return (p->is.size > 0 ? order->is.stop_price <= price : order->is.stop_price >= price)
             ? WARNING_STOP_BEYOND_LIQUIDATION
             : WARNING_NONE;
}

/* ---- firing (mechanics 4.2, 4.4, 4.7) ---- */

/* It does what it was placed for: all of the position for a global one,
   never more than it; a standalone one is checked like any order. */
/* Ruling 70: the outermost price on the tick that a limit of this side may have now, 0 where there is none. */
static int64_t edge_of_band(struct twin *twin, const struct symbol *symbol, uint8_t side)
{
    int128_t mark = mark_of(twin, symbol), one = 100000000, tick = symbol->tick_size, edge;

    if (side == SIDE_BUY) edge = divide_floor(mark * (one + symbol->buy_limit_up_ratio), one * tick) * tick;
    else if (symbol->sell_limit_down_ratio >= one) edge = tick;
    else edge = divide_ceil(mark * (one - symbol->sell_limit_down_ratio), one * tick) * tick;
    if (edge == 0 || edge < symbol->min_price || (symbol->max_price != 0 && edge > symbol->max_price)
        || edge > PRICE_MAX)
        return 0;
    return (int64_t)edge;
}

/* Does a limit of a stop that fires stay outside the band around the mark? */
static bool outside_band(struct twin *twin, const struct symbol *symbol, const struct order_changed *order)
{
    int128_t mark = mark_of(twin, symbol), one = 100000000, scaled = order->price * one;

    if (twin->bug == TWIN_BUG_BAND_SKIPPED || order->type != TYPE_LIMIT) return false;
    return order->side == SIDE_BUY ? scaled > mark * (one + symbol->buy_limit_up_ratio)
                                   : scaled < mark * (one - symbol->sell_limit_down_ratio);
}

static void execute(struct twin *twin, uint64_t id, bool first)
{
    struct order          *order = order_by_id(twin, id);
    struct account        *account = account_by_id(twin, order->is.base.account_id);
    const struct symbol   *symbol = symbol_by_id(twin, MARKET_PERPS, order->is.base.symbol_id);
    const struct position *p = &account->positions[symbol->id - 1];
    int64_t                held = magnitude(p->is.size), open, best;
    bool                   closes = p->is.size != 0 && (p->is.size > 0) == (order->is.base.side == SIDE_SELL),
         limit = order->is.base.type == TYPE_LIMIT;
    enum reject reject;
    int128_t    before;

    if (order->is.reduce_only
        && (!closes || (order->is.position_id != 0 && order->is.position_id != p->is.position_id))) {
        order_end(twin, order, STATUS_CANCELED, REASON_POSITION_CLOSED);
        return;
    }
    if (first && outside_band(twin, symbol, &order->is.base)) {
        int64_t edge = edge_of_band(twin, symbol, order->is.base.side);

        if (edge == 0) {
            order_end(twin, order, STATUS_EXPIRED, REASON_PRICE_BOUND);
            return;
        }
        order->is.base.price = edge;
        order_says(twin, order, EXEC_REPLACED, REASON_NONE);
    }
    if (first) {
        struct order *sibling;

        order_says(twin, order, EXEC_NEW, REASON_NONE);
        sibling = order->sibling == 0 ? NULL : order_by_id(twin, order->sibling);
        if (sibling != NULL && sibling->rests) order_end(twin, sibling, STATUS_CANCELED, REASON_OCO_SIBLING);
        order = order_by_id(twin, id);
    }
    open = order_rest(order);
    if (order->is.reduce_only)
        open = order->cap == 0 && order->is.modifier == MODIFIER_STOP ? held : lesser(open, held);
    order->is.base.quantity = order->is.base.executed + open;
    if (open == 0) {
        order_end(twin, order, STATUS_CANCELED, REASON_POSITION_CLOSED);
        return;
    }
    if (limit && order->is.base.time_in_force == TIF_GTX
        && perps_crosses(twin, symbol, order->is.base.side, order->is.base.price, &best)) {
        order_end(twin, order, STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
        return;
    }
    before = needs(twin, account) + reserves(twin, account);
    reject = order->is.reduce_only ? REJECT_NONE : may_open_now(twin, id);
    order = order_by_id(twin, id);
    if (reject == REJECT_NONE && limit
        && !level_exists(twin, MARKET_PERPS, symbol->id, order->is.base.side, order->is.base.price, NULL)
        && level_total(twin, NULL) >= twin->genesis.limits.levels) {
        order_end(twin, order, STATUS_REJECTED, REASON_CAPACITY);
        return;
    }
    if (reject != REJECT_NONE) {
        order_end(twin, order, STATUS_REJECTED, (uint8_t)reject_end_reason(reject));
        return;
    }
    order->waits = 0;
    order->place = ++twin->next_place; /* it comes into the queue now */
    order->counts = true;
    (void)work_order(twin, symbol, id, before);
}

/* The next one that a reference fires: of those that wait for more the nearest, then of those that wait for less. */
static struct order *next_fired(struct twin *twin, const struct symbol *symbol, uint8_t trigger)
{
    struct order *rising = NULL, *falling = NULL;
    int64_t       reference = reference_now(twin, symbol, trigger);

    for (uint32_t i = 0; i < twin->order_count; i++) {
        struct order *o = &twin->orders[i];
        int64_t       price = o->is.stop_price;
        uint64_t      id = o->is.base.order_id;

        if (!o->armed || o->is.base.symbol_id != symbol->id || o->is.trigger_type != trigger
            || !stop_holds(twin, o->is.base.side, o->is.stop_type, price, reference))
            continue;
        if ((o->is.base.side == SIDE_SELL) == (o->is.stop_type == STOP_TAKE_PROFIT)) {
            if (rising == NULL || price < rising->is.stop_price
                || (price == rising->is.stop_price && id < rising->is.base.order_id))
                rising = o;
        } else if (falling == NULL || price > falling->is.stop_price
                   || (price == falling->is.stop_price && id > falling->is.base.order_id))
            falling = o;
    }
    return rising != NULL ? rising : falling;
}

struct fired {
    uint64_t id;
    uint8_t  kind;
};

static uint32_t fire_symbol(struct twin *twin, const struct symbol *symbol, uint8_t first, uint8_t last, uint32_t room)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    struct fired              *fired = calloc(twin->order_cap + 1, sizeof(*fired));
    uint32_t                   count = 0;

    for (uint8_t trigger = first; status_now(twin, MARKET_PERPS, symbol->id) == SYMBOL_TRADING && trigger <= last;
         trigger++) {
        struct order *order;

        if (trigger != TRIGGER_LAST_PRICE && s->oracle == ORACLE_IS_STALE) continue; /* mechanics 3.8 */
        while (count < room && (order = next_fired(twin, symbol, trigger)) != NULL) {
            order->armed = false;
            order->is.base.status = STATUS_TRIGGERED;
            order->fresh = twin->command->kind == CMD_TICK;
            order->waits = ++twin->next_wait;
            fired[count++] = (struct fired){ order->is.base.order_id, order->is.stop_type };
        }
    }
    for (uint32_t done = 0; done < count; done++) { /* mechanics 4.7: stop-losses first, then by number */
        uint32_t      best = count;
        struct order *order;

        for (uint32_t i = 0; i < count; i++)
            if (fired[i].id != 0
                && (best == count
                    || (fired[i].kind != fired[best].kind
                            ? (fired[i].kind == STOP_LOSS) != (twin->bug == TWIN_BUG_PROFIT_FIRST)
                            : fired[i].id < fired[best].id)))
                best = i;
        order = order_by_id(twin, fired[best].id);
        fired[best].id = 0;
        if (order != NULL && order->is.base.status == STATUS_TRIGGERED) execute(twin, order->is.base.order_id, true);
    }
    free(fired);
    return count;
}

/* Round by round: a fired order may trade, and a trade may fire. */
static uint32_t rounds(struct twin *twin, uint32_t room)
{
    while (room > 0 && (twin->traded | twin->woken) != 0) {
        uint64_t traded = twin->traded, woken = twin->woken;

        twin->traded = twin->woken = 0;
        for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
            const struct symbol *symbol = &twin->genesis.perps[i];
            if ((woken >> symbol->id & 1) != 0)
                room -= fire_symbol(twin, symbol, TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE, room);
            else if ((traded >> symbol->id & 1) != 0)
                room -= fire_symbol(twin, symbol, TRIGGER_LAST_PRICE, TRIGGER_LAST_PRICE, room);
        }
    }
    if (room == 0) twin->work_left = true;
    return room;
}

/* After each command that printed a trade (mechanics 0), in a TICK after the liquidations. */
void stops_after(struct twin *twin)
{
    uint32_t most = twin->genesis.rules.triggers_per_command;

    if ((twin->traded | twin->woken) == 0) return;
    if (rounds(twin, most) != most && twin->command->kind == CMD_TICK) twin->work_left = true;
}

/*
 * Mechanics 4.2: each waiting order gets one more try, in order of arrival; those that fired in this TICK have had
 * theirs.
 */
static void try_again(struct twin *twin, uint32_t room)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].waits != 0) left++;
    for (; left > 0 && room > 0; left--, room--) {
        struct order *head = NULL;
        uint64_t      id, at;

        for (uint32_t i = 0; i < twin->order_count; i++)
            if (twin->orders[i].waits != 0 && (head == NULL || twin->orders[i].waits < head->waits))
                head = &twin->orders[i];
        if (head == NULL) break;
        id = head->is.base.order_id;
        at = head->waits;
        if (status_now(twin, MARKET_PERPS, head->is.base.symbol_id) == SYMBOL_TRADING && !head->fresh) {
            if (head->retries >= twin->genesis.rules.stop_retry_ticks)
                order_end(twin, head, STATUS_EXPIRED, REASON_NO_LIQUIDITY);
            else {
                head->retries++;
                execute(twin, id, false);
            }
        }
        head = order_by_id(twin, id);
        if (head == NULL || head->waits != at) continue;
        head->fresh = false;
        head->waits = ++twin->next_wait;
    }
    (void)rounds(twin, room);
}

/* Step 7 of the TICK pipeline. */
void stops_tick(struct twin *twin, bool goes_on)
{
    uint32_t room = twin->genesis.rules.triggers_per_command;

    for (uint32_t i = 0; i < twin->genesis.perps_count && room > 0; i++)
        room -= fire_symbol(twin, &twin->genesis.perps[i], TRIGGER_LAST_PRICE, TRIGGER_INDEX_PRICE, room);
    room = rounds(twin, room);
    if (!goes_on) try_again(twin, room);
}

/* ---- modify (mechanics 4.6) ---- */

/* What it says by itself; false: it is answered. */
static bool modify_is_sound(struct twin *twin, const struct modify_order *modify)
{
    if ((modify->order_id != 0) == (modify->client_id.len != 0)) {
        answer(twin, 0, REJECT_PERPS_TARGET);
        return false;
    }
    if (modify->price.digits == 0 && modify->quantity.digits == 0 && modify->stop_price.digits == 0) {
        answer(twin, 0, REJECT_MODIFY_NOTHING);
        return false;
    }
    if (modify->price.digits < 0 || modify->quantity.digits < 0 || modify->stop_price.digits < 0) {
        answer(twin, 0, REJECT_NOT_POSITIVE);
        return false;
    }
    return true;
}

/* The stop that is named and has not been triggered; NULL: it is answered. */
static struct order *modified(struct twin *twin, const struct symbol *symbol, const struct modify_order *modify)
{
    struct order *order = order_find(twin, MARKET_PERPS, twin->actor->id, modify->order_id, &modify->client_id);

    if (order == NULL || order->is.base.symbol_id != symbol->id || !is_stop(order)) {
        enum reject why =
            order == NULL || order->is.base.symbol_id != symbol->id ? REJECT_ORDER_NOT_FOUND : REJECT_NOT_A_STOP;

        if (modify->order_id != 0) answer_got(twin, 0, why, modify->order_id)->field = FIELD_ORDER_ID;
        else answer_id(twin, 0, why, &modify->client_id)->field = FIELD_CLIENT_ID;
        return NULL;
    }
    if (order->is.base.status != STATUS_PENDING_NEW && !order->armed) {
        answer(twin, 0, REJECT_ALREADY_TRIGGERED);
        return NULL;
    }
    return order;
}

/* Its new numbers; false: it is answered. */
static bool modified_numbers(struct twin *twin, const struct symbol *symbol, const struct order *order,
                             const struct modify_order *modify, int64_t *price, int64_t *stop, int64_t *quantity)
{
    int64_t last = twin->state[MARKET_PERPS][symbol->id - 1].last != 0 ? twin->state[MARKET_PERPS][symbol->id - 1].last
                                                                       : symbol->reference_price;

    *price = order->is.base.price;
    *stop = order->is.stop_price;
    *quantity = order->cap;
    if (modify->price.digits != 0 && !wants_price(twin, 0, symbol, modify->price, price, 0)) return false;
    if (modify->stop_price.digits != 0 && !wants_price(twin, 0, symbol, modify->stop_price, stop, FIELD_STOP_PRICE))
        return false;
    if (modify->quantity.digits != 0
        && !wants_quantity(twin, 0, symbol, modify->quantity, quantity, order->is.base.type == TYPE_MARKET))
        return false;
    return *quantity == 0
        || wants_notional(twin, 0, symbol, order->is.base.type == TYPE_LIMIT ? *price : last, *quantity);
}

/* Stops of the account that close a part of its position in the symbol. */
static uint32_t partial_stops(const struct twin *twin, const struct symbol *symbol)
{
    uint32_t partial = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->is.base.account_id == twin->actor->id && o->market == MARKET_PERPS && o->is.base.symbol_id == symbol->id
            && o->is.modifier == MODIFIER_STOP && o->is.reduce_only && o->cap != 0)
            partial++;
    }
    return partial;
}

static void change_quantity(struct twin *twin, struct order *order, int64_t quantity)
{
    order->cap = quantity;
    if (order->is.modifier != MODIFIER_ATTACHED_STOP) order->is.base.quantity = quantity;
    else if (order->is.base.status == STATUS_PENDING_NEW) order->is.base.quantity = child_asleep(twin, order);
    else if (order->parent != 0)
        order->is.base.quantity =
            order->is.base.executed + child_may_close(twin, order, order_by_id(twin, order->parent)->is.base.executed);
    else if (order_rest(order) > quantity) order->is.base.quantity = order->is.base.executed + quantity;
}

void do_modify(struct twin *twin, const struct modify_order *modify)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, modify->symbol_id);
    struct order        *order;
    struct result       *result;
    int64_t              price, stop, quantity, reference;

    if (!modify_is_sound(twin, modify)) return;
    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, modify->symbol_id);
        return;
    }
    if (!may_trade(twin, 0, symbol)) return;
    order = modified(twin, symbol, modify);
    if (order == NULL || !modified_numbers(twin, symbol, order, modify, &price, &stop, &quantity)) return;
    if (modify->quantity.digits != 0 && order->is.modifier == MODIFIER_STOP && order->cap == 0
        && partial_stops(twin, symbol) >= PARTIAL_STOPS) {
        answer_said(twin, 0, REJECT_PARTIAL_STOP_LIMIT, whole(PARTIAL_STOPS + 1), whole(PARTIAL_STOPS));
        return;
    }
    reference = reference_now(twin, symbol, order->is.trigger_type);
    if (order->armed && stop_holds(twin, order->is.base.side, order->is.stop_type, stop, reference)) {
        answer_said(twin, 0, REJECT_WOULD_TRIGGER, decimal_of(stop, symbol->price_precision),
                    decimal_of(reference, symbol->price_precision));
        return;
    }
    order->is.stop_price = stop;
    order->is.base.price = price;
    if (modify->quantity.digits != 0) change_quantity(twin, order, quantity);
    result = answer(twin, 0, REJECT_NONE);
    result->order_id = order->is.base.order_id;
    result->status = order->is.base.status;
    order_says(twin, order, EXEC_MODIFIED, REASON_NONE);
}
