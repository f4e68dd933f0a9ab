// SPDX-License-Identifier: MIT
// Every theme and palette: text on its grounds has the contrast of WCAG AA (4.5), edges of controls 3.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('../src/ui/theme.css', import.meta.url), 'utf8');

/** The variables of the blocks whose selector is one of these, later ones over earlier ones. */
function variables(...selectors: string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, head = '', body = ''] of css.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    const names = head.replace(/\/\*[\s\S]*?\*\//g, '').split(',').map((one) => one.trim());
    if (!names.some((name) => selectors.includes(name))) continue;
    for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)) found.set(name, value);
  }
  return found;
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const LIGHT = ":root[data-theme='light']";
const SAFE = ":root[data-palette='safe']";
const COMBINATIONS: [string, string[]][] = [
  ['dark', [':root']],
  ['light', [':root', LIGHT]],
  ['dark safe', [':root', SAFE]],
  ['light safe', [':root', LIGHT, SAFE, `${LIGHT}[data-palette='safe']`]],
];

describe.each(COMBINATIONS)('%s', (_name, selectors) => {
  const colours = variables(...selectors);
  const of = (name: string) => colours.get(name) ?? '';
  const grounds = ['--ground', '--panel', '--raised'];
  const pairs: [string, string][] = ['--text', '--muted', '--accent', '--warn', '--buy', '--sell'].flatMap((text) =>
    grounds.map((ground): [string, string] => [text, ground]),
  );
  pairs.push(['--on-fill', '--buy-fill'], ['--on-fill', '--sell-fill']);
  test.each(pairs)('%s on %s', (text, ground) => {
    expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(4.5);
  });
  test.each(grounds)('edges on %s', (ground) => {
    expect(contrast(of('--edge'), of(ground))).toBeGreaterThanOrEqual(3);
  });
});

test('the measure itself', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
});
