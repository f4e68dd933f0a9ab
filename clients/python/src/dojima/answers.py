# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Records of answers, with the keys of the interface; a key that was left out is None."""
from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import List, Literal, Optional, Union

from dojima.record import Level, Record

FundRefusal = str
OrderID = int
StatusText = str


@dataclass(frozen=True)
class SpotSymbol(Record):
    """A listed pair of coins and its filters."""

    # Number of the symbol, `symbolID` in requests.
    id: int
    # Name in paths and filters.
    name: str
    # Name for people.
    displayName: str
    # Coin that is traded.
    baseCoinID: int
    # Its name.
    baseCoin: str
    # Its decimals.
    baseCoinPrecision: int
    # Coin that pays.
    quoteCoinID: int
    # Its name.
    quoteCoin: str
    # Its decimals.
    quoteCoinPrecision: int
    # Most decimals of a price.
    pricePrecision: int
    # Step of prices.
    tickSize: Decimal
    # Lowest price; 0 = no bound.
    minPrice: Decimal
    # Highest price; 0 = no bound.
    maxPrice: Decimal
    # Most decimals of a quantity.
    quantityPrecision: int
    # Step of quantities.
    stepSize: Decimal
    # Least quantity; 0 = no bound.
    minQuantity: Decimal
    # Most quantity; 0 = no bound.
    maxQuantity: Decimal
    # Least quantity of a market order; 0 = no bound.
    marketMinQuantity: Decimal
    # Most quantity of a market order; 0 = no bound.
    marketMaxQuantity: Decimal
    # Least value of an order in the quote coin; 0 = no bound.
    minNotional: Decimal
    # Most value of an order in the quote coin; 0 = no bound.
    maxNotional: Decimal
    # How far above the last trade a limit buy may be priced.
    buyLimitUpRatio: Decimal
    # How far below the last trade a limit sell may be priced.
    sellLimitDownRatio: Decimal
    # How far from the last trade a market order may execute.
    marketDeviationRatio: Decimal
    # Fee rate of makers at tier 0.
    makerFee: Decimal
    # Fee rate of takers at tier 0.
    takerFee: Decimal
    # Share taken off positive rates on this symbol.
    feeDiscount: Decimal
    # TRADING or HALT; HALT also while the whole venue only lets cancels through.
    status: Literal["TRADING", "HALT"]
    # Price of the last trade; the listing's reference price before the first one; 0 when there is neither.
    lastTradePrice: Decimal
    # Reference price given at listing; 0 = none.
    listingReferencePrice: Decimal


@dataclass(frozen=True)
class SpotCoin(Record):
    """A listed coin."""

    # Number of the coin, `coinID` in requests; 0 is a coin too.
    id: int
    # Its name.
    name: str
    # Decimals of its amounts.
    precision: int


