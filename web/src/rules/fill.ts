// SPDX-License-Identifier: MIT
// A fill as it changes a position (mechanics 1.5), and the liquidation price behind it (mechanics 3.11).
import { type Account, type Markets, type Position, type Priced, crossHealth, worstOf } from './account';
import type { Side } from './draft';
import { RATE_ONE, initialOf, powerOf, tierOf, valueCeil, valueFloor } from './market';
import { abs, ceilDiv, floorDiv, max, min, power10 } from './units';

export interface After {
  position: Position;
  /** How the wallet changes, without the fee. */
  cash: bigint;
  realized: bigint;
}

/** What an isolated opening moves into the bucket: margin, and the loss at the worst price (ruling 65). */
function bucketMargin(priced: Priced, side: Side, quantity: bigint, value: bigint): bigint {
  const worst = worstOf(priced, side);
  if (side === 'BUY') {
    return initialOf(value, priced.leverage) + max(0n, value - valueFloor(priced.market, worst, quantity));
  }
  const atWorst = valueCeil(priced.market, worst, quantity);
  return initialOf(max(value, atWorst), priced.leverage) + max(0n, atWorst - value);
}

function closed(position: Position, quantity: bigint, value: bigint, isolated: boolean): After {
  const held = abs(position.size);
  const sign = position.size < 0n ? -1n : 1n;
  const basis = abs(position.cost);
  const cost = quantity === held ? basis : floorDiv(basis * quantity, held);
  const realized = sign * (value - cost);
  const released = !isolated ? 0n : quantity === held ? position.bucket : floorDiv(position.bucket * quantity, held);
  const after: Position = {
    symbol: position.symbol,
    size: position.size - sign * quantity,
    cost: position.cost - sign * cost,
    bucket: position.bucket - released,
  };
  const cash = realized + released;
  if (isolated && cash < 0n && after.size !== 0n)
    return { position: { ...after, bucket: after.bucket + cash }, cash: 0n, realized };
  return { position: after, cash, realized };
}

/** A position after a fill of `quantity` for `value`; both above 0. */
export function filled(priced: Priced, position: Position, side: Side, quantity: bigint, value: bigint): After {
  if (quantity === 0n) return { position, cash: 0n, realized: 0n };
  const sign = side === 'BUY' ? 1n : -1n;
  const closes = position.size !== 0n && position.size > 0n !== sign > 0n ? min(quantity, abs(position.size)) : 0n;
  const opens = quantity - closes;
  const closeValue = opens === 0n ? value : floorDiv(value * closes, quantity);
  let after: After = { position, cash: 0n, realized: 0n };
  if (closes !== 0n) after = closed(position, closes, closeValue, priced.isolated);
  if (opens === 0n) return after;
  const openValue = value - closeValue;
  const margin = priced.isolated ? bucketMargin(priced, side, opens, openValue) : 0n;
  return {
    position: {
      symbol: position.symbol,
      size: after.position.size + sign * opens,
      cost: after.position.cost + sign * openValue,
      bucket: after.position.bucket + margin,
    },
    cash: after.cash - margin,
    realized: after.realized,
  };
}

/** Towards the early side: up for a long, down for a short, on the tick. */
function earlyPrice(above: bigint, below: bigint, long: boolean, tick: bigint): bigint {
  if (long) return ceilDiv(ceilDiv(above, below), tick) * tick;
  return floorDiv(floorDiv(above, below), tick) * tick;
}

/** The mark at which liquidation of the position begins; null when there is none. `account` already holds it. */
export function liquidationPrice(
  account: Account,
  markets: Markets,
  priced: Priced,
  position: Position,
): bigint | null {
  if (position.size === 0n) return null;
  const others = crossHealth(account, markets, position.symbol);
  const cash = priced.isolated ? position.bucket : others.equity - others.maintenance;
  const long = position.size > 0n;
  const power = powerOf(priced.market);
  for (const tier of priced.market.tiers) {
    const money = abs(position.cost) - (long ? cash + tier.deduction : -(cash + tier.deduction));
    if (money <= 0n) return null;
    const below = abs(position.size) * (long ? RATE_ONE - tier.rate : RATE_ONE + tier.rate);
    const price = earlyPrice(
      money * RATE_ONE * (power < 0 ? power10(-power) : 1n),
      below * (power >= 0 ? power10(power) : 1n),
      long,
      priced.market.tick,
    );
    if (price !== 0n && tierOf(priced.market, valueFloor(priced.market, price, abs(position.size))) === tier)
      return price;
  }
  return null;
}
