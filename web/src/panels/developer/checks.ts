// SPDX-License-Identifier: MIT
// What a page can check of the invariants of an exchange from its reads. The exchange itself checks all of them after
// each command, and ends when one is broken.
import { compare, decimal, signOf } from '../../core/decimal';
import { call, read } from './rpc';

export interface Check {
  name: string; // a key of messages: check.NAME
  holds: boolean;
  found: string; // what breaks it, or what was counted
}

interface Best {
  symbol: string;
  bidPx: string;
  askPx: string;
}

interface Fund {
  equity: string;
  insolvent: boolean;
  blockHeight: number;
}

interface Balances {
  balances: { coin: string; total: string; locked: string }[];
}

/** Each book's best bid is below its best ask. */
export function uncrossed(books: Best[]): Check {
  const sided = books.filter((book) => book.bidPx !== '0' && book.askPx !== '0');
  const crossed = sided.filter((book) => compare(decimal(book.bidPx), decimal(book.askPx)) >= 0);
  return {
    name: 'uncrossed',
    holds: crossed.length === 0,
    found: crossed.map((book) => `${book.symbol} ${book.bidPx} ≥ ${book.askPx}`).join(', ') || String(sided.length),
  };
}

/** No balance is below zero, and none has more locked than there is. */
export function covered(rows: Balances[]): Check {
  const all = rows.flatMap((row) => row.balances);
  const bad = all.filter(
    (one) =>
      signOf(decimal(one.total)) < 0 ||
      signOf(decimal(one.locked)) < 0 ||
      compare(decimal(one.locked), decimal(one.total)) > 0,
  );
  return {
    name: 'covered',
    holds: bad.length === 0,
    found: bad.map((one) => `${one.coin} ${one.locked} / ${one.total}`).join(', ') || String(all.length),
  };
}

export function solvent(fund: Fund): Check {
  return { name: 'solvent', holds: !fund.insolvent, found: fund.equity };
}

/** The chain goes on from the block that was seen before; a revert is the one way back. */
export function linked(before: { number: number; hash: string } | null, now: { hash: string } | null): Check {
  if (!before) return { name: 'linked', holds: true, found: '' };
  const same = now?.hash === before.hash;
  return { name: 'linked', holds: same, found: `${before.number} ${before.hash.slice(0, 10)}…` };
}

async function block(number: string): Promise<{ number: string; hash: string } | null> {
  return call('eth_getBlockByNumber', number, false);
}

let seen: { number: number; hash: string } | null = null;

/** After a revert the chain that was seen is no longer the exchange's. */
export function forgetChain(): void {
  seen = null;
}

/** All checks, from reads of one moment. Throws when the exchange does not answer. */
export async function look(accounts: string[]): Promise<Check[]> {
  const [spot, perps, fund, ...balances] = await Promise.all([
    read<Best[]>('/api/v1/spot/markets/bookTickers'),
    read<Best[]>('/api/v1/perps/markets/bookTickers'),
    read<Fund>('/api/v1/perps/insurance-fund'),
    ...accounts.map((address) => read<Balances>(`/api/v1/spot/accounts/${address}/balances`)),
  ] as [Promise<Best[]>, Promise<Best[]>, Promise<Fund>, ...Promise<Balances>[]]);
  const chain = linked(seen, seen ? await block(`0x${seen.number.toString(16)}`) : null);
  const latest = await block('latest');
  seen = latest ? { number: Number(latest.number), hash: latest.hash } : null;
  return [uncrossed([...spot, ...perps]), covered(balances), solvent(fund), chain];
}
