/* SPDX-License-Identifier: MIT */
/* random_flow_world.c — the world of a seed: its mix of commands and its configuration. */
#include "random_flow_inside.h"

#include "rigs/core/perps_random_flow.h"

void draw_mix(struct world *world)
{
    static const uint8_t base[FLOW_KINDS] = {
        [CMD_PLACE_ORDERS] = 60, [CMD_CANCEL_ORDERS] = 18, [CMD_REPLACE_ORDERS] = 24,  [CMD_SCHEDULE_CANCEL] = 4,
        [CMD_TICK] = 30,         [CMD_DEPOSIT] = 4,        [CMD_TRANSFER] = 8,         [CMD_ADD_KEY] = 4,
        [CMD_REVOKE_KEY] = 3,    [CMD_OPEN_ACCOUNT] = 1,   [CMD_REDEEM] = 2,           [CMD_ADVANCE_TIME] = 1,
        [CMD_PLACE_PERPS] = 90,  [CMD_CANCEL_PERPS] = 16,  [CMD_MODIFY_ORDER] = 8,     [CMD_UPDATE_LEVERAGE] = 4,
        [CMD_UPDATE_MARGIN] = 5, [CMD_ORACLE_POST] = 6,    [CMD_SET_INDEX] = 10,       [CMD_SET_MARKET] = 1,
        [CMD_SETTLE] = 1,        [CMD_CANCEL_FOR] = 2,     [CMD_SET_STAKING] = 2,      [CMD_SET_MODE] = 1,
        [CMD_SET_TRADERS] = 1,   [CMD_RAISE_LIMIT] = 1,    [CMD_TRANSFER_BETWEEN] = 8,
    };

    for (uint32_t kind = 1; kind < FLOW_KINDS; kind++) {
        if (kind == CMD_SETTLE && random_below(6) != 0) continue; /* a symbol that is settled never trades again */
        world->weight[kind] = base[kind] * (1 + random_below(8));
        world->weights += world->weight[kind];
    }
}

/* A perps symbol that refuses orders which the other one accepts. */
static void draw_filters(struct symbol *s)
{
    s->step_size = 2;
    s->min_quantity = 4;
    s->market_min_quantity = 8;
    s->market_max_quantity = 30000000;
    s->min_price = 100;
    if (random_below(4) == 0) s->tick_size = 5;
}

void draw_genesis(struct genesis *g, const struct world *world, uint64_t commands)
{
    struct symbol *second = &g->spot[1];

    perps_genesis(g);
    g->spot[0].maker_fee = random_below(2) == 0 ? -1000 : 10000;
    g->spot[0].taker_fee = 65000;
    g->spot[0].min_notional = random_below(2) == 0 ? 0 : 5000000;
    g->spot[0].min_price = 500000;
    g->spot[0].max_price = 2000000;
    g->spot[0].tick_size = 1 + random_below(2) * 4;
    *second = g->spot[0]; /* more decimals than the quote coin has (E24) */
    second->name = name_make(SLICE("vETH_vUSDC"));
    second->id = 2;
    second->base_coin_id = 2;
    second->price_precision = 3;
    second->maker_fee = 35000;
    second->fee_discount = 20000000;
    second->tick_size = 1;
    second->step_size = 5;
    second->min_quantity = 10;
    second->market_min_quantity = 20;
    if (random_below(4) == 0) second->reference_price = 0;
    g->spot_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        g->perps[i].maker_fee = random_below(3) == 0 ? -4000 : 12000;
        g->perps[i].taker_fee = 40000;
        if (i == 1) draw_filters(&g->perps[i]);
        if (random_below(3) == 0) g->contracts[i].open_interest_cap_value = INT64_C(2000000000000);
    }
    g->fund = random_below(3) == 0 ? 1000000 : INT64_C(100000000000);
    g->limits =
        (struct limits){ .accounts = world->users + 2 + random_below(3), .deposits = 60 + (uint32_t)(commands / 100) };
    g->limits.orders = 16 + random_below(80);
    g->limits.levels = 10 + random_below(80);
    g->limits.signers = 10 + random_below(20);
    g->limits.keys = 3 + random_below(10);
    g->limits.transfers = random_below(2) == 0 ? 24 + random_below(40) : 400;
    g->limits.positions = 6 + random_below(26);
    g->rules.stp_scope = random_below(2) == 0 ? STP_ACCOUNT : STP_USER; /* NONE is for benchmarks only (ruling 54) */
    g->rules.replace_keeps_place = (uint8_t)random_below(2);
    g->rules.bracket_mode = (uint8_t)random_below(2);
    g->rules.adl_mode = (uint8_t)random_below(2);
    g->rules.dms_keeps_stops = (uint8_t)random_below(2);
    g->rules.strict_position_side = (uint8_t)random_below(2);
    g->rules.nonce_floor_when_full = (uint8_t)random_below(2);
    g->rules.open_orders_per_account = 4 + random_below(12);
    g->rules.armed_stops_per_account = 3 + random_below(12);
    if (random_below(4) == 0) g->rules.open_orders_per_account = g->rules.armed_stops_per_account = 30;
    g->rules.schedule_triggers_per_day = 10;
    g->rules.triggers_per_command = random_below(3) == 0 ? 2 : 1000;
    g->rules.liquidations_per_tick = random_below(3) == 0 ? 1 : 1000;
    g->rules.settlement_window_ms = 5000;
    g->rules.settlement_notice_ms = 10000;
    if (random_below(4) == 0) {
        g->rules.client_id_reuse = REUSE_FILLED;
        g->limits.burnt_ids = 100 + g->limits.orders;
    }
    g->development = !world->by_feeders || random_below(2) == 0;
    g->prices_by_hand = g->development != 0 && random_below(4) != 0;
    g->feeder_count = world->by_feeders ? FEEDERS : 0;
    for (uint32_t i = 0; i < g->feeder_count; i++) g->feeders[i] = (struct feeder){ user(900 + i), 1 + i };
    g->rules.oracle_quorum = world->by_feeders ? 1 + random_below(2) : 1;
}
