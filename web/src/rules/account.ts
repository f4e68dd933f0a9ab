// SPDX-License-Identifier: MIT
// The perps account in whole units, and what it has left for a new order (mechanics 3.3 and 3.4).
import type { Side } from './draft';
import { type Market, feeOf, initialOf, maintenanceOf, valueFloor } from './market';
import { abs, max, min } from './units';

/** A perps symbol and its prices now. */
export interface Priced {
  market: Market;
  mark: bigint;
  index: bigint;
  /** The median that is held back after a jump (mechanics 3.8); null when there is none. */
  held: bigint | null;
  /** Its index is stale: nothing opens (mechanics 3.8). */
  stale: boolean;
  /** Open interest; null while it is not known. */
  interest: bigint | null;
  capParts: bigint;
  leverage: number;
  isolated: boolean;
  /** In 1e-8; a rate below 0 needs no margin. */
  takerRate: bigint;
  makerRate: bigint;
}

export interface Position {
  symbol: string;
  /** Above 0 a long, below 0 a short. */
  size: bigint;
  /** With the sign of the size. */
  cost: bigint;
  /** Of an isolated position; 0 of a cross one. */
  bucket: bigint;
}

export interface Resting {
  id: number | bigint;
  symbol: string;
  side: Side;
  price: bigint;
  open: bigint;
  reduceOnly: boolean;
}

export interface Account {
  wallet: bigint;
  positions: readonly Position[];
  /** Orders that rest in the book; armed stops need no margin and are left out. */
  orders: readonly Resting[];
}

export type Markets = ReadonlyMap<string, Priced>;

/** The worst price of what a side opens (ruling 63): of buys the lowest, of sales the highest. */
export function worstOf(priced: Priced, side: Side): bigint {
  const held = priced.held ?? priced.index;
  return side === 'BUY' ? min(priced.mark, min(priced.index, held)) : max(priced.mark, max(priced.index, held));
}

export function profitAt(priced: Priced, position: Position, price: bigint): bigint {
  const value = valueFloor(priced.market, price, abs(position.size));
  return (position.size < 0n ? -value : value) - position.cost;
}

/** A profit counts 0 while the mark is more than 1 % away from the index (mechanics 3.3). */
function countedProfit(priced: Priced, position: Position): bigint {
  const profit = profitAt(priced, position, worstOf(priced, position.size < 0n ? 'SELL' : 'BUY'));
  const catchesUp = abs(priced.mark - priced.index) * 100n > priced.index;
  return profit > 0n && catchesUp ? 0n : profit;
}

/** What one order needs when nothing of it closes (mechanics 3.4, line 3). */
export function needOf(priced: Priced, side: Side, price: bigint, open: bigint): bigint {
  if (open === 0n) return 0n;
  const worst = worstOf(priced, side);
  const value = valueFloor(priced.market, side === 'BUY' ? price : max(price, worst), open);
  const difference = valueFloor(priced.market, price, open) - valueFloor(priced.market, worst, open);
  const loss = side === 'BUY' ? difference : -difference;
  return initialOf(value, priced.leverage) + max(0n, loss) + feeOf(value, max(0n, priced.takerRate));
}

/**
 * An order that is not there yet. `without`: the id of the order that it replaces; `extraNeed`: what an order by
 * funds needs.
 */
export interface Extra {
  side: Side;
  price: bigint;
  open: bigint;
  extraNeed?: bigint;
  without?: number | bigint;
}

type Queued = { id: bigint; price: bigint; open: bigint };

const LAST_ID = 1n << 64n;

/** A side's orders that open, best price first; orders of one price stand as they came. */
function queueOf(account: Account, symbol: string, side: Side, extra: Extra | null): Queued[] {
  const queue: Queued[] = account.orders
    .filter(
      (order) => order.symbol === symbol && order.side === side && !order.reduceOnly && order.id !== extra?.without,
    )
    .map((order) => ({ id: BigInt(order.id), price: order.price, open: order.open }));
  if (extra !== null && extra.side === side) {
    queue.push({
      id: extra.without === undefined ? LAST_ID : BigInt(extra.without),
      price: extra.price,
      open: extra.open,
    });
  }
  const better = (a: bigint, b: bigint) => (side === 'BUY' ? a > b : a < b);
  return queue.sort((a, b) => (a.price === b.price ? (a.id < b.id ? -1 : 1) : better(a.price, b.price) ? -1 : 1));
}

