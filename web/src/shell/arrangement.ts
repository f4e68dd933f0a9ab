// SPDX-License-Identifier: MIT
// The present arrangement of the panels, remembered, and what the keyboard and the mouse do to it.
import { signal } from '@preact/signals-core';
import type { PanelName } from '../panels/panels';
import { remembered } from '../state/prefs';
import { type Node, STANDARD, activate, isTree, panelsOf } from './tree';

const ALL = panelsOf(STANDARD);

export const arrangement = remembered<Node>('layout', STANDARD, (value): value is Node => isTree(value, ALL));

/** The panel that a phone shows. */
export const phonePanel = signal<PanelName>('chart');

export const resetArrangement = (): void => {
  arrangement.value = STANDARD;
};

/** Narrower than this the panels are tabs, one at a time. */
const narrowQuery = matchMedia('(max-width: 760px)');
export const narrow = signal(narrowQuery.matches);
narrowQuery.addEventListener('change', () => {
  narrow.value = narrowQuery.matches;
});

/** Shows a panel wherever it is, and puts the focus into it. */
export function reveal(panel: PanelName): void {
  phonePanel.value = panel;
  arrangement.value = activate(arrangement.value, panel);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`section[data-panel='${panel}']`)?.focus());
}
