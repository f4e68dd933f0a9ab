/* SPDX-License-Identifier: MIT */
#include "aims.h"
#include "random_flow.h"

#include "core/account/account.h"
#include "core/account/ledger.h"
#include "rigs/core/perps_random_flow.h"

#define SEND_BYTES (sizeof(struct command) + sizeof(struct new_order) * 4)
#define REPLAYS    16
#define KEY_USER   50 /* addresses that may be keys: users from here on */
#define KEY_USERS  8
#define FEEDERS    3
#define RAISES     8 /* slots that a pool gets besides those of its genesis */

/* The choices of a seed, drawn once. */
struct world {
    uint32_t users, mutated;  /* one command in `mutated` is spoilt */
    uint32_t jumps, gap, ids; /* index moves; how many client ids there are */
    uint32_t weight[FLOW_KINDS];
    uint32_t weights;
    bool     by_feeders;
};

struct game {
    struct fixture     *f;
    struct world        world;
    struct judge        judge;
    struct command_room old[REPLAYS]; /* signed commands of before, to be sent again */
    uint32_t            old_count;
    uint64_t            feeder_seq, replayed;
    uint32_t            speaker; /* slot of the account that must send the command; 0 = any */
    uint32_t            named;   /* client ids used */
    struct aims         aims;
};

/* ---- the world of a seed ---- */

static void draw_mix(struct world *world)
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

static void draw_genesis(struct genesis *g, const struct world *world, uint64_t commands)
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

/* ---- commands ---- */

static struct client_id an_id(const struct game *game)
{
    struct client_id id = { .len = 2, .at = { 'o', (char)('0' + random_below(game->world.ids)) } };

    return id;
}

/* An id for a new order, most of the time one that is free. */
static struct client_id a_fresh_id(struct game *game)
{
    struct client_id id = { .len = 6, .at = { 'n' } };

    if (random_below(4) == 0) return an_id(game);
    game->named += 1;
    for (uint32_t i = 0; i < 5; i++) id.at[1 + i] = (char)('a' + (game->named >> 4 * i & 15));
    return id;
}

/* An open order of a side; its account will send the command. NULL: look for none. */
static const struct order *an_open_order(struct game *game, uint8_t kind)
{
    const struct engine *e = game->f->engine;
    uint32_t             from = random_below(e->order_end);

    if (random_below(3) == 0) return NULL;
    for (uint32_t i = 0; i < e->order_end; i++) {
        const struct order *order = order_at(e, 1 + (from + i) % e->order_end);
        if (1 + (from + i) % e->order_end >= e->order_end || order->status == 0
            || market_at(e, order->market)->kind != kind)
            continue;
        game->speaker = order->account;
        return order;
    }
    return NULL;
}

static uint32_t symbol_of(const struct game *game, const struct order *order)
{
    return market_at(game->f->engine, order->market)->symbol.id;
}

static uint32_t a_spot_symbol(void) { return 1 + random_below(2); }

/* Most prices are on the tick. */
static struct decimal on_the_tick(const struct game *game, uint32_t symbol_id, struct decimal price)
{
    int64_t tick = game->f->genesis.perps[symbol_id - 1].tick_size;

    if (tick != 1 && random_below(8) != 0) price.digits -= price.digits % tick;
    return price;
}

static struct decimal a_near_price(const struct game *game, uint32_t symbol_id, uint32_t spread)
{
    return on_the_tick(game, symbol_id, near_price(game->f, symbol_id, spread));
}

static struct new_order a_new_order(struct game *game)
{
    struct new_order item = { .symbol_id = a_spot_symbol(), .type = TYPE_LIMIT };
    uint32_t         spread;
    int64_t          tick = game->f->genesis.spot[item.symbol_id - 1].tick_size,
            step = game->f->genesis.spot[item.symbol_id - 1].step_size;

    item.client_id = a_fresh_id(game);
    item.side = (uint8_t)(1 + random_below(2));
    spread = random_below(24) == 0 ? 200000 : 60;
    item.time_in_force = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX }[random_below(5)];
    item.price =
        decimal_make((1000000 / tick + (int64_t)random_below(spread) - spread / 2) * tick, item.symbol_id == 1 ? 1 : 3);
    item.quantity = decimal_make(step * (2 + (int64_t)random_below(random_below(10) == 0 ? 20000 : 200)), 5);
    if (random_below(6) != 0) return item;
    item.type = TYPE_MARKET;
    item.time_in_force = TIF_IOC;
    if (random_below(2) == 0) item.price = (struct decimal){ 0 };
    if (item.side == SIDE_BUY && random_below(2) == 0) {
        item.funds = decimal_make(1 + random_below(100000000), 6);
        item.quantity = (struct decimal){ 0 };
    }
    return item;
}

static void place_orders(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        count = 1 + random_below(random_below(4) == 0 ? 4 : 1);

    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, count));
    f->room.place_orders.count = count;
    for (uint32_t i = 0; i < count; i++) f->room.place_orders.items[i] = a_new_order(game);
}

static void cancel_orders(struct game *game)
{
    struct fixture      *f = game->f;
    struct cancel_order *item = &f->room.cancel_orders.items[0];
    const struct order  *order = an_open_order(game, MARKET_SPOT);

    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    f->room.cancel_orders.count = 1;
    *item = (struct cancel_order){ .symbol_id = a_spot_symbol() };
    item->client_id = an_id(game);
    if (order != NULL) {
        *item = (struct cancel_order){ .symbol_id = symbol_of(game, order), .client_id = order->client_id };
        if (random_below(2) == 0) {
            item->order_id = order->id;
            item->client_id = an_id(game);
        }
        return;
    }
    if (random_below(3) == 0)
        item->order_id = f->engine->next_order_id - min_u64(f->engine->next_order_id, 1 + random_below(30));
    if (random_below(5) == 0) item->orig_client_id = an_id(game);
}

