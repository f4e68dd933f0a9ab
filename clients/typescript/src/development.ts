// SPDX-License-Identifier: MIT
// Power over a development exchange (docs/development.md), for clients on its machine.
import { type Amount, amountText } from './amount.js';
import type { Client } from './client.js';
import type { DevelopmentMethod } from './spec/codes.js';
import type { Engine } from './types.js';

export interface Deposit {
  readonly address: string;
  readonly coin: string;
  readonly amount: Amount;
  /** Default: spot. */
  readonly engine?: Engine;
  readonly accountID?: number;
}

/** A rule of faults (docs/chaos.md). */
export interface Fault {
  readonly fault:
    | '429'
    | '503'
    | '500'
    | 'delay'
    | 'latency'
    | 'drop-reply'
    | 'reset-before'
    | 'reset-after'
    | 'skew'
    | 'cut'
    | 'skip'
    | 'repeat'
    | 'stall'
    | 'stale-index'
    | 'slow-fsync';
  readonly [key: string]: unknown;
}

export class Development {
  constructor(private readonly reader: Client) {}

  /** Any method of development by its name; throws RpcError. */
  call<T>(method: DevelopmentMethod, ...params: readonly unknown[]): Promise<T> {
    return this.reader.rpc<T>(method, ...params);
  }

  deposit(deposit: Deposit): Promise<{ accountID: number; tx: string }> {
    return this.call('dojima_deposit', { ...deposit, amount: amountText(deposit.amount, 'amount') });
  }

  /** A balance becomes the amount. */
  async setBalance(balance: Omit<Deposit, 'engine'> & { engine?: Engine | 'evm' }): Promise<void> {
    await this.call('dojima_setBalance', { ...balance, amount: amountText(balance.amount, 'amount') });
  }

  /** The index price of a perps symbol, which its mark price follows. */
  async setIndexPrice(symbol: string, price: Amount): Promise<void> {
    await this.call('dojima_setIndexPrice', { symbol, price: amountText(price, 'price') });
  }

  /** A snapshot, to which the exchange can go back any number of times; gives its number. */
  snapshot(name?: string): Promise<string> {
    return name === undefined ? this.call('evm_snapshot') : this.call('evm_snapshot', name);
  }

  /** Everything is as it was at a snapshot, by its number or name. Streams are cut, and come back by themselves. */
  async revert(snapshot: string): Promise<void> {
    await this.call('evm_revert', snapshot);
  }

  /** Engine time advances, and what falls due on the way happens. */
  async increaseTime(seconds: number): Promise<void> {
    await this.call('evm_increaseTime', seconds);
  }

  /** Engine time advances by milliseconds; gives it, Unix ms. */
  step(ms: number): Promise<number> {
    return this.call('dojima_step', ms);
  }

  /** 0 to 1000 times as fast as the wall clock; 0 stands. */
  async setClock(rate: number): Promise<void> {
    await this.call('dojima_setClock', rate);
  }

  /** Ends what a revert leaves: faults, impersonated addresses, a scenario, another rate of the clock than at first. */
  async clear(): Promise<void> {
    while (!(await this.call<boolean>('dojima_clear'))) await new Promise((done) => setTimeout(done, 5));
  }

  /** Advances to the next whole hour, at which funding is settled. */
  fundingNow(): Promise<{ fundingTime: number }> {
    return this.call('dojima_fundingNow');
  }

  halt(symbol: string): Promise<unknown> {
    return this.call('dojima_halt', { symbol });
  }

  resume(symbol: string): Promise<unknown> {
    return this.call('dojima_resume', { symbol });
  }

  setTraders(traders: { preset?: string; pulled?: number; takers?: number; drift?: number }): Promise<unknown> {
    return this.call('dojima_setTraders', traders);
  }

  /** A rule of faults at work from now on; gives its id. */
  async chaos(rule: Fault): Promise<number> {
    return (await this.call<{ id: number }>('dojima_chaosAdd', rule)).id;
  }

  /** Ends all rules of faults; gives how many there were. */
  chaosClear(): Promise<number> {
    return this.call('dojima_chaosClear');
  }
}
