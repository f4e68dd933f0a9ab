/* SPDX-License-Identifier: MIT */
/*
 * rejects.h — every refusal, one row each (rulings 1, 2, 34; mechanics 5.3).
 *
 * Several rows may share a code: the code is the contract with clients; the row says exactly which check failed. Codes
 * are never re-used. Business rejections are HTTP 200 (ruling 1).
 *
 *   X(name, code, HTTP status, text, field, rule)
 *
 * `text` is the `error` of the answer (texts of wire 4.4 where they match), `field` the wire key at fault ("" when
 * there is none or the reader names it), `rule` the sentence in `details.rule`.
 */
#ifndef MODEL_REJECTS_H
#define MODEL_REJECTS_H

#include "model/enums.h"

/* clang-format off */
#define REJECTS(X) \
/* transport: the HTTP status repeats it, and the connection usually closes */ \
X(BAD_HTTP,            40090, 400, "malformed HTTP request", "", "RFC 9112 grammar, nothing ambiguous") \
X(PATH_NOT_FOUND,      40490, 404, "path not found", "", "a path of this interface") \
X(METHOD_NOT_ALLOWED,  40590, 405, "method not allowed", "", "a method of the Allow header") \
X(REQUEST_TIMEOUT, 40890, 408, "request took too long", "", "headers within 5 s, body within 10 s of the first byte") \
X(BODY_TOO_LARGE,      41390, 413, "body too large", "", "at most 131072 bytes") \
X(URI_TOO_LONG,        41490, 414, "request line too long", "", "at most 4096 bytes") \
X(HEADERS_TOO_LARGE,   43190, 431, "headers too large", "", "at most 16384 bytes and 64 lines") \
X(BAD_ORIGIN,          40390, 403, "origin is not allowed", "Origin", "null, or a scheme, a host and perhaps a port") \
X(UPGRADE_REQUIRED,    42690, 426, "this path is a WebSocket", "Upgrade", "a WebSocket handshake, version 13") \
X(BUSY, 50301, 503, "server is busy, the request was not executed", "", "room in the queue before the log") \
X(INTERNAL,            50001, 200, "internal error", "", "") \
/* rules of the payload alone (ruling 33) */ \
X(BAD_JSON,            40001, 200, "invalid request", "", "one JSON object, strictly RFC 8259") \
X(DUPLICATE_KEY,       40001, 200, "invalid request", "", "each key at most once") \
X(UNKNOWN_FIELD,       40001, 200, "invalid request", "", "only the documented keys") \
X(MISSING_FIELD,       40001, 200, "invalid request", "", "every required key") \
X(WRONG_TYPE,          40001, 200, "invalid request", "", "the documented JSON type") \
X(NUMBER_RANGE,        40001, 200, "invalid request", "", "a whole number within the range of its type") \
X(ENUM_RANGE,          40001, 200, "invalid request", "", "one of the enum's integers") \
X(BAD_DECIMAL,         40001, 200, "invalid request", "", "a decimal string in plain notation") \
X(DECIMAL_LENGTH,      40001, 200, "invalid request", "", "at most 18 significant digits and 18 decimals") \
X(NOT_POSITIVE,        40001, 200, "invalid request", "", "more than zero") \
X(SIGNED_PAYLOAD, 40001, 200, "invalid request", "", \
    "the params object alone, without the signed {type, params} around it") \
X(BAD_ADDRESS,         40001, 200, "invalid address", "userAddress", "0x and 40 hex digits") \
X(BAD_PARAMETER,       40001, 200, "invalid parameter", "", "the documented type") \
X(REPEATED_PARAMETER,  40001, 200, "invalid parameter", "", "each query parameter at most once") \
X(BAD_LIMIT,           40001, 200, "invalid parameter", "limit", "a whole number from 1 to 4294967295") \
X(BAD_CONTENT_TYPE,    40001, 200, "invalid request", "Content-Type", "application/json, or none") \
X(FIELD_COMBINATION,   40002, 200, "invalid combination of fields", "", "") \
X(LIMIT_NEEDS_PRICE, 40002, 200, "invalid combination of fields", "price", \
    "a limit order gives price and quantity (spot place rule 3)") \
X(LIMIT_NEEDS_QUANTITY, 40002, 200, "invalid combination of fields", "quantity", \
    "a limit order gives price and quantity (spot place rule 3)") \
X(LIMIT_WITH_FUNDS, 40002, 200, "invalid combination of fields", "funds", \
    "a limit order sends no funds (spot place rule 3)") \
