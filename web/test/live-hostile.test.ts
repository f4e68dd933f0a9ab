// SPDX-License-Identifier: MIT
// Orders while something goes wrong between the click and the answer: the account or the symbol is changed, the
// answer is garbage, a refusal is lost. What is told is what the exchange did, and it is done once, for the account and
// symbol of the click.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACTIONS } from '../src/core/write';
import * as model from '../src/panels/ticket/model';
import { wake } from '../src/panels/ticket/previews';
import { submit } from '../src/panels/ticket/submit';
import { account, signInDevelopment } from '../src/state/account';
import { cancelOrders } from '../src/state/amend';
import { refreshMarkets, select } from '../src/state/markets';
import { notices } from '../src/state/notices';
import { refusalOf } from '../src/state/outcomes';
import { orders, stale, startPortfolio } from '../src/state/portfolio';
import { venue } from '../src/state/venue';
import { Exchange, binary } from './exchange';
import { useOrigin } from './origin';

const until = (what: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await what()).toBe(true), { timeout: 30_000, interval: 25 });

type Fetch = typeof globalThis.fetch;

/** While `work` runs, `answer` has the answers to writes: it may ask the exchange, and gives another one. */
async function answering(
  answer: (through: () => Promise<Response>, count: number) => Promise<Response>,
  work: () => unknown,
) {
  const through: Fetch = globalThis.fetch;
  let count = 0;
  globalThis.fetch = (input, init) => {
    const isWrite = init?.method !== undefined && !String(input).endsWith('/rpc');
    return isWrite ? answer(() => through(input, init), ++count) : through(input, init);
  };
  try {
    await work();
  } finally {
    globalThis.fetch = through;
  }
}

const lost = (): never => {
  throw new TypeError('connection lost');
};

describe.skipIf(!binary)('an order in trouble', { timeout: 60_000 }, () => {
  let exchange: Exchange;
  const told = () => notices.value.map((notice) => notice.text);
  const placed = async (who: number, symbol = 'BTC-USD') =>
    (
      await exchange.get<{ orders: { symbol: string }[] }>(`/perps/accounts/${exchange.address(who)}/orders`)
    ).orders.filter((order) => order.symbol === symbol).length;

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none');
    useOrigin(exchange.banner.url);
    Object.assign(globalThis, { history: { pushState() {}, replaceState() {} } });
    venue.value = exchange.banner;
    await refreshMarkets();
    startPortfolio();
    await wake();
  }, 60_000);
  afterAll(() => exchange?.stop());

  beforeEach(async () => {
    select('BTC-USD');
    expect(await signInDevelopment(1001)).toEqual({ ok: true });
    // The exchange is asked as well: what the page shows may be from before this sign-in.
    await until(async () => {
      if (!stale.value && orders.value.length > 0) await cancelOrders(orders.value);
      return (await placed(0)) === 0 && orders.value.length === 0;
    });
    model.clear();
    model.kind.value = 'LIMIT';
    notices.value = [];
  });

  const type = (price: string, size: string) => {
    model.edit(model.price, price);
    model.edit(model.size, size);
  };

  test('is told of the account that sent it, when another one is chosen before the answer is found out', async () => {
    type('99000', '0.02');
    await answering(async (through, count) => {
      const answer = await through();
      if (count > 1) return answer;
      await signInDevelopment(1002);
      return lost();
    }, () => submit('BUY'));
    expect(account.value?.accountID).toBe(1002);
    expect(told()).toContain('Order placed: Buy 0.02 BTC-USD at 99,000');
    expect([await placed(0), await placed(1)]).toEqual([1, 0]);
  });

  test('goes to the symbol of the click, or nowhere', async () => {
    type('99000', '0.03');
    const sent = submit('BUY');
    select('ETH-USD');
    await sent;
    expect(await placed(0, 'ETH-USD')).toBe(0);
    expect((await placed(0)) === 1 || told().some((text) => text.includes('nothing was sent'))).toBe(true);
  });

  test('goes to the account of the click, or nowhere', async () => {
    type('99000', '0.04');
    const sent = submit('BUY');
    await signInDevelopment(1002);
    await sent;
    expect(await placed(1)).toBe(0);
  });

  const garbage: [string, string][] = [
    ['no data', '{"code":0,"timestamp":1}'],
    ['null', '{"code":0,"timestamp":1,"data":null}'],
    ['an object', '{"code":0,"timestamp":1,"data":{}}'],
    ['too few items', '{"code":0,"timestamp":1,"data":[]}'],
    ['items that are none', '{"code":0,"timestamp":1,"data":[null]}'],
    ['a code that is a text', '{"code":0,"timestamp":1,"data":[{"code":"0","clOrdID":7}]}'],
  ];
  test.each(garbage)('is found out when the answer is garbage: %s', async (name, body) => {
    type('98000', `0.05${name.length}`);
    let spoilt = false; // the answer to an order that was taken: one with a bad nonce is sent again
    await answering(async (through) => {
      const answer = await through();
      if (spoilt || (await answer.clone().json()).code !== 0) return answer;
      spoilt = true;
      return new Response(body, { status: 200 });
    }, () => submit('BUY'));
    expect(spoilt).toBe(true);
    await until(() => orders.value.length === 1);
    expect(told()[0]).toMatch(/^Order placed/);
    expect(model.busy.value).toBe(false);
  });

  test('that neither the answer nor a read tells of is said to be unknown', async () => {
    type('98000', '0.06');
    const through = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      if (init?.method !== undefined) {
        await through(input, init);
        return new Response('{"code":0,"timestamp":1}', { status: 200 });
      }
      return String(input).includes('/orders') ? new Response('<html>', { status: 500 }) : through(input, init);
    };
    try {
      await submit('BUY');
    } finally {
      globalThis.fetch = through;
    }
    expect(told()[0]).toMatch(/^Outcome unknown/);
  });

  test('a refusal that was lost is no success', async () => {
    type('98000', '0.07');
    await submit('BUY');
    await until(() => orders.value.length === 1);
    const body = { accountID: 1001, symbolID: 1, leverage: 5, marginMode: 2 };
    let refusal: unknown;
    await answering(async (through, count) => {
      const answer = await through();
      return count > 1 ? answer : lost();
    }, async () => {
      refusal = await refusalOf(ACTIONS.leverage, body);
    });
    expect(refusal).toMatchObject({ text: expect.stringMatching(/refused/) });
  });
});
