/* SPDX-License-Identifier: MIT */
/* world.c — draws, starts and restores a world. */
#include "goals.h"
#include "world.h"
#include "rigs/random.h"

const char *const setting_names[] = { "flat", "moves", "newborn", "any" };

#define HOUSE_MONEY INT64_C(1000000000000000)

uint64_t random_state;

uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

static void draw_genesis(struct world *world, struct genesis *g)
{
    static const int64_t fund[] = { INT64_C(100000000000), INT64_C(1000000000000) };

    perps_genesis(g);
    g->time_ms =
        (FIXTURE_TIME / FUNDING_HOUR_MS) * FUNDING_HOUR_MS + (random_below(3) == 0 ? FUNDING_HOUR_MS - 700000 : 60000);
    g->spot[0].min_notional = 1000000;
    g->spot[0].max_notional = INT64_C(1000000000000000);
    g->spot[0].max_quantity = 5000000000;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        g->perps[i].max_notional = INT64_C(1000000000000000);
        g->perps[i].max_quantity = g->perps[i].market_max_quantity = 5000000000;
        g->perps[i].maker_fee = random_below(2) == 0 ? 35000 : random_below(2) == 0 ? 12000 : 0;
        g->perps[i].taker_fee = max_i64(g->perps[i].maker_fee, random_below(2) == 0 ? 40000 : 0);
        g->contracts[i].interest_rate = 0;
    }
    g->contracts[0].spot_symbol_id = world->has_spot ? 1 : 0;
    g->contracts[0].spot_impact_notional = INT64_C(5000000000);
    g->perps_fees.tiers[1].volume = 1000000000;
    g->fund = fund[random_below(2)];
    g->rules.stp_scope = STP_ACCOUNT;
    g->rules.open_orders_per_account = 60;
    g->rules.armed_stops_per_account = 20;
    g->limits = (struct limits){ .accounts = 10,
                                 .orders = 160,
                                 .levels = 160,
                                 .signers = 32,
                                 .deposits = 96,
                                 .keys = 8,
                                 .transfers = 256,
                                 .positions = 32 };
    g->prices_by_hand = 0;
    g->feeder_count = 1;
    g->feeders[0] = (struct feeder){ .address = user(USER_FEEDER), .weight = 1 };
}

static uint32_t slot_of_account(const struct world *world, uint64_t account_id)
{
    for (uint32_t slot = SLOT_USERS; slot < world->f->engine->account_end; slot++)
        if (account_id_of(slot) == account_id) return slot;
    assert(false);
    return 0;
}

/* The coalition's accounts: the second may be another one of the first's user. */
static void open_coalition(struct world *world)
{
    static const int64_t perps[] = { INT64_C(20000000000), INT64_C(200000000000), INT64_C(1000000000000) };
    struct fixture      *f = world->f;

    for (uint32_t i = 0; i < world->coalition; i++) {
        bool    second = i == 1 && world->one_user;
        int64_t money = perps[random_below(3)];

        world->owner[i] = second ? 1 : 1 + i;
        if (second) {
            const struct account_opened *told;
            assert(open_account(f, 1, ++f->deposit_id) == REJECT_NONE);
            told = event_at(f, EVENT_ACCOUNT, 0);
            world->account[i] = told->account_id;
            fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
            f->room.deposit = (struct deposit){ .address = user(1),
                                                .coin_id = VUSDC,
                                                .amount = money,
                                                .engine = MARKET_PERPS,
                                                .account_id = (uint32_t)told->account_id,
                                                .id = operator_id(++f->deposit_id) };
            fixture_apply(f);
        } else {
            perps_deposit(f, world->owner[i], money);
            (void)deposit(f, world->owner[i], VUSDC, money / 10);
            (void)deposit(f, world->owner[i], VBTC, 1000000);
            world->account[i] = account_id_of(perps_slot(f, world->owner[i]));
        }
        world->slot[i] = slot_of_account(world, world->account[i]);
    }
}

