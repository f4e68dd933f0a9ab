// SPDX-License-Identifier: MIT
// What is no exchange at the other end: every request ends, with an error that says why.
import { getEventListeners } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Client, NoAnswer, OutcomeUnknown, type WriteChoices } from '../src/index.js';

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());
afterEach(() => server?.close());

async function clientOf(answer: (response: ServerResponse) => void): Promise<Client> {
  server = createServer((_, response) => answer(response));
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return new Client({ url: `http://127.0.0.1:${port}`, timeout: 200 });
}

const hangs = (): void => {};
const stopsHalfWay = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Length': '1000' });
  response.write('{"code":');
};
const neverEnds = (response: ServerResponse): void => {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 20, '['))); // until its buffer is full
  };
  response.on('drain', more);
  more();
};

test.each([
  ['hangs', hangs],
  ['stops half way', stopsHalfWay],
])('an exchange that %s gives no answer', async (_, answer) => {
  const client = await clientOf(answer);
  const reads = [client.spot.symbols(), client.process.metrics()];
  for (const read of await Promise.allSettled(reads)) {
    const { reason } = read as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(NoAnswer);
    expect(String(reason)).toMatch(/no whole answer within 200 ms/);
  }
});

test('an answer without end is given up, also of /rpc', async () => {
  const client = await clientOf(neverEnds);
  await expect(client.rpc('eth_chainId')).rejects.toThrow(/more than 67108864 bytes/);
});

const KEY = `0x${'42'.repeat(32)}`;

/** One order to what stands at the address. */
function orderTo(url: string, options: object, choices?: WriteChoices): Promise<unknown> {
  const { spot } = new Client({ url, privateKey: KEY, chainId: 1, ...options });
  const order = { symbolID: 1, clOrdID: 'a', side: 1, type: 2, timeInForce: 3, quantity: '1' } as const;
  return spot.batchNewOrder({ orders: [order] }, choices).catch((error: unknown) => error);
}

test('a write that had nobody to be sent to is told at once', async () => {
  const { url } = await clientOf(hangs);
  await new Promise((done) => server?.close(done));
  for (const place of [url, url.replace('127.0.0.1', 'localhost')]) {
    const error = await orderTo(place, {});
    expect(error).toBeInstanceOf(NoAnswer);
    expect(String(error)).toMatch(/ECONNREFUSED/);
  }
});

test('a write whose connection ends is asked for until the time is over', async () => {
  let asked = 0;
  const { url } = await clientOf((response) => (asked++, response.socket?.destroy()));
  const error = await orderTo(url, { outcomeTimeout: 1000 });
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(String(error)).toMatch(/no outcome within 1000 ms/);
  expect((error as OutcomeUnknown).sent?.body).toContain('"clOrdID":"a"');
  expect(asked).toBeGreaterThan(1);
});

test('many requests at once are sent 64 at a time, of all clients together', async () => {
  const [most, total] = [64, 200];
  const held: ServerResponse[] = [];
  let [peak, seen] = [0, 0];
  const release = () => held.splice(0).forEach((response) => response.end('{"code":0,"timestamp":1,"data":[]}'));
  const { url } = await clientOf((response) => {
    peak = Math.max(peak, held.push(response));
    if (++seen === total || held.length === most) setTimeout(release, 100); // time for one too many
  });
  const clients = [new Client({ url }), new Client({ url })];
  const reads = Array.from({ length: total / 2 }, (_, at) => clients[at % 2]?.spot.symbols());
  const writes = Array.from({ length: total / 2 }, () => orderTo(url, {}));
  for (const answer of await Promise.all([...reads, ...writes])) expect(answer).not.toBeInstanceOf(Error);
  expect({ peak, seen }).toEqual({ peak: most, seen: total });
});

test('a signal keeps no listener, however often is asked', async () => {
  const { url } = await clientOf((response) => response.socket?.destroy());
  const [enough, end] = [3, new AbortController()];
  const { signal } = end;
  const counts: number[] = [];
  const onUncertain = () => {
    if (counts.push(getEventListeners(signal, 'abort').length) === enough) end.abort();
  };
  await orderTo(url, {}, { signal, onUncertain });
  expect(counts).toEqual([0, 0, 0]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the reason of a connection that fails is told', async () => {
  const { url } = await clientOf(hangs);
  await new Promise((done) => server?.close(done));
  const client = new Client({ url });
  await expect(client.spot.symbols()).rejects.toThrow(/ECONNREFUSED/);
});
