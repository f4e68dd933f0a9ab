// SPDX-License-Identifier: MIT
// What every browser has and Node.js 18, that of Debian 12, has under another name.
import { webcrypto } from 'node:crypto';

if (globalThis.crypto === undefined) Object.defineProperty(globalThis, 'crypto', { value: webcrypto });
