// SPDX-License-Identifier: MIT
// What is typed into the transfer, what may be moved, and the sending.
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
import { say } from './texts';

export type Direction = 'toPerps' | 'toSpot';

/** The one coin that perps knows as collateral (mechanics 7). */
export const COIN = 'vUSDC';

export const direction = signal<Direction>('toPerps');
export const amount = signal('');
export const refusal = signal<string | null>(null);
export const busy = signal(false);

/** What may be moved now, as the exchange says it. */
export const most = computed<Decimal>(() => {
  if (direction.value === 'toSpot') return decimal(perpsState.value?.amw ?? '0');
  const row = spotState.value?.B.find((one) => one.a === COIN);
  return row === undefined ? ZERO : subtract(decimal(row.t), decimal(row.l));
});

const coin = computed(() => coins.value.spot.find((one) => one.name === COIN));

/** Why what is typed cannot be moved; undefined when it can, or nothing is typed. */
export function faultOf(typed: Decimal | undefined): string | undefined {
  if (amount.value === '') return undefined;
  if (typed === undefined || signOf(typed) <= 0) return say.notAmount();
  const places = coin.value?.precision ?? 6;
  const decimals = format(typed).split('.')[1]?.length ?? 0;
  if (decimals > places) return say.decimals({ n: places });
  return less(most.value, typed) ? say.tooMuch({ n: show(most.value) }) : undefined;
}

export async function send(): Promise<void> {
  const typed = parseDecimal(amount.value.trim());
  const accountID = account.value?.accountID;
  if (busy.value || accountID === undefined) return;
  if (coin.value === undefined) {
    refusal.value = say.noCoins();
    return;
  }
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
