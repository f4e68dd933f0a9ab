// SPDX-License-Identifier: MIT
// Shortcuts: single keys that act outside of text boxes, all of them listed with `?`.
import { signal } from '@preact/signals-core';
import { useEffect } from 'preact/hooks';

export interface Shortcut {
  /** As the event says it (`b`, `/`, `?`, `Escape`), with `Alt+` or `Shift+` before it where needed. */
  readonly key: string;
  readonly title: () => string;
  readonly run: () => void;
}

/** In the order of their registration. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Adds a shortcut; returns its end. The newest one of a key acts. */
export function addShortcut(shortcut: Shortcut): () => void {
  shortcuts.value = [...shortcuts.value, shortcut];
  return () => {
    shortcuts.value = shortcuts.value.filter((one) => one !== shortcut);
  };
}

/** A shortcut while the component is shown. `run` of the first drawing is kept: let it read signals. */
export function useShortcut(key: string, title: () => string, run: () => void): void {
  useEffect(() => addShortcut({ key, title, run }), [key]);
}

const nameOf = (event: KeyboardEvent): string =>
  `${event.altKey ? 'Alt+' : ''}${event.shiftKey && event.key.length > 1 ? 'Shift+' : ''}${event.key}`;

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Listens to the whole page; once at the start. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented || takesText(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const found = shortcuts.value.findLast((one) => one.key === nameOf(event));
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}
