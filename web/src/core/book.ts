// SPDX-License-Identifier: MIT
// An order book kept by a snapshot and updates (channel l4Book). No gap is ever passed over: U must be u + 1.
import type { Decimal } from './decimal';
import type { Level, WsBook } from './types';

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

/** `gap`: the update does not follow, the book stays as it was and a new snapshot is needed. */
export type Applied = 'applied' | 'old' | 'gap';

export interface BookKeeper extends Book {
  snapshot(frame: WsBook): void;
  update(frame: WsBook): Applied;
}
