/* SPDX-License-Identifier: MIT */
/* shapes_perps.c — rows of the perps base's records (wire 1.1 to 1.3) and of its query parameters. */
#include "model/shapes_perps.h"

/* ---- query parameters ---- */

/* clang-format off */
static const struct field positions_history_query_fields[] = {
    P_ACCOUNT(struct history_page_query), P_SYMBOL(struct history_page_query), P_START, P_END,
    P_PAGE("Positions", "50", "500", "continue with fromID."),
    FIELD(struct history_page_query, from_id, "fromID", OPTIONAL,
        "Continue below this position id; where the list has none with this id, from the next lower one on."),
};
/* clang-format on */
SHAPE(positions_history_query_shape, struct history_page_query, "PositionHistoryQuery", positions_history_query_fields,
      NULL, "");

/* clang-format off */
static const struct field fundings_query_fields[] = {
    P_ACCOUNT(struct history_page_query), P_SYMBOL(struct history_page_query),
    FIELD_FLAGS(struct history_page_query, position_id, "positionID", OPTIONAL, FLAG_NOT_ZERO,
        "Only what this position paid or got."), P_START, P_END,
    P_PAGE("Fundings", "100", "1000", "can be no more, because there is one per position and hour."),
};
/* clang-format on */
SHAPE(fundings_query_shape, struct history_page_query, "FundingsQuery", fundings_query_fields, NULL, "");

/* ---- markets ---- */

/* clang-format off */
static const struct field margin_tier_fields[] = {
    FIELD(struct margin_tier_record, max_notional, "maxNotionalValue", REQUIRED,
        "Largest notional of the tier, vUSDC."),
    FIELD(struct margin_tier_record, rate, "maintenanceMarginRate", REQUIRED,
        "Maintenance margin by notional: half the initial margin at the tier's leverage."),
    FIELD(struct margin_tier_record, max_leverage, "maxLeverage", REQUIRED, "Largest leverage in it."),
    FIELD(struct margin_tier_record, deduction, "maintenanceDeduction", REQUIRED,
        "Taken off the maintenance margin, so that it is the same from both sides of a bound."),
};
/* clang-format on */
SHAPE(margin_tier_shape, struct margin_tier_record, "MarginTier", margin_tier_fields, NULL, "A margin tier.");

