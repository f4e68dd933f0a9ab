// SPDX-License-Identifier: MIT
// What the exchange says of itself: its chain ids, and in development the accounts with well-known keys.
import { type ReadonlySignal, computed, signal } from '@preact/signals-core';
import { until } from './until';

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

async function readVenue(): Promise<boolean> {
  try {
    const answer = await fetch('/docs/settings.json');
    if (answer.ok) venue.value = (await answer.json()) as Venue;
  } catch {
    // No answer, or one that is no JSON: the next attempt.
  }
  return venue.value !== undefined;
}

/** Reads the settings, until they have come; once at the start. Without them nothing can be signed. */
export const loadVenue = (): Promise<void> => until(readVenue);
