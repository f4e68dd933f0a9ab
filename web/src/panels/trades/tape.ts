// SPDX-License-Identifier: MIT
// Trades, newest first, while the list on the screen stands still.

export interface TapeTrade {
  readonly t: number;
}

/** How many trades of a list are newer than one; all of them when it is not in the list. */
export function newerThan(list: readonly TapeTrade[], id: number): number {
  const at = list.findIndex((trade) => trade.t <= id);
  return at === -1 ? list.length : at;
}