#define SPOT(member, key, doc)         FIELD(struct perps_symbol_record, symbol.member, key, REQUIRED, doc)
#define PERPS(member, key, doc)        FIELD(struct perps_symbol_record, member, key, REQUIRED, doc)
#define PERPS_SIGNED(member, key, doc) FIELD_FLAGS(struct perps_symbol_record, member, key, REQUIRED, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field perps_symbol_fields[] = {
    SPOT(id, "id", "Number of the symbol, `symbolID` in requests."),
    SPOT(name, "name", "Name in paths and filters."),
    SPOT(display_name, "displayName", "Name for people."),
    SPOT(base_coin, "baseCoin", "What is traded; a name only."),
    SPOT(quote_coin_id, "quoteCoinID", "Coin that pays and is the margin."),
    SPOT(quote_coin, "quoteCoin", "Its name."),
    SPOT(quote_coin_precision, "quoteCoinPrecision", "Its decimals."),
    PERPS(interest_cap, "openInterestCap", "Most open interest in base units; 0 = no cap."),
    PERPS(interest_cap_value, "openInterestCapUSD", "Most open interest in vUSDC at the mark price; 0 = no cap."),
    SPOT(price_precision, "pricePrecision", "Most decimals of a price."),
    SPOT(tick_size, "tickSize", "Step of prices."),
    SPOT(min_price, "minPrice", "Lowest price; 0 = no bound."),
    SPOT(max_price, "maxPrice", "Highest price; 0 = no bound."),
    SPOT(quantity_precision, "quantityPrecision", "Most decimals of a quantity."),
    SPOT(step_size, "stepSize", "Step of quantities."),
    SPOT(min_quantity, "minQuantity", "Least quantity; 0 = no bound."),
    SPOT(max_quantity, "maxQuantity", "Most quantity; 0 = no bound."),
    SPOT(market_min_quantity, "marketMinQuantity", "Least quantity of a market order; 0 = no bound."),
    SPOT(market_max_quantity, "marketMaxQuantity", "Most quantity of a market order; 0 = no bound."),
    SPOT(min_notional, "minNotional", "Least value of an order in vUSDC; 0 = no bound."),
    SPOT(max_notional, "maxNotional", "Most value of an order in vUSDC; 0 = no bound."),
    SPOT(buy_limit_up_ratio, "buyLimitUpRatio", "How far above the mark price a limit buy may be priced."),
    SPOT(sell_limit_down_ratio, "sellLimitDownRatio", "How far below the mark price a limit sell may be priced."),
    SPOT(market_deviation_ratio, "marketDeviationRatio", "How far from the index price a market order may execute."),
    PERPS(max_leverage, "maxLeverage", "Largest leverage."),
    PERPS(init_leverage, "initLeverage", "Leverage of an account that never chose one."),
    FIELD_LIST(struct perps_symbol_record, tiers, "marginTiers", REQUIRED, &margin_tier_shape,
        "Margin tiers, ascending."),
    PERPS(funding_interval, "fundingInterval", "Seconds between two fundings."),
    PERPS_SIGNED(interest_rate, "interestRate", "Interest part of funding, per 8 hours."),
    PERPS_SIGNED(max_funding, "maxFundingRate", "Highest rate of an hour."),
    PERPS_SIGNED(min_funding, "minFundingRate", "Lowest rate of an hour."),
    SPOT(maker_fee, "makerFee", "Fee rate of makers at tier 0."),
    SPOT(taker_fee, "takerFee", "Fee rate of takers at tier 0."),
    SPOT(fee_discount, "feeDiscount", "Share taken off positive rates on this symbol."),
    FIELD_ENUM(struct perps_symbol_record, symbol.status, "status", REQUIRED, 0, symbol_status_names,
        "TRADING or HALT; HALT also while the whole venue only lets cancels through."),
    SPOT(last_trade_price, "lastTradePrice",
        "Price of the last trade; the listing's reference price before the first one; 0 when there is neither."),
    SPOT(listing_reference_price, "listingReferencePrice", "Reference price given at listing; 0 = none."),
    PERPS(mark_price, "markPrice", "Mark price: margins, liquidation, limit bands."),
    PERPS(index_price, "indexPrice", "Index price: funding, bounds of market orders."),
    FIELD_ENUM(struct perps_symbol_record, phase, "phase", OPTIONAL, 0, symbol_phase_names,
        "Not there while the symbol is open to all. REDUCE_ONLY: only orders that reduce, in this symbol or on the "
        "whole venue; SETTLING: the same, until it is settled at settlementTime; CLOSING; SETTLED."),
    FIELD(struct perps_symbol_record, settlement_ms, "settlementTime", OPTIONAL,
        "Announced instant of its settlement, ms."),
    FIELD(struct perps_symbol_record, settlement_price, "settlementPrice", OPTIONAL,
        "The price it was settled at: the average of the index over the announced window."),
};
/* clang-format on */
SHAPE(perps_symbol_shape, struct perps_symbol_record, "PerpsSymbol", perps_symbol_fields, NULL,
      "A listed contract, its filters and terms.");

static const struct field perps_coin_fields[] = {
    FIELD(struct perps_coin_record, id, "id", REQUIRED, "Number of the coin, `coinID` in requests; 0 is a coin too."),
    FIELD(struct perps_coin_record, name, "name", REQUIRED, "Its name."),
    FIELD(struct perps_coin_record, precision, "precision", REQUIRED, "Decimals of its amounts."),
    FIELD(struct perps_coin_record, margin_ratio, "marginRatio", REQUIRED,
          "Share of its value that counts as collateral: 1 for vUSDC, 0 for the others."),
    FIELD(struct perps_coin_record, price, "price", OPTIONAL, "What one is worth in vUSDC; only of collateral."),
};
SHAPE(perps_coin_shape, struct perps_coin_record, "PerpsCoin", perps_coin_fields, NULL,
      "A listed coin, as collateral.");

