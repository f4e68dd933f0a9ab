/* SPDX-License-Identifier: MIT */
/* units_world.c — a world of units.c: an exchange, the house that quotes, and the commands of the moves. */
#include "units.h"

int64_t price_of(const struct fixture *f, bool perps, uint32_t symbol)
{
    return (perps ? f->genesis.perps : f->genesis.spot)[symbol - 1].reference_price;
}

static void quote(struct fixture *f, bool perps, uint32_t symbol, uint8_t side, int64_t price)
{
    char id[12];

    (void)snprintf(id, sizeof(id), "h%d%u%u", perps, symbol, side);
    if (perps) {
        struct perps_order item = perps_item(id, side, TYPE_LIMIT, TIF_GTC, NULL, NULL);
        item.price = decimal_make(price, symbol == BTC ? 1 : 2);
        item.quantity = decimal_make(5000000, symbol == BTC ? 5 : 4);
        assert(perps_send(f, HOUSE, symbol, &item, 1)->reject == REJECT_NONE);
    } else {
        struct new_order item = order_of(side, TYPE_LIMIT, TIF_GTC, NULL, NULL, NULL, id);
        item.symbol_id = symbol;
        item.price = decimal_make(price, symbol == 1 ? 1 : 3);
        item.quantity = decimal_make(5000000, 5);
        assert(place(f, HOUSE, item)->reject == REJECT_NONE);
    }
}

static void draw_genesis(struct genesis *g, bool perps)
{
    static const int64_t maker[] = { 0, 12000, -1000, 35000 }, taker[] = { 0, 40000, 65000, 65000 };
    uint32_t             fees = random_below(4);

    perps_genesis(g);
    g->spot[1] = g->spot[0];
    g->spot[1].id = 2;
    g->spot[1].base_coin_id = 2;
    g->spot[1].name = name_make(SLICE("vETH_vUSDC"));
    g->spot[1].price_precision = 3;
    g->spot_count = 2;
    if (!perps) g->perps_count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct symbol *both[] = { &g->spot[i], &g->perps[i] };
        for (uint32_t k = 0; k < 2; k++) {
            both[k]->maker_fee = maker[fees];
            both[k]->taker_fee = taker[fees];
            both[k]->max_notional = INT64_C(1000000000000000);
            both[k]->min_notional = random_below(3) == 0 ? 5000000 : 0;
            const uint32_t far = random_below(3);
            both[k]->reference_price += far * random_below(1000);
            if (k == 0 && random_below(3) == 0) both[k]->fee_discount = 20000000;
        }
    }
    g->spot_fees.tiers[1].volume = 1000000; /* tiers are within reach */
    g->fund = perps ? INT64_C(100000000000) : 0;
    g->rules.stp_scope = random_below(2) == 0 ? STP_ACCOUNT : STP_USER;
    g->rules.replace_keeps_place = (uint8_t)random_below(2);
    g->rules.open_orders_per_account = g->rules.armed_stops_per_account = 40;
    g->rules.oracle_stale_ms = 3600000;
    g->limits = (struct limits){ .accounts = 8,
                                 .orders = 96,
                                 .levels = 96,
                                 .signers = 8,
                                 .deposits = 32,
                                 .keys = 4,
                                 .transfers = 64,
                                 .positions = 16 };
}