@dataclass(frozen=True)
class OrderBook(Record):
    """The best levels of a book."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Version of the book, rises with every change of a level.
    updateID: int
    # Buying levels, highest first.
    bids: List[Level]
    # Selling levels, lowest first.
    asks: List[Level]


@dataclass(frozen=True)
class SpotTicker(Record):
    """The last 24 hours, by whole minutes: the current minute and the 1,440 before it. The window moves also without
    trades."""

    # Name of the symbol.
    symbol: str
    # Price of the last trade; before the first one the listing reference price, "0" where there is none.
    lastPx: Decimal
    # Quantity of the last trade.
    lastSz: Decimal
    # quoteVolume / volume in the decimals of the quote coin, half up; without a trade in the window the last price.
    vwap: Decimal
    # Price of the first trade of the window; without one, of the last trade before it.
    openPx: Decimal
    # Highest price of the window.
    highPx: Decimal
    # Lowest price of the window.
    lowPx: Decimal
    # lastPx - openPx.
    change: Decimal
    # The change in percent of openPx: a number of at most 4 decimals, half away from zero.
    changePct: Decimal
    # Traded in the window, base coin.
    volume: Decimal
    # Traded in the window, quote coin.
    quoteVolume: Decimal
    # Best bid; "0" when there is none.
    bidPx: Decimal
    # Quantity at it.
    bidSz: Decimal
    # Best ask; "0" when there is none.
    askPx: Decimal
    # Quantity at it.
    askSz: Decimal
    # When the window began, ms: the start of the 1,440th minute before the current one.
    openTime: int
    # Until when it reaches, ms: engine time.
    closeTime: int


@dataclass(frozen=True)
class MiniTicker(Record):
    """The same window in few keys."""

    # Name of the symbol.
    symbol: str
    # Price of the last trade; before the first one the listing reference price, "0" where there is none.
    lastPx: Decimal
    # Price of the first trade of the window; without one, of the last trade before it.
    openPx: Decimal
    # Highest price of the window.
    highPx: Decimal
    # Lowest price of the window.
    lowPx: Decimal
    # Traded in the window, base coin.
    volume: Decimal
    # Traded in the window, quote coin.
    quoteVolume: Decimal
    # When the window began, ms: the start of the 1,440th minute before the current one.
    openTime: int
    # Until when it reaches, ms: engine time.
    closeTime: int


@dataclass(frozen=True)
class BookTicker(Record):
    """The best level of each side."""

    # Name of the symbol.
    symbol: str
    # Best bid; "0" when there is none.
    bidPx: Decimal
    # Quantity at it.
    bidSz: Decimal
    # Best ask; "0" when there is none.
    askPx: Decimal
    # Quantity at it.
    askSz: Decimal


@dataclass(frozen=True)
class RPCKline(Record):
    """A bar, aligned to UTC. A bar without trades repeats the close before it, with v and q "0" and n 0."""

    # When the bar begins, ms.
    t: int
    # Price of its first trade.
    o: Decimal
    # Highest price.
    h: Decimal
    # Lowest price.
    l: Decimal
    # Price of its last trade.
    c: Decimal
    # Traded, base coin.
    v: Decimal
    # Traded, quote coin.
    q: Decimal
    # How many trades.
    n: int


@dataclass(frozen=True)
class Trade(Record):
    """A public trade."""

    # Trade id.
    t: int
    # Time, ms.
    T: int
    # Symbol.
    s: str
    # Side of the taker.
    S: Literal["BUY", "SELL"]
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
class PerpsSymbol(Record):
    """A listed contract, its filters and terms."""

    # Number of the symbol, `symbolID` in requests.
    id: int
    # Name in paths and filters.
    name: str
    # Name for people.
    displayName: str
    # What is traded; a name only.
    baseCoin: str
    # Coin that pays and is the margin.
    quoteCoinID: int
    # Its name.
    quoteCoin: str
    # Its decimals.
    quoteCoinPrecision: int
    # Most open interest in base units; 0 = no cap.
    openInterestCap: Decimal
    # Most open interest in vUSDC at the mark price; 0 = no cap.
    openInterestCapUSD: Decimal
    # Most decimals of a price.
    pricePrecision: int
    # Step of prices.
    tickSize: Decimal
    # Lowest price; 0 = no bound.
    minPrice: Decimal
    # Highest price; 0 = no bound.
    maxPrice: Decimal
    # Most decimals of a quantity.
    quantityPrecision: int
    # Step of quantities.
    stepSize: Decimal
    # Least quantity; 0 = no bound.
    minQuantity: Decimal
    # Most quantity; 0 = no bound.
    maxQuantity: Decimal
    # Least quantity of a market order; 0 = no bound.
    marketMinQuantity: Decimal
    # Most quantity of a market order; 0 = no bound.
    marketMaxQuantity: Decimal
    # Least value of an order in vUSDC; 0 = no bound.
    minNotional: Decimal
    # Most value of an order in vUSDC; 0 = no bound.
    maxNotional: Decimal
    # How far above the mark price a limit buy may be priced.
    buyLimitUpRatio: Decimal
    # How far below the mark price a limit sell may be priced.
    sellLimitDownRatio: Decimal
    # How far from the index price a market order may execute.
    marketDeviationRatio: Decimal
    # Largest leverage.
    maxLeverage: int
    # Leverage of an account that never chose one.
    initLeverage: int
    # Margin tiers, ascending.
    marginTiers: List[MarginTier]
    # Seconds between two fundings.
    fundingInterval: int
    # Interest part of funding, per 8 hours.
    interestRate: Decimal
    # Highest rate of an hour.
    maxFundingRate: Decimal
    # Lowest rate of an hour.
    minFundingRate: Decimal
    # Fee rate of makers at tier 0.
    makerFee: Decimal
    # Fee rate of takers at tier 0.
    takerFee: Decimal
    # Share taken off positive rates on this symbol.
    feeDiscount: Decimal
    # TRADING or HALT; HALT also while the whole venue only lets cancels through.
    status: Literal["TRADING", "HALT"]
    # Price of the last trade; the listing's reference price before the first one; 0 when there is neither.
    lastTradePrice: Decimal
    # Reference price given at listing; 0 = none.
    listingReferencePrice: Decimal
    # Mark price: margins, liquidation, limit bands.
    markPrice: Decimal
    # Index price: funding, bounds of market orders.
    indexPrice: Decimal
    # Not there while the symbol is open to all. REDUCE_ONLY: only orders that reduce, in this symbol or on the whole
    # venue; SETTLING: the same, until it is settled at settlementTime; CLOSING; SETTLED.
    phase: Optional[Literal["REDUCE_ONLY", "SETTLING", "CLOSING", "SETTLED"]] = None
    # Announced instant of its settlement, ms.
    settlementTime: Optional[int] = None
    # The price it was settled at: the average of the index over the announced window.
    settlementPrice: Optional[Decimal] = None


@dataclass(frozen=True)
class MarginTier(Record):
    """A margin tier."""

    # Largest notional of the tier, vUSDC.
    maxNotionalValue: Decimal
    # Maintenance margin by notional: half the initial margin at the tier's leverage.
    maintenanceMarginRate: Decimal
    # Largest leverage in it.
    maxLeverage: int
    # Taken off the maintenance margin, so that it is the same from both sides of a bound.
    maintenanceDeduction: Decimal


@dataclass(frozen=True)
class PerpsTicker(Record):
    """The last 24 hours by whole minutes, as for spot, and the prices and rates of this moment."""

    # Name of the symbol.
    symbol: str
    # Price of the last trade; before the first one the listing reference price, "0" where there is none.
    lastPx: Decimal
    # Quantity of the last trade.
    lastSz: Decimal
    # quoteVolume / volume in the decimals of the quote coin, half up; without a trade in the window the last price.
    vwap: Decimal
    # Price of the first trade of the window; without one, of the last trade before it.
    openPx: Decimal
    # Highest price of the window.
    highPx: Decimal
    # Lowest price of the window.
    lowPx: Decimal
    # lastPx - openPx.
    change: Decimal
    # The change in percent of openPx: a number of at most 4 decimals, half away from zero.
    changePct: Decimal
    # Traded in the window, base coin.
    volume: Decimal
    # Traded in the window, quote coin.
    quoteVolume: Decimal
    # Best bid; "0" when there is none.
    bidPx: Decimal
    # Quantity at it.
    bidSz: Decimal
    # Best ask; "0" when there is none.
    askPx: Decimal
    # Quantity at it.
    askSz: Decimal
    # Rate of this hour as far as it is sampled; above 0 longs pay.
    fundingRate: Decimal
    # When it is paid, ms.
    nextFundingTime: int
    # Index price.
    indexPrice: Decimal
    # Mark price.
    markPrice: Decimal
    # Sum of all long positions, base units.
    openInterest: Decimal
    # When the window began, ms: the start of the 1,440th minute before the current one.
    openTime: int
    # Until when it reaches, ms: engine time.
    closeTime: int


@dataclass(frozen=True)
class MarkPriceTicker(Record):
    """Computed prices, and funding."""

    # Name of the symbol.
    symbol: str
    # Rate of this hour as far as it is sampled; above 0 longs pay.
    fundingRate: Decimal
    # When it is paid, ms.
    nextFundingTime: int
    # Index price.
    indexPrice: Decimal
    # Mark price.
    markPrice: Decimal
    # Sum of all long positions, base units.
    openInterest: Decimal


@dataclass(frozen=True)
class IndexComposition(Record):
    """What index and mark of a symbol are made of."""

    # Symbol.
    symbol: str
    # Its number.
    symbolID: int
    # LIVE: the median of a quorum; FALLBACK: the own spot book, slowly; STALE: frozen; BOOTSTRAP: no source has ever
    # spoken.
    state: Literal["BOOTSTRAP", "LIVE", "FALLBACK", "STALE"]
    # Whether a jump of the median is held back.
    heldBack: bool
    # Index price.
    indexPrice: Decimal
    # Mark price.
    markPrice: Decimal
    # Second in which all this was last found different, ms.
    time: int
    # Sources in the median.
    validSources: int
    # How many it takes for an index.
    quorum: int
    # All sources, valid or not.
    sources: List[IndexSource]
    # Weighted median of the valid sources; absent without a quorum.
    medianPrice: Optional[Decimal] = None
    # Median that is held back.
    candidatePrice: Optional[Decimal] = None
    # Seconds in a row that agreed on it within 1 %.
    candidateSeen: Optional[int] = None
    # Seconds in a row that it takes.
    candidateNeeded: Optional[int] = None
    # Bid that the mark was made of; absent where the book had not enough.
    bidPrice: Optional[Decimal] = None
    # Ask that the mark was made of.
    askPrice: Optional[Decimal] = None
    # Trades that the mark was made of.
    lastPrice: Optional[Decimal] = None
    # Weighted median of the sources' perpMid.
    perpMidPrice: Optional[Decimal] = None
    # First price of the mark: index plus the average distance of the book's middle.
    basisPrice: Optional[Decimal] = None
    # Second: median of bid, ask and last.
    bookPrice: Optional[Decimal] = None
    # Third: perpMidPrice, or the index with the funding that is due.
    feederPrice: Optional[Decimal] = None
    # Median of the three, before the band around the index and the step of a second.
    rawMarkPrice: Optional[Decimal] = None


@dataclass(frozen=True)
class IndexSource(Record):
    """A source of an index price."""

    # FEEDER: signed posts; HAND: set by hand, in development; SPOT_BOOK: the middle of the own spot book, asked only
    # when the others are too few.
    type: Literal["FEEDER", "HAND", "SPOT_BOOK"]
    # Weight in the median; 0 for the spot book, which is not in it.
    weight: int
    # Whether it counted in that second.
    valid: bool
    # FEEDER: the address that signs its posts.
    address: Optional[str] = None
    # SPOT_BOOK: name of the spot market.
    symbol: Optional[str] = None
    # Its last price; absent before the first one.
    price: Optional[Decimal] = None
    # Middle of the perpetual elsewhere, posted with it.
    perpMid: Optional[Decimal] = None
    # When it came, ms.
    updatedAt: Optional[int] = None
    # How old it is, ms: now, or at the time of the receipt; absent before the first one.
    age: Optional[int] = None


@dataclass(frozen=True)
class Liquidation(Record):
    """Receipt of one stage of a liquidation, with everything it was decided by."""

    # Number of the receipt, over all symbols.
    receiptID: int
    # Number of the liquidation that the stage belongs to.
    liquidationID: int
    # Symbol.
    symbol: str
    # Its number.
    symbolID: int
    # When it happened, ms.
    time: int
    # Block of it.
    block: int
    # Transaction of it.
    txHash: str
    # BOOK: sold in the book; TAKEOVER: taken by the fund; ADL: closed against the other side.
    stage: Literal["BOOK", "TAKEOVER", "ADL"]
    # Which order, or position, of the unit in this second, from 1.
    round: int
    # Whether the fund's own position was closed.
    fund: bool
    # CROSS: the unit is all cross positions and the wallet; ISOLATED: this position and its margin.
    marginMode: Literal["ISOLATED", "CROSS"]
    # Side of the closing order.
    side: Literal["BUY", "SELL"]
    # Size of the position before; negative is short.
    sizeBefore: Decimal
    # What this stage closed of it.
    quantity: Decimal
    # Equity of the unit at mark, before. TAKEOVER, ADL: the part of its positions that are not suspended, by
    # maintenance margin.
    equity: Decimal
    # Maintenance margin of the same, before; liquidation begins when equity is less.
    maintenance: Decimal
    # Equity of the same with every position at the worse of its mark and index.
    equityAtWorse: Decimal
    # Maintenance margin of this position alone.
    positionMaintenance: Decimal
    # The position's share of the unit's equity, by its part of the maintenance margin: at mark, for ADL at
    # worsePrice.
    share: Decimal
    # Mark price of that second.
    markPrice: Decimal
    # Index price of that second.
    indexPrice: Decimal
    # Where the index came from.
    indexState: Literal["BOOTSTRAP", "LIVE", "FALLBACK", "STALE"]
    # t: the worse of mark and index for the account.
    worsePrice: Decimal
    # Price at which the share is used up.
    bankruptcyPrice: Decimal
    # What was paid per unit, rounded down.
    price: Decimal
    # What was paid in all, vUSDC.
    value: Decimal
    # Distance of price from mark as a ratio; above 0 is worse for the account.
    slippage: Decimal
    # What the fund lost by it, charged to its day.
    fundCharge: Decimal
    # Wallet of the fund before.
    fundBefore: Decimal
    # Wallet of the fund after.
    fundAfter: Decimal
    # ADL: rows of the ranking, read with /liquidations/ranking.
    candidates: int
    # What index and mark were made of.
    composition: IndexComposition
    # keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
    # (numbers as 8 bytes, big endian): an owner knows its own.
    account: Optional[str] = None
    # BOOK: the quantity to be closed.
    wantedQuantity: Optional[Decimal] = None
    # BOOK: worst price that was allowed.
    limitPrice: Optional[Decimal] = None
    # TAKEOVER, ADL: the rest of the fund's limit of loss on the symbol that day, before.
    fundSymbolBudget: Optional[Decimal] = None
    # TAKEOVER, ADL: the rest of its limit for all symbols, before.
    fundTotalBudget: Optional[Decimal] = None
    # TAKEOVER, ADL: value of the fund's position in the symbol if it took this one.
    fundInventory: Optional[Decimal] = None
    # TAKEOVER, ADL: the most it may be; absent without a limit.
    fundInventoryLimit: Optional[Decimal] = None
    # TAKEOVER, ADL: value of all that the fund would hold.
    fundCarries: Optional[Decimal] = None
    # TAKEOVER, ADL: the fund's equity if it took it.
    fundEquity: Optional[Decimal] = None
    # ADL: why the fund did not take the unit.
    fundRefusal: Optional[List[FundRefusal]] = None


@dataclass(frozen=True)
class LiquidationRank(Record):
    """A place in the ranking of an ADL."""

    # Receipt that the ranking belongs to.
    receiptID: int
    # Place, from 0: the lower, the sooner it takes a part.
    rank: int
    # 0 the fund; 1 to 5 the lights, in queue mode the place in the queue; 6 without profit. A group shares by size.
    group: int
    # Whether it is the insurance fund.
    fund: bool
    # Profit by cost times leverage; 0 without profit.
    score: Decimal
    # Leverage of its unit at mark.
    leverage: Decimal
    # Size of its position before, without sign.
    size: Decimal
    # Whether its group was reached.
    reached: bool
    # Its share.
    taken: Decimal
    # What its share was booked at, vUSDC.
    value: Decimal
    # keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
    # (numbers as 8 bytes, big endian): an owner knows its own.
    account: Optional[str] = None
    # Most that its unit could take at the price; absent when nothing or when its group was not reached.
    bears: Optional[Decimal] = None


@dataclass(frozen=True)
class InsuranceFund(Record):
    """The insurance fund."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Coin of all amounts.
    coin: str
    # Wallet of the fund.
    balance: Decimal
    # Its wallet and the unrealized profit of its positions, as of updatedAt.
    equity: Decimal
    # Whether equity is below zero: then nothing leaves the venue.
    insolvent: bool
    # Value of all its positions at mark.
    inventory: Decimal
    # The most that its equity carries; 0 = no limit.
    inventoryLimit: Decimal
    # UTC day of dayLoss, begin in ms.
    day: int
    # Charged to the day over all symbols.
    dayLoss: Decimal
    # The most that may be charged to one day.
    dayLossLimit: Decimal
    # Lost that day in deleveraging, beside what was charged; no limit applies.
    dayBeyond: Decimal
    # When positions, limits and losses were last found different, ms.
    updatedAt: int
    # All symbols, by id.
    symbols: List[InsuranceFundSymbol]
    # The last 30 UTC days, newest first; none before the venue began.
    days: List[InsuranceFundDay]


