/* SPDX-License-Identifier: MIT */
/* spot.c — orders of the spot side: place, cancel, replace (service 4.3; mechanics 2). */
#include "world.h"

static int64_t reference(const struct twin *twin, const struct symbol *symbol)
{
    int64_t last = twin->state[symbol->market][symbol->id - 1].last;
    return last != 0 ? last : symbol->reference_price; /* mechanics 2.2 */
}

/* Spot place rules 3 and 4, the rules of the item alone (ruling 33). */
static enum reject item_wrong(const struct new_order *item)
{
    bool price = item->price.digits != 0, quantity = item->quantity.digits != 0, funds = item->funds.digits != 0;

    if (item->side != SIDE_BUY && item->side != SIDE_SELL) return REJECT_ENUM_RANGE;
    if (item->type != TYPE_LIMIT && item->type != TYPE_MARKET) return REJECT_ENUM_RANGE;
    if (item->price.digits < 0 || item->quantity.digits < 0 || item->funds.digits < 0) return REJECT_NOT_POSITIVE;
    if (item->time_in_force == TIF_FOK || item->time_in_force < TIF_GTC || item->time_in_force > TIF_GTX)
        return REJECT_TIF_NOT_SUPPORTED;
    if (item->type == TYPE_LIMIT) {
        if (!price) return REJECT_LIMIT_NEEDS_PRICE;
        if (!quantity) return REJECT_LIMIT_NEEDS_QUANTITY;
        return funds ? REJECT_LIMIT_WITH_FUNDS : REJECT_NONE;
    }
    if (item->time_in_force != TIF_IOC) return REJECT_MARKET_NEEDS_IOC;
    if (quantity == funds) return REJECT_MARKET_AMOUNT;
    return funds && item->side == SIDE_SELL ? REJECT_MARKET_SELL_FUNDS : REJECT_NONE;
}

/* Rules 9: exact comparison, ends included (E18). */
static bool in_band(struct twin *twin, uint32_t index, const struct symbol *symbol, uint8_t side, int64_t price)
{
    int128_t last = reference(twin, symbol), ratio = side == SIDE_BUY ? 100000000 + symbol->buy_limit_up_ratio
                                                                      : 100000000 - symbol->sell_limit_down_ratio;
    int128_t scaled = (int128_t)price * 100000000;
    int64_t  end;

    if (last == 0) return true;
    if (side == SIDE_BUY ? scaled < last * ratio : scaled > last * ratio) return true;
    if (scaled == last * ratio && twin->bug != TWIN_BUG_BAND_EXCLUSIVE) return true;
    end = (int64_t)(side == SIDE_BUY ? divide_floor(last * ratio, 100000000) : divide_ceil(last * ratio, 100000000));
    answer_said(twin, index, side == SIDE_BUY ? REJECT_BUY_PRICE_LIMIT : REJECT_SELL_PRICE_LIMIT,
                decimal_of(price, symbol->price_precision), decimal_of(end, symbol->price_precision));
    return false;
}

/* May a taker trade at that price? Its own limit, and for MARKET rule 10, by the last price there was before it. */
static bool within(const struct symbol *symbol, const struct order_changed *taker, int64_t last, int64_t price)
{
    int128_t deviation = symbol->market_deviation_ratio;

    if (taker->price != 0 && better(taker->side, price, taker->price)) return false;
    if (taker->type == TYPE_LIMIT) return true;
    if (taker->side == SIDE_BUY) return (int128_t)price * 100000000 <= (int128_t)last * (100000000 + deviation);
    return (int128_t)price * 100000000 >= (int128_t)last * (100000000 - deviation);
}

