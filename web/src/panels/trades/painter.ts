// SPDX-License-Identifier: MIT
// The rows of the tape. They are made once and reused: a frame writes only the texts that changed.
import { decimal, show } from '../../core/decimal';
import type { WsTrade } from '../../core/types';
import type { Market } from '../../state/markets';
import { say } from './messages';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

interface RowView {
  readonly element: HTMLTableRowElement;
  show(trade: WsTrade | undefined): void;
}

function cellOf(row: HTMLElement): Text {
  return row.appendChild(document.createElement('td')).appendChild(document.createTextNode(''));
}

function makeRow(market: Market): RowView {
  const element = document.createElement('tr');
  const [price, size, time] = [cellOf(element), cellOf(element), cellOf(element)];
  const side = document.createElement('span');
  side.className = 'hidden';
  price.before(side);
  let last: number | undefined = -1;
  return {
    element,
    show(trade) {
      if (trade?.t === last) return;
      last = trade?.t;
      element.className = trade ? (trade.S === 'BUY' ? 'buy' : 'sell') : '';
      if (!trade) return;
      const buy = trade.S === 'BUY';
      side.textContent = buy ? say.bought() : say.sold();
      price.data = `${buy ? '▲' : '▼'} ${show(decimal(trade.p), { places: market.pricePlaces })}`;
      size.data = show(decimal(trade.q), { places: market.sizePlaces });
      time.data = clock.format(trade.T);
    },
  };
}

export interface Painter {
  paint(trades: readonly WsTrade[]): void;
}

/** Makes `count` rows in a table's body; rows without a trade are taken out. */
export function makePainter(market: Market, body: HTMLElement, count: number): Painter {
  const rows = Array.from({ length: count }, () => makeRow(market));
  let shown = 0;
  body.replaceChildren();
  return {
    paint(trades) {
      const wanted = Math.min(count, trades.length);
      rows.slice(0, wanted).forEach((row, index) => row.show(trades[index]));
      if (wanted === shown) return;
      shown = wanted;
      body.replaceChildren(...rows.slice(0, wanted).map((row) => row.element));
    },
  };
}
