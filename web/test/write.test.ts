// SPDX-License-Identifier: MIT
// What became of a write, for every way in which a reply can be lost, refused or late. The exchange here executes a
// nonce once, as the real one does (ruling 35), and counts.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ExchangeClock } from '../src/core/clock';
import type { Signer } from '../src/core/sign';
import { ACTIONS, type WriteOptions, write } from '../src/core/write';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** What happens to one request: the exchange's answer arrives, or not. */
type Fate = 'answer' | 'lose reply' | 'lose request' | 'proxy error' | 'outcome unknown' | 'busy' | 'limited' | 'clock';

const TIME = 1_760_000_000_000;

class FakeExchange {
  executed = new Map<string, string>();
  requests: Sent[] = [];
  fates: Fate[] = [];
  receipt = '0x1';
  /** The smallest nonce that is stored for the key; others are above it. */
  smallest = 0;

  private execute({ headers, body }: Sent): Response {
    const nonce = headers['X-API-Nonce'] ?? '';
    if (Number(nonce) <= this.smallest) {
      const details = { reason: 'too small', need: `more than ${this.smallest}`, serverTime: TIME };
      return this.refuse(40102, 'nonce is invalid', details);
    }
    const before = this.executed.get(nonce);
    if (before !== undefined) {
      const details = before === body ? { reason: 'used', hash: '0xaa', block: 7, index: 0 } : { reason: 'used' };
      return this.refuse(40102, 'nonce is invalid', { ...details, serverTime: TIME });
    }
    this.executed.set(nonce, body);
    const text = JSON.stringify({ code: 0, timestamp: TIME, data: [{ code: 0, clOrdID: 'x', orderID: 1 }] });
    return new Response(text, { headers: { 'X-Chain-Tx': '0xaa', 'X-Chain-Block': '7', 'X-Chain-Index': '0' } });
  }

  refuse(code: number, error: string, details: object, status = 200): Response {
    return new Response(JSON.stringify({ code, timestamp: TIME, error, details }), { status });
  }

  readonly fetch = (url: string, init: Sent): Promise<Response> => {
    if (url === '/rpc')
      return Promise.resolve(new Response(JSON.stringify({ id: 1, result: { status: this.receipt } })));
    const request = { url, method: init.method, headers: init.headers, body: init.body };
    this.requests.push(request);
    const fate = this.fates.shift() ?? 'answer';
    if (fate === 'lose request') return Promise.reject(new TypeError('Failed to fetch'));
    if (fate === 'busy') return Promise.resolve(this.refuse(50301, 'server is busy', {}, 503));
    if (fate === 'limited') return Promise.resolve(this.refuse(42901, 'rate limit exceeded', {}, 429));
    if (fate === 'clock')
      return Promise.resolve(this.refuse(40102, 'nonce is invalid', { reason: 'too old', serverTime: TIME + 1e9 }));
    if (fate === 'proxy error') return Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    const answer = this.execute(request);
    if (fate === 'outcome unknown') return Promise.resolve(this.refuse(50303, 'outcome unknown', {}, 503));
    return fate === 'lose reply' ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer);
  };
}

const signer: Signer = { owner: '0xme', keyName: 'k1', sign: ({ nonce, body }) => Promise.resolve(`${nonce}:${body}`) };
const BODY = { accountID: 1001, orders: [{ symbolID: 1, clOrdID: 'x', price: '1.50' }] };

let exchange: FakeExchange;
let clock: ExchangeClock;
const send = (options: Partial<WriteOptions> = {}) =>
  write(ACTIONS.placeSpot, BODY, signer, { chainId: 286623, clock, pause: 1, ...options });

beforeEach(() => {
  exchange = new FakeExchange();
  clock = new ExchangeClock(() => TIME);
  vi.stubGlobal('fetch', exchange.fetch);
});
afterEach(() => void vi.unstubAllGlobals());

