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

/** True when the exchange has executed it. */
export async function amendOrder(_order: OpenOrder, _change: Change): Promise<boolean> {
  return false;
}

/** True when the exchange has executed it. */
export async function cancelOrder(_order: OpenOrder): Promise<boolean> {
  return false;
}
