// SPDX-License-Identifier: MIT
// The preview of a spot order (mechanics 2.1 to 2.6).
import type { Draft, Refusal } from './draft';
import { type References, filterRefusals } from './filters';
import { type Market, feeOf, valueCeil, valueFloor } from './market';
import { type Preview, canRest, crossingRefusal, emptyPreview, missingOf } from './preview';
import { power10, textOf } from './units';
import { type Book, type Level, averagePrice, marketBound, walkBook, withoutOwn } from './walk';

export interface SpotInput {
  market: Market;
  references: References;
  book: Book;
  /** The account's own resting orders of the other side: they are canceled, not traded with. */
  own: readonly Level[];
  /** What is available of the quote coin and of the base coin, in units of each coin. */
  quote: bigint;
  base: bigint;
  takerRate: bigint;
  makerRate: bigint;
}

/** A quantity in units of the base coin, which may be finer than the symbol's. */
export function baseUnits(market: Market, quantity: bigint): bigint {
  return market.baseScale >= market.quantityScale
    ? quantity * power10(market.baseScale - market.quantityScale)
    : quantity / power10(market.quantityScale - market.baseScale);
}

/** What the order locks or pays at most (mechanics 2.3). */
function holdOf(input: SpotInput, draft: Draft, walkedValue: bigint): bigint {
  if (draft.side === 'SELL') return baseUnits(input.market, draft.quantity ?? 0n);
  if (draft.funds !== null) return draft.funds;
  if (draft.kind === 'MARKET') return walkedValue;
  return valueCeil(input.market, draft.price ?? 0n, draft.quantity ?? 0n);
}

function balanceRefusal(input: SpotInput, draft: Draft, hold: bigint): Refusal[] {
  const available = draft.side === 'BUY' ? input.quote : input.base;
  const scale = draft.side === 'BUY' ? input.market.quoteScale : input.market.baseScale;
  if (hold <= available) return [];
  return [
    {
      code: 42001,
      rule: 'INSUFFICIENT_BALANCE',
      field: draft.funds !== null ? 'funds' : 'quantity',
      got: textOf(available, scale),
      need: textOf(hold, scale),
    },
  ];
}

export function previewSpot(input: SpotInput, draft: Draft): Preview {
  const { market } = input;
  const buys = draft.side === 'BUY';
  const preview = emptyPreview(buys ? market.baseCoin : market.quoteCoin, buys ? market.baseScale : market.quoteScale);
  preview.needsCoin = buys ? market.quoteCoin : market.baseCoin;
  preview.needsScale = buys ? market.quoteScale : market.baseScale;
  preview.available = buys ? input.quote : input.base;
  preview.refusals = [...missingOf(draft), ...filterRefusals(market, draft, input.references)];
  if (draft.quantity === null && draft.funds === null) return preview;

  const opposite = buys ? input.book.asks : input.book.bids;
  const bound = draft.kind === 'MARKET' ? marketBound(market, draft.side, draft.price, input.references) : draft.price;
  const shown = (units: bigint) => textOf(units, market.priceScale);
  const crossing = crossingRefusal(draft, opposite[0]?.price ?? null, shown);
  const walk = walkBook(market, draft, crossing.length > 0 ? [] : withoutOwn(opposite, input.own), bound);
  const left = draft.quantity === null ? 0n : draft.quantity - walk.quantity;
  preview.fills = walk.fills;
  preview.filled = walk.quantity;
  preview.average = averagePrice(market, walk);
  preview.rests = canRest(draft) ? left : 0n;
  preview.expires = canRest(draft) ? 0n : left;
  preview.value = walk.value + valueFloor(market, draft.price ?? 0n, preview.rests);
  const received = (value: bigint, quantity: bigint) => (buys ? baseUnits(market, quantity) : value);
  for (const fill of walk.fills) preview.takerFee += feeOf(received(fill.value, fill.quantity), input.takerRate);
  if (preview.rests > 0n) {
    preview.makerFee = feeOf(
      received(valueFloor(market, draft.price ?? 0n, preview.rests), preview.rests),
      input.makerRate,
    );
  }
  preview.needs = holdOf(input, draft, walk.value);
  preview.refusals.push(...crossing, ...balanceRefusal(input, draft, preview.needs));
  return preview;
}
