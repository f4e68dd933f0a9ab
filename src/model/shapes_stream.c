/* SPDX-License-Identifier: MIT */
/* shapes_stream.c — rows of stream messages. The order of rows is part of wire 6: see `U` and `u`. */
#include "model/shapes_stream.h"

/* ---- market ---- */

#define T(member, key, doc) FIELD(struct stream_ticker_record, member, key, REQUIRED, doc)
#define T_SIGNED(member, key, flags, doc)                                                                              \
    FIELD_FLAGS(struct stream_ticker_record, member, key, REQUIRED, FLAG_SIGNED | (flags), doc)
#define T_EVENT T(event_ms, "E", "Time of the event, ms."), T(ticker.symbol, "s", "Symbol.")
#define T_LAST                                                                                                         \
    T(ticker.last, "c",                                                                                                \
      "Price of the last trade; before the first one the listing reference price, \"0\" where there is none.")
#define T_PRICES                                                                                                       \
    T(ticker.open, "o", "Price of the first trade of the window."), T(ticker.high, "h", "Highest price."),             \
        T(ticker.low, "l", "Lowest price.")
#define T_SUMS T(ticker.volume, "v", "Traded, base coin."), T(ticker.quote_volume, "q", "Traded, quote coin.")
#define T_BEST                                                                                                         \
    T(ticker.ask, "a", "Best ask; \"0\" when there is none."), T(ticker.ask_size, "A", "Quantity at it."),             \
        T(ticker.bid, "b", "Best bid; \"0\" when there is none."), T(ticker.bid_size, "B", "Quantity at it.")

/* clang-format off */
static const struct field ticker_fields[] = {
    T_EVENT, T_LAST,
    T(ticker.last_size, "Q", "Quantity of the last trade."),
    T(ticker.vwap, "w", "Average price by volume."),
    T_BEST,
    T_SIGNED(ticker.change, "p", 0, "Last price less the open."),
    T_SIGNED(ticker.change_pct, "P", FLAG_NUMBER, "The change in percent, a number."),
    T_PRICES, T_SUMS,
    T(ticker.open_ms, "O", "When the window began, ms."), T(ticker.close_ms, "C", "Until when it reaches, ms."),
};
/* clang-format on */
SHAPE(stream_ticker_shape, struct stream_ticker_record, "WsTicker", ticker_fields, NULL,
      "The last 24 hours of a symbol and its best prices.");

static const struct field mini_fields[] = { T_EVENT, T_LAST, T_PRICES, T_SUMS };
SHAPE(stream_mini_shape, struct stream_ticker_record, "WsMiniTicker", mini_fields, NULL,
      "The last 24 hours of a symbol in few keys.");

static const struct field book_ticker_fields[] = { T_EVENT, T(update_id, "u", "Version of the book."), T_BEST };
SHAPE(stream_book_ticker_shape, struct stream_ticker_record, "WsBookTicker", book_ticker_fields, NULL,
      "The best level of each side.");

#define M(member, key, doc) FIELD_FLAGS(struct stream_mark_record, member, key, REQUIRED, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field mark_fields[] = {
    M(event_ms, "E", "Time of the event, ms."), M(symbol, "s", "Symbol."),
        M(open_interest, "oi", "Open interest, base coin."),
    M(mark, "p", "Mark price."), M(index, "i", "Index price."),
        M(funding_rate, "r", "Funding rate of the hour as it stands."),
    M(next_funding_ms, "T", "When funding is due next, ms."),
};
/* clang-format on */
SHAPE(stream_mark_shape, struct stream_mark_record, "WsMarkPrice", mark_fields, NULL,
      "Prices and funding of a perps symbol.");

#define C(member, key, doc) FIELD(struct stream_coin_record, member, key, REQUIRED, doc)
/* clang-format off */
static const struct field coin_fields[] = {
    C(id, "i", "Coin id."), C(coin, "a", "Coin name."), C(price, "p", "What one is worth in vUSDC."),
    C(margin_ratio, "mr", "Share of its value that counts as collateral."), C(event_ms, "E", "Time of the event, ms."),
};
/* clang-format on */
SHAPE(stream_coin_shape, struct stream_coin_record, "WsCoinPrice", coin_fields, NULL, "A coin as collateral.");

