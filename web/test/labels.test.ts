// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { LABEL_HEIGHT, spread } from '../src/panels/chart/labels';

const label = (y: number, width = 100, edge: '' | 'above' | 'below' = '') => ({ y, width, edge });

describe('labels of lines', () => {
  it('stand at the left of their own lines where there is room', () => {
    expect(spread([label(10), label(10 + LABEL_HEIGHT)], 500)).toEqual([
      { x: 0, rise: 0 },
      { x: 0, rise: 0 },
    ]);
  });

  it('stand beside one that is too near', () => {
    expect(spread([label(10), label(20), label(25)], 500)).toEqual([
      { x: 0, rise: 0 },
      { x: 104, rise: 0 },
      { x: 208, rise: 0 },
    ]);
  });

  it('go to the next row where the width is used up, upward at the lower edge', () => {
    expect(spread([label(10, 100, 'above'), label(10, 100, 'above')], 150)[1]).toEqual({ x: 0, rise: LABEL_HEIGHT });
    expect(spread([label(90, 100, 'below'), label(90, 100, 'below')], 150)[1]).toEqual({ x: 0, rise: -LABEL_HEIGHT });
  });

  it('are not moved away from the left when the room is narrower than one of them', () => {
    expect(spread([label(10, 300)], 150)).toEqual([{ x: 0, rise: 0 }]);
  });

  it('wait in two rows at an edge, and the rest is not shown', () => {
    const spots = spread(Array.from({ length: 6 }, () => label(90, 100, 'below')), 300);
    expect(spots.map((spot) => [spot.x, spot.rise + 0, spot.crowded === true])).toEqual([
      [0, 0, false],
      [104, 0, false],
      [0, -LABEL_HEIGHT, false],
      [104, -LABEL_HEIGHT, false],
      [0, 0, true],
      [0, 0, true],
    ]);
  });
});
