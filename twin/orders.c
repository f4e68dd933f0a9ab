/* SPDX-License-Identifier: MIT */
/* orders.c — open orders: search, holds, priority (mechanics 2.1, 2.3, 2.9). */
#include "world.h"

bool better(uint8_t side, int64_t a, int64_t b) { return side == SIDE_BUY ? a > b : a < b; }

int64_t order_rest(const struct order *order) { return order->is.base.quantity - order->is.base.executed; }

struct filled *trade_says(struct twin *twin, uint8_t market, const struct dealt *dealt)
{
    const struct order_changed *maker = &dealt->sides[0]->is.base, *taker = &dealt->sides[1]->is.base;
    bool                        taker_buys = taker->side == SIDE_BUY;
    struct filled              *told = NULL;

    twin->next_trade++;
    *TELL(twin, TRADE, traded, market) =
        (struct traded){ .head = { EVENT_TRADE, sizeof(struct traded), market, { 0 } },
                         .trade_id = twin->next_trade,
                         .symbol_id = dealt->symbol->id,
                         .taker_side = taker->side,
                         .self = dealt->self,
                         .price = dealt->price,
                         .quantity = dealt->quantity,
                         .value = dealt->value,
                         .time_ms = twin->now_ms,
                         .buyer_account_id = taker_buys ? taker->account_id : maker->account_id,
                         .seller_account_id = taker_buys ? maker->account_id : taker->account_id };
    for (int i = 0; i < 2; i++) {
        const struct order_changed *order = i == 0 ? maker : taker;
        told = TELL(twin, FILL, filled, market);
        *told = (struct filled){ .head = { EVENT_FILL, sizeof(struct filled), market, { 0 } },
                                 .trade_id = twin->next_trade,
                                 .order_id = order->order_id,
                                 .account_id = order->account_id,
                                 .symbol_id = dealt->symbol->id,
                                 .side = order->side,
                                 .is_maker = i == 0,
                                 .self = dealt->self,
                                 .client_id = order->client_id,
                                 .price = dealt->price,
                                 .quantity = dealt->quantity,
                                 .fee = dealt->fees[i],
                                 .fee_coin_id = dealt->fee_coins[i],
                                 .time_ms = twin->now_ms };
    }
    return told;
}

/* By number, or by its own id or alias (mechanics 2.8, ruling 56). */
struct order *order_find(struct twin *twin, uint8_t market, uint64_t account_id, uint64_t order_id,
                         const struct client_id *client_id)
{
    for (uint32_t i = 0; i < twin->order_count; i++) {
        struct order *order = &twin->orders[i];

        if (order->market != market || order->is.base.account_id != account_id) continue;
        if (order_id != 0 && order->is.base.order_id == order_id) return order;
        if (order_id == 0 && client_id->len != 0
            && (client_id_equal(&order->is.base.client_id, client_id) || client_id_equal(&order->alias, client_id)))
            return order;
    }
    return NULL;
}

void order_not_found(struct twin *twin, uint32_t index, uint64_t order_id, uint8_t id_field,
                     const struct client_id *client_id, uint8_t client_field)
{
    if (order_id != 0) answer_got(twin, index, REJECT_ORDER_NOT_FOUND, order_id)->field = id_field;
    else answer_id(twin, index, REJECT_ORDER_NOT_FOUND, client_id)->field = client_field;
}

/* Unique among the account's open orders of that side, aliases
   included (ruling 10); with `filled` also what ended otherwise. */
bool alias_taken(struct twin *twin, uint8_t market, uint64_t account_id, const struct client_id *id,
                 const struct order *but)
{
    const struct order *found = order_find(twin, market, account_id, 0, id);

    return found != NULL && found != but;
}
bool order_id_taken(struct twin *twin, uint8_t market, uint64_t account_id, const struct client_id *id)
{
    if (alias_taken(twin, market, account_id, id, NULL)) return true;
    for (uint32_t i = 0; i < twin->retired_count; i++) {
        const struct retired *retired = &twin->retired[i];
        if (retired->market == market && retired->account_id == account_id && client_id_equal(&retired->id, id))
            return true;
    }
    return false;
}

/* clOrdIDReuse = filled: spent ids and open orders share a pool, so that an end never lacks room. False: answered. */
bool may_be_retired(struct twin *twin, uint32_t index, uint32_t orders)
{
    if (twin->genesis.rules.client_id_reuse != REUSE_FILLED
        || twin->retired_count + twin->order_count + orders <= twin->genesis.limits.burnt_ids)
        return true;
    answer(twin, index, REJECT_CAPACITY);
    return false;
}

/* The hold of an open spot order, and its coin (mechanics 2.3). */
int64_t order_holds(const struct twin *twin, const struct order *order, uint32_t *coin_id)
{
    const struct order_changed *is = &order->is.base;
    const struct symbol        *symbol = &twin->genesis.spot[is->symbol_id - 1];

    *coin_id = is->side == SIDE_BUY ? symbol->quote_coin_id : symbol->base_coin_id;
    if (order->market != MARKET_SPOT) return 0;
    if (is->side == SIDE_SELL) return n_coin(symbol, &twin->genesis, order_rest(order));
    if (is->type == TYPE_LIMIT)
        return n_ceil(symbol, &twin->genesis, is->price, order_rest(order))
             - (twin->bug == TWIN_BUG_HOLD_FLOOR ? 1 : 0);
    return is->funds != 0 ? order->fundsleft : 0;
}

