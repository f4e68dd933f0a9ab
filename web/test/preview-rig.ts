// SPDX-License-Identifier: MIT
// What the tests of the preview share: drafts by decimal texts, and the same order as the wire has it.
import type { Draft } from '../src/rules/draft';
import type { Market } from '../src/rules/market';
import type { PerpsStateRecord } from '../src/rules/records';
import { textOf, unitsOf } from '../src/rules/units';
import type { Exchange } from './exchange';

export interface OrderRow {
  symbol: string;
  orderID: number;
  side: 'BUY' | 'SELL';
  price?: string;
  origQty?: string;
  executedQty: string;
  marginFrozen: string;
  reduceOnly?: boolean;
  stopPrice?: string;
}
export interface BookRow {
  bids: [string, string][];
  asks: [string, string][];
}
export interface TradeRow {
  orderID: number;
  fee: string;
  feeCoin: string;
  quantity: string;
}
export interface PositionRow {
  symbol: string;
  size: string;
  initialMargin: string;
  liquidationPrice: string;
  margin: string;
}
export type State = PerpsStateRecord & Record<'av' | 'mm' | 'am' | 'cm' | 'ocm' | 'im' | 'oim', string>;

/** Places of development accounts. */
export const TAKER = 0;
export const MAKER = 1;
export const draft = (
  side: Draft['side'],
  price: string | null,
  quantity: string | null,
  more: Partial<Draft> = {},
) => ({
  side,
  price,
  quantity,
  more,
});
export type Asked = ReturnType<typeof draft>;

export function unitsDraft(market: Market, asked: Asked): Draft {
  return {
    side: asked.side,
    kind: 'LIMIT',
    timeInForce: 'GTC',
    price: asked.price === null ? null : unitsOf(asked.price, market.priceScale),
    quantity: asked.quantity === null ? null : unitsOf(asked.quantity, market.quantityScale),
    funds: null,
    reduceOnly: false,
    takeProfit: null,
    stopLoss: null,
    trigger: 'MARK_PRICE',
    ...asked.more,
  };
}

export const TIF = { GTC: 1, IOC: 3, GTX: 4 } as const;

export function wireItem(exchange: Exchange, market: Market, order: Draft): object {
  const text = (units: bigint | null, scale: number) => (units === null ? undefined : textOf(units, scale));
  return {
    clOrdID: exchange.clientID(),
    ...(market.perps ? { modifier: 1 } : {}),
    side: order.side === 'BUY' ? 1 : 2,
    type: order.kind === 'LIMIT' ? 1 : 2,
    timeInForce: TIF[order.timeInForce],
    price: text(order.price, market.priceScale),
    quantity: text(order.quantity, market.quantityScale),
    funds: text(order.funds, market.quoteScale),
    ...(market.perps ? { reduceOnly: order.reduceOnly, positionSide: 1 } : {}),
  };
}

export const levels = (market: Market, rows: [string, string][]) =>
  rows.map(([price, size]) => ({
    price: unitsOf(price, market.priceScale),
    quantity: unitsOf(size, market.quantityScale),
  }));
