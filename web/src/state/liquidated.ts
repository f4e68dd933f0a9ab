// SPDX-License-Identifier: MIT
// The last liquidation of the account, which the page explains until the user closes the explanation.
import { signal } from '@preact/signals-core';
import type { WsAccountEvent } from '../core/types';

/** The first event of the liquidation: it has the figures that began it. */
export const liquidated = signal<WsAccountEvent | undefined>(undefined);

/** Keeps the event, unless it is a later stage of the liquidation that is kept already. */
export function keepLiquidation(event: WsAccountEvent): void {
  const kept = liquidated.value;
  const { aid, liquidationID } = event;
  const same = liquidationID !== undefined && kept?.liquidationID === liquidationID;
  if (!same || kept?.aid !== aid) liquidated.value = event;
}
