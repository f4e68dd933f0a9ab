// SPDX-License-Identifier: MIT
// Lets the code of the page run under node against an exchange: its own origin, its WebSocket, and frames.
import WebSocket from 'ws';

/** Connections that were made, for tests that cut them. */
export const sockets: globalThis.WebSocket[] = [];

export function connectTo(url: string): globalThis.WebSocket {
  const socket = new WebSocket(url);
  sockets.push(socket);
  return socket;
}

/** After this `fetch` of a path and streams of `location` reach the exchange at `url`. */
export function useOrigin(url: string): void {
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    plain(typeof input === 'string' && input.startsWith('/') ? url + input : input, init);
  const { host, protocol } = new URL(url);
  const frame = (work: () => void) => setTimeout(work, 0);
  Object.assign(globalThis, { location: { host, protocol, pathname: '/' }, requestAnimationFrame: frame });
  Object.assign(globalThis, {
    WebSocket: function (address: string) {
      return connectTo(address);
    },
  });
}
