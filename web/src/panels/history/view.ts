// SPDX-License-Identifier: MIT
// Which list of the history is shown.
import { signal } from '@preact/signals-core';

export type View = 'orders' | 'fills' | 'funding' | 'positions' | 'liquidations';

export const view = signal<View>('orders');
