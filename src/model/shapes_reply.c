/* SPDX-License-Identifier: MIT */
/* shapes_reply.c — rows of the answers (wire 1.1 to 1.3) and of the query parameters (wire 1.4). */
#include "model/shapes_reply.h"

/* ---- query parameters ---- */

static const struct field symbol_query_fields[] = { P_SYMBOL(struct symbol_query) };
SHAPE(symbol_query_shape, struct symbol_query, "SymbolQuery", symbol_query_fields, NULL, "");

static const struct field coin_query_fields[] = {
    FIELD(struct coin_query, coin, "coin", OPTIONAL, "Name of a coin; absent means all."),
};
SHAPE(coin_query_shape, struct coin_query, "CoinQuery", coin_query_fields, NULL, "");

static const struct field book_query_fields[] = {
    P_LIMIT(struct limit_query, FLAG_PARAM_DEPTH,
            "Levels of each side, 1 to 1000, default 10; more is cut to 1000. `depth` is an alias."),
};
SHAPE(book_query_shape, struct limit_query, "OrderBookQuery", book_query_fields, NULL, "");

static const struct field trades_query_fields[] = {
    P_LIMIT(struct limit_query, 0, "Trades, 1 to 500, default 50; more is cut to 500."),
};
SHAPE(trades_query_shape, struct limit_query, "TradesQuery", trades_query_fields, NULL, "");

static const struct field account_query_fields[] = { P_ACCOUNT(struct account_query) };
SHAPE(account_query_shape, struct account_query, "AccountQuery", account_query_fields, NULL, "");

static const struct field account_symbol_query_fields[] = {
    P_ACCOUNT(struct account_symbol_query),
    P_SYMBOL(struct account_symbol_query),
};
SHAPE(account_symbol_query_shape, struct account_symbol_query, "AccountSymbolQuery", account_symbol_query_fields, NULL,
      "");

static const struct field account_name_query_fields[] = {
    P_ACCOUNT(struct account_name_query),
    FIELD_FLAGS(struct account_name_query, name, "name", OPTIONAL, FLAG_KEY_NAME, "Only the key of this name."),
};
SHAPE(account_name_query_shape, struct account_name_query, "AccountKeysQuery", account_name_query_fields, NULL, "");

static const struct field user_keys_query_fields[] = {
    FIELD(struct account_name_query, account_id, "accountID", OPTIONAL,
          "Only the keys of this account of the address; 0 or absent means all of its accounts."),
    FIELD_FLAGS(struct account_name_query, name, "name", OPTIONAL, FLAG_KEY_NAME, "Only the key of this name."),
};
SHAPE(user_keys_query_shape, struct account_name_query, "KeysQuery", user_keys_query_fields, NULL, "");

static const struct field open_orders_query_fields[] = {
    P_ACCOUNT(struct open_query),
    P_SYMBOL(struct open_query),
    P_LIMIT(struct open_query, 0, "Only so many, the newest; absent means all."),
};
SHAPE(open_orders_query_shape, struct open_query, "OpenOrdersQuery", open_orders_query_fields, NULL, "");

static const struct field market_symbol_query_fields[] = {
    FIELD_ENUM(struct market_symbol_query, market, "market", OPTIONAL, FLAG_ENUM_NAME, market_names,
               "spot or perps; absent means spot."),
    P_SYMBOL(struct market_symbol_query),
};
SHAPE(market_symbol_query_shape, struct market_symbol_query, "MarketSymbolQuery", market_symbol_query_fields, NULL, "");

/* clang-format off */
static const struct field orders_history_query_fields[] = {
    P_ACCOUNT(struct history_page_query), P_SYMBOL(struct history_page_query), P_START, P_END,
    P_PAGE("Orders", "50", "500", "continue with fromID."),
    FIELD(struct history_page_query, from_id, "fromID", OPTIONAL,
        "Continue below this orderID; where the list has none with this id, from the next lower one on."),
};
/* clang-format on */
SHAPE(orders_history_query_shape, struct history_page_query, "OrderHistoryQuery", orders_history_query_fields, NULL,
      "");