static void replace_orders(struct game *game)
{
    struct fixture       *f = game->f;
    struct replace_order *item = &f->room.replace_orders.items[0];
    bool                  perps = random_below(2) == 0;
    const struct order   *order = an_open_order(game, perps ? MARKET_PERPS : MARKET_SPOT);

    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    f->room.head.market = perps ? MARKET_PERPS : MARKET_SPOT;
    f->room.replace_orders.count = 1;
    *item = (struct replace_order){ .symbol_id = a_spot_symbol() };
    item->client_id = an_id(game);
    item->orig_client_id = an_id(game);
    if (order != NULL)
        *item = (struct replace_order){ .symbol_id = symbol_of(game, order),
                                        .client_id = a_fresh_id(game),
                                        .orig_client_id = order->client_id };
    if (order == NULL && random_below(4) == 0) {
        item->orig_client_id = (struct client_id){ 0 };
        item->orig_order_id = f->engine->next_order_id - min_u64(f->engine->next_order_id, 1 + random_below(30));
    }
    if (random_below(2) == 0)
        item->price = perps ? a_near_price(game, (uint32_t)item->symbol_id, 150) : a_new_order(game).price;
    if (random_below(2) == 0)
        item->quantity = perps ? some_quantity(game->f, (uint32_t)item->symbol_id) : a_new_order(game).quantity;
}

static void schedule_cancel(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    f->room.head.market = (uint8_t)(1 + random_below(2));
    f->room.schedule_cancel.scheduled_ms.value =
        (uint64_t)f->time_ms + 4990 + random_below(random_below(2) == 0 ? 20 : 20000);
    f->room.schedule_cancel.scheduled_ms.given = random_below(4) != 0;
}

static void a_tick(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        what = random_below(400);

    f->time_ms += what == 0 ? INT64_C(86400000) * (1 + random_below(3)) : what < 6 ? 3600000 : what < 60 ? 1 : 1000;
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.tick.missed = random_below(60) == 0;
    f->room.head.market = 0;
}

static struct operator_id an_operator_id(struct game *game)
{
    return operator_id(random_below(4) == 0 ? 1 + random_below(20) : ++game->f->deposit_id);
}

static void a_deposit(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.head.market = 0;
    f->room.deposit = (struct deposit){ .address = user(1 + random_below(game->world.users)), .engine = MARKET_SPOT };
    f->room.deposit.coin_id = random_below(3);
    f->room.deposit.amount = 1 + (int64_t)random_below(1000000000) * 10;
    f->room.deposit.id = an_operator_id(game);
    if (random_below(2) == 0) {
        f->room.deposit.engine = MARKET_PERPS;
        f->room.deposit.coin_id = 0;
    }
    if (random_below(8) == 0) f->room.deposit.account_id = ACCOUNT_FIRST + random_below(game->world.users + 2);
    if (random_below(40) == 0) f->room.deposit.amount = INT64_MAX - random_below(1000);
    if (random_below(40) == 0) f->room.deposit.address = user(KEY_USER + random_below(KEY_USERS));
}

static void a_transfer(struct game *game)
{
    static const uint8_t types[] = { TRANSFER_EVM_WITHDRAW, TRANSFER_PERPS_WITHDRAW, TRANSFER_PERPS_WITHDRAW,
                                     TRANSFER_SPOT_WITHDRAW };
    struct fixture      *f = game->f;
    uint8_t              type = types[random_below(4)];

    fixture_transfer(f, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, f->seq / 40 + random_below(60),
                     type, 0, NULL);
    f->room.transfer_asset.amount = decimal_make(1 + random_below(random_below(6) == 0 ? 2000000000 : 20000000), 6);
    if (type == TRANSFER_EVM_WITHDRAW) f->room.transfer_asset.coin_id = random_below(3);
    if (random_below(30) == 0) f->room.transfer_asset.id = random_below(5);
}

static void add_key_of(struct game *game)
{
    struct fixture *f = game->f;
    char            name[3] = { 'k', (char)('0' + random_below(7)), 0 };

    fixture_add_key(f, name,
                    random_below(15) == 0 ? 1 + random_below(game->world.users) : KEY_USER + random_below(KEY_USERS));
    f->room.add_key.permissions = random_below(3) == 0 ? random_below(16) : 0;
    if (random_below(4) == 0) f->room.add_key.expires_ms = (uint64_t)f->time_ms - 10 + random_below(100000);
}

static void revoke_key_of(struct game *game)
{
    struct fixture *f = game->f;
    char            name[3] = { 'k', (char)('0' + random_below(7)), 0 };

    fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
    f->room.head.market = 0;
    f->room.revoke_key.name = cid(name);
}

static void one_more_account(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
    f->room.head.market = 0;
    f->room.open_account =
        (struct open_account){ .owner = user(random_below(10) == 0 ? KEY_USER : 1 + random_below(game->world.users)) };
    f->room.open_account.id = an_operator_id(game);
}

static void a_redemption(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_REDEEM, sizeof(struct redeem));
    f->room.head.market = 0;
    f->room.redeem = (struct redeem){ .address = user(1 + random_below(game->world.users)) };
    f->room.redeem.coin_id = random_below(3);
    f->room.redeem.amount = (int64_t)random_below(30000000) - 100;
    f->room.redeem.id = an_operator_id(game);
}

