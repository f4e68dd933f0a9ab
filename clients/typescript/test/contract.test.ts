// SPDX-License-Identifier: MIT
// The client against the contract of a running exchange: src/spec/ is what tools/generate.mjs writes from it, so a new
// endpoint, field, code or method of /rpc fails here until the client has it.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Channels, CODES, Client, type Exchange, ExchangeError, startExchange } from '../src/index.js';
import { classOf, errorOf } from '../src/errors.js';
import type * as Spec from '../src/spec/types.js';
import type * as Hand from '../src/types.js';
import { binary } from './binary.js';

interface Generator {
  differences(document: object): string[];
  filesOf(document: object): Record<string, string>;
}
const generator = (await import(new URL('../tools/generate.mjs', import.meta.url).href)) as Generator;

/** Records that the terminal reads by types of its own: what the exchange sends fits them. */
type Fits<Sent extends Read, Read> = Sent;
export type Fit = [
  Fits<Spec.SpotSymbol, Hand.SpotSymbol>,
  Fits<Spec.PerpsSymbol, Hand.PerpsSymbol>,
  Fits<Spec.OrderBook, Hand.OrderBook>,
  Fits<Spec.RPCKline, Hand.Kline>,
  Fits<Spec.FeeRate, Hand.FeeRate>,
  Fits<Spec.UserTrade, Hand.UserTrade>,
  Fits<Spec.SpotOrder, Hand.OrderRecord>,
  Fits<Spec.PerpsUserFunding, Hand.UserFunding>,
  Fits<Omit<Spec.OrderResult, 'details'>, Omit<Hand.OrderResult, 'details'>>,
];

describe.skipIf(!binary)('the contract', () => {
  let exchange: Exchange;
  let client: Client;
  let document: { paths: Record<string, Record<string, { operationId: string }>> };

  beforeAll(async () => {
    exchange = await startExchange();
    client = exchange.client();
    document = (await client.process.openapi()) as typeof document;
  });
  afterAll(() => exchange?.stop());

  test('src/spec/ is written from it', () => {
    expect(generator.differences(document)).toEqual([]);
  });

  test('an endpoint without a method is found', () => {
    const [more] = Object.values(document.paths['/api/v1/time'] ?? {});
    const path = { get: { ...more, operationId: 'gateway GET /more' } };
    const larger = { ...document, paths: { ...document.paths, '/api/v1/more': path } };
    expect(() => generator.filesOf(larger)).toThrow('gateway GET /more has no method');
    const { '/api/v1/time': _, ...fewer } = document.paths;
    expect(() => generator.filesOf({ ...document, paths: fewer })).toThrow('gateway GET /time');
  });

  test('every read answers', async () => {
    const [owner] = exchange.accounts;
    const reads = [client.spot, client.perps, client.gateway, client.process].flatMap((endpoints) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(endpoints))
        .map((name) => [name, (endpoints as unknown as Record<string, (...all: unknown[]) => unknown>)[name]] as const)
        .filter(([name, method]) => name !== 'constructor' && !/this\.(write|post)\(/.test(String(method)))
        .map(([name, method]) => ({ name, call: (...all: unknown[]) => method?.apply(endpoints, all) })),
    );
    expect(reads.length).toBeGreaterThan(40);
    for (const { name, call } of reads) {
      const argument = /Book$|^klines$|^trades$/.test(name) ? 'BTC-USD' : owner?.address;
      const asked = name === 'klines' ? [argument, { interval: '1m' }] : [argument];
      try {
        const plain = /^(symbols|coins|tickers|miniTickers|bookTickers|markPrices|indexComposition|liquidations)$/;
        expect(await (plain.test(name) ? call() : call(...asked)), name).toBeDefined();
      } catch (error) {
        // A spot symbol has another name; a ranking needs a receipt. Both are answers of the interface.
        expect(error, name).toBeInstanceOf(ExchangeError);
        expect((error as ExchangeError).code, name).toBeGreaterThan(40000);
      }
    }
  });

  test('every code has a class with field and details', () => {
    for (const code of Object.keys(CODES).map(Number)) expect(classOf(code), String(code)).not.toBe(ExchangeError);
    const error = errorOf({ code: 42201, error: 'price is invalid', details: { field: 'price', need: '0.1' } });
    expect(error).toMatchObject({ name: 'InvalidPrice', code: 42201, field: 'price', details: { need: '0.1' } });
    expect(classOf(99999)).toBe(ExchangeError);
  });

  test('every channel of docs/api.md has a record', () => {
    const text = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const part = text.slice(text.indexOf('## Streams'), text.indexOf('## Bodies of signed writes'));
    const named = [...part.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    const source = readFileSync(new URL('../src/watch.ts', import.meta.url), 'utf8');
    const typed: (keyof Channels | undefined)[] = [...source.matchAll(/^ {2}(\w+): \w+(?:\[\]| \| \w+)?;$/gm)].map(
      (match) => match[1] as keyof Channels,
    );
    expect(typed).toEqual(named);
  });
});
