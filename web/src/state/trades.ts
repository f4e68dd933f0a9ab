// SPDX-License-Identifier: MIT
// Public trades of a market, newest first, announced once per animation frame.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { WsTrade } from '../core/types';
import { nextFrame } from './frames';
import type { Market } from './markets';
import { type Source, sharedViews } from './shared';
import { streamOf } from './streams';

const MOST = 100;
const NONE: ReadonlySignal<readonly WsTrade[]> = signal([]);

function tradeSource(market: Market): Source<ReadonlySignal<readonly WsTrade[]>> {
  const view = signal<readonly WsTrade[]>([]);
  let newest: WsTrade[] = [];
  const announce = () => {
    view.value = newest;
  };
  const start = () =>
    streamOf(market.engine).subscribe<WsTrade[]>(
      { channel: 'trade', symbol: market.name },
      {
        onPush({ type, data }) {
          // A snapshot has the newest first, an update the oldest first.
          newest = type === 'snapshot' ? data : [...data.toReversed(), ...newest].slice(0, MOST);
          nextFrame(announce);
        },
      },
    );
  return { view, start };
}

const shared = sharedViews((market: Market) => `${market.engine} ${market.name}`, tradeSource);

/** The newest trades (at most 100) while the component is shown. */
export function useTrades(market: Market | undefined): ReadonlySignal<readonly WsTrade[]> {
  return shared.useView(market) ?? NONE;
}
