// SPDX-License-Identifier: MIT
// What the previews of orders read: the symbol's rules, prices, the book and the account, in whole units.
import type { BookLevel } from '../core/book';
import { type Decimal, format, toScale } from '../core/decimal';
import type { Account, Markets, Priced } from '../rules/account';
import { type Market as Rules, marketOf as rulesOf } from '../rules/market';
import { type PerpsStateRecord, accountOf, pricedMap, pricedOf } from '../rules/records';
import { unitsOf } from '../rules/units';
import type { Level } from '../rules/walk';
import { type Market, markOf, markets } from './markets';
import { indexStates } from './oracle';
import { type OpenOrder, feeRates, orders, perpsState } from './portfolio';

const known = new WeakMap<object, Rules>();

/** The rules of a symbol, read from its record once. */
export function rules(market: Market): Rules {
  let found = known.get(market.record);
  if (found === undefined) {
    found = rulesOf(market.record, market.engine === 'perps');
    known.set(market.record, found);
  }
  return found;
}

export const unitsAt = (value: Decimal, scale: number): bigint => toScale(value, scale, 'down').units;

/** A side of the book in units, best first. */
export const levelsOf = (side: readonly BookLevel[], own: Rules): Level[] =>
  side.map((level) => ({
    price: unitsAt(level.price, own.priceScale),
    quantity: unitsAt(level.size, own.quantityScale),
  }));

/** An account that has nothing: what is known of an order while nobody is signed in. */
const NOTHING: PerpsStateRecord = { B: [], P: [], S: [] };

/** A stop that waits needs no margin; what has fired works as an order of its price. */
const waits = (order: OpenOrder): boolean => order.stopType !== undefined && order.status !== 'TRIGGERED';

const restingOf = (order: OpenOrder) => ({
  id: order.id,
  symbol: order.symbol,
  side: order.side,
  price: order.price === undefined || waits(order) ? undefined : format(order.price),
  open: order.quantity === undefined ? '0' : format(openQuantity(order, order.quantity)),
  reduceOnly: order.reduceOnly,
});

function openQuantity(order: OpenOrder, quantity: Decimal): Decimal {
  const scale = Math.max(quantity.scale, order.executed.scale);
  return { units: toScale(quantity, scale, 'down').units - toScale(order.executed, scale, 'down').units, scale };
}

/** One perps symbol with its prices now, the account's leverage and its rates. */
export function pricedNow(market: Market): Priced | undefined {
  if (market.engine !== 'perps') return undefined;
  const mark = markOf(market.name).value;
  const index = indexStates.value.get(market.name);
  const prices = {
    ...(mark
      ? { mark: mark.p, index: mark.i, openInterest: mark.oi }
      : { mark: market.record.markPrice, index: market.record.indexPrice }),
    ...index,
  };
  return pricedOf(rules(market), prices, perpsState.value ?? NOTHING, feeRates.value.get(market.name), market.record);
}

export interface PerpsNow {
  readonly account: Account;
  readonly markets: Markets;
}

/** The perps account as the streams last told it; signals are read, so a computed value follows. */
export function perpsNow(): PerpsNow {
  const all = (markets.value ?? []).filter((market) => market.engine === 'perps');
  const byName = new Map(all.map((market) => [market.name, rules(market)]));
  const open = orders.value.filter((order) => order.engine === 'perps');
  return {
    account: accountOf(perpsState.value ?? NOTHING, open.map(restingOf), byName),
    markets: pricedMap(all.map(pricedNow)),
  };
}

/** The account's own resting spot orders of a symbol and side, which a taker of the account cancels. */
export const ownSpot = (market: Market, side: 'BUY' | 'SELL'): Level[] =>
  orders.value.flatMap((order) => {
    if (order.engine !== 'spot' || order.symbol !== market.name || order.side !== side) return [];
    if (order.price === undefined || order.quantity === undefined) return [];
    const own = rules(market);
    const left = openQuantity(order, order.quantity);
    return [{ price: unitsAt(order.price, own.priceScale), quantity: unitsAt(left, own.quantityScale) }];
  });

/** What is free of a coin on spot, in units of the given scale. */
export const freeOf = (
  balances: readonly { a: string; t: string; l: string }[],
  coin: string,
  scale: number,
): bigint => {
  const row = balances.find((one) => one.a === coin);
  return row === undefined ? 0n : unitsOf(row.t, scale) - unitsOf(row.l, scale);
};