static const struct field mark_price_fields[] = {
    FIELD(struct mark_price_record, symbol, "symbol", REQUIRED, "Name of the symbol."),
    FIELD_FLAGS(struct mark_price_record, funding_rate, "fundingRate", REQUIRED, FLAG_SIGNED,
                "Rate of this hour as far as it is sampled; above 0 longs pay."),
    FIELD(struct mark_price_record, next_funding_ms, "nextFundingTime", REQUIRED, "When it is paid, ms."),
    FIELD(struct mark_price_record, index_price, "indexPrice", REQUIRED, "Index price."),
    FIELD(struct mark_price_record, mark_price, "markPrice", REQUIRED, "Mark price."),
    FIELD(struct mark_price_record, open_interest, "openInterest", REQUIRED, "Sum of all long positions, base units."),
};
SHAPE(mark_price_shape, struct mark_price_record, "MarkPriceTicker", mark_price_fields, NULL,
      "Computed prices, and funding.");

/* ---- orders ---- */

static const struct field order_id_fields[] = {
    FIELD(struct id_record, id, "orderID", REQUIRED, "Number of an order."),
};
const struct shape order_id_shape = {
    .name = "OrderID",
    .doc = "The number alone.",
    .fields = order_id_fields,
    .field_count = ARRAY_COUNT(order_id_fields),
    .size = sizeof(struct id_record),
    .bare = true,
};

#define PO(member, key, presence, doc) FIELD(struct perps_order_record, member, key, presence, doc)
#define PO_ENUM(member, key, presence, names, doc)                                                                     \
    FIELD_ENUM(struct perps_order_record, member, key, presence, 0, names, doc)
/* clang-format off */
static const struct field perps_order_fields[] = {
    PO(order.symbol, "symbol", REQUIRED, "Symbol."),
    PO(order.order_id, "orderID", REQUIRED, "Number of the order."),
    PO(order.client_id, "clOrdID", REQUIRED, "The client's own id."),
    PO_ENUM(order.side, "side", REQUIRED, side_names, "BUY or SELL."),
    PO_ENUM(order.type, "type", REQUIRED, order_type_names, "LIMIT or MARKET; of a stop, the type that it becomes."),
    PO_ENUM(order.time_in_force, "timeInForce", REQUIRED, time_in_force_names, "GTC, IOC or GTX."),
    PO(order.price, "price", OPTIONAL, "Price; absent for a market order without one."),
    PO(order.quantity, "origQty", OPTIONAL,
        "Quantity ordered; absent for an order by funds, for a stop that closes the whole position, and for an "
        "attached one before its parent's first fill."),
    PO(order.funds, "funds", OPTIONAL, "vUSDC amount of a market buy by funds."),
    PO_ENUM(order.status, "status", REQUIRED, order_status_names, "Where the order stands; NEW for a stop that waits."),
    PO(order.executed, "executedQty", REQUIRED, "Executed so far, base units."),
    PO(order.executed_value, "executedValue", REQUIRED, "Executed so far, vUSDC."),
    PO(order.frozen, "marginFrozen", REQUIRED,
        "What it adds to the margin its symbol needs; 0 for a stop that waits, for what only reduces, and for what "
        "would close."),
    PO_ENUM(position_side, "positionSide", REQUIRED, position_side_names, "BOTH."),
    PO(reduce_only, "reduceOnly", REQUIRED, "Whether it may only reduce a position."),
    PO_ENUM(modifier, "modifier", REQUIRED, order_modifier_names, "NORMAL, STOP, BRACKET or ATTACHED_STOP."),
    PO(stop_price, "stopPrice", OPTIONAL, "Price that triggers it."),
    PO_ENUM(stop_type, "stopType", OPTIONAL, stop_type_names, "STOP_LOSS or TAKE_PROFIT."),
    PO_ENUM(trigger_type, "triggerType", OPTIONAL, trigger_type_names, "Which price triggers it."),
    PO(position_id, "positionID", OPTIONAL,
        "Position that a TP/SL is tied to; an attached one has none before its parent's first fill."),
    PO(primary_order_id, "primaryOrderID", OPTIONAL, "Order that it is attached to."),
    FIELD_LIST(struct perps_order_record, attached, "attachedOrderIDs", OPTIONAL, &order_id_shape,
        "Orders attached to it that are not over."),
    PO(order.created_ms, "createdAt", REQUIRED, "Accepted, ms."),
    PO(order.updated_ms, "updatedAt", REQUIRED, "Last change, ms."),
    PO_ENUM(order.reason, "reason", OPTIONAL, end_reason_names, "Why an order ended other than by being filled."),
};
/* clang-format on */
SHAPE(perps_order_record_shape, struct perps_order_record, "PerpsOrder", perps_order_fields, NULL, "An order.");

