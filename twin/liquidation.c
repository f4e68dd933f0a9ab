/* SPDX-License-Identifier: MIT */
/* liquidation.c — units below their maintenance margin: the book, the fund, and who is next (mechanics 3.11). */
#include "world.h"

#define ROUNDS 8 /* orders of a unit in one TICK (mechanics 3.11) */

int128_t value_at(struct twin *twin, const struct symbol *symbol, const struct position *p, int64_t price)
{
    return n_exact(symbol, &twin->genesis, price, magnitude(p->is.size), false);
}
bool suspended(const struct twin *twin, const struct symbol *symbol)
{
    const struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    return status_now(twin, MARKET_PERPS, symbol->id) != SYMBOL_TRADING || s->oracle == ORACLE_IS_STALE;
}
bool belongs(const struct risk *unit, const struct position *p)
{
    return p->is.size != 0
        && (unit->symbol != NULL ? p->is.symbol_id == unit->symbol->id : p->is.margin_mode == MARGIN_CROSS);
}

void judge_risk(struct twin *twin, struct risk *unit)
{
    if (unit->symbol == NULL) {
        unit->equity = cross_equity(twin, unit->account, AT_MARK);
        unit->maintenance = cross_maintenance(twin, unit->account);
        return;
    }
    struct position *p = &unit->account->positions[unit->symbol->id - 1];
    unit->equity = p->is.size == 0 ? 0 : p->is.bucket + profit(twin, unit->symbol, p, AT_MARK);
    unit->maintenance = maintenance(twin, unit->symbol, p);
}
static uint8_t *stage_of(struct risk *unit)
{
    return unit->symbol == NULL ? &unit->account->stage : &unit->account->positions[unit->symbol->id - 1].stage;
}
static uint64_t *number_of(struct risk *unit)
{
    return unit->symbol == NULL ? &unit->account->liquidation
                                : &unit->account->positions[unit->symbol->id - 1].liquidation;
}
static uint64_t *tried_of(struct risk *unit)
{
    return unit->symbol == NULL ? &unit->account->tried : &unit->account->positions[unit->symbol->id - 1].tried;
}

static void unit_says(struct twin *twin, struct risk *unit, uint64_t number, uint8_t stage)
{
    struct unit_stage *told = TELL(twin, UNIT, unit_stage, MARKET_PERPS);

    told->account_id = unit->account->id;
    told->symbol_id = unit->symbol == NULL ? 0 : unit->symbol->id;
    told->stage = stage;
    told->equity = (int64_t)unit->equity;
    told->maintenance = (int64_t)unit->maintenance;
    told->time_ms = twin->now_ms;
    told->liquidation_id = number;
    told->wallet = unit->account->wallet;
    for (uint32_t i = 0; i < twin->genesis.perps_count && stage != STAGE_HEALTHY; i++) {
        const struct position *p = &unit->account->positions[i];
        struct unit_position  *position;

        if (!belongs(unit, p)) continue;
        told->positions++;
        position = TELL(twin, UNIT_POSITION, unit_position, MARKET_PERPS);
        position->liquidation_id = number;
        position->account_id = unit->account->id;
        position->position_id = p->is.position_id;
        position->symbol_id = i + 1;
        position->margin_mode = p->is.margin_mode;
        position->size = p->is.size;
        position->mark = twin->state[MARKET_PERPS][i].mark;
        position->liquidation_price = liquidation_price(twin, unit->account, &twin->genesis.perps[i]);
    }
}

/* By maintenance margin, then by symbol; only what can be closed now. `without`: bits of symbols. */
static const struct symbol *largest(struct twin *twin, const struct risk *unit, uint64_t without)
{
    const struct symbol *found = NULL;
    int128_t             most = -1;

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol   *symbol = &twin->genesis.perps[i];
        const struct position *p = &unit->account->positions[i];

        if (!belongs(unit, p) || (without >> i & 1) != 0 || suspended(twin, symbol)) continue;
        if (maintenance(twin, symbol, p) > most) {
            most = maintenance(twin, symbol, p);
            found = symbol;
        }
    }
    return found;
}

/* ---- stage 0 and 1: orders go, then as much as is needed is sold in the book ---- */

