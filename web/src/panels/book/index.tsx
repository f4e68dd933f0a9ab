// SPDX-License-Identifier: MIT
// The order book: sells above, the spread, buys below. Rows stand still while the pointer or the keyboard is on them.
import { useSignal } from '@preact/signals';
import { type BookView, useBook } from '../../state/book';
import type { Market } from '../../state/markets';
import { remembered } from '../../state/prefs';
import { show } from '../../core/decimal';
import { useSameMarket } from '../market/same';
import { priceOf, priceUnits } from '../market/units';
import { Ladder } from './ladder-view';
import { stepsFor } from './ladder';
import { say } from './messages';
import { placesOfStep } from './painter';
import './panel.css';

const isRecord = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

/** The chosen step of a symbol, in units of its last price decimal. */
const chosenSteps = remembered<Record<string, string>>('book.steps', {}, isRecord);

function stepsOf(of: Market, view: BookView): bigint[] {
  const best = view.book.bids[0] ?? view.book.asks[0];
  const reference = best ? priceUnits(of, best.price) : 0n;
  return stepsFor(priceUnits(of, of.tick), reference);
}

function Grouping(props: { of: Market; steps: readonly bigint[]; step: bigint }) {
  const choose = (value: string) => {
    chosenSteps.value = { ...chosenSteps.value, [props.of.name]: value };
  };
  return (
    <select
      class="book-step"
      aria-label={say.grouping()}
      title={say.grouping()}
      value={String(props.step)}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {props.steps.map((step) => (
        <option key={String(step)} value={String(step)}>
          {show(priceOf(props.of, step), { places: placesOfStep(step, props.of.pricePlaces) })}
        </option>
      ))}
    </select>
  );
}

/** Says that prices stand still, and the best prices as they are. */
function Held({ of, view }: { of: Market; view: BookView }) {
  void view.version.value;
  const best = (levels: BookView['book']['bids']): string =>
    levels[0] ? show(levels[0].price, { places: of.pricePlaces }) : '–';
  return (
    <span class="book-held" title={say.heldWhy()}>
      {say.held({ bid: best(view.book.bids), ask: best(view.book.asks) })}
    </span>
  );
}

function Book({ of, view }: { of: Market; view: BookView }) {
  const held = useSignal(false);
  if (!view.live.value && view.book.updateID === 0) return <p class="empty">{say.waiting()}</p>;
  const steps = stepsOf(of, view);
  const wanted = chosenSteps.value[of.name];
  const step = steps.find((one) => String(one) === wanted) ?? (steps[0] as bigint);
  return (
    <div class={`book ${view.live.value ? '' : 'stale'}`}>
      <div class="book-head">
        <Grouping of={of} steps={steps} step={step} />
        {held.value ? <Held of={of} view={view} /> : null}
      </div>
      <Ladder key={of.name} of={of} view={view} step={step} held={held} />
    </div>
  );
}

export function Panel() {
  const of = useSameMarket();
  const view = useBook(of);
  return of && view ? <Book of={of} view={view} /> : <p class="empty">{say.waiting()}</p>;
}
