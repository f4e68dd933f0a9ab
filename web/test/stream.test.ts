// SPDX-License-Identifier: MIT
// The stream against an exchange of its own: subscriptions are counted, belong to who asked for them, and come back
// after every kind of cut.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveBook } from '../../clients/typescript/src/live-book';
import type { Push, Subscription } from '../../clients/typescript/src/routes';
import { type Stream, openStream } from '../src/core/stream';
import { random } from './random';
import { type Request, Socket } from './socket';

let sockets: Socket[];
let stream: Stream;
const last = (): Socket => sockets[sockets.length - 1] as Socket;
const open = (): Socket => {
  const socket = last();
  socket.onopen?.();
  return socket;
};

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  stream = openStream('perps', 'ws://exchange/ws/perps', () => {
    sockets.push(new Socket());
    return last() as unknown as WebSocket;
  });
});
afterEach(() => {
  stream.close();
  vi.useRealTimers();
});

const TRADES = { channel: 'trade', symbol: 'BTC-USD' };
const ops = (socket: Socket): string[] => socket.sent.map((one) => `${one.op} ${one.params?.channel ?? ''}`.trim());

describe('use', () => {
  test('nothing is sent before the link is open, and then once', () => {
    const seen: Push[] = [];
    stream.subscribe(TRADES, { onPush: (push) => seen.push(push) });
    expect(stream.link.value).toBe('connecting');
    const socket = open();
    expect(stream.link.value).toBe('live');
    expect(ops(socket)).toEqual(['subscribe trade']);
    socket.say({ channel: 'trade', type: 'update', data: [{ s: 'BTC-USD', t: 1 }, { s: 'ETH-USD', t: 2 }] });
    socket.say({ channel: 'trade', type: 'update', data: [{ s: 'ETH-USD', t: 3 }] });
    expect(seen).toEqual([{ channel: 'trade', type: 'update', data: [{ s: 'BTC-USD', t: 1 }] }]);
  });

  test('a second listener renews it, so that both have a snapshot; the last one ends it', () => {
    const socket = open();
    const first = vi.fn();
    const second = vi.fn();
    const endFirst = stream.subscribe(TRADES, { onPush: first });
    socket.answerAll();
    const endSecond = stream.subscribe(TRADES, { onPush: second });
    expect(ops(socket)).toEqual(['subscribe trade', 'unsubscribe trade']);
    socket.answerAll();
    expect(ops(socket)[2]).toBe('subscribe trade');
    socket.say({ channel: 'trade', type: 'snapshot', data: [{ s: 'BTC-USD' }] });
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
    socket.answerAll();
    endFirst();
    expect(socket.sent.length).toBe(3);
    endSecond();
    endSecond();
    expect(ops(socket).slice(3)).toEqual(['unsubscribe trade']);
  });

  test('candles are told apart by their interval', () => {
    const socket = open();
    const minute = vi.fn();
    stream.subscribe({ channel: 'candle', symbol: 'BTC-USD', interval: '1m' }, { onPush: minute });
    socket.say({ channel: 'candle', type: 'update', data: { s: 'BTC-USD', i: '5m' } });
    expect(minute).not.toHaveBeenCalled();
    socket.say({ channel: 'candle', type: 'update', data: { s: 'BTC-USD', i: '1m' } });
    expect(minute).toHaveBeenCalledOnce();
  });

  test('a refusal is told, and asked again by the next use', () => {
    const socket = open();
    const onRefused = vi.fn();
    stream.subscribe(TRADES, { onPush() {}, onRefused });
    socket.acknowledge(socket.sent[0] as Request, false);
    expect(onRefused).toHaveBeenCalledWith('no');
    stream.subscribe(TRADES, { onPush() {} });
    expect(ops(socket)).toEqual(['subscribe trade', 'subscribe trade']);
  });
});

