/* SPDX-License-Identifier: MIT */
/* fixture.h — a small exchange for tests: one default market, named users, commands from text. Header only. */
#ifndef RIGS_CORE_FIXTURE_H
#define RIGS_CORE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "core/engine.h"

#define FIXTURE_TIME INT64_C(1776000000000)
#define VUSDC        0
#define VBTC         1

struct fixture {
    struct genesis      genesis;
    struct engine      *engine;
    void               *block;  /* the memory that the engine lies in; NULL: it begins with the engine */
    struct events       events; /* of the last command */
    struct command_room room;
    uint64_t            seq, nonce, deposit_id;
    int64_t             time_ms;
};

static inline struct decimal number(const char *text)
{
    struct decimal decimal = { 0 };
    if (text != NULL) assert(decimal_read(slice_of(text), &decimal) == DECIMAL_OK);
    return decimal;
}

/* User number 1, 2, 3 … */
static inline struct address user(uint32_t n)
{
    struct address address = { { 0xaa } };
    memcpy(address.bytes + 16, &n, sizeof(n));
    return address;
}

static inline struct client_id cid(const char *text) { return client_id_make(slice_of(text == NULL ? "" : text)); }

/* vBTC_vUSDC of ruling 31 with the fee tables of ruling 32; fees of the symbol are 0 until a test sets them. */
static inline void fixture_genesis(struct genesis *g)
{
    /* clang-format off */
    static const struct fee_row tiers[] = {
        { 0, 35000, 65000 }, { 5000000000000, 30000, 60000 }, { 25000000000000, 25000, 50000 },
        { 100000000000000, 15000, 40000 }, { 500000000000000, 10000, 30000 },
    };
    /* clang-format on */
    static const int64_t discount[] = { 0, 5000000, 10000000, 20000000 }, share[] = { 0, 1000000, 3000000 };

    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = FIXTURE_TIME;
    g->coin_count = 3;
    g->coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    g->coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    g->coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    g->spot_count = 1;
    g->spot[0] = (struct symbol){
        .name = name_make(SLICE("vBTC_vUSDC")),
        .id = 1,
        .base_coin_id = VBTC,
        .quote_coin_id = VUSDC,
        .price_precision = 1,
        .quantity_precision = 5,
        .market = MARKET_SPOT,
        .status = SYMBOL_TRADING,
        .tick_size = 1,
        .step_size = 1,
        .min_quantity = 1,
        .max_quantity = 100000000,
        .market_min_quantity = 1,
        .market_max_quantity = 10000000,
        .min_notional = 5000000,
        .max_notional = INT64_C(10000000000000),
        .buy_limit_up_ratio = 5000000,
        .sell_limit_down_ratio = 5000000,
        .market_deviation_ratio = 1000000,
        .reference_price = 1000000,
    };
    memcpy(g->spot_fees.tiers, tiers, sizeof(tiers));
    memcpy(g->spot_fees.staking_discount, discount, sizeof(discount));
    memcpy(g->spot_fees.rebate_share, share, sizeof(share));
    g->spot_fees.tier_count = 5;
    g->spot_fees.staking_count = 4;
    g->spot_fees.rebate_count = 1;
    g->rules = (struct rules){ .stp_scope = STP_ACCOUNT,
                               .client_id_reuse = REUSE_FINISHED,
                               .replace_keeps_place = 1,
                               .open_orders_per_account = 1000,
                               .schedule_triggers_per_day = 10 };
    g->limits = (struct limits){
        .accounts = 64, .orders = 512, .levels = 256, .signers = 64, .deposits = 256, .keys = 64, .transfers = 4096
    };
}

static inline void fixture_start(struct fixture *f)
{
    size_t bytes = engine_size(&f->genesis);

    f->events = (struct events){ calloc(1, engine_events_bytes(&f->genesis)), 0, engine_events_bytes(&f->genesis) };
    f->engine = engine_init(memset(aligned_alloc(64, align_up(bytes, 64)), 0, bytes), &f->genesis, &f->events);
    f->time_ms = f->genesis.time_ms;
}

static inline struct fixture *fixture_make(void)
{
    struct fixture *f = calloc(1, sizeof(*f));
    fixture_genesis(&f->genesis);
    fixture_start(f);
    return f;
}

/* Gives the engine's memory back. */
static inline void fixture_release(struct fixture *f)
{
    free(f->block != NULL ? f->block : (void *)f->engine);
    f->block = NULL;
}

static inline void fixture_free(struct fixture *f)
{
    fixture_release(f);
    free(f->events.at);
    free(f);
}

