// SPDX-License-Identifier: MIT
// The worked examples E5 and E6 of the mechanics, and units at their edges.
import { describe, expect, it } from 'vitest';
import { type Account, type Priced, requiredOf } from '../src/rules/account';
import { filled, liquidationPrice } from '../src/rules/fill';
import { type Market, maintenanceOf } from '../src/rules/market';
import type { Draft } from '../src/rules/draft';
import { previewPerps } from '../src/rules/preview-perps';
import { answerText } from '../src/rules/refusal-texts';
import { readUnits, textOf, unitsOf } from '../src/rules/units';

const money = (text: string) => unitsOf(text, 6);

const market: Market = {
  id: 1,
  name: 'BTC-USD',
  perps: true,
  baseCoin: 'BTC',
  quoteCoin: 'vUSDC',
  priceScale: 1,
  quantityScale: 5,
  quoteScale: 6,
  baseScale: 5,
  tick: 1n,
  step: 1n,
  minPrice: 0n,
  maxPrice: 0n,
  minQuantity: 1n,
  maxQuantity: 0n,
  marketMinQuantity: 1n,
  marketMaxQuantity: 0n,
  minNotional: 0n,
  maxNotional: 0n,
  limitUp: 5_000_000n,
  limitDown: 5_000_000n,
  deviation: 1_000_000n,
  trading: true,
  initLeverage: 10,
  maxLeverage: 25,
  interestCap: 0n,
  interestCapValue: money('500000000'),
  tiers: [
    { maxNotional: money('4000000'), rate: 2_000_000n, maxLeverage: 25, deduction: 0n },
    { maxNotional: money('10000000'), rate: 2_500_000n, maxLeverage: 20, deduction: money('20000') },
    { maxNotional: money('50000000'), rate: 5_000_000n, maxLeverage: 10, deduction: money('270000') },
  ],
};
const priced: Priced = {
  market,
  mark: 1_000_000n,
  index: 1_000_000n,
  held: null,
  stale: false,
  interest: 0n,
  capParts: 1n,
  leverage: 10,
  isolated: false,
  takerRate: 40_000n,
  makerRate: 12_000n,
};
const size = (text: string) => unitsOf(text, 5);
const price = (text: string) => unitsOf(text, 1);

describe('the margin of open orders (E5)', () => {
  const buy = (id: number, at: string, open: string) =>
    ({ id, symbol: 'BTC-USD', side: 'BUY', price: price(at), open: size(open), reduceOnly: false }) as const;
  const sell = (id: number, at: string, open: string) => ({ ...buy(id, at, open), side: 'SELL' }) as const;

  it('is that of the worse side of a position', () => {
    const account: Account = {
      wallet: 0n,
      positions: [{ symbol: 'BTC-USD', size: size('2'), cost: money('200000'), bucket: 0n }],
      orders: [buy(1, '99000', '1'), sell(2, '101000', '3'), sell(3, '102000', '1')],
    };
    expect(textOf(requiredOf(account, priced, null), 6)).toBe('29939.6');
  });

  it('counts the loss at once of a flat account', () => {
    const account: Account = { wallet: 0n, positions: [], orders: [buy(1, '100200', '1'), sell(2, '99900', '1')] };
    expect(textOf(requiredOf(account, priced, null), 6)).toBe('10260.08');
  });
});

describe('tiers and the liquidation price (E6)', () => {
  it('keeps the maintenance continuous from tier to tier', () => {
    const rows = [
      ['3999999', '79999.98'],
      ['4000000', '80000'],
      ['4000001', '80000.025'],
      ['10000000', '230000'],
      ['12345678.9', '347283.945'],
    ] as const;
    for (const [notional, margin] of rows) expect(textOf(maintenanceOf(market, money(notional)), 6)).toBe(margin);
  });

  const liquidation = (side: 'BUY' | 'SELL', quantity: string, leverage: number, tick = 1n) => {
    const own: Priced = { ...priced, leverage, isolated: true, market: { ...market, tick } };
    const value = price('100000') * size(quantity);
    const none = { symbol: 'BTC-USD', size: 0n, cost: 0n, bucket: 0n };
    const after = filled(own, none, side, size(quantity), value);
    const account: Account = { wallet: 0n, positions: [after.position], orders: [] };
    const found = liquidationPrice(account, new Map([['BTC-USD', own]]), own, after.position);
    return found === null ? '0' : textOf(found, 1);
  };

  it('is that of the example, in every tier', () => {
    expect(liquidation('BUY', '10', 25)).toBe('97959.2');
    expect(liquidation('SELL', '10', 25)).toBe('101960.7');
    expect(liquidation('BUY', '60', 20)).toBe('97094.1');
  });

  it('is rounded to the tick on the early side', () => {
    expect(liquidation('BUY', '10', 25, 100n)).toBe('97960');
    expect(liquidation('SELL', '10', 25, 100n)).toBe('101960');
  });
});

