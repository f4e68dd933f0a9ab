// SPDX-License-Identifier: MIT
// Texts in both languages side by side. A file of a panel says
//     export const say = messages({ close: { en: 'Close', ja: '閉じる' }, left: { en: '{n} left', ja: '残り {n}' } });
// and a component calls say.left({ n: '3' }), which is drawn again when the language changes.
import { signal } from '@preact/signals-core';

export type Language = 'en' | 'ja';
export type Message = Readonly<Record<Language, string>>;
export type Say = (values?: Readonly<Record<string, string | number>>) => string;

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };

/** Set through prefs. */
export const language = signal<Language>('en');

const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => (name in values ? String(values[name]) : all));

export function messages<T extends Readonly<Record<string, Message>>>(table: T): Readonly<Record<keyof T, Say>> {
  const entries = Object.entries(table).map(([name, message]): [string, Say] => [
    name,
    (values) => (values ? fill(message[language.value], values) : message[language.value]),
  ]);
  return Object.fromEntries(entries) as Record<keyof T, Say>;
}
