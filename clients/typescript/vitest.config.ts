// SPDX-License-Identifier: MIT
// The tests of test/*.test.ts; those of test/node run under node:test (test/fixtures.test.ts starts them).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/*.test.ts'], environment: 'node', testTimeout: 60_000, hookTimeout: 60_000 },
});
