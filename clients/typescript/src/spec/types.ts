// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.
import type { Amount, Text } from '../amount.js';

/** Places orders. */
export interface BatchNewOrderRequestBody {
  /** Account that trades; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** 1 to 100 orders, placed in this order as one unit. */
  orders: BatchNewOrderItemBody[];
  /** Known from newer clients; an order that carries it is answered "not supported". */
  builder?: unknown;
}

/** One order to place. */
export interface BatchNewOrderItemBody {
  /** Symbol to trade, the `id` of /markets/symbols. */
  symbolID: number;
  /** The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders. */
  clOrdID: string;
  /** 1 = BUY, 2 = SELL. */
  side: 1 | 2;
  /** 1 = LIMIT, 2 = MARKET. */
  type: 1 | 2;
  /** 1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported. */
  timeInForce: 1 | 2 | 3 | 4;
  /** Limit price, required for a limit order; for a market order the worst price it may trade at. */
  price?: Amount;
  /** Amount of the base coin; required for a limit order and a market sell, else instead of `funds`. */
  quantity?: Amount;
  /** Amount of the quote coin to spend; only for a market buy, instead of `quantity`. */
  funds?: Amount;
}

/** Cancels open orders. */
export interface BatchCancelOrderRequestBody {
  /** Account of the orders; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** 1 to 100 cancels, carried out in this order as one unit. */
  cancels: BatchCancelOrderItemBody[];
}

/** One order to cancel. */
export interface BatchCancelOrderItemBody {
  /** Symbol of the order. */
  symbolID: number;
  /**
   * Names this cancel in its result, and is the target when neither key below is given; may be empty when one of
   * them is.
   */
  clOrdID: string;
  /** The order to cancel, by its number. */
  orderID?: number;
  /** The order to cancel, by its client id. */
  origClOrdID?: string;
}

/** Places orders in one symbol. */
export interface PerpsNewOrderRequestBody {
  /** Account that trades; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** Symbol of all the orders, the `id` of /markets/symbols. */
  symbolID: number;
  /**
   * 1 to 100 orders, placed in this order as one unit; or a BRACKET and its one or two ATTACHED_STOPs, all or
   * nothing.
   */
  orders: PerpsOrderItemBody[];
  /** Known from newer clients; an order that carries it is answered "not supported". */
  builder?: unknown;
}

/** One order to place. */
export interface PerpsOrderItemBody {
  /** The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders. */
  clOrdID: string;
  /**
   * 1 = NORMAL, 2 = STOP: a TP/SL order by itself, 3 = BRACKET: an order with TP/SL, 4 = ATTACHED_STOP: the TP/SL
   * of a BRACKET.
   */
  modifier: 1 | 2 | 3 | 4;
  /** 1 = BUY, 2 = SELL. */
  side: 1 | 2;
  /** 1 = LIMIT, 2 = MARKET; of a TP/SL order: the order that it becomes. */
  type: 1 | 2;
  /** 1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported. */
  timeInForce: 1 | 2 | 3 | 4;
  /** Limit price, required for a limit order; for a market order the worst price it may trade at. */
  price?: Amount;
  /**
   * Amount of the base; a market buy may give `funds` instead. A TP/SL order that only reduces may leave both
   * out: it closes the whole position.
   */
  quantity?: Amount;
  /** Amount of vUSDC to spend; only for a market buy, instead of `quantity`. */
  funds?: Amount;
  /** Price that triggers; with STOP and ATTACHED_STOP, and only then. */
  stopPrice?: Amount;
  /** 1 = STOP_LOSS, 2 = TAKE_PROFIT; with `stopPrice`. */
  stopType?: 1 | 2;
  /** Which price triggers: 1 = LAST_PRICE, 2 = MARK_PRICE, 3 = INDEX_PRICE; with `stopPrice`. */
  triggerType?: 1 | 2 | 3;
  /** The order may only make a position smaller. */
  reduceOnly: boolean;
  /** 1 = BOTH. 2 = LONG and 3 = SHORT are taken too: on the closing side they make the order reduce only. */
  positionSide: 1 | 2 | 3;
}

/** Cancels open orders, TP/SL included. */
export interface PerpsCancelOrderRequestBody {
  /** Account of the orders; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** 1 to 100 cancels, carried out in this order as one unit. */
  cancels: PerpsCancelItemBody[];
}

/** One order to cancel. */
export interface PerpsCancelItemBody {
  /** Symbol of the order. */
  symbolID: number;
  /** The order to cancel, by its number. */
  orderID?: number;
  /** The order to cancel, by its client id; exactly one of the two. */
  clOrdID?: string;
}

/** Changes price or quantity of open limit orders. */
export interface ReplaceOrderRequestBody {
  /** Account of the orders; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** 1 to 100 replacements, carried out in this order as one unit. */
  orders: ReplaceParamsBody[];
}

/** One order to change: exactly one of origOrderID and origClOrdID, at least one of price and quantity. */
export interface ReplaceParamsBody {
  /** Symbol of the order. */
  symbolID: number;
  /** Names this replacement in its result, and becomes another name of the order. */
  clOrdID: string;
  /** The order to replace, by its number. */
  origOrderID?: number;
  /** The order to replace, by its client id. */
  origClOrdID?: string;
  /** New limit price; absent keeps the old one. */
  price?: Amount;
  /** New total quantity, executed part included; absent keeps the old one. */
  quantity?: Amount;
}

/** Changes a TP/SL order that has not triggered: at least one of price, quantity and stopPrice. */
export interface ModifyOrderRequestBody {
  /** Account of the order; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** Symbol of the order. */
  symbolID: number;
  /** The order to change, by its number. */
  orderID?: number;
  /** The order to change, by its client id; exactly one of the two. */
  clOrdID?: string;
  /** New price; of a market order the worst price it may trade at. Absent keeps the old one. */
  price?: Amount;
  /** New quantity; one that closed the whole position then closes this much of it. */
  quantity?: Amount;
  /** New price that triggers; absent keeps the old one. */
  stopPrice?: Amount;
}

/** Cancels all open orders of the account at a time. */
export interface ScheduleCancelRequestBody {
  /** Account whose open orders are to be canceled; must be given (ruling 62). */
  accountID: number;
  /** When to cancel, Unix milliseconds, at least 5 s ahead; absent clears the schedule. */
  scheduledTimestamp?: number;
}

/** Sets leverage and margin mode of a symbol in which the account has neither orders nor a position. */
export interface UpdateLeverageRequestBody {
  /** Account that trades; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** Symbol. */
  symbolID: number;
  /** 1 to the symbol's maxLeverage. */
  leverage: number;
  /** 1 = ISOLATED, 2 = CROSS. */
  marginMode: 1 | 2;
}

/** Adds margin to an isolated position, or takes some out. */
export interface UpdateMarginRequestBody {
  /** Account of the position; 0 or absent means the signer's primary account. */
  accountID?: number;
  /** Symbol of the isolated position. */
  symbolID: number;
  /**
   * vUSDC to put into the position, or below zero to take out; not zero, with at most as many decimals as the
   * coin.
   */
  amount: Amount;
}

/** Moves money of an account from spot to perps or back, or to the EVM ledger of its owner. */
export interface TransferAssetRequestBody {
  /** The client's own number of the transfer, rising; the same transfer under the same number moves nothing again. */
  id: number;
  /** Account that gives; 0 or absent means the signer's primary account. */
  fromAccountID?: number;
  /** 999, the bridge: the other side of the same account, or the EVM ledger. */
  toAccountID: number;
  /** Coin, the `id` of /markets/coins; between spot and perps only vUSDC. */
  coinID: number;
  /** More than zero, with at most as many decimals as the coin. */
  amount: Amount;
  /** On spot 2 = EVM_WITHDRAW, 3 = PERPS_WITHDRAW; on perps 5 = SPOT_WITHDRAW; others are not offered. */
  type: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
}

