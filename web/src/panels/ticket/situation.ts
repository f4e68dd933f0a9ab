// SPDX-License-Identifier: MIT
// The selected symbol with its book and prices in whole units.
import type { References } from '../../rules/filters';
import { unitsOf } from '../../rules/units';
import type { Book } from '../../rules/walk';
import { type Market, markOf, tickerOf } from '../../state/markets';
import { levelsOf, rules } from '../../state/risk';
import { type Situation, bookView } from './previews';

function bookNow(now: Market): Book {
  const view = bookView.value;
  if (view === undefined || view.book.symbol !== now.name) return { bids: [], asks: [] };
  const own = rules(now);
  return { bids: levelsOf(view.book.bids, own), asks: levelsOf(view.book.asks, own) };
}

function referencesNow(now: Market): References {
  const own = rules(now);
  const read = (text: string | undefined) => {
    const units = unitsOf(text, own.priceScale);
    return units === 0n ? null : units;
  };
  const last = read(tickerOf(now.name).value?.c ?? now.record.lastTradePrice);
  if (now.engine === 'spot') return { last, mark: null, index: null };
  const mark = markOf(now.name).value;
  return { last, mark: read(mark?.p ?? now.record.markPrice), index: read(mark?.i ?? now.record.indexPrice) };
}

export const situationOf = (now: Market): Situation => ({
  now,
  book: bookNow(now),
  references: referencesNow(now),
});
