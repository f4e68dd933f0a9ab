/* SPDX-License-Identifier: MIT */
/* workload.c — worlds and commands of the spot side and of the house. */
#include "workload.h"

#define WORLD_TIME INT64_C(1776000000000)
#define FEEDER_USERS 90                     /* numbers of addresses of feeders      */
#define KEY_USERS  50                       /* numbers of addresses that may be keys */

uint32_t dice(struct dice *d, uint32_t n)
{
    uint32_t value = 0;

    for (uint32_t most = n - 1; d->len != 0; d->at++, d->len--) {
        value = value << 8 | *d->at;
        if ((most >>= 8) == 0) { d->at++; d->len--; return value % n; }
    }
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (uint32_t)((d->state >> 32) % n);
}
bool one_in(struct dice *d, uint32_t n) { return dice(d, n) == 0; }

static int64_t pick(struct dice *d, const int64_t *of, uint32_t count) { return of[dice(d, count)]; }
#define PICK(d, ...) pick(d, (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static struct address user(uint32_t n)
{
    struct address address = { { 0xaa } };

    memcpy(address.bytes + 16, &n, sizeof(n));
    return address;
}
static struct client_id text(const char *at) { return client_id_make((struct slice){ at, strlen(at) }); }

/* ---- worlds ---- */

static void fee_rows(struct dice *d, struct fee_table *table)
{
    static const int64_t rates[5][2] = { { 35000, 65000 }, { 30000, 60000 }, { 25000, 50000 }, { 15000, 40000 }, { 10000, 30000 } };
    static const int64_t rebates[3] = { 0, -2000, -4000 }, shares[3] = { 0, 1000000, 3000000 };
    static const int64_t discounts[4] = { 0, 5000000, 10000000, 20000000 };
    int64_t              unit = PICK(d, 1000000, 100000000, 5000000000);

    table->tier_count = 1 + dice(d, 5);
    for (uint32_t i = 0; i < table->tier_count; i++) table->tiers[i] = (struct fee_row){ i * i * unit, rates[i][0], rates[i][1] };
    table->staking_count = 4;
    memcpy(table->staking_discount, discounts, sizeof(discounts));
    table->rebate_count = 1 + dice(d, 3);
    memcpy(table->rebate_rate, rebates, table->rebate_count * sizeof(rebates[0]));
    memcpy(table->rebate_share, shares, table->rebate_count * sizeof(shares[0]));
}

static struct symbol a_symbol(struct dice *d, const struct genesis *g, uint32_t id, const char *name, uint32_t base, uint32_t quote)
{
    struct symbol s = { .id = id, .base_coin_id = base, .quote_coin_id = quote, .market = MARKET_SPOT, .status = SYMBOL_TRADING };
    uint32_t      base_precision = g->coins[base].precision;

    s.name = name_make((struct slice){ name, strlen(name) });
    s.price_precision = dice(d, 4);
    s.quantity_precision = base_precision - dice(d, base_precision < 3 ? base_precision + 1 : 3);
    s.tick_size = PICK(d, 1, 1, 5, 10);
    s.step_size = PICK(d, 1, 1, 10, 1000);
    s.reference_price = one_in(d, 10) ? 0 : 10000 * (1 + dice(d, 30));
    s.min_quantity = one_in(d, 2) ? 0 : s.step_size * (1 + dice(d, 5));
    s.max_quantity = one_in(d, 2) ? 0 : s.step_size * (20000 + dice(d, 1000));
    s.market_min_quantity = one_in(d, 2) ? 0 : s.step_size * (1 + dice(d, 8));
    s.market_max_quantity = one_in(d, 2) ? 0 : s.step_size * (10000 + dice(d, 1000));
    s.min_notional = one_in(d, 2) ? 0 : 1 + dice(d, 100000);
    s.max_notional = one_in(d, 2) ? 0 : INT64_C(1000000000) * (1 + dice(d, 1000));
    s.min_price = one_in(d, 2) ? 0 : s.tick_size * (1 + dice(d, 8000) / (uint32_t)s.tick_size);
    s.max_price = one_in(d, 2) ? 0 : s.tick_size * (1000000 + dice(d, 1000));
    s.buy_limit_up_ratio = PICK(d, 5000000, 1000000, 100000000, INT64_C(100000000000));
    s.sell_limit_down_ratio = PICK(d, 5000000, 1000000, 100000000, 50000000);
    s.market_deviation_ratio = PICK(d, 1000000, 100000, 5000000, 1);
    s.maker_fee = PICK(d, 0, 35000, -1000, -4000, 7);
    s.taker_fee = PICK(d, 65000, 30000, 40001);
    s.fee_discount = PICK(d, 0, 0, 20000000, 33333333);
    return s;
}

static void a_world(struct dice *d, struct genesis *g)
{
    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = WORLD_TIME;
    g->development = dice(d, 2);
    g->coin_count = 4;
    g->coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    g->coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, (uint32_t)PICK(d, 8, 5, 4) };
    g->coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, (uint32_t)PICK(d, 8, 3, 6) };
    g->coins[3] = (struct coin){ name_make(SLICE("vXYZ")), 3, dice(d, 9) };
    g->spot_count = 1 + dice(d, 3);
    g->spot[0] = a_symbol(d, g, 1, "vBTC_vUSDC", 1, 0);
    g->spot[1] = a_symbol(d, g, 2, "vETH_vUSDC", 2, 0);
    g->spot[2] = a_symbol(d, g, 3, "vETH_vBTC", 2, 1);
    fee_rows(d, &g->spot_fees);
    g->rules = (struct rules){ .stp_scope = (uint8_t)(1 + dice(d, 3)), .client_id_reuse = (uint8_t)PICK(d, REUSE_FINISHED, REUSE_FINISHED, REUSE_FILLED), .replace_keeps_place = !one_in(d, 4),
                               .nonce_floor_when_full = (uint8_t)dice(d, 2), .open_orders_per_account = (uint32_t)PICK(d, 0, 9, 20), .schedule_triggers_per_day = (uint32_t)PICK(d, 10, 3, 1) };
    g->limits = (struct limits){ .accounts = 8, .orders = 16 + dice(d, 49), .levels = 12 + dice(d, 40), .signers = 150, .deposits = (uint32_t)PICK(d, 400, 20000), .keys = 6 + dice(d, 6),
                                 .transfers = (uint32_t)PICK(d, 200, 9000) };
    if (g->rules.client_id_reuse == REUSE_FILLED) g->limits.burnt_ids = 200 + dice(d, 4000);
}