static void time_moves(struct game *game)
{
    struct fixture *f = game->f;
    int64_t         step = random_below(4) == 0 ? random_below(100000) : 0;

    fixture_head(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
    f->room.head.market = 0;
    f->room.advance_time.offset_ms =
        engine_time_offset_ms(f->engine) + step - (random_below(4) == 0 ? random_below(3) : 0);
    f->time_ms += step;
}

static void set_traders(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        pulled = (uint32_t)random_below(111);
    uint8_t         preset = (uint8_t)(pulled % (MARKET_PRESETS + 1));

    fixture_head(f, CMD_SET_TRADERS, sizeof(struct set_traders));
    f->room.head.market = 0;
    f->room.set_traders = (struct set_traders){ .preset = preset, .pulled = pulled, .takers = 50, .drift = -10000 };
}

/* A parent and its one or two children, most of them right. */
static uint32_t a_bracket(const struct fixture *f, uint32_t symbol_id, struct perps_order items[3])
{
    uint32_t count = 2 + random_below(2);

    for (uint32_t i = 0; i < count; i++) {
        bool    above = (items[0].side == SIDE_BUY) == (i == 1);
        int64_t mark = engine_perps(f->engine)[symbol_id - 1].mark,
                away = mark * (int64_t)(10 + random_below(300)) / 10000;

        items[i] = some_order(f, symbol_id);
        items[i].modifier = i == 0 ? MODIFIER_BRACKET : MODIFIER_ATTACHED_STOP;
        items[i].reduce_only = i != 0;
        items[i].funds = items[i].stop_price = (struct decimal){ 0 };
        items[i].quantity = i != 0 && random_below(2) == 0 ? (struct decimal){ 0 } : some_quantity(f, symbol_id);
        items[i].stop_type = items[i].trigger_type = 0;
        if (i == 0) continue;
        items[i].side = items[0].side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
        items[i].stop_type = i == 1 ? STOP_TAKE_PROFIT : STOP_LOSS;
        items[i].trigger_type = (uint8_t)(1 + random_below(3));
        items[i].stop_price = decimal_make(above ? mark + away : mark - away, symbol_id == BTC ? 1 : 2);
    }
    return count;
}

static void place_perps(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        symbol_id = 1 + random_below(2), count = 1;

    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 3));
    f->room.head.market = MARKET_PERPS;
    if (random_below(6) == 0) count = a_bracket(f, symbol_id, f->room.place_perps.items);
    else
        for (count = 1 + random_below(random_below(4) == 0 ? 3 : 1); f->room.place_perps.count < count;
             f->room.place_perps.count++)
            f->room.place_perps.items[f->room.place_perps.count] = some_order(f, symbol_id);
    for (uint32_t i = 0; i < count; i++) {
        struct perps_order *item = &f->room.place_perps.items[i];

        item->client_id = a_fresh_id(game);
        item->price = on_the_tick(game, symbol_id, item->price);
        item->stop_price = on_the_tick(game, symbol_id, item->stop_price);
        if (random_below(8) != 0) item->quantity.digits &= ~INT64_C(1); /* on the step of both */
    }
    f->room.place_perps.symbol_id = symbol_id;
    f->room.place_perps.count = count;
    f->room.head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_perps, count));
}

static void cancel_perps(struct game *game)
{
    struct fixture     *f = game->f;
    const struct order *order = an_open_order(game, MARKET_PERPS);

    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    f->room.head.market = MARKET_PERPS;
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = 1 + random_below(2) };
    if (order != NULL) {
        f->room.cancel_perps.items[0] =
            (struct perps_cancel){ .symbol_id = symbol_of(game, order), .order_id = order->id };
        return;
    }
    if (random_below(2) == 0) f->room.cancel_perps.items[0].client_id = an_id(game);
    else
        f->room.cancel_perps.items[0].order_id =
            f->engine->next_order_id - min_u64(f->engine->next_order_id, 1 + random_below(40));
}

static void modify_order(struct game *game)
{
    struct fixture     *f = game->f;
    const struct order *order = an_open_order(game, MARKET_PERPS);
    uint32_t            symbol_id = order != NULL ? symbol_of(game, order) : 1 + random_below(2);

    fixture_head(f, CMD_MODIFY_ORDER, sizeof(struct modify_order));
    f->room.head.market = MARKET_PERPS;
    f->room.modify_order =
        (struct modify_order){ .symbol_id = symbol_id, .client_id = order != NULL ? order->client_id : an_id(game) };
    if (random_below(8) != 0) f->room.modify_order.stop_price = a_near_price(game, symbol_id, 400);
    if (random_below(2) == 0) f->room.modify_order.quantity = some_quantity(f, symbol_id);
    if (random_below(3) == 0) f->room.modify_order.price = a_near_price(game, symbol_id, 400);
}

static void update_leverage(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    f->room.head.market = MARKET_PERPS;
    f->room.update_leverage = (struct update_leverage){ .symbol_id = 1 + random_below(2) };
    f->room.update_leverage.leverage = random_below(2) == 0 ? 20 : random_below(27);
    f->room.update_leverage.margin_mode = (uint8_t)(1 + random_below(2));
}

static void update_margin(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
    f->room.head.market = MARKET_PERPS;
    f->room.update_margin = (struct update_margin){ .symbol_id = 1 + random_below(2) };
    f->room.update_margin.amount = decimal_make((int64_t)random_below(2000000000) - 1000000000, 6);
}

static int64_t an_index(const struct game *game, uint32_t symbol_id)
{
    int64_t index = engine_perps(game->f->engine)[symbol_id - 1].index,
            move = random_below(game->world.jumps) == 0 ? game->world.gap : 60;
    int64_t price = index + index * ((int64_t)random_below((uint32_t)(2 * move)) - move) / 10000;

    return price < 1000 ? 1000 : price > 100000000 ? 100000000 : price;
}

static void an_oracle_post(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 2));
    f->room.head.market = 0;
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.head.nonce = ++game->feeder_seq;
    if (random_below(30) == 0) f->room.head.nonce -= random_below(10);
    f->room.head.signer = user(900 + random_below(random_below(20) == 0 ? 5 : FEEDERS));
    f->room.oracle_post =
        (struct oracle_post){ .seq = f->room.head.nonce,
                              .count = 2,
                              .timestamp_ms =
                                  f->time_ms + (random_below(10) == 0 ? (int64_t)random_below(50000) - 40000 : 0) };
    for (uint32_t i = 0; i < 2; i++)
        f->room.oracle_post.items[i] = (struct oracle_price){ .symbol_id = 1 + i, .price = an_index(game, 1 + i) };
}

