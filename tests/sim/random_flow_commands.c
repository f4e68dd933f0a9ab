/* SPDX-License-Identifier: MIT */
/* random_flow_commands.c — a command of each kind, most of them sensible. */
#include "random_flow_inside.h"

#include "core/account/account.h"
#include "core/account/ledger.h"
#include "rigs/core/perps_random_flow.h"

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

void make_command(struct game *game, uint16_t kind) { makers[kind](game); }