static void cancel_orders(struct twin *twin, const struct risk *unit)
{
    for (;;) {
        struct order *first = NULL;

        for (uint32_t i = 0; i < twin->order_count; i++) {
            struct order *o = &twin->orders[i];
            if (o->market != MARKET_PERPS || o->is.base.account_id != unit->account->id
                || (is_stop(o) && o->is.reduce_only && !o->rests))
                continue; /* protective stops stay */
            if (unit->symbol != NULL
                    ? o->is.base.symbol_id != unit->symbol->id
                    : unit->account->positions[o->is.base.symbol_id - 1].is.margin_mode != MARGIN_CROSS)
                continue;
            if (first == NULL || o->is.base.order_id < first->is.base.order_id) first = o;
        }
        if (first == NULL) return;
        order_end(twin, first, STATUS_CANCELED, REASON_LIQUIDATION);
    }
}

/* x = ceil_step(((1+beta)*MM - E) / (mark*((1+beta)*mmr - f))); all of it where less would leave dust. */
static int64_t shortage(struct twin *twin, const struct risk *unit, const struct symbol *symbol)
{
    const struct position *p = &unit->account->positions[symbol->id - 1];
    const struct contract *c = contract_of(twin, symbol);
    int128_t               one = 100000000, beta = twin->genesis.rules.liquidation_buffer,
             fee = fee_rate(twin, unit->account, symbol, false),
             value = value_at(twin, symbol, p, mark_of(twin, symbol));
    int128_t need = ((one + beta) * unit->maintenance - unit->equity * one) * one, part, x;
    int      k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int64_t  size = magnitude(p->is.size);
    uint32_t tier = 0;

    if (need <= 0) return 0;
    while (tier + 1 < c->tier_count && value > c->tiers[tier].max_notional) tier++;
    part = (one + beta) * c->tiers[tier].rate - ((fee > 0 ? fee : 0) + twin->genesis.rules.liquidation_fee) * one;
    if (part <= 0) return size;
    part *= mark_of(twin, symbol);
    if (k >= 0) part *= power10(k);
    else need *= power10(-k);
    x = divide_ceil(divide_ceil(need, part), symbol->step_size) * symbol->step_size;
    if (x >= size
        || n_exact(symbol, &twin->genesis, mark_of(twin, symbol), (int64_t)(size - x), false) < symbol->min_notional)
        return size;
    return (int64_t)x;
}

/* max(bankruptcy price, mark*(1-slippage)) for a sale, mirrored for a purchase; to the tick. */
static int64_t worst_price(struct twin *twin, const struct risk *unit, const struct symbol *symbol)
{
    const struct position *p = &unit->account->positions[symbol->id - 1];
    int128_t               share = bankruptcy_share(twin, unit->account, symbol),
             value = value_at(twin, symbol, p, mark_of(twin, symbol)), mark = mark_of(twin, symbol),
             size = magnitude(p->is.size);
    int128_t slip = twin->genesis.rules.liquidation_slippage, tick = symbol->tick_size, at, bankrupt, slipped;
    int      k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;

    at = p->is.size > 0 ? value - share : value + share;
    if (k >= 0) size *= power10(k);
    else at *= power10(-k);
    if (p->is.size > 0) {
        bankrupt = at <= 0 ? tick : divide_ceil(divide_ceil(at, size), tick) * tick;
        slipped = divide_ceil(divide_ceil(mark * (100000000 - slip), 100000000), tick) * tick;
        return (int64_t)greatest(bankrupt, slipped);
    }
    bankrupt = at <= 0 ? 0 : divide_floor(divide_floor(at, size), tick) * tick;
    slipped = divide_floor(divide_floor(mark * (100000000 + slip), 100000000), tick) * tick;
    return (int64_t)least(bankrupt, slipped);
}

/* An internal IOC that only reduces; returns what it has filled, and for how much. */
int64_t send_ioc(struct twin *twin, struct account *account, const struct symbol *symbol, int64_t quantity,
                 int64_t limit, int64_t *value)
{
    struct order *order = order_new(twin, MARKET_PERPS);
    uint64_t      id = order->is.base.order_id;
    int64_t       filled;

    order->is.base =
        (struct order_changed){ .order_id = id,
                                .account_id = account->id,
                                .symbol_id = symbol->id,
                                .side = account->positions[symbol->id - 1].is.size > 0 ? SIDE_SELL : SIDE_BUY,
                                .type = TYPE_LIMIT,
                                .time_in_force = TIF_IOC,
                                .status = STATUS_NEW,
                                .price = limit,
                                .quantity = quantity,
                                .created_ms = twin->now_ms };
    order->is.modifier = MODIFIER_NORMAL;
    order->is.reduce_only = 1;
    take_by_force(twin, symbol, id);
    order = order_by_id(twin, id);
    filled = order->is.base.executed;
    *value = order->is.base.executed_value;
    order_end(twin, order, order_rest(order) == 0 ? STATUS_FILLED : STATUS_EXPIRED, REASON_LIQUIDATION);
    return filled;
}

