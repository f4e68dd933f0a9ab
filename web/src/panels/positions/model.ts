// SPDX-License-Identifier: MIT
// The rows of positions, valued at the mark price of this moment, and the orders that end or turn one.
import { account } from '../../state/account';
import { computed, signal } from '@preact/signals-core';
import type { Decimal } from '../../core/decimal';
import type { Draft } from '../../rules/draft';
import { type Market, marketOf } from '../../state/markets';
import { type OpenOrder, type Position, orders, positions } from '../../state/portfolio';

export interface Row {
  readonly position: Position;
  readonly mark: Decimal | undefined;
  readonly value: Decimal | undefined;
  readonly margin: Decimal | undefined;
  readonly pnl: Decimal;
  readonly takeProfit: OpenOrder | undefined;
  readonly stopLoss: OpenOrder | undefined;
}

/** The stop of a kind that is bound to the position; the one of all of it before those of parts. */
function stopOf(position: Position, kind: 'TAKE_PROFIT' | 'STOP_LOSS'): OpenOrder | undefined {
  const of = orders.value.filter(
    (order) => order.positionID === position.id && order.stopType === kind && order.status === 'NEW',
  );
  return of.find((order) => order.quantity === undefined) ?? of[0];
}

type Valuation = typeof import('./valuation');
const valuation = signal<Valuation | undefined>(undefined);
let asked = false;

/** Loads the figures of positions with the first one; until then the exchange's own are shown. */
function wake(): void {
  if (asked) return;
  asked = true;
  void import('./valuation').then((module) => (valuation.value = module));
}

export const rows = computed<readonly Row[]>(() => {
  if (positions.value.length > 0) wake();
  const figuresOf = valuation.value?.figures() ?? (() => undefined);
  return positions.value.map((position): Row => {
    const known = figuresOf(position) ?? {
      mark: undefined,
      value: undefined,
      margin: undefined,
      pnl: position.unrealized,
    };
    return {
      position,
      ...known,
      takeProfit: stopOf(position, 'TAKE_PROFIT'),
      stopLoss: stopOf(position, 'STOP_LOSS'),
    };
  });
});

/** The cross account at the marks of this moment; undefined until that can be computed. */
export const health = computed(() => (positions.value.length > 0 ? valuation.value?.health() : undefined));

/** Symbols with an order under way. */
export const pending = signal<ReadonlySet<string>>(new Set());

/** A market order of so many times the position, on the other side; at most what one market order may be. */
async function turn(position: Position, times: bigint, reduceOnly: boolean): Promise<void> {
  const market = marketOf(position.symbol);
  if (market === undefined || pending.value.has(position.symbol)) return;
  pending.value = new Set([...pending.value, position.symbol]);
  try {
    await send(market, position, times, reduceOnly);
  } finally {
    pending.value = new Set([...pending.value].filter((symbol) => symbol !== position.symbol));
  }
}

async function send(market: Market, position: Position, times: bigint, reduceOnly: boolean): Promise<void> {
  const owner = account.value;
  const [{ rules, unitsAt }, { placeOrder }] = await Promise.all([
    import('../../state/risk'),
    import('../../state/place'),
  ]);
  const own = rules(market);
  const size = unitsAt(position.size, own.quantityScale);
  const wanted = (size < 0n ? -size : size) * times;
  const most = own.marketMaxQuantity > 0n ? own.marketMaxQuantity : wanted;
  const draft: Draft = {
    side: size > 0n ? 'SELL' : 'BUY',
    kind: 'MARKET',
    timeInForce: 'IOC',
    price: null,
    quantity: wanted < most ? wanted : most,
    funds: null,
    reduceOnly,
    takeProfit: null,
    stopLoss: null,
    trigger: 'MARK_PRICE',
  };
  await placeOrder(owner, own, draft);
}

export const close = (position: Position): Promise<void> => turn(position, 1n, true);

/** Twice the size: the first half closes, the second opens the other side. */
export const reverse = (position: Position): Promise<void> => turn(position, 2n, false);
