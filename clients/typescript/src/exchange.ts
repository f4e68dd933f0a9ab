// SPDX-License-Identifier: MIT
// A whole exchange for a test: a process that ends with this one, however this one ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { Account } from './account.js';
import { NoBinary, findBinary, foreignArchitecture } from './binary.js';
import type { Client, ClientOptions } from './client.js';
import { Development } from './development.js';
import { NodeClient } from './node-client.js';

export type Market = 'calm' | 'trend' | 'volatile' | 'crash' | 'thin' | 'empty' | 'none' | 'silent';

export interface ExchangeOptions {
  /** A free one, when not given. */
  readonly port?: number;
  /** Who trades: `none`, the default, means nobody, and index prices stand until they are set (docs/market.md). */
  readonly market?: Market;
  readonly seed?: number;
  /** 0 stands, and 1, the default, is the wall clock. */
  readonly clock?: number;
  /** Engine time that it begins at, Unix seconds. */
  readonly timestamp?: number;
  /** Candles of so long before the beginning, such as 30d. */
  readonly history?: string;
  /** Keeps the state in this folder; else in a temporary one that goes away. */
  readonly data?: string;
  /** Request limits as in production; without them, when not given. */
  readonly limits?: boolean;
  /** More arguments of `dojima dev`. */
  readonly arguments?: readonly string[];
  /** The program; found by findBinary, when not given. */
  readonly binary?: string;
  /** The start fails after so many milliseconds; 30,000 when not given. */
  readonly timeout?: number;
}

/** An account that a development exchange begins with: its key is public. */
export interface DevelopmentAccount {
  readonly accountID: number;
  readonly address: string;
  readonly privateKey: string;
}

interface Banner {
  readonly url: string;
  readonly data: string;
  readonly chainIds: readonly number[];
  readonly accounts: readonly DevelopmentAccount[];
}

/** The exchange did not start, or its process ended. `output` is what it said. */
export class ExchangeProcessError extends Error {
  override readonly name = 'ExchangeProcessError';
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(output.trim() === '' ? message : `${message}: ${output.trim()}`);
  }
}

const MOST_OUTPUT = 16_384;

/** A connection that breaks may be told before the end of the process: so long it is waited for, ms. */
const END_IS_TOLD = 200;

function argumentsOf(options: ExchangeOptions): string[] {
  const all: string[] = ['dev', '--json', '--until-stdin-closes', '--port', String(options.port ?? 0)];
  all.push('--market', options.market ?? 'none');
  for (const name of ['seed', 'clock', 'timestamp', 'history', 'data'] as const)
    if (options[name] !== undefined) all.push(`--${name}`, String(options[name]));
  if (!options.limits) all.push('--no-limits');
  return [...all, ...(options.arguments ?? [])];
}

/** Undefined when the line is that of another program. */
function readBanner(line: string): Banner | undefined {
  try {
    const banner = JSON.parse(line) as Partial<Banner>;
    const named = URL.canParse(String(banner.url)) && typeof banner.data === 'string';
    return named && Array.isArray(banner.chainIds) && Array.isArray(banner.accounts) ? (banner as Banner) : undefined;
  } catch {
    return undefined;
  }
}

/** The line of the program, or why it ended before that. */
function bannerOf(child: ChildProcess, output: () => string, timeout: number): Promise<Banner> {
  return new Promise((done, fail) => {
    let text = '';
    const timer = setTimeout(() => end('it was not ready in time'), timeout);
    const end = (why: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      fail(new ExchangeProcessError(`the exchange did not start: ${why}`, output()));
    };
    child.once('error', (error) => {
      clearTimeout(timer);
      fail(new NoBinary(`${child.spawnfile} cannot be started: ${error.message}`));
    });
    child.once('close', (code, signal) => end(signal ? `it was ended by ${signal}` : `it ended with code ${code}`));
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const at = text.indexOf('\n');
      if (at < 0) return;
      clearTimeout(timer);
      child.removeAllListeners('close');
      const banner = readBanner(text.slice(0, at));
      if (banner) done(banner);
      else end('its first line is not that of an exchange');
    });
  });
}

