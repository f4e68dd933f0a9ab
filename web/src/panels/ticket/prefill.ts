// SPDX-License-Identifier: MIT
import { batch, untracked } from '@preact/signals-core';
import { format } from '../../core/decimal';
import { market } from '../../state/markets';
import { prefill } from '../../state/prefill';
import { answered, kind, percent, price, side, size, unit } from './model';
import { wake } from './previews';

/** Takes over, once, what a click in another panel asked for. A click of another symbol is void. */
export function takePrefill(): void {
  const asked = prefill.value;
  if (asked === undefined) return;
  prefill.value = undefined;
  if (asked.symbol !== market.peek()?.name) return;
  void wake();
  untracked(() =>
    batch(() => {
      if (asked.price !== undefined) {
        kind.value = 'LIMIT';
        price.value = format(asked.price);
      }
      if (asked.size !== undefined) {
        unit.value = 'base';
        size.value = format(asked.size);
        percent.value = 0;
      }
      if (asked.side !== undefined) side.value = asked.side;
      answered.value = null;
    }),
  );
}