static void perps_world(struct workload *work, struct genesis *g)
{
    struct dice *d = &work->dice;

    g->development = 1;                                                     /* prices come by hand */
    g->perps_count = 1 + dice(d, PERPS_HERE);
    g->perps_fees = g->spot_fees;
    g->fund = PICK(d, 0, 1000000, 1000000000, INT64_C(1000000000000));
    g->limits.positions = 64;
    for (uint32_t i = 0; i < g->perps_count; i++) {
        static const char *const names[PERPS_HERE] = { "BTC-USD", "ETH-USD", "SOL-USD" };
        struct symbol           *s = &g->perps[i];
        struct contract         *c = &g->contracts[i];

        *s = (struct symbol){ .id = i + 1, .base_coin_id = 1, .quote_coin_id = COIN_MARGIN, .market = MARKET_PERPS, .status = SYMBOL_TRADING };
        s->name = name_make((struct slice){ names[i], strlen(names[i]) });
        s->price_precision = dice(d, 3);
        s->quantity_precision = (uint32_t)PICK(d, 3, 4, 5);
        s->tick_size = PICK(d, 1, 1, 5);
        s->step_size = PICK(d, 1, 1, 10);
        s->reference_price = 10000 * (1 + dice(d, 30));
        s->min_quantity = s->market_min_quantity = s->step_size;
        s->max_quantity = s->market_max_quantity = 100000000;
        s->min_notional = one_in(d, 2) ? 0 : 1000000;
        s->max_notional = INT64_C(50000000000000);
        s->buy_limit_up_ratio = PICK(d, 5000000, 100000000);
        s->sell_limit_down_ratio = PICK(d, 5000000, 50000000);
        s->market_deviation_ratio = PICK(d, 1000000, 5000000);
        s->maker_fee = PICK(d, 12000, 0, -2000);
        s->taker_fee = PICK(d, 40000, 20000);
        *c = (struct contract){ .tier_count = 3, .init_leverage = (uint32_t)PICK(d, 10, 5, 20), .interest_rate = PICK(d, 10000, 0),
            .tiers = { { .max_notional = INT64_C(1000000000) * (1 + dice(d, 50)), .max_leverage = 25 }, { .max_notional = INT64_C(100000000000), .max_leverage = 20 },
                       { .max_notional = INT64_C(500000000000), .max_leverage = 10 } } };
        if (one_in(d, 3)) c->fund_max_inventory = PICK(d, 1, 100000000, 10000000000);
        if (one_in(d, 2)) { c->spot_symbol_id = 1 + dice(d, g->spot_count > 1 ? 2 : 1); c->spot_impact_notional = PICK(d, 1, 1000000, 100000000); }
        c->open_interest_cap = one_in(d, 3) ? 1000 * (1 + dice(d, 400)) : 0;
        c->open_interest_cap_value = one_in(d, 4) ? INT64_C(1000000000) * (1 + dice(d, 90)) : 0;
    }
    g->rules.armed_stops_per_account = (uint32_t)PICK(d, 100, 5);
    g->rules.triggers_per_command = (uint32_t)PICK(d, 10000, 10000, 3, 1);
    g->rules.settlement_window_ms = (uint32_t)PICK(d, 1000, 5000, 10000);
    g->rules.settlement_notice_ms = (uint32_t)PICK(d, 10000, 30000, 200000);
    g->rules.settlements_per_tick = (uint32_t)PICK(d, 2000, 2000, 3);
    g->rules.liquidations_per_tick = (uint32_t)PICK(d, 1000, 1000, 1, 2);
    g->rules.adl_mode = one_in(d, 3) ? ADL_QUEUE : ADL_FIFTHS;
    g->rules.liquidation_fee = PICK(d, 0, 0, 500000, 100000);
    g->rules.fund_fee_share = PICK(d, 0, 50000000, 33333333);
    if (one_in(d, 3)) { g->rules.take_over_part = 1 + dice(d, 3); g->rules.take_over_whole = 3; }
    g->rules.stop_retry_ticks = (uint32_t)PICK(d, 60, 3);
    g->rules.bracket_mode = one_in(d, 3) ? BRACKET_ANCHOR : BRACKET_PROTECT;
    g->rules.dms_keeps_stops = one_in(d, 3);
    g->rules.strict_position_side = one_in(d, 4);
    g->rules.oracle_quorum = 1;
    if (work->perps >= 3 && !one_in(d, 3)) {
        g->feeder_count = 1 + dice(d, 4);
        g->rules.oracle_quorum = 1 + dice(d, g->feeder_count);
        for (uint32_t i = 0; i < g->feeder_count; i++) g->feeders[i] = (struct feeder){ user(FEEDER_USERS + i), 1 + dice(d, 4) };
        work->hand = one_in(d, 4);
    } else work->hand = 1;
    g->rules.oracle_stale_ms = (uint32_t)PICK(d, 60000, 5000, 1000);
    g->rules.oracle_jump_ticks = (uint32_t)PICK(d, 0, 1, 5);
    g->rules.mark_average_ticks = (uint32_t)PICK(d, 0, 1, 20);
    g->rules.premium_sample_ms = (uint32_t)PICK(d, 0, 1000, 60000);
    g->rules.oracle_jump_ratio = PICK(d, 10000000, 10000000, 500000);
    g->rules.liquidation_buffer = PICK(d, 10000000, 0, 50000000);
    g->rules.liquidation_slippage = PICK(d, 2000000, 100000, 10000000);
    g->rules.fund_loss_ratio = PICK(d, 20000000, 100000000, 0);
}

void workload_world(struct workload *work, uint64_t seed, uint32_t perps, struct genesis *genesis)
{
    memset(work, 0, sizeof(*work));
    work->dice.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 0x1234567;
    for (int i = 0; i < 8; i++) (void)dice(&work->dice, 2);
    work->users = 2 + dice(&work->dice, 5);
    work->edge = 2 + dice(&work->dice, 12);
    work->spread = (uint32_t)PICK(&work->dice, 6, 20, 60, 400);
    for (uint32_t i = 0; i < WEIGHTS; i++) work->weight[i] = one_in(&work->dice, 5) ? 0 : 1 + dice(&work->dice, 9);
    work->weight[0] = 30 + dice(&work->dice, 40);                           /* without orders and money nothing happens */
    work->weight[3] += 2;
    work->operator_id = 100;
    work->time_ms = WORLD_TIME;
    a_world(&work->dice, genesis);
    work->weight[8] = 0;
    if (perps == 0 || seed % 3 == 0) return;                                /* a third of the worlds has no perps */
    work->perps = perps;
    work->rules_every = (uint32_t)PICK(&work->dice, 200, 3000, 3000, 10000, 10000);
    work->risky = perps >= 3 && !one_in(&work->dice, 3);
    work->wild = perps < 3 ? 3 : (uint32_t)PICK(&work->dice, 3, 60, 400, 900);
    work->weight[8] = work->weight[0] * 2;
    perps_world(work, genesis);
    if (!work->risky) return;
    if (one_in(&work->dice, 3)) { work->users = 7 + dice(&work->dice, 9); genesis->limits.accounts = 18; genesis->limits.orders += 60; genesis->limits.levels += 40; }      /* enough of them for fifths */
    work->weight[8] *= 4;
    genesis->rules.client_id_reuse = REUSE_FINISHED;                        /* nobody runs out of names */
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        struct contract *c = &genesis->contracts[i];

        genesis->perps[i].min_notional = one_in(&work->dice, 2) ? 0 : 1000000;
        for (uint32_t t = 0; t < c->tier_count; t++) c->tiers[t].max_notional *= 20;
        if (one_in(&work->dice, 3)) { c->fund_max_inventory = 1; genesis->fund = INT64_C(1000000000000); }
        if (!one_in(&work->dice, 4)) c->open_interest_cap = c->open_interest_cap_value = 0;
    }
}

