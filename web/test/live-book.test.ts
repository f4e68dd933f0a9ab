// SPDX-License-Identifier: MIT
// Against a running exchange with traders: the book that is kept by the stream equals the one that a read gives at the
// same update id, also after cuts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getOf } from '../src/core/api';
import { type BookKeeper, openBook } from '../src/core/book';
import { type Stream, openStream } from '../src/core/stream';
import type { Engine, Level, OrderBook, WsBook } from '../src/core/types';
import { Exchange, binary } from './exchange';
import { connectTo, sockets, useOrigin } from './origin';

const DEPTH = 100;

interface Kept {
  readonly book: BookKeeper;
  /** Sides as they were at each update id. */
  readonly at: Map<number, { bids: Level[]; asks: Level[] }>;
  gaps: number;
}

function keep(stream: Stream, symbol: string): Kept {
  const kept: Kept = { book: openBook(symbol, DEPTH), at: new Map(), gaps: 0 };
  let live = false;
  const subscription = { channel: 'l4Book', symbol, level: DEPTH };
  stream.subscribe<WsBook>(subscription, {
    onPush({ type, data }) {
      if (type === 'snapshot') {
        kept.book.snapshot(data);
        live = true;
      } else if (live && kept.book.update(data) === 'gap') {
        kept.gaps++;
        live = false;
        stream.renew(subscription);
      }
      const { bids, asks, updateID } = kept.book;
      kept.at.set(updateID, { bids: bids.map((one) => one.text), asks: asks.map((one) => one.text) });
    },
    onLost() {
      live = false;
    },
  });
  return kept;
}

const until = async (what: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 2400 && !what(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(what()).toBe(true);
};

describe.skipIf(!binary)('a live book', () => {
  let exchange: Exchange;

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'volatile');
    useOrigin(exchange.banner.url);
  }, 60_000);
  afterAll(() => exchange?.stop());

  const symbols: [Engine, string][] = [
    ['perps', 'BTC-USD'],
    ['spot', 'vBTC_vUSDC'],
  ];
  test.each(symbols)('%s %s equals the read at the same id', { timeout: 120_000 }, async (engine, symbol) => {
    sockets.length = 0;
    const stream = openStream(engine, `${exchange.banner.url.replace('http', 'ws')}/ws/${engine}`, connectTo);
    const kept = keep(stream, symbol);
    let compared = 0;
    // As many rounds as it takes on a slow machine, with a cut in every ten.
    for (let round = 0; round < 600 && (compared < 12 || kept.at.size < 20 || sockets.length < 4); round++) {
      const read = await getOf<OrderBook>(engine, `/markets/${symbol}/orderbook`, { limit: DEPTH });
      if (!read.ok) throw new Error(read.error);
      await until(() => kept.book.updateID >= read.data.updateID);
      const same = kept.at.get(read.data.updateID);
      if (same) {
        compared++;
        expect(same).toEqual({ bids: read.data.bids, asks: read.data.asks });
      }
      if (round % 10 === 5) sockets.at(-1)?.close(); // it must come back by itself
      await new Promise((done) => setTimeout(done, 40));
    }
    stream.close();
    expect(sockets.length).toBeGreaterThanOrEqual(4);
    expect(compared).toBeGreaterThanOrEqual(12);
    expect(kept.gaps).toBe(0);
  });
});
