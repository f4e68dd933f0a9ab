# SPDX-License-Identifier: MIT
"""The method of the client for each endpoint of /openapi.json. An endpoint that is missing here fails a test."""
from __future__ import annotations

SPOT, PERPS, USER = "/api/v1/spot", "/api/v1/perps", "/api/v1/user/{userAddress}"
ACCOUNT = "/accounts/{userAddress}"

_MARKET = {
    "symbols": "symbols", "coins": "coins", "{symbol}/orderbook": "orderbook", "tickers": "tickers",
    "miniTickers": "mini_tickers", "bookTickers": "book_tickers", "{symbol}/klines": "klines",
    "{symbol}/trades": "trades",
}
_ACCOUNT = {
    "balances": "balances", "orders": "orders", "state": "state", "api-keys": "api_keys", "fee-rate": "fee_rate",
    "orders/history": "order_history", "trades": "account_trades",
}
_WRITES = {
    ("POST", "/trade/orders/replace"): "replace_orders", ("POST", "/trade/orders/schedule-cancel"): "schedule_cancel",
    ("POST", "/accounts/transfers"): "transfer", ("POST", "/accounts/api-keys"): "add_api_key",
    ("DELETE", "/accounts/api-keys"): "revoke_api_key",
}


def _both(base: str) -> dict[tuple[str, str], str]:
    names = {("GET", f"{base}/markets/{path}"): name for path, name in _MARKET.items()}
    names.update({("GET", f"{base}{ACCOUNT}/{path}"): name for path, name in _ACCOUNT.items()})
    names.update({(method, base + path): name for (method, path), name in _WRITES.items()})
    return names


SPOT_NAMES = {
    **_both(SPOT),
    ("POST", f"{SPOT}/trade/orders/batch"): "place_orders",
    ("DELETE", f"{SPOT}/trade/orders/batch"): "cancel_orders",
}
PERPS_NAMES = {
    **_both(PERPS),
    ("GET", f"{PERPS}/markets/mark-prices"): "mark_prices",
    ("GET", f"{PERPS}/markets/index-composition"): "index_composition",
    ("GET", f"{PERPS}/liquidations"): "liquidations",
    ("GET", f"{PERPS}/liquidations/ranking"): "liquidation_ranking",
    ("GET", f"{PERPS}/insurance-fund"): "insurance_fund",
    ("GET", f"{PERPS}{ACCOUNT}/positions"): "positions",
    ("GET", f"{PERPS}{ACCOUNT}/positions/history"): "position_history",
    ("GET", f"{PERPS}{ACCOUNT}/fundings"): "fundings",
    ("GET", f"{PERPS}{ACCOUNT}/liquidations"): "account_liquidations",
    ("POST", f"{PERPS}/trade/orders"): "place_orders",
    ("DELETE", f"{PERPS}/trade/orders"): "cancel_orders",
    ("POST", f"{PERPS}/trade/orders/modify"): "modify_order",
    ("POST", f"{PERPS}/trade/leverage"): "set_leverage",
    ("POST", f"{PERPS}/trade/margin"): "set_margin",
}
GATEWAY_NAMES = {
    ("POST", "/api/v1/oracle"): "post_prices",
    ("POST", f"{USER}/api-keys"): "add_api_key",
    ("DELETE", f"{USER}/api-keys"): "revoke_api_key",
    ("GET", f"{USER}/api-keys"): "api_keys",
    ("GET", "/api/v1/time"): "time",
    ("GET", "/api/v1/status"): "status",
    ("GET", f"{USER}/status"): "user_status",
    ("GET", f"{USER}/subaccounts"): "subaccounts",
    ("GET", f"{USER}/fee-rate"): "fee_rate",
    ("GET", f"{USER}/ratelimit"): "rate_limit",
}
PROCESS_NAMES = {
    ("GET", "/healthz"): "health", ("GET", "/readyz"): "ready", ("GET", "/version"): "version",
    ("GET", "/metrics"): "metrics", ("GET", "/openapi.json"): "openapi", ("GET", "/"): "page", ("GET", "/docs"): "docs",
    ("GET", "/docs/style.css"): "docs_style", ("GET", "/docs/settings.json"): "docs_settings",
}
GROUPS = {"Spot": SPOT_NAMES, "Perps": PERPS_NAMES, "Gateway": GATEWAY_NAMES, "Process": PROCESS_NAMES}
# Written by hand: client.rpc and the streams.
BY_HAND = {("POST", "/rpc"): "Rpc.call", ("GET", "/ws/spot"): "Stream", ("GET", "/ws/perps"): "Stream"}