/* ---- commands ---- */

static void head(struct workload *work, struct command_room *room, uint16_t kind, uint8_t market, size_t payload)
{
    memset(room, 0, sizeof(*room));
    room->head.kind = kind;
    room->head.market = market;
    room->head.bytes = (uint32_t)(sizeof(struct command) + payload);
    room->head.time_ms = work->time_ms;
}

/* A number of units around a limit, on it, or anywhere. */
static int64_t near(struct workload *work, int64_t limit, int64_t step)
{
    return limit + step * ((int64_t)dice(&work->dice, 3) - 1);
}

static struct decimal decimal_units(int64_t units, uint32_t precision)
{
    return units == 0 ? (struct decimal){ 0 } : decimal_of(units, precision);
}

/* A price on the tick near the last one, near a band's end, or somewhere. */
static struct decimal a_price(struct workload *work, const struct twin *twin, const struct symbol *s)
{
    struct dice *d = &work->dice;
    int64_t      last = twin->state[s->market][s->id - 1].last, price;

    if (last == 0) last = s->reference_price != 0 ? s->reference_price : 50000;
    price = last + s->tick_size * ((int64_t)dice(d, work->spread) - work->spread / 2);
    if (one_in(d, work->edge)) {
        switch (dice(d, 5)) {
        case 0: price = near(work, (int64_t)((int128_t)last * (100000000 + s->buy_limit_up_ratio) / 100000000), 1); break;
        case 1: price = near(work, (int64_t)((int128_t)last * (100000000 - s->sell_limit_down_ratio) / 100000000), 1); break;
        case 2: price = near(work, s->min_price, s->tick_size); break;
        case 3: price = near(work, s->max_price, s->tick_size); break;
        default: price = 1 + dice(d, (uint32_t)(last > 1000000000 ? 1000000000 : 2 * last)); break;
        }
    }
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    if (price < 1) price = s->tick_size;
    return decimal_units(price, s->price_precision);
}

static struct decimal a_quantity(struct workload *work, const struct twin *twin, const struct symbol *s, const struct account *account)
{
    struct dice *d = &work->dice;
    int64_t      quantity = s->step_size * (1 + dice(d, one_in(d, 10) ? 12000 : 400));

    if (one_in(d, work->edge)) {
        switch (dice(d, 6)) {
        case 0: quantity = near(work, s->min_quantity, s->step_size); break;
        case 1: quantity = near(work, s->max_quantity, s->step_size); break;
        case 2: quantity = near(work, s->market_min_quantity, s->step_size); break;
        case 3: quantity = near(work, s->market_max_quantity, s->step_size); break;
        default: if (account != NULL && s->market == MARKET_SPOT) quantity = near(work, (int64_t)(available(twin, account, s->base_coin_id) / power10((int)twin->genesis.coins[s->base_coin_id].precision - (int)s->quantity_precision)), 1); break;
        }
    }
    if (!one_in(d, 8 * work->edge)) quantity -= quantity % s->step_size;
    return decimal_units(quantity < 1 ? s->step_size : quantity, s->quantity_precision);
}

static struct client_id an_id(struct workload *work)
{
    char at[16];

    (void)snprintf(at, sizeof(at), "id%u", dice(&work->dice, one_in(&work->dice, 4) || work->risky ? 4000 : 60));
    return text(at);
}

static const struct symbol *some_symbol(struct workload *work, const struct twin *twin) { return &twin->genesis.spot[dice(&work->dice, twin->genesis.spot_count)]; }

static void an_order(struct workload *work, const struct twin *twin, const struct account *account, struct new_order *item)
{
    struct dice         *d = &work->dice;
    const struct symbol *s = some_symbol(work, twin);
    uint32_t             quote = twin->genesis.coins[s->quote_coin_id].precision;

    *item = (struct new_order){ .symbol_id = s->id, .client_id = an_id(work), .side = (uint8_t)(1 + dice(d, 2)), .type = TYPE_LIMIT };
    item->time_in_force = (uint8_t)PICK(d, TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX);
    item->price = a_price(work, twin, s);
    item->quantity = a_quantity(work, twin, s, account);
    if (one_in(d, work->edge) && account != NULL && item->side == SIDE_BUY && item->price.digits != 0) {        /* what there is, to the unit */
        int128_t price;
        int64_t  has = available(twin, account, s->quote_coin_id), all;
        if (units_of(item->price, s->price_precision, &price) && price > 0) {
            all = (int64_t)((int128_t)has * power10((int)(s->price_precision + s->quantity_precision)) / power10((int)quote) / price);
            all = near(work, all - all % s->step_size, s->step_size);
            if (all > 0) item->quantity = decimal_units(all, s->quantity_precision);
        }
    }
    if (one_in(d, 6)) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (one_in(d, 2)) item->price = (struct decimal){ 0 };
        if (item->side == SIDE_BUY && one_in(d, 2)) {
            int64_t funds = 1 + dice(d, 2000000000);

            if (one_in(d, work->edge)) funds = near(work, PICK(d, s->min_notional, s->max_notional, account == NULL ? 1 : available(twin, account, s->quote_coin_id)), 1);
            item->funds = decimal_units(funds < 1 ? 1 : funds, quote + (one_in(d, 60) ? 1 : 0));
            item->quantity = (struct decimal){ 0 };
        }
    }
    if (one_in(d, 70)) item->symbol_id = dice(d, 6);
    if (one_in(d, 70)) item->time_in_force = (uint8_t)(1 + dice(d, 4));
    if (one_in(d, 150)) item->price = (struct decimal){ (int64_t)1 << dice(d, 59), dice(d, 19), 0 };
    if (one_in(d, 150)) item->quantity = (struct decimal){ (int64_t)1 << dice(d, 59), dice(d, 19), 0 };
    if (one_in(d, 150)) item->funds = decimal_units(1 + dice(d, 100), 2);
    if (one_in(d, 200)) item->quantity = (struct decimal){ 0 };
}

