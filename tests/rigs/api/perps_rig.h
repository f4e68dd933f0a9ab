/* SPDX-License-Identifier: MIT */
/* perps_rig.h — shared by the tests of perps reads: events made by hand. Header only. */
#ifndef RIGS_API_PERPS_RIG_H
#define RIGS_API_PERPS_RIG_H

#include "rigs/api/test_rig.h"

#define BTC        1
#define ETH        2
#define BLOCK_KEYS "\"blockTime\":1759999999000,\"blockHeight\":0"

static inline void emit_wallet(uint64_t account, int64_t total)
{
    struct balance *event = EVENT_ADD(&rig_events, BALANCE, balance, MARKET_PERPS);

    event->account_id = account;
    event->total = total;
    rig_apply();
}

static inline void emit_price(uint32_t symbol, int64_t mark, int64_t index)
{
    struct price_changed *event = EVENT_ADD(&rig_events, PRICE, price_changed, MARKET_PERPS);

    event->symbol_id = symbol;
    event->state = ORACLE_LIVE;
    event->mark = mark;
    event->index = index;
    event->funding_rate = 12500000;
    event->next_funding_ms = NOW + 400000;
    event->open_interest = 53210000;
    rig_apply();
}

static inline void emit_leverage(uint64_t account, uint32_t symbol, uint32_t leverage, uint8_t mode)
{
    struct leverage_changed *event = EVENT_ADD(&rig_events, LEVERAGE, leverage_changed, MARKET_PERPS);

    event->account_id = account;
    event->symbol_id = symbol;
    event->leverage = leverage;
    event->margin_mode = mode;
    rig_apply();
}

static inline struct position_changed position_of(uint64_t id, uint32_t symbol, int64_t size, int64_t cost,
                                                  uint32_t leverage)
{
    return (struct position_changed){
        .head = { .kind = EVENT_POSITION, .bytes = sizeof(struct position_changed), .market = MARKET_PERPS },
        .account_id = 1001,
        .position_id = id,
        .symbol_id = symbol,
        .leverage = leverage,
        .margin_mode = MARGIN_CROSS,
        .size = size,
        .cost_low = cost,
        .cost_high = cost < 0 ? -1 : 0,
        .open_value = cost < 0 ? -cost : cost,
        .max_size = size < 0 ? -size : size,
        .created_ms = NOW - 900,
        .updated_ms = NOW - 800,
    };
}

static inline void emit_position(struct position_changed position)
{
    memcpy(EVENT_ADD(&rig_events, POSITION, position_changed, MARKET_PERPS), &position, sizeof(position));
    rig_apply();
}

static inline struct perps_order_changed order_of(uint64_t id, uint8_t side, int64_t price, int64_t quantity)
{
    struct perps_order_changed order = { .base = rig_order(id, STATUS_NEW), .modifier = MODIFIER_NORMAL };

    order.base.head = (struct event){ .kind = EVENT_PERPS_ORDER, .bytes = sizeof(order), .market = MARKET_PERPS };
    order.base.side = side;
    order.base.price = price;
    order.base.quantity = quantity;
    order.base.frozen = 0;
    return order;
}

static inline void emit_order(struct perps_order_changed order)
{
    memcpy(EVENT_ADD(&rig_events, PERPS_ORDER, perps_order_changed, MARKET_PERPS), &order, sizeof(order));
    rig_apply();
}

#endif
