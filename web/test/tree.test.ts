// SPDX-License-Identifier: MIT
// The arrangement of panels: whatever is done to it, each panel is in it exactly once and it can be stored.
import { describe, expect, test } from 'vitest';
import type { PanelName } from '../src/panels/panels';
import {
  type Edge,
  type Node,
  STANDARD,
  activate,
  isSplit,
  isTree,
  move,
  panelsOf,
  pathOf,
  resize,
} from '../src/shell/tree';
import { random } from './random';

const ALL = panelsOf(STANDARD);

/** No split in a split of the same direction. */
function isFlat(node: Node): boolean {
  if (!isSplit(node)) return true;
  return node.children.every((child) => isFlat(child) && !(isSplit(child) && child.direction === node.direction));
}

test('the standard arrangement has nine panels', () => {
  expect(new Set(ALL).size).toBe(9);
  expect(isTree(STANDARD, ALL)).toBe(true);
  expect(isFlat(STANDARD)).toBe(true);
});

test('a panel moves into another group and becomes its active one', () => {
  const tree = move(STANDARD, 'trades', 'chart');
  expect(pathOf(tree, 'trades')).toEqual(pathOf(tree, 'chart'));
  expect(pathOf(tree, 'ticket')).toEqual([1]); // the column that held both is gone
});

test('a panel splits off its own group, and not when it is alone in it', () => {
  const tree = move(STANDARD, 'history', 'orders', 'right');
  expect(pathOf(tree, 'history')).toEqual([0, 1, 2]);
  expect(move(STANDARD, 'chart', 'chart', 'right')).toBe(STANDARD);
  expect(move(STANDARD, 'chart', 'chart')).toBe(STANDARD);
});

test('activate shows a panel, resize takes ratios above 0 only', () => {
  const tree = activate(STANDARD, 'balances');
  expect(JSON.stringify(tree)).toContain('"active":"balances"');
  expect(resize(STANDARD, [0], [1, 3])).toMatchObject({ children: [{ sizes: [1, 3] }, {}] });
  for (const wrong of [[1], [1, 0], [1, -1], [1, Number.NaN], [1, Infinity]])
    expect(resize(STANDARD, [0], wrong)).toEqual(STANDARD);
});

test('what was stored and is no arrangement is dropped', () => {
  const broken: unknown[] = [
    null,
    'row',
    [],
    {},
    { panels: [], active: 'chart' },
    { panels: ['chart'], active: 'chart' },
    { direction: 'row', sizes: [1], children: [STANDARD, STANDARD] },
    { direction: 'row', sizes: [1, 1], children: [STANDARD, STANDARD] },
    { direction: 'diagonal', sizes: [1, 1], children: [] },
  ];
  for (const value of broken) expect(isTree(value, ALL)).toBe(false);
  let deep: unknown = STANDARD;
  for (let i = 0; i < 50; i++) deep = { direction: 'row', sizes: [1, 1], children: [deep, deep] };
  expect(isTree(deep, ALL)).toBe(false);
});

describe('any sequence of moves', () => {
  const edges: (Edge | undefined)[] = ['left', 'right', 'top', 'bottom', undefined];
  test.each([1, 2, 3, 4, 5])('seed %i keeps every panel once, flat and storable', (seed) => {
    const dice = random(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
    let tree: Node = STANDARD;
    for (let step = 0; step < 400; step++) {
      const panel = pick<PanelName>(ALL);
      tree = dice() < 0.2 ? activate(tree, panel) : move(tree, panel, pick(ALL), pick(edges));
      expect(isTree(JSON.parse(JSON.stringify(tree)), ALL)).toBe(true);
      expect(isFlat(tree)).toBe(true);
    }
  });
});
