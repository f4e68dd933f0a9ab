/* SPDX-License-Identifier: MIT */
/*
 * insurance.c — the insurance fund: its limits of loss and positions, its unwinding, its events (mechanics 3.13,
 * ruling 66).
 */
#include "world.h"

#define ONE 100000000

static struct symbol_state *state_of(struct twin *twin, const struct symbol *symbol)
{
    return &twin->state[MARKET_PERPS][symbol->id - 1];
}
static struct account *the_fund(struct twin *twin) { return account_by_id(twin, ACCOUNT_FUND); }

/* ---- the day ---- */

/* The first TICK of a UTC day: the limits are shares of the fund's wallet then. */
void fund_dawn(struct twin *twin)
{
    if (twin->dawn == twin->now_ms / DAY_MS + 1) return;
    twin->dawn = twin->now_ms / DAY_MS + 1;
    twin->fund_at_dawn = (int64_t)greatest(0, the_fund(twin)->wallet);
    twin->loss = twin->beyond = 0;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        twin->state[MARKET_PERPS][i].loss = twin->state[MARKET_PERPS][i].beyond = 0;
}

static int128_t limit_in(struct twin *twin)
{
    return (int128_t)twin->fund_at_dawn * twin->genesis.rules.fund_loss_ratio / ONE;
}
static int128_t limit_all(struct twin *twin)
{
    return (int128_t)twin->fund_at_dawn * twin->genesis.rules.fund_total_ratio / ONE;
}

int128_t fund_left_in(struct twin *twin, const struct symbol *symbol)
{
    return greatest(0, limit_in(twin) - state_of(twin, symbol)->loss);
}
int128_t fund_left(struct twin *twin)
{
    return twin->bug == TWIN_BUG_NO_TOTAL ? limit_all(twin) : greatest(0, limit_all(twin) - twin->loss);
}

static int128_t can_pay(struct twin *twin)
{
    return the_fund(twin)->wallet <= 0 ? 0 : greatest(0, withdrawable(twin, the_fund(twin)));
}

int128_t fund_may_lose(struct twin *twin, const struct symbol *symbol)
{
    return least(can_pay(twin), least(fund_left(twin), fund_left_in(twin, symbol)));
}

void fund_has_lost(struct twin *twin, const struct symbol *symbol, int128_t amount)
{
    if (amount <= 0 || twin->bug == TWIN_BUG_DAY_UNCHARGED) return;
    state_of(twin, symbol)->loss += (int64_t)amount;
    twin->loss += (int64_t)amount;
}
void fund_loses_beyond(struct twin *twin, const struct symbol *symbol, int128_t amount)
{
    if (amount <= 0) return;
    state_of(twin, symbol)->beyond += (int64_t)amount;
    twin->beyond += (int64_t)amount;
}

/* ---- may it take a unit over? ---- */

/* Two per cent of a cap in base units, at the mark, unless configured. 0 = no limit. */
int128_t fund_inventory_most(struct twin *twin, const struct symbol *symbol)
{
    const struct contract *c = contract_of(twin, symbol);

    if (c->fund_max_inventory != 0 || c->open_interest_cap == 0) return c->fund_max_inventory;
    return greatest(1, n_exact(symbol, &twin->genesis, mark_of(twin, symbol), c->open_interest_cap, false) / 50);
}

int128_t fund_would_hold(struct twin *twin, const struct risk *unit, const struct symbol *symbol)
{
    const struct position *held = &the_fund(twin)->positions[symbol->id - 1],
                          *p = &unit->account->positions[symbol->id - 1];
    int128_t has = value_at(twin, symbol, held, mark_of(twin, symbol)), more;

    if (!belongs(unit, p) || suspended(twin, symbol)) return has;
    more = value_at(twin, symbol, p, mark_of(twin, symbol));
    if (held->is.size == 0 || (held->is.size > 0) == (p->is.size > 0)) return has + more;
    return has > more ? has - more : more - has;
}

/* Its symbols in order of their maintenance margins, each with its share of the deficit at t. */
static uint8_t refuses_symbols(struct twin *twin, const struct risk *unit, int128_t at_worse)
{
    int128_t left = at_worse;
    uint64_t done = 0;
    uint8_t  refuses = 0;

    for (;;) {
        const struct symbol *symbol = NULL;
        bool                 more = false;
        int128_t             share;

        for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
            const struct symbol *s = &twin->genesis.perps[i];
            if (!belongs(unit, &unit->account->positions[i]) || suspended(twin, s) || (done >> i & 1) != 0) continue;
            if (symbol != NULL) more = true;
            if (symbol == NULL
                || maintenance(twin, s, &unit->account->positions[i])
                       > maintenance(twin, symbol, &unit->account->positions[symbol->id - 1]))
                symbol = s;
        }
        if (symbol == NULL) return refuses;
        done |= UINT64_C(1) << (symbol->id - 1);
        share = !more ? left
              : unit->maintenance == 0
                  ? 0
                  : divide_floor(at_worse * maintenance(twin, symbol, &unit->account->positions[symbol->id - 1]),
                                 unit->maintenance);
        if (left < 0 && share < 0 && -greatest(share, left) > fund_left_in(twin, symbol))
            refuses |= FUND_NO_SYMBOL_BUDGET;
        left -= share;
    }
}

