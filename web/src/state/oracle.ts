// SPDX-License-Identifier: MIT
// What the exchange says of the index of each perps symbol: whether it is stale, and the price that is held back after
// a jump. No stream has it, so it is read while somebody looks.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import { getOf } from '../core/api';

export interface IndexState {
  readonly state: 'LIVE' | 'FALLBACK' | 'STALE' | 'BOOTSTRAP';
  readonly held: string | undefined;
}

interface Composition {
  symbol: string;
  state: IndexState['state'];
  candidatePrice?: string;
}

const PACE = 10_000;
const states = signal<ReadonlyMap<string, IndexState>>(new Map());

export const indexStates: ReadonlySignal<ReadonlyMap<string, IndexState>> = states;

const same = (a: IndexState | undefined, b: IndexState): boolean => a?.state === b.state && a.held === b.held;

/** Reads it now: at the pace, and when the exchange has refused something because of it. */
export async function refreshIndexStates(): Promise<void> {
  const reply = await getOf<Composition[]>('perps', '/markets/index-composition');
  if (!reply.ok || !Array.isArray(reply.data)) return;
  const found = new Map(reply.data.map((row) => [row.symbol, { state: row.state, held: row.candidatePrice }]));
  const old = states.value;
  if (old.size === found.size && [...found].every(([name, now]) => same(old.get(name), now))) return;
  states.value = found;
}

/** Reads it again and again while the page is seen. */
export function followIndexStates(): void {
  void refreshIndexStates();
  setInterval(() => globalThis.document?.hidden || void refreshIndexStates(), PACE);
}
