/* SPDX-License-Identifier: MIT */
/* perps.c — orders of the perps side: place, match, cancel, replace, settings (service 4.6; mechanics 3). */
#include "world.h"

static uint8_t other(uint8_t side) { return side == SIDE_BUY ? SIDE_SELL : SIDE_BUY; }
static int64_t magnitude(int64_t size) { return size < 0 ? -size : size; }

struct order *order_by_id(struct twin *twin, uint64_t order_id)
{
    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].is.base.order_id == order_id) return &twin->orders[i];
    return NULL;
}

/* OI = sum of long sizes (mechanics 3.7). */
int64_t open_interest(struct twin *twin, const struct symbol *symbol)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < twin->account_count; i++) {
        int64_t size = twin->accounts[i].positions[symbol->id - 1].is.size;
        if (size > 0) sum += size;
    }
    return sum;
}

/* What an order by funds buys when it pays that price for all of it. */
static int128_t bought_for(struct twin *twin, const struct symbol *symbol, const struct order *order, int128_t price)
{
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t funds = order->is.base.funds, buys = k >= 0 ? funds / (price * power10(k)) : funds * power10(-k) / price;

    return buys > QUANTITY_MAX ? QUANTITY_MAX : buys;
}

/* The cheapest offer that a purchase may pay, its own bound where it may pay none. */
int64_t cheapest(struct twin *twin, const struct symbol *symbol, const struct order *order)
{
    int64_t bound = (int64_t)order_price(twin, symbol, order), best;

    return perps_crosses(twin, symbol, SIDE_BUY, bound, &best) ? best : bound;
}

int64_t most_bought(struct twin *twin, const struct symbol *symbol, const struct order *order)
{
    return (int64_t)bought_for(twin, symbol, order, cheapest(twin, symbol, order));
}

/* Room under the caps in base units; half of them while the own spot book stands
   in, a tenth before the first post (mechanics 3.7, 3.8; ruling 68). */
static int64_t interest_room(struct twin *twin, const struct symbol *symbol)
{
    const struct contract *c = contract_of(twin, symbol);
    uint8_t                oracle = twin->state[MARKET_PERPS][symbol->id - 1].oracle;
    int64_t                parts = oracle == ORACLE_FALLBACK  ? 2
                                 : oracle == ORACLE_BOOTSTRAP ? twin->bug == TWIN_BUG_BOOTSTRAP_HALF ? 2 : 10
                                                              : 1;
    int128_t               room = QUANTITY_MAX, mark = mark_of(twin, symbol);

    if (c->open_interest_cap != 0 && c->open_interest_cap / parts < room) room = c->open_interest_cap / parts;
    if (c->open_interest_cap_value != 0) {
        int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
              - (int)symbol->quantity_precision;
        int128_t cap = c->open_interest_cap_value / parts;
        int128_t by_value = k >= 0 ? cap / (mark * power10(k)) : cap * power10(-k) / mark;
        if (by_value < room) room = by_value;
    }
    if (phase_now(twin, symbol->id) != PHASE_OPEN && twin->bug != TWIN_BUG_STILL_OPENS)
        return 0; /* a position to be reduced does not grow */
    if (oracle == ORACLE_IS_STALE && twin->bug != TWIN_BUG_STALE_OPENS) return 0;
    room -= open_interest(twin, symbol);
    return room < 0 ? 0 : (int64_t)room;
}

/* How much of a trade of x would open for that side. */
static int64_t opens(struct twin *twin, const struct account *account, const struct symbol *symbol, uint8_t side,
                     int64_t x)
{
    int64_t size = position_of(twin, account, symbol)->is.size, closes = 0;

    if (size > 0 && side == SIDE_SELL) closes = size;
    if (size < 0 && side == SIDE_BUY) closes = -size;
    return x > closes ? x - closes : 0;
}

/*
 * How much of x an order would open when the account's others that rest on its side close first. An order that does not
 * wait in the book comes before all of them.
 */
