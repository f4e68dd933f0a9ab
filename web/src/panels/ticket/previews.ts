// SPDX-License-Identifier: MIT
// The previews of both sides, computed anew at once when something is typed, and a few times a second when the market
// or the account moves.
import { computed, effect, signal, untracked } from '@preact/signals-core';
import { type Draft, type Field, type Refusal, type Side } from '../../rules/draft';
import type { References } from '../../rules/filters';
import { rateOf } from '../../rules/market';
import type { Preview } from '../../rules/preview';
import { previewPerps } from '../../rules/preview-perps';
import { previewSpot } from '../../rules/preview-spot';
import { unitsOf } from '../../rules/units';
import type { Book } from '../../rules/walk';
import type { BookView } from '../../state/book';
import { type Market, market, markOf, tickerOf } from '../../state/markets';
import { feeRates, orders, perpsState, spotState } from '../../state/portfolio';
import { freeOf, levelsOf, ownSpot, perpsNow, rules } from '../../state/risk';
import { type Typed, kind, typedOrder } from './model';

/** The book of the selected symbol, set by the panel while it is shown. */
export const bookView = signal<BookView | undefined>(undefined);

const REFRESH_MS = 200;
const pulse = signal(0);
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Follows what moves by itself; returns the end. */
export function followMarket(): () => void {
  return effect(() => {
    const view = bookView.value;
    const now = market.value;
    void [view?.version.value, perpsState.value, spotState.value, orders.value, feeRates.value];
    if (now !== undefined) void (now.engine === 'perps' ? markOf(now.name).value : tickerOf(now.name).value);
    waiting ??= setTimeout(() => {
      waiting = undefined;
      pulse.value++;
    }, REFRESH_MS);
  });
}

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

export interface Situation {
  readonly now: Market;
  readonly book: Book;
  readonly references: References;
}

/** The selected symbol with its book and prices, as of the last refresh. */
export const here = computed<Situation | undefined>(() => {
  void pulse.value;
  const now = market.value;
  if (now === undefined) return undefined;
  return untracked(() => ({ now, book: bookNow(now), references: referencesNow(now) }));
});

function preview(at: Situation, draft: Draft): Preview | undefined {
  const own = rules(at.now);
  const { book, references } = at;
  if (at.now.engine === 'perps') {
    const { account, markets } = perpsNow();
    const priced = markets.get(own.name);
    return priced && previewPerps({ account, markets, priced, references, book }, draft);
  }
  const balances = spotState.value?.B ?? [];
  const rates = feeRates.value.get(own.name);
  return previewSpot(
    {
      market: own,
      references,
      book,
      own: ownSpot(at.now, draft.side === 'BUY' ? 'SELL' : 'BUY'),
      quote: freeOf(balances, own.quoteCoin, own.quoteScale),
      base: freeOf(balances, own.baseCoin, own.baseScale),
      takerRate: rateOf(rates?.takerFeeRate ?? at.now.record.takerFee),
      makerRate: rateOf(rates?.makerFeeRate ?? at.now.record.makerFee),
    },
    draft,
  );
}

export interface SidePreview {
  readonly draft: Draft;
  readonly typed: Typed;
  readonly preview: Preview | undefined;
  /** What would refuse it: faults of what is typed, then the exchange's rules. */
  readonly refusals: readonly Refusal[];
}

function sideNow(chosen: Side, at: Situation): SidePreview {
  const own = rules(at.now);
  const best = (chosen === 'BUY' ? at.book.asks : at.book.bids)[0]?.price ?? null;
  const reference = best ?? at.references.index ?? at.references.last;
  const typed = typedOrder(own, !own.perps && chosen === 'BUY' && kind.value === 'MARKET', reference);
  const draft: Draft = { side: chosen, ...typed.draft };
  const seen = untracked(() => preview(at, draft));
  const broken = new Set<Field>(typed.faults.map((fault) => fault.field));
  const rest = (seen?.refusals ?? []).filter((refusal) => !broken.has(refusal.field) && !isCovered(refusal, broken));
  return { draft, typed, preview: seen, refusals: [...typed.faults, ...rest] };
}

/** A size in the quote coin that cannot be read is no missing quantity as well. */
const isCovered = (refusal: Refusal, broken: ReadonlySet<Field>): boolean =>
  refusal.rule === 'QUANTITY_REQUIRED' && (broken.has('funds') || broken.has('quantity') || broken.has('price'));

export const sides = computed<Readonly<Record<Side, SidePreview>> | undefined>(() => {
  const now = here.value;
  return now && { BUY: sideNow('BUY', now), SELL: sideNow('SELL', now) };
});
