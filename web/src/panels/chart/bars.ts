// SPDX-License-Identifier: MIT
// The bars of a chart: what GET klines answered, the bars of the candle stream, and the prices of trades in the bar
// being made. Prices and volumes are integers, in units of the symbol's last price and size decimal.

export interface Bar {
  /** When the bar begins, ms. */
  readonly time: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
}

/** Bars in order of time, each time once. */
export type Bars = readonly Bar[];

/** The index of the first bar at or after a time. */
function indexOf(bars: Bars, time: number): number {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Bar).time < time) low = middle + 1; else {
      high = middle;
    }
  }
  return low;
}

/** Two lists as one; where both have a bar, that of `newer` counts. */
export function merge(older: Bars, newer: Bars): Bar[] {
  const first = newer[0];
  const last = newer[newer.length - 1];
  if (first === undefined || last === undefined) return [...older];
  const before = older.slice(0, indexOf(older, first.time));
  const behind = older.slice(indexOf(older, last.time + 1));
  return [...before, ...newer, ...behind];
}

/** The list with one bar put in its place: appended, or in place of the bar of its time. */
export function put(bars: Bars, bar: Bar): Bar[] {
  return merge(bars, [bar]);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/**
 * The last bar with the price of a trade in it; null when the trade is outside of it. Only prices change, which a trade
 * that comes twice leaves as they are; the volume comes with the next push of the candle stream.
 */
export function withTrade(bar: Bar, end: number, time: number, price: bigint): Bar | null {
  if (time < bar.time || time > end) return null;
  return { ...bar, high: most(bar.high, price), low: least(bar.low, price), close: price };
}

/** The bar that a trade after the last one begins; null when the trade is not in the bar that follows it. */
export function beginning(last: Bar, end: number, time: number, price: bigint): Bar | null {
  const length = end + 1 - last.time;
  if (time <= end || time > end + length) return null;
  return { time: end + 1, open: price, high: price, low: price, close: price, volume: 0n };
}

/**
 * The newest page of a read, with the bars before it, and with the bar of the stream where that is newer. Other bars
 * behind the page's beginning are dropped, because the exchange may have gone back in time; where the page does not
 * reach back to the bars there are, those before it are dropped as well: a hole would be drawn.
 */
export function withPage(bars: Bars, page: Bars, live: Bar | undefined): Bar[] {
  const first = page[0];
  const newest = page[page.length - 1];
  if (first === undefined || newest === undefined) return live ? [live] : [];
  const last = bars[bars.length - 1];
  const joins = last !== undefined && last.time >= first.time;
  const all = [...(joins ? bars.slice(0, indexOf(bars, first.time)) : []), ...page];
  return live && live.time >= newest.time ? put(all, live) : all;
}