static int64_t opens_last(struct twin *twin, const struct account *account, const struct symbol *symbol,
                          const struct order *order, int64_t x)
{
    uint8_t side = order->is.base.side;
    int64_t others = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o != order && o->market == MARKET_PERPS && o->rests && !o->is.reduce_only
            && o->is.base.account_id == account->id && o->is.base.symbol_id == symbol->id && o->is.base.side == side)
            others += order_rest(o);
    }
    if (order->is.base.type == TYPE_MARKET || order->is.base.time_in_force == TIF_IOC
        || twin->bug == TWIN_BUG_CLOSES_ALONE)
        others = 0;
    return opens(twin, account, symbol, side, others + x) - opens(twin, account, symbol, side, others);
}

/* The largest notional for which a tier allows the leverage that the account has set (mechanics 3.2). */
static int128_t tier_end(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    const struct contract *c = contract_of(twin, symbol);
    int128_t               end = 0;

    for (uint32_t i = 0; i < c->tier_count; i++)
        if (c->tiers[i].max_leverage >= position_of(twin, account, symbol)->is.leverage) end = c->tiers[i].max_notional;
    return end;
}

/* Whether the position may be as large at the mark as x more on that side make it. */
static bool may_hold(struct twin *twin, const struct account *account, const struct symbol *symbol, uint8_t side,
                     int64_t x)
{
    int64_t size = position_of(twin, account, symbol)->is.size + (side == SIDE_BUY ? x : -x);

    if (twin->bug == TWIN_BUG_TIER_PLACED) return true;
    return n_exact(symbol, &twin->genesis, mark_of(twin, symbol), magnitude(size), false)
        <= tier_end(twin, account, symbol);
}

/* Mechanics 3.6: the resting reduce-only orders in their order of
   execution; the one that crosses |q| is shrunk, the rest goes. */
void trim(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    int64_t  size = position_of(twin, account, symbol)->is.size, left = magnitude(size), after_price = 0;
    uint64_t after_place = 0;

    for (;;) {
        struct order *next = NULL;
        int64_t       rest;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            uint8_t       side = o->is.base.side;
            int64_t       price = o->is.base.price;

            if (o->market != MARKET_PERPS || !o->rests || !o->is.reduce_only || o->is.base.account_id != account->id
                || o->is.base.symbol_id != symbol->id)
                continue;
            if (after_place != 0
                && (better(side, price, after_price) || (price == after_price && o->place <= after_place)))
                continue;
            if (next == NULL || better(side, price, next->is.base.price)
                || (price == next->is.base.price && o->place < next->place))
                next = o;
        }
        if (next == NULL) return;
        if ((size > 0) == (next->is.base.side == SIDE_BUY)) left = 0; /* it would not reduce any more */
        after_price = next->is.base.price;
        after_place = next->place;
        rest = order_rest(next);
        if (rest <= left) {
            left -= rest;
            continue;
        }
        if (left == 0) {
            order_end(twin, next, STATUS_CANCELED, REASON_REDUCE_ONLY_TRIM);
            continue;
        }
        next->is.base.quantity = next->is.base.executed + left;
        left = 0;
        order_says(twin, next, EXEC_REPLACED, REASON_REDUCE_ONLY_TRIM);
    }
}

/* Do the orders that are executed before it close all there is? */
static bool covered(struct twin *twin, const struct account *account, const struct symbol *symbol,
                    const struct order *fresh)
{
    int64_t left = magnitude(position_of(twin, account, symbol)->is.size);

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->market == MARKET_PERPS && o->rests && o->is.reduce_only && o->is.base.account_id == account->id
            && o->is.base.symbol_id == symbol->id && !better(o->is.base.side, fresh->is.base.price, o->is.base.price))
            left -= order_rest(o);
    }
    return left <= 0;
}

/* ---- a taker against the book ---- */

/* Rule 3: the taker's own limit; MARKET by the index. */
static bool within(struct twin *twin, const struct symbol *symbol, const struct order_changed *taker, int64_t price)
{
    int128_t index = twin->state[MARKET_PERPS][symbol->id - 1].index, deviation = symbol->market_deviation_ratio;

    if (taker->price != 0 && better(taker->side, price, taker->price)) return false;
    if (taker->type == TYPE_LIMIT) return true;
    if (taker->side == SIDE_BUY) return (int128_t)price * 100000000 <= index * (100000000 + deviation);
    return (int128_t)price * 100000000 >= index * (100000000 - deviation);
}

