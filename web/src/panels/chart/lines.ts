// SPDX-License-Identifier: MIT
// The lines of a chart: own orders, entry and liquidation price of the position, and its take-profits and stop-losses.
import { type Decimal, compare, subtract } from '../../core/decimal';
import type { Side } from '../../core/types';
import type { Market } from '../../state/markets';
import type { OpenOrder, Position } from '../../state/portfolio';
import { priceUnits } from '../market/units';

export type LineKind = 'order' | 'stop-loss' | 'take-profit' | 'entry' | 'liquidation';

export interface Line {
  /** The same as long as the line is the same thing. */
  readonly key: string;
  readonly kind: LineKind;
  readonly side: Side;
  /** In units of the symbol's last price decimal. */
  readonly price: bigint;
  /** What is left to execute, or the size of the position; undefined: the whole position. */
  readonly size: Decimal | undefined;
  /** The order that a drag amends; undefined: the line cannot be dragged. */
  readonly order: OpenOrder | undefined;
}

const STOPS = { STOP_LOSS: 'stop-loss', TAKE_PROFIT: 'take-profit' } as const;

/** Whether the exchange would amend it: replace takes resting limit orders, modify takes stops (service 4.3, 4.6). */
export function amendable(order: OpenOrder): boolean {
  if (order.status !== 'NEW' && order.status !== 'PARTIALLY_FILLED') return false;
  if (order.stopType !== undefined) return true;
  return order.type === 'LIMIT' && (order.timeInForce === 'GTC' || order.timeInForce === 'GTX');
}

function ofOrder(market: Market, order: OpenOrder): Line | undefined {
  const price = order.stopPrice ?? order.price;
  if (price === undefined) return undefined;
  return {
    key: `order-${order.id}`,
    kind: order.stopType === undefined ? 'order' : STOPS[order.stopType],
    side: order.side,
    price: priceUnits(market, price),
    size: order.quantity && subtract(order.quantity, order.executed),
    order: amendable(order) ? order : undefined,
  };
}

/** One more than half of the entry price away says nothing in a chart; the row of the position has it. */
const isNear = (entry: bigint, liquidation: bigint): boolean => {
  const distance = liquidation > entry ? liquidation - entry : entry - liquidation;
  return 2n * distance <= entry;
};

function ofPosition(market: Market, position: Position): Line[] {
  const side: Side = position.size.units > 0n ? 'BUY' : 'SELL';
  const line = (kind: LineKind, price: Decimal): Line => ({
    key: `${kind}-${position.id}`,
    kind,
    side,
    price: priceUnits(market, price),
    size: position.size,
    order: undefined,
  });
  const entry = line('entry', position.entry);
  if (!position.liquidation) return [entry];
  const liquidation = line('liquidation', position.liquidation);
  return isNear(entry.price, liquidation.price) ? [entry, liquidation] : [entry];
}

/** The lines of a market, in the order in which the keyboard visits them: from the highest price down. */
export function linesOf(market: Market, orders: readonly OpenOrder[], positions: readonly Position[]): Line[] {
  const own = orders.filter((order) => order.engine === market.engine && order.symbol === market.name);
  const held = market.engine === 'perps' ? positions.filter((position) => position.symbol === market.name) : [];
  const lines = [
    ...own.map((order) => ofOrder(market, order)).filter((line) => line !== undefined),
    ...held.flatMap((position) => ofPosition(market, position)),
  ];
  return lines.sort((a, b) => (a.price < b.price ? 1 : a.price > b.price ? -1 : 0));
}

/** Whether the order stands where it was sent to. */
export function standsAt(market: Market, order: OpenOrder, price: bigint): boolean {
  const stands = order.stopPrice ?? order.price;
  return stands !== undefined && compare(stands, { units: price, scale: market.pricePlaces }) === 0;
}
