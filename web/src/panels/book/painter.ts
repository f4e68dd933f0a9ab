// SPDX-License-Identifier: MIT
// The elements of both sides of the book and what is written into them.
import { format, show } from '../../core/decimal';
import type { Market } from '../../state/markets';
import { priceOf, sizeOf } from '../market/units';
import type { Frame } from './frame';
import { type Row, type Side, share } from './ladder';
import { BLANK, type RowText, type RowView, makeRow } from './rows';

export interface Painter {
  /** All rows from the top of the screen down: sells, then buys. */
  readonly rows: readonly RowView[];
  paint(frame: Frame): void;
}

function textOf(market: Market, row: Row, places: number, deepest: bigint): RowText {
  const size = (units: bigint): string => show(sizeOf(market, units));
  return {
    price: show(priceOf(market, row.price), { places, rounding: 'half' }),
    size: row.size === 0n ? '–' : size(row.size),
    total: row.total === 0n ? '–' : size(row.total),
    own: row.own === 0n ? '' : format(sizeOf(market, row.own)),
    share: share(row.total, deepest),
  };
}

/** Makes `count` rows a side: sells into `above`, buys into `below`. `places`: decimals of the prices at this step. */
export function makePainter(
  market: Market,
  above: HTMLElement,
  below: HTMLElement,
  count: number,
  places: number,
): Painter {
  const make = (side: Side): RowView[] =>
    Array.from({ length: count }, (_, index) => makeRow(side, `book-${side}-${index}`));
  const views = { ask: make('ask'), bid: make('bid') };
  above.replaceChildren(...views.ask.map((view) => view.element).reverse());
  below.replaceChildren(...views.bid.map((view) => view.element));
  const fill = (side: Side, rows: readonly Row[], deepest: bigint): void =>
    views[side].forEach((view, index) => {
      const row = rows[index];
      view.show(row, row ? textOf(market, row, places, deepest) : BLANK);
    });
  return {
    rows: [...[...views.ask].reverse(), ...views.bid],
    paint(frame) {
      fill('ask', frame.ask, frame.deepest);
      fill('bid', frame.bid, frame.deepest);
    },
  };
}

/** Decimals that prices at multiples of a step need: 1 for 0.5, 0 for 10. */
export function placesOfStep(step: bigint, pricePlaces: number): number {
  let places = pricePlaces;
  for (let rest = step; places > 0 && rest % 10n === 0n; rest /= 10n) places -= 1;
  return places;
}