static void set_index(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        symbol_id = 1 + random_below(2);

    fixture_head(f, CMD_SET_INDEX, sizeof(struct set_index));
    f->room.head.market = 0;
    f->room.set_index = (struct set_index){ .symbol_id = symbol_id,
                                            .by_hand = !game->world.by_feeders,
                                            .price = an_index(game, symbol_id) };
}

static void set_market(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.head.market = 0;
    f->room.set_market = (struct set_market){ .symbol_id = 1 + random_below(2) };
    f->room.set_market.engine = (uint8_t)(1 + random_below(2));
    f->room.set_market.status = random_below(8) == 0 ? SYMBOL_HALT : SYMBOL_TRADING;
    f->room.set_market.id = an_operator_id(game);
    if (f->engine->operator_count + 8 > f->engine->limits.deposits)
        f->room.set_market.status = SYMBOL_TRADING; /* otherwise no command could end it */
}

static void settle_symbol(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
    f->room.head.market = 0;
    f->room.settle_symbol = (struct settle_symbol){ .symbol_id = 1 + random_below(2) };
    f->room.settle_symbol.at_ms = random_below(2) == 0 ? 0
                                                       : f->time_ms + f->genesis.rules.settlement_notice_ms
                                                             + (int64_t)random_below(4) * 1000 - 1000;
    f->room.settle_symbol.id = an_operator_id(game);
}

static void cancel_for(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_CANCEL_FOR, sizeof(struct cancel_for));
    f->room.head.market = 0;
    f->room.cancel_for = (struct cancel_for){ .engine = (uint8_t)random_below(3) };
    f->room.cancel_for.id = an_operator_id(game);
    if (random_below(3) != 0) f->room.cancel_for.account_id = ACCOUNT_FIRST + random_below(game->world.users);
    if (f->room.cancel_for.engine != 0 && random_below(2) == 0) f->room.cancel_for.symbol_id = 1 + random_below(2);
}

static void set_staking(struct game *game)
{
    struct fixture *f = game->f;

    fixture_head(f, CMD_SET_STAKING, sizeof(struct set_staking));
    f->room.head.market = 0;
    f->room.set_staking = (struct set_staking){ .owner = user(1 + random_below(game->world.users)) };
    f->room.set_staking.tier =
        random_below(max_u32(f->genesis.spot_fees.staking_count, f->genesis.perps_fees.staking_count));
    f->room.set_staking.id = an_operator_id(game);
}

/* Modes are short: the next such command allows all trading again. */
static void set_mode(struct game *game)
{
    struct fixture *f = game->f;
    bool            may_end = f->engine->operator_count + 8 <= f->engine->limits.deposits;

    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.head.market = 0;
    f->room.set_mode = (struct set_mode){ .mode = VENUE_RUN };
    f->room.set_mode.id = an_operator_id(game);
    if (f->engine->mode == VENUE_RUN && may_end && random_below(4) == 0)
        f->room.set_mode.mode = (uint8_t)(VENUE_CANCEL_ONLY + random_below(2));
}

/* A pool gets one slot more, or stays as large as it was. None becomes too large to be filled. */
static void raise_limit(struct game *game)
{
    struct fixture *f = game->f;
    uint8_t         pool = (uint8_t)(POOL_ACCOUNTS + random_below(LIMITS - POOL_ACCOUNTS));
    uint32_t        now = limits_get(engine_limits(f->engine), pool);

    fixture_head(f, CMD_RAISE_LIMIT, sizeof(struct raise_limit));
    f->room.head.market = 0;
    f->room.raise_limit = (struct raise_limit){
        .pool = pool, .places = now + (now < limits_get(&f->genesis.limits, pool) + RAISES && random_below(3) == 0)
    };
}

/* Between two accounts, as a rule of one user. Now and then all that there is. */
static void transfer_between(struct game *game)
{
    struct fixture *f = game->f;
    struct engine  *e = f->engine;
    uint32_t        users = e->account_end - SLOT_USERS;
    uint32_t        from = SLOT_USERS + random_below(users);
    uint32_t        to = SLOT_USERS + random_below(users);
    uint8_t         engine = random_below(3) == 0 ? MARKET_SPOT : MARKET_PERPS;
    uint32_t        coin_id = engine == MARKET_SPOT ? random_below(e->coin_count) : COIN_MARGIN;

    for (uint32_t slot = SLOT_USERS; slot < e->account_end && random_below(8) != 0; slot++)
        if (account_at(e, slot)->user != slot && slot != from) to = slot;
    if (random_below(8) != 0 && account_at(e, to)->user != to) from = account_at(e, to)->user;
    if (random_below(2) == 0) {
        uint32_t other = from;
        from = to;
        to = other;
    }
    fixture_head(f, CMD_TRANSFER_BETWEEN, sizeof(struct transfer_between));
    f->room.head.market = 0;
    f->room.transfer_between = (struct transfer_between){ .from_account_id = (uint32_t)account_id_of(from),
                                                          .to_account_id = (uint32_t)account_id_of(to),
                                                          .coin_id = coin_id,
                                                          .engine = engine };
    f->room.transfer_between.amount = 1 + random_below(30000000);
    if (random_below(3) == 0)
        f->room.transfer_between.amount =
            engine == MARKET_SPOT ? ledger_bucket(e, from, coin_id)->available : engine_margins(e)[from].wallet;
    f->room.transfer_between.id = an_operator_id(game);
}

