/* SPDX-License-Identifier: MIT */
/* workload_world.c — the world of a seed: its coins and symbols, fees, limits and rules. */
#include "workload_inside.h"

#define WORLD_TIME INT64_C(1776000000000)

static void fee_rows(struct random_state *d, struct fee_table *table)
{
    static const int64_t rates[5][2] = {
        { 35000, 65000 }, { 30000, 60000 }, { 25000, 50000 }, { 15000, 40000 }, { 10000, 30000 }
    };
    static const int64_t rebates[3] = { 0, -2000, -4000 }, shares[3] = { 0, 1000000, 3000000 };
    static const int64_t discounts[4] = { 0, 5000000, 10000000, 20000000 };
    int64_t              unit = PICK(d, 1000000, 100000000, 5000000000);

    table->tier_count = 1 + random_below(d, 5);
    for (uint32_t i = 0; i < table->tier_count; i++)
        table->tiers[i] = (struct fee_row){ i * i * unit, rates[i][0], rates[i][1] };
    table->staking_count = 4;
    memcpy(table->staking_discount, discounts, sizeof(discounts));
    table->rebate_count = 1 + random_below(d, 3);
    memcpy(table->rebate_rate, rebates, table->rebate_count * sizeof(rebates[0]));
    memcpy(table->rebate_share, shares, table->rebate_count * sizeof(shares[0]));
}

static struct symbol a_symbol(struct random_state *d, const struct genesis *g, uint32_t id, const char *name,
                              uint32_t base, uint32_t quote)
{
    struct symbol s = {
        .id = id, .base_coin_id = base, .quote_coin_id = quote, .market = MARKET_SPOT, .status = SYMBOL_TRADING
    };
    uint32_t base_precision = g->coins[base].precision;

    s.name = name_make((struct slice){ name, strlen(name) });
    s.price_precision = random_below(d, 4);
    s.quantity_precision = base_precision - random_below(d, base_precision < 3 ? base_precision + 1 : 3);
    s.tick_size = PICK(d, 1, 1, 5, 10);
    s.step_size = PICK(d, 1, 1, 10, 1000);
    s.reference_price = one_in(d, 10) ? 0 : 10000 * (1 + random_below(d, 30));
    s.min_quantity = one_in(d, 2) ? 0 : s.step_size * (1 + random_below(d, 5));
    s.max_quantity = one_in(d, 2) ? 0 : s.step_size * (20000 + random_below(d, 1000));
    s.market_min_quantity = one_in(d, 2) ? 0 : s.step_size * (1 + random_below(d, 8));
    s.market_max_quantity = one_in(d, 2) ? 0 : s.step_size * (10000 + random_below(d, 1000));
    s.min_notional = one_in(d, 2) ? 0 : 1 + random_below(d, 100000);
    s.max_notional = one_in(d, 2) ? 0 : INT64_C(1000000000) * (1 + random_below(d, 1000));
    s.min_price = one_in(d, 2) ? 0 : s.tick_size * (1 + random_below(d, 8000) / (uint32_t)s.tick_size);
    s.max_price = one_in(d, 2) ? 0 : s.tick_size * (1000000 + random_below(d, 1000));
    s.buy_limit_up_ratio = PICK(d, 5000000, 1000000, 100000000, INT64_C(100000000000));
    s.sell_limit_down_ratio = PICK(d, 5000000, 1000000, 100000000, 50000000);
    s.market_deviation_ratio = PICK(d, 1000000, 100000, 5000000, 1);
    s.maker_fee = PICK(d, 0, 35000, -1000, -4000, 7);
    s.taker_fee = PICK(d, 65000, 30000, 40001);
    s.fee_discount = PICK(d, 0, 0, 20000000, 33333333);
    return s;
}