void world_make(struct world *world)
{
    struct fixture *f = calloc(1, sizeof(*f));

    *world = (struct world){ .f = f, .two = random_below(2) == 0 };
    world->perps = random_below(4) != 0;
    world->thin = world->perps && world->two && random_below(2) == 0;
    draw_genesis(&f->genesis, world->perps);
    if (genesis_check(&f->genesis) != NULL) (void)fprintf(stderr, "%s\n", genesis_check(&f->genesis));
    assert(genesis_check(&f->genesis) == NULL);
    genesis_complete(&f->genesis);
    fixture_start(f);
    for (uint32_t who = 1; who <= HOUSE; who++) {
        int64_t each =
            who == HOUSE ? INT64_C(1000000000000000) : (int64_t[]){ 100000, 100000000, 100000000000 }[random_below(3)];
        world->each[who] = each;
        for (uint32_t coin = 0; coin < 3; coin++) assert(deposit(f, who, coin, each) == REJECT_NONE);
        if (world->perps) perps_deposit(f, who, each);
    }
    for (uint32_t symbol = 1; symbol <= 2; symbol++) {
        for (int perps = 0; perps <= world->perps; perps++) {
            uint32_t apart = 1 + random_below(20), below = random_below(apart + 1);
            if (perps == 1) perps_index(f, symbol, price_of(f, true, symbol));
            if (perps == 1 && world->thin) continue;
            quote(f, perps == 1, symbol, SIDE_BUY, price_of(f, perps == 1, symbol) - below);
            quote(f, perps == 1, symbol, SIDE_SELL, price_of(f, perps == 1, symbol) + apart - below);
        }
    }
    if (world->perps) perps_tick(f, 1000);
    world->bytes = engine_size(&f->genesis);
    world->begun = memcpy(malloc(world->bytes), f->engine, world->bytes);
    world->start = *f;
}

void world_again(struct world *world)
{
    memcpy(world->f->engine, world->begun, world->bytes);
    world->f->seq = world->start.seq;
    world->f->nonce = world->start.nonce;
    world->f->time_ms = world->start.time_ms;
}

void world_free(struct world *world)
{
    free(world->begun);
    fixture_free(world->f);
}

static struct client_id id_of(uint32_t number, uint32_t part)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "m%u-%u", number, part);
    return cid(text);
}

static struct decimal its_price(const struct fixture *f, const struct move *move, bool perps)
{
    return decimal_make(price_of(f, perps, move->symbol) + move->away,
                        perps ? (move->symbol == BTC ? 1 : 2) : (move->symbol == 1 ? 1 : 3));
}
static struct decimal its_quantity(const struct move *move, bool perps)
{
    return decimal_make(move->quantity, perps && move->symbol == ETH ? 4 : 5);
}

static void spot_orders(struct fixture *f, const struct move *move, uint32_t number)
{
    uint32_t count = move->kind == SPOT_PARTS ? 2 + move->flag : 1;

    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, count));
    f->room.place_orders.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct new_order *item = &f->room.place_orders.items[i];
        *item = (struct new_order){ .symbol_id = move->symbol,
                                    .client_id = id_of(number, i),
                                    .side = move->side,
                                    .type = move->tif == 0 ? TYPE_MARKET : TYPE_LIMIT,
                                    .time_in_force = move->tif == 0 ? TIF_IOC : move->tif,
                                    .quantity = its_quantity(move, false) };
        if (move->tif != 0) item->price = its_price(f, move, false);
        if (move->kind != SPOT_FUNDS) continue;
        item->side = SIDE_BUY;
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        item->funds = decimal_make(move->quantity, 6);
        item->price = item->quantity = (struct decimal){ 0 };
    }
}

static void perps_order_of(struct fixture *f, const struct move *move, uint32_t number)
{
    struct perps_order *item = &f->room.place_perps.items[0];

    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1));
    f->room.place_perps.symbol_id = move->symbol;
    f->room.place_perps.count = 1;
    *item = (struct perps_order){ .client_id = id_of(number, 0),
                                  .modifier = MODIFIER_NORMAL,
                                  .side = move->side,
                                  .type = move->tif == 0 ? TYPE_MARKET : TYPE_LIMIT,
                                  .time_in_force = move->tif == 0 ? TIF_IOC : move->tif,
                                  .position_side = POSITION_BOTH,
                                  .reduce_only = move->flag == 0,
                                  .quantity = its_quantity(move, true) };
    if (move->tif != 0) item->price = its_price(f, move, true);
    if (move->kind != PERPS_STOP) return;
    item->modifier = MODIFIER_STOP;
    item->reduce_only = move->flag != 0;
    item->stop_price = its_price(f, move, true);
    item->stop_type = (uint8_t)(1 + move->target % 2);
    item->trigger_type = (uint8_t)(1 + move->target % 3);
}