test('an answer', async () => {
  expect(await send()).toEqual({
    kind: 'done',
    data: [{ code: 0, clOrdID: 'x', orderID: 1 }],
    place: { transaction: '0xaa', block: 7, index: 0 },
  });
  const [request] = exchange.requests;
  expect(request).toMatchObject({ url: '/api/v1/spot/trade/orders/batch', method: 'POST' });
  expect(request?.body).toBe('{"accountID":1001,"orders":[{"symbolID":1,"clOrdID":"x","price":"1.50"}]}');
  expect(request?.headers).toMatchObject({
    'X-API-Chain': '286623',
    'X-API-Key': 'k1',
    'X-API-Nonce': String(TIME),
    'X-API-Sign': `${TIME}:${request?.body}`,
  });
});

describe('a lost reply', () => {
  const lost: Fate[][] = [
    ['lose reply'],
    ['lose request', 'lose reply'],
    ['lose reply', 'busy'], // of the repetition alone: the first one was executed
    ['lose reply', 'limited', 'busy', 'lose request'],
    ['outcome unknown', 'proxy error', 'lose request'],
    ['lose request', 'lose request', 'lose request', 'lose reply', 'proxy error'],
  ];
  test.each(lost.map((fates): [string, Fate[]] => [fates.join(', '), fates]))('%s', async (_name, fates) => {
    exchange.fates = [...fates];
    const asked: number[] = [];
    const outcome = await send({ onUncertain: (attempt) => asked.push(attempt) });
    expect(outcome).toEqual({
      kind: 'done-before',
      succeeded: true,
      place: { transaction: '0xaa', block: 7, index: 0 },
    });
    expect(exchange.executed.size).toBe(1);
    expect(new Set(exchange.requests.map((one) => JSON.stringify(one))).size).toBe(1); // the same bytes and nonce
    expect(asked).toEqual(fates.map((_fate, at) => at + 1));
  });

  test('a request that was lost before the exchange is done by its repetition', async () => {
    exchange.fates = ['lose request', 'proxy error'];
    expect(await send()).toMatchObject({ kind: 'done' });
    expect(exchange.executed.size).toBe(1);
  });

  test('an executed write whose items all failed says so', async () => {
    exchange.fates = ['lose reply'];
    exchange.receipt = '0x0';
    expect(await send()).toMatchObject({ kind: 'done-before', succeeded: false });
  });

  test('who gives up is told that it is unknown', async () => {
    const end = new AbortController();
    exchange.fates = Array<Fate>(50).fill('lose request');
    const outcome = await send({ signal: end.signal, onUncertain: (attempt) => attempt === 3 && end.abort() });
    expect(outcome).toEqual({ kind: 'unknown', error: 'Failed to fetch' });
    expect(exchange.requests.length).toBe(3);
  });
});

describe('a refusal', () => {
  test('is not repeated', async () => {
    exchange.fates = ['busy'];
    expect(await send()).toMatchObject({ kind: 'refused', code: 50301 });
    expect(exchange.requests.length).toBe(1);
    expect(exchange.executed.size).toBe(0);
  });

  test('of a nonce of another page: a new nonce, executed once', async () => {
    exchange.executed.set(String(TIME), 'another body');
    expect(await send()).toMatchObject({ kind: 'done' });
    expect(exchange.requests.map((one) => one.headers['X-API-Nonce'])).toEqual([String(TIME), String(TIME + 1)]);
  });

  test('of a nonce below those of another page: one above them, executed once', async () => {
    exchange.smallest = TIME + 5_000;
    expect(await send()).toMatchObject({ kind: 'done' });
    expect([...exchange.executed.keys()]).toEqual([String(TIME + 5_001)]);
  });

  test('of a nonce after a lost reply: no new nonce', async () => {
    exchange.executed.set(String(TIME), 'another body');
    exchange.fates = ['lose request'];
    expect(await send()).toMatchObject({ kind: 'refused', code: 40102 });
    expect(exchange.requests.length).toBe(2);
    expect(exchange.executed.size).toBe(1);
  });

  // An executed nonce is remembered behind at most 100 newer ones, and a key may have been revoked since.
  const forgotten = [
    [40102, { reason: 'too small', need: `more than ${TIME}`, serverTime: TIME }],
    [40102, { reason: 'too old', serverTime: TIME }],
    [40103, { field: 'X-API-Key' }],
  ] as const;
  test.each(forgotten)('of %i %j after a lost reply: executed or not', async (code, details) => {
    exchange.fates = ['lose reply'];
    const answer = exchange.fetch;
    vi.stubGlobal('fetch', (url: string, init: Sent) =>
      exchange.requests.length === 0 ? answer(url, init) : Promise.resolve(exchange.refuse(code, 'no', details)));
    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(exchange.executed.size).toBe(1);
  });

  test('of the clock: the exchange’s time is taken over', async () => {
    exchange.fates = ['clock'];
    expect(await send()).toMatchObject({ kind: 'done' });
    expect(exchange.requests[1]?.headers['X-API-Nonce']).toBe(String(TIME + 1e9));
  });

  test('of the clock again and again ends', async () => {
    exchange.fates = Array<Fate>(10).fill('clock');
    expect(await send()).toMatchObject({ kind: 'refused', code: 40102 });
    expect(exchange.requests.length).toBe(6);
  });
});

