// SPDX-License-Identifier: MIT
// The filters of an order (spot place rules 5 to 9, perps place rules 1 and 3), in the order of mechanics 2.1.
// Each field has its first refusal, so that a person sees everything that is wrong at once; the first of the list is
// the answer that the exchange would give.
import type { Draft, Field, Refusal, Rule } from './draft';
import { RATE_ONE, type Market, powerOf, valueFloor } from './market';
import { ceilDiv, floorDiv, power10, textOf } from './units';

/** Prices that the filters compare with: a symbol without one is null. */
export interface References {
  /** Of a spot symbol: its last trade, before the first its listing price (mechanics 2.2). */
  last: bigint | null;
  /** Of a perps symbol. */
  mark: bigint | null;
  index: bigint | null;
}

type Row = readonly [rule: Rule, code: number, holds: boolean, need: string];

function firstOf(rows: readonly Row[], field: Field, got: string): Refusal[] {
  const failed = rows.find(([, , holds]) => !holds);
  if (failed === undefined) return [];
  const [rule, code, , need] = failed;
  return [{ code, rule, field, got, need }];
}

export function priceRefusals(market: Market, price: bigint, field: Field): Refusal[] {
  const shown = (units: bigint) => textOf(units, market.priceScale);
  return firstOf(
    [
      ['PRICE_TICK', 42201, price % market.tick === 0n && price > 0n, shown(market.tick)],
      ['PRICE_MIN', 42201, price >= market.minPrice, shown(market.minPrice)],
      ['PRICE_MAX', 42201, market.maxPrice === 0n || price <= market.maxPrice, shown(market.maxPrice)],
    ],
    field,
    shown(price),
  );
}

export function quantityRefusals(market: Market, draft: Draft, quantity: bigint): Refusal[] {
  const shown = (units: bigint) => textOf(units, market.quantityScale);
  const atMarket = draft.kind === 'MARKET';
  return firstOf(
    [
      ['QUANTITY_STEP', 42202, quantity % market.step === 0n && quantity > 0n, shown(market.step)],
      ['QUANTITY_MIN', 42202, quantity >= market.minQuantity, shown(market.minQuantity)],
      ['QUANTITY_MAX', 42202, market.maxQuantity === 0n || quantity <= market.maxQuantity, shown(market.maxQuantity)],
      [
        'MARKET_QUANTITY_MIN',
        42203,
        !atMarket || quantity >= market.marketMinQuantity,
        shown(market.marketMinQuantity),
      ],
      [
        'MARKET_QUANTITY_MAX',
        42203,
        !atMarket || market.marketMaxQuantity === 0n || quantity <= market.marketMaxQuantity,
        shown(market.marketMaxQuantity),
      ],
    ],
    'quantity',
    shown(quantity),
  );
}

/** Rule 8. `price` is the order's own, of a market order the last trade's. */
export function valueRefusals(market: Market, draft: Draft, price: bigint | null): Refusal[] {
  const power = powerOf(market);
  const finer = power < 0 ? power10(-power) : 1n;
  const shown = (units: bigint) => textOf(units, market.quoteScale);
  let exact: bigint;
  if (draft.funds !== null) exact = draft.funds * finer;
  else if (price === null || draft.quantity === null) return [];
  else exact = power < 0 ? price * draft.quantity : valueFloor(market, price, draft.quantity);
  return firstOf(
    [
      ['NOTIONAL_MIN', 42204, exact >= market.minNotional * finer, shown(market.minNotional)],
      [
        'NOTIONAL_MAX',
        42204,
        market.maxNotional === 0n || exact <= market.maxNotional * finer,
        shown(market.maxNotional),
      ],
    ],
    draft.funds !== null ? 'funds' : 'quantity',
    shown(exact / finer),
  );
}

/** The last price on the exchange's side of the band that a limit order may have; null without a reference. */
export function bandEdge(market: Market, side: Draft['side'], reference: bigint | null): bigint | null {
  if (reference === null) return null;
  if (side === 'BUY') return floorDiv(reference * (RATE_ONE + market.limitUp), RATE_ONE);
  const edge = reference * (RATE_ONE - market.limitDown);
  return edge <= 0n ? 0n : ceilDiv(edge, RATE_ONE);
}

function bandRefusals(market: Market, draft: Draft, references: References): Refusal[] {
  if (draft.kind === 'MARKET' || draft.price === null) return [];
  const edge = bandEdge(market, draft.side, market.perps ? references.mark : references.last);
  if (edge === null) return [];
  const inside = draft.side === 'BUY' ? draft.price <= edge : draft.price >= edge;
  const rule: Rule = draft.side === 'BUY' ? 'BUY_LIMIT' : 'SELL_LIMIT';
  return firstOf(
    [[rule, 42205, inside, textOf(edge, market.priceScale)]],
    'price',
    textOf(draft.price, market.priceScale),
  );
}

function referenceRefusals(market: Market, draft: Draft, references: References): Refusal[] {
  if (market.perps || draft.kind === 'LIMIT' || references.last !== null) return [];
  return [{ code: 42019, rule: 'NO_REFERENCE_PRICE', field: 'symbol' }];
}

/** The price that a value is made with: the order's own, of a market order the last trade's. */
export function valuePrice(draft: Draft, references: References): bigint | null {
  return draft.kind === 'LIMIT' ? draft.price : references.last;
}

export function filterRefusals(market: Market, draft: Draft, references: References): Refusal[] {
  const refusals: Refusal[] = [];
  if (!market.trading) refusals.push({ code: 42014, rule: 'SYMBOL_HALTED', field: 'symbol' });
  if (draft.price !== null) refusals.push(...priceRefusals(market, draft.price, 'price'));
  if (draft.quantity !== null) refusals.push(...quantityRefusals(market, draft, draft.quantity));
  if (refusals.length === 0 || refusals.every((refusal) => refusal.field === 'symbol')) {
    refusals.push(...valueRefusals(market, draft, valuePrice(draft, references)));
  }
  if (!refusals.some((refusal) => refusal.field === 'price')) refusals.push(...bandRefusals(market, draft, references));
  refusals.push(...referenceRefusals(market, draft, references));
  return refusals;
}