/* clang-format off */
static const struct field account_trades_query_fields[] = {
    P_ACCOUNT(struct history_page_query), P_SYMBOL(struct history_page_query),
    FIELD_FLAGS(struct history_page_query, order_id, "orderID", OPTIONAL, FLAG_NOT_ZERO,
        "Only the trades of this order."), P_START, P_END,
    P_PAGE("Trades", "100", "1000", "continue with fromID."),
    FIELD(struct history_page_query, from_id, "fromID", OPTIONAL, "Continue below this tradeID."),
};
/* clang-format on */
SHAPE(account_trades_query_shape, struct history_page_query, "AccountTradesQuery", account_trades_query_fields, NULL,
      "");

/* ---- market records ---- */

#define SYMBOL(member, key, doc) FIELD(struct spot_symbol_record, member, key, REQUIRED, doc)
static const struct field spot_symbol_fields[] = {
    SYMBOL(id, "id", "Number of the symbol, `symbolID` in requests."),
    SYMBOL(name, "name", "Name in paths and filters."),
    SYMBOL(display_name, "displayName", "Name for people."),
    SYMBOL(base_coin_id, "baseCoinID", "Coin that is traded."),
    SYMBOL(base_coin, "baseCoin", "Its name."),
    SYMBOL(base_coin_precision, "baseCoinPrecision", "Its decimals."),
    SYMBOL(quote_coin_id, "quoteCoinID", "Coin that pays."),
    SYMBOL(quote_coin, "quoteCoin", "Its name."),
    SYMBOL(quote_coin_precision, "quoteCoinPrecision", "Its decimals."),
    SYMBOL(price_precision, "pricePrecision", "Most decimals of a price."),
    SYMBOL(tick_size, "tickSize", "Step of prices."),
    SYMBOL(min_price, "minPrice", "Lowest price; 0 = no bound."),
    SYMBOL(max_price, "maxPrice", "Highest price; 0 = no bound."),
    SYMBOL(quantity_precision, "quantityPrecision", "Most decimals of a quantity."),
    SYMBOL(step_size, "stepSize", "Step of quantities."),
    SYMBOL(min_quantity, "minQuantity", "Least quantity; 0 = no bound."),
    SYMBOL(max_quantity, "maxQuantity", "Most quantity; 0 = no bound."),
    SYMBOL(market_min_quantity, "marketMinQuantity", "Least quantity of a market order; 0 = no bound."),
    SYMBOL(market_max_quantity, "marketMaxQuantity", "Most quantity of a market order; 0 = no bound."),
    SYMBOL(min_notional, "minNotional", "Least value of an order in the quote coin; 0 = no bound."),
    SYMBOL(max_notional, "maxNotional", "Most value of an order in the quote coin; 0 = no bound."),
    SYMBOL(buy_limit_up_ratio, "buyLimitUpRatio", "How far above the last trade a limit buy may be priced."),
    SYMBOL(sell_limit_down_ratio, "sellLimitDownRatio", "How far below the last trade a limit sell may be priced."),
    SYMBOL(market_deviation_ratio, "marketDeviationRatio", "How far from the last trade a market order may execute."),
    SYMBOL(maker_fee, "makerFee", "Fee rate of makers at tier 0."),
    SYMBOL(taker_fee, "takerFee", "Fee rate of takers at tier 0."),
    SYMBOL(fee_discount, "feeDiscount", "Share taken off positive rates on this symbol."),
    FIELD_ENUM(struct spot_symbol_record, status, "status", REQUIRED, 0, symbol_status_names,
               "TRADING or HALT; HALT also while the whole venue only lets cancels through."),
    SYMBOL(last_trade_price, "lastTradePrice",
           "Price of the last trade; the listing's reference price before the first one; 0 when there is neither."),
    SYMBOL(listing_reference_price, "listingReferencePrice", "Reference price given at listing; 0 = none."),
};
SHAPE(spot_symbol_shape, struct spot_symbol_record, "SpotSymbol", spot_symbol_fields, NULL,
      "A listed pair of coins and its filters.");

