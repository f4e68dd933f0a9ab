// SPDX-License-Identifier: MIT
// Reads and calls of the page's own origin. Writes are in write.ts.
import {
  type Query,
  type Reply,
  type Transport,
  basePath,
  get as getBy,
  rpc as rpcBy,
} from '../../../clients/typescript/src/api';
import type { Engine } from './types';

export { type Answered, type Query, type Refused, type Reply, readEnvelope } from '../../../clients/typescript/src/api';

/** The exchange that the page came from. */
export const page: Transport = { url: '', fetch: (url, init) => fetch(url, init) };

/** A read; `path` begins with `/`. Never throws: what went wrong is in the reply. */
export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<Reply<T>> =>
  getBy<T>(page, path, query, signal);

/** A read of one engine: `getOf('perps', '/markets/symbols')`. */
export const getOf = <T>(engine: Engine, path: string, query?: Query, signal?: AbortSignal): Promise<Reply<T>> =>
  get<T>(basePath(engine) + path, query, signal);

/** A call of /rpc. A JSON-RPC error is a refusal with its code. */
export const rpc = <T>(method: string, params?: readonly unknown[], signal?: AbortSignal): Promise<Reply<T>> =>
  rpcBy<T>(page, method, params, signal);
