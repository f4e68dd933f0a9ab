// SPDX-License-Identifier: MIT
// What the account has: balances, open orders, positions and fills, from its streams and, at the start and after a cut,
// from reads. Everything is empty while nobody is signed in.
import { type ReadonlySignal, computed, effect, signal } from '@preact/signals-core';
import { getOf } from '../core/api';
import type { FeeRate, WsPerpsState, WsSpotState } from '../core/types';
import { account } from './account';
import { type AccountFeed, type OrderEvent, openFeed } from './feed';
import { market } from './markets';
import type { Fill, OpenOrder, Position } from './records';

export type { OrderEvent } from './feed';
export type { Fill, OpenOrder, Position } from './records';

const feed = signal<AccountFeed | undefined>(undefined);
const listeners = new Set<(event: OrderEvent) => void>();

/** `state` records of both engines: balances, margins and settings. Undefined until they were read. */
export const spotState: ReadonlySignal<WsSpotState | undefined> = computed(() => feed.value?.spotState.value);
export const perpsState: ReadonlySignal<WsPerpsState | undefined> = computed(() => feed.value?.perpsState.value);

/** Newest first, both engines. */
export const orders: ReadonlySignal<readonly OpenOrder[]> = computed(() => feed.value?.orders.value ?? []);
export const positions: ReadonlySignal<readonly Position[]> = computed(() => feed.value?.positions.value ?? []);
/** The newest fills of this account, newest first, at most 200, both engines. */
export const fills: ReadonlySignal<readonly Fill[]> = computed(() => feed.value?.fills.value ?? []);

/** True from the start and from a cut until everything was read again: what is shown may be old. */
export const stale: ReadonlySignal<boolean> = computed(() => feed.value?.stale.value ?? false);

/** Calls for every change of an order of the account; returns the end. */
export function onOrder(listener: (event: OrderEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Fee rates of the account by symbol; a symbol is there once it was selected and answered. */
export const feeRates = signal<ReadonlyMap<string, FeeRate>>(new Map());

async function readFeeRate(): Promise<void> {
  const owner = account.value;
  const asked = market.value;
  if (!owner || !asked) return;
  const query = { accountID: owner.accountID, symbol: asked.name };
  const reply = await getOf<FeeRate>(asked.engine, `/accounts/${owner.address}/fee-rate`, query);
  if (reply.ok && account.value === owner) feeRates.value = new Map(feeRates.value).set(asked.name, reply.data);
}

/** Follows the account that is signed in; once at the start. */
export function startPortfolio(): void {
  effect(() => {
    const owner = account.value;
    if (!owner) return undefined;
    const opened = openFeed(owner, (event) => {
      for (const listener of [...listeners]) listener(event);
    });
    feed.value = opened;
    return () => {
      opened.close();
      feed.value = undefined;
      feeRates.value = new Map();
    };
  });
  const wanted = computed(() => `${account.value?.accountID} ${market.value?.name}`);
  effect(() => {
    if (wanted.value) queueMicrotask(() => void readFeeRate()); // outside of what this effect watches
  });
}
