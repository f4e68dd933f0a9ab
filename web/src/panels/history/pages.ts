// SPDX-License-Identifier: MIT
// A history of the account, read in pages from the newest on. A page ends with a whole millisecond, so the next one
// begins a millisecond before its last row and loses nothing (service 4.2).
import { type ReadonlySignal, batch, signal } from '@preact/signals-core';
import { getOf } from '../../core/api';
import type { Engine } from '../../core/types';
import type { Account } from '../../state/account';

export const PAGE = 50;

export interface Source<Row> {
  readonly path: string;
  readonly timeOf: (row: Row) => number;
}

export interface Pages<Row> {
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly busy: ReadonlySignal<boolean>;
  /** Older rows may exist. */
  readonly more: ReadonlySignal<boolean>;
  /** Why the last read failed. */
  readonly error: ReadonlySignal<string | null>;
  /** Reads the newest page and forgets the others. */
  refresh(): Promise<void>;
  older(): Promise<void>;
  /** Older pages were read: a refresh would take them away. */
  isPaged(): boolean;
}

export function openPages<Row>(engine: Engine, owner: Account, source: Source<Row>, symbol?: string): Pages<Row> {
  const rows = signal<readonly Row[]>([]);
  const busy = signal(false);
  const more = signal(false);
  const error = signal<string | null>(null);
  let latest = 0;
  let paged = false;

  async function read(before: readonly Row[]): Promise<void> {
    const mine = ++latest;
    const last = before[before.length - 1];
    busy.value = true;
    const query = {
      accountID: owner.accountID,
      limit: PAGE,
      ...(symbol === undefined ? {} : { symbol }),
      ...(last === undefined ? {} : { endTime: source.timeOf(last) - 1 }),
    };
    const reply = await getOf<Row[]>(engine, `/accounts/${owner.address}/${source.path}`, query);
    if (mine !== latest) return; // a later read has taken its place
    batch(() => {
      busy.value = false;
      error.value = reply.ok ? null : reply.error;
      if (!reply.ok) return;
      rows.value = [...before, ...reply.data];
      paged = before.length > 0;
      more.value = reply.data.length >= PAGE;
    });
  }
  return {
    rows,
    busy,
    more,
    error,
    refresh: () => read([]),
    isPaged: () => paged,
    older: () => (busy.value || !more.value ? Promise.resolve() : read(rows.value)),
  };
}
