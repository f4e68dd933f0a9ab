// SPDX-License-Identifier: MIT
// The row between the sides: the last trade and the spread, or the best prices while the rows are held.
import { type ReadonlySignal } from '@preact/signals';
import { decimal, show } from '../../core/decimal';
import type { BookView } from '../../state/book';
import type { Market } from '../../state/markets';
import { useTrades } from '../../state/trades';
import { priceOf, sizeOf } from '../market/units';
import { spreadOf } from './frame';
import { type Row, averageOf } from './ladder';
import { say } from './messages';

function Last({ of }: { of: Market }) {
  const trade = useTrades(of).value[0];
  if (!trade) return null;
  const buy = trade.S === 'BUY';
  return (
    <strong class={buy ? 'up' : 'down'}>
      {show(decimal(trade.p), { places: of.pricePlaces })} <span aria-hidden="true">{buy ? '▲' : '▼'}</span>
    </strong>
  );
}

function Distance({ of, view, aimed }: SpreadProps) {
  void view.version.value;
  const places = of.pricePlaces;
  const found = spreadOf(view.book);
  if (!found) return <span>{say.noSpread()}</span>;
  const row = aimed.value;
  const average = row && averageOf(row);
  if (row && average) {
    const total = show(sizeOf(of, row.total));
    return <span>{say.sweep({ total, price: show(priceOf(of, average), { places }) })}</span>;
  }
  return <span>{say.spread({ spread: show(found.spread, { places }), percent: show(found.percent) })}</span>;
}

export interface SpreadProps {
  readonly of: Market;
  readonly view: BookView;
  /** The row under the pointer or the keyboard. */
  readonly aimed: ReadonlySignal<Row | undefined>;
}

export function Spread(props: SpreadProps) {
  return (
    <div class="book-spread book-fixed" role="row">
      <span role="gridcell">
        <Last of={props.of} />
        <Distance {...props} />
      </span>
    </div>
  );
}
