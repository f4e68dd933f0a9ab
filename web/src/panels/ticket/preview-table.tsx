// SPDX-License-Identifier: MIT
// What each side would do and cost, by the rules of the exchange on its last figures.
import type { ComponentChildren } from 'preact';
import { decimalOf, show } from '../../core/decimal';
import type { Side } from '../../rules/draft';
import type { Preview } from '../../rules/preview';
import { refusalText } from '../../rules/refusal-texts';
import type { Market } from '../../state/markets';
import { rules } from '../../state/risk';
import { size } from './model';
import { sides } from './previews';
import { say } from './texts';

const NONE = '–';

/** Decimals of money that are shown; the exchange keeps more. */
const moneyPlaces = (scale: number): number => Math.min(scale, 4);

interface Row {
  readonly head: string;
  readonly of: (preview: Preview) => ComponentChildren;
}

const amount = (units: bigint, scale: number): string =>
  show(decimalOf(units, scale), { places: moneyPlaces(scale), rounding: 'up' });

function rowsOf(market: Market): Row[] {
  const own = rules(market);
  const quantity = (units: bigint) => (units === 0n ? NONE : show(decimalOf(units, own.quantityScale)));
  const price = (units: bigint | null) => (units === null ? NONE : show(decimalOf(units, own.priceScale)));
  const now = (preview: Preview) =>
    preview.filled === 0n ? NONE : `${quantity(preview.filled)} @ ${price(preview.average)}`;
  const fee = (preview: Preview) =>
    `${amount(preview.takerFee + preview.makerFee, preview.feeScale)} ${preview.feeCoin}`;
  const needs = (preview: Preview) => amount(preview.needs, preview.needsScale);
  const common: Row[] = [
    { head: say.now(), of: now },
    { head: say.rests(), of: (preview) => quantity(preview.rests) },
    { head: say.expires(), of: (preview) => quantity(preview.expires) },
    { head: say.value(), of: (preview) => amount(preview.value, own.quoteScale) },
    { head: own.perps ? say.margin() : say.pays(), of: (preview) => (own.perps ? needs(preview) : withCoin(preview)) },
    { head: say.fee(), of: fee },
  ];
  const available: Row = { head: say.available(), of: (preview) => amountOf(preview.available, preview) };
  if (!own.perps) return [...common, available];
  return [
    ...common,
    { head: say.liquidation(), of: (preview) => price(preview.liquidation) },
    { head: say.positionAfter(), of: (preview) => quantity(preview.sizeAfter ?? 0n) },
    available,
  ];
}

const withCoin = (preview: Preview): string => `${amount(preview.needs, preview.needsScale)} ${preview.needsCoin}`;
const amountOf = (units: bigint, preview: Preview): string =>
  show(decimalOf(units, preview.needsScale), { places: moneyPlaces(preview.needsScale) });

/** The first thing that would refuse a side, in words; what is not typed yet is no refusal. */
function reasonOf(side: Side): string | undefined {
  const found = sides.value?.[side].refusals[0];
  if (found === undefined || found.rule === 'PRICE_REQUIRED' || found.rule === 'QUANTITY_REQUIRED') return undefined;
  return refusalText(found);
}

function Reasons() {
  const reasons = (['BUY', 'SELL'] as const).flatMap((side) => {
    const why = reasonOf(side);
    return why === undefined ? [] : [{ side, why }];
  });
  return (
    <ul class="reasons">
      {reasons.map(({ side, why }) => (
        <li key={side} class={side === 'BUY' ? 'buy-text' : 'sell-text'}>
          {say.sideRefused({ side: side === 'BUY' ? say.buy() : say.sell(), why })}
        </li>
      ))}
    </ul>
  );
}

export function PreviewTable({ market }: { market: Market }) {
  const both = sides.value;
  const shown = size.value !== '' && both !== undefined;
  const cell = (row: Row, preview: Preview | undefined) => (shown && preview !== undefined ? row.of(preview) : NONE);
  return (
    <div class="preview">
      <table>
        <caption class="visually-hidden">{say.preview()}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col" class="end buy-text">
              {say.buy()}
            </th>
            <th scope="col" class="end sell-text">
              {say.sell()}
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(market).map((row) => (
            <tr key={row.head}>
              <th scope="row">{row.head}</th>
              <td class="end">{cell(row, both?.BUY.preview)}</td>
              <td class="end">{cell(row, both?.SELL.preview)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown ? <Reasons /> : null}
    </div>
  );
}
