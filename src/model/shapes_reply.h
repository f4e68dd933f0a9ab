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

/* Rows that several records share. */
#define P_ACCOUNT(T)                                                                                                   \
    FIELD(T, account_id, "accountID", OPTIONAL, "Account of the address; 0 or absent means its primary account.")
#define P_SYMBOL(T) FIELD(T, symbol, "symbol", OPTIONAL, "Name of a symbol; absent means all.")
/* A page of a history (history.h, history_query.most). */
/* clang-format off */
#define P_PAGE(ROWS, DEFAULT, MOST, ON) \
    P_LIMIT(struct history_page_query, 0, \
        ROWS ", 1 to " MOST ", default " DEFAULT "; more is cut to " MOST ". A page that does " \
            "not begin with fromID ends with a whole millisecond: it has more than `limit` rows where its last one " \
                "needs them, " \
            "and less where that one would make it more than " MOST ". So endTime = the last row's time less 1 " \
                "loses nothing, " \
            "unless one millisecond alone has more than " MOST "; there " ON)
/* clang-format on */
#define P_LIMIT(T, flags, doc) FIELD_FLAGS(T, limit, "limit", OPTIONAL, flags, doc)
#define P_START                                                                                                        \
    FIELD(struct history_page_query, start_ms, "startTime", OPTIONAL,                                                  \
          "Unix milliseconds, inclusive; absent means no bound.")
#define P_END                                                                                                          \
    FIELD(struct history_page_query, end_ms, "endTime", OPTIONAL,                                                      \
          "Unix milliseconds, inclusive; absent means no bound.")
#define BLOCK(T)                                                                                                       \
    FIELD(T, block_time, "blockTime", REQUIRED, "Time of the last applied block, ms."),                                \
        FIELD(T, block_height, "blockHeight", REQUIRED, "Number of the last applied block.")

/* ---- query parameters ---- */

struct symbol_query {
    struct name symbol;
};
struct coin_query {
    struct name coin;
};
struct limit_query {
    uint32_t limit;
};
struct account_query {
    uint64_t account_id;
};
struct account_symbol_query {
    uint64_t    account_id;
    struct name symbol;
};
struct account_name_query {
    uint64_t         account_id;
    struct client_id name;
};
struct open_query {
    uint64_t    account_id;
    struct name symbol;
    uint32_t    limit;
};
struct market_symbol_query {
    uint8_t     market;
    struct name symbol;
};

/* The histories; order_id is only a parameter of account trades, position_id of fundings, which have no from_id. */
struct history_page_query {
    uint64_t            account_id;
    struct name         symbol;
    uint64_t            order_id, position_id;
    struct optional_u64 start_ms, end_ms;
    uint32_t            limit;
    uint64_t            from_id;
};

extern const struct shape symbol_query_shape, coin_query_shape, book_query_shape, trades_query_shape,
    account_query_shape, account_symbol_query_shape, account_name_query_shape, user_keys_query_shape,
    open_orders_query_shape, market_symbol_query_shape, orders_history_query_shape, account_trades_query_shape;

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

struct spot_coin_record {
    uint64_t    id;
    struct name name;
    uint32_t    precision;
};

struct level_record {
    struct decimal price, size;
}; /* a tuple */
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
    bool           self;
};

/* ---- account records ---- */

struct balance_record {
    uint64_t       id;
    struct name    coin;
    struct decimal total, locked;
};
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

struct api_key_record {
    struct client_id name;
    uint8_t          type;
    struct address   public_key;
    int64_t          expires_ms;
    uint64_t         permissions;
};

/* ---- of users (wire 1.5) ---- */

struct server_time_record {
    int64_t server_time;
};
struct user_status_record {
    struct slice status;
    uint64_t     user_id;
};
struct subaccount_record {
    uint64_t       id;
    struct address evm_address;
};
struct subaccounts_record {
    uint64_t    user_id, primary_account_id;
    struct list subaccounts;
};
struct user_keys_record {
    struct list spot, perps;
};
struct quota_record {
    uint64_t       user_id, transactions, cancels;
    struct decimal volume;
    uint64_t       transaction_quota, transaction_used, transaction_left;
    bool           transaction_overridden;
    uint64_t       cancel_quota, cancel_used, cancel_left;
};

struct transfer_record {
    uint64_t id;
};
struct leverage_record {
    struct name symbol;
    uint32_t    symbol_id, leverage;
    uint8_t     margin_mode;
};

struct user_trade_record {
    struct name      symbol, fee_coin;
    uint64_t         trade_id, order_id;
    struct client_id client_id;
    uint8_t          side, reason;
    bool             is_maker, self;
    struct decimal   price, quantity, fee;
    int64_t          time_ms;
    uint64_t         liquidation_id;
};

/* ---- errors and results ---- */

/* `details` of an error (ruling 2); what is zero is not written. */
struct details_record {
    struct slice        rule, field, got, need;
    struct slice        reason; /* of a refused nonce (ruling 35) */
    int64_t             server_time;
    struct slice        nonce; /* signed writes: "not used" when nothing reached the log */
    struct hash256      hash;  /* transaction that the same payload became before */
    struct optional_u64 block, index;
    /* Development mode, a refused signature: the values that the server derived from the request (ruling 30). */
    struct slice   cause, hashed;
    struct hash256 digest;
    uint64_t       chain_id;
    struct address recovered;
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
    struct slice          warning;
};

/* `details` of a request that was one too many (service 7 (4)). */
struct rate_limit_record {
    uint32_t     limit;
    struct slice window;      /* "1m"; "1M": a month of requests of an API key; "0s": open at once */
    uint32_t     retry_after; /* whole seconds, at least 1 */
};

/* ---- the process ---- */

struct health_record {
    struct slice status;
};
/* Of a node that has a log of its own only `status`. */
struct ready_record {
    struct slice        status, node, role;
    struct optional_u64 term, sequence, block, lag, lease_ms;
    struct slice        leader; /* its URL */
    uint64_t            hash_block;
    struct hash256      state_hash; /* of that block */
};
struct version_record {
    struct slice name, version;
    uint64_t     chain_id;
};

extern const struct shape spot_symbol_shape, spot_coin_shape, level_shape, order_book_shape, trade_shape, balance_shape,
    balances_shape, order_shape, open_orders_shape, state_balance_shape, state_order_shape, state_twap_shape,
    state_shape, api_key_shape, server_time_shape, status_text_shape, user_status_shape, subaccount_shape,
    subaccounts_shape, user_keys_shape, quota_shape, transfer_shape, leverage_shape, fee_rate_shape,
    symbol_fee_rate_shape, user_trade_shape, details_shape, rate_limit_shape, result_shape, health_shape, ready_shape,
    version_shape;

#endif
