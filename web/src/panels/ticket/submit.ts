// SPDX-License-Identifier: MIT
// A submission: each sends one request with ids of its own, whatever keys or clicks repeat.
import type { Field, Side } from '../../rules/draft';
import { tell } from '../../state/notices';
import { account } from '../../state/account';
import { market } from '../../state/markets';
import {
  answered,
  bracket,
  busy,
  ioc,
  kind,
  percent,
  postOnly,
  price,
  reduceOnly,
  side,
  size,
  stopLoss,
  takeProfit,
  unit,
} from './model';
import { type SidePreview, here, wake } from './previews';
import { say } from './texts';

/** The same order again so soon is a double click or a key that was held down. */
const AGAIN_MS = 700;
let lastText = '';
let lastTime = 0;

/** Rules that no exchange has to be asked for: the order cannot be written down. */
const UNWRITABLE: ReadonlySet<string> = new Set([
  'PRICE_REQUIRED',
  'QUANTITY_REQUIRED',
  'SYNTAX',
  'PRICE_DECIMALS',
  'QUANTITY_DECIMALS',
  'FUNDS_DECIMALS',
  'BRACKET_SHAPE',
]);

const FIELDS: Readonly<Record<string, Field>> = {
  price: 'price',
  quantity: 'quantity',
  notional: 'quantity', // price times quantity
  funds: 'funds',
  reduceOnly: 'reduceOnly',
  leverage: 'leverage',
};

/** The field of the ticket for a key of the request; a stop's keys belong to the item's own field. */
function fieldOf(key: string | undefined, item: number, now: SidePreview): Field {
  const name = (key ?? '').replace(/^orders\[\d+\]\./, '');
  if (item > 0 || name === 'stopPrice') return item === 2 || now.draft.takeProfit === null ? 'stopLoss' : 'takeProfit';
  return FIELDS[name] ?? 'order';
}

function isRepeated(now: SidePreview, name: string): boolean {
  const text = JSON.stringify([name, now.draft], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  const time = performance.now();
  const again = text === lastText && time - lastTime < AGAIN_MS;
  if (!again) [lastText, lastTime] = [text, time];
  return again;
}

export async function submit(chosen: Side): Promise<void> {
  side.value = chosen;
  if (busy.value) return;
  busy.value = true;
  try {
    await send(chosen);
  } finally {
    busy.value = false;
  }
}

const formNow = (): unknown[] => [
  market.value?.name,
  account.value,
  ...[kind, price, size, unit, postOnly, ioc, reduceOnly, bracket, takeProfit, stopLoss].map((field) => field.value),
];

/** The order goes to the symbol and account of the click, with what was typed then, or nowhere. */
async function send(chosen: Side): Promise<void> {
  const own = account.value;
  const clicked = formNow();
  const { placeOrder, refusalText, rules, sideNow } = await wake();
  if (formNow().some((value, place) => value !== clicked[place])) {
    tell(say.changedMeanwhile(), 'bad');
    return;
  }
  const at = here.value;
  if (at === undefined) return;
  const now = sideNow(chosen, at);
  const unwritable = now.refusals.find((refusal) => UNWRITABLE.has(refusal.rule));
  if (unwritable !== undefined) {
    answered.value = { field: unwritable.field, text: refusalText(unwritable) };
    tell(say.refused({ why: refusalText(unwritable) }), 'bad');
    return;
  }
  if (isRepeated(now, at.now.name)) {
    tell(say.sameAgain(), 'plain');
    return;
  }
  const refusal = await placeOrder(own, rules(at.now), now.draft);
  if (refusal === undefined) afterwards();
  else answered.value = { field: fieldOf(refusal.details.field, refusal.item, now), text: refusal.text };
}

/** The price stays for the next order; stops, a part of the account, and what closed a position do not. */
function afterwards(): void {
  answered.value = null;
  takeProfit.value = '';
  stopLoss.value = '';
  if (percent.value > 0 || reduceOnly.value) {
    size.value = '';
    percent.value = 0;
  }
}
