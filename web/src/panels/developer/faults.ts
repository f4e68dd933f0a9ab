// SPDX-License-Identifier: MIT
// Rules of faults (docs/chaos.md): which keys a fault takes, and the rule that a form says.

export interface Form {
  fault: string;
  path: string;
  channel: string;
  symbol: string;
  probability: string;
  count: string;
  ms: string;
}

export type Key = Exclude<keyof Form, 'fault'>;

export interface Rule {
  id: number;
  fault: string;
  matched: number;
  acted: number;
  [key: string]: unknown;
}

const REQUEST: Key[] = ['path', 'probability', 'count'];
const MESSAGE: Key[] = ['channel', 'probability', 'count'];

/** The keys that the form offers for each fault. */
export const FAULTS: Record<string, Key[]> = {
  '429': REQUEST,
  '503': REQUEST,
  '500': REQUEST,
  delay: ['ms', ...REQUEST],
  'drop-reply': REQUEST,
  'reset-before': REQUEST,
  'reset-after': REQUEST,
  skew: ['ms'],
  cut: MESSAGE,
  skip: MESSAGE,
  repeat: MESSAGE,
  stall: ['ms', ...MESSAGE],
  'stale-index': ['symbol'],
  'slow-fsync': ['ms', 'probability', 'count'],
};

export const EMPTY: Form = { fault: '429', path: '', channel: '', symbol: '', probability: '', count: '', ms: '' };

const NUMBERS = new Set<Key>(['probability', 'count', 'ms']);

/** The parameter of dojima_chaosAdd. A text that is no number is sent as it is: the exchange says what is wrong. */
export function ruleOf(form: Form): Record<string, string | number> {
  const rule: Record<string, string | number> = { fault: form.fault };
  for (const key of FAULTS[form.fault] ?? []) {
    const text = form[key].trim();
    if (text === '') continue;
    rule[key] = NUMBERS.has(key) && /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text;
  }
  return rule;
}

/** What restricts a rule, in words: 'path orders, count 1'. */
export function scopeOf(rule: Rule): string {
  const about = new Set(['id', 'fault', 'matched', 'acted', 'seed']);
  return Object.entries(rule)
    .filter(([key]) => !about.has(key))
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
}

/** Rules that a trader meets most, each set by one button. */
export const PRESETS: [name: string, rule: Record<string, string | number>][] = [
  ['lost', { fault: 'drop-reply', path: 'trade/', method: 'POST', count: 1 }],
  ['limited', { fault: '429', path: 'trade/', count: 3 }],
  ['cut', { fault: 'cut', count: 1 }],
  ['slow', { fault: 'delay', ms: 500, path: 'trade/' }],
];
