// SPDX-License-Identifier: MIT
// The colours of the chart, from the variables of the theme.
import type { LineKind } from './lines';

export interface Palette {
  readonly buy: string;
  readonly sell: string;
  readonly text: string;
  readonly muted: string;
  readonly panel: string;
  readonly line: string;
  readonly accent: string;
  readonly warn: string;
}

const NAMES = ['buy', 'sell', 'text', 'muted', 'panel', 'line', 'accent', 'warn'] as const;

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const entries = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim() || '#888888']);
  return Object.fromEntries(entries) as Record<(typeof NAMES)[number], string>;
}

/** The variable of a line's colour. */
export function variableOf(kind: LineKind, side: 'BUY' | 'SELL'): keyof Palette {
  if (kind === 'liquidation') return 'warn';
  if (kind === 'entry') return 'accent';
  if (kind === 'stop-loss') return 'sell';
  if (kind === 'take-profit') return 'buy';
  return side === 'BUY' ? 'buy' : 'sell';
}

/** A colour with an alpha in two hexadecimal digits, where the theme gives #rrggbb. */
export const faint = (colour: string, alpha: string): string =>
  /^#[0-9a-f]{6}$/i.test(colour) ? colour + alpha : colour;
