// SPDX-License-Identifier: MIT
// What a liquidation was: the price that began it, the margin that was missing, what was taken, and where more is told.
// It stays until it is closed: the notices of the fills that follow would push it out of the status line.
import { type Decimal, add, decimal, divide, multiply, show, signOf, toScale } from '../core/decimal';
import type { WsAccountEvent } from '../core/types';
import { view } from '../panels/history/view';
import { account } from '../state/account';
import { liquidated } from '../state/liquidated';
import { marketOf, shownName } from '../state/markets';
import { type Fill, fills } from '../state/portfolio';
import { messages } from '../ui/i18n';
import { reveal } from './arrangement';
import './liquidated.css';

const say = messages({
  title: { en: 'Liquidation', ja: '清算' },
  price: {
    en: '{side} {size} {symbol} was liquidated: the mark price {mark} reached the liquidation price {price}.',
    ja: '{symbol} の{side} {size} は、評価価格 {mark} が清算価格 {price} に達したため清算されました。',
  },
  priceless: {
    en: '{side} {size} {symbol} was liquidated at the mark price {mark}.',
    ja: '{symbol} の{side} {size} は評価価格 {mark} で清算されました。',
  },
  CROSS: {
    en: 'The account was worth {equity}, less than the maintenance margin of {margin} that its positions need.',
    ja: '口座評価額 {equity} が、建玉に必要な維持証拠金 {margin} を下回りました。',
  },
  ISOLATED: {
    en: 'Its own margin, at that price, was {equity}: less than the maintenance margin of {margin} that it needs.',
    ja: '建玉の証拠金(損益込み)の評価額 {equity} が、必要な維持証拠金 {margin} を下回りました。',
  },
  sold: {
    en: 'The exchange sold {size} {symbol} at {price} on average.',
    ja: '取引所が {symbol} を平均 {price} で {size} 売却しました。',
  },
  bought: {
    en: 'The exchange bought {size} {symbol} at {price} on average.',
    ja: '取引所が {symbol} を平均 {price} で {size} 買い戻しました。',
  },
  long: { en: 'Long', ja: 'ロング' },
  short: { en: 'Short', ja: 'ショート' },
  steps: { en: 'Each step, in History', ja: '履歴で各段階を見る' },
  close: { en: 'Close the explanation', ja: '説明を閉じる' },
});

const money = (text: string): string => show(toScale(decimal(text), 2, 'down'));

function began(one: WsAccountEvent['P'][number]): string {
  const size = decimal(one.sz);
  const values = {
    side: signOf(size) > 0 ? say.long() : say.short(),
    size: show(size).replace('\u2212', ''),
    symbol: shownName(one.s),
    mark: show(decimal(one.mp)),
    price: show(decimal(one.lp)),
  };
  return signOf(decimal(one.lp)) === 0 ? say.priceless(values) : say.price(values);
}

/** What was traded by force, one sentence for each symbol and side. */
export function takenOf(all: readonly Fill[], liquidationID: number | undefined): string[] {
  const sums = new Map<string, { fill: Fill; size: Decimal; value: Decimal }>();
  for (const fill of all) {
    if (liquidationID === undefined || fill.liquidationID !== liquidationID) continue;
    const key = `${fill.symbol} ${fill.side}`;
    const value = multiply(fill.price, fill.quantity);
    const sum = sums.get(key);
    if (sum) sums.set(key, { fill, size: add(sum.size, fill.quantity), value: add(sum.value, value) });
    else sums.set(key, { fill, size: fill.quantity, value });
  }
  return [...sums.values()].map(({ fill, size, value }) => {
    const price = divide(value, size, marketOf(fill.symbol)?.pricePlaces ?? fill.price.scale, 'half');
    const values = { size: show(size), symbol: shownName(fill.symbol), price: show(price) };
    return fill.side === 'SELL' ? say.sold(values) : say.bought(values);
  });
}

function showSteps(): void {
  view.value = 'liquidations';
  reveal('history');
}

const close = () => {
  liquidated.value = undefined;
};

export function Liquidated() {
  const event = liquidated.value;
  if (event === undefined || event.aid !== account.value?.accountID) return null;
  const values = { equity: money(event.av), margin: money(event.maintenanceMargin ?? '0') };
  return (
    <section class="liquidated" aria-label={say.title()}>
      <div>
        {event.P.map((one) => (
          <p key={one.s}>
            <b>{began(one)}</b>
          </p>
        ))}
        <p>
          {say[event.mm](values)} {takenOf(fills.value, event.liquidationID).join(' ')}
        </p>
      </div>
      <span class="actions">
        <button type="button" onClick={showSteps}>
          {say.steps()}
        </button>
        <button type="button" aria-label={say.close()} title={say.close()} onClick={close}>
          ✕
        </button>
      </span>
    </section>
  );
}
