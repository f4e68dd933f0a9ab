# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Records of streams, and the record of each channel."""
from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Dict, List, Optional, Tuple

from dojima.answers import Liquidation, OrderID, WsPerpsState, WsSpotState, WsSpotStateBalance, WsSpotStateTwap
from dojima.record import Level, Record


@dataclass(frozen=True)
class WsTicker(Record):
    """The last 24 hours of a symbol and its best prices."""

    # Time of the event, ms.
    E: int
    # Symbol.
    s: str
    # Price of the last trade; before the first one the listing reference price, "0" where there is none.
    c: Decimal
    # Quantity of the last trade.
    Q: Decimal
    # Average price by volume.
    w: Decimal
    # Best ask; "0" when there is none.
    a: Decimal
    # Quantity at it.
    A: Decimal
    # Best bid; "0" when there is none.
    b: Decimal
    # Quantity at it.
    B: Decimal
    # Last price less the open.
    p: Decimal
    # The change in percent, a number.
    P: Decimal
    # Price of the first trade of the window.
    o: Decimal
    # Highest price.
    h: Decimal
    # Lowest price.
    l: Decimal
    # Traded, base coin.
    v: Decimal
    # Traded, quote coin.
    q: Decimal
    # When the window began, ms.
    O: int
    # Until when it reaches, ms.
    C: int


@dataclass(frozen=True)
class WsMiniTicker(Record):
    """The last 24 hours of a symbol in few keys."""

    # Time of the event, ms.
    E: int
    # Symbol.
    s: str
    # Price of the last trade; before the first one the listing reference price, "0" where there is none.
    c: Decimal
    # Price of the first trade of the window.
    o: Decimal
    # Highest price.
    h: Decimal
    # Lowest price.
    l: Decimal
    # Traded, base coin.
    v: Decimal
    # Traded, quote coin.
    q: Decimal


@dataclass(frozen=True)
class WsBookTicker(Record):
    """The best level of each side."""

    # Time of the event, ms.
    E: int
    # Symbol.
    s: str
    # Version of the book.
    u: int
    # Best ask; "0" when there is none.
    a: Decimal
    # Quantity at it.
    A: Decimal
    # Best bid; "0" when there is none.
    b: Decimal
    # Quantity at it.
    B: Decimal


@dataclass(frozen=True)
class WsMarkPrice(Record):
    """Prices and funding of a perps symbol."""

    # Time of the event, ms.
    E: int
    # Symbol.
    s: str
    # Open interest, base coin.
    oi: Decimal
    # Mark price.
    p: Decimal
    # Index price.
    i: Decimal
    # Funding rate of the hour as it stands.
    r: Decimal
    # When funding is due next, ms.
    T: int


@dataclass(frozen=True)
class WsTrade(Record):
    """A public trade."""

    # Time of the event, ms.
    E: int
    # When it happened, ms.
    T: int
    # Trade id.
    t: int
    # Symbol.
    s: str
    # Side of the taker.
    S: str
    # Price.
    p: Decimal
    # Quantity.
    q: Decimal
    # Account of the buyer.
    bi: int
    # Account of the seller.
    si: int
    # True when both accounts belong to one user; else absent.
    self: Optional[bool] = None


@dataclass(frozen=True)
class WsBook(Record):
    """A book, or its changes."""

    # Symbol.
    s: str
    # Version of the book, as `updateID` of the order book.
    u: int
    # Time of the event, ms.
    E: int
    # Selling levels, lowest first; size "0" takes a level away.
    a: List[Level]
    # Buying levels, highest first; size "0" takes a level away.
    b: List[Level]
    # Updates only: the first update id that is in it, one more than the last `u`.
    U: Optional[int] = None


@dataclass(frozen=True)
class WsCandle(Record):
    """A bar."""

    # When the bar begins, ms.
    t: int
    # Its last millisecond.
    T: int
    # Symbol.
    s: str
    # Interval, spelled as in the subscription.
    i: str
    # First price.
    o: Decimal
    # Highest price.
    h: Decimal
    # Lowest price.
    l: Decimal
    # Last price.
    c: Decimal
    # Traded, base coin.
    v: Decimal
    # Traded, quote coin.
    q: Decimal
    # How many trades.
    n: int
    # Whether no trade can come any more.
    x: bool


@dataclass(frozen=True)
class WsCoinPrice(Record):
    """A coin as collateral."""

    # Coin id.
    i: int
    # Coin name.
    a: str
    # What one is worth in vUSDC.
    p: Decimal
    # Share of its value that counts as collateral.
    mr: Decimal
    # Time of the event, ms.
    E: int


