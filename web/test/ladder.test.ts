// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { averageOf, bucket, rowsHeld, rowsOf, share, stepsFor, type Level } from '../src/panels/book/ladder';

const level = (price: bigint, size: bigint): Level => ({ price, size });
const bids = [level(999n, 1n), level(995n, 2n), level(991n, 4n), level(990n, 8n), level(985n, 16n)];
const asks = [level(1001n, 1n), level(1005n, 2n), level(1010n, 4n), level(1011n, 8n), level(1020n, 16n)];
const brief = (rows: ReturnType<typeof rowsOf>) => rows.map((row) => [row.price, row.size, row.total]);

describe('grouping', () => {
  it('merges bids downward and asks upward', () => {
    expect(bucket(999n, 10n, 'bid')).toBe(990n);
    expect(bucket(1001n, 10n, 'ask')).toBe(1010n);
  });

  it('leaves a price on a multiple where it is', () => {
    expect(bucket(990n, 10n, 'bid')).toBe(990n);
    expect(bucket(1010n, 10n, 'ask')).toBe(1010n);
  });

  it('sums sizes and totals', () => {
    expect(brief(rowsOf(bids, [], 10n, 'bid', 10))).toEqual([
      [990n, 15n, 15n],
      [980n, 16n, 31n],
    ]);
    expect(brief(rowsOf(asks, [], 10n, 'ask', 10))).toEqual([
      [1010n, 7n, 7n],
      [1020n, 24n, 31n],
    ]);
  });

  it('counts the whole of the last row, not a part of it', () => {
    expect(brief(rowsOf(bids, [], 10n, 'bid', 1))).toEqual([[990n, 15n, 15n]]);
  });

  it('gives no row of an empty book', () => {
    expect(rowsOf([], [], 1n, 'bid', 5)).toEqual([]);
  });

  it('puts own sizes into the row of their price', () => {
    const rows = rowsOf(bids, [level(995n, 2n), level(991n, 1n)], 10n, 'bid', 2);
    expect(rows.map((row) => row.own)).toEqual([3n, 0n]);
  });
});

describe('taking everything up to a row', () => {
  it('costs the average of the true prices, not of the merged ones', () => {
    const [first, second] = rowsOf(asks, [], 10n, 'ask', 2);
    expect(first && averageOf(first)).toBe(1007n); // (1001 + 2010 + 4040) / 7 = 1007.28…
    expect(second && averageOf(second)).toBe(1015n); // (7051 + 8088 + 16320) / 31 = 1014.8…
  });

  it('costs nothing where nothing is', () => {
    const [row] = rowsHeld([999n], [], [], 1n, 'bid');
    expect(row && averageOf(row)).toBeNull();
  });
});

describe('rows that are held', () => {
  it('keep their prices while sizes change', () => {
    const now = [level(999n, 5n), level(995n, 2n)];
    expect(brief(rowsHeld([999n, 995n], now, [], 1n, 'bid'))).toEqual([
      [999n, 5n, 5n],
      [995n, 2n, 7n],
    ]);
  });

  it('show 0 where a level is gone, and count a better level in the total only', () => {
    const now = [level(1000n, 3n), level(995n, 2n)];
    expect(brief(rowsHeld([999n, 995n], now, [], 1n, 'bid'))).toEqual([
      [999n, 0n, 3n],
      [995n, 2n, 5n],
    ]);
  });

  it('do so on the selling side', () => {
    const now = [level(1000n, 3n), level(1005n, 2n)];
    expect(brief(rowsHeld([1001n, 1005n], now, [], 1n, 'ask'))).toEqual([
      [1001n, 0n, 3n],
      [1005n, 2n, 5n],
    ]);
  });

  it('agree with the free rows of the same book', () => {
    const free = rowsOf(asks, [level(1011n, 1n)], 10n, 'ask', 2);
    const held = rowsHeld([1010n, 1020n], asks, [level(1011n, 1n)], 10n, 'ask');
    expect(held).toEqual(free);
  });
});

describe('steps and shares', () => {
  it('begin with the tick and end near a fiftieth of the price', () => {
    const steps = stepsFor(1n, 10000n);
    expect(steps.slice(0, 4)).toEqual([1n, 2n, 5n, 10n]);
    expect(steps[steps.length - 1]).toBe(200n);
  });

  it('hold the tick alone where the price is low', () => {
    expect(stepsFor(10n, 50n)).toEqual([10n]);
  });

  it('are between 0 and 1', () => {
    expect(share(1n, 0n)).toBe(0);
    expect(share(1n, 4n)).toBe(0.25);
    expect(share(5n, 4n)).toBe(1);
  });
});