/** The needs of a side behind the first `skip` of its volume, which closes. */
function needBehind(priced: Priced, side: Side, queue: readonly Queued[], skip: bigint): bigint {
  let need = 0n;
  let left = skip;
  for (const order of queue) {
    const closes = min(left, order.open);
    left -= closes;
    need += needOf(priced, side, order.price, order.open - closes);
  }
  return need;
}

function positionOf(account: Account, symbol: string): Position {
  return account.positions.find((one) => one.symbol === symbol) ?? { symbol, size: 0n, cost: 0n, bucket: 0n };
}

/** IMreq of a symbol (mechanics 3.4, line 4); of an isolated one the bucket stands in the place of posIM. */
export function requiredOf(account: Account, priced: Priced, extra: Extra | null): bigint {
  const symbol = priced.market.name;
  const position = positionOf(account, symbol);
  const size = abs(position.size);
  const own = priced.isolated
    ? max(0n, position.bucket)
    : initialOf(valueFloor(priced.market, priced.mark, size), priced.leverage);
  const sideNeed = (side: Side) => {
    const closes = position.size !== 0n && (side === 'SELL') === position.size > 0n;
    const more = extra !== null && extra.side === side ? (extra.extraNeed ?? 0n) : 0n;
    return needBehind(priced, side, queueOf(account, symbol, side, extra), closes ? size : 0n) + more;
  };
  const buys = sideNeed('BUY');
  const sales = sideNeed('SELL');
  if (position.size === 0n) return max(buys, sales);
  return position.size > 0n ? max(own + buys, sales) : max(own + sales, buys);
}

function reserveOf(position: Position, required: bigint): bigint {
  return max(0n, required - max(0n, position.bucket));
}

/** What the account could give to one symbol beside everything else; of an isolated one cash alone (mechanics 3.3). */
export function roomFor(account: Account, markets: Markets, priced: Priced): bigint {
  let counted = 0n;
  let required = 0n;
  let reserve = 0n;
  for (const [symbol, other] of markets) {
    const position = positionOf(account, symbol);
    if (position.size !== 0n && !other.isolated) counted += countedProfit(other, position);
    if (symbol === priced.market.name) continue;
    if (position.size === 0n && !account.orders.some((order) => order.symbol === symbol && !order.reduceOnly)) continue;
    const needed = requiredOf(account, other, null);
    if (other.isolated) reserve += reserveOf(position, needed);
    else required += needed;
  }
  const room = account.wallet + counted - required - reserve;
  return priced.isolated ? min(account.wallet - reserve, room) : room;
}

/** Available margin of the cross account, `am` of its state. */
export function availableOf(account: Account, markets: Markets): bigint {
  let counted = 0n;
  let required = 0n;
  for (const [symbol, priced] of markets) {
    const position = positionOf(account, symbol);
    if (position.size !== 0n && !priced.isolated) counted += countedProfit(priced, position);
    const needed = requiredOf(account, priced, null);
    required += priced.isolated ? reserveOf(position, needed) : needed;
  }
  return max(0n, account.wallet + counted - required);
}

export interface MarginCheck {
  /** What the order adds to the margin that the account has to hold. */
  adds: bigint;
  /** What is free for it. */
  available: bigint;
  passes: boolean;
}

/** The check of margin at placement and replace (mechanics 3.4). */
export function marginCheck(account: Account, markets: Markets, priced: Priced, extra: Extra): MarginCheck {
  const position = positionOf(account, priced.market.name);
  const taken = (required: bigint) => (priced.isolated ? reserveOf(position, required) : required);
  const room = roomFor(account, markets, priced);
  const after = requiredOf(account, priced, extra);
  const before = requiredOf(account, priced, null);
  return {
    adds: after - before,
    available: max(0n, room - taken(before)),
    passes: room >= taken(after) || after <= before,
  };
}

/** Equity and maintenance of the cross account at the marks. */
export function crossHealth(
  account: Account,
  markets: Markets,
  except?: string,
): { equity: bigint; maintenance: bigint } {
  let equity = account.wallet;
  let maintenance = 0n;
  for (const position of account.positions) {
    const priced = markets.get(position.symbol);
    if (priced === undefined || priced.isolated || position.size === 0n || position.symbol === except) continue;
    equity += profitAt(priced, position, priced.mark);
    maintenance += maintenanceOf(priced.market, valueFloor(priced.market, priced.mark, abs(position.size)));
  }
  return { equity, maintenance };
}
