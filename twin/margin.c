/* SPDX-License-Identifier: MIT */
/* margin.c — risk units: equity, needs of positions and orders, and the remainder (mechanics 3.2 to 3.5). */
#include "world.h"

struct position *position_of(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    struct account *of = account_by_id(twin, account->id);
    return &of->positions[symbol->id - 1];
}
const struct contract *contract_of(const struct twin *twin, const struct symbol *symbol)
{
    return &twin->genesis.contracts[symbol->id - 1];
}
int64_t mark_of(const struct twin *twin, const struct symbol *symbol)
{
    return twin->state[MARKET_PERPS][symbol->id - 1].mark;
}

/* While mark and index are more than 1 % apart, profit does not count for new uses (mechanics 3.3, catch-up rule). */
static bool catching_up(const struct twin *twin, const struct symbol *symbol)
{
    const struct symbol_state *state = &twin->state[MARKET_PERPS][symbol->id - 1];
    int64_t apart = state->mark > state->index ? state->mark - state->index : state->index - state->mark;

    return (int128_t)apart * 100 > state->index;
}

/* Ruling 63: for longs the lowest, for shorts the highest of mark,
   index and the candidate that waits to be believed. */
int64_t worst_at(const struct twin *twin, const struct symbol *symbol, bool of_longs)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    int64_t prices[3] = { s->mark, s->index, s->agreed != 0 ? s->candidate : s->index }, worst = prices[0];

    if (twin->bug == TWIN_BUG_WORST_IS_MARK) return s->mark;
    for (int i = 1; i < 3; i++)
        if (of_longs ? prices[i] < worst : prices[i] > worst) worst = prices[i];
    return worst;
}

/* u = sign(q)*N(M,|q|) - C. */
int128_t profit(struct twin *twin, const struct symbol *symbol, const struct position *position, enum valued valued)
{
    int64_t  price = valued == AT_MARK ? mark_of(twin, symbol) : worst_at(twin, symbol, position->is.size > 0);
    int128_t value = n_exact(symbol, &twin->genesis, price, magnitude(position->is.size), false);
    int128_t u = (position->is.size < 0 ? -value : value) - position->cost;

    return valued == AT_WORST_CAREFUL && u > 0 && catching_up(twin, symbol) ? 0 : u;
}

/* posIM = ceil(N(m,|q|)/L). */
int128_t position_margin(struct twin *twin, const struct symbol *symbol, const struct position *position)
{
    return divide_ceil(n_exact(symbol, &twin->genesis, mark_of(twin, symbol), magnitude(position->is.size), false),
                       position->is.leverage);
}

/* MM(N) = max(0, ceil(N*mmr_i) - ded_i), the first tier that holds N, the last when none does (mechanics 3.2). */
int128_t maintenance(struct twin *twin, const struct symbol *symbol, const struct position *position)
{
    const struct contract *contract = contract_of(twin, symbol);
    int128_t value = n_exact(symbol, &twin->genesis, mark_of(twin, symbol), magnitude(position->is.size), false),
             deduction = 0, margin;
    uint32_t i = 0;

    for (; i + 1 < contract->tier_count && value > contract->tiers[i].max_notional; i++)
        deduction += divide_floor((int128_t)contract->tiers[i].max_notional
                                      * (contract->tiers[i + 1].rate - contract->tiers[i].rate),
                                  100000000);
    margin = divide_ceil(value * contract->tiers[i].rate, 100000000) - deduction;
    return margin < 0 ? 0 : margin;
}

#define EACH_SYMBOL(twin, symbol)                                                                                      \
    for (struct symbol *symbol = (twin)->genesis.perps; symbol < (twin)->genesis.perps + (twin)->genesis.perps_count;  \
         symbol++)

int128_t cross_equity(struct twin *twin, const struct account *account, enum valued valued)
{
    int128_t sum = account->wallet;

    EACH_SYMBOL(twin, symbol) {
        const struct position *p = position_of(twin, account, symbol);
        if (p->is.margin_mode == MARGIN_CROSS) sum += profit(twin, symbol, p, valued);
    }
    return sum;
}
int128_t cross_maintenance(struct twin *twin, const struct account *account)
{
    int128_t sum = 0;

    EACH_SYMBOL(twin, symbol) {
        const struct position *p = position_of(twin, account, symbol);
        if (p->is.margin_mode == MARGIN_CROSS) sum += maintenance(twin, symbol, p);
    }
    return sum;
}

