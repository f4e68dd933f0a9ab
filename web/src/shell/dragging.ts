// SPDX-License-Identifier: MIT
// Dragging a panel by its tab: where it would land is shown, and Escape gives up.
import { signal } from '@preact/signals-core';
import type { PanelName } from '../panels/panels';
import { arrangement } from './arrangement';
import { type Edge, move } from './tree';

export interface Landing {
  /** A panel of the group where it lands. */
  readonly target: PanelName;
  /** Undefined: among the tabs of the group. */
  readonly edge: Edge | undefined;
}

export const dragged = signal<PanelName | undefined>(undefined);
export const landing = signal<Landing | undefined>(undefined);

const FURTHEST_CLICK = 6;
const EDGE_SHARE = 0.25;

/** The part of a group under the pointer: its edges, or its middle and its tabs. */
function edgeAt(box: DOMRect, x: number, y: number, tabs: number): Edge | undefined {
  if (y - box.top < tabs) return undefined;
  const across = (x - box.left) / box.width;
  const down = (y - box.top) / box.height;
  const distances: [number, Edge][] = [
    [across, 'left'],
    [1 - across, 'right'],
    [down, 'top'],
    [1 - down, 'bottom'],
  ];
  const [nearest, edge] = distances.reduce((a, b) => (b[0] < a[0] ? b : a));
  return nearest < EDGE_SHARE ? edge : undefined;
}

function landingAt(x: number, y: number): Landing | undefined {
  const group = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-group]');
  const target = group?.dataset['group'] as PanelName | undefined;
  if (!group || !target) return undefined;
  const tabs = group.querySelector<HTMLElement>('[role=tablist]')?.offsetHeight ?? 0;
  return { target, edge: edgeAt(group.getBoundingClientRect(), x, y, tabs) };
}

const equal = (a: Landing | undefined, b: Landing | undefined): boolean =>
  a?.target === b?.target && a?.edge === b?.edge;

/** Begins with the pointer down on the tab of a panel; less than a few pixels of movement stay a click. */
export function beginDrag(panel: PanelName, down: PointerEvent): void {
  if (down.button !== 0 || down.pointerType === 'touch') return;
  const end = new AbortController();
  const finish = () => {
    end.abort();
    dragged.value = undefined;
    landing.value = undefined;
  };
  const onMove = (event: PointerEvent) => {
    const far = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > FURTHEST_CLICK;
    if (!dragged.value && !far) return;
    dragged.value = panel;
    const next = landingAt(event.clientX, event.clientY);
    if (!equal(next, landing.value)) landing.value = next;
  };
  const onUp = () => {
    const place = landing.value;
    if (dragged.value && place) arrangement.value = move(arrangement.value, panel, place.target, place.edge);
    finish();
  };
  const { signal: until } = end;
  addEventListener('pointermove', onMove, { signal: until });
  addEventListener('pointerup', onUp, { signal: until });
  addEventListener('pointercancel', finish, { signal: until });
  addEventListener('keydown', (event) => event.key === 'Escape' && finish(), { signal: until });
}

const KEY_EDGES: Readonly<Record<string, Edge>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'top',
  ArrowDown: 'bottom',
};

/** The nearest group on a side of a box, by the middle of both, among those that lie beside it. */
function neighbour(box: DOMRect, edge: Edge): PanelName | undefined {
  let best: { distance: number; name: PanelName } | undefined;
  for (const group of document.querySelectorAll<HTMLElement>('[data-group]')) {
    const other = group.getBoundingClientRect();
    const x = other.left + other.width / 2 - (box.left + box.width / 2);
    const y = other.top + other.height / 2 - (box.top + box.height / 2);
    const ahead = { left: -x, right: x, top: -y, bottom: y }[edge];
    const across = edge === 'left' || edge === 'right';
    const beside = across
      ? other.top < box.bottom && other.bottom > box.top
      : other.left < box.right && other.right > box.left;
    const distance = ahead + Math.abs(across ? y : x);
    if (beside && ahead > 8 && (!best || distance < best.distance))
      best = { distance, name: group.dataset['group'] as PanelName };
  }
  return best?.name;
}

/** Ctrl+Shift+arrow on a tab: into the group on that side, or where there is none beside its own group. */
export function moveByKey(panel: PanelName, event: KeyboardEvent): void {
  const edge = KEY_EDGES[event.key];
  const tab = event.target as HTMLElement;
  const group = tab.closest<HTMLElement>('[data-group]');
  if (!edge || !group || !event.ctrlKey || !event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  const target = neighbour(group.getBoundingClientRect(), edge);
  arrangement.value = target
    ? move(arrangement.value, panel, target)
    : move(arrangement.value, panel, panel, edge);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[role=tab][data-tab='${panel}']`)?.focus());
}
