// SPDX-License-Identifier: MIT
// The built package under node:test, and as a browser would get it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { binary } from './binary.js';

const run = promisify(execFile);

describe.skipIf(!binary)('node:test', () => {
  test('its fixtures trade, and the file ends', async () => {
    const { stdout } = await run(process.execPath, ['--test', resolve('test/node/fixtures.mjs')]);
    expect(stdout).toMatch(/pass [13]/);
    expect(stdout).toMatch(/fail 0/);
  });
});

test('nothing that a browser gets imports a module of Node.js', () => {
  const seen = new Set<string>();
  const look = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(resolve('src', file), 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:from|import\() ?'([^']+)'/g)) {
      if (from.startsWith('.')) look(resolve('src', file, '..', from).replace(/\.js$/, '.ts'));
      else expect(from, file).toMatch(/^viem(\/accounts)?$/);
    }
  };
  look('browser.ts');
  expect(seen.size).toBeGreaterThan(15);
});
