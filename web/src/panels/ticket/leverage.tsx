// SPDX-License-Identifier: MIT
// Leverage and margin mode of a perps symbol.
import { useState } from 'preact/hooks';
import { ACTIONS } from '../../core/write';
import { MARGIN_MODE, type MarginMode } from '../../core/types';
import { account } from '../../state/account';
import type { Market } from '../../state/markets';
import { tell } from '../../state/notices';
import { refusalOf } from '../../state/outcomes';
import { orders, positions } from '../../state/portfolio';
import { answerText } from '../../rules/refusal-texts';
import { rules } from '../../state/risk';
import { type Setting, settingOf } from './setting';
import { say as words } from './leverage-texts';
import { say } from './texts';

const MODES: readonly MarginMode[] = ['CROSS', 'ISOLATED'];

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
    tell(words.leverageSet({ symbol: market.displayName, n: setting.leverage, mode: say[setting.mode]() }), 'good');
    return undefined;
  }
  tell(say.refused({ why: refusal.text }), 'bad');
  return refusal.text;
}

interface ModeProps {
  mode: MarginMode;
  locked: boolean;
  onChange: (mode: MarginMode) => void;
}

function ModeChoice({ mode, locked, onChange }: ModeProps) {
  return (
    <fieldset class="mode" disabled={locked}>
      <legend>{words.marginMode()}</legend>
      {MODES.map((one) => (
        <label key={one} class="check">
          <input type="radio" name="margin-mode" checked={mode === one} onChange={() => onChange(one)} />
          <span>
            {say[one as 'CROSS']()}
            <small class="muted"> {one === 'CROSS' ? words.crossHelp() : words.isolatedHelp()}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The exchange changes it only while the symbol has no position and no order (service 4.5). */
const isLocked = (market: Market): boolean =>
  positions.value.some((one) => one.symbol === market.name) ||
  orders.value.some((order) => order.engine === 'perps' && order.symbol === market.name);

export function LeverageForm({ market, onDone }: { market: Market; onDone: () => void }) {
  const [setting, change] = useState(settingOf(market));
  const [why, tellWhy] = useState<string>();
  const most = rules(market).maxLeverage;
  const locked = isLocked(market);
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    const refusal = await apply(market, setting);
    tellWhy(refusal);
    if (refusal === undefined) onDone();
  };
  return (
    <form class="leverage-form" onSubmit={(event) => void onSubmit(event)}>
      <label class="percent">
        <span>{words.leverageTimes()}</span>
        <input
          type="range"
          min="1"
          max={most}
          step="1"
          value={setting.leverage}
          disabled={locked}
          aria-valuetext={`${setting.leverage}×`}
          onInput={(event) => change({ ...setting, leverage: Number(event.currentTarget.value) })}
        />
        <output>{setting.leverage}×</output>
      </label>
      <ModeChoice mode={setting.mode} locked={locked} onChange={(mode) => change({ ...setting, mode })} />
      {locked ? <p class="muted" id="leverage-locked">{answerText(42012, '', {})}</p> : null}
      {why === undefined || locked ? null : <p class="field-error">{why}</p>}
      <button type="submit" class="primary" disabled={locked} aria-describedby={locked ? 'leverage-locked' : undefined}>
        {words.apply()}
      </button>
    </form>
  );
}
