// SPDX-License-Identifier: MIT
// The client: every read and write of the interface, /rpc, and streams.
import { type Transport, rpc } from './api.js';
import { ExchangeClock } from './clock.js';
import type { Connection } from './endpoints.js';
import { RpcError, SymbolNotFound } from './errors.js';
import { LiveBook } from './live-book.js';
import type { Signer } from './sign.js';
import type { ChainMethod, DevelopmentMethod } from './spec/codes.js';
import { GatewayEndpoints } from './spec/gateway.js';
import { PerpsEndpoints } from './spec/perps.js';
import { ProcessEndpoints } from './spec/process.js';
import { SpotEndpoints } from './spec/spot.js';
import { type Stream, openStream } from './stream.js';
import { patient } from './patient.js';
import { placesAt } from './places.js';
import type { Engine } from './types.js';
import { privateKeySigner } from './wallet.js';
import { type Channel, type Watched, watch } from './watch.js';

export interface ClientOptions {
  /** Where the exchange is, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Signs writes: a private key, or a signer. Without one the client only reads. */
  readonly privateKey?: string;
  readonly signer?: Signer;
  /** The chain id to sign for; the one that the exchange names, when not given. */
  readonly chainId?: number;
  /** Ends the questions after a lost reply of every write; OutcomeUnknown is thrown then. */
  readonly signal?: AbortSignal;
  /** A request has failed that has no whole answer after so many milliseconds; 15,000 when not given. */
  readonly timeout?: number;
  /** For so many milliseconds a lost reply of a write is asked for, until OutcomeUnknown; 60,000 when not given. */
  readonly outcomeTimeout?: number;
  readonly fetch?: Transport['fetch'];
  readonly webSocket?: (url: string) => WebSocket;
}

const TIMEOUT = 15_000;
const OUTCOME_TIMEOUT = 60_000;

const rootOf = (url: string): string => {
  const { protocol, origin } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${url}: an http or https address is needed`);
  return origin;
};

export class Client {
  readonly url: string;
  readonly signer: Signer | undefined;
  readonly clock = new ExchangeClock();
  readonly spot: SpotEndpoints;
  readonly perps: PerpsEndpoints;
  readonly gateway: GatewayEndpoints;
  readonly process: ProcessEndpoints;
  /** What a client of another signer shares with this one. */
  readonly options: ClientOptions;
  private readonly transport: Transport;
  private readonly streams = new Map<Engine, Stream>();
  private readonly ids = new Map<string, number>();
  private chain: Promise<number> | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
    this.url = rootOf(options.url);
    this.signer = options.signer ?? (options.privateKey ? privateKeySigner(options.privateKey) : undefined);
    const fetch: Transport['fetch'] = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.transport = { url: this.url, fetch: patient(fetch, options.timeout ?? TIMEOUT) };
    const { transport, clock, signer } = this;
    const { signal, outcomeTimeout = OUTCOME_TIMEOUT } = options;
    const chainId = () => this.chainId();
    const places = placesAt(this.url);
    const connection: Connection = { transport, clock, signer, signal, outcomeTimeout, places, chainId };
    this.spot = new SpotEndpoints(connection);
    this.perps = new PerpsEndpoints(connection);
    this.gateway = new GatewayEndpoints(connection);
    this.process = new ProcessEndpoints(connection);
  }

  /** The chain id to sign for (GET /version), read once. */
  chainId(): Promise<number> {
    this.chain ??=
      this.options.chainId === undefined
        ? this.process.version().then(({ chainID }) => chainID)
        : Promise.resolve(this.options.chainId);
    this.chain.catch(() => (this.chain = undefined)); // the next write asks again
    return this.chain;
  }

  /** A call of /rpc (JSON-RPC 2.0); throws RpcError. */
  async rpc<T>(method: ChainMethod | DevelopmentMethod | (string & {}), ...params: readonly unknown[]): Promise<T> {
    const reply = await rpc<T>(this.transport, method, params);
    if (!reply.ok) throw new RpcError(method, reply.code, reply.error, reply.details);
    return reply.data;
  }

  /** The id of a symbol by its name, read once; throws SymbolNotFound. */
  async symbolID(engine: Engine, symbol: string): Promise<number> {
    const known = this.ids.get(`${engine} ${symbol}`);
    if (known !== undefined) return known;
    for (const { id, name } of await this[engine].symbols()) this.ids.set(`${engine} ${name}`, id);
    const id = this.ids.get(`${engine} ${symbol}`);
    if (id === undefined) throw new SymbolNotFound(40401, 'symbol not found', { field: 'symbol', got: symbol });
    return id;
  }

  /** The stream of an engine, opened at its first use. It connects and subscribes again by itself until `close`. */
  stream(engine: Engine): Stream {
    let stream = this.streams.get(engine);
    if (!stream) {
      stream = openStream(engine, `${this.url.replace(/^http/, 'ws')}/ws/${engine}`, this.options.webSocket);
      this.streams.set(engine, stream);
    }
    return stream;
  }

  /** The pushes of a channel, for `for await`; ends with `signal` or `break`. */
  watch<C extends Channel>(
    engine: Engine,
    subscription: Watched<C>,
    signal?: AbortSignal,
  ): ReturnType<typeof watch<C>> {
    return watch<C>(this.stream(engine), subscription, signal);
  }

  /** A book of so many levels a side that is kept and healed; `await book.ready` for its first snapshot. */
  book(engine: Engine, symbol: string, depth: 10 | 20 | 100 | 500 | 1000 = 100): LiveBook {
    return new LiveBook(this.stream(engine), symbol, depth);
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.streams.values()) stream.close();
    this.streams.clear();
  }
}
