// SPDX-License-Identifier: MIT
// Changes of open orders that several panels offer (chart lines, the table of open orders). The status region tells
// what became of each.
import type { Decimal } from '../core/decimal';
import type { OpenOrder } from './portfolio';

export interface Change {
  readonly price?: Decimal;
  readonly quantity?: Decimal;
  /** TP/SL orders that have not triggered. */
  readonly stopPrice?: Decimal;
}

/** `done`: the exchange executed it. `reason` is for people: the exchange's, or why it was not asked. */
export type Changed = { readonly done: true } | { readonly done: false; readonly reason: string };

export async function amendOrder(_order: OpenOrder, _change: Change): Promise<Changed> {
  return { done: false, reason: 'not loaded' };
}

export async function cancelOrder(_order: OpenOrder): Promise<Changed> {
  return { done: false, reason: 'not loaded' };
}