describe('accounts', () => {
  const of = (user: string): Subscription => ({ channel: 'accountTrade', user });

  test('a push after the change of the account never reaches the wrong one', () => {
    const socket = open();
    const mine = vi.fn();
    const theirs = vi.fn();
    const end = stream.subscribe(of('0xmine'), { onPush: mine });
    socket.answerAll();
    end();
    stream.subscribe(of('0xtheirs'), { onPush: theirs });
    // The exchange has not read the end yet: this trade is the first account's.
    socket.say({ channel: 'accountTrade', type: 'update', data: { t: 1 } });
    expect(mine).not.toHaveBeenCalled();
    expect(theirs).not.toHaveBeenCalled();
    expect(ops(socket)).toEqual(['subscribe accountTrade', 'unsubscribe accountTrade']);
    socket.answerAll();
    expect(socket.sent[2]?.params.user).toBe('0xtheirs');
    socket.say({ channel: 'accountTrade', type: 'update', data: { t: 2 } });
    expect(theirs).toHaveBeenCalledOnce();
  });
});

describe('cuts', () => {
  test('everything is asked for again, and the listener hears of the cut and of the end of it', () => {
    const heard: string[] = [];
    stream.subscribe(TRADES, {
      onPush: () => heard.push('push'),
      onLive: () => heard.push('live'),
      onLost: () => heard.push('lost'),
      onResumed: () => heard.push('resumed'),
    });
    open().answerAll();
    last().close();
    expect(stream.link.value).toBe('lost');
    vi.advanceTimersByTime(500);
    open().answerAll();
    expect(stream.link.value).toBe('live');
    expect(heard).toEqual(['live', 'lost', 'live', 'resumed']);
  });

  // The cut may be noticed late: a listener that joins meanwhile asks for a snapshot, and no answer comes.
  test.each(['unsubscribe', 'subscribe'])('it is heard of also while the %s of a renewal waits', (op) => {
    const heard: string[] = [];
    stream.subscribe(TRADES, {
      onPush() {},
      onLost: () => heard.push('lost'),
      onResumed: () => heard.push('resumed'),
    });
    const socket = open();
    socket.answerAll();
    stream.subscribe(TRADES, { onPush() {} });
    if (op === 'subscribe') socket.acknowledge(socket.sent[1] as Request);
    expect(ops(socket).pop()).toBe(`${op} trade`);
    socket.close();
    vi.advanceTimersByTime(500);
    open().answerAll();
    expect(heard).toEqual(['lost', 'resumed']);
    last().close();
    expect(heard).toEqual(['lost', 'resumed', 'lost']);
  });

  test('a book is old from a cut on, also when a second one has just begun', () => {
    const first = new LiveBook(stream, 'BTC-USD', 20);
    const socket = open();
    socket.answerAll();
    const frame = { s: 'BTC-USD', U: 1, u: 1, E: 1, b: [], a: [] };
    socket.say({ channel: 'l4Book', type: 'snapshot', data: frame });
    expect(first.live).toBe(true);
    const second = new LiveBook(stream, 'BTC-USD', 20);
    socket.close();
    expect([first.live, second.live]).toEqual([false, false]);
  });

  test('pauses grow to ten seconds and begin anew after a success', () => {
    const waited: number[] = [];
    for (let i = 0; i < 9; i++) {
      last().close();
      const before = sockets.length;
      let ms = 0;
      for (; sockets.length === before; ms += 25) vi.advanceTimersByTime(25);
      waited.push(ms);
    }
    expect(waited[0]).toBeLessThan(500);
    expect(waited[8]).toBeGreaterThanOrEqual(7_500);
    expect(Math.max(...waited)).toBeLessThanOrEqual(12_525);
    const count = sockets.length;
    open(); // it accepts, and cuts: no success
    last().close();
    vi.advanceTimersByTime(500);
    expect(sockets.length).toBe(count);
    vi.advanceTimersByTime(12_500);
    expect(sockets.length).toBe(count + 1);
    stream.subscribe(TRADES, { onPush() {} });
    open().answerAll();
    last().close();
    vi.advanceTimersByTime(500);
    expect(sockets.length).toBe(count + 2);
  });

  test('a link that is silent is asked, and given up without an answer', () => {
    const socket = open();
    vi.advanceTimersByTime(15_000);
    expect(ops(socket)).toEqual(['ping']);
    socket.say({ op: 'pong' });
    vi.advanceTimersByTime(15_000);
    expect(ops(socket)).toEqual(['ping', 'ping']);
    vi.advanceTimersByTime(10_000);
    expect(stream.link.value).toBe('lost');
    expect(socket.closed).toBe(true);
  });

  const garbage = ['<html>', 'null', '7', '"text"', 'true', ''];
  test.each(garbage)('what is not the interface ends the connection: %s', (data) => {
    open().onmessage?.({ data });
    expect(stream.link.value).toBe('lost');
  });

  test('data that a listener cannot read ends the connection, and everybody hears of it', () => {
    const heard: string[] = [];
    const onLost = () => heard.push('lost');
    stream.subscribe<{ p: string }[]>(TRADES, { onPush: ({ data }) => data.forEach((one) => one.p.trim()), onLost });
    stream.subscribe({ channel: 'markPrice', symbol: 'BTC-USD' }, { onPush() {}, onLost });
    const socket = open();
    socket.answerAll();
    socket.say({ channel: 'trade', type: 'update', data: [{ s: 'BTC-USD', p: null }] });
    expect([stream.link.value, heard]).toEqual(['lost', ['lost', 'lost']]);
    vi.advanceTimersByTime(500);
    open().answerAll();
    expect(stream.link.value).toBe('live');
  });

  test('a closed stream stays closed', () => {
    open();
    stream.close();
    vi.advanceTimersByTime(60_000);
    expect(sockets.length).toBe(1);
  });
});