/* The engine moves into a larger block, as a command that raises a pool wants it. */
static inline void fixture_move(struct fixture *f, const struct limits *limits)
{
    struct genesis *room = malloc(sizeof(*room));
    size_t          bytes;

    *room = f->genesis;
    room->limits = *limits;
    bytes = engine_size(room);
    struct engine *moved = engine_move(memset(aligned_alloc(64, align_up(bytes, 64)), 0, bytes), f->engine, limits);

    fixture_release(f);
    free(f->events.at);
    f->engine = moved;
    f->events = (struct events){ calloc(1, engine_events_bytes(room)), 0, engine_events_bytes(room) };
    free(room);
}

/* Applies f->room as the next command. */
static inline void fixture_apply(struct fixture *f)
{
    struct limits limits;

    f->room.head.seq = ++f->seq;
    f->room.head.time_ms = f->time_ms;
    f->events.len = 0;
    if (engine_raises(f->engine, &f->room.head, &limits)) fixture_move(f, &limits);
    engine_apply(f->engine, &f->room.head, &f->events);
}

static inline void fixture_head(struct fixture *f, uint16_t kind, size_t payload_bytes)
{
    memset(&f->room, 0, sizeof(f->room));
    f->room.head.kind = kind;
    f->room.head.market = MARKET_SPOT;
    f->room.head.bytes = (uint32_t)(sizeof(struct command) + payload_bytes);
}

static inline void fixture_sign(struct fixture *f, uint32_t who)
{
    f->room.head.domain = DOMAIN_SPOT;
    f->room.head.signer = user(who);
    f->room.head.nonce = (uint64_t)f->time_ms + ++f->nonce;
}

/* The RESULT of item `index` of the last command, or NULL. */
static inline const struct result *result_at(const struct fixture *f, uint32_t index)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct result *result = (const void *)event;
        if (event->kind == EVENT_RESULT && result->index == index) return result;
    }
    return NULL;
}

/* Event number n (from 0) of a kind in the last command, or NULL. */
static inline const void *event_at(const struct fixture *f, uint16_t kind, uint32_t n)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        if (event->kind == kind && n-- == 0) return event;
    return NULL;
}

static inline uint32_t event_count(const struct fixture *f, uint16_t kind)
{
    uint32_t n = 0;
    while (event_at(f, kind, n) != NULL) n++;
    return n;
}

static inline struct operator_id operator_id(uint64_t number)
{
    struct operator_id id = { { 0 } };

    memcpy(id.bytes, &number, sizeof(number));
    return id;
}

static inline enum reject deposit_id(struct fixture *f, uint32_t who, uint32_t coin_id, int64_t amount, uint64_t id)
{
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){
        .address = user(who), .coin_id = coin_id, .amount = amount, .engine = MARKET_SPOT, .id = operator_id(id)
    };
    fixture_apply(f);
    return result_at(f, 0)->reject;
}
static inline enum reject deposit(struct fixture *f, uint32_t who, uint32_t coin_id, int64_t amount)
{
    return deposit_id(f, who, coin_id, amount, ++f->deposit_id);
}

static inline struct new_order order_of(uint8_t side, uint8_t type, uint8_t tif, const char *price,
                                        const char *quantity, const char *funds, const char *client_id)
{
    return (struct new_order){ .symbol_id = 1,
                               .client_id = cid(client_id),
                               .side = side,
                               .type = type,
                               .time_in_force = tif,
                               .price = number(price),
                               .quantity = number(quantity),
                               .funds = number(funds) };
}

static inline const struct result *place(struct fixture *f, uint32_t who, struct new_order order)
{
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    fixture_sign(f, who);
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = order;
    fixture_apply(f);
    return result_at(f, 0);
}
static inline const struct result *limit(struct fixture *f, uint32_t who, uint8_t side, const char *price,
                                         const char *quantity, const char *client_id)
{
    return place(f, who, order_of(side, TYPE_LIMIT, TIF_GTC, price, quantity, NULL, client_id));
}

static inline const struct result *cancel(struct fixture *f, uint32_t who, uint64_t order_id, const char *orig,
                                          const char *client_id)
{
    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    fixture_sign(f, who);
    f->room.cancel_orders.count = 1;
    f->room.cancel_orders.items[0] = (struct cancel_order){
        .symbol_id = 1, .client_id = cid(client_id), .order_id = order_id, .orig_client_id = cid(orig)
    };
    fixture_apply(f);
    return result_at(f, 0);
}

