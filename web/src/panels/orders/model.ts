// SPDX-License-Identifier: MIT
// The order that is edited in its row: one at a time.
import { batch, signal } from '@preact/signals-core';
import { type Decimal, equal, format, parseDecimal } from '../../core/decimal';
import { type Change, amendOrder, cancelOrders } from '../../state/amend';
import type { OpenOrder } from '../../state/portfolio';
import { say } from './texts';

export const keyOf = (order: OpenOrder): string => `${order.engine}-${order.id}`;

/** The key of the order that is edited. */
export const edited = signal<string | null>(null);
/** What is typed: of a stop its stop price, else the limit price. */
export const price = signal('');
export const size = signal('');
/** What a stop may trade at when it has fired; empty and unused without such a price. */
export const bound = signal('');
/** Why the change was not made. */
export const refusal = signal<string | null>(null);
/** Keys of orders with a request under way. */
export const pending = signal<ReadonlySet<string>>(new Set());

const isStop = (order: OpenOrder): boolean => order.stopType !== undefined;

/** The price that a row lets one change. */
export const priceOf = (order: OpenOrder): Decimal | undefined => (isStop(order) ? order.stopPrice : order.price);

/** What a stop may trade at when it has fired, where that is limited. */
export const boundOf = (order: OpenOrder): Decimal | undefined => (isStop(order) ? order.price : undefined);

/** Limit orders that rest, and stops that have not fired. */
export const isEditable = (order: OpenOrder): boolean =>
  isStop(order)
    ? order.status === 'NEW'
    : order.type === 'LIMIT' && (order.timeInForce === 'GTC' || order.timeInForce === 'GTX');

const textOf = (value: Decimal | undefined): string => (value === undefined ? '' : format(value));

export function begin(order: OpenOrder): void {
  batch(() => {
    edited.value = keyOf(order);
    price.value = textOf(priceOf(order));
    size.value = textOf(order.quantity);
    bound.value = textOf(boundOf(order));
    refusal.value = null;
  });
}

/** The row that was left last, for the focus to go back to its button. */
export const left = signal<string | null>(null);

export function end(): void {
  left.value = edited.value;
  edited.value = null;
  refusal.value = null;
}

const moved = (before: Decimal | undefined, typed: Decimal): boolean => before === undefined || !equal(before, typed);

/** What is typed and differs from the order; undefined when it cannot be read. */
function changeOf(order: OpenOrder): Change | undefined {
  const typed = parseDecimal(price.value);
  const quantity = size.value === '' ? null : parseDecimal(size.value);
  const limit = boundOf(order) === undefined ? null : parseDecimal(bound.value);
  if (typed === undefined || quantity === undefined || limit === undefined) return undefined;
  return {
    ...(moved(priceOf(order), typed) ? (isStop(order) ? { stopPrice: typed } : { price: typed }) : {}),
    ...(limit !== null && moved(boundOf(order), limit) ? { price: limit } : {}),
    ...(quantity !== null && moved(order.quantity, quantity) ? { quantity } : {}),
  };
}

const isNothing = (change: Change): boolean => Object.keys(change).length === 0;

async function during<T>(list: readonly OpenOrder[], work: () => Promise<T>): Promise<T> {
  const keys = list.map(keyOf);
  pending.value = new Set([...pending.value, ...keys]);
  try {
    return await work();
  } finally {
    pending.value = new Set([...pending.value].filter((key) => !keys.includes(key)));
  }
}

const isPending = (order: OpenOrder): boolean => pending.value.has(keyOf(order));

export async function save(order: OpenOrder): Promise<void> {
  if (isPending(order)) return;
  const change = changeOf(order);
  if (change === undefined) {
    refusal.value = say.notDecimal();
    return;
  }
  if (isNothing(change)) return end();
  const outcome = await during([order], () => amendOrder(order, change));
  if (outcome.done) end();
  else if (edited.value === keyOf(order)) refusal.value = outcome.reason;
}

export async function cancel(list: readonly OpenOrder[]): Promise<void> {
  const idle = list.filter((order) => !isPending(order));
  if (idle.length > 0) await during(idle, () => cancelOrders(idle));
}
