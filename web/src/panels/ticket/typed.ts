// SPDX-License-Identifier: MIT
// The order that the ticket's boxes make, and what in them is no decimal of the symbol.
import type { Draft, Field, Refusal, TimeInForce } from '../../rules/draft';
import { type Market as Rules, powerOf } from '../../rules/market';
import { type Read, floorDiv, power10, readUnits, textOf } from '../../rules/units';
import { bracket, ioc, kind, postOnly, price, reduceOnly, size, stopLoss, takeProfit, trigger, unit } from './model';

export interface Typed {
  readonly draft: Omit<Draft, 'side'>;
  /** What cannot be sent at all: not a decimal, or more decimals than the symbol has. */
  readonly faults: readonly Refusal[];
}

/** What a box takes: so many decimals, and what is said where there are more. */
interface Grain {
  readonly scale: number;
  readonly rule: 'PRICE_DECIMALS' | 'QUANTITY_DECIMALS' | 'FUNDS_DECIMALS';
  readonly need: string;
}

function unitsIn(text: string, grain: Grain, field: Field, faults: Refusal[]): bigint | null {
  const read: Read = readUnits(text, grain.scale);
  if (read.ok) return read.units;
  if (read.why === 'syntax') faults.push({ code: 40001, rule: 'SYNTAX', field });
  const code = grain.rule === 'QUANTITY_DECIMALS' ? 42202 : grain.rule === 'PRICE_DECIMALS' ? 42201 : 42204;
  if (read.why === 'decimals') faults.push({ code, rule: grain.rule, field, got: text, need: grain.need });
  return null;
}

const priceGrain = (own: Rules): Grain => ({
  scale: own.priceScale,
  rule: 'PRICE_DECIMALS',
  need: textOf(own.tick, own.priceScale),
});

const sizeGrain = (own: Rules, byValue: boolean): Grain =>
  byValue
    ? { scale: own.quoteScale, rule: 'FUNDS_DECIMALS', need: String(own.quoteScale) }
    : { scale: own.quantityScale, rule: 'QUANTITY_DECIMALS', need: textOf(own.step, own.quantityScale) };

/** A value in the quote coin as a quantity at a price, down to the step. */
export function quantityFor(own: Rules, value: bigint, at: bigint): bigint {
  const power = powerOf(own);
  const scaled = power >= 0 ? value / power10(power) : value * power10(-power);
  const quantity = floorDiv(scaled, at);
  return quantity - (quantity % own.step);
}

const timeInForce = (): TimeInForce => {
  if (kind.value === 'MARKET' || ioc.value) return 'IOC';
  return postOnly.value ? 'GTX' : 'GTC';
};

/** The typed order; `reference` makes a value a quantity where the order has no price. */
export function typedOrder(own: Rules, buysByFunds: boolean, reference: bigint | null): Typed {
  const faults: Refusal[] = [];
  const stops = own.perps && bracket.value && !reduceOnly.value;
  const limit = kind.value === 'LIMIT';
  const at = limit ? unitsIn(price.value, priceGrain(own), 'price', faults) : null;
  const byValue = unit.value === 'value';
  const entered = unitsIn(size.value, sizeGrain(own, byValue), byValue ? 'funds' : 'quantity', faults);
  const basis = limit ? at : reference;
  const converted =
    entered !== null && byValue && basis !== null && basis > 0n ? quantityFor(own, entered, basis) : null;
  return {
    faults,
    draft: {
      kind: kind.value,
      timeInForce: timeInForce(),
      price: at,
      quantity: byValue ? (buysByFunds ? null : converted) : entered,
      funds: byValue && buysByFunds ? entered : null,
      reduceOnly: own.perps && reduceOnly.value,
      takeProfit: stops ? unitsIn(takeProfit.value, priceGrain(own), 'takeProfit', faults) : null,
      stopLoss: stops ? unitsIn(stopLoss.value, priceGrain(own), 'stopLoss', faults) : null,
      trigger: trigger.value,
    },
  };
}
