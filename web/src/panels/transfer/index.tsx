// SPDX-License-Identifier: MIT
// Moves a coin between the spot side and the perps side of the account.
import { batch, computed, signal } from '@preact/signals-core';
import { type Decimal, ZERO, decimal, format, less, parseDecimal, show, signOf, subtract } from '../../core/decimal';
import { ACTIONS } from '../../core/write';
import { BRIDGE_ACCOUNT, TRANSFER } from '../../core/types';
import { account } from '../../state/account';
import { coins } from '../../state/markets';
import { tell } from '../../state/notices';
import { refusalOf } from '../../state/outcomes';
import { perpsState, spotState } from '../../state/portfolio';
import { risingNumber } from '../../state/write';
import { NumberField } from '../../ui/number-field';
import './panel.css';
import { say } from './texts';

type Direction = 'toPerps' | 'toSpot';

/** The one coin that perps knows as collateral (mechanics 7). */
const COIN = 'vUSDC';

const direction = signal<Direction>('toPerps');
const amount = signal('');
const refusal = signal<string | null>(null);
const busy = signal(false);

/** What may be moved now, as the exchange says it. */
const most = computed<Decimal>(() => {
  if (direction.value === 'toSpot') return decimal(perpsState.value?.amw ?? '0');
  const row = spotState.value?.B.find((one) => one.a === COIN);
  return row === undefined ? ZERO : subtract(decimal(row.t), decimal(row.l));
});

const coin = computed(() => coins.value.spot.find((one) => one.name === COIN));

/** Why what is typed cannot be moved; undefined when it can, or nothing is typed. */
function faultOf(typed: Decimal | undefined): string | undefined {
  if (amount.value === '') return undefined;
  if (typed === undefined || signOf(typed) <= 0) return say.notAmount();
  const places = coin.value?.precision ?? 6;
  const decimals = format(typed).split('.')[1]?.length ?? 0;
  if (decimals > places) return say.decimals({ n: places });
  return less(most.value, typed) ? say.tooMuch({ n: show(most.value) }) : undefined;
}

async function send(): Promise<void> {
  const typed = parseDecimal(amount.value.trim());
  const accountID = account.value?.accountID;
  if (busy.value || accountID === undefined || coin.value === undefined) return;
  if (typed === undefined || signOf(typed) <= 0) {
    refusal.value = say.notAmount();
    return;
  }
  busy.value = true;
  const toPerps = direction.value === 'toPerps';
  const text = format(typed);
  const outcome = await refusalOf(toPerps ? ACTIONS.transferSpot : ACTIONS.transferPerps, {
    id: risingNumber(),
    fromAccountID: accountID,
    toAccountID: BRIDGE_ACCOUNT,
    coinID: coin.value.id,
    amount: text,
    type: toPerps ? TRANSFER.PERPS_WITHDRAW : TRANSFER.SPOT_WITHDRAW,
  });
  batch(() => {
    busy.value = false;
    refusal.value = outcome?.text ?? null;
    if (outcome === undefined) amount.value = '';
  });
  if (outcome !== undefined) tell(say.refused({ why: outcome.text }), 'bad');
  else tell((toPerps ? say.movedToPerps : say.movedToSpot)({ n: text, coin: COIN }), 'good');
}

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
