// SPDX-License-Identifier: MIT
// What positions are worth at the mark price of this moment, to the unit of the exchange.
import { type Decimal, decimalOf } from '../../core/decimal';
import { availableOf, crossHealth, profitAt } from '../../rules/account';
import { initialOf, valueFloor } from '../../rules/market';
import { abs } from '../../rules/units';
import type { Position } from '../../state/portfolio';
import { perpsNow } from '../../state/risk';

export interface Figures {
  readonly mark: Decimal;
  readonly value: Decimal;
  readonly margin: Decimal;
  readonly pnl: Decimal;
}

/** A function of one position; undefined where its price or its record is not there yet. */
export function figures(): (position: Position) => Figures | undefined {
  const { account, markets } = perpsNow();
  return (position) => {
    const priced = markets.get(position.symbol);
    const own = account.positions.find((one) => one.symbol === position.symbol);
    if (priced === undefined || own === undefined) return undefined;
    const { market, mark } = priced;
    const value = valueFloor(market, mark, abs(own.size));
    const margin = position.marginMode === 'ISOLATED' ? own.bucket : initialOf(value, position.leverage);
    return {
      mark: decimalOf(mark, market.priceScale),
      value: decimalOf(value, market.quoteScale),
      margin: decimalOf(margin, market.quoteScale),
      pnl: decimalOf(profitAt(priced, own, mark), market.quoteScale),
    };
  };
}

export interface Health {
  readonly equity: Decimal;
  readonly maintenance: Decimal;
  readonly available: Decimal;
}

/** Equity of the cross account, what it has to keep, and what is free of it, at the marks of this moment. */
export function health(): Health | undefined {
  const { account, markets } = perpsNow();
  const [any] = markets.values();
  const isKnown = account.positions.every((one) => one.size === 0n || markets.has(one.symbol));
  if (any === undefined || !isKnown) return undefined;
  const { equity, maintenance } = crossHealth(account, markets);
  const scale = any.market.quoteScale;
  const available = decimalOf(availableOf(account, markets), scale);
  return { equity: decimalOf(equity, scale), maintenance: decimalOf(maintenance, scale), available };
}
