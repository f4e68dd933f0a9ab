// SPDX-License-Identifier: MIT
// Prices, sizes and money in requests: text, a bigint or a Decimal, and never a floating-point number.
import { type Decimal, format, parseDecimal } from './decimal.js';
import { DECIMALS } from './spec/codes.js';

/** A decimal of the interface: digits with at most one point, no exponent. */
export type Text = string;

/** What may be given as a decimal. */
export type Amount = Text | bigint | Decimal;

/** A decimal that was given as a number or in another form; nothing was sent. */
export class InvalidAmount extends TypeError {
  override readonly name = 'InvalidAmount';
  constructor(
    /** The key at fault. */
    readonly field: string,
    readonly value: unknown,
    why: string,
  ) {
    super(`${field}: ${why}`);
  }
}

const isDecimal = (value: unknown): value is Decimal =>
  typeof value === 'object' && value !== null && typeof (value as Decimal).units === 'bigint';

/** The text of an amount; throws InvalidAmount. */
export function amountText(value: unknown, field: string): Text {
  if (typeof value === 'bigint') return value.toString();
  if (isDecimal(value)) return format(value);
  if (typeof value === 'number')
    throw new InvalidAmount(field, value, `${value} is a floating-point number, which is not exact: give '${value}'`);
  if (typeof value !== 'string' || !parseDecimal(value))
    throw new InvalidAmount(field, value, `${JSON.stringify(value) ?? String(value)} is no decimal such as '0.25'`);
  return value;
}

/** A body with its decimals as text, and what is undefined left out. Throws InvalidAmount. */
export function withTexts(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withTexts);
  if (typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, DECIMALS.has(key) ? amountText(value, key) : withTexts(value)]);
  return Object.fromEntries(entries);
}
