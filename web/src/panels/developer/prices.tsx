// SPDX-License-Identifier: MIT
// The index of a perps symbol by hand.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { add, decimal, decimalOf, format, multiply, placesOf, show, toScale } from '../../core/decimal';
import { Field, Group, Outcome, useCommand } from './command';
import { say } from './messages';
import { call, read } from './rpc';

interface Mark {
  symbol: string;
  indexPrice: string;
  markPrice: string;
}

const PACE = 1000; // ms between two reads
const REACH = 250; // tenths of a per cent that the slider moves the index either way

/** `price` moved by so many tenths of a per cent, with as many decimals as the price has, at least one. */
export function moved(price: string, tenths: number): string {
  const value = decimal(price);
  const change = multiply(value, decimalOf(BigInt(tenths), 3));
  return format(toScale(add(value, change), Math.max(1, placesOf(price)), 'half'));
}

function useMarks(): Mark[] {
  const marks = useSignal<Mark[]>([]);
  useEffect(() => {
    const turn = () => {
      read<Mark[]>('/api/v1/perps/markets/mark-prices').then(
        (rows) => {
          marks.value = rows;
        },
        () => {},
      );
    };
    turn();
    const timer = setInterval(turn, PACE);
    return () => clearInterval(timer);
  }, []);
  return marks.value;
}

function Index({ mark }: { mark: Mark }) {
  const command = useCommand();
  const tenths = useSignal(0);
  const base = useSignal(''); // the index at which the slider was taken
  const price = useSignal('');
  const set = (wanted: string) =>
    command.run(async () => {
      await call('dojima_setIndexPrice', { symbol: mark.symbol, price: wanted });
      return say('index.set', mark.symbol, wanted);
    });
  const slide = (value: number) => {
    base.value ||= mark.indexPrice;
    tenths.value = value;
  };
  const release = () => {
    const from = base.value || mark.indexPrice;
    base.value = '';
    if (tenths.value !== 0) void set(moved(from, tenths.value));
    tenths.value = 0;
  };
  const shown = `${show(decimalOf(BigInt(tenths.value), 1), { places: 1, plus: true })} %`;
  return (
    <div class="dev-index">
      <p>
        <strong>{mark.symbol}</strong> {say('index.index')} <output>{mark.indexPrice}</output> {say('index.mark')}{' '}
        <output>{mark.markPrice}</output>
      </p>
      <div class="dev-row">
        <label class="dev-field dev-slider">
          <span>
            {say('index.move', mark.symbol)} <output>{shown}</output>
          </span>
          <input
            type="range"
            min={-REACH}
            max={REACH}
            step={1}
            value={tenths.value}
            aria-valuetext={shown}
            onInput={(event) => slide(Number(event.currentTarget.value))}
            onChange={release}
            disabled={command.busy}
          />
        </label>
        <Field
          label={say('index.price', mark.symbol)}
          value={price.value}
          set={(text) => {
            price.value = text;
          }}
          numeric
          placeholder={mark.indexPrice}
        />
        <button
          type="button"
          disabled={command.busy || price.value === ''}
          onClick={() => void set(price.value)}
          aria-label={say('index.setOf', mark.symbol)}
        >
          {say('set')}
        </button>
      </div>
      <Outcome command={command} />
    </div>
  );
}

export function Prices() {
  const marks = useMarks();
  return (
    <Group title={say('index')} about={say('index.about')}>
      {marks.map((mark) => (
        <Index key={mark.symbol} mark={mark} />
      ))}
    </Group>
  );
}
