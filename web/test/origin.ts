// SPDX-License-Identifier: MIT
// Lets the code of the page, which asks its own origin, reach an exchange.
export function useOrigin(url: string): void {
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    plain(typeof input === 'string' && input.startsWith('/') ? url + input : input, init);
}