/** Registers an API key; the main wallet signs. */
export interface AddAPIKeyRequestBody {
  /**
   * Account the key is counted for, at most 5 each; it may sign for all accounts of the owner. 0 or absent means
   * the primary account.
   */
  accountID?: number;
  /** Name of the key, 1 to 36 of 0-9 a-z A-Z _ -, not `default`; unique among the owner's keys. */
  name: string;
  /** 1 = EVM. */
  type: 1;
  /** The 20-byte address of the key pair; not yet a wallet or a key of any user. */
  publicKey: string;
  /** Unix milliseconds; 0 = never. */
  expiresAt: number;
  /** Known from newer clients; answered "not supported" once the signature was checked. */
  builder?: BuilderBody;
  /**
   * What the key may not do: 1 trade, 2 cancel, 4 withdraw, 8 transfer, added up; absent or 0 = it may do all of
   * it.
   */
  permissions?: number;
}

/** A builder and its fee; known from newer clients, not offered. */
export interface BuilderBody {
  /** Builder. */
  id: number;
  /** Highest fee rate. */
  fee: number;
}

/** Revokes an API key; the main wallet signs. */
export interface RevokeAPIKeyRequestBody {
  /** An account of the owner; 0 or absent means the primary account. */
  accountID?: number;
  /** Name of the key. */
  name: string;
}

/** Index prices of a feeder. */
export interface OraclePricesRequestBody {
  /** Rises with every post of the feeder. */
  seq: number;
  /** Unix milliseconds; at most 30 s before and 5 s after the server's time. */
  timestamp: number;
  /** 1 to 64 symbols. */
  prices: OraclePriceBody[];
}

/** A feeder's post about one symbol. */
export interface OraclePriceBody {
  /** Id of a perps symbol. */
  symbolID: number;
  /** Its index price. */
  price: Amount;
  /** Middle of its perpetual elsewhere; absent = none, which is signed as 0. */
  perpMid?: Amount;
}

/** A listed pair of coins and its filters. */
export interface SpotSymbol {
  /** Number of the symbol, `symbolID` in requests. */
  id: number;
  /** Name in paths and filters. */
  name: string;
  /** Name for people. */
  displayName: string;
  /** Coin that is traded. */
  baseCoinID: number;
  /** Its name. */
  baseCoin: string;
  /** Its decimals. */
  baseCoinPrecision: number;
  /** Coin that pays. */
  quoteCoinID: number;
  /** Its name. */
  quoteCoin: string;
  /** Its decimals. */
  quoteCoinPrecision: number;
  /** Most decimals of a price. */
  pricePrecision: number;
  /** Step of prices. */
  tickSize: Text;
  /** Lowest price; 0 = no bound. */
  minPrice: Text;
  /** Highest price; 0 = no bound. */
  maxPrice: Text;
  /** Most decimals of a quantity. */
  quantityPrecision: number;
  /** Step of quantities. */
  stepSize: Text;
  /** Least quantity; 0 = no bound. */
  minQuantity: Text;
  /** Most quantity; 0 = no bound. */
  maxQuantity: Text;
  /** Least quantity of a market order; 0 = no bound. */
  marketMinQuantity: Text;
  /** Most quantity of a market order; 0 = no bound. */
  marketMaxQuantity: Text;
  /** Least value of an order in the quote coin; 0 = no bound. */
  minNotional: Text;
  /** Most value of an order in the quote coin; 0 = no bound. */
  maxNotional: Text;
  /** How far above the last trade a limit buy may be priced. */
  buyLimitUpRatio: Text;
  /** How far below the last trade a limit sell may be priced. */
  sellLimitDownRatio: Text;
  /** How far from the last trade a market order may execute. */
  marketDeviationRatio: Text;
  /** Fee rate of makers at tier 0. */
  makerFee: Text;
  /** Fee rate of takers at tier 0. */
  takerFee: Text;
  /** Share taken off positive rates on this symbol. */
  feeDiscount: Text;
  /** TRADING or HALT; HALT also while the whole venue only lets cancels through. */
  status: 'TRADING' | 'HALT';
  /** Price of the last trade; the listing's reference price before the first one; 0 when there is neither. */
  lastTradePrice: Text;
  /** Reference price given at listing; 0 = none. */
  listingReferencePrice: Text;
}

/** A listed coin. */
export interface SpotCoin {
  /** Number of the coin, `coinID` in requests; 0 is a coin too. */
  id: number;
  /** Its name. */
  name: string;
  /** Decimals of its amounts. */
  precision: number;
}

/** The best levels of a book. */
export interface OrderBook {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Version of the book, rises with every change of a level. */
  updateID: number;
  /** Buying levels, highest first. */
  bids: Level[];
  /** Selling levels, lowest first. */
  asks: Level[];
}

/** An array of two strings: price and size. */
export type Level = [Text, Text];

/**
 * The last 24 hours, by whole minutes: the current minute and the 1,440 before it. The window moves also without
 * trades.
 */
export interface SpotTicker {
  /** Name of the symbol. */
  symbol: string;
  /** Price of the last trade; before the first one the listing reference price, "0" where there is none. */
  lastPx: Text;
  /** Quantity of the last trade. */
  lastSz: Text;
  /**
   * quoteVolume / volume in the decimals of the quote coin, half up; without a trade in the window the last
   * price.
   */
  vwap: Text;
  /** Price of the first trade of the window; without one, of the last trade before it. */
  openPx: Text;
  /** Highest price of the window. */
  highPx: Text;
  /** Lowest price of the window. */
  lowPx: Text;
  /** lastPx - openPx. */
  change: Text;
  /** The change in percent of openPx: a number of at most 4 decimals, half away from zero. */
  changePct: number;
  /** Traded in the window, base coin. */
  volume: Text;
  /** Traded in the window, quote coin. */
  quoteVolume: Text;
  /** Best bid; "0" when there is none. */
  bidPx: Text;
  /** Quantity at it. */
  bidSz: Text;
  /** Best ask; "0" when there is none. */
  askPx: Text;
  /** Quantity at it. */
  askSz: Text;
  /** When the window began, ms: the start of the 1,440th minute before the current one. */
  openTime: number;
  /** Until when it reaches, ms: engine time. */
  closeTime: number;
}

/** The same window in few keys. */
export interface MiniTicker {
  /** Name of the symbol. */
  symbol: string;
  /** Price of the last trade; before the first one the listing reference price, "0" where there is none. */
  lastPx: Text;
  /** Price of the first trade of the window; without one, of the last trade before it. */
  openPx: Text;
  /** Highest price of the window. */
  highPx: Text;
  /** Lowest price of the window. */
  lowPx: Text;
  /** Traded in the window, base coin. */
  volume: Text;
  /** Traded in the window, quote coin. */
  quoteVolume: Text;
  /** When the window began, ms: the start of the 1,440th minute before the current one. */
  openTime: number;
  /** Until when it reaches, ms: engine time. */
  closeTime: number;
}

/** The best level of each side. */
export interface BookTicker {
  /** Name of the symbol. */
  symbol: string;
  /** Best bid; "0" when there is none. */
  bidPx: Text;
  /** Quantity at it. */
  bidSz: Text;
  /** Best ask; "0" when there is none. */
  askPx: Text;
  /** Quantity at it. */
  askSz: Text;
}

/** A bar, aligned to UTC. A bar without trades repeats the close before it, with v and q "0" and n 0. */
export interface RPCKline {
  /** When the bar begins, ms. */
  t: number;
  /** Price of its first trade. */
  o: Text;
  /** Highest price. */
  h: Text;
  /** Lowest price. */
  l: Text;
  /** Price of its last trade. */
  c: Text;
  /** Traded, base coin. */
  v: Text;
  /** Traded, quote coin. */
  q: Text;
  /** How many trades. */
  n: number;
}

/** A public trade. */
export interface Trade {
  /** Trade id. */
  t: number;
  /** Time, ms. */
  T: number;
  /** Symbol. */
  s: string;
  /** Side of the taker. */
  S: 'BUY' | 'SELL';
  /** Price. */
  p: Text;
  /** Quantity. */
  q: Text;
  /** Account of the buyer. */
  bi: number;
  /** Account of the seller. */
  si: number;
  /** True when both accounts belong to one user; else absent. */
  self?: boolean;
}

