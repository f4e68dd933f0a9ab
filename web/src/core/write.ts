// SPDX-License-Identifier: MIT
// Signed writes and what became of them. A reply that was lost is found out by sending the same bytes with the same
// nonce again: the exchange executes them once and says so (ruling 35).
import type { Details, Engine } from './types';

export interface Action {
  readonly engine: Engine;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** `type` of the signed payload. */
  readonly type: string;
}

const post = (engine: Engine, path: string, type: string): Action => ({ engine, method: 'POST', path, type });
const remove = (engine: Engine, path: string, type: string): Action => ({ engine, method: 'DELETE', path, type });

/** Every write of a signer; bodies are those of docs/api.md, keys in that order, what is not set left out. */
export const ACTIONS = {
  placeSpot: post('spot', '/trade/orders/batch', 'batchNewOrder'),
  cancelSpot: remove('spot', '/trade/orders/batch', 'batchCancelOrder'),
  replaceSpot: post('spot', '/trade/orders/replace', 'replaceOrder'),
  transferSpot: post('spot', '/accounts/transfers', 'transferAsset'),
  placePerps: post('perps', '/trade/orders', 'newOrder'),
  cancelPerps: remove('perps', '/trade/orders', 'cancelOrder'),
  replacePerps: post('perps', '/trade/orders/replace', 'replaceOrder'),
  modifyPerps: post('perps', '/trade/orders/modify', 'modifyOrder'),
  leverage: post('perps', '/trade/leverage', 'updateLeverage'),
  margin: post('perps', '/trade/margin', 'updateMargin'),
  transferPerps: post('perps', '/accounts/transfers', 'transferAsset'),
} as const satisfies Record<string, Action>;

/** Where the exchange recorded a write. */
export interface Place {
  readonly transaction: string;
  readonly block: number;
  readonly index: number;
}

export type Outcome<T> =
  /** Executed and answered; each item of a batch has its own `code`. */
  | { readonly kind: 'done'; readonly data: T; readonly place: Place | undefined }
  /** The first reply was lost, and the same bytes were executed: results are to be read (orders, histories). */
  | { readonly kind: 'done-before'; readonly place: Place | undefined }
  /** Nothing was executed. `details.field` names the key at fault. */
  | { readonly kind: 'refused'; readonly code: number; readonly error: string; readonly details: Details }
  /** The caller gave up asking (abort) before an answer came. */
  | { readonly kind: 'unknown'; readonly error: string };

export interface WriteOptions {
  readonly chainId: number;
  /** Called when a reply was lost and the question is repeated; `attempt` counts from 1. */
  readonly onUncertain?: (attempt: number) => void;
  readonly signal?: AbortSignal;
}