/* The cost of a market buy by quantity, own orders left out (mechanics 2.3, 2.7). */
static int128_t dry_walk(struct twin *twin, const struct symbol *symbol, const struct order_changed *taker,
                         int64_t last)
{
    int128_t cost = 0;
    int64_t  rest = taker->quantity;
    uint64_t after_place = 0;
    int64_t  after_price = 0;

    while (rest > 0) {
        struct order *next = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            int64_t       price = o->is.base.price;

            if (!o->rests || o->market != MARKET_SPOT || o->is.base.symbol_id != symbol->id
                || o->is.base.side == taker->side)
                continue;
            if (after_place != 0
                && (better(other(taker->side), price, after_price)
                    || (price == after_price && o->place <= after_place)))
                continue;
            if (next == NULL || better(other(taker->side), price, next->is.base.price)
                || (price == next->is.base.price && o->place < next->place))
                next = o;
        }
        if (next == NULL || !within(symbol, taker, last, next->is.base.price)) break;
        after_place = next->place;
        after_price = next->is.base.price;
        if (own_order(twin, next, twin->actor)) continue;
        cost += n_floor(symbol, &twin->genesis, next->is.base.price, rest < order_rest(next) ? rest : order_rest(next));
        rest -= rest < order_rest(next) ? rest : order_rest(next);
    }
    return cost;
}

/* Money and fees of one trade (mechanics 1.2, 2.6): each side pays its fee
   in the coin it receives; a rebate comes out of the taker's fee. */
static void settle(struct twin *twin, const struct symbol *symbol, struct order *maker, struct order *taker, int64_t x)
{
    struct account *vault = account_by_id(twin, ACCOUNT_FEES);
    struct account *m = account_by_id(twin, maker->is.base.account_id),
                   *t = account_by_id(twin, taker->is.base.account_id);
    int64_t  price = maker->is.base.price, value = n_floor(symbol, &twin->genesis, price, x);
    bool     taker_buys = taker->is.base.side == SIDE_BUY, self = one_user(twin, m, t);
    uint32_t base = symbol->base_coin_id, quote = symbol->quote_coin_id;
    uint32_t taker_gets = taker_buys ? base : quote, maker_gets = taker_buys ? quote : base;
    int64_t  amount = n_coin(symbol, &twin->genesis, x), taker_amount = taker_buys ? amount : value,
            maker_amount = taker_buys ? value : amount;
    int64_t maker_rate = maker_rate_against(twin, m, t, symbol),
            taker_fee = fee_of(twin, taker_amount, fee_rate(twin, t, symbol, false)), maker_fee;
    uint32_t maker_fee_coin = maker_gets;

    if (maker_rate >= 0) maker_fee = fee_of(twin, maker_amount, maker_rate);
    else {
        int64_t rebate = (int64_t)divide_floor((int128_t)taker_amount * -maker_rate, 100000000);
        maker_fee = -(rebate < taker_fee ? rebate : taker_fee);
        maker_fee_coin = taker_gets; /* where a rebate would come from, even one of nothing */
    }
    t->total[maker_gets] -= maker_amount;
    m->total[taker_gets] -= taker_amount;
    t->total[taker_gets] += taker_amount - taker_fee;
    m->total[maker_gets] += maker_amount;
    m->total[maker_fee_coin] -= maker_fee;
    vault->total[taker_gets] += taker_fee;
    vault->total[maker_fee_coin] += maker_fee;
    if (taker->is.base.funds != 0) taker->fundsleft -= value;

    (void)trade_says(twin, MARKET_SPOT,
                     &(struct dealt){ .symbol = symbol,
                                      .sides = { maker, taker },
                                      .price = price,
                                      .quantity = x,
                                      .value = value,
                                      .fees = { maker_fee, taker_fee },
                                      .fee_coins = { maker_fee_coin, taker_gets },
                                      .self = self });
    for (int i = 0; i < 2; i++) {
        struct order *order = i == 0 ? maker : taker;
        order->is.base.executed += x;
        order->is.base.executed_value += value;
        order->is.base.status = STATUS_PARTIALLY_FILLED;
    }
    if (!self) {
        fee_volume(twin, m, symbol, value, true);
        fee_volume(twin, t, symbol, value, false);
    }
    twin->state[MARKET_SPOT][symbol->id - 1].last = price;
    twin->state[MARKET_SPOT][symbol->id - 1].last_ms = twin->now_ms;
}

/* A taker against the book (mechanics 2.4, 2.5, 2.7). Returns why it
   stopped; REASON_NONE: its quantity or its funds are done. */
