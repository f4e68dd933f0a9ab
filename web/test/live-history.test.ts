// SPDX-License-Identifier: MIT
// Histories against a running exchange: read page by page, each row comes once and none is missing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../src/state/account';
import { PAGE, openPages } from '../src/panels/history/pages';
import { Exchange, type ItemResult, binary } from './exchange';
import { useOrigin } from './origin';

interface Row {
  orderID: number;
  updatedAt: number;
}

describe.skipIf(!binary)('a history', { timeout: 60_000 }, () => {
  let exchange: Exchange;
  const accountID = 1001;

  const item = (at: number) => ({
    symbolID: 1,
    clOrdID: exchange.clientID(),
    side: 1,
    type: 1,
    timeInForce: 1,
    price: String(97_000 + at),
    quantity: '0.001',
  });

  /** Places orders and cancels them in one request, so that all of them end in one millisecond. */
  async function placeAndCancel(count: number): Promise<void> {
    const placed = await exchange.spot(0, ...Array.from({ length: count }, (_, at) => item(at)));
    const cancels = placed.data.map((row) => ({ symbolID: 1, clOrdID: exchange.clientID(), orderID: row.orderID }));
    const body = { accountID, cancels };
    const answer = await exchange.write<ItemResult[]>(
      0,
      'DELETE',
      '/spot/trade/orders/batch',
      'batchCancelOrder',
      body,
    );
    expect(answer.data.every((row) => row.code === 0)).toBe(true);
  }

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none');
    useOrigin(exchange.banner.url);
  }, 60_000);
  afterAll(() => exchange?.stop());

  const owner = () => ({ accountID, address: exchange.address(0).toLowerCase() }) as Account;
  const pages = () => openPages<Row>('spot', owner(), { path: 'orders/history', timeOf: (row) => row.updatedAt });

  test('is empty at first, and says that nothing is older', async () => {
    const history = pages();
    await history.refresh();
    expect([history.rows.value.length, history.more.value, history.error.value]).toEqual([0, false, null]);
  });

  test('has each order once, whatever ended in one millisecond', async () => {
    for (const count of [30, 80, 1, 45, 60]) await placeAndCancel(count);
    const history = pages();
    await history.refresh();
    expect(history.rows.value.length).toBeGreaterThanOrEqual(PAGE);
    for (let page = 0; page < 20 && history.more.value; page++) await history.older();
    const ids = history.rows.value.map((row) => row.orderID);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(216);
    expect(history.isPaged()).toBe(true);
  });

  test('tells a read that failed, and keeps what it has', async () => {
    const history = pages();
    await history.refresh();
    const before = history.rows.value.length;
    const through = globalThis.fetch;
    globalThis.fetch = () => Promise.reject(new TypeError('connection lost'));
    await history.older();
    globalThis.fetch = through;
    expect(history.error.value).toBe('connection lost');
    expect(history.rows.value.length).toBe(before);
    await history.older();
    expect(history.rows.value.length).toBeGreaterThan(before);
  });
});
