// SPDX-License-Identifier: MIT
// The order book of a market for the screen: kept per message, announced once per animation frame.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import { type Book, openBook } from '../core/book';
import type { Engine, WsBook } from '../core/types';
import { nextFrame } from './frames';
import type { Market } from './markets';
import { type Source, sharedViews } from './shared';
import { streamOf } from './streams';

/** Levels of each side that are kept. */
export const BOOK_DEPTH = 500;

export interface BookView {
  /** The same object whose content changes; read it after `version`. */
  readonly book: Book;
  /** Rises at most once per animation frame, when the book changed. */
  readonly version: ReadonlySignal<number>;
  /** False before the first snapshot and from a cut or gap until the next snapshot. */
  readonly live: ReadonlySignal<boolean>;
}

/** What a subscription needs of a market. */
type Named = Pick<Market, 'engine' | 'name'>;

function bookSource(market: Named): Source<BookView> {
  const book = openBook(market.name, BOOK_DEPTH);
  const version = signal(0);
  const live = signal(false);
  const announce = () => {
    version.value++;
  };
  const start = () => {
    const stream = streamOf(market.engine);
    const subscription = { channel: 'l4Book', symbol: market.name, level: BOOK_DEPTH };
    return stream.subscribe<WsBook>(subscription, {
      onPush({ type, data }) {
        if (type === 'snapshot') {
          book.snapshot(data);
          live.value = true;
        } else if (!live.value) {
          return; // waits for a snapshot
        } else if (book.update(data) === 'gap') {
          live.value = false;
          stream.renew(subscription);
        }
        nextFrame(announce);
      },
      onLost() {
        live.value = false;
      },
    });
  };
  return { view: { book, version, live }, start };
}

const shared = sharedViews((market: Named) => `${market.engine} ${market.name}`, bookSource);

/** The book of a market while the component is shown; one subscription however many components use it. */
export const useBook: (market: Market | undefined) => BookView | undefined = shared.useView;

const EARLY = 10_000;

/** Asks for the book of the symbol in the address before the list of symbols has come; a wrong guess is refused. */
export function openBookEarly(engine: Engine, name: string): void {
  setTimeout(shared.hold({ engine, name }), EARLY);
}
