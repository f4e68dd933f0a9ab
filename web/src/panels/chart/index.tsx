// SPDX-License-Identifier: MIT
// The chart panel: the interval, two choices about lines, and the chart, whose library is loaded beside the candles.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Interval } from '../../core/types';
import type { Market } from '../../state/markets';
import { remembered } from '../../state/prefs';
import { useTrades } from '../../state/trades';
import { useSameMarket } from '../market/same';
import { Attribution } from './attribution';
import type { CandleChartProps } from './candle-chart';
import { askEarly } from './early';
import { type Feed, openFeed } from './feed';
import { INTERVALS, isInterval, offered } from './intervals';
import { say } from './messages';
import './panel.css';

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const interval = remembered<Interval>('chart.interval', '1m', isInterval);
const asks = remembered<boolean>('chart.asks', true, isBoolean);
const fits = remembered<boolean>('chart.fits', false, isBoolean);

/** Asked for with the first script, so that it comes beside the candles. */
const library = import('./candle-chart');
askEarly(location.pathname, (engine) => offered(engine, interval.peek()));

function Intervals({ of, active }: { of: Market; active: Interval }) {
  return (
    <div class="chart-intervals" role="group" aria-label={say.intervals()}>
      {INTERVALS[of.engine].map((one) => (
        <button key={one} type="button" aria-pressed={one === active} onClick={() => (interval.value = one)}>
          {one}
        </button>
      ))}
    </div>
  );
}

function Choice({ text, of }: { text: string; of: typeof asks }) {
  return (
    <label>
      <input type="checkbox" checked={of.value} onChange={(event) => (of.value = event.currentTarget.checked)} /> {text}
    </label>
  );
}

function Status({ feed }: { feed: Feed }) {
  const state = feed.state.value;
  if (state === 'loading') return <p class="chart-status">{say.waiting()}</p>;
  if (state === 'ready') return feed.bars.value.length === 0 ? <p class="chart-status">{say.none()}</p> : null;
  return (
    <p class="chart-status">
      {say.failed(state)}{' '}
      <button type="button" onClick={() => feed.reload()}>
        {say.again()}
      </button>
    </p>
  );
}

function Chart({ of }: { of: Market }) {
  const active = offered(of.engine, interval.value);
  const feed = useSignal<Feed | undefined>(undefined);
  const [loaded, setLoaded] = useState<{ CandleChart: ComponentType<CandleChartProps> }>();
  useMemo(() => {
    feed.peek()?.close();
    feed.value = openFeed(of, active);
  }, [of, active]);
  useEffect(() => () => feed.peek()?.close(), []);
  useEffect(() => void library.then(({ CandleChart }) => setLoaded({ CandleChart })), []);
  const trades = useTrades(of);
  useSignalEffect(() => feed.value?.trades(trades.value));
  const current = feed.value as Feed;
  return (
    <div class="chart">
      <div class="chart-head">
        <Intervals of={of} active={active} />
        <div class="chart-choices">
          <Choice text={say.ask()} of={asks} />
          <Choice text={say.fit()} of={fits} />
          <Attribution />
        </div>
      </div>
      {loaded ? (
        <loaded.CandleChart
          key={active}
          market={of}
          interval={active}
          feed={current}
          asks={asks.value}
          fits={fits.value}
        />
      ) : null}
      <Status feed={current} />
    </div>
  );
}

export function Panel() {
  const of = useSameMarket();
  return of ? <Chart key={of.name} of={of} /> : <p class="empty">{say.waiting()}</p>;
}