/** A listed contract, its filters and terms. */
export interface PerpsSymbol {
  /** Number of the symbol, `symbolID` in requests. */
  id: number;
  /** Name in paths and filters. */
  name: string;
  /** Name for people. */
  displayName: string;
  /** What is traded; a name only. */
  baseCoin: string;
  /** Coin that pays and is the margin. */
  quoteCoinID: number;
  /** Its name. */
  quoteCoin: string;
  /** Its decimals. */
  quoteCoinPrecision: number;
  /** Most open interest in base units; 0 = no cap. */
  openInterestCap: Text;
  /** Most open interest in vUSDC at the mark price; 0 = no cap. */
  openInterestCapUSD: Text;
  /** Most decimals of a price. */
  pricePrecision: number;
  /** Step of prices. */
  tickSize: Text;
  /** Lowest price; 0 = no bound. */
  minPrice: Text;
  /** Highest price; 0 = no bound. */
  maxPrice: Text;
  /** Most decimals of a quantity. */
  quantityPrecision: number;
  /** Step of quantities. */
  stepSize: Text;
  /** Least quantity; 0 = no bound. */
  minQuantity: Text;
  /** Most quantity; 0 = no bound. */
  maxQuantity: Text;
  /** Least quantity of a market order; 0 = no bound. */
  marketMinQuantity: Text;
  /** Most quantity of a market order; 0 = no bound. */
  marketMaxQuantity: Text;
  /** Least value of an order in vUSDC; 0 = no bound. */
  minNotional: Text;
  /** Most value of an order in vUSDC; 0 = no bound. */
  maxNotional: Text;
  /** How far above the mark price a limit buy may be priced. */
  buyLimitUpRatio: Text;
  /** How far below the mark price a limit sell may be priced. */
  sellLimitDownRatio: Text;
  /** How far from the index price a market order may execute. */
  marketDeviationRatio: Text;
  /** Largest leverage. */
  maxLeverage: number;
  /** Leverage of an account that never chose one. */
  initLeverage: number;
  /** Margin tiers, ascending. */
  marginTiers: MarginTier[];
  /** Seconds between two fundings. */
  fundingInterval: number;
  /** Interest part of funding, per 8 hours. */
  interestRate: Text;
  /** Highest rate of an hour. */
  maxFundingRate: Text;
  /** Lowest rate of an hour. */
  minFundingRate: Text;
  /** Fee rate of makers at tier 0. */
  makerFee: Text;
  /** Fee rate of takers at tier 0. */
  takerFee: Text;
  /** Share taken off positive rates on this symbol. */
  feeDiscount: Text;
  /** TRADING or HALT; HALT also while the whole venue only lets cancels through. */
  status: 'TRADING' | 'HALT';
  /** Price of the last trade; the listing's reference price before the first one; 0 when there is neither. */
  lastTradePrice: Text;
  /** Reference price given at listing; 0 = none. */
  listingReferencePrice: Text;
  /** Mark price: margins, liquidation, limit bands. */
  markPrice: Text;
  /** Index price: funding, bounds of market orders. */
  indexPrice: Text;
  /**
   * Not there while the symbol is open to all. REDUCE_ONLY: only orders that reduce, in this symbol or on the
   * whole venue; SETTLING: the same, until it is settled at settlementTime; CLOSING; SETTLED.
   */
  phase?: 'REDUCE_ONLY' | 'SETTLING' | 'CLOSING' | 'SETTLED';
  /** Announced instant of its settlement, ms. */
  settlementTime?: number;
  /** The price it was settled at: the average of the index over the announced window. */
  settlementPrice?: Text;
}

/** A margin tier. */
export interface MarginTier {
  /** Largest notional of the tier, vUSDC. */
  maxNotionalValue: Text;
  /** Maintenance margin by notional: half the initial margin at the tier's leverage. */
  maintenanceMarginRate: Text;
  /** Largest leverage in it. */
  maxLeverage: number;
  /** Taken off the maintenance margin, so that it is the same from both sides of a bound. */
  maintenanceDeduction: Text;
}

/** The last 24 hours by whole minutes, as for spot, and the prices and rates of this moment. */
export interface PerpsTicker {
  /** Name of the symbol. */
  symbol: string;
  /** Price of the last trade; before the first one the listing reference price, "0" where there is none. */
  lastPx: Text;
  /** Quantity of the last trade. */
  lastSz: Text;
  /**
   * quoteVolume / volume in the decimals of the quote coin, half up; without a trade in the window the last
   * price.
   */
  vwap: Text;
  /** Price of the first trade of the window; without one, of the last trade before it. */
  openPx: Text;
  /** Highest price of the window. */
  highPx: Text;
  /** Lowest price of the window. */
  lowPx: Text;
  /** lastPx - openPx. */
  change: Text;
  /** The change in percent of openPx: a number of at most 4 decimals, half away from zero. */
  changePct: number;
  /** Traded in the window, base coin. */
  volume: Text;
  /** Traded in the window, quote coin. */
  quoteVolume: Text;
  /** Best bid; "0" when there is none. */
  bidPx: Text;
  /** Quantity at it. */
  bidSz: Text;
  /** Best ask; "0" when there is none. */
  askPx: Text;
  /** Quantity at it. */
  askSz: Text;
  /** Rate of this hour as far as it is sampled; above 0 longs pay. */
  fundingRate: Text;
  /** When it is paid, ms. */
  nextFundingTime: number;
  /** Index price. */
  indexPrice: Text;
  /** Mark price. */
  markPrice: Text;
  /** Sum of all long positions, base units. */
  openInterest: Text;
  /** When the window began, ms: the start of the 1,440th minute before the current one. */
  openTime: number;
  /** Until when it reaches, ms: engine time. */
  closeTime: number;
}

/** Computed prices, and funding. */
export interface MarkPriceTicker {
  /** Name of the symbol. */
  symbol: string;
  /** Rate of this hour as far as it is sampled; above 0 longs pay. */
  fundingRate: Text;
  /** When it is paid, ms. */
  nextFundingTime: number;
  /** Index price. */
  indexPrice: Text;
  /** Mark price. */
  markPrice: Text;
  /** Sum of all long positions, base units. */
  openInterest: Text;
}

/** What index and mark of a symbol are made of. */
export interface IndexComposition {
  /** Symbol. */
  symbol: string;
  /** Its number. */
  symbolID: number;
  /**
   * LIVE: the median of a quorum; FALLBACK: the own spot book, slowly; STALE: frozen; BOOTSTRAP: no source has
   * ever spoken.
   */
  state: 'BOOTSTRAP' | 'LIVE' | 'FALLBACK' | 'STALE';
  /** Whether a jump of the median is held back. */
  heldBack: boolean;
  /** Index price. */
  indexPrice: Text;
  /** Mark price. */
  markPrice: Text;
  /** Second in which all this was last found different, ms. */
  time: number;
  /** Sources in the median. */
  validSources: number;
  /** How many it takes for an index. */
  quorum: number;
  /** Weighted median of the valid sources; absent without a quorum. */
  medianPrice?: Text;
  /** Median that is held back. */
  candidatePrice?: Text;
  /** Seconds in a row that agreed on it within 1 %. */
  candidateSeen?: number;
  /** Seconds in a row that it takes. */
  candidateNeeded?: number;
  /** All sources, valid or not. */
  sources: IndexSource[];
  /** Bid that the mark was made of; absent where the book had not enough. */
  bidPrice?: Text;
  /** Ask that the mark was made of. */
  askPrice?: Text;
  /** Trades that the mark was made of. */
  lastPrice?: Text;
  /** Weighted median of the sources' perpMid. */
  perpMidPrice?: Text;
  /** First price of the mark: index plus the average distance of the book's middle. */
  basisPrice?: Text;
  /** Second: median of bid, ask and last. */
  bookPrice?: Text;
  /** Third: perpMidPrice, or the index with the funding that is due. */
  feederPrice?: Text;
  /** Median of the three, before the band around the index and the step of a second. */
  rawMarkPrice?: Text;
}