static const struct field perps_open_orders_fields[] = {
    BLOCK(struct perps_list_record),
    FIELD_LIST(struct perps_list_record, rows, "orders", REQUIRED, &perps_order_record_shape,
               "Open orders, stops that wait included, newest first."),
};
SHAPE(perps_open_orders_shape, struct perps_list_record, "PerpsAccountOpenOrder", perps_open_orders_fields, NULL,
      "Open orders of an account.");

static const struct field perps_state_order_fields[] = {
    PO(order.symbol, "s", REQUIRED, "Symbol."),
    PO(order.client_id, "c", REQUIRED, "The client's own id."),
    PO(order.order_id, "i", REQUIRED, "Number of the order."),
    PO_ENUM(order.side, "S", REQUIRED, side_names, "BUY or SELL."),
    PO_ENUM(order.type, "o", REQUIRED, order_type_names, "LIMIT or MARKET."),
    PO_ENUM(order.time_in_force, "f", REQUIRED, time_in_force_names, "GTC, IOC or GTX."),
    PO(order.price, "p", REQUIRED, "Price; \"0\" where there is none."),
    PO(order.quantity, "q", REQUIRED,
       "Quantity ordered; \"0\" of an order by funds and of a stop for the whole position."),
    PO(order.funds, "F", NULLABLE, "vUSDC amount of a market buy by funds."),
    PO_ENUM(order.status, "X", REQUIRED, order_status_names, "Where the order stands."),
    PO(order.executed, "z", REQUIRED, "Executed so far."),
    PO(order.executed_value, "v", REQUIRED, "Executed so far, vUSDC."),
    PO(order.frozen, "M", REQUIRED, "Margin frozen for the rest."),
    PO(order.created_ms, "ct", REQUIRED, "Accepted, ms."),
    PO(order.updated_ms, "ut", REQUIRED, "Last change, ms."),
    PO_ENUM(position_side, "ps", REQUIRED, position_side_names, "BOTH."),
    PO(reduce_only, "R", REQUIRED, "Whether it may only reduce a position."),
    PO(stop_price, "sp", OPTIONAL, "Price that triggers it."),
    PO_ENUM(stop_type, "st", OPTIONAL, stop_type_names, "STOP_LOSS or TAKE_PROFIT."),
    PO_ENUM(trigger_type, "tt", OPTIONAL, trigger_type_names, "Which price triggers it."),
    PO(position_id, "pid", OPTIONAL, "Position it belongs to."),
    PO(primary_order_id, "poid", OPTIONAL, "Order it is attached to."),
    FIELD_LIST(struct perps_order_record, attached, "aoids", OPTIONAL, &order_id_shape,
               "Orders attached to it that are not over."),
};
SHAPE(perps_state_order_shape, struct perps_order_record, "WsPerpsStateOrder", perps_state_order_fields, NULL,
      "An open perps order, short keys.");

