/* SPDX-License-Identifier: MIT */
/*
 * endpoints.c — the interface, one row per endpoint. The router, the writer of the API page and the
 * tests read these rows; a read has one small function, a write has none: its shape makes the command
 * and the command's results make the reply.
 */
#include "api/page.h"
#include "api/rpc.h"

/* BASE is SPOT, PERPS, BOTH, GATEWAY or NONE: which bases serve the row. */
#define READ(BASE, PATH, WEIGHT_KIND, WEIGHT, DEFAULT, MAX, TAKES, GIVES, LIST, ANSWER, DOC)                   \
    { .method = HTTP_GET, .bases = BASES_##BASE, .weight_kind = WEIGHT_KIND, .weight = WEIGHT, .gives_list = LIST,      \
      .limit_default = DEFAULT, .limit_max = MAX, .path = PATH, .takes = TAKES, .gives = &GIVES,               \
      .answer = ANSWER, .name = "GET " PATH, .doc = DOC }
#define WRITE(BASE, METHOD, PATH, KIND, WEIGHT, COMMAND, TYPE, TAKES, GIVES, REDUCES, DOC)                           \
    { .method = HTTP_##METHOD, .bases = BASES_##BASE, .weight_kind = KIND, .weight = WEIGHT, .command = COMMAND,   \
      .gives_list = true, .reduces = REDUCES, .path = PATH, .takes = &TAKES, .gives = GIVES, .type = TYPE,     \
      .name = #METHOD " " PATH, .doc = DOC }
/* A signed write without items. */
#define ACT(BASE, METHOD, PATH, WEIGHT, COMMAND, TYPE, PROOF, TAKES, GIVES, REDUCES, DOC)                                 \
    { .method = HTTP_##METHOD, .bases = BASES_##BASE, .weight = WEIGHT, .command = COMMAND, .proof = PROOF_##PROOF, \
      .reduces = REDUCES, .path = PATH, .takes = &TAKES, .gives = GIVES, .type = TYPE, .name = #METHOD " " PATH, .doc = DOC }

/* What is for people and their tools: no envelope. */
#define PAGE(PATH, TYPE, ANSWER, DOC)                                                                                     \
    { .method = HTTP_GET, .bases = BASES_NONE, .weight = WEIGHT_UNLISTED, .path = PATH, .answer = ANSWER, .name = "GET " PATH, \
      .doc = DOC, .content_type = TYPE }

#define PERPS_KLINES_MAX 1000       /* service 4.4 */

const struct endpoint endpoints[] = {
    READ(SPOT, "/markets/symbols", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, spot_symbol_shape, true,
         answer_symbols, "Listed symbols, all or one by name."),
    READ(SPOT, "/markets/coins", WEIGHT_FIXED, 2, 0, 0, &coin_query_shape, spot_coin_shape, true,
         answer_coins, "Listed coins, all or one by name."),
    READ(BOTH, "/markets/{symbol}/orderbook", WEIGHT_BOOK, 5, 10, BOOK_LIMIT_MAX, &book_query_shape, order_book_shape, false,
         answer_order_book, "The best levels of a symbol's book."),
    READ(SPOT, "/markets/tickers", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, spot_ticker_shape, true,
         answer_tickers, "Statistics of the last 24 hours and the best prices, of all symbols or one."),
    READ(BOTH, "/markets/miniTickers", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, mini_ticker_shape, true,
         answer_mini_tickers, "Statistics of the last 24 hours in few keys, of all symbols or one."),
    READ(BOTH, "/markets/bookTickers", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, book_ticker_shape, true,
         answer_book_tickers, "The best level of each side, of all symbols or one."),
    READ(SPOT, "/markets/{symbol}/klines", WEIGHT_FIXED, 20, 500, HISTORY_BARS_MAX, &kline_query_shape, kline_shape, true,
         answer_klines, "Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the close."),
    READ(BOTH, "/markets/{symbol}/trades", WEIGHT_FIXED, 20, 50, VIEW_TRADES_MAX, &trades_query_shape, trade_shape, true,
         answer_trades, "The newest trades of a symbol, newest first."),

    READ(PERPS, "/markets/symbols", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, perps_symbol_shape, true,
         answer_perps_symbols, "Listed contracts, all or one by name."),
    READ(PERPS, "/markets/tickers", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, perps_ticker_shape, true,
         answer_tickers, "Statistics of the last 24 hours, the best prices, index, mark and funding, of all symbols or one."),
    READ(PERPS, "/markets/mark-prices", WEIGHT_FIXED, 2, 0, 0, &symbol_query_shape, mark_price_shape, true,
         answer_mark_prices, "Index and mark price, funding and open interest, of all symbols or one."),
    READ(PERPS, "/markets/index-composition", WEIGHT_FIXED, 20, 0, 0, &symbol_query_shape, composition_shape, true,
         answer_index_composition, "What index and mark are made of: sources, weights, ages, states and what is held back, of all symbols or one."),
    READ(PERPS, "/liquidations", WEIGHT_ROWS, 20, 50, RECEIPTS_SHOWN_MAX, &receipts_query_shape, receipt_shape, true,
         answer_liquidations, "Receipts of liquidations, newest first: every stage with everything it was decided by."),
    READ(PERPS, "/liquidations/ranking", WEIGHT_ROWS, 20, 100, RANKS_SHOWN_MAX, &ranking_query_shape, ranked_shape, true,
         answer_liquidation_ranking, "The whole ranking that an ADL used, best first: who was asked, in which group, and the shares."),
    READ(PERPS, "/insurance-fund", WEIGHT_FIXED, 20, 0, 0, NULL, fund_shape, false,
         answer_insurance_fund, "The insurance fund: balance, inventory, limits, what of the day's budget is used, and the last 30 days."),
    READ(PERPS, "/markets/{symbol}/klines", WEIGHT_FIXED, 20, 500, PERPS_KLINES_MAX, &perps_kline_query_shape, kline_shape, true,
         answer_klines, "Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the close."),
    READ(PERPS, "/markets/coins", WEIGHT_FIXED, 2, 0, 0, &coin_query_shape, perps_coin_shape, true,
         answer_perps_coins, "Listed coins as collateral, all or one by name."),

    READ(SPOT, "/accounts/{userAddress}/balances", WEIGHT_FIXED, 5, 0, 0, &account_query_shape, balances_shape, false,
         answer_balances, "Balances of every coin the account ever held."),
    READ(SPOT, "/accounts/{userAddress}/orders", WEIGHT_FIXED, 5, ORDERS_SHOWN_MAX, ORDERS_SHOWN_MAX, &open_orders_query_shape, open_orders_shape, false,
         answer_open_orders, "Open orders, newest first."),
    READ(SPOT, "/accounts/{userAddress}/state", WEIGHT_FIXED, 5, 0, 0, &account_query_shape, state_shape, false,
         answer_state, "Ids, balances and open orders of one instant."),
    READ(PERPS, "/accounts/{userAddress}/balances", WEIGHT_FIXED, 5, 0, 0, &account_query_shape, perps_balances_shape, false,
         answer_perps_balances, "Balances of every coin the perps wallet ever held."),
    READ(PERPS, "/accounts/{userAddress}/orders", WEIGHT_FIXED, 5, ORDERS_SHOWN_MAX, ORDERS_SHOWN_MAX, &open_orders_query_shape, perps_open_orders_shape, false,
         answer_perps_orders, "Open orders and stops that wait, newest first."),
    READ(PERPS, "/accounts/{userAddress}/positions", WEIGHT_FIXED, 5, PERPS_MAX, PERPS_MAX, &open_orders_query_shape, open_positions_shape, false,
         answer_positions, "Open positions, newest first, of all symbols or one."),
    READ(PERPS, "/accounts/{userAddress}/state", WEIGHT_FIXED, 5, 0, 0, &account_query_shape, perps_state_shape, false,
         answer_perps_state, "Ids, margins, balances, open orders and positions of one instant."),
    READ(BOTH, "/accounts/{userAddress}/api-keys", WEIGHT_FIXED, 5, 0, 0, &account_name_query_shape, api_key_shape, true,
         answer_api_keys, "API keys of the account, oldest first, all or one by name; they sign on both bases."),
    READ(BOTH, "/accounts/{userAddress}/fee-rate", WEIGHT_FIXED, 2, 0, 0, &account_symbol_query_shape, fee_rate_shape, false,
         answer_fee_rate, "Fee rates of the user; with a symbol, those that hold there."),
    READ(SPOT, "/accounts/{userAddress}/orders/history", WEIGHT_ROWS, 20, 50, 500, &orders_history_query_shape, order_shape, true,
         answer_orders_history, "Orders that ended, by the time of their end, newest first."),
    READ(PERPS, "/accounts/{userAddress}/orders/history", WEIGHT_ROWS, 20, 50, 500, &orders_history_query_shape, perps_order_record_shape, true,
         answer_perps_orders_history, "Orders that ended, by the time of their end, newest first."),
    READ(PERPS, "/accounts/{userAddress}/positions/history", WEIGHT_ROWS, 20, 50, 500, &positions_history_query_shape, position_shape, true,
         answer_positions_history, "Positions that were closed, by the time of their end, newest first."),
    READ(PERPS, "/accounts/{userAddress}/fundings", WEIGHT_ROWS, 20, 100, HISTORY_LIMIT_MAX, &fundings_query_shape, funding_shape, true,
         answer_fundings, "What positions paid (above 0) or got (below 0) at each hour, newest first."),
    READ(PERPS, "/accounts/{userAddress}/liquidations", WEIGHT_ROWS, 20, 50, RECEIPTS_SHOWN_MAX, &own_receipts_query_shape, own_receipt_shape, true,
         answer_account_liquidations, "Receipts of liquidations that the account was in, newest first: its own, and those in which it was deleveraged."),
    READ(BOTH, "/accounts/{userAddress}/trades", WEIGHT_ROWS, 20, 100, HISTORY_LIMIT_MAX, &account_trades_query_shape, user_trade_shape, true,
         answer_account_trades, "Trades of the account, newest first."),

    WRITE(SPOT, POST, "/trade/orders/batch", WEIGHT_BATCH, 1, CMD_PLACE_ORDERS, "batchNewOrder", place_orders_shape, &result_shape, false,
          "Places 1 to 100 orders as one uninterrupted unit; each succeeds or fails alone."),
    WRITE(SPOT, DELETE, "/trade/orders/batch", WEIGHT_BATCH, 1, CMD_CANCEL_ORDERS, "batchCancelOrder", cancel_orders_shape, &result_shape, true,
          "Cancels 1 to 100 open orders."),
    WRITE(PERPS, POST, "/trade/orders", WEIGHT_BATCH, 1, CMD_PLACE_PERPS, "newOrder", place_perps_shape, &result_shape, false,
          "Places 1 to 100 orders in one symbol as one uninterrupted unit, each of which succeeds or fails alone; or an order with TP/SL, all or nothing."),
    WRITE(PERPS, DELETE, "/trade/orders", WEIGHT_BATCH, 1, CMD_CANCEL_PERPS, "cancelOrder", cancel_perps_shape, &result_shape, true,
          "Cancels 1 to 100 open orders, TP/SL orders included."),
    WRITE(BOTH, POST, "/trade/orders/replace", WEIGHT_BATCH, 1, CMD_REPLACE_ORDERS, "replaceOrder", replace_orders_shape, &result_shape, false,
          "Changes price or quantity of 1 to 100 open limit orders; they keep their orderID."),
    ACT(PERPS, POST, "/trade/orders/modify", 1, CMD_MODIFY_ORDER, "modifyOrder", ACTION, modify_order_shape, NULL, false,
        "Changes price, quantity or stop price of a TP/SL order that has not triggered."),
    ACT(BOTH, POST, "/trade/orders/schedule-cancel", 1, CMD_SCHEDULE_CANCEL, "scheduleCancel", ACTION, schedule_cancel_shape, NULL, true,
        "Cancels all open orders of the base at a time to come, or, without scheduledTimestamp, takes that back."),
    ACT(PERPS, POST, "/trade/leverage", 1, CMD_UPDATE_LEVERAGE, "updateLeverage", ACTION, update_leverage_shape, &leverage_shape, false,
        "Sets leverage and margin mode of a symbol in which the account has neither orders nor a position."),
    ACT(PERPS, POST, "/trade/margin", 1, CMD_UPDATE_MARGIN, "updateMargin", ACTION, update_margin_shape, NULL, false,
        "Adds margin to an isolated position, or takes some out."),

    ACT(BOTH, POST, "/accounts/transfers", 10, CMD_TRANSFER, "transferAsset", ACTION, transfer_asset_shape, &transfer_shape, false,
        "Moves money of an account: from spot to perps or to the EVM ledger of its owner, from perps to spot."),
    ACT(BOTH, POST, "/accounts/api-keys", 20, CMD_ADD_KEY, "addAPIKey", GRANT, add_key_shape, NULL, false,
        "Registers an API key for both bases."),
    ACT(BOTH, DELETE, "/accounts/api-keys", 20, CMD_REVOKE_KEY, "revokeAPIKey", REVOCATION, revoke_key_shape, NULL, true,
        "Revokes an API key on both bases; its resting orders stay."),
    ACT(GATEWAY, POST, "/oracle", WEIGHT_UNLISTED, CMD_ORACLE_POST, "oraclePrices", ORACLE, oracle_request_shape, NULL, true,
        "Index prices of a registered feeder; they count from the next second on."),
    ACT(GATEWAY, POST, "/user/{userAddress}/api-keys", 20, CMD_ADD_KEY, "addAPIKey", GRANT, add_key_shape, NULL, false,
        "Registers an API key for both bases; the address in the path is the owner's."),
    ACT(GATEWAY, DELETE, "/user/{userAddress}/api-keys", 20, CMD_REVOKE_KEY, "revokeAPIKey", REVOCATION, revoke_key_shape, NULL, true,
        "Revokes an API key on both bases; the address in the path is the owner's."),

    READ(GATEWAY, "/time", WEIGHT_FIXED, 20, 0, 0, NULL, server_time_shape, false, answer_time, "Engine time."),
    READ(GATEWAY, "/status", WEIGHT_FIXED, 20, 0, 0, NULL, status_text_shape, false, answer_status, "The exchange answers."),
    READ(GATEWAY, "/user/{userAddress}/status", WEIGHT_FIXED, 20, 0, 0, NULL, user_status_shape, false,
         answer_user_status, "Whether the address is a user."),
    READ(GATEWAY, "/user/{userAddress}/subaccounts", WEIGHT_FIXED, 20, 0, 0, NULL, subaccounts_shape, false,
         answer_subaccounts, "Accounts of the user."),
    READ(GATEWAY, "/user/{userAddress}/api-keys", WEIGHT_FIXED, 20, 0, 0, &user_keys_query_shape, user_keys_shape, false,
         answer_user_keys, "API keys of all accounts of the user or of one, all or one by name."),
    READ(GATEWAY, "/user/{userAddress}/fee-rate", WEIGHT_FIXED, 20, 0, 0, &market_symbol_query_shape, fee_rate_shape, false,
         answer_user_fee_rate, "Fee rates of the user on a market; with a symbol, those that hold there."),
    READ(GATEWAY, "/user/{userAddress}/ratelimit", WEIGHT_FIXED, 20, 0, 0, NULL, quota_shape, false,
         answer_quota, "What the user did so far, and that no quota limits it."),

    { .method = HTTP_POST, .bases = BASES_NONE, .weight_kind = WEIGHT_CALLS, .weight = RPC_WEIGHT, .path = "/rpc",
      .answer = answer_rpc, .name = "POST /rpc", .doc = "The chain node: JSON-RPC 2.0, single calls and batches of at most 100." },

    { .method = HTTP_GET, .bases = BASES_NONE, .weight = WEIGHT_UNLISTED, .path = "/ws/spot", .answer = answer_stream, .name = "GET /ws/spot",
      .doc = "Streams of the spot market and its accounts: a WebSocket. An ordinary request is answered with status 426.", .content_type = "application/json" },
    { .method = HTTP_GET, .bases = BASES_NONE, .weight = WEIGHT_UNLISTED, .path = "/ws/perps", .answer = answer_stream, .name = "GET /ws/perps",
      .doc = "Streams of the perps market and its accounts: a WebSocket. An ordinary request is answered with status 426.", .content_type = "application/json" },

    READ(NONE, "/healthz", WEIGHT_FIXED, 0, 0, 0, NULL, health_shape, false, answer_health, "The process answers."),
    READ(NONE, "/readyz", WEIGHT_FIXED, 0, 0, 0, NULL, health_shape, false, answer_ready,
         "Replay is finished and the log is healthy; else status 503."),
    READ(NONE, "/version", WEIGHT_FIXED, 0, 0, 0, NULL, version_shape, false, answer_version, "Which program this is."),
    { .method = HTTP_GET, .bases = BASES_NONE, .weight = 0, .path = "/metrics", .answer = answer_metrics, .name = "GET /metrics",
      .doc = "Numbers for Prometheus, each with a sentence (docs/METRICS.md); for the addresses of the setting metrics.", .content_type = "text/plain" },

    PAGE("/openapi.json", "application/json", answer_openapi, "This contract as OpenAPI 3.1."),
    PAGE("/", "text/plain", answer_root, "Where a browser goes on: status 302 to /docs, with a line that says what this is."),
    PAGE("/docs", "text/html", answer_page, "The contract as a page that can send every request, signed ones too."),
    PAGE("/docs/page.mjs", "text/javascript", answer_page_script, "Draws the page."),
    PAGE("/docs/sign.mjs", "text/javascript", answer_page_signer, "Signs for it; a module that others may import."),
    PAGE("/docs/style.css", "text/css", answer_page_style, "How the page looks."),
    PAGE("/docs/settings.json", "application/json", answer_page_settings, "Chain ids; in development the accounts whose keys are public."),
};
const uint32_t endpoint_count = ARRAY_COUNT(endpoints);

const struct elsewhere elsewheres[] = {
    { BASE_SPOT, "/trade/orders", "path not found: single orders are not offered, send a batch of one to /api/v1/spot/trade/orders/batch" },
    { BASE_SPOT, "/trade/twaps", "path not found: TWAP orders are not offered, place orders with POST /api/v1/spot/trade/orders/batch" },
    { BASE_PERPS, "/trade/orders/batch", "path not found: orders of the perps base are placed and canceled at /api/v1/perps/trade/orders" },
    { BASE_PERPS, "/trade/twaps", "path not found: TWAP orders are not offered, place orders with POST /api/v1/perps/trade/orders" },
    { BASE_PERPS, "/trade/collateral", "path not found: collateral other than vUSDC is not offered" },
    { BASE_GATEWAY, "/user/{userAddress}/builders", "path not found: builder fees are not offered, leave `builder` out of requests" },
    { BASE_GATEWAY, "/user/{userAddress}/deposit-address", "path not found: deposits from other chains are not offered, the operator funds accounts" },
    { BASE_GATEWAY, "/user/{userAddress}/deposit-withdrawals", "path not found: custody is not offered, balances are read with GET /api/v1/spot/accounts/{userAddress}/balances" },
    { BASE_GATEWAY, "/user/{userAddress}/evm-withdraw", "path not found: custody withdrawals are not offered, the operator redeems" },
    { BASE_GATEWAY, "/user/{userAddress}/api-key-eligibility", "path not found: every address with an account is eligible" },
    { BASE_GATEWAY, "/user/deposit/status", "path not found: deposits from other chains are not offered, the operator funds accounts" },
    { BASE_GATEWAY, "/user/withdraw/status", "path not found: custody withdrawals are not offered, the operator redeems" },
    { BASE_GATEWAY, "/user/funding-history", "path not found: what positions paid is read with GET /api/v1/perps/accounts/{userAddress}/fundings" },
    { BASE_PERPS, "/accounts/{userAddress}/funding-history", "path not found: what positions paid is read with GET /api/v1/perps/accounts/{userAddress}/fundings" },
    { BASE_GATEWAY, "/announcements", "path not found: there are no announcements, see GET /version" },
    { BASE_GATEWAY, "/asset/config", "path not found: custody is not offered, coins are listed by GET /api/v1/spot/markets/coins" },
};
const uint32_t elsewhere_count = ARRAY_COUNT(elsewheres);

const char *api_endpoint_name(const struct endpoint *endpoint)
{
    return endpoint != NULL ? endpoint->name : "none";
}