/* True when the unit is healthy, or nothing of it is left. */
static bool sell(struct twin *twin, struct risk *unit)
{
    uint64_t without = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct symbol *symbol = largest(twin, unit, without);
        int64_t              x, limit, best, value, sold;
        struct liquidated    receipt;

        if (symbol == NULL) return largest(twin, unit, 0) == NULL;
        x = shortage(twin, unit, symbol);
        limit = worst_price(twin, unit, symbol);
        receipt = receipt_before(twin, unit, symbol, STAGE_BOOK, *number_of(unit));
        receipt.round = (uint8_t)(round + 1);
        receipt.wanted = x;
        receipt.limit = limit;
        if (x == 0 || limit <= 0
            || !perps_crosses(twin, symbol, unit->account->positions[symbol->id - 1].is.size > 0 ? SIDE_SELL : SIDE_BUY,
                              limit, &best)
            || (sold = send_ioc(twin, unit->account, symbol, x, limit, &value)) == 0) {
            twin->incident = 0;
            without |= UINT64_C(1) << (symbol->id - 1);
            continue;
        }
        receipt_says(twin, &receipt, sold, value, NULL, 0);
        judge_risk(twin, unit);
        if (unit->equity >= unit->maintenance) return true;
    }
    return false;
}

/* ---- moving positions without the book ---- */

/* `size` of one position to another at a value, without fee and public trade. */
void move_position(struct twin *twin, struct account *from, struct account *to, const struct symbol *symbol, int64_t x,
                   int128_t value, int64_t price, int64_t take_over_price, uint8_t reason)
{
    struct position *p = &from->positions[symbol->id - 1];
    uint64_t         from_id = p->is.position_id, to_id = to->positions[symbol->id - 1].is.position_id;
    uint8_t          side = p->is.size > 0 ? SIDE_SELL : SIDE_BUY, back = side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;

    twin->next_trade++;
    for (int i = 0; i < 2; i++)
        *TELL(twin, FILL, filled, MARKET_PERPS) =
            (struct filled){ .head = { EVENT_FILL, sizeof(struct filled), MARKET_PERPS, { 0 } },
                             .trade_id = twin->next_trade,
                             .account_id = i == 0 ? from->id : to->id,
                             .symbol_id = symbol->id,
                             .side = i == 0 ? side : back,
                             .reason = reason,
                             .price = price,
                             .quantity = x,
                             .fee_coin_id = COIN_MARGIN,
                             .time_ms = twin->now_ms,
                             .liquidation_id = twin->incident };
    if (take_over_price != 0) {
        p->is.taken_over = 1;
        p->is.take_over_price = take_over_price;
    }
    (void)leg_fill(twin, from, symbol, side, x, (int64_t)value, 0,
                   reason == REASON_ADL && from->id != ACCOUNT_FUND ? REASON_ADL_BANKRUPT : reason);
    (void)leg_fill(twin, to, symbol, back, x, (int64_t)value, 0, reason);
    after_change(twin, symbol, from, from_id);
    after_change(twin, symbol, to, to_id);
}

/* The value per unit of size, down: shown only. */
int64_t price_of(struct twin *twin, const struct symbol *symbol, int128_t value, int64_t x)
{
    int k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t price = k >= 0 ? value / (x * power10(k)) : value * power10(-k) / x;

    return (int64_t)greatest(0, least(price, PRICE_MAX));
}

static void to_fund(struct twin *twin, struct account *account, int128_t amount)
{
    account->wallet -= (int64_t)amount;
    account_by_id(twin, ACCOUNT_FUND)->wallet += (int64_t)amount;
}

/* ---- stages 2 and 3 ---- */