static uint64_t an_order_id(struct workload *work, const struct twin *twin, uint8_t market)
{
    struct dice *d = &work->dice;

    if (!one_in(d, 4) && twin->order_count > 0) {
        const struct order *order = &twin->orders[dice(d, twin->order_count)];
        if (order->market == market) return order->is.base.order_id;
    }
    return 1 + dice(d, (uint32_t)(twin->next_order + 2));
}

static void a_cancel(struct workload *work, const struct twin *twin, struct cancel_order *item)
{
    struct dice *d = &work->dice;

    *item = (struct cancel_order){ .symbol_id = some_symbol(work, twin)->id, .client_id = an_id(work) };
    if (one_in(d, 2)) {
        item->order_id = an_order_id(work, twin, MARKET_SPOT);
        for (uint32_t i = 0; i < twin->order_count; i++)
            if (twin->orders[i].is.base.order_id == item->order_id && !one_in(d, 20)) item->symbol_id = twin->orders[i].is.base.symbol_id;
    }
    if (one_in(d, 6)) item->orig_client_id = an_id(work);
    if (one_in(d, 60)) item->symbol_id = dice(d, 6);
}

static void a_replace(struct workload *work, struct twin *twin, uint64_t account_id, struct replace_order *item)
{
    struct dice         *d = &work->dice;
    const struct symbol *s = some_symbol(work, twin);
    const struct order  *order = NULL;

    for (uint32_t i = 0, n = dice(d, 8); i < twin->order_count; i++)
        if (twin->orders[i].market == MARKET_SPOT && twin->orders[i].is.base.account_id == account_id && (order == NULL || n-- > 0)) order = &twin->orders[i];
    *item = (struct replace_order){ .symbol_id = s->id, .client_id = an_id(work) };
    if (order != NULL && !one_in(d, 10)) {
        s = &twin->genesis.spot[order->is.base.symbol_id - 1];
        item->symbol_id = s->id;
        if (one_in(d, 2)) item->orig_order_id = order->is.base.order_id; else item->orig_client_id = one_in(d, 2) && order->alias.len != 0 ? order->alias : order->is.base.client_id;
    } else item->orig_client_id = an_id(work);
    if (one_in(d, 2)) item->price = a_price(work, twin, s);
    if (one_in(d, 2)) item->quantity = a_quantity(work, twin, s, NULL);
    if (order != NULL && one_in(d, 3)) item->quantity = decimal_units(order->is.base.executed + s->step_size * dice(d, 4), s->quantity_precision);
    if (order != NULL && one_in(d, 8)) item->price = decimal_of(order->is.base.price, s->price_precision);
    if (order != NULL && one_in(d, 8)) item->client_id = order->is.base.client_id;
    if (one_in(d, 80)) item->orig_order_id = 1 + dice(d, 99);
    if (one_in(d, 80)) item->symbol_id = dice(d, 6);
}

static void a_transfer(struct workload *work, const struct twin *twin, const struct account *account, struct command_room *room)
{
    struct dice           *d = &work->dice;
    uint8_t                type = (uint8_t)PICK(d, TRANSFER_EVM_WITHDRAW, TRANSFER_PERPS_WITHDRAW, TRANSFER_PERPS_WITHDRAW, TRANSFER_SPOT_WITHDRAW);
    struct transfer_asset *t = &room->transfer_asset;
    uint32_t               coin;
    int64_t                amount;

    head(work, room, CMD_TRANSFER, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, sizeof(*t));
    coin = type == TRANSFER_EVM_WITHDRAW ? dice(d, twin->genesis.coin_count) : COIN_MARGIN;
    amount = 1 + dice(d, 20000000);
    if (account != NULL && one_in(d, work->edge)) amount = near(work, room->head.market == MARKET_PERPS ? account->wallet : available(twin, account, coin), 1);
    *t = (struct transfer_asset){ .id = twin->seq / 40 + dice(d, 60), .to_account_id = ACCOUNT_BRIDGE, .coin_id = coin, .type = type,
                                  .amount = decimal_units(amount < 1 ? 1 : amount, twin->genesis.coins[coin].precision) };
    if (one_in(d, 20)) t->coin_id = dice(d, 6);
    if (one_in(d, 20)) t->type = (uint8_t)dice(d, 10);
    if (one_in(d, 20)) t->to_account_id = 995 + dice(d, 10);
    if (one_in(d, 20)) t->amount = (struct decimal){ (int64_t)1 << dice(d, 59), dice(d, 19), 0 };
    if (one_in(d, 20)) t->id = 1 + dice(d, 5);
}

static void a_key(struct workload *work, struct command_room *room)
{
    struct dice *d = &work->dice;
    char         name[8];

    (void)snprintf(name, sizeof(name), "k%u", dice(d, 7));
    if (one_in(d, 3)) {
        head(work, room, CMD_REVOKE_KEY, 0, sizeof(struct revoke_key));
        room->revoke_key.name = text(name);
    } else {
        head(work, room, CMD_ADD_KEY, 0, sizeof(struct add_key));
        room->add_key = (struct add_key){ .name = text(name), .key_type = KEY_EVM, .public_key = user(one_in(d, 15) ? 1 + dice(d, work->users) : KEY_USERS + dice(d, 12)) };
        room->add_key.permissions = one_in(d, 3) ? dice(d, 16) : 0;
        if (one_in(d, 4)) room->add_key.expires_ms = (uint64_t)(work->time_ms - 2 + (one_in(d, 2) ? dice(d, 5) : dice(d, 100000)));
        if (one_in(d, 40)) room->add_key.name = text("default");
    }
}

static struct operator_id an_operator_id(struct workload *work)
{
    struct operator_id id = { { 0 } };
    uint64_t           number = one_in(&work->dice, 4) ? 1 + dice(&work->dice, 9) : ++work->operator_id;

    memcpy(id.bytes, &number, sizeof(number));
    return id;
}

