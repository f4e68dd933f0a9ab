// SPDX-License-Identifier: MIT
// What became of orders that were sent, for the status region and for the field at fault. Nothing is guessed: where a
// reply was lost, the exchange is asked again with the same bytes, and what it recorded is read.
import { getOf } from '../core/api';
import type { Action, Outcome } from '../core/write';
import type { Details, Engine, OrderRecord, OrderResult, OrderStatus } from '../core/types';
import { answerText } from '../rules/refusal-texts';
import { messages } from '../ui/i18n';
import { account } from './account';
import { write } from './write';

const say = messages({
  noRecord: {
    en: 'The exchange executed the request, and it keeps no order with this id: the order was refused.',
    ja: '取引所は要求を処理しましたが、この ID の注文はありません（拒否されました）。',
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

/** The order that the exchange recorded under a client order id, open or ended. */
async function recorded(engine: Engine, symbol: string, clientID: string): Promise<OrderRecord | undefined | 'silent'> {
  const own = account.value;
  if (own === undefined) return 'silent';
  const query = { accountID: own.accountID, symbol };
  const open = await getOf<{ orders: OrderRecord[] }>(engine, `/accounts/${own.address}/orders`, query);
  if (!open.ok) return 'silent';
  const found = open.data.orders.find((order) => order.clOrdID === clientID);
  if (found !== undefined) return found;
  const past = await getOf<OrderRecord[]>(engine, `/accounts/${own.address}/orders/history`, query);
  return past.ok ? past.data.find((order) => order.clOrdID === clientID) : 'silent';
}

async function lookUp(engine: Engine, symbol: string, clientID: string): Promise<ItemOutcome> {
  const record = await recorded(engine, symbol, clientID);
  if (record === 'silent') return { kind: 'unknown', clientID, text: say.unknown() };
  if (record === undefined) return { kind: 'refused', clientID, text: say.noRecord(), details: {} };
  return { kind: 'accepted', clientID, status: record.status };
}

/** The outcome of a batch, item by item; `clientIDs` are those of its items, in their order. */
export async function outcomesOf(
  outcome: Outcome<readonly OrderResult[]>,
  engine: Engine,
  symbol: string,
  clientIDs: readonly string[],
): Promise<ItemOutcome[]> {
  switch (outcome.kind) {
    case 'done':
      return outcome.data.map(ofResult);
    case 'done-before':
      return Promise.all(clientIDs.map((clientID) => lookUp(engine, symbol, clientID)));
    case 'unknown':
      return clientIDs.map((clientID) => ({ kind: 'unknown', clientID, text: say.unknown() }));
    case 'refused': {
      const text = answerText(outcome.code, outcome.error, outcome.details);
      return clientIDs.map((clientID) => ({ kind: 'refused', clientID, text, details: outcome.details }));
    }
  }
}

/** Open orders as the exchange has them now; undefined when it does not answer. */
export async function openRecords(engine: Engine): Promise<readonly OrderRecord[] | undefined> {
  const own = account.value;
  if (own === undefined) return undefined;
  const query = { accountID: own.accountID };
  const open = await getOf<{ orders: OrderRecord[] }>(engine, `/accounts/${own.address}/orders`, query);
  return open.ok ? open.data.orders : undefined;
}

export const unknownText = (): string => say.unknown();

/** One write that is no batch: undefined when it was done, else why not. */
export async function refusalOf(
  action: Action,
  body: Readonly<Record<string, unknown>>,
): Promise<{ text: string; details: Details } | undefined> {
  const outcome = await write<unknown>(action, body);
  if (outcome.kind === 'done' || outcome.kind === 'done-before') return undefined;
  if (outcome.kind === 'unknown') return { text: say.unknown(), details: {} };
  return { text: answerText(outcome.code, outcome.error, outcome.details), details: outcome.details };
}