#define R(member, key, doc) FIELD(struct stream_trade_record, member, key, REQUIRED, doc)
/* clang-format off */
static const struct field trade_fields[] = {
    R(event_ms, "E", "Time of the event, ms."), R(trade.time_ms, "T", "When it happened, ms."),
        R(trade.id, "t", "Trade id."),
    R(trade.symbol, "s", "Symbol."),
        FIELD_ENUM(struct stream_trade_record, trade.taker_side, "S", REQUIRED, 0, side_names, "Side of the taker."),
    R(trade.price, "p", "Price."), R(trade.quantity, "q", "Quantity."), R(trade.buyer, "bi", "Account of the buyer."),
    R(trade.seller, "si", "Account of the seller."),
    FIELD(struct stream_trade_record, trade.self, "self", OPTIONAL,
        "True when both accounts belong to one user; else absent."),
};
/* clang-format on */
SHAPE(stream_trade_shape, struct stream_trade_record, "WsTrade", trade_fields, NULL, "A public trade.");

#define K(member, key, doc) FIELD(struct stream_candle_record, member, key, REQUIRED, doc)
/* clang-format off */
static const struct field candle_fields[] = {
    K(bar.start_ms, "t", "When the bar begins, ms."), K(end_ms, "T", "Its last millisecond."),
        K(symbol, "s", "Symbol."),
    K(interval, "i", "Interval, spelled as in the subscription."), K(bar.open, "o", "First price."),
        K(bar.high, "h", "Highest price."),
    K(bar.low, "l", "Lowest price."), K(bar.close, "c", "Last price."), K(bar.volume, "v", "Traded, base coin."),
    K(bar.quote_volume, "q", "Traded, quote coin."), K(bar.trades, "n", "How many trades."),
        K(closed, "x", "Whether no trade can come any more."),
};
/* clang-format on */
SHAPE(stream_candle_shape, struct stream_candle_record, "WsCandle", candle_fields, NULL, "A bar.");

#define B(member, key, presence, doc) FIELD(struct stream_book_record, member, key, presence, doc)
/* clang-format off */
static const struct field book_fields[] = {
    B(symbol, "s", REQUIRED, "Symbol."),
        B(first_id, "U", OPTIONAL, "Updates only: the first update id that is in it, one more than the last `u`."),
    B(update_id, "u", REQUIRED, "Version of the book, as `updateID` of the order book."),
        B(event_ms, "E", REQUIRED, "Time of the event, ms."),
    FIELD_LIST(struct stream_book_record, asks, "a", REQUIRED, &level_shape,
        "Selling levels, lowest first; size \"0\" takes a level away."),
    FIELD_LIST(struct stream_book_record, bids, "b", REQUIRED, &level_shape,
        "Buying levels, highest first; size \"0\" takes a level away."),
};
/* clang-format on */
SHAPE(stream_book_shape, struct stream_book_record, "WsBook", book_fields, NULL, "A book, or its changes.");

/* ---- accounts ---- */

#define O(member, key, presence, doc) FIELD(struct stream_order_record, member, key, presence, doc)
#define O_ENUM(member, key, presence, names, doc)                                                                      \
    FIELD_ENUM(struct stream_order_record, member, key, presence, 0, names, doc)
/* clang-format off */
#define ORDER_STATE \
    O(event_ms, "E", REQUIRED, "Time of the event, ms."), \
    O(block_ms, "T", REQUIRED, "When it happened, ms."), \
    O(order.order.symbol, "s", REQUIRED, "Symbol."), \
    O(order.order.client_id, "c", REQUIRED, "The client's own id."), \
    O(order.order.order_id, "i", REQUIRED, "Number of the order."), \
    O_ENUM(order.order.side, "S", REQUIRED, side_names, "BUY or SELL."), \
    O_ENUM(order.order.type, "o", REQUIRED, order_type_names, "LIMIT or MARKET."), \
    O_ENUM(order.order.time_in_force, "f", REQUIRED, time_in_force_names, "GTC, IOC or GTX."), \
    O(order.order.price, "p", REQUIRED, "Price; \"0\" where there is none."), \
    O(order.order.quantity, "q", REQUIRED, "Quantity ordered; \"0\" where there is none."), \
    O(order.order.funds, "F", NULLABLE, "Quote amount of a market buy by funds."), \
    O_ENUM(order.order.status, "X", REQUIRED, order_status_names, "Where the order stands."), \
    O(order.order.executed, "z", REQUIRED, "Executed so far, base coin."), \
    O(order.order.executed_value, "v", REQUIRED, "Executed so far, quote coin."), \
    O(order.order.frozen, "M", REQUIRED, "Locked for the rest."), \
    O(order.order.created_ms, "ct", REQUIRED, "Accepted, ms."), \
    O(order.order.updated_ms, "ut", REQUIRED, "Last change, ms.")
