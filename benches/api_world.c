/* SPDX-License-Identifier: MIT */
#include "api_world.h"

#include <stdio.h>
#include <stdlib.h>

#define LEVELS 1000

/*
 * The only query of a write to the history. There is no history here: its store takes more memory than valgrind can
 * give.
 */
bool __wrap_history_is_full(const struct history *history);

bool __wrap_history_is_full(const struct history *history) { return history != NULL; }

struct world world;

static struct genesis genesis;
static struct views  *views;
static struct events  events;

void world_expect(bool holds, const char *what)
{
    if (holds) return;
    printf("WRONG: %s: %.*s\n", what, (int)world.body_len, world.body);
    exit(1);
}

void world_level(uint8_t side, int64_t price, int64_t quantity)
{
    static uint64_t       update_id;
    struct level_changed *event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);

    event->symbol_id = 1;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = ++update_id;
    views_apply(views, &events, NULL);
    events.len = 0;
}

void world_open_order(uint64_t order_id)
{
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);

    *order = (struct order_changed){
        .head = order->head,
        .order_id = order_id,
        .account_id = 1001,
        .symbol_id = 1,
        .client_id = client_id_make(SLICE("guard-000001")),
        .side = SIDE_BUY,
        .type = TYPE_LIMIT,
        .time_in_force = TIF_GTC,
        .status = STATUS_NEW,
        .price = 999990,
        .quantity = 10700,
        .frozen = INT64_C(10699893000),
        .created_ms = NOW,
        .updated_ms = NOW,
    };
    views_apply(views, &events, NULL);
    events.len = 0;
}

static void fill(const struct address *owner)
{
    struct api_shared     *shared = calloc(1, sizeof(*shared));
    struct account_opened *account;

    genesis.chain_ids[0] = 286623;
    genesis.coin_count = 2;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.spot_count = 1;
    genesis.spot[0] = (struct symbol){ .name = name_make(SLICE("vBTC_vUSDC")),
                                       .id = 1,
                                       .base_coin_id = 1,
                                       .price_precision = 1,
                                       .quantity_precision = 5,
                                       .tick_size = 1,
                                       .step_size = 1,
                                       .market = MARKET_SPOT,
                                       .status = SYMBOL_TRADING };
    genesis.limits = (struct limits){ .accounts = 1000, .orders = 1000, .levels = 10000 };
    views = views_init(calloc(1, views_size(&genesis)), &genesis);
    *shared = (struct api_shared){ .genesis = &genesis, .views = views, .settings = { .development = true } };
    events = (struct events){ calloc(1, 1 << 16), 0, 1 << 16 };
    account = EVENT_ADD(&events, ACCOUNT, account_opened, 0);
    account->account_id = 1001;
    account->user_id = 1;
    account->owner = *owner;
    account->is_primary = 1;
    for (int64_t i = 0; i < LEVELS; i++) {
        world_level(SIDE_BUY, 999990 - i * 10, 12345 + i);
        world_level(SIDE_SELL, 1000000 + i * 10, 54321 + i);
    }
    world.api = api_init(calloc(1, api_size(shared)), shared);
}

void world_make(void)
{
    struct address owner;

    memset(world.secret, 7, sizeof(world.secret));
    world.context = (struct api_context){ .now_ms = NOW, .ready = true };
    world_expect(crypto_init() && address_of_secret(world.secret, &owner), "crypto");
    fill(&owner);
}

enum api_outcome world_handle(const struct http_request *request)
{
    struct out       out = out_make(world.body, sizeof(world.body));
    enum api_outcome outcome = api_handle(world.api, &world.context, request, &world.write, &world.answer, &out);

    if (outcome == API_ANSWER && world.answer.kept.at != NULL) out_slice_put(&out, world.answer.kept);
    world.body_len = out.len;
    return outcome;
}

void world_sign(struct slice order, struct hash256 *digest, struct signature *signature, char *text)
{
    struct hash256 separator = domain_separator(DOMAIN_SPOT, 286623),
                   payload = payload_hash(SLICE("batchNewOrder"), order);

    *digest = action_digest(&separator, &payload, NOW);
    world_expect(sign_digest(digest, world.secret, 1, signature), "sign");
    signature_write(signature, text);
}
