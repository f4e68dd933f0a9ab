// SPDX-License-Identifier: MIT
// The account in whole units, out of the records that reads and streams give.
import type { Account, Markets, Position, Priced, Resting } from './account';
import type { Side } from './draft';
import { type Market, powerOf, rateOf } from './market';
import { abs, power10, unitsOf } from './units';

/** The keys of WsPerpsState that the margin check needs. */
export interface PerpsStateRecord {
  B: readonly { a: string; wb: string }[];
  P: readonly { s: string; m: string; sz: string; iw: string | null; ep: string; co: string; cc: string }[];
  S: readonly { s: string; l: number; m: string }[];
}

/** The keys of an open order that the margin check needs. */
export interface RestingRecord {
  id: number;
  symbol: string;
  side: Side;
  /** Undefined for a market order and a stop that waits. */
  price: string | undefined;
  open: string;
  reduceOnly: boolean;
}

export interface RateRecord {
  makerFeeRate: string;
  takerFeeRate: string;
}

/** Average prices have four more decimals than prices (mechanics 1.3). */
const AVERAGE_DECIMALS = 4;

/**
 * The cost of a position. While nothing of it was closed it is the sum of its openings, exactly; afterwards it comes
 * from the average price, which is rounded, so it may be wrong by half a unit of that average times the size.
 */
function costOf(market: Market, row: PerpsStateRecord['P'][number]): bigint {
  const size = unitsOf(row.sz, market.quantityScale);
  const sign = size < 0n ? -1n : 1n;
  if (unitsOf(row.cc, market.quantityScale) === 0n) return sign * abs(unitsOf(row.co, market.quoteScale));
  const product = abs(size) * unitsOf(row.ep, market.priceScale + AVERAGE_DECIMALS);
  const power = powerOf(market) - AVERAGE_DECIMALS;
  if (power >= 0) return sign * product * power10(power);
  const divisor = power10(-power);
  return sign * ((2n * product + divisor) / (2n * divisor));
}

function positionOf(market: Market, row: PerpsStateRecord['P'][number]): Position {
  return {
    symbol: row.s,
    size: unitsOf(row.sz, market.quantityScale),
    cost: costOf(market, row),
    bucket: row.m === 'ISOLATED' ? unitsOf(row.iw, market.quoteScale) : 0n,
  };
}

export function accountOf(
  state: PerpsStateRecord,
  orders: readonly RestingRecord[],
  markets: ReadonlyMap<string, Market>,
): Account {
  const resting: Resting[] = [];
  for (const order of orders) {
    const market = markets.get(order.symbol);
    if (market === undefined || order.price === undefined) continue;
    resting.push({
      id: order.id,
      symbol: order.symbol,
      side: order.side,
      price: unitsOf(order.price, market.priceScale),
      open: unitsOf(order.open, market.quantityScale),
      reduceOnly: order.reduceOnly,
    });
  }
  const first = [...markets.values()][0];
  const wallet = state.B.find((balance) => balance.a === (first?.quoteCoin ?? 'vUSDC'));
  return {
    wallet: unitsOf(wallet?.wb, first?.quoteScale ?? 6),
    positions: state.P.flatMap((row) => {
      const market = markets.get(row.s);
      return market === undefined ? [] : [positionOf(market, row)];
    }),
    orders: resting,
  };
}

export interface MarkRecord {
  mark: string;
  index: string;
  openInterest?: string | undefined;
  state?: string | undefined;
  held?: string | undefined;
}

/** One part in so many of the open-interest caps is there for such an index (mechanics 3.8, ruling 68). */
const PARTS_OF_CAP: Readonly<Record<string, bigint>> = { FALLBACK: 2n, BOOTSTRAP: 10n };

/** One symbol with its prices, the account's setting and its rates; undefined while a price is not known. */
export function pricedOf(
  market: Market,
  prices: MarkRecord | undefined,
  state: PerpsStateRecord,
  rates: RateRecord | undefined,
  fallback: { makerFee: string; takerFee: string },
): Priced | undefined {
  if (prices === undefined) return undefined;
  const setting = state.S.find((one) => one.s === market.name);
  return {
    market,
    mark: unitsOf(prices.mark, market.priceScale),
    index: unitsOf(prices.index, market.priceScale),
    held: prices.held === undefined ? null : unitsOf(prices.held, market.priceScale),
    stale: prices.state === 'STALE',
    interest: prices.openInterest === undefined ? null : unitsOf(prices.openInterest, market.quantityScale),
    capParts: PARTS_OF_CAP[prices.state ?? ''] ?? 1n,
    leverage: setting?.l ?? market.initLeverage,
    isolated: setting?.m === 'ISOLATED',
    takerRate: rateOf(rates?.takerFeeRate ?? fallback.takerFee),
    makerRate: rateOf(rates?.makerFeeRate ?? fallback.makerFee),
  };
}

export function pricedMap(all: readonly (Priced | undefined)[]): Markets {
  const map = new Map<string, Priced>();
  for (const priced of all) if (priced !== undefined) map.set(priced.market.name, priced);
  return map;
}
