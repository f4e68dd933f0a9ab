// SPDX-License-Identifier: MIT
// Decimals against whole-number arithmetic at a common scale, and the texts on both sides of each bound.
import { describe, expect, test } from 'vitest';
import {
  type Decimal,
  type Rounding,
  add,
  compare,
  decimal,
  divide,
  format,
  isMultiple,
  multiply,
  parseDecimal,
  placesOf,
  show,
  subtract,
  toScale,
  toStep,
} from '../src/core/decimal';
import { random } from './random';

describe('parse', () => {
  test.each([
    ['0', 0n, 0],
    ['-0', 0n, 0],
    ['007', 7n, 0],
    ['1.50', 150n, 2],
    ['.5', 5n, 1],
    ['5.', 5n, 0],
    ['-12.034', -12034n, 3],
    ['9'.repeat(80), BigInt('9'.repeat(80)), 0],
  ])('%s', (text, units, scale) => {
    expect(parseDecimal(text)).toEqual({ units, scale });
  });
  test.each(['', '.', '-', '-.', '+1', '1e3', '1,5', ' 1', '1 ', '0x10', '1.2.3', 'NaN', '１', '9'.repeat(81)])(
    'refuses %j',
    (text) => expect(parseDecimal(text)).toBeUndefined(),
  );
  test('a text of the exchange that is none is a fault', () => {
    expect(() => decimal('1e3')).toThrow('not a decimal');
  });
});

test.each([
  ['1.500', '1.5'],
  ['100', '100'],
  ['100.0', '100'],
  ['-0.0', '0'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['-3.10', '-3.1'],
])('format of %s is %s', (text, normal) => {
  expect(format(decimal(text))).toBe(normal);
});

test.each<[string, Parameters<typeof show>[1], string]>([
  ['1234567.891', {}, '1,234,567.891'],
  ['1234567.891', { places: 2 }, '1,234,567.89'],
  ['-0.009', { places: 2 }, '0.00'],
  ['-1234.5', { places: 2 }, '\u22121,234.50'],
  ['0.005', { places: 2, rounding: 'half' }, '0.01'],
  ['5', { plus: true }, '+5'],
  ['0', { plus: true }, '0'],
  ['1000', { groups: false }, '1000'],
  ['999', {}, '999'],
])('show %s with %j is %s', (text, shape, shown) => {
  expect(show(decimal(text), shape)).toBe(shown);
});

const ROUNDED: [string, Record<Rounding, string>][] = [
  ['2.4', { down: '2', up: '3', floor: '2', ceil: '3', half: '2' }],
  ['2.5', { down: '2', up: '3', floor: '2', ceil: '3', half: '3' }],
  ['-2.5', { down: '-2', up: '-3', floor: '-3', ceil: '-2', half: '-3' }],
  ['-2.4', { down: '-2', up: '-3', floor: '-3', ceil: '-2', half: '-2' }],
  ['2', { down: '2', up: '2', floor: '2', ceil: '2', half: '2' }],
];
describe.each(ROUNDED)('%s without decimals', (text, expected) => {
  test.each(Object.entries(expected) as [Rounding, string][])('%s', (rounding, result) => {
    expect(format(toScale(decimal(text), 0, rounding))).toBe(result);
    expect(format(divide(decimal(text), decimal('1'), 0, rounding))).toBe(result);
    expect(format(toStep(decimal(text), decimal('1'), rounding))).toBe(result);
  });
});

test('steps', () => {
  expect(format(toStep(decimal('100.26'), decimal('0.5'), 'down'))).toBe('100');
  expect(format(toStep(decimal('100.26'), decimal('0.5'), 'half'))).toBe('100.5');
  expect(isMultiple(decimal('100.5'), decimal('0.5'))).toBe(true);
  expect(isMultiple(decimal('100.51'), decimal('0.5'))).toBe(false);
  expect(placesOf('0.001')).toBe(3);
  expect(placesOf('10')).toBe(0);
  expect(() => divide(decimal('1'), decimal('0'), 2, 'down')).toThrow('zero');
});

describe('arithmetic equals whole numbers at one scale', () => {
  const SCALE = 12n;
  const whole = ({ units, scale }: Decimal): bigint => units * 10n ** (SCALE - BigInt(scale));
  test.each([1, 2, 3])('seed %i', (seed) => {
    const dice = random(seed);
    const draw = (): Decimal => ({
      units: BigInt(Math.floor((dice() - 0.5) * 2 ** 50)) * BigInt(Math.floor(dice() * 2 ** 40)),
      scale: Math.floor(dice() * 7),
    });
    for (let i = 0; i < 2000; i++) {
      const [a, b] = [draw(), draw()];
      expect(whole(add(a, b))).toBe(whole(a) + whole(b));
      expect(whole(subtract(a, b))).toBe(whole(a) - whole(b));
      expect(multiply(a, b).units).toBe(a.units * b.units);
      expect(compare(a, b)).toBe(whole(a) < whole(b) ? -1 : whole(a) > whole(b) ? 1 : 0);
      expect(compare(decimal(format(a)), a)).toBe(0);
      if (b.units === 0n) continue;
      const down = divide(a, b, 6, 'floor');
      const rest = whole(a) * 10n ** SCALE * 10n ** 6n - down.units * whole(b) * 10n ** SCALE;
      const size = whole(b) * 10n ** SCALE;
      expect(size > 0n ? rest >= 0n && rest < size : rest <= 0n && rest > size).toBe(true);
    }
  });
});
