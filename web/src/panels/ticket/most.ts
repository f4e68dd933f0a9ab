// SPDX-License-Identifier: MIT
// The largest size that the account can order now, for the percent slider.
import { marginCheck } from '../../rules/account';
import type { Side } from '../../rules/draft';
import { abs, ceilDiv, floorDiv, power10, textOf } from '../../rules/units';
import { marketBound } from '../../rules/walk';
import { spotState } from '../../state/portfolio';
import { freeOf, perpsNow, rules } from '../../state/risk';
import { kind, side, unit } from './model';
import { type Situation, sides } from './previews';
import { quantityFor } from './typed';

const DOUBLINGS = 50;

/** The largest whole number that passes; 0 passes. */
function largest(passes: (quantity: bigint) => boolean): bigint {
  let high = 1n;
  for (let i = 0; i < DOUBLINGS && passes(high); i++) high *= 2n;
  let low = high / 2n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function mostPerps(here: Situation, side: Side, price: bigint | null, reduces: boolean): bigint {
  const own = rules(here.now);
  const { account, markets } = perpsNow();
  const priced = markets.get(own.name);
  if (priced === undefined) return 0n;
  const position = account.positions.find((one) => one.symbol === own.name);
  if (reduces) {
    const closes = position !== undefined && position.size > 0n === (side === 'SELL');
    return closes ? abs(position.size) : 0n;
  }
  const at = price ?? marketBound(own, side, null, here.references);
  if (at === null) return 0n;
  const steps = largest(
    (count) => marginCheck(account, markets, priced, { side, price: at, open: count * own.step }).passes,
  );
  return steps * own.step;
}

function mostSpot(here: Situation, side: Side, price: bigint | null): bigint {
  const own = rules(here.now);
  const balances = spotState.value?.B ?? [];
  if (side === 'SELL') {
    const free = freeOf(balances, own.baseCoin, own.baseScale);
    const finer = own.baseScale - own.quantityScale;
    const quantity = finer >= 0 ? free / power10(finer) : free * power10(-finer);
    return quantity - (quantity % own.step);
  }
  const at = price ?? marketBound(own, side, null, here.references);
  return at === null || at === 0n ? 0n : quantityFor(own, freeOf(balances, own.quoteCoin, own.quoteScale), at);
}

/** In units of the symbol's quantity; `price` null for a market order. */
function mostQuantity(here: Situation, side: Side, price: bigint | null, reduces: boolean): bigint {
  const most = here.now.engine === 'perps' ? mostPerps(here, side, price, reduces) : mostSpot(here, side, price);
  const own = rules(here.now);
  const bound = price === null && own.marketMaxQuantity > 0n ? own.marketMaxQuantity : own.maxQuantity;
  return bound > 0n && most > bound ? bound : most;
}

/** So many percent of it, down to the step. */
function partOf(most: bigint, percent: number, step: bigint): bigint {
  const part = floorDiv(most * BigInt(percent), 100n);
  return part - (part % step);
}

/** The value of a quantity at a price, for a size in the quote coin; up, so that the quantity comes out of it again. */
function valueFor(here: Situation, quantity: bigint, price: bigint): bigint {
  const own = rules(here.now);
  const power = own.quoteScale - own.priceScale - own.quantityScale;
  return power >= 0 ? price * quantity * power10(power) : ceilDiv(price * quantity, power10(-power));
}

/** The text of a size that is a part of what the account can order, at the typed price or the best of the book. */
export function partSize(here: Situation, percent: number): string {
  const own = rules(here.now);
  const chosen = side.value ?? 'BUY';
  const draft = sides.value?.[chosen].draft;
  const limit = kind.value === 'LIMIT' ? (draft?.price ?? null) : null;
  const quantity = partOf(mostQuantity(here, chosen, limit, draft?.reduceOnly ?? false), percent, own.step);
  const best = (chosen === 'BUY' ? here.book.asks : here.book.bids)[0]?.price;
  const at = limit ?? best ?? here.references.index ?? here.references.last;
  const byValue = unit.value === 'value' && at !== null;
  return byValue ? textOf(valueFor(here, quantity, at), own.quoteScale) : textOf(quantity, own.quantityScale);
}
