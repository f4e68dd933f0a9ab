// SPDX-License-Identifier: MIT
// Exact decimals: prices, sizes and money are never a floating-point number. A value is units * 10^-scale.

export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** `down` is towards zero, `up` away from it; `half` is to the nearest, half away from zero. */
export type Rounding = 'down' | 'up' | 'floor' | 'ceil' | 'half';

/** The most digits that a text may have; longer ones are refused, so that no input costs unbounded time. */
const MOST_DIGITS = 80;
const PLAIN = /^(-?)(\d*)(?:\.(\d*))?$/;

const powers: bigint[] = [1n];
function power(exponent: number): bigint {
  for (let i = powers.length; i <= exponent; i++) powers.push((powers[i - 1] as bigint) * 10n);
  return powers[exponent] as bigint;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const ONE: Decimal = { units: 1n, scale: 0 };

/** A decimal of units * 10^-scale; scale is a whole number of at least 0. */
export function decimalOf(units: bigint, scale = 0): Decimal {
  return { units, scale };
}

/** Reads plain notation: digits, at most one point, an optional minus. Anything else is undefined. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = PLAIN.exec(text);
  if (!match || text.length > MOST_DIGITS) return undefined;
  const whole = match[2] ?? '';
  const fraction = match[3] ?? '';
  if (whole === '' && fraction === '') return undefined;
  const units = BigInt(whole + fraction);
  return { units: match[1] === '-' ? -units : units, scale: fraction.length };
}

/** The same for a text of the exchange, where anything else is a fault: throws. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`not a decimal: ${JSON.stringify(text.slice(0, MOST_DIGITS))}`);
  return value;
}

/** Units of `value` at a scale that is not smaller than its own. */
function unitsAt(value: Decimal, scale: number): bigint {
  return scale === value.scale ? value.units : value.units * power(scale - value.scale);
}

export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = unitsAt(a, scale);
  const right = unitsAt(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export const equal = (a: Decimal, b: Decimal): boolean => compare(a, b) === 0;
export const less = (a: Decimal, b: Decimal): boolean => compare(a, b) < 0;
export const isZero = (value: Decimal): boolean => value.units === 0n;
export const signOf = (value: Decimal): -1 | 0 | 1 => (value.units < 0n ? -1 : value.units > 0n ? 1 : 0);
export const negate = (value: Decimal): Decimal => ({ units: -value.units, scale: value.scale });
export const absolute = (value: Decimal): Decimal => (value.units < 0n ? negate(value) : value);
export const smaller = (a: Decimal, b: Decimal): Decimal => (less(b, a) ? b : a);
export const larger = (a: Decimal, b: Decimal): Decimal => (less(a, b) ? b : a);

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b));

export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  units: a.units * b.units,
  scale: a.scale + b.scale,
});

/** The quotient of two whole numbers, rounded; the divisor is not 0. */
function quotient(top: bigint, bottom: bigint, rounding: Rounding): bigint {
  const negative = top < 0n !== bottom < 0n;
  const over = top < 0n ? -top : top;
  const under = bottom < 0n ? -bottom : bottom;
  const whole = over / under;
  const rest = over % under;
  const away =
    rest !== 0n &&
    (rounding === 'up' ||
      (rounding === 'floor' && negative) ||
      (rounding === 'ceil' && !negative) ||
      (rounding === 'half' && rest * 2n >= under));
  const size = away ? whole + 1n : whole;
  return negative ? -size : size;
}

/** a / b with so many decimals. b is not zero: a division by it throws. */
export function divide(a: Decimal, b: Decimal, scale: number, rounding: Rounding): Decimal {
  if (isZero(b)) throw new Error('division by zero');
  return { units: quotient(a.units * power(scale + b.scale), b.units * power(a.scale), rounding), scale };
}

/** The value with exactly so many decimals. */
export function toScale(value: Decimal, scale: number, rounding: Rounding): Decimal {
  if (scale >= value.scale) return { units: unitsAt(value, scale), scale };
  return { units: quotient(value.units, power(value.scale - scale), rounding), scale };
}

/** The multiple of `step` (above 0) beside the value. */
export function toStep(value: Decimal, step: Decimal, rounding: Rounding): Decimal {
  return multiply(divide(value, step, 0, rounding), step);
}

export function isMultiple(value: Decimal, step: Decimal): boolean {
  if (isZero(step)) return true;
  const scale = Math.max(value.scale, step.scale);
  return unitsAt(value, scale) % unitsAt(step, scale) === 0n;
}

function digits(value: Decimal): string {
  const all = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0');
  const whole = all.slice(0, all.length - value.scale);
  return value.scale === 0 ? whole : `${whole}.${all.slice(all.length - value.scale)}`;
}

/** Normal form of the interface (wire 3.2): no trailing zeros, no exponent, `0` for zero. */
export function format(value: Decimal): string {
  if (value.units === 0n) return '0';
  const text = digits(value);
  const short = value.scale === 0 ? text : text.replace(/\.?0+$/, '');
  return value.units < 0n ? `-${short}` : short;
}

export interface Shape {
  /** Digits behind the point; absent: as many as the value has. */
  readonly places?: number;
  /** Default `down`: what is shown is never more than there is. */
  readonly rounding?: Rounding;
  /** A plus before what is above zero. */
  readonly plus?: boolean;
  /** Thousands are apart (default true). */
  readonly groups?: boolean;
}

/** For people: `12,345.60`, with a real minus sign. */
export function show(value: Decimal, shape: Shape = {}): string {
  const cut = shape.places === undefined ? value : toScale(value, shape.places, shape.rounding ?? 'down');
  const [whole = '0', fraction] = digits(cut).split('.');
  const apart = shape.groups === false ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const sign = cut.units < 0n ? '\u2212' : shape.plus && cut.units > 0n ? '+' : '';
  return `${sign}${apart}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The number of decimals in a step such as `0.01` (2) or `10` (0). */
export function placesOf(step: string): number {
  const point = step.indexOf('.');
  return point < 0 ? 0 : step.length - point - 1;
}

/** A floating-point number for a place on the screen, and for nothing that is computed with. */
export function toPixelScale(value: Decimal): number {
  return Number(format(value));
}
