// SPDX-License-Identifier: MIT
// The figures of the selected market in the header.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { exchangeClock } from '../core/clock';
import { decimal, show } from '../core/decimal';
import { leftText, percentText, rateText } from '../panels/symbols/find';
import { type Market, market, markOf, tickerOf } from '../state/markets';
import { messages } from '../ui/i18n';

const say = messages({
  figures: { en: 'Figures of the market', ja: '市場の数値' },
  change: { en: '24 h', ja: '24時間' },
  mark: { en: 'Mark', ja: '評価価格' },
  index: { en: 'Index', ja: '指数' },
  funding: { en: 'Funding', ja: '資金調達' },
  volume: { en: 'Volume', ja: '出来高' },
});

function Figure({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="market-figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Left({ until }: { until: number }) {
  const now = useSignal(exchangeClock.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = exchangeClock.now();
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="muted">{leftText(until - now.value)}</span>;
}

function PerpsFigures({ of }: { of: Market }) {
  const mark = markOf(of.name).value;
  const price = (text: string) => show(decimal(text), { places: of.pricePlaces, rounding: 'half' });
  return (
    <>
      <Figure name={say.mark()}>{mark ? price(mark.p) : '–'}</Figure>
      <Figure name={say.index()}>{mark ? price(mark.i) : '–'}</Figure>
      <Figure name={say.funding()}>
        {mark ? (
          <>
            {rateText(mark.r)} <Left until={mark.T} />
          </>
        ) : (
          '–'
        )}
      </Figure>
    </>
  );
}

export function Figures() {
  const of = market.value;
  if (!of) return null;
  const ticker = tickerOf(of.name).value;
  const last = ticker?.c ?? of.record.lastTradePrice;
  const up = (ticker?.P ?? 0) >= 0;
  return (
    <div class="market-figures" role="group" aria-label={say.figures()} tabIndex={0}>
      <dl>
        <div class="market-figure last">
          <dd>{show(decimal(last), { places: of.pricePlaces })}</dd>
        </div>
        <Figure name={say.change()}>
          <span class={up ? 'buy-text' : 'sell-text'}>{ticker ? percentText(ticker.P) : '–'}</span>
        </Figure>
        {of.engine === 'perps' ? <PerpsFigures of={of} /> : null}
        <Figure name={say.volume()}>
          {ticker ? `${show(decimal(ticker.v), { places: 2 })} ${of.base}` : '–'}
        </Figure>
      </dl>
    </div>
  );
}

/** The title of the page: last price and symbol. */
export function useTitle(): void {
  useSignalEffect(() => {
    const of = market.value;
    const last = of && tickerOf(of.name).value?.c;
    document.title = of ? `${last ? `${show(decimal(last))} ` : ''}${of.displayName} · dojima` : 'dojima';
  });
}