uint8_t fund_refuses(struct twin *twin, const struct risk *unit, int128_t at_worse, int128_t *carries)
{
    uint8_t refuses = 0;

    *carries = 0;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol *symbol = &twin->genesis.perps[i];
        int128_t             most = fund_inventory_most(twin, symbol), after = fund_would_hold(twin, unit, symbol);

        if (belongs(unit, &unit->account->positions[i]) && !suspended(twin, symbol) && most != 0 && after > most
            && twin->bug != TWIN_BUG_FUND_UNLIMITED)
            refuses |= FUND_NO_INVENTORY;
        *carries += after;
    }
    if ((cross_equity(twin, the_fund(twin), AT_MARK) + unit->equity) * 5 < *carries) refuses |= FUND_NO_CARRY;
    if (at_worse >= 0) return refuses;
    if (-at_worse > fund_left(twin)) refuses |= FUND_NO_TOTAL_BUDGET;
    if (-at_worse > can_pay(twin)) refuses |= FUND_NO_MONEY;
    return refuses | refuses_symbols(twin, unit, at_worse);
}

/* ---- unwinding ---- */

/* The price, to the tick, at which x brings no less than `amount` when
   the fee is paid; for a short, at which it costs no more. */
static int64_t price_that_brings(struct twin *twin, const struct symbol *symbol, int64_t x, bool sells, int128_t amount)
{
    int128_t fee = greatest(0, fee_rate(twin, the_fund(twin), symbol, false)), whole_amount, size = x,
             tick = symbol->tick_size;
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;

    /* a sale with a fee of all of it brings nothing, at any price */
    if (sells && fee == ONE) return amount > 0 ? INT64_MAX : (int64_t)tick;
    whole_amount = sells ? divide_ceil(amount * ONE, ONE - fee) + 1 : divide_floor(amount * ONE, ONE + fee) - 1;
    if (whole_amount <= 0) return sells ? (int64_t)tick : 0;
    if (k >= 0) size *= power10(k);
    else whole_amount *= power10(-k);
    return (int64_t)(sells ? divide_ceil(divide_ceil(whole_amount, size), tick) * tick
                           : divide_floor(divide_floor(whole_amount, size), tick) * tick);
}

/*
 * The worst of three bounds: half a per cent from the better of mark and index, the rest of the day's limit, the
 * inventory's gain.
 */
static int64_t worst_unwinding(struct twin *twin, const struct symbol *symbol, const struct position *p, int64_t x)
{
    const struct symbol_state *s = state_of(twin, symbol);
    bool                       sells = p->is.size > 0;
    int64_t good = sells == (s->mark > s->index) ? s->mark : s->index, bad = worse_price(twin, symbol, p), limit, bound;
    int128_t left = least(fund_left(twin), fund_left_in(twin, symbol)), part, orders = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (o->rests && o->market == MARKET_PERPS && o->is.base.symbol_id == symbol->id
            && o->is.base.side == (sells ? SIDE_BUY : SIDE_SELL))
            orders++;
    }
    limit =
        (int64_t)(sells ? divide_ceil((int128_t)good * 99500000, ONE) : divide_floor((int128_t)good * 100500000, ONE));
    left -= 2 * orders; /* a fill with each of them rounds its value and its fee */
    bound = price_that_brings(twin, symbol, x, sells,
                              n_exact(symbol, &twin->genesis, bad, x, false) + (sells ? -left : left));
    if (sells ? bound > limit : bound < limit) limit = bound;
    if (s->gapped) return limit;
    part = divide_floor((int128_t)s->cushion * x, magnitude(p->is.size)) - 2 * orders;
    bound = price_that_brings(twin, symbol, x, sells,
                              n_exact(symbol, &twin->genesis, good, x, false) + (sells ? -part : part));
    return (sells ? bound > limit : bound < limit) ? bound : limit;
}