/* clang-format off */
static void (*const makers[FLOW_KINDS])(struct game *game) = {
    [CMD_PLACE_ORDERS] = place_orders, [CMD_CANCEL_ORDERS] = cancel_orders, [CMD_REPLACE_ORDERS] = replace_orders,
    [CMD_SCHEDULE_CANCEL] = schedule_cancel, [CMD_TICK] = a_tick, [CMD_DEPOSIT] = a_deposit,
        [CMD_TRANSFER] = a_transfer,
    [CMD_ADD_KEY] = add_key_of, [CMD_REVOKE_KEY] = revoke_key_of, [CMD_OPEN_ACCOUNT] = one_more_account,
        [CMD_REDEEM] = a_redemption,
    [CMD_ADVANCE_TIME] = time_moves, [CMD_PLACE_PERPS] = place_perps, [CMD_CANCEL_PERPS] = cancel_perps,
        [CMD_MODIFY_ORDER] = modify_order,
    [CMD_UPDATE_LEVERAGE] = update_leverage, [CMD_UPDATE_MARGIN] = update_margin, [CMD_ORACLE_POST] = an_oracle_post,
    [CMD_SET_INDEX] = set_index, [CMD_SET_MARKET] = set_market, [CMD_SETTLE] = settle_symbol,
    [CMD_CANCEL_FOR] = cancel_for, [CMD_SET_STAKING] = set_staking, [CMD_SET_MODE] = set_mode,
        [CMD_RAISE_LIMIT] = raise_limit,
    [CMD_TRANSFER_BETWEEN] = transfer_between, [CMD_SET_TRADERS] = set_traders,
};
/* clang-format on */

/* ---- what is wrong with it ---- */

static struct decimal a_bad_decimal(void)
{
    int64_t digits;

    switch (random_below(6)) {
    case 0: return (struct decimal){ -(int64_t)random_below(1000), 2, 0 };
    case 1: digits = INT64_C(1) << random_below(62); return (struct decimal){ digits, random_below(19), 0 };
    case 2: return decimal_make(1 + random_below(10), 9);
    case 3: return decimal_make(1, (int)random_below(7));
    case 4: return decimal_make(INT64_C(999999999999999), 0);
    default: return (struct decimal){ 0 };
    }
}

/* Well formed, and at the edge of the allowed range. */
static struct decimal an_edge_quantity(void)
{
    static const int64_t units[] = {
        1, 2, 9, 10, 5000000, 9999999, 10000000, 10000001, 99999999, 100000000, 100000001
    };
    int scale = 4 + (int)random_below(2);

    return decimal_make(units[random_below(ARRAY_COUNT(units))], scale);
}

static struct decimal a_far_price(const struct fixture *f, bool perps, uint32_t symbol_id)
{
    if (perps) return near_price(f, 1 + (symbol_id - 1) % 2, 1600);
    return decimal_make(900000 + random_below(200001), symbol_id == 1 ? 1 : 3);
}

static struct client_id a_bad_id(void)
{
    switch (random_below(4)) {
    case 0: return (struct client_id){ .len = (uint8_t)random_below(256), .at = { 'x' } };
    case 1: return (struct client_id){ .len = 2, .at = { 'a', '!' } };
    default: return (struct client_id){ 0 };
    }
}

/* One field of one item becomes something else, of each kind of command. */

static void mutate_place_orders(struct fixture *f)
{
    struct new_order *order = &f->room.place_orders.items[0];
    int               scale;

    switch (random_below(11)) {
    case 9: order->quantity = an_edge_quantity(); break;
    case 10: order->price = a_far_price(f, false, (uint32_t)order->symbol_id); break;
    case 0: order->symbol_id = random_below(5); break;
    case 1: order->client_id = a_bad_id(); break;
    case 2: order->side = (uint8_t)random_below(4); break;
    case 3: order->type = (uint8_t)random_below(4); break;
    case 4: order->time_in_force = (uint8_t)random_below(6); break;
    case 5: order->price = a_bad_decimal(); break;
    case 6: order->quantity = a_bad_decimal(); break;
    case 7: order->funds = a_bad_decimal(); break;
    default:
        scale = (int)random_below(9);
        order->funds = decimal_make(1 + random_below(1000), scale);
        break;
    }
}

static void mutate_place_perps(struct fixture *f)
{
    struct perps_order *perps = &f->room.place_perps.items[0];

    switch (random_below(17)) {
    case 15: perps->quantity = an_edge_quantity(); break;
    case 16: perps->price = a_far_price(f, true, (uint32_t)f->room.place_perps.symbol_id); break;
    case 0: f->room.place_perps.symbol_id = random_below(5); break;
    case 1: perps->client_id = a_bad_id(); break;
    case 2: perps->side = (uint8_t)random_below(4); break;
    case 3: perps->type = (uint8_t)random_below(4); break;
    case 4: perps->time_in_force = (uint8_t)random_below(6); break;
    case 5: perps->price = a_bad_decimal(); break;
    case 6: perps->quantity = a_bad_decimal(); break;
    case 7: perps->funds = a_bad_decimal(); break;
    case 8: perps->stop_price = a_bad_decimal(); break;
    case 9: perps->stop_type = (uint8_t)random_below(4); break;
    case 10: perps->trigger_type = (uint8_t)random_below(5); break;
    case 11: perps->position_side = (uint8_t)random_below(5); break;
    case 12: perps->modifier = (uint8_t)random_below(6); break;
    case 13: perps->reduce_only ^= 1; break;
    default: f->room.place_perps.items[1].side ^= 3; break;
    }
}

static void mutate_replace_orders(struct fixture *f)
{
    struct replace_order *replace = &f->room.replace_orders.items[0];

    switch (random_below(9)) {
    case 5:
    case 6: replace->quantity = an_edge_quantity(); break;
    case 7:
    case 8: replace->price = a_far_price(f, f->room.head.market == MARKET_PERPS, (uint32_t)replace->symbol_id); break;
    case 0: replace->symbol_id = random_below(5); break;
    case 1: replace->client_id = a_bad_id(); break;
    case 2: replace->price = a_bad_decimal(); break;
    case 3: replace->quantity = a_bad_decimal(); break;
    default: replace->orig_order_id = random_below(50); break;
    }
}

static void mutate_cancel_orders(struct fixture *f)
{
    if (random_below(3) == 0) f->room.cancel_orders.items[0].symbol_id = random_below(5);
    else if (random_below(2) == 0) f->room.cancel_orders.items[0].client_id = a_bad_id();
    else {
        f->room.cancel_orders.items[0].order_id = 1 + random_below(9);
        f->room.cancel_orders.items[0].orig_client_id = a_bad_id();
    }
}

