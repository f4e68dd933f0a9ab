// SPDX-License-Identifier: MIT
// What is typed into the ticket, and what the exchange answered.
import { type Signal, batch, signal } from '@preact/signals-core';
import type { Field, Side, TriggerType } from '../../rules/draft';

export type Unit = 'base' | 'value';

export const kind = signal<'LIMIT' | 'MARKET'>('LIMIT');
export const price = signal('');
export const size = signal('');
export const unit = signal<Unit>('base');
export const postOnly = signal(false);
export const ioc = signal(false);
export const reduceOnly = signal(false);
export const bracket = signal(false);
export const takeProfit = signal('');
export const stopLoss = signal('');
export const trigger = signal<TriggerType>('MARK_PRICE');
export const percent = signal(0);
/** The side that Enter submits and whose refusals stand at the fields; null until one is chosen. */
export const side = signal<Side | null>(null);
/** True from a submission to its outcome. */
export const busy = signal(false);

export interface Answered {
  readonly field: Field;
  readonly text: string;
}
/** Why the exchange refused the last submission; forgotten with the next change of a field. */
export const answered = signal<Answered | null>(null);

/** Changes a field: what was answered was about another order. */
export function edit<T>(field: Signal<T>, value: T): void {
  batch(() => {
    field.value = value;
    answered.value = null;
    if ((field as unknown) !== percent) percent.value = 0;
  });
}

export function clear(): void {
  batch(() => {
    for (const field of [price, size, takeProfit, stopLoss]) field.value = '';
    percent.value = 0;
    side.value = null;
    answered.value = null;
    bracket.value = false;
    reduceOnly.value = false;
  });
}

/** What is typed belongs to this symbol. */
let symbol: string | undefined;

/** Another symbol: its prices and sizes are others. The same one: the ticket was away, and what is typed stays. */
export function clearFor(name: string | undefined): void {
  if (name === undefined || name === symbol) return;
  symbol = name;
  clear();
}
