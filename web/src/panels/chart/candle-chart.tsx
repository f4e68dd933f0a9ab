// SPDX-License-Identifier: MIT
// The chart on the screen: the library's canvas, the figures of a bar, and the layer of lines above it.
import { type ReadonlySignal, type Signal, effect, useComputed, useSignal } from '@preact/signals';
import type { MouseEventParams, Time } from 'lightweight-charts';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { show } from '../../core/decimal';
import type { Interval } from '../../core/types';
import { nextFrame } from '../../state/frames';
import type { Market } from '../../state/markets';
import { orders, positions } from '../../state/portfolio';
import { palette as paletteName, theme } from '../../state/prefs';
import { priceOf, sizeOf } from '../market/units';
import type { Bar } from './bars';
import { type Drawing, makeDrawing } from './drawing';
import type { Feed } from './feed';
import { LineView } from './line-view';
import { linesOf } from './lines';
import { say } from './messages';
import { type Palette, readPalette } from './palette';
import { type Places, makePlaces } from './places';

interface Made {
  readonly drawing: Drawing;
  readonly places: Places;
}

/** The theme's colours, read again when the theme changes. */
function usePalette(): ReadonlySignal<Palette> {
  const colours = useSignal<Palette>(readPalette(document.documentElement));
  useLayoutEffect(() => {
    const read = () => nextFrame(() => void (colours.value = readPalette(document.documentElement)));
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', read);
    const stop = effect(() => {
      void [theme.value, paletteName.value];
      read();
    });
    return () => {
      stop();
      media.removeEventListener('change', read);
    };
  }, []);
  return colours;
}

/** Older bars are read when so few are left to the left. */
const FEW = 30;

function follow(drawing: Drawing, feed: Feed, colours: ReadonlySignal<Palette>, away: Signal<boolean>): () => void {
  const scale = drawing.chart.timeScale();
  const onRange = (range: { from: number } | null): void => {
    if (range && range.from < FEW) feed.older();
    away.value = scale.scrollPosition() < -1;
  };
  scale.subscribeVisibleLogicalRangeChange(onRange);
  const ends = [
    effect(() => drawing.set(feed.bars.value)),
    effect(() => drawing.recolour(colours.value)),
    () => scale.unsubscribeVisibleLogicalRangeChange(onRange),
  ];
  return () => ends.forEach((end) => end());
}

/** Bars that a key moves by. */
const STRIDE = 10;

/** Arrows scroll, plus and minus zoom, End goes to the latest bar. */
function byKey(drawing: Drawing, event: KeyboardEvent): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const scale = drawing.chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (!range) return;
  const zoom = (part: number): void =>
    scale.setVisibleLogicalRange({ from: range.to - (range.to - range.from) * part, to: range.to });
  if (event.key === 'ArrowLeft') scale.scrollToPosition(scale.scrollPosition() - STRIDE, false);
  else if (event.key === 'ArrowRight') scale.scrollToPosition(scale.scrollPosition() + STRIDE, false);
  else if (event.key === 'End') scale.scrollToRealTime();
  else if (event.key === '+' || event.key === '=') zoom(0.8);
  else if (event.key === '-') zoom(1.25);
  else return;
  event.preventDefault();
}

/** The bar under the crosshair; undefined: the last one. */
function watchCrosshair(drawing: Drawing, put: (time: number | undefined) => void): void {
  drawing.chart.subscribeCrosshairMove((event: MouseEventParams<Time>) =>
    put(event.time === undefined ? undefined : (event.time as number) * 1000),
  );
}

function Legend({ market, bar }: { market: Market; bar: Bar | undefined }) {
  if (!bar) return null;
  const price = (units: bigint): string => show(priceOf(market, units), { places: market.pricePlaces });
  const parts: [string, string][] = [
    ['O', price(bar.open)],
    ['H', price(bar.high)],
    ['L', price(bar.low)],
    ['C', price(bar.close)],
    [say.volume(), show(sizeOf(market, bar.volume))],
  ];
  return (
    <p class={`chart-legend ${bar.close >= bar.open ? 'up' : 'down'}`}>
      {parts.map(([name, text]) => (
        <span key={name}>
          <i>{name}</i> {text}
        </span>
      ))}
    </p>
  );
}

export interface CandleChartProps {
  readonly market: Market;
  readonly interval: Interval;
  readonly feed: Feed;
  readonly asks: boolean;
  readonly fits: boolean;
}

export function CandleChart({ market, interval, feed, asks, fits }: CandleChartProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const overlay = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<Made>();
  const colours = usePalette();
  const hovered = useSignal<number | undefined>(undefined);
  const away = useSignal(false);
  const bar = useComputed(() => {
    const bars = feed.bars.value;
    const time = hovered.value;
    return (time === undefined ? undefined : bars.find((one) => one.time === time)) ?? bars[bars.length - 1];
  });
  useLayoutEffect(() => {
    if (!canvas.current || !overlay.current) return undefined;
    const drawing = makeDrawing(canvas.current, market, colours.peek());
    const places = makePlaces(drawing, overlay.current);
    setMade({ drawing, places });
    watchCrosshair(drawing, (time) => void (hovered.value = time));
    const stop = follow(drawing, feed, colours, away);
    return () => {
      stop();
      setMade(undefined);
      places.close();
      drawing.chart.remove();
    };
  }, [market, feed]);
  useLayoutEffect(() => made?.places.fit(fits), [made, fits]);
  const lines = linesOf(market, orders.value, positions.value);
  return (
    <div
      class="chart-area"
      role="group"
      tabIndex={0}
      aria-label={say.candles({ symbol: market.displayName, interval })}
      aria-busy={!made || feed.bars.value.length === 0}
      onKeyDown={(event) => made && byKey(made.drawing, event)}
    >
      <div ref={canvas} class="chart-canvas" aria-hidden="true" />
      <Legend market={market} bar={bar.value} />
      <div ref={overlay} class="chart-lines" role="group" aria-label={say.lines()}>
        {made
          ? lines.map((line) => (
              <LineView key={line.key} market={market} line={line} places={made.places} palette={colours} asks={asks} />
            ))
          : null}
      </div>
      {away.value ? (
        <button type="button" class="chart-latest" onClick={() => made?.drawing.chart.timeScale().scrollToRealTime()}>
          {say.latest()} ⇥
        </button>
      ) : null}
    </div>
  );
}
