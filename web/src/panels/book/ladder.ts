// SPDX-License-Identifier: MIT
// The rows of the order book: levels merged to multiples of a step, and rows whose prices are held while the pointer is
// over them. Prices and sizes are integers, in units of the symbol's last price and size decimal. No DOM.

export type Side = 'bid' | 'ask';

/** A level: price and size, both integers. Lists of levels are best first. */
export interface Level {
  readonly price: bigint;
  readonly size: bigint;
}

/** A row: a merged price, the size in it, size and value from the best price to it, and the own size in it. */
export interface Row {
  readonly price: bigint;
  readonly size: bigint;
  readonly total: bigint;
  /** Price times size of each level, summed up to here. */
  readonly value: bigint;
  readonly own: bigint;
}

/** The row price a level belongs to: bids are merged downward, asks upward, as l2Book with a tickSize does. */
export function bucket(price: bigint, step: bigint, side: Side): bigint {
  const over = price % step;
  if (over === 0n) return price;
  return side === 'bid' ? price - over : price - over + step;
}

/** Own sizes by row price. */
export function ownSizes(own: readonly Level[], step: bigint, side: Side): Map<bigint, bigint> {
  const sums = new Map<bigint, bigint>();
  for (const order of own) {
    const price = bucket(order.price, step, side);
    sums.set(price, (sums.get(price) ?? 0n) + order.size);
  }
  return sums;
}

/** The best `count` rows of a side, best first; fewer when the book is shorter. */
export function rowsOf(
  levels: Iterable<Level>,
  own: readonly Level[],
  step: bigint,
  side: Side,
  count: number,
): Row[] {
  const mine = ownSizes(own, step, side);
  const rows: Row[] = [];
  let size = 0n;
  let total = 0n;
  let value = 0n;
  let price: bigint | null = null;
  const close = (at: bigint): void => {
    rows.push({ price: at, size, total, value, own: mine.get(at) ?? 0n });
  };
  for (const level of levels) {
    const at = bucket(level.price, step, side);
    if (price !== null && at !== price) {
      close(price);
      size = 0n;
      if (rows.length === count) return rows;
    }
    price = at;
    size += level.size;
    total += level.size;
    value += level.size * level.price;
  }
  if (price !== null && rows.length < count) close(price);
  return rows;
}

/** Whether a price is better than or equal to another on its side. */
function reaches(price: bigint, row: bigint, side: Side): boolean {
  return side === 'bid' ? price >= row : price <= row;
}

/**
 * The rows of prices that are held: the prices stay in their places, sizes and totals are those of the book now.
 * A held price whose level is gone has size 0. `held` is best first.
 */
export function rowsHeld(
  held: readonly bigint[],
  levels: Iterable<Level>,
  own: readonly Level[],
  step: bigint,
  side: Side,
): Row[] {
  const mine = ownSizes(own, step, side);
  const rows: Row[] = [];
  const source = levels[Symbol.iterator]();
  let next = source.next();
  let total = 0n;
  let value = 0n;
  for (const price of held) {
    let size = 0n;
    while (next.done !== true && reaches(bucket(next.value.price, step, side), price, side)) {
      total += next.value.size;
      value += next.value.size * next.value.price;
      if (bucket(next.value.price, step, side) === price) size += next.value.size;
      next = source.next();
    }
    rows.push({ price, size, total, value, own: mine.get(price) ?? 0n });
  }
  return rows;
}

/** The steps a reader can choose: 1, 2, 5, 10 … times the tick, at most about a fiftieth of the price. */
export function stepsFor(tick: bigint, price: bigint): bigint[] {
  const steps: bigint[] = [];
  const most = price / 50n;
  for (let factor = 1n; steps.length < 12; factor *= 10n) {
    for (const part of [1n, 2n, 5n]) {
      const step = tick * factor * part;
      if (steps.length > 0 && step > most) return steps;
      steps.push(step);
    }
  }
  return steps;
}

/** A share of 1 for the depth shading, in thousandths so that drawing needs no division of large integers. */
export function share(part: bigint, whole: bigint): number {
  if (whole <= 0n) return 0;
  const thousandths = Number((part * 1000n) / whole);
  return Math.min(thousandths, 1000) / 1000;
}

/** The average price of taking everything up to a row, to the nearest unit; null where there is nothing to take. */
export function averageOf(row: Row): bigint | null {
  return row.total > 0n ? (row.value * 2n + row.total) / (row.total * 2n) : null;
}
