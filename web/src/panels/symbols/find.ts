// SPDX-License-Identifier: MIT
// Searching the list of symbols, and the texts of its figures.
import { type Decimal, decimal, multiply, show } from '../../core/decimal';
import type { Engine } from '../../core/types';

export type Kind = 'all' | Engine;

interface Named {
  readonly engine: Engine;
  readonly name: string;
  readonly displayName: string;
  readonly base: string;
}

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The symbols of a kind with the text in a name; those whose name begins with it are first. */
export function found<T extends Named>(list: readonly T[], text: string, kind: Kind): T[] {
  const wanted = plain(text);
  const names = (one: T): string[] => [plain(one.displayName), plain(one.name), plain(one.base)];
  const kept = list.filter(
    (one) => (kind === 'all' || one.engine === kind) && names(one).some((name) => name.includes(wanted)),
  );
  const begins = (one: T): number => (names(one).some((name) => name.startsWith(wanted)) ? 0 : 1);
  return kept.sort((a, b) => begins(a) - begins(b));
}

const HUNDRED: Decimal = { units: 100n, scale: 0 };

/** A funding rate as percent: `+0.0100%`. */
export const rateText = (rate: string): string =>
  `${show(multiply(decimal(rate), HUNDRED), { places: 4, rounding: 'half', plus: true })}%`;

/** Time that is left: `59:07` or `1:02:09`; `0:00` when it is over. */
export function leftText(ms: number): string {
  const all = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

const twoPlaces = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The change of 24 hours, which the interface sends as a number of percent: `+1.25%`, `−0.04%`, `0.00%`. */
export function percentText(percent: number): string {
  const size = twoPlaces.format(Math.abs(percent));
  return `${size === '0.00' ? '' : percent < 0 ? '−' : '+'}${size}%`;
}