@dataclass(frozen=True)
class WsSpotAccountUpdate(Record):
    """What a block changed of an account's balances."""

    # Time of the event, ms.
    E: int
    # Time of the block, ms.
    T: int
    # Number of the block.
    h: int
    # Balances that changed.
    B: List[WsSpotStateBalance]
    # TWAPs that changed; always empty.
    TO: List[WsSpotStateTwap]


@dataclass(frozen=True)
class WsPerpsAccountUpdate(Record):
    """What a block changed of an account's wallet and positions."""

    # Time of the event, ms.
    E: int
    # Time of the block, ms.
    T: int
    # Number of the block.
    h: int
    # Balances that changed.
    B: List[WsPerpsBalanceUpdate]
    # Positions that changed.
    P: List[WsPerpsPositionUpdate]
    # TWAPs that changed; always empty.
    TO: List[WsSpotStateTwap]


@dataclass(frozen=True)
class WsPerpsBalanceUpdate(Record):
    """A coin of a perps wallet."""

    # Coin id.
    i: int
    # Coin name.
    a: str
    # Wallet balance.
    wb: Decimal
    # What it counts as collateral, vUSDC.
    co: Decimal


@dataclass(frozen=True)
class WsPerpsPositionUpdate(Record):
    """A position."""

    # Number of the position.
    i: int
    # Symbol.
    s: str
    # Size; negative is short, 0 is closed.
    sz: Decimal
    # Average entry price.
    ep: Decimal
    # BOTH.
    ps: str
    # Opened, ms; 0 of one that is closed.
    ct: int
    # Last change, ms.
    ut: int
    # Margin of an isolated position.
    iw: Optional[Decimal] = None


@dataclass(frozen=True)
class WsSpotOrderUpdate(Record):
    """A change of an order."""

    # Time of the event, ms.
    E: int
    # When it happened, ms.
    T: int
    # Symbol.
    s: str
    # The client's own id.
    c: str
    # Number of the order.
    i: int
    # BUY or SELL.
    S: str
    # LIMIT or MARKET.
    o: str
    # GTC, IOC or GTX.
    f: str
    # Price; "0" where there is none.
    p: Decimal
    # Quantity ordered; "0" where there is none.
    q: Decimal
    # Where the order stands.
    X: str
    # Executed so far, base coin.
    z: Decimal
    # Executed so far, quote coin.
    v: Decimal
    # Locked for the rest.
    M: Decimal
    # Accepted, ms.
    ct: int
    # Last change, ms.
    ut: int
    # Quantity of that trade.
    l: Decimal
    # Price of that trade.
    L: Decimal
    # Fee of that trade; negative was paid to the account.
    n: Decimal
    # Whether the order rested.
    m: bool
    # What happened to it.
    x: str
    # Quote amount of a market buy by funds.
    F: Optional[Decimal] = None
    # Trade that changed it.
    t: Optional[int] = None
    # Why, when it ended other than by being filled.
    r: Optional[str] = None


@dataclass(frozen=True)
class WsPerpsOrderUpdate(Record):
    """A change of a perps order."""

    # Time of the event, ms.
    E: int
    # When it happened, ms.
    T: int
    # Symbol.
    s: str
    # The client's own id.
    c: str
    # Number of the order.
    i: int
    # BUY or SELL.
    S: str
    # LIMIT or MARKET.
    o: str
    # GTC, IOC or GTX.
    f: str
    # Price; "0" where there is none.
    p: Decimal
    # Quantity ordered; "0" where there is none.
    q: Decimal
    # Where the order stands.
    X: str
    # Executed so far, base coin.
    z: Decimal
    # Executed so far, quote coin.
    v: Decimal
    # Locked for the rest.
    M: Decimal
    # Accepted, ms.
    ct: int
    # Last change, ms.
    ut: int
    # BOTH.
    ps: str
    # Whether it may only reduce a position.
    R: bool
    # Quantity of that trade.
    l: Decimal
    # Price of that trade.
    L: Decimal
    # Fee of that trade; negative was paid to the account.
    n: Decimal
    # Whether the order rested.
    m: bool
    # What happened to it.
    x: str
    # Quote amount of a market buy by funds.
    F: Optional[Decimal] = None
    # Price that triggers it.
    sp: Optional[Decimal] = None
    # STOP_LOSS or TAKE_PROFIT.
    st: Optional[str] = None
    # Which price triggers it.
    tt: Optional[str] = None
    # Position it belongs to.
    pid: Optional[int] = None
    # Order it is attached to.
    poid: Optional[int] = None
    # Orders attached to it that are not over now; when one ends later, its own message alone says so.
    aoids: Optional[List[OrderID]] = None
    # Trade that changed it.
    t: Optional[int] = None
    # Why, when it ended other than by being filled.
    r: Optional[str] = None