/* ---- positions ---- */

#define PP(member, key, presence, doc) FIELD_FLAGS(struct position_record, member, key, presence, FLAG_SIGNED, doc)
#define PP_ENUM(member, key, presence, names, doc)                                                                     \
    FIELD_ENUM(struct position_record, member, key, presence, 0, names, doc)
/* clang-format off */
static const struct field position_fields[] = {
    PP(id, "id", REQUIRED, "Number of the position."),
    PP(symbol, "symbol", REQUIRED, "Symbol."),
    PP_ENUM(margin_mode, "marginMode", REQUIRED, margin_mode_names, "CROSS or ISOLATED."),
    PP_ENUM(side, "side", REQUIRED, position_side_names, "BOTH: the sign of size gives the side."),
    PP_ENUM(side, "positionSide", REQUIRED, position_side_names, "The same."),
    PP(size, "size", REQUIRED, "Size; negative is short, 0 is closed."),
    PP(initial_margin, "initialMargin", REQUIRED, "Initial margin at the mark price; 0 once closed."),
    PP(entry_price, "avgEntryPrice", REQUIRED,
        "Average entry price: of the open size, or, once closed, of all openings."),
    PP(open_cost, "cumOpenCost", REQUIRED, "Value of all that was opened."),
    PP(trading_fee, "cumTradingFee", REQUIRED, "Fees of all trades."),
    PP(closed_size, "cumClosedSize", REQUIRED, "Size of all that was closed."),
    PP(close_price, "avgClosePrice", REQUIRED, "Average price of closings; 0 before the first."),
    PP(max_size, "maxSize", REQUIRED, "Largest size there was."),
    PP(realized, "realizedPnL", REQUIRED, "Realized profit or loss, net of fees, funding and liquidation."),
    PP(leverage, "leverage", REQUIRED, "Leverage."),
    PP(active, "active", REQUIRED, "Whether it is open."),
    PP(taken_over, "isTakenOver", REQUIRED, "Whether the insurance fund took it over."),
    PP(take_over_price, "takeOverPrice", REQUIRED, "At what price; 0 if not."),
    PP(created_ms, "createdAt", REQUIRED, "Opened, ms."),
    PP(updated_ms, "updatedAt", REQUIRED, "Last change, ms; of a closed one, its end."),
    PP(symbol_id, "symbolID", REQUIRED, "Number of the symbol."),
    PP(account_id, "accountID", REQUIRED, "Account."),
    PP(size, "quantity", REQUIRED, "The same as size."),
    PP(entry_price, "entryPrice", REQUIRED, "The same as avgEntryPrice."),
    PP(mark_price, "markPrice", REQUIRED, "Mark price; 0 once closed."),
    PP(liquidation_price, "liquidationPrice", REQUIRED,
        "Mark price at which liquidation begins, as things stand; 0 = none."),
    PP(unrealized, "unrealizedPnl", REQUIRED, "Unrealized profit or loss at the mark price."),
    PP(margin, "margin", REQUIRED, "An isolated position's own margin; of a cross one its initial margin."),
    PP_ENUM(reason, "reason", OPTIONAL, end_reason_names,
        "Why it was closed: USER, FLIP, LIQUIDATION, TAKEOVER, ADL, ADL_BANKRUPT or SETTLEMENT."),
    PP(liquidation_id, "liquidationID", OPTIONAL,
        "Number of the liquidation that closed it, the same as in its receipts (/perps/liquidations); else absent."),
};
/* clang-format on */
SHAPE(position_shape, struct position_record, "Position", position_fields, NULL, "A position, open or closed.");

static const struct field open_positions_fields[] = {
    BLOCK(struct perps_list_record),
    FIELD_LIST(struct perps_list_record, rows, "positions", REQUIRED, &position_shape, "Open positions, newest first."),
    FIELD_LIST(struct perps_list_record, rows, "orders", REQUIRED, &position_shape, "The same, for older clients."),
};
SHAPE(open_positions_shape, struct perps_list_record, "PerpsAccountOpenPosition", open_positions_fields, NULL,
      "Open positions of an account.");

