// SPDX-License-Identifier: MIT
// What a person chose, kept in localStorage of this origin. Keys of accounts are never among it.
import { type Signal, effect, signal } from '@preact/signals-core';
import { type Language, language } from '../ui/i18n';

export type Theme = 'dark' | 'light' | 'system';
/** `standard` is green and red; `safe` is blue and orange, apart for colour-blind eyes. */
export type Palette = 'standard' | 'safe';

const PREFIX = 'dojima.';

/** A signal that is remembered under a name. What is stored and does not pass `valid` is dropped. */
export function remembered<T>(name: string, initial: T, valid: (value: unknown) => value is T): Signal<T> {
  const kept = signal<T>(initial);
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    if (valid(stored)) kept.value = stored;
  } catch {
    // A page without storage begins with the initial value each time.
  }
  let first = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(PREFIX + name, text);
    } catch {
      // Full or forbidden: the choice holds until the page is closed.
    }
  });
  return kept;
}

const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: unknown): value is T =>
    values.includes(value as T);

export const theme = remembered<Theme>('theme', 'system', oneOf('dark', 'light', 'system'));
export const palette = remembered<Palette>('palette', 'standard', oneOf('standard', 'safe'));

const languageKept = remembered<Language>(
  'language',
  typeof navigator !== 'undefined' && navigator.language.startsWith('ja') ? 'ja' : 'en',
  oneOf('en', 'ja'),
);
language.value = languageKept.value;

export function setLanguage(value: Language): void {
  languageKept.value = value;
  language.value = value;
}