/* The price an order counts with: its limit, or the bound of a market order (mechanics 3.4). */
int128_t order_price(struct twin *twin, const struct symbol *symbol, const struct order *order)
{
    int128_t index = twin->state[MARKET_PERPS][symbol->id - 1].index, bound, price = order->is.base.price;

    if (order->is.base.type == TYPE_LIMIT) return price;
    if (order->is.base.side == SIDE_BUY) {
        bound = divide_floor(index * (100000000 + symbol->market_deviation_ratio), 100000000);
        return price != 0 && price < bound ? price : bound;
    }
    bound = divide_ceil(index * (100000000 - symbol->market_deviation_ratio), 100000000);
    return price > bound ? price : bound;
}

/* need(side) of mechanics 3.4: best first and at one price the older order,
   the first |q| of the volume left out on the side that closes. */
static int128_t side_need(struct twin *twin, const struct account *account, const struct symbol *symbol, uint8_t side)
{
    const struct position *position = position_of(twin, account, symbol);
    int64_t  mark = worst_at(twin, symbol, side == SIDE_BUY), skip = 0, rate = fee_rate(twin, account, symbol, false);
    int128_t need = 0, after_price = 0;
    uint64_t after_id = 0;

    if (position->is.size > 0 && side == SIDE_SELL) skip = position->is.size;
    if (position->is.size < 0 && side == SIDE_BUY) skip = -position->is.size;
    for (;;) {
        struct order *next = NULL;
        int128_t      p, value, at_mark, best = 0;
        int64_t       x, close;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            int128_t      price;

            if (o->market != MARKET_PERPS || o->is.base.account_id != account->id || o->is.base.symbol_id != symbol->id
                || o->is.base.side != side)
                continue;
            if (o->is.reduce_only || !o->counts) continue;
            price = order_price(twin, symbol, o);
            if (after_id != 0 && (side == SIDE_BUY ? price > after_price : price < after_price)) continue;
            if (after_id != 0 && price == after_price && o->is.base.order_id <= after_id) continue;
            if (next == NULL || (side == SIDE_BUY ? price > best : price < best)
                || (price == best && o->is.base.order_id < next->is.base.order_id)) {
                next = o;
                best = price;
            }
        }
        if (next == NULL) return need;
        after_id = next->is.base.order_id;
        after_price = best;
        x = order_rest(next);
        if (next->is.base.funds != 0) { /* the funds that closing leaves, and their loss at the bound */
            int64_t  most = most_bought(twin, symbol, next);
            int128_t funds = next->is.base.funds, worth;

            close = most < skip ? most : skip;
            skip -= close;
            if (close == most) continue;
            funds -= n_exact(symbol, &twin->genesis, cheapest(twin, symbol, next), close, false);
            worth = divide_floor(funds * mark, best);
            need += divide_ceil(funds, position->is.leverage) + divide_ceil(funds * rate, 100000000)
                  + (funds > worth ? funds - worth : 0);
            continue;
        }
        close = x < skip ? x : skip;
        skip -= close;
        x -= close;
        p = side == SIDE_SELL && best < mark ? mark : best;
        value = n_exact(symbol, &twin->genesis, (int64_t)p, x, false);
        at_mark = n_exact(symbol, &twin->genesis, mark, x, false);
        need += divide_ceil(value, position->is.leverage) + divide_ceil(value * rate, 100000000);
        value = n_exact(symbol, &twin->genesis, (int64_t)best, x, false);
        if (side == SIDE_BUY && value > at_mark) need += value - at_mark;
        if (side == SIDE_SELL && at_mark > value) need += at_mark - value;
    }
}

/* Mechanics 3.4, 4: IMreq of a cross symbol; with `held` instead of the position's margin,
   the worst case of an isolated one. */
static int128_t worst(struct twin *twin, const struct account *account, const struct symbol *symbol, int128_t held)
{
    const struct position *position = position_of(twin, account, symbol);
    int128_t buy = side_need(twin, account, symbol, SIDE_BUY), sell = side_need(twin, account, symbol, SIDE_SELL);

    if (position->is.size > 0) buy += held;
    if (position->is.size < 0) sell += held;
    return buy > sell ? buy : sell;
}

