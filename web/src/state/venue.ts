// SPDX-License-Identifier: MIT
// What the exchange says of itself: its chain ids, and in development the accounts with well-known keys.
import { type ReadonlySignal, computed, signal } from '@preact/signals-core';

export interface DevelopmentAccount {
  readonly accountID: number;
  readonly address: string;
  readonly privateKey: string;
}

export interface Venue {
  /** The first one is signed for. */
  readonly chainIds: readonly number[];
  /** Empty outside of development. */
  readonly accounts: readonly DevelopmentAccount[];
}

/** Undefined until it was read. */
export const venue = signal<Venue | undefined>(undefined);

/** Development methods of /rpc exist and the developer drawer is offered. */
export const development: ReadonlySignal<boolean> = computed(() => (venue.value?.accounts.length ?? 0) > 0);

/** Reads the settings; once at the start. */
export async function loadVenue(): Promise<void> {
  const answer = await fetch('/docs/settings.json');
  if (answer.ok) venue.value = (await answer.json()) as Venue;
}
