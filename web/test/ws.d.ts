// SPDX-License-Identifier: MIT
// The part of the package `ws` that tests use.
declare module 'ws' {
  const WebSocket: typeof globalThis.WebSocket;
  export default WebSocket;
}