static const struct field spot_coin_fields[] = {
    FIELD(struct spot_coin_record, id, "id", REQUIRED, "Number of the coin, `coinID` in requests; 0 is a coin too."),
    FIELD(struct spot_coin_record, name, "name", REQUIRED, "Its name."),
    FIELD(struct spot_coin_record, precision, "precision", REQUIRED, "Decimals of its amounts."),
};
SHAPE(spot_coin_shape, struct spot_coin_record, "SpotCoin", spot_coin_fields, NULL, "A listed coin.");

static const struct field level_fields[] = {
    FIELD(struct level_record, price, "price", REQUIRED, "Price of the level."),
    FIELD(struct level_record, size, "size", REQUIRED, "Quantity that rests there."),
};
const struct shape level_shape = {
    .name = "Level",
    .doc = "An array of two strings: price and size.",
    .fields = level_fields,
    .field_count = ARRAY_COUNT(level_fields),
    .size = sizeof(struct level_record),
    .tuple = true,
};

static const struct field order_book_fields[] = {
    BLOCK(struct order_book_record),
    FIELD(struct order_book_record, update_id, "updateID", REQUIRED,
          "Version of the book, rises with every change of a level."),
    FIELD_LIST(struct order_book_record, bids, "bids", REQUIRED, &level_shape, "Buying levels, highest first."),
    FIELD_LIST(struct order_book_record, asks, "asks", REQUIRED, &level_shape, "Selling levels, lowest first."),
};
SHAPE(order_book_shape, struct order_book_record, "OrderBook", order_book_fields, NULL, "The best levels of a book.");

static const struct field trade_fields[] = {
    FIELD(struct trade_record, id, "t", REQUIRED, "Trade id."),
    FIELD(struct trade_record, time_ms, "T", REQUIRED, "Time, ms."),
    FIELD(struct trade_record, symbol, "s", REQUIRED, "Symbol."),
    FIELD_ENUM(struct trade_record, taker_side, "S", REQUIRED, 0, side_names, "Side of the taker."),
    FIELD(struct trade_record, price, "p", REQUIRED, "Price."),
    FIELD(struct trade_record, quantity, "q", REQUIRED, "Quantity."),
    FIELD(struct trade_record, buyer, "bi", REQUIRED, "Account of the buyer."),
    FIELD(struct trade_record, seller, "si", REQUIRED, "Account of the seller."),
    FIELD(struct trade_record, self, "self", OPTIONAL, "True when both accounts belong to one user; else absent."),
};
SHAPE(trade_shape, struct trade_record, "Trade", trade_fields, NULL, "A public trade.");

/* ---- account records ---- */

static const struct field balance_fields[] = {
    FIELD(struct balance_record, id, "id", REQUIRED, "Coin id."),
    FIELD(struct balance_record, coin, "coin", REQUIRED, "Coin name."),
    FIELD(struct balance_record, total, "total", REQUIRED, "Everything, the locked part included."),
    FIELD(struct balance_record, locked, "locked", REQUIRED, "Held for open orders."),
};
SHAPE(balance_shape, struct balance_record, "SpotBalance", balance_fields, NULL, "A coin of an account.");

static const struct field balances_fields[] = {
    BLOCK(struct balances_record),
    FIELD_LIST(struct balances_record, balances, "balances", REQUIRED, &balance_shape,
               "Every coin the account ever held, by coin id."),
};
SHAPE(balances_shape, struct balances_record, "SpotAccountBalances", balances_fields, NULL, "Balances of an account.");

