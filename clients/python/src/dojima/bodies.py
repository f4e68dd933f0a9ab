# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Items of requests and enumerations. Amounts are Decimal, int or str; a float is refused."""
from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Optional, Tuple

from dojima.amount import Amount
from dojima.record import Body


class Side(IntEnum):
    """Side of requests."""

    BUY = 1
    SELL = 2


class OrderType(IntEnum):
    """OrderType of requests."""

    LIMIT = 1
    MARKET = 2


class TimeInForce(IntEnum):
    """TimeInForce of requests."""

    GTC = 1
    FOK = 2
    IOC = 3
    GTX = 4


class OrderModifier(IntEnum):
    """OrderModifier of requests."""

    NORMAL = 1
    STOP = 2
    BRACKET = 3
    ATTACHED_STOP = 4


class StopType(IntEnum):
    """StopType of requests."""

    STOP_LOSS = 1
    TAKE_PROFIT = 2


class TriggerType(IntEnum):
    """TriggerType of requests."""

    LAST_PRICE = 1
    MARK_PRICE = 2
    INDEX_PRICE = 3


class PositionSide(IntEnum):
    """PositionSide of requests."""

    BOTH = 1
    LONG = 2
    SHORT = 3


class MarginMode(IntEnum):
    """MarginMode of requests."""

    ISOLATED = 1
    CROSS = 2


class KeyType(IntEnum):
    """KeyType of requests."""

    EVM = 1


class TransferType(IntEnum):
    """TransferType of requests."""

    EVM_DEPOSIT = 0
    PERPS_DEPOSIT = 1
    EVM_WITHDRAW = 2
    PERPS_WITHDRAW = 3
    INTERNAL = 4
    SPOT_WITHDRAW = 5
    SPOT_DEPOSIT = 6
    SUBACCOUNT_TRANSFER = 7


@dataclass(frozen=True)
class NewSpotOrder(Body):
    """One order to place."""

    # Symbol to trade, the `id` of /markets/symbols.
    symbolID: int
    # The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders.
    clOrdID: str
    # 1 = BUY, 2 = SELL.
    side: Side
    # 1 = LIMIT, 2 = MARKET.
    type: OrderType
    # 1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported.
    timeInForce: TimeInForce
    # Limit price, required for a limit order; for a market order the worst price it may trade at.
    price: Optional[Amount] = None
    # Amount of the base coin; required for a limit order and a market sell, else instead of `funds`.
    quantity: Optional[Amount] = None
    # Amount of the quote coin to spend; only for a market buy, instead of `quantity`.
    funds: Optional[Amount] = None


@dataclass(frozen=True)
class CancelSpotOrder(Body):
    """One order to cancel."""

    # Symbol of the order.
    symbolID: int
    # Names this cancel in its result, and is the target when neither key below is given; may be empty when one of
    # them is.
    clOrdID: str
    # The order to cancel, by its number.
    orderID: Optional[int] = None
    # The order to cancel, by its client id.
    origClOrdID: Optional[str] = None


@dataclass(frozen=True)
class NewPerpsOrder(Body):
    """One order to place."""

    _order: ClassVar[Tuple[str, ...]] = (
        "clOrdID", "modifier", "side", "type", "timeInForce", "price", "quantity", "funds", "stopPrice", "stopType",
        "triggerType", "reduceOnly", "positionSide",
    )

    # The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders.
    clOrdID: str
    # 1 = NORMAL, 2 = STOP: a TP/SL order by itself, 3 = BRACKET: an order with TP/SL, 4 = ATTACHED_STOP: the TP/SL of
    # a BRACKET.
    modifier: OrderModifier
    # 1 = BUY, 2 = SELL.
    side: Side
    # 1 = LIMIT, 2 = MARKET; of a TP/SL order: the order that it becomes.
    type: OrderType
    # 1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported.
    timeInForce: TimeInForce
    # The order may only make a position smaller.
    reduceOnly: bool
    # 1 = BOTH. 2 = LONG and 3 = SHORT are taken too: on the closing side they make the order reduce only.
    positionSide: PositionSide
    # Limit price, required for a limit order; for a market order the worst price it may trade at.
    price: Optional[Amount] = None
    # Amount of the base; a market buy may give `funds` instead. A TP/SL order that only reduces may leave both out:
    # it closes the whole position.
    quantity: Optional[Amount] = None
    # Amount of vUSDC to spend; only for a market buy, instead of `quantity`.
    funds: Optional[Amount] = None
    # Price that triggers; with STOP and ATTACHED_STOP, and only then.
    stopPrice: Optional[Amount] = None
    # 1 = STOP_LOSS, 2 = TAKE_PROFIT; with `stopPrice`.
    stopType: Optional[StopType] = None
    # Which price triggers: 1 = LAST_PRICE, 2 = MARK_PRICE, 3 = INDEX_PRICE; with `stopPrice`.
    triggerType: Optional[TriggerType] = None


@dataclass(frozen=True)
class CancelPerpsOrder(Body):
    """One order to cancel."""

    # Symbol of the order.
    symbolID: int
    # The order to cancel, by its number.
    orderID: Optional[int] = None
    # The order to cancel, by its client id; exactly one of the two.
    clOrdID: Optional[str] = None


@dataclass(frozen=True)
class ReplaceOrder(Body):
    """One order to change: exactly one of origOrderID and origClOrdID, at least one of price and quantity."""

    # Symbol of the order.
    symbolID: int
    # Names this replacement in its result, and becomes another name of the order.
    clOrdID: str
    # The order to replace, by its number.
    origOrderID: Optional[int] = None
    # The order to replace, by its client id.
    origClOrdID: Optional[str] = None
    # New limit price; absent keeps the old one.
    price: Optional[Amount] = None
    # New total quantity, executed part included; absent keeps the old one.
    quantity: Optional[Amount] = None


@dataclass(frozen=True)
class OraclePrice(Body):
    """A feeder's post about one symbol."""

    # Id of a perps symbol.
    symbolID: int
    # Its index price.
    price: Amount
    # Middle of its perpetual elsewhere; absent = none, which is signed as 0.
    perpMid: Optional[Amount] = None
