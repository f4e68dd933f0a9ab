// SPDX-License-Identifier: MIT
// One line of the chart while it is dragged to amend its order. Prices are integers, in units of the symbol's last
// price decimal.

/** What bounds and rounds the price of a line: the tick, and the least and highest price, 0 for none. */
export interface PriceGrid {
  readonly decimals: number;
  readonly tick: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

export type Drag =
  | { readonly phase: 'still' }
  | { readonly phase: 'moving'; readonly from: bigint; readonly at: bigint }
  | { readonly phase: 'asking'; readonly from: bigint; readonly at: bigint }
  | { readonly phase: 'pending'; readonly from: bigint; readonly at: bigint }
  | { readonly phase: 'refused'; readonly from: bigint; readonly reason: string };

export const still: Drag = { phase: 'still' };

/** A price within the grid's bounds, on a multiple of the tick. */
export function bounded(price: bigint, grid: PriceGrid): bigint {
  const floor = grid.least > 0n ? grid.least : grid.tick;
  if (price < floor) return floor + ((grid.tick - (floor % grid.tick)) % grid.tick);
  if (grid.most > 0n && price > grid.most) return grid.most - (grid.most % grid.tick);
  return price - (price % grid.tick);
}

/** The tick nearest to a coordinate's price: the chart gives a number for drawing, from here on it is an integer. */
export function snap(drawn: number, grid: PriceGrid): bigint {
  if (!Number.isFinite(drawn) || drawn <= 0) return bounded(0n, grid);
  const ticks = Math.round((drawn * 10 ** grid.decimals) / Number(grid.tick));
  return bounded(BigInt(ticks) * grid.tick, grid);
}

/** The price so many ticks away. */
export function nudge(price: bigint, ticks: bigint, grid: PriceGrid): bigint {
  return bounded(price + ticks * grid.tick, grid);
}

/** Where the line is drawn. */
export function shownAt(drag: Drag, price: bigint): bigint {
  return drag.phase === 'still' || drag.phase === 'refused' ? price : drag.at;
}

/** Whether the line can be taken hold of: not while the exchange has not answered. */
export function movable(drag: Drag): boolean {
  return drag.phase !== 'pending';
}

/** The line moved to a price; `price` is that of the order. */
export function move(drag: Drag, price: bigint, at: bigint): Drag {
  if (drag.phase === 'pending') return drag;
  const from = drag.phase === 'moving' || drag.phase === 'asking' ? drag.from : price;
  return { phase: 'moving', from, at };
}

/** The line let go: back where it was, asking, or sent at once. */
export function drop(drag: Drag, confirms: boolean): Drag {
  if (drag.phase !== 'moving') return drag;
  if (drag.at === drag.from) return still;
  return { phase: confirms ? 'asking' : 'pending', from: drag.from, at: drag.at };
}

/** The question answered with yes. */
export function confirm(drag: Drag): Drag {
  return drag.phase === 'asking' ? { phase: 'pending', from: drag.from, at: drag.at } : drag;
}

/** Escape: the line returns, unless the request is under way. */
export function escape(drag: Drag): Drag {
  return drag.phase === 'pending' ? drag : still;
}

/** The exchange answered: null when it amended the order, else its reason. */
export function answered(drag: Drag, reason: string | null): Drag {
  if (drag.phase !== 'pending') return drag;
  return reason === null ? still : { phase: 'refused', from: drag.from, reason };
}
