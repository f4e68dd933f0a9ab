// SPDX-License-Identifier: MIT
// What the book shows in one frame, from the book as it is, the own orders, the step, and the prices that are held.
import type { Book, BookLevel } from '../../core/book';
import { type Decimal, ZERO, add, divide, multiply, subtract } from '../../core/decimal';
import type { Market } from '../../state/markets';
import type { OpenOrder } from '../../state/portfolio';
import { priceUnits, sizeUnits } from '../market/units';
import { type Level, type Row, type Side, rowsHeld, rowsOf } from './ladder';

/** The prices of both sides that stand still, best first. */
export interface Held {
  readonly bid: readonly bigint[];
  readonly ask: readonly bigint[];
}

export interface Frame {
  readonly bid: readonly Row[];
  readonly ask: readonly Row[];
  /** The largest total of both sides, for the shading. */
  readonly deepest: bigint;
}

function* unitsOf(market: Market, levels: readonly BookLevel[]): Generator<Level> {
  for (const level of levels) yield { price: priceUnits(market, level.price), size: sizeUnits(market, level.size) };
}

/** Own resting orders of a side; stops rest in no book. */
function ownOf(market: Market, orders: readonly OpenOrder[], side: Side): Level[] {
  const wanted = side === 'bid' ? 'BUY' : 'SELL';
  const levels: Level[] = [];
  for (const order of orders) {
    const rests = order.engine === market.engine && order.symbol === market.name && order.stopType === undefined;
    if (!rests || order.side !== wanted || !order.price || !order.quantity) continue;
    const left = subtract(order.quantity, order.executed);
    levels.push({ price: priceUnits(market, order.price), size: sizeUnits(market, left) });
  }
  return levels;
}

const last = (rows: readonly Row[]): bigint => rows[rows.length - 1]?.total ?? 0n;

export function frameOf(
  market: Market,
  book: Book,
  orders: readonly OpenOrder[],
  step: bigint,
  count: number,
  held: Held | undefined,
): Frame {
  const rows = (side: Side, levels: readonly BookLevel[]): Row[] => {
    const own = ownOf(market, orders, side);
    const units = unitsOf(market, levels);
    return held ? rowsHeld(held[side].slice(0, count), units, own, step, side) : rowsOf(units, own, step, side, count);
  };
  const bid = rows('bid', book.bids);
  const ask = rows('ask', book.asks);
  const deepest = last(bid) > last(ask) ? last(bid) : last(ask);
  return { bid, ask, deepest };
}

export const heldOf = (frame: Frame): Held => ({
  bid: frame.bid.map((row) => row.price),
  ask: frame.ask.map((row) => row.price),
});

const HUNDRED: Decimal = { units: 100n, scale: 0 };
const TWO: Decimal = { units: 2n, scale: 0 };

/** The distance of the best prices, and its share of their middle in percent with 3 decimals. */
export function spreadOf(book: Book): { readonly spread: Decimal; readonly percent: Decimal } | undefined {
  const bid = book.bids[0]?.price;
  const ask = book.asks[0]?.price;
  if (!bid || !ask) return undefined;
  const spread = subtract(ask, bid);
  const middle = add(ask, bid);
  if (middle.units === ZERO.units) return undefined;
  return { spread, percent: divide(multiply(spread, multiply(HUNDRED, TWO)), middle, 3, 'half') };
}