static const struct field perps_state_position_fields[] = {
    PP(id, "i", REQUIRED, "Number of the position."),
    PP(symbol, "s", REQUIRED, "Symbol."),
    PP_ENUM(margin_mode, "m", REQUIRED, margin_mode_names, "CROSS or ISOLATED."),
    PP_ENUM(side, "ps", REQUIRED, position_side_names, "BOTH."),
    PP(size, "sz", REQUIRED, "Size; negative is short."),
    PP(isolated, "iw", NULLABLE, "Margin of an isolated position."),
    PP(entry_price, "ep", REQUIRED, "Average entry price."),
    PP(open_cost, "co", REQUIRED, "Value of all that was opened."),
    PP(trading_fee, "cf", REQUIRED, "Cumulative fees."),
    PP(closed_size, "cc", REQUIRED, "Cumulative size closed."),
    PP(close_price, "cp", REQUIRED, "Average price of closings."),
    PP(max_size, "ms", REQUIRED, "Largest size."),
    PP(realized, "cr", REQUIRED, "Realized profit or loss, net of fees and funding."),
    PP(unrealized, "ur", REQUIRED, "Unrealized profit or loss at the mark price."),
    PP(leverage, "l", REQUIRED, "Leverage."),
    PP(liquidation_price, "lp", REQUIRED, "Mark price at which liquidation begins; 0 = none."),
    PP(adl, "adl", REQUIRED,
       "How soon it would be closed in auto-deleveraging: 1 (first) to 5 among those in profit, 6 without profit."),
    PP(created_ms, "ct", REQUIRED, "Opened, ms."),
    PP(updated_ms, "ut", REQUIRED, "Last change, ms."),
};
SHAPE(perps_state_position_shape, struct position_record, "WsPerpsStatePosition", perps_state_position_fields, NULL,
      "A position, short keys.");

/* ---- accounts ---- */

#define PB(member, key, doc) FIELD_FLAGS(struct perps_balance_record, member, key, REQUIRED, FLAG_SIGNED, doc)
static const struct field perps_balance_fields[] = {
    PB(id, "id", "Coin id."),
    PB(coin, "coin", "Coin name."),
    PB(total, "total", "Wallet balance; below 0 while unrealized profit covers it."),
    PB(collateral, "collateral", "What it counts as collateral, vUSDC."),
    PB(margin_ratio, "marginRatio", "Share of its value that counts."),
    PB(price, "price", "What one is worth in vUSDC."),
    PB(locked, "locked", "Needed as margin by cross positions and by open orders."),
};
SHAPE(perps_balance_shape, struct perps_balance_record, "PerpsBalance", perps_balance_fields, NULL,
      "A coin of a perps wallet.");

static const struct field perps_balances_fields[] = {
    BLOCK(struct perps_list_record),
    FIELD_LIST(struct perps_list_record, rows, "balances", REQUIRED, &perps_balance_shape,
               "Every coin the wallet ever held."),
};
SHAPE(perps_balances_shape, struct perps_list_record, "PerpsAccountBalance", perps_balances_fields, NULL,
      "Wallet balances of an account.");

static const struct field perps_state_balance_fields[] = {
    PB(id, "i", "Coin id."),
    PB(coin, "a", "Coin name."),
    PB(total, "wb", "Wallet balance."),
    PB(collateral, "co", "What it counts as collateral, vUSDC."),
    PB(margin_ratio, "mr", "Share of its value that counts."),
    PB(price, "px", "What one is worth in vUSDC."),
    PB(isolated, "iw", "Isolated margin taken from this wallet."),
    PB(available, "aw", "Available for margin."),
    PB(transferable, "at", "Available for transfer out."),
    PB(transferable, "ww", "The same, for older clients."),
    PB(margin, "wm", "Wallet margin."),
    PB(available, "am", "Available margin."),
};
SHAPE(perps_state_balance_shape, struct perps_balance_record, "WsPerpsStateBalance", perps_state_balance_fields, NULL,
      "A coin of a perps wallet, short keys.");