static void mutate_cancel_perps(struct fixture *f)
{
    if (random_below(2) == 0) f->room.cancel_perps.items[0].symbol_id = random_below(5);
    else {
        f->room.cancel_perps.items[0].client_id = a_bad_id();
        f->room.cancel_perps.items[0].order_id = random_below(3);
    }
}

static void mutate_modify_order(struct fixture *f)
{
    if (random_below(4) == 0) f->room.modify_order.symbol_id = random_below(5);
    else if (random_below(4) == 0) f->room.modify_order.quantity = an_edge_quantity();
    else if (random_below(3) == 0) f->room.modify_order.stop_price = a_bad_decimal();
    else if (random_below(2) == 0) f->room.modify_order.price = a_bad_decimal();
    else {
        f->room.modify_order.client_id = a_bad_id();
        f->room.modify_order.order_id = random_below(20);
    }
}

static void mutate_update_leverage(struct fixture *f)
{
    if (random_below(2) == 0) f->room.update_leverage.symbol_id = random_below(5);
    else f->room.update_leverage.margin_mode = (uint8_t)random_below(4);
}

static void mutate_update_margin(struct fixture *f)
{
    if (random_below(2) == 0) f->room.update_margin.symbol_id = random_below(5);
    else f->room.update_margin.amount = a_bad_decimal();
}

static void mutate_transfer(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.transfer_asset.coin_id = random_below(5); break;
    case 1: f->room.transfer_asset.type = (uint8_t)random_below(10); break;
    case 2: f->room.transfer_asset.to_account_id = 995 + random_below(10); break;
    case 3: f->room.transfer_asset.amount = a_bad_decimal(); break;
    default: f->room.transfer_asset.id = random_below(2) == 0 ? UINT64_MAX - random_below(3) : 0; break;
    }
}

static void mutate_add_key(struct fixture *f)
{
    switch (random_below(6)) {
    case 0: f->room.add_key.key_type = (uint8_t)random_below(4); break;
    case 1: f->room.add_key.name = a_bad_id(); break;
    case 2: f->room.add_key.name = cid("default"); break;
    case 3: f->room.add_key.permissions = random_below(64); break;
    case 4: f->room.add_key.expires_ms = UINT64_MAX - random_below(9); break;
    default: f->room.add_key.public_key = (struct address){ { 0 } }; break;
    }
}

static void mutate_revoke_key(struct fixture *f) { f->room.revoke_key.name = a_bad_id(); }

static void mutate_schedule_cancel(struct fixture *f)
{
    f->room.schedule_cancel.scheduled_ms.value =
        random_below(2) == 0 ? UINT64_MAX - random_below(9) : random_below(100);
}

static void mutate_deposit(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.deposit.coin_id = random_below(6); break;
    case 1: f->room.deposit.amount = -(int64_t)random_below(3); break;
    case 2: f->room.deposit.engine = (uint8_t)random_below(5); break;
    case 3: f->room.deposit.account_id = random_below(2) == 0 ? ACCOUNT_FUND : 999 + random_below(20); break;
    default: f->room.deposit.address = (struct address){ { 0 } }; break;
    }
}

static void mutate_redeem(struct fixture *f)
{
    if (random_below(2) == 0) f->room.redeem.coin_id = random_below(6);
    else f->room.redeem.address = random_below(2) == 0 ? (struct address){ { 0 } } : user(700);
}

static void mutate_transfer_between(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.transfer_between.coin_id = random_below(6); break;
    case 1: f->room.transfer_between.amount = -(int64_t)random_below(3); break;
    case 2: f->room.transfer_between.engine = (uint8_t)random_below(5); break;
    case 3: f->room.transfer_between.from_account_id = 995 + random_below(20); break;
    default:
        f->room.transfer_between.to_account_id =
            random_below(2) == 0 ? f->room.transfer_between.from_account_id : 995 + random_below(20);
        break;
    }
}

static void mutate_open_account(struct fixture *f)
{
    f->room.open_account.owner = random_below(2) == 0 ? (struct address){ { 0 } } : user(700);
}

static void mutate_set_index(struct fixture *f)
{
    if (random_below(2) == 0) f->room.set_index.symbol_id = random_below(5);
    else f->room.set_index.price = random_below(2) == 0 ? INT64_MAX - random_below(9) : -(int64_t)random_below(3);
}

static void mutate_set_market(struct fixture *f)
{
    if (random_below(3) == 0) f->room.set_market.symbol_id = random_below(6);
    else if (random_below(2) == 0) f->room.set_market.engine = (uint8_t)random_below(5);
    else f->room.set_market.status = (uint8_t)random_below(5);
}

static void mutate_settle(struct fixture *f)
{
    if (random_below(2) == 0) f->room.settle_symbol.symbol_id = random_below(6);
    else
        f->room.settle_symbol.at_ms =
            random_below(2) == 0 ? f->time_ms - random_below(10000) : -(int64_t)random_below(9);
}

static void mutate_cancel_for(struct fixture *f)
{
    if (random_below(2) == 0) f->room.cancel_for.engine = (uint8_t)random_below(6);
    else if (random_below(2) == 0) f->room.cancel_for.symbol_id = random_below(6);
    else f->room.cancel_for.account_id = 990 + random_below(30);
}

static void mutate_set_staking(struct fixture *f)
{
    if (random_below(2) == 0) f->room.set_staking.tier = random_below(12);
    else f->room.set_staking.owner = user(700);
}

static void mutate_set_mode(struct fixture *f) { f->room.set_mode.mode = (uint8_t)random_below(10); }

static void mutate_raise_limit(struct fixture *f)
{
    if (random_below(2) == 0) f->room.raise_limit.pool = random_below(2) == 0 ? 0 : (uint8_t)(LIMITS + random_below(9));
    else f->room.raise_limit.places = random_below(2) == 0 ? random_below(3) : POOL_PLACES_MAX + 1 + random_below(9);
}