/** A source of an index price. */
export interface IndexSource {
  /**
   * FEEDER: signed posts; HAND: set by hand, in development; SPOT_BOOK: the middle of the own spot book, asked
   * only when the others are too few.
   */
  type: 'FEEDER' | 'HAND' | 'SPOT_BOOK';
  /** FEEDER: the address that signs its posts. */
  address?: string;
  /** SPOT_BOOK: name of the spot market. */
  symbol?: string;
  /** Weight in the median; 0 for the spot book, which is not in it. */
  weight: number;
  /** Its last price; absent before the first one. */
  price?: Text;
  /** Middle of the perpetual elsewhere, posted with it. */
  perpMid?: Text;
  /** When it came, ms. */
  updatedAt?: number;
  /** How old it is, ms: now, or at the time of the receipt; absent before the first one. */
  age?: number;
  /** Whether it counted in that second. */
  valid: boolean;
}

/** Receipt of one stage of a liquidation, with everything it was decided by. */
export interface Liquidation {
  /** Number of the receipt, over all symbols. */
  receiptID: number;
  /** Number of the liquidation that the stage belongs to. */
  liquidationID: number;
  /** Symbol. */
  symbol: string;
  /** Its number. */
  symbolID: number;
  /** When it happened, ms. */
  time: number;
  /** Block of it. */
  block: number;
  /** Transaction of it. */
  txHash: string;
  /** BOOK: sold in the book; TAKEOVER: taken by the fund; ADL: closed against the other side. */
  stage: 'BOOK' | 'TAKEOVER' | 'ADL';
  /** Which order, or position, of the unit in this second, from 1. */
  round: number;
  /**
   * keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
   * (numbers as 8 bytes, big endian): an owner knows its own.
   */
  account?: string;
  /** Whether the fund's own position was closed. */
  fund: boolean;
  /** CROSS: the unit is all cross positions and the wallet; ISOLATED: this position and its margin. */
  marginMode: 'ISOLATED' | 'CROSS';
  /** Side of the closing order. */
  side: 'BUY' | 'SELL';
  /** Size of the position before; negative is short. */
  sizeBefore: Text;
  /** What this stage closed of it. */
  quantity: Text;
  /** BOOK: the quantity to be closed. */
  wantedQuantity?: Text;
  /** BOOK: worst price that was allowed. */
  limitPrice?: Text;
  /**
   * Equity of the unit at mark, before. TAKEOVER, ADL: the part of its positions that are not suspended, by
   * maintenance margin.
   */
  equity: Text;
  /** Maintenance margin of the same, before; liquidation begins when equity is less. */
  maintenance: Text;
  /** Equity of the same with every position at the worse of its mark and index. */
  equityAtWorse: Text;
  /** Maintenance margin of this position alone. */
  positionMaintenance: Text;
  /**
   * The position's share of the unit's equity, by its part of the maintenance margin: at mark, for ADL at
   * worsePrice.
   */
  share: Text;
  /** Mark price of that second. */
  markPrice: Text;
  /** Index price of that second. */
  indexPrice: Text;
  /** Where the index came from. */
  indexState: 'BOOTSTRAP' | 'LIVE' | 'FALLBACK' | 'STALE';
  /** t: the worse of mark and index for the account. */
  worsePrice: Text;
  /** Price at which the share is used up. */
  bankruptcyPrice: Text;
  /** What was paid per unit, rounded down. */
  price: Text;
  /** What was paid in all, vUSDC. */
  value: Text;
  /** Distance of price from mark as a ratio; above 0 is worse for the account. */
  slippage: Text;
  /** What the fund lost by it, charged to its day. */
  fundCharge: Text;
  /** TAKEOVER, ADL: the rest of the fund's limit of loss on the symbol that day, before. */
  fundSymbolBudget?: Text;
  /** TAKEOVER, ADL: the rest of its limit for all symbols, before. */
  fundTotalBudget?: Text;
  /** TAKEOVER, ADL: value of the fund's position in the symbol if it took this one. */
  fundInventory?: Text;
  /** TAKEOVER, ADL: the most it may be; absent without a limit. */
  fundInventoryLimit?: Text;
  /** TAKEOVER, ADL: value of all that the fund would hold. */
  fundCarries?: Text;
  /** TAKEOVER, ADL: the fund's equity if it took it. */
  fundEquity?: Text;
  /** ADL: why the fund did not take the unit. */
  fundRefusal?: FundRefusal[];
  /** Wallet of the fund before. */
  fundBefore: Text;
  /** Wallet of the fund after. */
  fundAfter: Text;
  /** ADL: rows of the ranking, read with /liquidations/ranking. */
  candidates: number;
  /** What index and mark were made of. */
  composition: IndexComposition;
}

export type FundRefusal = 'NO_SYMBOL_BUDGET' | 'NO_TOTAL_BUDGET' | 'NO_MONEY' | 'NO_INVENTORY' | 'NO_CARRY';

/** A place in the ranking of an ADL. */
export interface LiquidationRank {
  /** Receipt that the ranking belongs to. */
  receiptID: number;
  /** Place, from 0: the lower, the sooner it takes a part. */
  rank: number;
  /**
   * 0 the fund; 1 to 5 the lights, in queue mode the place in the queue; 6 without profit. A group shares by
   * size.
   */
  group: number;
  /**
   * keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
   * (numbers as 8 bytes, big endian): an owner knows its own.
   */
  account?: string;
  /** Whether it is the insurance fund. */
  fund: boolean;
  /** Profit by cost times leverage; 0 without profit. */
  score: Text;
  /** Leverage of its unit at mark. */
  leverage: Text;
  /** Size of its position before, without sign. */
  size: Text;
  /** Most that its unit could take at the price; absent when nothing or when its group was not reached. */
  bears?: Text;
  /** Whether its group was reached. */
  reached: boolean;
  /** Its share. */
  taken: Text;
  /** What its share was booked at, vUSDC. */
  value: Text;
}

/** The insurance fund. */
export interface InsuranceFund {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Coin of all amounts. */
  coin: string;
  /** Wallet of the fund. */
  balance: Text;
  /** Its wallet and the unrealized profit of its positions, as of updatedAt. */
  equity: Text;
  /** Whether equity is below zero: then nothing leaves the venue. */
  insolvent: boolean;
  /** Value of all its positions at mark. */
  inventory: Text;
  /** The most that its equity carries; 0 = no limit. */
  inventoryLimit: Text;
  /** UTC day of dayLoss, begin in ms. */
  day: number;
  /** Charged to the day over all symbols. */
  dayLoss: Text;
  /** The most that may be charged to one day. */
  dayLossLimit: Text;
  /** Lost that day in deleveraging, beside what was charged; no limit applies. */
  dayBeyond: Text;
  /** When positions, limits and losses were last found different, ms. */
  updatedAt: number;
  /** All symbols, by id. */
  symbols: InsuranceFundSymbol[];
  /** The last 30 UTC days, newest first; none before the venue began. */
  days: InsuranceFundDay[];
}

/** What the insurance fund has in a symbol. */
export interface InsuranceFundSymbol {
  /** Symbol. */
  symbol: string;
  /** Its number. */
  symbolID: number;
  /** Position of the fund; negative is short. */
  size: Text;
  /** Its value at mark. */
  inventory: Text;
  /** The most it may be; 0 = no limit. */
  inventoryLimit: Text;
  /** Charged to the day on this symbol. */
  dayLoss: Text;
  /** The most that may be charged on it to one day. */
  dayLossLimit: Text;
  /** Lost that day in deleveraging, beside what was charged; no limit applies. */
  dayBeyond: Text;
}

/** A UTC day of the insurance fund: end = begin - paid + received. */
export interface InsuranceFundDay {
  /** Begin of the UTC day, ms. */
  day: number;
  /** Balance at its begin. */
  begin: Text;
  /** Balance at its end, or now. */
  end: Text;
  /** All that went out of the wallet. */
  paid: Text;
  /** All that came in. */
  received: Text;
  /** Charged to the day by take-overs and by what unwinding brought less. */
  loss: Text;
  /** Lost in deleveraging, beside what was charged. */
  beyond: Text;
}

/** A listed coin, as collateral. */
export interface PerpsCoin {
  /** Number of the coin, `coinID` in requests; 0 is a coin too. */
  id: number;
  /** Its name. */
  name: string;
  /** Decimals of its amounts. */
  precision: number;
  /** Share of its value that counts as collateral: 1 for vUSDC, 0 for the others. */
  marginRatio: Text;
  /** What one is worth in vUSDC; only of collateral. */
  price?: Text;
}

