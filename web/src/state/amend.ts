// SPDX-License-Identifier: MIT
// Changes of open orders that several panels offer (chart lines, the table of open orders). The status region tells
// what became of each. The code behind it is loaded with the first change.
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

const load = () => import('./amend-now');

export const amendOrder = async (order: OpenOrder, change: Change): Promise<Changed> =>
  (await load()).amendOrder(order, change);

/** Cancels orders of both engines; `done` when all of them were canceled. */
export const cancelOrders = async (list: readonly OpenOrder[]): Promise<Changed> => (await load()).cancelOrders(list);

export const cancelOrder = (order: OpenOrder): Promise<Changed> => cancelOrders([order]);
