// SPDX-License-Identifier: MIT
// The bars of a symbol: read once, kept up by the candle stream and by trades, read further back when asked.
import { type ReadonlySignal, signal } from '@preact/signals';
import { decimal } from '../../core/decimal';
import type { Interval, Kline, WsCandle, WsTrade } from '../../core/types';
import { nextFrame } from '../../state/frames';
import type { Market } from '../../state/markets';
import { streamOf } from '../../state/streams';
import { newerThan } from '../trades/tape';
import { priceUnits, sizeUnits } from '../market/units';
import { type Bar, type Bars, beginning, merge, put, withPage, withTrade } from './bars';
import { firstPage, readPage } from './early';

export type FeedState = 'loading' | 'ready' | { readonly error: string };

export interface Feed {
  /** Set at most once per animation frame. */
  readonly bars: ReadonlySignal<Bars>;
  readonly state: ReadonlySignal<FeedState>;
  /** Takes the prices of trades into the bar being made; newest first, and those of earlier calls may be among them. */
  trades(list: readonly WsTrade[]): void;
  /** Reads the page before the first bar; nothing while one is read, and nothing when there is none. */
  older(): void;
  /** Reads the newest page again. */
  reload(): void;
  close(): void;
}

const barOf = (market: Market, line: Kline): Bar => {
  const price = (text: string): bigint => priceUnits(market, decimal(text));
  const volume = sizeUnits(market, decimal(line.v));
  return { time: line.t, open: price(line.o), high: price(line.h), low: price(line.l), close: price(line.c), volume };
};

export function openFeed(market: Market, interval: Interval): Feed {
  const shown = signal<Bars>([]);
  const state = signal<FeedState>('loading');
  let bars: Bars = [];
  /** The bar of the stream and its last millisecond; undefined until it was pushed, also after a cut. */
  let live: Bar | undefined;
  let end: number | undefined;
  let lastTrade = -1;
  let complete = false;
  let reading = false;
  let closed = false;

  const publish = (): void => void (shown.value = bars);
  const changed = (next: Bars): void => {
    bars = next;
    nextFrame(publish);
  };

  const read = async (before: number | undefined): Promise<readonly Kline[] | undefined> => {
    const { engine, name } = market;
    const newest = before === undefined;
    const reply = await (newest ? firstPage(engine, name, interval) : readPage(engine, name, interval, before));
    if (closed) return undefined;
    if (reply.ok) return reply.data;
    if (newest) state.value = { error: reply.error };
    return undefined;
  };

  const reload = async (): Promise<void> => {
    if (bars.length === 0) state.value = 'loading';
    const lines = await read(undefined);
    if (!lines) return;
    const page = lines.map((line) => barOf(market, line));
    complete = false;
    changed(withPage(bars, page, live));
    state.value = 'ready';
  };

  const older = async (): Promise<void> => {
    const first = bars[0];
    if (reading || complete || !first || state.value !== 'ready') return;
    reading = true;
    const lines = await read(first.time - 1);
    reading = false;
    if (!lines || bars[0] !== first) return;
    complete = lines.length === 0;
    if (!complete) changed(merge(lines.map((line) => barOf(market, line)), bars));
  };

  const onCandle = (candle: WsCandle): void => {
    const bar = barOf(market, candle);
    // Time went on without pushes: the bars between are read.
    if (end !== undefined && bar.time > end + 1) void reload();
    // The last push of a closed bar may come after a trade has begun the next.
    if (!live || bar.time >= live.time) {
      live = bar;
      end = candle.T;
    }
    changed(put(bars, bar));
  };

  const onLost = (): void => {
    live = undefined;
    end = undefined;
    lastTrade = -1;
  };

  const onTrade = (trade: WsTrade): void => {
    const last = live;
    if (!last || end === undefined) return;
    const price = priceUnits(market, decimal(trade.p));
    const next = withTrade(last, end, trade.T, price) ?? beginning(last, end, trade.T, price);
    if (!next) return;
    if (next.time !== last.time) end += end + 1 - last.time;
    live = next;
    changed(put(bars, next));
  };

  const unsubscribe = streamOf(market.engine).subscribe<WsCandle>(
    { channel: 'candle', symbol: market.name, interval },
    { onPush: (push) => onCandle(push.data), onLost, onResumed: () => void reload() },
  );
  void reload();
  return {
    bars: shown,
    state,
    trades: (list) => {
      const fresh = list.slice(0, newerThan(list, lastTrade)).reverse();
      fresh.forEach(onTrade);
      lastTrade = list[0]?.t ?? lastTrade;
    },
    older: () => void older(),
    reload: () => void reload(),
    close: () => {
      closed = true;
      unsubscribe();
    },
  };
}