/* A sum over all open orders (mechanics 1.6, 1). */
int64_t locked(const struct twin *twin, const struct account *account, uint32_t coin_id)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        uint32_t coin;
        int64_t  hold = order_holds(twin, &twin->orders[i], &coin);
        if (twin->orders[i].is.base.account_id == account->id && coin == coin_id) sum += hold;
    }
    return sum;
}
int64_t available(const struct twin *twin, const struct account *account, uint32_t coin_id)
{
    return account->total[coin_id] - locked(twin, account, coin_id);
}

/* The maker that a taker meets first: best price, then time. */
struct order *book_best(struct twin *twin, uint8_t market, uint32_t symbol_id, uint8_t side)
{
    struct order *best = NULL;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        struct order *order = &twin->orders[i];

        if (!order->rests || order->market != market || order->is.base.symbol_id != symbol_id
            || order->is.base.side != side)
            continue;
        if (best == NULL || better(side, order->is.base.price, best->is.base.price)) best = order;
        else if (order->is.base.price == best->is.base.price
                 && (order->place < best->place) != (twin->bug == TWIN_BUG_LAST_FIRST))
            best = order;
    }
    return best;
}

/* Mechanics 2.7: the scope is the account, or all accounts of its user, or none. */
bool own_order(struct twin *twin, const struct order *maker, const struct account *taker)
{
    const struct account *owner = account_by_id(twin, maker->is.base.account_id);

    if (twin->bug == TWIN_BUG_SELF_TRADE || twin->genesis.rules.stp_scope == STP_NONE) return false;
    return twin->genesis.rules.stp_scope == STP_USER ? owner->user_id == taker->user_id : owner == taker;
}

/* Is there an order at that price, but for one? And how many prices with orders are there at all (ruling 50)? */
bool level_exists(struct twin *twin, uint8_t market, uint32_t symbol_id, uint8_t side, int64_t price,
                  const struct order *but)
{
    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *order = &twin->orders[i];
        if (order != but && order->rests && order->market == market && order->is.base.symbol_id == symbol_id
            && order->is.base.side == side && order->is.base.price == price)
            return true;
    }
    return false;
}
uint32_t level_total(struct twin *twin, const struct order *but)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *a = &twin->orders[i];
        bool                first = a->rests && a != but;

        for (uint32_t j = 0; j < i && first; j++) {
            const struct order *b = &twin->orders[j];
            first = b == but || !b->rests || b->market != a->market || b->is.base.symbol_id != a->is.base.symbol_id
                 || b->is.base.side != a->is.base.side || b->is.base.price != a->is.base.price;
        }
        if (first) count++;
    }
    return count;
}

/* Of both sides together, stops and children counted (ruling 50). */
uint32_t open_orders(struct twin *twin, const struct account *account)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].is.base.account_id == account->id) count++;
    return count;
}

/* A new open order with the next number (ruling 38); the caller fills it in. */
struct order *order_new(struct twin *twin, uint8_t market)
{
    struct order *order = &twin->orders[twin->order_count++];

    assert(twin->order_count <= twin->order_cap);
    memset(order, 0, sizeof(*order));
    order->market = market;
    order->place = ++twin->next_place;
    order->is.base.order_id = ++twin->next_order;
    if (twin->actor != NULL) order->is.base.account_id = twin->actor->id;
    order->is.base.created_ms = twin->now_ms;
    return order;
}

/* Its whole state, after a change. */
void order_says(struct twin *twin, struct order *order, uint8_t exec_type, uint8_t reason)
{
    struct order_changed *told;
    uint32_t              coin_id;

    order->is.base.exec_type = exec_type;
    order->is.base.reason = reason;
    order->is.base.updated_ms = twin->now_ms;
    order->is.base.frozen = status_is_open(order->is.base.status) ? order_holds(twin, order, &coin_id) : 0;
    if (order->market == MARKET_SPOT) {
        told = TELL(twin, ORDER, order_changed, MARKET_SPOT);
        memcpy((char *)told + sizeof(struct event), (char *)&order->is + sizeof(struct event),
               sizeof(*told) - sizeof(struct event));
    } else {
        order->is.triggered = is_stop(order)
                           && ((order->rests && status_is_open(order->is.base.status))
                               || order->is.base.status == STATUS_TRIGGERED || order->is.base.executed != 0);
        struct perps_order_changed *perps = TELL(twin, PERPS_ORDER, perps_order_changed, MARKET_PERPS);
        memcpy((char *)perps + sizeof(struct event), (char *)&order->is + sizeof(struct event),
               sizeof(*perps) - sizeof(struct event));
    }
}

/*
 * The end of an order: emitted, and removed from all lists. With clOrdIDReuse = filled its id is retired unless it was
 * filled (ruling 10).
 */
void order_end(struct twin *twin, struct order *order, uint8_t status, uint8_t reason)
{
    static const uint8_t exec_of[] = { [STATUS_FILLED] = EXEC_FILLED,
                                       [STATUS_CANCELED] = EXEC_CANCELED,
                                       [STATUS_EXPIRED] = EXEC_EXPIRED,
                                       [STATUS_REJECTED] = EXEC_REJECTED };

    struct order gone;

    order->is.base.status = status;
    order_says(twin, order, exec_of[status], reason);
    if (twin->genesis.rules.client_id_reuse == REUSE_FILLED && status != STATUS_FILLED
        && order->is.base.client_id.len != 0) {
        assert(twin->retired_count < twin->burnt_cap);
        twin->retired[twin->retired_count++] =
            (struct retired){ order->is.base.account_id, order->market, order->is.base.client_id };
    }
    if (twin->bug == TWIN_BUG_MISSED_RELEASE && status == STATUS_CANCELED && order->rests) {
        order->rests = false;
        return;
    }
    gone = *order;
    memmove(order, order + 1, (size_t)(twin->orders + twin->order_count - (order + 1)) * sizeof(*order));
    twin->order_count--;
    relations_left(twin, &gone);
}