static inline const struct result *replace(struct fixture *f, uint32_t who, const char *orig, const char *price,
                                           const char *quantity, const char *client_id)
{
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    fixture_sign(f, who);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = (struct replace_order){ .symbol_id = 1,
                                                              .client_id = cid(client_id),
                                                              .orig_client_id = cid(orig),
                                                              .price = number(price),
                                                              .quantity = number(quantity) };
    fixture_apply(f);
    return result_at(f, 0);
}

/* at_ms 0 clears. */
static inline const struct result *schedule(struct fixture *f, uint32_t who, uint64_t at_ms)
{
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    fixture_sign(f, who);
    f->room.schedule_cancel.scheduled_ms = (struct optional_u64){ at_ms, at_ms != 0 };
    fixture_apply(f);
    return result_at(f, 0);
}

/* The outcome of the last command: the reject of its first RESULT, or of its REFUSED. */
static inline enum reject verdict(const struct fixture *f)
{
    const struct refused *refused = event_at(f, EVENT_REFUSED, 0);

    return refused != NULL ? refused->reject : result_at(f, 0)->reject;
}

/* Signs f->room with a key instead of the main wallet: the address of user number `who`, registered as `key_id`. */
static inline void fixture_sign_key(struct fixture *f, uint32_t who, uint32_t key_id)
{
    fixture_sign(f, who);
    f->room.head.key_id = key_id;
}

static inline void fixture_transfer(struct fixture *f, uint8_t market, uint64_t id, uint8_t type, uint32_t coin_id,
                                    const char *amount)
{
    fixture_head(f, CMD_TRANSFER, sizeof(struct transfer_asset));
    f->room.head.market = market;
    f->room.transfer_asset = (struct transfer_asset){
        .id = id, .to_account_id = ACCOUNT_BRIDGE, .coin_id = coin_id, .amount = number(amount), .type = type
    };
}
static inline enum reject transfer(struct fixture *f, uint32_t who, uint64_t id, uint8_t type, uint32_t coin_id,
                                   const char *amount)
{
    fixture_transfer(f, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, id, type, coin_id, amount);
    fixture_sign(f, who);
    if (type == TRANSFER_SPOT_WITHDRAW) f->room.head.domain = DOMAIN_FUTURES;
    fixture_apply(f);
    return verdict(f);
}

/* Registers the address of user number `key` as a key of user number `who`. */
static inline void fixture_add_key(struct fixture *f, const char *name, uint32_t key)
{
    fixture_head(f, CMD_ADD_KEY, sizeof(struct add_key));
    f->room.head.market = 0;
    f->room.add_key = (struct add_key){ .name = cid(name), .key_type = 1, .public_key = user(key) };
}
static inline enum reject fixture_send_wallet(struct fixture *f, uint32_t who)
{
    fixture_sign(f, who);
    f->room.head.domain = DOMAIN_UNIVERSAL;
    fixture_apply(f);
    return verdict(f);
}
static inline enum reject add_key(struct fixture *f, uint32_t who, const char *name, uint32_t key)
{
    fixture_add_key(f, name, key);
    return fixture_send_wallet(f, who);
}
static inline enum reject revoke_key(struct fixture *f, uint32_t who, const char *name)
{
    fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
    f->room.head.market = 0;
    f->room.revoke_key.name = cid(name);
    return fixture_send_wallet(f, who);
}

/* The number that the last ADD_KEY assigned. */
static inline uint32_t key_number(const struct fixture *f)
{
    const struct key_changed *key = event_at(f, EVENT_KEY, 0);
    return key == NULL ? 0 : key->key_id;
}

static inline enum reject apply_operator(struct fixture *f)
{
    f->room.head.market = 0;
    fixture_apply(f);
    return verdict(f);
}
static inline enum reject redeem(struct fixture *f, uint32_t who, uint32_t coin_id, int64_t amount, uint64_t id)
{
    fixture_head(f, CMD_REDEEM, sizeof(struct redeem));
    f->room.redeem =
        (struct redeem){ .address = user(who), .coin_id = coin_id, .amount = amount, .id = operator_id(id) };
    return apply_operator(f);
}
static inline enum reject open_account(struct fixture *f, uint32_t who, uint64_t id)
{
    fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
    f->room.open_account = (struct open_account){ .owner = user(who), .id = operator_id(id) };
    return apply_operator(f);
}
static inline enum reject advance_time(struct fixture *f, int64_t offset_ms)
{
    fixture_head(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
    f->room.advance_time.offset_ms = offset_ms;
    return apply_operator(f);
}

static inline void tick(struct fixture *f, int64_t time_ms)
{
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.head.market = 0;
    f->time_ms = time_ms;
    fixture_apply(f);
}

#endif
