# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""One class for each code of the interface, so that a refusal can be caught by its kind."""
from __future__ import annotations

from typing import Dict, Type

from dojima.errors import Refused


class InvalidRequest(Refused):
    """40001: invalid request; invalid address; invalid parameter; there is no such snapshot; another snapshot has
    this name."""


class InvalidCombination(Refused):
    """40002: invalid combination of fields; invalid bracket."""


class InvalidBatchSize(Refused):
    """40003: batch size is invalid."""


class InvalidClientOrderID(Refused):
    """40004: clOrdID is invalid."""


class NotSupported(Refused):
    """40005: not supported."""


class InvalidInterval(Refused):
    """40006: invalid interval."""


class InvalidTime(Refused):
    """40007: invalid time range; the time is in the past; the jump in time passes more than 10000 hours and scheduled
    cancels; the settlement is too soon."""


class MalformedRequest(Refused):
    """40090: malformed HTTP request."""


class InvalidSignature(Refused):
    """40101: X-API-Sign is invalid; the signature of a second person is needed."""


class InvalidNonce(Refused):
    """40102: nonce is invalid; seq is invalid; timestamp is invalid."""


class UnknownApiKey(Refused):
    """40103: unknown API key."""


class ApiKeyExpired(Refused):
    """40104: API key has expired."""


class ApiKeyForbidden(Refused):
    """40105: API key may not do this."""


class OriginNotAllowed(Refused):
    """40390: origin is not allowed."""


class AddressNotAllowed(Refused):
    """40391: not for this address."""


class SymbolNotFound(Refused):
    """40401: symbol not found."""


class OrderNotFound(Refused):
    """40402: order not found."""


class AccountNotFound(Refused):
    """40403: account not found; the address has no account."""


class CoinNotFound(Refused):
    """40404: coin not found."""


class ApiKeyNotFound(Refused):
    """40405: API key not found."""


class LiquidationNotFound(Refused):
    """40406: liquidation not found."""


class PathNotFound(Refused):
    """40490: path not found."""


class MethodNotAllowed(Refused):
    """40590: method not allowed."""


class RequestTimeout(Refused):
    """40890: request took too long."""


class ClientOrderIDInUse(Refused):
    """40901: clOrdID is already in use."""


class OrderNotReplaceable(Refused):
    """40902: order cannot be replaced."""


class QuantityBelowExecuted(Refused):
    """40903: quantity is not above the executed quantity."""


class TransferIDUsed(Refused):
    """40904: transfer id was used for another transfer."""


class OrderTriggered(Refused):
    """40905: order has already triggered."""


class TransferIDTooOld(Refused):
    """40906: transfer id is too old."""


class NameTaken(Refused):
    """40907: API key name is taken; public key is taken."""


class NotAStopOrder(Refused):
    """40908: order is not a TP/SL order."""


class WrongStateOfSettlement(Refused):
    """40909: a settlement is announced already; the settlement cannot be withdrawn any more; no settlement is
    announced."""


class RevertedMeanwhile(Refused):
    """40910: another revert happened meanwhile."""


class BodyTooLarge(Refused):
    """41390: body too large."""


class RequestLineTooLong(Refused):
    """41490: request line too long."""


class InsufficientBalance(Refused):
    """42001: insufficient balance."""


class InsufficientMargin(Refused):
    """42002: insufficient margin."""


class LeverageTier(Refused):
    """42003: position is too large for the leverage."""


class OpenInterestCap(Refused):
    """42004: open interest cap reached."""


class WouldNotReduce(Refused):
    """42005: reduce-only order would not reduce."""


class CoveredByReduceOnly(Refused):
    """42006: the position is covered by reduce-only orders."""


class PostOnlyWouldCross(Refused):
    """42007: post-only order would cross."""


class StopWouldTrigger(Refused):
    """42008: stop would trigger at once."""


class StopOnWrongSide(Refused):
    """42009: stop price is on the wrong side."""


class NoPosition(Refused):
    """42010: no position."""


class GlobalStopExists(Refused):
    """42011: a global TP/SL exists."""


class LeverageLocked(Refused):
    """42012: leverage is locked."""


class TooManyScheduledCancels(Refused):
    """42013: too many scheduled cancels today."""


class SymbolNotTrading(Refused):
    """42014: symbol is halted; symbol takes only orders that reduce; symbol is about to be settled; symbol is
    settled."""


class StaleIndexPrice(Refused):
    """42015: index price is stale."""


class InLiquidation(Refused):
    """42016: account is in liquidation."""


class WithdrawalsSuspended(Refused):
    """42017: withdrawals are suspended."""


class TimeInForceNotSupported(Refused):
    """42018: timeInForce is not supported."""


class NoReferencePrice(Refused):
    """42019: symbol has no reference price."""