static const struct field order_fields[] = {
    FIELD(struct order_record, symbol, "symbol", REQUIRED, "Symbol."),
    FIELD(struct order_record, order_id, "orderID", REQUIRED, "Number of the order."),
    FIELD(struct order_record, client_id, "clOrdID", REQUIRED, "The client's own id."),
    FIELD_ENUM(struct order_record, side, "side", REQUIRED, 0, side_names, "BUY or SELL."),
    FIELD_ENUM(struct order_record, type, "type", REQUIRED, 0, order_type_names, "LIMIT or MARKET."),
    FIELD_ENUM(struct order_record, time_in_force, "timeInForce", REQUIRED, 0, time_in_force_names, "GTC, IOC or GTX."),
    FIELD(struct order_record, price, "price", OPTIONAL, "Price; absent for a market order without one."),
    FIELD(struct order_record, quantity, "origQty", OPTIONAL, "Quantity ordered; absent for an order by funds."),
    FIELD(struct order_record, funds, "funds", OPTIONAL, "Quote amount of a market buy by funds."),
    FIELD_ENUM(struct order_record, status, "status", REQUIRED, 0, order_status_names, "Where the order stands."),
    FIELD(struct order_record, executed, "executedQty", REQUIRED, "Executed so far, base coin."),
    FIELD(struct order_record, executed_value, "executedValue", REQUIRED, "Executed so far, quote coin."),
    FIELD(struct order_record, frozen, "marginFrozen", REQUIRED, "Locked for the rest, in the coin being spent."),
    FIELD(struct order_record, created_ms, "createdAt", REQUIRED, "Accepted, ms."),
    FIELD(struct order_record, updated_ms, "updatedAt", REQUIRED, "Last change, ms."),
    FIELD_ENUM(struct order_record, reason, "reason", OPTIONAL, 0, end_reason_names,
               "Why an order ended other than by being filled."),
};
SHAPE(order_shape, struct order_record, "SpotOrder", order_fields, NULL, "An order.");

static const struct field open_orders_fields[] = {
    BLOCK(struct open_orders_record),
    FIELD_LIST(struct open_orders_record, orders, "orders", REQUIRED, &order_shape, "Open orders, newest first."),
};
SHAPE(open_orders_shape, struct open_orders_record, "SpotAccountOpenOrder", open_orders_fields, NULL,
      "Open orders of an account.");

static const struct field state_balance_fields[] = {
    FIELD(struct balance_record, id, "i", REQUIRED, "Coin id."),
    FIELD(struct balance_record, coin, "a", REQUIRED, "Coin name."),
    FIELD(struct balance_record, total, "t", REQUIRED, "Everything, the locked part included."),
    FIELD(struct balance_record, locked, "l", REQUIRED, "Held for open orders."),
};
SHAPE(state_balance_shape, struct balance_record, "WsSpotStateBalance", state_balance_fields, NULL,
      "A coin of an account, short keys.");

static const struct field state_order_fields[] = {
    FIELD(struct order_record, symbol, "s", REQUIRED, "Symbol."),
    FIELD(struct order_record, client_id, "c", REQUIRED, "The client's own id."),
    FIELD(struct order_record, order_id, "i", REQUIRED, "Number of the order."),
    FIELD_ENUM(struct order_record, side, "S", REQUIRED, 0, side_names, "BUY or SELL."),
    FIELD_ENUM(struct order_record, type, "o", REQUIRED, 0, order_type_names, "LIMIT or MARKET."),
    FIELD_ENUM(struct order_record, time_in_force, "f", REQUIRED, 0, time_in_force_names, "GTC, IOC or GTX."),
    FIELD(struct order_record, price, "p", REQUIRED, "Price; \"0\" where there is none."),
    FIELD(struct order_record, quantity, "q", REQUIRED, "Quantity ordered; \"0\" of an order by funds."),
    FIELD(struct order_record, funds, "F", NULLABLE, "Quote amount of a market buy by funds."),
    FIELD_ENUM(struct order_record, status, "X", REQUIRED, 0, order_status_names, "Where the order stands."),
    FIELD(struct order_record, executed, "z", REQUIRED, "Executed so far, base coin."),
    FIELD(struct order_record, executed_value, "v", REQUIRED, "Executed so far, quote coin."),
    FIELD(struct order_record, frozen, "M", REQUIRED, "Locked for the rest."),
    FIELD(struct order_record, created_ms, "ct", REQUIRED, "Accepted, ms."),
    FIELD(struct order_record, updated_ms, "ut", REQUIRED, "Last change, ms."),
};
SHAPE(state_order_shape, struct order_record, "WsSpotStateOrder", state_order_fields, NULL,
      "An open order, short keys.");

