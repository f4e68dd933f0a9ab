// SPDX-License-Identifier: MIT
// The book against a model: whatever the exchange does, and however the stream is cut, what is shown as live is the
// exchange's book at that update id.
import { describe, expect, test } from 'vitest';
import { type BookKeeper, openBook } from '../src/core/book';
import type { Level, WsBook } from '../src/core/types';
import { random } from './random';

const DEPTH = 8;

/** An exchange's book: all levels, and the frames of its stream. */
class Model {
  updateID = 1;
  readonly sides = { b: new Map<number, number>(), a: new Map<number, number>() };

  constructor(private readonly dice: () => number) {}

  best(side: 'a' | 'b', depth: number): Level[] {
    const sign = side === 'a' ? 1 : -1;
    const sorted = [...this.sides[side]].sort(([p], [q]) => sign * (p - q));
    return sorted.slice(0, depth).map(([price, size]): Level => [String(price / 10), String(size)]);
  }

  snapshot(): WsBook {
    return { s: 'X', u: this.updateID, E: this.updateID, b: this.best('b', DEPTH), a: this.best('a', DEPTH) };
  }

  /** Changes some levels, and gives the frame of what changed among the best ones, as the exchange does. */
  step(): WsBook {
    const before = this.snapshot();
    const changes = 1 + Math.floor(this.dice() * 4);
    for (let i = 0; i < changes; i++) {
      const side = this.dice() < 0.5 ? 'a' : 'b';
      const price = (side === 'a' ? 1000 : 970) + Math.floor(this.dice() * 30);
      if (this.dice() < 0.45) this.sides[side].delete(price);
      else this.sides[side].set(price, 1 + Math.floor(this.dice() * 50));
    }
    const first = this.updateID + 1;
    this.updateID += changes;
    const after = this.snapshot();
    return { ...after, U: first, b: difference(before.b, after.b), a: difference(before.a, after.a) };
  }
}

/** Absolute sizes of what is new or different, "0" for what is gone. */
function difference(before: Level[], after: Level[]): Level[] {
  const was = new Map(before);
  const is = new Map(after);
  const gone = before.filter(([price]) => !is.has(price)).map(([price]): Level => [price, '0']);
  return [...gone, ...after.filter(([price, size]) => was.get(price) !== size)];
}

const texts = (book: BookKeeper) => ({ b: book.bids.map((one) => one.text), a: book.asks.map((one) => one.text) });

describe.each([1, 2, 3, 4, 5, 6])('seed %i', (seed) => {
  test('equals the model with cuts, losses, repeats and disorder', () => {
    const dice = random(seed);
    const model = new Model(dice);
    const book = openBook('X', DEPTH);
    let live = false;
    let kept: WsBook | undefined;
    const seen = { applied: 0, old: 0, gap: 0, lost: 0 };
    for (let step = 0; step < 3000; step++) {
      const frame = model.step();
      const luck = dice();
      if (!live) {
        book.snapshot(model.snapshot());
        live = true;
      } else if (luck < 0.05) {
        seen.lost++; // the frame never comes: the next one must be a gap
        kept = frame;
        continue;
      } else {
        if (luck < 0.1 && kept) book.update(kept); // an earlier frame comes late, or comes again
        const result = book.update(frame);
        seen[result]++;
        if (luck > 0.95) expect(book.update(frame)).toBe(result === 'gap' ? 'gap' : 'old'); // it comes twice
        if (result === 'gap') live = false;
        kept = frame;
      }
      if (!live) continue;
      const { b, a } = model.snapshot();
      expect(texts(book)).toEqual({ b, a });
      expect(book.updateID).toBe(model.updateID);
    }
    expect(seen.applied).toBeGreaterThan(1000);
    expect(seen.gap).toBeGreaterThan(20);
  });
});

test('a gap leaves the book as it was', () => {
  const book = openBook('X', DEPTH);
  book.snapshot({ s: 'X', u: 5, E: 1, b: [['99', '1']], a: [['101', '1']] });
  const before = texts(book);
  for (const U of [5, 7, undefined])
    expect(book.update({ s: 'X', ...(U === undefined ? {} : { U }), u: 9, E: 2, b: [['99', '0']], a: [] })).toBe('gap');
  expect(texts(book)).toEqual(before);
  expect(book.updateID).toBe(5);
});

test('equal prices of different texts are one level', () => {
  const book = openBook('X', DEPTH);
  book.snapshot({ s: 'X', u: 1, E: 1, b: [], a: [['101', '1']] });
  expect(book.update({ s: 'X', U: 2, u: 2, E: 2, b: [], a: [['101.0', '0']] })).toBe('applied');
  expect(book.asks).toEqual([]);
});

test('a size that is no decimal is a fault and no level', () => {
  const book = openBook('X', DEPTH);
  expect(() => book.snapshot({ s: 'X', u: 1, E: 1, b: [], a: [['101', '<b>1</b>']] })).toThrow('not a decimal');
});