describe('any sequence of uses, renewals, acknowledgements and cuts', () => {
  const all: Subscription[] = [
    TRADES,
    { channel: 'l4Book', symbol: 'BTC-USD', level: 100 },
    { channel: 'l4Book', symbol: 'BTC-USD', level: 500 },
    { channel: 'accountTrade', user: '0xa' },
    { channel: 'accountTrade', user: '0xb' },
  ];
  test.each([1, 2, 3, 4])('seed %i ends with what is in use on the wire, and nothing else', (seed) => {
    const dice = random(seed);
    const ends: (() => void)[] = [];
    const used = new Map<() => void, Subscription>();
    open();
    for (let step = 0; step < 500; step++) {
      const pick = all[Math.floor(dice() * all.length)] as Subscription;
      const luck = dice();
      if (luck < 0.35 && used.size < 2) {
        const end = stream.subscribe(pick, { onPush() {} });
        used.set(end, pick);
        ends.push(end);
      } else if (luck < 0.65) {
        const end = [...used.keys()][0];
        if (end) {
          end();
          used.delete(end);
        }
      } else if (luck < 0.7) {
        stream.renew(pick);
      } else if (luck < 0.75) {
        last().close();
        vi.advanceTimersByTime(20_000);
        open();
      } else {
        last().answerAll();
      }
    }
    for (let i = 0; i < 20; i++) last().answerAll();
    const wire = new Map<string, boolean>();
    for (const { op, params } of last().sent)
      if (params) wire.set(JSON.stringify(params), op === 'subscribe');
    const onWire = [...wire].filter(([, on]) => on).map(([key]) => key);
    const routes = new Set([...used.values()].map((one) => `${one.channel}`));
    // Of subscriptions that cannot be told apart one is on the wire, the others wait for its end.
    expect(onWire.length).toBe(routes.size);
    for (const key of onWire) expect([...used.values()].map((one) => JSON.stringify(one))).toContain(key);
  });
});
