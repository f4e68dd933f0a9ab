// SPDX-License-Identifier: MIT
// Shows the leverage of the symbol and opens the dialog that changes it.
import { useState } from 'preact/hooks';
import type { Market } from '../../state/markets';
import { Dialog } from '../../ui/dialog';
import { lazy } from '../../ui/lazy';
import { settingOf } from './setting';
import { say } from './texts';

const LeverageForm = lazy(() => import('./leverage').then((module) => module.LeverageForm));

export function LeverageButton({ market }: { market: Market }) {
  const [open, setOpen] = useState(false);
  const { leverage, mode } = settingOf(market);
  return (
    <>
      <button type="button" class="leverage" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <span class="visually-hidden">{say.leverageShort()}</span> {leverage}× {say[mode]()}
      </button>
      <Dialog title={say.leverageTitle({ symbol: market.displayName })} open={open} onClose={() => setOpen(false)}>
        <LeverageForm market={market} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
