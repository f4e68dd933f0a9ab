// SPDX-License-Identifier: MIT
// The package for Node.js: the client, and an exchange to start.
export * from './browser.js';
export { NoBinary, findBinary } from './binary.js';
export { type Deposit, Development, type Fault } from './development.js';
export { Exchange, ExchangeProcessError, startExchange } from './exchange.js';
export type { DevelopmentAccount, ExchangeOptions, Market } from './exchange.js';
export { NodeClient as Client } from './node-client.js';