/** Balances of an account. */
export interface SpotAccountBalances {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Every coin the account ever held, by coin id. */
  balances: SpotBalance[];
}

/** A coin of an account. */
export interface SpotBalance {
  /** Coin id. */
  id: number;
  /** Coin name. */
  coin: string;
  /** Everything, the locked part included. */
  total: Text;
  /** Held for open orders. */
  locked: Text;
}

/** Open orders of an account. */
export interface SpotAccountOpenOrder {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Open orders, newest first. */
  orders: SpotOrder[];
}

/** An order. */
export interface SpotOrder {
  /** Symbol. */
  symbol: string;
  /** Number of the order. */
  orderID: number;
  /** The client's own id. */
  clOrdID: string;
  /** BUY or SELL. */
  side: 'BUY' | 'SELL';
  /** LIMIT or MARKET. */
  type: 'LIMIT' | 'MARKET';
  /** GTC, IOC or GTX. */
  timeInForce: 'GTC' | 'FOK' | 'IOC' | 'GTX';
  /** Price; absent for a market order without one. */
  price?: Text;
  /** Quantity ordered; absent for an order by funds. */
  origQty?: Text;
  /** Quote amount of a market buy by funds. */
  funds?: Text;
  /** Where the order stands. */
  status: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'EXPIRED' | 'PENDING_NEW' | 'TRIGGERED';
  /** Executed so far, base coin. */
  executedQty: Text;
  /** Executed so far, quote coin. */
  executedValue: Text;
  /** Locked for the rest, in the coin being spent. */
  marginFrozen: Text;
  /** Accepted, ms. */
  createdAt: number;
  /** Last change, ms. */
  updatedAt: number;
  /** Why an order ended other than by being filled. */
  reason?:
    | 'USER'
    | 'IOC_REMAINDER'
    | 'PRICE_BOUND'
    | 'NO_LIQUIDITY'
    | 'FUNDS_DUST'
    | 'SELF_TRADE'
    | 'SCHEDULED_CANCEL'
    | 'POST_ONLY_WOULD_CROSS'
    | 'OPERATOR'
    | 'PARENT_CANCELED'
    | 'POSITION_CLOSED'
    | 'OCO_SIBLING'
    | 'MARGIN_INSUFFICIENT'
    | 'INSUFFICIENT_MARGIN'
    | 'LIQUIDATION'
    | 'REDUCE_ONLY_TRIM'
    | 'OPEN_INTEREST_CAP'
    | 'SETTLEMENT'
    | 'TAKEOVER'
    | 'ADL'
    | 'ADL_BANKRUPT'
    | 'FLIP'
    | 'BANKRUPTCY_BOUND'
    | 'REDUCE_ONLY'
    | 'ORACLE_STALE'
    | 'SYMBOL_HALTED'
    | 'LEVERAGE_TIER'
    | 'IN_LIQUIDATION'
    | 'CAPACITY';
}

/** Balances and open orders of one instant, for front ends. */
export interface WsSpotState {
  /** The address of the request. */
  user: string;
  /** Account id; 0 when the address has none. */
  aid: number;
  /** User id; 0 when the address has none. */
  uid: number;
  /** Balances. */
  B: WsSpotStateBalance[];
  /** Open orders, newest first. */
  O: WsSpotStateOrder[];
  /** Running TWAPs; always empty. */
  TO: WsSpotStateTwap[];
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
}

/** A coin of an account, short keys. */
export interface WsSpotStateBalance {
  /** Coin id. */
  i: number;
  /** Coin name. */
  a: string;
  /** Everything, the locked part included. */
  t: Text;
  /** Held for open orders. */
  l: Text;
}

/** An open order, short keys. */
export interface WsSpotStateOrder {
  /** Symbol. */
  s: string;
  /** The client's own id. */
  c: string;
  /** Number of the order. */
  i: number;
  /** BUY or SELL. */
  S: 'BUY' | 'SELL';
  /** LIMIT or MARKET. */
  o: 'LIMIT' | 'MARKET';
  /** GTC, IOC or GTX. */
  f: 'GTC' | 'FOK' | 'IOC' | 'GTX';
  /** Price; "0" where there is none. */
  p: Text;
  /** Quantity ordered; "0" of an order by funds. */
  q: Text;
  /** Quote amount of a market buy by funds. */
  F: Text | null;
  /** Where the order stands. */
  X: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'EXPIRED' | 'PENDING_NEW' | 'TRIGGERED';
  /** Executed so far, base coin. */
  z: Text;
  /** Executed so far, quote coin. */
  v: Text;
  /** Locked for the rest. */
  M: Text;
  /** Accepted, ms. */
  ct: number;
  /** Last change, ms. */
  ut: number;
}

/** A running TWAP; none are offered. */
export interface WsSpotStateTwap {
  /** Number of the TWAP. */
  i: number;
}

/** Wallet balances of an account. */
export interface PerpsAccountBalance {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Every coin the wallet ever held. */
  balances: PerpsBalance[];
}

/** A coin of a perps wallet. */
export interface PerpsBalance {
  /** Coin id. */
  id: number;
  /** Coin name. */
  coin: string;
  /** Wallet balance; below 0 while unrealized profit covers it. */
  total: Text;
  /** What it counts as collateral, vUSDC. */
  collateral: Text;
  /** Share of its value that counts. */
  marginRatio: Text;
  /** What one is worth in vUSDC. */
  price: Text;
  /** Needed as margin by cross positions and by open orders. */
  locked: Text;
}

/** Open orders of an account. */
export interface PerpsAccountOpenOrder {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Open orders, stops that wait included, newest first. */
  orders: PerpsOrder[];
}

/** An order. */
export interface PerpsOrder {
  /** Symbol. */
  symbol: string;
  /** Number of the order. */
  orderID: number;
  /** The client's own id. */
  clOrdID: string;
  /** BUY or SELL. */
  side: 'BUY' | 'SELL';
  /** LIMIT or MARKET; of a stop, the type that it becomes. */
  type: 'LIMIT' | 'MARKET';
  /** GTC, IOC or GTX. */
  timeInForce: 'GTC' | 'FOK' | 'IOC' | 'GTX';
  /** Price; absent for a market order without one. */
  price?: Text;
  /**
   * Quantity ordered; absent for an order by funds, for a stop that closes the whole position, and for an
   * attached one before its parent's first fill.
   */
  origQty?: Text;
  /** vUSDC amount of a market buy by funds. */
  funds?: Text;
  /** Where the order stands; NEW for a stop that waits. */
  status: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'EXPIRED' | 'PENDING_NEW' | 'TRIGGERED';
  /** Executed so far, base units. */
  executedQty: Text;
  /** Executed so far, vUSDC. */
  executedValue: Text;
  /**
   * What it adds to the margin its symbol needs; 0 for a stop that waits, for what only reduces, and for what
   * would close.
   */
  marginFrozen: Text;
  /** BOTH. */
  positionSide: 'BOTH' | 'LONG' | 'SHORT';
  /** Whether it may only reduce a position. */
  reduceOnly: boolean;
  /** NORMAL, STOP, BRACKET or ATTACHED_STOP. */
  modifier: 'NORMAL' | 'STOP' | 'BRACKET' | 'ATTACHED_STOP';
  /** Price that triggers it. */
  stopPrice?: Text;
  /** STOP_LOSS or TAKE_PROFIT. */
  stopType?: 'STOP_LOSS' | 'TAKE_PROFIT';
  /** Which price triggers it. */
  triggerType?: 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';
  /** Position that a TP/SL is tied to; an attached one has none before its parent's first fill. */
  positionID?: number;
  /** Order that it is attached to. */
  primaryOrderID?: number;
  /** Orders attached to it that are not over. */
  attachedOrderIDs?: OrderID[];
  /** Accepted, ms. */
  createdAt: number;
  /** Last change, ms. */
  updatedAt: number;
  /** Why an order ended other than by being filled. */
  reason?:
    | 'USER'
    | 'IOC_REMAINDER'
    | 'PRICE_BOUND'
    | 'NO_LIQUIDITY'
    | 'FUNDS_DUST'
    | 'SELF_TRADE'
    | 'SCHEDULED_CANCEL'
    | 'POST_ONLY_WOULD_CROSS'
    | 'OPERATOR'
    | 'PARENT_CANCELED'
    | 'POSITION_CLOSED'
    | 'OCO_SIBLING'
    | 'MARGIN_INSUFFICIENT'
    | 'INSUFFICIENT_MARGIN'
    | 'LIQUIDATION'
    | 'REDUCE_ONLY_TRIM'
    | 'OPEN_INTEREST_CAP'
    | 'SETTLEMENT'
    | 'TAKEOVER'
    | 'ADL'
    | 'ADL_BANKRUPT'
    | 'FLIP'
    | 'BANKRUPTCY_BOUND'
    | 'REDUCE_ONLY'
    | 'ORACLE_STALE'
    | 'SYMBOL_HALTED'
    | 'LEVERAGE_TIER'
    | 'IN_LIQUIDATION'
    | 'CAPACITY';
}

