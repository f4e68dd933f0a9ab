// SPDX-License-Identifier: MIT
// Decimals of the exchange as integers in units of a symbol's last price and size decimal, and back.
import { type Decimal, decimal, decimalOf, toScale } from '../../core/decimal';
import type { Market } from '../../state/markets';
import type { PriceGrid } from '../chart/drag';

export const priceUnits = (market: Market, price: Decimal): bigint =>
  toScale(price, market.pricePlaces, 'half').units;

export const sizeUnits = (market: Market, size: Decimal): bigint => toScale(size, market.sizePlaces, 'down').units;

export const priceOf = (market: Market, units: bigint): Decimal => decimalOf(units, market.pricePlaces);

export const sizeOf = (market: Market, units: bigint): Decimal => decimalOf(units, market.sizePlaces);

export function gridOf(market: Market): PriceGrid {
  return {
    decimals: market.pricePlaces,
    tick: priceUnits(market, market.tick),
    least: priceUnits(market, decimal(market.record.minPrice)),
    most: priceUnits(market, decimal(market.record.maxPrice)),
  };
}

/** A place for drawing; nothing is computed with it. */
export const drawn = (market: Market, units: bigint): number => Number(units) / 10 ** market.pricePlaces;