X(MARKET_NEEDS_IOC, 40002, 200, "invalid combination of fields", "timeInForce", \
    "a market order is IOC (spot place rule 4)") \
X(MARKET_AMOUNT, 40002, 200, "invalid combination of fields", "quantity", \
    "a market order gives exactly one of quantity and funds (spot place rule 4)") \
X(MARKET_SELL_FUNDS, 40002, 200, "invalid combination of fields", "funds", \
    "funds is for market buys only (spot place rule 4)") \
X(CANCEL_ONE_TARGET, 40002, 200, "invalid combination of fields", "orderID", \
    "at most one of orderID and origClOrdID (ruling 56)") \
X(REPLACE_ONE_TARGET, 40002, 200, "invalid combination of fields", "origOrderID", \
    "exactly one of origOrderID and origClOrdID (spot replace rule 3)") \
X(REPLACE_NOTHING, 40002, 200, "invalid combination of fields", "price", \
    "at least one of price and quantity (spot replace rule 4)") \
X(PERPS_TARGET, 40002, 200, "invalid combination of fields", "orderID", \
    "exactly one of orderID and clOrdID (perps cancel, modify)") \
X(MODIFY_NOTHING, 40002, 200, "invalid combination of fields", "stopPrice", \
    "at least one of price, quantity and stopPrice (perps modify)") \
X(STOP_FIELDS, 40002, 200, "invalid combination of fields", "stopPrice", \
    "stopPrice, stopType and triggerType, all of them with a STOP or ATTACHED_STOP and none otherwise") \
X(STOP_QUANTITY, 40002, 200, "invalid combination of fields", "quantity", \
    "quantity, unless the stop closes the whole position (perps place rule 6)") \
X(STOP_FUNDS, 40002, 200, "invalid combination of fields", "funds", "quantity instead of funds for a TP/SL order") \
X(MARGIN_AMOUNT, 40001, 200, "invalid request", "amount", "not zero, with at most as many decimals as vUSDC has") \
X(BRACKET_SHAPE, 40002, 200, "invalid bracket", "modifier", \
    "a BRACKET and one or two ATTACHED_STOPs, nothing else (perps place rule 4)") \
X(BRACKET_REDUCES, 40002, 200, "invalid bracket", "reduceOnly", \
    "false for the BRACKET, whose side and positionSide do not say otherwise, and true for its ATTACHED_STOPs " \
    "(perps place rule 4)") \
X(BRACKET_SIDES, 40002, 200, "invalid bracket", "side", \
    "ATTACHED_STOPs on the other side of the BRACKET (mechanics 4.3)") \
X(BRACKET_STOPS, 40002, 200, "invalid bracket", "stopType", \
    "exactly one TAKE_PROFIT and at most one STOP_LOSS (perps place rule 4)") \
X(ATTACHED_ALONE, 40002, 200, "invalid combination of fields", "modifier", \
    "an ATTACHED_STOP only behind a BRACKET (ruling 60)") \
X(BATCH_SIZE,          40003, 200, "batch size is invalid", "", "1 to 100 items") \
X(BAD_CLIENT_ID,       40004, 200, "clOrdID is invalid", "clOrdID", "matches ^[0-9a-zA-Z_-]{1,36}$") \
X(NOT_SUPPORTED,       40005, 200, "not supported", "", "") \
X(BAD_INTERVAL,        40006, 200, "invalid interval", "interval", "") \
X(BAD_TIME_RANGE,      40007, 200, "invalid time range", "startTime", "startTime is not after endTime") \
/* authentication and rights (rulings 6 to 9, 30, 35) */ \
X(BAD_SIGNATURE, 40101, 200, "X-API-Sign is invalid", "X-API-Sign", "an EIP-712 signature of the account's wallet") \
X(BAD_NONCE, 40102, 200, "nonce is invalid", "X-API-Nonce", \
    "unused, above the smallest stored one, within (T - 2 d, T + 1 d)") \