static void unwind(struct twin *twin, const struct symbol *symbol, struct position *p)
{
    struct symbol_state *s = state_of(twin, symbol);
    struct account      *fund = the_fund(twin);
    bool                 sells = p->is.size > 0;
    int64_t              step = symbol->step_size, size = magnitude(p->is.size),
            x = (size / 10 > step ? size / 10 : step) / step * step, limit, depth = 0, value;
    int64_t  good = sells == (s->mark > s->index) ? s->mark : s->index, bad = worse_price(twin, symbol, p);
    int128_t before, brought, at_bad, at_good;

    if (s->oracle != ORACLE_LIVE) return;
    if (x > size) x = size;
    limit = worst_unwinding(twin, symbol, p, x);
    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order *o = &twin->orders[i];
        if (!o->rests || o->market != MARKET_PERPS || o->is.base.symbol_id != symbol->id) continue;
        if (sells ? o->is.base.side == SIDE_BUY && o->is.base.price >= limit
                  : o->is.base.side == SIDE_SELL && o->is.base.price <= limit)
            depth += order_rest(o);
    }
    if (x > depth / 10 / step * step) x = depth / 10 / step * step;
    if (x == 0) return;
    before = fund->wallet - p->cost;
    x = send_ioc(twin, fund, symbol, x, limit, &value);
    if (x == 0) return;
    brought = fund->wallet - p->cost - before;
    at_bad = n_exact(symbol, &twin->genesis, bad, x, false) * (sells ? 1 : -1);
    at_good = n_exact(symbol, &twin->genesis, good, x, false) * (sells ? 1 : -1);
    fund_has_lost(twin, symbol, at_bad - brought);
    if (at_good > brought) s->cushion -= (int64_t)least(s->cushion, at_good - brought);
}

/* An unhealthy fund goes to the other side itself, at the mark or the
   index, whichever is better for it; a healthy one sells some. */
bool unwind_fund(struct twin *twin)
{
    struct risk fund = { .account = the_fund(twin) };
    uint64_t    has = 0;

    judge_risk(twin, &fund);
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        if (fund.account->positions[i].is.size != 0) has |= UINT64_C(1) << i;
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol *symbol = &twin->genesis.perps[i];
        struct position     *p = &fund.account->positions[i];

        if ((has >> i & 1) == 0 || p->is.size == 0 || suspended(twin, symbol)) continue;
        if (fund.equity >= fund.maintenance) {
            unwind(twin, symbol, p);
            continue;
        }

        struct risk       now = { .account = fund.account, .equity = fund.equity, .maintenance = fund.maintenance };
        struct liquidated receipt = receipt_before(twin, &now, symbol, STAGE_ADL, 0);
        int64_t           size = magnitude(p->is.size), other = twin->state[MARKET_PERPS][symbol->id - 1].index,
                mark = mark_of(twin, symbol), gone;
        int128_t       value = value_at(twin, symbol, p, (p->is.size > 0) == (other > mark) ? other : mark);
        uint32_t       count;
        struct ranked *ranking = deleverage(twin, fund.account, symbol, value, REASON_ADL, &count);

        gone = size - magnitude(p->is.size);
        if (gone > 0) receipt_says(twin, &receipt, gone, divide_floor(value * gone, size), ranking, count);
        twin->incident = 0;
        free(ranking);
    }
    return has != 0;
}

/* ---- events ---- */

static void row_says(struct twin *twin, struct fund_changed *last, struct fund_changed row)
{
    bool same = last->time_ms != 0 && last->day_ms == row.day_ms && last->size == row.size && last->loss == row.loss
             && last->loss_limit == row.loss_limit && last->beyond == row.beyond;

    if (same && (row.symbol_id != 0 || last->wallet == row.wallet)) return;
    struct fund_changed *told = TELL(twin, FUND, fund_changed, MARKET_PERPS);
    row.head = told->head;
    *told = *last = row;
}

void fund_says(struct twin *twin)
{
    const struct account *fund = the_fund(twin);
    int128_t              equity = cross_equity(twin, fund, AT_MARK);
    struct fund_changed   all = {
          .time_ms = twin->now_ms,
          .day_ms = (twin->dawn - 1) * DAY_MS,
          .wallet = fund->wallet,
          .equity = (int64_t)equity,
    };

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol *symbol = &twin->genesis.perps[i];
        struct symbol_state *s = state_of(twin, symbol);
        struct fund_changed  row = all;

        row.symbol_id = symbol->id;
        row.size = fund->positions[i].is.size;
        row.inventory = (int64_t)value_at(twin, symbol, &fund->positions[i], s->mark);
        row.inventory_limit = (int64_t)least(AMOUNT_MAX, fund_inventory_most(twin, symbol));
        row.loss = s->loss;
        row.loss_limit = (int64_t)limit_in(twin);
        row.beyond = s->beyond;
        if (row.size == 0) {
            s->cushion = 0;
            s->gapped = false;
        }
        row_says(twin, &s->fund_told, row);
    }
    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)
        all.inventory += (int64_t)value_at(twin, &twin->genesis.perps[i], &fund->positions[i],
                                           mark_of(twin, &twin->genesis.perps[i]));
    all.inventory_limit = (int64_t)least(AMOUNT_MAX, greatest(0, equity) * 5);
    all.loss = twin->loss;
    all.loss_limit = (int64_t)limit_all(twin);
    all.beyond = twin->beyond;
    row_says(twin, &twin->fund_told, all);
}
