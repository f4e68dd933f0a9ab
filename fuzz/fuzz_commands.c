/* SPDX-License-Identifier: MIT */
/*
 * Whole sequences of commands. The first bytes choose the exchange's rules; then each command is made of the bytes
 * that follow: mostly sensible ones, with any numbers and names that the decoder accepts. After each command every
 * invariant holds (docs/spec/invariants.md), the money of each coin is the inflow minus the outflow, and a second
 * engine, without prefetching, emits the same events; at the end both have the same hash. The twin (twin/) gets the
 * same commands: it predicts every result, order, trade, fill and price, the balances of all accounts and every read.
 */
#include <inttypes.h>

#include "rigs/core/perps_fixture.h"
#include "fuzz/fuzz.h"
#include "twin/bench.h"
#include "twin/digest.h"
#include "twin/reads.h"

#define USERS        4
#define KEY_USERS    50 /* numbers of addresses that may become keys */
#define COMMANDS_MAX 200

static struct fixture *first, *second;
static struct twin    *twin;
static struct views   *views;
static uint64_t        said; /* a digest of the commands */
static int128_t        inside[COINS_MAX];

/* ---- values ---- */

static struct client_id some_id(struct choices *c)
{
    char text[8];

    (void)snprintf(text, sizeof(text), "id%u", choose_of(c, 12));
    return cid(text);
}

/*
 * No price; one near the reference of the symbol, often one of a few, so that orders meet and queue; or any number of
 * 18 digits.
 */
static struct decimal some_price(struct choices *c, uint32_t symbol_id)
{
    uint32_t what = choose_of(c, 16);
    int64_t  near = symbol_id == ETH ? 400000 : 1000000, away = (int64_t)choose(c, what < 14 ? 1 : 7);

    if (what == 0) return (struct decimal){ 0 };
    if (what < 7) return decimal_make(near + away % 8 - 4, symbol_id == ETH ? 2 : 1);
    if (what < 12) return decimal_make(near + (away - 128) * 60, symbol_id == ETH ? 2 : 1);
    if (what < 14) return decimal_make(near * (away + 1) / 128, symbol_id == ETH ? 2 : 1);
    return decimal_make(away % INT64_C(1000000000000000000), (int)choose_of(c, 19));
}

static struct decimal some_quantity(struct choices *c)
{
    uint32_t what = choose_of(c, 16);
    int64_t  digits;

    if (what == 0) return (struct decimal){ 0 };
    if (what < 7) return decimal_make(100 * (1 + (int64_t)choose_of(c, 8)), 4);
    if (what < 13) return decimal_make(1 + (int64_t)choose(c, 1) * (what < 11 ? 10 : 1000), 4);
    digits = (int64_t)(choose(c, 7) % UINT64_C(1000000000000000000));
    return decimal_make(digits, (int)choose_of(c, 19));
}

static uint32_t some_user(struct choices *c)
{
    uint32_t who = choose_of(c, 64);

    return who == 63 ? USERS + 1 : 1 + who % USERS; /* the last has no account */
}

/* ---- commands of users ---- */

static void make_spot_orders(struct fixture *f, struct choices *c)
{
    uint32_t count = 1 + choose_of(c, 3);

    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, count));
    f->room.place_orders.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct new_order *item = &f->room.place_orders.items[i];

        *item = (struct new_order){ .symbol_id = 1 + choose_of(c, 16) / 15 };
        item->client_id = some_id(c);
        item->side = (uint8_t)(1 + choose_of(c, 2));
        item->type = (uint8_t)(1 + choose_of(c, 4) / 3);
        item->time_in_force = (uint8_t)(1 + choose_of(c, 4));
        item->price = some_price(c, BTC);
        item->quantity = some_quantity(c);
        if (choose_of(c, 4) == 0) item->funds = some_quantity(c);
    }
}