X(UNKNOWN_KEY,         40103, 200, "unknown API key", "X-API-Key", "the name of a registered key, not an address") \
X(KEY_EXPIRED,         40104, 200, "API key has expired", "X-API-Key", "expiresAt in the future, or 0") \
X(PERMISSION_DENIED,   40105, 200, "API key may not do this", "X-API-Key", "the key's permissions") \
X(NOT_A_FEEDER,        40101, 200, "X-API-Sign is invalid", "X-API-Sign", "a registered feeder's signature") \
X(ORACLE_SEQ,          40102, 200, "seq is invalid", "seq", "a seq above the feeder's last one") \
X(ORACLE_TIME, 40102, 200, "timestamp is invalid", "timestamp", "within 30 s before and 5 s after the server's time") \
/* not found */ \
X(SYMBOL_NOT_FOUND,    40401, 200, "symbol not found", "symbolID", "a symbol of this market") \
X(ORDER_NOT_FOUND,     40402, 200, "order not found", "orderID", "an open order of this account") \
X(ACCOUNT_NOT_FOUND,   40403, 200, "account not found", "accountID", "an account of this address") \
X(COIN_NOT_FOUND,      40404, 200, "coin not found", "coinID", "a listed coin") \
X(KEY_NOT_FOUND,       40405, 200, "API key not found", "name", "a registered key of this account") \
/* conflicts with the present state */ \
X(DUPLICATE_CLIENT_ID, 40901, 200, "clOrdID is already in use", "clOrdID", \
    "unique among the account's open orders (spot place rule 2)") \
X(NOT_REPLACEABLE, 40902, 200, "order cannot be replaced", "origOrderID", \
    "an open limit GTC or GTX order (spot replace rule 2)") \
X(BELOW_EXECUTED, 40903, 200, "quantity is not above the executed quantity", "quantity", \
    "more than executedQty (mechanics 2.8)") \
X(TRANSFER_CONFLICT, 40904, 200, "transfer id was used for another transfer", "id", "a new id, or the same transfer") \
X(ALREADY_TRIGGERED,   40905, 200, "order has already triggered", "orderID", "an armed TP/SL order") \
X(TRANSFER_TOO_OLD,    40906, 200, "transfer id is too old", "id", "above the smallest id that is kept") \
X(KEY_EXISTS,          40907, 200, "API key name is taken", "name", "a new name") \
X(KEY_ADDRESS_TAKEN, 40907, 200, "public key is taken", "publicKey", \
    "an address that is nobody's wallet and no other key") \
/* rules of trading */ \
X(INSUFFICIENT_BALANCE, 42001, 200, "insufficient balance", "quantity", \
    "enough available balance; for an order in its worst case") \
X(ORDER_MARGIN, 42002, 200, "insufficient margin", "quantity", \
    "margin for the worst case of the account's orders (mechanics 3.4)") \
X(LEVERAGE_TIER, 42003, 200, "position is too large for the leverage", "quantity", \
    "a notional within the tiers of the chosen leverage (mechanics 3.2)") \
X(OPEN_INTEREST_CAP, 42004, 200, "open interest cap reached", "quantity", \
    "room under the symbol's open interest cap (mechanics 3.7)") \
X(REDUCE_ONLY, 42005, 200, "reduce-only order would not reduce", "reduceOnly", \
    "a position on the other side (mechanics 3.6)") \
X(REDUCE_ONLY_FULL, 42006, 200, "the position is covered by reduce-only orders", "quantity", \
    "a part of the position that no better order closes (mechanics 3.6)") \
X(POST_ONLY_CROSS,     42007, 200, "post-only order would cross", "price", "GTX never takes (mechanics 2.5)") \
X(WOULD_TRIGGER, 42008, 200, "stop would trigger at once", "stopPrice", \
    "a condition that does not hold yet (mechanics 4.1)") \
X(BAD_STOP_PRICE, 42009, 200, "stop price is on the wrong side", "stopPrice", \
    "take-profit beyond and stop-loss before the parent's price (mechanics 4.3)") \
X(NO_POSITION,         42010, 200, "no position", "symbolID", "an open position in the symbol") \
X(GLOBAL_STOP_EXISTS, 42011, 200, "a global TP/SL exists", "quantity", \
    "at most one global take-profit and stop-loss per position (mechanics 4.4)") \
X(LEVERAGE_RANGE,      42029, 200, "leverage is invalid", "leverage", "1 to the symbol's maxLeverage") \
X(NOT_ISOLATED,        42030, 200, "position is not isolated", "symbolID", "a position in isolated margin mode") \
X(MARGIN_ROOM, 42002, 200, "insufficient margin", "amount", \
    "at most what is available, or what the position does not need (mechanics 3.5)") \
X(LEVERAGE_LOCKED,     42012, 200, "leverage is locked", "leverage", "no open order and no position in the symbol") \
X(SCHEDULE_LIMIT, 42013, 200, "too many scheduled cancels today", "scheduledTimestamp", \
    "at most 10 triggers per UTC day") \
