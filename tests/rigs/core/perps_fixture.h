/* SPDX-License-Identifier: MIT */
/* perps_fixture.h — the fixture with perps markets of ruling 31, and their commands from text. Header only. */
#ifndef RIGS_CORE_PERPS_FIXTURE_H
#define RIGS_CORE_PERPS_FIXTURE_H

#include "rigs/core/fixture.h"
#include "core/engine/perps_verify.h"
#include "core/perps/risk_unit.h"

#define BTC 1
#define ETH 2

static inline struct symbol perps_symbol(const char *name, uint32_t id, uint32_t price_precision,
                                         uint32_t quantity_precision, int64_t reference)
{
    return (struct symbol){
        .name = name_make(slice_of(name)),
        .id = id,
        .base_coin_id = 1,
        .quote_coin_id = VUSDC,
        .price_precision = price_precision,
        .quantity_precision = quantity_precision,
        .market = MARKET_PERPS,
        .status = SYMBOL_TRADING,
        .tick_size = 1,
        .step_size = 1,
        .min_quantity = 1,
        .max_quantity = 100000000,
        .market_min_quantity = 1,
        .market_max_quantity = 100000000,
        .min_notional = 1000000,
        .max_notional = INT64_C(50000000000000),
        .buy_limit_up_ratio = 5000000,
        .sell_limit_down_ratio = 5000000,
        .market_deviation_ratio = 1000000,
        .reference_price = reference,
    };
}

static inline void perps_genesis(struct genesis *g)
{
    fixture_genesis(g);
    g->development = g->prices_by_hand = 1;
    g->perps_fees = g->spot_fees;
    g->perps_count = 2;
    g->perps[0] = perps_symbol("BTC-USD", BTC, 1, 5, 1000000);
    g->perps[1] = perps_symbol("ETH-USD", ETH, 2, 4, 400000);
    /* clang-format off */
    g->contracts[0] = (struct contract){ .tier_count = 3, .init_leverage = 10, .interest_rate = 10000, .tiers = {
        { .max_notional = 4000000000000, .max_leverage = 25 }, { .max_notional = 10000000000000, .max_leverage = 20 },
        { .max_notional = 50000000000000, .max_leverage = 10 } } };
    g->contracts[1] = (struct contract){ .tier_count = 2, .init_leverage = 10, .interest_rate = 10000, .tiers = {
        { .max_notional = 4000000000000, .max_leverage = 20 },
          { .max_notional = 20000000000000, .max_leverage = 10 } } };
    g->rules.armed_stops_per_account = 100;
    g->rules.triggers_per_command = 1000;
    g->rules.liquidations_per_tick = 1000;
    g->rules.stop_retry_ticks = 60;
    g->rules.oracle_quorum = 1;
    g->rules.oracle_stale_ms = 60000;
    g->rules.oracle_jump_ratio = 10000000;
    g->rules.liquidation_buffer = 10000000;
    g->rules.liquidation_slippage = 2000000;
    g->rules.fund_loss_ratio = 20000000;
    g->rules.fund_total_ratio = 20000000;
    g->limits.positions = 128;
    g->limits.keys = 16;
    g->limits.transfers = 64;
}
/* clang-format on */

static inline struct fixture *perps_make(void)
{
    struct fixture *f = calloc(1, sizeof(*f));
    perps_genesis(&f->genesis);
    fixture_start(f);
    return f;
}

static inline void perps_sign(struct fixture *f, uint32_t who)
{
    fixture_sign(f, who);
    f->room.head.domain = DOMAIN_FUTURES;
    f->room.head.market = MARKET_PERPS;
}

/* Money into the perps wallet of user n. */
static inline void perps_deposit(struct fixture *f, uint32_t who, int64_t amount)
{
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit = (struct deposit){ .address = user(who),
                                        .coin_id = VUSDC,
                                        .amount = amount,
                                        .engine = MARKET_PERPS,
                                        .id = operator_id(++f->deposit_id) };
    fixture_apply(f);
    assert(result_at(f, 0)->reject == REJECT_NONE);
}

static inline struct perps_order perps_item(const char *client_id, uint8_t side, uint8_t type, uint8_t tif,
                                            const char *price, const char *quantity)
{
    return (struct perps_order){ .client_id = cid(client_id),
                                 .modifier = MODIFIER_NORMAL,
                                 .side = side,
                                 .type = type,
                                 .time_in_force = tif,
                                 .position_side = POSITION_BOTH,
                                 .price = number(price),
                                 .quantity = number(quantity) };
}

static inline const struct result *perps_send(struct fixture *f, uint32_t who, uint64_t symbol_id,
                                              const struct perps_order *items, uint32_t count)
{
    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, count));
    perps_sign(f, who);
    f->room.place_perps.symbol_id = symbol_id;
    f->room.place_perps.count = count;
    memcpy(f->room.place_perps.items, items, count * sizeof(*items));
    fixture_apply(f);
    return result_at(f, 0);
}