static void make_perps_orders(struct fixture *f, struct choices *c)
{
    uint32_t count = 1 + choose_of(c, 3), symbol_id = 1 + choose_of(c, 2), group = choose_of(c, 8);

    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, count));
    f->room.head.market = MARKET_PERPS;
    f->room.place_perps.symbol_id = symbol_id;
    f->room.place_perps.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct perps_order *item = &f->room.place_perps.items[i];
        uint32_t            what = choose_of(c, 16);

        *item = perps_item("", (uint8_t)(1 + choose_of(c, 2)), (uint8_t)(1 + what / 12), 0, NULL, NULL);
        item->time_in_force = (uint8_t)(1 + choose_of(c, 4));
        item->client_id = some_id(c);
        item->price = some_price(c, symbol_id);
        item->quantity = some_quantity(c);
        item->reduce_only = choose_of(c, 6) == 0;
        if (what % 4 == 3) {
            item->stop_type = (uint8_t)(1 + choose_of(c, 2));
            item->trigger_type = (uint8_t)(1 + choose_of(c, 3));
            item->stop_price = some_price(c, symbol_id);
        }
        if (group <= 2 && count > 1) item->modifier = i == 0 ? MODIFIER_BRACKET : MODIFIER_ATTACHED_STOP;
        else if (what % 4 == 3) item->modifier = group == 3 ? MODIFIER_NORMAL : MODIFIER_STOP;
        item->position_side = (uint8_t)(POSITION_BOTH + choose_of(c, 32) / 30);
    }
}

static void make_cancels(struct fixture *f, struct choices *c)
{
    if (choose_of(c, 2) == 0) {
        fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
        f->room.cancel_orders.count = 1;
        f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1, .client_id = some_id(c) };
        if (choose_of(c, 3) == 0) f->room.cancel_orders.items[0].order_id = choose_of(c, 64);
        if (choose_of(c, 4) == 0) f->room.cancel_orders.items[0].orig_client_id = some_id(c);
        return;
    }
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    f->room.head.market = MARKET_PERPS;
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = 1 + choose_of(c, 2) };
    if (choose_of(c, 3) == 0) f->room.cancel_perps.items[0].order_id = 1 + choose_of(c, 64);
    else f->room.cancel_perps.items[0].client_id = some_id(c);
}

static void make_replace(struct fixture *f, struct choices *c)
{
    struct replace_order *item = &f->room.replace_orders.items[0];
    uint8_t               market = choose_of(c, 2) == 0 ? MARKET_SPOT : MARKET_PERPS;
    uint32_t              symbol_id = market == MARKET_SPOT ? 1 : 1 + choose_of(c, 2);

    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    f->room.head.market = market;
    f->room.replace_orders.count = 1;
    *item = (struct replace_order){ .symbol_id = symbol_id, .client_id = some_id(c) };
    item->price = some_price(c, symbol_id);
    item->quantity = some_quantity(c);
    if (choose_of(c, 3) == 0) item->orig_order_id = 1 + choose_of(c, 64);
    else item->orig_client_id = some_id(c);
}

static void make_setting(struct fixture *f, struct choices *c)
{
    uint32_t symbol_id = 1 + choose_of(c, 2);

    switch (choose_of(c, 4)) {
    case 0:
        fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
        f->room.update_leverage = (struct update_leverage){ .symbol_id = symbol_id, .leverage = choose_of(c, 28) };
        f->room.update_leverage.margin_mode = (uint8_t)(1 + choose_of(c, 2));
        break;
    case 1:
        fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
        f->room.update_margin = (struct update_margin){ .symbol_id = symbol_id, .amount = some_quantity(c) };
        if (choose_of(c, 2) == 0) f->room.update_margin.amount.digits = -f->room.update_margin.amount.digits;
        break;
    case 2:
        fixture_head(f, CMD_MODIFY_ORDER, sizeof(struct modify_order));
        f->room.modify_order = (struct modify_order){ .symbol_id = symbol_id, .client_id = some_id(c) };
        f->room.modify_order.price = some_price(c, symbol_id);
        f->room.modify_order.quantity = some_quantity(c);
        f->room.modify_order.stop_price = some_price(c, symbol_id);
        break;
    default:
        fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
        f->room.schedule_cancel.scheduled_ms.value = (uint64_t)f->time_ms + 4990 + choose(c, 2);
        f->room.schedule_cancel.scheduled_ms.given = choose_of(c, 4) != 0;
        if (choose_of(c, 2) == 0) {
            f->room.head.market = MARKET_SPOT;
            return;
        }
        break;
    }
    f->room.head.market = MARKET_PERPS;
}

static void make_transfer(struct fixture *f, struct choices *c)
{
    static const uint8_t types[] = { TRANSFER_PERPS_WITHDRAW, TRANSFER_SPOT_WITHDRAW, TRANSFER_EVM_WITHDRAW };
    uint8_t              type = types[choose_of(c, 3)];
    uint64_t             id = 1 + choose_of(c, 100);

    fixture_transfer(f, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, id, type, choose_of(c, 8) / 6,
                     NULL);
    f->room.transfer_asset.amount = some_quantity(c);
    if (choose_of(c, 16) == 0) f->room.transfer_asset.to_account_id = ACCOUNT_FIRST + choose_of(c, 4);
}