/* A maker's fee or, out of the taker's fee, rebate for a value (mechanics 2.6). */
static int64_t maker_pays(const struct twin *twin, int64_t value, int64_t rate, int64_t taker_fee)
{
    int64_t rebate = rate >= 0 ? 0 : (int64_t)divide_floor((int128_t)value * -rate, 100000000);

    return rate >= 0 ? fee_of(twin, value, rate) : -(rebate < taker_fee ? rebate : taker_fee);
}

/* Money, position and fees of one trade. */
static void settle(struct twin *twin, const struct symbol *symbol, struct order *maker, struct order *taker, int64_t x)
{
    struct account *m = account_by_id(twin, maker->is.base.account_id),
                   *t = account_by_id(twin, taker->is.base.account_id);
    int64_t price = maker->is.base.price, value = n_floor(symbol, &twin->genesis, price, x);
    int64_t maker_rate = maker_rate_against(twin, m, t, symbol), taker_rate = fee_rate(twin, t, symbol, false);
    int64_t taker_fee = fee_of(twin, value, taker_rate), maker_fee = maker_pays(twin, value, maker_rate, taker_fee),
            shared;
    bool taker_buys = taker->is.base.side == SIDE_BUY, self = one_user(twin, m, t);

    twin->force_fee = 0;
    taker_fee = leg_fill(twin, t, symbol, taker->is.base.side, x, value, taker_fee,
                         twin->force ? REASON_LIQUIDATION : REASON_USER);
    if (-maker_fee > taker_fee) maker_fee = -taker_fee;
    maker_fee = leg_fill(twin, m, symbol, maker->is.base.side, x, value, maker_fee, REASON_USER);
    account_by_id(twin, ACCOUNT_FEES)->wallet += maker_fee + taker_fee;
    shared = (int64_t)divide_floor((int128_t)(maker_fee + taker_fee) * twin->genesis.rules.fund_fee_share,
                                   100000000); /* mechanics 3.13 */
    account_by_id(twin, ACCOUNT_FEES)->wallet -= shared;
    account_by_id(twin, ACCOUNT_FUND)->wallet += shared;
    if (taker->is.base.funds != 0) taker->fundsleft -= value;
    if (!self) twin->traded |= UINT64_C(1) << symbol->id;

    twin->next_trade++;
    *TELL(twin, TRADE, traded, MARKET_PERPS) =
        (struct traded){ .head = { EVENT_TRADE, sizeof(struct traded), MARKET_PERPS, { 0 } },
                         .trade_id = twin->next_trade,
                         .symbol_id = symbol->id,
                         .taker_side = taker->is.base.side,
                         .self = self,
                         .price = price,
                         .quantity = x,
                         .value = value,
                         .time_ms = twin->now_ms,
                         .buyer_account_id = taker_buys ? t->id : m->id,
                         .seller_account_id = taker_buys ? m->id : t->id };
    for (int i = 0; i < 2; i++) {
        struct order *order = i == 0 ? maker : taker;
        *TELL(twin, FILL, filled, MARKET_PERPS) =
            (struct filled){ .head = { EVENT_FILL, sizeof(struct filled), MARKET_PERPS, { 0 } },
                             .trade_id = twin->next_trade,
                             .order_id = order->is.base.order_id,
                             .account_id = order->is.base.account_id,
                             .symbol_id = symbol->id,
                             .side = order->is.base.side,
                             .is_maker = i == 0,
                             .self = self,
                             .client_id = order->is.base.client_id,
                             .price = price,
                             .quantity = x,
                             .fee = i == 0 ? maker_fee : taker_fee + twin->force_fee,
                             .reason = i == 1 && twin->force ? REASON_LIQUIDATION : 0,
                             .fee_coin_id = COIN_MARGIN,
                             .time_ms = twin->now_ms,
                             .liquidation_id = i == 1 ? twin->incident : 0 };
        order->is.base.executed += x;
        order->is.base.executed_value += value;
        if (i == 0 || order->is.base.status != STATUS_TRIGGERED) order->is.base.status = STATUS_PARTIALLY_FILLED;
    }
    twin->state[MARKET_PERPS][symbol->id - 1].last = price;
    twin->state[MARKET_PERPS][symbol->id - 1].last_ms = twin->now_ms;
    if (self) return; /* a self-trade counts for no tier, mark or trigger (ruling 71) */
    fee_volume(twin, m, symbol, value, true);
    fee_volume(twin, t, symbol, value, false);
    twin->state[MARKET_PERPS][symbol->id - 1].others_last = price;
    twin->state[MARKET_PERPS][symbol->id - 1].others_ms = twin->now_ms;
    remember_print(twin, symbol, price, x);
}