static enum end_reason walk(struct twin *twin, const struct symbol *symbol, uint64_t taker_id, int64_t last)
{
    for (;;) {
        struct order *taker = order_find(twin, MARKET_SPOT, twin->actor->id, taker_id, NULL), *maker;
        int64_t       x;
        bool          limited;

        if (taker->is.base.funds == 0 ? order_rest(taker) == 0 : taker->fundsleft == 0) return REASON_NONE;
        maker = book_best(twin, MARKET_SPOT, symbol->id, other(taker->is.base.side));
        if (maker == NULL) return REASON_NO_LIQUIDITY;
        if (!within(symbol, &taker->is.base, last, maker->is.base.price)) return REASON_PRICE_BOUND;
        x = taker->is.base.funds != 0 ? n_bought(symbol, &twin->genesis, taker->fundsleft, maker->is.base.price)
                                      : order_rest(taker);
        if (x == 0) return REASON_FUNDS_DUST;
        if (own_order(twin, maker, twin->actor)) {
            order_end(twin, maker, STATUS_CANCELED, REASON_SELF_TRADE);
            continue;
        }
        limited =
            taker->is.base.funds != 0 && x < order_rest(maker); /* all that the funds buy of it, once (mechanics 2.3) */
        if (x > order_rest(maker)) x = order_rest(maker);
        settle(twin, symbol, maker, taker, x);
        if (order_rest(maker) == 0) order_end(twin, maker, STATUS_FILLED, REASON_NONE);
        else order_says(twin, maker, EXEC_PARTIALLY_FILLED, REASON_NONE);
        if (limited) return REASON_FUNDS_DUST;
    }
}

/* The end of a taker after its walk (mechanics 2.4, 2.5, ruling 36). */
static uint8_t finish(struct twin *twin, uint64_t taker_id, enum end_reason reason)
{
    struct order *taker = order_find(twin, MARKET_SPOT, twin->actor->id, taker_id, NULL);
    bool          some = taker->is.base.executed != 0;

    if (reason == REASON_NONE) {
        order_end(twin, taker, STATUS_FILLED, REASON_NONE);
        return STATUS_FILLED;
    }
    if (reason == REASON_FUNDS_DUST && some) {
        order_end(twin, taker, STATUS_FILLED, REASON_NONE);
        return STATUS_FILLED;
    }
    if (taker->is.base.type == TYPE_MARKET) {
        order_end(twin, taker, STATUS_EXPIRED, (uint8_t)reason);
        return STATUS_EXPIRED;
    }
    if (taker->is.base.time_in_force == TIF_IOC) {
        order_end(twin, taker, STATUS_EXPIRED, REASON_IOC_REMAINDER);
        return STATUS_EXPIRED;
    }
    taker->rests = true;
    order_says(twin, taker, some ? EXEC_PARTIALLY_FILLED : EXEC_NEW, REASON_NONE);
    return taker->is.base.status;
}

/* Rules 5 to 9 and the other checks of the symbol alone. */
static bool place_filters(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct new_order *item,
                          struct order_changed *wants)
{
    uint32_t quote = twin->genesis.coins[symbol->quote_coin_id].precision;
    int64_t  last = reference(twin, symbol);
    int128_t funds = 0;

    if (item->price.digits != 0 && !wants_price(twin, index, symbol, item->price, &wants->price, 0)) return false;
    if (item->quantity.digits != 0
        && !wants_quantity(twin, index, symbol, item->quantity, &wants->quantity, item->type == TYPE_MARKET))
        return false;
    if (item->funds.digits != 0) {
        if (!units_of(item->funds, quote, &funds)) {
            answer_said(twin, index, REJECT_FUNDS_DECIMALS, item->funds, whole(quote));
            return false;
        }
        if (funds > AMOUNT_MAX) {
            answer_said(twin, index, REJECT_NOTIONAL_OVERFLOW, item->funds, decimal_of(AMOUNT_MAX, quote))->field =
                FIELD_FUNDS;
            return false;
        }
        if (!wants_value(twin, index, symbol, funds, funds, FIELD_FUNDS)) return false;
        wants->funds = (int64_t)funds;
    }
    if (item->type == TYPE_MARKET && last == 0) {
        answer(twin, index, REJECT_NO_REFERENCE_PRICE);
        return false;
    }
    if (item->funds.digits == 0
        && !wants_notional(twin, index, symbol, item->type == TYPE_LIMIT ? wants->price : last, wants->quantity))
        return false;
    return item->type == TYPE_MARKET || in_band(twin, index, symbol, item->side, wants->price);
}