@dataclass(frozen=True)
class WsAccountTrade(Record):
    """One side of a trade, as its account sees it."""

    # Time of the event, ms.
    E: int
    # When it happened, ms.
    T: int
    # Trade id.
    t: int
    # Symbol.
    s: str
    # The account's order.
    i: int
    # Its client id.
    c: str
    # The account's side.
    S: str
    # Price.
    p: Decimal
    # Quantity.
    q: Decimal
    # Fee; negative was paid to the account.
    f: Decimal
    # Whether the account's order rested.
    m: bool
    # True when both accounts belong to one user; else absent.
    self: Optional[bool] = None


@dataclass(frozen=True)
class WsPerpsAccountTrade(Record):
    """One side of a perps trade, as its account sees it."""

    # Time of the event, ms.
    E: int
    # When it happened, ms.
    T: int
    # Trade id.
    t: int
    # Symbol.
    s: str
    # The account's order.
    i: int
    # Its client id.
    c: str
    # The account's side.
    S: str
    # Price.
    p: Decimal
    # Quantity.
    q: Decimal
    # Fee; negative was paid to the account.
    f: Decimal
    # Whether the account's order rested.
    m: bool
    # LONG for a buy, SHORT for a sell.
    d: str
    # True when both accounts belong to one user; else absent.
    self: Optional[bool] = None
    # Number of the liquidation whose stage made it, the same as in its receipts; else absent.
    liquidationID: Optional[int] = None


@dataclass(frozen=True)
class WsAccountEvent(Record):
    """Something that was done to an account."""

    # liquidation.
    type: str
    # When it happened, ms.
    E: int
    # Account of the liquidator: 1, the insurance fund, which sells, takes over and deleverages.
    lid: int
    # Account.
    aid: int
    # Equity of the unit at that moment.
    av: Decimal
    # CROSS, or ISOLATED for a unit of one position.
    mm: str
    # Number of the liquidation, the same in all its stages.
    liquidationID: int
    # Maintenance margin of the unit at that moment.
    maintenanceMargin: Decimal
    # The account's wallet at that moment.
    B: List[WsPerpsBalanceUpdate]
    # The unit's positions at that moment: the cross ones, or the isolated one.
    P: List[WsLiquidatedPosition]


@dataclass(frozen=True)
class WsLiquidatedPosition(Record):
    """A position of a unit in liquidation."""

    # Symbol.
    s: str
    # BOTH.
    ps: str
    # Size; negative is short.
    sz: Decimal
    # Mark price.
    mp: Decimal
    # Liquidation price; "0" when there is none.
    lp: Decimal


# Channel: the record on spot, on perps (None: no such channel there), whether a push is a list.
CHANNELS: Dict[str, Tuple[Optional[type], Optional[type], bool]] = {
    "ticker": (WsTicker, WsTicker, True),
    "allTicker": (WsTicker, WsTicker, True),
    "miniTicker": (WsMiniTicker, WsMiniTicker, True),
    "allMiniTicker": (WsMiniTicker, WsMiniTicker, True),
    "bookTicker": (WsBookTicker, WsBookTicker, True),
    "allBookTicker": (WsBookTicker, WsBookTicker, True),
    "markPrice": (None, WsMarkPrice, True),
    "allMarkPrice": (None, WsMarkPrice, True),
    "liquidation": (None, Liquidation, True),
    "allLiquidation": (None, Liquidation, True),
    "trade": (WsTrade, WsTrade, True),
    "l2Book": (WsBook, WsBook, False),
    "l4Book": (WsBook, WsBook, False),
    "candle": (WsCandle, WsCandle, False),
    "coinPrice": (None, WsCoinPrice, True),
    "allCoinPrice": (None, WsCoinPrice, True),
    "accountState": (WsSpotState, WsPerpsState, False),
    "accountUpdate": (WsSpotAccountUpdate, WsPerpsAccountUpdate, False),
    "accountOrderUpdate": (WsSpotOrderUpdate, WsPerpsOrderUpdate, False),
    "accountTrade": (WsAccountTrade, WsPerpsAccountTrade, False),
    "accountEvent": (None, WsAccountEvent, False),
}