/* clang-format on */
/* clang-format off */
#define ORDER_EXECUTION \
    O(trade_id, "t", OPTIONAL, "Trade that changed it."), \
    O(last_quantity, "l", REQUIRED, "Quantity of that trade."), \
    O(last_price, "L", REQUIRED, "Price of that trade."), \
    FIELD_FLAGS(struct stream_order_record, fee, "n", REQUIRED, FLAG_SIGNED, \
        "Fee of that trade; negative was paid to the account."), \
    O(maker, "m", REQUIRED, "Whether the order rested."), \
    O_ENUM(exec_type, "x", REQUIRED, exec_type_names, "What happened to it."), \
    O_ENUM(reason, "r", OPTIONAL, end_reason_names, "Why, when it ended other than by being filled.")
/* clang-format on */

static const struct field order_fields[] = { ORDER_STATE, ORDER_EXECUTION };
SHAPE(stream_order_shape, struct stream_order_record, "WsSpotOrderUpdate", order_fields, NULL, "A change of an order.");

static const struct field perps_order_fields[] = {
    ORDER_STATE,
    O_ENUM(order.position_side, "ps", REQUIRED, position_side_names, "BOTH."),
    O(order.reduce_only, "R", REQUIRED, "Whether it may only reduce a position."),
    O(order.stop_price, "sp", OPTIONAL, "Price that triggers it."),
    O_ENUM(order.stop_type, "st", OPTIONAL, stop_type_names, "STOP_LOSS or TAKE_PROFIT."),
    O_ENUM(order.trigger_type, "tt", OPTIONAL, trigger_type_names, "Which price triggers it."),
    O(order.position_id, "pid", OPTIONAL, "Position it belongs to."),
    O(order.primary_order_id, "poid", OPTIONAL, "Order it is attached to."),
    FIELD_LIST(struct stream_order_record, order.attached, "aoids", OPTIONAL, &order_id_shape,
               "Orders attached to it that are not over now; when one ends later, its own message alone says so."),
    ORDER_EXECUTION,
};
SHAPE(stream_perps_order_shape, struct stream_order_record, "WsPerpsOrderUpdate", perps_order_fields, NULL,
      "A change of a perps order.");

#define F(member, key, doc) FIELD(struct stream_fill_record, member, key, REQUIRED, doc)
/* clang-format off */
#define FILL \
    F(event_ms, "E", "Time of the event, ms."), F(fill.time_ms, "T", "When it happened, ms."), \
        F(fill.trade_id, "t", "Trade id."), \
    F(fill.symbol, "s", "Symbol."), F(fill.order_id, "i", "The account's order."), \
        F(fill.client_id, "c", "Its client id."), \
    FIELD_ENUM(struct stream_fill_record, fill.side, "S", REQUIRED, 0, side_names, "The account's side."), \
    F(fill.price, "p", "Price."), F(fill.quantity, "q", "Quantity."), \
    FIELD_FLAGS(struct stream_fill_record, fill.fee, "f", REQUIRED, FLAG_SIGNED, \
        "Fee; negative was paid to the account."), \
    F(fill.is_maker, "m", "Whether the account's order rested."), \
    FIELD(struct stream_fill_record, fill.self, "self", OPTIONAL, \
        "True when both accounts belong to one user; else absent.")
/* clang-format on */

static const struct field fill_fields[] = { FILL };
SHAPE(stream_fill_shape, struct stream_fill_record, "WsAccountTrade", fill_fields, NULL,
      "One side of a trade, as its account sees it.");

#define U(member, key, doc) FIELD(struct stream_update_record, member, key, REQUIRED, doc)
static const struct field perps_fill_fields[] = {
    FILL,
    FIELD_ENUM(struct stream_fill_record, direction, "d", REQUIRED, 0, position_side_names,
               "LONG for a buy, SHORT for a sell."),
    FIELD(struct stream_fill_record, fill.liquidation_id, "liquidationID", OPTIONAL,
          "Number of the liquidation whose stage made it, the same as in its receipts; else absent."),
};
SHAPE(stream_perps_fill_shape, struct stream_fill_record, "WsPerpsAccountTrade", perps_fill_fields, NULL,
      "One side of a perps trade, as its account sees it.");

/* clang-format off */
static const struct field update_fields[] = {
    U(event_ms, "E", "Time of the event, ms."), U(block_ms, "T", "Time of the block, ms."),
        U(height, "h", "Number of the block."),
    FIELD_LIST(struct stream_update_record, balances, "B", REQUIRED, &state_balance_shape, "Balances that changed."),
    FIELD_LIST(struct stream_update_record, twaps, "TO", REQUIRED, &state_twap_shape,
        "TWAPs that changed; always empty."),
};
/* clang-format on */
SHAPE(stream_update_shape, struct stream_update_record, "WsSpotAccountUpdate", update_fields, NULL,
      "What a block changed of an account's balances.");