/* The worth of an isolated unit at worst with its losses alone, and the initial margin that it needs (ruling 65). */
static int128_t row_has(struct twin *twin, const struct symbol *symbol, const struct position *p)
{
    int128_t u = profit(twin, symbol, p, AT_WORST);
    return p->is.bucket + (u < 0 ? u : 0);
}
static int128_t row_needs(struct twin *twin, const struct symbol *symbol, const struct position *p)
{
    int128_t notional = n_exact(symbol, &twin->genesis, mark_of(twin, symbol), magnitude(p->is.size), false);

    if (p->is.size > 0 && notional > p->cost) notional = p->cost; /* a profit's notional carries itself */
    return divide_ceil(notional, p->is.leverage);
}

/*
 * Rulings 63 and 65: has the unit its initial margin after this fill, valued at worst? Tried on the account itself,
 * which is then put back. An isolated bucket comes out of the cross account, so that has to cover its own as well.
 * Neither counts what is left of `taker` as reserved, because that does not rest yet.
 */
static bool covers(struct twin *twin, const struct symbol *symbol, struct account *account, struct order *filled,
                   const struct order *taker, int64_t price, int64_t x, int64_t fee)
{
    struct account   before = *account;
    struct position *p = &account->positions[symbol->id - 1];
    struct order    *takes = order_by_id(twin, taker->is.base.order_id);
    uint64_t         number = twin->next_position;
    uint32_t         closed = twin->closed_count;
    int64_t          value = n_floor(symbol, &twin->genesis, price, x);
    int128_t         margin = 0;
    bool             can, counted = takes->counts;

    if (p->is.margin_mode == MARGIN_ISOLATED && !bucket_may_grow(twin, account)) return false;
    (void)leg_fill(twin, account, symbol, filled->is.base.side, x, value, fee, REASON_USER);
    filled->is.base.executed += x;
    takes->counts = false;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        if (account->positions[i].is.margin_mode == MARGIN_CROSS)
            margin += position_margin(twin, &twin->genesis.perps[i], &account->positions[i]);
    can = cross_equity(twin, account, AT_WORST) - margin - reserves(twin, account) >= 0;
    if (p->is.margin_mode == MARGIN_ISOLATED)
        can = can && account->wallet >= 0 && row_has(twin, symbol, p) >= row_needs(twin, symbol, p);
    takes->counts = counted;
    filled->is.base.executed -= x;
    *account = before;
    twin->next_position = number;
    twin->closed_count = closed;
    return can;
}

/* A resting order that opens. */
static bool maker_can(struct twin *twin, const struct symbol *symbol, struct order *maker, const struct order *taker,
                      int64_t x)
{
    struct account *account = account_by_id(twin, maker->is.base.account_id),
                   *takes = account_by_id(twin, taker->is.base.account_id);
    int64_t value = n_floor(symbol, &twin->genesis, maker->is.base.price, x),
            rate = maker_rate_against(twin, account, takes, symbol);
    int64_t fee = maker_pays(twin, value, rate, fee_of(twin, value, fee_rate(twin, takes, symbol, false)));

    if (opens(twin, account, symbol, maker->is.base.side, x) == 0) return true;
    return may_hold(twin, account, symbol, maker->is.base.side, x)
        && covers(twin, symbol, account, maker, taker, maker->is.base.price, x, fee);
}

/* By how much a trade of x between these two moves the sum of long sizes (mechanics 3.7). */
static int64_t interest_added(struct twin *twin, const struct symbol *symbol, const struct account *taker,
                              uint8_t taker_side, const struct account *maker, int64_t x)
{
    const struct account *buyer = taker_side == SIDE_BUY ? taker : maker,
                         *seller = taker_side == SIDE_BUY ? maker : taker;
    int64_t b = position_of(twin, buyer, symbol)->is.size, s = position_of(twin, seller, symbol)->is.size;

    return (b + x > 0 ? b + x : 0) - (b > 0 ? b : 0) + (s - x > 0 ? s - x : 0) - (s > 0 ? s : 0);
}

