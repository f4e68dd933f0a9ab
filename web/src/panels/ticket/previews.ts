// SPDX-License-Identifier: MIT
// The previews of both sides, computed anew at once when something is typed, and a few times a second when the market
// or the account moves.
import { computed, effect, signal, untracked } from '@preact/signals-core';
import type { Draft, Refusal, Side } from '../../rules/draft';
import type { References } from '../../rules/filters';
import type { Preview } from '../../rules/preview';
import type { Book } from '../../rules/walk';
import type { BookView } from '../../state/book';
import { type Market, market, markOf, tickerOf } from '../../state/markets';
import { feeRates, orders, perpsState, spotState } from '../../state/portfolio';
import { price, size, stopLoss, takeProfit } from './model';
import type { Typed } from './typed';

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
    void [view?.version.value, engine.value?.indexStates.value];
    void [perpsState.value, spotState.value, orders.value, feeRates.value];
    if (now !== undefined) void (now.engine === 'perps' ? markOf(now.name).value : tickerOf(now.name).value);
    waiting ??= setTimeout(() => {
      waiting = undefined;
      pulse.value++;
    }, REFRESH_MS);
  });
}

export interface Situation {
  readonly now: Market;
  readonly book: Book;
  readonly references: References;
}

export interface SidePreview {
  readonly draft: Draft;
  readonly typed: Typed;
  readonly preview: Preview | undefined;
  /** What would refuse it: faults of what is typed, then the exchange's rules. */
  readonly refusals: readonly Refusal[];
}

type Engine = typeof import('./engine');

/** Undefined until the ticket is used first. */
export const engine = signal<Engine | undefined>(undefined);
let asked: Promise<Engine> | undefined;

/** Loads the rules; once, however often it is called. */
export function wake(): Promise<Engine> {
  asked ??= import('./engine').then((module) => {
    module.followIndexStates();
    return (engine.value = module);
  });
  return asked;
}

/** The selected symbol with its book and prices, as of the last refresh; undefined until the rules are there. */
export const here = computed<Situation | undefined>(() => {
  void pulse.value;
  const [rulesOf, now] = [engine.value, market.value];
  return rulesOf && now && untracked(() => rulesOf.situationOf(now));
});

const isEmpty = (): boolean => [price, size, takeProfit, stopLoss].every((field) => field.value === '');

/** Undefined while nothing is typed, and until the rules and the symbol are there. */
export const sides = computed<Readonly<Record<Side, SidePreview>> | undefined>(() => {
  const rulesOf = engine.value;
  if (rulesOf === undefined || isEmpty()) return undefined;
  const now = here.value;
  return now && { BUY: rulesOf.sideNow('BUY', now), SELL: rulesOf.sideNow('SELL', now) };
});