static void house_quote(struct world *world, uint32_t symbol, uint8_t side, int64_t away)
{
    struct perps_order item = perps_item(side == SIDE_BUY ? "hb" : "hs", side, TYPE_LIMIT, TIF_GTC, NULL, NULL);
    int64_t            price = world->now.fair[symbol - 1] * (BP + (side == SIDE_BUY ? -away : away)) / BP;

    item.price = decimal_make(price, symbol == BTC ? 1 : 2);
    item.quantity = decimal_make(symbol == BTC ? 10000000 : 20000000, symbol == BTC ? 5 : 4);
    (void)perps_send(world->f, USER_HOUSE, symbol, &item, 1);
}

static void spot_quote(struct world *world, uint8_t side, int64_t away)
{
    struct new_order item = order_of(side, TYPE_LIMIT, TIF_GTC, NULL, NULL, NULL, side == SIDE_BUY ? "sb" : "ss");

    item.price = decimal_make(world->now.fair[0] * (BP + (side == SIDE_BUY ? -away : away)) / BP, 1);
    item.quantity = decimal_make(10000000, 5);
    (void)place(world->f, USER_HOUSE, item);
}

/* Two against each other at the fair price; the weaker one is liquidated `distance` away from it. */
static void open_bystanders(struct world *world)
{
    struct fixture *f = world->f;
    int64_t distance = 55 + (int64_t)random_below(15), fair = world->now.fair[0], size = 100000, value = fair * size;
    uint8_t long_is_weak = (uint8_t)random_below(2);
    struct perps_order item;

    for (uint32_t i = 0; i < 2; i++) {
        perps_deposit(f, USER_BYSTANDER + i, INT64_C(100000000000));
        (void)deposit(f, USER_BYSTANDER + i, VUSDC, 1000000000);
        assert(perps_leverage(f, USER_BYSTANDER + i, BTC, 25, MARGIN_ISOLATED)->reject == REJECT_NONE);
        world->bystander[i] = perps_slot(f, USER_BYSTANDER + i);
    }
    for (uint32_t i = 0; i < 2; i++) {
        item = perps_item("b", i == 0 ? SIDE_BUY : SIDE_SELL, TYPE_LIMIT, TIF_GTC, NULL, NULL);
        item.price = decimal_make(fair, 1);
        item.quantity = decimal_make(size, 5);
        (void)perps_send(f, USER_BYSTANDER + i, BTC, &item, 1);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct position *position = world_position(world, world->bystander[i], BTC);
        int64_t                wanted = (i == 0) == (long_is_weak != 0) ? value * (200 + distance) / BP : value / 5;
        struct fixture        *g = f;
        if (position == NULL || position->exposure.size == 0) {
            world->has_bystanders = false;
            return;
        }
        /* Below the initial margin nothing may be taken out, so the weak
           one paid: its bucket is set by the test's own hand. */
        fixture_head(g, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
        perps_sign(g, USER_BYSTANDER + i);
        g->room.update_margin =
            (struct update_margin){ .symbol_id = BTC, .amount = decimal_make(wanted - position->exposure.bucket, 6) };
        if (wanted > position->exposure.bucket) fixture_apply(g);
        else {
            struct position *weak = position_find(f->engine, world->bystander[i], PERPS_FIRST);
            engine_margins(f->engine)[world->bystander[i]].wallet += weak->exposure.bucket - wanted;
            weak->exposure.bucket = wanted;
        }
    }
}

static void add_the_key(struct world *world)
{
    fixture_add_key(world->f, "k", USER_KEY);
    world->f->room.add_key.permissions = RIGHT_TRADE | RIGHT_CANCEL | RIGHT_WITHDRAW;
    world->f->room.add_key.permissions_given = 1;
    assert(fixture_send_wallet(world->f, USER_BYSTANDER) == REJECT_NONE);
    world->key_id = key_number(world->f);
}

static void remember(struct world *world)
{
    struct engine *e = world->f->engine;

    for (uint32_t i = 0; world->has_bystanders && i < 2; i++) {
        const struct position *position = world_position(world, world->bystander[i], BTC);
        world->stood[i].size = position->exposure.size;
        world->stood[i].bucket = position->exposure.bucket;
        world->stood[i].cost = position->exposure.cost;
        world->stood[i].wallet = ledger_wallet(e, world->bystander[i]);
        world->stood[i].worth = goal_both(world, world->bystander[i]);
    }
    world->fund = (int64_t)goal_fund(world);
    world->had = goal_holds(world, true);
}

static void draw(struct world *world, int goal, enum setting setting)
{
    /* clang-format off */
    static const uint8_t for_goal[GOALS][4] = {
        [GOAL_ALL] = { WORLD_FLAT, WORLD_MOVES, WORLD_MOVES, WORLD_NEWBORN },
            [GOAL_PROFIT] = { WORLD_FLAT, WORLD_MOVES, WORLD_MOVES, WORLD_MOVES },
        [GOAL_FUND] = { WORLD_FLAT, WORLD_MOVES, WORLD_MOVES, WORLD_MOVES },
            [GOAL_HARM] = { WORLD_FLAT, WORLD_FLAT, WORLD_FLAT, WORLD_NEWBORN },
        [GOAL_PRINT] = { WORLD_FLAT, WORLD_FLAT, WORLD_FLAT, WORLD_FLAT },
            [GOAL_TIER] = { WORLD_FLAT, WORLD_FLAT, WORLD_FLAT, WORLD_FLAT },
    };
    /* clang-format on */

    world->setting = for_goal[goal][random_below(4)];
    if (setting != WORLD_SETTINGS) world->setting = setting;
    world->coalition = 2 + random_below(4) % (COALITION_MAX - 1);
    world->one_user = world->setting != WORLD_MOVES && random_below(3) == 0;
    world->has_spot = random_below(4) != 0 && world->setting != WORLD_NEWBORN;
    world->has_house = world->setting == WORLD_FLAT && (random_below(2) == 0 || goal == GOAL_HARM);
    world->has_bystanders = world->setting == WORLD_NEWBORN || world->has_house;
    world->has_key = world->has_bystanders && random_below(2) == 0;
    world->spread = 80;
}

void world_make(struct world *world, int goal, enum setting setting)
{
    struct fixture *f = calloc(1, sizeof(*f));

    *world = (struct world){ .f = f };
    draw(world, goal, setting);
    draw_genesis(world, &f->genesis);
    assert(genesis_check(&f->genesis) == NULL);
    genesis_complete(&f->genesis);
    fixture_start(f);
    for (uint32_t i = 0; i < SYMBOLS; i++) world->now.fair[i] = f->genesis.perps[i].reference_price;
    open_coalition(world);
    perps_deposit(f, USER_HOUSE, HOUSE_MONEY);
    for (uint32_t coin = 0; coin < 2; coin++) (void)deposit(f, USER_HOUSE, coin, HOUSE_MONEY / 100);
    world->now.silent = world->setting == WORLD_NEWBORN ? ALL_SYMBOLS : 0;
    world_pass(world, 2000);
    if (world->has_bystanders) open_bystanders(world);
    for (uint32_t symbol = 1; world->has_house && symbol <= SYMBOLS; symbol++) {
        house_quote(world, symbol, SIDE_BUY, world->spread);
        house_quote(world, symbol, SIDE_SELL, world->spread);
    }
    if (world->has_spot && world->setting == WORLD_FLAT) {
        spot_quote(world, SIDE_BUY, 10);
        spot_quote(world, SIDE_SELL, 10);
    }
    world->has_key = world->has_key && world->has_bystanders;
    if (world->has_key) add_the_key(world);
    world_pass(world, 2000);
    world->now.ticks = 0;
    world->now.house_acts = world->setting != WORLD_MOVES;
    world->first = world->now;
    remember(world);
    world->bytes = engine_size(&f->genesis);
    world->begun = memcpy(malloc(world->bytes), f->engine, world->bytes);
    world->start = *f;
}

void world_again(struct world *world)
{
    memcpy(world->f->engine, world->begun, world->bytes);
    world->f->seq = world->start.seq;
    world->f->nonce = world->start.nonce;
    world->f->deposit_id = world->start.deposit_id;
    world->f->time_ms = world->start.time_ms;
    world->now = world->first;
}

void world_free(struct world *world)
{
    free(world->begun);
    fixture_free(world->f);
}
