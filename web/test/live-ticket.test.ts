// SPDX-License-Identifier: MIT
// The ticket against a running exchange, without a screen: what is typed is what is placed, nothing is placed twice,
// a lost reply is found out, and a refusal stands at its field.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decimal, format } from '../src/core/decimal';
import * as model from '../src/panels/ticket/model';
import { takePrefill } from '../src/panels/ticket/prefill';
import { sides, wake } from '../src/panels/ticket/previews';
import { submit } from '../src/panels/ticket/submit';
import { signInDevelopment } from '../src/state/account';
import { amendOrder, cancelOrders } from '../src/state/amend';
import { refreshMarkets, select } from '../src/state/markets';
import { notices } from '../src/state/notices';
import { orders, stale, startPortfolio } from '../src/state/portfolio';
import { prefill } from '../src/state/prefill';
import { venue } from '../src/state/venue';
import { Exchange, binary } from './exchange';
import { useOrigin } from './origin';

const until = async (what: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 1600 && !what(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(what()).toBe(true);
};

type Fetch = typeof globalThis.fetch;

/** While `work` runs the replies to the first `count` writes are lost, behind the exchange or before it. */
async function losing(count: number, behind: boolean, work: () => Promise<unknown>): Promise<number> {
  const through: Fetch = globalThis.fetch;
  let writes = 0;
  globalThis.fetch = async (input, init) => {
    const loses = init?.method !== undefined && !String(input).endsWith('/rpc') && ++writes <= count;
    if (!loses) return through(input, init);
    if (behind) await through(input, init);
    throw new TypeError('connection lost');
  };
  try {
    await work();
  } finally {
    globalThis.fetch = through;
  }
  return writes;
}

describe.skipIf(!binary)('the ticket', { timeout: 60_000 }, () => {
  let exchange: Exchange;
  const open = () => orders.value.filter((order) => order.symbol === 'BTC-USD');
  const told = () => notices.value.map((notice) => notice.text);

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none');
    useOrigin(exchange.banner.url);
    Object.assign(globalThis, { history: { pushState() {}, replaceState() {} } });
    venue.value = exchange.banner;
    await refreshMarkets();
    select('BTC-USD');
    startPortfolio();
    expect(await signInDevelopment(1001)).toEqual({ ok: true });
    await until(() => !stale.value);
    await wake();
  }, 60_000);
  afterAll(() => exchange?.stop());

  beforeEach(async () => {
    if (open().length > 0) await cancelOrders(open());
    await until(() => open().length === 0);
    model.clear();
    model.kind.value = 'LIMIT';
    model.postOnly.value = model.ioc.value = false;
    notices.value = [];
  });

  const type = (price: string, size: string) => {
    model.edit(model.price, price);
    model.edit(model.size, size);
  };

  test('places what is typed, once, however often it is asked', async () => {
    type('99000.1', '0.0123');
    await Promise.all([submit('BUY'), submit('BUY'), submit('BUY')]);
    await submit('BUY');
    await until(() => open().length === 1);
    const [order] = open();
    expect(order && [order.side, order.price && format(order.price), order.quantity && format(order.quantity)]).toEqual(
      ['BUY', '99000.1', '0.0123'],
    );
    expect(told().filter((text) => text.startsWith('Order placed'))).toHaveLength(1);
  });

  test('finds out a reply that was lost behind the exchange', async () => {
    type('98000', '0.02');
    const writes = await losing(1, true, () => submit('BUY'));
    expect(writes).toBe(2);
    await until(() => open().length === 1);
    expect(told()[0]).toMatch(/^Order placed/);
  });

  test('sends the same order again when it was lost before the exchange', async () => {
    type('98001', '0.02');
    await losing(2, false, () => submit('BUY'));
    await until(() => open().length === 1);
    expect(told()[0]).toMatch(/^Order placed/);
  });

  test('says that a refused order was refused, also when the reply was lost', async () => {
    type('120000', '0.02');
    await submit('BUY');
    expect(model.answered.value?.field).toBe('price');
    expect(model.answered.value?.text).toContain('105,000');
    type('120000', '0.03');
    await losing(1, true, () => submit('BUY'));
    expect(told()[0]).toMatch(/refused/i);
    expect(open()).toEqual([]);
  });

  test('keeps a typed fault from being sent and shows it at its field', async () => {
    type('99000.05', '0.02');
    const writes = await losing(9, false, () => submit('BUY'));
    expect(writes).toBe(0);
    expect(model.answered.value).toEqual({ field: 'price', text: 'The price has to be a multiple of 0.1.' });
  });

  test('refuses stops on the wrong side before and after they are sent', async () => {
    type('99000', '0.02');
    model.bracket.value = true;
    model.edit(model.takeProfit, '98000');
    expect(sides.value?.BUY.refusals.map(({ rule, field }) => [rule, field])).toEqual([
      ['TAKE_PROFIT_ABOVE', 'takeProfit'],
    ]);
    await submit('BUY');
    expect(model.answered.value?.field).toBe('takeProfit');
    model.edit(model.takeProfit, '101000');
    model.edit(model.stopLoss, '97000');
    await submit('BUY');
    await until(() => open().length === 3);
    expect([model.takeProfit.value, model.stopLoss.value]).toEqual(['', '']);
  });

  test('amends and cancels, and says so when the reply was lost', async () => {
    type('98000', '0.02');
    await submit('BUY');
    await until(() => open().length === 1);
    const [order] = open();
    if (order === undefined) throw new Error('no order');
    await losing(1, true, async () =>
      expect(await amendOrder(order, { price: decimal('97000') })).toEqual({ done: true }),
    );
    await until(() => open().some((one) => one.price !== undefined && format(one.price) === '97000'));
    await losing(1, true, async () => expect(await cancelOrders(open())).toEqual({ done: true }));
    await until(() => open().length === 0);
    const late = await amendOrder(order, { price: decimal('96000') });
    expect(late).toEqual({ done: false, reason: 'The order is no longer open.' });
  });

  test('makes a value a size, and takes over what another panel prefills', () => {
    prefill.value = { symbol: 'BTC-USD', price: decimal('99500.5'), side: 'SELL' };
    takePrefill();
    expect([model.price.value, model.side.value, model.kind.value]).toEqual(['99500.5', 'SELL', 'LIMIT']);
    model.unit.value = 'value';
    model.edit(model.size, '1000');
    expect(sides.value?.BUY.draft.quantity).toBe(1005n);
    model.unit.value = 'base';
  });
});
