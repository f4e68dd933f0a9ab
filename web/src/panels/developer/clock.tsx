// SPDX-License-Identifier: MIT
// Engine time: what it is, how fast it runs (measured, by two reads), and the commands that move it.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Field, Group, Outcome, useCommand } from './command';
import { say } from './messages';
import { call, read } from './rpc';
import { dateTime } from './time';

const PACE = 1000; // ms between two reads

interface Reading {
  engine: number;
  wall: number;
  rate: string;
}

/** How fast engine time ran between two readings, as '20' or '0.5'; '' when it leapt. */
export function measuredRate(before: Reading | null, engine: number, wall: number): string {
  if (!before || wall - before.wall < PACE / 2) return '';
  const rate = (engine - before.engine) / (wall - before.wall);
  if (rate < 0) return '';
  return rate < 10 ? String(Math.round(rate * 10) / 10) : String(Math.round(rate));
}

function useEngineTime(): Signal<Reading | null> {
  const state = useSignal<Reading | null>(null);
  useEffect(() => {
    const turn = async () => {
      const { serverTime } = await read<{ serverTime: number }>('/api/v1/time');
      const wall = performance.now();
      state.value = { engine: serverTime, wall, rate: measuredRate(state.value, serverTime, wall) };
    };
    const safely = () =>
      void turn().catch(() => {
        state.value = null;
      });
    safely();
    const timer = setInterval(safely, PACE);
    return () => clearInterval(timer);
  }, []);
  return state;
}

const LEAPS: [label: string, ms: number][] = [
  ['+1 s', 1000],
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+8 h', 28_800_000],
];
const RATES = ['0', '1', '10', '60'];

export function Clock() {
  const reading = useEngineTime();
  const now = reading.value;
  const rate = useSignal('1');
  const command = useCommand();
  const setRate = (text: string) =>
    command.run(async () => {
      await call('dojima_setClock', text);
      return text === '0' ? say('clock.stands') : say('clock.runs', text);
    });
  const leap = (ms: number) =>
    command.run(async () => {
      const time = await call<number>('dojima_step', ms);
      reading.value = null; // a leap is no rate
      return say('clock.now', dateTime(time));
    });
  const funding = () =>
    command.run(async () => {
      const { fundingTime } = await call<{ fundingTime: number }>('dojima_fundingNow');
      reading.value = null;
      return say('clock.funded', dateTime(fundingTime));
    });
  return (
    <Group title={say('clock')} about={say('clock.about')}>
      <p class="dev-clock">
        <time>{now ? `${dateTime(now.engine)} UTC` : '–'}</time>
        {now?.rate && <span> ×{now.rate}</span>}
      </p>
      <div class="dev-row" role="group" aria-label={say('clock.speed')}>
        {RATES.map((one) => (
          <button type="button" key={one} disabled={command.busy} onClick={() => setRate(one)}>
            {one === '0' ? say('clock.stop') : `×${one}`}
          </button>
        ))}
        <Field
          label={say('clock.rate')}
          value={rate.value}
          set={(text) => {
            rate.value = text;
          }}
          numeric
        />
        <button type="button" disabled={command.busy} onClick={() => setRate(rate.value)}>
          {say('set')}
        </button>
      </div>
      <div class="dev-row" role="group" aria-label={say('clock.leap')}>
        {LEAPS.map(([label, ms]) => (
          <button type="button" key={label} disabled={command.busy} onClick={() => leap(ms)}>
            {label}
          </button>
        ))}
        <button type="button" disabled={command.busy} onClick={funding}>
          {say('clock.funding')}
        </button>
      </div>
      <Outcome command={command} />
    </Group>
  );
}
