// SPDX-License-Identifier: MIT
// The program of tests: DOJIMA, or the one that is built beside these sources. Undefined where there is none.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const built = process.env['DOJIMA'] ?? resolve(process.cwd(), '..', '..', 'build', 'release', 'dojima');
/** Builds with sanitizers are too slow for these tests, which wait for streams. */
export const binary: string | undefined = existsSync(built) && !process.env['E2E_INSTRUMENTED'] ? built : undefined;
if (binary !== undefined) process.env['DOJIMA_BINARY'] = binary;
