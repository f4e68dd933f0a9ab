// SPDX-License-Identifier: MIT
// The rows of positions, valued at the mark price of this moment, and the orders that end or turn one.
import { computed, signal } from '@preact/signals-core';
import { type Decimal, decimalOf } from '../../core/decimal';
import { profitAt } from '../../rules/account';
import type { Draft } from '../../rules/draft';
import { initialOf, valueFloor } from '../../rules/market';
import { abs, min } from '../../rules/units';
import { marketOf } from '../../state/markets';
import { type OpenOrder, type Position, orders, positions } from '../../state/portfolio';
import { perpsNow, rules, unitsAt } from '../../state/risk';

export interface Row {
  readonly position: Position;
  readonly mark: Decimal | undefined;
  readonly value: Decimal | undefined;
  readonly margin: Decimal | undefined;
  readonly pnl: Decimal;
  readonly takeProfit: OpenOrder | undefined;
  readonly stopLoss: OpenOrder | undefined;
}

/** The stop of a kind that closes the position; the one of all of it before those of parts. */
function stopOf(position: Position, kind: 'TAKE_PROFIT' | 'STOP_LOSS'): OpenOrder | undefined {
  const of = orders.value.filter(
    (order) =>
      order.symbol === position.symbol && order.stopType === kind && order.reduceOnly && order.status === 'NEW',
  );
  return of.find((order) => order.quantity === undefined) ?? of[0];
}

export const rows = computed<readonly Row[]>(() => {
  const { account, markets } = perpsNow();
  return positions.value.map((position): Row => {
    const stops = { takeProfit: stopOf(position, 'TAKE_PROFIT'), stopLoss: stopOf(position, 'STOP_LOSS') };
    const priced = markets.get(position.symbol);
    const own = account.positions.find((one) => one.symbol === position.symbol);
    if (priced === undefined || own === undefined)
      return { position, mark: undefined, value: undefined, margin: undefined, pnl: position.unrealized, ...stops };
    const { market, mark } = priced;
    const value = valueFloor(market, mark, abs(own.size));
    const margin = position.marginMode === 'ISOLATED' ? own.bucket : initialOf(value, position.leverage);
    return {
      position,
      mark: decimalOf(mark, market.priceScale),
      value: decimalOf(value, market.quoteScale),
      margin: decimalOf(margin, market.quoteScale),
      pnl: decimalOf(profitAt(priced, own, mark), market.quoteScale),
      ...stops,
    };
  });
});

/** Symbols with an order under way. */
export const pending = signal<ReadonlySet<string>>(new Set());

/** A market order of so many times the position, on the other side; at most what one market order may be. */
async function turn(position: Position, times: bigint, reduceOnly: boolean): Promise<void> {
  const market = marketOf(position.symbol);
  if (market === undefined || pending.value.has(position.symbol)) return;
  const own = rules(market);
  const size = unitsAt(position.size, own.quantityScale);
  const wanted = abs(size) * times;
  const most = own.marketMaxQuantity > 0n ? own.marketMaxQuantity : wanted;
  const draft: Draft = {
    side: size > 0n ? 'SELL' : 'BUY',
    kind: 'MARKET',
    timeInForce: 'IOC',
    price: null,
    quantity: min(wanted, most),
    funds: null,
    reduceOnly,
    takeProfit: null,
    stopLoss: null,
    trigger: 'MARK_PRICE',
  };
  pending.value = new Set([...pending.value, position.symbol]);
  try {
    const { placeOrder } = await import('../../state/place');
    await placeOrder(own, draft);
  } finally {
    pending.value = new Set([...pending.value].filter((symbol) => symbol !== position.symbol));
  }
}

export const close = (position: Position): Promise<void> => turn(position, 1n, true);

/** Twice the size: the first half closes, the second opens the other side. */
export const reverse = (position: Position): Promise<void> => turn(position, 2n, false);
