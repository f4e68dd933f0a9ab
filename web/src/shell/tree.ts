// SPDX-License-Identifier: MIT
// The arrangement of the panels: a tree whose inner nodes split a row or a column and whose leaves are groups of tabs.
// Every function gives a new tree; each panel is in it exactly once.
import type { PanelName } from '../panels/panels';

export interface Group {
  readonly panels: readonly PanelName[];
  readonly active: PanelName;
}

export interface Split {
  readonly direction: 'row' | 'column';
  /** As many as children, above 0; only their ratios matter. */
  readonly sizes: readonly number[];
  readonly children: readonly Node[];
}

export type Node = Group | Split;
/** Children's places from the root on. */
export type Path = readonly number[];
export type Edge = 'left' | 'right' | 'top' | 'bottom';

export const isSplit = (node: Node): node is Split => 'children' in node;

const group = (...panels: [PanelName, ...PanelName[]]): Group => ({ panels, active: panels[0] });

/** The arrangement at the first visit. */
export const STANDARD: Node = {
  direction: 'row',
  sizes: [78, 22],
  children: [
    {
      direction: 'column',
      sizes: [68, 32],
      children: [
        {
          direction: 'row',
          sizes: [70, 30],
          children: [group('chart'), group('book')],
        },
        {
          direction: 'row',
          sizes: [58, 42],
          children: [group('positions', 'balances', 'transfer'), group('orders', 'history')],
        },
      ],
    },
    { direction: 'column', sizes: [72, 28], children: [group('ticket'), group('trades')] },
  ],
};

export function panelsOf(node: Node): PanelName[] {
  return isSplit(node) ? node.children.flatMap(panelsOf) : [...node.panels];
}

/** Where the group of a panel is. */
export function pathOf(node: Node, panel: PanelName): Path | undefined {
  if (!isSplit(node)) return node.panels.includes(panel) ? [] : undefined;
  for (const [at, child] of node.children.entries()) {
    const found = pathOf(child, panel);
    if (found) return [at, ...found];
  }
  return undefined;
}

/** The tree with `change` made to the node at a path; undefined takes the node away. */
function changeAt(node: Node, path: Path, change: (node: Node) => Node | undefined): Node | undefined {
  const [at, ...rest] = path;
  if (at === undefined || !isSplit(node)) return change(node);
  const child = node.children[at];
  if (!child) return node;
  const next = changeAt(child, rest, change);
  if (next) return flat({ ...node, children: node.children.map((one, place) => (place === at ? next : one)) });
  const left = <T>(list: readonly T[]): T[] => list.filter((_one, place) => place !== at);
  const children = left(node.children);
  return children.length === 1 ? children[0] : { ...node, children, sizes: left(node.sizes) };
}

/** A row in a row is one row; its share is divided among its children. */
function flat(split: Split): Split {
  const children: Node[] = [];
  const sizes: number[] = [];
  split.children.forEach((child, at) => {
    const share = split.sizes[at] ?? 1;
    if (isSplit(child) && child.direction === split.direction) {
      const sum = child.sizes.reduce((a, b) => a + b, 0);
      children.push(...child.children);
      sizes.push(...child.sizes.map((size) => (size / sum) * share));
    } else {
      children.push(child);
      sizes.push(share);
    }
  });
  return { ...split, children, sizes };
}

/** Shows a panel in its group. */
export function activate(root: Node, panel: PanelName): Node {
  const path = pathOf(root, panel);
  if (!path) return root;
  return changeAt(root, path, (node) => (isSplit(node) ? node : { ...node, active: panel })) ?? root;
}

/** New ratios for the split at a path. */
export function resize(root: Node, path: Path, sizes: readonly number[]): Node {
  const valid = sizes.every((size) => Number.isFinite(size) && size > 0);
  if (!valid) return root;
  const change = (node: Node): Node =>
    isSplit(node) && node.children.length === sizes.length ? { ...node, sizes } : node;
  return changeAt(root, path, change) ?? root;
}

function without(root: Node, panel: PanelName): Node | undefined {
  const path = pathOf(root, panel);
  if (!path) return root;
  return changeAt(root, path, (node) => {
    if (isSplit(node)) return node;
    const panels = node.panels.filter((one) => one !== panel);
    const [first] = panels;
    if (first === undefined) return undefined;
    return { panels, active: node.active === panel ? first : node.active };
  });
}

function beside(target: Node, panel: PanelName, edge: Edge): Split {
  const direction = edge === 'left' || edge === 'right' ? 'row' : 'column';
  const fresh: Group = { panels: [panel], active: panel };
  const children = edge === 'left' || edge === 'top' ? [fresh, target] : [target, fresh];
  return { direction, sizes: [50, 50], children };
}

/**
 * Moves a panel into the group of another panel, or beside that group at an edge. Beside itself it splits off its own
 * group, which needs a second panel in it.
 */
export function move(root: Node, panel: PanelName, target: PanelName, edge?: Edge): Node {
  const home = pathOf(root, panel);
  const there = pathOf(root, target);
  if (!home || !there) return root;
  const same = home.join() === there.join();
  if (same && !edge) return root;
  // The target's group is found again by one of its other panels after the panel has left it.
  const anchor = panelsAt(root, there).find((one) => one !== panel);
  const rest = anchor && without(root, panel);
  const path = rest && pathOf(rest, anchor);
  if (!rest || !path) return root;
  const put = (node: Node): Node => {
    if (edge) return beside(node, panel, edge);
    return isSplit(node) ? node : { panels: [...node.panels, panel], active: panel };
  };
  return changeAt(rest, path, put) ?? root;
}

function panelsAt(root: Node, path: Path): PanelName[] {
  let node: Node = root;
  for (const at of path) node = (isSplit(node) && node.children[at]) || node;
  return panelsOf(node);
}

/** Whether something that was stored is an arrangement of exactly these panels. */
export function isTree(value: unknown, all: readonly PanelName[]): value is Node {
  if (!isNode(value, 0)) return false;
  const names = panelsOf(value);
  return names.length === all.length && all.every((name) => names.includes(name));
}

const DEEPEST = 12;

function isNode(value: unknown, depth: number): value is Node {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  const node = value as Partial<Group & Split>;
  if (Array.isArray(node.panels)) return node.panels.length > 0 && node.panels.includes(node.active as PanelName);
  const { children, sizes, direction } = node;
  return (
    (direction === 'row' || direction === 'column') &&
    Array.isArray(children) &&
    Array.isArray(sizes) &&
    children.length > 1 &&
    sizes.length === children.length &&
    sizes.every((size) => typeof size === 'number' && Number.isFinite(size) && size > 0) &&
    children.every((child) => isNode(child, depth + 1))
  );
}
