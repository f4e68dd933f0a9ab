// SPDX-License-Identifier: MIT
// Whole numbers of the exchange: a price, a size or an amount is a bigint of its smallest unit (mechanics 1.1).
// Only what a person reads or types is text; no number here is ever a float.

const PLAIN = /^(\d+)(?:\.(\d*))?$|^\.(\d+)$/;

export type Read = { ok: true; units: bigint } | { ok: false; why: 'empty' | 'syntax' | 'decimals' };

/** Text into units of 10^-scale. Zeros at the end do not count as decimals (ruling 5); a sign is no plain decimal. */
export function readUnits(text: string, scale: number): Read {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, why: 'empty' };
  const match = PLAIN.exec(trimmed);
  if (match === null) return { ok: false, why: 'syntax' };
  const whole = match[1] ?? '0';
  const fraction = (match[2] ?? match[3] ?? '').replace(/0+$/, '');
  if (fraction.length > scale) return { ok: false, why: 'decimals' };
  return { ok: true, units: BigInt(whole + fraction.padEnd(scale, '0')) };
}

/** A decimal that the exchange published, with a sign perhaps, into units; decimals beyond the scale are cut off. */
export function unitsOf(text: string | null | undefined, scale: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text ?? '0');
  if (match === null) throw new Error(`no decimal: ${String(text)}`);
  const fraction = (match[3] ?? '').slice(0, scale).padEnd(scale, '0');
  const units = BigInt(match[2] + fraction);
  return match[1] === '-' ? -units : units;
}

/** Units as the exchange writes them: no zeros at the end, never "-0". */
export function textOf(units: bigint, scale: number): string {
  const digits = abs(units)
    .toString()
    .padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? '' : digits.slice(digits.length - scale).replace(/0+$/, '');
  return (units < 0n ? '-' : '') + whole + (fraction === '' ? '' : '.' + fraction);
}

export function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

export function abs(a: bigint): bigint {
  return a < 0n ? -a : a;
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Rounded down, also below zero; b is above zero. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n ? quotient - 1n : quotient;
}

/** Rounded up, also below zero; b is above zero. */
export function ceilDiv(a: bigint, b: bigint): bigint {
  return -floorDiv(-a, b);
}
