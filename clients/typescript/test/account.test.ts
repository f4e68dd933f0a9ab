// SPDX-License-Identifier: MIT
// The fixtures of dojima/vitest on the sources: trading, going back, and what is refused.
import { describe, expect } from 'vitest';
import {
  InsufficientBalance,
  InvalidAmount,
  InvalidPrice,
  OrderNotFound,
  PostOnlyWouldCross,
  decimal,
} from '../src/index.js';
import { exchangeTest, test } from '../src/vitest.js';
import { binary } from './binary.js';

const SPOT = 'vBTC_vUSDC';

describe.skipIf(!binary)('an account', () => {
  test('trades with another one on spot', async ({ exchange, account }) => {
    const maker = exchange.account(1);
    const sold = await maker.spot.sell({ symbol: SPOT, price: '100000', quantity: '0.5' });
    const bought = await account.spot.buy({ symbol: SPOT, price: 100_000n, quantity: decimal('0.2') });
    expect(bought.status).toBe('FILLED');
    const [open] = await maker.spot.openOrders(SPOT);
    expect(open).toMatchObject({ orderID: sold.orderID, executedQty: '0.2', status: 'PARTIALLY_FILLED' });
    const [trade] = await account.spot.trades();
    expect(trade).toMatchObject({ symbol: SPOT, side: 'BUY', price: '100000', quantity: '0.2', isMaker: false });
  });

  test('places 300 orders at once', async ({ account }) => {
    const order = { symbol: SPOT, price: '99000', quantity: '0.001' };
    const placed = await Promise.all(Array.from({ length: 300 }, () => account.spot.buy(order)));
    expect(new Set(placed.map(({ orderID }) => orderID)).size).toBe(300);
  }, 60_000);

  test('finds the exchange as it was at its beginning', async ({ exchange, account }) => {
    expect(await account.spot.openOrders()).toEqual([]);
    expect(await account.spot.trades()).toEqual([]);
    expect(await exchange.client().spot.trades(SPOT)).toEqual([]);
  });

  test('replaces, cancels, and is told why not', async ({ account }) => {
    const order = await account.spot.buy({ symbol: SPOT, price: '99000', quantity: '0.1', clOrdID: 'mine' });
    const replaced = await account.spot.replace({ symbol: SPOT, clOrdID: 'mine' }, { price: '98000' });
    expect(replaced.orderID).toBe(order.orderID);
    await account.spot.cancel({ symbol: SPOT, orderID: order.orderID });
    const gone = account.spot.cancel({ symbol: SPOT, orderID: order.orderID });
    await expect(gone).rejects.toBeInstanceOf(OrderNotFound);
    const poor = account.spot.buy({ symbol: SPOT, price: '100000', quantity: '90' });
    await expect(poor).rejects.toBeInstanceOf(InsufficientBalance);
    const between = account.spot.buy({ symbol: SPOT, price: '99000.05', quantity: '0.1' });
    await expect(between).rejects.toMatchObject({ constructor: InvalidPrice, field: 'price', code: 42201 });
    await account.spot.sell({ symbol: SPOT, price: '100000', quantity: '0.1' });
    const crossing = account.spot.buy({ symbol: SPOT, price: '100000', quantity: '0.1', timeInForce: 'GTX' });
    await expect(crossing).rejects.toBeInstanceOf(PostOnlyWouldCross);
    expect(await account.spot.cancelOpen()).toBe(1);
  });

  test('opens a position with a bracket on perps, and closes it', async ({ exchange, account }) => {
    const symbol = 'BTC-USD';
    await account.perps.setLeverage(symbol, 10);
    await exchange.account(1).perps.sell({ symbol, price: '100000', quantity: '1' });
    const placed = await account.perps.bracket(
      { symbol, side: 'BUY', price: '100000', quantity: '0.5' },
      { takeProfit: '120000', stopLoss: '90000' },
    );
    expect(placed).toHaveLength(3);
    const [position] = await account.perps.positions(symbol);
    expect(position).toMatchObject({ symbol, size: '0.5' });
    await exchange.account(2).perps.buy({ symbol, price: '99500', quantity: '1' });
    const closed = await account.perps.sell({ symbol, quantity: '0.5', reduceOnly: true });
    expect(closed.status).toBe('FILLED');
    expect(await account.perps.positions(symbol)).toEqual([]);
    await account.perps.transfer('vUSDC', '10');
    await account.spot.transfer('vUSDC', '10', 'perps');
  });

  test('never sends a floating-point number', async ({ account }) => {
    const order = { symbol: SPOT, price: 0.1 as unknown as string, quantity: '0.1' };
    await expect(account.spot.buy(order)).rejects.toMatchObject({ name: 'InvalidAmount', field: 'price', value: 0.1 });
    const raw = { symbolID: 1, clOrdID: 'x', side: 1, type: 1, timeInForce: 1, price: '1', quantity: 1 } as never;
    const sent = account.client.spot.batchNewOrder({ accountID: account.accountID, orders: [raw] });
    await expect(sent).rejects.toBeInstanceOf(InvalidAmount);
    const word = { symbol: SPOT, price: '1e5', quantity: '0.1' };
    await expect(account.spot.buy(word)).rejects.toBeInstanceOf(InvalidAmount);
  });

  exchangeTest({ market: 'calm' })('trades on a market with traders', async ({ exchange, account }) => {
    const client = exchange.client();
    while ((await client.perps.orderBook('BTC-USD')).asks.length === 0) await exchange.increaseTime(1);
    const bought = await account.perps.buy({ symbol: 'BTC-USD', quantity: '0.001' });
    expect(bought.status).toBe('FILLED');
  });
});
