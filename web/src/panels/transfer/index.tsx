// SPDX-License-Identifier: MIT
// Moves a coin between the spot side and the perps side of the account.
import { format, parseDecimal, show } from '../../core/decimal';
import { account } from '../../state/account';
import { NumberField } from '../../ui/number-field';
import './panel.css';
import { COIN, type Direction, amount, busy, direction, faultOf, most, refusal, send } from './send';
import { say } from './texts';

function DirectionChoice() {
  const choice = (one: Direction, label: string) => (
    <label class="check">
      <input
        type="radio"
        name="transfer-direction"
        checked={direction.value === one}
        onChange={() => {
          direction.value = one;
          refusal.value = null;
        }}
      />
      {label}
    </label>
  );
  return (
    <fieldset class="mode">
      <legend>{say.direction()}</legend>
      {choice('toPerps', say.toPerps())}
      {choice('toSpot', say.toSpot())}
    </fieldset>
  );
}

export function Panel() {
  if (account.value === undefined) return <p class="empty">{say.signIn()}</p>;
  const type = (text: string) => {
    amount.value = text;
    refusal.value = null;
  };
  return (
    <form class="transfer" onSubmit={(event) => (event.preventDefault(), void send())}>
      <DirectionChoice />
      <NumberField
        label={say.amount()}
        value={amount.value}
        onInput={type}
        unit={COIN}
        error={refusal.value ?? faultOf(parseDecimal(amount.value.trim()))}
        onEnter={() => void send()}
      />
      <div class="transfer-row">
        <span class="muted">{say.most({ n: show(most.value) })}</span>
        <button type="button" onClick={() => type(format(most.value))}>
          {say.all()}
        </button>
        <button type="submit" class="primary" disabled={busy.value}>
          {say.transfer()}
        </button>
      </div>
    </form>
  );
}
