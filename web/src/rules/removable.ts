// SPDX-License-Identifier: MIT
// How much margin an isolated position can give back (mechanics 3.5).
import { type Position, type Priced, profitAt, worstOf } from './account';
import { initialOf, valueFloor } from './market';
import { abs, max, min } from './units';

/** Without open orders of the symbol, which may lean on some of it as well. */
export function removableOf(priced: Priced, position: Position): bigint {
  const profit = profitAt(priced, position, worstOf(priced, position.size < 0n ? 'SELL' : 'BUY'));
  const spare = position.bucket - initialOf(abs(position.cost), priced.leverage);
  const value = valueFloor(priced.market, priced.mark, abs(position.size));
  const guard = max(0n, position.bucket + min(profit, 0n) - initialOf(value, priced.leverage));
  return min(max(0n, min(spare, spare + profit)), guard);
}