static void a_world(struct random_state *d, struct genesis *g)
{
    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = WORLD_TIME;
    g->development = random_below(d, 2);
    g->coin_count = 4;
    g->coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    g->coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, (uint32_t)PICK(d, 8, 5, 4) };
    g->coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, (uint32_t)PICK(d, 8, 3, 6) };
    g->coins[3] = (struct coin){ name_make(SLICE("vXYZ")), 3, random_below(d, 9) };
    g->spot_count = 1 + random_below(d, 3);
    g->spot[0] = a_symbol(d, g, 1, "vBTC_vUSDC", 1, 0);
    g->spot[1] = a_symbol(d, g, 2, "vETH_vUSDC", 2, 0);
    g->spot[2] = a_symbol(d, g, 3, "vETH_vBTC", 2, 1);
    fee_rows(d, &g->spot_fees);
    g->rules.stp_scope = (uint8_t)(1 + random_below(d, 3));
    g->rules.client_id_reuse = (uint8_t)PICK(d, REUSE_FINISHED, REUSE_FINISHED, REUSE_FILLED);
    g->rules.replace_keeps_place = !one_in(d, 4);
    g->rules.nonce_floor_when_full = (uint8_t)random_below(d, 2);
    g->rules.open_orders_per_account = (uint32_t)PICK(d, 0, 9, 20);
    g->rules.schedule_triggers_per_day = (uint32_t)PICK(d, 10, 3, 1);
    g->limits.accounts = 8;
    g->limits.orders = 16 + random_below(d, 49);
    g->limits.levels = 12 + random_below(d, 40);
    g->limits.signers = 150;
    g->limits.deposits = (uint32_t)PICK(d, 400, 20000);
    g->limits.keys = 6 + random_below(d, 6);
    g->limits.transfers = (uint32_t)PICK(d, 200, 9000);
    if (g->rules.client_id_reuse == REUSE_FILLED) g->limits.burnt_ids = 200 + random_below(d, 4000);
}

