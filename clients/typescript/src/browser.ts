// SPDX-License-Identifier: MIT
// The client without anything of Node.js.
export { Account, PerpsTrading, SpotTrading } from './account.js';
export type { Changes, ItemError, OrderName, Placed } from './account.js';
export { InvalidAmount, type Amount } from './amount.js';
export type { Query, Reply, Transport } from './api.js';
export { type Book, type BookKeeper, type BookLevel, openBook } from './book.js';
export { Client, type ClientOptions } from './client.js';
export { ExchangeClock } from './clock.js';
export * from './decimal.js';
export type { Executed, WriteChoices } from './endpoints.js';
export * from './errors.js';
export { LiveBook } from './live-book.js';
export type { BracketStops, NewOrder, NewPerpsOrder } from './orders.js';
export type { Domain, Signer, ToSign } from './sign.js';
export { CODES, type ChainMethod, type Code, type DevelopmentMethod } from './spec/codes.js';
export type * as Spec from './spec/types.js';
export type { Link, Listener, Push, Stream, Subscription } from './stream.js';
export * from './types.js';
export { addressOf, newPrivateKey, privateKeySigner, typedDataOf, walletSigner } from './wallet.js';
export type { KeyOf, TypedData, TypedDataSigner } from './wallet.js';
export type { Channel, Channels, Watched, Watching } from './watch.js';
export type { Place, SentWrite } from './write.js';