static void replacement(struct fixture *f, const struct move *move, uint32_t number)
{
    bool                  perps = move->kind == PERPS_REPLACE;
    struct replace_order *item = &f->room.replace_orders.items[0];

    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    f->room.replace_orders.count = 1;
    *item = (struct replace_order){ .symbol_id = move->symbol,
                                    .client_id = id_of(number, 9),
                                    .orig_client_id = id_of(move->target, 0) };
    if (move->flag & 1) item->price = its_price(f, move, perps);
    if (move->flag & 2) item->quantity = its_quantity(move, perps);
}

/* A move about an order or a position refers to an earlier move's, of its account and symbol. */
static void aim(const struct sequence *sequence, uint32_t number, struct move *move)
{
    bool spot = move->kind == SPOT_CANCEL || move->kind == SPOT_REPLACE;

    if (!spot && move->kind != PERPS_CANCEL && move->kind != PERPS_REPLACE && move->kind != MARGIN
        && move->kind != LEVERAGE)
        return;
    for (uint32_t i = number; i-- > 0;) {
        const struct move *other = &sequence->moves[(i + move->target) % number];
        if (spot ? other->kind > SPOT_PARTS : other->kind != PERPS && other->kind != PERPS_STOP) continue;
        if (move->kind != LEVERAGE) move->target = (uint16_t)((i + move->target) % number);
        move->symbol = other->symbol;
        move->who = other->who;
        return;
    }
}

/* Fills f->room. False: this world has no such move. */
bool command_of(const struct world *world, const struct sequence *sequence, uint32_t number)
{
    struct fixture *f = world->f;
    struct move     aimed = sequence->moves[number], *move = &aimed;
    bool            perps = move->kind >= PERPS && move->kind <= MARGIN;
    int64_t         amount = move->side == SIDE_BUY ? move->quantity : -move->quantity;

    if (perps && !world->perps) return false;
    aim(sequence, number, move);
    switch (move->kind) {
    case SPOT:
    case SPOT_PARTS:
    case SPOT_FUNDS: spot_orders(f, move, number); break;
    case PERPS:
    case PERPS_STOP: perps_order_of(f, move, number); break;
    case SPOT_REPLACE:
    case PERPS_REPLACE: replacement(f, move, number); break;
    case SPOT_CANCEL:
        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
        f->room.cancel_orders.count = 1;
        f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = move->symbol,
                                                                .client_id = id_of(number, 8),
                                                                .orig_client_id = id_of(move->target, 0) };
        break;
    case PERPS_CANCEL:
        fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
        f->room.cancel_perps.count = 1;
        f->room.cancel_perps.items[0] =
            (struct perps_cancel){ .symbol_id = move->symbol, .client_id = id_of(move->target, 0) };
        break;
    case LEVERAGE:
        fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
        f->room.update_leverage =
            (struct update_leverage){ .symbol_id = move->symbol,
                                      .leverage = 1 + move->target % 25,
                                      .margin_mode = move->flag == 0 ? MARGIN_CROSS : MARGIN_ISOLATED };
        break;
    case MARGIN:
        fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
        f->room.update_margin = (struct update_margin){ .symbol_id = move->symbol, .amount = decimal_make(amount, 6) };
        break;
    case TRANSFER:
        fixture_transfer(f, move->side == SIDE_BUY ? MARKET_PERPS : MARKET_SPOT, f->seq,
                         move->side == SIDE_BUY ? TRANSFER_SPOT_WITHDRAW : TRANSFER_PERPS_WITHDRAW, 0, NULL);
        f->room.transfer_asset.amount = decimal_make(move->quantity, 6);
        perps = move->side == SIDE_BUY;
        if (!world->perps) return false;
        break;
    default:
        f->time_ms += !world->perps && move->flag == 0 ? INT64_C(86400000) : 1000 * (1 + (int64_t)move->flag);
        fixture_head(f, CMD_TICK, sizeof(struct tick));
        f->room.head.market = 0;
        return true;
    }
    fixture_sign(f, world->two ? move->who : 1);
    f->room.head.domain = perps ? DOMAIN_FUTURES : DOMAIN_SPOT;
    f->room.head.market = perps ? MARKET_PERPS : MARKET_SPOT;
    return true;
}
