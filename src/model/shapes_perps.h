/* SPDX-License-Identifier: MIT */
/*
 * shapes_perps.h — the records of the perps base (wire 1.1 to 1.3) as C structs; their rows are in shapes_perps.c.
 * Records shared with spot are in shapes_reply.h, tickers in shapes_statistics.h.
 */
#ifndef MODEL_SHAPES_PERPS_H
#define MODEL_SHAPES_PERPS_H

#include "model/shapes_reply.h"

/* ---- markets ---- */

struct margin_tier_record {
    struct decimal max_notional, rate, deduction;
    uint32_t       max_leverage;
};

/* A listed contract: the members of a spot symbol (without those of a base coin) and its terms. */
struct perps_symbol_record {
    struct spot_symbol_record symbol;
    struct decimal            interest_cap, interest_cap_value;
    uint32_t                  max_leverage, init_leverage, funding_interval;
    struct list               tiers;
    struct decimal            interest_rate, max_funding, min_funding;
    struct decimal            mark_price, index_price;
    uint8_t                   phase;
    int64_t                   settlement_ms;
    struct decimal            settlement_price;
};

struct perps_coin_record {
    uint64_t       id;
    struct name    name;
    uint32_t       precision;
    struct decimal margin_ratio, price;
};

struct mark_price_record {
    struct name    symbol;
    struct decimal funding_rate, index_price, mark_price, open_interest;
    int64_t        next_funding_ms;
};

/* ---- orders and positions, in both spellings ---- */

struct id_record {
    uint64_t id;
}; /* bare */

/* An order: the members of every order, and those of perps. */
struct perps_order_record {
    struct order_record order;
    uint8_t             position_side, modifier, stop_type, trigger_type;
    bool                reduce_only;
    struct decimal      stop_price;
    uint64_t            position_id, primary_order_id;
    struct list         attached; /* of `attached_ids` */
    struct id_record    attached_ids[2];
};

/* A position, open or closed; `isolated` counts only for an isolated one that is open. */
struct position_record {
    uint64_t            id, symbol_id, account_id;
    struct name         symbol;
    uint8_t             margin_mode, side, reason;
    struct decimal      size, max_size, closed_size;
    struct wide_decimal entry_price, close_price, initial_margin, margin, unrealized;
    struct decimal      open_cost, trading_fee, realized, take_over_price, mark_price, liquidation_price, isolated;
    uint32_t            leverage, adl;
    bool                active, taken_over;
    int64_t             created_ms, updated_ms;
    uint64_t            liquidation_id;
};

/* Open positions, or open orders. */
struct perps_list_record {
    int64_t     block_time;
    uint64_t    block_height;
    struct list rows;
};

/* ---- accounts ---- */

/* A coin of a perps wallet, in both spellings: PerpsBalance, and with short keys in WsPerpsState. */
struct perps_balance_record {
    uint64_t            id;
    struct name         coin;
    struct decimal      total, collateral, margin_ratio, price, margin;
    struct wide_decimal locked, isolated, available, transferable;
};

/* An account's choice for a symbol. */
struct perps_setting_record {
    struct name symbol;
    uint32_t    leverage;
    uint8_t     margin_mode;
};

struct perps_state_record {
    struct address      user;
    uint64_t            account_id, user_id;
    struct wide_decimal account_value, maintenance, maintenance_ratio, available, available_isolated, transferable;
    struct wide_decimal isolated_margin, cross_margin, isolated_order_margin, cross_order_margin;
    struct list         balances, orders, positions, settings, twaps;
    int64_t             block_time;
    uint64_t            block_height;
};

struct funding_record {
    struct name    symbol, fee_coin;
    uint64_t       position_id;
    uint8_t        position_side;
    struct decimal fee, rate;
    int64_t        time_ms;
};

extern const struct shape positions_history_query_shape, fundings_query_shape;
extern const struct shape margin_tier_shape, perps_symbol_shape, perps_coin_shape, mark_price_shape, order_id_shape,
    perps_order_record_shape, perps_open_orders_shape, position_shape, open_positions_shape, perps_balance_shape,
    perps_balances_shape, perps_state_balance_shape, perps_state_order_shape, perps_state_position_shape,
    perps_setting_shape, perps_state_shape, funding_shape;

#endif