@dataclass(frozen=True)
class InsuranceFundSymbol(Record):
    """What the insurance fund has in a symbol."""

    # Symbol.
    symbol: str
    # Its number.
    symbolID: int
    # Position of the fund; negative is short.
    size: Decimal
    # Its value at mark.
    inventory: Decimal
    # The most it may be; 0 = no limit.
    inventoryLimit: Decimal
    # Charged to the day on this symbol.
    dayLoss: Decimal
    # The most that may be charged on it to one day.
    dayLossLimit: Decimal
    # Lost that day in deleveraging, beside what was charged; no limit applies.
    dayBeyond: Decimal


@dataclass(frozen=True)
class InsuranceFundDay(Record):
    """A UTC day of the insurance fund: end = begin - paid + received."""

    # Begin of the UTC day, ms.
    day: int
    # Balance at its begin.
    begin: Decimal
    # Balance at its end, or now.
    end: Decimal
    # All that went out of the wallet.
    paid: Decimal
    # All that came in.
    received: Decimal
    # Charged to the day by take-overs and by what unwinding brought less.
    loss: Decimal
    # Lost in deleveraging, beside what was charged.
    beyond: Decimal


@dataclass(frozen=True)
class PerpsCoin(Record):
    """A listed coin, as collateral."""

    # Number of the coin, `coinID` in requests; 0 is a coin too.
    id: int
    # Its name.
    name: str
    # Decimals of its amounts.
    precision: int
    # Share of its value that counts as collateral: 1 for vUSDC, 0 for the others.
    marginRatio: Decimal
    # What one is worth in vUSDC; only of collateral.
    price: Optional[Decimal] = None


