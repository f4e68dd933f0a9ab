/* SPDX-License-Identifier: MIT */
/* channels.c — the channels, one row each (wire 6.4). */
#include "stream/inside.h"

#define PERPS 2
#define BOTH  3
#define SECONDS { 1000, 3000 }

const struct channel channels[] = {
    { .name = "ticker", .markets = BOTH, .takes = TAKES_SYMBOLS, .is_list = true, .tells = true, .type = "update", .paces = SECONDS,
      .snapshot = ticker_snapshot, .update = ticker_update },
    { .name = "allTicker", .markets = BOTH, .is_list = true, .tells = true, .type = "update", .paces = SECONDS,
      .snapshot = ticker_snapshot, .update = ticker_update },
    { .name = "miniTicker", .markets = BOTH, .takes = TAKES_SYMBOLS, .is_list = true, .tells = true, .is_mini = true, .type = "update", .paces = SECONDS,
      .snapshot = ticker_snapshot, .update = ticker_update },
    { .name = "allMiniTicker", .markets = BOTH, .is_list = true, .tells = true, .is_mini = true, .type = "update", .paces = SECONDS,
      .snapshot = ticker_snapshot, .update = ticker_update },
    { .name = "bookTicker", .markets = BOTH, .takes = TAKES_SYMBOLS, .is_list = true, .tells = true, .live = true, .type = "update",
      .snapshot = book_ticker_snapshot, .update = book_ticker_update },
    { .name = "allBookTicker", .markets = BOTH, .is_list = true, .tells = true, .live = true, .type = "update",
      .snapshot = book_ticker_snapshot, .update = book_ticker_update },
    { .name = "markPrice", .markets = PERPS, .takes = TAKES_SYMBOLS, .is_list = true, .tells = true, .type = "update", .paces = { 1000 },
      .snapshot = mark_snapshot, .update = mark_update },
    { .name = "allMarkPrice", .markets = PERPS, .is_list = true, .tells = true, .type = "update", .paces = { 1000 },
      .snapshot = mark_snapshot, .update = mark_update },
    { .name = "trade", .markets = BOTH, .takes = TAKES_SYMBOLS, .is_list = true, .live = true, .type = "update", .wants = FEED_TRADES,
      .snapshot = trade_snapshot },
    { .name = "l2Book", .markets = BOTH, .takes = TAKES_SYMBOLS, .tick_size = true, .type = "snapshot", .paces = { 500, 1000, 3000 },
      .snapshot = l2_snapshot, .update = l2_update },
    { .name = "l4Book", .markets = BOTH, .takes = TAKES_SYMBOLS, .level = true, .live = true, .type = "update",
      .snapshot = l4_snapshot, .update = l4_update },
    { .name = "candle", .markets = BOTH, .takes = TAKES_SYMBOLS, .interval = true, .type = "update", .paces = { 2000, 5000 },
      .snapshot = candle_snapshot, .update = candle_update },
    { .name = "coinPrice", .markets = PERPS, .takes = TAKES_COINS, .is_list = true, .type = "update", .paces = { 1000 },
      .snapshot = coin_snapshot, .update = coin_update },
    { .name = "allCoinPrice", .markets = PERPS, .is_list = true, .type = "update", .paces = { 1000 },
      .snapshot = coin_snapshot, .update = coin_update },
    { .name = "accountState", .markets = BOTH, .takes = TAKES_USER, .type = "snapshot", .wants = FEED_ACCOUNTS, .paces = { 500, 1000, 3000 },
      .snapshot = state_snapshot, .update = state_update },
    { .name = "accountUpdate", .markets = BOTH, .takes = TAKES_USER, .is_account = true, .live = true, .type = "update", .wants = FEED_ACCOUNTS },
    { .name = "accountOrderUpdate", .markets = BOTH, .takes = TAKES_USER, .by_symbol = true, .is_account = true, .live = true, .type = "update",
      .wants = FEED_ACCOUNTS },
    { .name = "accountTrade", .markets = BOTH, .takes = TAKES_USER, .by_symbol = true, .is_account = true, .live = true, .type = "update",
      .wants = FEED_ACCOUNTS },
};
const uint32_t channel_count = ARRAY_COUNT(channels);
