// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { ZERO, decimal } from '../src/core/decimal';
import { amendable, linesOf, standsAt } from '../src/panels/chart/lines';
import type { Market } from '../src/state/markets';
import type { OpenOrder, Position } from '../src/state/portfolio';

const market = { engine: 'perps', name: 'BTC-USD', pricePlaces: 1 } as Market;

const order = (id: number, more: Partial<OpenOrder>): OpenOrder => ({
  engine: 'perps',
  symbol: 'BTC-USD',
  id,
  clientID: `c${id}`,
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  status: 'NEW',
  price: decimal('100.5'),
  quantity: decimal('2'),
  funds: undefined,
  executed: decimal('0.5'),
  executedValue: ZERO,
  reduceOnly: false,
  stopPrice: undefined,
  stopType: undefined,
  triggerType: undefined,
  parentID: undefined,
  childIDs: [],
  positionID: undefined,
  createdAt: 0,
  updatedAt: 0,
  ...more,
});

const stop = (id: number, price: string): OpenOrder =>
  order(id, { type: 'MARKET', timeInForce: 'IOC', price: undefined, stopPrice: decimal(price), stopType: 'STOP_LOSS' });

const short = { id: 7, symbol: 'BTC-USD', size: decimal('-3'), entry: decimal('101') } as Position;
const position = (more: Partial<Position>): Position => ({ ...short, ...more });

describe('lines', () => {
  it('are orders, stops, entry and liquidation of the symbol, from the highest price down', () => {
    const orders = [order(1, {}), stop(2, '102.5'), order(3, { symbol: 'ETH-USD' }), order(4, { engine: 'spot' })];
    const lines = linesOf(market, orders, [position({ liquidation: decimal('120') })]);
    expect(lines.map((line) => [line.kind, line.price])).toEqual([
      ['liquidation', 1200n],
      ['stop-loss', 1025n],
      ['entry', 1010n],
      ['order', 1005n],
    ]);
  });

  it('leave out a liquidation price that is more than half of the entry price away', () => {
    const kinds = (price: string) =>
      linesOf(market, [], [position({ liquidation: decimal(price) })]).map((line) => line.kind);
    expect(kinds('151.5')).toEqual(['liquidation', 'entry']);
    expect(kinds('151.6')).toEqual(['entry']);
    expect(kinds('50.5')).toEqual(['entry', 'liquidation']);
    expect(kinds('50.4')).toEqual(['entry']);
  });

  it('tell what is left of an order, and the side of a position', () => {
    expect(linesOf(market, [order(1, {})], [])[0]?.size).toEqual(decimal('1.5'));
    expect(linesOf(market, [], [position({})])[0]?.side).toBe('SELL');
  });

  it('of positions cannot be dragged, and those of orders can when the exchange would amend them', () => {
    expect(linesOf(market, [], [position({})])[0]?.order).toBeUndefined();
    expect(amendable(order(1, {}))).toBe(true);
    expect(amendable(order(1, { timeInForce: 'GTX', status: 'PARTIALLY_FILLED' }))).toBe(true);
    expect(amendable(order(1, { timeInForce: 'IOC' }))).toBe(false);
    expect(amendable(order(1, { status: 'FILLED' }))).toBe(false);
    expect(amendable(stop(1, '99'))).toBe(true);
  });

  it('leave out an order that has no price', () => {
    expect(linesOf(market, [order(1, { type: 'MARKET', price: undefined })], [])).toEqual([]);
  });

  it('stand where the order stands, whatever zeros its price is written with', () => {
    expect(standsAt(market, order(1, { price: decimal('100.50') }), 1005n)).toBe(true);
    expect(standsAt(market, order(1, {}), 1006n)).toBe(false);
    expect(standsAt(market, stop(1, '99'), 990n)).toBe(true);
  });
});
