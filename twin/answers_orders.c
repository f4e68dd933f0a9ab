/* SPDX-License-Identifier: MIT */
/* answers_orders.c — how an order is written, on either market, and the list of those that are open. */
#include "ask.h"

/* Whether `other` is executed before `order`, of the same side of a symbol (mechanics 3.4). */
static bool goes_before(const struct order *other, const struct order *order)
{
    const struct order_changed *a = &other->is.base, *b = &order->is.base;

    return a->price != b->price ? better(a->side, a->price, b->price) : a->order_id < b->order_id;
}

/* Wire, marginFrozen: the order's addition to the margin that its symbol needs; a closing order adds nothing. */
static int128_t frozen(struct twin *twin, const struct account *account, const struct order *order)
{
    const struct symbol   *s = symbol_of(twin, MARKET_PERPS, order->is.base.symbol_id);
    const struct position *position = position_of(twin, account, s);
    int64_t                mark = worst_at(twin, s, order->is.base.side == SIDE_BUY), x = order_rest(order), closes = 0,
            rate = fee_rate(twin, account, s, false), worst = order->is.base.price;
    int128_t value, at_mark, at_price, lost;
    bool     buys = order->is.base.side == SIDE_BUY;

    if (order->is.reduce_only || !order->rests) return 0;
    if (position->is.size != 0 && (position->is.size < 0) == buys && answers_planted != ANSWER_BUG_FROZEN)
        closes = size_of(position->is.size);
    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];

        if (o->market != MARKET_PERPS || !o->rests || o->is.reduce_only || o->is.base.account_id != account->id
            || o->is.base.symbol_id != s->id)
            continue;
        if (o->is.base.side == order->is.base.side && goes_before(o, order)) closes -= order_rest(o);
    }
    if (closes > 0) x = closes < x ? x - closes : 0;
    if (!buys && mark > worst) worst = mark;
    value = n_exact(s, &twin->genesis, worst, x, false);
    at_mark = n_exact(s, &twin->genesis, mark, x, false);
    at_price = n_exact(s, &twin->genesis, order->is.base.price, x, false);
    lost = buys ? at_price - at_mark : at_mark - at_price;
    return divide_ceil(value, position->is.leverage) + divide_ceil(value * (rate > 0 ? rate : 0), 100000000)
         + (lost > 0 ? lost : 0);
}

static void maybe(struct text *t, struct spelling spelling, const char *whole_word, const char *letter, int128_t units,
                  uint32_t precision)
{
    if (!spelling.brief) amount_if(t, whole_word, units, precision);
    else if (letter[0] == 'F') amount_or_null(t, letter, units, precision);
    else amount(t, letter, units, precision); /* p and q are never null: clients cannot read that */
}

void put_order_begin(struct text *t, const struct symbol *s, const struct order_changed *o, struct spelling spelling)
{
    named(t, say(spelling, "symbol", "s"), &s->name);
    if (spelling.brief) client(t, "c", &o->client_id);
    count_of(t, say(spelling, "orderID", "i"), o->order_id);
    if (!spelling.brief) client(t, "clOrdID", &o->client_id);
    word(t, say(spelling, "side", "S"), o->side == SIDE_BUY ? "BUY" : "SELL");
    word(t, say(spelling, "type", "o"), o->type == TYPE_LIMIT ? "LIMIT" : "MARKET");
    word(t, say(spelling, "timeInForce", "f"), enum_name_of(time_in_force_names, o->time_in_force));
}

/* The members of every order from the price to the frozen amount. */
void put_order_numbers(struct text *t, const struct twin *twin, const struct symbol *s, const struct order_changed *o,
                       int128_t held, uint32_t held_precision, struct spelling spelling)
{
    uint32_t p = s->price_precision, q = s->quantity_precision, n = quote_of(twin, s)->precision;
    uint8_t status = o->status == STATUS_PENDING_NEW && answers_planted != ANSWER_BUG_SLEEPING ? STATUS_NEW : o->status;

    maybe(t, spelling, "price", "p", o->price, p);
    maybe(t, spelling, "origQty", "q", o->quantity, q);
    maybe(t, spelling, "funds", "F", o->funds, n);
    word(t, say(spelling, "status", "X"), enum_name_of(order_status_names, status));
    amount(t, say(spelling, "executedQty", "z"), o->executed, q);
    amount(t, say(spelling, "executedValue", "v"), o->executed_value, n);
    amount(t, say(spelling, "marginFrozen", "M"), held, held_precision);
}