#define W(member, key, doc) FIELD_FLAGS(struct perps_balance_record, member, key, REQUIRED, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field wallet_fields[] = {
    W(id, "i", "Coin id."), W(coin, "a", "Coin name."), W(total, "wb", "Wallet balance."),
        W(collateral, "co", "What it counts as collateral, vUSDC."),
};
/* clang-format on */
static SHAPE(stream_wallet_shape, struct perps_balance_record, "WsPerpsBalanceUpdate", wallet_fields, NULL,
             "A coin of a perps wallet.");

#define P(member, key, presence, doc) FIELD_FLAGS(struct position_record, member, key, presence, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field position_fields[] = {
    P(id, "i", REQUIRED, "Number of the position."), P(symbol, "s", REQUIRED, "Symbol."),
        P(size, "sz", REQUIRED, "Size; negative is short, 0 is closed."),
    P(entry_price, "ep", REQUIRED, "Average entry price."),
        P(isolated, "iw", NULLABLE, "Margin of an isolated position."),
    FIELD_ENUM(struct position_record, side, "ps", REQUIRED, 0, position_side_names, "BOTH."),
    P(created_ms, "ct", REQUIRED, "Opened, ms; 0 of one that is closed."),
        P(updated_ms, "ut", REQUIRED, "Last change, ms."),
};
/* clang-format on */
static SHAPE(stream_position_shape, struct position_record, "WsPerpsPositionUpdate", position_fields, NULL,
             "A position.");

/* clang-format off */
static const struct field perps_update_fields[] = {
    U(event_ms, "E", "Time of the event, ms."), U(block_ms, "T", "Time of the block, ms."),
        U(height, "h", "Number of the block."),
    FIELD_LIST(struct stream_update_record, balances, "B", REQUIRED, &stream_wallet_shape, "Balances that changed."),
    FIELD_LIST(struct stream_update_record, positions, "P", REQUIRED, &stream_position_shape,
        "Positions that changed."),
    FIELD_LIST(struct stream_update_record, twaps, "TO", REQUIRED, &state_twap_shape,
        "TWAPs that changed; always empty."),
};
/* clang-format on */
SHAPE(stream_perps_update_shape, struct stream_update_record, "WsPerpsAccountUpdate", perps_update_fields, NULL,
      "What a block changed of an account's wallet and positions.");

static const struct enum_name event_names[] = { { STREAM_LIQUIDATION, "liquidation" }, { 0, NULL } };

static const struct field unit_position_fields[] = {
    P(symbol, "s", REQUIRED, "Symbol."),
    FIELD_ENUM(struct position_record, side, "ps", REQUIRED, 0, position_side_names, "BOTH."),
    P(size, "sz", REQUIRED, "Size; negative is short."),
    P(mark_price, "mp", REQUIRED, "Mark price."),
    P(liquidation_price, "lp", REQUIRED, "Liquidation price; \"0\" when there is none."),
};
static SHAPE(stream_unit_position_shape, struct position_record, "WsLiquidatedPosition", unit_position_fields, NULL,
             "A position of a unit in liquidation.");

#define E(member, key, doc) FIELD_FLAGS(struct stream_liquidation_record, member, key, REQUIRED, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field liquidation_fields[] = {
    FIELD_ENUM(struct stream_liquidation_record, type, "type", REQUIRED, 0, event_names, "liquidation."),
    E(event_ms, "E", "When it happened, ms."), E(liquidator, "lid",
        "Account of the liquidator: 1, the insurance fund, which sells, takes over and deleverages."),
    E(account_id, "aid", "Account."), E(account_value, "av", "Equity of the unit at that moment."),
    FIELD_ENUM(struct stream_liquidation_record, margin_mode, "mm", REQUIRED, 0, margin_mode_names,
        "CROSS, or ISOLATED for a unit of one position."),
    E(liquidation_id, "liquidationID", "Number of the liquidation, the same in all its stages."),
    E(maintenance, "maintenanceMargin", "Maintenance margin of the unit at that moment."),
    FIELD_LIST(struct stream_liquidation_record, balances, "B", REQUIRED, &stream_wallet_shape,
        "The account's wallet at that moment."),
    FIELD_LIST(struct stream_liquidation_record, positions, "P", REQUIRED, &stream_unit_position_shape,
        "The unit's positions at that moment: the cross ones, or the isolated one."),
};
/* clang-format on */
SHAPE(stream_liquidation_shape, struct stream_liquidation_record, "WsAccountEvent", liquidation_fields, NULL,
      "Something that was done to an account.");
