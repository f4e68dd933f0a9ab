// SPDX-License-Identifier: MIT
// The rules of one symbol in whole units, read from the record that the exchange publishes.
import { ceilDiv, floorDiv, power10, unitsOf } from './units';

export const RATE_ONE = 100_000_000n;
const RATE_SCALE = 8;

/** What this module reads of SpotSymbol and PerpsSymbol; the records hold more. */
export interface SymbolRecord {
  id: number;
  name: string;
  baseCoin?: string;
  quoteCoin?: string;
  baseCoinPrecision?: number;
  quoteCoinPrecision?: number;
  pricePrecision: number;
  quantityPrecision: number;
  tickSize: string;
  stepSize: string;
  minPrice: string;
  maxPrice: string;
  minQuantity: string;
  maxQuantity: string;
  marketMinQuantity: string;
  marketMaxQuantity: string;
  minNotional: string;
  maxNotional: string;
  buyLimitUpRatio: string;
  sellLimitDownRatio: string;
  marketDeviationRatio: string;
  makerFee: string;
  takerFee: string;
  status: string;
  lastTradePrice?: string;
  listingReferencePrice?: string;
  maxLeverage?: number;
  initLeverage?: number;
  marginTiers?: TierRecord[];
  openInterestCap?: string;
  openInterestCapUSD?: string;
}

export interface TierRecord {
  maxNotionalValue: string;
  maintenanceMarginRate: string;
  maxLeverage: number;
  maintenanceDeduction: string;
}

export interface Tier {
  maxNotional: bigint;
  rate: bigint;
  maxLeverage: number;
  deduction: bigint;
}

/** Prices in 10^-priceScale, quantities in 10^-quantityScale, amounts in 10^-quoteScale, rates in 1e-8. 0: no bound. */
export interface Market {
  id: number;
  name: string;
  perps: boolean;
  baseCoin: string;
  quoteCoin: string;
  priceScale: number;
  quantityScale: number;
  quoteScale: number;
  baseScale: number;
  tick: bigint;
  step: bigint;
  minPrice: bigint;
  maxPrice: bigint;
  minQuantity: bigint;
  maxQuantity: bigint;
  marketMinQuantity: bigint;
  marketMaxQuantity: bigint;
  minNotional: bigint;
  maxNotional: bigint;
  limitUp: bigint;
  limitDown: bigint;
  deviation: bigint;
  trading: boolean;
  tiers: Tier[];
  initLeverage: number;
  maxLeverage: number;
  /** Most open interest, as a quantity and as a value at the mark. */
  interestCap: bigint;
  interestCapValue: bigint;
}

export function marketOf(record: SymbolRecord, perps: boolean): Market {
  const price = (text: string) => unitsOf(text, record.pricePrecision);
  const quantity = (text: string) => unitsOf(text, record.quantityPrecision);
  const rate = (text: string) => unitsOf(text, RATE_SCALE);
  const quoteScale = record.quoteCoinPrecision ?? 6;
  const amount = (text: string) => unitsOf(text, quoteScale);
  return {
    id: record.id,
    name: record.name,
    perps,
    baseCoin: record.baseCoin ?? record.name.split(/[-_]/)[0] ?? record.name,
    quoteCoin: record.quoteCoin ?? 'vUSDC',
    priceScale: record.pricePrecision,
    quantityScale: record.quantityPrecision,
    quoteScale,
    baseScale: record.baseCoinPrecision ?? record.quantityPrecision,
    tick: price(record.tickSize),
    step: quantity(record.stepSize),
    minPrice: price(record.minPrice),
    maxPrice: price(record.maxPrice),
    minQuantity: quantity(record.minQuantity),
    maxQuantity: quantity(record.maxQuantity),
    marketMinQuantity: quantity(record.marketMinQuantity),
    marketMaxQuantity: quantity(record.marketMaxQuantity),
    minNotional: amount(record.minNotional),
    maxNotional: amount(record.maxNotional),
    limitUp: rate(record.buyLimitUpRatio),
    limitDown: rate(record.sellLimitDownRatio),
    deviation: rate(record.marketDeviationRatio),
    trading: record.status === 'TRADING',
    tiers: (record.marginTiers ?? []).map((tier) => ({
      maxNotional: amount(tier.maxNotionalValue),
      rate: rate(tier.maintenanceMarginRate),
      maxLeverage: tier.maxLeverage,
      deduction: amount(tier.maintenanceDeduction),
    })),
    initLeverage: record.initLeverage ?? 1,
    maxLeverage: record.maxLeverage ?? 1,
    interestCap: quantity(record.openInterestCap ?? '0'),
    interestCapValue: amount(record.openInterestCapUSD ?? '0'),
  };
}

/** A rate as the exchange publishes it, in 1e-8. */
export function rateOf(text: string): bigint {
  return unitsOf(text, RATE_SCALE);
}

/** k of mechanics 1.2: a price times a quantity times 10^k is an amount of the quote coin. */
export function powerOf(market: Market): number {
  return market.quoteScale - market.priceScale - market.quantityScale;
}

/** N(P, x) of mechanics 1.2, rounded down: what a trade moves. */
export function valueFloor(market: Market, price: bigint, quantity: bigint): bigint {
  const power = powerOf(market);
  return power >= 0 ? price * quantity * power10(power) : floorDiv(price * quantity, power10(-power));
}

/** The same rounded up: what a spot buy holds. */
export function valueCeil(market: Market, price: bigint, quantity: bigint): bigint {
  const power = powerOf(market);
  return power >= 0 ? price * quantity * power10(power) : ceilDiv(price * quantity, power10(-power));
}

/** A fee above 0 is rounded up, a rebate down in its amount (mechanics 1.3). */
export function feeOf(amount: bigint, rate: bigint): bigint {
  return rate >= 0n ? ceilDiv(amount * rate, RATE_ONE) : -floorDiv(amount * -rate, RATE_ONE);
}

/** The tier of a notional (mechanics 3.2): the first that holds it, else the last. */
export function tierOf(market: Market, notional: bigint): Tier {
  const found = market.tiers.find((tier) => notional <= tier.maxNotional) ?? market.tiers[market.tiers.length - 1];
  if (found === undefined) throw new Error(`${market.name} has no margin tiers`);
  return found;
}

/** MM(N) of mechanics 3.2. */
export function maintenanceOf(market: Market, notional: bigint): bigint {
  const tier = tierOf(market, notional);
  const margin = ceilDiv(notional * tier.rate, RATE_ONE) - tier.deduction;
  return margin > 0n ? margin : 0n;
}

/** IM(N) of mechanics 3.2. */
export function initialOf(notional: bigint, leverage: number): bigint {
  return ceilDiv(notional, BigInt(leverage));
}