static void a_deposit(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct dice *d = &work->dice;
    uint32_t     coin = dice(d, twin->genesis.coin_count), who = 1 + dice(d, work->users);
    int64_t      unit = (int64_t)power10((int)twin->genesis.coins[coin].precision), amount = unit * (int64_t)(1 + dice(d, coin == 0 ? 100000 : 50)) / (1 + dice(d, 3));

    if (one_in(d, 10 * work->edge)) amount = near(work, AMOUNT_MAX - twin->inside[coin], 1);
    if (amount > 0 && amount > (AMOUNT_MAX >> 8) && !one_in(d, 50)) amount = unit;      /* a full coin is the end of deposits: seldom */
    head(work, room, CMD_DEPOSIT, 0, sizeof(struct deposit));
    room->deposit = (struct deposit){ .address = user(one_in(d, 60) ? KEY_USERS + dice(d, 12) : who), .coin_id = coin, .amount = amount < 1 ? 1 : amount, .engine = MARKET_SPOT,
                                      .account_id = one_in(d, 5) ? ACCOUNT_FIRST + dice(d, 9) : 0, .id = an_operator_id(work) };
    if (one_in(d, work->risky ? 2 : 4)) { room->deposit.engine = MARKET_PERPS; room->deposit.coin_id = one_in(d, 8) ? coin : 0; }
    if (one_in(d, 60)) room->deposit.coin_id = 9;
}

static void a_house_command(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct dice    *d = &work->dice;
    struct account *account = &twin->accounts[dice(d, twin->account_count)];
    struct address  who = one_in(d, 5) ? user(1 + dice(d, 70)) : account->owner;
    uint32_t        coin = dice(d, twin->genesis.coin_count);
    int64_t         step = one_in(d, 4) ? dice(d, 100000) : 0;

    switch (dice(d, 5)) {
    case 3:
        head(work, room, CMD_CANCEL_FOR, 0, sizeof(struct cancel_for));
        room->cancel_for = (struct cancel_for){ .engine = (uint8_t)dice(d, 3), .id = an_operator_id(work) };
        if (one_in(d, 2)) room->cancel_for.symbol_id = dice(d, 4);
        if (!one_in(d, 3)) room->cancel_for.account_id = (uint32_t)account->id;
        break;
    case 0:
        head(work, room, CMD_REDEEM, 0, sizeof(struct redeem));
        room->redeem = (struct redeem){ .address = who, .coin_id = coin, .id = an_operator_id(work), .amount = one_in(d, 3) ? near(work, account->evm[coin], 1) : 1 + dice(d, 3000000) };
        if (room->redeem.amount < 1) room->redeem.amount = 1;
        break;
    case 1:
        head(work, room, CMD_OPEN_ACCOUNT, 0, sizeof(struct open_account));
        room->open_account = (struct open_account){ .owner = who, .id = an_operator_id(work) };
        break;
    case 2:
        head(work, room, CMD_ADVANCE_TIME, 0, sizeof(struct advance_time));
        room->advance_time.offset_ms = twin->offset_ms + step - (one_in(d, 8) ? 1 : 0);
        break;
    default:
        head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
        room->set_market = (struct set_market){ .symbol_id = 1 + dice(d, one_in(d, 10) ? 6 : twin->genesis.spot_count), .engine = MARKET_SPOT, .status = one_in(d, 8) ? SYMBOL_HALT : SYMBOL_TRADING,
                                                .id = an_operator_id(work) };
        break;
    }
}

/* ---- perps ---- */

static void a_perps_order(struct workload *work, const struct twin *twin, const struct account *account, const struct symbol *s, struct perps_order *item)
{
    struct dice *d = &work->dice;
    int64_t      mark = twin->state[MARKET_PERPS][s->id - 1].mark, price = mark + s->tick_size * ((int64_t)dice(d, work->spread) - work->spread / 2);
    int64_t      size = account == NULL ? 0 : account->positions[s->id - 1].is.size, quantity = s->step_size * (1 + dice(d, one_in(d, 10) ? 4000 : 300));

    *item = (struct perps_order){ .client_id = an_id(work), .modifier = MODIFIER_NORMAL, .side = (uint8_t)(1 + dice(d, 2)), .type = TYPE_LIMIT, .position_side = POSITION_BOTH };
    item->time_in_force = (uint8_t)PICK(d, TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX);
    item->reduce_only = one_in(d, 6);
    if (one_in(d, 20)) item->position_side = (uint8_t)(1 + dice(d, 3));
    if (item->reduce_only && !one_in(d, 5)) item->side = size > 0 ? SIDE_SELL : SIDE_BUY;
    if (work->risky && account != NULL && account->wallet > 0 && mark > 0 && !item->reduce_only && one_in(d, 3)) {       /* as much as there is margin for, or nearly */
        int      k = 6 - (int)s->price_precision - (int)s->quantity_precision;
        int128_t most = (int128_t)account->wallet * account->positions[s->id - 1].is.leverage, x = k >= 0 ? most / (mark * power10(k)) : most * power10(-k) / mark;

        x = x * (5 + dice(d, 14)) / 20;
        if (x > 0 && x < 100000000) quantity = (int64_t)x;
    }
    if (size != 0 && one_in(d, 4)) quantity = near(work, size > 0 ? size : -size, s->step_size);
    if (one_in(d, work->edge)) price = near(work, (int64_t)((int128_t)mark * (item->side == SIDE_BUY ? 100000000 + s->buy_limit_up_ratio : 100000000 - s->sell_limit_down_ratio) / 100000000), 1);
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    if (!one_in(d, 8 * work->edge)) quantity -= quantity % s->step_size;
    if (price < 1) price = s->tick_size;
    if (quantity < 1) quantity = s->step_size;
    item->price = decimal_units(price, s->price_precision);
    item->quantity = decimal_units(quantity, s->quantity_precision);
    if (one_in(d, 6)) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (one_in(d, 2)) item->price = (struct decimal){ 0 };
        if (item->side == SIDE_BUY && !item->reduce_only && one_in(d, 6)) {
            item->funds = decimal_units(1 + dice(d, 2000000000), 6);
            item->quantity = (struct decimal){ 0 };
        }
    }
}

/* A stop price around what it refers to: now and then where it would fire at once, or on the wrong side of a tick. */
static struct decimal a_stop_price(struct workload *work, const struct twin *twin, const struct symbol *s, uint8_t trigger, bool above)
{
    struct dice *d = &work->dice;
    int64_t      reference = reference_now(twin, s, trigger), away = s->tick_size * (int64_t)dice(d, one_in(d, 3) ? 2000 : work->spread + 2), price;

    if (reference == 0) reference = twin->state[MARKET_PERPS][s->id - 1].mark;
    price = one_in(d, 12) ? reference + s->tick_size * ((int64_t)dice(d, 3) - 1) : above ? reference + away : reference - away;
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    return decimal_units(price < 1 ? s->tick_size : price, s->price_precision);
}

