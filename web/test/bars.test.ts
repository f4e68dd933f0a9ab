// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { merge, put, withTrade, type Bar } from '../src/panels/chart/bars';

const bar = (time: number, close: bigint): Bar => ({ time, open: 10n, high: 20n, low: 5n, close, volume: 1n });

describe('bars', () => {
  it('are joined in order, and the newer ones count', () => {
    const joined = merge([bar(1, 1n), bar(2, 2n), bar(3, 3n)], [bar(2, 9n), bar(3, 9n), bar(4, 9n)]);
    expect(joined.map((one) => [one.time, one.close])).toEqual([
      [1, 1n],
      [2, 9n],
      [3, 9n],
      [4, 9n],
    ]);
  });

  it('take older bars in front', () => {
    expect(merge([bar(3, 3n)], [bar(1, 1n), bar(2, 2n)]).map((one) => one.time)).toEqual([1, 2, 3]);
  });

  it('are replaced or appended one at a time', () => {
    expect(put([bar(1, 1n)], bar(1, 7n))).toEqual([bar(1, 7n)]);
    expect(put([bar(1, 1n)], bar(2, 7n))).toHaveLength(2);
  });

  it('take the price of a trade in them, the same when it comes twice', () => {
    const once = withTrade(bar(1000, 9n), 1999, 1500, 25n);
    expect(once).toMatchObject({ high: 25n, low: 5n, close: 25n, volume: 1n });
    expect(withTrade(once as Bar, 1999, 1500, 25n)).toEqual(once);
  });

  it('take no trade outside of them', () => {
    expect(withTrade(bar(1000, 9n), 1999, 2000, 25n)).toBeNull();
    expect(withTrade(bar(1000, 9n), 1999, 999, 25n)).toBeNull();
  });
});
