// SPDX-License-Identifier: MIT
// What another panel puts into the ticket: a click in the book or the chart.
import { signal } from '@preact/signals-core';
import type { Decimal } from '../core/decimal';
import type { Side } from '../core/types';

export interface Prefill {
  /** The name of the market; a ticket of another one does not take it. */
  readonly symbol: string;
  readonly price?: Decimal;
  readonly size?: Decimal;
  readonly side?: Side;
}

/** A new object with each click. The ticket takes it over when it changes, or appears, and leaves undefined. */
export const prefill = signal<Prefill | undefined>(undefined);
