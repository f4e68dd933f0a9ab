// SPDX-License-Identifier: MIT
// A write that was executed and whose reply was lost, on an account: what the orders say is told, and a read that fails
// never looks like a refusal of the write.
import { beforeEach, describe, expect, test } from 'vitest';
import { Account, Client, OutcomeUnknown, RefusedInLostReply } from '../src/browser.js';

const SPOT = 'vBTC_vUSDC';
const PLACE = { transaction: '0xaa', block: 7, index: 0 };

type Row = { orderID: number; clOrdID: string; status: string; price: string; origQty: string };
const row = (clOrdID: string, status = 'NEW', orderID = 5): Row => ({
  orderID,
  clOrdID,
  status,
  price: '99000',
  origQty: '0.1',
});

/** Answers each write as executed before; of a read what is set, an error where it is a number. */
class Exchange {
  receipt: '0x1' | '0x0' | number = '0x1';
  open: Row[] | number = [];
  past: Row[] | number = [];
  readonly asked: string[] = [];

  private answer(path: string): unknown {
    this.asked.push(path);
    if (path === '/rpc') return typeof this.receipt === 'number' ? this.receipt : { result: { status: this.receipt } };
    if (path.endsWith('/markets/symbols')) return { data: [{ id: 1, name: SPOT }] };
    if (path.endsWith('/orders')) return typeof this.open === 'number' ? this.open : { data: { orders: this.open } };
    return typeof this.past === 'number' ? this.past : { data: this.past };
  }

  readonly fetch = (url: string, { headers }: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    const write = (headers as Record<string, string> | undefined)?.['X-API-Sign'] !== undefined;
    const before = { code: 40102, timestamp: 1, error: 'nonce is invalid' };
    const answer = write
      ? { ...before, details: { reason: 'used', hash: PLACE.transaction, block: PLACE.block, index: PLACE.index } }
      : this.answer(pathname);
    const good = { code: 0, timestamp: 1 };
    if (typeof answer !== 'number') return Promise.resolve(Response.json({ ...good, ...(answer as object) }));
    const refused = { code: answer === 429 ? 42901 : 50301, timestamp: 1, error: 'not now', details: {} };
    return Promise.resolve(Response.json(refused, { status: answer }));
  };
}

let exchange: Exchange;
let account: Account;
beforeEach(() => {
  exchange = new Exchange();
  const { fetch } = exchange;
  const url = 'http://127.0.0.1:8080';
  account = new Account(new Client({ url, privateKey: `0x${'11'.repeat(32)}`, chainId: 286623, fetch }), 1001);
});

const order = (clOrdID: string) => ({ symbol: SPOT, side: 'BUY', price: '99000', quantity: '0.1', clOrdID }) as const;
const place = () => account.spot.place(order('mine'));
const unknown = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ name: 'OutcomeUnknown', place: PLACE });
const refused = (promise: Promise<unknown>) => expect(promise).rejects.toBeInstanceOf(RefusedInLostReply);

describe('an order', () => {
  test('that is open is found without a read of the history', async () => {
    exchange.open = [row('mine')];
    expect(await place()).toEqual({ orderID: 5, clOrdID: 'mine', status: 'NEW', place: PLACE, lost: true });
    expect(exchange.asked.filter((path) => path.endsWith('/history'))).toEqual([]);
  });

  test('that ended between the two reads is found: open ones are read first', async () => {
    exchange.past = [row('mine', 'FILLED')];
    expect(await place()).toMatchObject({ status: 'FILLED' });
    const reads = exchange.asked.filter((path) => path.includes('/orders'));
    expect(reads.map((path) => path.endsWith('/history'))).toEqual([false, true]);
  });

  test.each([429, 503])('that cannot be read (%i) is no refusal', async (status) => {
    exchange.open = status;
    exchange.past = status;
    await unknown(place());
    exchange.open = [];
    await unknown(place());
    exchange.receipt = status;
    await unknown(place());
  });

  test('that is nowhere was refused when the receipt says so, and else is unknown', async () => {
    await unknown(place());
    exchange.receipt = 503;
    await unknown(place());
    exchange.receipt = '0x0';
    await refused(place());
  });

  test('of several is told by itself', async () => {
    exchange.open = [row('one')];
    const items = await account.spot.placeAll([order('one'), order('two')]);
    expect(items).toMatchObject([{ orderID: 5, lost: true }, { name: 'RefusedInLostReply' }]);
    exchange.past = 429;
    const others = await account.spot.placeAll([order('one'), order('two')]);
    expect(others).toMatchObject([{ orderID: 5, lost: true }, { name: 'OutcomeUnknown' }]);
  });
});

describe('a replacement', () => {
  // A replaced order keeps its orderID and its first clOrdID (ruling 11).
  test.each([{ orderID: 5 }, { clOrdID: 'mine' }])('of %j was done when the receipt says so', async (name) => {
    exchange.open = [row('mine')];
    const replaced = await account.spot.replace({ symbol: SPOT, ...name } as never, { price: '98000' });
    expect(replaced).toMatchObject({ orderID: 5, status: 'NEW', place: PLACE, lost: true });
  });

  test('is told by the number of the order when no read is answered', async () => {
    exchange.open = 429;
    const replaced = await account.spot.replace({ symbol: SPOT, orderID: 5 }, { price: '98000' });
    expect(replaced).toMatchObject({ orderID: 5, status: undefined, lost: true });
    await unknown(account.spot.replace({ symbol: SPOT, clOrdID: 'mine' }, { price: '98000' }));
  });

  test('without a receipt is told by what the order is now', async () => {
    exchange.receipt = 429;
    exchange.open = [row('mine')];
    const name = { symbol: SPOT, orderID: 5 };
    expect(await account.spot.replace(name, { price: '99000.0' })).toMatchObject({ orderID: 5, lost: true });
    await unknown(account.spot.replace(name, { price: '98000' }));
    await unknown(account.spot.replace(name, { quantity: 1n }));
  });

  test('was refused when the receipt says so', async () => {
    exchange.receipt = '0x0';
    exchange.open = [row('mine')];
    await refused(account.spot.replace({ symbol: SPOT, orderID: 5 }, { price: '98000' }));
  });
});

describe('a cancel', () => {
  const cancel = () => account.spot.cancel({ symbol: SPOT, orderID: 5 });

  test('of one order is told by the receipt', async () => {
    exchange.open = 429;
    expect(await cancel()).toMatchObject({ code: 0, orderID: 5 });
    exchange.receipt = '0x0';
    await refused(cancel());
  });

  test('without a receipt is told by what the order is now', async () => {
    exchange.receipt = 503;
    exchange.past = [row('mine', 'CANCELED')];
    expect(await cancel()).toMatchObject({ code: 0, orderID: 5 });
    exchange.past = [row('mine', 'FILLED')]; // before the cancel came
    await refused(cancel());
    exchange.open = [row('mine')];
    await refused(cancel());
    exchange.open = exchange.past = 429;
    await unknown(cancel());
  });

  test('of several is told one by one', async () => {
    exchange.open = [row('a', 'NEW', 6)];
    exchange.past = [row('b', 'CANCELED', 7)];
    const names = [6, 7].map((orderID) => ({ symbol: SPOT, orderID }));
    const items = await account.spot.cancelAll(names);
    expect(items).toMatchObject([{ name: 'RefusedInLostReply' }, { code: 0, orderID: 7 }]);
    exchange.open = exchange.past = 429;
    expect((await account.spot.cancelAll(names)).every((item) => item instanceof OutcomeUnknown)).toBe(true);
  });
});
