// SPDX-License-Identifier: MIT
// An order book kept by a snapshot and updates (channel l4Book). No gap is ever passed over: U must be u + 1.
import { type Decimal, compare, decimal, isZero } from './decimal.js';
import type { Level, WsBook } from './types.js';

export interface BookLevel {
  readonly price: Decimal;
  readonly size: Decimal;
  /** As the wire says it, in normal form. */
  readonly text: Level;
}

export interface Book {
  readonly symbol: string;
  /** 0 before the first snapshot. */
  readonly updateID: number;
  /** Time of the last frame, Unix ms. */
  readonly time: number;
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** `old`: a frame that the book has already; `gap`: it does not follow, the book stays and needs a new snapshot. */
export type Applied = 'applied' | 'old' | 'gap';

export interface BookKeeper extends Book {
  snapshot(frame: WsBook): void;
  update(frame: WsBook): Applied;
}

const levelOf = (text: Level): BookLevel => ({ price: decimal(text[0]), size: decimal(text[1]), text });

/** Whether `a` stands before `b`: bids fall, asks rise. */
const bidOrder = (a: Decimal, b: Decimal): number => compare(b, a);
const askOrder = (a: Decimal, b: Decimal): number => compare(a, b);

type Order = typeof bidOrder;

/** The place of a price in a side, or the one where it belongs. */
function placeOf(side: readonly BookLevel[], price: Decimal, order: Order): { at: number; found: boolean } {
  let low = 0;
  let high = side.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const seen = order((side[middle] as BookLevel).price, price);
    if (seen === 0) return { at: middle, found: true };
    if (seen < 0) low = middle + 1;
    else high = middle;
  }
  return { at: low, found: false };
}

function change(side: BookLevel[], text: Level, order: Order): void {
  const level = levelOf(text);
  const { at, found } = placeOf(side, level.price, order);
  if (isZero(level.size)) {
    if (found) side.splice(at, 1);
  } else {
    side.splice(at, found ? 1 : 0, level);
  }
}

class KeptBook implements BookKeeper {
  updateID = 0;
  time = 0;
  bids: BookLevel[] = [];
  asks: BookLevel[] = [];

  constructor(
    readonly symbol: string,
    private readonly depth: number,
  ) {}

  snapshot(frame: WsBook): void {
    this.bids = frame.b.map(levelOf);
    this.asks = frame.a.map(levelOf);
    this.updateID = frame.u;
    this.time = frame.E;
  }

  update(frame: WsBook): Applied {
    if (frame.u <= this.updateID) return 'old';
    if (frame.U !== this.updateID + 1) return 'gap';
    for (const level of frame.b) change(this.bids, level, bidOrder);
    for (const level of frame.a) change(this.asks, level, askOrder);
    this.bids.length = Math.min(this.bids.length, this.depth);
    this.asks.length = Math.min(this.asks.length, this.depth);
    this.updateID = frame.u;
    this.time = frame.E;
    return 'applied';
  }
}

/** An empty book of at most `depth` levels a side, the `level` of its subscription. */
export function openBook(symbol: string, depth: number): BookKeeper {
  return new KeptBook(symbol, depth);
}