export class Exchange extends Development {
  readonly url: string;
  readonly accounts: readonly DevelopmentAccount[];
  readonly chainIds: readonly number[];
  /** The folder of its state. */
  readonly data: string;
  /** Resolves when the process has ended, by `stop` or by itself; then with why. */
  readonly ended: Promise<ExchangeProcessError | undefined>;
  private stopping = false;
  private death: ExchangeProcessError | undefined;
  private readonly gone = new AbortController();
  private readonly clients = new Set<Client>();

  constructor(
    private readonly child: ChildProcess,
    banner: Banner,
    private readonly keepsData: boolean,
    private readonly output: () => string,
  ) {
    super(new NodeClient({ url: banner.url, fetch: (url, init) => this.fetch(url, init) }));
    this.url = banner.url;
    this.accounts = banner.accounts;
    this.chainIds = banner.chainIds;
    this.data = banner.data;
    setMaxListeners(0, this.gone.signal); // one for each write under way
    this.ended = new Promise((done) =>
      child.once('close', (code, signal) => {
        this.removeData();
        const why = signal ? `was ended by ${signal}` : `ended with code ${code}`;
        this.death = new ExchangeProcessError(`the exchange at ${this.url} ${why}`, this.output());
        this.gone.abort(this.death);
        done(this.stopping ? undefined : this.death);
      }),
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** A client; without a key it reads. It is closed with the exchange. */
  client(options: Omit<ClientOptions, 'url'> = {}): Client {
    const fetch: ClientOptions['fetch'] = (url, init) => this.fetch(url, init);
    const client = new NodeClient({ fetch, signal: this.gone.signal, ...options, url: this.url });
    this.clients.add(client);
    return client;
  }

  /** One of the ten funded accounts, by its place from 0. */
  account(index = 0): Account {
    const found = this.accounts[index];
    if (!found) throw new RangeError(`there are ${this.accounts.length} accounts, from 0`);
    return new Account(this.client({ privateKey: found.privateKey }), found.accountID);
  }

  /** Ends the clients that this exchange gave; the process goes on. */
  closeClients(): void {
    for (const client of this.clients) client.close();
    this.clients.clear();
  }

  /** Ends the process in order. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.closeClients();
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(timer);
  }

  /** Lets this process end while the exchange runs, which then ends too. */
  unref(): this {
    this.child.unref();
    for (const pipe of [this.child.stdin, this.child.stdout, this.child.stderr])
      (pipe as { unref?(): void } | null)?.unref?.();
    return this;
  }

  /** A request that finds no exchange says why: its process has ended. */
  private async fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await globalThis.fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      await Promise.race([this.ended, new Promise((done) => setTimeout(done, END_IS_TOLD))]);
      throw this.death ?? error;
    }
  }

  /** A process that was killed could not remove its temporary folder. */
  private removeData(): void {
    if (!this.keepsData && basename(this.data).startsWith('dojima-'))
      rmSync(this.data, { recursive: true, force: true });
  }
}

/** Starts `dojima dev`. Throws NoBinary or ExchangeProcessError. */
export async function startExchange(options: ExchangeOptions = {}): Promise<Exchange> {
  const binary = options.binary ?? findBinary();
  let said = '';
  const child = spawn(binary, argumentsOf(options), { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin?.on('error', () => {}); // nothing is written; the end of the process is told elsewhere
  child.stderr?.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-MOST_OUTPUT)));
  const banner = await bannerOf(child, () => said, options.timeout ?? 30_000).catch((error: Error) => {
    const other = foreignArchitecture(binary);
    if (other === undefined) throw error;
    throw new NoBinary(`${binary} is a program for the architecture ${other}, and this is ${process.arch}`);
  });
  return new Exchange(child, banner, options.data !== undefined, () => said);
}