static void a_stop(struct workload *work, const struct twin *twin, const struct symbol *s, struct perps_order *item)
{
    struct dice *d = &work->dice;

    item->funds = (struct decimal){ 0 };
    if (item->quantity.digits == 0) item->quantity = decimal_units(s->step_size * (1 + dice(d, 300)), s->quantity_precision);
    item->stop_type = (uint8_t)(1 + dice(d, 2));
    item->trigger_type = (uint8_t)(1 + dice(d, 3));
    item->stop_price = a_stop_price(work, twin, s, item->trigger_type, (item->side == SIDE_SELL) == (item->stop_type == STOP_TAKE_PROFIT));
    if (one_in(d, 2)) { item->type = TYPE_MARKET; item->time_in_force = TIF_IOC; if (!one_in(d, 4)) item->price = (struct decimal){ 0 }; }
    else {
        item->type = TYPE_LIMIT;
        if (item->price.digits == 0) item->price = a_price(work, twin, s);
    }
}

/* A STOP on a position or alone. */
static void a_lone_stop(struct workload *work, const struct twin *twin, const struct account *account, const struct symbol *s, struct perps_order *item)
{
    struct dice *d = &work->dice;
    int64_t      size = account == NULL ? 0 : account->positions[s->id - 1].is.size;

    item->modifier = MODIFIER_STOP;
    if (size != 0 && !one_in(d, 4)) { item->reduce_only = 1; item->position_side = POSITION_BOTH; if (!one_in(d, 12)) item->side = size > 0 ? SIDE_SELL : SIDE_BUY; }
    a_stop(work, twin, s, item);
    if (item->reduce_only && one_in(d, 2)) item->quantity = (struct decimal){ 0 };
}

static void a_bracket(struct workload *work, struct twin *twin, const struct account *account, const struct symbol *s, struct place_perps *place)
{
    struct dice *d = &work->dice;
    uint32_t     profit = 1 + dice(d, 2);

    place->count = 2 + dice(d, 2);
    place->symbol_id = s->id;
    for (uint32_t i = 0; i < place->count; i++) {
        struct perps_order *item = &place->items[i];

        a_perps_order(work, twin, account, s, item);
        if (i == 0) {
            item->modifier = MODIFIER_BRACKET;
            item->reduce_only = 0;
            if (item->position_side != POSITION_BOTH) item->position_side = item->side == SIDE_BUY ? POSITION_LONG : POSITION_SHORT;
            continue;
        }
        item->modifier = MODIFIER_ATTACHED_STOP;
        item->side = place->items[0].side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
        item->reduce_only = 1;
        item->position_side = POSITION_BOTH;
        a_stop(work, twin, s, item);
        item->stop_type = place->count == 2 || i == profit ? STOP_TAKE_PROFIT : STOP_LOSS;
        item->stop_price = a_stop_price(work, twin, s, item->trigger_type, (item->side == SIDE_SELL) == (item->stop_type == STOP_TAKE_PROFIT));
        if (one_in(d, 2)) item->quantity = (struct decimal){ 0 };
        else if (one_in(d, 3)) item->quantity = place->items[0].quantity;
        if (item->type == TYPE_LIMIT && item->quantity.digits == 0 && one_in(d, 2)) item->quantity = place->items[0].quantity;
    }
}

static void a_modify(struct workload *work, struct twin *twin, const struct account *account, const struct symbol *s, struct modify_order *modify)
{
    struct dice        *d = &work->dice;
    const struct order *stop = NULL;

    for (uint32_t i = 0, n = dice(d, 6); i < twin->order_count; i++)
        if (account != NULL && is_stop(&twin->orders[i]) && twin->orders[i].is.base.account_id == account->id && (stop == NULL || n-- > 0)) stop = &twin->orders[i];
    if (stop != NULL) s = &twin->genesis.perps[stop->is.base.symbol_id - 1];
    modify->symbol_id = one_in(d, 40) ? dice(d, 5) : s->id;
    if (stop == NULL || one_in(d, 2)) modify->client_id = stop == NULL || one_in(d, 20) ? an_id(work) : stop->is.base.client_id;
    else modify->order_id = stop->is.base.order_id + (one_in(d, 20) ? 1 : 0);
    if (one_in(d, 2)) modify->stop_price = a_stop_price(work, twin, s, stop == NULL ? TRIGGER_MARK_PRICE : stop->is.trigger_type, stop == NULL || (stop->is.base.side == SIDE_SELL) == (stop->is.stop_type == STOP_TAKE_PROFIT));
    if (one_in(d, 3)) modify->quantity = a_quantity(work, twin, s, account);
    if (modify->quantity.digits == 0 && modify->stop_price.digits == 0) modify->price = a_price(work, twin, s);
}