/* Mechanics 3.4, 3.11: closing at a worse price than this would take more than the position's share of its unit. */
static bool beyond_bankruptcy(struct twin *twin, const struct account *account, const struct symbol *symbol,
                              uint8_t side, int64_t price)
{
    const struct position *p = position_of(twin, account, symbol);
    int128_t exact = (int128_t)price * magnitude(p->is.size), bound, share = bankruptcy_share(twin, account, symbol);
    int      k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;

    if (p->is.size == 0 || (p->is.size > 0) == (side == SIDE_BUY)) return false;
    bound = n_exact(symbol, &twin->genesis, mark_of(twin, symbol), magnitude(p->is.size), false)
          + (p->is.size > 0 ? -share : share);
    if (k >= 0) exact *= power10(k);
    else bound *= power10(-k);
    return p->is.size > 0 ? exact < bound : exact > bound;
}

/* The opening part of a taker is checked with every fill (ruling 65). */
static bool taker_can(struct twin *twin, const struct symbol *symbol, struct order *taker, int64_t price, int64_t x)
{
    struct account *account = account_by_id(twin, taker->is.base.account_id);
    int64_t         rate = fee_rate(twin, account, symbol, false);

    if (opens(twin, account, symbol, taker->is.base.side, x) == 0 || twin->bug == TWIN_BUG_FILL_UNCOVERED) return true;
    return may_hold(twin, account, symbol, taker->is.base.side, x)
        && covers(twin, symbol, account, taker, taker, price, x,
                  fee_of(twin, n_floor(symbol, &twin->genesis, price, x), rate));
}

static int64_t buys(const struct twin *twin, const struct symbol *symbol, int64_t funds, int64_t price)
{
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t x = k >= 0 ? funds / (price * power10(k)) : funds * power10(-k) / price;

    return (int64_t)(x - x % symbol->step_size);
}

/*
 * After a change of a position: orders attached to the previous one end (mechanics 4.3, 4.4), reduce-only orders are
 * trimmed to it (mechanics 3.6).
 */
void after_change(struct twin *twin, const struct symbol *symbol, struct account *account, uint64_t position_id)
{
    if (position_id != 0 && account->positions[symbol->id - 1].is.position_id != position_id)
        position_gone(twin, account, symbol, position_id);
    if (twin->bug != TWIN_BUG_MISSED_TRIM) trim(twin, account, symbol);
}

