// SPDX-License-Identifier: MIT
// A book that a stream keeps and that heals itself: after a gap or a cut it begins again with a fresh snapshot.
import { type Book, type BookKeeper, type BookLevel, openBook } from './book.js';
import type { Stream, Subscription } from './stream.js';
import type { WsBook } from './types.js';

/** What a listener throws is its own, and no fault of the connection. */
function call<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export class LiveBook implements Book {
  /** Resolves with the first snapshot; rejects when the exchange refuses the subscription. */
  readonly ready: Promise<void>;
  /** False from a cut or a gap until the next snapshot: what is shown is old. */
  live = false;
  /** How often an update did not follow the one before. */
  gaps = 0;
  private readonly book: BookKeeper;
  private readonly subscription: Subscription;
  private readonly end: () => void;
  private readonly listeners = new Set<(book: LiveBook) => void>();

  constructor(
    private readonly stream: Stream,
    readonly symbol: string,
    readonly depth: number,
  ) {
    this.book = openBook(symbol, depth);
    this.subscription = { channel: 'l4Book', symbol, level: depth };
    let settle: { done: () => void; fail: (error: Error) => void } | undefined;
    this.ready = new Promise((done, fail) => (settle = { done, fail }));
    this.ready.catch(() => {}); // a caller who does not wait for it is not told twice
    this.end = stream.subscribe<WsBook>(this.subscription, {
      onPush: ({ type, data }) => {
        this.take(type, data);
        if (this.live) settle?.done();
      },
      onLost: () => (this.live = false),
      onRefused: (error) => settle?.fail(new Error(`l4Book ${symbol}: ${error}`)),
    });
  }

  get updateID(): number {
    return this.book.updateID;
  }
  get time(): number {
    return this.book.time;
  }
  get bids(): readonly BookLevel[] {
    return this.book.bids;
  }
  get asks(): readonly BookLevel[] {
    return this.book.asks;
  }

  /** Calls `listener` after each change; returns the end of that. */
  onChange(listener: (book: LiveBook) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.live = false;
    this.end();
  }

  private take(type: 'snapshot' | 'update', frame: WsBook): void {
    if (type === 'snapshot') {
      this.book.snapshot(frame);
      this.live = true;
    } else if (!this.live) {
      return;
    } else {
      const applied = this.book.update(frame);
      if (applied === 'old') return;
      if (applied === 'gap') {
        this.gaps++;
        this.live = false;
        this.stream.renew(this.subscription);
        return;
      }
    }
    for (const listener of [...this.listeners]) call(listener, this);
  }
}
