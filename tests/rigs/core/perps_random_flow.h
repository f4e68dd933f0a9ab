/* SPDX-License-Identifier: MIT */
/*
 * perps_random_flow.h — random hostile flow for tests: orders of every kind with prices that are near, far and wrong,
 * brackets, stops, leverage, margin, replacements, index jumps, gaps, funding hours, spot orders, transfers. Header
 * only.
 */
#ifndef RIGS_CORE_PERPS_RANDOM_FLOW_H
#define RIGS_CORE_PERPS_RANDOM_FLOW_H

#include "rigs/core/drawn_markets.h"
#include "rigs/random.h"

/* Parameters of the flow: number of accounts, their money, volatility of the index, size of the pools, settings. */
struct random_flow {
    uint64_t seed;
    uint32_t commands, users;
    int64_t  each, fund;                /* vUSDC units */
    uint32_t jumps, gap;                /* one index move in `jumps` is up to `gap` 1e-4 */
    uint32_t orders, levels, positions; /* pools; 0 = those of the fixture */
    int64_t  cap;                       /* of open interest, base units; 0 = none */
    bool     anchor, queue, spot;       /* bracketMode, adlMode; spot and transfers as well */
    uint32_t operators;                 /* one command in so many is an operator's; 0 = none */
    uint32_t modes;                     /* one in so many sets the venue's mode; 0 = none */
    uint32_t halts;                     /* one in so many halts a symbol or lets it trade; 0 = none */
    uint32_t raises;                    /* one in so many raises the limit of a pool; 0 = none */
    bool     apart;                     /* every account is in one symbol alone */
    uint32_t open;                      /* orders that an account may have open; 0 = as in the fixture */
    uint8_t  scope;                     /* enum stp_scope; 0 = as in the fixture */
    bool     drawn;                     /* markets and money of drawn_markets.h instead of these; one order in 30 is
                                           a swarm of twenty of one step */
};

/* One of the program, however many of its files draw: all of them follow from one seed. */
__attribute__((weak)) uint64_t random_state;
static inline uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

static inline struct client_id some_id(void)
{
    char text[8];
    (void)snprintf(text, sizeof(text), "o%u", random_below(60));
    return cid(text);
}

static inline struct decimal near_price(const struct fixture *f, uint32_t symbol_id, uint32_t spread)
{
    int64_t mark = engine_perps(f->engine)[symbol_id - 1].mark;
    return decimal_make(mark + mark * ((int64_t)random_below(spread) - (int64_t)spread / 2) / 10000,
                        (int)f->genesis.perps[symbol_id - 1].price_precision);
}

static inline struct decimal some_quantity(const struct fixture *f, uint32_t symbol_id)
{
    const struct symbol *symbol = &f->genesis.perps[symbol_id - 1];
    int64_t              steps = 1 + (int64_t)random_below(random_below(3) == 0 ? 2000000 : 50000);
    return decimal_make(steps * symbol->step_size, (int)symbol->quantity_precision);
}

static inline struct perps_order some_order(const struct fixture *f, uint32_t symbol_id)
{
    struct perps_order item = {
        .client_id = some_id(), .modifier = MODIFIER_NORMAL, .type = TYPE_LIMIT, .position_side = POSITION_BOTH
    };

    item.side = (uint8_t)(1 + random_below(2));
    item.time_in_force = (uint8_t[]){ TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX }[random_below(5)];
    item.reduce_only = random_below(5) == 0;
    item.price = near_price(f, symbol_id, 200);
    item.quantity = some_quantity(f, symbol_id);
    if (random_below(4) == 0) {
        item.type = TYPE_MARKET;
        item.time_in_force = TIF_IOC;
        if (random_below(2) == 0) item.price = (struct decimal){ 0 };
        if (item.side == SIDE_BUY && !item.reduce_only && random_below(3) == 0) {
            item.quantity = (struct decimal){ 0 };
            item.funds = decimal_make(1 + random_below(1000000), 2);
        }
    }
    if (random_below(4) == 0) {
        item.modifier = MODIFIER_STOP;
        item.funds = (struct decimal){ 0 };
        item.reduce_only = random_below(3) != 0;
        item.stop_price = near_price(f, symbol_id, 400);
        item.stop_type = (uint8_t)(1 + random_below(2));
        item.trigger_type = (uint8_t)(1 + random_below(3));
        item.quantity = random_below(3) == 0 ? (struct decimal){ 0 } : some_quantity(f, symbol_id);
    }
    if (random_below(40) == 0) item.position_side = (uint8_t)(1 + random_below(3));
    if (random_below(60) == 0) item.quantity = (struct decimal){ -5, 0, 0 };
    return item;
}