describe('the clock', () => {
  test('gives no nonce twice, and follows the exchange', () => {
    let wall = TIME;
    const own = new ExchangeClock(() => wall);
    expect([own.nonce(), own.nonce(), own.nonce()]).toEqual([TIME, TIME + 1, TIME + 2]);
    wall += 10;
    expect(own.nonce()).toBe(TIME + 10);
    own.learn(TIME - 5_000);
    expect(own.now()).toBe(TIME - 5_000); // set back a little: nonces go on rising
    expect(own.nonce()).toBe(TIME + 11);
    own.learn(TIME - 86_400_000 * 30); // another epoch: after the way back to a snapshot
    expect(own.nonce()).toBe(TIME - 86_400_000 * 30);
  });

  test('gives nonces without the leaps of the exchange', () => {
    const DAY = 86_400_000;
    let wall = TIME;
    const own = new ExchangeClock(() => wall);
    own.learn(TIME + DAY);
    expect([own.now(), own.nonce()]).toEqual([TIME + DAY, TIME]);
    // An exchange of the future says so when it refuses.
    own.refused(TIME, { reason: 'too old', serverTime: TIME + 9 * DAY }, TIME + 9 * DAY, 0);
    expect(own.nonce()).toBe(TIME + 9 * DAY);
    // One of the past that leaps: as far ahead as nonces may be, and then beyond that.
    own.learn(TIME - 30 * DAY);
    expect(own.nonce()).toBe(TIME - 30 * DAY);
    own.learn(TIME - 29 * DAY - 1);
    expect(own.nonce()).toBe(TIME - 29 * DAY - 1);
    own.learn(TIME - 28 * DAY);
    const past = TIME - 30 * DAY + 60;
    own.refused(own.nonce(), { reason: 'too far ahead', serverTime: past }, TIME - 28 * DAY, 0);
    const need = `more than ${TIME - 29 * DAY - 1}`;
    expect(own.nonce()).toBe(past + 1);
    own.refused(past + 1, { reason: 'too small', need, serverTime: past }, TIME - 28 * DAY, 1);
    expect(own.nonce()).toBe(TIME - 29 * DAY);
    wall += 50;
    expect(own.now()).toBe(TIME - 28 * DAY + 50);
  });

  test('goes past the nonces that another program has used', () => {
    const own = new ExchangeClock(() => TIME);
    const asked: number[] = [];
    for (let tries = 0; tries < 4; tries++) {
      asked.push(own.nonce());
      own.refused(asked[tries]!, { reason: 'used', serverTime: TIME }, TIME, tries);
    }
    expect(asked[0]).toBe(TIME);
    for (let tries = 1; tries < 4; tries++) {
      const step = asked[tries]! - asked[tries - 1]!;
      expect(step).toBeGreaterThan(0);
      expect(step).toBeLessThanOrEqual(16 ** (tries - 1));
    }
  });

  test('learns nothing from what is no time', () => {
    const own = new ExchangeClock(() => TIME);
    for (const wrong of [0, -1, Number.NaN, 1.5, Infinity]) own.learn(wrong);
    expect(own.now()).toBe(TIME);
  });
});
