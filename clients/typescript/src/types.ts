// SPDX-License-Identifier: MIT
// Records of the interface as they come over the wire; docs/api.md has the meaning of each key. A `Text` is a decimal
// string: compute with it through decimal.ts only.

export type Engine = 'spot' | 'perps';
export type Text = string;
export type Side = 'BUY' | 'SELL';
export type OrderType = 'LIMIT' | 'MARKET';
export type TimeInForce = 'GTC' | 'FOK' | 'IOC' | 'GTX';
export type MarginMode = 'ISOLATED' | 'CROSS';
export type StopType = 'STOP_LOSS' | 'TAKE_PROFIT';
export type TriggerType = 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';
export type OrderStatus =
  | 'NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELED'
  | 'REJECTED'
  | 'EXPIRED'
  /** A stop of a bracket that waits for its parent. */
  | 'PENDING_NEW'
  | 'TRIGGERED';

/** Integers of requests (wire 0.6). */
export const SIDE = { BUY: 1, SELL: 2 } as const;
export const TYPE = { LIMIT: 1, MARKET: 2 } as const;
export const TIF = { GTC: 1, FOK: 2, IOC: 3, GTX: 4 } as const;
export const MODIFIER = { NORMAL: 1, STOP: 2, BRACKET: 3, ATTACHED_STOP: 4 } as const;
export const STOP = { STOP_LOSS: 1, TAKE_PROFIT: 2 } as const;
export const TRIGGER = { LAST_PRICE: 1, MARK_PRICE: 2, INDEX_PRICE: 3 } as const;
export const POSITION_SIDE = { BOTH: 1, LONG: 2, SHORT: 3 } as const;
export const MARGIN_MODE = { ISOLATED: 1, CROSS: 2 } as const;
export const TRANSFER = { EVM_WITHDRAW: 2, PERPS_WITHDRAW: 3, SPOT_WITHDRAW: 5 } as const;
/** The account behind every transfer between the ledgers of one owner. */
export const BRIDGE_ACCOUNT = 999;

interface SymbolRecord {
  id: number;
  name: string;
  displayName: string;
  baseCoin: string;
  quoteCoinID: number;
  quoteCoin: string;
  quoteCoinPrecision: number;
  pricePrecision: number;
  tickSize: Text;
  minPrice: Text;
  maxPrice: Text;
  quantityPrecision: number;
  stepSize: Text;
  minQuantity: Text;
  maxQuantity: Text;
  marketMinQuantity: Text;
  marketMaxQuantity: Text;
  minNotional: Text;
  maxNotional: Text;
  buyLimitUpRatio: Text;
  sellLimitDownRatio: Text;
  marketDeviationRatio: Text;
  makerFee: Text;
  takerFee: Text;
  feeDiscount: Text;
  status: 'TRADING' | 'HALT';
  lastTradePrice: Text;
}

export interface SpotSymbol extends SymbolRecord {
  baseCoinID: number;
  baseCoinPrecision: number;
}

export interface MarginTier {
  maxNotionalValue: Text;
  maintenanceMarginRate: Text;
  maxLeverage: number;
  maintenanceDeduction: Text;
}

export interface PerpsSymbol extends SymbolRecord {
  openInterestCap: Text;
  openInterestCapUSD: Text;
  maxLeverage: number;
  initLeverage: number;
  marginTiers: MarginTier[];
  fundingInterval: number;
  interestRate: Text;
  maxFundingRate: Text;
  minFundingRate: Text;
  markPrice: Text;
  indexPrice: Text;
}

export interface Coin {
  id: number;
  name: string;
  precision: number;
}

export type Level = [price: Text, size: Text];

export interface OrderBook {
  blockTime: number;
  blockHeight: number;
  updateID: number;
  bids: Level[];
  asks: Level[];
}

/** l2Book and l4Book pushes; `U` stands in updates of l4Book only. */
export interface WsBook {
  s: string;
  U?: number;
  u: number;
  E: number;
  a: Level[];
  b: Level[];
}

/** ticker and allTicker pushes: 24 hours. `P` is percent, a JSON number. */
export interface WsTicker {
  E: number;
  s: string;
  c: Text;
  Q: Text;
  w: Text;
  a: Text;
  A: Text;
  b: Text;
  B: Text;
  p: Text;
  P: number;
  o: Text;
  h: Text;
  l: Text;
  v: Text;
  q: Text;
  O: number;
  C: number;
}

export interface WsMarkPrice {
  E: number;
  s: string;
  oi: Text;
  p: Text;
  i: Text;
  r: Text;
  T: number;
}

export interface WsTrade {
  E: number;
  T: number;
  t: number;
  s: string;
  S: Side;
  p: Text;
  q: Text;
  bi: number;
  si: number;
}

export interface Kline {
  t: number;
  o: Text;
  h: Text;
  l: Text;
  c: Text;
  v: Text;
  q: Text;
  n: number;
}

export interface WsCandle extends Kline {
  T: number;
  s: string;
  i: string;
  x: boolean;
}

export type Interval = '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '8h' | '12h' | '1D' | '3D' | '1W' | '1M';

/** Orders as reads of open orders and histories give them. */
export interface OrderRecord {
  symbol: string;
  orderID: number;
  clOrdID: string;
  side: Side;
  type: OrderType;
  timeInForce?: TimeInForce;
  price?: Text;
  origQty?: Text;
  funds?: Text;
  status: OrderStatus;
  executedQty: Text;
  executedValue: Text;
  marginFrozen: Text;
  createdAt: number;
  updatedAt: number;
  positionSide?: string;
  reduceOnly?: boolean;
  stopPrice?: Text;
  stopType?: StopType;
  triggerType?: TriggerType;
  positionID?: number;
  primaryOrderID?: number;
  attachedOrderIDs?: number[];
}

