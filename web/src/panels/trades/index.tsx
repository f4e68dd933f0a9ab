// SPDX-License-Identifier: MIT
// The tape: public trades, newest first. The taker's side is an arrow, a hidden word and a colour.
import { effect, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { WsTrade } from '../../core/types';
import type { Market } from '../../state/markets';
import { useTrades } from '../../state/trades';
import { useSameMarket } from '../market/same';
import { say } from './messages';
import { makePainter } from './painter';
import { newerThan } from './tape';
import './panel.css';

const ROWS = 60;

function Tape({ of }: { of: Market }) {
  const trades = useTrades(of);
  const body = useRef<HTMLTableSectionElement>(null);
  /** The id of the newest trade when the pointer came; undefined: the list moves. */
  const held = useSignal<number | undefined>(undefined);
  const waiting = useSignal(0);
  useLayoutEffect(() => {
    if (!body.current) return undefined;
    const painter = makePainter(of, body.current, ROWS);
    let still: readonly WsTrade[] | undefined;
    return effect(() => {
      const newest = trades.value;
      if (held.value === undefined) still = undefined;
      else still ??= newest;
      waiting.value = held.value === undefined ? 0 : newerThan(newest, held.value);
      painter.paint(still ?? newest);
    });
  }, [of, trades]);
  const hold = (event: PointerEvent) => {
    if (event.pointerType === 'mouse') held.value = trades.value[0]?.t ?? -1;
  };
  return (
    <div class="tape" onPointerEnter={hold} onPointerLeave={() => (held.value = undefined)}>
      <div class="tape-scroll" tabIndex={0} role="group" aria-label={say.trades()}>
        <table aria-label={say.trades()}>
          <thead>
            <tr>
              <th scope="col">{say.price()}</th>
              <th scope="col">{say.size()}</th>
              {held.value === undefined ? (
                <th scope="col">{say.time()}</th>
              ) : (
                <th scope="col" class="tape-held" title={say.heldWhy()}>
                  {say.held({ count: waiting.value })}
                </th>
              )}
            </tr>
          </thead>
          <tbody ref={body} />
        </table>
        {trades.value.length === 0 ? <p class="empty">{say.none()}</p> : null}
      </div>
    </div>
  );
}

export function Panel() {
  const of = useSameMarket();
  return of ? <Tape key={of.name} of={of} /> : null;
}
