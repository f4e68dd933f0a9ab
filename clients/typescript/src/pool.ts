// SPDX-License-Identifier: MIT
// Exchanges for tests, fresh by going back: one process for a worker, and one more for each test that runs at the same
// time as another.
import type { Exchange, ExchangeOptions } from './exchange.js';
import { startExchange } from './exchange.js';

interface Entry {
  readonly exchange: Exchange;
  readonly beginning: string;
  busy: boolean;
  used: boolean;
}

/** How long the exchange of a test took to be there, ms. */
export interface Taken {
  readonly exchange: Exchange;
  readonly took: number;
  /** The process was started for it; else an earlier one went back to its beginning. */
  readonly started: boolean;
  release(): void;
}

export class Pool {
  private readonly entries: Entry[] = [];

  constructor(private readonly options: ExchangeOptions = {}) {}

  /** An exchange as it was at its beginning, until `release`. */
  async take(): Promise<Taken> {
    const began = performance.now();
    const free = await this.free();
    const entry = free ?? (await this.start());
    entry.used = true;
    const release = () => {
      entry.exchange.closeClients();
      entry.busy = false;
    };
    return { exchange: entry.exchange, took: performance.now() - began, started: free === undefined, release };
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await Promise.all(this.entries.splice(0).map(({ exchange }) => exchange.stop()));
  }

  /** One that nobody uses, gone back; not one that died before its end was told. */
  private async free(): Promise<Entry | undefined> {
    const entry = this.entries.find(({ busy }) => !busy);
    if (!entry) return undefined;
    entry.busy = true;
    try {
      if (entry.used) await this.goBack(entry);
      return entry;
    } catch (error) {
      if (this.entries.includes(entry)) throw error;
      return this.free();
    }
  }

  private async start(): Promise<Entry> {
    const exchange = (await startExchange(this.options)).unref();
    const entry = { exchange, beginning: await exchange.snapshot(), busy: true, used: false };
    this.entries.push(entry);
    void exchange.ended.then(() => {
      const at = this.entries.indexOf(entry);
      if (at >= 0) this.entries.splice(at, 1); // the next test gets another one
    });
    return entry;
  }

  private async goBack({ exchange, beginning }: Entry): Promise<void> {
    await exchange.clear();
    await exchange.revert(beginning);
  }
}
