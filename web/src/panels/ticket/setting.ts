// SPDX-License-Identifier: MIT
import type { MarginMode } from '../../core/types';
import type { Market } from '../../state/markets';
import { perpsState } from '../../state/portfolio';

export interface Setting {
  readonly leverage: number;
  readonly mode: MarginMode;
}

export function settingOf(market: Market): Setting {
  const row = perpsState.value?.S.find((one) => one.s === market.name);
  return { leverage: row?.l ?? initial(market), mode: row?.m ?? 'CROSS' };
}

const initial = (market: Market): number => (market.engine === 'perps' ? market.record.initLeverage : 1);