int128_t need_of(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    return worst(twin, account, symbol, position_margin(twin, symbol, position_of(twin, account, symbol)));
}
/* Mechanics 3.4: the reserve of an isolated symbol's orders, the bucket, where it is above 0, counted as its position's
   margin: what funding took below 0 is a loss of the unit alone. */
int128_t reserve_of(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    int64_t bucket = position_of(twin, account, symbol)->is.bucket, held = bucket < 0 ? 0 : bucket;

    return worst(twin, account, symbol, held) - held;
}

int128_t needs(struct twin *twin, const struct account *account)
{
    int128_t sum = 0;

    EACH_SYMBOL(twin, symbol)
        if (position_of(twin, account, symbol)->is.margin_mode == MARGIN_CROSS) sum += need_of(twin, account, symbol);
    return sum;
}
int128_t reserves(struct twin *twin, const struct account *account)
{
    int128_t sum = 0;

    EACH_SYMBOL(twin, symbol)
        if (position_of(twin, account, symbol)->is.margin_mode == MARGIN_ISOLATED)
            sum += reserve_of(twin, account, symbol);
    return sum;
}

/* ami = max(0, min(W - R, E - sum IMreq - R)). */
int128_t available_isolated(struct twin *twin, const struct account *account)
{
    int128_t r = reserves(twin, account), cash = account->wallet - r,
             free_margin = cross_equity(twin, account, AT_WORST_CAREFUL) - needs(twin, account) - r;

    if (free_margin < cash) cash = free_margin;
    return cash < 0 ? 0 : cash;
}

/* amw = max(0, W + min(U,0) - sum IMreq - R). */
int128_t withdrawable(struct twin *twin, const struct account *account)
{
    int128_t u = cross_equity(twin, account, AT_WORST_CAREFUL) - account->wallet,
             left = account->wallet + (u < 0 ? u : 0) - needs(twin, account) - reserves(twin, account);

    return left < 0 ? 0 : left;
}

/* Ruling 64: is there anything of the account's in the symbol that prices decide about, or could be? */
static bool has_something(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    bool has = position_of(twin, account, symbol)->is.size != 0;

    for (uint32_t i = 0; i < twin->order_count && !has; i++) {
        const struct order *o = &twin->orders[i];
        has = o->market == MARKET_PERPS && o->is.base.account_id == account->id && o->is.base.symbol_id == symbol->id
           && !o->is.reduce_only;
    }
    return has;
}

/* Why the price of a symbol decides nothing now, whatever the venue's mode is. */
static const char *no_price(struct twin *twin, const struct symbol *symbol)
{
    static const char *const   states[] = { [ORACLE_BOOTSTRAP] = "BOOTSTRAP",
                                            [ORACLE_LIVE] = NULL,
                                            [ORACLE_FALLBACK] = "FALLBACK",
                                            [ORACLE_IS_STALE] = "STALE" };
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    uint8_t                    status = status_now(twin, MARKET_PERPS, symbol->id);

    return status == SYMBOL_SETTLED  ? "SETTLED"
         : status != SYMBOL_TRADING  ? "HALT"
         : states[s->oracle] != NULL ? states[s->oracle]
         : s->agreed != 0            ? "HELD_BACK"
                                     : NULL;
}

const struct symbol *money_is_held_by(struct twin *twin, const struct account *account, const char **why)
{
    EACH_SYMBOL(twin, symbol) {
        *why = twin->mode == VENUE_RUN         ? no_price(twin, symbol)
             : twin->mode == VENUE_CANCEL_ONLY ? "CANCEL_ONLY"
                                               : "REDUCE_ONLY";
        if (*why != NULL && has_something(twin, account, symbol) && twin->bug != TWIN_BUG_LEAVES_ANYWAY) return symbol;
    }
    return NULL;
}

/* The same question of what goes into a bucket: only a cross position can have lost what nobody knows yet, and while
   positions may be reduced they are liquidated as well. */
