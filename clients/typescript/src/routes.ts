// SPDX-License-Identifier: MIT
// Which subscription a push belongs to.
import type { Listener } from './stream.js';

export interface Subscription {
  readonly channel: string;
  readonly symbol?: string;
  readonly coin?: string;
  readonly interval?: string;
  readonly level?: number;
  readonly tickSize?: string;
  readonly pushInterval?: string;
  readonly user?: string;
  readonly accountID?: number;
}

export interface Push<T = unknown> {
  readonly channel: string;
  readonly type: 'snapshot' | 'update';
  readonly data: T;
}

export interface Entry {
  readonly key: string;
  readonly route: string;
  readonly subscription: Subscription;
  listeners: Set<Listener<unknown>>;
  /** `asked`: sent and not acknowledged; `ending`: its end is sent and not acknowledged. */
  state: 'idle' | 'asked' | 'live' | 'ending' | 'refused';
  /** Of the last request. */
  id: number;
  /** Its listeners have heard that it is live, on this link: a renewal does not take that back. */
  live: boolean;
  /** It was live when the link was lost. */
  cut: boolean;
}

/** All parameters: equal keys share one subscription. */
export const keyOf = (subscription: Subscription): string =>
  JSON.stringify(Object.entries(subscription).sort(([a], [b]) => (a < b ? -1 : 1)));

const join = (channel: string, symbol = '', interval = ''): string => `${channel} ${symbol} ${interval}`;

/** What a push of this subscription says of itself. */
export const routeOf = ({ channel, symbol, coin, interval }: Subscription): string =>
  channel.startsWith('account') ? join(channel) : join(channel, symbol ?? coin, interval);

export const newEntry = (key: string, subscription: Subscription): Entry => ({
  key,
  route: routeOf(subscription),
  subscription,
  listeners: new Set(),
  state: 'idle',
  id: 0,
  live: false,
  cut: false,
});

interface Named {
  readonly s?: unknown;
  /** Of a receipt of a liquidation, and of a coin's price. */
  readonly symbol?: unknown;
  readonly a?: unknown;
  readonly i?: unknown;
}

const symbolIn = (record: unknown): string | undefined => {
  const { s, symbol: full, a } = (record ?? {}) as Named;
  const symbol = s ?? full ?? a;
  return typeof symbol === 'string' ? symbol : undefined;
};

/** The routes of a push: one, or one for each symbol in its list. */
export function routesOf({ channel, data }: Push): string[] {
  if (channel.startsWith('account') || channel.startsWith('all')) return [join(channel)];
  if (Array.isArray(data)) return [...new Set(data.map(symbolIn))].map((symbol) => join(channel, symbol));
  const interval = channel === 'candle' ? String((data as Named).i) : '';
  return [join(channel, symbolIn(data), interval)];
}

/** The part of a push that a subscription is about. */
export function partFor({ symbol: name, coin }: Subscription, push: Push): Push {
  const symbol = name ?? coin;
  if (symbol === undefined || !Array.isArray(push.data)) return push;
  return { ...push, data: push.data.filter((record) => symbolIn(record) === symbol) };
}
