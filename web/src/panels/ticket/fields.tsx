// SPDX-License-Identifier: MIT
// The boxes of the ticket, each with what would refuse the order at it.
import type { Signal } from '@preact/signals-core';
import type { Field, TriggerType } from '../../rules/draft';
import type { Market } from '../../state/markets';
import { NumberField } from '../../ui/number-field';
import { engine, here, sides, wake } from './previews';
import { answered, bracket, edit, percent, side, size, stopLoss, takeProfit, trigger, unit, price } from './model';
import { say } from './texts';

interface FieldProps {
  readonly market: Market;
  readonly onEnter: () => void;
}

/** What stands at a field: the exchange's answer, else what would refuse the chosen side, else both sides. */
export function errorAt(typed: string, ...fields: readonly Field[]): string | undefined {
  const told = answered.value;
  if (told !== null && fields.includes(told.field)) return told.text;
  const both = sides.value;
  const words = engine.value?.refusalText;
  if (both === undefined || words === undefined || typed === '') return undefined;
  const of = (chosen: 'BUY' | 'SELL') => both[chosen].refusals.find((refusal) => fields.includes(refusal.field));
  const chosen = side.value === null ? undefined : of(side.value);
  if (chosen !== undefined) return words(chosen);
  const [buy, sell] = [of('BUY'), of('SELL')];
  return side.value === null && buy !== undefined && sell !== undefined && buy.rule === sell.rule
    ? words(buy)
    : undefined;
}

export function PriceField({ market, onEnter }: FieldProps) {
  return (
    <NumberField
      label={say.price()}
      value={price.value}
      onInput={(text) => edit(price, text)}
      step={market.tick}
      unit={market.quote}
      error={errorAt(price.value, 'price')}
      onEnter={onEnter}
    />
  );
}

/** Sets the size to a part of what the account can order. */
async function takePercent(part: number): Promise<void> {
  percent.value = part;
  const { partSize } = await wake();
  const now = here.peek();
  if (percent.value !== part || now === undefined) return;
  edit(size, partSize(now, part));
  percent.value = part;
}

function UnitSelect({ market }: { market: Market }) {
  return (
    <select
      class="unit-select"
      aria-label={say.sizeIn()}
      value={unit.value}
      onChange={(event) => edit(unit, event.currentTarget.value === 'value' ? 'value' : 'base')}
    >
      <option value="base">{market.base}</option>
      <option value="value">{market.quote}</option>
    </select>
  );
}

/** The slider, and the side that it is a part for: what can be bought and what can be sold differ. */
function Percent() {
  const sells = side.value === 'SELL';
  const turn = () => {
    side.value = sells ? 'BUY' : 'SELL';
    if (percent.value > 0) void takePercent(percent.value);
  };
  return (
    <div class="percent">
      <input
        type="range"
        min="0"
        max="100"
        step="1"
        aria-label={say.percent()}
        value={percent.value}
        onInput={(event) => void takePercent(Number(event.currentTarget.value))}
      />
      <output>{percent.value} %</output>
      <button type="button" class={`quiet ${sells ? 'sell-text' : 'buy-text'}`} title={say.turn()} onClick={turn}>
        {sells ? say.selling() : say.buying()}
      </button>
    </div>
  );
}

export function SizeField({ market, onEnter }: FieldProps) {
  const byValue = unit.value === 'value';
  return (
    <div class="size-field">
      <div class="size-row">
        <NumberField
          label={say.size()}
          value={size.value}
          onInput={(text) => edit(size, text)}
          step={byValue ? { units: 1n, scale: 0 } : market.step}
          error={errorAt(size.value, 'quantity', 'funds')}
          onEnter={onEnter}
        />
        <UnitSelect market={market} />
      </div>
      <Percent />
    </div>
  );
}

const TRIGGERS: readonly TriggerType[] = ['MARK_PRICE', 'LAST_PRICE', 'INDEX_PRICE'];

function StopField({
  label,
  field,
  at,
  market,
  onEnter,
}: FieldProps & { label: string; field: Signal<string>; at: Field }) {
  const missing = at === 'takeProfit' && stopLoss.value !== '' ? stopLoss.value : field.value;
  return (
    <NumberField
      label={label}
      value={field.value}
      onInput={(text) => edit(field, text)}
      step={market.tick}
      error={errorAt(missing, at)}
      onEnter={onEnter}
    />
  );
}

export function BracketFields({ market, onEnter }: FieldProps) {
  return (
    <div class="bracket">
      <label class="check">
        <input
          type="checkbox"
          checked={bracket.value}
          onChange={(event) => edit(bracket, event.currentTarget.checked)}
        />
        {say.bracket()}
      </label>
      {bracket.value ? (
        <div class="bracket-fields">
          <StopField label={say.takeProfit()} field={takeProfit} at="takeProfit" market={market} onEnter={onEnter} />
          <StopField label={say.stopLoss()} field={stopLoss} at="stopLoss" market={market} onEnter={onEnter} />
          <label class="trigger">
            <span class="muted">{say.trigger()}</span>
            <select
              value={trigger.value}
              onChange={(event) => edit(trigger, TRIGGERS[event.currentTarget.selectedIndex] ?? 'MARK_PRICE')}
            >
              {TRIGGERS.map((name) => (
                <option key={name} value={name}>
                  {say[name as 'MARK_PRICE']()}
                </option>
              ))}
            </select>
          </label>
        </div>
      ) : null}
    </div>
  );
}