/* Why it stopped; REASON_NONE: done. */
static enum end_reason walk(struct twin *twin, const struct symbol *symbol, uint64_t taker_id, bool *opened_isolated)
{
    for (;;) {
        struct order   *taker = order_by_id(twin, taker_id), *maker;
        struct account *account = account_by_id(twin, taker->is.base.account_id), *owner;
        uint64_t        maker_id, maker_position, taker_position;
        int64_t x, room, most, rest = order_rest(taker); /* most: without what the position or the wallet takes off */
        bool    limited;

        if (taker->is.base.funds == 0 ? order_rest(taker) == 0 : taker->fundsleft == 0) return REASON_NONE;
        maker = book_best(twin, MARKET_PERPS, symbol->id, other(taker->is.base.side));
        if (maker == NULL) return REASON_NO_LIQUIDITY;
        if (!within(twin, symbol, &taker->is.base, maker->is.base.price)) return REASON_PRICE_BOUND;
        x = taker->is.base.funds != 0 ? buys(twin, symbol, taker->fundsleft, maker->is.base.price) : order_rest(taker);
        if (x == 0) return REASON_FUNDS_DUST;
        if (own_order(twin, maker, account)) {
            order_end(twin, maker, STATUS_CANCELED, REASON_SELF_TRADE);
            continue;
        }
        limited =
            taker->is.base.funds != 0 && x < order_rest(maker); /* all that the funds buy of it, once (mechanics 2.3) */
        if (x > order_rest(maker)) x = order_rest(maker);
        most = x;
        if (taker->is.reduce_only) {
            int64_t size = account->positions[symbol->id - 1].is.size;
            if (size == 0 || (size > 0) == (taker->is.base.side == SIDE_BUY)) return REASON_REDUCE_ONLY;
            if (x > magnitude(size)) x = magnitude(size);
        }
        owner = account_by_id(twin, maker->is.base.account_id);
        if (beyond_bankruptcy(twin, account, symbol, taker->is.base.side, maker->is.base.price))
            return REASON_BANKRUPTCY_BOUND;
        if (beyond_bankruptcy(twin, owner, symbol, maker->is.base.side, maker->is.base.price)) {
            order_end(twin, maker, STATUS_CANCELED, REASON_MARGIN_INSUFFICIENT);
            continue;
        }
        if (!maker_can(twin, symbol, maker, taker, x)) {
            order_end(twin, maker, STATUS_CANCELED, REASON_MARGIN_INSUFFICIENT);
            continue;
        }
        if (!taker_can(twin, symbol, taker, maker->is.base.price, x)) { /* of a flip at least what closes */
            x -= opens(twin, account, symbol, taker->is.base.side, x);
            if (x == 0) return REASON_MARGIN_INSUFFICIENT;
        }
        room = interest_room(twin, symbol);
        if (interest_added(twin, symbol, account, taker->is.base.side, owner, x) > room)
            return REASON_OPEN_INTEREST_CAP;
        *opened_isolated |= account->positions[symbol->id - 1].is.margin_mode == MARGIN_ISOLATED
                         && opens(twin, account, symbol, taker->is.base.side, x) != 0;
        maker_id = maker->is.base.order_id;
        maker_position = owner->positions[symbol->id - 1].is.position_id;
        taker_position = account->positions[symbol->id - 1].is.position_id;
        settle(twin, symbol, maker, taker, x);
        children_filled(twin, maker_id, x);
        maker = order_by_id(twin, maker_id);
        if (order_rest(maker) == 0) order_end(twin, maker, STATUS_FILLED, REASON_NONE);
        else order_says(twin, maker, EXEC_PARTIALLY_FILLED, REASON_NONE);
        children_filled(twin, taker_id, x);
        after_change(twin, symbol, owner, maker_position);
        after_change(twin, symbol, account, taker_position);
        if (limited && x == most) return REASON_FUNDS_DUST;
        if (owner == account && (x < most || order_rest(order_by_id(twin, taker_id)) >= rest))
            return order_by_id(twin, taker_id)->is.reduce_only
                     ? REASON_REDUCE_ONLY
                     : REASON_MARGIN_INSUFFICIENT; /* with stpScope NONE: it would open again for ever */
    }
}

static uint8_t finish(struct twin *twin, const struct symbol *symbol, uint64_t taker_id, enum end_reason reason)
{
    struct order *taker = order_by_id(twin, taker_id);
    bool          some = taker->is.base.executed != 0;

    if (reason == REASON_NONE || (reason == REASON_FUNDS_DUST && some)) {
        order_end(twin, taker, STATUS_FILLED, REASON_NONE);
        return STATUS_FILLED;
    }
    if (taker->is.base.type == TYPE_LIMIT && (reason == REASON_NO_LIQUIDITY || reason == REASON_PRICE_BOUND)) {
        if (taker->is.base.time_in_force != TIF_IOC) {
            taker->rests = true;
            taker->is.base.status = some ? STATUS_PARTIALLY_FILLED : STATUS_NEW;
            twin->taking = 0;
            order_says(twin, taker, some ? EXEC_PARTIALLY_FILLED : EXEC_NEW, REASON_NONE);
            if (taker->is.reduce_only) trim(twin, account_by_id(twin, taker->is.base.account_id), symbol);
            taker = order_by_id(twin, taker_id);
            return taker == NULL ? STATUS_CANCELED : taker->is.base.status;
        }
        reason = REASON_IOC_REMAINDER;
    }
    if (is_stop(taker) && taker->is.reduce_only && taker->is.base.type == TYPE_MARKET
        && reason != REASON_REDUCE_ONLY) { /* tried again with the next TICK (mechanics 4.2) */
        taker->waits = ++twin->next_wait;
        order_says(twin, taker, some ? EXEC_PARTIALLY_FILLED : EXEC_NEW, (uint8_t)reason);
        return STATUS_TRIGGERED;
    }
    order_end(twin, taker, STATUS_EXPIRED, (uint8_t)reason);
    return STATUS_EXPIRED;
}

