// SPDX-License-Identifier: MIT
// The lengths of bars that each engine offers (service 4.1, 4.4).
import type { Engine, Interval } from '../../core/types';

export const INTERVALS: Readonly<Record<Engine, readonly Interval[]>> = {
  spot: ['1m', '5m', '15m', '30m', '1h', '4h', '8h', '12h', '1D', '3D', '1W', '1M'],
  perps: ['1m', '5m', '15m', '30m', '1h', '4h', '1D', '1W', '1M'],
};

export const isInterval = (value: unknown): value is Interval => INTERVALS.spot.includes(value as Interval);

/** The interval itself, or the nearest shorter one that the engine has. */
export function offered(engine: Engine, wanted: Interval): Interval {
  const list = INTERVALS[engine];
  for (let at = INTERVALS.spot.indexOf(wanted); at >= 0; at--) {
    const found = list.find((one) => one === INTERVALS.spot[at]);
    if (found) return found;
  }
  return '1m';
}