/* Would it trade at once (mechanics 2.5, own orders included)? Then it is answered. */
static bool crosses(struct twin *twin, const struct symbol *symbol, uint8_t side, int64_t price, int64_t *best)
{
    const struct order *opposite = book_best(twin, MARKET_SPOT, symbol->id, other(side));

    if (opposite == NULL || better(side, opposite->is.base.price, price)) return false;
    *best = opposite->is.base.price;
    return true;
}

/* Is there room for one more order (ruling 50)? An order that can rest needs a row, and a level where there is none. */
static bool room(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct new_order *item,
                 int64_t price)
{
    uint32_t limit = twin->genesis.rules.open_orders_per_account, open = open_orders(twin, twin->actor);

    if (item->type == TYPE_MARKET || item->time_in_force == TIF_IOC) return true;
    if (limit != 0 && open >= limit) {
        answer_said(twin, index, REJECT_OPEN_ORDER_LIMIT, whole((int128_t)open + 1), whole(limit));
        return false;
    }
    if (twin->order_count >= twin->genesis.limits.orders) {
        answer(twin, index, REJECT_CAPACITY);
        return false;
    }
    if (!level_exists(twin, MARKET_SPOT, symbol->id, item->side, price, NULL)
        && level_total(twin, NULL) >= twin->genesis.limits.levels) {
        answer(twin, index, REJECT_CAPACITY);
        return false;
    }
    return true;
}

/* The symbol of an order, as long as it trades; NULL: answered. */
static const struct symbol *symbol_trading(struct twin *twin, uint32_t index, uint64_t id)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_SPOT, id);

    if (symbol == NULL) {
        answer_got(twin, index, REJECT_SYMBOL_NOT_FOUND, id);
        return NULL;
    }
    if (status_now(twin, MARKET_SPOT, symbol->id) != SYMBOL_TRADING) {
        answer(twin, index, REJECT_SYMBOL_HALTED);
        return NULL;
    }
    return symbol;
}

/* Mechanics 2.1: the checks in their order, then the order. */
static void place_one(struct twin *twin, uint32_t index, const struct new_order *item)
{
    const struct symbol *symbol = symbol_trading(twin, index, item->symbol_id);
    struct order_changed wants = {
        .side = item->side, .type = item->type, .time_in_force = item->time_in_force, .client_id = item->client_id
    };
    struct order  *order;
    struct result *result;
    int64_t        last, best, need, has;
    uint64_t       id;
    uint32_t       coin_id;
    bool           post_only;

    if (symbol == NULL) return;
    if (order_id_taken(twin, MARKET_SPOT, twin->actor->id, &item->client_id)) {
        answer_id(twin, index, REJECT_DUPLICATE_CLIENT_ID, &item->client_id);
        return;
    }
    if (!may_be_retired(twin, index, 1)) return;
    if (!place_filters(twin, index, symbol, item, &wants) || !room(twin, index, symbol, item, wants.price)) return;
    wants.symbol_id = symbol->id;
    wants.status = STATUS_NEW;
    last = reference(twin, symbol);
    post_only = item->time_in_force == TIF_GTX && crosses(twin, symbol, item->side, wants.price, &best);

    order = order_new(twin, MARKET_SPOT); /* as if it were there: its hold is known then */
    wants.order_id = id = order->is.base.order_id;
    wants.account_id = twin->actor->id;
    wants.created_ms = twin->now_ms;
    order->is.base = wants;
    order->fundsleft = wants.funds;
    if (post_only) {
        order_end(twin, order, STATUS_EXPIRED, REASON_POST_ONLY_WOULD_CROSS);
        result = answer_said(twin, index, REJECT_POST_ONLY_CROSS, decimal_of(wants.price, symbol->price_precision),
                             decimal_of(best, symbol->price_precision));
        result->status = STATUS_EXPIRED;
        return;
    }
    need = order_holds(twin, order, &coin_id);
    has = available(twin, twin->actor, coin_id) + need;
    if (wants.type == TYPE_MARKET && wants.side == SIDE_BUY && wants.funds == 0)
        need = (int64_t)dry_walk(twin, symbol, &wants, last);
    if (need > has) {
        uint32_t decimals = twin->genesis.coins[coin_id].precision;
        twin->order_count--;
        twin->next_order--;
        twin->next_place--;
        result = answer_said(twin, index, REJECT_INSUFFICIENT_BALANCE, decimal_of(has, decimals),
                             decimal_of(need, decimals));
        result->field = wants.funds != 0 ? FIELD_FUNDS : 0;
        return;
    }
    result = answer(twin, index, REJECT_NONE);
    result->order_id = id;
    result->status = finish(twin, id, walk(twin, symbol, id, last));
}