export type OrderID = number;

/** Open positions of an account. */
export interface PerpsAccountOpenPosition {
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
  /** Open positions, newest first. */
  positions: Position[];
  /** The same, for older clients. */
  orders: Position[];
}

/** A position, open or closed. */
export interface Position {
  /** Number of the position. */
  id: number;
  /** Symbol. */
  symbol: string;
  /** CROSS or ISOLATED. */
  marginMode: 'ISOLATED' | 'CROSS';
  /** BOTH: the sign of size gives the side. */
  side: 'BOTH' | 'LONG' | 'SHORT';
  /** The same. */
  positionSide: 'BOTH' | 'LONG' | 'SHORT';
  /** Size; negative is short, 0 is closed. */
  size: Text;
  /** Initial margin at the mark price; 0 once closed. */
  initialMargin: Text;
  /** Average entry price: of the open size, or, once closed, of all openings. */
  avgEntryPrice: Text;
  /** Value of all that was opened. */
  cumOpenCost: Text;
  /** Fees of all trades. */
  cumTradingFee: Text;
  /** Size of all that was closed. */
  cumClosedSize: Text;
  /** Average price of closings; 0 before the first. */
  avgClosePrice: Text;
  /** Largest size there was. */
  maxSize: Text;
  /** Realized profit or loss, net of fees, funding and liquidation. */
  realizedPnL: Text;
  /** Leverage. */
  leverage: number;
  /** Whether it is open. */
  active: boolean;
  /** Whether the insurance fund took it over. */
  isTakenOver: boolean;
  /** At what price; 0 if not. */
  takeOverPrice: Text;
  /** Opened, ms. */
  createdAt: number;
  /** Last change, ms; of a closed one, its end. */
  updatedAt: number;
  /** Number of the symbol. */
  symbolID: number;
  /** Account. */
  accountID: number;
  /** The same as size. */
  quantity: Text;
  /** The same as avgEntryPrice. */
  entryPrice: Text;
  /** Mark price; 0 once closed. */
  markPrice: Text;
  /** Mark price at which liquidation begins, as things stand; 0 = none. */
  liquidationPrice: Text;
  /** Unrealized profit or loss at the mark price. */
  unrealizedPnl: Text;
  /** An isolated position's own margin; of a cross one its initial margin. */
  margin: Text;
  /** Why it was closed: USER, FLIP, LIQUIDATION, TAKEOVER, ADL, ADL_BANKRUPT or SETTLEMENT. */
  reason?:
    | 'USER'
    | 'IOC_REMAINDER'
    | 'PRICE_BOUND'
    | 'NO_LIQUIDITY'
    | 'FUNDS_DUST'
    | 'SELF_TRADE'
    | 'SCHEDULED_CANCEL'
    | 'POST_ONLY_WOULD_CROSS'
    | 'OPERATOR'
    | 'PARENT_CANCELED'
    | 'POSITION_CLOSED'
    | 'OCO_SIBLING'
    | 'MARGIN_INSUFFICIENT'
    | 'INSUFFICIENT_MARGIN'
    | 'LIQUIDATION'
    | 'REDUCE_ONLY_TRIM'
    | 'OPEN_INTEREST_CAP'
    | 'SETTLEMENT'
    | 'TAKEOVER'
    | 'ADL'
    | 'ADL_BANKRUPT'
    | 'FLIP'
    | 'BANKRUPTCY_BOUND'
    | 'REDUCE_ONLY'
    | 'ORACLE_STALE'
    | 'SYMBOL_HALTED'
    | 'LEVERAGE_TIER'
    | 'IN_LIQUIDATION'
    | 'CAPACITY';
  /** Number of the liquidation that closed it, the same as in its receipts (/perps/liquidations); else absent. */
  liquidationID?: number;
}

/** Margins, balances, orders and positions of one instant, for front ends. */
export interface WsPerpsState {
  /** The address of the request. */
  user: string;
  /** Account id; 0 when the address has none. */
  aid: number;
  /** User id; 0 when the address has none. */
  uid: number;
  /** Value of the cross account: wallet and unrealized profit or loss of cross positions. */
  av: Text;
  /** Maintenance margin of the cross account. */
  mm: Text;
  /** mm / av, rounded up to 8 decimals, liquidation above 1; 0 without a position, 1000000 when av is not above 0. */
  mmr: Text;
  /** Available margin, cross. */
  am: Text;
  /** Available margin, isolated. */
  ami: Text;
  /** Available for transfer out. */
  amw: Text;
  /** Margin of isolated positions. */
  im: Text;
  /** Initial margin of cross positions. */
  cm: Text;
  /** Margin frozen by open orders on isolated symbols. */
  oim: Text;
  /** Margin frozen by open orders on cross symbols. */
  ocm: Text;
  /** Balances. */
  B: WsPerpsStateBalance[];
  /** Open orders, newest first, at most 100. */
  O: WsPerpsStateOrder[];
  /** Open positions by symbol id. */
  P: WsPerpsStatePosition[];
  /** Leverage and margin mode by symbol. */
  S: WsPerpsStateSetting[];
  /** Running TWAPs; always empty. */
  TO: WsSpotStateTwap[];
  /** Time of the last applied block, ms. */
  blockTime: number;
  /** Number of the last applied block. */
  blockHeight: number;
}

/** A coin of a perps wallet, short keys. */
export interface WsPerpsStateBalance {
  /** Coin id. */
  i: number;
  /** Coin name. */
  a: string;
  /** Wallet balance. */
  wb: Text;
  /** What it counts as collateral, vUSDC. */
  co: Text;
  /** Share of its value that counts. */
  mr: Text;
  /** What one is worth in vUSDC. */
  px: Text;
  /** Isolated margin taken from this wallet. */
  iw: Text;
  /** Available for margin. */
  aw: Text;
  /** Available for transfer out. */
  at: Text;
  /** The same, for older clients. */
  ww: Text;
  /** Wallet margin. */
  wm: Text;
  /** Available margin. */
  am: Text;
}

/** An open perps order, short keys. */
export interface WsPerpsStateOrder {
  /** Symbol. */
  s: string;
  /** The client's own id. */
  c: string;
  /** Number of the order. */
  i: number;
  /** BUY or SELL. */
  S: 'BUY' | 'SELL';
  /** LIMIT or MARKET. */
  o: 'LIMIT' | 'MARKET';
  /** GTC, IOC or GTX. */
  f: 'GTC' | 'FOK' | 'IOC' | 'GTX';
  /** Price; "0" where there is none. */
  p: Text;
  /** Quantity ordered; "0" of an order by funds and of a stop for the whole position. */
  q: Text;
  /** vUSDC amount of a market buy by funds. */
  F: Text | null;
  /** Where the order stands. */
  X: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'EXPIRED' | 'PENDING_NEW' | 'TRIGGERED';
  /** Executed so far. */
  z: Text;
  /** Executed so far, vUSDC. */
  v: Text;
  /** Margin frozen for the rest. */
  M: Text;
  /** Accepted, ms. */
  ct: number;
  /** Last change, ms. */
  ut: number;
  /** BOTH. */
  ps: 'BOTH' | 'LONG' | 'SHORT';
  /** Whether it may only reduce a position. */
  R: boolean;
  /** Price that triggers it. */
  sp?: Text;
  /** STOP_LOSS or TAKE_PROFIT. */
  st?: 'STOP_LOSS' | 'TAKE_PROFIT';
  /** Which price triggers it. */
  tt?: 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';
  /** Position it belongs to. */
  pid?: number;
  /** Order it is attached to. */
  poid?: number;
  /** Orders attached to it that are not over. */
  aoids?: OrderID[];
}

