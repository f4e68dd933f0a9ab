// SPDX-License-Identifier: MIT
// Notices of fills and liquidations. Fills of one order that come together are told as one.
import { type Decimal, add, decimal, divide, multiply, show, toScale } from '../core/decimal';
import type { WsAccountEvent } from '../core/types';
import { messages } from '../ui/i18n';
import { keepLiquidation } from './liquidated';
import { marketOf, shownName } from './markets';
import { tell } from './notices';
import type { Fill } from './records';

const say = messages({
  bought: { en: 'Bought {size} {symbol} at {price}', ja: '{symbol} を {price} で {size} 買い約定' },
  sold: { en: 'Sold {size} {symbol} at {price}', ja: '{symbol} を {price} で {size} 売り約定' },
  forcedBuy: { en: 'Liquidation bought {size} {symbol} at {price}', ja: '清算により {symbol} を {price} で {size} 買戻し' },
  forcedSell: { en: 'Liquidation sold {size} {symbol} at {price}', ja: '清算により {symbol} を {price} で {size} 売却' },
  liquidation: {
    en: 'Liquidation ({mode}): equity {equity} is below the maintenance margin {margin}. {positions}',
    ja: '清算({mode}): 純資産 {equity} が維持証拠金 {margin} を下回りました。{positions}',
  },
  position: { en: '{symbol} {size} at mark {mark}', ja: '{symbol} {size} 評価価格 {mark}' },
  cross: { en: 'cross', ja: 'クロス' },
  isolated: { en: 'isolated', ja: '分離' },
});

/** An order that takes several levels is told by several messages; they come within so many ms. */
const TOGETHER = 200;

interface Sum {
  readonly fill: Fill;
  quantity: Decimal;
  value: Decimal;
}

const sums = new Map<string, Sum>();

function tellSum({ fill, quantity, value }: Sum): void {
  const market = marketOf(fill.symbol);
  const price = divide(value, quantity, market?.pricePlaces ?? fill.price.scale, 'half');
  const bought = fill.side === 'BUY';
  const forced = fill.liquidationID !== undefined;
  const text = forced ? (bought ? say.forcedBuy : say.forcedSell) : bought ? say.bought : say.sold;
  const values = { size: show(quantity), symbol: shownName(fill.symbol), price: show(price) };
  tell(text(values), forced ? 'bad' : 'good');
}

function tellSums(): void {
  const all = [...sums.values()];
  sums.clear();
  all.forEach(tellSum);
}

export function tellFill(fill: Fill): void {
  const key = `${fill.engine} ${fill.orderID} ${fill.side} ${fill.liquidationID ?? ''}`;
  const value = multiply(fill.price, fill.quantity);
  const sum = sums.get(key);
  if (sum) {
    sum.quantity = add(sum.quantity, fill.quantity);
    sum.value = add(sum.value, value);
  } else {
    sums.set(key, { fill, quantity: fill.quantity, value });
  }
  if (sums.size === 1 && !sum) setTimeout(tellSums, TOGETHER);
}

const money = (text: string): string => show(toScale(decimal(text), 2, 'down'));

export function tellLiquidation(event: WsAccountEvent): void {
  keepLiquidation(event);
  const positions = event.P.map((one) =>
    say.position({ symbol: shownName(one.s), size: show(decimal(one.sz)), mark: show(decimal(one.mp)) }),
  );
  const values = {
    mode: event.mm === 'CROSS' ? say.cross() : say.isolated(),
    equity: money(event.av),
    margin: money(event.maintenanceMargin ?? '0'),
    positions: positions.join('; '),
  };
  tell(say.liquidation(values), 'bad');
}
