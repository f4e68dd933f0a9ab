// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { found, leftText, percentText, rateText } from '../src/panels/symbols/find';

const list = [
  { engine: 'perps', name: 'BTC-USD', displayName: 'BTC-USD', base: 'BTC' },
  { engine: 'perps', name: 'WBTC-USD', displayName: 'WBTC-USD', base: 'WBTC' },
  { engine: 'spot', name: 'vBTC_vUSDC', displayName: 'BTC/USDC', base: 'vBTC' },
  { engine: 'spot', name: 'vETH_vUSDC', displayName: 'ETH/USDC', base: 'vETH' },
] as const;
const names = (...args: Parameters<typeof found>) => found(...args).map((one) => one.name);

describe('the list of symbols', () => {
  it('finds a name without regard to case and separators', () => {
    expect(names(list, 'btcusdc', 'all')).toEqual(['vBTC_vUSDC']);
    expect(names(list, 'eth/', 'all')).toEqual(['vETH_vUSDC']);
  });

  it('has names that begin with the text first', () => {
    expect(names(list, 'btc', 'perps')).toEqual(['BTC-USD', 'WBTC-USD']);
    expect(names(list, 'wb', 'all')).toEqual(['WBTC-USD']);
  });

  it('is whole without a text, and nothing where nothing fits', () => {
    expect(names(list, '', 'all')).toHaveLength(4);
    expect(names(list, '', 'spot')).toHaveLength(2);
    expect(names(list, 'doge', 'all')).toEqual([]);
  });
});

describe('figures', () => {
  it('writes rates as percent, exactly', () => {
    expect(rateText('0.0000125')).toBe('+0.0013%');
    expect(rateText('-0.01')).toBe('−1.0000%');
    expect(rateText('0')).toBe('0.0000%');
  });

  it('counts down', () => {
    expect(leftText(3_547_999)).toBe('59:07');
    expect(leftText(3_729_000)).toBe('1:02:09');
    expect(leftText(-1)).toBe('0:00');
  });

  it('gives a change its sign', () => {
    expect(percentText(1.249)).toBe('+1.25%');
    expect(percentText(-0.0368)).toBe('−0.04%');
    expect(percentText(-0.001)).toBe('0.00%');
  });
});