class TooManyApiKeys(Refused):
    """42020: too many API keys."""


class TooManyOpenOrders(Refused):
    """42021: too many open orders."""


class TooManyStops(Refused):
    """42022: too many armed stops."""


class ScheduledTooSoon(Refused):
    """42023: scheduled time is too soon."""


class OrderValueTooLarge(Refused):
    """42024: order value is too large."""


class SupplyLimit(Refused):
    """42025: supply limit of the coin reached."""


class AtCapacity(Refused):
    """42026: the exchange is at capacity."""


class NotPossibleNow(Refused):
    """42027: not possible in the current mode."""


class PricesNotLive(Refused):
    """42028: prices are not live."""


class InvalidLeverage(Refused):
    """42029: leverage is invalid."""


class PositionNotIsolated(Refused):
    """42030: position is not isolated."""


class InvalidPrice(Refused):
    """42201: price is invalid."""


class InvalidQuantity(Refused):
    """42202: quantity is invalid; amount is invalid."""


class InvalidMarketQuantity(Refused):
    """42203: quantity is invalid."""


class InvalidOrderValue(Refused):
    """42204: order value is invalid; funds is invalid."""


class PriceOutsideBand(Refused):
    """42205: price is outside the limit band."""


class UpgradeRequired(Refused):
    """42690: this path is a WebSocket."""


class RateLimited(Refused):
    """42901: rate limit exceeded."""


class HeadersTooLarge(Refused):
    """43190: headers too large."""


class InternalError(Refused):
    """50001: internal error."""


class MethodNotImplemented(Refused):
    """50190: method not implemented."""


class ServerBusy(Refused):
    """50301: server is busy, the request was not executed; the audit log cannot be written, the command was not
    executed."""


class NoLeader(Refused):
    """50302: no node leads now, the request was not executed."""


class OutcomeUnknownAtServer(Refused):
    """50303: outcome unknown: ask again with the same nonce and clOrdID."""


BY_CODE: Dict[int, Type[Refused]] = {
    40001: InvalidRequest,
    40002: InvalidCombination,
    40003: InvalidBatchSize,
    40004: InvalidClientOrderID,
    40005: NotSupported,
    40006: InvalidInterval,
    40007: InvalidTime,
    40090: MalformedRequest,
    40101: InvalidSignature,
    40102: InvalidNonce,
    40103: UnknownApiKey,
    40104: ApiKeyExpired,
    40105: ApiKeyForbidden,
    40390: OriginNotAllowed,
    40391: AddressNotAllowed,
    40401: SymbolNotFound,
    40402: OrderNotFound,
    40403: AccountNotFound,
    40404: CoinNotFound,
    40405: ApiKeyNotFound,
    40406: LiquidationNotFound,
    40490: PathNotFound,
    40590: MethodNotAllowed,
    40890: RequestTimeout,
    40901: ClientOrderIDInUse,
    40902: OrderNotReplaceable,
    40903: QuantityBelowExecuted,
    40904: TransferIDUsed,
    40905: OrderTriggered,
    40906: TransferIDTooOld,
    40907: NameTaken,
    40908: NotAStopOrder,
    40909: WrongStateOfSettlement,
    40910: RevertedMeanwhile,
    41390: BodyTooLarge,
    41490: RequestLineTooLong,
    42001: InsufficientBalance,
    42002: InsufficientMargin,
    42003: LeverageTier,
    42004: OpenInterestCap,
    42005: WouldNotReduce,
    42006: CoveredByReduceOnly,
    42007: PostOnlyWouldCross,
    42008: StopWouldTrigger,
    42009: StopOnWrongSide,
    42010: NoPosition,
    42011: GlobalStopExists,
    42012: LeverageLocked,
    42013: TooManyScheduledCancels,
    42014: SymbolNotTrading,
    42015: StaleIndexPrice,
    42016: InLiquidation,
    42017: WithdrawalsSuspended,
    42018: TimeInForceNotSupported,
    42019: NoReferencePrice,
    42020: TooManyApiKeys,
    42021: TooManyOpenOrders,
    42022: TooManyStops,
    42023: ScheduledTooSoon,
    42024: OrderValueTooLarge,
    42025: SupplyLimit,
    42026: AtCapacity,
    42027: NotPossibleNow,
    42028: PricesNotLive,
    42029: InvalidLeverage,
    42030: PositionNotIsolated,
    42201: InvalidPrice,
    42202: InvalidQuantity,
    42203: InvalidMarketQuantity,
    42204: InvalidOrderValue,
    42205: PriceOutsideBand,
    42690: UpgradeRequired,
    42901: RateLimited,
    43190: HeadersTooLarge,
    50001: InternalError,
    50190: MethodNotImplemented,
    50301: ServerBusy,
    50302: NoLeader,
    50303: OutcomeUnknownAtServer,
}
