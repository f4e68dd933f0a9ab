// SPDX-License-Identifier: MIT
// The library's chart of one symbol: candles above volume, colours of the theme, and where prices are on the screen.
// Numbers here are for drawing; nothing is computed with them.
import {
  type CandlestickData,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  TickMarkType,
  type Time,
  type UTCTimestamp,
  createChart,
} from 'lightweight-charts';
import { decimal, show, toPixelScale } from '../../core/decimal';
import type { Market } from '../../state/markets';
import { drawn } from '../market/units';
import type { Bar, Bars } from './bars';
import { type Palette, faint } from './palette';

export interface Drawing {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly volume: ISeriesApi<'Histogram'>;
  /** Draws these bars; only what differs from the bars before is handed to the library. */
  set(bars: Bars): void;
  recolour(palette: Palette): void;
}

const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1000) as UTCTimestamp;

const dateOf = (time: Time): Date => new Date((time as number) * 1000);
const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', options);
  return (time: Time): string => format.format(dateOf(time));
};
const whole = formatter({ day: '2-digit', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
const marks: Readonly<Record<TickMarkType, (time: Time) => string>> = {
  [TickMarkType.Year]: formatter({ year: 'numeric' }),
  [TickMarkType.Month]: formatter({ month: 'short' }),
  [TickMarkType.DayOfMonth]: formatter({ day: 'numeric', month: 'short' }),
  [TickMarkType.Time]: formatter({ hour: '2-digit', minute: '2-digit' }),
  [TickMarkType.TimeWithSeconds]: formatter({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
};

const candleOf = (market: Market, bar: Bar): CandlestickData => ({
  time: seconds(bar.time),
  open: drawn(market, bar.open),
  high: drawn(market, bar.high),
  low: drawn(market, bar.low),
  close: drawn(market, bar.close),
});

const volumeOf = (market: Market, bar: Bar, palette: Palette): HistogramData => ({
  time: seconds(bar.time),
  value: Number(bar.volume) / 10 ** market.sizePlaces,
  color: faint(bar.close >= bar.open ? palette.buy : palette.sell, '66'),
});

const colours = (palette: Palette) => ({
  chart: {
    layout: {
      background: { type: ColorType.Solid as const, color: palette.panel },
      textColor: palette.muted,
      attributionLogo: false, // it writes a <style>, which the policy forbids; attribution.tsx has the link
      fontSize: 11,
      fontFamily: 'system-ui, sans-serif',
    },
    grid: { vertLines: { color: faint(palette.line, '80') }, horzLines: { color: faint(palette.line, '80') } },
    rightPriceScale: { borderColor: palette.line, scaleMargins: { top: 0.1, bottom: 0.22 } },
    timeScale: { borderColor: palette.line },
  },
  candles: {
    upColor: palette.buy,
    downColor: palette.sell,
    wickUpColor: palette.buy,
    wickDownColor: palette.sell,
    borderVisible: false,
  },
});

/** How many bars from the end differ: undefined when all are to be drawn anew. */
function tail(before: Bars, now: Bars): number | undefined {
  const added = now.length - before.length;
  const last = before.length - 1;
  if (last < 0 || added < 0 || added > 2 || before[0]?.time !== now[0]?.time) return undefined;
  return before[last]?.time === now[last]?.time ? added + 1 : undefined;
}

export function makeDrawing(element: HTMLElement, market: Market, first: Palette): Drawing {
  let palette = first;
  let shown: Bars = [];
  const chart = createChart(element, {
    ...colours(palette).chart,
    autoSize: true,
    crosshair: { mode: CrosshairMode.Normal },
    localization: { timeFormatter: whole, priceFormatter: priceFormatter(market) },
    timeScale: {
      ...colours(palette).chart.timeScale,
      timeVisible: true,
      secondsVisible: false,
      rightOffset: 6,
      barSpacing: 8,
      tickMarkFormatter: (time: Time, type: TickMarkType) => marks[type](time),
    },
  });
  const candles = chart.addSeries(CandlestickSeries, {
    ...colours(palette).candles,
    priceFormat: { type: 'price', precision: market.pricePlaces, minMove: toPixelScale(market.tick) },
  });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });

  const all = (): void => {
    candles.setData(shown.map((bar) => candleOf(market, bar)));
    volume.setData(shown.map((bar) => volumeOf(market, bar, palette)));
  };
  return {
    chart,
    candles,
    volume,
    set(bars) {
      const differ = tail(shown, bars);
      shown = bars;
      if (differ === undefined) return all();
      for (const bar of bars.slice(bars.length - differ)) {
        candles.update(candleOf(market, bar));
        volume.update(volumeOf(market, bar, palette));
      }
    },
    recolour(next) {
      if (next === palette) return;
      palette = next;
      chart.applyOptions(colours(next).chart);
      candles.applyOptions(colours(next).candles);
      volume.setData(shown.map((bar) => volumeOf(market, bar, palette)));
    },
  };
}

/** Prices of the axis, with groups of thousands. */
function priceFormatter(market: Market): (price: number) => string {
  return (price) => {
    const text = price.toFixed(market.pricePlaces);
    return show(decimal(text), { places: market.pricePlaces });
  };
}