static void mutate_oracle_post(struct fixture *f)
{
    if (random_below(3) == 0)
        f->room.oracle_post.items[0].price =
            random_below(2) == 0 ? INT64_MAX - random_below(9) : -(int64_t)random_below(3);
    else if (random_below(2) == 0) f->room.oracle_post.items[0].symbol_id = random_below(6);
    else f->room.oracle_post.items[1].perp_mid = (int64_t)random_below(2000000) - 1000;
}

/* clang-format off */
static void (*const mutations[])(struct fixture *f) = {
    [CMD_PLACE_ORDERS] = mutate_place_orders,
    [CMD_PLACE_PERPS] = mutate_place_perps,
    [CMD_REPLACE_ORDERS] = mutate_replace_orders,
    [CMD_CANCEL_ORDERS] = mutate_cancel_orders,
    [CMD_CANCEL_PERPS] = mutate_cancel_perps,
    [CMD_MODIFY_ORDER] = mutate_modify_order,
    [CMD_UPDATE_LEVERAGE] = mutate_update_leverage,
    [CMD_UPDATE_MARGIN] = mutate_update_margin,
    [CMD_TRANSFER] = mutate_transfer,
    [CMD_ADD_KEY] = mutate_add_key,
    [CMD_REVOKE_KEY] = mutate_revoke_key,
    [CMD_SCHEDULE_CANCEL] = mutate_schedule_cancel,
    [CMD_DEPOSIT] = mutate_deposit,
    [CMD_REDEEM] = mutate_redeem,
    [CMD_TRANSFER_BETWEEN] = mutate_transfer_between,
    [CMD_OPEN_ACCOUNT] = mutate_open_account,
    [CMD_SET_INDEX] = mutate_set_index,
    [CMD_SET_MARKET] = mutate_set_market,
    [CMD_SETTLE] = mutate_settle,
    [CMD_CANCEL_FOR] = mutate_cancel_for,
    [CMD_SET_STAKING] = mutate_set_staking,
    [CMD_SET_MODE] = mutate_set_mode,
    [CMD_RAISE_LIMIT] = mutate_raise_limit,
    [CMD_ORACLE_POST] = mutate_oracle_post,
};
/* clang-format on */

static void mutate_payload(struct fixture *f)
{
    uint16_t kind = f->room.head.kind;

    if (kind < ARRAY_COUNT(mutations) && mutations[kind] != NULL) mutations[kind](f);
}

static bool is_batch(uint16_t kind)
{
    return kind <= CMD_REPLACE_ORDERS || kind == CMD_PLACE_PERPS || kind == CMD_CANCEL_PERPS;
}

static void mutate_head(struct fixture *f)
{
    struct command *head = &f->room.head;

    switch (random_below(9)) {
    case 0: head->market = (uint8_t)random_below(4); break;
    case 1: head->nonce -= random_below(300); break;
    case 2:
        head->nonce = (uint64_t)f->time_ms - (uint64_t)engine_time_offset_ms(f->engine)
                    + (random_below(2) == 0 ? 86400000u : -(uint64_t)172800000u);
        head->nonce += random_below(3) - UINT64_C(1);
        break;
    case 3: head->key_id = random_below(30); break;
    case 4: head->signer = user(random_below(2) == 0 ? 700 : KEY_USER + random_below(KEY_USERS)); break;
    case 5: f->room.place_orders.account_id = 1000 + random_below(12); break;
    case 6:
        head->bytes = (uint32_t)sizeof(struct command)
                    + 8 * random_below((head->bytes - (uint32_t)sizeof(struct command)) / 8 + 1);
        break;
    case 7:
        if (is_batch(head->kind)) f->room.place_orders.count = random_below(2) == 0 ? 0 : 101;
        break;
    default: f->room.place_orders.account_id = ACCOUNT_FIRST + random_below(12); break;
    }
}

/* A wallet, or one of the keys there are, on the clock that clients have. */
static void sign(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        who = 1 + random_below(game->world.users),
             ix = f->engine->key_end > 1 ? 1 + random_below(f->engine->key_end - 1) : 0;
    uint8_t market = f->room.head.market;

    if (game->speaker != 0) {
        fixture_sign(f, who);
        f->room.head.signer = account_at(f->engine, game->speaker)->owner;
        f->room.place_orders.account_id = ACCOUNT_FIRST + game->speaker - SLOT_USERS;
    } else if (ix != 0 && random_below(5) == 0) {
        const struct api_key *key = engine_keys(f->engine) + ix;

        fixture_sign_key(f, who, key->number);
        f->room.head.signer = key->address;
        f->room.place_orders.account_id = ACCOUNT_FIRST + key->account - SLOT_USERS;
    } else {
        fixture_sign(f, who);
    }
    f->room.head.nonce -= (uint64_t)engine_time_offset_ms(f->engine);
    f->room.head.domain = f->room.head.kind == CMD_ADD_KEY || f->room.head.kind == CMD_REVOKE_KEY ? DOMAIN_UNIVERSAL
                        : market == MARKET_PERPS                                                  ? DOMAIN_FUTURES
                                                                                                  : DOMAIN_SPOT;
    if (f->room.head.domain == DOMAIN_UNIVERSAL) f->room.head.market = (uint8_t)random_below(3);
}

static bool is_signed(uint16_t kind)
{
    return kind <= CMD_SCHEDULE_CANCEL || (kind >= CMD_TRANSFER && kind <= CMD_REVOKE_KEY)
        || (kind >= CMD_PLACE_PERPS && kind <= CMD_UPDATE_MARGIN);
}

static uint16_t draw_kind(const struct world *world)
{
    uint32_t at = random_below(world->weights);
    uint16_t kind = 1;

    while (at >= world->weight[kind]) at -= world->weight[kind++];
    return kind;
}