X(SYMBOL_HALTED,       42014, 200, "symbol is halted", "symbolID", "status TRADING") \
X(ORACLE_STALE,        42015, 200, "index price is stale", "symbolID", "a fresh index price; closing is possible") \
X(IN_LIQUIDATION,      42016, 200, "account is in liquidation", "", "equity at or above maintenance margin") \
X(WITHDRAWALS_SUSPENDED, 42017, 200, "withdrawals are suspended", "", "an insurance fund that is not below zero") \
X(NO_REFERENCE_PRICE, 42019, 200, "symbol has no reference price", "symbolID", \
    "a last trade or a listing reference price (mechanics 2.2)") \
X(TIF_NOT_SUPPORTED, 42018, 200, "timeInForce is not supported", "timeInForce", "GTC, IOC or GTX (spot place rule 3)") \
X(KEY_LIMIT, 42020, 200, "too many API keys", "name", \
    "at most 5 live keys per owner, and 32 revocations within three days: then a later time") \
X(OPEN_ORDER_LIMIT,    42021, 200, "too many open orders", "orders", "at most 1000 open orders per account") \
X(ARMED_STOP_LIMIT,    42022, 200, "too many armed stops", "orders", "at most 100 armed stops per account") \
X(SCHEDULE_TOO_SOON, 42023, 200, "scheduled time is too soon", "scheduledTimestamp", \
    "at least 5 seconds after the current time") \
X(NOTIONAL_OVERFLOW, 42024, 200, "order value is too large", "notional", "value within 2^62 units of the quote coin") \
X(SUPPLY_LIMIT,        42025, 200, "supply limit of the coin reached", "amount", "total supply within 2^62 units") \
X(CAPACITY,            42026, 200, "the exchange is at capacity", "", "a free slot; cancels always work") \
X(MODE_FORBIDS,        42027, 200, "not possible in the current mode", "", "") \
X(PRICE_DECIMALS,      42201, 200, "price is invalid", "price", "at most pricePrecision decimals (spot place rule 5)") \
X(PRICE_TICK,          42201, 200, "price is invalid", "price", "a multiple of tickSize (spot place rule 5)") \
X(PRICE_MIN,           42201, 200, "price is invalid", "price", "at least minPrice (spot place rule 5)") \
X(PRICE_MAX,           42201, 200, "price is invalid", "price", "at most maxPrice (spot place rule 5)") \
X(QUANTITY_DECIMALS, 42202, 200, "quantity is invalid", "quantity", \
    "at most quantityPrecision decimals (spot place rule 6)") \
X(QUANTITY_STEP,       42202, 200, "quantity is invalid", "quantity", "a multiple of stepSize (spot place rule 6)") \
X(QUANTITY_MIN,        42202, 200, "quantity is invalid", "quantity", "at least minQuantity (spot place rule 6)") \
X(QUANTITY_MAX,        42202, 200, "quantity is invalid", "quantity", "at most maxQuantity (spot place rule 6)") \
X(MARKET_QUANTITY_MIN, 42203, 200, "quantity is invalid", "quantity", \
    "at least marketMinQuantity (spot place rule 7)") \
X(MARKET_QUANTITY_MAX, 42203, 200, "quantity is invalid", "quantity", "at most marketMaxQuantity (spot place rule 7)") \
X(NOTIONAL_MIN,        42204, 200, "order value is invalid", "notional", "at least minNotional (spot place rule 8)") \
X(NOTIONAL_MAX,        42204, 200, "order value is invalid", "notional", "at most maxNotional (spot place rule 8)") \
X(FUNDS_DECIMALS,      42204, 200, "funds is invalid", "funds", "at most as many decimals as the quote coin") \
X(BUY_PRICE_LIMIT, 42205, 200, "price is outside the limit band", "price", \
    "at most lastTradePrice*(1+buyLimitUpRatio) (spot place rule 9)") \
X(SELL_PRICE_LIMIT, 42205, 200, "price is outside the limit band", "price", \
    "at least lastTradePrice*(1-sellLimitDownRatio) (spot place rule 9)") \
X(PERPS_BUY_LIMIT, 42205, 200, "price is outside the limit band", "price", \
    "at most markPrice*(1+buyLimitUpRatio) (perps place rule 3)") \
X(PERPS_SELL_LIMIT, 42205, 200, "price is outside the limit band", "price", \
    "at least markPrice*(1-sellLimitDownRatio) (perps place rule 3)") \
