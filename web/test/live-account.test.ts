// SPDX-License-Identifier: MIT
// The account's state against a running exchange: what the page knows equals what reads say, also after cuts; a lost
// reply is found out and executed once; after a change of the account nothing of the other one is left.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZERO, format } from '../src/core/decimal';
import type { OrderRecord, OrderResult } from '../src/core/types';
import { ACTIONS } from '../src/core/write';
import { account, signInDevelopment } from '../src/state/account';
import { signInKey } from '../src/state/sign-in';
import { refreshMarkets } from '../src/state/markets';
import { notices } from '../src/state/notices';
import {
  fills,
  onOrder,
  orders,
  perpsState,
  positions,
  spotState,
  stale,
  startPortfolio,
} from '../src/state/portfolio';
import { venue } from '../src/state/venue';
import { newClientID, write } from '../src/state/write';
import { Exchange, binary } from './exchange';
import { sockets, useOrigin } from './origin';

const BTC = 1;

const until = async (what: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 1600 && !what(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(what()).toBe(true);
};

const limit = (side: 1 | 2, price: string, quantity: string, clOrdID = newClientID()) => ({
  clOrdID,
  modifier: 1,
  side,
  type: 1,
  timeInForce: 1,
  price,
  quantity,
  reduceOnly: false,
  positionSide: 1,
});

describe.skipIf(!binary)('an account', { timeout: 60_000 }, () => {
  let exchange: Exchange;
  const mine = () => account.value?.accountID;
  const place = (...list: ReturnType<typeof limit>[]) =>
    write<OrderResult[]>(ACTIONS.placePerps, { accountID: mine(), symbolID: BTC, orders: list });

  /** The page's open orders equal those of the read. */
  const sameOrders = async () => {
    const read = await exchange.get<{ orders: OrderRecord[] }>(`/perps/accounts/${account.value?.address}/orders`);
    const shown = orders.value.map((one) => [one.id, one.clientID, one.status, format(one.executed)]);
    expect(shown).toEqual(read.orders.map((one) => [one.orderID, one.clOrdID, one.status, one.executedQty]));
  };

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none');
    useOrigin(exchange.banner.url);
    venue.value = exchange.banner;
    await refreshMarkets();
    startPortfolio();
    expect(await signInDevelopment(1001)).toEqual({ ok: true });
    await until(() => !stale.value);
  }, 60_000);
  afterAll(() => exchange?.stop());

  test('begins with its balances', () => {
    expect(perpsState.value?.aid).toBe(1001);
    expect(spotState.value?.B.length).toBeGreaterThan(0);
    expect(orders.value).toEqual([]);
  });

  test('an order appears by the stream, with each of its changes', async () => {
    const heard: string[] = [];
    const end = onOrder(({ update }) => heard.push(update.x));
    const outcome = await place(limit(1, '99000', '0.01'), limit(1, '98000', '0.02'));
    expect(outcome).toMatchObject({ kind: 'done', data: [{ code: 0 }, { code: 0 }] });
    await until(() => orders.value.length === 2);
    await sameOrders();
    const [second] = orders.value;
    const cancel = { accountID: mine(), cancels: [{ symbolID: BTC, orderID: second?.id }] };
    expect(await write(ACTIONS.cancelPerps, cancel)).toMatchObject({ kind: 'done' });
    await until(() => orders.value.length === 1);
    await sameOrders();
    expect(heard).toEqual(['NEW', 'NEW', 'CANCELED']);
    end();
  });

  test('a refusal names its field', async () => {
    const outcome = await place(limit(1, '99000.05', '0.01'));
    expect(outcome).toMatchObject({ kind: 'done', data: [{ details: { field: 'price' } }] });
  });

  test('a fill and its position', async () => {
    await exchange.perps(1, BTC, limit(2, '99000', '0.004'));
    await until(() => fills.value.length === 1 && positions.value.length === 1);
    expect(format(fills.value[0]?.quantity ?? ZERO)).toBe('0.004');
    expect(format(positions.value[0]?.size ?? ZERO)).toBe('0.004');
    await until(() => notices.value.some((one) => one.text === 'Bought 0.004 BTC-USD at 99,000.0'));
    await sameOrders();
  });

  test('what happened during a cut is there after it', async () => {
    for (const socket of sockets) socket.close();
    await until(() => stale.value);
    await exchange.perps(1, BTC, limit(2, '99000', '0.006'));
    await place(limit(1, '97000', '0.03'));
    await until(() => !stale.value);
    await until(() => fills.value.length === 2);
    await sameOrders();
    expect(orders.value.map((one) => format(one.price ?? ZERO))).toEqual(['97000']);
  });

  test('a reply that is dropped is found out, and the order is there once', async () => {
    await exchange.rpc('dojima_chaosAdd', { fault: 'drop-reply', path: 'orders', method: 'POST', count: 1 });
    const before = orders.value.length;
    const outcome = await place(limit(1, '96000', '0.01'));
    expect(outcome).toMatchObject({ kind: 'done-before', succeeded: true });
    await until(() => orders.value.length === before + 1);
    await sameOrders();
    expect(notices.value.some((one) => one.tone === 'waiting')).toBe(true);
  });

  test('what a revert has undone is gone', async () => {
    const snapshot = await exchange.rpc<string>('evm_snapshot');
    const before = [orders.value.length, fills.value.length, format(positions.value[0]?.size ?? ZERO)];
    await exchange.perps(1, BTC, limit(2, '96000', '0.005'));
    await place(limit(1, '94000', '0.01'));
    await until(() => fills.value.length === 3 && orders.value.length === 3);
    await exchange.rpc('evm_revert', snapshot);
    await until(() => fills.value.length === 2 && !stale.value);
    await sameOrders();
    expect([orders.value.length, fills.value.length, format(positions.value[0]?.size ?? ZERO)]).toEqual(before);
    expect(await place(limit(1, '94000', '0.01'))).toMatchObject({ kind: 'done', data: [{ code: 0 }] });
  });

  test('a key by hand, and nothing of the account before', async () => {
    const other = exchange.banner.accounts[4];
    const result = await signInKey(other?.privateKey.slice(2).toUpperCase() ?? '');
    expect(result).toEqual({ ok: true });
    expect(account.value).toMatchObject({ kind: 'pasted', accountID: other?.accountID });
    expect(orders.value).toEqual([]);
    await until(() => !stale.value);
    expect([orders.value.length, fills.value.length, positions.value.length]).toEqual([0, 0, 0]);
    await place(limit(1, '95000', '0.01'));
    await until(() => orders.value.length === 1);
    await sameOrders();
  });

  test('a key of nobody, and what is no key', async () => {
    const nobody = await signInKey('0x0123456789012345678901234567890123456789012345678901234567890123');
    expect(nobody).toMatchObject({ ok: false, error: expect.stringContaining('has no account') });
    expect(await signInKey('0x12')).toMatchObject({ ok: false, error: expect.stringContaining('64 hex digits') });
    expect(await signInKey('0'.repeat(64))).toMatchObject({ ok: false, error: expect.stringContaining('curve') });
    expect(account.value?.kind).toBe('pasted'); // still who it was
  });
});