/* The list TO is always empty (ruling 58); its item has only the key that every TWAP has. */
static const struct field state_twap_fields[] = {
    FIELD(struct order_record, order_id, "i", REQUIRED, "Number of the TWAP."),
};
SHAPE(state_twap_shape, struct order_record, "WsSpotStateTwap", state_twap_fields, NULL,
      "A running TWAP; none are offered.");

static const struct field state_fields[] = {
    FIELD(struct state_record, user, "user", REQUIRED, "The address of the request."),
    FIELD(struct state_record, account_id, "aid", REQUIRED, "Account id; 0 when the address has none."),
    FIELD(struct state_record, user_id, "uid", REQUIRED, "User id; 0 when the address has none."),
    FIELD_LIST(struct state_record, balances, "B", REQUIRED, &state_balance_shape, "Balances."),
    FIELD_LIST(struct state_record, orders, "O", REQUIRED, &state_order_shape, "Open orders, newest first."),
    FIELD_LIST(struct state_record, twaps, "TO", REQUIRED, &state_twap_shape, "Running TWAPs; always empty."),
    BLOCK(struct state_record),
};
SHAPE(state_shape, struct state_record, "WsSpotState", state_fields, NULL,
      "Balances and open orders of one instant, for front ends.");

/* clang-format off */
#define FEE_RATE(DISCOUNT_PRESENCE) \
    FIELD_FLAGS(struct fee_rate_record, maker, "makerFeeRate", REQUIRED, FLAG_SIGNED, \
        "Rate as maker; negative is paid to the maker."), \
    FIELD(struct fee_rate_record, taker, "takerFeeRate", REQUIRED, "Rate as taker."), \
    FIELD(struct fee_rate_record, discount, "feeDiscount", DISCOUNT_PRESENCE, \
        "When a symbol is given: its discount, already in the rates."), \
    FIELD(struct fee_rate_record, fee_tier, "feeTier", REQUIRED, "Tier by volume."), \
    FIELD(struct fee_rate_record, staking_tier, "stakingTier", REQUIRED, "Tier by staking."), \
    FIELD(struct fee_rate_record, rebate_tier, "makerRebateTier", REQUIRED, "Tier by share of maker volume.")
/* clang-format on */
static const struct field fee_rate_fields[] = { FEE_RATE(OPTIONAL) }, symbol_fee_rate_fields[] = { FEE_RATE(REQUIRED) };
SHAPE(fee_rate_shape, struct fee_rate_record, "FeeRate", fee_rate_fields, NULL, "What trading costs a user.");
SHAPE(symbol_fee_rate_shape, struct fee_rate_record, "FeeRate", symbol_fee_rate_fields, NULL,
      "What trading a symbol costs a user.");

/* clang-format off */
static const struct field user_trade_fields[] = {
    FIELD(struct user_trade_record, symbol, "symbol", REQUIRED, "Symbol."),
    FIELD(struct user_trade_record, trade_id, "tradeID", REQUIRED, "Trade id."),
    FIELD(struct user_trade_record, order_id, "orderID", REQUIRED, "The account's order."),
    FIELD(struct user_trade_record, client_id, "clOrdID", REQUIRED, "Its client id."),
    FIELD_ENUM(struct user_trade_record, side, "side", REQUIRED, 0, side_names, "The account's side."),
    FIELD(struct user_trade_record, price, "price", REQUIRED, "Price."),
    FIELD(struct user_trade_record, quantity, "quantity", REQUIRED, "Quantity."),
    FIELD_FLAGS(struct user_trade_record, fee, "fee", REQUIRED, FLAG_SIGNED,
        "Fee in feeCoin; negative was paid to the account."),
    FIELD(struct user_trade_record, fee_coin, "feeCoin", REQUIRED,
        "Coin of the fee: the one received; of a maker with a rebate the one its taker received."),
    FIELD(struct user_trade_record, time_ms, "time", REQUIRED, "Time, ms."),
    FIELD(struct user_trade_record, is_maker, "isMaker", REQUIRED, "Whether the account's order rested."),
    FIELD_ENUM(struct user_trade_record, reason, "reason", OPTIONAL, 0, end_reason_names,
        "Perps: LIQUIDATION, TAKEOVER, ADL or SETTLEMENT for a forced fill; the last three have no order."),
    FIELD(struct user_trade_record, self, "self", OPTIONAL,
        "True when both accounts belong to one user: no volume for a tier, no rebate; else absent."),
    FIELD(struct user_trade_record, liquidation_id, "liquidationID", OPTIONAL,
        "Perps: number of the liquidation whose stage made it, the same as in its receipts (/perps/liquidations); "
        "else absent."),
};
/* clang-format on */
SHAPE(user_trade_shape, struct user_trade_record, "UserTrade", user_trade_fields, NULL,
      "One side of a trade, as its account sees it.");

