// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import * as drag from '../src/panels/chart/drag';

const grid: drag.PriceGrid = { decimals: 1, tick: 5n, least: 0n, most: 0n };

describe('the price of a dragged line', () => {
  it('is the nearest tick', () => {
    expect(drag.snap(100.74, grid)).toBe(1005n);
    expect(drag.snap(100.76, grid)).toBe(1010n);
  });

  it('is exact where a sum of floats is not', () => {
    expect(drag.snap(0.1 + 0.2, { decimals: 8, tick: 1n, least: 0n, most: 0n })).toBe(30000000n);
  });

  it('stays above zero and inside the bounds', () => {
    expect(drag.snap(-3, grid)).toBe(5n);
    expect(drag.snap(Number.NaN, grid)).toBe(5n);
    const narrow = { ...grid, least: 101n, most: 199n };
    expect(drag.snap(1, narrow)).toBe(105n);
    expect(drag.snap(1000, narrow)).toBe(195n);
  });

  it('moves by ticks', () => {
    expect(drag.nudge(1000n, 1n, grid)).toBe(1005n);
    expect(drag.nudge(1000n, -10n, grid)).toBe(950n);
    expect(drag.nudge(5n, -1n, grid)).toBe(5n);
  });
});

describe('a drag', () => {
  const moved = drag.move(drag.still, 1000n, 1010n);

  it('asks when the reader wants to be asked', () => {
    const asking = drag.drop(moved, true);
    expect(asking.phase).toBe('asking');
    expect(drag.confirm(asking)).toEqual({ phase: 'pending', from: 1000n, at: 1010n });
  });

  it('is sent at once otherwise', () => {
    expect(drag.drop(moved, false).phase).toBe('pending');
  });

  it('sends nothing when the line is back where it was', () => {
    expect(drag.drop(drag.move(moved, 1000n, 1000n), false)).toBe(drag.still);
  });

  it('returns with Escape, but not once it was sent', () => {
    expect(drag.escape(moved)).toBe(drag.still);
    expect(drag.escape(drag.drop(moved, true))).toBe(drag.still);
    const pending = drag.drop(moved, false);
    expect(drag.escape(pending)).toBe(pending);
    expect(drag.move(pending, 1000n, 2000n)).toBe(pending);
  });

  it('jumps back with the reason when it was refused', () => {
    const refused = drag.answered(drag.drop(moved, false), 'price is beyond the limit');
    expect(refused).toEqual({ phase: 'refused', from: 1000n, reason: 'price is beyond the limit' });
    expect(drag.shownAt(refused, 1000n)).toBe(1000n);
  });

  it('shows where it will be until the exchange answered', () => {
    expect(drag.shownAt(drag.drop(moved, false), 1000n)).toBe(1010n);
  });
});