static const struct symbol *bucket_is_shut_by(struct twin *twin, const struct account *account, const char **why)
{
    if (twin->bug == TWIN_BUG_BUCKETS_OPEN) return NULL;
    EACH_SYMBOL(twin, symbol) {
        const struct position *p = position_of(twin, account, symbol);

        if (p->is.size == 0 || p->is.margin_mode == MARGIN_ISOLATED) continue;
        *why = twin->mode == VENUE_CANCEL_ONLY ? "CANCEL_ONLY" : no_price(twin, symbol);
        if (*why != NULL) return symbol;
    }
    return NULL;
}

bool bucket_may_grow(struct twin *twin, const struct account *account)
{
    const char *why;

    return bucket_is_shut_by(twin, account, &why) == NULL;
}

static void answer_not_live(struct twin *twin, uint32_t index, const struct symbol *symbol, const char *why)
{
    struct client_id told = { 0 };

    told.len = (uint8_t)snprintf(told.at, sizeof(told.at), "%.*s %s", (int)symbol->name.len, symbol->name.at, why);
    answer_id(twin, index, REJECT_PRICES_NOT_LIVE, &told);
}

bool bucket_is_shut(struct twin *twin, const struct account *account, uint32_t index)
{
    const char          *why;
    const struct symbol *symbol = bucket_is_shut_by(twin, account, &why);

    if (symbol != NULL) answer_not_live(twin, index, symbol, why);
    return symbol != NULL;
}

bool money_is_held(struct twin *twin, const struct account *account, uint32_t index)
{
    const char          *why;
    const struct symbol *symbol = money_is_held_by(twin, account, &why);

    if (symbol != NULL) answer_not_live(twin, index, symbol, why);
    return symbol != NULL;
}

/* Mechanics 3.11: the mark at which the unit of the position is due, all
   else being as it is; to the tick, on the early side. 0: none. */
int64_t liquidation_price(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    const struct position *p = position_of(twin, account, symbol);
    const struct contract *c = contract_of(twin, symbol);
    bool                   is_long = p->is.size > 0;
    int64_t                size = magnitude(p->is.size);
    int                    k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t deduction = 0, cash = p->is.bucket;

    if (size == 0) return 0;
    if (p->is.margin_mode == MARGIN_CROSS)
        cash = cross_equity(twin, account, AT_MARK) - profit(twin, symbol, p, AT_MARK)
             - (cross_maintenance(twin, account) - maintenance(twin, symbol, p));
    for (uint32_t i = 0; i < c->tier_count; i++) {
        int128_t money, above, below, price, value;

        if (i > 0)
            deduction += divide_floor(
                (int128_t)c->tiers[i - 1].max_notional * (c->tiers[i].rate - c->tiers[i - 1].rate), 100000000);
        money = (is_long ? p->cost : -p->cost) - (is_long ? cash + deduction : -(cash + deduction));
        if (money <= 0) return 0;
        above = money * 100000000;
        below = (int128_t)size * (is_long ? 100000000 - c->tiers[i].rate : 100000000 + c->tiers[i].rate);
        if (k >= 0) below *= power10(k);
        else above *= power10(-k);
        price = is_long ? divide_ceil(divide_ceil(above, below), symbol->tick_size)
                        : divide_floor(divide_floor(above, below), symbol->tick_size);
        price *= symbol->tick_size;
        if (price <= 0 || price > INT64_MAX) continue;
        value = n_exact(symbol, &twin->genesis, (int64_t)price, size, false);
        if ((i == 0 || value > c->tiers[i - 1].max_notional)
            && (i + 1 == c->tier_count || value <= c->tiers[i].max_notional))
            return (int64_t)price;
    }
    return 0;
}

/* Mechanics 3.11: a position's share of its unit's equity, in proportion to maintenance margin. */
int128_t bankruptcy_share(struct twin *twin, const struct account *account, const struct symbol *symbol)
{
    const struct position *p = position_of(twin, account, symbol);
    int128_t               all;

    if (p->is.margin_mode == MARGIN_ISOLATED) return p->is.bucket + profit(twin, symbol, p, AT_MARK);
    all = cross_maintenance(twin, account);
    return all == 0 ? 0 : divide_floor(cross_equity(twin, account, AT_MARK) * maintenance(twin, symbol, p), all);
}