static const struct field api_key_fields[] = {
    FIELD(struct api_key_record, name, "name", REQUIRED, "Name, for `X-API-Key`."),
    FIELD_ENUM(struct api_key_record, type, "type", REQUIRED, 0, key_type_names, "EVM."),
    FIELD(struct api_key_record, public_key, "publicKey", REQUIRED, "Address of the key pair."),
    FIELD(struct api_key_record, expires_ms, "expiresAt", REQUIRED, "Unix milliseconds; 0 = never."),
    FIELD(struct api_key_record, permissions, "permissions", REQUIRED,
          "What it may not do: 1 trade, 2 cancel, 4 withdraw, 8 transfer, added up; 0 = it may do all of it."),
};
SHAPE(api_key_shape, struct api_key_record, "APIKey", api_key_fields, NULL, "A registered API key.");

/* ---- users ---- */

static const struct field server_time_fields[] = {
    FIELD(struct server_time_record, server_time, "serverTime", REQUIRED,
          "Engine time, ms; the same as the envelope's timestamp."),
};
SHAPE(server_time_shape, struct server_time_record, "ServerTime", server_time_fields, NULL, "What time it is here.");

static const struct field status_text_fields[] = {
    FIELD(struct health_record, status, "status", REQUIRED, "\"ok\"."),
};
const struct shape status_text_shape = {
    .name = "StatusText",
    .doc = "The text alone: \"ok\".",
    .fields = status_text_fields,
    .field_count = ARRAY_COUNT(status_text_fields),
    .size = sizeof(struct health_record),
    .bare = true,
};

static const struct field user_status_fields[] = {
    FIELD(struct user_status_record, status, "status", REQUIRED, "Active, or UserNotFound."),
    FIELD(struct user_status_record, user_id, "userID", REQUIRED, "User id; 0 when the address has none."),
};
SHAPE(user_status_shape, struct user_status_record, "UserStatus", user_status_fields, NULL,
      "Whether an address is a user.");

static const struct field subaccount_fields[] = {
    FIELD(struct subaccount_record, id, "id", REQUIRED, "Account id."),
    FIELD(struct subaccount_record, evm_address, "evmAddress", REQUIRED, "Address of the owner."),
};
SHAPE(subaccount_shape, struct subaccount_record, "Subaccount", subaccount_fields, NULL, "An account of a user.");

static const struct field subaccounts_fields[] = {
    FIELD(struct subaccounts_record, user_id, "userID", REQUIRED, "User id; 0 when the address has none."),
    FIELD(struct subaccounts_record, primary_account_id, "primaryAccountID", REQUIRED,
          "Account that is meant when a request names none."),
    FIELD_LIST(struct subaccounts_record, subaccounts, "subaccounts", REQUIRED, &subaccount_shape,
               "All accounts of the user by id, the primary one too."),
};
SHAPE(subaccounts_shape, struct subaccounts_record, "Subaccounts", subaccounts_fields, NULL, "Accounts of a user.");