/* Fills f->room; true: it was sent before, and was accepted then. */
static bool next_command(struct game *game)
{
    struct fixture *f = game->f;
    uint16_t        kind = draw_kind(&game->world);

    if (game->old_count != 0 && random_below(64) == 0) {
        f->room = game->old[random_below(game->old_count)];
        return true;
    }
    f->time_ms += random_below(20);
    if (aims_next(&game->aims, f)) {
        game->speaker = game->aims.speaker;
        if (is_signed(f->room.head.kind)) sign(game);
        return false;
    }
    game->speaker = 0;
    makers[kind](game);
    if (is_signed(kind)) sign(game);
    if (random_below(game->world.mutated) == 0) mutate_payload(f);
    if (random_below(game->world.mutated * 3) == 0 && kind != CMD_TICK) mutate_head(f);
    return false;
}

/* ---- what came of it ---- */

static void note_outcomes(struct outcomes *outcomes, const struct fixture *f)
{
    uint64_t *row = outcomes->cell[f->room.head.kind];

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        if (event->kind == EVENT_RESULT) row[((const struct result *)(const void *)event)->reject] += 1;
        if (event->kind == EVENT_REFUSED) row[((const struct refused *)(const void *)event)->reject] += 1;
    }
    if (f->room.head.kind == CMD_TICK) row[REJECT_NONE] += 1;
}

static void keep_for_later(struct game *game)
{
    const struct fixture *f = game->f;

    if (!is_signed(f->room.head.kind) || f->room.head.bytes > SEND_BYTES || event_at(f, EVENT_REFUSED, 0) != NULL
        || random_below(16) != 0)
        return;
    game->old[game->old_count < REPLAYS ? game->old_count++ : random_below(REPLAYS)] = f->room;
}

/* judge (22): an accepted command is never accepted again, whatever happened since (goal 21). */
static bool replay_is_refused(const struct game *game)
{
    const struct refused *refused = event_at(game->f, EVENT_REFUSED, 0);

    return refused != NULL;
}

static void tell(const struct game *game)
{
    const struct fixture *f = game->f;

    (void)printf("%8lu  %13ld  %-16s", (unsigned long)f->seq, (long)f->time_ms, command_name(f->room.head.kind));
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        enum reject reject = event->kind == EVENT_RESULT  ? ((const struct result *)(const void *)event)->reject
                           : event->kind == EVENT_REFUSED ? ((const struct refused *)(const void *)event)->reject
                                                          : REJECT_NONE;
        if (event->kind == EVENT_RESULT && reject == REJECT_NONE) (void)printf(" ok");
        if (reject != REJECT_NONE) (void)printf(" %s", reject_row(reject)->name);
    }
    (void)printf("  (%zu bytes of events)\n", f->events.len);
}

static bool one_command(struct game *game, struct flow_run *run)
{
    struct fixture *f = game->f;
    bool            replay = next_command(game);

    fixture_apply(f);
    if (run->inject != NULL) run->inject(f, f->seq);
    if (run->verbose) tell(game);
    engine_verify(f->engine);
    note_outcomes(run->outcomes, f);
    game->replayed += replay;
    if (!judge_command(&game->judge, f) || (replay && !replay_is_refused(game))) {
        (void)snprintf(run->wrong, sizeof(run->wrong), "command %lu: %s", (unsigned long)f->seq,
                       game->judge.wrong[0] != '\0' ? game->judge.wrong : "what was executed before is executed again");
        return false;
    }
    if (!replay) keep_for_later(game);
    return true;
}

static void game_start(struct game *game, const struct flow_run *run)
{
    struct fixture *f = calloc(1, sizeof(*f));

    random_state = run->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    (void)random_below(2);
    game->world.users = 2 + random_below(4);
    game->world.mutated = 3 + random_below(12);
    game->world.jumps = 4 + random_below(30);
    game->world.gap = 100 + random_below(2500);
    game->world.ids = 6 + random_below(50);
    game->world.by_feeders = random_below(3) == 0;
    aims_begin(&game->aims, run->seed);
    draw_mix(&game->world);
    draw_genesis(&f->genesis, &game->world, run->commands);
    assert(genesis_check(&f->genesis) == NULL);
    genesis_complete(&f->genesis);
    fixture_start(f);
    f->deposit_id = 1000;
    game->f = f;
    game->judge.time_ms = f->genesis.time_ms;
}

/* All accounts get money first, otherwise nothing would happen. */
static bool give_money(struct game *game, struct flow_run *run)
{
    struct fixture *f = game->f;
    int64_t         each = random_below(2) == 0 ? INT64_C(5000000000) : INT64_C(200000000000);

    for (uint32_t who = 1; who <= game->world.users; who++)
        for (uint32_t coin_id = 0; coin_id <= f->genesis.coin_count; coin_id++) {
            fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
            f->room.head.market = 0;
            f->room.deposit = (struct deposit){ .address = user(who),
                                                .coin_id = coin_id % f->genesis.coin_count,
                                                .amount = each,
                                                .engine = coin_id == f->genesis.coin_count ? MARKET_PERPS : MARKET_SPOT,
                                                .id = operator_id(++f->deposit_id) };
            fixture_apply(f);
            if (judge_command(&game->judge, f)) continue;
            (void)snprintf(run->wrong, sizeof(run->wrong), "a first deposit: %s", game->judge.wrong);
            return false;
        }
    return true;
}

bool flow_play(struct flow_run *run)
{
    struct game *game = calloc(1, sizeof(*game));
    bool         good;

    run->wrong[0] = '\0';
    game_start(game, run);
    good = give_money(game, run);
    for (uint64_t i = 0; i < run->commands && good; i++) good = one_command(game, run);
    run->counts = (struct flow_counts){ game->f->seq,         game->judge.trades,    game->judge.liquidations,
                                        game->judge.fundings, game->judge.triggered, game->replayed };
    run->hash = engine_hash(game->f->engine);
    fixture_free(game->f);
    free(game);
    return good;
}