static void make_key(struct fixture *f, struct choices *c)
{
    char name[8];

    (void)snprintf(name, sizeof(name), "k%u", choose_of(c, 5));
    if (choose_of(c, 3) == 0) {
        fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
        f->room.head.market = 0;
        f->room.revoke_key.name = cid(name);
        return;
    }
    fixture_add_key(f, name, choose_of(c, 8) == 0 ? some_user(c) : KEY_USERS + choose_of(c, 6));
    f->room.add_key.permissions = choose_of(c, 4) == 0 ? choose_of(c, 16) : 0;
    if (choose_of(c, 4) == 0) f->room.add_key.expires_ms = (uint64_t)f->time_ms + choose(c, 2);
}

/* A wallet, an existing key, or a missing one; nonces rise, repeat, or are out of their window. */
static void sign(struct fixture *f, struct choices *c)
{
    uint32_t how = choose_of(c, 64), keys = f->engine->key_end - 1;

    fixture_sign(f, some_user(c));
    if (how < 8 && keys != 0) {
        const struct api_key *key = engine_keys(f->engine) + 1 + choose_of(c, keys);

        f->room.head.signer = key->address;
        f->room.head.key_id = key->number;
        f->room.place_orders.account_id = ACCOUNT_FIRST + key->account - SLOT_USERS;
    }
    if (how == 8) f->room.place_orders.account_id = 995 + choose_of(c, 16);
    if (how == 9) f->room.head.nonce -= choose(c, 2);
    if (how == 10) f->room.head.nonce = choose(c, 8);
    if (f->room.head.kind == CMD_ADD_KEY || f->room.head.kind == CMD_REVOKE_KEY) f->room.head.domain = DOMAIN_UNIVERSAL;
    else if (f->room.head.market == MARKET_PERPS) f->room.head.domain = DOMAIN_FUTURES;
}

/* ---- commands of the operator ---- */