export interface UserTrade {
  symbol: string;
  tradeID: number;
  orderID: number;
  clOrdID: string;
  side: Side;
  price: Text;
  quantity: Text;
  fee?: Text;
  feeCoin?: string;
  time: number;
  isMaker?: boolean;
  reason?: string;
  liquidationID?: number;
}

export interface UserFunding {
  symbol: string;
  positionID: number;
  positionSide: string;
  fundingFee: Text;
  feeCoin: string;
  timestamp: number;
}

export interface FeeRate {
  makerFeeRate: Text;
  takerFeeRate: Text;
  feeTier: number;
  stakingTier: number;
  makerRebateTier: number;
}

export interface ApiKey {
  name: string;
  type: string;
  publicKey: string;
  expiresAt: number;
  permissions?: number;
}

/** One item of a batch. */
export interface OrderResult {
  code: number;
  clOrdID: string;
  error?: string;
  orderID?: number;
  origClOrdID?: string;
  details?: Details;
}

/** Why something was refused: `field` names the offending key of the request where there is one. */
export interface Details {
  field?: string;
  rule?: string;
  reason?: string;
  limit?: unknown;
  value?: unknown;
  serverTime?: number;
  retry_after?: number;
  [key: string]: unknown;
}

export interface WsStateOrder {
  s: string;
  c: string;
  i: number;
  S: Side;
  o: OrderType;
  f: TimeInForce;
  p: Text;
  q: Text;
  F?: Text | null;
  X: OrderStatus;
  z: Text;
  v: Text;
  M: Text;
  ct?: number;
  ut?: number;
  ps?: string;
  R?: boolean;
  sp?: Text | null;
  st?: StopType | null;
  tt?: TriggerType | null;
  pid?: number | null;
  poid?: number | null;
  aoids?: number[] | null;
}

export interface WsOrderUpdate extends WsStateOrder {
  E: number;
  T: number;
  t?: number;
  l: Text;
  L: Text;
  n: Text;
  m: boolean;
  x: 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED' | 'MODIFIED' | 'EXPIRED' | 'REPLACED';
  r: string;
}

export interface WsAccountTrade {
  E: number;
  T: number;
  t: number;
  s: string;
  i: number;
  c: string;
  S: Side;
  p: Text;
  q: Text;
  f: Text;
  m: boolean;
  d?: 'LONG' | 'SHORT';
  liquidationID?: number;
}

export interface WsSpotStateBalance {
  i: number;
  a: string;
  t: Text;
  l: Text;
}

export interface WsSpotState {
  user: string;
  aid: number;
  uid: number;
  B: WsSpotStateBalance[];
  O: WsStateOrder[];
  blockTime?: number;
  blockHeight?: number;
}

export interface WsPerpsStateBalance {
  i: number;
  a: string;
  wb: Text;
  co: Text;
  mr: Text;
  px: Text;
  iw: Text;
  aw: Text;
  at: Text;
  ww: Text;
  wm: Text;
  am: Text;
}

export interface WsPerpsStatePosition {
  i: number;
  s: string;
  m: MarginMode;
  ps: string;
  sz: Text;
  iw: Text | null;
  ep: Text;
  co: Text;
  cf: Text;
  cc: Text;
  cp: Text;
  ms: Text;
  cr: Text;
  ur: Text;
  l: number;
  lp: Text;
  adl: number;
  ct?: number;
  ut?: number;
}

export interface WsPerpsState {
  user: string;
  aid: number;
  uid: number;
  av: Text;
  mm: Text;
  mmr?: Text;
  am: Text;
  ami: Text;
  amw: Text;
  im: Text;
  cm: Text;
  oim: Text;
  ocm: Text;
  B: WsPerpsStateBalance[];
  O: WsStateOrder[];
  P: WsPerpsStatePosition[];
  S: { s: string; l: number; m: MarginMode }[];
  blockTime?: number;
  blockHeight?: number;
}

export interface WsAccountEvent {
  type: 'liquidation';
  E: number;
  lid: number;
  aid: number;
  av: Text;
  mm: MarginMode;
  B: { i: number; a: string; wb: Text; co: Text }[];
  P: { s: string; ps: string; sz: Text; mp: Text; lp: Text }[];
  liquidationID?: number;
  maintenanceMargin?: Text;
}

export interface WsMiniTicker {
  E: number;
  s: string;
  c: Text;
  o: Text;
  h: Text;
  l: Text;
  v: Text;
  q: Text;
}

export interface WsBookTicker {
  E: number;
  s: string;
  u: number;
  a: Text;
  A: Text;
  b: Text;
  B: Text;
}

export interface WsCoinPrice {
  i: number;
  a: string;
  p: Text;
  mr: Text;
  E: number;
}

export interface WsPerpsPositionUpdate {
  i: number;
  s: string;
  sz: Text;
  ep: Text;
  iw: Text | null;
  ps: string;
  ct: number;
  ut: number;
}

/** Spot balances have `t` and `l`, those of perps `wb` and `co`; `P` is there on perps only. */
export interface WsAccountUpdate {
  E: number;
  T: number;
  h: number;
  B: { i: number; a: string; t?: Text; l?: Text; wb?: Text; co?: Text }[];
  P?: WsPerpsPositionUpdate[];
}
