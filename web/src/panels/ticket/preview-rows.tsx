// SPDX-License-Identifier: MIT
// What each side would do and cost, by the rules of the exchange on its last figures.
import type { ComponentChildren } from 'preact';
import { type Rounding, ZERO, decimalOf, parseDecimal, show } from '../../core/decimal';
import type { Side } from '../../rules/draft';
import type { Preview } from '../../rules/preview';
import { power10, textOf } from '../../rules/units';
import type { Market } from '../../state/markets';
import { rules } from '../../state/risk';
import { side as chosenSide } from './model';
import { engine, sides } from './previews';
import { say as words } from './preview-texts';
import { say } from './texts';

const NONE = '–';
const AT_FIELD: ReadonlySet<string> = new Set(['price', 'quantity', 'funds', 'takeProfit', 'stopLoss']);

/** Money with two or four decimals, a coin with those that it has; the exchange keeps all. */
function amount(units: bigint, scale: number, rounding: Rounding = 'up'): string {
  const whole = units < 0n ? -units : units;
  if (scale > 6) return show(parseDecimal(textOf(units, scale)) ?? ZERO);
  const places = whole >= 1000n * power10(scale) ? 2 : 4;
  return show(decimalOf(units, scale), { places: Math.min(scale, places), rounding });
}

interface Row {
  readonly head: string;
  readonly of: (preview: Preview) => ComponentChildren;
  /** Left out where it is so for no side. */
  readonly when?: (preview: Preview) => boolean;
}

function rowsOf(market: Market): Row[] {
  const own = rules(market);
  const quantity = (units: bigint) => (units === 0n ? NONE : show(decimalOf(units, own.quantityScale)));
  const price = (units: bigint | null) => (units === null ? NONE : show(decimalOf(units, own.priceScale)));
  const coin = (name: string) => (own.perps ? null : <span class="muted"> {name}</span>);
  const needs = (units: bigint, preview: Preview, rounding: Rounding) => (
    <>
      {amount(units, preview.needsScale, rounding)}
      {coin(preview.needsCoin)}
    </>
  );
  const fee = (preview: Preview) => (
    <>
      {amount(preview.takerFee + preview.makerFee, preview.feeScale)}
      {coin(preview.feeCoin)}
    </>
  );
  const common: Row[] = [
    { head: words.now(), of: (preview) => quantity(preview.filled) },
    { head: words.average(), of: (preview) => price(preview.average) },
    { head: words.rests(), of: (preview) => quantity(preview.rests) },
    {
      head: words.expires(),
      of: (preview) => quantity(preview.expires),
      when: (preview) => preview.expires > 0n,
    },
    { head: words.value(), of: (preview) => amount(preview.value, own.quoteScale) },
    { head: own.perps ? words.margin() : words.pays(), of: (preview) => needs(preview.needs, preview, 'up') },
    { head: words.fee(), of: fee },
  ];
  const available: Row = { head: say.available(), of: (preview) => needs(preview.available, preview, 'down') };
  if (!own.perps) return [...common, available];
  return [
    ...common,
    { head: words.liquidation(), of: (preview) => price(preview.liquidation) },
    { head: words.positionAfter(), of: (preview) => quantity(preview.sizeAfter ?? 0n) },
    available,
  ];
}

/** The first thing that would refuse a side, in words; what is not typed yet is no refusal. */
function reasonOf(side: Side): string | undefined {
  const found = sides.value?.[side].refusals[0];
  if (found === undefined || found.rule === 'PRICE_REQUIRED' || found.rule === 'QUANTITY_REQUIRED') return undefined;
  if (side === chosenSide.value && AT_FIELD.has(found.field)) return undefined; // it stands at its field
  return engine.value?.refusalText(found);
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
          {words.sideRefused({ side: side === 'BUY' ? say.buy() : say.sell(), why })}
        </li>
      ))}
    </ul>
  );
}

export function PreviewRows({ market }: { market: Market }) {
  const both = sides.value;
  if (both === undefined) return null;
  const previews = [both.BUY.preview, both.SELL.preview];
  const cell = (row: Row, preview: Preview | undefined) => (preview === undefined ? NONE : row.of(preview));
  const shown = (row: Row) => row.when === undefined || previews.some((one) => one !== undefined && row.when?.(one));
  return (
    <div class="preview">
      <Reasons />
      <table>
        <caption class="visually-hidden">{words.preview()}</caption>
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
          {rowsOf(market)
            .filter(shown)
            .map((row) => (
              <tr key={row.head}>
                <th scope="row">{row.head}</th>
                <td class="end">{cell(row, both.BUY.preview)}</td>
                <td class="end">{cell(row, both.SELL.preview)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
