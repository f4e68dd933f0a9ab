// SPDX-License-Identifier: MIT
// Margin of an isolated position: added out of the wallet, or given back to it.
import { useState } from 'preact/hooks';
import { decimal, decimalOf, format, parseDecimal, show, signOf } from '../../core/decimal';
import { ACTIONS } from '../../core/write';
import { removableOf } from '../../rules/removable';
import { account } from '../../state/account';
import { marketOf, shownName } from '../../state/markets';
import { tell } from '../../state/notices';
import { refusalOf } from '../../state/outcomes';
import { type Position, perpsState } from '../../state/portfolio';
import { perpsNow } from '../../state/risk';
import { Dialog } from '../../ui/dialog';
import { NumberField } from '../../ui/number-field';
import { say as words } from './dialog-texts';
import type { Row } from './model';
import { say } from './texts';

function removable(position: Position): string {
  const now = perpsNow();
  const priced = now.markets.get(position.symbol);
  const own = now.account.positions.find((one) => one.symbol === position.symbol);
  if (priced === undefined || own === undefined) return '0';
  return show(decimalOf(removableOf(priced, own), priced.market.quoteScale), { places: 2 });
}

/** Undefined when the exchange did it, else why not. */
async function change(position: Position, typed: string, remove: boolean): Promise<string | undefined> {
  const amount = parseDecimal(typed.trim());
  const market = marketOf(position.symbol);
  const accountID = account.value?.accountID;
  if (amount === undefined || signOf(amount) <= 0) return words.notDecimal();
  if (market === undefined || accountID === undefined) return say.signIn();
  const text = `${remove ? '-' : ''}${format(amount)}`;
  const refusal = await refusalOf(ACTIONS.margin, { accountID, symbolID: market.id, amount: text });
  if (refusal === undefined) tell(words.marginChanged({ symbol: shownName(position.symbol), n: text }), 'good');
  else tell(words.refused({ why: refusal.text }), 'bad');
  return refusal?.text;
}

export function MarginDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const { position } = row;
  const [typed, type] = useState('');
  const [why, tellWhy] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async (remove: boolean) => {
    if (busy) return;
    setBusy(true);
    const refusal = await change(position, typed, remove);
    setBusy(false);
    tellWhy(refusal);
    if (refusal === undefined) onClose();
  };
  const most = show(decimal(perpsState.value?.ami ?? '0'), { places: 2 });
  return (
    <Dialog title={words.marginTitle({ symbol: shownName(position.symbol) })} open onClose={onClose}>
      <form class="dialog-form" onSubmit={(event) => event.preventDefault()}>
        <p class="muted">
          {words.mostAdd({ n: most })} {words.mostRemove({ n: removable(position) })}
        </p>
        <NumberField label={words.amount()} value={typed} onInput={type} error={why} unit="vUSDC" />
        <span class="actions">
          <button type="button" class="primary" disabled={busy} onClick={() => void send(false)}>
            {words.add()}
          </button>
          <button type="button" disabled={busy} onClick={() => void send(true)}>
            {words.remove()}
          </button>
        </span>
      </form>
    </Dialog>
  );
}
