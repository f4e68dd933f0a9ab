/* SPDX-License-Identifier: MIT */
/* perps_take.c — a perps taker against the book: what it may open, its trades and who can bear them (mechanics 3). */
#include "world.h"

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
int128_t bought_for(struct twin *twin, const struct symbol *symbol, const struct order *order, int128_t price)
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
int64_t interest_room(struct twin *twin, const struct symbol *symbol)
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
int64_t opens(struct twin *twin, const struct account *account, const struct symbol *symbol, uint8_t side, int64_t x)
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
int64_t opens_last(struct twin *twin, const struct account *account, const struct symbol *symbol,
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
int128_t tier_end(struct twin *twin, const struct account *account, const struct symbol *symbol)
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
bool covered(struct twin *twin, const struct account *account, const struct symbol *symbol, const struct order *fresh)
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
    bool           self = one_user(twin, m, t);
    struct filled *told;

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

    told = trade_says(twin, MARKET_PERPS,
                      &(struct dealt){ .symbol = symbol,
                                       .sides = { maker, taker },
                                       .price = price,
                                       .quantity = x,
                                       .value = value,
                                       .fees = { maker_fee, taker_fee + twin->force_fee },
                                       .fee_coins = { COIN_MARGIN, COIN_MARGIN },
                                       .self = self });
    told->reason = twin->force ? REASON_LIQUIDATION : 0;
    told->liquidation_id = twin->incident;
    for (int i = 0; i < 2; i++) {
        struct order *order = i == 0 ? maker : taker;
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
int128_t row_has(struct twin *twin, const struct symbol *symbol, const struct position *p)
{
    int128_t u = profit(twin, symbol, p, AT_WORST);
    return p->is.bucket + (u < 0 ? u : 0);
}
int128_t row_needs(struct twin *twin, const struct symbol *symbol, const struct position *p)
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
        x = taker->is.base.funds != 0 ? n_bought(symbol, &twin->genesis, taker->fundsleft, maker->is.base.price)
                                      : order_rest(taker);
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