static inline const struct result *perps_limit(struct fixture *f, uint32_t who, const char *client_id, uint8_t side,
                                               const char *price, const char *quantity)
{
    struct perps_order item = perps_item(client_id, side, TYPE_LIMIT, TIF_GTC, price, quantity);
    return perps_send(f, who, BTC, &item, 1);
}

static inline void perps_tick(struct fixture *f, int64_t ms)
{
    f->time_ms += ms;
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    fixture_apply(f);
}

static inline void perps_index(struct fixture *f, uint32_t symbol_id, int64_t price)
{
    fixture_head(f, CMD_SET_INDEX, sizeof(struct set_index));
    f->room.set_index = (struct set_index){ .symbol_id = symbol_id, .by_hand = 1, .price = price };
    fixture_apply(f);
    assert(result_at(f, 0)->reject == REJECT_NONE);
}

/* Sets mark and index directly; the next TICK continues from these values. */
static inline void perps_prices(struct fixture *f, uint32_t symbol_id, int64_t mark, int64_t index)
{
    struct perps_market *perps = &engine_perps(f->engine)[symbol_id - 1];

    perps_index(f, symbol_id, index);
    perps->mark = mark;
    perps->index = index;
    perps->state = ORACLE_LIVE;
}

static inline const struct result *perps_leverage(struct fixture *f, uint32_t who, uint32_t symbol_id,
                                                  uint32_t leverage, uint8_t mode)
{
    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    perps_sign(f, who);
    f->room.update_leverage =
        (struct update_leverage){ .symbol_id = symbol_id, .leverage = leverage, .margin_mode = mode };
    fixture_apply(f);
    return result_at(f, 0);
}

static inline const struct result *perps_margin(struct fixture *f, uint32_t who, uint32_t symbol_id, const char *amount)
{
    fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
    perps_sign(f, who);
    f->room.update_margin =
        (struct update_margin){ .symbol_id = symbol_id, .amount = number(amount[0] == '-' ? amount + 1 : amount) };
    if (amount[0] == '-') f->room.update_margin.amount.digits = -f->room.update_margin.amount.digits;
    fixture_apply(f);
    return result_at(f, 0);
}

static inline const struct result *perps_drop(struct fixture *f, uint32_t who, uint32_t symbol_id,
                                              const char *client_id)
{
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    perps_sign(f, who);
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = symbol_id, .client_id = cid(client_id) };
    fixture_apply(f);
    return result_at(f, 0);
}

/* `buyer` and `seller` trade at a price, the seller taking; their order ids are not used again while one is open. */
static inline void perps_trade(struct fixture *f, uint32_t buyer, uint32_t seller, uint32_t symbol_id,
                               const char *price, const char *quantity)
{
    struct perps_order bid = perps_item("trade", SIDE_BUY, TYPE_LIMIT, TIF_GTC, price, quantity);
    struct perps_order ask = perps_item("trade", SIDE_SELL, TYPE_LIMIT, TIF_GTC, price, quantity);

    assert(perps_send(f, buyer, symbol_id, &bid, 1)->reject == REJECT_NONE);
    assert(perps_send(f, seller, symbol_id, &ask, 1)->reject == REJECT_NONE);
    assert(result_at(f, 0)->status == STATUS_FILLED);
}

/* The last PERPS_ORDER of the last command about an order, or NULL; the n-th FILL of an account with a reason. */
static inline const struct perps_order_changed *perps_emitted(const struct fixture *f, uint64_t order_id)
{
    const struct perps_order_changed *found = NULL;

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct perps_order_changed *order = (const void *)event;
        if (event->kind == EVENT_PERPS_ORDER && order->base.order_id == order_id) found = order;
    }
    return found;
}
static inline const struct filled *perps_fill(const struct fixture *f, uint64_t account_id, uint8_t reason, uint32_t n)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct filled *fill = (const void *)event;
        if (event->kind == EVENT_FILL && fill->account_id == account_id && fill->reason == reason && n-- == 0)
            return fill;
    }
    return NULL;
}

static inline uint32_t perps_slot(const struct fixture *f, uint32_t who)
{
    struct address owner = user(who);
    for (uint32_t slot = SLOT_USERS; slot < f->engine->account_end; slot++)
        if (address_equal(&account_at(f->engine, slot)->owner, &owner)) return slot;
    return 0;
}

static inline const struct position *perps_position(const struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    return position_find(f->engine, perps_slot(f, who), (uint8_t)(PERPS_FIRST + symbol_id - 1));
}
static inline int64_t perps_size(const struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    const struct position *position = perps_position(f, who, symbol_id);
    return position == NULL ? 0 : position->exposure.size;
}
static inline int64_t perps_wallet(const struct fixture *f, uint32_t who)
{
    return engine_margins(f->engine)[perps_slot(f, who)].wallet;
}

#endif
