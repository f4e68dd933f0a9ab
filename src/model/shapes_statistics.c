/* SPDX-License-Identifier: MIT */
/* shapes_statistics.c — rows of tickers and klines. closeTime is
   the last row of a ticker: it is written anew each time. */
#include "model/shapes_statistics.h"

#define Q_START                                                                                                        \
    FIELD(struct kline_query, start_ms, "startTime", OPTIONAL,                                                         \
          "Unix milliseconds: the first `limit` bars from the one that contains it.")
#define Q_END                                                                                                          \
    FIELD(struct kline_query, end_ms, "endTime", OPTIONAL,                                                             \
          "Unix milliseconds, inclusive: no bar that begins later; without startTime the last `limit` bars up to it. " \
          "Absent means now.")
#define Q_LIMIT(doc) FIELD(struct kline_query, limit, "limit", OPTIONAL, doc)

/* clang-format off */
static const struct field kline_query_fields[] = {
    FIELD(struct kline_query, interval, "interval", REQUIRED,
        "1m, 5m, 15m, 30m, 1h, 4h, 8h, 12h, 1D, 3D, 1W or 1M; 1d, 3d and 1w are the same as with a capital."),
    Q_START, Q_END, Q_LIMIT("Bars, 1 to 1500, default 500; more is cut to 1500."),
};
/* clang-format on */
SHAPE(kline_query_shape, struct kline_query, "KlineQuery", kline_query_fields, NULL, "");

/* clang-format off */
static const struct field perps_kline_query_fields[] = {
    FIELD(struct kline_query, interval, "interval", REQUIRED,
        "1m, 5m, 15m, 30m, 1h, 4h, 1D, 1W or 1M; 1d and 1w are the same as with a capital."),
    Q_START, Q_END, Q_LIMIT("Bars, 1 to 1000, default 500; more is cut to 1000."),
};
/* clang-format on */
SHAPE(perps_kline_query_shape, struct kline_query, "PerpsKlineQuery", perps_kline_query_fields, NULL, "");

#define TICKER(member, key, doc) FIELD(struct ticker_record, member, key, REQUIRED, doc)
#define SIGNED(member, key, flags, doc)                                                                                \
    FIELD_FLAGS(struct ticker_record, member, key, REQUIRED, FLAG_SIGNED | (flags), doc)

#define T_SYMBOL TICKER(symbol, "symbol", "Name of the symbol.")
#define T_LAST                                                                                                         \
    TICKER(last, "lastPx",                                                                                             \
           "Price of the last trade; before the first one the listing reference price, \"0\" where there is none.")
#define T_PRICES                                                                                                       \
    TICKER(open, "openPx", "Price of the first trade of the window; without one, of the last trade before it."),       \
        TICKER(high, "highPx", "Highest price of the window."), TICKER(low, "lowPx", "Lowest price of the window.")
#define T_SUMS                                                                                                         \
    TICKER(volume, "volume", "Traded in the window, base coin."),                                                      \
        TICKER(quote_volume, "quoteVolume", "Traded in the window, quote coin.")
#define T_BEST                                                                                                         \
    TICKER(bid, "bidPx", "Best bid; \"0\" when there is none."), TICKER(bid_size, "bidSz", "Quantity at it."),         \
        TICKER(ask, "askPx", "Best ask; \"0\" when there is none."), TICKER(ask_size, "askSz", "Quantity at it.")
#define T_WINDOW                                                                                                       \
    TICKER(open_ms, "openTime", "When the window began, ms: the start of the 1,440th minute before the current one."), \
        TICKER(close_ms, "closeTime", "Until when it reaches, ms: engine time.")

/* clang-format off */
#define T_TRADES T_SYMBOL, T_LAST, \
                 TICKER(last_size, "lastSz", "Quantity of the last trade."), \
                 TICKER(vwap, "vwap", "quoteVolume / volume in the decimals of the quote coin, half up; without a " \
                     "trade in the window the last price."), \
                 T_PRICES, \
                 SIGNED(change, "change", 0, "lastPx - openPx."), \
                 SIGNED(change_pct, "changePct", FLAG_NUMBER, \
                     "The change in percent of openPx: a number of at most 4 decimals, half away from zero."), \
                 T_SUMS, T_BEST
/* clang-format on */

static const struct field spot_ticker_fields[] = { T_TRADES, T_WINDOW };
SHAPE(spot_ticker_shape, struct ticker_record, "SpotTicker", spot_ticker_fields, NULL,
      "The last 24 hours, by whole minutes: the current minute and the 1,440 before it. The window moves also "
      "without trades.");

static const struct field perps_ticker_fields[] = {
    T_TRADES,
    SIGNED(funding_rate, "fundingRate", 0, "Rate of this hour as far as it is sampled; above 0 longs pay."),
    TICKER(next_funding_ms, "nextFundingTime", "When it is paid, ms."),
    TICKER(index_price, "indexPrice", "Index price."),
    TICKER(mark_price, "markPrice", "Mark price."),
    TICKER(open_interest, "openInterest", "Sum of all long positions, base units."),
    T_WINDOW,
};
SHAPE(perps_ticker_shape, struct ticker_record, "PerpsTicker", perps_ticker_fields, NULL,
      "The last 24 hours by whole minutes, as for spot, and the prices and rates of this moment.");

static const struct field mini_ticker_fields[] = { T_SYMBOL, T_LAST, T_PRICES, T_SUMS, T_WINDOW };
SHAPE(mini_ticker_shape, struct ticker_record, "MiniTicker", mini_ticker_fields, NULL, "The same window in few keys.");

static const struct field book_ticker_fields[] = { T_SYMBOL, T_BEST };
SHAPE(book_ticker_shape, struct ticker_record, "BookTicker", book_ticker_fields, NULL, "The best level of each side.");

#define KLINE(member, key, doc) FIELD(struct kline_record, member, key, REQUIRED, doc)
static const struct field kline_fields[] = {
    KLINE(start_ms, "t", "When the bar begins, ms."),
    KLINE(open, "o", "Price of its first trade."),
    KLINE(high, "h", "Highest price."),
    KLINE(low, "l", "Lowest price."),
    KLINE(close, "c", "Price of its last trade."),
    KLINE(volume, "v", "Traded, base coin."),
    KLINE(quote_volume, "q", "Traded, quote coin."),
    KLINE(trades, "n", "How many trades."),
};
SHAPE(kline_shape, struct kline_record, "RPCKline", kline_fields, NULL,
      "A bar, aligned to UTC. A bar without trades repeats the close before it, with v and q \"0\" and n 0.");