X(RATE_LIMIT,          42901, 429, "rate limit exceeded", "", "") \
/* numbers of rows are in receipts, so what comes later stands at the end */ \
X(INSUFFICIENT_MARGIN, 42002, 200, "insufficient margin", "amount", \
    "at most the amount that may leave the account (mechanics 3.3)") \
X(AMOUNT_DECIMALS, 42202, 200, "amount is invalid", "amount", \
    "at most as many decimals as the coin (transfer rule 2)") \
X(BAD_KEY_NAME,        40001, 200, "invalid request", "name", "matches ^[0-9a-zA-Z_-]{1,36}$ and is not default") \
X(OFFSET_SHRINKS, 40001, 200, "invalid request", "offset", \
    "at least the offset there is; engine time does not go back (ruling 43)") \
X(TIME_PASSED, 40007, 200, "the time is in the past", "time", \
    "later than engine time, which never goes back (ruling 43)") \
X(JUMP_TOO_LONG, 40007, 200, "the jump in time passes more than 10000 hours and scheduled cancels", "time", \
    "at most 10000 whole hours and scheduled cancels on the way (ruling 43)") \
X(UNKNOWN_OWNER, 40403, 200, "the address has no account", "address", \
    "an address that got its account by a first deposit (ruling 30)") \
X(BAD_OPERATOR_ID, 40001, 200, "invalid request", "id", "1 to 64 printable characters without quote and backslash") \
X(BAD_OPERATOR_TX, 40001, 200, "invalid request", "tx", \
    "at most 128 printable characters without quote and backslash") \
X(BAD_PUBLIC_KEY,      40001, 200, "invalid request", "publicKey", "the address of the key pair, which is not zero") \
X(BAD_EXPIRY,          40001, 200, "invalid request", "expiresAt", "Unix milliseconds below 2^63, or 0 for never") \
X(BAD_PERMISSIONS, 40001, 200, "invalid request", "permissions", \
    "a mask of 1 trade, 2 cancel, 4 withdraw, 8 transfer; a set bit forbids") \
X(TRANSFER_TYPE, 40005, 200, "not supported", "type", \
    "on spot 2 EVM_WITHDRAW or 3 PERPS_WITHDRAW, on perps 5 SPOT_WITHDRAW (transfer rules)") \
X(TRANSFER_TARGET, 40005, 200, "not supported", "toAccountID", \
    "999; transfers between accounts are not offered (transfer rules)") \
X(POSITION_SIDE, 40002, 200, "invalid combination of fields", "positionSide", \
    "1 BOTH; there is one position per symbol (mechanics 3.1)") \
X(SYMBOL_REDUCE_ONLY, 42014, 200, "symbol takes only orders that reduce", "symbolID", \
    "an order that only closes (mechanics 3.15)") \
X(SYMBOL_SETTLING, 42014, 200, "symbol is about to be settled", "symbolID", \
    "an order that only closes; the symbol's settlement is announced (mechanics 3.15)") \
X(SYMBOL_SETTLED, 42014, 200, "symbol is settled", "symbolID", "a symbol that has not been settled (mechanics 3.15)") \
X(SETTLEMENT_NOTICE, 40007, 200, "the settlement is too soon", "time", \
    "at least the notice of the venue ahead (mechanics 3.15)") \
X(SETTLEMENT_ANNOUNCED, 40909, 200, "a settlement is announced already", "symbol", \
    "withdraw the announcement first (mechanics 3.15)") \
X(SETTLEMENT_BEGUN, 40909, 200, "the settlement cannot be withdrawn any more", "symbol", \
    "an announcement whose price is not being measured yet (mechanics 3.15)") \
X(NOT_ANNOUNCED, 40909, 200, "no settlement is announced", "symbol", \
    "a symbol whose settlement is announced (mechanics 3.15)") \
X(NOT_A_READER, 40391, 403, "not for this address", "", \
    "a client of the setting metrics, not through a proxy that is not trusted") \
X(PRICE_ZEROS, 42201, 200, "price is invalid", "price", \
    "no zeros at the end behind the point (setting strictDecimals)") \
X(QUANTITY_ZEROS, 42202, 200, "quantity is invalid", "quantity", \
    "no zeros at the end behind the point (setting strictDecimals)") \
X(FUNDS_ZEROS, 42204, 200, "funds is invalid", "funds", \
    "no zeros at the end behind the point (setting strictDecimals)") \
X(AMOUNT_ZEROS, 42202, 200, "amount is invalid", "amount", \
    "no zeros at the end behind the point (setting strictDecimals)") \
