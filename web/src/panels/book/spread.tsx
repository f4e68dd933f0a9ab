// SPDX-License-Identifier: MIT
// The row between the sides: the last trade and the spread, or the best prices while the rows are held.
import { type ReadonlySignal } from '@preact/signals';
import { show } from '../../core/decimal';
import { decimal } from '../../core/decimal';
import type { BookView } from '../../state/book';
import type { Market } from '../../state/markets';
import { useTrades } from '../../state/trades';
import { spreadOf } from './frame';
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

function Distance({ of, view, held }: SpreadProps) {
  void view.version.value;
  const { bids, asks } = view.book;
  const places = of.pricePlaces;
  const found = spreadOf(view.book);
  if (!found || !bids[0] || !asks[0]) return <span>{say.noSpread()}</span>;
  if (held.value) {
    const bid = show(bids[0].price, { places });
    const ask = show(asks[0].price, { places });
    return <span>{say.best({ bid, ask })}</span>;
  }
  return <span>{say.spread({ spread: show(found.spread, { places }), percent: show(found.percent) })}</span>;
}

export interface SpreadProps {
  readonly of: Market;
  readonly view: BookView;
  readonly held: ReadonlySignal<boolean>;
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