# The class of each number of an enumeration in requests, by the names of its values.
ENUMS = {
    "Side": ("BUY", "SELL"), "OrderType": ("LIMIT", "MARKET"), "TimeInForce": ("GTC", "FOK", "IOC", "GTX"),
    "OrderModifier": ("NORMAL", "STOP", "BRACKET", "ATTACHED_STOP"), "StopType": ("STOP_LOSS", "TAKE_PROFIT"),
    "TriggerType": ("LAST_PRICE", "MARK_PRICE", "INDEX_PRICE"), "PositionSide": ("BOTH", "LONG", "SHORT"),
    "MarginMode": ("ISOLATED", "CROSS"), "KeyType": ("EVM",),
    "TransferType": ("EVM_DEPOSIT", "PERPS_DEPOSIT", "EVM_WITHDRAW", "PERPS_WITHDRAW", "INTERNAL", "SPOT_WITHDRAW",
                     "SPOT_DEPOSIT", "SUBACCOUNT_TRANSFER"),
}

# The class of refusals with a code; the order is that of the codes.
REFUSALS = {
    40001: "InvalidRequest", 40002: "InvalidCombination", 40003: "InvalidBatchSize", 40004: "InvalidClientOrderID",
    40005: "NotSupported", 40006: "InvalidInterval", 40007: "InvalidTime", 40090: "MalformedRequest",
    40101: "InvalidSignature", 40102: "InvalidNonce", 40103: "UnknownApiKey", 40104: "ApiKeyExpired",
    40105: "ApiKeyForbidden", 40390: "OriginNotAllowed", 40391: "AddressNotAllowed", 40401: "SymbolNotFound",
    40402: "OrderNotFound", 40403: "AccountNotFound", 40404: "CoinNotFound", 40405: "ApiKeyNotFound",
    40406: "LiquidationNotFound", 40490: "PathNotFound", 40590: "MethodNotAllowed", 40890: "RequestTimeout",
    40901: "ClientOrderIDInUse", 40902: "OrderNotReplaceable", 40903: "QuantityBelowExecuted",
    40904: "TransferIDUsed", 40905: "OrderTriggered", 40906: "TransferIDTooOld", 40907: "NameTaken",
    40908: "NotAStopOrder", 40909: "WrongStateOfSettlement", 40910: "RevertedMeanwhile", 41390: "BodyTooLarge",
    41490: "RequestLineTooLong", 42001: "InsufficientBalance", 42002: "InsufficientMargin", 42003: "LeverageTier",
    42004: "OpenInterestCap", 42005: "WouldNotReduce", 42006: "CoveredByReduceOnly", 42007: "PostOnlyWouldCross",
    42008: "StopWouldTrigger", 42009: "StopOnWrongSide", 42010: "NoPosition", 42011: "GlobalStopExists",
    42012: "LeverageLocked", 42013: "TooManyScheduledCancels", 42014: "SymbolNotTrading", 42015: "StaleIndexPrice",
    42016: "InLiquidation", 42017: "WithdrawalsSuspended", 42018: "TimeInForceNotSupported",
    42019: "NoReferencePrice", 42020: "TooManyApiKeys", 42021: "TooManyOpenOrders", 42022: "TooManyStops",
    42023: "ScheduledTooSoon", 42024: "OrderValueTooLarge", 42025: "SupplyLimit", 42026: "AtCapacity",
    42027: "NotPossibleNow", 42028: "PricesNotLive", 42029: "InvalidLeverage", 42030: "PositionNotIsolated",
    42201: "InvalidPrice", 42202: "InvalidQuantity", 42203: "InvalidMarketQuantity", 42204: "InvalidOrderValue",
    42205: "PriceOutsideBand", 42690: "UpgradeRequired", 42901: "RateLimited", 43190: "HeadersTooLarge",
    50001: "InternalError", 50190: "MethodNotImplemented", 50301: "ServerBusy", 50302: "NoLeader",
    50303: "OutcomeUnknownAtServer",
}