/** A position, short keys. */
export interface WsPerpsStatePosition {
  /** Number of the position. */
  i: number;
  /** Symbol. */
  s: string;
  /** CROSS or ISOLATED. */
  m: 'ISOLATED' | 'CROSS';
  /** BOTH. */
  ps: 'BOTH' | 'LONG' | 'SHORT';
  /** Size; negative is short. */
  sz: Text;
  /** Margin of an isolated position. */
  iw: Text | null;
  /** Average entry price. */
  ep: Text;
  /** Value of all that was opened. */
  co: Text;
  /** Cumulative fees. */
  cf: Text;
  /** Cumulative size closed. */
  cc: Text;
  /** Average price of closings. */
  cp: Text;
  /** Largest size. */
  ms: Text;
  /** Realized profit or loss, net of fees and funding. */
  cr: Text;
  /** Unrealized profit or loss at the mark price. */
  ur: Text;
  /** Leverage. */
  l: number;
  /** Mark price at which liquidation begins; 0 = none. */
  lp: Text;
  /** How soon it would be closed in auto-deleveraging: 1 (first) to 5 among those in profit, 6 without profit. */
  adl: number;
  /** Opened, ms. */
  ct: number;
  /** Last change, ms. */
  ut: number;
}

/** What an account chose for a symbol. */
export interface WsPerpsStateSetting {
  /** Symbol. */
  s: string;
  /** Leverage. */
  l: number;
  /** CROSS or ISOLATED. */
  m: 'ISOLATED' | 'CROSS';
}

/** A registered API key. */
export interface APIKey {
  /** Name, for `X-API-Key`. */
  name: string;
  /** EVM. */
  type: 'EVM';
  /** Address of the key pair. */
  publicKey: string;
  /** Unix milliseconds; 0 = never. */
  expiresAt: number;
  /** What it may not do: 1 trade, 2 cancel, 4 withdraw, 8 transfer, added up; 0 = it may do all of it. */
  permissions: number;
}

/** What trading costs a user. */
export interface FeeRate {
  /** Rate as maker; negative is paid to the maker. */
  makerFeeRate: Text;
  /** Rate as taker. */
  takerFeeRate: Text;
  /** When a symbol is given: its discount, already in the rates. */
  feeDiscount?: Text;
  /** Tier by volume. */
  feeTier: number;
  /** Tier by staking. */
  stakingTier: number;
  /** Tier by share of maker volume. */
  makerRebateTier: number;
}

/** What a position paid or got at an hour. */
export interface PerpsUserFunding {
  /** Symbol. */
  symbol: string;
  /** Position that paid or got it. */
  positionID: number;
  /** BOTH. */
  positionSide: 'BOTH' | 'LONG' | 'SHORT';
  /** Above 0 it was paid, below 0 received. */
  fundingFee: Text;
  /** vUSDC. */
  feeCoin: string;
  /** Time, ms. */
  timestamp: number;
  /** Rate of the hour. */
  fundingRate: Text;
}

/** A receipt as the account reads it that was in it. */
export interface AccountLiquidation {
  /** LIQUIDATED: it was this account's position; DELEVERAGED: this account took a part of it. */
  role: 'LIQUIDATED' | 'DELEVERAGED';
  /** The account of the request. */
  accountID: number;
  /** LIQUIDATED: its position. */
  positionID?: number;
  /** DELEVERAGED: its own row of the ranking. */
  own?: LiquidationRank[];
  /** Number of the receipt, over all symbols. */
  receiptID: number;
  /** Number of the liquidation that the stage belongs to. */
  liquidationID: number;
  /** Symbol. */
  symbol: string;
  /** Its number. */
  symbolID: number;
  /** When it happened, ms. */
  time: number;
  /** Block of it. */
  block: number;
  /** Transaction of it. */
  txHash: string;
  /** BOOK: sold in the book; TAKEOVER: taken by the fund; ADL: closed against the other side. */
  stage: 'BOOK' | 'TAKEOVER' | 'ADL';
  /** Which order, or position, of the unit in this second, from 1. */
  round: number;
  /**
   * keccak256 of `dojima liquidation`, the first chain id, the receiptID, the owner's address and the accountID
   * (numbers as 8 bytes, big endian): an owner knows its own.
   */
  account?: string;
  /** Whether the fund's own position was closed. */
  fund: boolean;
  /** CROSS: the unit is all cross positions and the wallet; ISOLATED: this position and its margin. */
  marginMode: 'ISOLATED' | 'CROSS';
  /** Side of the closing order. */
  side: 'BUY' | 'SELL';
  /** Size of the position before; negative is short. */
  sizeBefore: Text;
  /** What this stage closed of it. */
  quantity: Text;
  /** BOOK: the quantity to be closed. */
  wantedQuantity?: Text;
  /** BOOK: worst price that was allowed. */
  limitPrice?: Text;
  /**
   * Equity of the unit at mark, before. TAKEOVER, ADL: the part of its positions that are not suspended, by
   * maintenance margin.
   */
  equity: Text;
  /** Maintenance margin of the same, before; liquidation begins when equity is less. */
  maintenance: Text;
  /** Equity of the same with every position at the worse of its mark and index. */
  equityAtWorse: Text;
  /** Maintenance margin of this position alone. */
  positionMaintenance: Text;
  /**
   * The position's share of the unit's equity, by its part of the maintenance margin: at mark, for ADL at
   * worsePrice.
   */
  share: Text;
  /** Mark price of that second. */
  markPrice: Text;
  /** Index price of that second. */
  indexPrice: Text;
  /** Where the index came from. */
  indexState: 'BOOTSTRAP' | 'LIVE' | 'FALLBACK' | 'STALE';
  /** t: the worse of mark and index for the account. */
  worsePrice: Text;
  /** Price at which the share is used up. */
  bankruptcyPrice: Text;
  /** What was paid per unit, rounded down. */
  price: Text;
  /** What was paid in all, vUSDC. */
  value: Text;
  /** Distance of price from mark as a ratio; above 0 is worse for the account. */
  slippage: Text;
  /** What the fund lost by it, charged to its day. */
  fundCharge: Text;
  /** TAKEOVER, ADL: the rest of the fund's limit of loss on the symbol that day, before. */
  fundSymbolBudget?: Text;
  /** TAKEOVER, ADL: the rest of its limit for all symbols, before. */
  fundTotalBudget?: Text;
  /** TAKEOVER, ADL: value of the fund's position in the symbol if it took this one. */
  fundInventory?: Text;
  /** TAKEOVER, ADL: the most it may be; absent without a limit. */
  fundInventoryLimit?: Text;
  /** TAKEOVER, ADL: value of all that the fund would hold. */
  fundCarries?: Text;
  /** TAKEOVER, ADL: the fund's equity if it took it. */
  fundEquity?: Text;
  /** ADL: why the fund did not take the unit. */
  fundRefusal?: FundRefusal[];
  /** Wallet of the fund before. */
  fundBefore: Text;
  /** Wallet of the fund after. */
  fundAfter: Text;
  /** ADL: rows of the ranking, read with /liquidations/ranking. */
  candidates: number;
  /** What index and mark were made of. */
  composition: IndexComposition;
}

