// SPDX-License-Identifier: MIT
// What a drag sends, and the line's state until the account's stream shows the order at its new price.
import { type Signal, effect } from '@preact/signals';
import { decimalOf } from '../../core/decimal';
import { amendOrder } from '../../state/amend';
import type { Market } from '../../state/markets';
import { type OpenOrder, orders } from '../../state/portfolio';
import { type Drag, answered } from './drag';
import { standsAt } from './lines';

/** How long the stream may take to show what the exchange has answered. */
const SHOWN_WITHIN = 3000;

/** Resolves when the order is shown at the price, is gone, or the time is over. */
function shown(market: Market, order: OpenOrder, price: bigint): Promise<void> {
  return new Promise((resolve) => {
    let done = (): void => {};
    const timer = setTimeout(() => done(), SHOWN_WITHIN);
    const stop = effect(() => {
      const now = orders.value.find((one) => one.id === order.id && one.engine === order.engine);
      if (!now || standsAt(market, now, price)) queueMicrotask(() => done());
    });
    done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
  });
}

/** Sends the amendment of a pending drag; the drag ends still or refused. */
export async function send(market: Market, order: OpenOrder, drag: Signal<Drag>): Promise<void> {
  const { value } = drag;
  if (value.phase !== 'pending') return;
  const price = decimalOf(value.at, market.pricePlaces);
  const outcome = await amendOrder(order, order.stopType === undefined ? { price } : { stopPrice: price });
  if (outcome.done) await shown(market, order, value.at);
  drag.value = answered(drag.value, outcome.done ? null : outcome.reason);
}