static const struct field user_keys_fields[] = {
    FIELD_LIST(struct user_keys_record, spot, "spot", REQUIRED, &api_key_shape, "Keys that sign on spot."),
    FIELD_LIST(struct user_keys_record, perps, "perps", REQUIRED, &api_key_shape,
               "Keys that sign on perps; the same ones."),
};
SHAPE(user_keys_shape, struct user_keys_record, "UserAPIKeys", user_keys_fields, NULL, "All API keys of a user.");

#define QUOTA(member, key, doc) FIELD(struct quota_record, member, key, REQUIRED, doc)
static const struct field quota_fields[] = {
    QUOTA(user_id, "userID", "User id; 0 when the address has none."),
    QUOTA(transactions, "cumulativeTxNum", "Writes of the user that became transactions, cancels among them."),
    QUOTA(cancels, "cumulativeCancelNum", "Cancel requests among them."),
    QUOTA(volume, "cumulativeVolume", "Traded value in vUSDC, as maker and as taker."),
    QUOTA(transaction_quota, "transactionQuota",
          "No quota is enforced: the largest number that every client reads exactly."),
    QUOTA(transaction_used, "transactionQuotaUsed", "cumulativeTxNum."),
    QUOTA(transaction_left, "transactionQuotaRemaining", "What is left of it."),
    QUOTA(transaction_overridden, "transactionQuotaOverridden", "Always true."),
    QUOTA(cancel_quota, "cancelQuota", "As transactionQuota."),
    QUOTA(cancel_used, "cancelQuotaUsed", "cumulativeCancelNum."),
    QUOTA(cancel_left, "cancelQuotaRemaining", "What is left of it."),
};
SHAPE(quota_shape, struct quota_record, "UserTransactionQuota", quota_fields, NULL, "What a user did so far.");

static const struct field transfer_fields[] = {
    FIELD(struct transfer_record, id, "id", REQUIRED, "The request's id."),
};
SHAPE(transfer_shape, struct transfer_record, "TransferResult", transfer_fields, NULL,
      "A transfer that was carried out.");

static const struct field leverage_fields[] = {
    FIELD(struct leverage_record, symbol, "symbol", REQUIRED, "Symbol."),
    FIELD(struct leverage_record, symbol_id, "symbolID", REQUIRED, "Number of the symbol."),
    FIELD(struct leverage_record, leverage, "leverage", REQUIRED, "Leverage from now on."),
    FIELD_ENUM(struct leverage_record, margin_mode, "marginMode", REQUIRED, 0, margin_mode_names, "CROSS or ISOLATED."),
};
SHAPE(leverage_shape, struct leverage_record, "LeverageResult", leverage_fields, NULL,
      "Leverage and margin mode of an account on a symbol, as they are now.");

/* ---- errors and results ---- */

#define DETAIL(member, key, doc) FIELD(struct details_record, member, key, OPTIONAL, doc)
static const struct field details_fields[] = {
    DETAIL(rule, "rule", "The rule that was not met."),
    DETAIL(field, "field",
           "The key, parameter or header at fault; `orders` for a number of orders, `notional` for a value."),
    DETAIL(got, "got",
           "What came; of 42001 and 42002 what there is, and of a margin that is added or removed what was asked for."),
    DETAIL(need, "need",
           "The value required. Of 42028 the condition that the account waits for: mode RUN, or its symbol TRADING, "
           "LIVE, LIVE with no "
           "price held back, or without a position."),
    DETAIL(reason, "reason", "Why a nonce was refused: malformed, used, too small, too old, too far ahead."),
    DETAIL(server_time, "serverTime", "Engine time that decided, ms."),
    DETAIL(nonce, "nonce", "Signed writes: \"not used\" when the nonce can be sent again."),
    DETAIL(hash, "hash", "Nonce used by the same payload: hash of the transaction it became."),
    DETAIL(block, "block", "Its block."),
    DETAIL(index, "index", "Its index in the block."),
    DETAIL(cause, "cause", "Development mode: what most likely went wrong with the signature."),
    DETAIL(hashed, "hashed", "Development mode: the text that was hashed."),
    DETAIL(digest, "digest", "Development mode: the digest made from it."),
    DETAIL(chain_id, "chainID", "Development mode: the chain id in the digest."),
    DETAIL(recovered, "recovered", "Development mode: the address that signed this digest."),
};
SHAPE(details_shape, struct details_record, "Details", details_fields, NULL,
      "What exactly went wrong; only keys that apply are there.");