/* Ruling 3, 33: a fault of the payload alone fails the whole request, otherwise the items run one after the other. */
void do_place_spot(struct twin *twin, const struct place_orders *place)
{
    for (uint32_t i = 0; i < place->count; i++) {
        enum reject wrong = item_wrong(&place->items[i]);
        if (wrong != REJECT_NONE) answer(twin, i, wrong);
        else place_one(twin, i, &place->items[i]);
    }
}

/* Ruling 56. */
void do_cancel_spot(struct twin *twin, const struct cancel_orders *cancel)
{
    for (uint32_t i = 0; i < cancel->count; i++) {
        const struct cancel_order *item = &cancel->items[i];
        const struct client_id    *name = item->orig_client_id.len != 0 ? &item->orig_client_id : &item->client_id;
        struct order              *order;
        struct result             *result;

        if (item->order_id != 0 && item->orig_client_id.len != 0) {
            answer(twin, i, REJECT_CANCEL_ONE_TARGET);
            continue;
        }
        if (symbol_by_id(twin, MARKET_SPOT, item->symbol_id) == NULL) {
            answer_got(twin, i, REJECT_SYMBOL_NOT_FOUND, item->symbol_id);
            continue;
        }
        order = order_find(twin, MARKET_SPOT, twin->actor->id, item->order_id, name);
        if (order == NULL || order->is.base.symbol_id != item->symbol_id) {
            order_not_found(twin, i, item->order_id, FIELD_ORDER_ID, name,
                            item->orig_client_id.len != 0 ? FIELD_ORIG_CLIENT_ID : FIELD_CLIENT_ID);
            continue;
        }
        result = answer(twin, i, REJECT_NONE);
        result->order_id = order->is.base.order_id;
        result->status = STATUS_CANCELED;
        result->orig_client_id = order->is.base.client_id;
        order_end(twin, order, STATUS_CANCELED, REASON_USER);
    }
}