static inline void send_bracket(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    struct perps_order items[3];
    uint32_t           count = 2 + random_below(2);

    for (uint32_t i = 0; i < count; i++) {
        items[i] = some_order(f, symbol_id);
        items[i].modifier = i == 0 ? MODIFIER_BRACKET : MODIFIER_ATTACHED_STOP;
        items[i].reduce_only = i != 0;
        items[i].funds = (struct decimal){ 0 };
        items[i].quantity = i != 0 && random_below(2) == 0 ? (struct decimal){ 0 } : some_quantity(f, symbol_id);
        items[i].stop_price = (struct decimal){ 0 };
        items[i].stop_type = items[i].trigger_type = 0;
    }
    for (uint32_t i = 1; i < count; i++) {
        bool    above = (items[0].side == SIDE_BUY) == (i == 1);
        int64_t mark = engine_perps(f->engine)[symbol_id - 1].mark,
                away = mark * (int64_t)(50 + random_below(300)) / 10000;

        items[i].side = items[0].side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
        items[i].stop_type = i == 1 ? STOP_TAKE_PROFIT : STOP_LOSS;
        items[i].trigger_type = (uint8_t)(1 + random_below(3));
        items[i].stop_price =
            decimal_make(above ? mark + away : mark - away, (int)f->genesis.perps[symbol_id - 1].price_precision);
    }
    perps_send(f, who, symbol_id, items, count);
}

static inline void send_cancel(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    perps_sign(f, who);
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0] = (struct perps_cancel){ .symbol_id = symbol_id };
    if (random_below(2) == 0) f->room.cancel_perps.items[0].client_id = some_id();
    else f->room.cancel_perps.items[0].order_id = 1 + random_below((uint32_t)f->engine->next_order_id);
    fixture_apply(f);
}

static inline void send_replace(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    struct replace_order *item = &f->room.replace_orders.items[0];

    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    perps_sign(f, who);
    f->room.replace_orders.count = 1;
    *item = (struct replace_order){ .symbol_id = symbol_id, .client_id = some_id() };
    item->orig_client_id = some_id();
    item->price = random_below(2) == 0 ? near_price(f, symbol_id, 150) : (struct decimal){ 0 };
    item->quantity = some_quantity(f, symbol_id);
    fixture_apply(f);
}

static inline void send_modify(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    fixture_head(f, CMD_MODIFY_ORDER, sizeof(struct modify_order));
    perps_sign(f, who);
    f->room.modify_order = (struct modify_order){ .symbol_id = symbol_id, .client_id = some_id() };
    f->room.modify_order.stop_price = near_price(f, symbol_id, 400);
    if (random_below(2) == 0) f->room.modify_order.quantity = some_quantity(f, symbol_id);
    fixture_apply(f);
}

static inline void send_setting(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    if (random_below(2) == 0) {
        fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
        perps_sign(f, who);
        f->room.update_leverage =
            (struct update_leverage){ .symbol_id = symbol_id,
                                      .leverage = random_below(2) == 0 ? 20 : 1 + random_below(26) };
        f->room.update_leverage.margin_mode = (uint8_t)(1 + random_below(2));
    } else {
        fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
        perps_sign(f, who);
        f->room.update_margin =
            (struct update_margin){ .symbol_id = symbol_id,
                                    .amount = decimal_make((int64_t)random_below(2000000000) - 1000000000, 6) };
    }
    fixture_apply(f);
}

/* Ordinary drift, one time in `jumps` a leap of up to `gap` ten-thousandths, now and then hours at once. */
static inline void send_time(struct fixture *f, const struct random_flow *flow)
{
    uint32_t symbol_id = 1 + random_below(2);
    int64_t  index = engine_perps(f->engine)[symbol_id - 1].index,
            move = random_below(flow->jumps) == 0 ? flow->gap : 60;
    int64_t price = index + index * ((int64_t)random_below((uint32_t)(2 * move)) - move) / 10000;

    if (random_below(3) == 0)
        perps_index(f, symbol_id, max_i64(flow->drawn ? DRAWN_PRICE_LEAST : 1000, min_i64(price, 100000000)));
    else perps_tick(f, random_below(200) == 0 ? 3600000 : random_below(10) == 0 ? 1 : 1000);
}

