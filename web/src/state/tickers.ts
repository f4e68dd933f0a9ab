// SPDX-License-Identifier: MIT
// 24-hour figures and marks per symbol, one subscription for all symbols of an engine.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { WsMarkPrice, WsTicker } from '../core/types';
import { streamOf } from './streams';

const figures = new Map<string, Signal<WsTicker | undefined>>();
const marks = new Map<string, Signal<WsMarkPrice | undefined>>();
let tickersAsked = false;
let marksAsked = false;

function of<T>(all: Map<string, Signal<T | undefined>>, name: string): Signal<T | undefined> {
  const kept = all.get(name) ?? signal<T | undefined>(undefined);
  all.set(name, kept);
  return kept;
}

/** 24 hours of a symbol, live once it was asked for; undefined before the first push. */
export function tickerOf(name: string): ReadonlySignal<WsTicker | undefined> {
  if (!tickersAsked) {
    tickersAsked = true;
    const onPush = ({ data }: { data: WsTicker[] }) => {
      for (const record of data) of(figures, record.s).value = record;
    };
    for (const engine of ['perps', 'spot'] as const)
      streamOf(engine).subscribe<WsTicker[]>({ channel: 'allTicker' }, { onPush });
  }
  return of(figures, name);
}

/** Mark, index and funding of a perps symbol, live once it was asked for. */
export function markOf(name: string): ReadonlySignal<WsMarkPrice | undefined> {
  if (!marksAsked) {
    marksAsked = true;
    const onPush = ({ data }: { data: WsMarkPrice[] }) => {
      for (const record of data) of(marks, record.s).value = record;
    };
    streamOf('perps').subscribe<WsMarkPrice[]>({ channel: 'allMarkPrice' }, { onPush });
  }
  return of(marks, name);
}