static void make_operator_command(struct fixture *f, struct choices *c)
{
    struct operator_id id = operator_id(1 + choose_of(c, 40));

    switch (choose_of(c, 8)) {
    case 0:
    case 1:
        fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
        f->room.deposit = (struct deposit){ .address = user(some_user(c)), .id = id };
        f->room.deposit.coin_id = choose_of(c, 3);
        f->room.deposit.amount = 1 + (int64_t)choose(c, 5);
        f->room.deposit.engine = (uint8_t)(1 + choose_of(c, 2));
        break;
    case 2:
        fixture_head(f, CMD_REDEEM, sizeof(struct redeem));
        f->room.redeem = (struct redeem){ .address = user(some_user(c)), .id = id };
        f->room.redeem.coin_id = choose_of(c, 3);
        f->room.redeem.amount = 1 + (int64_t)choose(c, 3);
        break;
    case 3:
        fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
        f->room.open_account = (struct open_account){ .owner = user(some_user(c)), .id = id };
        break;
    case 4:
        fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
        f->room.set_market = (struct set_market){ .symbol_id = 1 + choose_of(c, 2), .id = id };
        f->room.set_market.engine = (uint8_t)(1 + choose_of(c, 2));
        f->room.set_market.status = choose_of(c, 2) == 0 ? SYMBOL_HALT : SYMBOL_TRADING;
        if (f->room.set_market.engine == MARKET_SPOT) f->room.set_market.symbol_id = 1;
        break;
    case 5:
        fixture_head(f, CMD_SET_STAKING, sizeof(struct set_staking));
        f->room.set_staking = (struct set_staking){ .owner = user(some_user(c)), .id = id };
        f->room.set_staking.tier = choose_of(c, 5);
        break;
    case 7:
        fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
        f->room.set_mode = (struct set_mode){ .mode = (uint8_t)choose_of(c, 5), .id = id };
        break;
    default:
        fixture_head(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
        f->room.advance_time.offset_ms = engine_time_offset_ms(f->engine) + (int64_t)choose(c, 2);
        break;
    }
    f->room.head.market = 0;
}

static void make_price(struct fixture *f, struct choices *c)
{
    uint32_t symbol_id = 1 + choose_of(c, 2);
    int64_t  index = engine_perps(f->engine)[symbol_id - 1].index, move = (int64_t)choose(c, 1) - 128;

    if (index == 0) index = symbol_id == ETH ? 400000 : 1000000;
    index += index * move / (choose_of(c, 8) == 0 ? 200 : 20000);
    fixture_head(f, CMD_SET_INDEX, sizeof(struct set_index));
    f->room.head.market = 0;
    f->room.set_index = (struct set_index){ .symbol_id = symbol_id,
                                            .by_hand = choose_of(c, 4) != 0,
                                            .price = max_i64(1, min_i64(index, PRICE_MAX)) };
}

static void make_tick(struct fixture *f, struct choices *c)
{
    static const int64_t steps[] = { 0, 1, 1000, 1000, 1000, 60000, 3600000, 86400000 };

    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.head.market = 0;
    f->time_ms += steps[choose_of(c, ARRAY_COUNT(steps))];
}

static void make_command(struct fixture *f, struct choices *c)
{
    uint32_t kind = choose_of(c, 32);

    f->time_ms += choose_of(c, 4) == 0 ? choose_of(c, 256) : 0;
    if (kind >= 28) {
        make_tick(f, c);
        return;
    }
    if (kind >= 25) {
        make_price(f, c);
        return;
    }
    if (kind >= 23) {
        make_operator_command(f, c);
        return;
    }
    if (kind < 5) make_spot_orders(f, c);
    else if (kind < 13) make_perps_orders(f, c);
    else if (kind < 15) make_cancels(f, c);
    else if (kind < 17) make_replace(f, c);
    else if (kind < 19) make_setting(f, c);
    else if (kind < 21) make_transfer(f, c);
    else make_key(f, c);
    sign(f, c);
}

/* ---- what must hold ---- */

/* Deposits and redemptions are all that moves money in or out. */
static void check_money(const struct fixture *f)
{
    bool done =
        event_count(f, EVENT_TRANSFER) != 0 && result_at(f, 0) != NULL && result_at(f, 0)->reject == REJECT_NONE;

    if (f->room.head.kind == CMD_DEPOSIT && done) inside[f->room.deposit.coin_id] += f->room.deposit.amount;
    if (f->room.head.kind == CMD_REDEEM && done) inside[f->room.redeem.coin_id] -= f->room.redeem.amount;
    for (uint32_t coin_id = 0; coin_id < f->genesis.coin_count; coin_id++) {
        struct engine_money money = engine_money(f->engine, coin_id);

        assert(money.inside == inside[coin_id]);
        assert(money.spot + money.wallets + money.buckets - money.costs + money.evm == inside[coin_id]);
    }
}

/* Compares the engine's events with the twin's prediction, of this command and of all of them. */
static void check_twin(const char *wrong)
{
    views_apply(views, &first->events, NULL);
    if (wrong == NULL) wrong = twin_compare_state(twin);
    if (wrong == NULL) wrong = reads_compare(twin, views);
    if (wrong == NULL) return;
    events_print("engine", &first->events);
    (void)fprintf(stderr, "command %" PRIu64 ", kind %u: %s\n", first->seq, first->room.head.kind, wrong);
    abort();
}

static void apply_all(void)
{
    struct engine_ahead ahead;
    struct limits       limits;

    engine_prefetch_far(first->engine, &first->room.head, NULL, &ahead);
    engine_prefetch_near(first->engine, &ahead);
    engine_prefetch_close(first->engine, &ahead);
    fixture_apply(first);
    check_money(first);
    engine_verify(first->engine);
    digest_add(&said, &first->room.head, first->room.head.bytes);
    second->room = first->room;
    second->events.len = 0;
    if (engine_raises(second->engine, &second->room.head, &limits)) fixture_move(second, &limits);
    engine_apply(second->engine, &second->room.head, &second->events);
    assert(first->events.len == second->events.len
           && memcmp(first->events.at, second->events.at, first->events.len) == 0);
    (void)twin_apply(twin, &first->room.head);
    check_twin(twin_compare(twin, &first->events));
}

/* ---- the operator ---- */

static void choose_rules(struct genesis *g, struct choices *c)
{
    uint8_t bits = (uint8_t)choose(c, 1), fees = (uint8_t)choose(c, 1);

    perps_genesis(g);
    g->rules.stp_scope = (uint8_t)(1 + bits % 3);
    g->rules.client_id_reuse = (bits & 4) != 0 ? REUSE_FILLED : REUSE_FINISHED;
    g->rules.bracket_mode = (bits & 8) != 0 ? BRACKET_ANCHOR : BRACKET_PROTECT;
    g->rules.adl_mode = (bits & 16) != 0 ? ADL_QUEUE : ADL_FIFTHS;
    g->rules.replace_keeps_place = (bits & 32) == 0;
    g->rules.dms_keeps_stops = (bits & 64) != 0;
    g->rules.triggers_per_command = (bits & 128) != 0 ? 2 : 1000;
    g->rules.liquidations_per_tick = (bits & 128) != 0 ? 1 : 1000;
    g->rules.open_orders_per_account = 12;
    g->rules.armed_stops_per_account = 6;
    g->spot[0].maker_fee = (fees & 1) != 0 ? -1000 : 10000, g->spot[0].taker_fee = 65000;
    for (int i = 0; i < 2; i++) g->perps[i].maker_fee = (fees & 2) != 0 ? -1000 : 12000, g->perps[i].taker_fee = 40000;
    g->fund = (fees & 4) != 0 ? 0 : 1000000000;
    g->limits = (struct limits){ .accounts = 9,
                                 .orders = (fees & 8) != 0 ? 14 : 60,
                                 .levels = 50,
                                 .signers = 12,
                                 .deposits = 60,
                                 .keys = 7,
                                 .transfers = 40,
                                 .positions = (fees & 8) != 0 ? 5 : 24,
                                 .burnt_ids = g->rules.client_id_reuse == REUSE_FILLED ? 200 : 0 };
}

static void start(struct fixture **f, const struct genesis *genesis)
{
    if (*f != NULL) fixture_free(*f);
    *f = calloc(1, sizeof(**f));
    (*f)->genesis = *genesis;
    fixture_start(*f);
}

static void start_twin(const struct genesis *genesis)
{
    if (twin != NULL) twin_free(twin);
    if (views != NULL) views_deinit(views);
    free(views);
    twin = twin_create(genesis);
    views = views_init(calloc(1, views_size(genesis)), genesis);
    check_twin(twin_compare(twin, &first->events));
}

static void give_money(void)
{
    for (uint32_t who = 1; who <= USERS; who++) {
        for (uint32_t part = 0; part < 3; part++) {
            fixture_head(first, CMD_DEPOSIT, sizeof(struct deposit));
            first->room.head.market = 0;
            first->room.deposit = (struct deposit){ .address = user(who),
                                                    .coin_id = part == 1 ? VBTC : VUSDC,
                                                    .amount = who * INT64_C(5000000000),
                                                    .engine = part == 2 ? MARKET_PERPS : MARKET_SPOT,
                                                    .id = operator_id(100 + who * 3 + part) };
            apply_all();
            assert(result_at(first, 0)->reject == REJECT_NONE);
        }
    }
}

/* Without prices nothing is done on perps. */
static void give_prices(void)
{
    for (uint32_t symbol_id = 1; symbol_id <= 2; symbol_id++) {
        fixture_head(first, CMD_SET_INDEX, sizeof(struct set_index));
        first->room.head.market = 0;
        first->room.set_index =
            (struct set_index){ .symbol_id = symbol_id, .by_hand = 1, .price = symbol_id == ETH ? 400000 : 1000000 };
        apply_all();
    }
    fixture_head(first, CMD_TICK, sizeof(struct tick));
    first->room.head.market = 0;
    first->time_ms += 1000;
    apply_all();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct genesis genesis;
    struct choices        choices = { data, size };
    struct hash256        hashes[2];

    if (size < 4 || size > 8000) return 0;
    choose_rules(&genesis, &choices);
    if (genesis_check(&genesis) != NULL) return 0;
    genesis_complete(&genesis);
    start(&first, &genesis);
    start(&second, &genesis);
    start_twin(&genesis);
    memset(inside, 0, sizeof(inside));
    said = 0;
    for (uint32_t coin_id = 0; coin_id < genesis.coin_count; coin_id++)
        inside[coin_id] = engine_money(first->engine, coin_id).inside;
    give_money();
    if (choose_of(&choices, 8) != 0) give_prices();
    for (int i = 0; i < COMMANDS_MAX && choices.len != 0; i++) {
        make_command(first, &choices);
        apply_all();
    }
    hashes[0] = engine_hash(first->engine);
    hashes[1] = engine_hash(second->engine);
    assert(hash256_equal(&hashes[0], &hashes[1]));
    fuzz_said += said;
    return 0;
}
