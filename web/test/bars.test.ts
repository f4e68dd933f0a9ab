// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { beginning, merge, put, withPage, withTrade, type Bar } from '../src/panels/chart/bars';

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

  it('begin with a trade in the time after the last one', () => {
    expect(beginning(bar(1000, 9n), 1999, 2500, 25n)).toMatchObject({ time: 2000, open: 25n, close: 25n, volume: 0n });
    expect(beginning(bar(1000, 9n), 1999, 1999, 25n)).toBeNull();
    expect(beginning(bar(1000, 9n), 1999, 3000, 25n)).toBeNull();
  });
});

describe('a page that is read again', () => {
  const times = (bars: readonly Bar[]) => bars.map((one) => [one.time, one.close]);

  it('is joined to the bars before it, and the bar of the stream is newer', () => {
    const joined = withPage([bar(1, 1n), bar(2, 2n), bar(3, 3n)], [bar(2, 7n), bar(3, 7n)], bar(3, 8n));
    expect(times(joined)).toEqual([
      [1, 1n],
      [2, 7n],
      [3, 8n],
    ]);
  });

  it('takes away what it no longer has: the exchange went back', () => {
    expect(times(withPage([bar(1, 1n), bar(2, 2n), bar(3, 3n)], [bar(1, 1n), bar(2, 5n)], undefined))).toEqual([
      [1, 1n],
      [2, 5n],
    ]);
    expect(withPage([bar(1, 1n)], [], undefined)).toEqual([]);
  });

  it('leaves no hole', () => {
    expect(times(withPage([bar(1, 1n)], [bar(5, 5n)], undefined))).toEqual([[5, 5n]]);
  });
});
