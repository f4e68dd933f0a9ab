// SPDX-License-Identifier: MIT
// What an order would trade with now: a walk over the opposite side of the book as it stands (mechanics 2.3, 2.4).
import { type Market, RATE_ONE, feeOf, powerOf, valueFloor } from './market';
import type { Draft, Side } from './draft';
import type { References } from './filters';
import { ceilDiv, floorDiv, min, power10 } from './units';

export interface Level {
  price: bigint;
  quantity: bigint;
}

export interface Book {
  /** Highest first. */
  bids: readonly Level[];
  /** Lowest first. */
  asks: readonly Level[];
}

export interface Fill {
  price: bigint;
  quantity: bigint;
  /** The integer that both sides move, in the quote coin. */
  value: bigint;
}

export interface Walk {
  fills: Fill[];
  quantity: bigint;
  value: bigint;
  /** Of a market buy by funds: what is left of them. */
  fundsLeft: bigint;
}

/** The levels without the account's own orders, which the exchange cancels instead of trading (mechanics 2.7). */
export function withoutOwn(levels: readonly Level[], own: readonly Level[]): Level[] {
  if (own.length === 0) return [...levels];
  const mine = new Map<bigint, bigint>();
  for (const order of own) mine.set(order.price, (mine.get(order.price) ?? 0n) + order.quantity);
  return levels
    .map((level) => ({ price: level.price, quantity: level.quantity - (mine.get(level.price) ?? 0n) }))
    .filter((level) => level.quantity > 0n);
}

/** A sale is inside of its bound at or above it, a buy at or below. */
export function isWithin(side: Side, price: bigint, bound: bigint): boolean {
  return side === 'BUY' ? price <= bound : price >= bound;
}

/** The last price at which a market order trades; null where there is no reference (mechanics 2.4, 3.4). */
export function marketBound(market: Market, side: Side, price: bigint | null, references: References): bigint | null {
  const reference = market.perps ? references.index : references.last;
  if (reference === null) return null;
  const bound =
    side === 'BUY'
      ? floorDiv(reference * (RATE_ONE + market.deviation), RATE_ONE)
      : market.deviation >= RATE_ONE
        ? 1n
        : ceilDiv(reference * (RATE_ONE - market.deviation), RATE_ONE);
  return price !== null && isWithin(side, price, bound) ? price : bound;
}

/** How much of a level a taker takes: what it still wants, or what its funds still pay, down to the step. */
function taken(market: Market, level: Level, quantityLeft: bigint | null, fundsLeft: bigint): bigint {
  if (quantityLeft !== null) return min(quantityLeft, level.quantity);
  const power = powerOf(market);
  const scaled = power >= 0 ? fundsLeft / power10(power) : fundsLeft * power10(-power);
  const affordable = scaled / level.price;
  return min(affordable - (affordable % market.step), level.quantity);
}

/** The trades an order makes at once. `levels` is the opposite side, best first, without own orders. */
export function walkBook(market: Market, draft: Draft, levels: readonly Level[], bound: bigint | null): Walk {
  const walk: Walk = { fills: [], quantity: 0n, value: 0n, fundsLeft: draft.funds ?? 0n };
  let left = draft.funds === null ? (draft.quantity ?? 0n) : null;
  for (const level of levels) {
    if (left === 0n || (bound !== null && !isWithin(draft.side, level.price, bound))) break;
    const quantity = taken(market, level, left, walk.fundsLeft);
    if (quantity === 0n) break;
    const value = valueFloor(market, level.price, quantity);
    walk.fills.push({ price: level.price, quantity, value });
    walk.quantity += quantity;
    walk.value += value;
    if (left !== null) left -= quantity;
    else walk.fundsLeft -= value;
  }
  return walk;
}

/**
 * The fee of a walk in the quote coin: the exchange charges each fill by itself and rounds it up. The book shows
 * levels, not orders, so a level of several orders may cost up to one unit more per further order.
 */
export function feeOfWalk(walk: Walk, rate: bigint): bigint {
  return walk.fills.reduce((sum, fill) => sum + feeOf(fill.value, rate), 0n);
}

/** Value by quantity, half up, in price units; null when nothing trades. */
export function averagePrice(market: Market, walk: Walk): bigint | null {
  if (walk.quantity === 0n) return null;
  const power = powerOf(market);
  const above = power >= 0 ? walk.value : walk.value * power10(-power);
  const below = power >= 0 ? walk.quantity * power10(power) : walk.quantity;
  return (2n * above + below) / (2n * below);
}
