// SPDX-License-Identifier: MIT
// A text box for a decimal: what is typed stays as it is typed, arrows move by a step, and no float is made of it.
import { useId } from 'preact/hooks';
import { type Decimal, ZERO, add, format, less, parseDecimal, subtract, toStep } from '../core/decimal';
import { typedDecimal } from './typed';

export interface NumberFieldProps {
  /** The accessible name, such as "Price". */
  readonly label: string;
  /** As typed; may be empty or unfinished. */
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Arrow up and down move by it, Shift by ten of it. */
  readonly step?: Decimal | undefined;
  readonly unit?: string | undefined;
  /** Why the value is refused; stands at the field. */
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  readonly placeholder?: string | undefined;
  readonly onEnter?: (() => void) | undefined;
}

function moved(value: string, step: Decimal, up: boolean, times: bigint): string {
  const by = { units: step.units * times, scale: step.scale };
  const present = parseDecimal(value) ?? ZERO;
  const next = up ? add(toStep(present, step, 'floor'), by) : subtract(toStep(present, step, 'ceil'), by);
  return format(less(next, ZERO) ? ZERO : next);
}

export function NumberField(props: NumberFieldProps) {
  const id = useId();
  const onInput = ({ currentTarget: box }: { currentTarget: HTMLInputElement }) => {
    const text = typedDecimal(box.value);
    if (box.value !== text) box.value = text; // also when it is the value that it was: no drawing would correct it
    props.onInput(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && props.onEnter) {
      event.preventDefault();
      props.onEnter();
    }
    if (!props.step || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    props.onInput(moved(props.value, props.step, event.key === 'ArrowUp', event.shiftKey ? 10n : 1n));
  };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <div class="field-box">
        <input
          id={id}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          spellcheck={false}
          value={props.value}
          disabled={props.disabled ?? false}
          placeholder={props.placeholder ?? ''}
          aria-invalid={props.error !== undefined}
          aria-describedby={props.error === undefined ? undefined : `${id}-error`}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
        {props.unit === undefined ? null : <span class="unit">{props.unit}</span>}
      </div>
      {props.error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {props.error}
        </p>
      )}
    </div>
  );
}
