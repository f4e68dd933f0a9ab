// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { newerThan } from '../src/panels/trades/tape';

const ids = (...list: number[]) => list.map((t) => ({ t }));

describe('the tape', () => {
  it('counts what came while it stood still', () => {
    expect(newerThan(ids(5, 4, 3), 3)).toBe(2);
    expect(newerThan(ids(5, 4), 1)).toBe(2);
    expect(newerThan([], 1)).toBe(0);
  });
});