/* The worse of mark and index for the position. */
int64_t worse_price(struct twin *twin, const struct symbol *symbol, const struct position *p)
{
    int64_t mark = mark_of(twin, symbol), index = twin->state[MARKET_PERPS][symbol->id - 1].index;

    return (p->is.size > 0) == (mark < index) ? mark : index;
}
static int128_t value_at_worse(struct twin *twin, const struct symbol *symbol, const struct position *p)
{
    return value_at(twin, symbol, p, worse_price(twin, symbol, p));
}

/* share_i = floor(E*MM_i/MM); the last has what is left. */
static int128_t share_of(int128_t equity, int128_t own, int128_t all, int128_t left, bool last)
{
    return last ? left : all == 0 ? 0 : divide_floor(equity * own, all);
}

/* size * price = value -+ share, to the nearest, halves up: where nothing is left. */
static int64_t empty_at(struct twin *twin, const struct symbol *symbol, int64_t q, int128_t value, int128_t share)
{
    int128_t at = q > 0 ? value - share : value + share, size = magnitude(q);
    int      k = (int)twin->genesis.coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;

    if (k >= 0) size *= power10(k);
    else at *= power10(-k);
    return at <= 0 ? 1 : (int64_t)greatest(1, (2 * at + size) / (2 * size));
}

/* The fund's decision about a unit to be taken over, and the fund's state afterwards. */
struct word {
    uint8_t  refuses;
    int128_t at_worse, carries, equity;
};

static struct liquidated receipt_with(struct twin *twin, const struct risk *unit, const struct symbol *symbol,
                                      uint8_t stage, const struct word *word, uint8_t round, uint64_t number)
{
    struct liquidated receipt = receipt_before(twin, unit, symbol, stage, number);

    receipt.round = round;
    receipt.refusal = word->refuses;
    receipt.equity_worse = (int64_t)word->at_worse;
    receipt.symbol_left = (int64_t)fund_left_in(twin, symbol);
    receipt.total_left = (int64_t)fund_left(twin);
    receipt.inventory = (int64_t)fund_would_hold(twin, unit, symbol);
    receipt.inventory_limit = (int64_t)fund_inventory_most(twin, symbol);
    receipt.fund_carries = (int64_t)word->carries;
    receipt.fund_equity = (int64_t)word->equity;
    return receipt;
}

/* Every position goes to the fund at mark with its share of the money;
   what it lacks at t is charged to its symbol's day (ruling 66), of all of them no more than the unit lacks. */
static void take_it_over(struct twin *twin, struct risk *unit, const struct word *word)
{
    struct account      *fund = account_by_id(twin, ACCOUNT_FUND), *account = unit->account;
    const struct symbol *symbol;
    int128_t             left = unit->equity, left_worse = word->at_worse;
    uint64_t             done = 0, number = *number_of(unit);
    uint8_t              round = 0;

    while ((symbol = largest(twin, unit, done)) != NULL) {
        struct position     *p = &account->positions[symbol->id - 1];
        struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
        int128_t value = value_at(twin, symbol, p, mark_of(twin, symbol)), own = maintenance(twin, symbol, p), share,
                 share_worse, lost;
        int64_t           size = magnitude(p->is.size);
        struct liquidated receipt = receipt_with(twin, unit, symbol, STAGE_TAKEOVER, word, ++round, number);
        bool              last;

        done |= UINT64_C(1) << (symbol->id - 1);
        last = largest(twin, unit, done) == NULL;
        share = share_of(unit->equity, own, unit->maintenance, left, last);
        share_worse = share_of(word->at_worse, own, unit->maintenance, left_worse, last);
        lost = share_worse >= 0 || left_worse >= 0 ? 0 : -greatest(share_worse, left_worse);
        left -= share;
        left_worse -= share_worse;
        receipt.share = (int64_t)share;
        receipt.bankruptcy_price = empty_at(twin, symbol, p->is.size, value, share);
        receipt.charge = (int64_t)lost;
        p->is.realized -= (int64_t)share;
        move_position(twin, account, fund, symbol, size, value, price_of(twin, symbol, value, size),
                      receipt.bankruptcy_price, REASON_TAKEOVER);
        to_fund(twin, account, share);
        fund_has_lost(twin, symbol, lost);
        if (share_worse < 0) s->gapped = true;
        else s->cushion += (int64_t)share_worse;
        receipt_says(twin, &receipt, size, value, NULL, 0);
    }
}

