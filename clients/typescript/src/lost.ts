// SPDX-License-Identifier: MIT
// What became of orders whose reply was lost. The write was executed, so what cannot be read is OutcomeUnknown, never
// the error of the read: that would say that nothing was executed.
import type { Changes, ItemError, OrderName, Placed } from './account.js';
import { amountText } from './amount.js';
import { decimal, equal } from './decimal.js';
import type { Executed } from './endpoints.js';
import { OutcomeUnknown, RefusedInLostReply } from './errors.js';
import type { OrderResult } from './spec/types.js';
import type { OrderStatus } from './types.js';
import type { Place } from './write.js';

export type Lost = Extract<Executed<unknown>, { readonly lost: true }>;

/** What open orders and ended ones of both engines have in common. */
export interface OrderState {
  readonly orderID: number;
  readonly clOrdID: string;
  readonly status: OrderStatus;
  readonly price?: string;
  readonly origQty?: string;
}

/** The reads that tell of orders. */
export interface OrderReads {
  open(): Promise<readonly OrderState[]>;
  ended(): Promise<readonly OrderState[]>;
}

const unread = (what: string, place: Place): OutcomeUnknown =>
  new OutcomeUnknown(`${what} was executed, and it cannot be read what became of it`, undefined, place);

/** The name that a caller gave to an order. */
const nameOf = ({ orderID, clOrdID }: OrderName): number | string => orderID ?? clOrdID;

const isOf = (name: number | string) => (order: OrderState): boolean =>
  typeof name === 'number' ? order.orderID === name : order.clOrdID === name;

const listed = (read: OrderReads['open']): Promise<readonly OrderState[] | undefined> =>
  read().catch(() => undefined);

/**
 * Each order by its name: undefined when there is none, 'unread' when that cannot be read. Open orders are read first:
 * one that ends between the two reads is in the second.
 */
async function statesOf(
  reads: OrderReads,
  names: readonly (number | string)[],
): Promise<(OrderState | undefined | 'unread')[]> {
  const open = await listed(reads.open);
  const missing = names.some((name) => !open?.some(isOf(name)));
  const ended = missing ? await listed(reads.ended) : [];
  const none = open && ended ? undefined : 'unread';
  return names.map((name) => open?.find(isOf(name)) ?? ended?.find(isOf(name)) ?? none);
}

/** Orders that were placed, by their client order ids. */
export async function placedAgain(
  lost: Lost,
  reads: OrderReads,
  ids: readonly string[],
): Promise<(Placed | ItemError)[]> {
  const { place, succeeded } = lost;
  const refused = (clOrdID: string) => new RefusedInLostReply(`order ${clOrdID}`, place);
  if (succeeded === false) return ids.map(refused);
  const states = await statesOf(reads, ids);
  const some = states.some((state) => typeof state === 'object');
  return states.map((state, at) => {
    const clOrdID = ids[at] ?? '';
    if (typeof state === 'object') return { orderID: state.orderID, clOrdID, status: state.status, place, lost: true };
    // An order that is nowhere beside one that was accepted was refused. That the only one was, only the receipt tells.
    return state === undefined && some ? refused(clOrdID) : unread(`order ${clOrdID}`, place);
  });
}

const hasNow = ({ price, origQty }: OrderState, changes: Changes): boolean =>
  ([[changes.price, price], [changes.quantity, origQty]] as const).every(
    ([asked, now]) =>
      asked === undefined || (now !== undefined && equal(decimal(amountText(asked, 'price')), decimal(now))),
  );

/** An order that was replaced: it keeps its orderID and its first clOrdID; `clOrdID` of the request is an alias. */
export async function replacedAgain(
  lost: Lost,
  reads: OrderReads,
  order: OrderName,
  changes: Changes,
  clOrdID: string,
): Promise<Placed> {
  const { place, succeeded } = lost;
  const what = `the replacement of ${nameOf(order)}`;
  if (succeeded === false) throw new RefusedInLostReply(what, place);
  const [state] = await statesOf(reads, [nameOf(order)]);
  const now = typeof state === 'object' ? state : undefined;
  const orderID = order.orderID ?? now?.orderID;
  const done = succeeded === true || (now !== undefined && hasNow(now, changes));
  if (!done || orderID === undefined) throw unread(what, place);
  return { orderID, clOrdID, status: now?.status, place, lost: true };
}

/** Orders that were to be canceled. One that was filled before is refused as one that is open still. */
export async function canceledAgain(
  lost: Lost,
  reads: OrderReads,
  orders: readonly OrderName[],
): Promise<(OrderResult | ItemError)[]> {
  const { place, succeeded } = lost;
  const what = (order: OrderName) => `the cancel of ${nameOf(order)}`;
  const refused = (order: OrderName) => new RefusedInLostReply(what(order), place);
  const done = ({ orderID, clOrdID }: OrderName): OrderResult =>
    ({ code: 0, clOrdID: clOrdID ?? '', ...(orderID === undefined ? {} : { orderID }) });
  if (succeeded === false) return orders.map(refused);
  if (succeeded === true && orders.length === 1) return orders.map(done);
  const states = await statesOf(reads, orders.map(nameOf));
  return orders.map((order, at) => {
    const state = states[at];
    if (typeof state !== 'object') return unread(what(order), place);
    return state.status === 'CANCELED' ? done(order) : refused(order);
  });
}