static inline void send_schedule(struct fixture *f, uint32_t who)
{
    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    perps_sign(f, who);
    f->room.schedule_cancel.scheduled_ms =
        (struct optional_u64){ (uint64_t)f->time_ms + 5000 + random_below(10000), 1 };
    fixture_apply(f);
}

static inline void send_spot(struct fixture *f, uint32_t who)
{
    char price[16], quantity[16], id[8];

    if (random_below(4) == 0) {
        char amount[16];
        (void)snprintf(amount, sizeof(amount), "%u.5", 1 + random_below(2000));
        (void)transfer(f, who, f->seq + 1, random_below(2) == 0 ? TRANSFER_PERPS_WITHDRAW : TRANSFER_SPOT_WITHDRAW,
                       VUSDC, amount);
        return;
    }
    (void)snprintf(price, sizeof(price), "%u", 99000 + random_below(2000));
    (void)snprintf(quantity, sizeof(quantity), "0.0%u", 1 + random_below(9));
    (void)snprintf(id, sizeof(id), "o%u", random_below(60));
    (void)limit(f, who, (uint8_t)(1 + random_below(2)), price, quantity, id);
}

/* An operator announces a settlement or withdraws one, halts, restricts, lets trade, cancels. */
static inline void send_operator(struct fixture *f, uint32_t who)
{
    struct operator_id id = operator_id(++f->deposit_id);
    uint32_t           symbol_id = 1 + random_below(2), what = random_below(8);

    if (what < 3) {
        fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
        f->room.settle_symbol =
            (struct settle_symbol){ .symbol_id = symbol_id,
                                    .at_ms = random_below(5) == 0 ? 0 : f->time_ms + 5000 + random_below(60000),
                                    .id = id };
    } else if (what < 6) {
        fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
        f->room.set_market = (struct set_market){ .symbol_id = symbol_id,
                                                  .engine = MARKET_PERPS,
                                                  .id = id,
                                                  .status = (uint8_t[]){ SYMBOL_TRADING, SYMBOL_TRADING, SYMBOL_HALT,
                                                                         SYMBOL_REDUCE_ONLY }[random_below(4)] };
    } else {
        fixture_head(f, CMD_CANCEL_FOR, sizeof(struct cancel_for));
        f->room.cancel_for = (struct cancel_for){
            .engine = MARKET_PERPS, .symbol_id = random_below(3), .account_id = ACCOUNT_FIRST - 1 + who, .id = id
        };
    }
    (void)apply_operator(f);
}

static inline void send_halt(struct fixture *f)
{
    uint32_t symbol_id = 1 + random_below(2);
    uint8_t  status = random_below(2) == 0 ? SYMBOL_HALT : SYMBOL_TRADING;

    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.set_market = (struct set_market){
        .symbol_id = symbol_id, .engine = MARKET_PERPS, .id = operator_id(++f->deposit_id), .status = status
    };
    (void)apply_operator(f);
}

/* An operator sets the mode of the venue; in half of the cases it allows all trading again. */
static inline void send_mode(struct fixture *f)
{
    struct operator_id id = operator_id(++f->deposit_id);

    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.set_mode = (struct set_mode){
        .mode = (uint8_t[]){ VENUE_RUN, VENUE_RUN, VENUE_CANCEL_ONLY, VENUE_REDUCE_ONLY }[random_below(4)], .id = id
    };
    (void)apply_operator(f);
}

/* An operator gives a pool more places, so that the engine moves. */
static inline void send_raise(struct fixture *f)
{
    uint8_t pool = (uint8_t)(POOL_ACCOUNTS + random_below(LIMITS - POOL_ACCOUNTS));

    fixture_head(f, CMD_RAISE_LIMIT, sizeof(struct raise_limit));
    f->room.raise_limit =
        (struct raise_limit){ .pool = pool,
                              .places = limits_get(engine_limits(f->engine), pool) + 1 + random_below(20) };
    assert(apply_operator(f) == REJECT_NONE);
}

/* Twenty orders of one step at one price. */
static inline void send_swarm(struct fixture *f, uint32_t who, uint32_t symbol_id)
{
    struct perps_order   items[20];
    const struct symbol *symbol = &f->genesis.perps[symbol_id - 1];
    struct decimal       price = near_price(f, symbol_id, random_below(2) == 0 ? 60 : 200);
    uint8_t              side = (uint8_t)(1 + random_below(2));

    for (uint32_t i = 0; i < ARRAY_COUNT(items); i++) {
        char id[16];

        (void)snprintf(id, sizeof(id), "w%u", random_below(100000));
        items[i] = perps_item(id, side, TYPE_LIMIT, TIF_GTC, NULL, NULL);
        items[i].price = price;
        items[i].quantity = decimal_make(symbol->step_size, (int)symbol->quantity_precision);
    }
    perps_send(f, who, symbol_id, items, ARRAY_COUNT(items));
}