/* `keeps`: what the account of a cross unit is to have afterwards. */
static void deleverage_all(struct twin *twin, struct risk *unit, const struct word *word, int128_t keeps)
{
    struct account      *account = unit->account;
    const struct symbol *symbol, *last = NULL;
    int128_t             left = word->at_worse;
    uint64_t             done = 0, number = *number_of(unit);
    uint8_t              round = 0;

    for (; (symbol = largest(twin, unit, done)) != NULL; last = symbol) {
        struct position  *p = &account->positions[symbol->id - 1];
        struct liquidated receipt = receipt_with(twin, unit, symbol, STAGE_ADL, word, ++round, number);
        int128_t          value = value_at_worse(twin, symbol, p), share, subsidy = 0;
        int64_t           wallet = account->wallet, size = magnitude(p->is.size), loss;
        bool              isolated = p->is.margin_mode == MARGIN_ISOLATED;
        struct ranked    *ranking;
        uint32_t          count;

        done |= UINT64_C(1) << (symbol->id - 1);
        share = share_of(word->at_worse, maintenance(twin, symbol, p), unit->maintenance, left,
                         largest(twin, unit, done) == NULL);
        left -= share;
        receipt.share = (int64_t)share;
        receipt.bankruptcy_price = empty_at(twin, symbol, p->is.size, value, share);
        if (share < 0) subsidy = least(-share, fund_may_lose(twin, symbol));
        if (subsidy > 0) {
            to_fund(twin, account, -subsidy);
            fund_has_lost(twin, symbol, subsidy);
        }
        receipt.charge = (int64_t)subsidy;
        if (share < 0) value = p->is.size > 0 ? value - (share + subsidy) : greatest(0, value + share + subsidy);
        p->is.realized -= (int64_t)(share > 0 ? share : -subsidy);
        ranking = deleverage(twin, account, symbol, value, REASON_ADL, &count);
        loss = isolated ? wallet - account->wallet : 0;
        if (isolated) to_fund(twin, account, account->wallet - wallet);
        else if (share > 0) to_fund(twin, account, share);
        fund_loses_beyond(twin, symbol, loss);
        receipt_says(twin, &receipt, size, value, ranking, count);
        free(ranking);
    }
    if (unit->symbol != NULL || account->wallet >= keeps) return;
    fund_loses_beyond(twin, last, keeps - account->wallet);
    to_fund(twin, account, account->wallet - keeps);
}

/* Whether the row goes when its unit has to: nothing is forced on a suspended symbol. */
static bool goes(struct twin *twin, const struct risk *unit, uint32_t i)
{
    return belongs(unit, &unit->account->positions[i]) && !suspended(twin, &twin->genesis.perps[i]);
}

/* How much better the mark is than the worse of mark and index, over what can go. */
static int128_t lag_of(struct twin *twin, const struct risk *unit)
{
    int128_t lag = 0;

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        const struct symbol   *symbol = &twin->genesis.perps[i];
        const struct position *p = &unit->account->positions[i];

        if (!goes(twin, unit, i)) continue;
        lag += p->is.size > 0 ? value_at(twin, symbol, p, mark_of(twin, symbol)) - value_at_worse(twin, symbol, p)
                              : value_at_worse(twin, symbol, p) - value_at(twin, symbol, p, mark_of(twin, symbol));
    }
    return lag;
}

/*
 * The part that is taken over has the unit's equity in proportion to maintenance margin; the suspended rest keeps the
 * remainder.
 */
static void wind_it_up(struct twin *twin, struct risk *unit)
{
    struct risk part = { .account = unit->account, .symbol = unit->symbol };
    struct word word = { 0 };
    int128_t    closed = 0;

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) {
        if (!goes(twin, unit, i)) continue;
        part.maintenance += maintenance(twin, &twin->genesis.perps[i], &unit->account->positions[i]);
        closed += profit(twin, &twin->genesis.perps[i], &unit->account->positions[i], AT_MARK);
    }
    part.equity = part.maintenance < unit->maintenance
                    ? divide_floor(unit->equity * part.maintenance, unit->maintenance)
                    : unit->equity;
    word.at_worse = part.equity - lag_of(twin, unit);
    word.equity = cross_equity(twin, account_by_id(twin, ACCOUNT_FUND), AT_MARK) + part.equity;
    word.refuses = fund_refuses(twin, &part, word.at_worse, &word.carries);
    unit_says(twin, unit, *number_of(unit), word.refuses == 0 ? STAGE_TAKEOVER : STAGE_ADL);
    if (word.refuses == 0) take_it_over(twin, &part, &word);
    else deleverage_all(twin, &part, &word, unit->account->wallet + closed - part.equity);
}

