/* SPDX-License-Identifier: MIT */
/*
 * shapes_reply.h — the records of answers (wire 1.1 to 1.3) and the query parameters of reads (wire
 * 1.4) as C structs; their rows are in shapes_reply.c. A reply is made by filling one of these and
 * writing it with its shape; there is no other way to JSON.
 */
#ifndef MODEL_SHAPES_REPLY_H
#define MODEL_SHAPES_REPLY_H

#include "model/genesis.h"
#include "model/shape.h"

/* ---- query parameters ---- */

struct symbol_query { struct name symbol; };
struct coin_query   { struct name coin; };
struct limit_query  { uint32_t limit; };
struct account_query { uint64_t account_id; };
struct account_symbol_query { uint64_t account_id; struct name symbol; };

/* Order history and account trades; order_id is only a parameter of the latter. */
struct history_page_query {
    uint64_t            account_id;
    struct name         symbol;
    uint64_t            order_id;
    struct optional_u64 start_ms, end_ms;
    uint32_t            limit;
    uint64_t            from_id;
};

extern const struct shape symbol_query_shape, coin_query_shape, book_query_shape, trades_query_shape,
                          account_query_shape, account_symbol_query_shape, orders_history_query_shape,
                          account_trades_query_shape;

/* ---- market records ---- */

struct spot_symbol_record {
    uint64_t       id, base_coin_id, quote_coin_id;
    struct name    name, display_name, base_coin, quote_coin;
    uint32_t       base_coin_precision, quote_coin_precision, price_precision, quantity_precision;
    struct decimal tick_size, min_price, max_price, step_size, min_quantity, max_quantity;
    struct decimal market_min_quantity, market_max_quantity, min_notional, max_notional;
    struct decimal buy_limit_up_ratio, sell_limit_down_ratio, market_deviation_ratio;
    struct decimal maker_fee, taker_fee, fee_discount;
    uint8_t        status;
    struct decimal last_trade_price, listing_reference_price;
};

struct spot_coin_record { uint64_t id; struct name name; uint32_t precision; };

struct level_record { struct decimal price, size; };            /* a tuple */
struct order_book_record {
    int64_t     block_time;
    uint64_t    block_height, update_id;
    struct list bids, asks;
};

struct trade_record {
    uint64_t       id;
    int64_t        time_ms;
    struct name    symbol;
    uint8_t        taker_side;
    struct decimal price, quantity;
    uint64_t       buyer, seller;
};

/* ---- account records ---- */

struct balance_record { uint64_t id; struct name coin; struct decimal total, locked; };
struct balances_record {
    int64_t     block_time;
    uint64_t    block_height;
    struct list balances;
};

/* An order in both spellings: SpotOrder, and with short keys in WsSpotState. */
struct order_record {
    struct name      symbol;
    uint64_t         order_id;
    struct client_id client_id;
    uint8_t          side, type, time_in_force, status, reason;
    struct decimal   price, quantity, funds, executed, executed_value, frozen;
    int64_t          created_ms, updated_ms;
};
struct open_orders_record {
    int64_t     block_time;
    uint64_t    block_height;
    struct list orders;
};

struct state_record {
    struct address user;
    uint64_t       account_id, user_id;
    struct list    balances, orders, twaps;
    int64_t        block_time;
    uint64_t       block_height;
};

struct fee_rate_record {
    struct decimal maker, taker, discount;
    uint32_t       fee_tier, staking_tier, rebate_tier;
};

struct user_trade_record {
    struct name      symbol, fee_coin;
    uint64_t         trade_id, order_id;
    struct client_id client_id;
    uint8_t          side;
    bool             is_maker;
    struct decimal   price, quantity, fee;
    int64_t          time_ms;
};

/* ---- errors and results ---- */

/* `details` of an error (ruling 2); what is zero is not written. */
struct details_record {
    struct slice        rule, field, got, need;
    struct slice        reason;                 /* of a refused nonce (ruling 35)                         */
    int64_t             server_time;
    struct slice        nonce;                  /* signed writes: "not used" when nothing reached the log */
    struct hash256      hash;                   /* transaction that the same payload became before        */
    struct optional_u64 block, index;
    /* Development mode, a refused signature: what this side made of the request (ruling 30). */
    struct slice        cause, hashed;
    struct hash256      digest;
    uint64_t            chain_id;
    struct address      recovered;
};

struct result_record {
    uint32_t              code;
    struct client_id      client_id;
    struct slice          error;
    uint64_t              order_id;
    struct client_id      orig_client_id;
    uint8_t               status;
    struct slice          message;
    struct details_record details;
};

/* ---- the process ---- */

struct health_record  { struct slice status; };
struct version_record { struct slice name, version; uint64_t chain_id; };

extern const struct shape spot_symbol_shape, spot_coin_shape, level_shape, order_book_shape, trade_shape,
                          balance_shape, balances_shape, order_shape, open_orders_shape,
                          state_balance_shape, state_order_shape, state_twap_shape, state_shape,
                          fee_rate_shape, user_trade_shape, details_shape, result_shape, health_shape, version_shape;

#endif
