// SPDX-License-Identifier: MIT
// The candles of the symbol in the address are asked for with the first script, before the list of symbols has come.
import { type Reply, getOf } from '../../core/api';
import type { Engine, Interval, Kline } from '../../core/types';

/** Bars of one page. */
export const PAGE = 500;

export const readPage = (engine: Engine, name: string, interval: Interval, endTime?: number): Promise<Reply<Kline[]>> =>
  getOf<Kline[]>(engine, `/markets/${encodeURIComponent(name)}/klines`, { interval, limit: PAGE, endTime });

/** An answer that is older than this is not used. */
const FRESH = 3000;

interface Early {
  readonly engine: Engine;
  readonly name: string;
  readonly interval: Interval;
  readonly reply: Promise<Reply<Kline[]>>;
  readonly asked: number;
}

let early: Early | undefined;

/** Asks for the first page; `path` is that of the page. A wrong guess of the engine costs one refused read. */
export function askEarly(path: string, intervalOf: (engine: Engine) => Interval): void {
  const name = /^\/trade\/([\w.-]+)\/?$/.exec(path)?.[1];
  if (name === undefined) return;
  const engine: Engine = name.includes('_') ? 'spot' : 'perps';
  const interval = intervalOf(engine);
  early = { engine, name, interval, reply: readPage(engine, name, interval), asked: performance.now() };
}

/** The newest page: the early answer where it is for the same bars, else a read. */
export function firstPage(engine: Engine, name: string, interval: Interval): Promise<Reply<Kline[]>> {
  const found = early;
  early = undefined;
  const fits =
    found?.engine === engine &&
    found.name === name &&
    found.interval === interval &&
    performance.now() - found.asked < FRESH;
  return fits ? found.reply : readPage(engine, name, interval);
}