static void a_perps_command(struct workload *work, struct twin *twin, struct command_room *room, const struct account *account)
{
    struct dice         *d = &work->dice;
    const struct symbol *s = &twin->genesis.perps[dice(d, twin->genesis.perps_count)];
    uint32_t             what = dice(d, 100), count = 1 + (one_in(d, 4) ? dice(d, 3) : 0);
    const struct order  *order = NULL;

    for (uint32_t i = 0, n = dice(d, 6); i < twin->order_count; i++)
        if (account != NULL && twin->orders[i].market == MARKET_PERPS && twin->orders[i].is.base.account_id == account->id && (order == NULL || n-- > 0)) order = &twin->orders[i];
    if (work->perps >= 2 && what < 8) {
        head(work, room, CMD_PLACE_PERPS, MARKET_PERPS, PAYLOAD_BYTES(place_perps, 3));
        a_bracket(work, twin, account, s, &room->place_perps);
        room->head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_perps, room->place_perps.count));
        if (one_in(d, 100)) room->place_perps.symbol_id = 9;
    } else if (work->perps >= 2 && what < 14) {
        head(work, room, CMD_MODIFY_ORDER, MARKET_PERPS, sizeof(struct modify_order));
        a_modify(work, twin, account, s, &room->modify_order);
    } else if (what < 65) {
        head(work, room, CMD_PLACE_PERPS, MARKET_PERPS, PAYLOAD_BYTES(place_perps, count));
        room->place_perps.symbol_id = one_in(d, 100) ? 9 : s->id;
        room->place_perps.count = count;
        for (uint32_t i = 0; i < count; i++) {
            a_perps_order(work, twin, account, s, &room->place_perps.items[i]);
            if (work->perps >= 2 && one_in(d, 5)) a_lone_stop(work, twin, account, s, &room->place_perps.items[i]);
        }
    } else if (what < 75) {
        head(work, room, CMD_CANCEL_PERPS, MARKET_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
        room->cancel_perps.count = 1;
        room->cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = order == NULL || one_in(d, 20) ? s->id : order->is.base.symbol_id };
        if (order == NULL || one_in(d, 2)) room->cancel_perps.items[0].client_id = an_id(work);
        else room->cancel_perps.items[0].order_id = order->is.base.order_id + (one_in(d, 9) ? 1 : 0);
    } else if (what < 87) {
        struct replace_order *item = &room->replace_orders.items[0];
        struct perps_order    like;

        head(work, room, CMD_REPLACE_ORDERS, MARKET_PERPS, PAYLOAD_BYTES(replace_orders, 1));
        room->replace_orders.count = 1;
        if (order != NULL) s = &twin->genesis.perps[order->is.base.symbol_id - 1];
        a_perps_order(work, twin, account, s, &like);
        *item = (struct replace_order){ .symbol_id = s->id, .client_id = an_id(work) };
        if (order != NULL && one_in(d, 2)) item->orig_order_id = order->is.base.order_id; else item->orig_client_id = order != NULL ? order->is.base.client_id : an_id(work);
        if (one_in(d, 2)) item->price = like.price;
        if (item->price.digits == 0 || one_in(d, 2)) item->quantity = like.quantity;
        if (item->price.digits == 0 && item->quantity.digits == 0) item->quantity = decimal_units(s->step_size, s->quantity_precision);
        if (order != NULL && one_in(d, 4)) item->quantity = decimal_units(order->is.base.executed + s->step_size * dice(d, 4), s->quantity_precision);
        if (item->price.digits == 0 && item->quantity.digits == 0) item->quantity = decimal_units(s->step_size, s->quantity_precision);
        if (order != NULL && one_in(d, 6)) item->client_id = order->is.base.client_id;
    } else if (what < 93) {
        head(work, room, CMD_UPDATE_LEVERAGE, MARKET_PERPS, sizeof(struct update_leverage));
        room->update_leverage = (struct update_leverage){ .symbol_id = s->id, .leverage = one_in(d, work->edge) ? 24 + dice(d, 3) : dice(d, 25), .margin_mode = (uint8_t)(1 + dice(d, 2)) };
    } else {
        int64_t amount = 1 + dice(d, 200000000);

        if (account != NULL && one_in(d, work->edge)) amount = near(work, (int64_t)available_isolated(twin, account), 1);
        if (amount < 1) amount = 1;
        head(work, room, CMD_UPDATE_MARGIN, MARKET_PERPS, sizeof(struct update_margin));
        room->update_margin = (struct update_margin){ .symbol_id = s->id, .amount = decimal_units(amount, 6) };
        if (one_in(d, 2)) room->update_margin.amount.digits = -room->update_margin.amount.digits;
    }
}

/* The house and a perps symbol: halted (not for long), only to be reduced, delisted (now and then). */
static void a_perps_rule(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct dice               *d = &work->dice;
    uint32_t                   id = 1 + dice(d, one_in(d, 40) ? 5 : twin->genesis.perps_count);
    const struct symbol_state *s = &twin->state[MARKET_PERPS][(id - 1) % SYMBOLS_MAX];
    int64_t                    notice = twin->genesis.rules.settlement_notice_ms;

    if (one_in(d, work->rules_every < 1000 ? 3 : 6)) {
        head(work, room, CMD_SETTLE, 0, sizeof(struct settle_symbol));
        room->settle_symbol = (struct settle_symbol){ .symbol_id = id, .at_ms = work->time_ms + notice + (one_in(d, 4) ? (int64_t)dice(d, 3) - 1 : 1000 * dice(d, 60)), .id = an_operator_id(work) };
        if (s->phase == PHASE_SETTLING && !one_in(d, 6)) room->settle_symbol.at_ms = 0;
        if (s->phase == PHASE_OPEN && one_in(d, 6)) room->settle_symbol.at_ms = 0;
        if (one_in(d, 60)) room->settle_symbol.at_ms = INT64_MAX;
        return;
    }
    head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
    room->set_market = (struct set_market){ .symbol_id = id, .engine = MARKET_PERPS, .status = (uint8_t)PICK(d, SYMBOL_TRADING, SYMBOL_HALT, SYMBOL_REDUCE_ONLY), .id = an_operator_id(work) };
    if (one_in(d, 60)) room->set_market.engine = MARKET_SPOT;
}

/* A second goes by, or an hour ends, or somebody says a price. */
static bool a_perps_second(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct dice               *d = &work->dice;
    uint32_t                   id = 1 + dice(d, twin->genesis.perps_count);
    const struct symbol_state *s = &twin->state[MARKET_PERPS][id - 1];

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++)                /* neither lasts */
        if ((twin->state[MARKET_PERPS][i].status == SYMBOL_HALT || twin->state[MARKET_PERPS][i].phase == PHASE_REDUCE_ONLY) && one_in(d, 60)) {
            head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
            room->set_market = (struct set_market){ .symbol_id = i + 1, .engine = MARKET_PERPS, .status = SYMBOL_TRADING, .id = an_operator_id(work) };
            return true;
        }
    if (work->perps >= 3 && one_in(d, work->rules_every)) { a_perps_rule(work, twin, room); return true; }
    if (!work->hand && one_in(d, 6)) {
        uint32_t            who = dice(d, one_in(d, 50) ? 16 : twin->genesis.feeder_count);
        struct oracle_post *post = &room->oracle_post;

        head(work, room, CMD_ORACLE_POST, 0, PAYLOAD_BYTES(oracle_post, twin->genesis.perps_count));
        room->head.domain = one_in(d, 60) ? DOMAIN_SPOT : DOMAIN_ORACLE;
        room->head.signer = user(FEEDER_USERS + who);
        post->seq = (who < FEEDERS_MAX ? twin->feeder_seq[who] : 0) + (one_in(d, 30) ? 0 : 1 + dice(d, 3));
        room->head.nonce = post->seq;
        post->timestamp_ms = work->time_ms - twin->offset_ms + (one_in(d, 30) ? PICK(d, -30001, -30000, 5000, 5001) : 0);
        post->count = twin->genesis.perps_count;
        for (uint32_t i = 0; i < post->count; i++) {
            int64_t near_ = twin->state[MARKET_PERPS][i].index, wild = one_in(d, 20) ? 1500 : work->wild;
            post->items[i].symbol_id = one_in(d, 300) ? dice(d, 5) : i + 1;
            post->items[i].price = near_ + (int64_t)((int128_t)near_ * ((int64_t)dice(d, (uint32_t)(2 * wild + 1)) - wild) / 10000);
            if (post->items[i].price < 1000) post->items[i].price = one_in(d, 100) ? 0 : 1000;
            if (one_in(d, 3)) post->items[i].perp_mid = post->items[i].price + (int64_t)dice(d, 100) - 50;
        }
        return true;
    }
    if (work->hand && one_in(d, work->risky ? 7 : 12)) {
        int64_t price = s->index + (int64_t)((int128_t)s->index * ((int64_t)dice(d, 2 * work->wild + 1) - work->wild) / 10000);

        head(work, room, CMD_SET_INDEX, 0, sizeof(struct set_index));
        room->set_index = (struct set_index){ .symbol_id = id, .by_hand = !one_in(d, 5), .price = price < 1000 ? 1000 : price };
        return true;
    }
    if (one_in(d, work->risky ? 5 : 8)) {
        int64_t hour = (work->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;

        work->time_ms += one_in(d, 20) ? 1 : 1000;
        if (work->time_ms > hour || one_in(d, 150)) work->time_ms = hour;
        head(work, room, CMD_TICK, 0, sizeof(struct tick));
        return true;
    }
    return false;
}

