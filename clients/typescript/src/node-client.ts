// SPDX-License-Identifier: MIT
// The client of Node.js, which has had a WebSocket of its own from version 22 on.
import WebSocket from 'ws';
import { Client, type ClientOptions } from './client.js';

export class NodeClient extends Client {
  constructor(options: ClientOptions) {
    super({ webSocket: (url) => new WebSocket(url) as unknown as globalThis.WebSocket, ...options });
  }
}
