// SPDX-License-Identifier: MIT
// Orders that are placed: one client order id and one nonce for each submission, and the outcome told.
import { decimalOf, show } from '../core/decimal';
import { ACTIONS } from '../core/write';
import type { Details, OrderResult, OrderStatus } from '../core/types';
import type { Draft } from '../rules/draft';
import type { Market } from '../rules/market';
import { itemsOf, perpsOrder, spotOrder } from '../rules/requests';
import { textOf } from '../rules/units';
import { messages } from '../ui/i18n';
import { type Account, account } from './account';
import { shownName } from './markets';
import { tell } from './notices';
import { type ItemOutcome, outcomesOf } from './outcomes';
import { newClientID, write } from './write';

const say = messages({
  buy: { en: 'Buy', ja: '買い' },
  sell: { en: 'Sell', ja: '売り' },
  limit: { en: '{side} {size} {symbol} at {price}', ja: '{symbol} {side} {size} 指値 {price}' },
  market: { en: '{side} {size} {symbol} at the market', ja: '{symbol} {side} {size} 成行' },
  placed: { en: 'Order placed: {what}', ja: '注文を受け付けました: {what}' },
  filled: { en: 'Filled: {what}', ja: '約定しました: {what}' },
  partly: { en: 'Partly filled: {what}', ja: '一部約定: {what}' },
  ended: { en: 'Order ended, not or only partly filled: {what}', ja: '注文終了（未約定または一部約定）: {what}' },
  refused: { en: 'Refused: {why}', ja: '拒否: {why}' },
  signIn: { en: 'Choose an account first.', ja: '先に口座を選んでください。' },
  stops: { en: '{what}, with its stops', ja: '{what}（利確・損切り付き）' },
});

/** The order in words. */
export function wordsOf(market: Market, draft: Draft): string {
  const shown = (units: bigint | null, scale: number) =>
    show(decimalOf(units ?? 0n, scale), { places: placesOf(units ?? 0n, scale) });
  const size =
    draft.quantity !== null
      ? shown(draft.quantity, market.quantityScale)
      : `${shown(draft.funds, market.quoteScale)} ${market.quoteCoin}`;
  const values = { side: draft.side === 'BUY' ? say.buy() : say.sell(), size, symbol: shownName(market.name) };
  const what =
    draft.kind === 'LIMIT'
      ? say.limit({ ...values, price: shown(draft.price, market.priceScale) })
      : say.market(values);
  return draft.takeProfit === null ? what : say.stops({ what });
}

/** As many decimals as the number has. */
const placesOf = (units: bigint, scale: number): number => textOf(units, scale).split('.')[1]?.length ?? 0;

function tellStatus(status: OrderStatus | undefined, what: string): void {
  if (status === 'FILLED') tell(say.filled({ what }), 'good');
  else if (status === 'PARTIALLY_FILLED') tell(say.partly({ what }), 'good');
  else if (status === 'EXPIRED' || status === 'CANCELED') tell(say.ended({ what }), 'bad');
  else tell(say.placed({ what }), 'good');
}

export interface PlaceRefusal {
  /** Which item of the request: 0 the order, then its stops. */
  readonly item: number;
  readonly text: string;
  readonly details: Details;
}

/** The first refusal; undefined when the order was taken. What became of it is told in either case. */
export async function placeOrder(
  own: Account | undefined,
  market: Market,
  draft: Draft,
): Promise<PlaceRefusal | undefined> {
  if (own === undefined || own !== account.value) {
    tell(say.signIn(), 'bad');
    return { item: 0, text: say.signIn(), details: {} };
  }
  const clientIDs = Array.from({ length: market.perps ? itemsOf(draft) : 1 }, newClientID);
  const body = market.perps
    ? perpsOrder(market, own.accountID, draft, clientIDs)
    : spotOrder(market, own.accountID, draft, clientIDs[0] as string);
  const outcome = await write<OrderResult[]>(market.perps ? ACTIONS.placePerps : ACTIONS.placeSpot, body);
  const items = await outcomesOf(own, outcome, market.perps ? 'perps' : 'spot', market.name, clientIDs);
  return tellItems(items, wordsOf(market, draft));
}

function tellItems(items: readonly ItemOutcome[], what: string): PlaceRefusal | undefined {
  const item = items.findIndex((one) => one.kind !== 'accepted');
  const failed = items[item];
  if (failed === undefined || failed.kind === 'accepted') {
    const [own] = items;
    tellStatus(own?.kind === 'accepted' ? own.status : undefined, what);
    return undefined;
  }
  if (failed.kind === 'unknown') tell(failed.text, 'waiting');
  else tell(say.refused({ why: failed.text }), 'bad');
  return { item, text: failed.text, details: failed.kind === 'refused' ? failed.details : {} };
}
