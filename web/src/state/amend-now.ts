// SPDX-License-Identifier: MIT
// How open orders are changed and canceled; amend.ts loads it.
import { ACTIONS } from '../core/write';
import { type Decimal, format, show } from '../core/decimal';
import type { OrderResult } from '../core/types';
import { present } from '../rules/requests';
import { messages } from '../ui/i18n';
import { account } from './account';
import type { Change, Changed } from './amend';
import { marketOf, shownName } from './markets';
import { tell } from './notices';
import { type Owner, openRecords, outcomesOf, refusalOf, unknownText } from './outcomes';
import type { OpenOrder } from './portfolio';
import { newClientID, write } from './write';

const say = messages({
  changed: { en: 'Order changed: {symbol} {what}', ja: '注文を変更しました: {symbol} {what}' },
  canceled: { en: 'Canceled: {symbol}', ja: '取り消しました: {symbol}' },
  canceledAll: { en: 'Canceled: {n} orders', ja: '{n} 件の注文を取り消しました' },
  refused: { en: 'Refused: {why}', ja: '拒否: {why}' },
  notChanged: { en: 'The exchange did not change the order.', ja: '注文は変更されていません。' },
  notCanceled: { en: 'The exchange did not cancel the order.', ja: '注文は取り消されていません。' },
  signIn: { en: 'Choose an account first.', ja: '先に口座を選んでください。' },
});

/** So many items at most are in one request (service 4.3). */
const MOST_ITEMS = 100;

const text = (value: Decimal | undefined): string | undefined => (value === undefined ? undefined : format(value));

/** The answer was lost, though the request was executed: what the order is now tells whether it was changed. */
async function changedSince(own: Owner, order: OpenOrder, change: Change): Promise<string | undefined> {
  const open = await openRecords(own, order.engine);
  if (open === undefined) return unknownText();
  const now = open.find((record) => record.orderID === order.id);
  if (now === undefined) return undefined; // it has ended since, filled perhaps: the list of orders shows it
  const price = change.price === undefined || now.price === text(change.price);
  const quantity = change.quantity === undefined || now.origQty === text(change.quantity);
  return price && quantity ? undefined : say.notChanged();
}

/** Undefined when the exchange has executed it, else why it did not. */
async function send(
  order: OpenOrder,
  change: Change,
  own: Owner,
  symbolID: number,
): Promise<string | undefined> {
  const { accountID } = own;
  const values = { price: text(change.price), quantity: text(change.quantity) };
  if (order.stopType !== undefined) {
    const body = present({ accountID, symbolID, orderID: order.id, ...values, stopPrice: text(change.stopPrice) });
    return (await refusalOf(ACTIONS.modifyPerps, body))?.text;
  }
  const clOrdID = newClientID();
  const item = present({ symbolID, clOrdID, origOrderID: order.id, ...values });
  const action = order.engine === 'spot' ? ACTIONS.replaceSpot : ACTIONS.replacePerps;
  const outcome = await write<OrderResult[]>(action, { accountID, orders: [item] });
  if (outcome.kind === 'done-before') return outcome.succeeded === true ? undefined : changedSince(own, order, change);
  const [result] = await outcomesOf(own, outcome, order.engine, order.symbol, [clOrdID]);
  return result === undefined || result.kind === 'accepted' ? undefined : result.text;
}

/** The status region tells the outcome as well. */
export async function amendOrder(order: OpenOrder, change: Change): Promise<Changed> {
  const own = account.value;
  const symbolID = marketOf(order.symbol)?.id;
  const known = own !== undefined && symbolID !== undefined;
  const why = known ? await send(order, change, own, symbolID) : say.signIn();
  if (why !== undefined) {
    tell(say.refused({ why }), 'bad');
    return { done: false, reason: why };
  }
  const values = [change.price, change.stopPrice, change.quantity];
  const what = values.flatMap((value) => (value ? show(value) : [])).join(' · ');
  tell(say.changed({ symbol: shownName(order.symbol), what }), 'good');
  return { done: true };
}

/** One request for orders of one engine; how many were canceled, and the first reason why one was not. */
async function cancelSome(list: readonly OpenOrder[], own: Owner): Promise<{ done: number; why?: string }> {
  const [first] = list;
  if (first === undefined) return { done: 0 };
  if (own !== account.value) return { done: 0, why: say.signIn() };
  const { accountID } = own;
  const spot = first.engine === 'spot';
  const ids = list.map(() => newClientID());
  const cancels = list.map((order, at) => {
    const symbolID = marketOf(order.symbol)?.id ?? 0;
    return spot ? { symbolID, clOrdID: ids[at], orderID: order.id } : { symbolID, orderID: order.id };
  });
  const outcome = await write<OrderResult[]>(spot ? ACTIONS.cancelSpot : ACTIONS.cancelPerps, { accountID, cancels });
  if (outcome.kind === 'done-before') {
    const open = await openRecords(own, first.engine);
    if (open === undefined) return { done: 0, why: unknownText() };
    const left = list.filter((order) => open.some((record) => record.orderID === order.id)).length;
    return left === 0 ? { done: list.length } : { done: list.length - left, why: say.notCanceled() };
  }
  const results = await outcomesOf(own, outcome, first.engine, first.symbol, ids);
  const failed = results.filter((result) => result.kind !== 'accepted');
  const done = results.length - failed.length;
  return failed[0] === undefined ? { done } : { done, why: failed[0].text };
}

/** Cancels orders of both engines; `done` when all of them were canceled. The status region tells the outcome. */
export async function cancelOrders(list: readonly OpenOrder[]): Promise<Changed> {
  const own = account.value;
  if (own === undefined || list.length === 0) return { done: false, reason: say.signIn() };
  let done = 0;
  let why: string | undefined;
  for (const engine of ['spot', 'perps'] as const) {
    const some = list.filter((order) => order.engine === engine);
    for (let from = 0; from < some.length; from += MOST_ITEMS) {
      const result = await cancelSome(some.slice(from, from + MOST_ITEMS), own);
      done += result.done;
      why ??= result.why;
    }
  }
  const [first] = list;
  if (done === 1 && list.length === 1 && first !== undefined)
    tell(say.canceled({ symbol: shownName(first.symbol) }), 'good');
  else if (done > 0) tell(say.canceledAll({ n: done }), 'good');
  if (why === undefined) return { done: true };
  tell(say.refused({ why }), 'bad');
  return { done: false, reason: why };
}
