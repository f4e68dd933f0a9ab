// SPDX-License-Identifier: MIT
// A development exchange for tests: started once per file, ended with it. `binary` is undefined where none is built.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { signAction } from '../src/core/curve';

const built = process.env['DOJIMA'] ?? resolve(process.cwd(), '..', 'build', 'release', 'dojima');
/** Builds with sanitizers are too slow for these tests, which wait for streams. */
const usable = existsSync(built) && !process.env['E2E_INSTRUMENTED'];
export const binary: string | undefined = usable ? built : undefined;

export interface Banner {
  url: string;
  chainIds: number[];
  accounts: { accountID: number; address: string; privateKey: string }[];
}

export interface ItemResult {
  code: number;
  clOrdID: string;
  error?: string;
  orderID?: number;
  details?: { field?: string; need?: string; got?: string };
}

export interface Envelope<T> {
  code: number;
  error?: string;
  details?: { field?: string; need?: string; got?: string };
  data: T;
}

export class Exchange {
  private lastNonce = 0;
  private lastOrder = 0;

  private constructor(
    private readonly process: ChildProcess,
    readonly banner: Banner,
  ) {}

  static async start(...options: string[]): Promise<Exchange> {
    const child = spawn(binary as string, ['dev', '--port', '0', '--json', '--no-limits', ...options], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise<string>((done, fail) => {
      lines.once('line', done);
      child.once('exit', () => fail(new Error('the exchange ended before its first line')));
    });
    return new Exchange(child, JSON.parse(line) as Banner);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    await ended;
  }

  address(who: number): string {
    return (this.banner.accounts[who] as Banner['accounts'][number]).address;
  }

  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.banner.url}/api/v1${path}`);
    return ((await answer.json()) as Envelope<T>).data;
  }

  async rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    const answer = await fetch(`${this.banner.url}/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const reply = (await answer.json()) as { result: T; error?: { message: string } };
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }

  async write<T>(who: number, method: string, path: string, type: string, params: object): Promise<Envelope<T>> {
    const account = this.banner.accounts[who] as Banner['accounts'][number];
    const body = JSON.stringify(params);
    const nonce = (this.lastNonce = Math.max(this.lastNonce + 1, Date.now()));
    const domain = path.startsWith('/spot') ? 'spot' : 'futures';
    const sign = signAction(
      { domain, type, body, nonce, chainId: this.banner.chainIds[0] as number },
      account.privateKey,
    );
    const headers = { 'Content-Type': 'application/json', 'X-API-Nonce': String(nonce), 'X-API-Sign': sign };
    const answer = await fetch(`${this.banner.url}/api/v1${path}`, { method, headers, body });
    return (await answer.json()) as Envelope<T>;
  }

  clientID(): string {
    return `test-${++this.lastOrder}`;
  }

  perps(who: number, symbolID: number, ...orders: object[]): Promise<Envelope<ItemResult[]>> {
    const accountID = (this.banner.accounts[who] as Banner['accounts'][number]).accountID;
    return this.write(who, 'POST', '/perps/trade/orders', 'newOrder', { accountID, symbolID, orders });
  }

  spot(who: number, ...orders: object[]): Promise<Envelope<ItemResult[]>> {
    const accountID = (this.banner.accounts[who] as Banner['accounts'][number]).accountID;
    return this.write(who, 'POST', '/spot/trade/orders/batch', 'batchNewOrder', { accountID, orders });
  }
}
