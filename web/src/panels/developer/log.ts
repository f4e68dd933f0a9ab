// SPDX-License-Identifier: MIT
// The newest commands of the exchange's log, read from its blocks.
import { call, callAll } from './rpc';

export interface LoggedCommand {
  hash: string;
  block: number;
  time: number; // Unix milliseconds
  accountID: number;
  owner: string;
  kind: string; // its type, 'trader' for a command of the built-in market
  domain: string;
  params: string; // as it was signed, '' when the log has no text of it
}

interface Transaction {
  hash: string;
  input: string;
  domain: string;
  owner: string;
  accountID?: string;
  from: string;
}

interface Block {
  number: string;
  timestampMs: string;
  transactions: Transaction[];
}

const MOST_BLOCKS = 50; // read at once; older ones are left out after a pause
const MOST_ROWS = 2000; // traders of the market are most of them

function textOf(hex: string): string {
  const bytes = new Uint8Array((hex.length - 2) / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 + 2 * i, 4 + 2 * i), 16);
  return new TextDecoder().decode(bytes);
}

/** The type and the params of a signed text `{"type":…,'params':…}`. */
export function partsOf(text: string): { kind: string; params: string } {
  const found = /^\{"type":"([A-Za-z0-9]+)","params":(.*)\}$/s.exec(text);
  return found ? { kind: found[1] ?? '', params: found[2] ?? '' } : { kind: 'trader', params: '' };
}

export function rowsOf(block: Block): LoggedCommand[] {
  return block.transactions.map((one) => ({
    hash: one.hash,
    block: Number(block.number),
    time: Number(block.timestampMs),
    accountID: Number(one.accountID ?? 0),
    owner: one.owner,
    domain: one.domain === '0x0' ? 'spot' : 'perps',
    ...partsOf(textOf(one.input)),
  }));
}

/** Rows of the blocks after number `after`, newest first, put in front of `rows`. After a revert, when the chain is
    shorter than `after`, it begins again. */
export async function newest(rows: LoggedCommand[], after: number): Promise<{ rows: LoggedCommand[]; last: number }> {
  const last = Number(await call<string>('eth_blockNumber'));
  const kept = last < after ? [] : rows;
  const from = Math.max(last < after ? 0 : after, last - MOST_BLOCKS);
  const calls: [string, ...unknown[]][] = [];
  for (let number = from + 1; number <= last; number++) {
    calls.push(['eth_getBlockByNumber', `0x${number.toString(16)}`, true]);
  }
  const blocks = (await callAll<Block | null>(calls)).filter((block) => block !== null);
  const fresh = blocks.flatMap(rowsOf).reverse();
  return { rows: [...fresh, ...kept].slice(0, MOST_ROWS), last };
}
