// SPDX-License-Identifier: MIT
// Streams against a running exchange: a book that heals itself equals the read at the same update id, through gaps,
// cuts and going back; pushes as an iteration.
import { describe, expect } from 'vitest';
import { type Book, type Client, type LiveBook, format } from '../src/index.js';
import { test } from '../src/vitest.js';
import { binary } from './binary.js';

const SPOT = 'vBTC_vUSDC';
const levels = ({ bids, asks }: Book) => ({ bids: bids.map((one) => one.text), asks: asks.map((one) => one.text) });

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 800 && !what(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(what()).toBe(true);
}

/** The book is live and equals what a read gives now; nobody trades meanwhile. */
async function same(client: Client, book: LiveBook): Promise<void> {
  const read = await client.spot.orderBook(SPOT, { limit: book.depth });
  await until(() => book.live && book.updateID >= read.updateID);
  expect(levels(book)).toEqual({ bids: read.bids, asks: read.asks });
}

describe.skipIf(!binary)('a live book', () => {
  test('heals gaps and cuts, and goes back with the exchange', async ({ exchange, account }) => {
    const client = exchange.client();
    const book = client.book('spot', SPOT, 20);
    await book.ready;
    const place = (at: number) => account.spot.buy({ symbol: SPOT, price: String(99_000 + at), quantity: '0.01' });
    for (let at = 0; at < 5; at++) await place(at);
    await same(client, book);
    const snapshot = await exchange.snapshot();

    await exchange.chaos({ fault: 'skip', channel: 'l4Book', count: 1 });
    for (let at = 5; at < 100 && book.gaps === 0; at++) {
      await place(at);
      await new Promise((done) => setTimeout(done, 25));
    }
    expect(book.gaps).toBeGreaterThan(0);
    await same(client, book);

    await exchange.chaos({ fault: 'cut', channel: 'l4Book', count: 1 });
    for (let at = 100; at < 105; at++) await place(at);
    await same(client, book);

    await exchange.revert(snapshot);
    await until(() => !book.live || book.bids.length === 5);
    await same(client, book);
    expect(book.bids).toHaveLength(5);
  });

  test('is refused with a reason for an unknown symbol', async ({ exchange }) => {
    await expect(exchange.client().book('spot', 'NONE').ready).rejects.toThrow(/l4Book NONE/);
  });

  test('pushes come as an iteration', async ({ exchange, account }) => {
    const client = exchange.client();
    const user = account.address;
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { data } of client.watch('spot', { channel: 'accountOrderUpdate', user })) {
        seen.push(`${data.x} ${data.q}`);
        if (seen.length === 2) break;
      }
    })();
    const book = client.book('spot', SPOT, 10); // acknowledged after the one before it
    await book.ready;
    const order = await account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.25' });
    await account.spot.cancel({ symbol: SPOT, orderID: order.orderID });
    await reading;
    expect(seen).toEqual(['NEW 0.25', 'CANCELED 0.25']);
    expect(format({ units: 2500n, scale: 4 })).toBe('0.25');
  });
});