static void perps_world(struct workload *work, struct genesis *g)
{
    struct random_state *d = &work->random_state;

    g->development = 1; /* prices come by hand */
    g->prices_by_hand = work->begins_priced;
    g->perps_count = 1 + random_below(d, PERPS_HERE);
    g->perps_fees = g->spot_fees;
    g->fund = PICK(d, 0, 1000000, 1000000000, INT64_C(1000000000000));
    g->limits.positions = 64;
    for (uint32_t i = 0; i < g->perps_count; i++) {
        static const char *const names[PERPS_HERE] = { "BTC-USD", "ETH-USD", "SOL-USD" };
        struct symbol           *s = &g->perps[i];
        struct contract         *c = &g->contracts[i];

        *s = (struct symbol){ .id = i + 1,
                              .base_coin_id = 1,
                              .quote_coin_id = COIN_MARGIN,
                              .market = MARKET_PERPS,
                              .status = SYMBOL_TRADING };
        s->name = name_make((struct slice){ names[i], strlen(names[i]) });
        s->price_precision = random_below(d, 3);
        s->quantity_precision = (uint32_t)PICK(d, 3, 4, 5);
        s->tick_size = PICK(d, 1, 1, 5);
        s->step_size = PICK(d, 1, 1, 10);
        s->reference_price = 10000 * (1 + random_below(d, 30));
        s->min_quantity = s->market_min_quantity = s->step_size;
        s->max_quantity = s->market_max_quantity = 100000000;
        s->min_notional = one_in(d, 2) ? 0 : 1000000;
        s->max_notional = INT64_C(50000000000000);
        s->buy_limit_up_ratio = PICK(d, 5000000, 100000000);
        s->sell_limit_down_ratio = PICK(d, 5000000, 50000000);
        s->market_deviation_ratio = PICK(d, 1000000, 5000000);
        s->maker_fee = PICK(d, 12000, 0, -2000);
        s->taker_fee = PICK(d, 40000, 20000);
        *c = (struct contract){ .tier_count = 3,
                                .init_leverage = (uint32_t)PICK(d, 10, 5, 20),
                                .tiers = { { .max_leverage = 25 },
                                           { .max_notional = INT64_C(100000000000), .max_leverage = 20 },
                                           { .max_notional = INT64_C(500000000000), .max_leverage = 10 } } };
        c->tiers[0].max_notional = INT64_C(1000000000) * (1 + random_below(d, 50));
        c->interest_rate = PICK(d, 10000, 0);
        if (one_in(d, 3)) c->fund_max_inventory = PICK(d, 1, 100000000, 10000000000);
        if (one_in(d, 2)) {
            c->spot_symbol_id = 1 + random_below(d, g->spot_count > 1 ? 2 : 1);
            c->spot_impact_notional = PICK(d, 1, 1000000, 100000000);
        }
        c->open_interest_cap = one_in(d, 3) ? 1000 * (1 + random_below(d, 400)) : 0;
        c->open_interest_cap_value = one_in(d, 4) ? INT64_C(1000000000) * (1 + random_below(d, 90)) : 0;
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
    if (one_in(d, 3)) {
        g->rules.take_over_part = 1 + random_below(d, 3);
        g->rules.take_over_whole = 3;
    }
    g->rules.stop_retry_ticks = (uint32_t)PICK(d, 60, 3);
    g->rules.bracket_mode = one_in(d, 3) ? BRACKET_ANCHOR : BRACKET_PROTECT;
    g->rules.dms_keeps_stops = one_in(d, 3);
    g->rules.strict_position_side = one_in(d, 4);
    g->rules.oracle_quorum = 1;
    if (work->perps >= 3 && !one_in(d, 3)) {
        g->feeder_count = 1 + random_below(d, 4);
        g->rules.oracle_quorum = 1 + random_below(d, g->feeder_count);
        for (uint32_t i = 0; i < g->feeder_count; i++)
            g->feeders[i] = (struct feeder){ user(FEEDER_USERS + i), 1 + random_below(d, 4) };
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

/* Accounts that lose what they have, in large positions. */
static void risky_world(struct workload *work, struct genesis *genesis)
{
    if (one_in(&work->random_state, 3)) {
        work->users = 7 + random_below(&work->random_state, 9);
        genesis->limits.accounts = 18;
        genesis->limits.orders += 60;
        genesis->limits.levels += 40;
    } /* enough of them for fifths */
    work->weight[8] *= 4;
    genesis->rules.client_id_reuse = REUSE_FINISHED; /* no account runs out of names */
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        struct contract *c = &genesis->contracts[i];

        genesis->perps[i].min_notional = one_in(&work->random_state, 2) ? 0 : 1000000;
        for (uint32_t t = 0; t < c->tier_count; t++) c->tiers[t].max_notional *= 20;
        if (one_in(&work->random_state, 3)) {
            c->fund_max_inventory = 1;
            genesis->fund = INT64_C(1000000000000);
        }
        if (!one_in(&work->random_state, 4)) c->open_interest_cap = c->open_interest_cap_value = 0;
    }
}

/* A spot book whose last price wanders by some per cent in a few minutes. */
static void a_book_that_wanders(struct workload *work, struct genesis *g)
{
    struct symbol *spot = &g->spot[0];

    work->edge = 12;
    work->spread = 400;
    work->weight[0] = 100;
    work->weight[3] = 30;
    g->rules.client_id_reuse = REUSE_FINISHED;
    g->rules.open_orders_per_account = 20;
    g->limits.orders += 60;
    g->limits.levels += 40;
    spot->reference_price = 20000;
    spot->tick_size = 5;
    spot->min_price = spot->max_price = spot->min_notional = 0;
    spot->buy_limit_up_ratio = 100000000;
    spot->sell_limit_down_ratio = 50000000;
}

/*
 * Perps on the own spot books alone, with a cap of open interest that a tenth of is soon reached (ruling 68). Their
 * prices have more digits than a step of a 600th of the way needs, and no hour is skipped, so that an index reaches all
 * three ends of its way.
 */
static void nobody_prices(struct workload *work, struct genesis *g)
{
    work->hand = 0;
    work->unpriced = true;
    work->weight[8] = 100;
    g->feeder_count = 0;
    a_book_that_wanders(work, g);
    for (uint32_t i = 0; i < g->perps_count; i++) {
        g->perps[i].price_precision = g->spot[0].price_precision + 2;
        g->perps[i].reference_price = 100 * g->spot[0].reference_price;
        g->contracts[i].spot_symbol_id = 1;
        g->contracts[i].spot_impact_notional = 1;
        g->contracts[i].open_interest_cap = 1000 * (1 + i);
    }
}

/*
 * First tiers that an account soon fills, at a leverage that no other tier allows: what closes at once beneath orders
 * that rest lets them open more than they were asked for (decision 145).
 */
static void narrow_tiers(struct workload *work, struct genesis *g)
{
    work->tiers = true;
    work->edge = 12;
    work->wild = 60;
    work->rules_every = 10000;
    work->hand = g->prices_by_hand = work->begins_priced = 1; /* prices are live, and there is room */
    work->users = 3;
    for (uint32_t i = 0; i < WEIGHTS; i++) work->weight[i] = i == 8 ? 100 : i == 3 ? 5 : 1;
    g->feeder_count = 0;
    g->rules.client_id_reuse = REUSE_FINISHED;
    g->rules.open_orders_per_account = 20;
    g->limits.orders += 60;
    g->limits.levels += 40;
    for (uint32_t i = 0; i < g->perps_count; i++) {
        struct contract *c = &g->contracts[i];

        c->init_leverage = c->tiers[0].max_leverage;
        c->tiers[0].max_notional = INT64_C(1000000000) * (2 + random_below(&work->random_state, 8));
        c->open_interest_cap = c->open_interest_cap_value = 0;
    }
}

void workload_world(struct workload *work, uint64_t seed, uint32_t perps, struct genesis *genesis)
{
    memset(work, 0, sizeof(*work));
    work->random_state.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 0x1234567;
    for (int i = 0; i < 8; i++) (void)random_below(&work->random_state, 2);
    work->users = 2 + random_below(&work->random_state, 5);
    work->edge = 2 + random_below(&work->random_state, 12);
    work->spread = (uint32_t)PICK(&work->random_state, 6, 20, 60, 400);
    for (uint32_t i = 0; i < WEIGHTS; i++)
        work->weight[i] = one_in(&work->random_state, 5) ? 0 : 1 + random_below(&work->random_state, 9);
    work->weight[0] = 30 + random_below(&work->random_state, 40); /* without orders and money nothing happens */
    work->weight[3] += 2;
    work->operator_id = 100;
    work->modes =
        seed % 16 == 9 || seed % 16 == 15 ? 2 : 0;       /* no throw decides it: the other worlds stay what they were */
    work->betweens = seed % 16 == 13 || seed % 16 == 14; /* nor these */
    work->raises = seed % 16 == 11;                      /* nor that one */
    work->time_ms = WORLD_TIME;
    work->begins_priced = seed % 4 != 1; /* nor that one: LIVE from the first block (ruling 77) */
    a_world(&work->random_state, genesis);
    if (work->raises) {
        genesis->limits.keys = 40;
        work->weight[5] = 60;
    } /* and so many keys that one revokes too many */
    work->weight[8] = 0;
    genesis->rules.fund_total_ratio =
        (const int64_t[]){ 20000000, 100000000, 2000000, 20000000, 0 }[seed % 5]; /* nor that one */
    if (perps == 0 || seed % 3 == 0) return; /* a third of the worlds has no perps */
    work->perps = perps;
    work->rules_every = (uint32_t)PICK(&work->random_state, 200, 3000, 3000, 10000, 10000);
    work->risky = perps >= 3 && !one_in(&work->random_state, 3);
    work->wild = perps < 3 ? 3 : (uint32_t)PICK(&work->random_state, 3, 60, 400, 900);
    work->weight[8] = work->weight[0] * 2;
    perps_world(work, genesis);
    if (work->risky) risky_world(work, genesis);
    if (seed % 16 == 3) genesis->contracts[0].tiers[0].max_leverage = 50; /* mechanics 3.9 (1) */
    if (seed % 16 == 5) nobody_prices(work, genesis);                     /* nor that one */
    if (seed % 16 == 7) narrow_tiers(work, genesis);                      /* nor these */
}
