/* SPDX-License-Identifier: MIT */
/* shapes_statistics.h — records of tickers and klines (wire 1.1) and
   the parameters of klines; rows in shapes_statistics.c. */
#ifndef MODEL_SHAPES_STATISTICS_H
#define MODEL_SHAPES_STATISTICS_H

#include "model/shape.h"

struct kline_query {
    struct slice        interval;
    struct optional_u64 start_ms, end_ms;
    uint32_t            limit;
};

/* A ticker in its lengths. All prices 0 before the first trade; the last line only on perps. */
struct ticker_record {
    struct name         symbol;
    struct decimal      last, last_size, open, high, low, change;
    struct wide_decimal vwap, change_pct, volume, quote_volume;
    struct decimal      bid, bid_size, ask, ask_size;
    int64_t             open_ms, close_ms; /* the window */
    struct decimal      funding_rate, index_price, mark_price, open_interest;
    int64_t             next_funding_ms;
};

struct kline_record {
    int64_t             start_ms;
    struct decimal      open, high, low, close;
    struct wide_decimal volume, quote_volume;
    uint64_t            trades;
};

extern const struct shape kline_query_shape, perps_kline_query_shape, spot_ticker_shape, perps_ticker_shape,
    mini_ticker_shape, book_ticker_shape, kline_shape;

#endif