static const struct field perps_setting_fields[] = {
    FIELD(struct perps_setting_record, symbol, "s", REQUIRED, "Symbol."),
    FIELD(struct perps_setting_record, leverage, "l", REQUIRED, "Leverage."),
    FIELD_ENUM(struct perps_setting_record, margin_mode, "m", REQUIRED, 0, margin_mode_names, "CROSS or ISOLATED."),
};
SHAPE(perps_setting_shape, struct perps_setting_record, "WsPerpsStateSetting", perps_setting_fields, NULL,
      "What an account chose for a symbol.");

#define PS(member, key, doc) FIELD_FLAGS(struct perps_state_record, member, key, REQUIRED, FLAG_SIGNED, doc)
/* clang-format off */
static const struct field perps_state_fields[] = {
    PS(user, "user", "The address of the request."),
    PS(account_id, "aid", "Account id; 0 when the address has none."),
    PS(user_id, "uid", "User id; 0 when the address has none."),
    PS(account_value, "av", "Value of the cross account: wallet and unrealized profit or loss of cross positions."),
    PS(maintenance, "mm", "Maintenance margin of the cross account."),
    PS(maintenance_ratio, "mmr", "mm / av, rounded up to 8 decimals, liquidation above 1; 0 without a position, "
        "1000000 when av is not above 0."),
    PS(available, "am", "Available margin, cross."),
    PS(available_isolated, "ami", "Available margin, isolated."),
    PS(transferable, "amw", "Available for transfer out."),
    PS(isolated_margin, "im", "Margin of isolated positions."),
    PS(cross_margin, "cm", "Initial margin of cross positions."),
    PS(isolated_order_margin, "oim", "Margin frozen by open orders on isolated symbols."),
    PS(cross_order_margin, "ocm", "Margin frozen by open orders on cross symbols."),
    FIELD_LIST(struct perps_state_record, balances, "B", REQUIRED, &perps_state_balance_shape, "Balances."),
    FIELD_LIST(struct perps_state_record, orders, "O", REQUIRED, &perps_state_order_shape,
        "Open orders, newest first, at most 100."),
    FIELD_LIST(struct perps_state_record, positions, "P", REQUIRED, &perps_state_position_shape,
        "Open positions by symbol id."),
    FIELD_LIST(struct perps_state_record, settings, "S", REQUIRED, &perps_setting_shape,
        "Leverage and margin mode by symbol."),
    FIELD_LIST(struct perps_state_record, twaps, "TO", REQUIRED, &state_twap_shape, "Running TWAPs; always empty."),
    BLOCK(struct perps_state_record),
};
/* clang-format on */
SHAPE(perps_state_shape, struct perps_state_record, "WsPerpsState", perps_state_fields, NULL,
      "Margins, balances, orders and positions of one instant, for front ends.");

static const struct field funding_fields[] = {
    FIELD(struct funding_record, symbol, "symbol", REQUIRED, "Symbol."),
    FIELD(struct funding_record, position_id, "positionID", REQUIRED, "Position that paid or got it."),
    FIELD_ENUM(struct funding_record, position_side, "positionSide", REQUIRED, 0, position_side_names, "BOTH."),
    FIELD_FLAGS(struct funding_record, fee, "fundingFee", REQUIRED, FLAG_SIGNED,
                "Above 0 it was paid, below 0 received."),
    FIELD(struct funding_record, fee_coin, "feeCoin", REQUIRED, "vUSDC."),
    FIELD(struct funding_record, time_ms, "timestamp", REQUIRED, "Time, ms."),
    FIELD_FLAGS(struct funding_record, rate, "fundingRate", REQUIRED, FLAG_SIGNED, "Rate of the hour."),
};
SHAPE(funding_shape, struct funding_record, "PerpsUserFunding", funding_fields, NULL,
      "What a position paid or got at an hour.");
