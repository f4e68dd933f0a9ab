// SPDX-License-Identifier: MIT
// Below the buttons: what each side would do and cost, or what there is to order with while nothing is typed.
import { decimal, show, subtract } from '../../core/decimal';
import type { Market } from '../../state/markets';
import { perpsState, spotState } from '../../state/portfolio';
import { size } from './model';
import { engine, sides } from './previews';
import { say } from './texts';

const NONE = '–';

/** What can be ordered with, while nothing is typed. */
function Available({ market }: { market: Market }) {
  const coin = (name: string, text: string) => (
    <span key={name}>
      {text} <span class="muted">{name}</span>
    </span>
  );
  const spot = (name: string) => {
    const row = spotState.value?.B.find((one) => one.a === name);
    return coin(name, row === undefined ? NONE : show(subtract(decimal(row.t), decimal(row.l))));
  };
  const margin = perpsState.value?.am;
  return (
    <p class="ticket-available">
      <span class="muted">{say.available()}</span>
      {market.engine === 'perps'
        ? coin(market.quote, margin === undefined ? NONE : show(decimal(margin), { places: 2 }))
        : [spot(market.quote), spot(market.base)]}
    </p>
  );
}

export function PreviewTable({ market }: { market: Market }) {
  const Rows = engine.value?.PreviewRows;
  if (size.value === '' || sides.value === undefined || Rows === undefined) return <Available market={market} />;
  return <Rows market={market} />;
}