/** One side of a trade, as its account sees it. */
export interface UserTrade {
  /** Symbol. */
  symbol: string;
  /** Trade id. */
  tradeID: number;
  /** The account's order. */
  orderID: number;
  /** Its client id. */
  clOrdID: string;
  /** The account's side. */
  side: 'BUY' | 'SELL';
  /** Price. */
  price: Text;
  /** Quantity. */
  quantity: Text;
  /** Fee in feeCoin; negative was paid to the account. */
  fee: Text;
  /** Coin of the fee: the one received; of a maker with a rebate the one its taker received. */
  feeCoin: string;
  /** Time, ms. */
  time: number;
  /** Whether the account's order rested. */
  isMaker: boolean;
  /** Perps: LIQUIDATION, TAKEOVER, ADL or SETTLEMENT for a forced fill; the last three have no order. */
  reason?:
    | 'USER'
    | 'IOC_REMAINDER'
    | 'PRICE_BOUND'
    | 'NO_LIQUIDITY'
    | 'FUNDS_DUST'
    | 'SELF_TRADE'
    | 'SCHEDULED_CANCEL'
    | 'POST_ONLY_WOULD_CROSS'
    | 'OPERATOR'
    | 'PARENT_CANCELED'
    | 'POSITION_CLOSED'
    | 'OCO_SIBLING'
    | 'MARGIN_INSUFFICIENT'
    | 'INSUFFICIENT_MARGIN'
    | 'LIQUIDATION'
    | 'REDUCE_ONLY_TRIM'
    | 'OPEN_INTEREST_CAP'
    | 'SETTLEMENT'
    | 'TAKEOVER'
    | 'ADL'
    | 'ADL_BANKRUPT'
    | 'FLIP'
    | 'BANKRUPTCY_BOUND'
    | 'REDUCE_ONLY'
    | 'ORACLE_STALE'
    | 'SYMBOL_HALTED'
    | 'LEVERAGE_TIER'
    | 'IN_LIQUIDATION'
    | 'CAPACITY';
  /** True when both accounts belong to one user: no volume for a tier, no rebate; else absent. */
  self?: boolean;
  /**
   * Perps: number of the liquidation whose stage made it, the same as in its receipts (/perps/liquidations); else
   * absent.
   */
  liquidationID?: number;
}

/** What became of one item of a batch. */
export interface OrderResult {
  /** 0 = done. */
  code: number;
  /** The item's clOrdID. */
  clOrdID: string;
  /** Text, only when code is not 0. */
  error?: string;
  /** The order, only when code is 0. */
  orderID?: number;
  /** Cancels: the order's own clOrdID. */
  origClOrdID?: string;
  /** Status of the order after the item. */
  status?: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'EXPIRED' | 'PENDING_NEW' | 'TRIGGERED';
  /** The same text as error. */
  message?: string;
  /** What exactly went wrong. */
  details?: Details;
  /**
   * The item was accepted, but: STOP_BEYOND_LIQUIDATION = at the present figures the position is liquidated
   * before this stop-loss triggers.
   */
  warning?: string;
}

/** What exactly went wrong; only keys that apply are there. */
export interface Details {
  /** The rule that was not met. */
  rule?: string;
  /** The key, parameter or header at fault; `orders` for a number of orders, `notional` for a value. */
  field?: string;
  /** What came; of 42001 and 42002 what there is, and of a margin that is added or removed what was asked for. */
  got?: string;
  /**
   * The value required. Of 42028 the condition that the account waits for: mode RUN, or its symbol TRADING, LIVE,
   * LIVE with no price held back, or without a position.
   */
  need?: string;
  /** Why a nonce was refused: malformed, used, too small, too old, too far ahead. */
  reason?: string;
  /** Engine time that decided, ms. */
  serverTime?: number;
  /** Signed writes: "not used" when the nonce can be sent again. */
  nonce?: string;
  /** Nonce used by the same payload: hash of the transaction it became. */
  hash?: string;
  /** Its block. */
  block?: number;
  /** Its index in the block. */
  index?: number;
  /** Development mode: what most likely went wrong with the signature. */
  cause?: string;
  /** Development mode: the text that was hashed. */
  hashed?: string;
  /** Development mode: the digest made from it. */
  digest?: string;
  /** Development mode: the chain id in the digest. */
  chainID?: number;
  /** Development mode: the address that signed this digest. */
  recovered?: string;
}

/** Leverage and margin mode of an account on a symbol, as they are now. */
export interface LeverageResult {
  /** Symbol. */
  symbol: string;
  /** Number of the symbol. */
  symbolID: number;
  /** Leverage from now on. */
  leverage: number;
  /** CROSS or ISOLATED. */
  marginMode: 'ISOLATED' | 'CROSS';
}

/** A transfer that was carried out. */
export interface TransferResult {
  /** The request's id. */
  id: number;
}

/** What time it is here. */
export interface ServerTime {
  /** Engine time, ms; the same as the envelope's timestamp. */
  serverTime: number;
}

export type StatusText = string;

/** Whether an address is a user. */
export interface UserStatus {
  /** Active, or UserNotFound. */
  status: string;
  /** User id; 0 when the address has none. */
  userID: number;
}

/** Accounts of a user. */
export interface Subaccounts {
  /** User id; 0 when the address has none. */
  userID: number;
  /** Account that is meant when a request names none. */
  primaryAccountID: number;
  /** All accounts of the user by id, the primary one too. */
  subaccounts: Subaccount[];
}

/** An account of a user. */
export interface Subaccount {
  /** Account id. */
  id: number;
  /** Address of the owner. */
  evmAddress: string;
}

/** All API keys of a user. */
export interface UserAPIKeys {
  /** Keys that sign on spot. */
  spot: APIKey[];
  /** Keys that sign on perps; the same ones. */
  perps: APIKey[];
}

/** What a user did so far. */
export interface UserTransactionQuota {
  /** User id; 0 when the address has none. */
  userID: number;
  /** Writes of the user that became transactions, cancels among them. */
  cumulativeTxNum: number;
  /** Cancel requests among them. */
  cumulativeCancelNum: number;
  /** Traded value in vUSDC, as maker and as taker. */
  cumulativeVolume: Text;
  /** No quota is enforced: the largest number that every client reads exactly. */
  transactionQuota: number;
  /** cumulativeTxNum. */
  transactionQuotaUsed: number;
  /** What is left of it. */
  transactionQuotaRemaining: number;
  /** Always true. */
  transactionQuotaOverridden: boolean;
  /** As transactionQuota. */
  cancelQuota: number;
  /** cumulativeCancelNum. */
  cancelQuotaUsed: number;
  /** What is left of it. */
  cancelQuotaRemaining: number;
}

export interface Health {
  /** "ok". */
  status: string;
}

export interface Ready {
  /** "ok". */
  status: string;
  /** Of several nodes with one log: the name of this one. */
  node?: string;
  /** leader, leading (about to) or follower. */
  role?: string;
  /** Number of the leadership that this node knows. */
  term?: number;
  /** Number of the last command that this node shows. */
  sequence?: number;
  /** Number of the last block that it shows. */
  block?: number;
  /** Commands by which it is behind what the leader last told. */
  lag?: number;
  /** Remaining time of the leader's lease; 0 = no node leads. */
  leaseMs?: number;
  /** URL of the node that leads. */
  leader?: string;
  /** The last block at which nodes compare their states. */
  hashBlock?: number;
  /** Hash of the state behind that block. */
  stateHash?: string;
}

export interface Version {
  /** "dojima". */
  name: string;
  /** Version of the program. */
  version: string;
  /** The chain id to sign for. */
  chainID: number;
}

/** Which limit was reached. */
export interface RateLimit {
  /** Units, orders, requests or connections of the window. */
  limit: number;
  /** 1m, 1M for a calendar month, 0s for what is open at once. */
  window: string;
  /** Seconds until there is room again, at least 1. */
  retry_after: number;
}

export interface Error {
  /** Which rule it was; see x-errors. */
  code: number;
  /** Engine time, Unix milliseconds. */
  timestamp: number;
  /** One sentence. */
  error: string;
  /** The same, of a rate limit. */
  message?: string;
  /** What was wrong, and what was needed. */
  details?: Details | RateLimit;
}

export type RpcId = unknown;

export interface RpcCall {
  jsonrpc: '2.0';
  /** Echoed; without it nothing is answered. */
  id?: RpcId;
  /** See x-methods. */
  method: string;
  /** By position. */
  params?: unknown[];
}

export type RpcAnswer = { jsonrpc: '2.0'; id: RpcId; result: unknown; } | { jsonrpc: '2.0'; id: RpcId; error: { code: -32700 | -32600 | -32601 | -32602 | -32603 | -32000; message: string; data?: { code: number; }; }; };