void put_times(struct text *t, const struct order_changed *o, struct spelling spelling)
{
    number(t, say(spelling, "createdAt", "ct"), o->created_ms);
    number(t, say(spelling, "updatedAt", "ut"), o->updated_ms);
}

static void put_spot_order(struct text *t, struct twin *twin, const struct order *order, struct spelling spelling)
{
    const struct symbol *s = symbol_of(twin, MARKET_SPOT, order->is.base.symbol_id);
    uint32_t             coin_id;
    int64_t              held = order_holds(twin, order, &coin_id);

    put_order_begin(t, s, &order->is.base, spelling);
    put_order_numbers(t, twin, s, &order->is.base, held, twin->genesis.coins[coin_id].precision, spelling);
    put_times(t, &order->is.base, spelling);
}

void put_stop(struct text *t, const struct symbol *s, const struct perps_order_changed *o, struct spelling spelling)
{
    bool first = true;

    amount_if(t, say(spelling, "stopPrice", "sp"), o->stop_price, s->price_precision);
    if (o->stop_type != 0) word(t, say(spelling, "stopType", "st"), enum_name_of(stop_type_names, o->stop_type));
    if (o->trigger_type != 0)
        word(t, say(spelling, "triggerType", "tt"), enum_name_of(trigger_type_names, o->trigger_type));
    if (o->position_id != 0) count_of(t, say(spelling, "positionID", "pid"), o->position_id);
    if (o->primary_order_id != 0) count_of(t, say(spelling, "primaryOrderID", "poid"), o->primary_order_id);
    if (o->attached_order_ids[0] == 0 && o->attached_order_ids[1] == 0) return;
    key(t, say(spelling, "attachedOrderIDs", "aoids"));
    put(t, "[");
    for (uint32_t i = 0; i < 2; i++)
        if (o->attached_order_ids[i] != 0) {
            put(t, first ? "%" PRIu64 : ",%" PRIu64, o->attached_order_ids[i]);
            first = false;
        }
    put(t, "]");
}

static void put_perps_order(struct text *t, struct twin *twin, const struct account *account, const struct order *order,
                            struct spelling spelling)
{
    const struct symbol *s = symbol_of(twin, MARKET_PERPS, order->is.base.symbol_id);

    put_order_begin(t, s, &order->is.base, spelling);
    put_order_numbers(t, twin, s, &order->is.base, frozen(twin, account, order), quote_of(twin, s)->precision,
                      spelling);
    if (spelling.brief) put_times(t, &order->is.base, spelling);
    word(t, say(spelling, "positionSide", "ps"), "BOTH");
    flag(t, say(spelling, "reduceOnly", "R"), order->is.reduce_only != 0);
    if (!spelling.brief) word(t, "modifier", enum_name_of(order_modifier_names, order->is.modifier));
    put_stop(t, s, &order->is, spelling);
    if (!spelling.brief) put_times(t, &order->is.base, spelling);
}

/* Newest first, at most `most`. */
void put_orders(struct text *t, struct twin *twin, const struct account *account, uint8_t market, uint32_t only,
                uint32_t most, struct spelling spelling)
{
    uint64_t limit = answers_planted == ANSWER_BUG_OLDEST_FIRST ? 0 : UINT64_MAX;

    put(t, "[");
    for (uint32_t n = 0; n < most; n++) {
        const struct order *next = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            const struct order *o = &twin->orders[i];
            uint64_t            id = o->is.base.order_id;

            if (o->market != market || o->is.base.account_id != account->id
                || (only != ALL && o->is.base.symbol_id != only))
                continue;
            if (answers_planted == ANSWER_BUG_OLDEST_FIRST
                    ? id > limit && (next == NULL || id < next->is.base.order_id)
                    : id < limit && (next == NULL || id > next->is.base.order_id))
                next = o;
        }
        if (next == NULL) break;
        limit = next->is.base.order_id;
        if (n != 0) put(t, ",");
        open_object(t);
        if (market == MARKET_PERPS) put_perps_order(t, twin, account, next, spelling);
        else put_spot_order(t, twin, next, spelling);
        close_object(t);
    }
    put(t, "]");
}