static const struct field rate_limit_fields[] = {
    FIELD(struct rate_limit_record, limit, "limit", REQUIRED, "Units, orders, requests or connections of the window."),
    FIELD(struct rate_limit_record, window, "window", REQUIRED,
          "1m, 1M for a calendar month, 0s for what is open at once."),
    FIELD(struct rate_limit_record, retry_after, "retry_after", REQUIRED,
          "Seconds until there is room again, at least 1."),
};
SHAPE(rate_limit_shape, struct rate_limit_record, "RateLimit", rate_limit_fields, NULL, "Which limit was reached.");

static const struct field result_fields[] = {
    FIELD(struct result_record, code, "code", REQUIRED, "0 = done."),
    FIELD(struct result_record, client_id, "clOrdID", REQUIRED, "The item's clOrdID."),
    FIELD(struct result_record, error, "error", OPTIONAL, "Text, only when code is not 0."),
    FIELD(struct result_record, order_id, "orderID", OPTIONAL, "The order, only when code is 0."),
    FIELD(struct result_record, orig_client_id, "origClOrdID", OPTIONAL, "Cancels: the order's own clOrdID."),
    FIELD_ENUM(struct result_record, status, "status", OPTIONAL, 0, order_status_names,
               "Status of the order after the item."),
    FIELD(struct result_record, message, "message", OPTIONAL, "The same text as error."),
    FIELD_OBJECT(struct result_record, details, "details", OPTIONAL, &details_shape, "What exactly went wrong."),
    FIELD(struct result_record, warning, "warning", OPTIONAL,
          "The item was accepted, but: STOP_BEYOND_LIQUIDATION = at the present figures the position is liquidated "
          "before this stop-loss triggers."),
};
SHAPE(result_shape, struct result_record, "OrderResult", result_fields, NULL, "What became of one item of a batch.");

/* ---- the process ---- */

static const struct field health_fields[] = {
    FIELD(struct health_record, status, "status", REQUIRED, "\"ok\"."),
};
SHAPE(health_shape, struct health_record, "Health", health_fields, NULL, "");

static const struct field ready_fields[] = {
    FIELD(struct ready_record, status, "status", REQUIRED, "\"ok\"."),
    FIELD(struct ready_record, node, "node", OPTIONAL, "Of several nodes with one log: the name of this one."),
    FIELD(struct ready_record, role, "role", OPTIONAL, "leader, leading (about to) or follower."),
    FIELD(struct ready_record, term, "term", OPTIONAL, "Number of the leadership that this node knows."),
    FIELD(struct ready_record, sequence, "sequence", OPTIONAL, "Number of the last command that this node shows."),
    FIELD(struct ready_record, block, "block", OPTIONAL, "Number of the last block that it shows."),
    FIELD(struct ready_record, lag, "lag", OPTIONAL, "Commands by which it is behind what the leader last told."),
    FIELD(struct ready_record, lease_ms, "leaseMs", OPTIONAL,
          "Remaining time of the leader's lease; 0 = no node leads."),
    FIELD(struct ready_record, leader, "leader", OPTIONAL, "URL of the node that leads."),
    FIELD(struct ready_record, hash_block, "hashBlock", OPTIONAL,
          "The last block at which nodes compare their states."),
    FIELD(struct ready_record, state_hash, "stateHash", OPTIONAL, "Hash of the state behind that block."),
};
SHAPE(ready_shape, struct ready_record, "Ready", ready_fields, NULL, "");

static const struct field version_fields[] = {
    FIELD(struct version_record, name, "name", REQUIRED, "\"dojima\"."),
    FIELD(struct version_record, version, "version", REQUIRED, "Version of the program."),
    FIELD(struct version_record, chain_id, "chainID", REQUIRED, "The chain id to sign for."),
};
SHAPE(version_shape, struct version_record, "Version", version_fields, NULL, "");