X(NOT_CONFIRMED, 40101, 200, "the signature of a second person is needed", "signature", \
    "signed over this very command by a key of an [operator] section") \
X(NOT_AUDITED, 50301, 503, "the audit log cannot be written, the command was not executed", "", \
    "audit.log as a plain file in the data folder, and room on its disk") \
X(METHOD_UNKNOWN, 50190, 501, "method not implemented", "method", "GET, HEAD, POST, PUT, DELETE, PATCH or OPTIONS") \
X(PRICES_NOT_LIVE, 42028, 200, "prices are not live", "symbolID", \
    "live prices and the mode run wherever the account has a position or an order that could open one (ruling 64)") \
X(NOT_A_STOP, 40908, 200, "order is not a TP/SL order", "orderID", \
    "a TP/SL order that has not triggered; a limit order is changed with replace (modify rules)") \
X(RECEIPT_NOT_FOUND,   40406, 200, "liquidation not found", "receiptID", "a receiptID of the list of liquidations") \
X(NO_LEADER, 50302, 503, "no node leads now, the request was not executed", "", "a node that may append to the log") \
X(OUTCOME_UNKNOWN, 50303, 503, "outcome unknown: ask again with the same nonce and clOrdID", "", \
    "a leader that kept the log until the request was durable") \
X(NO_SNAPSHOT, 40001, 200, "there is no such snapshot", "snapshot", \
    "a number or a name that dojima_snapshots lists (decision 131)") \
X(SNAPSHOT_NAME, 40001, 200, "another snapshot has this name", "name", "a name that no snapshot has (decision 131)") \
X(REVERT_RUNS, 40910, 200, "another revert happened meanwhile", "snapshot", \
    "a request that was sent after it (decision 131)") \
X(PARTIAL_STOP_LIMIT, 42022, 200, "too many armed stops", "orders", \
    "at most 10 TP/SL orders with a quantity on one position (mechanics 4.4)") \
X(STOP_FIELDS_TYPE, 40002, 200, "invalid combination of fields", "stopType", \
    "stopPrice, stopType and triggerType, all of them with a STOP or ATTACHED_STOP and none otherwise") \
X(STOP_FIELDS_TRIGGER, 40002, 200, "invalid combination of fields", "triggerType", \
    "stopPrice, stopType and triggerType, all of them with a STOP or ATTACHED_STOP and none otherwise") \
X(TRANSFER_COIN, 40005, 200, "not supported", "coinID", \
    "the coin of margin, vUSDC, between spot and perps (mechanics 7)")
/* clang-format on */

enum reject {
    REJECT_NONE = 0,
#define X(name, code, http, text, field, rule) REJECT_##name,
    REJECTS(X)
#undef X
        REJECT_COUNT,
};

struct reject_row {
    const char *name;
    int32_t     code;
    int16_t     http;
    const char *text, *field, *rule;
};

/* The row of a reject other than REJECT_NONE. */
const struct reject_row *reject_row(enum reject reject);

/* End reason of a stop whose order is rejected when it fires, by the reject (mechanics 4.5). */
enum end_reason reject_end_reason(enum reject reject);

/*
 * Which key of the item is at fault, when it is not the one of the reject's row: an order can be named
 * in four ways, and a value can be a quantity's or funds. Numbers are hashed with the RESULT: append only.
 */
/* clang-format off */
enum item_field {
    FIELD_OF_ROW = 0, FIELD_ORDER_ID, FIELD_CLIENT_ID, FIELD_ORIG_ORDER_ID, FIELD_ORIG_CLIENT_ID, FIELD_FUNDS,
    FIELD_AMOUNT, FIELD_COIN_ID, FIELD_TYPE, FIELD_TO_ACCOUNT_ID, FIELD_PUBLIC_KEY, FIELD_EXPIRES_AT, FIELD_BUILDER,
    FIELD_ENGINE, FIELD_STOP_PRICE,
    FIELD_TIER, FIELD_MODE, FIELD_NAME, FIELD_VALUE,
    ITEM_FIELD_COUNT,
};
/* clang-format on */
extern const char *const item_field_text[];

/* Why a nonce is refused, for `details.reason` (ruling 35). */
enum nonce_reason { NONCE_OK = 0, NONCE_MALFORMED, NONCE_USED, NONCE_TOO_SMALL, NONCE_TOO_OLD, NONCE_TOO_FAR_AHEAD };
extern const char *const nonce_reason_text[];

#endif