/* E - sum posIM - R >= 0, at worst (ruling 65). */
static bool covers_reserves(struct twin *twin, const struct account *account)
{
    int128_t left = cross_equity(twin, account, AT_WORST) - reserves(twin, account);

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        if (account->positions[i].is.margin_mode == MARGIN_CROSS)
            left -= position_margin(twin, &twin->genesis.perps[i], &account->positions[i]);
    return left >= 0;
}

/*
 * Mechanics 1.6 (10): the need afterwards is within equity or the need before; otherwise resting orders that open end,
 * the latest first. An order that opened an isolated position leaves its account able to cover the reserve of orders
 * on isolated symbols (ruling 65).
 */
static void keep_within(struct twin *twin, const struct account *account, int128_t before, bool opened_isolated)
{
    for (;;) {
        int128_t      need = needs(twin, account) + reserves(twin, account);
        struct order *latest = NULL;

        if ((need <= before || need <= cross_equity(twin, account, AT_WORST))
            && (!opened_isolated || covers_reserves(twin, account)))
            return;
        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            if (o->market == MARKET_PERPS && o->rests && !o->is.reduce_only && o->is.base.account_id == account->id
                && (latest == NULL || o->is.base.order_id > latest->is.base.order_id))
                latest = o;
        }
        if (latest == NULL) return;
        order_end(twin, latest, STATUS_CANCELED, REASON_MARGIN_INSUFFICIENT);
    }
}

/*
 * An order takes, and rests or ends; where it has traded, its account is kept within what it has or needed `before`:
 * without the order, or with it as it was before it was replaced. Returns its status after it.
 */
uint8_t work_order(struct twin *twin, const struct symbol *symbol, uint64_t id, int128_t before)
{
    const struct account *account = account_by_id(twin, order_by_id(twin, id)->is.base.account_id);
    uint64_t              trades = twin->next_trade;
    bool                  opened_isolated = false;
    uint8_t               status;

    twin->taking = id;
    status = finish(twin, symbol, id, walk(twin, symbol, id, &opened_isolated));
    twin->taking = 0;

    if (twin->next_trade != trades) keep_within(twin, account, before, opened_isolated);
    return status_is_open(status) && order_by_id(twin, id) == NULL ? STATUS_CANCELED : status;
}

/* An order of the venue takes as much as it can. */
void take_by_force(struct twin *twin, const struct symbol *symbol, uint64_t id)
{
    bool opened_isolated = false;

    twin->force = true;
    twin->taking = id;
    (void)walk(twin, symbol, id, &opened_isolated); /* closes alone */
    twin->taking = 0;
    twin->force = false;
}

/* ---- placing ---- */

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
static bool row_fits(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol)
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
            if (item->order_id != 0)
                answer_got(twin, i, REJECT_ORDER_NOT_FOUND, item->order_id)->field = FIELD_ORDER_ID;
            else answer_id(twin, i, REJECT_ORDER_NOT_FOUND, &item->client_id)->field = FIELD_CLIENT_ID;
            continue;
        }
        result = answer(twin, i, REJECT_NONE);
        result->order_id = order->is.base.order_id;
        result->status = STATUS_CANCELED;
        result->client_id = order->is.base.client_id;
        order_end(twin, order, STATUS_CANCELED, REASON_USER);
    }
}

