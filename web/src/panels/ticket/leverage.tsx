// SPDX-License-Identifier: MIT
// Leverage and margin mode of a perps symbol.
import { useState } from 'preact/hooks';
import { ACTIONS } from '../../core/write';
import { MARGIN_MODE, type MarginMode } from '../../core/types';
import { account } from '../../state/account';
import type { Market } from '../../state/markets';
import { tell } from '../../state/notices';
import { refusalOf } from '../../state/outcomes';
import { perpsState } from '../../state/portfolio';
import { rules } from '../../state/risk';
import { Dialog } from '../../ui/dialog';
import { say } from './texts';

const MODES: readonly MarginMode[] = ['CROSS', 'ISOLATED'];

export interface Setting {
  readonly leverage: number;
  readonly mode: MarginMode;
}

export function settingOf(market: Market): Setting {
  const row = perpsState.value?.S.find((one) => one.s === market.name);
  return { leverage: row?.l ?? rules(market).initLeverage, mode: row?.m ?? 'CROSS' };
}

/** Undefined when the exchange took it, else why it did not. */
async function apply(market: Market, setting: Setting): Promise<string | undefined> {
  const accountID = account.value?.accountID;
  if (accountID === undefined) return say.signIn();
  const refusal = await refusalOf(ACTIONS.leverage, {
    accountID,
    symbolID: market.id,
    leverage: setting.leverage,
    marginMode: MARGIN_MODE[setting.mode],
  });
  if (refusal === undefined) {
    tell(say.leverageSet({ symbol: market.name, n: setting.leverage, mode: say[setting.mode]() }), 'good');
    return undefined;
  }
  tell(say.refused({ why: refusal.text }), 'bad');
  return refusal.text;
}

function ModeChoice({ mode, onChange }: { mode: MarginMode; onChange: (mode: MarginMode) => void }) {
  return (
    <fieldset class="mode">
      <legend>{say.marginMode()}</legend>
      {MODES.map((one) => (
        <label key={one} class="check">
          <input type="radio" name="margin-mode" checked={mode === one} onChange={() => onChange(one)} />
          <span>
            {say[one as 'CROSS']()}
            <small class="muted"> {one === 'CROSS' ? say.crossHelp() : say.isolatedHelp()}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function LeverageForm({ market, onDone }: { market: Market; onDone: () => void }) {
  const [setting, change] = useState(settingOf(market));
  const [why, tellWhy] = useState<string>();
  const most = rules(market).maxLeverage;
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const refusal = await apply(market, setting);
    tellWhy(refusal);
    if (refusal === undefined) onDone();
  };
  return (
    <form class="leverage-form" onSubmit={(event) => void onSubmit(event)}>
      <label class="percent">
        <span>{say.leverageTimes()}</span>
        <input
          type="range"
          min="1"
          max={most}
          step="1"
          value={setting.leverage}
          aria-valuetext={`${setting.leverage}×`}
          onInput={(event) => change({ ...setting, leverage: Number(event.currentTarget.value) })}
        />
        <output>{setting.leverage}×</output>
      </label>
      <ModeChoice mode={setting.mode} onChange={(mode) => change({ ...setting, mode })} />
      {why === undefined ? null : <p class="field-error">{why}</p>}
      <button type="submit" class="primary">
        {say.apply()}
      </button>
    </form>
  );
}

export function LeverageButton({ market }: { market: Market }) {
  const [open, setOpen] = useState(false);
  const { leverage, mode } = settingOf(market);
  return (
    <>
      <button type="button" class="leverage" onClick={() => setOpen(true)} aria-haspopup="dialog">
        {say.leverage({ n: leverage, mode: say[mode]() })}
      </button>
      <Dialog title={say.leverageTitle({ symbol: market.name })} open={open} onClose={() => setOpen(false)}>
        <LeverageForm market={market} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
