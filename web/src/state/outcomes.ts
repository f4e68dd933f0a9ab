// SPDX-License-Identifier: MIT
// What became of orders that were sent, for the status region and for the field at fault. Nothing is guessed: where a
// reply was lost, the exchange is asked again with the same bytes, and what it recorded is read.
import { getOf } from '../core/api';
import type { Action, Outcome } from '../core/write';
import type { Details, Engine, OrderRecord, OrderResult, OrderStatus } from '../core/types';
import { answerText } from '../rules/refusal-texts';
import { messages } from '../ui/i18n';
import type { Account } from './account';
import { write } from './write';

const say = messages({
  noRecord: {
    en: 'The exchange executed the request, and it keeps no order with this id: the order was refused.',
    ja: '取引所は要求を処理しましたが、この ID の注文はありません（拒否されました）。',
  },
  refusedBefore: {
    en: 'The exchange refused it; its answer, which says why, was lost.',
    ja: '拒否されました。理由を含む応答は失われました。',
  },
  unknown: {
    en: 'Outcome unknown: no answer came. Look at the open orders before you send it again.',
    ja: '結果不明: 応答がありません。再送の前に未約定注文を確認してください。',
  },
});

/** Each item of a batch by itself. */
export type ItemOutcome =
  | { readonly kind: 'accepted'; readonly clientID: string; readonly status: OrderStatus | undefined }
  | { readonly kind: 'refused'; readonly clientID: string; readonly text: string; readonly details: Details }
  | { readonly kind: 'unknown'; readonly clientID: string; readonly text: string };

type Result = OrderResult & { readonly status?: OrderStatus };

function ofResult(result: Result): ItemOutcome {
  const clientID = result.clOrdID;
  if (result.code === 0) return { kind: 'accepted', clientID, status: result.status };
  const details = result.details ?? {};
  return { kind: 'refused', clientID, text: answerText(result.code, result.error ?? '', details), details };
}

/** Whose orders they are: the account that signed them, which need not be the present one when the answer comes. */
export type Owner = Pick<Account, 'accountID' | 'address'>;

/** The order that the exchange recorded under a client order id, open or ended. */
async function recorded(
  own: Owner,
  engine: Engine,
  symbol: string,
  clientID: string,
): Promise<OrderRecord | undefined | 'silent'> {
  const query = { accountID: own.accountID, symbol };
  const open = await getOf<{ orders: OrderRecord[] }>(engine, `/accounts/${own.address}/orders`, query);
  if (!open.ok) return 'silent';
  if (!Array.isArray(open.data?.orders)) return 'silent';
  const found = open.data.orders.find((order) => order.clOrdID === clientID);
  if (found !== undefined) return found;
  const past = await getOf<OrderRecord[]>(engine, `/accounts/${own.address}/orders/history`, query);
  return past.ok && Array.isArray(past.data) ? past.data.find((order) => order.clOrdID === clientID) : 'silent';
}

async function lookUp(own: Owner, engine: Engine, symbol: string, clientID: string): Promise<ItemOutcome> {
  const record = await recorded(own, engine, symbol, clientID);
  if (record === 'silent') return { kind: 'unknown', clientID, text: say.unknown() };
  if (record === undefined) return { kind: 'refused', clientID, text: say.noRecord(), details: {} };
  return { kind: 'accepted', clientID, status: record.status };
}

/** Whether the answer has a result for each item. */
const isWhole = (data: unknown, count: number): data is readonly OrderResult[] =>
  Array.isArray(data) && data.length === count && data.every((one) => typeof one?.code === 'number');

/**
 * The outcome of a batch, item by item; `clientIDs` are those of its items, in their order. What the answer does not
 * say is read.
 */
export async function outcomesOf(
  own: Owner,
  outcome: Outcome<readonly OrderResult[]>,
  engine: Engine,
  symbol: string,
  clientIDs: readonly string[],
): Promise<ItemOutcome[]> {
  switch (outcome.kind) {
    case 'done':
      if (isWhole(outcome.data, clientIDs.length)) return outcome.data.map(ofResult);
      return Promise.all(clientIDs.map((clientID) => lookUp(own, engine, symbol, clientID)));
    case 'done-before':
      return Promise.all(clientIDs.map((clientID) => lookUp(own, engine, symbol, clientID)));
    case 'unknown':
      return clientIDs.map((clientID) => ({ kind: 'unknown', clientID, text: say.unknown() }));
    case 'refused': {
      const text = answerText(outcome.code, outcome.error, outcome.details);
      return clientIDs.map((clientID) => ({ kind: 'refused', clientID, text, details: outcome.details }));
    }
  }
}

/** Open orders as the exchange has them now; undefined when it does not answer. */
export async function openRecords(own: Owner, engine: Engine): Promise<readonly OrderRecord[] | undefined> {
  const query = { accountID: own.accountID };
  const open = await getOf<{ orders: OrderRecord[] }>(engine, `/accounts/${own.address}/orders`, query);
  return open.ok && Array.isArray(open.data?.orders) ? open.data.orders : undefined;
}

export const unknownText = (): string => say.unknown();

/** One write that is no batch: undefined when it was done, else why not. */
export async function refusalOf(
  action: Action,
  body: Readonly<Record<string, unknown>>,
): Promise<{ text: string; details: Details } | undefined> {
  const outcome = await write<unknown>(action, body);
  if (outcome.kind === 'done') return undefined;
  if (outcome.kind === 'done-before' && outcome.succeeded !== undefined)
    return outcome.succeeded ? undefined : { text: say.refusedBefore(), details: {} };
  if (outcome.kind !== 'refused') return { text: say.unknown(), details: {} };
  return { text: answerText(outcome.code, outcome.error, outcome.details), details: outcome.details };
}