/* ---- the scan ---- */

static void look_after(struct twin *twin, struct risk *unit)
{
    const struct rules *rules = &twin->genesis.rules;
    bool                sick;
    uint64_t            number;

    judge_risk(twin, unit);
    sick = unit->equity < unit->maintenance;
    *tried_of(unit) = twin->price_step;
    if (sick && largest(twin, unit, 0) == NULL) return;
    number = *number_of(unit);
    if (sick) {
        if (number == 0) {
            number = *number_of(unit) = ++twin->next_liquidation;
            *stage_of(unit) = STAGE_BOOK;
            unit_says(twin, unit, number, STAGE_BOOK);
        }
        cancel_orders(twin, unit);
        if (!sell(twin, unit) && unit->equity * rules->take_over_whole < unit->maintenance * rules->take_over_part)
            wind_it_up(twin, unit);
        judge_risk(twin, unit);
    }
    if (number == 0 || unit->equity < unit->maintenance) return;
    *number_of(unit) = 0;
    *stage_of(unit) = 0;
    unit_says(twin, unit, number, STAGE_HEALTHY);
}

/* E/MM ascending, then account, then symbol. */
static bool sicker(const struct risk *a, const struct risk *b)
{
    int128_t left = a->equity * b->maintenance, right = b->equity * a->maintenance;

    if (left != right) return left < right;
    if (a->account->id != b->account->id) return a->account->id < b->account->id;
    return (a->symbol == NULL ? 0 : a->symbol->id) < (b->symbol == NULL ? 0 : b->symbol->id);
}

static bool scan_units(struct twin *twin, bool again, uint32_t *room)
{
    struct risk *units = calloc(twin->account_count * (PERPS_HERE + 1), sizeof(*units));
    uint32_t     count = 0, left;
    bool         found;

    for (uint32_t i = 0; i < twin->account_count; i++)
        for (uint32_t n = 0; n <= twin->genesis.perps_count; n++) {
            struct risk unit = { .account = &twin->accounts[i], .symbol = n == 0 ? NULL : &twin->genesis.perps[n - 1] };

            if (unit.account->id < ACCOUNT_FIRST
                || (n > 0
                    && (unit.account->positions[n - 1].is.size == 0
                        || unit.account->positions[n - 1].is.margin_mode != MARGIN_ISOLATED)))
                continue;
            judge_risk(twin, &unit);
            if (unit.equity >= unit.maintenance && *stage_of(&unit) == 0) continue;
            if (again && *tried_of(&unit) == twin->price_step) continue;
            units[count++] = unit;
        }
    found = count != 0;
    for (left = count; left > 0 && *room > 0; left--, *room -= 1) {
        uint32_t best = UINT32_MAX;

        for (uint32_t i = 0; i < count; i++)
            if (units[i].account != NULL && (best == UINT32_MAX || sicker(&units[i], &units[best]))) best = i;
        look_after(twin, &units[best]);
        units[best].account = NULL;
    }
    free(units);
    if (left > 0) twin->work_left = true;
    return found && left == 0 && *room > 0;
}

/* Steps 8 and 9 of the TICK pipeline. */
void units_tick(struct twin *twin, bool goes_on)
{
    uint32_t room = twin->genesis.rules.liquidations_per_tick;
    bool     again = goes_on, insolvent;

    while (scan_units(twin, again, &room)) again = true;
    if (!goes_on && unwind_fund(twin))
        while (scan_units(twin, true, &room)) continue;
    insolvent = cross_equity(twin, account_by_id(twin, ACCOUNT_FUND), AT_MARK) < 0;
    if (insolvent != twin->insolvent) {
        struct venue_changed *told = TELL(twin, VENUE, venue_changed, MARKET_PERPS);
        twin->insolvent = insolvent;
        told->insolvent = insolvent;
        told->fund = account_by_id(twin, ACCOUNT_FUND)->wallet;
    }
}