@dataclass(frozen=True)
class SpotAccountBalances(Record):
    """Balances of an account."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Every coin the account ever held, by coin id.
    balances: List[SpotBalance]


@dataclass(frozen=True)
class SpotBalance(Record):
    """A coin of an account."""

    # Coin id.
    id: int
    # Coin name.
    coin: str
    # Everything, the locked part included.
    total: Decimal
    # Held for open orders.
    locked: Decimal


@dataclass(frozen=True)
class SpotAccountOpenOrder(Record):
    """Open orders of an account."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Open orders, newest first.
    orders: List[SpotOrder]


@dataclass(frozen=True)
class SpotOrder(Record):
    """An order."""

    # Symbol.
    symbol: str
    # Number of the order.
    orderID: int
    # The client's own id.
    clOrdID: str
    # BUY or SELL.
    side: Literal["BUY", "SELL"]
    # LIMIT or MARKET.
    type: Literal["LIMIT", "MARKET"]
    # GTC, IOC or GTX.
    timeInForce: Literal["GTC", "FOK", "IOC", "GTX"]
    # Where the order stands.
    status: Literal["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "PENDING_NEW", "TRIGGERED"]
    # Executed so far, base coin.
    executedQty: Decimal
    # Executed so far, quote coin.
    executedValue: Decimal
    # Locked for the rest, in the coin being spent.
    marginFrozen: Decimal
    # Accepted, ms.
    createdAt: int
    # Last change, ms.
    updatedAt: int
    # Price; absent for a market order without one.
    price: Optional[Decimal] = None
    # Quantity ordered; absent for an order by funds.
    origQty: Optional[Decimal] = None
    # Quote amount of a market buy by funds.
    funds: Optional[Decimal] = None
    # Why an order ended other than by being filled.
    reason: Optional[Literal[
        "USER", "IOC_REMAINDER", "PRICE_BOUND", "NO_LIQUIDITY", "FUNDS_DUST", "SELF_TRADE", "SCHEDULED_CANCEL",
        "POST_ONLY_WOULD_CROSS", "OPERATOR", "PARENT_CANCELED", "POSITION_CLOSED", "OCO_SIBLING",
        "MARGIN_INSUFFICIENT", "INSUFFICIENT_MARGIN", "LIQUIDATION", "REDUCE_ONLY_TRIM", "OPEN_INTEREST_CAP",
        "SETTLEMENT", "TAKEOVER", "ADL", "ADL_BANKRUPT", "FLIP", "BANKRUPTCY_BOUND", "REDUCE_ONLY", "ORACLE_STALE",
        "SYMBOL_HALTED", "LEVERAGE_TIER", "IN_LIQUIDATION", "CAPACITY",
    ]] = None


@dataclass(frozen=True)
class WsSpotState(Record):
    """Balances and open orders of one instant, for front ends."""

    # The address of the request.
    user: str
    # Account id; 0 when the address has none.
    aid: int
    # User id; 0 when the address has none.
    uid: int
    # Balances.
    B: List[WsSpotStateBalance]
    # Open orders, newest first.
    O: List[WsSpotStateOrder]
    # Running TWAPs; always empty.
    TO: List[WsSpotStateTwap]
    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int


@dataclass(frozen=True)
class WsSpotStateBalance(Record):
    """A coin of an account, short keys."""

    # Coin id.
    i: int
    # Coin name.
    a: str
    # Everything, the locked part included.
    t: Decimal
    # Held for open orders.
    l: Decimal


@dataclass(frozen=True)
class WsSpotStateOrder(Record):
    """An open order, short keys."""

    # Symbol.
    s: str
    # The client's own id.
    c: str
    # Number of the order.
    i: int
    # BUY or SELL.
    S: Literal["BUY", "SELL"]
    # LIMIT or MARKET.
    o: Literal["LIMIT", "MARKET"]
    # GTC, IOC or GTX.
    f: Literal["GTC", "FOK", "IOC", "GTX"]
    # Price; "0" where there is none.
    p: Decimal
    # Quantity ordered; "0" of an order by funds.
    q: Decimal
    # Quote amount of a market buy by funds.
    F: Optional[Decimal]
    # Where the order stands.
    X: Literal["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "PENDING_NEW", "TRIGGERED"]
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


@dataclass(frozen=True)
class WsSpotStateTwap(Record):
    """A running TWAP; none are offered."""

    # Number of the TWAP.
    i: int


@dataclass(frozen=True)
class PerpsAccountBalance(Record):
    """Wallet balances of an account."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Every coin the wallet ever held.
    balances: List[PerpsBalance]


@dataclass(frozen=True)
class PerpsBalance(Record):
    """A coin of a perps wallet."""

    # Coin id.
    id: int
    # Coin name.
    coin: str
    # Wallet balance; below 0 while unrealized profit covers it.
    total: Decimal
    # What it counts as collateral, vUSDC.
    collateral: Decimal
    # Share of its value that counts.
    marginRatio: Decimal
    # What one is worth in vUSDC.
    price: Decimal
    # Needed as margin by cross positions and by open orders.
    locked: Decimal


@dataclass(frozen=True)
class PerpsAccountOpenOrder(Record):
    """Open orders of an account."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Open orders, stops that wait included, newest first.
    orders: List[PerpsOrder]


@dataclass(frozen=True)
class PerpsOrder(Record):
    """An order."""

    # Symbol.
    symbol: str
    # Number of the order.
    orderID: int
    # The client's own id.
    clOrdID: str
    # BUY or SELL.
    side: Literal["BUY", "SELL"]
    # LIMIT or MARKET; of a stop, the type that it becomes.
    type: Literal["LIMIT", "MARKET"]
    # GTC, IOC or GTX.
    timeInForce: Literal["GTC", "FOK", "IOC", "GTX"]
    # Where the order stands; NEW for a stop that waits.
    status: Literal["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "PENDING_NEW", "TRIGGERED"]
    # Executed so far, base units.
    executedQty: Decimal
    # Executed so far, vUSDC.
    executedValue: Decimal
    # What it adds to the margin its symbol needs; 0 for a stop that waits, for what only reduces, and for what would
    # close.
    marginFrozen: Decimal
    # BOTH.
    positionSide: Literal["BOTH", "LONG", "SHORT"]
    # Whether it may only reduce a position.
    reduceOnly: bool
    # NORMAL, STOP, BRACKET or ATTACHED_STOP.
    modifier: Literal["NORMAL", "STOP", "BRACKET", "ATTACHED_STOP"]
    # Accepted, ms.
    createdAt: int
    # Last change, ms.
    updatedAt: int
    # Price; absent for a market order without one.
    price: Optional[Decimal] = None
    # Quantity ordered; absent for an order by funds, for a stop that closes the whole position, and for an attached
    # one before its parent's first fill.
    origQty: Optional[Decimal] = None
    # vUSDC amount of a market buy by funds.
    funds: Optional[Decimal] = None
    # Price that triggers it.
    stopPrice: Optional[Decimal] = None
    # STOP_LOSS or TAKE_PROFIT.
    stopType: Optional[Literal["STOP_LOSS", "TAKE_PROFIT"]] = None
    # Which price triggers it.
    triggerType: Optional[Literal["LAST_PRICE", "MARK_PRICE", "INDEX_PRICE"]] = None
    # Position that a TP/SL is tied to; an attached one has none before its parent's first fill.
    positionID: Optional[int] = None
    # Order that it is attached to.
    primaryOrderID: Optional[int] = None
    # Orders attached to it that are not over.
    attachedOrderIDs: Optional[List[OrderID]] = None
    # Why an order ended other than by being filled.
    reason: Optional[Literal[
        "USER", "IOC_REMAINDER", "PRICE_BOUND", "NO_LIQUIDITY", "FUNDS_DUST", "SELF_TRADE", "SCHEDULED_CANCEL",
        "POST_ONLY_WOULD_CROSS", "OPERATOR", "PARENT_CANCELED", "POSITION_CLOSED", "OCO_SIBLING",
        "MARGIN_INSUFFICIENT", "INSUFFICIENT_MARGIN", "LIQUIDATION", "REDUCE_ONLY_TRIM", "OPEN_INTEREST_CAP",
        "SETTLEMENT", "TAKEOVER", "ADL", "ADL_BANKRUPT", "FLIP", "BANKRUPTCY_BOUND", "REDUCE_ONLY", "ORACLE_STALE",
        "SYMBOL_HALTED", "LEVERAGE_TIER", "IN_LIQUIDATION", "CAPACITY",
    ]] = None


@dataclass(frozen=True)
class PerpsAccountOpenPosition(Record):
    """Open positions of an account."""

    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int
    # Open positions, newest first.
    positions: List[Position]
    # The same, for older clients.
    orders: List[Position]


@dataclass(frozen=True)
class Position(Record):
    """A position, open or closed."""

    # Number of the position.
    id: int
    # Symbol.
    symbol: str
    # CROSS or ISOLATED.
    marginMode: Literal["ISOLATED", "CROSS"]
    # BOTH: the sign of size gives the side.
    side: Literal["BOTH", "LONG", "SHORT"]
    # The same.
    positionSide: Literal["BOTH", "LONG", "SHORT"]
    # Size; negative is short, 0 is closed.
    size: Decimal
    # Initial margin at the mark price; 0 once closed.
    initialMargin: Decimal
    # Average entry price: of the open size, or, once closed, of all openings.
    avgEntryPrice: Decimal
    # Value of all that was opened.
    cumOpenCost: Decimal
    # Fees of all trades.
    cumTradingFee: Decimal
    # Size of all that was closed.
    cumClosedSize: Decimal
    # Average price of closings; 0 before the first.
    avgClosePrice: Decimal
    # Largest size there was.
    maxSize: Decimal
    # Realized profit or loss, net of fees, funding and liquidation.
    realizedPnL: Decimal
    # Leverage.
    leverage: int
    # Whether it is open.
    active: bool
    # Whether the insurance fund took it over.
    isTakenOver: bool
    # At what price; 0 if not.
    takeOverPrice: Decimal
    # Opened, ms.
    createdAt: int
    # Last change, ms; of a closed one, its end.
    updatedAt: int
    # Number of the symbol.
    symbolID: int
    # Account.
    accountID: int
    # The same as size.
    quantity: Decimal
    # The same as avgEntryPrice.
    entryPrice: Decimal
    # Mark price; 0 once closed.
    markPrice: Decimal
    # Mark price at which liquidation begins, as things stand; 0 = none.
    liquidationPrice: Decimal
    # Unrealized profit or loss at the mark price.
    unrealizedPnl: Decimal
    # An isolated position's own margin; of a cross one its initial margin.
    margin: Decimal
    # Why it was closed: USER, FLIP, LIQUIDATION, TAKEOVER, ADL, ADL_BANKRUPT or SETTLEMENT.
    reason: Optional[Literal[
        "USER", "IOC_REMAINDER", "PRICE_BOUND", "NO_LIQUIDITY", "FUNDS_DUST", "SELF_TRADE", "SCHEDULED_CANCEL",
        "POST_ONLY_WOULD_CROSS", "OPERATOR", "PARENT_CANCELED", "POSITION_CLOSED", "OCO_SIBLING",
        "MARGIN_INSUFFICIENT", "INSUFFICIENT_MARGIN", "LIQUIDATION", "REDUCE_ONLY_TRIM", "OPEN_INTEREST_CAP",
        "SETTLEMENT", "TAKEOVER", "ADL", "ADL_BANKRUPT", "FLIP", "BANKRUPTCY_BOUND", "REDUCE_ONLY", "ORACLE_STALE",
        "SYMBOL_HALTED", "LEVERAGE_TIER", "IN_LIQUIDATION", "CAPACITY",
    ]] = None
    # Number of the liquidation that closed it, the same as in its receipts (/perps/liquidations); else absent.
    liquidationID: Optional[int] = None


@dataclass(frozen=True)
class WsPerpsState(Record):
    """Margins, balances, orders and positions of one instant, for front ends."""

    # The address of the request.
    user: str
    # Account id; 0 when the address has none.
    aid: int
    # User id; 0 when the address has none.
    uid: int
    # Value of the cross account: wallet and unrealized profit or loss of cross positions.
    av: Decimal
    # Maintenance margin of the cross account.
    mm: Decimal
    # mm / av, rounded up to 8 decimals, liquidation above 1; 0 without a position, 1000000 when av is not above 0.
    mmr: Decimal
    # Available margin, cross.
    am: Decimal
    # Available margin, isolated.
    ami: Decimal
    # Available for transfer out.
    amw: Decimal
    # Margin of isolated positions.
    im: Decimal
    # Initial margin of cross positions.
    cm: Decimal
    # Margin frozen by open orders on isolated symbols.
    oim: Decimal
    # Margin frozen by open orders on cross symbols.
    ocm: Decimal
    # Balances.
    B: List[WsPerpsStateBalance]
    # Open orders, newest first, at most 100.
    O: List[WsPerpsStateOrder]
    # Open positions by symbol id.
    P: List[WsPerpsStatePosition]
    # Leverage and margin mode by symbol.
    S: List[WsPerpsStateSetting]
    # Running TWAPs; always empty.
    TO: List[WsSpotStateTwap]
    # Time of the last applied block, ms.
    blockTime: int
    # Number of the last applied block.
    blockHeight: int


@dataclass(frozen=True)
class WsPerpsStateBalance(Record):
    """A coin of a perps wallet, short keys."""

    # Coin id.
    i: int
    # Coin name.
    a: str
    # Wallet balance.
    wb: Decimal
    # What it counts as collateral, vUSDC.
    co: Decimal
    # Share of its value that counts.
    mr: Decimal
    # What one is worth in vUSDC.
    px: Decimal
    # Isolated margin taken from this wallet.
    iw: Decimal
    # Available for margin.
    aw: Decimal
    # Available for transfer out.
    at: Decimal
    # The same, for older clients.
    ww: Decimal
    # Wallet margin.
    wm: Decimal
    # Available margin.
    am: Decimal


@dataclass(frozen=True)
class WsPerpsStateOrder(Record):
    """An open perps order, short keys."""

    # Symbol.
    s: str
    # The client's own id.
    c: str
    # Number of the order.
    i: int
    # BUY or SELL.
    S: Literal["BUY", "SELL"]
    # LIMIT or MARKET.
    o: Literal["LIMIT", "MARKET"]
    # GTC, IOC or GTX.
    f: Literal["GTC", "FOK", "IOC", "GTX"]
    # Price; "0" where there is none.
    p: Decimal
    # Quantity ordered; "0" of an order by funds and of a stop for the whole position.
    q: Decimal
    # vUSDC amount of a market buy by funds.
    F: Optional[Decimal]
    # Where the order stands.
    X: Literal["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "PENDING_NEW", "TRIGGERED"]
    # Executed so far.
    z: Decimal
    # Executed so far, vUSDC.
    v: Decimal
    # Margin frozen for the rest.
    M: Decimal
    # Accepted, ms.
    ct: int
    # Last change, ms.
    ut: int
    # BOTH.
    ps: Literal["BOTH", "LONG", "SHORT"]
    # Whether it may only reduce a position.
    R: bool
    # Price that triggers it.
    sp: Optional[Decimal] = None
    # STOP_LOSS or TAKE_PROFIT.
    st: Optional[Literal["STOP_LOSS", "TAKE_PROFIT"]] = None
    # Which price triggers it.
    tt: Optional[Literal["LAST_PRICE", "MARK_PRICE", "INDEX_PRICE"]] = None
    # Position it belongs to.
    pid: Optional[int] = None
    # Order it is attached to.
    poid: Optional[int] = None
    # Orders attached to it that are not over.
    aoids: Optional[List[OrderID]] = None


@dataclass(frozen=True)
class WsPerpsStatePosition(Record):
    """A position, short keys."""

    # Number of the position.
    i: int
    # Symbol.
    s: str
    # CROSS or ISOLATED.
    m: Literal["ISOLATED", "CROSS"]
    # BOTH.
    ps: Literal["BOTH", "LONG", "SHORT"]
    # Size; negative is short.
    sz: Decimal
    # Margin of an isolated position.
    iw: Optional[Decimal]
    # Average entry price.
    ep: Decimal
    # Value of all that was opened.
    co: Decimal
    # Cumulative fees.
    cf: Decimal
    # Cumulative size closed.
    cc: Decimal
    # Average price of closings.
    cp: Decimal
    # Largest size.
    ms: Decimal
    # Realized profit or loss, net of fees and funding.
    cr: Decimal
    # Unrealized profit or loss at the mark price.
    ur: Decimal
    # Leverage.
    l: int
    # Mark price at which liquidation begins; 0 = none.
    lp: Decimal
    # How soon it would be closed in auto-deleveraging: 1 (first) to 5 among those in profit, 6 without profit.
    adl: int
    # Opened, ms.
    ct: int
    # Last change, ms.
    ut: int


@dataclass(frozen=True)
class WsPerpsStateSetting(Record):
    """What an account chose for a symbol."""

    # Symbol.
    s: str
    # Leverage.
    l: int
    # CROSS or ISOLATED.
    m: Literal["ISOLATED", "CROSS"]


@dataclass(frozen=True)
class APIKey(Record):
    """A registered API key."""

    # Name, for `X-API-Key`.
    name: str
    # EVM.
    type: Literal["EVM"]
    # Address of the key pair.
    publicKey: str
    # Unix milliseconds; 0 = never.
    expiresAt: int
    # What it may not do: 1 trade, 2 cancel, 4 withdraw, 8 transfer, added up; 0 = it may do all of it.
    permissions: int


@dataclass(frozen=True)
class FeeRate(Record):
    """What trading costs a user."""

    # Rate as maker; negative is paid to the maker.
    makerFeeRate: Decimal
    # Rate as taker.
    takerFeeRate: Decimal
    # Tier by volume.
    feeTier: int
    # Tier by staking.
    stakingTier: int
    # Tier by share of maker volume.
    makerRebateTier: int
    # When a symbol is given: its discount, already in the rates.
    feeDiscount: Optional[Decimal] = None


@dataclass(frozen=True)
class PerpsUserFunding(Record):
    """What a position paid or got at an hour."""

    # Symbol.
    symbol: str
    # Position that paid or got it.
    positionID: int
    # BOTH.
    positionSide: Literal["BOTH", "LONG", "SHORT"]
    # Above 0 it was paid, below 0 received.
    fundingFee: Decimal
    # vUSDC.
    feeCoin: str
    # Time, ms.
    timestamp: int
    # Rate of the hour.
    fundingRate: Decimal


@dataclass(frozen=True)
class AccountLiquidation(Record):
    """A receipt as the account reads it that was in it."""

    # LIQUIDATED: it was this account's position; DELEVERAGED: this account took a part of it.
    role: Literal["LIQUIDATED", "DELEVERAGED"]
    # The account of the request.
    accountID: int
    # Number of the receipt, over all symbols.
    receiptID: int
    # Number of the liquidation that the stage belongs to.
    liquidationID: int
    # Symbol.
    symbol: str
    # Its number.
    symbolID: int
    # When it happened, ms.
    time: int
    # Block of it.
    block: int
    # Transaction of it.
    txHash: str
    # BOOK: sold in the book; TAKEOVER: taken by the fund; ADL: closed against the other side.
    stage: Literal["BOOK", "TAKEOVER", "ADL"]
    # Which order, or position, of the unit in this second, from 1.
    round: int
    # Whether the fund's own position was closed.
    fund: bool
    # CROSS: the unit is all cross positions and the wallet; ISOLATED: this position and its margin.
    marginMode: Literal["ISOLATED", "CROSS"]
    # Side of the closing order.
    side: Literal["BUY", "SELL"]
    # Size of the position before; negative is short.
    sizeBefore: Decimal
    # What this stage closed of it.
    quantity: Decimal
    # Equity of the unit at mark, before. TAKEOVER, ADL: the part of its positions that are not suspended, by
    # maintenance margin.
    equity: Decimal
    # Maintenance margin of the same, before; liquidation begins when equity is less.
    maintenance: Decimal
    # Equity of the same with every position at the worse of its mark and index.
    equityAtWorse: Decimal
    # Maintenance margin of this position alone.
    positionMaintenance: Decimal
    # The position's share of the unit's equity, by its part of the maintenance margin: at mark, for ADL at
    # worsePrice.
    share: Decimal
    # Mark price of that second.
    markPrice: Decimal
    # Index price of that second.
    indexPrice: Decimal
    # Where the index came from.
    indexState: Literal["BOOTSTRAP", "LIVE", "FALLBACK", "STALE"]
    # t: the worse of mark and index for the account.
    worsePrice: Decimal
    # Price at which the share is used up.
    bankruptcyPrice: Decimal
    # What was paid per unit, rounded down.
    price: Decimal
    # What was paid in all, vUSDC.
    value: Decimal
    # Distance of price from mark as a ratio; above 0 is worse for the account.
    slippage: Decimal
    # What the fund lost by it, charged to its day.
    fundCharge: Decimal
    # Wallet of the fund before.
    fundBefore: Decimal
    # Wallet of the fund after.
    fundAfter: Decimal
    # ADL: rows of the ranking, read with /liquidations/ranking.
    candidates: int
    # What index and mark were made of.
    composition: IndexComposition
    # LIQUIDATED: its position.
    positionID: Optional[int] = None
    # DELEVERAGED: its own row of the ranking.
    own: Optional[List[LiquidationRank]] = None
    # keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
    # (numbers as 8 bytes, big endian): an owner knows its own.
    account: Optional[str] = None
    # BOOK: the quantity to be closed.
    wantedQuantity: Optional[Decimal] = None
    # BOOK: worst price that was allowed.
    limitPrice: Optional[Decimal] = None
    # TAKEOVER, ADL: the rest of the fund's limit of loss on the symbol that day, before.
    fundSymbolBudget: Optional[Decimal] = None
    # TAKEOVER, ADL: the rest of its limit for all symbols, before.
    fundTotalBudget: Optional[Decimal] = None
    # TAKEOVER, ADL: value of the fund's position in the symbol if it took this one.
    fundInventory: Optional[Decimal] = None
    # TAKEOVER, ADL: the most it may be; absent without a limit.
    fundInventoryLimit: Optional[Decimal] = None
    # TAKEOVER, ADL: value of all that the fund would hold.
    fundCarries: Optional[Decimal] = None
    # TAKEOVER, ADL: the fund's equity if it took it.
    fundEquity: Optional[Decimal] = None
    # ADL: why the fund did not take the unit.
    fundRefusal: Optional[List[FundRefusal]] = None


@dataclass(frozen=True)
class UserTrade(Record):
    """One side of a trade, as its account sees it."""

    # Symbol.
    symbol: str
    # Trade id.
    tradeID: int
    # The account's order.
    orderID: int
    # Its client id.
    clOrdID: str
    # The account's side.
    side: Literal["BUY", "SELL"]
    # Price.
    price: Decimal
    # Quantity.
    quantity: Decimal
    # Fee in feeCoin; negative was paid to the account.
    fee: Decimal
    # Coin of the fee: the one received; of a maker with a rebate the one its taker received.
    feeCoin: str
    # Time, ms.
    time: int
    # Whether the account's order rested.
    isMaker: bool
    # Perps: LIQUIDATION, TAKEOVER, ADL or SETTLEMENT for a forced fill; the last three have no order.
    reason: Optional[Literal[
        "USER", "IOC_REMAINDER", "PRICE_BOUND", "NO_LIQUIDITY", "FUNDS_DUST", "SELF_TRADE", "SCHEDULED_CANCEL",
        "POST_ONLY_WOULD_CROSS", "OPERATOR", "PARENT_CANCELED", "POSITION_CLOSED", "OCO_SIBLING",
        "MARGIN_INSUFFICIENT", "INSUFFICIENT_MARGIN", "LIQUIDATION", "REDUCE_ONLY_TRIM", "OPEN_INTEREST_CAP",
        "SETTLEMENT", "TAKEOVER", "ADL", "ADL_BANKRUPT", "FLIP", "BANKRUPTCY_BOUND", "REDUCE_ONLY", "ORACLE_STALE",
        "SYMBOL_HALTED", "LEVERAGE_TIER", "IN_LIQUIDATION", "CAPACITY",
    ]] = None
    # True when both accounts belong to one user: no volume for a tier, no rebate; else absent.
    self: Optional[bool] = None
    # Perps: number of the liquidation whose stage made it, the same as in its receipts (/perps/liquidations); else
    # absent.
    liquidationID: Optional[int] = None


@dataclass(frozen=True)
class OrderResult(Record):
    """What became of one item of a batch."""

    # 0 = done.
    code: int
    # The item's clOrdID.
    clOrdID: str
    # Text, only when code is not 0.
    error: Optional[str] = None
    # The order, only when code is 0.
    orderID: Optional[int] = None
    # Cancels: the order's own clOrdID.
    origClOrdID: Optional[str] = None
    # Status of the order after the item.
    status: Optional[Literal[
        "NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "PENDING_NEW", "TRIGGERED",
    ]] = None
    # The same text as error.
    message: Optional[str] = None
    # What exactly went wrong.
    details: Optional[Details] = None
    # The item was accepted, but: STOP_BEYOND_LIQUIDATION = at the present figures the position is liquidated before
    # this stop-loss triggers.
    warning: Optional[str] = None


@dataclass(frozen=True)
class Details(Record):
    """What exactly went wrong; only keys that apply are there."""

    # The rule that was not met.
    rule: Optional[str] = None
    # The key, parameter or header at fault; `orders` for a number of orders, `notional` for a value.
    field: Optional[str] = None
    # What came; of 42001 and 42002 what there is, and of a margin that is added or removed what was asked for.
    got: Optional[str] = None
    # The value required. Of 42028 the condition that the account waits for: mode RUN, or its symbol TRADING, LIVE,
    # LIVE with no price held back, or without a position.
    need: Optional[str] = None
    # Why a nonce was refused: malformed, used, too small, too old, too far ahead.
    reason: Optional[str] = None
    # Engine time that decided, ms.
    serverTime: Optional[int] = None
    # Signed writes: "not used" when the nonce can be sent again.
    nonce: Optional[str] = None
    # Nonce used by the same payload: hash of the transaction it became.
    hash: Optional[str] = None
    # Its block.
    block: Optional[int] = None
    # Its index in the block.
    index: Optional[int] = None
    # Development mode: what most likely went wrong with the signature.
    cause: Optional[str] = None
    # Development mode: the text that was hashed.
    hashed: Optional[str] = None
    # Development mode: the digest made from it.
    digest: Optional[str] = None
    # Development mode: the chain id in the digest.
    chainID: Optional[int] = None
    # Development mode: the address that signed this digest.
    recovered: Optional[str] = None


@dataclass(frozen=True)
class LeverageResult(Record):
    """Leverage and margin mode of an account on a symbol, as they are now."""

    # Symbol.
    symbol: str
    # Number of the symbol.
    symbolID: int
    # Leverage from now on.
    leverage: int
    # CROSS or ISOLATED.
    marginMode: Literal["ISOLATED", "CROSS"]


@dataclass(frozen=True)
class TransferResult(Record):
    """A transfer that was carried out."""

    # The request's id.
    id: int


@dataclass(frozen=True)
class ServerTime(Record):
    """What time it is here."""

    # Engine time, ms; the same as the envelope's timestamp.
    serverTime: int


@dataclass(frozen=True)
class UserStatus(Record):
    """Whether an address is a user."""

    # Active, or UserNotFound.
    status: str
    # User id; 0 when the address has none.
    userID: int


@dataclass(frozen=True)
class Subaccounts(Record):
    """Accounts of a user."""

    # User id; 0 when the address has none.
    userID: int
    # Account that is meant when a request names none.
    primaryAccountID: int
    # All accounts of the user by id, the primary one too.
    subaccounts: List[Subaccount]


@dataclass(frozen=True)
class Subaccount(Record):
    """An account of a user."""

    # Account id.
    id: int
    # Address of the owner.
    evmAddress: str


@dataclass(frozen=True)
class UserAPIKeys(Record):
    """All API keys of a user."""

    # Keys that sign on spot.
    spot: List[APIKey]
    # Keys that sign on perps; the same ones.
    perps: List[APIKey]


@dataclass(frozen=True)
class UserTransactionQuota(Record):
    """What a user did so far."""

    # User id; 0 when the address has none.
    userID: int
    # Writes of the user that became transactions, cancels among them.
    cumulativeTxNum: int
    # Cancel requests among them.
    cumulativeCancelNum: int
    # Traded value in vUSDC, as maker and as taker.
    cumulativeVolume: Decimal
    # No quota is enforced: the largest number that every client reads exactly.
    transactionQuota: int
    # cumulativeTxNum.
    transactionQuotaUsed: int
    # What is left of it.
    transactionQuotaRemaining: int
    # Always true.
    transactionQuotaOverridden: bool
    # As transactionQuota.
    cancelQuota: int
    # cumulativeCancelNum.
    cancelQuotaUsed: int
    # What is left of it.
    cancelQuotaRemaining: int


@dataclass(frozen=True)
class Health(Record):
    """Health"""

    # "ok".
    status: str


@dataclass(frozen=True)
class Ready(Record):
    """Ready"""

    # "ok".
    status: str
    # Of several nodes with one log: the name of this one.
    node: Optional[str] = None
    # leader, leading (about to) or follower.
    role: Optional[str] = None
    # Number of the leadership that this node knows.
    term: Optional[int] = None
    # Number of the last command that this node shows.
    sequence: Optional[int] = None
    # Number of the last block that it shows.
    block: Optional[int] = None
    # Commands by which it is behind what the leader last told.
    lag: Optional[int] = None
    # Remaining time of the leader's lease; 0 = no node leads.
    leaseMs: Optional[int] = None
    # URL of the node that leads.
    leader: Optional[str] = None
    # The last block at which nodes compare their states.
    hashBlock: Optional[int] = None
    # Hash of the state behind that block.
    stateHash: Optional[str] = None


@dataclass(frozen=True)
class Version(Record):
    """Version"""

    # "dojima".
    name: str
    # Version of the program.
    version: str
    # The chain id to sign for.
    chainID: int


@dataclass(frozen=True)
class RateLimit(Record):
    """Which limit was reached."""

    # Units, orders, requests or connections of the window.
    limit: int
    # 1m, 1M for a calendar month, 0s for what is open at once.
    window: str
    # Seconds until there is room again, at least 1.
    retry_after: int