/* Leverage and mode (service 4.6). */
void do_leverage(struct twin *twin, const struct update_leverage *update)
{
    const struct symbol     *symbol = symbol_by_id(twin, MARKET_PERPS, update->symbol_id);
    struct position         *position;
    struct leverage_changed *told;
    bool                     open;

    if (update->margin_mode != MARGIN_ISOLATED && update->margin_mode != MARGIN_CROSS) {
        answer(twin, 0, REJECT_ENUM_RANGE);
        return;
    }
    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, update->symbol_id);
        return;
    }
    if (twin->state[MARKET_PERPS][symbol->id - 1].status == SYMBOL_SETTLED) {
        answer(twin, 0, REJECT_SYMBOL_SETTLED);
        return;
    }
    if (update->leverage < 1 || update->leverage > contract_of(twin, symbol)->tiers[0].max_leverage) {
        answer_said(twin, 0, REJECT_LEVERAGE_RANGE, whole(update->leverage),
                    whole(contract_of(twin, symbol)->tiers[0].max_leverage));
        return;
    }
    position = &twin->actor->positions[symbol->id - 1];
    open = position->is.size != 0;
    for (uint32_t i = 0; i < twin->order_count; i++)
        if (twin->orders[i].market == MARKET_PERPS && twin->orders[i].is.base.account_id == twin->actor->id
            && twin->orders[i].is.base.symbol_id == symbol->id)
            open = true;
    if (open) {
        answer(twin, 0, REJECT_LEVERAGE_LOCKED);
        return;
    }
    if (!row_fits(twin, 0, twin->actor, symbol)) return;
    answer(twin, 0, REJECT_NONE);
    position->is.leverage = update->leverage;
    position->is.margin_mode = update->margin_mode;
    told = TELL(twin, LEVERAGE, leverage_changed, MARKET_PERPS);
    told->account_id = twin->actor->id;
    told->symbol_id = symbol->id;
    told->leverage = update->leverage;
    told->margin_mode = update->margin_mode;
}

/* Isolated margin (service 4.6; mechanics 3.5, E15). */
void do_margin(struct twin *twin, const struct update_margin *update)
{
    const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, update->symbol_id);
    struct position     *p;
    int128_t             amount, most, u, doc, guard, initial;

    if (update->amount.digits == 0) {
        answer(twin, 0, REJECT_MARGIN_AMOUNT);
        return;
    }
    if (symbol == NULL) {
        answer_got(twin, 0, REJECT_SYMBOL_NOT_FOUND, update->symbol_id);
        return;
    }
    if (twin->state[MARKET_PERPS][symbol->id - 1].status == SYMBOL_SETTLED) {
        answer(twin, 0, REJECT_SYMBOL_SETTLED);
        return;
    }
    if (!units_of(update->amount, 6, &amount)) {
        answer_said(twin, 0, REJECT_MARGIN_AMOUNT, update->amount, whole(6));
        return;
    }
    p = &twin->actor->positions[symbol->id - 1];
    if (p->is.size == 0) {
        answer(twin, 0, REJECT_NO_POSITION);
        return;
    }
    if (p->is.margin_mode != MARGIN_ISOLATED) {
        answer(twin, 0, REJECT_NOT_ISOLATED);
        return;
    }
    if (amount < 0 ? money_is_held(twin, twin->actor, 0) : bucket_is_shut(twin, twin->actor, 0)) return;
    u = profit(twin, symbol, p, AT_WORST);
    initial = divide_ceil(p->cost < 0 ? -p->cost : p->cost, p->is.leverage);
    doc = p->is.bucket - initial + (u < 0 ? u : 0);
    guard = p->is.bucket + (u < 0 ? u : 0) - position_margin(twin, symbol, p);
    most = amount > 0 ? available_isolated(twin, twin->actor) : doc < guard ? doc : guard;
    if (most < 0) most = 0;
    if (amount < 0 && -amount <= most) { /* its orders' leverage stays covered (mechanics 1.6 (10)) */
        int128_t before = needs(twin, twin->actor) + reserves(twin, twin->actor), after;

        p->is.bucket += (int64_t)amount;
        after = needs(twin, twin->actor) + reserves(twin, twin->actor);
        p->is.bucket -= (int64_t)amount;
        if (after > before && after > cross_equity(twin, twin->actor, AT_WORST) - amount) most = 0;
    }
    if ((amount > 0 ? amount : -amount) > most) {
        answer_said(twin, 0, REJECT_MARGIN_ROOM, decimal_of(amount, 6), decimal_of(most, 6));
        return;
    }
    answer(twin, 0, REJECT_NONE);
    twin->actor->wallet -= (int64_t)amount;
    p->is.bucket += (int64_t)amount;
    position_says(twin, p);
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