/* Somebody signs: the wallet, a key, or one who may not; now and then with a nonce at an end of what is allowed. */
static void sign(struct workload *work, struct twin *twin, struct command_room *room, uint32_t who, const struct account *account)
{
    struct dice   *d = &work->dice;
    int64_t        t = work->time_ms - twin->offset_ms;
    struct command *head_of = &room->head;

    head_of->domain = head_of->kind == CMD_ADD_KEY || head_of->kind == CMD_REVOKE_KEY ? DOMAIN_UNIVERSAL : head_of->market == MARKET_PERPS ? DOMAIN_FUTURES : DOMAIN_SPOT;
    head_of->chain_id = 286623;
    head_of->signer = user(who);
    head_of->nonce = (uint64_t)t + (++work->nonce % 50000);
    head_of->payload_tag = work->nonce;
    room->place_orders.account_id = account != NULL && one_in(d, 2) ? account->id : 0;          /* every payload begins with it */
    if (account != NULL && !account->primary) room->place_orders.account_id = account->id;
    if (one_in(d, 5) && twin->key_count > 0) {
        const struct key *key = &twin->keys[dice(d, twin->key_count)];

        head_of->signer = key->is.public_key;
        head_of->key_id = one_in(d, 30) ? dice(d, 40) : key->is.key_id;
        room->place_orders.account_id = one_in(d, 10) ? ACCOUNT_FIRST + dice(d, 9) : key->is.account_id;
    }
    if (one_in(d, 60)) head_of->signer = user(1 + dice(d, 70));
    if (one_in(d, 80)) room->place_orders.account_id = (uint64_t)PICK(d, 1, 2, 999, 1000, 1001, 1002, 1009);
    if (one_in(d, 40)) {
        switch (dice(d, 4)) {
        case 0: head_of->nonce = (uint64_t)near(work, t - 2 * DAY_MS, 1); break;
        case 1: head_of->nonce = (uint64_t)near(work, t + DAY_MS, 1); break;
        case 2: head_of->nonce = work->used_nonce[dice(d, 64)]; break;
        default: if (twin->nonces_count > 0) {
            const struct nonces *set = &twin->nonces[dice(d, twin->nonces_count)];
            if (set->count > 0) head_of->nonce = set->at[0].nonce + dice(d, 3) - 1;
        }
        }
    }
    work->used_nonce[dice(d, 64)] = head_of->nonce;
}

/* Time goes on; a midnight on the way is told by a TICK at it before anything else (ruling 28). */
static bool a_tick(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct dice *d = &work->dice;
    int64_t      to = work->time_ms + dice(d, 400), midnight = (work->time_ms / DAY_MS + 1) * DAY_MS;
    bool         tick = false;

    if (one_in(d, 30)) { to += dice(d, 9000); tick = true; }
    if (one_in(d, 1500)) { to += DAY_MS / 4 * (1 + dice(d, 8)); tick = true; }
    (void)twin;
    if (to >= midnight) { to = midnight; tick = true; }
    work->time_ms = to;
    if (!tick) return false;
    head(work, room, CMD_TICK, 0, sizeof(struct tick));
    return true;
}

void workload_next(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct dice    *d = &work->dice;
    uint32_t        all = 0, kind = 0, who = 1 + dice(d, work->users), count = 1 + (one_in(d, 3) ? dice(d, 4) : 0), at;
    struct address  owner = user(who);
    struct account *account = account_by_owner(twin, &owner);

    if (work->perps != 0 ? a_perps_second(work, twin, room) : a_tick(work, twin, room)) return;
    if (account != NULL && one_in(d, 4)) {                                  /* a sub-account */
        struct account *sub = &twin->accounts[dice(d, twin->account_count)];
        if (sub->user_id == account->user_id) account = sub;
    }
    for (uint32_t i = 0; i < twin->genesis.spot_count; i++)                 /* a halt does not last */
        if (twin->state[MARKET_SPOT][i].status == SYMBOL_HALT && one_in(d, 20)) {
            head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
            room->set_market = (struct set_market){ .symbol_id = i + 1, .engine = MARKET_SPOT, .status = SYMBOL_TRADING, .id = an_operator_id(work) };
            return;
        }
    for (uint32_t i = 0; i < 9; i++) all += work->weight[i];
    for (at = dice(d, all); at >= work->weight[kind]; kind++) at -= work->weight[kind];
    switch (kind) {
    case 0:
        head(work, room, CMD_PLACE_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(place_orders, count));
        room->place_orders.count = count;
        for (uint32_t i = 0; i < count; i++) an_order(work, twin, account, &room->place_orders.items[i]);
        break;
    case 1:
        head(work, room, CMD_CANCEL_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(cancel_orders, count));
        room->cancel_orders.count = count;
        for (uint32_t i = 0; i < count; i++) a_cancel(work, twin, &room->cancel_orders.items[i]);
        break;
    case 2:
        head(work, room, CMD_REPLACE_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(replace_orders, count));
        room->replace_orders.count = count;
        for (uint32_t i = 0; i < count; i++) a_replace(work, twin, account == NULL ? 0 : account->id, &room->replace_orders.items[i]);
        break;
    case 3: a_deposit(work, twin, room); return;
    case 4: a_transfer(work, twin, account, room); break;
    case 5: a_key(work, room); break;
    case 6: a_house_command(work, twin, room); return;
    case 8: a_perps_command(work, twin, room, account); break;
    default:
        head(work, room, CMD_SCHEDULE_CANCEL, (uint8_t)(1 + dice(d, 2)), sizeof(struct schedule_cancel));
        room->schedule_cancel.scheduled_ms = (struct optional_u64){ (uint64_t)(work->time_ms + (one_in(d, 3) ? 4999 + dice(d, 3) : 4000 + dice(d, 20000))), !one_in(d, 5) };
        if (one_in(d, 20)) room->schedule_cancel.scheduled_ms.value = (uint64_t)((work->time_ms / DAY_MS + 1) * DAY_MS - 1 + dice(d, 2));
        break;
    }
    sign(work, twin, room, who, account);
}
