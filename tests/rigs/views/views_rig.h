/* SPDX-License-Identifier: MIT */
/* views_rig.h — views of a small genesis, and events made by hand. Header only, for tests. */
#ifndef RIGS_VIEWS_VIEWS_RIG_H
#define RIGS_VIEWS_VIEWS_RIG_H

#include "views/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

static struct genesis genesis;
static struct views  *views;
static uint8_t        event_bytes[1 << 20];
static struct events  events;

static inline int setup(void **state)
{
    (void)state;
    memset(&genesis, 0, sizeof(genesis));
    genesis.time_ms = 1000;
    genesis.coin_count = 3;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.coins[2] = (struct coin){ name_make(SLICE("vETH")), 2, 8 };
    genesis.spot_count = 2;
    genesis.spot[0] = (struct symbol){ .name = name_make(SLICE("vBTC_vUSDC")),
                                       .id = 1,
                                       .base_coin_id = 1,
                                       .status = SYMBOL_TRADING,
                                       .market = MARKET_SPOT,
                                       .reference_price = 1000000 };
    genesis.spot[1] = (struct symbol){
        .name = name_make(SLICE("vETH_vUSDC")), .id = 2, .base_coin_id = 2, .status = SYMBOL_HALT, .market = MARKET_SPOT
    };
    genesis.perps_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        genesis.perps[i] = (struct symbol){
            .id = i + 1, .status = SYMBOL_TRADING, .market = MARKET_PERPS, .reference_price = 1000000
        };
        genesis.contracts[i].init_leverage = 10;
    }
    genesis.limits = (struct limits){ .accounts = 100, .orders = 1000, .levels = 100, .positions = 10 };
    views = views_init(calloc(1, views_size(&genesis)), &genesis);
    events = (struct events){ event_bytes, 0, sizeof(event_bytes) };
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    views_deinit(views);
    free(views);
    return 0;
}

static inline void apply(void)
{
    views_apply(views, &events, NULL);
    events.len = 0;
}

static inline struct address address_of(uint8_t last)
{
    struct address address = { { 1, 2, 3 } };

    address.bytes[19] = last;
    return address;
}

static inline void emit_account(uint64_t id, uint64_t user, uint8_t owner, bool primary)
{
    struct account_opened *event = EVENT_ADD(&events, ACCOUNT, account_opened, 0);

    event->account_id = id;
    event->user_id = user;
    event->owner = address_of(owner);
    event->is_primary = primary;
}

static inline void emit_order(uint64_t id, uint64_t account, uint32_t symbol, uint8_t status)
{
    struct order_changed *event = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);

    event->order_id = id;
    event->account_id = account;
    event->symbol_id = symbol;
    event->status = status;
}

static inline void emit_level(uint32_t symbol, uint8_t side, int64_t price, int64_t quantity, uint64_t update_id)
{
    struct level_changed *event = EVENT_ADD(&events, LEVEL, level_changed, MARKET_SPOT);

    event->symbol_id = symbol;
    event->side = side;
    event->price = price;
    event->quantity = quantity;
    event->update_id = update_id;
}

static inline void emit_balance(uint64_t account, uint32_t coin, int64_t total, int64_t locked)
{
    struct balance *event = EVENT_ADD(&events, BALANCE, balance, MARKET_SPOT);

    event->account_id = account;
    event->coin_id = coin;
    event->total = total;
    event->locked = locked;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