describe('units', () => {
  it('reads plain decimals and nothing else', () => {
    expect(readUnits('1.50', 1)).toEqual({ ok: true, units: 15n });
    expect(readUnits('.5', 1)).toEqual({ ok: true, units: 5n });
    expect(readUnits(' 7. ', 2)).toEqual({ ok: true, units: 700n });
    expect(readUnits('1.05', 1)).toEqual({ ok: false, why: 'decimals' });
    for (const text of ['1e5', '-1', '1,5', '+1', '.', 'x'])
      expect(readUnits(text, 8)).toEqual({ ok: false, why: 'syntax' });
    expect(readUnits(' ', 8)).toEqual({ ok: false, why: 'empty' });
  });

  it('writes them as the exchange does', () => {
    expect(textOf(-5n, 3)).toBe('-0.005');
    expect(textOf(0n, 3)).toBe('0');
    expect(textOf(123000n, 3)).toBe('123');
    expect(unitsOf('-1.239', 2)).toBe(-123n);
  });
});

describe('texts of refusals', () => {
  it('name the figures that came, with thousands apart, and leave other words alone', () => {
    expect(answerText(42205, 'x', { got: '120000', need: '104882.7' })).toBe(
      'A price of 120,000 is too far from the market; the limit is 104,882.7 now.',
    );
    expect(answerText(42205, 'as the exchange says', {})).toBe('as the exchange says');
    const tooLarge = { rule: 'at most maxQuantity (spot place rule 6)', got: '100000', need: '1000' };
    expect(answerText(42202, 'x', tooLarge)).toBe('The size is at most 1,000.');
    const tooFine = { rule: 'at most pricePrecision decimals (spot place rule 5)', got: '95000.05', need: '1' };
    expect(answerText(42201, 'x', tooFine)).toBe('Decimals of the price: at most 1.');
    const fund = { rule: 'at most as many decimals as the quote coin', got: '0.1', need: '6' };
    expect(answerText(42204, 'x', fund)).toBe('An order worth 0.1 is not possible; bound: 6.');
    expect(answerText(49999, '<b>hostile</b>', {})).toBe('<b>hostile</b>');
    expect(answerText(49999, '', {})).toBe('code 49999');
  });

  it('say what can be moved, whichever of the two figures it is', () => {
    expect(answerText(42002, 'x', { field: 'amount', got: '-9000', need: '103.109722' })).toBe(
      'At most 103.109722 can be moved now.',
    );
    expect(answerText(42001, 'x', { field: 'amount', got: '1149580.4', need: '99999999' })).toBe(
      'At most 1,149,580.4 can be moved now.',
    );
  });
});

describe('what refuses an order that opens', () => {
  const account: Account = { wallet: money('100000000'), positions: [], orders: [] };
  const codesOf = (own: Partial<Priced>, quantity: string, positions: Account['positions'] = []) => {
    const input = {
      account: { ...account, positions },
      markets: new Map([['BTC-USD', { ...priced, ...own }]]),
      priced: { ...priced, ...own },
      references: { last: null, mark: priced.mark, index: priced.index },
      book: { bids: [], asks: [] },
    };
    const draft: Draft = {
      side: 'BUY',
      kind: 'LIMIT',
      timeInForce: 'GTC',
      price: price('100000'),
      quantity: size(quantity),
      funds: null,
      reduceOnly: false,
      takeProfit: null,
      stopLoss: null,
      trigger: 'MARK_PRICE',
    };
    return previewPerps(input, draft).refusals.map((one) => one.code);
  };
  const short = [{ symbol: 'BTC-USD', size: -size('2'), cost: -money('200000'), bucket: 0n }];

  it('takes what fills the cap of the open interest exactly, and refuses a step more', () => {
    expect(codesOf({ interest: size('4990') }, '10')).toEqual([]);
    expect(codesOf({ interest: size('4990') }, '10.00001')).toEqual([42004]);
    const own = { ...market, interestCapValue: 0n, interestCap: size('11') };
    expect(codesOf({ market: own, interest: size('1') }, '10')).toEqual([]);
    expect(codesOf({ market: own, interest: size('1') }, '10.00001')).toEqual([42004]);
  });
  it('takes a part of the cap while the index is not the feeders’, and counts only what opens', () => {
    expect(codesOf({ interest: size('490'), capParts: 10n }, '10')).toEqual([]);
    expect(codesOf({ interest: size('490'), capParts: 10n }, '10.00001')).toEqual([42004]);
    expect(codesOf({ interest: size('5000') }, '2', short)).toEqual([]);
    expect(codesOf({ interest: size('5000') }, '2.00001', short)).toEqual([42004]);
    expect(codesOf({ interest: null }, '10')).toEqual([]);
  });
  it('opens nothing while the index is stale, and closes', () => {
    expect(codesOf({ stale: true }, '1')).toEqual([42015]);
    expect(codesOf({ stale: true }, '2', short)).toEqual([]);
    expect(codesOf({ stale: true }, '2.00001', short)).toEqual([42015]);
  });
});
