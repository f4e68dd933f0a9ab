/* SPDX-License-Identifier: MIT */
/*
 * shapes_stream.h — what the channels of the streams push (wire 6.5, 6.6), as C structs; rows in shapes_stream.c.
 *
 * Letter case is part of the contract: decoders of Go fall back to names without case, so `U` stands before `u`,
 * and no record has a single letter that wire 6 does not name.
 */
#ifndef MODEL_SHAPES_STREAM_H
#define MODEL_SHAPES_STREAM_H

#include "model/shapes_perps.h"
#include "model/shapes_statistics.h"

/* A symbol in the channels ticker, miniTicker and bookTicker, each with its own rows. */
struct stream_ticker_record {
    int64_t              event_ms;
    uint64_t             update_id;
    struct ticker_record ticker;
};

struct stream_mark_record {
    int64_t        event_ms;
    struct name    symbol;
    struct decimal open_interest, mark, index, funding_rate;
    int64_t        next_funding_ms;
};

struct stream_coin_record {
    uint64_t       id;
    struct name    coin;
    struct decimal price, margin_ratio;
    int64_t        event_ms;
};

struct stream_trade_record {
    int64_t             event_ms;
    struct trade_record trade;
};

struct stream_candle_record {
    struct kline_record bar;
    int64_t             end_ms;
    struct name         symbol, interval;
    bool                closed;
};

/* first_id is 0 in a snapshot. */
struct stream_book_record {
    struct name symbol;
    uint64_t    first_id, update_id;
    int64_t     event_ms;
    struct list asks, bids;
};

/* One change of an order, with the execution that made it, if one did. */
struct stream_order_record {
    struct perps_order_record order; /* of a spot order only its `order` */
    int64_t                   event_ms, block_ms;
    uint64_t                  trade_id;
    struct decimal            last_quantity, last_price, fee;
    bool                      maker;
    uint8_t                   exec_type, reason;
};

struct stream_fill_record {
    int64_t                  event_ms;
    struct user_trade_record fill;
    uint8_t                  direction;
};

/* Kinds of account events. */
enum stream_event { STREAM_LIQUIDATION = 1 };

struct stream_liquidation_record {
    uint8_t        type; /* enum stream_event */
    int64_t        event_ms;
    uint8_t        margin_mode; /* enum margin_mode of the unit */
    uint64_t       liquidator, liquidation_id, account_id;
    struct decimal account_value, maintenance;
    struct list    balances, positions;
};

struct stream_update_record {
    int64_t     event_ms, block_ms;
    uint64_t    height;
    struct list balances, positions, twaps;
};

extern const struct shape stream_ticker_shape, stream_mini_shape, stream_book_ticker_shape, stream_mark_shape,
    stream_coin_shape, stream_trade_shape, stream_candle_shape, stream_book_shape, stream_order_shape,
    stream_fill_shape, stream_update_shape, stream_perps_order_shape, stream_perps_fill_shape,
    stream_perps_update_shape, stream_liquidation_shape;

#endif