/* One command. */
static inline void flow_step(struct fixture *f, const struct random_flow *flow)
{
    uint32_t who = 1 + random_below(flow->users), symbol_id = 1 + random_below(2), what = random_below(100);

    if (flow->apart) symbol_id = 1 + who % 2;
    if (flow->each != 0 && random_below(150) == 0) {
        perps_deposit(f, who, (flow->drawn ? drawn_money(f) : flow->each) / 4 + flow->drawn);
        return;
    } /* otherwise all accounts would soon be empty */
    if (flow->raises != 0 && random_below(flow->raises) == 0) {
        send_raise(f);
        return;
    }
    if (flow->modes != 0 && random_below(flow->modes) == 0) {
        send_mode(f);
        return;
    }
    if (flow->halts != 0 && random_below(flow->halts) == 0) {
        send_halt(f);
        return;
    }
    if (flow->operators != 0 && random_below(flow->operators) == 0) {
        send_operator(f, who);
        return;
    }
    if (flow->spot && random_below(4) == 0) {
        send_spot(f, who);
        return;
    }
    if (flow->drawn && random_below(30) == 0) {
        send_swarm(f, who, symbol_id);
        return;
    }
    if (what < 50) {
        struct perps_order item = some_order(f, symbol_id);

        if (flow->apart && random_below(20) == 0) item.price = near_price(f, symbol_id, 2000); /* beyond the band */
        perps_send(f, who, symbol_id, &item, 1);
    } else if (what < 60) send_bracket(f, who, symbol_id);
    else if (what < 70) send_cancel(f, who, symbol_id);
    else if (what < 76) send_replace(f, who, symbol_id);
    else if (what < 80) send_modify(f, who, symbol_id);
    else if (what < 84) send_setting(f, who, symbol_id);
    else if (what < 85) send_schedule(f, who);
    else send_time(f, flow);
}

/* One command of the flow like any other. */
static inline void send_something(struct fixture *f, uint32_t users)
{
    flow_step(f, &(struct random_flow){ .users = users, .jumps = 30, .gap = 1500 });
}

/* An exchange for the flow, with deposits for all accounts. */
static inline struct fixture *flow_start(const struct random_flow *flow)
{
    struct fixture *f = calloc(1, sizeof(*f));

    random_state = flow->seed;
    perps_genesis(&f->genesis);
    f->genesis.fund = flow->fund;
    f->genesis.limits.deposits = 64 + flow->commands / 50;
    if (flow->operators != 0) {
        f->genesis.limits.deposits += 2 * flow->commands / flow->operators;
        f->genesis.rules.settlement_notice_ms = 10000;
        f->genesis.rules.settlement_window_ms = 5000;
        f->genesis.rules.settlements_per_tick = 4;
    }
    f->genesis.limits.transfers = 1 + flow->commands;
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.perps[i].maker_fee = 12000;
        f->genesis.perps[i].taker_fee = 40000;
    }
    for (uint32_t i = 0; i < 2; i++) f->genesis.contracts[i].open_interest_cap = flow->cap;
    if (flow->open != 0) f->genesis.rules.open_orders_per_account = flow->open;
    if (flow->scope != 0) f->genesis.rules.stp_scope = flow->scope;
    if (flow->orders != 0) f->genesis.limits.orders = flow->orders;
    if (flow->levels != 0) f->genesis.limits.levels = flow->levels;
    if (flow->positions != 0) f->genesis.limits.positions = flow->positions;
    f->genesis.rules.bracket_mode = flow->anchor ? BRACKET_ANCHOR : BRACKET_PROTECT;
    f->genesis.rules.adl_mode = flow->queue ? ADL_QUEUE : ADL_FIFTHS;
    if (flow->drawn) draw_markets(f, flow->seed);
    fixture_start(f);
    for (uint32_t who = 1; who <= flow->users; who++) {
        perps_deposit(f, who, flow->drawn ? drawn_money(f) : flow->each);
        if (!flow->spot) continue;
        assert(deposit(f, who, VUSDC, flow->each) == REJECT_NONE && deposit(f, who, VBTC, 1000000000) == REJECT_NONE);
    }
    return f;
}

#endif
