// SPDX-License-Identifier: MIT
// What an order would do and cost, before it is sent. The exchange alone decides; these are its formulas on the
// figures that it published last, so a price that moves in between may change the answer.
import type { Draft, Refusal } from './draft';
import type { Fill } from './walk';

export interface Preview {
  /** Everything that would refuse the order, in the exchange's order: the first is its answer. */
  refusals: Refusal[];
  /** What trades at once. */
  fills: Fill[];
  filled: bigint;
  /** Of what trades at once, half up, in price units; null when nothing does. */
  average: bigint | null;
  /** What stays in the book. */
  rests: bigint;
  /** What neither trades nor rests: it would end EXPIRED. */
  expires: bigint;
  /** Price times quantity of all that trades or rests, in the quote coin. */
  value: bigint;
  /** Of what trades at once, in feeCoin. */
  takerFee: bigint;
  /** Of what rests, when it trades at its price, in feeCoin; below 0 is a rebate. */
  makerFee: bigint;
  feeCoin: string;
  feeScale: number;
  /** Perps: what the order adds to the margin that is held. Spot: what it locks or pays. */
  needs: bigint;
  needsCoin: string;
  needsScale: number;
  available: bigint;
  /** Perps, when all of it trades: null when there is none. */
  liquidation: bigint | null;
  /** Perps, when all of it trades: the size of the position. */
  sizeAfter: bigint | null;
}

export function emptyPreview(coin: string, scale: number): Preview {
  return {
    refusals: [],
    fills: [],
    filled: 0n,
    average: null,
    rests: 0n,
    expires: 0n,
    value: 0n,
    takerFee: 0n,
    makerFee: 0n,
    feeCoin: coin,
    feeScale: scale,
    needs: 0n,
    needsCoin: coin,
    needsScale: scale,
    available: 0n,
    liquidation: null,
    sizeAfter: null,
  };
}

/** Whether the order could stand in the book. */
export function canRest(draft: Draft): boolean {
  return draft.kind === 'LIMIT' && draft.timeInForce !== 'IOC';
}

/** What is missing for an order to be one at all. */
export function missingOf(draft: Draft): Refusal[] {
  const missing: Refusal[] = [];
  if (draft.kind === 'LIMIT' && draft.price === null)
    missing.push({ code: 40002, rule: 'PRICE_REQUIRED', field: 'price' });
  if (draft.quantity === null && draft.funds === null)
    missing.push({ code: 40002, rule: 'QUANTITY_REQUIRED', field: 'quantity' });
  return missing;
}

/** A post-only order that would meet the other side of the book, own orders included (mechanics 2.5). */
export function crossingRefusal(draft: Draft, best: bigint | null, shown: (units: bigint) => string): Refusal[] {
  if (draft.timeInForce !== 'GTX' || draft.price === null || best === null) return [];
  const crosses = draft.side === 'BUY' ? draft.price >= best : draft.price <= best;
  if (!crosses) return [];
  return [{ code: 42007, rule: 'POST_ONLY_CROSS', field: 'price', got: shown(draft.price), need: shown(best) }];
}
