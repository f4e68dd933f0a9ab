// SPDX-License-Identifier: MIT
// Commas in a box for a decimal: what groups thousands, as this page writes them, and what stands for the point.
import { expect, test } from 'vitest';
import { decimal, show } from '../src/core/decimal';
import { typedDecimal } from '../src/ui/typed';

test.each([
  ['10,000', '10000'],
  ['1,234.5', '1234.5'],
  ['1,000,000.25', '1000000.25'],
  ['-1,000', '-1000'],
  ['1,234,567', '1234567'],
  ['100,000.', '100000.'],
  [' 10,000 vUSDC', '10000'],
])('%s has groups', (text, read) => expect(typedDecimal(text)).toBe(read));

test.each([
  ['0,25', '0.25'],
  ['0,250', '0.250'],
  ['00,250', '00.250'],
  ['12,5', '12.5'],
  ['1,', '1.'],
  ['1000,250', '1000.250'],
  [',500', '.500'],
  ['1.5', '1.5'],
])('%s has a point', (text, read) => expect(typedDecimal(text)).toBe(read));

test.each(['1,2,3', '1,23,456', '1.234,5', '1,234,56'])('%s is no decimal', (text) =>
  expect(typedDecimal(text)).toMatch(/\..*\./),
);

test('what the page shows is read as it is', () => {
  for (const text of ['1', '999', '1000', '10000', '98765.4', '1234567.25', '0.001'])
    expect(typedDecimal(show(decimal(text)))).toBe(text);
});
