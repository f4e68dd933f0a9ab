// SPDX-License-Identifier: MIT
// Replies that are lost, against the exchange's own faults: executed once, and the outcome is found out.
import { describe, expect } from 'vitest';
import { OutcomeUnknown, RefusedInLostReply } from '../src/index.js';
import { test } from '../src/vitest.js';
import { binary } from './binary.js';

const SPOT = 'vBTC_vUSDC';

describe.skipIf(!binary)('a lost reply', () => {
  test('an order is found by its id, and was executed once', async ({ exchange, account }) => {
    await account.client.symbolID('spot', SPOT);
    await exchange.chaos({ fault: 'reset-after', path: 'trade/orders', count: 2 });
    let asked = 0;
    const choices = { onUncertain: () => void asked++ };
    const order = await account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1' }, choices);
    expect(order).toMatchObject({ lost: true, status: 'NEW' });
    expect(asked).toBeGreaterThanOrEqual(1);
    expect((await account.spot.openOrders()).map(({ orderID }) => orderID)).toEqual([order.orderID]);
    await exchange.chaos({ fault: 'reset-after', path: 'trade/orders', count: 1 });
    await account.spot.cancel({ symbol: SPOT, orderID: order.orderID });
    expect(await account.spot.openOrders()).toEqual([]);
  });

  test('a refused order is told as refused', async ({ exchange, account }) => {
    await account.client.symbolID('spot', SPOT);
    await exchange.chaos({ fault: 'reset-after', path: 'trade/orders', count: 1 });
    const poor = account.spot.buy({ symbol: SPOT, price: '99000', quantity: '99' });
    await expect(poor).rejects.toBeInstanceOf(RefusedInLostReply);
  });

  test('a request that never arrived is executed by the repetition', async ({ exchange, account }) => {
    await account.client.symbolID('spot', SPOT);
    await exchange.chaos({ fault: 'reset-before', path: 'trade/orders', count: 2 });
    const order = await account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1' });
    expect(order.lost).toBe(false);
    expect(await account.spot.openOrders()).toHaveLength(1);
  });

  test('giving up says that the outcome is unknown, with the bytes', async ({ exchange, account }) => {
    await account.client.symbolID('spot', SPOT);
    await exchange.chaos({ fault: 'reset-before', path: 'trade/orders' });
    const end = new AbortController();
    const choices = { signal: end.signal, onUncertain: () => end.abort() };
    const order = account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1', clOrdID: 'given-up' }, choices);
    const error = await order.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect((error as OutcomeUnknown).sent?.body).toContain('given-up');
  });

  test('a clock that is days away costs one question', async ({ exchange, account }) => {
    await exchange.increaseTime(3 * 86_400);
    const order = await account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1' });
    expect(order.status).toBe('NEW');
  });

  test('leaps of time are no hindrance', async ({ exchange }) => {
    for (const days of [1, 1, 3, 30]) {
      await exchange.increaseTime(days * 86_400);
      for (const who of [1, 2, 2]) {
        const order = await exchange.account(who).spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1' });
        expect(order.status).toBe('NEW');
      }
    }
  });
});