/* Mechanics 2.8. */
static void replace_one(struct twin *twin, uint32_t index, const struct replace_order *item)
{
    const struct symbol *symbol = symbol_trading(twin, index, item->symbol_id);
    struct order        *order, before;
    struct result       *result;
    int64_t              price, quantity, best, has, need, last;
    uint32_t             coin_id, decimals;
    bool                 keeps;
    int128_t             total;

    if (symbol == NULL) return;
    order = order_find(twin, MARKET_SPOT, twin->actor->id, item->orig_order_id, &item->orig_client_id);
    if (order == NULL || order->is.base.symbol_id != symbol->id) {
        order_not_found(twin, index, item->orig_order_id, FIELD_ORIG_ORDER_ID, &item->orig_client_id,
                        FIELD_ORIG_CLIENT_ID);
        return;
    }
    if (alias_taken(twin, MARKET_SPOT, twin->actor->id, &item->client_id, order)) {
        answer_id(twin, index, REJECT_DUPLICATE_CLIENT_ID, &item->client_id);
        return;
    }
    if (!wants_numbers(twin, index, symbol, item->price, item->quantity)) return;
    price = order->is.base.price;
    quantity = order->is.base.quantity;
    if (item->quantity.digits != 0 && units_of(item->quantity, symbol->quantity_precision, &total)
        && total <= order->is.base.executed) {
        answer_said(twin, index, REJECT_BELOW_EXECUTED, item->quantity,
                    decimal_of(order->is.base.executed, symbol->quantity_precision));
        return;
    }
    if (item->price.digits != 0 && !wants_price(twin, index, symbol, item->price, &price, 0)) return;
    if (item->quantity.digits != 0 && !wants_quantity(twin, index, symbol, item->quantity, &quantity, false)) return;
    if (!wants_notional(twin, index, symbol, price, quantity)) return;
    if (!in_band(twin, index, symbol, order->is.base.side, price)) return;
    if (price != order->is.base.price && !level_exists(twin, MARKET_SPOT, symbol->id, order->is.base.side, price, order)
        && level_total(twin, order) >= twin->genesis.limits.levels) {
        answer(twin, index, REJECT_CAPACITY);
        return;
    }

    before = *order;
    decimals =
        twin->genesis.coins[order->is.base.side == SIDE_BUY ? symbol->quote_coin_id : symbol->base_coin_id].precision;
    keeps = price == order->is.base.price && (quantity <= order->is.base.quantity || twin->bug == TWIN_BUG_KEEPS_PLACE)
         && twin->genesis.rules.replace_keeps_place;
    need = order_holds(twin, order, &coin_id);
    has = available(twin, twin->actor, coin_id) + need;
    order->is.base.price = price;
    order->is.base.quantity = quantity;
    need = order_holds(twin, order, &coin_id);
    if (need > has) {
        *order = before;
        answer_said(twin, index, REJECT_INSUFFICIENT_BALANCE, decimal_of(has, decimals), decimal_of(need, decimals));
        return;
    }
    if (order->is.base.time_in_force == TIF_GTX && !keeps && crosses(twin, symbol, order->is.base.side, price, &best)) {
        *order = before;
        answer_said(twin, index, REJECT_POST_ONLY_CROSS, decimal_of(price, symbol->price_precision),
                    decimal_of(best, symbol->price_precision));
        return;
    }
    result = answer(twin, index, REJECT_NONE);
    result->order_id = order->is.base.order_id;
    order->alias = item->client_id;
    last = reference(twin, symbol);
    if (!keeps) order->place = ++twin->next_place;
    order_says(twin, order, EXEC_REPLACED, REASON_NONE);
    if (!keeps) {
        uint64_t id = order->is.base.order_id;
        int64_t  executed = order->is.base.executed;

        order->rests = false;
        enum end_reason reason = walk(twin, symbol, id, last);
        order = order_find(twin, MARKET_SPOT, twin->actor->id, id, NULL);
        if (order->is.base.executed != executed) result->status = finish(twin, id, reason);
        else {
            order->rests = true;
            result->status = order->is.base.status;
        }
    } else result->status = order->is.base.status;
}

void do_replace(struct twin *twin, const struct replace_orders *replace)
{
    for (uint32_t i = 0; i < replace->count; i++) {
        const struct replace_order *item = &replace->items[i];
        enum reject                 wrong = REJECT_NONE;

        if ((item->orig_order_id != 0) == (item->orig_client_id.len != 0)) wrong = REJECT_REPLACE_ONE_TARGET;
        else if (item->price.digits == 0 && item->quantity.digits == 0) wrong = REJECT_REPLACE_NOTHING;
        else if (item->price.digits < 0 || item->quantity.digits < 0) wrong = REJECT_NOT_POSITIVE;
        if (wrong != REJECT_NONE) answer(twin, i, wrong);
        else if (twin->command->market == MARKET_PERPS) replace_perps(twin, i, item);
        else replace_one(twin, i, item);
    }
}
