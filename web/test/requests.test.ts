// SPDX-License-Identifier: MIT
// Bodies of writes: keys in the order of the interface, because the text is what is signed.
import { expect, it } from 'vitest';
import type { Draft } from '../src/rules/draft';
import { type Market, marketOf } from '../src/rules/market';
import { itemsOf, perpsOrder, spotOrder } from '../src/rules/requests';

const market: Market = marketOf(
  {
    id: 1,
    name: 'BTC-USD',
    pricePrecision: 1,
    quantityPrecision: 5,
    tickSize: '0.1',
    stepSize: '0.00001',
    minPrice: '0',
    maxPrice: '0',
    minQuantity: '0.00001',
    maxQuantity: '1000',
    marketMinQuantity: '0.00001',
    marketMaxQuantity: '100',
    minNotional: '1',
    maxNotional: '50000000',
    buyLimitUpRatio: '0.05',
    sellLimitDownRatio: '0.05',
    marketDeviationRatio: '0.01',
    makerFee: '0.00012',
    takerFee: '0.0004',
    status: 'TRADING',
  },
  true,
);

const draft: Draft = {
  side: 'BUY',
  kind: 'LIMIT',
  timeInForce: 'GTX',
  price: 990_000n,
  quantity: 10_000n,
  funds: null,
  reduceOnly: false,
  takeProfit: null,
  stopLoss: null,
  trigger: 'MARK_PRICE',
};

it('writes a spot order', () => {
  expect(JSON.stringify(spotOrder(market, 1001, draft, 'a'))).toBe(
    '{"accountID":1001,"orders":[{"symbolID":1,"clOrdID":"a","side":1,"type":1,"timeInForce":4,"price":"99000",' +
      '"quantity":"0.1"}]}',
  );
});

it('writes a market buy by funds', () => {
  const byFunds: Draft = {
    ...draft,
    kind: 'MARKET',
    timeInForce: 'IOC',
    price: null,
    quantity: null,
    funds: 1_500_000n,
  };
  expect(JSON.stringify(spotOrder(market, 1001, byFunds, 'a'))).toBe(
    '{"accountID":1001,"orders":[{"symbolID":1,"clOrdID":"a","side":1,"type":2,"timeInForce":3,"funds":"1.5"}]}',
  );
});

it('writes a bracket: the order, then its stops on the other side', () => {
  const bracket: Draft = { ...draft, timeInForce: 'GTC', takeProfit: 1_050_000n, stopLoss: 940_000n };
  expect(itemsOf(bracket)).toBe(3);
  const stop = (id: string, price: string, type: number) =>
    `{"clOrdID":"${id}","modifier":4,"side":2,"type":2,"timeInForce":3,"stopPrice":"${price}","stopType":${type},` +
    '"triggerType":2,"reduceOnly":true,"positionSide":1}';
  expect(JSON.stringify(perpsOrder(market, 1001, bracket, ['a', 'b', 'c']))).toBe(
    '{"accountID":1001,"symbolID":1,"orders":[{"clOrdID":"a","modifier":3,"side":1,"type":1,"timeInForce":1,' +
      '"price":"99000","quantity":"0.1","reduceOnly":false,"positionSide":1},' +
      `${stop('b', '105000', 2)},${stop('c', '94000', 1)}]}`,
  );
});
